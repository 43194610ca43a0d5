/* SPDX-License-Identifier: Apache-2.0 */
/* Forces and torques: world and body frame, at a point, set at run time; against the reference. */
#include "tests.h"

static const AfxVec3 none = {0, 0, 0};

/* Gaps at 1 s with h = 1e-3 and half of it: small, and falling by four. */
static void assert_follows(World *world, uint32_t body, const RigidReference *start, void (*prepare)(World *world)) {
    RigidReference reference = *start;
    rigid_reference_run(&reference, 1, 2e-4);
    for (int m = 0; m < METHODS; m++) {
        Gap gap[2];
        for (int k = 0; k < 2; k++) {
            AfxSimDef def = accurate_def(&methods[m], 2e-3 / (1 << k));
            world_start(world, &def);
            if (prepare) {
                prepare(world);
            }
            world_run(world, 500u << k);
            gap[k] = gap_between(world, body, &reference);
        }
        bool second = methods[m].order == 2;
        assert_below(gap[0].angle, second ? 5e-4 : 0.1);
        assert_below(gap[0].spin, second ? 2e-3 : 0.2);
        assert_below(gap[0].position, second ? 5e-4 : 0.1);
        assert_below(gap[0].velocity, second ? 2e-3 : 0.2);
        double floor = 1e-10, fall = second ? 3.4 : 1.7;
        assert_below(gap[1].angle, fmax(floor, gap[0].angle / fall));
        assert_below(gap[1].spin, fmax(floor, gap[0].spin / fall));
        assert_below(gap[1].position, fmax(floor, gap[0].position / fall));
        assert_below(gap[1].velocity, fmax(floor, gap[0].velocity / fall));
    }
}

static void check_wrench(AfxFrame frame, AfxVec3 point, AfxVec3 force, AfxVec3 torque) {
    World world = world_make(none);
    AfxBodyDef def = odd_def();
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.frame = frame;
    wrench.point = point;
    wrench.force = force;
    wrench.torque = torque;
    world_load(&world, world_add(&world, &def), &wrench);
    RigidReference reference = rigid_reference_make(&def, none);
    rigid_reference_load(&reference, &wrench);
    assert_follows(&world, 0, &reference, NULL);
    world_free(&world);
}

static void a_force_acts_at_its_point(void **state) {
    (void)state;
    check_wrench(AFX_FRAME_WORLD, v3(0.4, 0.5, -0.3), v3(2, -1, 3), none);
    check_wrench(AFX_FRAME_BODY, v3(0.4, 0.5, -0.3), v3(2, -1, 3), none);
}

static void a_torque_turns(void **state) {
    (void)state;
    check_wrench(AFX_FRAME_WORLD, none, none, v3(1, 2, -1.5));
    check_wrench(AFX_FRAME_BODY, none, none, v3(1, 2, -1.5));
}

static void force_and_torque_together(void **state) {
    (void)state;
    check_wrench(AFX_FRAME_WORLD, v3(-0.4, 0.5, 0.3), v3(2, 1, 3), v3(1, -2, 0.5));
    check_wrench(AFX_FRAME_BODY, v3(-0.4, 0.5, 0.3), v3(2, 1, 3), v3(1, -2, 0.5));
}

/* ---- at run time ---- */

static AfxWrenchDef late_wrench(void) {
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.frame = AFX_FRAME_BODY;
    wrench.point = v3(0.1, 0.7, 0.2);
    wrench.force = v3(-2, 1, 0.5);
    wrench.torque = v3(0.3, 0.6, -0.9);
    return wrench;
}

static void set_late_wrench(World *world) {
    AfxWrenchDef wrench = late_wrench();
    AfxWrench got;
    assert_ok(afx_sim_set_wrench(world->sim, 0, (AfxWrench){wrench.force, wrench.torque}));
    assert_ok(afx_sim_wrench(world->sim, 0, &got));
    assert_vec3(got.force, wrench.force, 1e-15);
    assert_vec3(got.torque, wrench.torque, 1e-15);
}

static void set_wrench_replaces_it(void **state) {
    (void)state;
    World world = world_make(none);
    AfxBodyDef def = odd_def();
    AfxWrenchDef late = late_wrench(), first = late;
    first.force = v3(5, 5, 5);
    first.torque = v3(-3, 0, 3);
    world_load(&world, world_add(&world, &def), &first);
    RigidReference reference = rigid_reference_make(&def, none);
    rigid_reference_load(&reference, &late);
    assert_follows(&world, 0, &reference, set_late_wrench);
    AfxSimDef sim = sim_def(&methods[0], 0.01); /* another sim has the scene's own */
    AfxWrench got;
    world_start(&world, &sim);
    assert_ok(afx_sim_wrench(world.sim, 0, &got));
    assert_vec3(got.force, first.force, 1e-15);
    assert_vec3(got.torque, first.torque, 1e-15);
    world_free(&world);
}

static void set_body_wrenches(World *world) {
    AfxWrench wrenches[2] = {{{0, 0, 0}, {0, 0, 0}}, {{1, 2, -3}, {-0.5, 0.8, 1}}};
    assert_ok(afx_sim_set_body_wrenches(world->sim, wrenches));
    wrenches[1].force.x = 1e9; /* copied, not kept */
}

/* About the centre of mass, in world axes, in addition to the scene's own. */
static void body_wrenches_act_at_the_centre(void **state) {
    (void)state;
    World world = world_make(none);
    AfxBodyDef def = odd_def();
    AfxWrenchDef own = late_wrench();
    world_add(&world, &def);
    world_load(&world, world_add(&world, &def), &own);
    RigidReference reference = rigid_reference_make(&def, none), free_body = reference;
    rigid_reference_load(&reference, &own);
    reference.world_force = v3(1, 2, -3);
    reference.world_point = def.center;
    reference.world_torque = v3(-0.5, 0.8, 1);
    assert_follows(&world, 1, &reference, set_body_wrenches);
    assert_follows(&world, 0, &free_body, set_body_wrenches); /* and not on the other body */
    world_free(&world);
}

/* Constant force, then none: exactly uniform motion from there on. */
static void body_wrenches_can_be_removed(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        World world = world_make(none);
        AfxBodyDef def = rigid_def(2, 1, 2, 2.5);
        world_add(&world, &def);
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        AfxWrench pull = {{3, 0, 0}, {0, 0, 0}};
        world_start(&world, &sim);
        assert_ok(afx_sim_set_body_wrenches(world.sim, &pull));
        world_run(&world, 100);
        assert_near(twist_of(&world, 0).linear.x, 1.5, 1e-12);
        assert_ok(afx_sim_set_body_wrenches(world.sim, NULL));
        world_run(&world, 50); /* long enough for what the method remembers */
        AfxVec3 velocity = twist_of(&world, 0).linear;
        assert_near(velocity.x, 1.5, 0.03);
        world_run(&world, 50);
        assert_vec3(twist_of(&world, 0).linear, velocity, 1e-5);
        world_free(&world);
    }
}

/* A wrench of zero changes no bit of the motion. */
static void a_wrench_of_zero_changes_nothing(void **state) {
    (void)state;
    AfxWrenchDef zero = afx_default_wrench();
    AfxBodyDef def = odd_def();
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        World without = world_make(v3(0, 0, -9.81)), with = world_make(v3(0, 0, -9.81));
        world_add(&without, &def);
        zero.point = v3(1, 2, 3);
        world_load(&with, world_add(&with, &def), &zero);
        world_start(&without, &sim);
        world_start(&with, &sim);
        world_run(&without, 100);
        world_run(&with, 100);
        for (int k = 0; k < 12; k++) {
            assert_near(afx_sim_coordinates(with.sim)[k], afx_sim_coordinates(without.sim)[k], 1e-13);
            assert_near(afx_sim_velocities(with.sim)[k], afx_sim_velocities(without.sim)[k], 1e-13);
        }
        world_free(&without);
        world_free(&with);
    }
}

/* Several wrenches on one body add up; a world force on an elastic body gives the same acceleration. */
static void wrenches_add_up(void **state) {
    (void)state;
    World world = world_make(none);
    AfxBodyDef def = rigid_def(2, 1, 2, 2.5);
    AfxWrenchDef wrench = afx_default_wrench();
    def.young = 1e9;
    uint32_t body = world_add(&world, &def);
    for (int k = 0; k < 4; k++) {
        wrench.frame = k % 2 ? AFX_FRAME_WORLD : AFX_FRAME_BODY;
        wrench.force = v3(1, k, 0);
        world_load(&world, body, &wrench);
    }
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        world_run(&world, 100);
        assert_vec3(twist_of(&world, 0).linear, v3(2, 3, 0), 1e-11);
    }
    world_free(&world);
}

/* The frame of the first solve knows of the loads: hardly any rotation is left after it. */
static void one_solve_is_nearly_all(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        World world = world_make(v3(0, 0, -9.81));
        AfxBodyDef def = odd_def();
        AfxWrenchDef wrench = afx_default_wrench();
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        wrench.torque = v3(8, -6, 10);
        wrench.force = v3(20, 0, -10);
        wrench.point = v3(0.5, 0.5, 0);
        world_load(&world, world_add(&world, &def), &wrench);
        wrench.frame = AFX_FRAME_BODY;
        world_load(&world, 0, &wrench);
        sim.solves = 1; /* to see what the first one leaves */
        world_start(&world, &sim);
        for (int n = 0; n < 50; n++) {
            AfxStepReport report;
            assert_ok(afx_step(world.sim, &report));
            assert_below(report.rotation_error, 2e-4); /* h^2 torque / inertia would be 2e-3 */
        }
        world_free(&world);
    }
}

int run_wrench_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_acts_at_its_point),        cmocka_unit_test(a_torque_turns),
        cmocka_unit_test(force_and_torque_together),        cmocka_unit_test(set_wrench_replaces_it),
        cmocka_unit_test(body_wrenches_act_at_the_centre),  cmocka_unit_test(body_wrenches_can_be_removed),
        cmocka_unit_test(a_wrench_of_zero_changes_nothing), cmocka_unit_test(wrenches_add_up),
        cmocka_unit_test(one_solve_is_nearly_all),
    };
    return cmocka_run_group_tests_name("wrench", tests, NULL, NULL);
}

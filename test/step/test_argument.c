/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments: refused with AFX_E_ARGUMENT, and nothing has changed. */
#include "tests.h"

static const double absurd[] = {0, -0.01, NAN, INFINITY, -INFINITY, 1e300};

static World small_world(void) {
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef dynamic = odd_def(), moved = odd_def();
    AfxWrenchDef wrench = afx_default_wrench();
    moved.kind = AFX_BODY_KINEMATIC;
    moved.linear_velocity = moved.angular_velocity = v3(0, 0, 0);
    world_load(&world, world_add(&world, &dynamic), &wrench);
    world_add(&world, &moved);
    world_mark(&world, 0, v3(1, 2, 3));
    AfxSimDef def = sim_def(&methods[0], 0.01);
    world_start(&world, &def);
    world_run(&world, 5);
    return world;
}

enum { BODIES = 2 };

static void assert_not_created(const World *world, const AfxSimDef *def) {
    AfxSim *sim = (AfxSim *)(uintptr_t)&world;
    assert_int_equal(afx_sim_create(world->model, def, &sim), AFX_E_ARGUMENT);
    assert_null(sim);
}

static void bad_settings_make_no_sim(void **state) {
    (void)state;
    World world = small_world();
    AfxSimDef def;
    for (size_t k = 0; k < COUNT(absurd); k++) {
        def = afx_default_sim();
        def.dt = absurd[k];
        assert_not_created(&world, &def);
    }
    const double rho[] = {-0.1, 1.1, NAN, INFINITY};
    for (size_t k = 0; k < COUNT(rho); k++) {
        def = afx_default_sim();
        def.integrator = AFX_ALPHA;
        def.rho = rho[k];
        assert_not_created(&world, &def);
    }
    const uint32_t lanes[] = {3, 5, 6, 7, 9, 16, UINT32_MAX};
    for (size_t k = 0; k < COUNT(lanes); k++) {
        def = afx_default_sim();
        def.lanes = lanes[k];
        assert_not_created(&world, &def);
    }
    def = afx_default_sim();
    def.integrator = (AfxIntegrator)17;
    assert_not_created(&world, &def);
    def = afx_default_sim();
    def.accuracy = (AfxAccuracy)17;
    assert_not_created(&world, &def);
    world_free(&world);
}

static void a_definition_not_from_the_default_is_refused(void **state) {
    (void)state;
    World world = small_world();
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.cookie = 0;
    assert_int_not_equal(afx_sim_create(world.model, &def, &sim), AFX_OK);
    assert_null(sim);
    def = afx_default_sim();
    assert_int_equal(afx_sim_create(NULL, &def, &sim), AFX_E_ARGUMENT);
    assert_null(sim);
    assert_int_equal(afx_sim_create(world.model, NULL, &sim), AFX_E_ARGUMENT);
    assert_null(sim);
    assert_int_equal(afx_sim_create(world.model, &def, NULL), AFX_E_ARGUMENT);
    afx_sim_destroy(NULL);
    afx_model_destroy(NULL);
    world_free(&world);
}

/* Runs on as if nothing had been asked: the reference is a sim that was not bothered. */
static void assert_unbothered(World *world) {
    World other = small_world();
    double *want = state_copy(&other);
    assert_true(state_equal(world, want));
    free(want);
    AfxStepReport report;
    assert_ok(afx_step(world->sim, &report));
    assert_false(report.flags & AFX_STEP_RESTARTED);
    world_run(world, 10);
    world_run(&other, 11);
    want = state_copy(&other);
    assert_true(state_equal(world, want));
    free(want);
    world_free(&other);
}

static void absurd_steps_are_refused(void **state) {
    (void)state;
    World world = small_world();
    for (size_t k = 0; k < COUNT(absurd); k++) {
        assert_int_equal(afx_sim_set_dt(world.sim, absurd[k]), AFX_E_ARGUMENT);
        assert_near(afx_sim_dt(world.sim), 0.01, 0);
    }
    assert_unbothered(&world);
    world_free(&world);
}

static void the_integrator_is_told(void **state) {
    (void)state;
    World world = small_world();
    for (int k = 0; k < METHODS; k++) {
        AfxSimDef def = sim_def(&methods[k], 0.01);
        world_start(&world, &def);
        assert_int_equal(afx_sim_integrator(world.sim), methods[k].integrator);
    }
    assert_int_equal(afx_sim_integrator(NULL), AFX_BDF2);
    world_free(&world);
}

/* A tiny step is either refused or works. */
static void tiny_steps_are_refused_or_work(void **state) {
    (void)state;
    static const double tiny[] = {1e-9, 1e-30, 1e-100, 1e-200, 5e-324};
    for (int m = 0; m < METHODS; m++) {
        for (size_t k = 0; k < COUNT(tiny); k++) {
            World world = small_world();
            AfxSimDef def = sim_def(&methods[m], 0.01);
            world_start(&world, &def);
            AfxStatus status = afx_sim_set_dt(world.sim, tiny[k]);
            assert_true(status == AFX_OK || status == AFX_E_ARGUMENT);
            for (int n = 0; n < 20 && !status; n++) {
                double *before = state_copy(&world);
                status = afx_step(world.sim, NULL);
                assert_true(status == AFX_OK || (status == AFX_E_NUMERIC && state_equal(&world, before)));
                assert_true(state_finite(&world));
                free(before);
            }
            world_free(&world);
        }
    }
}

static void bodies_out_of_range_are_refused(void **state) {
    (void)state;
    World world = small_world();
    AfxPose pose = afx_pose_identity();
    AfxTwist twist = {0};
    AfxVec3 point;
    AfxWrench wrench = {0};
    const uint32_t wrong[] = {BODIES, BODIES + 1, 1000000, UINT32_MAX};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        assert_int_equal(afx_sim_body_pose(world.sim, wrong[k], &pose), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_body_pose(world.sim, wrong[k], pose), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_body_twist(world.sim, wrong[k], &twist), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_body_twist(world.sim, wrong[k], twist), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_body_target(world.sim, wrong[k], pose, twist), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_marker(world.sim, wrong[k], &point, NULL), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_wrench(world.sim, wrong[k], wrench), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_wrench(world.sim, wrong[k], &wrench), AFX_E_ARGUMENT);
        assert_int_equal(afx_model_body_frame(world.model, wrong[k], &pose), AFX_E_ARGUMENT);
        assert_false(afx_model_body_floored(world.model, wrong[k]));
    }
    assert_unbothered(&world);
    world_free(&world);
}

static void null_is_refused(void **state) {
    (void)state;
    World world = small_world();
    AfxPose pose = afx_pose_identity();
    AfxTwist twist = {0};
    AfxWrench wrench = {0};
    AfxEnergy energy;
    AfxMomentum momentum;
    double value = 1;
    assert_int_equal(afx_step(NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_dt(NULL, 0.01), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_state(NULL, &value, &value), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_body_pose(NULL, 0, &pose), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_body_pose(world.sim, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_body_pose(NULL, 0, pose), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_poses(world.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_poses(world.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_body_twist(world.sim, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_body_twist(NULL, 0, twist), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_twists(world.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_twists(world.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_marker(NULL, 0, NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_wrench(NULL, 0, wrench), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_wrench(world.sim, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_body_wrenches(NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_body_target(NULL, 1, pose, twist), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_param(world.sim, AFX_PARAM_BODY_MASS, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_param(NULL, AFX_PARAM_BODY_MASS, 0, &value), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_param(world.sim, AFX_PARAM_BODY_MASS, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_energy(world.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_energy(NULL, &energy), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_momentum(world.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_momentum(NULL, &momentum), AFX_E_ARGUMENT);
    assert_unbothered(&world);
    world_free(&world);
}

static AfxPose pose_from(const double n[7]) {
    return (AfxPose){v3(n[0], n[1], n[2]), {n[3], n[4], n[5], n[6]}};
}

static void refuse_poses(World *world, double bad) {
    for (int i = 0; i < 7; i++) {
        double numbers[7] = {0, 0, 0, 1, 0, 0, 0};
        numbers[i] = bad;
        AfxPose pose = pose_from(numbers), poses[BODIES] = {afx_pose_identity(), pose};
        assert_int_equal(afx_sim_set_body_pose(world->sim, 0, pose), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_poses(world->sim, poses), AFX_E_ARGUMENT);
    }
}

/* A target's position and rotation are finite, and the rotation is one. */
static void a_target_is_a_pose(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    World world = small_world();
    AfxTwist rest = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 21; i++) {
        double numbers[7] = {0, 0, 0, 1, 0, 0, 0};
        numbers[i % 7] = bad[i / 7];
        assert_int_equal(afx_sim_set_body_target(world.sim, 1, pose_from(numbers), rest), AFX_E_ARGUMENT);
    }
    const double flat[7] = {0};
    assert_int_equal(afx_sim_set_body_target(world.sim, 1, pose_from(flat), rest), AFX_E_ARGUMENT);
    assert_unbothered(&world);
    world_free(&world);
}

static void refuse_vectors(World *world, double bad) {
    for (int i = 0; i < 6; i++) {
        double n[6] = {0};
        n[i] = bad;
        AfxTwist twist = {v3(n[0], n[1], n[2]), v3(n[3], n[4], n[5])}, twists[BODIES] = {{{0, 0, 0}, {0, 0, 0}}, twist};
        AfxWrench wrench = {twist.linear, twist.angular}, wrenches[BODIES] = {{{0, 0, 0}, {0, 0, 0}}, wrench};
        assert_int_equal(afx_sim_set_body_twist(world->sim, 0, twist), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_twists(world->sim, twists), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_body_target(world->sim, 1, afx_pose_identity(), twist), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_wrench(world->sim, 0, wrench), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_body_wrenches(world->sim, wrenches), AFX_E_ARGUMENT);
    }
}

static void refuse_states(World *world, double bad) {
    double *all = state_copy(world), numbers[12 * BODIES];
    for (int i = 0; i < 12 * BODIES; i++) {
        memcpy(numbers, all, sizeof numbers);
        numbers[i] = bad;
        assert_int_equal(afx_sim_set_state(world->sim, numbers, all + 12 * BODIES), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_state(world->sim, all, numbers), AFX_E_ARGUMENT);
    }
    free(all);
}

/* One number of a pose, a velocity, a wrench or the raw state is not finite; a rotation has no length. */
static void numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    World world = small_world();
    for (size_t k = 0; k < COUNT(bad); k++) {
        refuse_poses(&world, bad[k]);
        refuse_vectors(&world, bad[k]);
        refuse_states(&world, bad[k]);
    }
    AfxPose flat = {v3(0, 0, 0), {0, 0, 0, 0}};
    assert_int_equal(afx_sim_set_body_pose(world.sim, 0, flat), AFX_E_ARGUMENT);
    assert_unbothered(&world);
    world_free(&world);
}

int run_argument_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_settings_make_no_sim),
        cmocka_unit_test(a_definition_not_from_the_default_is_refused),
        cmocka_unit_test(absurd_steps_are_refused),
        cmocka_unit_test(the_integrator_is_told),
        cmocka_unit_test(tiny_steps_are_refused_or_work),
        cmocka_unit_test(bodies_out_of_range_are_refused),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(a_target_is_a_pose),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}

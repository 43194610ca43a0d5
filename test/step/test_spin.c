/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that spin keep their spin, whatever their angle in a step, about a joint and about their centre of mass;
 * torques still act, and the methods keep their order. All at default settings but the integrator. */
#include "tests.h"

static const AfxIntegrator fitted[] = {AFX_BDF2, AFX_ALPHA};

static AfxSimDef spin_def(AfxIntegrator integrator, double dt) {
    AfxSimDef def = afx_default_sim();
    def.integrator = integrator;
    def.dt = dt;
    return def;
}

static uint32_t join(World *world, AfxJointKind kind, uint32_t base, uint32_t body, AfxVec3 at, AfxVec3 axis) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    def.base = base == UINT32_MAX ? afx_world() : afx_scene_body(world->scene, base);
    def.follower = afx_scene_body(world->scene, body);
    assert_ok(afx_joint_place(world->scene, &def, afx_frame_along(at, axis)));
    assert_ok(afx_scene_add_joint(world->scene, &def, &id));
    return id.index;
}

/* A disc about z, its centre `offset` from the axis. */
static uint32_t add_disc(World *world, double offset, double rate, double young) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_cylinder(0.2, 0.05);
    def.young = young;
    def.pose.position.x = offset;
    def.angular_velocity.z = rate;
    def.linear_velocity.y = offset * rate;
    return world_add_shape(world, &def, &shape);
}

static double total_energy(const World *world) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world->sim, &energy));
    return energy.total;
}

/* ---- steady spin ---- */

static double spin_left(AfxIntegrator integrator, bool hinge, double offset, double angle, double young) {
    double dt = 0.01;
    World world = world_make(v3(0, 0, 0));
    uint32_t wheel = add_disc(&world, offset, angle / dt, young);
    AfxSimDef def = spin_def(integrator, dt);
    if (hinge) {
        join(&world, AFX_JOINT_REVOLUTE, UINT32_MAX, wheel, v3(0, 0, 0), v3(0, 0, 1));
    }
    world_start(&world, &def);
    world_run(&world, 100);
    double left = spin_of(&world, wheel).z * dt / angle;
    world_free(&world);
    return left;
}

static void wheels_keep_their_spin(void **state) {
    (void)state;
    static const double angle[] = {0.1, 0.2, 0.5, 1, 1.5, 2};
    for (size_t m = 0; m < sizeof fitted / sizeof *fitted; m++) {
        for (size_t k = 0; k < 6; k++) {
            assert_near(spin_left(fitted[m], false, 0, angle[k], INFINITY), 1, 1e-10);
            assert_near(spin_left(fitted[m], true, 0, angle[k], INFINITY), 1, 1e-4);
            assert_near(spin_left(fitted[m], true, 0.3, angle[k], INFINITY), 1, 1e-10);
        }
    }
    for (size_t k = 0; k < 2; k++) { /* as soft as bodies are by default: they widen at 200 rad/s, which slows them */
        assert_near(spin_left(AFX_BDF2, true, 0, angle[k], 1e9), 1, 1e-4);
    }
}

/* Two wheels on one free axle that turn against each other, and the axle: no momentum is made. */
static void free_mechanisms_keep_momentum(void **state) {
    (void)state;
    for (size_t m = 0; m < sizeof fitted / sizeof *fitted; m++) {
        World world = world_make(v3(0, 0, 0));
        uint32_t left = add_disc(&world, 0, 60, INFINITY), right = add_disc(&world, 0.5, 0, INFINITY);
        AfxSimDef def = spin_def(fitted[m], 0.01);
        AfxMomentum before, after;
        join(&world, AFX_JOINT_REVOLUTE, left, right, v3(0.1, 0, 0), v3(0, 0, 1));
        world_start(&world, &def);
        world_run(&world, 2);
        assert_ok(afx_sim_momentum(world.sim, &before));
        world_run(&world, 200);
        assert_ok(afx_sim_momentum(world.sim, &after));
        assert_below(v3_distance(before.linear, after.linear), 1e-9);
        world_free(&world);
    }
}

/* ---- a top ---- */

static void the_heavy_top_keeps_its_energy(void **state) {
    (void)state;
    static const double young[] = {INFINITY, 1e9};
    for (int k = 0; k < 4; k++) {
        World world = world_make(v3(0, 0, -9.81));
        AfxBodyDef def = afx_default_body();
        AfxShapeDef disc = afx_default_cylinder(0.2, 0.02);
        AfxSimDef sim = spin_def(fitted[k / 2], 1e-3);
        def.young = young[k % 2];
        def.pose.rotation = afx_quat_from_axis_angle(v3(0, 1, 0), 0.0873);
        def.angular_velocity = afx_quat_rotate(def.pose.rotation, v3(0, 0, 150));
        disc.pose.position.z = 0.05;
        uint32_t top = world_add_shape(&world, &def, &disc);
        join(&world, AFX_JOINT_SPHERICAL, UINT32_MAX, top, v3(0, 0, 0), v3(0, 0, 1));
        world_start(&world, &sim);
        double before = total_energy(&world);
        world_run(&world, 1000);
        print_message("heavy top, E = %g: energy after 1 s %.6f\n", young[k % 2], total_energy(&world) / before);
        assert_near(total_energy(&world) / before, 1, 5e-3);
        world_free(&world);
    }
}

/* ---- what is not steady ---- */

static void a_tumbling_body_gains_nothing(void **state) {
    (void)state;
    for (size_t m = 0; m < sizeof fitted / sizeof *fitted; m++) {
        World world = world_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(1, 0.3, 0.4, 0.5);
        AfxSimDef sim = spin_def(fitted[m], 0.01);
        def.angular_velocity = v3(8, 8, 8);
        world_add(&world, &def);
        world_start(&world, &sim);
        double before = total_energy(&world);
        world_run(&world, 100);
        double left = total_energy(&world) / before;
        print_message("tumbling, method %d: energy %.5f\n", (int)fitted[m], left);
        assert_below(left, 1 + 1e-6);
        assert_true(left > 0.995);
        world_free(&world);
    }
}

/* Generalised-α of any spectral radius, spun up by a torque from rest until beyond what it can do by itself, and braked
 * to rest again, twice: the step says by which method it went, and no energy is made but what a torque of BDF2 takes
 * too little from a wheel (docs/step.md, 2). */
static void alpha_gives_way_to_bdf2_and_comes_back(void **state) {
    (void)state;
    static const double rho[] = {0, 0.5, 0.8, 0.95, 1};
    for (size_t m = 0; m < sizeof rho / sizeof *rho; m++) {
        World world = world_make(v3(0, 0, 0));
        uint32_t wheel = add_disc(&world, 0.3, 0, INFINITY);
        AfxSimDef def = spin_def(AFX_ALPHA, 0.01);
        AfxWrenchDef load = afx_default_wrench();
        uint32_t fast = 0, changes = 0, before = 0;
        double work = 0, largest = 0, most = 0;
        AfxStepReport report;
        def.rho = rho[m];
        join(&world, AFX_JOINT_REVOLUTE, UINT32_MAX, wheel, v3(0, 0, 0), v3(0, 0, 1));
        load.torque = v3(0, 0, 12);
        world_load(&world, wheel, &load);
        world_start(&world, &def);
        for (int k = 0; k < 400; k++) {
            if (k % 200 == 100) { /* up, and down again */
                load.torque.z = -load.torque.z;
                assert_ok(afx_sim_set_wrench(world.sim, 0, (AfxWrench){v3(0, 0, 0), load.torque}));
            }
            double turned = spin_of(&world, wheel).z;
            assert_ok(afx_step(world.sim, &report));
            work += load.torque.z * 0.5 * (turned + spin_of(&world, wheel).z) * def.dt;
            uint32_t now = (report.flags & AFX_STEP_TURNS_FAST) != 0;
            fast += now;
            changes += now != before;
            before = now;
            largest = fmax(largest, work);
            most = fmax(most, (total_energy(&world) - work) / largest);
        }
        print_message("rho %.2f: %u of 400 steps by BDF2, %u changes, energy above the work %.2g\n", rho[m], fast,
                      changes, most);
        assert_true(fast > 50 && fast < 400 && changes >= (rho[m] < 1 ? 2 : 1)); /* 1 has next to nothing by itself */
        assert_below(most, 0.1);
        world_free(&world);
    }
}

/* What a torque of 1 N m does in 50 steps to a wheel that turns by `angle` in each, over what it should. */
static double work_of_torque(double angle) {
    World world = world_make(v3(0, 0, 0));
    uint32_t wheel = add_disc(&world, 0, 100 * angle, INFINITY);
    AfxSimDef def = spin_def(AFX_BDF2, 0.01);
    AfxWrenchDef load = afx_default_wrench();
    load.torque.z = 1;
    join(&world, AFX_JOINT_REVOLUTE, UINT32_MAX, wheel, v3(0, 0, 0), v3(0, 0, 1));
    world_load(&world, wheel, &load);
    world_start(&world, &def);
    world_run(&world, 50);
    double mass = 1000 * 3.14159265358979 * 0.04 * 0.05, inertia = 0.5 * mass * 0.04;
    double share = (spin_of(&world, wheel).z - 100 * angle) * inertia / 0.5;
    world_free(&world);
    return share;
}

/* A fast wheel answers to torques as if it were heavier: by the square of its angle in a step. */
static void a_torque_speeds_a_wheel_up(void **state) {
    (void)state;
    static const double angle[] = {0.05, 0.1, 0.2, 0.5};
    for (int k = 0; k < 4; k++) {
        double share = work_of_torque(angle[k]);
        print_message("a torque on a wheel of %g rad a step: %.4f of its work\n", angle[k], share);
        assert_true(share < 1 + 1e-3 && share > 1 - 6 * (angle[k] + 0.02) * (angle[k] + 0.02));
    }
}

/* ---- order ---- */

/* A double pendulum of hinges whose axes are not parallel, thrown; the end of its second link. */
static AfxVec3 thrown_end(AfxIntegrator integrator, double dt) {
    World world = world_make(v3(0, 0, -9.81));
    AfxSimDef def = spin_def(integrator, dt);
    uint32_t link[2];
    for (int k = 0; k < 2; k++) {
        AfxBodyDef body = afx_default_body();
        AfxShapeDef box = afx_default_box(0.4, 0.06, 0.04);
        body.young = INFINITY;
        body.pose.position.x = 0.2 + 0.4 * k;
        body.angular_velocity = v3(0, k ? 0 : 12, 0);
        body.linear_velocity = v3(0, 0, k ? -12 * 0.4 : -12 * 0.2);
        link[k] = world_add_shape(&world, &body, &box);
    }
    join(&world, AFX_JOINT_REVOLUTE, UINT32_MAX, link[0], v3(0, 0, 0), v3(0, 1, 0));
    join(&world, AFX_JOINT_REVOLUTE, link[0], link[1], v3(0.4, 0, 0), v3(0, 1, 1));
    world_mark(&world, link[1], v3(0.2, 0, 0));
    def.solves = integrator == AFX_REFERENCE ? 0 : 6;
    world_start(&world, &def);
    world_run(&world, (uint32_t)lround(0.4 / dt));
    AfxVec3 end;
    assert_ok(afx_sim_marker(world.sim, 0, &end, NULL));
    world_free(&world);
    return end;
}

static void jointed_bodies_keep_the_order(void **state) {
    (void)state;
    AfxVec3 truth = thrown_end(AFX_REFERENCE, 1e-3);
    for (size_t m = 0; m < sizeof fitted / sizeof *fitted; m++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            error[k] = v3_distance(thrown_end(fitted[m], 0.004 / (1 << k)), truth);
        }
        print_message("thrown double pendulum, method %d: %.3g, %.3g, %.3g m\n", (int)fitted[m], error[0], error[1],
                      error[2]);
        assert_true(error[0] / error[1] > 3.2 && error[1] / error[2] > 3.2);
    }
}

/* ---- snapshots ---- */

static void resume(AfxIntegrator integrator) {
    World world = world_make(v3(0, 0, -9.81));
    uint32_t wheel = add_disc(&world, 0.3, 60, INFINITY), other = add_disc(&world, 0.6, 20, INFINITY);
    AfxSimDef def = spin_def(integrator, 0.01);
    join(&world, AFX_JOINT_REVOLUTE, UINT32_MAX, wheel, v3(0, 0, 0), v3(0, 0, 1));
    join(&world, AFX_JOINT_REVOLUTE, wheel, other, v3(0.4, 0, 0), v3(0, 1, 1));
    world_start(&world, &def);
    world_run(&world, 7);
    size_t size = afx_sim_snapshot_size(world.sim), bytes = 24 * sizeof(double);
    void *kept = malloc(size);
    double first[24], again[24];
    assert_non_null(kept);
    assert_ok(afx_sim_snapshot(world.sim, kept, size));
    world_run(&world, 9);
    memcpy(first, afx_sim_coordinates(world.sim), bytes);
    assert_ok(afx_sim_restore(world.sim, kept, size));
    world_run(&world, 9);
    memcpy(again, afx_sim_coordinates(world.sim), bytes);
    assert_memory_equal(first, again, bytes);
    free(kept);
    world_free(&world);
}

static void a_spinning_mechanism_resumes_bit_for_bit(void **state) {
    (void)state;
    for (size_t m = 0; m < sizeof fitted / sizeof *fitted; m++) {
        resume(fitted[m]);
    }
}

int run_spin_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheels_keep_their_spin),
        cmocka_unit_test(free_mechanisms_keep_momentum),
        cmocka_unit_test(the_heavy_top_keeps_its_energy),
        cmocka_unit_test(a_tumbling_body_gains_nothing),
        cmocka_unit_test(alpha_gives_way_to_bdf2_and_comes_back),
        cmocka_unit_test(a_torque_speeds_a_wheel_up),
        cmocka_unit_test(jointed_bodies_keep_the_order),
        cmocka_unit_test(a_spinning_mechanism_resumes_bit_for_bit),
    };
    return cmocka_run_group_tests_name("spin", tests, NULL, NULL);
}

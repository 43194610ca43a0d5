/* SPDX-License-Identifier: Apache-2.0 */
/* Held points: a spring and a damper inside the solve. Closed forms, the scalar recursion of each method, the
 * Runge-Kutta reference, statics of a hanging chain, and that nothing blows up or is forgotten. */
#include "support/allocator.h"
#include "tests.h"

#define MASS 2.5
#define SPRING 40.0

/* ---- one body ---- */

/* At rest, the frame neither principal nor at the centre of mass. */
static AfxBodyDef still_def(void) {
    AfxBodyDef def = odd_def();
    def.linear_velocity = def.angular_velocity = v3(0, 0, 0);
    return def;
}

/* The centre of mass, held there by a spring, is m x'' = -k x - c x' for each axis. */
static double exact(double offset, double damping, double t) {
    double rate = damping / (2 * MASS), w = sqrt(SPRING / MASS - rate * rate);
    return offset * exp(-rate * t) * (cos(w * t) + rate / w * sin(w * t));
}

static double error_at_one(const Method *method, double damping, uint32_t steps) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef def = still_def();
    world_add(&world, &def);
    AfxSimDef sim = sim_def(method, 1.0 / steps);
    world_start(&world, &sim);
    AfxVec3 begin = centre_of(&world, 0, def.center), off = v3(0.3, -0.2, 0.1);
    assert_ok(afx_sim_hold(world.sim, 0, def.center, v3_sub(begin, off), SPRING, damping));
    world_run(&world, steps);
    AfxVec3 want = v3_add(v3_sub(begin, off), v3_scale(exact(1, damping, 1), off));
    double error = v3_distance(centre_of(&world, 0, def.center), want);
    assert_near(q_distance(pose_of(&world, 0).rotation, def.pose.rotation), 0, 1e-10); /* there is no lever */
    world_free(&world);
    return error;
}

static void oscillates_as_the_closed_form_says(void **state) {
    (void)state;
    const double dampings[] = {0, 3};
    for (int m = 0; m < METHODS; m++) {
        int order = methods[m].integrator == AFX_SDIRK2 ? 2 : methods[m].order;
        for (size_t d = 0; d < COUNT(dampings); d++) {
            double error[4];
            for (int k = 0; k < 4; k++) {
                error[k] = error_at_one(&methods[m], dampings[d], 64u << k);
            }
            print_message("  %-7s damping %g: %.2e %.2e %.2e %.2e\n", methods[m].name, dampings[d], error[0], error[1],
                          error[2], error[3]);
            assert_near(slope(error[2], error[3]), order, 0.15);
        }
    }
}

/* Step for step what BDF1, then BDF2, make of the scalar equation: the spring is implicit, neither more nor less. */
static void damps_as_the_method_does(void **state) {
    (void)state;
    const double springs[] = {40, 4e4, 1e12}, damping = 30, dt = 0.01;
    for (size_t s = 0; s < COUNT(springs); s++) {
        World world = world_make(v3(0, 0, 0));
        AfxBodyDef def = still_def();
        world_add(&world, &def);
        AfxSimDef sim = sim_def(&methods[0], dt);
        world_start(&world, &sim);
        AfxVec3 begin = centre_of(&world, 0, def.center);
        assert_ok(afx_sim_hold(world.sim, 0, def.center, v3_add(begin, v3(0, 0, -0.5)), springs[s], damping));
        double x[2] = {0.5, 0.5}, v[2] = {0, 0};
        for (int n = 0; n < 50; n++) {
            double h = n ? 2 * dt / 3 : dt, past = n ? (4 * x[1] - x[0]) / 3 : x[1],
                   rate = n ? (4 * v[1] - v[0]) / 3 : v[1];
            double next = (MASS * (past + h * rate) + h * damping * past) / (MASS + h * damping + h * h * springs[s]);
            x[0] = x[1];
            v[0] = v[1];
            x[1] = next;
            v[1] = (next - past) / h;
            world_run(&world, 1);
            AfxVec3 force;
            double got = centre_of(&world, 0, def.center).z - begin.z + 0.5;
            assert_near(got, x[1], 1e-12);
            assert_ok(afx_sim_hold_force(world.sim, 0, &force));
            double pull = springs[s] * x[1] + damping * v[1];
            assert_near(force.z, -pull, 1e-9 * fabs(pull) + 1e-14 * springs[s]);
        }
        world_free(&world);
    }
}

/* Held off its centre while it tumbles, under gravity and a wrench. */
static Gap tumble(const Method *method, AfxAccuracy accuracy, uint32_t steps) {
    World world = world_make(v3(0.5, -1, -9.81));
    AfxBodyDef def = odd_def();
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.force = v3(1.5, -2, 1);
    wrench.point = v3(0.5, 0.3, -0.2);
    wrench.frame = AFX_FRAME_BODY;
    world_load(&world, world_add(&world, &def), &wrench);
    RigidReference reference = rigid_reference_make(&def, v3(0.5, -1, -9.81));
    rigid_reference_load(&reference, &wrench);
    reference.spring = 60;
    reference.damper = 2;
    reference.held_point = v3(0.4, -0.5, 0.6);
    reference.held_target = v3(1.5, -2, 3.5);
    AfxSimDef sim = sim_def(method, 1.0 / steps);
    sim.accuracy = accuracy;
    world_start(&world, &sim);
    assert_ok(afx_sim_hold(world.sim, 0, reference.held_point, reference.held_target, 60, 2));
    world_run(&world, steps);
    rigid_reference_run(&reference, 1, 2e-4);
    Gap gap = gap_between(&world, 0, &reference);
    world_free(&world);
    return gap;
}

static void follows_the_reference(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        for (int accuracy = AFX_FAST; accuracy <= AFX_ACCURATE; accuracy++) {
            Gap a = tumble(&methods[m], (AfxAccuracy)accuracy, 256),
                b = tumble(&methods[m], (AfxAccuracy)accuracy, 512);
            int order = methods[m].order;
            print_message("  %-7s angle %.2e %.2e position %.2e %.2e\n", methods[m].name, a.angle, b.angle, a.position,
                          b.position);
            assert_near(slope(a.angle, b.angle), order, 0.25);
            assert_near(slope(a.position, b.position), order, 0.25);
            assert_near(slope(a.velocity, b.velocity), order, 0.25);
        }
    }
}

/* Pulled far in one step by an end, thin ones too; a step that is wild is not one that fails. */
static void stiff_and_far_is_met(void **state) {
    (void)state;
    for (int trial = 0; trial < 24; trial++) {
        World world = world_make(v3(0, 0, -9.81));
        AfxBodyDef def = odd_def();
        if (trial % 2) {
            def = rigid_def(0.1, 1e-12, 3e-4, 3e-4);
            def.angular_velocity = v3(0, 8, 1);
        }
        def.young = trial % 3 == 2 ? 1e6 : INFINITY;
        world_add(&world, &def);
        AfxSimDef sim = sim_def(&methods[trial % METHODS], 0.01);
        world_start(&world, &sim);
        AfxVec3 point = trial % 4 < 2 ? v3(0.1, 0, 0) : v3(-0.05, 0.1, 0.02), target = v3(2, -1, 5);
        double stiffness = trial < 12 ? 1e12 : 1e300;
        assert_ok(afx_sim_hold(world.sim, 0, point, target, stiffness, trial % 5 ? 0 : 1e300));
        for (int n = 0; n < 200; n++) {
            assert_ok(afx_step(world.sim, NULL));
        }
        assert_true(state_finite(&world));
        AfxVec3 rest[4] = {point, v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, at[4];
        assert_ok(afx_sim_control_points(world.sim, 0, rest, at, NULL));
        if (trial % 5) { /* else the damper does not let it go */
            assert_below(v3_distance(at[0], target), 1e-6);
        }
        world_free(&world);
    }
}

/* ---- a hanging chain ---- */

typedef struct Hanging {
    int links;
    AfxJointKind kind;
    bool graph; /* by a drive of no force: not the path of chains */
} Hanging;

#define LINK_MASS 0.1
#define LINK 0.2

static World hanging_world(const Hanging *hanging, double damping) {
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    AfxJointId joint_id;
    for (int k = 0; k < hanging->links; k++) {
        AfxBodyDef def = rigid_def(LINK_MASS, 5e-4, 5e-4, 2e-4);
        def.pose.position = v3(0, 0, -LINK * (k + 0.5));
        def.linear_damping = def.angular_damping = damping;
        AfxBodyId id = afx_scene_body(world.scene, world_add(&world, &def));
        AfxJointDef joint = afx_default_joint(hanging->kind);
        AfxPose at = {v3(0, 0, -LINK * k), q_about(v3(0, 0, 1), 0.5 * 3.14159265358979323846)}; /* hinges about y */
        joint.base = last;
        joint.follower = id;
        assert_ok(afx_joint_place(world.scene, &joint, at));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &joint_id));
        last = id;
    }
    if (hanging->graph) {
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
        AfxDriveId id;
        drive.joint = joint_id;
        assert_ok(afx_scene_add_drive(world.scene, &drive, &id));
    }
    return world;
}

static const AfxVec3 tip = {0, 0, -0.5 * LINK};

static AfxVec3 tip_of(const World *world, uint32_t body) {
    AfxPose pose = pose_of(world, body);
    return v3_add(pose.position, q_rotate(pose.rotation, tip));
}

/* Held aside at its end, at rest: forces and moments of all that hangs are in balance, and so is every link's. */
static void a_chain_held_aside_is_in_balance(void **state) {
    (void)state;
    const Hanging all[] = {
        {8, AFX_JOINT_SPHERICAL, false}, {8, AFX_JOINT_SPHERICAL, true}, {8, AFX_JOINT_REVOLUTE, false}};
    for (size_t c = 0; c < COUNT(all); c++) {
        World world = hanging_world(&all[c], 4);
        AfxSimDef sim = afx_default_sim();
        AfxStepReport report;
        uint32_t end = (uint32_t)all[c].links - 1;
        double k = 30, weight = LINK_MASS * 9.81 * all[c].links;
        AfxVec3 target = v3(0.7, 0, -1.1), force;
        world_start(&world, &sim);
        assert_ok(afx_sim_hold(world.sim, end, tip, target, k, 2));
        for (int n = 0; n < 2500; n++) {
            assert_ok(afx_step(world.sim, &report));
        }
        assert_true(report.residual <= 1e-12);
        assert_ok(afx_sim_hold_force(world.sim, end, &force));
        AfxVec3 at = tip_of(&world, end), stretched = v3_scale(k, v3_sub(target, at)), moment = v3_cross(at, force);
        assert_vec3(force, stretched, 1e-9 * weight);
        for (uint32_t b = 0; b <= end; b++) { /* about the anchor, where nothing but the reaction acts */
            moment = v3_add(moment, v3_cross(pose_of(&world, b).position, v3(0, 0, -9.81 * LINK_MASS)));
        }
        assert_vec3(moment, v3(0, 0, 0), 1e-9 * weight);
        AfxWrench anchor;
        assert_ok(afx_sim_joint_reaction(world.sim, 0, &anchor));
        AfxVec3 top = q_rotate(q_about(v3(0, 0, 1), 0.5 * 3.14159265358979323846), anchor.force);
        assert_vec3(v3_add(v3_add(top, force), v3(0, 0, -weight)), v3(0, 0, 0), 1e-9 * weight);
        assert_true(force.x > 0.05 * weight); /* it is held aside indeed */
        world_free(&world);
    }
}

/* Energy of all, with that of the spring: never above that of the start while the target rests. */
static void energy_does_not_grow(void **state) {
    (void)state;
    const double springs[] = {5, 500, 1e6, 1e12};
    for (int trial = 0; trial < 16; trial++) {
        Hanging hanging = {1 + trial % 4 * 3, AFX_JOINT_SPHERICAL, trial % 4 == 3};
        World world = hanging_world(&hanging, 0);
        AfxSimDef sim = afx_default_sim();
        uint32_t end = (uint32_t)hanging.links - 1;
        double k = springs[trial / 4];
        AfxVec3 target = v3_add(v3(0, 0, -LINK * hanging.links), v3(0.1 * LINK, 0.05 * LINK, 0.2 * LINK));
        AfxEnergy energy;
        world_start(&world, &sim);
        assert_ok(afx_sim_hold(world.sim, end, tip, target, k, 0));
        assert_ok(afx_sim_energy(world.sim, &energy));
        double stretch = v3_distance(tip_of(&world, end), target), least = -9.81 * LINK_MASS * LINK * 0.5;
        least *= hanging.links * hanging.links; /* hanging straight down */
        double start = energy.total - least + 0.5 * k * stretch * stretch, most = 0;
        for (int n = 0; n < 400; n++) {
            assert_ok(afx_step(world.sim, NULL));
            assert_ok(afx_sim_energy(world.sim, &energy));
            stretch = v3_distance(tip_of(&world, end), target);
            most = fmax(most, energy.total - least + 0.5 * k * stretch * stretch);
        }
        assert_true(most <= start * (1 + 1e-6));
        world_free(&world);
    }
}

/* A link in the middle of a long chain: any lanes and threads, the same bits; snapshots leave holds alone. */
static void bits_do_not_depend_on_lanes(void **state) {
    (void)state;
    Hanging hanging = {300, AFX_JOINT_SPHERICAL, false};
    World world = hanging_world(&hanging, 0);
    double *want = NULL;
    for (int variant = 0; variant < 4; variant++) {
        const uint32_t threads[] = {1, 2, 4, 3}, lanes[] = {0, 1, 4, 1};
        AfxSimDef sim = afx_default_sim();
        sim.threads = threads[variant];
        sim.lanes = lanes[variant];
        sim.lanes = afx_sim_bytes(world.model, &sim) == 0 ? 0 : sim.lanes; /* a machine without so many */
        world_start(&world, &sim);
        assert_ok(afx_sim_hold(world.sim, 140, v3(0.01, 0, 0.05), v3(0.5, 0.3, -27), 2000, 5));
        assert_ok(afx_sim_hold(world.sim, 299, tip, v3(-0.5, 0, -59), 2000, 5));
        world_run(&world, 5);
        size_t size = afx_sim_snapshot_size(world.sim);
        void *snapshot = malloc(size);
        assert_non_null(snapshot);
        assert_ok(afx_sim_snapshot(world.sim, snapshot, size));
        world_run(&world, 5);
        double *first = state_copy(&world);
        world_run(&world, 3);
        assert_ok(afx_sim_restore(world.sim, snapshot, size));
        world_run(&world, 5);
        assert_true(state_equal(&world, first));
        if (want) {
            assert_true(state_equal(&world, want));
            free(first);
        } else {
            want = first;
        }
        free(snapshot);
    }
    free(want);
    world_free(&world);
}

/* ---- the calls ---- */

static void let_go_it_is_as_if_never_held(void **state) {
    (void)state;
    Hanging hanging = {10, AFX_JOINT_SPHERICAL, false};
    World held = hanging_world(&hanging, 0), other = hanging_world(&hanging, 0);
    AfxBodyDef lone = odd_def();
    uint32_t body = world_add(&held, &lone), force = world_add(&held, &lone);
    world_add(&other, &lone);
    world_add(&other, &lone);
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.force = v3(1, 2, 3);
    world_load(&held, force, &wrench);
    world_load(&other, force, &wrench);
    AfxSimDef sim = afx_default_sim();
    world_start(&held, &sim);
    world_start(&other, &sim);
    for (int n = 0; n < 6; n++) {
        assert_ok(afx_sim_hold(held.sim, 3, tip, v3(1, 0, 0), 100, 1));
        assert_ok(afx_sim_hold(held.sim, body, tip, v3(1, 0, 0), 100, 1));
        assert_ok(afx_sim_hold(held.sim, force, tip, v3(1, 0, 0), 100, 1));
        assert_ok(afx_sim_release(held.sim, 3));
        assert_ok(afx_sim_release(held.sim, body));
        assert_ok(afx_sim_release(held.sim, force));
        world_run(&held, 1);
        world_run(&other, 1);
        double *want = state_copy(&other);
        assert_true(state_equal(&held, want));
        free(want);
    }
    world_free(&held);
    world_free(&other);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef def = still_def(), other = afx_default_body();
    AfxVec3 zero = v3(0, 0, 0), force;
    uint32_t last = 0;
    for (uint32_t k = 0; k <= AFX_HOLDS_MOST; k++) {
        last = world_add(&world, &def);
    }
    other.kind = AFX_BODY_FIXED;
    uint32_t fixed = world_add(&world, &other);
    other.kind = AFX_BODY_KINEMATIC;
    uint32_t led = world_add(&world, &other);
    AfxSimDef sim = afx_default_sim();
    world_start(&world, &sim);
    const uint32_t none[] = {fixed, led, led + 1, UINT32_MAX};
    for (size_t k = 0; k < COUNT(none); k++) {
        assert_int_equal(afx_sim_hold(world.sim, none[k], zero, zero, 1, 1), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_release(world.sim, none[k]), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_hold_force(world.sim, none[k], &force), AFX_E_ARGUMENT);
    }
    const double wrong[] = {-1, INFINITY, NAN};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        assert_int_equal(afx_sim_hold(world.sim, 0, zero, zero, wrong[k], 1), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_hold(world.sim, 0, zero, zero, 1, wrong[k]), AFX_E_ARGUMENT);
        if (k) {
            assert_int_equal(afx_sim_hold(world.sim, 0, v3(0, wrong[k], 0), zero, 1, 1), AFX_E_ARGUMENT);
            assert_int_equal(afx_sim_hold(world.sim, 0, zero, v3(wrong[k], 0, 0), 1, 1), AFX_E_ARGUMENT);
        }
    }
    assert_int_equal(afx_sim_hold(NULL, 0, zero, zero, 1, 1), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_release(NULL, 0), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_hold_force(NULL, 0, &force), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_hold_force(world.sim, 0, &force), AFX_E_ARGUMENT); /* not held */
    for (uint32_t k = 0; k < AFX_HOLDS_MOST; k++) {
        assert_ok(afx_sim_hold(world.sim, k, zero, zero, k, 0));
    }
    assert_int_equal(afx_sim_hold(world.sim, last, zero, zero, 1, 1), AFX_E_LIMIT);
    assert_ok(afx_sim_hold(world.sim, 3, zero, zero, 1, 1)); /* held already: changed */
    assert_int_equal(afx_sim_hold_force(world.sim, 3, NULL), AFX_E_ARGUMENT);
    assert_ok(afx_sim_release(world.sim, 5));
    assert_int_equal(afx_sim_release(world.sim, 5), AFX_E_ARGUMENT);
    assert_ok(afx_sim_hold(world.sim, last, zero, zero, 1, 1));
    world_run(&world, 2);
    world_free(&world);
}

/* Taking hold may need memory, and the first steps that solve with it; no step after them does. */
static void steps_allocate_nothing(void **state) {
    (void)state;
    for (int graph = 0; graph < 2; graph++) {
        Hanging hanging = {12, AFX_JOINT_SPHERICAL, graph};
        TestAllocator counts = {0};
        World world = hanging_world(&hanging, 0);
        AfxBodyDef lone = odd_def();
        uint32_t body = world_add(&world, &lone);
        AfxSimDef sim = afx_default_sim();
        sim.allocator = test_allocator(&counts);
        world_start(&world, &sim);
        assert_ok(afx_sim_hold(world.sim, 3, tip, v3(1, 0, 0), 100, 1));
        assert_ok(afx_sim_hold(world.sim, body, tip, v3(1, 0, 0), 100, 1));
        world_run(&world, 4);
        uint64_t calls = counts.calls;
        world_run(&world, 20);
        assert_int_equal(counts.calls, calls);
        world_free(&world);
        assert_int_equal(counts.live, 0);
    }
}

int run_hold_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillates_as_the_closed_form_says),
        cmocka_unit_test(damps_as_the_method_does),
        cmocka_unit_test(follows_the_reference),
        cmocka_unit_test(stiff_and_far_is_met),
        cmocka_unit_test(a_chain_held_aside_is_in_balance),
        cmocka_unit_test(energy_does_not_grow),
        cmocka_unit_test(bits_do_not_depend_on_lanes),
        cmocka_unit_test(let_go_it_is_as_if_never_held),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests_name("holds", tests, NULL, NULL);
}

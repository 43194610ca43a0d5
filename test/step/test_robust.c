/* SPDX-License-Identifier: Apache-2.0 */
/* States that no run should reach: a step from them gives a finite state, or AFX_E_NUMERIC with every bit as before
 * and the body named; and the sim can be used again afterwards. */
#include "tests.h"

enum { BODIES = 3, BAD = 1 };

static const double moduli[] = {1e4, 1e9, 1e15, INFINITY};

static World three_bodies(double young, const AfxSimDef *def) {
    World world = world_make(v3(0, 0, -9.81));
    for (int k = 0; k < BODIES; k++) {
        AfxBodyDef body = odd_def();
        body.young = young;
        world_add(&world, &body);
    }
    world_start(&world, def);
    return world;
}

/* A of the bad body: entries of the nine numbers, column by column. */
static const double bad_matrices[][9] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0},                         /* zero */
    {1, 0, 0, 0, 1, 0, 0, 0, 0},                         /* flat */
    {1, 0, 0, 0, 0, 0, 0, 0, 0},                         /* a line */
    {1, 0, 0, 0, 1, 0, 0, 0, -1},                        /* inverted */
    {-1, 0, 0, 0, -1, 0, 0, 0, -1},                      /* the point reflection */
    {100, 0, 0, 0, 0.01, 0, 0, 0, 1},                    /* badly stretched */
    {1, 2, 3, 2, 4, 6, -1, 0, 1},                        /* singular */
    {1, 1, 1, 1, 1, 1, 1, 1, 1},                         /* rank one */
    {1e-200, 0, 0, 0, 1e-200, 0, 0, 0, 1e-200},          /* tiny */
    {1e-320, 0, 0, 0, 1, 0, 0, 0, 1},                    /* not normal */
    {1e150, 0, 0, 0, 1e150, 0, 0, 0, 1e150},             /* huge */
    {-1e100, 1e-100, 0, 1, 1e50, -1e-50, 0, 0, 1e-150},  /* all sizes at once */
    {1e308, 1e308, 1e308, -1e308, 1e308, 0, 1, 2, 1e308} /* as large as can be */
};

static bool failed_well(World *world, const AfxStepReport *report, const double *before, double time) {
    return state_equal(world, before) && (report->flags & AFX_STEP_FAILED) && report->body == BAD &&
           afx_sim_time(world->sim) == time;
}

/* Steps until the end or a failure; says whether it failed. */
static bool survive(World *world, int steps) {
    for (int n = 0; n < steps; n++) {
        AfxStepReport report;
        double *before = state_copy(world), time = afx_sim_time(world->sim);
        AfxStatus status = afx_step(world->sim, &report);
        bool well = status == AFX_E_NUMERIC ? failed_well(world, &report, before, time)
                                            : status == AFX_OK && state_finite(world) &&
                                                  !(report.flags & AFX_STEP_FAILED) && report.body == UINT32_MAX;
        free(before);
        assert_true(well);
        if (status) {
            return true;
        }
    }
    return false;
}

/* The good state again: it runs, and as it did at first. */
static void assert_recovers(World *world, const double *good, const double *after) {
    assert_ok(afx_sim_set_state(world->sim, good, good + 12 * BODIES));
    assert_true(state_equal(world, good));
    world_run(world, 10);
    assert_true(state_finite(world));
    assert_true(state_equal(world, after));
}

/* Both states of the ten steps that assert_recovers repeats. */
static double *ten_steps_on(World *world) {
    world_run(world, 10);
    return state_copy(world);
}

static void check_state(World *world, const double *good, const double *after, const double state[24], int *failures) {
    double bad[24 * BODIES];
    memcpy(bad, good, sizeof bad);
    memcpy(bad + 12 * BAD, state, 12 * sizeof *bad);
    memcpy(bad + 12 * BODIES + 12 * BAD, state + 12, 12 * sizeof *bad);
    assert_ok(afx_sim_set_state(world->sim, bad, bad + 12 * BODIES));
    *failures += survive(world, 30);
    assert_recovers(world, good, after);
}

static void for_all_worlds(int states, void (*make)(int k, double state[24]), const char *name) {
    int failures = 0, runs = 0;
    for (int m = 0; m < METHODS; m++) {
        for (size_t e = 0; e < COUNT(moduli); e++) {
            for (int accurate = 0; accurate < 2; accurate++) {
                AfxSimDef def = accurate ? accurate_def(&methods[m], 0.01) : sim_def(&methods[m], 0.01);
                World world = three_bodies(moduli[e], &def);
                double *good = state_copy(&world), *after = ten_steps_on(&world);
                for (int k = 0; k < states; k++, runs++) {
                    double state[24];
                    memcpy(state, good + 12 * BAD, 12 * sizeof *state);
                    memcpy(state + 12, good + 12 * BODIES + 12 * BAD, 12 * sizeof *state);
                    make(k, state);
                    check_state(&world, good, after, state, &failures);
                }
                free(good);
                free(after);
                world_free(&world);
            }
        }
    }
    print_message("  %s: %d runs, %d refused with AFX_E_NUMERIC\n", name, runs, failures);
}

static void bad_matrix(int k, double state[24]) {
    memcpy(state, bad_matrices[k], sizeof bad_matrices[k]);
}

static void bad_matrices_never_give_nan(void **state) {
    (void)state;
    for_all_worlds((int)COUNT(bad_matrices), bad_matrix, "matrices");
}

/* What is bad only in shape has a way out: every step works, and a rigid body is a rotation after the first one. */
static void bad_shapes_come_right(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        for (int k = 0; k < 9; k++) { /* up to the tiny one */
            AfxSimDef def = sim_def(&methods[m], 0.01);
            World world = three_bodies(INFINITY, &def);
            double q[12 * BODIES], rest[12 * BODIES] = {0};
            memcpy(q, afx_sim_coordinates(world.sim), sizeof q);
            memcpy(q + 12 * BAD, bad_matrices[k], sizeof bad_matrices[k]);
            assert_ok(afx_sim_set_state(world.sim, q, rest));
            for (int n = 0; n < 20; n++) {
                world_run(&world, 1);
                const double *a = afx_sim_coordinates(world.sim) + 12 * BAD;
                AfxVec3 x = v3(a[0], a[1], a[2]), y = v3(a[3], a[4], a[5]), z = v3(a[6], a[7], a[8]);
                assert_vec3(v3_cross(x, y), z, 1e-9);
                assert_vec3(v3_cross(y, z), x, 1e-9);
                assert_near(v3_norm(x), 1, 1e-9);
            }
            world_free(&world);
        }
    }
}

/* Linear, rotary or both velocities of any size. */
static void huge_velocity(int k, double state[24]) {
    static const double sizes[] = {1e5, 1e10, 1e100, 1e150, 1e200, 1e307};
    double size = sizes[k / 3];
    for (int i = 0; i < 12; i++) {
        bool linear = i >= 9;
        if ((linear && k % 3 != 1) || (!linear && k % 3 != 0)) {
            state[12 + i] = size * (i % 2 ? -1 : 0.7);
        }
    }
}

static void huge_velocities_never_give_nan(void **state) {
    (void)state;
    for_all_worlds(18, huge_velocity, "velocities");
}

static void random_state(int k, double state[24]) {
    uint64_t seed = 77 + (uint64_t)k;
    for (int i = 0; i < 24; i++) {
        double size = pow(10, 12 * (2 * random_unit(&seed) - 1));
        state[i] = random_unit(&seed) < 0.3 ? 0 : size * (2 * random_unit(&seed) - 1);
    }
}

static void random_states_never_give_nan(void **state) {
    (void)state;
    for_all_worlds(40, random_state, "random");
}

/* Beyond the largest number: that must fail, and name the body. */
static void overflow_is_refused(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 10);
        World world = three_bodies(INFINITY, &def);
        double *good = state_copy(&world), *after = ten_steps_on(&world), *bad = malloc(24 * BODIES * sizeof *bad);
        assert_non_null(bad);
        memcpy(bad, good, 24 * BODIES * sizeof *bad);
        bad[12 * BODIES + 12 * BAD + 10] = 1e308;
        assert_ok(afx_sim_set_state(world.sim, bad, bad + 12 * BODIES));
        assert_true(survive(&world, 1));
        assert_true(survive(&world, 1)); /* and again */
        assert_recovers(&world, good, after);
        free(good);
        free(after);
        free(bad);
        world_free(&world);
    }
}

/* What joints leave free: a plane, and balls that float, in a row, in a chain, about one body; with springs or none. */
typedef struct Floating {
    AfxJointKind kind;
    uint32_t bodies;
    bool star;
    double stiffness;
} Floating;

static World float_bodies(const Floating *floating, const AfxSimDef *def) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyId first = afx_world(), before = afx_world();
    for (uint32_t k = 0; k < floating->bodies; k++) {
        AfxBodyDef body = rigid_def(1e-3, 1e-7, 1e-7, 1e-7);
        AfxJointDef joint = afx_default_joint(floating->kind);
        AfxPose frame = afx_frame_along(v3(0.01 * k - 0.005, 0, 0), v3(1, 0, 0));
        AfxJointId id;
        body.pose.position.x = 0.01 * k;
        joint.follower = afx_scene_body(world.scene, world_add(&world, &body));
        joint.base = floating->star ? first : before;
        joint.spring.stiffness = v3(floating->stiffness, floating->stiffness, floating->stiffness);
        before = joint.follower;
        first = k == 0 ? before : first;
        if (k || floating->kind == AFX_JOINT_PLANAR) {
            assert_ok(afx_joint_place(world.scene, &joint, floating->kind == AFX_JOINT_PLANAR ? body.pose : frame));
            assert_ok(afx_scene_add_joint(world.scene, &joint, &id));
        }
    }
    world_start(&world, def);
    world_run(&world, 3);
    return world;
}

/* A push that moves all bodies alike strains no joint and turns nothing: only its size speaks against it. */
static void what_joints_let_go_is_refused(void **state) {
    (void)state;
    static const Floating all[] = {{AFX_JOINT_PLANAR, 1, false, 0},
                                   {AFX_JOINT_SPHERICAL, 3, false, 0},
                                   {AFX_JOINT_SPHERICAL, 3, false, 1},
                                   {AFX_JOINT_SPHERICAL, 12, false, 0},
                                   {AFX_JOINT_SPHERICAL, 24, true, 0}};
    for (size_t k = 0; k < COUNT(all); k++) {
        AfxSimDef def = sim_def(&methods[0], 0.01);
        World world = float_bodies(&all[k], &def);
        double *before = state_copy(&world);
        AfxWrench push[24] = {0};
        AfxStepReport report;
        for (int body = 0; body < 24; body++) {
            push[body].force = all[k].kind == AFX_JOINT_PLANAR ? v3(1e308, 0, 0) : v3(0, 0, 1e308);
        }
        assert_ok(afx_sim_set_body_wrenches(world.sim, push)); /* their velocities would not be finite */
        assert_int_equal(afx_step(world.sim, &report), AFX_E_NUMERIC);
        assert_true(report.flags & AFX_STEP_FAILED && report.body < all[k].bodies);
        assert_true(state_equal(&world, before));
        free(before);
        world_free(&world);
    }
}

/* The good bodies are not touched by the bad one beside them. */
static void a_bad_body_leaves_the_others_alone(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 0.01);
        World world = three_bodies(1e9, &def);
        double *good = state_copy(&world), *after = ten_steps_on(&world), bad[12 * BODIES];
        memcpy(bad, good, sizeof bad);
        memcpy(bad + 12 * BAD, bad_matrices[3], sizeof bad_matrices[3]);
        assert_ok(afx_sim_set_state(world.sim, bad, good + 12 * BODIES));
        world_run(&world, 10);
        const double *q = afx_sim_coordinates(world.sim);
        assert_memory_equal(q, after, 12 * sizeof *q);
        assert_memory_equal(q + 24, after + 24, 12 * sizeof *q);
        free(good);
        free(after);
        world_free(&world);
    }
}

/* A = 0 has no rotation of its own: the report says that one was made up. No such word in an ordinary step. */
static void the_report_tells_of_a_rescue(void **state) {
    (void)state;
    for (size_t e = 0; e < COUNT(moduli); e++) {
        AfxSimDef def = sim_def(&methods[0], 0.001);
        World world = three_bodies(moduli[e], &def);
        double q[12 * BODIES];
        AfxStepReport report;
        memcpy(q, afx_sim_coordinates(world.sim), sizeof q);
        assert_ok(afx_step(world.sim, &report));
        assert_false(report.flags & AFX_STEP_ROTATION_RESCUED);
        double rest[12 * BODIES] = {0};
        memcpy(q + 12 * BAD, bad_matrices[0], sizeof bad_matrices[0]);
        assert_ok(afx_sim_set_state(world.sim, q, rest));
        assert_ok(afx_step(world.sim, &report));
        assert_true(report.flags & AFX_STEP_ROTATION_RESCUED);
        world_free(&world);
    }
}

/* An inverted elastic body turns right side out, and its energy stays of the size it was. (It may unfold about a
 * rotation that is not the nearest one, whose strain is larger: so no sharper bound.) */
static void an_inverted_body_comes_right(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[1], 0.001); /* BDF1: the vibration is to die out */
    World world = three_bodies(1e5, &def);
    double bad[12 * BODIES], rest[12 * BODIES] = {0};
    memcpy(bad, afx_sim_coordinates(world.sim), sizeof bad);
    for (int k = 0; k < 9; k++) {
        bad[12 * BAD + k] = k == 0 ? -0.8 : k % 4 == 0;
    }
    assert_ok(afx_sim_set_state(world.sim, bad, rest));
    AfxEnergy first, energy;
    assert_ok(afx_sim_energy(world.sim, &first));
    for (int n = 0; n < 3000; n++) {
        world_run(&world, 1);
        assert_ok(afx_sim_energy(world.sim, &energy));
        assert_true(energy.elastic <= 2 * first.elastic);
    }
    const double *a = afx_sim_coordinates(world.sim) + 12 * BAD;
    AfxVec3 x = v3(a[0], a[1], a[2]), y = v3(a[3], a[4], a[5]), z = v3(a[6], a[7], a[8]);
    assert_near(v3_dot(x, v3_cross(y, z)), 1, 0.3);
    assert_below(energy.elastic, 0.05 * first.elastic);
    world_free(&world);
}

/* Finite numbers whose products are not: the velocity of the centre of mass overflows. */
static void a_start_that_overflows_is_refused(void **state) {
    (void)state;
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxError error = {0};
    AfxBodyDef body = odd_def();
    AfxBodyId id;
    body.mass_source = AFX_MASS_GIVEN;
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    body.center = v3(1e5, 0, 0);
    body.angular_velocity = v3(0, 0, 1e305);
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afx_model_create(scene, &model, NULL));
    def.error = &error;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_E_INPUT);
    assert_null(sim);
    assert_non_null(strstr(error.text, "too large"));
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_robust_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_matrices_never_give_nan),
        cmocka_unit_test(bad_shapes_come_right),
        cmocka_unit_test(huge_velocities_never_give_nan),
        cmocka_unit_test(random_states_never_give_nan),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(what_joints_let_go_is_refused),
        cmocka_unit_test(a_bad_body_leaves_the_others_alone),
        cmocka_unit_test(the_report_tells_of_a_rescue),
        cmocka_unit_test(an_inverted_body_comes_right),
        cmocka_unit_test(a_start_that_overflows_is_refused),
    };
    return cmocka_run_group_tests_name("robust", tests, NULL, NULL);
}

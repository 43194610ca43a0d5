/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: a changed one moves the bodies as if the scene had said so, in that sim only; bad ones are refused. */
#include "tests.h"

/* The kinds that a scene of free bodies has; those of joints and drives are not for this room. */
static const int kinds[] = {
    AFX_PARAM_GRAVITY,      AFX_PARAM_BODY_MASS,    AFX_PARAM_BODY_SECOND_MOMENTS, AFX_PARAM_BODY_VOLUME,
    AFX_PARAM_BODY_YOUNG,   AFX_PARAM_BODY_POISSON, AFX_PARAM_BODY_LINEAR_DAMPING, AFX_PARAM_BODY_ANGULAR_DAMPING,
    AFX_PARAM_BODY_GRAVITY, AFX_PARAM_MARKER_POINT, AFX_PARAM_WRENCH_POINT,        AFX_PARAM_WRENCH};

/* A soft, loaded, damped body whose frame is principal; `change` alters one number of the scene. */
static World loaded_world(int change) {
    World world = world_make(change == AFX_PARAM_GRAVITY ? v3(1, 2, 3) : v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(change == AFX_PARAM_BODY_MASS ? 5 : 2, 1.1, 2.2, 2.5);
    AfxShapeDef unit = afx_default_box(1, 0.5, change == AFX_PARAM_BODY_VOLUME ? 0.6 : 0.3);
    AfxWrenchDef wrench = afx_default_wrench();
    if (change == AFX_PARAM_BODY_SECOND_MOMENTS) { /* (1.8, 0.7, 0.4) becomes (2, 1, 0.5) */
        def.inertia[0] = 1.5;
        def.inertia[1] = 2.5;
        def.inertia[2] = 3;
    }
    def.young = change == AFX_PARAM_BODY_YOUNG ? 400 : 1000; /* soft enough to see it */
    def.poisson = change == AFX_PARAM_BODY_POISSON ? 0.1 : 0.3;
    def.linear_damping = change == AFX_PARAM_BODY_LINEAR_DAMPING ? 1 : 0.2;
    def.angular_damping = change == AFX_PARAM_BODY_ANGULAR_DAMPING ? 1 : 0.1;
    def.gravity = change != AFX_PARAM_BODY_GRAVITY;
    def.angular_velocity = v3(2, 1, -1);
    wrench.frame = AFX_FRAME_BODY;
    wrench.force = change == AFX_PARAM_WRENCH ? v3(4, 5, 6) : v3(1, 2, 3);
    wrench.torque = change == AFX_PARAM_WRENCH ? v3(-1, 0, 1) : v3(0.5, 0.5, 0);
    wrench.point = change == AFX_PARAM_WRENCH_POINT ? v3(0, 0.4, 0.3) : v3(0.2, 0, 0);
    uint32_t body = world_add_shape(&world, &def, &unit);
    world_load(&world, body, &wrench);
    world_mark(&world, body, change == AFX_PARAM_MARKER_POINT ? v3(1, 1, 1) : v3(0.5, 0, 0));
    return world;
}

/* The values that make loaded_world(-1) into loaded_world(kind). */
static const double changed[AFX_PARAM_KIND_COUNT][6] = {
    [AFX_PARAM_GRAVITY] = {1, 2, 3},
    [AFX_PARAM_BODY_MASS] = {5},
    [AFX_PARAM_BODY_SECOND_MOMENTS] = {2, 1, 0.5},
    [AFX_PARAM_BODY_VOLUME] = {0.3},
    [AFX_PARAM_BODY_YOUNG] = {400},
    [AFX_PARAM_BODY_POISSON] = {0.1},
    [AFX_PARAM_BODY_LINEAR_DAMPING] = {1},
    [AFX_PARAM_BODY_ANGULAR_DAMPING] = {1},
    [AFX_PARAM_BODY_GRAVITY] = {0},
    [AFX_PARAM_MARKER_POINT] = {1, 1, 1},
    [AFX_PARAM_WRENCH_POINT] = {0, 0.4, 0.3},
    [AFX_PARAM_WRENCH] = {4, 5, 6, -1, 0, 1},
};

/* Second moments are told in the order of the principal frame, which is the library's to choose. */
static void values_for(const World *world, int kind, double out[6]) {
    memcpy(out, changed[kind], sizeof changed[kind]);
    if (kind == AFX_PARAM_BODY_SECOND_MOMENTS) {
        AfxPose frame;
        assert_ok(afx_model_body_frame(world->model, 0, &frame));
        for (int k = 0; k < 3; k++) {
            AfxVec3 axis = q_rotate(frame.rotation, v3(k == 0, k == 1, k == 2));
            out[k] = fabs(axis.x) > 0.9 ? 2 : fabs(axis.y) > 0.9 ? 1 : 0.5;
        }
    }
}

/* Position, rotation, velocities and marker after some steps. */
static void outcome(World *world, double out[20]) {
    world_run(world, 60);
    AfxPose pose = pose_of(world, 0);
    AfxTwist twist = twist_of(world, 0);
    AfxVec3 position, velocity;
    assert_ok(afx_sim_marker(world->sim, 0, &position, &velocity));
    double sign = pose.rotation.w < 0 ? -1 : 1;
    double all[] = {pose.position.x,
                    pose.position.y,
                    pose.position.z,
                    sign * pose.rotation.w,
                    sign * pose.rotation.x,
                    sign * pose.rotation.y,
                    sign * pose.rotation.z,
                    twist.linear.x,
                    twist.linear.y,
                    twist.linear.z,
                    twist.angular.x,
                    twist.angular.y,
                    twist.angular.z,
                    position.x,
                    position.y,
                    position.z,
                    velocity.x,
                    velocity.y,
                    velocity.z,
                    0};
    memcpy(out, all, sizeof all);
}

static double distance(const double a[20], const double b[20]) {
    double worst = 0;
    for (int k = 0; k < 20; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
    }
    return worst;
}

/* One sim with the parameter set against one of a scene that says so; a third, of the same model, stays as it was. */
static void check_kind(int kind, const Method *method) {
    World base = loaded_world(-1), other = loaded_world(kind);
    AfxSimDef def = accurate_def(method, 0.01);
    double first[20], set[20], want[20], last[20], values[6], got[6];
    world_start(&other, &def);
    outcome(&other, want);
    world_start(&base, &def);
    outcome(&base, first);
    world_start(&base, &def);
    AfxSim *bystander = NULL;
    assert_ok(afx_sim_create(base.model, &def, &bystander));
    values_for(&base, kind, values);
    assert_ok(afx_sim_set_param(base.sim, (AfxParamKind)kind, 0, values));
    assert_ok(afx_sim_param(base.sim, (AfxParamKind)kind, 0, got));
    AfxParamInfo info;
    assert_ok(afx_model_param_info(base.model, (AfxParamKind)kind, &info));
    assert_memory_equal(got, values, info.size * sizeof *got);
    outcome(&base, set);
    if (distance(set, want) > 1e-9 || distance(first, set) < 1e-4) {
        print_error("%s, %s: off by %g, changed by %g\n", info.name, method->name, distance(set, want),
                    distance(first, set));
        fail();
    }
    afx_sim_destroy(base.sim);
    base.sim = bystander;
    outcome(&base, last);
    assert_true(distance(first, last) == 0);
    world_free(&base);
    world_free(&other);
}

static void a_set_parameter_acts_as_in_the_scene(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        for (int m = 0; m < METHODS; m++) {
            check_kind(kinds[k], &methods[m]);
        }
    }
}

/* Twice the mass under a fixed force: half the acceleration, from then on. */
static void twice_the_mass_is_half_the_acceleration(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        World world = world_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(2, 1, 1, 1);
        AfxWrenchDef wrench = afx_default_wrench();
        wrench.force = v3(6, 0, 0);
        world_load(&world, world_add(&world, &def), &wrench);
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        double mass = 4;
        world_start(&world, &sim);
        world_run(&world, 100);
        assert_near(twist_of(&world, 0).linear.x, 3, 1e-11);
        assert_ok(afx_sim_set_param(world.sim, AFX_PARAM_BODY_MASS, 0, &mass));
        world_run(&world, 50);
        double velocity = twist_of(&world, 0).linear.x;
        world_run(&world, 100);
        assert_near(twist_of(&world, 0).linear.x - velocity, 1.5, 1e-5);
        assert_near(velocity, 3.75, 0.03);
        AfxMomentum momentum;
        assert_ok(afx_sim_momentum(world.sim, &momentum));
        assert_near(momentum.mass, 4, 0);
        world_free(&world);
    }
}

/* The registry covers the block without gaps or overlaps. */
static void the_registry_describes_the_block(void **state) {
    (void)state;
    World world = loaded_world(-1);
    AfxSimDef def = sim_def(&methods[0], 0.01);
    size_t length = 0, sum = 0;
    world_start(&world, &def);
    const double *block = afx_model_params(world.model, &length);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        AfxParamInfo info;
        AfxParamKind kind = (AfxParamKind)kinds[k];
        double value[6];
        assert_ok(afx_model_param_info(world.model, kind, &info));
        assert_int_equal(info.count, 1);
        assert_int_equal(info.kind, kind);
        assert_true(info.offset + (size_t)info.count * info.size <= length);
        sum += (size_t)info.count * info.size;
        assert_ok(afx_sim_param(world.sim, kind, 0, value));
        assert_memory_equal(value, block + info.offset, info.size * sizeof *value);
    }
    assert_int_equal(sum, length);
    AfxParamInfo info;
    assert_int_equal(afx_model_param_info(world.model, AFX_PARAM_KIND_COUNT, &info), AFX_E_ARGUMENT);
    assert_int_equal(afx_model_param_info(world.model, AFX_PARAM_GRAVITY, NULL), AFX_E_ARGUMENT);
    world_free(&world);
}

typedef struct BadValue {
    AfxParamKind kind;
    double values[6];
} BadValue;

static const BadValue bad_values[] = {
    {AFX_PARAM_GRAVITY, {0, NAN, 0}},
    {AFX_PARAM_GRAVITY, {0, 0, INFINITY}},
    {AFX_PARAM_BODY_MASS, {NAN}},
    {AFX_PARAM_BODY_MASS, {0}},
    {AFX_PARAM_BODY_MASS, {-1}},
    {AFX_PARAM_BODY_MASS, {INFINITY}},
    {AFX_PARAM_BODY_SECOND_MOMENTS, {1, NAN, 1}},
    {AFX_PARAM_BODY_SECOND_MOMENTS, {1, 1, -0.1}},
    {AFX_PARAM_BODY_SECOND_MOMENTS, {INFINITY, 1, 1}},
    {AFX_PARAM_BODY_VOLUME, {NAN}},
    {AFX_PARAM_BODY_VOLUME, {-1}},
    {AFX_PARAM_BODY_YOUNG, {NAN}},
    {AFX_PARAM_BODY_YOUNG, {-1e6}},
    {AFX_PARAM_BODY_YOUNG, {0}},
    {AFX_PARAM_BODY_POISSON, {NAN}},
    {AFX_PARAM_BODY_POISSON, {0.5}},
    {AFX_PARAM_BODY_POISSON, {-1}},
    {AFX_PARAM_BODY_LINEAR_DAMPING, {NAN}},
    {AFX_PARAM_BODY_LINEAR_DAMPING, {-1}},
    {AFX_PARAM_BODY_ANGULAR_DAMPING, {INFINITY}},
    {AFX_PARAM_BODY_ANGULAR_DAMPING, {-1}},
    {AFX_PARAM_BODY_GRAVITY, {NAN}},
    {AFX_PARAM_MARKER_POINT, {0, 0, NAN}},
    {AFX_PARAM_WRENCH_POINT, {INFINITY, 0, 0}},
    {AFX_PARAM_WRENCH, {0, 0, 0, 0, 0, NAN}},
    {AFX_PARAM_WRENCH, {-INFINITY, 0, 0, 0, 0, 0}},
};

static void bad_values_change_nothing(void **state) {
    (void)state;
    World world = loaded_world(-1);
    AfxSimDef def = sim_def(&methods[0], 0.01);
    double want[20], got[20], before[6], after[6], one[6] = {1, 1, 1, 1, 1, 1};
    world_start(&world, &def);
    outcome(&world, want);
    world_start(&world, &def);
    for (size_t k = 0; k < COUNT(bad_values); k++) {
        const BadValue *bad = &bad_values[k];
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        assert_ok(afx_sim_param(world.sim, bad->kind, 0, before));
        AfxStatus status = afx_sim_set_param(world.sim, bad->kind, 0, bad->values);
        if (status != AFX_E_ARGUMENT) {
            print_error("bad value %d: %s\n", (int)k, afx_status_name(status));
        }
        assert_int_equal(status, AFX_E_ARGUMENT);
        assert_ok(afx_sim_param(world.sim, bad->kind, 0, after));
        assert_memory_equal(before, after, sizeof before);
    }
    for (size_t k = 0; k < COUNT(kinds); k++) {
        AfxParamKind kind = (AfxParamKind)kinds[k];
        assert_int_equal(afx_sim_set_param(world.sim, kind, 1, one), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_set_param(world.sim, kind, UINT32_MAX, one), AFX_E_ARGUMENT);
        assert_int_equal(afx_sim_param(world.sim, kind, 1, one), AFX_E_ARGUMENT);
    }
    assert_int_equal(afx_sim_set_param(world.sim, AFX_PARAM_KIND_COUNT, 0, one), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_param(world.sim, (AfxParamKind)-1, 0, one), AFX_E_ARGUMENT);
    outcome(&world, got);
    assert_true(distance(want, got) == 0);
    world_free(&world);
}

/* Parameters that are set after others, and after steps with them, act as well. */
static void later_ones_act_too(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -10));
    AfxBodyDef def = odd_def();
    const double mass = 3, none = 0, damping = 2;
    world_add(&world, &def);
    AfxSimDef sim = afx_default_sim();
    world_start(&world, &sim);
    assert_ok(afx_sim_set_param(world.sim, AFX_PARAM_BODY_MASS, 0, &mass));
    assert_ok(afx_step(world.sim, NULL));
    assert_ok(afx_step(world.sim, NULL));
    double before;
    assert_ok(afx_sim_set_param(world.sim, AFX_PARAM_BODY_GRAVITY, 0, &none));
    for (int k = 0; k < 20; k++) { /* the history still knows gravity for a while */
        assert_ok(afx_step(world.sim, NULL));
    }
    before = afx_sim_velocities(world.sim)[11];
    assert_ok(afx_step(world.sim, NULL));
    assert_near(afx_sim_velocities(world.sim)[11], before, 1e-9);
    assert_ok(afx_sim_set_param(world.sim, AFX_PARAM_BODY_LINEAR_DAMPING, 0, &damping));
    assert_ok(afx_step(world.sim, NULL));
    assert_true(afx_sim_velocities(world.sim)[11] > 0.99 * before); /* before < 0 */
    world_free(&world);
}

int run_param_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_parameter_acts_as_in_the_scene),
        cmocka_unit_test(twice_the_mass_is_half_the_acceleration),
        cmocka_unit_test(the_registry_describes_the_block),
        cmocka_unit_test(bad_values_change_nothing),
        cmocka_unit_test(later_ones_act_too),
    };
    return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}

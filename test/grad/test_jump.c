/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: a ball that bounces, and limits of joints that are met. */
#include "math/vec3.h"
#include "tests.h"

typedef struct Drop {
    double friction, restitution, young, slope; /* slope: gravity along x, of that along z */
    AfxVec3 velocity;
    bool upon; /* it falls on another ball, which lies on the plane */
} Drop;

/* A ball that falls from a height h above the plane: after the time t it is at e v (t - t1) - g (t - t1)² / 2,
 * t1 = sqrt(2 h / g), v = g t1. */
static AfxModel *make_drop(const Drop *drop) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxError error;
    AfxMaterialDef material = afx_default_material();
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    AfxMarkerId marker;
    AfxShapeDef shape = afx_default_plane();
    scene_def.gravity.x = -drop->slope * scene_def.gravity.z;
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    material.friction = drop->friction;
    material.restitution = drop->restitution;
    assert_int_equal(afx_scene_set_material(scene, afx_scene_material(scene, 0), &material), AFX_OK);
    def.kind = AFX_BODY_FIXED;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    shape = afx_default_sphere(0.1);
    for (int k = drop->upon ? 0 : 1; k < 2; k++) {
        def = afx_default_body();
        def.young = drop->young;
        def.pose.position = vec3(0, 0, k ? 0.3 + 0.1 * drop->upon : 0.1);
        def.gravity = k == 1; /* the other does not approach the plane before it is struck */
        def.linear_velocity = k ? drop->velocity : vec3(0, 0, 0);
        def.angular_velocity = k ? vec3(0.3, 1, 0.5) : vec3(0, 0, 0);
        assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
        assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    }
    assert_int_equal(afx_scene_add_marker(scene, id, "middle", vec3(0, 0, 0), &marker), AFX_OK);
    assert_int_equal(afx_scene_add_marker(scene, id, "side", vec3(0.03, 0.02, 0.05), &marker), AFX_OK);
    assert_int_equal(afx_model_create(scene, &model, &error), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static AfxModel *drop_model(double friction, double e, double young) {
    return make_drop(&(Drop){.friction = friction, .restitution = e, .young = young, .velocity = vec3(0.1, 0, 0)});
}

/* Along gravity, restitution and mass, against differences; the derivative by restitution comes back. */
static double check_jump(AfxModel *model, AfxIntegrator integrator, double dt, uint32_t steps, AfxQuantity quantity,
                         AfxParamKind kind, uint32_t number, double tolerance) {
    Course course = {model, integrator, dt, steps, NULL};
    size_t length;
    afx_model_params(model, &length);
    double *direction = calloc(length, sizeof *direction), sum = 0, size = 0;
    AfxParamInfo info, gravity, mass;
    assert_int_equal(afx_model_param_info(model, AFX_PARAM_GRAVITY, &gravity), AFX_OK);
    assert_int_equal(afx_model_param_info(model, AFX_PARAM_BODY_MASS, &mass), AFX_OK);
    assert_int_equal(afx_model_param_info(model, kind, &info), AFX_OK);
    direction[gravity.offset] = 0.2;
    direction[gravity.offset + 2] = -1;
    direction[mass.offset + 1] = 0.3;
    direction[info.offset + number] = 0.1;
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    AfxGradReport report;
    assert_int_equal(afx_grad_seed(grad, quantity, 1), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    assert_int_equal(afx_grad_report(grad, &report), AFX_OK);
    assert_true(report.branches > 0);
    const double *by = afx_grad_params(grad);
    double own = by[info.offset + number], left = 0, right = 0;
    for (size_t k = 0; k < length; k++) {
        sum += direction[k] * by[k];
        size += fabs(direction[k] * by[k]);
    }
    double expected = course_difference(&course, direction, quantity), bar[48] = {0}, out[48];
    if (!(fabs(sum - expected) <= tolerance * size)) {
        fail_msg("%.12g, differences %.12g, of %.3g", sum, expected, size);
    }
    uint32_t bodies = afx_model_body_count(model);
    assert_true(bodies == 2);
    for (uint32_t k = 12; k < 24; k++) { /* the second body */
        bar[k] = 1 + 0.1 * k;
    }
    afx_grad_clear(grad);
    assert_int_equal(afx_grad_seed_state(grad, bar, NULL), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    for (size_t k = 0; k < length; k++) {
        left += direction[k] * afx_grad_params(grad)[k];
    }
    assert_int_equal(afx_grad_tangent(grad, direction, NULL, NULL, out, NULL), AFX_OK);
    for (uint32_t k = 12; k < 24; k++) {
        right += bar[k] * out[k];
    }
    if (!(fabs(left - right) <= 1e-8 * fabs(left))) { /* rates of impacts are met to that */
        fail_msg("adjoint %.15g, tangent %.15g", left, right);
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    free(direction);
    return own;
}

static void test_bounce(void **state) {
    (void)state;
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    const double g = 9.81, e = 0.8, time = 0.3, fall = sqrt(2 * 0.2 / g), speed = g * fall;
    for (int k = 0; k < 3; k++) {
        AfxModel *model = drop_model(k == 1 ? 0.9 : 0, e, k == 2 ? 1e8 : INFINITY);
        AfxQuantity height = {AFX_QUANTITY_MARKER, 0, 2}, side = {AFX_QUANTITY_MARKER, 1, 0};
        double by = check_jump(model, methods[k], 0.01, 30, height, AFX_PARAM_MATERIAL_PAIR, 1, 3e-7);
        assert_true(fabs(by - speed * (time - fall)) < 0.1 * by); /* to the step in which it strikes */
        check_jump(model, methods[k], 0.01, 30, side, AFX_PARAM_MATERIAL_PAIR, 1, 3e-7);
        afx_model_destroy(model);
    }
    AfxModel *model = drop_model(0, e, INFINITY);
    double by = check_jump(model, AFX_BDF2, 0.001, 300, (AfxQuantity){AFX_QUANTITY_MARKER, 0, 2},
                           AFX_PARAM_MATERIAL_PAIR, 1, 3e-6);
    assert_true(fabs(by - speed * (time - fall)) < 0.01 * by);
    afx_model_destroy(model);
}

/* Which hinge has the limit, and what is at its other end. */
typedef enum Stop { STOP_RODS, STOP_WORLD_FOLLOWS, STOP_FIXED_FOLLOWS } Stop;

/* The limit of two rods, the second of which meets it and is thrown back, or stays; of the first, whose follower is the
 * world; or of the second, whose follower is the first, which is fixed. */
static AfxModel *stop_model(double e, Stop stop) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxError error;
    AfxBodyId rod[2];
    AfxJointId joint[2] = {{0}};
    AfxDriveId drive;
    AfxMarkerId marker;
    bool fixed = stop == STOP_FIXED_FOLLOWS;
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    for (int k = 0; k < 2; k++) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef shape = afx_default_box(1, 0.1, 0.1);
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        def.young = INFINITY;
        def.kind = fixed && k == 0 ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
        def.pose.position = vec3(0.5 + k, 0, 0);
        shape.density = 500;
        assert_int_equal(afx_scene_add_body(scene, &def, &rod[k]), AFX_OK);
        assert_int_equal(afx_scene_add_shape(scene, rod[k], &shape), AFX_OK);
        AfxBodyId before = k ? rod[0] : afx_world();
        hinge.base = stop ? rod[k] : before;
        hinge.follower = stop ? before : rod[k];
        if (k || !fixed) {
            assert_int_equal(afx_joint_place(scene, &hinge, afx_frame_along(vec3(k, 0, 0), vec3(0, 1, 0))), AFX_OK);
            assert_int_equal(afx_scene_add_joint(scene, &hinge, &joint[k]), AFX_OK);
        }
    }
    AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
    limit.joint = joint[stop == STOP_WORLD_FOLLOWS ? 0 : 1];
    limit.lower = -0.1;
    limit.upper = 0.1;
    limit.restitution = e;
    assert_int_equal(afx_scene_add_drive(scene, &limit, &drive), AFX_OK);
    assert_int_equal(afx_scene_add_marker(scene, rod[1], "tip", vec3(0.5, 0, 0), &marker), AFX_OK);
    assert_int_equal(afx_model_create(scene, &model, &error), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static void check_stop(Stop stop, uint32_t steps) {
    for (int k = 0; k < 2; k++) {
        AfxModel *model = stop_model(0.6 * k, stop);
        AfxParamInfo info;
        double most = 0;
        assert_int_equal(afx_model_param_info(model, AFX_PARAM_DRIVE, &info), AFX_OK);
        for (uint32_t number = 0; number < info.size; number++) {
            const double *value = afx_model_params(model, NULL) + info.offset + number;
            if (*value == -0.1 || *value == 0.6) { /* where the limit is, and how it throws back */
                double by = check_jump(model, AFX_BDF2, 0.01, steps, (AfxQuantity){AFX_QUANTITY_MARKER, 0, 2},
                                       AFX_PARAM_DRIVE, number, 1e-7);
                most = fmax(most, *value == 0.6 ? fabs(by) : 0);
            }
        }
        assert_true(k == 0 || most > 1e-3);
        afx_model_destroy(model);
    }
}

static void test_stop(void **state) {
    (void)state;
    check_stop(STOP_RODS, 50);
}

/* The end of a joint that moves is its base: the world, or a body that stands still, follows. */
static void test_stop_of_base(void **state) {
    (void)state;
    check_stop(STOP_WORLD_FOLLOWS, 20);
    check_stop(STOP_FIXED_FOLLOWS, 20);
}

/* Steps until one is refused, with this reason; the model is freed. */
static void check_refused(AfxModel *model, AfxIntegrator integrator, double dt, const AfxWeights *weights,
                          const char *reason) {
    Course course = {model, integrator, dt, 0, weights};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGradDef def = afx_default_grad();
    AfxError error = {0};
    AfxGrad *grad = NULL;
    AfxStatus status = AFX_OK;
    def.error = &error;
    assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
    for (int k = 0; k < 60 && status == AFX_OK; k++) {
        status = afx_grad_step(grad, NULL);
    }
    if (status != AFX_E_INPUT || !strstr(error.element, "impact") || !strstr(error.text, reason)) {
        fail_msg("%s: status %d, %s: %s", reason, (int)status, error.element, error.text);
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

/* Each by its own scene: a ball of which all but one thing can be differentiated. */
static void test_refusals(void **state) {
    (void)state;
    const double force[2] = {1, 1};
    const AfxWeights weights = {force, NULL, NULL};
    const Drop ball = {.friction = 0.9, .restitution = 0.8, .young = INFINITY, .velocity = vec3(0.1, 0, 0)};
    Drop slides = ball, slope = ball, upon = ball;
    slides.friction = 0.05;
    slides.velocity.x = 3;
    slope.slope = 0.1;
    upon.friction = upon.velocity.x = 0;
    upon.upon = true;
    check_refused(make_drop(&slides), AFX_BDF2, 0.01, NULL, "slides");
    check_refused(make_drop(&slope), AFX_BDF2, 0.01, NULL, "slope");
    check_refused(make_drop(&upon), AFX_BDF2, 0.01, NULL, "passes");
    check_refused(drop_model(0, 0.8, INFINITY), AFX_SDIRK2, 0.01, NULL, "two stages");
    check_refused(stop_model(0.6, STOP_RODS), AFX_BDF2, 0.01, &weights, "weights");
}

int run_grad_jump_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounce), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_stop_of_base), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("grad jump", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A block on a slope: sliding against its closed form and differences, sticking, and what is refused. */
#include "math/vec3.h"
#include "tests.h"

/* d/dp of where the block comes to; mu is the first number of the first pair of materials. */
static double slide(const char *text, AfxIntegrator integrator, double time, double dt, double *out_friction) {
    Course course = {case_model("incline", text), integrator, dt, (uint32_t)lround(time / dt), NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    AfxParamInfo gravity, pair;
    assert_int_equal(afx_model_param_info(course.model, AFX_PARAM_GRAVITY, &gravity), AFX_OK);
    assert_int_equal(afx_model_param_info(course.model, AFX_PARAM_MATERIAL_PAIR, &pair), AFX_OK);
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_MARKER, 0, 0}, 1), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    double by = afx_grad_params(grad)[gravity.offset + 2];
    *out_friction = afx_grad_params(grad)[pair.offset];
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(course.model);
    return by;
}

/* x = t² g (sin a - mu cos a) cos a / 2: the spring of friction takes up the first of it, and BDF2 begins by BDF1. */
static void test_sliding(void **state) {
    (void)state;
    const double a = AFXI_TWO_PI / 12, time = 0.5, g = 9.81;
    double friction, by = slide("young=inf", AFX_BDF2, time, 0.0025, &friction);
    double expected = -0.5 * time * time * (sin(a) - 0.2 * cos(a)) * cos(a);
    assert_true(fabs(by - expected) < 2e-3 * fabs(expected));
    expected = -0.5 * time * time * g * cos(a) * cos(a);
    assert_true(fabs(friction - expected) < 2e-3 * fabs(expected));
}

/* Every method, rigid and elastic, sliding, sticking and without friction; differences of steps whose friction has
 * converged to 1e-9 of the weight tell no more than this. */
static void test_differences(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double tolerance;
    } kinds[] = {{"young=inf", 3e-6}, {"young=1e7", 3e-6}, {"mu=0.8 young=inf", 3e-5}, {"mu=0 young=inf", 1e-8}};
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        Course course = {case_model("incline", kinds[k].text), methods[k % 3], 0.005, 8, NULL};
        size_t length;
        afx_model_params(course.model, &length);
        double *direction = calloc(length, sizeof *direction), sum = 0, size = 0, dot;
        AfxParamInfo info;
        assert_int_equal(afx_model_param_info(course.model, AFX_PARAM_GRAVITY, &info), AFX_OK);
        direction[info.offset] = 0.3;
        direction[info.offset + 2] = -1;
        assert_int_equal(afx_model_param_info(course.model, AFX_PARAM_MATERIAL_PAIR, &info), AFX_OK);
        direction[info.offset] = k < 3 ? 0.1 : 0;
        AfxSim *sim = course_sim(&course, NULL);
        AfxGrad *grad = course_record(&course, sim);
        AfxQuantity quantity = {AFX_QUANTITY_MARKER, 0, 0};
        assert_int_equal(afx_grad_seed(grad, quantity, 1), AFX_OK);
        assert_int_equal(afx_grad_backward(grad), AFX_OK);
        for (size_t j = 0; j < length; j++) {
            sum += direction[j] * afx_grad_params(grad)[j];
            size += fabs(direction[j] * afx_grad_params(grad)[j]);
        }
        double q[24], v[24]; /* the ground, the block: its marker is its middle */
        assert_int_equal(afx_grad_tangent(grad, direction, NULL, NULL, q, v), AFX_OK);
        dot = fabs(q[12 + 9] - sum) / size;
        double expected = course_difference(&course, direction, quantity);
        if (!(fabs(sum - expected) <= kinds[k].tolerance * size && dot < 1e-11)) {
            fail_msg("%s: %.10g, differences %.10g; adjoint and tangent %.2e", kinds[k].text, sum, expected, dot);
        }
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
        afx_model_destroy(course.model);
        free(direction);
    }
}

/* ---- pairs of bodies, and what rolls ---- */

/* Two bodies on a plane: the second lies on the first, beside its middle, and both have a spin. */
static AfxModel *pile_model(const AfxShapeDef *low, const AfxShapeDef *high, double base, double from, double reach,
                            double young) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxError error;
    AfxMaterialDef material = afx_default_material();
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    AfxMarkerId marker;
    AfxShapeDef shape = afx_default_plane();
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    material.friction = 0.4;
    material.rolling_friction = 2e-3;
    material.torsional_friction = 3e-3;
    material.stiffness = 1e6;
    assert_int_equal(afx_scene_set_material(scene, afx_scene_material(scene, 0), &material), AFX_OK);
    def.kind = AFX_BODY_FIXED;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    def = afx_default_body();
    def.young = young;
    for (int k = 0; k < 2; k++) {
        double height = k ? from + sqrt(reach * reach - 5e-4) : base;
        def.pose.position = vec3(0.02 * k, 0.01 * k, height);
        bool rolls = k ? high->kind != AFX_SHAPE_BOX : low->kind != AFX_SHAPE_BOX;
        def.angular_velocity = vec3(rolls * 0.3, rolls * (1 - 2 * k), 0.5 + k);
        def.linear_velocity = vec3(0.1, k * 0.05, 0);
        assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
        shape = k ? *high : *low;
        assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    }
    assert_int_equal(afx_scene_add_marker(scene, id, "top", vec3(0.01, 0.02, 0.03), &marker), AFX_OK);
    assert_int_equal(afx_model_create(scene, &model, &error), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

/* Along masses, moments, gravity and all friction. */
static void check_pile(AfxModel *model, AfxIntegrator integrator, double tolerance, const char *name) {
    Course course = {model, integrator, 0.002, 6, NULL};
    AfxQuantity quantity = {AFX_QUANTITY_MARKER, 0, 0};
    size_t length;
    const double *params = afx_model_params(model, &length);
    double *direction = calloc(length, sizeof *direction), *scale = calloc(length, sizeof *scale);
    double sum = 0, size = 0, out[72], bar[72] = {0};
    uint64_t random = 3;
    AfxParamInfo pair, marker;
    param_scales(model, scale);
    assert_int_equal(afx_model_param_info(model, AFX_PARAM_MARKER_POINT, &marker), AFX_OK);
    memset(scale + marker.offset, 0, 3 * sizeof *scale);
    assert_int_equal(afx_model_param_info(model, AFX_PARAM_MATERIAL_PAIR, &pair), AFX_OK);
    for (size_t k = 0; k < length; k++) {
        bool rubs = k >= pair.offset && k < pair.offset + 5;
        direction[k] = (rubs ? params[k] : scale[k]) * (2 * random_unit(&random) - 1);
    }
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    assert_int_equal(afx_grad_seed(grad, quantity, 1), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    for (size_t k = 0; k < length; k++) {
        sum += direction[k] * afx_grad_params(grad)[k];
        size += fabs(direction[k] * afx_grad_params(grad)[k]);
    }
    double expected = course_difference(&course, direction, quantity), left = 0, right = 0, both = 0;
    if (!(fabs(sum - expected) <= tolerance * size)) {
        fail_msg("%s: %.10g, differences %.10g, of %.3g", name, sum, expected, size);
    }
    afx_grad_clear(grad);
    for (size_t k = 24; k < 36; k++) {
        bar[k] = 2 * random_unit(&random) - 1;
    }
    assert_int_equal(afx_grad_seed_state(grad, bar, NULL), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    for (size_t k = 0; k < length; k++) {
        left += direction[k] * afx_grad_params(grad)[k];
        both += fabs(direction[k] * afx_grad_params(grad)[k]);
    }
    assert_int_equal(afx_grad_tangent(grad, direction, NULL, NULL, out, out + 36), AFX_OK);
    for (size_t k = 24; k < 36; k++) {
        right += bar[k] * out[k];
    }
    if (!(fabs(left - right) <= 1e-11 * both)) {
        fail_msg("%s: adjoint %.15g, tangent %.15g", name, left, right);
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    free(direction);
    free(scale);
}

static void test_pairs(void **state) {
    (void)state;
    AfxShapeDef ball = afx_default_sphere(0.1), small = afx_default_sphere(0.05), box = afx_default_box(0.2, 0.2, 0.1);
    AfxShapeDef capsule = afx_default_capsule(0.05, 0.1), plate = afx_default_box(0.06, 0.05, 0.04);
    capsule.pose.rotation = afx_quat_from_axis_angle(vec3(0, 1, 0), AFXI_TWO_PI / 4);
    check_pile(pile_model(&ball, &small, 0.1, 0.1, 0.15, INFINITY), AFX_BDF2, 1e-7, "ball on ball");
    check_pile(pile_model(&box, &small, 0.05, 0.1, sqrt(0.05 * 0.05 + 5e-4), INFINITY), AFX_ALPHA, 1e-7, "ball on box");
    check_pile(pile_model(&box, &capsule, 0.05, 0.1, sqrt(0.05 * 0.05 + 5e-4), 1e7), AFX_BDF1, 1e-7, "capsule on box");
    check_pile(pile_model(&box, &plate, 0.05, 0.1, sqrt(0.02 * 0.02 + 5e-4), INFINITY), AFX_BDF2, 1e-7, "box on box");
}

static void test_refusals(void **state) {
    (void)state;
    static const char *const what[][3] = {
        {"incline", NULL, "sdirk2"}, {"incline", NULL, "friction damping"}, {"incline", NULL, "margin"}};
    for (size_t k = 0; k < sizeof what / sizeof *what; k++) {
        Course course = {case_model(what[k][0], what[k][1]), k == 0 ? AFX_SDIRK2 : AFX_BDF2, 0.01, 1, NULL};
        AfxSim *sim = course_sim(&course, NULL);
        AfxParamInfo info;
        double pair[AFX_PARAM_SIZE_MOST];
        assert_int_equal(afx_model_param_info(course.model, AFX_PARAM_MATERIAL_PAIR, &info), AFX_OK);
        for (uint32_t item = 0; k > 0 && item < info.count; item++) { /* what was set on the sim counts */
            assert_int_equal(afx_sim_param(sim, AFX_PARAM_MATERIAL_PAIR, item, pair), AFX_OK);
            pair[10 + k] = k == 1 ? 1e4 : 1e-3;
            assert_int_equal(afx_sim_set_param(sim, AFX_PARAM_MATERIAL_PAIR, item, pair), AFX_OK);
        }
        AfxGradDef def = afx_default_grad();
        AfxError error = {0};
        AfxGrad *grad = NULL;
        AfxStatus status = AFX_OK;
        def.error = &error;
        assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
        for (int step = 0; step < 20 && status == AFX_OK; step++) {
            status = afx_grad_step(grad, NULL);
        }
        assert_int_equal(status, AFX_E_INPUT);
        assert_non_null(strstr(error.element, "contact"));
        assert_non_null(strstr(error.text, what[k][2]));
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
        afx_model_destroy(course.model);
    }
}

/* Boxes above a plane, near enough for points and too far to touch it in a step of 0.01 s: four points each. */
static AfxModel *hover_model(uint32_t count) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxError error;
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    AfxShapeDef shape = afx_default_plane();
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    def.kind = AFX_BODY_FIXED;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    shape = afx_default_box(0.1, 0.1, 0.1);
    for (uint32_t k = 0; k < count; k++) {
        def = afx_default_body();
        def.young = INFINITY;
        def.pose.position = vec3(0.3 * (k % 10), 0.3 * (k / 10), 0.052);
        assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
        assert_int_equal(afx_scene_add_shape(scene, id, &shape), AFX_OK);
    }
    assert_int_equal(afx_model_create(scene, &model, &error), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

/* Points that do not push have a place too: 256 of them are recorded, more are refused before anything is written. */
static void test_most_points(void **state) {
    (void)state;
    for (uint32_t count = 64; count <= 70; count += 6) {
        Course course = {hover_model(count), AFX_BDF2, 0.01, 1, NULL};
        AfxSim *sim = course_sim(&course, NULL);
        AfxGradDef def = afx_default_grad();
        AfxError error = {0};
        AfxGrad *grad = NULL;
        def.error = &error;
        assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
        AfxStatus status = afx_grad_step(grad, NULL);
        if (count > 64) {
            assert_int_equal(status, AFX_E_INPUT);
            assert_non_null(strstr(error.element, "contact"));
            assert_non_null(strstr(error.text, "256"));
        } else {
            assert_int_equal(status, AFX_OK);
        }
        AfxStatus after = count > 64 ? AFX_E_INPUT : AFX_OK; /* what was kept is not all of it */
        assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 2}, 1), after);
        assert_int_equal(afx_grad_backward(grad), after);
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
        afx_model_destroy(course.model);
    }
}

int run_grad_touch_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sliding), cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_pairs), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_most_points)};
    return cmocka_run_group_tests_name("grad touch", tests, NULL, NULL);
}

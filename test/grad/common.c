/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are recorded, and the same by differences. */
#include "tests.h"

#include "cases/cases.h"

AfxModel *case_model(const char *name, const char *text) {
    AfxiCaseArguments arguments;
    const char *words[16];
    char copy[256];
    uint32_t count = 0;
    AfxError error;
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSceneDef def = afx_default_scene();
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    const AfxiCase *from = afxi_case_find(name);
    assert_non_null(from);
    if (afxi_case_arguments(from, count, words, &arguments, &error) != AFX_OK ||
        afxi_case_build(&arguments, &def, &scene, &error) != AFX_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    assert_int_equal(afx_model_create(scene, &model, &error), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

AfxSim *course_sim(const Course *course, const double *params) {
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxError error;
    def.dt = course->dt;
    def.integrator = course->integrator;
    def.accuracy = AFX_CONVERGED;
    def.error = &error;
    if (afx_sim_create(course->model, &def, &sim) != AFX_OK) {
        fail_msg("%s", error.text);
    }
    for (int kind = 0; params && kind < AFX_PARAM_KIND_COUNT; kind++) {
        AfxParamInfo info;
        assert_int_equal(afx_model_param_info(course->model, (AfxParamKind)kind, &info), AFX_OK);
        const double *defaults = afx_model_params(course->model, NULL);
        for (uint32_t k = 0; k < info.count; k++) {
            size_t at = info.offset + (size_t)k * info.size;
            if (memcmp(params + at, defaults + at, info.size * sizeof *params) != 0) {
                assert_int_equal(afx_sim_set_param(sim, info.kind, k, params + at), AFX_OK);
            }
        }
    }
    if (course->weights) {
        assert_int_equal(afx_sim_set_weights(sim, course->weights), AFX_OK);
    }
    return sim;
}

double course_value(const Course *course, const double *params, AfxQuantity quantity) {
    AfxSim *sim = course_sim(course, params);
    AfxGradDef def = afx_default_grad();
    AfxGrad *grad = NULL;
    double value = NAN;
    for (uint32_t k = 0; k < course->steps; k++) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
    }
    assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
    assert_int_equal(afx_grad_value(grad, quantity, &value), AFX_OK);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    return value;
}

AfxGrad *course_record(const Course *course, AfxSim *sim) {
    AfxGradDef def = afx_default_grad();
    AfxError error = {0};
    AfxGrad *grad = NULL;
    def.error = &error;
    if (afx_grad_create(sim, &def, &grad) != AFX_OK) {
        fail_msg("%s: %s", error.element, error.text);
    }
    for (uint32_t k = 0; k < course->steps; k++) {
        if (afx_grad_step(grad, NULL) != AFX_OK) {
            fail_msg("step %u: %s: %s", k, error.element, error.text);
        }
    }
    return grad;
}

void param_scales(const AfxModel *model, double *out) {
    const double *params = afx_model_params(model, NULL);
    for (int kind = 0; kind < AFX_PARAM_KIND_COUNT; kind++) {
        AfxParamInfo info;
        assert_int_equal(afx_model_param_info(model, (AfxParamKind)kind, &info), AFX_OK);
        /* switches; what moves the start or is no part of the motion; what only events know */
        bool fixed = kind == AFX_PARAM_BODY_GRAVITY || kind == AFX_PARAM_JOINT_LENGTH ||
                     kind == AFX_PARAM_JOINT_PITCH || kind == AFX_PARAM_JOINT_BREAK || kind == AFX_PARAM_COUPLING ||
                     kind == AFX_PARAM_MATERIAL_PAIR || kind == AFX_PARAM_TABLE;
        for (size_t k = info.offset; k < info.offset + (size_t)info.count * info.size; k++) {
            double value = params[k];
            out[k] = fixed || !isfinite(value) || value == 0 ? 0 : fabs(value);
            out[k] = kind == AFX_PARAM_GRAVITY || kind == AFX_PARAM_WRENCH || kind == AFX_PARAM_MARKER_POINT
                         ? fmax(fabs(value), 1)
                         : out[k];
        }
    }
}

/* Differences of sixth order with this step; *out_gap: what they are from those of fourth order by the same values. */
static double difference(const Course *course, const double *direction, AfxQuantity quantity, double step,
                         double *out_gap) {
    size_t length;
    const double *params = afx_model_params(course->model, &length);
    double *moved = malloc(length * sizeof *moved), d[3];
    for (int k = 1; k <= 3; k++) {
        double value[2];
        for (int side = 0; side < 2; side++) {
            for (size_t j = 0; j < length; j++) {
                moved[j] = direction[j] != 0 ? params[j] + (side ? k : -k) * step * direction[j] : params[j];
            }
            value[side] = course_value(course, moved, quantity);
        }
        d[k - 1] = (value[1] - value[0]) / (2 * k * step);
    }
    free(moved);
    double sixth = 1.5 * d[0] - 0.6 * d[1] + 0.1 * d[2];
    *out_gap = fabs(sixth - (4 * d[0] - d[1]) / 3);
    return sixth;
}

double course_difference(const Course *course, const double *direction, AfxQuantity quantity) {
    double result = NAN, least = INFINITY, step = 1e-3, gap;
    for (int round = 0; round < 4 && !(least <= 1e-8 * fabs(result)); round++, step /= 8) {
        double next = difference(course, direction, quantity, step, &gap);
        if (!(gap < 0.1 * least)) {
            break; /* that is rounding: the error of fourth order falls by 4096 */
        }
        result = next;
        least = gap;
    }
    return result;
}

double course_check(const Course *course, AfxQuantity quantity, double *out_dot) {
    size_t length, wide = 12 * (size_t)afx_model_body_count(course->model);
    afx_model_params(course->model, &length);
    double *scale = calloc(length, sizeof *scale), *direction = malloc(length * sizeof *direction), error = 0;
    double *out = malloc((2 * wide + 1) * sizeof *out), *bar = malloc((2 * wide + 1) * sizeof *bar);
    uint64_t random = 7;
    AfxSim *sim = course_sim(course, NULL);
    AfxGrad *grad = course_record(course, sim);
    AfxGradReport report;
    bool verbose = getenv("AFFIX_TEST_GRAD") != NULL;
    param_scales(course->model, scale);
    *out_dot = 0;
    assert_int_equal(afx_grad_seed(grad, quantity, 1), AFX_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(afx_grad_backward(grad), AFX_OK);
        const double *gradient = afx_grad_params(grad);
        double sum = 0, size = 0;
        for (size_t k = 0; k < length; k++) {
            direction[k] = scale[k] * (2 * random_unit(&random) - 1);
            sum += direction[k] != 0 ? direction[k] * gradient[k] : 0;
            size += fabs(direction[k] != 0 ? direction[k] * gradient[k] : 0);
        }
        double expected = course_difference(course, direction, quantity);
        if (verbose) {
            printf("  adjoint %.12g differences %.12g relative %.2e\n", sum, expected, fabs(sum - expected) / size);
        }
        error = fmax(error, fabs(sum - expected) / fmax(size, 1e-300));
    }
    assert_int_equal(afx_grad_report(grad, &report), AFX_OK);
    if (verbose) {
        printf("  %llu entries, residual %.2e, doubtful %llu\n", (unsigned long long)report.entries, report.residual,
               (unsigned long long)report.doubtful);
    }
    /* (seed, J d) = (J^T seed, d) */
    afx_grad_clear(grad);
    for (size_t k = 0; k < 2 * wide; k++) {
        bar[k] = 2 * random_unit(&random) - 1;
    }
    assert_int_equal(afx_grad_seed_state(grad, bar, bar + wide), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    const double *gradient = afx_grad_params(grad);
    double left = 0, right = 0, size = 0;
    for (size_t k = 0; k < length; k++) {
        left += direction[k] * gradient[k];
        size += fabs(direction[k] * gradient[k]);
    }
    assert_int_equal(afx_grad_tangent(grad, direction, NULL, NULL, out, out + wide), AFX_OK);
    for (size_t k = 0; k < 2 * wide; k++) {
        right += bar[k] * out[k];
        size += fabs(bar[k] * out[k]);
    }
    *out_dot = fabs(left - right) / fmax(size, 1e-10); /* of what nothing moves, rounding is all there is */
    if (verbose) {
        printf("  dot %.3e\n", *out_dot);
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    free(scale);
    free(direction);
    free(out);
    free(bar);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Optimisers on functions with known minima, without any run: they ask, the test tells. */
#include "sweep/optimise.h"
#include "tests.h"

/* Residuals of Rosenbrock's function on [-2, 2]^2, whose minimum 0 is at (1, 1). */
static void rosenbrock(const double *unit, double *out_residuals) {
    double x = 4 * unit[0] - 2, y = 4 * unit[1] - 2;
    out_residuals[0] = 10 * (y - x * x);
    out_residuals[1] = 1 - x;
}

/* A bowl whose minimum lies outside of the range of the first parameter, at (1.5, 0.25): the best is at its end. */
static void bowl(const double *unit, double *out_residuals) {
    out_residuals[0] = unit[0] - 1.5 + 0.1 * (unit[1] - 0.25);
    out_residuals[1] = 3 * (unit[1] - 0.25);
}

typedef void Function(const double *unit, double *out_residuals);

static double optimise(const char *method, Function *function, uint32_t rounds, double *out_unit) {
    char text[700];
    snprintf(text, sizeof text,
             "{\"affix_sweep\": 1, \"scene\": \"pendulum\", \"run\": {\"steps\": 1}, \"vary\": ["
             "{\"param\": \"gravity.x\", \"from\": 0, \"to\": 1, \"start\": 0.2},"
             "{\"param\": \"gravity.y\", \"from\": 0, \"to\": 1, \"start\": 0.8}],"
             "\"objective\": {\"minimise\": [{\"of\": \"marker:tip.x\", \"target\": 0}, {\"of\": \"marker:tip.y\", "
             "\"target\": 0}]}, \"optimiser\": {\"kind\": \"%s\", \"rounds\": %u, \"tolerance\": 0, \"step\": 1e-6}}",
             method, rounds);
    AfxiStudy *study = open_study(text);
    AfxiOptimiser *optimiser = NULL;
    assert_int_equal(afxi_optimiser_create(study, &optimiser, NULL), AFX_OK);
    for (uint32_t count; (count = afxi_optimiser_ask(optimiser));) {
        for (uint32_t k = 0; k < count; k++) {
            double *result = optimiser->results + (size_t)k * optimiser->width, residuals[2];
            const double *unit = optimiser->units + (size_t)k * 2;
            assert_true(unit[0] >= 0 && unit[0] <= 1 && unit[1] >= 0 && unit[1] <= 1);
            function(unit, residuals);
            result[0] = residuals[0] * residuals[0] + residuals[1] * residuals[1];
            if (optimiser->width > 1) {
                memcpy(result + 1, residuals, sizeof residuals);
            }
        }
        afxi_optimiser_tell(optimiser);
    }
    double best = optimiser->best;
    memcpy(out_unit, optimiser->best_unit, 2 * sizeof(double));
    afxi_optimiser_destroy(optimiser);
    afxi_study_close(study);
    return best;
}

static void test_rosenbrock(void **state) {
    (void)state;
    static const struct {
        const char *method;
        uint32_t rounds;
        double within;
    } cases[] = {
        {"cma-es", 300, 1e-6}, {"gauss-newton", 100, 1e-12}, {"l-bfgs", 70, 1e-6}, {"cross-entropy", 300, 2e-1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double unit[2], best = optimise(cases[k].method, rosenbrock, cases[k].rounds, unit);
        if (!(best <= cases[k].within)) {
            fail_msg("%s: %g at (%g, %g)", cases[k].method, best, 4 * unit[0] - 2, 4 * unit[1] - 2);
        }
    }
}

static void test_minimum_at_the_end_of_a_range(void **state) {
    (void)state;
    static const char *const methods[] = {"cma-es", "cross-entropy", "gauss-newton", "l-bfgs"};
    for (size_t k = 0; k < 4; k++) { /* of (0.5 - e/10)^2 + 9 e^2, e the offset of the second: at e = 0.05 / 9.01 */
        double unit[2], best = optimise(methods[k], bowl, 200, unit), offset = 0.05 / 9.01;
        double least = (0.5 - 0.1 * offset) * (0.5 - 0.1 * offset) + 9 * offset * offset;
        if (!(best < least + 1e-3 && fabs(unit[0] - 1) < 2e-3 && fabs(unit[1] - 0.25 - offset) < 2e-2)) {
            fail_msg("%s: %g at (%g, %g)", methods[k], best, unit[0], unit[1]);
        }
    }
}

static void test_cholesky(void **state) {
    (void)state;
    double a[] = {4, 2, 1, 2, 5, 3, 1, 3, 6}, b[] = {9, 17, 20}, singular[] = {1, 1, 1, 1}, c[] = {1, 1};
    assert_true(afxi_cholesky_solve(3, a, b));
    double x = 4 * b[0] + 2 * b[1] + b[2], y = 2 * b[0] + 5 * b[1] + 3 * b[2], z = b[0] + 3 * b[1] + 6 * b[2];
    assert_true(fabs(x - 9) < 1e-12 && fabs(y - 17) < 1e-12 && fabs(z - 20) < 1e-12);
    assert_false(afxi_cholesky_solve(2, singular, c));
}

int run_optimise_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rosenbrock),
        cmocka_unit_test(test_minimum_at_the_end_of_a_range),
        cmocka_unit_test(test_cholesky),
    };
    return cmocka_run_group_tests_name("optimisers", tests, NULL, NULL);
}

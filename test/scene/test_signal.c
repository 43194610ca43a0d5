/* SPDX-License-Identifier: Apache-2.0 */
/* Signals against closed forms and finite differences; what is refused. */
#include "math/signal.h"
#include "tests.h"

#define PI 3.14159265358979323846

static double value_at(const AfxSignal *s, double t) {
    double value = NAN;
    assert_ok(afx_signal_evaluate(s, t, &value, NULL, NULL));
    return value;
}

/** The derivatives against central differences of the value and the rate. */
static void assert_derivatives(const AfxSignal *s, double t, double step, double tolerance) {
    double rate, acceleration, before, after;
    assert_ok(afx_signal_evaluate(s, t, NULL, &rate, &acceleration));
    assert_near(rate, (value_at(s, t + step) - value_at(s, t - step)) / (2 * step), tolerance);
    assert_ok(afx_signal_evaluate(s, t - step, NULL, &before, NULL));
    assert_ok(afx_signal_evaluate(s, t + step, NULL, &after, NULL));
    assert_near(acceleration, (after - before) / (2 * step), tolerance);
}

static void a_constant_is_constant(void **state) {
    (void)state;
    AfxSignal s = {.kind = AFX_SIGNAL_CONSTANT, .coefficients = {2.5, 9, 9}};
    double value, rate = 1, acceleration = 1;
    assert_ok(afx_signal_evaluate(&s, 7, &value, &rate, &acceleration));
    assert_true(value == 2.5 && rate == 0 && acceleration == 0);
}

static void a_polynomial_has_its_derivatives(void **state) {
    (void)state;
    AfxSignal s = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {1, -2, 3, -4, 5, -6}};
    double t = 1.5, value, rate, acceleration;
    assert_ok(afx_signal_evaluate(&s, t, &value, &rate, &acceleration));
    assert_near(value, 1 - 2 * t + 3 * t * t - 4 * pow(t, 3) + 5 * pow(t, 4) - 6 * pow(t, 5), 1e-13);
    assert_near(rate, -2 + 6 * t - 12 * t * t + 20 * pow(t, 3) - 30 * pow(t, 4), 1e-13);
    assert_near(acceleration, 6 - 24 * t + 60 * t * t - 120 * pow(t, 3), 1e-13);
    assert_derivatives(&s, 0.3, 1e-5, 1e-7);
}

static void a_sine_has_its_derivatives(void **state) {
    (void)state;
    AfxSignal s = {.kind = AFX_SIGNAL_SINE, .coefficients = {0.5, 2, 3, 0.25}};
    double t = 0.1, w = 2 * PI * 3, value, rate, acceleration;
    assert_ok(afx_signal_evaluate(&s, t, &value, &rate, &acceleration));
    assert_near(value, 0.5 + 2 * sin(w * t + 0.25), 1e-14);
    assert_near(rate, 2 * w * cos(w * t + 0.25), 1e-12);
    assert_near(acceleration, -2 * w * w * sin(w * t + 0.25), 1e-11);
    assert_derivatives(&s, 0.3, 1e-5, 1e-4);
}

static void a_table_reproduces_a_parabola(void **state) {
    (void)state;
    double times[] = {-1, -0.3, 0.1, 0.15, 2, 2.5}, values[6];
    for (int k = 0; k < 6; k++) {
        values[k] = 3 - 2 * times[k] + 1.5 * times[k] * times[k];
    }
    for (uint32_t count = 3; count <= 6; count++) {
        AfxSignal s = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = count};
        assert_null(afxi_signal_fault(&s));
        for (int k = 0; k <= 100; k++) {
            double t = fmin(times[0] + (times[count - 1] - times[0]) * k / 100, times[count - 1]);
            double value, rate, acceleration;
            assert_ok(afx_signal_evaluate(&s, t, &value, &rate, &acceleration));
            assert_near(value, 3 - 2 * t + 1.5 * t * t, 1e-14);
            assert_near(rate, -2 + 3 * t, 1e-13);
            assert_near(acceleration, 3, 1e-11);
        }
    }
}

static void a_table_meets_its_samples_smoothly(void **state) {
    (void)state;
    static const double times[] = {0, 1, 1.5, 3, 4}, values[] = {1, -2, 0, 5, 4};
    AfxSignal s = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 5};
    for (int k = 0; k < 5; k++) {
        assert_near(value_at(&s, times[k]), values[k], 1e-15);
    }
    for (int k = 1; k < 4; k++) { /* value and rate are continuous; the rate is the parabola's through three samples */
        double before, after;
        assert_ok(afx_signal_evaluate(&s, times[k] - 1e-9, NULL, &before, NULL));
        assert_ok(afx_signal_evaluate(&s, times[k] + 1e-9, NULL, &after, NULL));
        assert_near(before, after, 1e-6);
        double a = times[k] - times[k - 1], b = times[k + 1] - times[k];
        double left = (values[k] - values[k - 1]) / a, right = (values[k + 1] - values[k]) / b;
        assert_near(after, (b * left + a * right) / (a + b), 1e-6);
    }
    for (int k = 0; k < 4; k++) {
        assert_derivatives(&s, 0.4 * times[k] + 0.6 * times[k + 1], 1e-5, 1e-6);
    }
}

static void a_table_converges_with_third_order(void **state) {
    (void)state;
    double error[2];
    for (int level = 0; level < 2; level++) {
        double times[81], values[81];
        uint32_t count = level ? 81 : 41;
        for (uint32_t k = 0; k < count; k++) {
            times[k] = 4.0 * k / (count - 1);
            values[k] = sin(times[k]);
        }
        AfxSignal s = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = count};
        error[level] = 0;
        for (int k = 0; k <= 1000; k++) {
            error[level] = fmax(error[level], fabs(value_at(&s, 0.004 * k) - sin(0.004 * k)));
        }
    }
    assert_true(error[0] < 1e-4);
    assert_true(error[0] / error[1] > 7);
}

static void a_table_holds_its_ends(void **state) {
    (void)state;
    static const double times[] = {1, 2, 3}, values[] = {4, 1, 9};
    AfxSignal s = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 3};
    double outside[] = {-1e9, 0.999, 3.001, 1e300}, held[] = {4, 4, 9, 9};
    for (int k = 0; k < 4; k++) {
        double value, rate, acceleration;
        assert_ok(afx_signal_evaluate(&s, outside[k], &value, &rate, &acceleration));
        assert_true(value == held[k] && rate == 0 && acceleration == 0);
    }
}

static void short_tables_are_a_line_or_a_constant(void **state) {
    (void)state;
    static const double times[] = {1, 3}, values[] = {4, 0};
    AfxSignal s = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 2};
    double value, rate, acceleration;
    assert_ok(afx_signal_evaluate(&s, 1.5, &value, &rate, &acceleration));
    assert_near(value, 3, 1e-15);
    assert_near(rate, -2, 1e-15);
    assert_near(acceleration, 0, 1e-15);
    s.sample_count = 1;
    assert_ok(afx_signal_evaluate(&s, 1, &value, &rate, &acceleration));
    assert_true(value == 4 && rate == 0 && acceleration == 0);
    assert_true(value_at(&s, 17) == 4);
}

static void misuse_is_refused(void **state) {
    (void)state;
    AfxSignal s = {.kind = AFX_SIGNAL_CONSTANT};
    double value = 7;
    assert_int_equal(afx_signal_evaluate(NULL, 0, &value, NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_signal_evaluate(&s, NAN, &value, NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_signal_evaluate(&s, INFINITY, &value, NULL, NULL), AFX_E_ARGUMENT);
    assert_ok(afx_signal_evaluate(&s, 0, NULL, NULL, NULL));
    s.kind = (AfxSignalKind)17;
    assert_int_equal(afx_signal_evaluate(&s, 0, &value, NULL, NULL), AFX_E_ARGUMENT);
    s = (AfxSignal){.kind = AFX_SIGNAL_TABLE};
    assert_int_equal(afx_signal_evaluate(&s, 0, &value, NULL, NULL), AFX_E_ARGUMENT);
    s = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 0, 0, 0, 1}};
    assert_int_equal(afx_signal_evaluate(&s, 1e200, &value, NULL, NULL), AFX_E_ARGUMENT);
    assert_true(value == 7);
}

static void the_check_finds_every_fault(void **state) {
    (void)state;
    static const double rising[] = {0, 1, 2}, flat[] = {0, 1, 1}, falling[] = {0, -1, 2}, broken[] = {0, NAN, 2},
                        far[] = {-1.7e308, 0, 1.7e308}, close[] = {0, 1e-308, 1}, steep[] = {-1e308, 1e308, 0};
    const struct {
        const double *times, *values;
        uint32_t count;
        AfxStatus status;
    } tables[] = {{rising, rising, 3, AFX_OK},       {rising, rising, 1, AFX_OK},      {rising, rising, 0, AFX_E_INPUT},
                  {NULL, rising, 3, AFX_E_INPUT},    {rising, NULL, 3, AFX_E_INPUT},   {flat, rising, 3, AFX_E_INPUT},
                  {falling, rising, 3, AFX_E_INPUT}, {broken, rising, 3, AFX_E_INPUT}, {rising, broken, 3, AFX_E_INPUT},
                  {far, rising, 3, AFX_E_INPUT},     {close, rising, 3, AFX_E_INPUT},  {rising, steep, 3, AFX_E_INPUT}};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        AfxSignal s = {AFX_SIGNAL_TABLE, {0}, tables[k].times, tables[k].values, tables[k].count};
        assert_int_equal(afxi_signal_fault(&s) ? AFX_E_INPUT : AFX_OK, tables[k].status);
    }
    AfxSignal s = {AFX_SIGNAL_TABLE, {0}, flat, rising, 3};
    assert_string_equal(afxi_signal_fault(&s), "the times of its table do not rise");
    s = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0, NAN}};
    assert_null(afxi_signal_fault(&s));
    s.kind = AFX_SIGNAL_SINE;
    assert_non_null(afxi_signal_fault(&s));
    s = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 1e10, 1e200, 0, NAN}};
    assert_non_null(afxi_signal_fault(&s));
    s.coefficients[2] = 1;
    assert_null(afxi_signal_fault(&s));
    s.kind = AFX_SIGNAL_POLYNOMIAL;
    assert_non_null(afxi_signal_fault(&s));
    s.kind = (AfxSignalKind)-1;
    assert_non_null(afxi_signal_fault(&s));
}

int run_signal_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_is_constant),
        cmocka_unit_test(a_polynomial_has_its_derivatives),
        cmocka_unit_test(a_sine_has_its_derivatives),
        cmocka_unit_test(a_table_reproduces_a_parabola),
        cmocka_unit_test(a_table_meets_its_samples_smoothly),
        cmocka_unit_test(a_table_converges_with_third_order),
        cmocka_unit_test(a_table_holds_its_ends),
        cmocka_unit_test(short_tables_are_a_line_or_a_constant),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(the_check_finds_every_fault),
    };
    return cmocka_run_group_tests_name("signal", tests, NULL, NULL);
}

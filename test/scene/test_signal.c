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
        AfxSignal s = {AFX_SIGNAL_TABLE, {0}, tables[k].times, tables[k].values, tables[k].count, NULL};
        assert_int_equal(afxi_signal_fault(&s) ? AFX_E_INPUT : AFX_OK, tables[k].status);
    }
    AfxSignal s = {AFX_SIGNAL_TABLE, {0}, flat, rising, 3, NULL};
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

/* ---- formulas ---- */

static AfxSignal formula(const char *text) {
    return (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = text};
}

/* Values by C's own arithmetic, derivatives by differences. */
static void a_formula_is_what_it_says(void **state) {
    (void)state;
    const double t = 0.7;
    const struct {
        const char *text;
        double value;
    } all[] = {
        {"2", 2},
        {" t ", t},
        {"-t^2", -t * t},
        {"(-t)^2", t * t},
        {"2^3^2 * t", 512 * t},
        {"1 - 2 - 3 + t / 2 / 5", -4 + t / 10},
        {"-2 * -t", 2 * t},
        {"1.5e-1 * .5 + 2.", 2.075},
        {"0.2 * sin(2 * pi * t) + cos(t)", 0.2 * sin(2 * PI * t) + cos(t)},
        {"tan(t) + asin(t) * acos(t) / atan(t)", tan(t) + asin(t) * acos(t) / atan(t)},
        {"sinh(t) - cosh(t) * tanh(t^2)", sinh(t) - cosh(t) * tanh(t * t)},
        {"exp(-3 * t) * log(t + 1) * sqrt(t)", exp(-3 * t) * log(t + 1) * sqrt(t)},
        {"abs(t - 1) + sign(t - 1) + floor(3 * t)", 1 - t - 1 + 2},
        {"min(t, 1) + max(t, 1)", 1 + t},
        {"pow(t, t) + t^1.5", pow(t, t) + pow(t, 1.5)},
        {"atan2(t, 1 - 2 * t)", atan2(t, 1 - 2 * t)},
        {"mod(5 * t, 2)", 5 * t - 2},
        {"if(t - 0.5, t^2, 7)", t * t},
        {"if(0.5 - t, 7, t^3)", t * t * t},
        {"step(t, 0.5, 1, 1, 3)", 1 + 2 * 0.4 * 0.4 * (3 - 0.8)},
        {"step(t, 1, 5, 2, 6) + step(t, 0, 1, 0.5, 2)", 7},
        {"((((t))))", t},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        AfxSignal s = formula(all[k].text);
        assert_null(afxi_signal_fault(&s));
        assert_near(value_at(&s, t), all[k].value, 1e-14 * (1 + fabs(all[k].value)));
        assert_derivatives(&s, t, 1e-5, 1e-7);
    }
}

static void a_formula_that_is_none_is_refused(void **state) {
    (void)state;
    static const char *const none[] = {"",         "1 +",     "t t",      "(t",      "t)",       "sin t",     "sin()",
                                       "sin(t,t)", "step(t)", "foo(t)",   "x",       "2..5",     "0x10",      "1e",
                                       "1e999",    "*t",      "t ^",      "if(t,1)", "sin(t",    "t # 2",     "inf",
                                       "nan",      ",",       "max(1 2)", "1e5e5",   "\xc3\xa4", "min(t,1,2)"};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        AfxSignal s = formula(none[k]);
        double value = 0;
        assert_non_null(afxi_signal_fault(&s));
        assert_int_equal(afx_signal_evaluate(&s, 1, &value, NULL, NULL), AFX_E_ARGUMENT);
    }
    AfxSignal missing = formula(NULL);
    assert_non_null(afxi_signal_fault(&missing));
    assert_int_equal(afx_signal_evaluate(&missing, 1, NULL, NULL, NULL), AFX_E_ARGUMENT);
    char deep[2000], large[2000];
    memset(deep, '(', sizeof deep);
    memset(large, '1', sizeof large);
    deep[sizeof deep - 1] = large[sizeof large - 1] = '\0';
    AfxSignal s = formula(deep);
    assert_non_null(afxi_signal_fault(&s));
    memset(deep, '-', sizeof deep - 1);
    assert_non_null(afxi_signal_fault(&s));
    s.formula = large;
    assert_non_null(afxi_signal_fault(&s));
    for (size_t k = 1; k + 1 < sizeof large; k += 2) {
        large[k] = '+';
    }
    assert_non_null(afxi_signal_fault(&s)); /* too long */
}

/* Where a formula has no value it says so, and writes none. */
static void a_formula_without_a_value_says_so(void **state) {
    (void)state;
    AfxSignal s = formula("log(t - 1)");
    double value = 7;
    assert_null(afxi_signal_fault(&s));
    assert_int_equal(afx_signal_evaluate(&s, 0.5, &value, NULL, NULL), AFX_E_ARGUMENT);
    assert_true(value == 7);
    assert_ok(afx_signal_evaluate(&s, 2, &value, NULL, NULL));
    assert_near(value, 0, 1e-16);
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
        cmocka_unit_test(a_formula_is_what_it_says),
        cmocka_unit_test(a_formula_that_is_none_is_refused),
        cmocka_unit_test(a_formula_without_a_value_says_so),
    };
    return cmocka_run_group_tests_name("signal", tests, NULL, NULL);
}

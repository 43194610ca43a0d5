/* SPDX-License-Identifier: Apache-2.0 */
/* The median: exact while the samples fit, close to it afterwards. */
#include "cli/samples.c"

#include "tests.h"

static double median_of(const double *values, uint32_t count) {
    CliSamples samples;
    assert_true(cli_samples_create(&samples, count));
    for (uint32_t k = 0; k < count; ++k) {
        cli_samples_add(&samples, values[k]);
    }
    double median = cli_samples_median(&samples);
    cli_samples_destroy(&samples);
    return median;
}

static void test_few(void **state) {
    (void)state;
    assert_true(isnan(median_of(NULL, 0)));
    assert_true(median_of((const double[]){5}, 1) == 5);
    assert_true(median_of((const double[]){5, 1}, 2) == 3);
    assert_true(median_of((const double[]){9, 1, 4}, 3) == 4);
    assert_true(median_of((const double[]){4, 3, 2, 1}, 4) == 2.5);
}

/* Rising values, so that a reservoir that favours early or late ones would show. */
static void test_many(void **state) {
    (void)state;
    CliSamples samples;
    const uint64_t count = 20 * CAPACITY;
    assert_true(cli_samples_create(&samples, count));
    assert_int_equal(samples.capacity, CAPACITY);
    for (uint64_t k = 0; k < count; ++k) {
        cli_samples_add(&samples, (double)k / (double)count);
    }
    assert_true(fabs(cli_samples_median(&samples) - 0.5) < 0.01);
    cli_samples_destroy(&samples);
}

int run_samples_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("cli/samples", tests, NULL, NULL);
}

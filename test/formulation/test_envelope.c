/* SPDX-License-Identifier: Apache-2.0 */
/* The envelope factor against the product that it is made from, with a row that repeats another. */
#include "tests.h"

#include <math.h>
#include <string.h>

#include "formulation/inner.h"
#include "support/random.h"

enum { COUNT = 40, BAND = 7 };

/* K = G G^T with a banded G; row `repeat` of G is set to the one before (COUNT: none). The envelope's rows begin at
 * different columns. */
static void make(double dense[COUNT][COUNT], uint32_t repeat, uint64_t seed) {
    double g[COUNT][COUNT] = {{0}};
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t first = i > 1 + i % BAND ? i - 1 - i % BAND : 0;
        for (uint32_t j = first; j <= i; ++j) {
            g[i][j] = i == repeat ? g[i - 1][j] : 2 * random_unit(&seed) - 1 + (i == j ? 3 : 0);
        }
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        for (uint32_t j = 0; j < COUNT; ++j) {
            dense[i][j] = 0;
            for (uint32_t k = 0; k < COUNT; ++k) {
                dense[i][j] += g[i][k] * g[j][k];
            }
        }
    }
}

static void check(uint32_t repeat) {
    double dense[COUNT][COUNT], value[COUNT * COUNT], inverse[COUNT], diagonal[COUNT], x[COUNT], want[COUNT];
    uint32_t first[COUNT];
    size_t start[COUNT + 1] = {0};
    AfxiEnvelope matrix = {COUNT, first, start, value, inverse, diagonal};
    make(dense, repeat, 7);
    for (uint32_t i = 0; i < COUNT; ++i) {
        for (first[i] = 0; dense[i][first[i]] == 0; ++first[i]) {
        }
        start[i + 1] = start[i] + i - first[i] + 1;
        memcpy(value + start[i], &dense[i][first[i]], (i - first[i] + 1) * sizeof(double));
        want[i] = i == repeat ? 0 : sin(i + 1.0);
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        x[i] = 0;
        for (uint32_t j = 0; j < COUNT; ++j) {
            x[i] += dense[i][j] * want[j];
        }
    }
    assert_true(start[COUNT] < COUNT * (COUNT + 1) / 2); /* it is an envelope */
    assert_int_equal(afxi_envelope_factor(&matrix), repeat < COUNT);
    afxi_envelope_solve(&matrix, x);
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_true(fabs(x[i] - want[i]) <= 1e-10);
    }
}

static void test_solves(void **state) {
    (void)state;
    check(COUNT);
}

/* The multiplier of the repeated row is left out, and the others are those of the rest. */
static void test_repeated_row(void **state) {
    (void)state;
    check(20);
}

int run_envelope_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solves), cmocka_unit_test(test_repeated_row)};
    return cmocka_run_group_tests_name("formulation/envelope", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Points of designs: Sobol's sequence is a net, grids meet their ends, quantiles are those of the normal law. */
#include "sweep/sobol.h"
#include "tests.h"

/* In each dimension, any 2^k points from a multiple of 2^k on have one in each of the 2^k equal intervals: true exactly
 * when the direction numbers are a nonsingular triangle, that is when each m_j is odd and below 2^j. */
static void test_each_dimension_is_a_net(void **state) {
    (void)state;
    for (uint32_t d = 0; d < AFXI_SOBOL_DIMENSIONS; d++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            for (uint64_t first = 0; first < 4096; first += 1024) {
                unsigned char seen[1024] = {0};
                for (uint64_t k = 0; k < 1024; k++) {
                    double u = afxi_sobol_unit(seed, first + k, d);
                    assert_true(u >= 0 && u < 1);
                    seen[(uint32_t)(u * 1024)]++;
                }
                for (uint32_t k = 0; k < 1024; k++) {
                    assert_int_equal(seen[k], 1);
                }
            }
        }
    }
}

/* Dimensions 0 and 1 form a (0, 2)-sequence: each elementary rectangle of area 2^-8 has one of 256 points. */
static void test_the_first_pair_is_a_net(void **state) {
    (void)state;
    for (int a = 0; a <= 8; a++) {
        unsigned char seen[256] = {0};
        for (uint64_t k = 0; k < 256; k++) {
            uint32_t x = (uint32_t)ldexp(afxi_sobol_unit(0, k, 0), a),
                     y = (uint32_t)ldexp(afxi_sobol_unit(0, k, 1), 8 - a);
            seen[(x << (8 - a)) + y]++;
        }
        for (uint32_t k = 0; k < 256; k++) {
            assert_int_equal(seen[k], 1);
        }
    }
}

/* No two dimensions are alike, nor close to it: the integral of (2x - 1)(2y - 1) is zero. */
static void test_dimensions_differ(void **state) {
    (void)state;
    for (uint32_t a = 0; a < AFXI_SOBOL_DIMENSIONS; a++) {
        for (uint32_t b = 0; b < a; b++) {
            double sum = 0;
            for (uint64_t k = 0; k < 4096; k++) {
                sum += (2 * afxi_sobol_unit(0, k, a) - 1) * (2 * afxi_sobol_unit(0, k, b) - 1);
            }
            assert_true(fabs(sum / 4096) < 0.02);
        }
    }
}

static void test_random(void **state) {
    (void)state;
    double sum = 0, square = 0, normal = 0, normal_square = 0;
    for (uint64_t k = 0; k < 100000; k++) {
        double u = afxi_random_unit(7, k, 3), z = afxi_random_normal(7, k, 3);
        assert_true(u > 0 && u < 1);
        sum += u;
        square += u * u;
        normal += z;
        normal_square += z * z;
    }
    assert_true(fabs(sum / 1e5 - 0.5) < 0.004 && fabs(square / 1e5 - 1.0 / 3) < 0.004);
    assert_true(fabs(normal / 1e5) < 0.013 && fabs(normal_square / 1e5 - 1) < 0.02);
    assert_true(afxi_random_bits(1, 2, 3) != afxi_random_bits(1, 3, 2));
}

static void test_quantiles(void **state) {
    (void)state;
    const double levels[] = {1e-300, 1e-12, 1e-3, 0.1, 0.3, 0.5, 0.75, 0.975, 1 - 1e-9};
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++) {
        double z = afxi_normal_quantile(levels[k]), back = 0.5 * erfc(-z / sqrt(2));
        assert_true(fabs(back - levels[k]) <= 1e-12 * levels[k] + 2e-16);
    }
    assert_true(fabs(afxi_normal_quantile(0.975) - 1.959963984540054) < 1e-12);
}

static void test_grid(void **state) {
    (void)state;
    AfxiStudy *study =
        open_study("{\"affix_sweep\": 1, \"scene\": \"klann\", \"run\": {\"steps\": 1}, \"vary\": ["
                   "{\"param\": \"legs\", \"values\": [1, 3]},"
                   "{\"param\": \"gravity.z\", \"from\": -9.81, \"to\": -0.1, \"count\": 3},"
                   "{\"param\": \"omega\", \"from\": 0.1, \"to\": 10, \"count\": 5, \"scale\": \"log\"}]}");
    double point[3];
    assert_int_equal(study->run_count, 30);
    assert_int_equal(afxi_study_point(study, 0, point), AFX_OK);
    assert_true(point[0] == 1 && point[1] == -9.81 && point[2] == 0.1);
    assert_int_equal(afxi_study_point(study, 29, point), AFX_OK);
    assert_true(point[0] == 3 && point[1] == -0.1 && point[2] == 10);
    assert_int_equal(afxi_study_point(study, 17, point), AFX_OK); /* 1 * 15 + 0 * 5 + 2 */
    assert_true(point[0] == 3 && point[1] == -9.81 && fabs(point[2] - 1) < 1e-15);
    assert_int_equal(afxi_study_point(study, 30, point), AFX_E_ARGUMENT);
    afxi_study_close(study);
}

/* A normal variable of a plain sequence has no point six deviations off, and the moments it should have. */
static void test_normal_sobol(void **state) {
    (void)state;
    AfxiStudy *study = open_study("{\"affix_sweep\": 1, \"scene\": \"pendulum\", \"run\": {\"steps\": 1}, "
                                  "\"design\": {\"kind\": \"sobol\", \"count\": 1024}, \"vary\": [{\"param\": "
                                  "\"gravity.x\", \"normal\": {\"mean\": 2, \"sd\": 0.5}}, {\"param\": \"gravity.z\", "
                                  "\"from\": 0, \"to\": 1}]}");
    double point[2], sum = 0, square = 0, furthest = 0;
    for (uint64_t k = 0; k < 1024; k++) {
        assert_int_equal(afxi_study_point(study, k, point), AFX_OK);
        double z = (point[0] - 2) / 0.5;
        sum += z;
        square += z * z;
        furthest = fmax(furthest, fabs(z));
        assert_true(point[1] == afxi_sobol_unit(0, k, 1));
    }
    assert_true(fabs(sum / 1024) < 0.01 && fabs(square / 1024 - 1) < 0.02);
    assert_true(furthest > 2.9 && furthest < 5); /* of 1024 levels 1/1024 apart */
    afxi_study_close(study);
}

static void test_names_once(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "\"vary\": [{\"param\": \"gravity.x\", \"values\": [1]}, {\"param\": \"gravity.x\", \"values\": [2]}]",
        "\"set\": {\"gravity.x\": 1}, \"vary\": [{\"param\": \"gravity.x\", \"values\": [2]}]",
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[300];
        AfxiStudy *study = NULL;
        AfxError error = {0};
        snprintf(text, sizeof text, "{\"affix_sweep\": 1, \"scene\": \"pendulum\", %s}", wrong[k]);
        assert_int_equal(afxi_study_open("study.json", text, NULL, &study, &error), AFX_E_INPUT);
        assert_non_null(strstr(error.text, "already"));
    }
}

int run_point_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_dimension_is_a_net),
        cmocka_unit_test(test_the_first_pair_is_a_net),
        cmocka_unit_test(test_dimensions_differ),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_normal_sobol),
        cmocka_unit_test(test_names_once),
    };
    return cmocka_run_group_tests_name("points of designs", tests, NULL, NULL);
}

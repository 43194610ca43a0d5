/* SPDX-License-Identifier: Apache-2.0 */
/* The generator: the published first outputs of splitmix64, ranges, and moments of the distributions. */
#include "cases/random.h"
#include "tests.h"

#define COUNT 20000

static void test_reference(void **state) {
    /* First outputs for seed 1234567, as printed at rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64. */
    static const uint64_t want[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                    4593380528125082431u, 16408922859458223821u};
    (void)state;
    AfxiCaseRandom random = {1234567};
    for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); ++k) {
        assert_true(afxi_case_random_bits(&random) == want[k]);
    }
}

static void test_ranges(void **state) {
    (void)state;
    AfxiCaseRandom random = {5};
    uint32_t counts[8] = {0};
    double sum = 0;
    for (int k = 0; k < COUNT; ++k) {
        double value = afxi_case_random_number(&random, -2, 6);
        assert_true(value >= -2 && value < 6);
        sum += value;
        uint32_t index = afxi_case_random_index(&random, 8);
        assert_true(index < 8);
        ++counts[index];
    }
    assert_true(fabs(sum / COUNT - 2) < 0.1);
    for (int k = 0; k < 8; ++k) {
        assert_true(counts[k] > 0.9 * COUNT / 8 && counts[k] < 1.1 * COUNT / 8);
    }
}

static void test_ball(void **state) {
    (void)state;
    AfxiCaseRandom random = {6};
    double second = 0;
    for (int k = 0; k < COUNT; ++k) {
        AfxVec3 p = afxi_case_random_in_ball(&random, 3);
        double square = p.x * p.x + p.y * p.y + p.z * p.z;
        assert_true(square <= 9 * (1 + 1e-15));
        second += square / COUNT;
    }
    assert_true(fabs(second - 9 * 0.6) < 0.1); /* 3/5 r² */
}

static void test_rotation(void **state) {
    (void)state;
    AfxiCaseRandom random = {7};
    double mean[3] = {0}, squares[4] = {0};
    for (int k = 0; k < COUNT; ++k) {
        AfxQuat q = afxi_case_random_rotation(&random);
        assert_true(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-14);
        AfxVec3 v = afx_quat_rotate(q, (AfxVec3){1, 0, 0});
        mean[0] += v.x / COUNT;
        mean[1] += v.y / COUNT;
        mean[2] += v.z / COUNT;
        squares[0] += q.w * q.w / COUNT;
        squares[1] += q.x * q.x / COUNT;
        squares[2] += q.y * q.y / COUNT;
        squares[3] += q.z * q.z / COUNT;
    }
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(mean[k]) < 0.03);
    }
    for (int k = 0; k < 4; ++k) {
        assert_true(fabs(squares[k] - 0.25) < 0.02);
    }
}

int run_random_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_rotation),
    };
    return cmocka_run_group_tests_name("cases/random", tests, NULL, NULL);
}

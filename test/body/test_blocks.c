/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse blocks against the inverse of the dense H, from soft to exactly rigid. */
#include "tests.h"

static const double youngs[] = {1e3, 1e5, 1e7, 1e9, 1e11, 1e13, 1e16, INFINITY};
static const double gammas[] = {0, 1e-3, 1, 1e3, 1e6};
static const double none[6] = {0};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Blocks to a dense matrix, by the layout of class.h: a pair (i, k) is (beta_ik, beta_ki). */
static void spread(const AfxiBlocks *blocks, double out[12][12]) {
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    memset(out, 0, 12 * sizeof out[0]);
    for (int p = 0; p < 3; p++) {
        int i = pair[p][0], k = pair[p][1], ik = 3 * k + i, ki = 3 * i + k;
        out[ik][ik] = blocks->pair[p][0];
        out[ki][ki] = blocks->pair[p][1];
        out[ik][ki] = out[ki][ik] = blocks->pair[p][2];
        out[4 * p][4 * p] = blocks->diagonal[p];
        out[4 * i][4 * k] = out[4 * k][4 * i] = blocks->diagonal[3 + p];
        out[9 + p][9 + p] = blocks->translation;
    }
}

static double error_of(const AfxiBodyClass *body, AfxiScale scale, double gamma) {
    double got[12][12], largest = 0;
    Real want[12][12];
    const double twist[6] = {gamma, gamma, gamma, 0, 0, 0};
    AfxiBlocks blocks = afxi_body_blocks(body, scale, gamma);
    BodyEnergy energy = body_energy(body, scale, twist);
    spread(&blocks, got);
    assert_true(energy_inverse(&energy, want));
    for (int x = 0; x < 12; x++) {
        for (int y = 0; y < 12; y++) {
            double size = (double)sqrtl(want[x][x] * want[y][y]), off = fabs((double)(got[x][y] - want[x][y]));
            double relative = size > 0 ? off / size : (off > 0 ? INFINITY : 0);
            largest = relative <= largest ? largest : relative; /* also takes a NaN */
        }
    }
    return largest;
}

static void the_blocks_are_the_inverse_of_h(void **state) {
    (void)state;
    uint64_t seed = 10;
    for (size_t e = 0; e < COUNT(youngs); e++) {
        for (size_t g = 0; g < COUNT(gammas); g++) {
            for (int trial = 0; trial < 30; trial++) {
                AfxiBodyClass body = random_class(&seed, youngs[e]);
                assert_near(error_of(&body, random_step(&seed), gammas[g]), 0, 1e-12);
            }
        }
    }
}

static void a_floored_rod_or_point_has_blocks_too(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (size_t e = 0; e < COUNT(youngs); e++) {
        for (size_t g = 0; g < COUNT(gammas); g++) {
            for (int trial = 0; trial < 8; trial++) {
                AfxiBodyClass body = random_class(&seed, youngs[e]);
                for (int k = 0; k < 3; k++) {
                    body.s[k] = k == trial % 4 ? body.mass * random_scale(&seed, 1e-2, 1) : 0;
                }
                assert_true(afxi_body_floor(body.mass, 1, body.s));
                assert_near(error_of(&body, (AfxiScale){1e-4, 1e-2}, gammas[g]), 0, 1e-11);
            }
        }
    }
}

static void a_rigid_body_keeps_its_shape(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int trial = 0; trial < 100; trial++) {
        AfxiBodyClass body = random_class(&seed, INFINITY);
        AfxiBlocks blocks = afxi_body_blocks(&body, random_step(&seed), gammas[trial % COUNT(gammas)]);
        for (int p = 0; p < 3; p++) { /* exactly: nothing symmetric ever comes out */
            assert_true(blocks.pair[p][0] == -blocks.pair[p][2] && blocks.pair[p][1] == -blocks.pair[p][2]);
            assert_true(blocks.pair[p][0] > 0);
        }
        for (int k = 0; k < 6; k++) {
            assert_true(blocks.diagonal[k] == 0);
        }
    }
}

static void very_stiff_tends_to_rigid(void **state) {
    (void)state;
    uint64_t seed = 13;
    for (int trial = 0; trial < 100; trial++) {
        AfxiBodyClass stiff = random_class(&seed, 1e30), rigid = stiff;
        AfxiScale scale = random_step(&seed);
        rigid.young = INFINITY;
        AfxiBlocks a = afxi_body_blocks(&stiff, scale, 10), b = afxi_body_blocks(&rigid, scale, 10);
        for (int p = 0; p < 3; p++) {
            for (int k = 0; k < 3; k++) {
                assert_near(a.pair[p][k], b.pair[p][k], 1e-14 * b.pair[p][0]);
            }
            assert_near(a.diagonal[p], 0, 1e-14 * b.pair[p][0]);
        }
    }
}

/* m v' = -d m v is m (q - qhat)/h² + d m (q - qv)/hv = 0: q = w qhat + (1 - w) qv. */
static void damping_draws_to_the_old_velocity(void **state) {
    (void)state;
    uint64_t seed = 14;
    for (int trial = 0; trial < 200; trial++) {
        AfxiBodyClass body = random_class(&seed, 1e9);
        AfxiScale scale = random_step(&seed);
        AfxiBlocks blocks = afxi_body_blocks(&body, scale, 0);
        double inertia = 1 / scale.h_squared, drag_t = body.linear_damping / scale.h_rate;
        double drag_a = body.angular_damping / scale.h_rate;
        assert_near(blocks.weight_t, inertia / (inertia + drag_t), 1e-15);
        assert_near(blocks.weight_a, inertia / (inertia + drag_a), 1e-15);
        for (int k = 0; k < 3; k++) {
            assert_near(blocks.c[k], body.s[k] * (inertia + drag_a), 1e-15 * body.s[k] * (inertia + drag_a));
        }
    }
}

static void the_helper_itself_finds_an_indefinite_matrix(void **state) {
    (void)state;
    uint64_t seed = 15;
    AfxiBodyClass body = random_class(&seed, 1e9);
    Real out[12][12];
    BodyEnergy energy = body_energy(&body, (AfxiScale){1, 1}, none);
    assert_true(energy_inverse(&energy, out));
    energy.twist[0][0] = -1e6 * body.mass;
    assert_false(energy_inverse(&energy, out));
}

/* ---- the floor ---- */

static void the_floor_lifts_only_what_lacks_inertia(void **state) {
    (void)state;
    uint64_t seed = 16;
    for (int trial = 0; trial < 200; trial++) {
        double mass = random_scale(&seed, 1e-3, 1e3), size = random_scale(&seed, 1e-3, 1e2);
        double least = 1e-12 * mass * size * size, s[3], before[3];
        int zeros = trial % 4;
        for (int k = 0; k < 3; k++) {
            s[k] = before[k] = (k + trial) % 3 < zeros ? 0 : mass * size * size * random_scale(&seed, 1e-6, 1);
        }
        assert_int_equal(afxi_body_floor(mass, size, s), zeros >= 2);
        for (int k = 0; k < 3; k++) {
            assert_true(s[k] >= before[k] && s[k] <= before[k] + 1.01 * least);
            assert_true(s[k] + s[(k + 1) % 3] >= least * (1 - 1e-15));
            assert_true(zeros >= 2 || s[k] == before[k]);
        }
        assert_false(afxi_body_floor(mass, size, s)); /* once is enough */
    }
}

static void a_body_just_above_the_floor_stays(void **state) {
    (void)state;
    double above[3] = {0.6e-12, 0.6e-12, 1}, below[3] = {0.4e-12, 0.4e-12, 1};
    assert_false(afxi_body_floor(1, 1, above));
    assert_true(above[0] == 0.6e-12 && above[1] == 0.6e-12 && above[2] == 1);
    assert_true(afxi_body_floor(1, 1, below));
    assert_true(below[2] == 1);
}

int run_blocks_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blocks_are_the_inverse_of_h),
        cmocka_unit_test(a_floored_rod_or_point_has_blocks_too),
        cmocka_unit_test(a_rigid_body_keeps_its_shape),
        cmocka_unit_test(very_stiff_tends_to_rigid),
        cmocka_unit_test(damping_draws_to_the_old_velocity),
        cmocka_unit_test(the_helper_itself_finds_an_indefinite_matrix),
        cmocka_unit_test(the_floor_lifts_only_what_lacks_inertia),
        cmocka_unit_test(a_body_just_above_the_floor_stays),
    };
    return cmocka_run_group_tests_name("inverse blocks", tests, NULL, NULL);
}

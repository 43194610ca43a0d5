/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel of free bodies loads: the blocks, the frame's weights, and factors that fold all singular values
 * to 1 in three Newton passes. */
#include "tests.h"

static void the_constants_hold_the_blocks(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int trial = 0; trial < 200; trial++) {
        AfxiBodyClass body = random_class(&seed, trial % 3 ? random_scale(&seed, 1e3, 1e16) : INFINITY);
        body.gravity = trial % 2;
        AfxiScale scale = random_step(&seed);
        AfxiBlocks blocks = afxi_body_blocks(&body, scale, 0);
        double out[AFXI_FREE_SIZE];
        memset(out, 0x55, sizeof out);
        afxi_body_free_constants(&body, scale, out);
        assert_memory_equal(out + AFXI_FREE_C, blocks.c, sizeof blocks.c);
        assert_memory_equal(out + AFXI_FREE_PAIR, blocks.pair, sizeof blocks.pair);
        assert_memory_equal(out + AFXI_FREE_DIAGONAL, blocks.diagonal, sizeof blocks.diagonal);
        assert_true(out[AFXI_FREE_WEIGHT_A] == blocks.weight_a && out[AFXI_FREE_WEIGHT_T] == blocks.weight_t);
        assert_true(out[AFXI_FREE_FORCE] == blocks.translation);
        /* gravity g acts as the force m g */
        double fall = body.gravity * body.mass * blocks.translation;
        assert_near(out[AFXI_FREE_GRAVITY], fall, 1e-15 * fall);
        assert_true(out[30] == 0 && out[31] == 0); /* the rest is padding */
    }
}

static void the_frame_is_weighed_by_the_second_moments(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int trial = 0; trial < 200; trial++) {
        AfxiBodyClass body = random_class(&seed, 1e9);
        double out[AFXI_FREE_SIZE], sum = 0;
        afxi_body_free_constants(&body, random_step(&seed), out);
        const double *frame = out + AFXI_FREE_FRAME, *c = out + AFXI_FREE_C;
        assert_true(out[AFXI_FREE_EXACT] > 0);
        for (int k = 0; k < 3; k++) {
            assert_near(frame[k], c[k] * out[AFXI_FREE_EXACT], 1e-15);
            sum += frame[k] * frame[k];
        }
        assert_near(sum, 1, 1e-15);
    }
}

static void thin_rods_and_points_are_not_weighed(void **state) {
    (void)state;
    static const double thin[][3] = {{1, 0, 0}, {0, 1e-9, 1}, {1e-8, 1, 1e-7}};
    for (size_t k = 0; k < sizeof thin / sizeof thin[0]; k++) {
        AfxiBodyClass body = {
            .mass = 1, .s = {thin[k][0], thin[k][1], thin[k][2]}, .volume = 1e-3, .young = INFINITY, .poisson = 0.3};
        afxi_body_floor(body.mass, 1, body.s);
        double out[AFXI_FREE_SIZE];
        afxi_body_free_constants(&body, (AfxiScale){1e-4, 1e-2}, out);
        assert_true(out[AFXI_FREE_EXACT] == 0);
        for (int e = 0; e < 3; e++) {
            assert_true(out[AFXI_FREE_FRAME + e] == 1);
        }
    }
    AfxiBodyClass plate = {.mass = 1, .s = {1, 1, 0}, .volume = 1, .young = INFINITY}; /* no rod */
    double out[AFXI_FREE_SIZE];
    afxi_body_free_constants(&plate, (AfxiScale){1e-4, 1e-2}, out);
    assert_true(out[AFXI_FREE_EXACT] > 0);
}

/* Newton's iteration for the rotation part acts on each singular value alone. */
static void three_passes_fold_the_singular_values_to_one(void **state) {
    (void)state;
    uint64_t seed = 22;
    for (int trial = 0; trial < 2000; trial++) {
        AfxiBodyClass body = random_class(&seed, 1e9);
        if (trial % 5 == 0) {
            body.s[1] = body.s[0];
        }
        if (trial % 10 == 0) {
            body.s[2] = body.s[0];
        }
        double out[AFXI_FREE_SIZE];
        afxi_body_free_constants(&body, random_step(&seed), out);
        const double *f = out + AFXI_FREE_FRAME, *newton = out + AFXI_FREE_NEWTON;
        for (int k = 0; k < 3; k++) {
            double y = f[k] + f[(k + 1) % 3] * f[(k + 2) % 3]; /* of X + cof X, X = R diag(f) */
            y += newton[0] / y;
            y += newton[1] / y;
            assert_near(newton[2] * y + newton[3] / y, 1, 4e-15);
        }
    }
}

int run_constants_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_constants_hold_the_blocks),
        cmocka_unit_test(the_frame_is_weighed_by_the_second_moments),
        cmocka_unit_test(thin_rods_and_points_are_not_weighed),
        cmocka_unit_test(three_passes_fold_the_singular_values_to_one),
    };
    return cmocka_run_group_tests_name("constants of free bodies", tests, NULL, NULL);
}

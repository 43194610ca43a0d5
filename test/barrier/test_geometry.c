/* SPDX-License-Identifier: Apache-2.0 */
/* Distances against their optimality conditions (a convex problem: these are all there is to it), degenerate primitives
 * included; derivatives of the scalar functions by differences; the independent test of intersections against
 * distances. */
#include "tests.h"

#include "barrier/distance.h"
#include "barrier/energy.h"
#include "barrier/intersect.h"

/* Corners at random, some of them on top of each other, on a line, or parallel. */
static void draw(uint64_t *seed, AfxiStencil stencil, AfxVec3 x[4]) {
    int kind = (int)(6 * random_unit(seed));
    for (int k = 0; k < 4; k++) {
        x[k] = random_vec3(seed, 1);
    }
    int count = afxi_stencil_count(stencil);
    AfxVec3 *last = &x[count - 1], *before = &x[count > 1 ? count - 2 : 0];
    if (kind == 1) {
        *last = *before;
    } else if (kind == 2 && stencil == AFXI_STENCIL_POINT_TRIANGLE) {
        x[3] = vec3_mad(x[1], 2 * random_unit(seed) - 0.5, vec3_sub(x[2], x[1]));
    } else if (kind == 2 && stencil == AFXI_STENCIL_EDGES) {
        x[3] = vec3_mad(x[2], 1.5 * random_unit(seed), vec3_sub(x[1], x[0]));
    } else if (kind == 3) {
        for (int k = 0; k < 4; k++) {
            x[k].z = 0;
        }
    } else if (kind == 4) {
        *last = vec3_mad(*before, 1e-9, *last);
    }
}

static void nearest_points_meet_their_conditions(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int n = 0; n < 40000; n++) {
        AfxiStencil stencil = (AfxiStencil)(n % 4);
        AfxVec3 x[4], side[2] = {{0, 0, 0}, {0, 0, 0}};
        double w[4] = {0}, sum[2] = {0, 0};
        draw(&seed, stencil, x);
        AfxVec3 r = afxi_stencil_nearest(stencil, x, w);
        int first = afxi_stencil_first(stencil), count = afxi_stencil_count(stencil);
        for (int k = 0; k < count; k++) {
            assert_true(w[k] >= 0 && w[k] <= 1);
            side[k >= first] = vec3_mad(side[k >= first], w[k], x[k]);
            sum[k >= first] += w[k];
        }
        assert_near(sum[0], 1, 1e-14);
        assert_near(sum[1], 1, 1e-14);
        assert_vec3(r, vec3_sub(side[0], side[1]), 1e-14);
        for (int k = 0; k < count; k++) { /* no corner of a side lies nearer to the other along r */
            double ahead = vec3_dot(r, vec3_sub(x[k], side[k >= first]));
            assert_true((k < first ? ahead : -ahead) > -1e-8);
        }
    }
}

static void derivatives_are_those_of_the_functions(void **state) {
    (void)state;
    const double step = 1e-7, g = 0.01;
    for (int n = 1; n < 100; n++) {
        double d = g * n / 100, at[3], up[3], down[3];
        afxi_barrier_function(d, g, at);
        afxi_barrier_function(d + step * d, g, up);
        afxi_barrier_function(d - step * d, g, down);
        assert_near((up[0] - down[0]) / (2 * step * d) / at[1], 1, 1e-5);
        assert_near((up[1] - down[1]) / (2 * step * d) / at[2], 1, 1e-5);
        assert_true(at[0] > 0 && at[1] < 0 && at[2] > 0);
        afxi_friction_function(1.5 * d, g, at);
        afxi_friction_function(1.5 * d + step * g, g, up);
        afxi_friction_function(1.5 * d - step * g, g, down);
        assert_near((up[0] - down[0]) / (2 * step * g), at[2], 1e-6);
        assert_near(at[1] * 1.5 * d, at[2], 1e-14);
        double fade[2], more[2], less[2];
        afxi_mollifier(1.5 * d, g, fade);
        afxi_mollifier(1.5 * d + step * g, g, more);
        afxi_mollifier(1.5 * d - step * g, g, less);
        assert_near((more[0] - less[0]) / (2 * step * g), fade[1], 1e-4);
    }
    double out[3];
    afxi_barrier_function(g, g, out);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0);
    afxi_barrier_function(0, g, out);
    assert_true(isinf(out[0]));
}

/* The independent distance against ours, and piercing against the sign of a distance that would be 0. */
static void the_independent_test_agrees(void **state) {
    (void)state;
    uint64_t seed = 7;
    uint32_t pierced = 0;
    for (int n = 0; n < 20000; n++) {
        AfxVec3 x[5], stencil[4];
        double w[4], best = INFINITY;
        for (int k = 0; k < 5; k++) {
            x[k] = random_vec3(&seed, 1);
        }
        for (int k = 0; k < 2; k++) { /* both ends against the triangle, the segment against its sides */
            AfxVec3 face[4] = {x[k], x[2], x[3], x[4]};
            best = fmin(best, vec3_length(afxi_stencil_nearest(AFXI_STENCIL_POINT_TRIANGLE, face, w)));
        }
        for (int k = 0; k < 3; k++) {
            stencil[0] = x[0];
            stencil[1] = x[1];
            stencil[2] = x[2 + k];
            stencil[3] = x[2 + (k + 1) % 3];
            best = fmin(best, vec3_length(afxi_stencil_nearest(AFXI_STENCIL_EDGES, stencil, w)));
        }
        bool through = afxi_segment_pierces(x[0], x[1], x[2], x[3], x[4]);
        double got = afxi_segment_triangle(x[0], x[1], x[2], x[3], x[4]);
        assert_near(got, through ? 0 : best, 1e-9);
        pierced += through;
    }
    assert_in_range(pierced, 1000, 8000);
}

static void gaps_are_found_from_forces(void **state) {
    (void)state;
    for (double force = 1e-6; force < 1e7; force *= 3) {
        double b[3], gap = afxi_barrier_gap_of(force, 2e-3);
        afxi_barrier_function(gap, 2e-3, b);
        assert_true(gap > 0 && gap < 2e-3);
        assert_near(-b[1] / force, 1, 1e-9);
    }
}

int run_geometry_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_found_from_forces),
        cmocka_unit_test(nearest_points_meet_their_conditions),
        cmocka_unit_test(derivatives_are_those_of_the_functions),
        cmocka_unit_test(the_independent_test_agrees),
    };
    return cmocka_run_group_tests_name("barrier: geometry", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Additive CCD: against dense sampling of the way, and on the public queries of Wang et al. where they are
 * (../shared/data/ccd-queries): what collides must be stopped, always. */
#include "tests.h"

#include "barrier/ccd.h"

#define FOLDER "../shared/data/ccd-queries/"

static double gap_at(AfxiStencil stencil, const AfxVec3 *x, const AfxVec3 *p, double t) {
    AfxVec3 at[4];
    double w[4];
    for (int k = 0; k < 4; k++) {
        at[k] = vec3_mad(x[k], t, p[k]);
    }
    return vec3_length(afxi_stencil_nearest(stencil, at, w));
}

static void no_part_of_the_way_that_is_allowed_comes_too_near(void **state) {
    (void)state;
    uint64_t seed = 3;
    uint32_t stopped = 0, through = 0;
    for (int n = 0; n < 4000; n++) {
        AfxiStencil stencil = (AfxiStencil)(n % 4);
        AfxVec3 x[4], p[4], shared = random_vec3(&seed, 10);
        for (int k = 0; k < 4; k++) {
            x[k] = random_vec3(&seed, 1);
            p[k] = vec3_add(random_vec3(&seed, 2), shared);
        }
        double begin = gap_at(stencil, x, p, 0), radius = 0.3 * begin * random_unit(&seed);
        double time = afxi_ccd(stencil, x, p, radius, INFINITY), least = INFINITY;
        for (int s = 0; s <= 400; s++) {
            double gap = gap_at(stencil, x, p, time * s / 400) - radius;
            least = fmin(least, gap);
        }
        assert_true(least >= (time < 1 ? 0.0998 : 0) * (begin - radius));
        double beyond = INFINITY;
        for (int s = 0; s <= 2000; s++) {
            beyond = fmin(beyond, gap_at(stencil, x, p, s / 2000.0) - radius);
        }
        stopped += time < 1;
        through += time < 1 && beyond > 0.5 * (begin - radius); /* stopped without cause */
        assert_true(time > 0);
    }
    assert_in_range(stopped, 200, 3900);
    assert_int_equal(through, 0);
}

/* Very near each other the vector between the nearest points is rounding: what it says must not let anything pass. The
 * edges go through each other by 1 mm, in any order of their ends. */
static void edges_that_nearly_touch_do_not_pass(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int n = 0; n < 20000; n++) {
        double gap = pow(10, -11 + 4 * random_unit(&seed));
        AfxVec3 u = random_vec3(&seed, 1), v = random_vec3(&seed, 1), middle = random_vec3(&seed, 1);
        AfxVec3 normal = vec3_cross(u, v), slide = random_vec3(&seed, 0.01);
        if (vec3_length(normal) < 0.1) {
            continue;
        }
        normal = vec3_scale(1 / vec3_length(normal), normal);
        double s = 0.2 + 0.6 * random_unit(&seed), t = 0.2 + 0.6 * random_unit(&seed);
        AfxVec3 a = vec3_mad(vec3_mad(middle, -s, u), gap, normal), b = vec3_mad(middle, -t, v);
        AfxVec3 x[4] = {a, vec3_add(a, u), b, vec3_add(b, v)}, p[4] = {{0, 0, 0}};
        AfxVec3 swing = vec3_cross(random_vec3(&seed, 0.01), u);
        p[0] = vec3_add(vec3_mad(slide, -1e-3, normal), swing);
        p[1] = vec3_sub(vec3_mad(slide, -1e-3, normal), swing);
        double side = vec3_dot(vec3_cross(vec3_sub(vec3_add(x[1], p[1]), vec3_add(x[0], p[0])), v),
                               vec3_sub(vec3_add(x[0], p[0]), x[2])) *
                      vec3_dot(vec3_cross(u, v), vec3_sub(x[0], x[2]));
        if (side < 0) {
            assert_true(afxi_ccd(AFXI_STENCIL_EDGES, x, p, 0, INFINITY) < 1);
        }
    }
}

/* Sides that turn together are in nobody's way, however near they are: along straight lines to there as well. Turned in
 * through each other by as little as their gap they are stopped. */
static void what_turns_together_is_free(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int n = 0; n < 2000; n++) {
        AfxiStencil stencil = n % 2 ? AFXI_STENCIL_EDGES : AFXI_STENCIL_POINT_TRIANGLE;
        double gap = pow(10, -9 + 3 * random_unit(&seed));
        AfxVec3 u = random_vec3(&seed, 1), v = random_vec3(&seed, 1), normal = vec3_cross(u, v);
        if (vec3_length(normal) < 0.1) {
            continue;
        }
        normal = vec3_scale(1 / vec3_length(normal), normal);
        AfxVec3 point = vec3_mad(vec3_mad(vec3_scale(0.3, u), 0.3, v), gap, normal), zero = {0, 0, 0};
        AfxVec3 face[4] = {point, zero, u, v},
                edges[4] = {vec3_mad(point, -0.4, u), vec3_mad(point, 0.6, u), vec3_mad(vec3_scale(0.3, u), -0.5, v),
                            vec3_mad(vec3_scale(0.3, u), 0.5, v)};
        AfxVec3 *x = n % 2 ? edges : face, p[4];
        AfxiMat3 turn = afxi_mat3_rotation(random_vec3(&seed, 0.4));
        for (int k = 0; k < 4; k++) {
            p[k] = vec3_sub(mat3_apply(&turn, x[k]), x[k]);
        }
        assert_true(afxi_ccd(stencil, x, p, 0, INFINITY) == 1);
        AfxVec3 in = vec3_scale(-1.5 * gap, mat3_apply(&turn, normal));
        p[0] = vec3_add(p[0], in);
        p[1] = n % 2 ? vec3_add(p[1], in) : p[1];
        assert_true(afxi_ccd(stencil, x, p, 0, INFINITY) < 1);
    }
}

static void planes_stop_at_a_tenth(void **state) {
    (void)state;
    assert_near(afxi_ccd_plane(1, 0.5, INFINITY), 1, 0);
    assert_near(afxi_ccd_plane(1, -1, INFINITY), 0.45, 1e-15);
    assert_near(afxi_ccd_plane(0, -1, INFINITY), 0, 0);
}

/* A file of queries: how many collide and were let pass come back; false: it is not there. */
static bool run_file(const char *path, AfxiStencil stencil, uint32_t *queries, uint32_t *missed,
                     uint32_t *false_alarms) {
    FILE *file = fopen(path, "r");
    if (!file) {
        return false;
    }
    char line[1024];
    AfxVec3 x[8];
    int row = 0, truth = 0;
    while (fgets(line, sizeof line, file)) {
        double number[7];
        char *at = line;
        for (int k = 0; k < 7; k++) {
            number[k] = strtod(at, &at);
            at += *at == ',';
        }
        x[row] = vec3(number[0] / number[1], number[2] / number[3], number[4] / number[5]);
        truth = number[6] != 0;
        if (++row < 8) {
            continue;
        }
        row = 0;
        AfxVec3 p[4];
        for (int k = 0; k < 4; k++) {
            p[k] = vec3_sub(x[4 + k], x[k]);
        }
        bool stopped = afxi_ccd(stencil, x, p, 0, INFINITY) < 1;
        ++*queries;
        *missed += truth && !stopped;
        *false_alarms += !truth && stopped;
    }
    fclose(file);
    return true;
}

static void public_queries_have_no_false_negatives(void **state) {
    (void)state;
    static const char *const scenes[] = {"erleben-cube-cliff-edges", "erleben-cube-internal-edges",
                                         "erleben-sliding-spike",    "erleben-sliding-wedge",
                                         "erleben-spike-crack",      "erleben-spike-hole",
                                         "erleben-spike-wedge",      "erleben-spikes",
                                         "erleben-wedge-crack",      "erleben-wedges"};
    uint32_t queries = 0, missed = 0, alarms = 0;
    for (size_t s = 0; s < COUNT(scenes); s++) {
        for (int file = 0; file < 10; file++) {
            char path[200];
            for (int kind = 0; kind < 2; kind++) {
                snprintf(path, sizeof path, FOLDER "%s/%s/data_0_%d.csv", scenes[s], kind ? "vertex-face" : "edge-edge",
                         file);
                run_file(path, kind ? AFXI_STENCIL_POINT_TRIANGLE : AFXI_STENCIL_EDGES, &queries, &missed, &alarms);
            }
        }
    }
    if (queries == 0) {
        printf("skipped: there is no %s\n", FOLDER);
        skip();
    }
    printf("%u queries, %u collisions missed, %u false alarms\n", queries, missed, alarms);
    assert_int_equal(missed, 0);
}

int run_ccd_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_part_of_the_way_that_is_allowed_comes_too_near),
        cmocka_unit_test(edges_that_nearly_touch_do_not_pass),
        cmocka_unit_test(what_turns_together_is_free),
        cmocka_unit_test(planes_stop_at_a_tenth),
        cmocka_unit_test(public_queries_have_no_false_negatives),
    };
    return cmocka_run_group_tests_name("barrier: ccd", tests, NULL, NULL);
}

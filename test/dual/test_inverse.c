/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of one body's H, with and without a change of the twist, against the dense inverse. */
#include "tests.h"

#include "body/definite.h"

static const double youngs[] = {1e4, 1e7, 1e10, 1e14, INFINITY};
#define YOUNGS (sizeof youngs / sizeof youngs[0])

static double dense_error(const AfxiBodyInverse *inverse, const BodyEnergy *energy) {
    Real want[12][12];
    double largest = 0;
    assert_true(energy_inverse(energy, want));
    for (int y = 0; y < 12; y++) {
        double g[12] = {0}, out[12];
        g[y] = 1;
        afxi_body_apply(inverse, g, out);
        for (int x = 0; x < 12; x++) {
            double size = (double)sqrtl(want[x][x] * want[y][y]), off = fabs((double)(out[x] - want[x][y]));
            double relative = size > 0 ? off / size : (off > 0 ? INFINITY : 0);
            largest = relative <= largest ? largest : relative; /* also takes a NaN */
        }
    }
    return largest;
}

static void without_twist_the_blocks_are_applied(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 300; trial++) {
        AfxiBodyClass body = random_class(&seed, youngs[trial % YOUNGS]);
        AfxiScale scale = random_step(&seed);
        double gamma = trial % 3 ? random_scale(&seed, 1e-3, 1e5) : 0, twist[6] = {gamma, gamma, gamma, 0, 0, 0};
        AfxiBodyInverse inverse = {.blocks = afxi_body_blocks(&body, scale, gamma), .twist = {NAN}};
        BodyEnergy energy = body_energy(&body, scale, twist);
        assert_near(dense_error(&inverse, &energy), 0, 1e-12);
    }
}

/* Stiffness like the inertia against turning, times `size`. */
static void random_stiffness(const AfxiBodyClass *body, AfxiScale scale, double size, uint64_t *seed, double out[6]) {
    double inertia = body->s[0] + body->s[1] + body->s[2];
    for (int k = 0; k < 6; k++) {
        out[k] = size * inertia / scale.h_squared * random_signed(seed);
    }
}

static void with_twist_it_is_still_the_inverse(void **state) {
    (void)state;
    uint64_t seed = 2;
    int accepted = 0, negative = 0;
    for (int trial = 0; trial < 1000; trial++) {
        AfxiBodyClass body = random_class(&seed, youngs[trial % YOUNGS]);
        AfxiScale scale = random_step(&seed);
        double k[6];
        random_stiffness(&body, scale, random_scale(&seed, 1e-6, 10), &seed, k);
        AfxiBodyInverse inverse = {.blocks = afxi_body_blocks(&body, scale, 0)};
        if (!afxi_body_add_twist(&inverse, k)) {
            continue;
        }
        BodyEnergy energy = body_energy(&body, scale, k);
        assert_true(inverse.has_twist);
        assert_near(dense_error(&inverse, &energy), 0, 1e-10);
        accepted++;
        negative += k[0] < 0 || k[1] < 0 || k[2] < 0;
    }
    assert_true(accepted > 300 && negative > 100);
}

static void tension_of_any_size_is_taken(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 200; trial++) {
        AfxiBodyClass body = random_class(&seed, youngs[trial % YOUNGS]);
        AfxiScale scale = random_step(&seed);
        double pull = random_scale(&seed, 1e-3, 1e9), k[6];
        double u[3] = {random_signed(&seed), random_signed(&seed), random_signed(&seed)};
        for (int e = 0; e < 3; e++) { /* a force along u: |u|² I - u u^T */
            k[e] = pull * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - u[e] * u[e]);
        }
        k[3] = -pull * u[0] * u[1];
        k[4] = -pull * u[0] * u[2];
        k[5] = -pull * u[1] * u[2];
        AfxiBodyInverse inverse = {.blocks = afxi_body_blocks(&body, scale, 0)};
        assert_true(afxi_body_add_twist(&inverse, k));
    }
}

/* What is not definite is refused; what is so by far is not. */
static void only_definite_stiffness_is_taken(void **state) {
    (void)state;
    uint64_t seed = 4;
    int refused = 0, taken = 0;
    for (int trial = 0; trial < 2000; trial++) {
        AfxiBodyClass body = random_class(&seed, youngs[trial % YOUNGS]);
        AfxiScale scale = random_step(&seed);
        double k[6];
        random_stiffness(&body, scale, random_scale(&seed, 1e-2, 100), &seed, k);
        AfxiBodyInverse inverse = {.blocks = afxi_body_blocks(&body, scale, 0), .twist = {1, 2, 3, 4, 5, 6}};
        AfxiBodyInverse before = inverse;
        bool got = afxi_body_add_twist(&inverse, k);
        Real dense[12][12];
        BodyEnergy energy = body_energy(&body, scale, k), closer;
        bool definite = energy_inverse(&energy, dense);
        for (int e = 0; e < 6; e++) {
            k[e] *= 1.25; /* definite with a quarter more: the eigenvalues of I + Theta K are above 0.2 */
        }
        closer = body_energy(&body, scale, k);
        if (!definite) {
            assert_false(got);
        } else if (energy_inverse(&closer, dense)) {
            assert_true(got);
            taken++;
        }
        if (!got) {
            assert_false(inverse.has_twist);
            assert_memory_equal(inverse.twist, before.twist, sizeof before.twist);
            refused++;
        }
    }
    assert_true(refused > 300 && taken > 300);
}

/* Beyond buckling a body is as stiff as it was unstable, at least by a share of its inertia, about the same axes; what
 * is stable stays. */
static void what_is_unstable_is_made_definite(void **state) {
    static const double times[][2] = {{-3, 1}, {-1.9, -0.1}, {-1.01, -0.7}, {-0.95, -0.7}, {-0.5, -0.5}, {4, 4}};
    enum { SETS = sizeof times / sizeof *times };
    (void)state;
    uint64_t seed = 7;
    int made = 0;
    for (int trial = 0; trial < 300; trial++) {
        AfxiBodyClass body = random_class(&seed, INFINITY);
        AfxiScale scale = random_step(&seed);
        double inertia[3], k[6] = {0}, definite[6];
        AfxiBodyInverse inverse = {.blocks = afxi_body_blocks(&body, scale, 0)};
        for (int e = 0; e < 3; e++) {
            const double *pair = inverse.blocks.pair[2 - e]; /* (0,1), (0,2), (1,2) */
            inertia[e] = 4 / (pair[0] + pair[1] - 2 * pair[2]);
            k[e] = inertia[e] * times[(trial + e) % SETS][0];
        }
        assert_true(afxi_body_make_definite(&inverse, k, 0.3, definite));
        for (int e = 0; e < 6; e++) {
            double wanted = e < 3 ? inertia[e] * times[(trial + e) % SETS][1] : 0;
            assert_near(definite[e], wanted, 1e-9 * (inertia[0] + inertia[1] + inertia[2]));
        }
        assert_true(afxi_body_add_twist(&inverse, definite));
        random_stiffness(&body, scale, random_scale(&seed, 1e-2, 100), &seed, k);
        if (afxi_body_make_definite(&inverse, k, 0.3, definite)) {
            assert_true(afxi_body_add_twist(&inverse, definite));
            made++;
        }
        for (int e = 0; e < 6; e++) { /* a point mass: nothing exact could be made of it */
            k[e] = e == trial % 3 ? -1e9 * inertia[e] : 0;
        }
        assert_false(afxi_body_make_definite(&inverse, k, 0.3, definite));
    }
    assert_true(made > 150);
}

static void what_is_not_a_number_is_refused(void **state) {
    (void)state;
    uint64_t seed = 5;
    AfxiBodyClass body = random_class(&seed, 1e9);
    for (int e = 0; e < 6; e++) {
        double k[6] = {1, 1, 1, 0, 0, 0};
        k[e] = NAN;
        AfxiBodyInverse inverse = {.blocks = afxi_body_blocks(&body, (AfxiScale){1e-4, 1e-2}, 0)};
        assert_false(afxi_body_add_twist(&inverse, k));
        assert_false(inverse.has_twist);
    }
}

static void no_stiffness_changes_nothing(void **state) {
    (void)state;
    uint64_t seed = 6;
    AfxiBodyClass body = random_class(&seed, 1e9);
    static const double zero[6] = {0};
    AfxiBodyInverse plain = {.blocks = afxi_body_blocks(&body, (AfxiScale){1e-4, 1e-2}, 0)}, twisted = plain;
    assert_true(afxi_body_add_twist(&twisted, zero));
    double g[12], a[12], b[12];
    for (int e = 0; e < 12; e++) {
        g[e] = random_signed(&seed);
    }
    afxi_body_apply(&plain, g, a);
    afxi_body_apply(&twisted, g, b);
    for (int e = 0; e < 12; e++) {
        assert_true(a[e] == b[e]);
    }
}

int run_inverse_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_twist_the_blocks_are_applied), cmocka_unit_test(with_twist_it_is_still_the_inverse),
        cmocka_unit_test(tension_of_any_size_is_taken),         cmocka_unit_test(only_definite_stiffness_is_taken),
        cmocka_unit_test(what_is_unstable_is_made_definite),    cmocka_unit_test(what_is_not_a_number_is_refused),
        cmocka_unit_test(no_stiffness_changes_nothing),
    };
    return cmocka_run_group_tests_name("inverse of one body", tests, NULL, NULL);
}

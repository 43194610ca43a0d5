/* SPDX-License-Identifier: Apache-2.0 */
/* Factor and solve against the whole primal-dual system in dense form:
 *     H (delta - start) + J^T lambda = 0,   value + J delta - compliance lambda = 0 or lambda = given. */
#include "dual/system.h"
#include "tests.h"

typedef struct Answer {
    Real delta[12 * BODIES_MOST], lambda[ROWS_MOST];
} Answer;

/* Rows marked in `skip` (may be NULL) are left out: their multiplier is 0. */
static void dense_answer(const Rig *rig, const uint8_t *skip, Answer *out) {
    static Real a[UNKNOWNS_MOST][UNKNOWNS_MOST], x[UNKNOWNS_MOST];
    const AfxiGraph *graph = &rig->graph;
    const AfxiSystem *system = &rig->system;
    uint32_t n = 12 * graph->body_count, rows = graph->row_count;
    memset(a, 0, sizeof a);
    memset(x, 0, sizeof x);
    for (uint32_t body = 0; body < graph->body_count; body++) {
        for (uint32_t i = 0; i < 12; i++) {
            for (uint32_t j = 0; j < 12; j++) {
                Real u[12] = {0}, v[12] = {0};
                u[i] = v[j] = 1;
                a[12 * body + i][12 * body + j] = energy_form(&rig->energy[body], u, v);
                x[12 * body + i] += a[12 * body + i][12 * body + j] * system->start[12 * body + j];
            }
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        bool exact = system->active[row] && !(skip && skip[row]);
        a[n + row][n + row] = exact ? -system->compliance[row] : 1;
        x[n + row] = exact ? -system->value[row] : system->active[row] ? 0 : system->fixed[row];
    }
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        const AfxiGraphEntry *entry = &graph->entry[e];
        const AfxiGraphBlock *block = &graph->block[entry->block];
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t row = block->first_row + r;
            const double *g = system->jacobian + entry->jacobian + 12 * r;
            for (uint32_t k = 0; k < 12; k++) {
                a[12 * entry->dof.index + k][n + row] = g[k];
                a[n + row][12 * entry->dof.index + k] = system->active[row] && !(skip && skip[row]) ? g[k] : 0;
            }
        }
    }
    dense_solve(n + rows, a, x);
    memcpy(out->delta, x, n * sizeof *x);
    memcpy(out->lambda, x + n, rows * sizeof *x);
}

static double size_of(const Real *x, uint32_t n) {
    Real largest = 0;
    for (uint32_t k = 0; k < n; k++) {
        largest = fabsl(x[k]) > largest ? fabsl(x[k]) : largest;
    }
    return (double)largest;
}

static void assert_answer(const Rig *rig, const Answer *want, bool multipliers, double tolerance) {
    uint32_t n = 12 * rig->graph.body_count, rows = rig->graph.row_count;
    double size = size_of(want->delta, n), force = size_of(want->lambda, rows);
    for (uint32_t k = 0; k < n; k++) {
        assert_near(rig->system.delta[k], (double)want->delta[k], tolerance * size);
    }
    for (uint32_t k = 0; multipliers && k < rows; k++) {
        assert_near(rig->system.lambda[k], (double)want->lambda[k], tolerance * force);
    }
}

static AfxiDualReport solve(Rig *rig) {
    AfxiDualReport report;
    memset(&report, 0x55, sizeof report);
    afxi_dual_solve(&rig->system, true, &report);
    assert_true(report.pivot > 0);
    assert_true(report.residual < 1e-12);
    return report;
}

static void make_random(Rig *rig, int trial, uint64_t *seed) {
    BlockSpec blocks[BLOCKS_MOST];
    uint32_t bodies = 1 + (uint32_t)(7 * random_unit(seed));
    uint32_t count = random_blocks(blocks, bodies, (uint32_t)trial % 4, seed);
    rig_make(rig, bodies, blocks, count);
    rig_fill(rig, trial % 3 == 0 ? 1e4 : 1e7, trial % 2 == 1, seed);
    rig->graph.loop_rows = trial % 5 == 0 ? 0 : 1;
}

static void exact_rows_agree_with_the_dense_solve(void **state) {
    (void)state;
    static Rig rig;
    static Answer want;
    uint64_t seed = 20;
    for (int trial = 0; trial < 40; trial++) {
        make_random(&rig, trial, &seed);
        dense_answer(&rig, NULL, &want);
        solve(&rig);
        assert_answer(&rig, &want, true, 1e-9);
        rig_free(&rig);
    }
}

/* Another start with the same matrix. */
static void a_moved_start_needs_no_new_factor(void **state) {
    (void)state;
    static Rig rig;
    static Answer want;
    uint64_t seed = 24;
    for (int trial = 0; trial < 20; trial++) {
        make_random(&rig, trial, &seed);
        AfxiDualReport report = solve(&rig);
        assert_true(report.factored);
        for (uint32_t k = 0; k < 12 * rig.graph.body_count; k++) {
            rig.system.start[k] += 0.01 * (random_unit(&seed) - 0.5);
        }
        dense_answer(&rig, NULL, &want);
        afxi_dual_solve_again(&rig.system, &report);
        assert_true(report.refinements > 0);
        assert_answer(&rig, &want, true, 1e-9);
        rig_free(&rig);
    }
}

static void compliant_and_given_rows_agree_too(void **state) {
    (void)state;
    static Rig rig;
    static Answer want;
    uint64_t seed = 21;
    for (int trial = 0; trial < 40; trial++) {
        make_random(&rig, trial, &seed);
        for (uint32_t row = 0; row < rig.graph.row_count; row++) {
            double kind = random_unit(&seed);
            rig.system.compliance[row] = kind < 0.3 ? random_scale(&seed, 1e-8, 1) : 0;
            rig.system.active[row] = kind < 0.7;
            rig.system.fixed[row] = 100 * random_signed(&seed);
        }
        dense_answer(&rig, NULL, &want);
        solve(&rig);
        assert_answer(&rig, &want, true, 1e-9);
        for (uint32_t row = 0; row < rig.graph.row_count; row++) {
            assert_true(rig.system.active[row] || rig.system.lambda[row] == rig.system.fixed[row]);
        }
        rig_free(&rig);
    }
}

/* Twice the same joint: multipliers are shared in any way, the motion is that of one. */
static void redundant_rows_that_agree_change_no_motion(void **state) {
    (void)state;
    static Rig rig;
    static Answer want;
    uint64_t seed = 22;
    for (int trial = 0; trial < 20; trial++) {
        BlockSpec blocks[] = {{3, 1, {0}}, {3, 2, {0, 1}}, {3, 2, {1, 2}}, {3, 2, {0, 1}}, {1, 3, {0, 1, 2}}};
        uint8_t skip[ROWS_MOST] = {0};
        rig_make(&rig, 3, blocks, 5);
        rig_fill(&rig, 1e5, trial % 2, &seed);
        rig.graph.loop_rows = 4;
        for (uint32_t r = 0; r < 3; r++) {
            for (uint32_t b = 0; b < 2; b++) {
                memcpy(rig_jacobian(&rig, 3, b, r), rig_jacobian(&rig, 1, b, r), 12 * sizeof(double));
            }
            rig.system.value[9 + r] = rig.system.value[3 + r];
            skip[9 + r] = 1;
        }
        dense_answer(&rig, skip, &want);
        solve(&rig);
        assert_answer(&rig, &want, false, 1e-9);
        for (uint32_t r = 0; r < 3; r++) {
            double sum = rig.system.lambda[3 + r] + rig.system.lambda[9 + r];
            assert_near(sum, (double)want.lambda[3 + r], 1e-6 * size_of(want.lambda, rig.graph.row_count));
        }
        rig_free(&rig);
    }
}

/* Rows that nearly repeat others: the regularised factor solves another system, and refinement goes on until the rows
 * of the true one are met: each round leaves eps / (eps + pivot) of what was left. */
static void nearly_redundant_rows_are_refined_until_they_hold(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 25;
    for (int trial = 0; trial < 10; trial++) {
        BlockSpec blocks[] = {{3, 1, {0}}, {3, 2, {0, 1}}, {3, 2, {0, 1}}};
        rig_make(&rig, 2, blocks, 3);
        rig_fill(&rig, 1e5, false, &seed);
        rig.graph.loop_rows = 3;
        for (uint32_t b = 0; b < 2; b++) {
            const double *of = rig_jacobian(&rig, 1, b, 0);
            double *to = rig_jacobian(&rig, 2, b, 0);
            for (uint32_t k = 0; k < 36; k++) {
                to[k] = of[k] * (1 + 4e-4 * random_signed(&seed));
            }
        }
        memcpy(rig.system.value + 6, rig.system.value + 3, 3 * sizeof(double));
        AfxiDualReport few, many;
        afxi_dual_solve(&rig.system, false, &few);
        afxi_dual_solve(&rig.system, true, &many);
        assert_true(many.regularised && few.refinements <= 2 && many.refinements > 2);
        assert_true(many.residual < 0.5 * few.residual);
        rig_free(&rig);
    }
}

/* Redundant rows that disagree: few refinements, and multipliers that stay below 1/eps of the disagreement. */
static void redundant_rows_that_disagree_stay_bounded(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 23;
    BlockSpec blocks[] = {{3, 1, {0}}, {3, 1, {0}}};
    rig_make(&rig, 1, blocks, 2);
    rig_fill(&rig, 1e5, false, &seed);
    rig.graph.loop_rows = 3;
    memcpy(rig_jacobian(&rig, 1, 0, 0), rig_jacobian(&rig, 0, 0, 0), 36 * sizeof(double));
    AfxiDualReport report;
    afxi_dual_solve(&rig.system, false, &report);
    assert_true(report.refinements <= 2);
    for (uint32_t k = 0; k < 12; k++) {
        assert_true(isfinite(rig.system.delta[k]) && fabs(rig.system.delta[k]) < 100);
    }
    rig_free(&rig);
}

static void nothing_to_do_is_done_at_once(void **state) {
    (void)state;
    static Rig rig;
    uint64_t seed = 24;
    BlockSpec blocks[] = {{3, 2, {0, 1}}};
    rig_make(&rig, 2, blocks, 1);
    rig_fill(&rig, 1e6, false, &seed);
    memset(rig.system.active, 0, 3); /* all rows off, no multipliers: the start is the answer */
    solve(&rig);
    assert_memory_equal(rig.system.delta, rig.system.start, 24 * sizeof(double));
    memset(rig.system.active, 1, 3);
    memset(rig.system.start, 0, 24 * sizeof(double));
    memset(rig.system.value, 0, 3 * sizeof(double));
    solve(&rig);
    for (uint32_t row = 0; row < 3; row++) {
        assert_true(rig.system.lambda[row] == 0);
    }
    rig_free(&rig);
}

int run_solve_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_rows_agree_with_the_dense_solve),
        cmocka_unit_test(a_moved_start_needs_no_new_factor),
        cmocka_unit_test(compliant_and_given_rows_agree_too),
        cmocka_unit_test(redundant_rows_that_agree_change_no_motion),
        cmocka_unit_test(nearly_redundant_rows_are_refined_until_they_hold),
        cmocka_unit_test(redundant_rows_that_disagree_stay_bounded),
        cmocka_unit_test(nothing_to_do_is_done_at_once),
    };
    return cmocka_run_group_tests_name("dual solve", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Factor and solve against dense elimination with pivoting, on random graphs. Matrices are sums of g g^T over cliques
 * and blocks, scaled to unit diagonal, as the dual matrix of a mechanism is; where signs are -1 they are turned over
 * between the rows of those blocks, which makes them quasi-definite. */
#include "sparse/factor.h"
#include "sparse/kernel.h"
#include "sparse/library.h"
#include "sparse/plan.h"
#include "sparse/solve.h"
#include "sparse/values.h"
#include "tests.h"

#define EPSILON 0x1p-52

typedef struct Problem {
    Graph graph;
    AfxiBlockPlan plan;
    AfxiBlockFactor factor;
    void *raw;
    size_t raw_size;
    uint32_t rows;
    int8_t sign[ROWS_MOST];
    double a[ROWS_MOST][ROWS_MOST], dense[ROWS_MOST][ROWS_MOST];
} Problem;

static Problem problem;
static const AfxiBlockOrder orders[] = {AFXI_ORDER_AUTO, AFXI_ORDER_GIVEN, AFXI_ORDER_DENSE,
                                        AFXI_ORDER_OWN,  AFXI_ORDER_AMD,   AFXI_ORDER_METIS};

/* a += weight g g^T, g random on the rows of blocks i and j. */
static void add_square(Problem *p, uint32_t i, uint32_t j, double weight, uint64_t *seed) {
    double g[ROWS_MOST] = {0};
    for (uint32_t r = p->plan.first_row[i]; r < p->plan.first_row[i + 1]; r++) {
        g[r] = 2 * random_unit(seed) - 1;
    }
    for (uint32_t r = p->plan.first_row[j]; r < p->plan.first_row[j + 1]; r++) {
        g[r] = 2 * random_unit(seed) - 1;
    }
    for (uint32_t x = 0; x < p->rows; x++) {
        for (uint32_t y = 0; g[x] != 0 && y < p->rows; y++) {
            p->a[x][y] += weight * g[x] * g[y];
        }
    }
}

static void scale_to_unit_diagonal(Problem *p, double epsilon) {
    double scale[ROWS_MOST];
    for (uint32_t k = 0; k < p->rows; k++) {
        scale[k] = 1 / sqrt(p->a[k][k]);
    }
    for (uint32_t x = 0; x < p->rows; x++) {
        for (uint32_t y = 0; y < p->rows; y++) {
            p->a[x][y] = x == y ? 1 + epsilon : p->a[x][y] * scale[x] * scale[y];
        }
    }
}

static void load(Problem *p) {
    afxi_block_clear(&p->plan, &p->factor);
    for (uint32_t i = 0; i < p->plan.count; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            AfxiBlockSpot spot;
            uint32_t from = p->plan.first_row[i], across = p->plan.first_row[j];
            if (i != j && !p->graph.joined[i][j]) {
                continue;
            }
            assert_true(afxi_block_spot(&p->plan, i, j, &spot));
            for (uint32_t r = 0; r < p->graph.size[i]; r++) {
                for (uint32_t c = 0; c < p->graph.size[j]; c++) {
                    p->factor.value[spot.at + (size_t)r * spot.row_step + (size_t)c * spot.column_step] +=
                        p->a[from + r][across + c];
                }
            }
        }
    }
}

static void take_memory(Problem *p) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiArena arena = {0};
    afxi_block_take(&p->factor, &arena, &p->plan);
    arena.base = afxi_allocate_aligned(&allocator, arena.used, &p->raw, &p->raw_size);
    assert_non_null(arena.base);
    memset(arena.base, 0xA5, arena.used); /* nothing may rely on zeros */
    arena.used = 0;
    afxi_block_take(&p->factor, &arena, &p->plan);
    for (size_t k = 0; k < p->plan.value_length; k++) {
        p->factor.value[k] = NAN;
    }
    for (size_t k = 0; k < p->plan.work_length; k++) {
        p->factor.work[k] = NAN;
    }
}

/* squares: how many g g^T per block and pair; ridge: added to the diagonal before scaling. */
static void problem_make(Problem *p, GraphKind kind, AfxiBlockOrder order, bool signs, uint32_t squares, double ridge,
                         double epsilon, uint64_t *seed) {
    AfxAllocator allocator = afx_default_allocator();
    uint32_t given[NODES_MOST];
    graph_make(&p->graph, kind, signs, seed);
    for (uint32_t k = 0; k < p->graph.count; k++) {
        uint32_t other = random_below(seed, k + 1);
        given[k] = given[other];
        given[other] = k;
    }
    AfxiBlockGraph blocks = graph_blocks(&p->graph, afxi_block_order_exists(order) ? order : AFXI_ORDER_OWN);
    blocks.given = given;
    assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &p->plan), AFX_OK);
    memset(p->a, 0, sizeof p->a);
    p->rows = p->plan.row_count;
    for (uint32_t i = 0; i < p->plan.count; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            for (uint32_t k = 0; (i == j || p->graph.joined[i][j]) && k < squares; k++) {
                add_square(p, i, j, exp(4 * random_unit(seed)), seed);
            }
        }
        for (uint32_t r = p->plan.first_row[i]; r < p->plan.first_row[i + 1]; r++) {
            p->sign[r] = p->graph.sign[i];
        }
    }
    for (uint32_t k = 0; k < p->rows; k++) {
        p->a[k][k] += ridge;
    }
    scale_to_unit_diagonal(p, epsilon);
    for (uint32_t x = 0; x < p->rows; x++) {
        for (uint32_t y = 0; y < p->rows; y++) {
            p->a[x][y] *= p->sign[x] < 0 && p->sign[y] < 0 ? -1 : 1;
        }
    }
    take_memory(p);
    load(p);
}

static void problem_free(Problem *p) {
    AfxAllocator allocator = afx_default_allocator();
    afxi_release(&allocator, p->raw, p->raw_size);
    afxi_block_plan_destroy(&p->plan);
}

/* x <- a^-1 x by Gauss with row pivoting. */
static void dense_solve(Problem *p, double *x) {
    uint32_t n = p->rows;
    memcpy(p->dense, p->a, sizeof p->a);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++) {
            best = fabs(p->dense[i][k]) > fabs(p->dense[best][k]) ? i : best;
        }
        for (uint32_t j = k; best != k && j < n; j++) {
            double swap = p->dense[k][j];
            p->dense[k][j] = p->dense[best][j];
            p->dense[best][j] = swap;
        }
        double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (uint32_t i = k + 1; i < n; i++) {
            double factor = p->dense[i][k] / p->dense[k][k];
            for (uint32_t j = k; factor != 0 && j < n; j++) {
                p->dense[i][j] -= factor * p->dense[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++) {
            x[i] -= p->dense[i][j] * x[j];
        }
        x[i] /= p->dense[i][i];
    }
}

/* Largest row of |a x - b| over |a| |x| + |b|, all by their largest row sums. */
static double backward_error(const Problem *p, const double *x, const double *b) {
    double worst = 0, norm = 0, size_x = 0, size_b = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        long double sum = -(long double)b[i];
        double row = 0;
        for (uint32_t j = 0; j < p->rows; j++) {
            sum += (long double)p->a[i][j] * x[j];
            row += fabs(p->a[i][j]);
        }
        worst = fabs((double)sum) <= worst ? worst : fabs((double)sum); /* also takes a NaN */
        norm = row > norm ? row : norm;
        size_x = fmax(size_x, fabs(x[i]));
        size_b = fmax(size_b, fabs(b[i]));
    }
    return worst / (norm * size_x + size_b);
}

static void random_right_side(const Problem *p, double *b, uint64_t *seed) {
    memset(b, 0, ROWS_MOST * sizeof *b);
    for (uint32_t k = 0; k < p->rows; k++) {
        b[k] = 2 * random_unit(seed) - 1;
    }
}

static void check_solution(const Problem *p, const double *x, const double *want, const double *b) {
    double size = 0;
    for (uint32_t k = 0; k < p->rows; k++) {
        size = fmax(size, fabs(want[k]));
    }
    for (uint32_t k = 0; k < p->rows; k++) {
        assert_near(x[k], want[k], 1e-11 * size);
    }
    assert_true(backward_error(p, x, b) <= 4 * EPSILON * p->rows);
}

static void the_solution_is_the_dense_one(void **state) {
    (void)state;
    uint64_t seed = 21;
    uint32_t batched = 0, apart = 0, alone = 0, inside = 0;
    for (int trial = 0; trial < 8 * 6 * GRAPH_KINDS; trial++) {
        double b[ROWS_MOST], x[ROWS_MOST], want[ROWS_MOST];
        AfxiBlockReport report;
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), orders[trial / GRAPH_KINDS % 6], trial % 3 == 0,
                     1 + trial % 3, 1, 0, &seed);
        random_right_side(&problem, b, &seed);
        memcpy(want, b, sizeof want);
        dense_solve(&problem, want);
        afxi_block_factor(&problem.plan, &problem.factor, NULL, 0, b, &report);
        assert_true(report.pivot > 0 && report.wrong == 0);
        afxi_block_back(&problem.plan, &problem.factor, x); /* the one that was carried along */
        check_solution(&problem, x, want, b);
        memcpy(x, b, sizeof x);
        afxi_block_solve(&problem.plan, &problem.factor, x);
        check_solution(&problem, x, want, b);
        random_right_side(&problem, b, &seed); /* and another */
        memcpy(want, b, sizeof want);
        memcpy(x, b, sizeof x);
        dense_solve(&problem, want);
        afxi_block_solve(&problem.plan, &problem.factor, x);
        check_solution(&problem, x, want, b);
        const AfxiBlockTree *tree = problem.plan.tree;
        for (uint32_t k = 0; k < tree->job_count; k++) {
            bool many = tree->job[k].front[1] != AFXI_NO_FRONT;
            batched += many;
            alone += !many;
            apart += tree->front[tree->job[k].front[0]].apart;
            inside += !tree->front[tree->job[k].front[0]].apart;
        }
        problem_free(&problem);
    }
    assert_true(batched > 200 && alone > 200 && apart > 200 && inside > 200); /* every kind of front has been there */
}

/* The smallest pivot and its row, by dense elimination in the order of the plan. */
static double smallest_pivot(Problem *p, uint32_t *out_row) {
    uint32_t row[ROWS_MOST], n = 0;
    double smallest = INFINITY;
    for (uint32_t k = 0; k < p->plan.count; k++) {
        for (uint32_t r = p->plan.first_row[p->plan.order[k]]; r < p->plan.first_row[p->plan.order[k] + 1]; r++) {
            row[n++] = r;
        }
    }
    memcpy(p->dense, p->a, sizeof p->a);
    for (uint32_t k = 0; k < n; k++) {
        double pivot = p->dense[row[k]][row[k]];
        if (pivot * p->sign[row[k]] < smallest) {
            smallest = pivot * p->sign[row[k]];
            *out_row = row[k];
        }
        for (uint32_t i = k + 1; i < n; i++) {
            double factor = p->dense[row[i]][row[k]] / pivot;
            for (uint32_t j = k + 1; j < n; j++) {
                p->dense[row[i]][row[j]] -= factor * p->dense[row[k]][row[j]];
            }
        }
    }
    return smallest;
}

static void the_smallest_pivot_is_found(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int trial = 0; trial < 10 * GRAPH_KINDS; trial++) {
        AfxiBlockReport report;
        uint32_t row = 0;
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), orders[trial / GRAPH_KINDS % 6], trial % 2, 2, 1, 0,
                     &seed);
        double smallest = smallest_pivot(&problem, &row);
        afxi_block_factor(&problem.plan, &problem.factor, NULL, 0, NULL, &report);
        assert_near(report.pivot, smallest, 1e-12);
        assert_int_equal(report.row, row);
        problem_free(&problem);
    }
}

/* Singular but for eps 1e-8 on the diagonal: the solution is large, and still solves a matrix next to the given one. */
static void nearly_singular_matrices_are_solved_backward_stably(void **state) {
    (void)state;
    uint64_t seed = 22;
    int singular = 0;
    for (int trial = 0; trial < 30 * GRAPH_KINDS; trial++) {
        double b[ROWS_MOST], x[ROWS_MOST];
        AfxiBlockReport report;
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), orders[trial / GRAPH_KINDS % 6], false, 1, 0, 1e-8,
                     &seed);
        random_right_side(&problem, b, &seed);
        afxi_block_factor(&problem.plan, &problem.factor, NULL, 0, b, &report);
        assert_true(report.pivot > 0);
        singular += report.pivot < 1e-6;
        afxi_block_back(&problem.plan, &problem.factor, x);
        assert_true(backward_error(&problem, x, b) <= 4 * EPSILON * problem.rows);
        problem_free(&problem);
    }
    assert_true(singular > 15 * GRAPH_KINDS);
}

static void a_matrix_with_wrong_signs_shows_in_the_pivot(void **state) {
    (void)state;
    uint64_t seed = 23;
    for (int trial = 0; trial < 12 * GRAPH_KINDS; trial++) {
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), orders[trial / GRAPH_KINDS % 6], trial % 2, 2, 1, 0,
                     &seed);
        uint32_t row = random_below(&seed, problem.rows);
        double far = -1000 * problem.sign[row]; /* blocks of the other sign make pivots larger */
        double wrong[3] = {trial % 2 ? far : 0, trial % 2 ? far : -0.5, NAN};
        AfxiBlockReport report;
        problem.a[row][row] = wrong[trial % 3];
        load(&problem);
        afxi_block_factor(&problem.plan, &problem.factor, NULL, 0, NULL, &report);
        assert_true(trial % 3 == 2 ? isnan(report.pivot) : report.pivot <= 0);
        assert_true(report.wrong >= 1);
        assert_int_equal(report.row, row);
        problem_free(&problem);
    }
}

/* Scaling as it is asked for, by hand: rows of scale 0 become rows of the identity. */
static void scaling_is_that_of_the_dense_matrix(void **state) {
    (void)state;
    uint64_t seed = 25;
    for (int trial = 0; trial < 12 * GRAPH_KINDS; trial++) {
        double b[ROWS_MOST], x[ROWS_MOST], want[ROWS_MOST], scale[ROWS_MOST], diagonal[ROWS_MOST], epsilon = 0.01;
        AfxiBlockReport report;
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), orders[trial / GRAPH_KINDS % 6], trial % 2, 2, 1, 0,
                     &seed);
        afxi_block_diagonal(&problem.plan, &problem.factor, diagonal);
        for (uint32_t k = 0; k < problem.rows; k++) {
            assert_true(diagonal[k] == problem.a[k][k]);
            scale[k] = random_unit(&seed) < 0.2 ? 0 : 0.5 + random_unit(&seed);
        }
        for (uint32_t i = 0; i < problem.rows; i++) {
            for (uint32_t j = 0; j < problem.rows; j++) {
                problem.a[i][j] *= scale[i] * scale[j];
            }
            problem.a[i][i] += problem.sign[i] * (scale[i] == 0 ? 1 : epsilon);
        }
        random_right_side(&problem, b, &seed);
        memcpy(want, b, sizeof want);
        dense_solve(&problem, want);
        afxi_block_factor(&problem.plan, &problem.factor, scale, epsilon, b, &report);
        assert_true(report.wrong == 0);
        afxi_block_back(&problem.plan, &problem.factor, x);
        check_solution(&problem, x, want, b);
        problem_free(&problem);
    }
}

/* Kernels for machines without fused multiply-add, which this one need not be. */
extern const AfxiAssembleKernel afxi_assemble_kernel_base_1, afxi_assemble_kernel_base_2;
extern const AfxiFrontKernel afxi_front_kernel_base_1, afxi_front_kernel_base_2;
extern const AfxiBatchKernel afxi_batch_kernel_base_1, afxi_batch_kernel_base_2;
extern const AfxiSolveKernel afxi_solve_kernel_base_1, afxi_solve_kernel_base_2;
static const AfxiBlockKernel base[] = {
    {&afxi_assemble_kernel_base_1, &afxi_front_kernel_base_1, &afxi_batch_kernel_base_1, &afxi_solve_kernel_base_1, 1,
     "base"},
    {&afxi_assemble_kernel_base_2, &afxi_front_kernel_base_2, &afxi_batch_kernel_base_2, &afxi_solve_kernel_base_2, 2,
     "base"},
};

typedef struct Run {
    double carried[ROWS_MOST], x[ROWS_MOST];
    AfxiBlockReport report;
} Run;

static void run_with(const AfxiBlockKernel *kernel, const double *b, Run *out) {
    memset(out, 0, sizeof *out);
    problem.factor.kernel = kernel;
    load(&problem);
    afxi_block_factor(&problem.plan, &problem.factor, NULL, 1e-9, b, &out->report);
    afxi_block_back(&problem.plan, &problem.factor, out->carried);
    memcpy(out->x, b, problem.rows * sizeof *b);
    afxi_block_solve(&problem.plan, &problem.factor, out->x);
}

static void assert_same_run(const Run *a, const Run *b) {
    assert_memory_equal(a->x, b->x, sizeof a->x);
    assert_memory_equal(a->carried, b->carried, sizeof a->carried);
    assert_true(a->report.pivot == b->report.pivot && a->report.row == b->report.row);
}

static void every_number_of_lanes_gives_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 26;
    static Run first, other;
    for (int trial = 0; trial < 10 * GRAPH_KINDS; trial++) {
        double b[ROWS_MOST], size = 0;
        int tried = 0;
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), orders[trial / GRAPH_KINDS % 6], trial % 3 == 0, 2, 1,
                     0, &seed);
        random_right_side(&problem, b, &seed);
        for (uint32_t lanes = 1; lanes <= 4; lanes *= 2) {
            const AfxiBlockKernel *kernel = afxi_block_kernel(lanes);
            if (kernel) {
                run_with(kernel, b, tried ? &other : &first);
                assert_same_run(tried ? &other : &first, &first);
                tried++;
            }
        }
        assert_true(tried >= 2);
        for (uint32_t k = 0; k < problem.rows; k++) {
            size = fmax(size, fabs(first.x[k]));
        }
        run_with(&base[0], b, &other);
        for (uint32_t k = 0; k < problem.rows; k++) {
            assert_near(other.x[k], first.x[k], 1e-11 * size);
            assert_near(other.carried[k], first.x[k], 1e-11 * size);
        }
        run_with(&base[1], b, &first);
        assert_same_run(&other, &first);
        problem_free(&problem);
    }
}

int run_factor_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solution_is_the_dense_one),
        cmocka_unit_test(the_smallest_pivot_is_found),
        cmocka_unit_test(nearly_singular_matrices_are_solved_backward_stably),
        cmocka_unit_test(a_matrix_with_wrong_signs_shows_in_the_pivot),
        cmocka_unit_test(scaling_is_that_of_the_dense_matrix),
        cmocka_unit_test(every_number_of_lanes_gives_the_same_bits),
    };
    return cmocka_run_group_tests_name("factor", tests, NULL, NULL);
}

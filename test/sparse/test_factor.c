/* SPDX-License-Identifier: Apache-2.0 */
/* Block Cholesky and solve against a dense Cholesky, on random graphs. Matrices are sums of g g^T over edges and nodes,
 * scaled to unit diagonal, as the dual matrix of a mechanism is. */
#include "sparse/block.h"
#include "tests.h"

#define EPSILON 0x1p-52

/* A matrix in elimination order, dense, with its plan and the values for the block code. */
typedef struct Problem {
    Graph graph;
    AfxiBlockPlan plan;
    AfxiBlockFactor factor;
    uint32_t rows, position[NODES_MOST];
    double a[ROWS_MOST][ROWS_MOST], lower[ROWS_MOST][ROWS_MOST];
} Problem;

static Problem problem;

/* a += weight g g^T, g random on the rows of two blocks. */
static void add_square(Problem *p, uint32_t i, uint32_t j, double weight, uint64_t *seed) {
    double g[ROWS_MOST] = {0};
    for (uint32_t r = 0; r < p->plan.size[i]; r++) {
        g[p->position[i] + r] = 2 * random_unit(seed) - 1;
    }
    for (uint32_t r = 0; r < p->plan.size[j]; r++) {
        g[p->position[j] + r] = 2 * random_unit(seed) - 1;
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

/* Fills the values from the dense matrix; entries of the factor that the matrix lacks are zero in it. */
static void load(Problem *p) {
    for (uint32_t j = 0; j < p->plan.count; j++) {
        for (uint32_t i = j; i < p->plan.count; i++) {
            uint32_t leading;
            double *block = afxi_block_at(&p->plan, &p->factor, i, j, &leading);
            for (uint32_t c = 0; c < p->plan.size[j]; c++) {
                for (uint32_t r = 0; r < p->plan.size[i]; r++) {
                    double value = p->a[p->position[i] + r][p->position[j] + c];
                    assert_true(block || value == 0);
                    if (block) {
                        block[(size_t)c * leading + r] = value;
                    }
                }
            }
        }
    }
}

/* squares: how many g g^T per node and edge; ridge: added to the diagonal before scaling. */
static void problem_make(Problem *p, GraphKind kind, uint32_t squares, double ridge, double epsilon, uint64_t *seed) {
    AfxAllocator allocator = afx_default_allocator();
    graph_make(&p->graph, kind, seed);
    const Graph *graph = &p->graph;
    assert_int_equal(
        afxi_block_plan_create(&allocator, graph->count, graph->size, graph->edge_count, graph->edge, &p->plan),
        AFX_OK);
    memset(p->a, 0, sizeof p->a);
    p->rows = 0;
    for (uint32_t k = 0; k < p->plan.count; k++) {
        p->position[k] = p->rows;
        p->rows += p->plan.size[k];
    }
    for (uint32_t i = 0; i < p->plan.count; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            if (i == j || graph->joined[p->plan.order[i]][p->plan.order[j]]) {
                for (uint32_t k = 0; k < squares; k++) {
                    add_square(p, i, j, exp(4 * random_unit(seed)), seed);
                }
            }
        }
    }
    for (uint32_t k = 0; k < p->rows; k++) {
        p->a[k][k] += ridge;
    }
    scale_to_unit_diagonal(p, epsilon);
    size_t words = p->plan.count + 1;
    p->factor = (AfxiBlockFactor){calloc(p->plan.panel_length + 1, 8),
                                  calloc(p->plan.diagonal_length, 8),
                                  malloc(4 * words),
                                  malloc(4 * words),
                                  malloc(4 * words),
                                  malloc(4 * words)};
    assert_true(p->factor.panel && p->factor.diagonal && p->factor.link && p->factor.next && p->factor.first &&
                p->factor.map);
    load(p);
}

static void problem_free(Problem *p) {
    free(p->factor.panel);
    free(p->factor.diagonal);
    free(p->factor.link);
    free(p->factor.next);
    free(p->factor.first);
    free(p->factor.map);
    afxi_block_plan_destroy(&p->plan);
}

/* Plain dense Cholesky into p->lower; the smallest pivot. */
static double dense_cholesky(Problem *p) {
    double smallest = INFINITY;
    for (uint32_t j = 0; j < p->rows; j++) {
        for (uint32_t i = j; i < p->rows; i++) {
            double sum = p->a[i][j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= p->lower[i][k] * p->lower[j][k];
            }
            if (i == j) {
                assert_true(sum > 0);
                smallest = sum < smallest ? sum : smallest;
            }
            p->lower[i][j] = i == j ? sqrt(sum) : sum / p->lower[j][j];
        }
    }
    return smallest;
}

static void dense_solve(const Problem *p, double *x) {
    for (uint32_t i = 0; i < p->rows; i++) {
        for (uint32_t k = 0; k < i; k++) {
            x[i] -= p->lower[i][k] * x[k];
        }
        x[i] /= p->lower[i][i];
    }
    for (uint32_t i = p->rows; i-- > 0;) {
        for (uint32_t k = i + 1; k < p->rows; k++) {
            x[i] -= p->lower[k][i] * x[k];
        }
        x[i] /= p->lower[i][i];
    }
}

/* Largest row of |a x - b| over |a| |x| + |b|, all by their largest row sums; a is p->a. */
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

static void the_factor_is_the_dense_one(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int trial = 0; trial < 15 * GRAPH_KINDS; trial++) {
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), 2, 1, 0, &seed);
        double smallest = dense_cholesky(&problem);
        assert_near(afxi_block_factor(&problem.plan, &problem.factor), smallest, 1e-12);
        for (uint32_t j = 0; j < problem.plan.count; j++) {
            for (uint32_t i = j; i < problem.plan.count; i++) {
                uint32_t leading;
                const double *block = afxi_block_at(&problem.plan, &problem.factor, i, j, &leading);
                for (uint32_t c = 0; c < problem.plan.size[j]; c++) {
                    for (uint32_t r = i == j ? c : 0; r < problem.plan.size[i]; r++) {
                        double want = problem.lower[problem.position[i] + r][problem.position[j] + c];
                        assert_near(block ? block[(size_t)c * leading + r] : 0, want, 1e-12);
                    }
                }
            }
        }
        problem_free(&problem);
    }
}

static void the_solution_is_the_dense_one(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int trial = 0; trial < 40 * GRAPH_KINDS; trial++) {
        double b[ROWS_MOST], x[ROWS_MOST], want[ROWS_MOST];
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), 1 + trial % 3, 1, 0, &seed);
        dense_cholesky(&problem);
        assert_true(afxi_block_factor(&problem.plan, &problem.factor) > 0);
        for (int side = 0; side < 2; side++) { /* one factor, any number of right sides */
            double size = 0;
            random_right_side(&problem, b, &seed);
            memcpy(x, b, sizeof x);
            memcpy(want, b, sizeof want);
            afxi_block_solve(&problem.plan, &problem.factor, problem.position, x);
            dense_solve(&problem, want);
            for (uint32_t k = 0; k < problem.rows; k++) {
                size = fmax(size, fabs(want[k]));
            }
            for (uint32_t k = 0; k < problem.rows; k++) {
                assert_near(x[k], want[k], 1e-11 * size);
            }
            assert_true(backward_error(&problem, x, b) <= EPSILON * problem.rows);
        }
        problem_free(&problem);
    }
}

/* Singular but for eps 1e-8 on the diagonal: the solution is large, and still solves a matrix next to the given one. */
static void nearly_singular_matrices_are_solved_backward_stably(void **state) {
    (void)state;
    uint64_t seed = 22;
    int singular = 0;
    for (int trial = 0; trial < 40 * GRAPH_KINDS; trial++) {
        double b[ROWS_MOST], x[ROWS_MOST];
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), 1, 0, 1e-8, &seed);
        double pivot = afxi_block_factor(&problem.plan, &problem.factor);
        assert_true(pivot > 0);
        singular += pivot < 1e-6;
        random_right_side(&problem, b, &seed);
        memcpy(x, b, sizeof x);
        afxi_block_solve(&problem.plan, &problem.factor, problem.position, x);
        assert_true(backward_error(&problem, x, b) <= EPSILON * problem.rows);
        problem_free(&problem);
    }
    assert_true(singular > 20 * GRAPH_KINDS);
}

static void a_matrix_that_is_not_definite_shows_in_the_pivot(void **state) {
    (void)state;
    uint64_t seed = 23;
    for (int trial = 0; trial < 10 * GRAPH_KINDS; trial++) {
        problem_make(&problem, (GraphKind)(trial % GRAPH_KINDS), 2, 1, 0, &seed);
        uint32_t block = random_below(&seed, problem.plan.count), row = random_below(&seed, problem.plan.size[block]);
        uint32_t leading;
        double *own = afxi_block_at(&problem.plan, &problem.factor, block, block, &leading);
        own[(size_t)row * leading + row] = trial % 2 ? 0 : -0.5;
        double pivot = afxi_block_factor(&problem.plan, &problem.factor);
        assert_true(pivot <= 0);
        problem_free(&problem);
    }
}

static void factoring_again_gives_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 24;
    problem_make(&problem, GRID, 2, 1, 0, &seed);
    size_t panel = problem.plan.panel_length * sizeof(double), diagonal = problem.plan.diagonal_length * sizeof(double);
    double *copy = malloc(panel + diagonal);
    assert_non_null(copy);
    afxi_block_factor(&problem.plan, &problem.factor);
    memcpy(copy, problem.factor.panel, panel);
    memcpy((char *)copy + panel, problem.factor.diagonal, diagonal);
    memset(problem.factor.panel, 0, panel);
    load(&problem);
    afxi_block_factor(&problem.plan, &problem.factor);
    assert_memory_equal(copy, problem.factor.panel, panel);
    assert_memory_equal((char *)copy + panel, problem.factor.diagonal, diagonal);
    free(copy);
    problem_free(&problem);
}

int run_factor_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_the_dense_one),
        cmocka_unit_test(the_solution_is_the_dense_one),
        cmocka_unit_test(nearly_singular_matrices_are_solved_backward_stably),
        cmocka_unit_test(a_matrix_that_is_not_definite_shows_in_the_pivot),
        cmocka_unit_test(factoring_again_gives_the_same_bits),
    };
    return cmocka_run_group_tests_name("block factor", tests, NULL, NULL);
}

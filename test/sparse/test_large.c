/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that are large enough for several threads: residuals, and the same bits for any number of them. */
#include "sparse/factor.h"
#include "sparse/library.h"
#include "sparse/plan.h"
#include "sparse/solve.h"
#include "sparse/tree.h"
#include "sparse/values.h"
#include "tests.h"

/* A random matrix on a mesh: off-diagonal blocks, and a diagonal that dominates. */
typedef struct Large {
    Mesh mesh;
    AfxiBlockPlan plan;
    AfxiBlockFactor factor;
    void *raw;
    size_t raw_size;
    double *x, *b, *residual, *size; /* [rows] */
} Large;

/* Entry (r, c) of the block that clique e adds to the pair of its members a and b. */
static double entry(uint32_t e, uint32_t a, uint32_t b, uint32_t r, uint32_t c) {
    uint64_t seed = ((uint64_t)e << 20) + a * 4096 + b * 256 + r * 16 + c;
    return 2 * random_unit(&seed) - 1;
}

/* A twice: into the factor, and A x into residual, |A| |x| into size. */
static void visit_pair(Large *p, uint32_t e, uint32_t a, uint32_t b, bool load) {
    uint32_t first = p->mesh.clique_start[e], i = p->mesh.member[first + a], j = p->mesh.member[first + b];
    AfxiBlockSpot spot;
    assert_true(!load || afxi_block_spot(&p->plan, i, j, &spot));
    for (uint32_t r = 0; r < p->mesh.size[i]; r++) {
        for (uint32_t c = 0; c < p->mesh.size[j]; c++) {
            double value = entry(e, a, b, r, c);
            uint32_t row = p->plan.first_row[i] + r, column = p->plan.first_row[j] + c;
            if (load) {
                p->factor.value[spot.at + (size_t)r * spot.row_step + (size_t)c * spot.column_step] += value;
                continue;
            }
            p->residual[row] += value * p->x[column];
            p->residual[column] += value * p->x[row];
            p->size[row] += fabs(value);
            p->size[column] += fabs(value);
        }
    }
}

#define DIAGONAL 60.0

static void visit(Large *p, bool load) {
    for (uint32_t e = 0; e < p->mesh.clique_count; e++) {
        uint32_t members = p->mesh.clique_start[e + 1] - p->mesh.clique_start[e];
        for (uint32_t a = 0; a < members; a++) {
            for (uint32_t b = 0; b < a; b++) {
                visit_pair(p, e, a, b, load);
            }
        }
    }
    for (uint32_t k = 0; k < p->mesh.count; k++) {
        AfxiBlockSpot spot;
        assert_true(afxi_block_spot(&p->plan, k, k, &spot));
        for (uint32_t r = 0; r < p->mesh.size[k]; r++) {
            uint32_t row = p->plan.first_row[k] + r;
            if (load) {
                p->factor.value[spot.at + r * ((size_t)spot.row_step + spot.column_step)] += DIAGONAL;
            } else {
                p->residual[row] += DIAGONAL * p->x[row];
            }
        }
    }
}

static void large_make(Large *p, Mesh mesh, AfxiBlockOrder order) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiArena arena = {0};
    AfxiBlockGraph blocks = mesh_blocks(&mesh, afxi_block_order_exists(order) ? order : AFXI_ORDER_OWN);
    p->mesh = mesh;
    assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &p->plan), AFX_OK);
    for (int pass = 0; pass < 2; pass++) {
        size_t rows = p->plan.row_count;
        afxi_block_take(&p->factor, &arena, &p->plan);
        p->x = afxi_arena_take(&arena, rows, sizeof(double));
        p->b = afxi_arena_take(&arena, rows, sizeof(double));
        p->residual = afxi_arena_take(&arena, rows, sizeof(double));
        p->size = afxi_arena_take(&arena, rows, sizeof(double));
        if (pass == 0) {
            arena.base = afxi_allocate_aligned(&allocator, arena.used, &p->raw, &p->raw_size);
            assert_non_null(arena.base);
            arena.used = 0;
        }
    }
    uint64_t seed = 5;
    for (uint32_t k = 0; k < p->plan.row_count; k++) {
        p->b[k] = 2 * random_unit(&seed) - 1;
    }
}

static void large_free(Large *p) {
    AfxAllocator allocator = afx_default_allocator();
    afxi_release(&allocator, p->raw, p->raw_size);
    afxi_block_plan_destroy(&p->plan);
    mesh_free(&p->mesh);
}

static void check_residual(Large *p) {
    uint32_t rows = p->plan.row_count;
    memset(p->residual, 0, rows * sizeof(double));
    memset(p->size, 0, rows * sizeof(double));
    visit(p, false);
    for (uint32_t k = 0; k < rows; k++) {
        assert_true(p->size[k] < DIAGONAL); /* or the matrix need not be definite */
        assert_near(p->residual[k], p->b[k], 1e-13);
    }
}

static void run(Large *p, uint32_t threads, double *carried) {
    AfxiBlockReport report;
    p->factor.threads = threads;
    afxi_block_clear(&p->plan, &p->factor);
    visit(p, true);
    afxi_block_factor(&p->plan, &p->factor, NULL, 0, p->b, &report);
    assert_true(report.pivot > 0 && report.wrong == 0);
    afxi_block_back(&p->plan, &p->factor, carried);
    memcpy(p->x, p->b, p->plan.row_count * sizeof(double));
    afxi_block_solve(&p->plan, &p->factor, p->x);
}

static void check_large(Mesh mesh, AfxiBlockOrder order, bool many_groups) {
    Large p = {0};
    large_make(&p, mesh, order);
    size_t bytes = p.plan.row_count * sizeof(double);
    double *first = malloc(2 * bytes), *carried = malloc(2 * bytes);
    assert_true(first && carried);
    if (many_groups) {
        assert_true(p.plan.tree->stage[0].group_end > 2);
    }
    run(&p, 1, carried);
    memcpy(first, p.x, bytes);
    check_residual(&p);
    memcpy(p.x, carried, bytes);
    check_residual(&p);
    static const uint32_t threads[] = {2, 4, 3};
    for (int k = 0; k < 3; k++) {
        run(&p, threads[k], carried + p.plan.row_count);
        assert_memory_equal(p.x, first, bytes);
        assert_memory_equal(carried, carried + p.plan.row_count, bytes);
    }
    free(first);
    free(carried);
    large_free(&p);
}

static void nets_are_solved_by_any_number_of_threads(void **state) {
    (void)state;
    static const AfxiBlockOrder orders[] = {AFXI_ORDER_OWN, AFXI_ORDER_METIS, AFXI_ORDER_AMD};
    for (int k = 0; k < 3; k++) {
        check_large(mesh_net(24), orders[k], true);
    }
}

static void trees_are_solved_by_any_number_of_threads(void **state) {
    (void)state;
    uint64_t seed = 6;
    check_large(mesh_tree(8000, 6, &seed), AFXI_ORDER_OWN, true);
    check_large(mesh_tree(8000, 3, &seed), AFXI_ORDER_OWN, false);
    check_large(mesh_tree(3000, 5, &seed), AFXI_ORDER_AUTO, false);
}

static void long_chains_are_solved(void **state) {
    (void)state;
    check_large(mesh_chain(20000), AFXI_ORDER_OWN, false);
    uint64_t seed = 7;
    Mesh scattered = mesh_chain(60000); /* planned with labels of its own */
    mesh_shuffle(&scattered, &seed);
    check_large(scattered, AFXI_ORDER_AUTO, false);
}

int run_large_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets_are_solved_by_any_number_of_threads),
        cmocka_unit_test(trees_are_solved_by_any_number_of_threads),
        cmocka_unit_test(long_chains_are_solved),
    };
    return cmocka_run_group_tests_name("large", tests, NULL, NULL);
}

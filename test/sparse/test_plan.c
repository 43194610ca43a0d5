/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: where blocks stand, what is refused, what happens without memory, and large structures. */
#include "sparse/factor.h"
#include "sparse/kernel.h"
#include "sparse/library.h"
#include "sparse/plan.h"
#include "sparse/solve.h"
#include "sparse/tree.h"
#include "sparse/values.h"
#include "support/allocator.h"
#include "tests.h"

static const AfxiBlockOrder orders[] = {AFXI_ORDER_AUTO, AFXI_ORDER_DENSE, AFXI_ORDER_OWN, AFXI_ORDER_AMD,
                                        AFXI_ORDER_METIS};

/* Counts how often each double is part of a block; the diagonal blocks' upper halves do not count. */
static void mark_block(const AfxiBlockPlan *plan, const Graph *graph, uint32_t i, uint32_t j, uint8_t *used) {
    AfxiBlockSpot spot, turned;
    assert_true(afxi_block_spot(plan, i, j, &spot) && afxi_block_spot(plan, j, i, &turned));
    assert_int_equal(spot.at, turned.at);
    assert_int_equal(spot.row_step, i == j ? turned.row_step : turned.column_step);
    assert_int_equal(spot.column_step, i == j ? turned.column_step : turned.row_step);
    for (uint32_t r = 0; r < graph->size[i]; r++) {
        for (uint32_t c = 0; c < (i == j ? r + 1 : graph->size[j]); c++) {
            size_t at = spot.at + (size_t)r * spot.row_step + (size_t)c * spot.column_step;
            assert_true(at < plan->clear_length && plan->clear_length <= plan->value_length);
            assert_int_equal(used[at]++, 0);
        }
    }
}

static void every_block_has_a_place_of_its_own(void **state) {
    (void)state;
    uint64_t seed = 30;
    AfxAllocator allocator = afx_default_allocator();
    static Graph graph;
    for (int trial = 0; trial < 15 * 5 * GRAPH_KINDS; trial++) {
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), trial % 2, &seed);
        AfxiBlockGraph blocks = graph_blocks(&graph, orders[trial / GRAPH_KINDS % 5]);
        if (!afxi_block_order_exists(blocks.order)) {
            continue;
        }
        AfxiBlockPlan plan;
        AfxiBlockSpot spot;
        assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &plan), AFX_OK);
        uint8_t *used = calloc(plan.value_length + 1, 1);
        assert_non_null(used);
        for (uint32_t i = 0; i < graph.count; i++) {
            for (uint32_t j = 0; j <= i; j++) {
                if (i == j || graph.joined[i][j]) {
                    mark_block(&plan, &graph, i, j, used);
                } else if (blocks.order != AFXI_ORDER_DENSE && afxi_block_spot(&plan, i, j, &spot)) {
                    mark_block(&plan, &graph, i, j, used); /* room that the factor needs anyway */
                }
            }
        }
        free(used);
        afxi_block_plan_destroy(&plan);
    }
}

/* Update matrices that are alive at the same time must not overlap; stages are replayed as the factor runs them. */
static void memory_of_updates_is_not_shared(void **state) {
    (void)state;
    uint64_t seed = 31;
    AfxAllocator allocator = afx_default_allocator();
    Mesh meshes[] = {mesh_net(25), mesh_tree(3000, 6, &seed), mesh_chain(5000)};
    for (int m = 0; m < 3; m++) {
        AfxiBlockGraph blocks = mesh_blocks(&meshes[m], AFXI_ORDER_OWN);
        AfxiBlockPlan plan;
        assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &plan), AFX_OK);
        const AfxiBlockTree *tree = plan.tree;
        uint32_t *user = malloc((plan.work_length + 1) * sizeof(uint32_t));
        assert_non_null(user);
        memset(user, 0xff, (plan.work_length + 1) * sizeof(uint32_t));
        for (uint32_t j = 0; j < tree->job_count; j++) {
            for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
                uint32_t k = tree->job[j].front[l];
                const AfxiFront *front = &tree->front[k];
                size_t length = (size_t)front->height * front->update_leading;
                for (size_t e = 0; e < length; e++) {
                    user[front->update + e] = k;
                }
            }
            for (uint32_t l = 0; l < AFXI_BATCH && tree->job[j].front[l] != AFXI_NO_FRONT; l++) {
                uint32_t c = tree->front[tree->job[j].front[l]].first_child;
                for (; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
                    const AfxiFront *child = &tree->front[c];
                    for (size_t e = 0; e < (size_t)child->height * child->update_leading; e++) {
                        assert_int_equal(user[child->update + e], c);
                    }
                }
            }
        }
        free(user);
        afxi_block_plan_destroy(&plan);
        mesh_free(&meshes[m]);
    }
}

static void automatic_is_never_worse(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    Mesh mesh = mesh_net(12);
    double flops[5] = {0};
    for (int k = 0; k < 5; k++) {
        AfxiBlockGraph blocks = mesh_blocks(&mesh, orders[k]);
        AfxiBlockPlan plan;
        if (afxi_block_order_exists(orders[k])) {
            assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &plan), AFX_OK);
            flops[k] = plan.flops;
            assert_true(flops[0] <= flops[k]);
            assert_true(k > 0 || plan.used != AFXI_ORDER_AUTO);
            afxi_block_plan_destroy(&plan);
        }
    }
    assert_true(flops[1] > 20 * flops[0]);
    mesh_free(&mesh);
}

static AfxStatus create_and_destroy(const AfxiBlockGraph *blocks) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiBlockPlan plan;
    AfxStatus status = afxi_block_plan_create(&allocator, blocks, &plan);
    if (status != AFX_OK) {
        assert_true(plan.order == NULL && plan.tree == NULL && plan.count == 0);
    }
    afxi_block_plan_destroy(&plan);
    return status;
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    uint32_t size[4] = {3, 3, 3, 3}, start[3] = {0, 2, 4}, member[4] = {0, 1, 1, 3}, given[4] = {3, 2, 0, 1};
    int8_t sign[4] = {1, -1, 1, -1};
    const AfxiBlockGraph good = {.count = 4,
                                 .size = size,
                                 .sign = sign,
                                 .clique_count = 2,
                                 .clique_start = start,
                                 .member = member,
                                 .order = AFXI_ORDER_GIVEN,
                                 .given = given};
    AfxiBlockGraph bad = good;
    assert_int_equal(create_and_destroy(&good), AFX_OK);
    given[2] = 3;
    assert_int_equal(create_and_destroy(&good), AFX_E_ARGUMENT);
    given[2] = 4;
    assert_int_equal(create_and_destroy(&good), AFX_E_ARGUMENT);
    given[2] = 0;
    member[3] = 4;
    assert_int_equal(create_and_destroy(&good), AFX_E_ARGUMENT);
    member[3] = 3;
    size[2] = 0;
    assert_int_equal(create_and_destroy(&good), AFX_E_ARGUMENT);
    size[2] = 3;
    sign[1] = 0;
    assert_int_equal(create_and_destroy(&good), AFX_E_ARGUMENT);
    sign[1] = 1;
    start[1] = 5;
    assert_int_equal(create_and_destroy(&good), AFX_E_ARGUMENT);
    start[1] = 2;
    bad.given = NULL;
    assert_int_equal(create_and_destroy(&bad), AFX_E_ARGUMENT);
    bad.order = (AfxiBlockOrder)17;
    assert_int_equal(create_and_destroy(&bad), AFX_E_ARGUMENT);
    for (int k = 0; k < 4; k++) {
        size[k] = UINT32_MAX / 4;
    }
    assert_int_equal(create_and_destroy(&good), AFX_E_LIMIT);
}

static void nothing_is_a_plan_too(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    for (int k = 0; k < 5; k++) {
        AfxiBlockGraph blocks = {.order = orders[k]};
        AfxiBlockPlan plan;
        AfxiBlockFactor factor = {0};
        AfxiBlockReport report;
        if (!afxi_block_order_exists(orders[k])) {
            continue;
        }
        assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &plan), AFX_OK);
        double value[1], work[64];
        assert_true(plan.value_length == 0 && plan.work_length <= 64);
        factor = (AfxiBlockFactor){.value = value, .work = work, .kernel = afxi_block_kernel(0)};
        afxi_block_clear(&plan, &factor);
        afxi_block_factor(&plan, &factor, NULL, 0, NULL, &report);
        assert_true(report.pivot > 0 && report.row == UINT32_MAX && report.wrong == 0);
        afxi_block_solve(&plan, &factor, NULL);
        afxi_block_plan_destroy(&plan);
    }
}

static void without_memory_nothing_is_left(void **state) {
    (void)state;
    uint64_t seed = 32;
    static Graph graph;
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        graph_make(&graph, (GraphKind)kind, true, &seed);
        for (int k = 0; k < 5; k++) {
            AfxiBlockGraph blocks = graph_blocks(&graph, orders[k]);
            AfxStatus status = AFX_E_MEMORY;
            if (!afxi_block_order_exists(orders[k])) {
                continue;
            }
            for (uint64_t fail_at = 1; status != AFX_OK; fail_at++) {
                TestAllocator counts = {.fail_at = fail_at};
                AfxAllocator allocator = test_allocator(&counts);
                AfxiBlockPlan plan;
                status = afxi_block_plan_create(&allocator, &blocks, &plan);
                assert_true(status == AFX_OK || status == AFX_E_MEMORY);
                assert_true(status == AFX_OK ? counts.calls < fail_at : counts.live == 0);
                afxi_block_plan_destroy(&plan);
                assert_int_equal(counts.live, 0);
                assert_int_equal(counts.errors, 0);
            }
        }
    }
}

static void a_million_blocks_are_planned(void **state) {
    (void)state;
    uint64_t seed = 33;
    uint32_t counts[] = {1000000, 100000};
    Mesh meshes[] = {mesh_chain(counts[0]), mesh_tree(counts[1], 6, &seed)};
    for (int m = 0; m < 2; m++) {
        TestAllocator memory = {0};
        AfxAllocator allocator = test_allocator(&memory);
        AfxiBlockGraph blocks = mesh_blocks(&meshes[m], AFXI_ORDER_AUTO);
        AfxiBlockPlan plan;
        assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &plan), AFX_OK);
        assert_int_equal(plan.used, AFXI_ORDER_OWN);
        assert_true(memory.peak < 600u * (size_t)counts[m]); /* linear */
        assert_true(plan.value_length < 400u * (size_t)counts[m]);
        assert_true(m > 0 || plan.entry_count == counts[0] - 1);
        afxi_block_plan_destroy(&plan);
        mesh_free(&meshes[m]);
    }
}

/* Far more than there is memory for: sizes are right or the plan is refused, and nothing overflows. */
static void a_dense_giant_is_counted_or_refused(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    Mesh mesh = mesh_chain(300000);
    AfxiBlockGraph blocks = mesh_blocks(&mesh, AFXI_ORDER_DENSE);
    AfxiBlockPlan plan;
    assert_int_equal(afxi_block_plan_create(&allocator, &blocks, &plan), AFX_OK);
    assert_true(plan.value_length > 810000000000u && plan.front_count == 1);
    assert_near(plan.flops, 9e5 * 9e5 * 9e5 / 3, 1e13);
    afxi_block_plan_destroy(&plan);
    uint32_t size[4] = {1u << 28, 1u << 28, 1u << 28, (1u << 28) - 1}, start[2] = {0, 4}, member[4] = {0, 1, 2, 3};
    AfxiBlockGraph four = {.count = 4, .size = size, .clique_count = 1, .clique_start = start, .member = member};
    assert_int_equal(afxi_block_plan_create(&allocator, &four, &plan), AFX_E_LIMIT);
    mesh_free(&mesh);
}

int run_plan_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_has_a_place_of_its_own),
        cmocka_unit_test(memory_of_updates_is_not_shared),
        cmocka_unit_test(automatic_is_never_worse),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(nothing_is_a_plan_too),
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(a_million_blocks_are_planned),
        cmocka_unit_test(a_dense_giant_is_counted_or_refused),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}

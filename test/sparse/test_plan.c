/* SPDX-License-Identifier: Apache-2.0 */
/* The symbolic factor: its structure is that of the true factor, and every block has its own place. */
#include "sparse/block.h"
#include "support/allocator.h"
#include "tests.h"

static AfxiBlockPlan plan_of(const Graph *graph) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiBlockPlan plan;
    assert_int_equal(
        afxi_block_plan_create(&allocator, graph->count, graph->size, graph->edge_count, graph->edge, &plan), AFX_OK);
    return plan;
}

/* Dense boolean elimination in the plan's order. */
static void check_structure(const Graph *graph, const AfxiBlockPlan *plan) {
    static uint8_t filled[NODES_MOST][NODES_MOST];
    uint32_t n = graph->count, entries = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            filled[i][j] = graph->joined[plan->order[i]][plan->order[j]];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = plan->start[k];
        for (uint32_t i = k + 1; i < n; i++) {
            if (!filled[i][k]) {
                continue;
            }
            assert_true(at < plan->start[k + 1]);
            assert_int_equal(plan->row[at++], i);
            entries++;
            for (uint32_t j = k + 1; j < n; j++) {
                filled[i][j] |= i != j && filled[j][k];
            }
        }
        assert_int_equal(at, plan->start[k + 1]);
    }
    assert_int_equal(entries, plan->entry_count);
}

static void check_places(const Graph *graph, const AfxiBlockPlan *plan) {
    uint8_t seen[NODES_MOST] = {0};
    size_t panel = 0, diagonal = 0;
    uint32_t largest = 0, tallest = 0;
    assert_int_equal(plan->count, graph->count);
    assert_int_equal(plan->start[0], 0);
    assert_int_equal(plan->start[plan->count], plan->entry_count);
    for (uint32_t k = 0; k < plan->count; k++) {
        assert_true(plan->order[k] < plan->count && !seen[plan->order[k]]++);
        assert_int_equal(plan->place[plan->order[k]], k);
        assert_int_equal(plan->size[k], graph->size[plan->order[k]]);
    }
    for (uint32_t k = 0; k < plan->count; k++) {
        uint32_t height = 0;
        assert_int_equal(plan->panel[k], panel);
        assert_int_equal(plan->diagonal[k], diagonal);
        for (uint32_t e = plan->start[k]; e < plan->start[k + 1]; e++) {
            assert_int_equal(plan->offset[e], height);
            height += plan->size[plan->row[e]];
        }
        assert_int_equal(plan->height[k], height);
        panel += (size_t)height * plan->size[k];
        diagonal += (size_t)plan->size[k] * plan->size[k];
        largest = plan->size[k] > largest ? plan->size[k] : largest;
        tallest = height > tallest ? height : tallest;
    }
    assert_int_equal(plan->panel_length, panel);
    assert_int_equal(plan->diagonal_length, diagonal);
    assert_int_equal(plan->largest, largest);
    assert_int_equal(plan->tallest, tallest);
    assert_true(plan->flops > 0);
}

static void the_structure_is_that_of_the_true_factor(void **state) {
    (void)state;
    static Graph graph;
    uint64_t seed = 10;
    for (int trial = 0; trial < 40 * GRAPH_KINDS; trial++) {
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), &seed);
        AfxiBlockPlan plan = plan_of(&graph);
        check_places(&graph, &plan);
        check_structure(&graph, &plan);
        afxi_block_plan_destroy(&plan);
    }
}

static void chains_and_trees_have_no_fill(void **state) {
    (void)state;
    static const GraphKind kinds[] = {CHAIN, TREE, STAR, LONELY};
    static Graph graph;
    uint64_t seed = 11;
    for (int trial = 0; trial < 200; trial++) {
        graph_make(&graph, kinds[trial % 4], &seed);
        AfxiBlockPlan plan = plan_of(&graph);
        assert_int_equal(plan.entry_count, graph.count - graph.components);
        afxi_block_plan_destroy(&plan);
    }
}

static void a_ring_has_the_least_fill(void **state) {
    (void)state;
    static Graph graph;
    uint64_t seed = 12;
    for (int trial = 0; trial < 50; trial++) {
        graph_make(&graph, RING, &seed);
        AfxiBlockPlan plan = plan_of(&graph);
        if (graph.count >= 3) { /* triangulating a ring of n takes n - 3 edges */
            assert_int_equal(plan.entry_count, graph.count + graph.count - 3);
        }
        afxi_block_plan_destroy(&plan);
    }
}

static void blocks_are_found_where_they_stand(void **state) {
    (void)state;
    static Graph graph;
    uint64_t seed = 13;
    for (int trial = 0; trial < 5 * GRAPH_KINDS; trial++) {
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), &seed);
        AfxiBlockPlan plan = plan_of(&graph);
        double *panel = calloc(plan.panel_length + 1, sizeof *panel);
        double *diagonal = calloc(plan.diagonal_length, sizeof *diagonal);
        assert_true(panel && diagonal);
        AfxiBlockFactor factor = {.panel = panel, .diagonal = diagonal};
        for (uint32_t j = 0; j < plan.count; j++) {
            uint32_t at = plan.start[j], leading = 0;
            assert_ptr_equal(afxi_block_at(&plan, &factor, j, j, &leading), diagonal + plan.diagonal[j]);
            assert_int_equal(leading, plan.size[j]);
            for (uint32_t i = j + 1; i < plan.count; i++) {
                double *block = afxi_block_at(&plan, &factor, i, j, &leading);
                if (at < plan.start[j + 1] && plan.row[at] == i) {
                    assert_ptr_equal(block, panel + plan.panel[j] + plan.offset[at++]);
                    assert_int_equal(leading, plan.height[j]);
                } else {
                    assert_null(block);
                }
            }
        }
        free(panel);
        free(diagonal);
        afxi_block_plan_destroy(&plan);
    }
}

static void no_blocks_are_no_trouble(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    AfxiBlockPlan plan;
    memset(&plan, 0x55, sizeof plan);
    assert_int_equal(afxi_block_plan_create(&allocator, 0, NULL, 0, NULL, &plan), AFX_OK);
    assert_int_equal(plan.count + plan.panel_length + plan.diagonal_length, 0);
    AfxiBlockFactor factor = {0};
    assert_true(afxi_block_factor(&plan, &factor) > 0);
    afxi_block_solve(&plan, &factor, NULL, NULL);
    afxi_block_plan_destroy(&plan);
    assert_int_equal(counts.live + counts.errors, 0);
}

static void a_failure_leaves_nothing(void **state) {
    (void)state;
    static Graph graph;
    uint64_t seed = 14;
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        graph_make(&graph, (GraphKind)kind, &seed);
        AfxStatus status = AFX_E_MEMORY;
        for (uint64_t k = 1; status != AFX_OK; k++) {
            TestAllocator counts = {.fail_at = k};
            AfxAllocator allocator = test_allocator(&counts);
            AfxiBlockPlan plan;
            status = afxi_block_plan_create(&allocator, graph.count, graph.size, graph.edge_count, graph.edge, &plan);
            assert_int_equal(status, counts.calls < k ? AFX_OK : AFX_E_MEMORY);
            if (status != AFX_OK) {
                assert_int_equal(counts.live, 0);
                assert_int_equal(plan.count, 0);
                assert_null(plan.order);
            }
            afxi_block_plan_destroy(&plan);
            assert_int_equal(counts.live, 0);
            assert_int_equal(counts.errors, 0);
        }
    }
}

int run_plan_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_structure_is_that_of_the_true_factor),
        cmocka_unit_test(chains_and_trees_have_no_fill),
        cmocka_unit_test(a_ring_has_the_least_fill),
        cmocka_unit_test(blocks_are_found_where_they_stand),
        cmocka_unit_test(no_blocks_are_no_trouble),
        cmocka_unit_test(a_failure_leaves_nothing),
    };
    return cmocka_run_group_tests_name("block plan", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Minimum degree against elimination on a dense table of booleans. */
#include "sparse/order.h"
#include "support/allocator.h"
#include "tests.h"

/* Eliminates in the given order: every node has the smallest degree when its turn comes, and the lists are its
 * neighbours then. */
static void check_elimination(const Graph *graph, const AfxiElimination *e) {
    static uint8_t joined[NODES_MOST][NODES_MOST];
    uint8_t gone[NODES_MOST] = {0};
    uint32_t n = graph->count;
    memcpy(joined, graph->joined, sizeof joined);
    assert_int_equal(e->count, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t node = e->order[k], degree = 0, least = UINT32_MAX;
        assert_true(node < n && !gone[node]);
        for (uint32_t a = 0; a < n; a++) {
            uint32_t own = 0;
            for (uint32_t b = 0; b < n; b++) {
                own += !gone[b] && joined[a][b];
            }
            least = !gone[a] && own < least ? own : least;
            degree = a == node ? own : degree;
        }
        assert_int_equal(degree, least);
        assert_int_equal(e->length[node], degree);
        uint8_t listed[NODES_MOST] = {0};
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t other = e->list[node][i];
            assert_true(other < n && !gone[other] && joined[node][other] && !listed[other]);
            listed[other] = 1;
        }
        gone[node] = 1;
        for (uint32_t a = 0; a < n; a++) {
            for (uint32_t b = 0; b < n; b++) {
                joined[a][b] |= a != b && joined[node][a] && joined[node][b];
            }
        }
    }
}

static void the_lists_are_those_of_dense_elimination(void **state) {
    (void)state;
    static Graph graph;
    AfxAllocator allocator = afx_default_allocator();
    uint64_t seed = 1;
    for (int trial = 0; trial < 40 * GRAPH_KINDS; trial++) {
        AfxiElimination e;
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), &seed);
        assert_int_equal(afxi_minimum_degree(&allocator, graph.count, graph.edge_count, graph.edge, &e), AFX_OK);
        check_elimination(&graph, &e);
        afxi_elimination_destroy(&allocator, &e);
    }
}

static void the_order_is_always_the_same(void **state) {
    (void)state;
    static Graph graph;
    AfxAllocator allocator = afx_default_allocator();
    uint64_t seed = 2;
    for (int trial = 0; trial < 5 * GRAPH_KINDS; trial++) {
        AfxiElimination a, b;
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), &seed);
        assert_int_equal(afxi_minimum_degree(&allocator, graph.count, graph.edge_count, graph.edge, &a), AFX_OK);
        assert_int_equal(afxi_minimum_degree(&allocator, graph.count, graph.edge_count, graph.edge, &b), AFX_OK);
        assert_memory_equal(a.order, b.order, graph.count * sizeof *a.order);
        afxi_elimination_destroy(&allocator, &a);
        afxi_elimination_destroy(&allocator, &b);
    }
}

static void no_nodes_are_no_trouble(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    AfxiElimination e;
    assert_int_equal(afxi_minimum_degree(&allocator, 0, 0, NULL, &e), AFX_OK);
    afxi_elimination_destroy(&allocator, &e);
    assert_int_equal(counts.live + counts.errors, 0);
}

/* A chain costs O(n): 100,000 nodes take no time. */
static void a_long_chain_has_no_fill(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    AfxAllocator allocator = afx_default_allocator();
    uint32_t *edge = malloc(2 * COUNT * sizeof *edge);
    assert_non_null(edge);
    for (uint32_t k = 0; k + 1 < COUNT; k++) {
        edge[2 * k] = k;
        edge[2 * k + 1] = k + 1;
    }
    AfxiElimination e;
    assert_int_equal(afxi_minimum_degree(&allocator, COUNT, COUNT - 1, edge, &e), AFX_OK);
    uint64_t entries = 0;
    for (uint32_t k = 0; k < COUNT; k++) {
        entries += e.length[k];
        assert_true(e.length[k] <= 2);
    }
    assert_int_equal(entries, COUNT - 1);
    afxi_elimination_destroy(&allocator, &e);
    free(edge);
}

static void a_failure_leaves_nothing(void **state) {
    (void)state;
    static Graph graph;
    uint64_t seed = 3;
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        graph_make(&graph, (GraphKind)kind, &seed);
        AfxStatus status = AFX_E_MEMORY;
        for (uint64_t k = 1; status != AFX_OK; k++) {
            TestAllocator counts = {.fail_at = k};
            AfxAllocator allocator = test_allocator(&counts);
            AfxiElimination e;
            status = afxi_minimum_degree(&allocator, graph.count, graph.edge_count, graph.edge, &e);
            assert_int_equal(status, counts.calls < k ? AFX_OK : AFX_E_MEMORY);
            if (status == AFX_OK) {
                afxi_elimination_destroy(&allocator, &e);
            }
            assert_null(e.list);
            assert_int_equal(counts.live, 0);
            assert_int_equal(counts.errors, 0);
        }
    }
}

int run_order_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lists_are_those_of_dense_elimination),
        cmocka_unit_test(the_order_is_always_the_same),
        cmocka_unit_test(no_nodes_are_no_trouble),
        cmocka_unit_test(a_long_chain_has_no_fill),
        cmocka_unit_test(a_failure_leaves_nothing),
    };
    return cmocka_run_group_tests_name("elimination order", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Orders: permutations, without fill where there need be none, not far from exact minimum degree elsewhere. */
#include "sparse/degree.h"
#include "sparse/library.h"
#include "sparse/relabel.h"
#include "sparse/symbolic.h"
#include "sparse/tree.h"
#include "tests.h"

static const AfxiBlockOrder libraries[] = {AFXI_ORDER_OWN, AFXI_ORDER_AMD, AFXI_ORDER_METIS};

static AfxStatus order_by(const AfxiBlockGraph *blocks, AfxiBlockOrder which, uint32_t *order) {
    AfxAllocator allocator = afx_default_allocator();
    return which == AFXI_ORDER_OWN ? afxi_order_degree(&allocator, blocks, order)
                                   : afxi_order_library(&allocator, blocks, which, order);
}

static void every_order_is_a_permutation(void **state) {
    (void)state;
    uint64_t seed = 1;
    Graph graph;
    for (int trial = 0; trial < 30 * GRAPH_KINDS; trial++) {
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), trial % 2, &seed);
        AfxiBlockGraph blocks = graph_blocks(&graph, AFXI_ORDER_OWN);
        for (int which = 0; which < 3; which++) {
            uint32_t order[NODES_MOST];
            uint8_t seen[NODES_MOST] = {0};
            if (!afxi_block_order_exists(libraries[which])) {
                assert_int_equal(order_by(&blocks, libraries[which], order), AFX_E_ARGUMENT);
                continue;
            }
            assert_int_equal(order_by(&blocks, libraries[which], order), AFX_OK);
            for (uint32_t k = 0; k < graph.count; k++) {
                assert_true(order[k] < graph.count && !seen[order[k]]);
                seen[order[k]] = 1;
            }
        }
    }
}

/* Flops, and blocks of L below the diagonal, of eliminating in an order. */
static double flops_of(const AfxiBlockGraph *blocks, const uint32_t *order, uint64_t *out_blocks) {
    AfxAllocator allocator = afx_default_allocator();
    AfxiSymbolic symbolic;
    assert_int_equal(afxi_symbolic_create(&allocator, blocks, order, false, &symbolic), AFX_OK);
    double flops = symbolic.flops;
    *out_blocks = symbolic.block_count;
    afxi_symbolic_destroy(&allocator, &symbolic);
    return flops;
}

static void trees_are_eliminated_without_fill(void **state) {
    (void)state;
    static const GraphKind kinds[] = {CHAIN, TREE, BODIES, STAR, FULL};
    uint64_t seed = 2;
    Graph graph;
    for (int trial = 0; trial < 200; trial++) {
        graph_make(&graph, kinds[trial % 5], false, &seed);
        AfxiBlockGraph blocks = graph_blocks(&graph, AFXI_ORDER_OWN);
        uint32_t order[NODES_MOST], pairs = 0;
        uint64_t filled;
        for (uint32_t i = 0; i < graph.count; i++) {
            for (uint32_t j = 0; j < i; j++) {
                pairs += graph.joined[i][j];
            }
        }
        assert_int_equal(order_by(&blocks, AFXI_ORDER_OWN, order), AFX_OK);
        flops_of(&blocks, order, &filled);
        assert_int_equal(filled, pairs);
    }
}

/* Exact minimum degree, in rows, on an explicit graph. */
static void order_exactly(const Graph *graph, uint32_t *order) {
    static uint8_t joined[NODES_MOST][NODES_MOST];
    uint8_t gone[NODES_MOST] = {0};
    memcpy(joined, graph->joined, sizeof joined);
    for (uint32_t k = 0; k < graph->count; k++) {
        uint32_t best = UINT32_MAX, lowest = UINT32_MAX;
        for (uint32_t i = 0; i < graph->count; i++) {
            uint32_t degree = 0;
            for (uint32_t j = 0; j < graph->count; j++) {
                degree += !gone[j] && joined[i][j] ? graph->size[j] : 0;
            }
            if (!gone[i] && degree < lowest) {
                lowest = degree;
                best = i;
            }
        }
        order[k] = best;
        gone[best] = 1;
        for (uint32_t i = 0; i < graph->count; i++) {
            for (uint32_t j = 0; j < graph->count; j++) {
                joined[i][j] |= i != j && joined[i][best] && joined[best][j];
            }
        }
    }
}

static void our_order_is_about_minimum_degree(void **state) {
    (void)state;
    uint64_t seed = 3;
    double ours = 0, exact = 0, as_they_come = 0;
    Graph graph;
    for (int trial = 0; trial < 40 * GRAPH_KINDS; trial++) {
        uint32_t order[NODES_MOST];
        uint64_t filled;
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), false, &seed);
        AfxiBlockGraph blocks = graph_blocks(&graph, AFXI_ORDER_OWN);
        assert_int_equal(order_by(&blocks, AFXI_ORDER_OWN, order), AFX_OK);
        ours += flops_of(&blocks, order, &filled);
        order_exactly(&graph, order);
        exact += flops_of(&blocks, order, &filled);
        for (uint32_t k = 0; k < graph.count; k++) {
            order[k] = k;
        }
        as_they_come += flops_of(&blocks, order, &filled);
    }
    assert_true(ours < 1.1 * exact);
    assert_true(ours < 0.7 * as_they_come);
}

/* A hub that is in very many cliques must not be eliminated early, nor be looked at in every step. */
static void a_block_in_very_many_cliques_comes_last(void **state) {
    (void)state;
    uint32_t n = 100000, *member = malloc(2 * n * sizeof(uint32_t)), *start = malloc((n + 1) * sizeof(uint32_t));
    uint32_t *size = malloc(n * sizeof(uint32_t)), *order = malloc(n * sizeof(uint32_t));
    assert_true(member && start && size && order);
    for (uint32_t k = 0; k < n; k++) {
        member[2 * k] = 17;
        member[2 * k + 1] = k;
        start[k] = 2 * k;
        size[k] = 3;
    }
    start[n] = 2 * n;
    AfxiBlockGraph blocks = {.count = n, .size = size, .clique_count = n, .clique_start = start, .member = member};
    assert_int_equal(order_by(&blocks, AFXI_ORDER_OWN, order), AFX_OK);
    assert_int_equal(order[n - 1], 17);
    free(member);
    free(start);
    free(size);
    free(order);
}

static void a_net_is_ordered_as_well_as_by_the_libraries(void **state) {
    (void)state;
    Mesh mesh = mesh_net(30);
    AfxiBlockGraph blocks = mesh_blocks(&mesh, AFXI_ORDER_OWN);
    uint32_t *order = malloc(mesh.count * sizeof(uint32_t));
    assert_non_null(order);
    double flops[3] = {0};
    for (int which = 0; which < 3; which++) {
        if (afxi_block_order_exists(libraries[which])) {
            uint64_t filled;
            assert_int_equal(order_by(&blocks, libraries[which], order), AFX_OK);
            flops[which] = flops_of(&blocks, order, &filled);
            assert_true(flops[0] < 1.6 * flops[which]);
        }
    }
    free(order);
    mesh_free(&mesh);
}

/* Another set of labels for the same graph; neighbours of a tree stand next to each other in it. */
static void relabelling_keeps_the_graph(void **state) {
    (void)state;
    uint64_t seed = 4;
    AfxAllocator allocator = afx_default_allocator();
    static Graph graph;
    static uint8_t joined[NODES_MOST][NODES_MOST];
    for (int trial = 0; trial < 20 * GRAPH_KINDS; trial++) {
        AfxiRelabelled other;
        uint32_t given[NODES_MOST];
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), trial % 2, &seed);
        AfxiBlockGraph blocks = graph_blocks(&graph, AFXI_ORDER_GIVEN);
        for (uint32_t k = 0; k < graph.count; k++) {
            given[k] = graph.count - 1 - k;
        }
        blocks.given = given;
        assert_int_equal(afxi_relabel(&allocator, &blocks, &other), AFX_OK);
        for (uint32_t k = 0; k < graph.count; k++) {
            assert_int_equal(other.label[other.block[k]], k);
            assert_int_equal(other.graph.size[k], graph.size[other.block[k]]);
            assert_int_equal(other.graph.sign[k], graph.sign[other.block[k]]);
            assert_int_equal(other.block[other.graph.given[k]], given[k]);
        }
        memset(joined, 0, sizeof joined);
        for (uint32_t e = 0; e < other.graph.clique_count; e++) {
            for (uint32_t a = other.graph.clique_start[e]; a < other.graph.clique_start[e + 1]; a++) {
                for (uint32_t b = other.graph.clique_start[e]; b < a; b++) {
                    uint32_t i = other.block[other.graph.member[a]], j = other.block[other.graph.member[b]];
                    joined[i][j] = joined[j][i] = i != j;
                }
            }
        }
        assert_memory_equal(joined, graph.joined, sizeof joined);
        afxi_relabel_destroy(&allocator, &other);
    }
}

int run_order_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_a_permutation),
        cmocka_unit_test(trees_are_eliminated_without_fill),
        cmocka_unit_test(our_order_is_about_minimum_degree),
        cmocka_unit_test(a_block_in_very_many_cliques_comes_last),
        cmocka_unit_test(a_net_is_ordered_as_well_as_by_the_libraries),
        cmocka_unit_test(relabelling_keeps_the_graph),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Supernodes against elimination of an explicit graph. */
#include "sparse/symbolic.h"
#include "tests.h"

/* below[i][j]: whether L has a block (i, j), by place, in the order of the symbolic. */
static void eliminate(const Graph *graph, const uint32_t *order, uint8_t below[NODES_MOST][NODES_MOST]) {
    memset(below, 0, sizeof(uint8_t[NODES_MOST][NODES_MOST]));
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            below[i][j] = graph->joined[order[i]][order[j]];
        }
    }
    for (uint32_t k = 0; k < graph->count; k++) {
        for (uint32_t i = k + 1; i < graph->count; i++) {
            for (uint32_t j = k + 1; j < i; j++) {
                below[i][j] |= below[i][k] && below[j][k];
            }
        }
    }
}

static void random_order(uint32_t count, uint32_t *order, uint64_t *seed) {
    for (uint32_t k = 0; k < count; k++) {
        uint32_t other = random_below(seed, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
}

/* Checks one supernode; extra: blocks that stand in it without being in L. */
static uint64_t check_node(const Graph *graph, const AfxiSymbolic *s, uint32_t k,
                           uint8_t below[NODES_MOST][NODES_MOST]) {
    uint32_t width = 0, height = 0, last = s->first[k + 1] - 1;
    uint64_t stored = 0, real = 0;
    uint8_t listed[NODES_MOST] = {0};
    for (uint32_t r = s->start[k]; r < s->start[k + 1]; r++) {
        assert_true(s->row[r] > last && (r == s->start[k] || s->row[r] > s->row[r - 1]));
        listed[s->row[r]] = 1;
        height += graph->size[s->order[s->row[r]]];
    }
    for (uint32_t j = s->first[k]; j <= last; j++) {
        width += graph->size[s->order[j]];
        assert_int_equal(graph->sign[s->order[j]], graph->sign[s->order[last]]);
        for (uint32_t i = j + 1; i < graph->count; i++) {
            bool inside = i <= last || listed[i];
            assert_true(inside || !below[i][j]);
            stored += inside;
            real += below[i][j];
        }
    }
    assert_int_equal(width, s->width[k]);
    assert_int_equal(height, s->height[k]);
    if (s->start[k] == s->start[k + 1]) {
        assert_int_equal(s->parent[k], UINT32_MAX);
    } else {
        uint32_t parent = s->parent[k], first = s->row[s->start[k]];
        assert_true(parent > k && parent < s->count);
        assert_true(first >= s->first[parent] && first < s->first[parent + 1]);
    }
    return stored - real;
}

static void supernodes_hold_the_factor(void **state) {
    (void)state;
    uint64_t seed = 10;
    AfxAllocator allocator = afx_default_allocator();
    static Graph graph;
    static uint8_t below[NODES_MOST][NODES_MOST];
    for (int trial = 0; trial < 60 * GRAPH_KINDS; trial++) {
        bool relax = trial / GRAPH_KINDS % 2;
        uint32_t order[NODES_MOST];
        AfxiSymbolic symbolic;
        graph_make(&graph, (GraphKind)(trial % GRAPH_KINDS), trial / GRAPH_KINDS % 3 == 0, &seed);
        random_order(graph.count, order, &seed);
        AfxiBlockGraph blocks = graph_blocks(&graph, AFXI_ORDER_OWN);
        assert_int_equal(afxi_symbolic_create(&allocator, &blocks, order, relax, &symbolic), AFX_OK);
        eliminate(&graph, symbolic.order, below);
        uint64_t extra = 0, real = 0;
        double flops = 0;
        assert_int_equal(symbolic.first[symbolic.count], graph.count);
        for (uint32_t k = 0; k < symbolic.count; k++) {
            extra += check_node(&graph, &symbolic, k, below);
        }
        for (uint32_t j = 0; j < graph.count; j++) {
            uint32_t rows = 0;
            assert_int_equal(symbolic.place[symbolic.order[j]], j);
            for (uint32_t i = j + 1; i < graph.count; i++) {
                real += below[i][j];
                rows += below[i][j] ? graph.size[symbolic.order[i]] : 0;
            }
            for (uint32_t c = 1; c <= graph.size[symbolic.order[j]]; c++) {
                flops += (double)(rows + c) * (rows + c);
            }
        }
        assert_int_equal(symbolic.block_count, real);
        assert_true(relax || extra == 0);
        assert_true(relax ? symbolic.flops >= flops : fabs(symbolic.flops - flops) <= 1e-9 * flops);
        afxi_symbolic_destroy(&allocator, &symbolic);
    }
}

static void sorting_sorts(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (uint32_t n = 0; n < 200; n++) {
        uint32_t value[200], sum = 0, after = 0;
        for (uint32_t k = 0; k < n; k++) {
            value[k] = random_below(&seed, n);
            sum += value[k] * value[k];
        }
        afxi_sort(value, n);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(k == 0 || value[k - 1] <= value[k]);
            after += value[k] * value[k];
        }
        assert_int_equal(sum, after);
    }
}

int run_symbolic_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supernodes_hold_the_factor),
        cmocka_unit_test(sorting_sorts),
    };
    return cmocka_run_group_tests_name("symbolic", tests, NULL, NULL);
}

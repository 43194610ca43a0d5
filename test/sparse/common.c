/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs for the tests. */
#include "tests.h"

double random_unit(uint64_t *seed) {
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

uint32_t random_below(uint64_t *seed, uint32_t count) {
    return (uint32_t)(random_unit(seed) * count);
}

void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
    _fail(file, line);
}

static void join(Graph *graph, const uint32_t *label, uint32_t a, uint32_t b) {
    graph->edge[2 * graph->edge_count] = label[a];
    graph->edge[2 * graph->edge_count + 1] = label[b];
    graph->edge_count++;
    if (a != b) {
        graph->joined[label[a]][label[b]] = graph->joined[label[b]][label[a]] = 1;
    }
}

/* Edges of one kind among the nodes from `first` on. */
static void join_all(Graph *graph, GraphKind kind, const uint32_t *label, uint32_t first, uint32_t n, uint64_t *seed) {
    uint32_t width = (uint32_t)ceil(sqrt(n));
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t j = 0; j < k; j++) {
            bool next = k == j + 1, joined = false;
            switch (kind) {
            case CHAIN:
                joined = next;
                break;
            case RING:
                joined = next || (j == 0 && k == n - 1);
                break;
            case GRID:
                joined = k == j + width || (next && k % width != 0);
                break;
            case STAR:
                joined = j == 0;
                break;
            case RANDOM:
                joined = random_unit(seed) < 3.0 / n;
                break;
            case DENSE:
                joined = true;
                break;
            default:
                break;
            }
            if (joined) {
                join(graph, label, first + k, first + j);
            }
        }
        if (kind == TREE && k > 0) {
            join(graph, label, first + k, first + random_below(seed, k));
        }
    }
}

static uint32_t count_components(const Graph *graph) {
    uint8_t seen[NODES_MOST] = {0};
    uint32_t stack[NODES_MOST], components = 0;
    for (uint32_t root = 0; root < graph->count; root++) {
        uint32_t depth = 0;
        components += !seen[root];
        if (!seen[root]) {
            seen[root] = 1;
            stack[depth++] = root;
        }
        while (depth) {
            uint32_t node = stack[--depth];
            for (uint32_t k = 0; k < graph->count; k++) {
                if (graph->joined[node][k] && !seen[k]) {
                    seen[k] = 1;
                    stack[depth++] = k;
                }
            }
        }
    }
    return components;
}

void graph_make(Graph *graph, GraphKind kind, uint64_t *seed) {
    uint32_t label[NODES_MOST];
    memset(graph, 0, sizeof *graph);
    uint32_t n = graph->count = 1 + random_below(seed, NODES_MOST), one = random_unit(seed) < 0.3;
    uint32_t size = 1 + random_below(seed, 6);
    for (uint32_t k = 0; k < n; k++) {
        graph->size[k] = one ? size : 1 + random_below(seed, 6);
        uint32_t other = random_below(seed, k + 1);
        label[k] = label[other];
        label[other] = k;
    }
    if (kind == PARTS) {
        for (uint32_t first = 0; first < n;) {
            uint32_t left = n - first, part = 1 + random_below(seed, left < 12 ? left : 12);
            join_all(graph, (GraphKind)random_below(seed, PARTS), label, first, part, seed);
            first += part;
        }
    } else {
        join_all(graph, kind, label, 0, n, seed);
    }
    uint32_t given = graph->edge_count; /* again, turned round, and loops */
    for (uint32_t k = 0; k < given; k++) {
        if (random_unit(seed) < 0.2) {
            graph->edge[2 * graph->edge_count] = graph->edge[2 * k + 1];
            graph->edge[2 * graph->edge_count + 1] = graph->edge[2 * k];
            graph->edge_count++;
        }
    }
    for (uint32_t k = 0; k < n; k += 3) {
        join(graph, label, k, k);
    }
    graph->components = count_components(graph);
}

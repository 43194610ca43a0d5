/* SPDX-License-Identifier: Apache-2.0 */
/* Small graphs for comparison with dense matrices. */
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

static void open_clique(Graph *graph) {
    graph->clique_start[graph->clique_count + 1] = graph->clique_start[graph->clique_count];
    graph->clique_count++;
}

static void add_member(Graph *graph, uint32_t node) {
    uint32_t *end = &graph->clique_start[graph->clique_count];
    assert_true(*end < MEMBERS_MOST && graph->clique_count + 2 < MEMBERS_MOST);
    for (uint32_t k = graph->clique_start[graph->clique_count - 1]; k < *end; k++) {
        if (graph->member[k] != node) {
            graph->joined[graph->member[k]][node] = graph->joined[node][graph->member[k]] = 1;
        }
    }
    graph->member[(*end)++] = node;
}

static void join(Graph *graph, uint32_t a, uint32_t b) {
    open_clique(graph);
    add_member(graph, a);
    add_member(graph, b);
}

/* Joints as blocks, bodies as cliques: joint k hangs a body on one of the bodies so far. */
static void join_bodies(Graph *graph, const uint32_t *label, uint32_t n, uint64_t *seed) {
    uint32_t body[NODES_MOST]; /* that joint k hangs its own on */
    for (uint32_t k = 0; k < n; k++) {
        body[k] = random_below(seed, k + 1);
    }
    for (uint32_t b = 0; b <= n; b++) {
        open_clique(graph);
        for (uint32_t k = 0; k < n; k++) {
            if (body[k] == b || k + 1 == b) {
                add_member(graph, label[k]);
            }
        }
    }
}

/* A strip of a net: bodies in two rows; every link has a joint at either end. */
static void join_net(Graph *graph, const uint32_t *label, uint32_t n) {
    for (uint32_t k = 0; k + 1 < n; k += 2) {
        join(graph, label[k], label[k + 1]);
    }
    for (uint32_t k = 1; k + 4 < n; k += 2) {
        open_clique(graph);
        add_member(graph, label[k]);
        add_member(graph, label[k + 1]);
        add_member(graph, label[k + 3]);
    }
}

static void join_edges(Graph *graph, GraphKind kind, const uint32_t *label, uint32_t n, uint64_t *seed) {
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
            default:
                break;
            }
            if (joined) {
                join(graph, label[k], label[j]);
            }
        }
        if (kind == TREE && k > 0) {
            join(graph, label[k], label[random_below(seed, k)]);
        }
    }
}

static void join_all(Graph *graph, GraphKind kind, const uint32_t *label, uint32_t n, uint64_t *seed) {
    switch (kind) {
    case BODIES:
        join_bodies(graph, label, n, seed);
        break;
    case NET:
        join_net(graph, label, n);
        break;
    case HUB: /* a large clique and arms on it */
        join_edges(graph, CHAIN, label + n / 2, n - n / 2, seed);
        open_clique(graph);
        for (uint32_t k = 0; k < n; k += k < n / 2 ? 1 : 3) {
            add_member(graph, label[k]);
        }
        break;
    case FULL:
        open_clique(graph);
        for (uint32_t k = 0; k < n; k++) {
            add_member(graph, label[k]);
        }
        break;
    default:
        join_edges(graph, kind, label, n, seed);
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

/* Sizes that keep within ROWS_MOST; often all the same, as in a mechanism of one kind of joint. */
static void choose_sizes(Graph *graph, bool signs, const uint32_t *label, uint64_t *seed) {
    static const uint32_t usual[] = {3, 5, 6, 1, 2, 4, SIZE_MOST};
    uint32_t n = graph->count, most = ROWS_MOST / n < SIZE_MOST ? ROWS_MOST / n : SIZE_MOST;
    uint32_t one = usual[random_below(seed, 7)];
    bool equal = random_unit(seed) < 0.6;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t size = equal ? one : 1 + random_below(seed, SIZE_MOST);
        graph->size[label[k]] = size < most ? size : most;
        graph->sign[label[k]] = signs && (k == 0 || random_unit(seed) < 0.2) ? -1 : 1;
    }
}

void graph_make(Graph *graph, GraphKind kind, bool signs, uint64_t *seed) {
    uint32_t label[NODES_MOST];
    memset(graph, 0, sizeof *graph);
    uint32_t n = graph->count = 1 + random_below(seed, NODES_MOST);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t other = random_below(seed, k + 1);
        label[k] = label[other];
        label[other] = k;
    }
    choose_sizes(graph, signs, label, seed);
    if (kind == PARTS) {
        for (uint32_t first = 0; first < n;) {
            uint32_t left = n - first, part = 1 + random_below(seed, left < 12 ? left : 12);
            join_all(graph, (GraphKind)random_below(seed, PARTS), label + first, part, seed);
            first += part;
        }
    } else {
        join_all(graph, kind, label, n, seed);
    }
    for (uint32_t k = 0; k < n; k += 3) { /* cliques that say nothing: empty, of one, of one twice */
        open_clique(graph);
        for (uint32_t r = 0; r < k % 4; r++) {
            add_member(graph, label[k]);
        }
    }
    graph->components = count_components(graph);
}

AfxiBlockGraph graph_blocks(const Graph *graph, AfxiBlockOrder order) {
    return (AfxiBlockGraph){.count = graph->count,
                            .size = graph->size,
                            .sign = graph->sign,
                            .clique_count = graph->clique_count,
                            .clique_start = graph->clique_start,
                            .member = graph->member,
                            .order = order};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and the graphs and matrices they run on. */
#ifndef AFX_TEST_SPARSE_TESTS_H
#define AFX_TEST_SPARSE_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "affix/base.h"

/** Each runs one group and returns the number of failed tests. */
int run_order_tests(void);
int run_plan_tests(void);
int run_factor_tests(void);

#define NODES_MOST 40u
#define ROWS_MOST (6u * NODES_MOST)

typedef enum GraphKind { CHAIN, TREE, RING, GRID, STAR, RANDOM, DENSE, PARTS, LONELY, GRAPH_KINDS } GraphKind;

/** A graph with shuffled labels, some edges given twice or from a node to itself, and block sizes 1 .. 6. */
typedef struct Graph {
    uint32_t count, edge_count, components;
    uint32_t size[NODES_MOST];
    uint32_t edge[4 * NODES_MOST * NODES_MOST];
    uint8_t joined[NODES_MOST][NODES_MOST]; /* symmetric, no loops */
} Graph;

void graph_make(Graph *graph, GraphKind kind, uint64_t *seed);

/** Uniform in [0, 1): splitmix64 (Steele, Lea and Flood 2014). */
double random_unit(uint64_t *seed);
/** Below `count`. */
uint32_t random_below(uint64_t *seed, uint32_t count);

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)
void assert_near_at(double got, double want, double tolerance, const char *file, int line);

#endif

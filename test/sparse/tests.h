/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of src/sparse share. */
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

#include "sparse/block.h"

#define NODES_MOST 64u
#define SIZE_MOST 12u
#define ROWS_MOST 400u
#define MEMBERS_MOST (4 * NODES_MOST * NODES_MOST)

typedef enum GraphKind { CHAIN, RING, TREE, BODIES, GRID, NET, STAR, HUB, RANDOM, FULL, PARTS, GRAPH_KINDS } GraphKind;

/* A small graph, and which pairs its cliques join. */
typedef struct Graph {
    uint32_t count, clique_count, components;
    uint32_t size[NODES_MOST], clique_start[MEMBERS_MOST], member[MEMBERS_MOST];
    int8_t sign[NODES_MOST];
    uint8_t joined[NODES_MOST][NODES_MOST];
} Graph;

/* signs: some blocks get the sign -1; star centres and hubs first. */
void graph_make(Graph *graph, GraphKind kind, bool signs, uint64_t *seed);
AfxiBlockGraph graph_blocks(const Graph *graph, AfxiBlockOrder order);

/* A graph of any size: grows as it is made. */
typedef struct Mesh {
    uint32_t count, clique_count;
    uint32_t *size, *clique_start, *member;
} Mesh;

/* A chain of `count` blocks of three rows. */
Mesh mesh_chain(uint32_t count);
/* The joints of k x k bodies with a link between neighbours. */
Mesh mesh_net(uint32_t k);
/* The joints of a random tree of bodies, `rows` each. */
Mesh mesh_tree(uint32_t count, uint32_t rows, uint64_t *seed);
/* Numbers the blocks at random; all are of the same size. */
void mesh_shuffle(Mesh *mesh, uint64_t *seed);
void mesh_free(Mesh *mesh);
AfxiBlockGraph mesh_blocks(const Mesh *mesh, AfxiBlockOrder order);

double random_unit(uint64_t *seed);
uint32_t random_below(uint64_t *seed, uint32_t count);
void assert_near_at(double got, double want, double tolerance, const char *file, int line);
#define assert_near(got, want, tolerance) assert_near_at(got, want, tolerance, __FILE__, __LINE__)

int run_order_tests(void);
int run_symbolic_tests(void);
int run_plan_tests(void);
int run_factor_tests(void);
int run_large_tests(void);

#endif

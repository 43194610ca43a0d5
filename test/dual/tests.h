/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and dual systems made by hand. */
#ifndef AFX_TEST_DUAL_TESTS_H
#define AFX_TEST_DUAL_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/energy.h"
#include "dual/system.h"

/** Each runs one group and returns the number of failed tests. */
int run_inverse_tests(void);
int run_rank_tests(void);
int run_solve_tests(void);
int run_sim_tests(void);
int run_recursion_tests(void);
int run_update_tests(void);

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)
void assert_near_at(double got, double want, double tolerance, const char *file, int line);

#define BODIES_MOST 12u
#define BLOCKS_MOST 24u
#define ROWS_MOST 64u
#define UNKNOWNS_MOST (12u * BODIES_MOST + ROWS_MOST)

/** One block of rows on a few bodies. */
typedef struct BlockSpec {
    uint32_t rows, bodies, body[3];
} BlockSpec;

/** A system made by hand: a graph without a model, its workspace, and the energies behind the inverses. */
typedef struct Rig {
    AfxiGraph graph;
    AfxiSystem system;
    BodyEnergy energy[BODIES_MOST];
    uint32_t body_start[BODIES_MOST + 1], body_entry[3 * BLOCKS_MOST];
    AfxiGraphBlock block[BLOCKS_MOST];
    AfxiGraphRow row[ROWS_MOST];
    AfxiGraphEntry entry[3 * BLOCKS_MOST];
    void *raw;
    size_t raw_size;
    uint8_t regularise;
} Rig;

/** Lays out the graph and the workspace; all rows active, everything else zero. */
void rig_make(Rig *rig, uint32_t bodies, const BlockSpec *blocks, uint32_t block_count);
/** Random bodies (with a twist stiffness where `twist`), gradients, values, starts. */
void rig_fill(Rig *rig, double young, bool twist, uint64_t *seed);
void rig_free(Rig *rig);
/** A random graph: a tree of joints, and `extra` blocks that close loops. */
uint32_t random_blocks(BlockSpec *blocks, uint32_t bodies, uint32_t extra, uint64_t *seed);
/** The gradient of row r of a block on one of its bodies. */
double *rig_jacobian(Rig *rig, uint32_t block, uint32_t which, uint32_t r);

/** x <- a^-1 x for any a, which is spoiled: elimination with row pivots. */
void dense_solve(uint32_t n, Real a[UNKNOWNS_MOST][UNKNOWNS_MOST], Real *x);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of block elimination: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_SPARSE_TUNING_H
#define AFXI_SPARSE_TUNING_H

/* Of a matrix with unit diagonal: below this a pivot is rounding; it is lifted to this and counted as wrong. */
#define AFXI_PIVOT_ROUNDING 1e-15
/* A variable in more elements than this times the root of their number is eliminated last: the rule of AMD (Amestoy,
 * Davis, Duff 1996) for dense rows. */
#define AFXI_DENSE_FACTOR 10
/* Queues of degrees, at most this many for each variable: larger degrees share the last one. Memory against exactness
 * of the order. */
#define AFXI_QUEUES_PER_VARIABLE 32
/* Chains of variables that might be one; few enough to stay in the cache. */
#define AFXI_QUOTIENT_BUCKETS 2048u
/* Cliques up to this size are written out as edges for AMD and METIS, larger ones as a star: a clique of n costs n²
 * edges (docs/decisions/ordering.md). */
#define AFXI_CLIQUE_MOST 16
/* Blocks between the first and the last member of a clique, on average: more does not fit a cache, and relabelling
 * pays. */
#define AFXI_SPREAD_MOST 16384
/* Doubles in the panels and updates of a chunk: 190 kB, to stay in a second-level cache. */
#define AFXI_CHUNK_MOST 24000
/* Clock cycles that are worth a thread, and parts to aim at where there is more. */
#define AFXI_THREAD_CYCLES_LEAST 100000
#define AFXI_THREAD_PARTS 32
/* Shapes that are batched, columns and rows of a front: larger ones fill the lanes by themselves. */
#define AFXI_BATCH_WIDTH 24
#define AFXI_BATCH_ROWS 48
/* A stands apart when it fills less of the panel than this: clearing and adding up less against copying it in. */
#define AFXI_APART_BELOW 0.65

#endif

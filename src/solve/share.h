/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted least-norm multipliers: of all that put the same forces on bodies, f = J^T lambda, those with the least
 * sum of w lambda² (Maloisel et al. 2025, Eq. 32),
 *
 *     lambda = W^-1 J y,   G y = f,   G = J^T W^-1 J,
 *
 * over the exact rows of joints, drives and couplings of a graph with loops. G is singular where bodies are free to
 * move; f has no part there, so a compliance of AFXI_SHARE_EPSILON and refinement find a y that serves. */
#ifndef AFXI_SOLVE_SHARE_H
#define AFXI_SOLVE_SHARE_H

#include "base/memory.h"
#include "solve/residual_stage.h"

typedef struct AfxiShare AfxiShare;

/** NULL where there are no loops, with AFX_OK. */
AfxStatus afxi_share_create(const AfxAllocator *allocator, const AfxModel *model, AfxiShare **out);
void afxi_share_destroy(AfxiShare *share);
/** Weights, each [joints] or [drives] or NULL for 1; copied. */
void afxi_share_weigh(AfxiShare *share, const double *force, const double *torque, const double *drive);
/** Rows where the stage has them (q, angles, joints that are on), and G, factored. */
void afxi_share_prepare(AfxiShare *share, const AfxiResidualStage *stage);
/** lambda [rows] of the model: its exact rows <- those of least norm. out_y (may be NULL) [bodies][12]: y, of a rigid
 * body the turning and the translation; 0 of bodies that have no part. What is left of f comes back, over its size. */
double afxi_share_apply(AfxiShare *share, double *lambda, double *out_y);
/** The transpose of that map at fixed J: bar [rows], of the objective by lambda of least norm, becomes that by any
 * lambda with the same forces. out_a [rows] <- W^-1 of what goes, by which J and W come in: the objective changes by
 * out_a . (dJ y - dW lambda). */
double afxi_share_reverse(AfxiShare *share, double *bar, double *out_a);
/** Whether a row of the model takes part at the stage that was prepared. */
bool afxi_share_has(const AfxiShare *share, uint32_t row);

#endif

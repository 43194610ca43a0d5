/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about rows share. */
#ifndef AFXI_STEP_ROWS_INNER_H
#define AFXI_STEP_ROWS_INNER_H

#include "step/rows.h"

/** Where bodies are taken: where the solve linearises, or at its result. */
typedef enum AfxiPlaceOfRows { AFXI_AT_FRAMES, AFXI_AT_RESULT } AfxiPlaceOfRows;

/** Both bodies of a joint at a place. */
const AfxiPairState *afxi_row_state(const AfxSim *sim, uint32_t joint, AfxiPlaceOfRows place);
double afxi_row_length(const AfxSim *sim, uint32_t joint);
AfxiAxisSpec afxi_row_axis(const AfxSim *sim, uint32_t joint, uint32_t axis);
const AfxiGraphBlock *afxi_row_block(const AfxSim *sim, uint32_t row);
/** The row of the joint's kind that a row of source AFXI_SOURCE_JOINT is. */
AfxiRowSpec afxi_row_spec(const AfxSim *sim, uint32_t row);
/** False for the rows of a joint that is switched off. */
bool afxi_row_on(const AfxSim *sim, uint32_t row);
/** Whether the row holds exactly now, and what it must measure: 0, the target of its drive, or the end of a limit. */
bool afxi_row_exact(const AfxSim *sim, uint32_t row, double *out_target);

/** Plain joints (block->plain): value, gradients and law of their rows; their largest residual at the result; the
 * geometric stiffness of their multipliers, added to bounds and exact matrices by body. */
void afxi_plain_linearise(AfxSim *sim, const AfxiGraphBlock *block);
double afxi_plain_residual(const AfxSim *sim, const AfxiGraphBlock *block);
void afxi_plain_stiffness(const AfxSim *sim, const AfxiGraphBlock *block, const double *lambda, double *out_bound,
                          double *out_exact);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What springs hold, from the definitions: for the energy book, and for steps that make energy. */
#ifndef AFXI_SOLVE_STORED_H
#define AFXI_SOLVE_STORED_H

#include "solve/residual_stage.h"

/** J, of row `row` of a graph of joints: springs on coordinates and between points, compliant couplings; 0 of others.
 */
double afxi_stored_row(const AfxiResidualStage *stage, const AfxiGraph *graph, uint32_t row);
/** J, of the rotational spring of a ball joint; 0 where it has none. */
double afxi_stored_ball(const AfxiResidualStage *stage, uint32_t joint);

#endif

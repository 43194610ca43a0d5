/* SPDX-License-Identifier: Apache-2.0 */
/* What lots do between the stages of steps, as the table of engines wants it (engine.h). Bodies are rigid there, taken
 * where they are in the present state, with unit step. */
#ifndef AFXI_ENGINE_BETWEEN_H
#define AFXI_ENGINE_BETWEEN_H

#include <math.h>

#include "engine/lot.h"

/** The larger of two numbers; NaN wins, so that what is lost does not pass for what fits. */
static inline double afxi_larger(double a, double b) {
    return b > a || isnan(b) ? b : a;
}

/** The largest coordinate by which two points, or their rates, differ. */
static inline double afxi_points_apart(AfxVec3 a, AfxVec3 b) {
    AfxVec3 gap = vec3_sub(a, b);
    return afxi_larger(fabs(gap.x), afxi_larger(fabs(gap.y), fabs(gap.z)));
}

void afxi_lot_violation(void *lot, AfxiViolation *out);
void afxi_lot_start_accelerations(void *lot, const uint8_t *wanted, double dt);
bool afxi_lot_close(void *lot, AfxiClosing *closing);
void afxi_lot_project(void *lot, const AfxiJump *jump);
AfxStatus afxi_lot_rank(void *lot, const AfxAllocator *allocator, uint32_t *out_rows, uint32_t *out_rank);

/** Rows at the present frames, for a solve of AFXI_FOR_...; `rates`: rates of joints' rows are wanted too. Ended by
 * afxi_lot_between_end. */
void afxi_lot_between_begin(AfxiLot *lot, bool rates);
/** The rows that the last solve between steps has left, once more; no body may have moved since. */
void afxi_lot_between_resume(AfxiLot *lot);
void afxi_lot_between_end(AfxiLot *lot);
/** Multipliers and delta from the values of rows and the start of bodies; what it finds of redundant rows is forgotten
 * again. */
void afxi_lot_between_solve(AfxiLot *lot, AfxiPurpose purpose);

#endif

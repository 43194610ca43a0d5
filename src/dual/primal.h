/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies from multipliers, and what the rows then lack: K is applied without having it. */
#ifndef AFXI_DUAL_PRIMAL_H
#define AFXI_DUAL_PRIMAL_H

#include "dual/system.h"

/** Gradients of points, where a tree did without so far. */
void afxi_dual_store_points(const AfxiSystem *system);
/** delta = start - H^-1 J^T lambda for every body. */
void afxi_dual_primal(AfxiSystem *system);
/** residual = scaled (C + J delta - compliance lambda) of the active rows: what the rows still lack. The largest comes
 * back; NaN spreads into it. `gaps`: also how far closed-form joints are off in the result. */
double afxi_dual_residual(AfxiSystem *system, bool gaps);
/** The same two for bodies and joints in closed form alone. */
double afxi_dual_closed_form(AfxiSystem *system);
/** lambda becomes what is fixed for rows that are off, else 0; true when any is not 0: `delta` is then the result so
 * far. */
bool afxi_dual_load_fixed(AfxiSystem *system);
/** lambda = what is fixed, 0 for active rows; delta from that. */
void afxi_dual_begin(AfxiSystem *system);

#endif

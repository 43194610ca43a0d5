/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies leave for the next one in the elimination of climb.h. */
#ifndef AFXI_DUAL_CLIMB_SLOT_H
#define AFXI_DUAL_CLIMB_SLOT_H

#include "dual/system.h"

/** A slot; and what a whole stage leaves there of a body or a ground: R, the end x of the joint towards the root, and
 * the rate of turn, `factor` times that of `rate` (NULL: none). */
double *afxi_climb_slot(const AfxiSystem *system, uint32_t slot);
void afxi_climb_pose(const AfxiSystem *system, uint32_t place, const double x[3], const double *rate, double factor,
                     double *slot);

#endif

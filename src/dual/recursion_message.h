/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies leave for the next one in the elimination of recursion.h. */
#ifndef AFXI_DUAL_RECURSION_MESSAGE_H
#define AFXI_DUAL_RECURSION_MESSAGE_H

#include "dual/system.h"

/** A message; and what a whole stage leaves there of a body or a ground: R, the end x of the joint towards the root,
 * and the rate of turn, `factor` times that of `rate` (NULL: none). */
double *afxi_recursion_message(const AfxiSystem *system, uint32_t message);
void afxi_recursion_pose(const AfxiSystem *system, uint32_t place, const double x[3], const double *rate, double factor,
                         double *message);

#endif

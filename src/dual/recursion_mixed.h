/* SPDX-License-Identifier: Apache-2.0 */
/* Where general bodies and bodies in closed form meet in the elimination of recursion.h: what general jobs know by
 * rows, in world axes, closed forms know in the axes of their bodies. One lane at a time; such joints are few. */
#ifndef AFXI_DUAL_RECURSION_MIXED_H
#define AFXI_DUAL_RECURSION_MIXED_H

#include "dual/system.h"

/** T, in full by columns of six, and t that a body in closed form has left beyond a joint of a general job; the largest
 * right-hand side there comes back. Rows that are off count for nothing: the job makes them rows of the identity. */
double afxi_mixed_take(const AfxiSystem *system, const AfxiRecursionJoint *joint, uint32_t lane, uint32_t rows,
                       double t[36], double gap[6]);
/** Leaves T, lower half column by column, and t of a general body, AFXI_RECURSION_LANES apart, for one in closed form.
 */
void afxi_mixed_leave(const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t lane, uint32_t rows,
                      const double *t, const double *gap);
/** In a whole stage: the multipliers of the joint towards the root, from the message to lambda. */
void afxi_mixed_receive(const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t lane, uint32_t rows);
/** In a whole stage: multipliers of a joint and where it is now, for the body in closed form beyond it. */
void afxi_mixed_hand_on(const AfxiSystem *system, const AfxiRecursionJoint *joint, uint32_t lane, uint32_t body,
                        uint32_t rows);

#endif

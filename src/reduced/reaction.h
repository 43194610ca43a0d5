/* SPDX-License-Identifier: Apache-2.0 */
/* What joints carry. */
#ifndef AFXI_REDUCED_REACTION_H
#define AFXI_REDUCED_REACTION_H

#include "reduced/inner.h"

/** Force and torque of a branch on its follower, as afx_sim_joint_reaction tells them, after accelerations at the
 * present state (work->du) with the multipliers `lambda` of all rows. */
void afxi_reduced_reaction(const AfxiReduced *work, uint32_t joint, const double *lambda, AfxWrench *out);

#endif

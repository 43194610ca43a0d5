/* SPDX-License-Identifier: Apache-2.0 */
/* Joints at the present state. */
#ifndef AFXI_CONSTRAINT_REACTION_H
#define AFXI_CONSTRAINT_REACTION_H

#include "joint/row.h"
#include "state/world.h"

/** Both bodies of a joint; frames are the rotations of their A. */
AfxiPairState afxi_joint_state(const AfxiWorld *world, uint32_t joint);
/** The same without frames, which values of rows and coordinates do not need: they are those of bodies at rest. */
AfxiPairState afxi_joint_pair(const AfxiWorld *world, uint32_t joint);
/** Force and torque of a joint on its follower in the axes of the joint's base frame; 0 where it has no rows. */
void afxi_joint_reaction(const AfxiWorld *world, const double *lambda, uint32_t joint, AfxWrench *out_reaction);

#endif

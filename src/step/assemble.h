/* SPDX-License-Identifier: Apache-2.0 */
/* Forward kinematics, joint by joint. */
#ifndef AFXI_STEP_ASSEMBLE_H
#define AFXI_STEP_ASSEMBLE_H

#include "step/sim.h"

/** The motion of a joint of a kind: its follower's frame in its base's, for coordinates `values`. */
AfxPose afxi_joint_motion(uint8_t joint_kind, const double *values);
/** Places the follower of a joint by where its base is, or its base by its follower, at a motion of the joint. It takes
 * the velocities of its frame along. */
void afxi_place_by_joint(AfxSim *sim, uint32_t joint, AfxPose motion, bool follower);

#endif

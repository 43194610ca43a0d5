/* SPDX-License-Identifier: Apache-2.0 */
/* affix/drive.h: drives on all free axes of a joint at once, told by poses. */
#ifndef AFFIX_DRIVE_H
#define AFFIX_DRIVE_H

#include "affix/joint.h"
#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds a drive like `def` to every free axis of its joint (def->axis is not used; of the name the first one gets it).
 * out_drives [afx_joint_axis_count] may be NULL. The scene keeps what was added before a failure. */
AFX_API AfxStatus afx_scene_add_joint_drives(AfxScene *scene, const AfxDriveDef *def, AfxDriveId *out_drives);
/** Where the follower's joint frame is to be in the base's at the end of the next step, and its velocity there (along
 * and about the base's axes): sets the targets of all position drives and servos of the joint that take them from
 * input. A ball joint with a drive on each axis follows any rotation, a free joint any motion. Angles are those that go
 * on from where the joint is: of rotations about three axes the Cardan set that is nearest, whole turns counted.
 * AFX_E_ARGUMENT: none of its drives takes targets; AFX_E_INPUT: the joint cannot be there (more than 1e-6 off), then
 * nothing is set. */
AFX_API AfxStatus afx_sim_set_joint_target(AfxSim *sim, uint32_t joint, AfxPose pose, AfxTwist twist);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Pose and twist of the body's own frame to raw coordinates and back. */
#ifndef AFXI_STATE_POSE_H
#define AFXI_STATE_POSE_H

#include "model/model.h"

void afxi_raw_from_pose(const AfxiFrame *frame, AfxPose pose, AfxTwist twist, double *out_q, double *out_v);
AfxPose afxi_pose_from_raw(const AfxiFrame *frame, const double *q);
AfxTwist afxi_twist_from_raw(const AfxiFrame *frame, const double *q, const double *v);
/** Finite, and the rotation of unit length within 1e-3. */
bool afxi_pose_valid(AfxPose pose);

#endif

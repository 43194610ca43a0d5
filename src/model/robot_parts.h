/* SPDX-License-Identifier: Apache-2.0 */
/* Controls, keyframes, sites and sensors of a model. */
#ifndef AFXI_MODEL_ROBOT_PARTS_H
#define AFXI_MODEL_ROBOT_PARTS_H

#include "model/robot.h"
#include "scene/scene.h"

/** How many numbers a keyframe has. */
size_t afxi_keyframe_numbers(const AfxiSceneKeyframe *key);
/** All of them (keyframes into `numbers`), after the generalised coordinates. */
AfxStatus afxi_robot_parts(AfxiRobot *robot, const AfxScene *scene, double *numbers, AfxError *out_error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of couplings: which of their items each term moves. */
#ifndef AFXI_MODEL_ROBOT_PATHS_H
#define AFXI_MODEL_ROBOT_PATHS_H

#include "model/model.h"
#include "scene/scene.h"

/** Fills the paths of a robot, whose arrays are there. AFX_E_INPUT where a loop goes around a joint of a path. */
AfxStatus afxi_robot_paths(AfxModel *model, const AfxScene *scene, AfxError *out_error);

#endif

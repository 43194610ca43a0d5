/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised coordinates, controls, keyframes and sites of a scene. */
#ifndef AFXI_SCENE_ROBOT_H
#define AFXI_SCENE_ROBOT_H

#include "scene/scene.h"

/** Frees them all, names included. */
void afxi_robot_release(AfxScene *scene);

#endif

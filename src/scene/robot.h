/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised coordinates, controls, keyframes and sites of a scene. */
#ifndef AFXI_SCENE_ROBOT_H
#define AFXI_SCENE_ROBOT_H

#include "scene/scene.h"

/** Room for `count` records of an array of the scene, and for the name of the last. */
AfxStatus afxi_robot_reserve(AfxScene *scene, void **array, uint32_t *capacity, uint32_t count, size_t size,
                             AfxiNames *names, const char *name);
/** Frees them all, names included. */
void afxi_robot_release(AfxScene *scene);

#endif

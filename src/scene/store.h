/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that a scene owns one by one: the tables of motions, and the geometry of meshes. */
#ifndef AFXI_SCENE_STORE_H
#define AFXI_SCENE_STORE_H

#include "scene/check.h"

/** Makes the signals' tables copies of their own; what other kinds do not use becomes 0. Nothing is left on failure. */
AfxStatus afxi_motion_copy(const AfxScene *scene, AfxMotion *motion);
void afxi_motion_free(const AfxScene *scene, AfxMotion *motion);

/** Checks and copies the geometry of a mesh or convex shape, with its hull. Nothing is left on failure. */
AfxStatus afxi_mesh_make(const AfxScene *scene, const AfxiPlace *place, const AfxShapeDef *def,
                         AfxiSceneMesh *out_mesh);
void afxi_mesh_free(const AfxScene *scene, AfxiSceneMesh *mesh);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of shapes with arrays. */
#ifndef AFXI_SCENE_MESH_H
#define AFXI_SCENE_MESH_H

#include "scene/store.h"

/** Checks and copies the geometry of a mesh with its frames, of a convex shape with its hull, or of a height field.
 * `solid`: a mesh must enclose one, otherwise it may be open. Nothing is left on failure. */
AfxStatus afxi_mesh_make(const AfxScene *scene, const AfxiErrorPlace *place, const AfxShapeDef *def, bool solid,
                         AfxiSceneMesh *out_mesh);
void afxi_mesh_free(const AfxScene *scene, AfxiSceneMesh *mesh);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a scene owns one by one: names, the tables of motions and drives, the geometry of meshes, material 0. */
#ifndef AFXI_SCENE_STORE_H
#define AFXI_SCENE_STORE_H

#include "scene/check.h"

/** Room for a name of one sort; none is needed for NULL or "". */
AfxStatus afxi_name_reserve(AfxScene *scene, AfxiNames *names, const char *name);
/** Enters a name into the room reserved last: the scene's own copy, or NULL for NULL and "". */
const char *afxi_name_enter(AfxScene *scene, AfxiNames *names, const char *name, uint32_t index);

/** The id of a stored end: a body's, or the world's for AFXI_NONE. */
AfxBodyId afxi_scene_end(const AfxScene *scene, uint32_t body);

/** Makes a signal's table a copy of its own; what its kind does not use becomes 0. The signal is 0 on failure. */
AfxStatus afxi_signal_copy(const AfxScene *scene, AfxSignal *signal);
void afxi_signal_free(const AfxScene *scene, AfxSignal *signal);
/** Makes the signals' tables copies of their own; what other kinds do not use becomes 0. Nothing is left on failure. */
AfxStatus afxi_motion_copy(const AfxScene *scene, AfxMotion *motion);
void afxi_motion_free(const AfxScene *scene, AfxMotion *motion);

/** Checks and copies the geometry of a mesh with its frames, of a convex shape with its hull, or of a height field.
 * `solid`: a mesh must enclose one, otherwise it may be open. Nothing is left on failure. */
AfxStatus afxi_mesh_make(const AfxScene *scene, const AfxiPlace *place, const AfxShapeDef *def, bool solid,
                         AfxiSceneMesh *out_mesh);
void afxi_mesh_free(const AfxScene *scene, AfxiSceneMesh *mesh);

/** Whether every shape of body `body` could be on one of this kind and mass source. */
AfxStatus afxi_shapes_fit(const AfxScene *scene, uint32_t body, AfxBodyKind kind, AfxMassSource source);

/** Material 0 as it is at the beginning. */
AfxiSceneMaterial afxi_material_first(void);

#endif

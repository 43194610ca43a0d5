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

#endif

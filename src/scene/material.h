/* SPDX-License-Identifier: Apache-2.0 */
/* Materials. */
#ifndef AFXI_SCENE_MATERIAL_H
#define AFXI_SCENE_MATERIAL_H

#include "scene/check.h"

/** A material of this scene, or {0, 0} for material 0. */
AfxStatus afxi_check_material(const AfxScene *scene, const AfxiErrorPlace *place, AfxMaterialId material);
/** Material `index`, 0 included. */
const AfxiSceneMaterial *afxi_scene_material(const AfxScene *scene, uint32_t index);
/** What holds between two materials: what was set for the pair, or afx_material_combine's. */
AfxMaterialDef afxi_scene_pair(const AfxScene *scene, uint32_t a, uint32_t b);
/** Material 0 as it is at the beginning. */
AfxiSceneMaterial afxi_material_first(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties of shapes and bodies in the body's frame. */
#ifndef AFXI_SCENE_MASS_H
#define AFXI_SCENE_MASS_H

#include "scene/scene.h"

/** Mass properties of body `body` (an index) in its frame: as given, or the sum over its shapes. volume is that of
 * the shapes, 0 without any. A dynamic body without mass, or a sum that is not finite, is AFX_E_INPUT with *out_error
 * (may be NULL) filled; fixed and kinematic bodies may have none (then all 0). Writes nothing to the scene. */
AfxStatus afxi_scene_body_mass(const AfxScene *scene, uint32_t body, AfxMass *out_mass, AfxError *out_error);
/** Whether a shape has mass: not one that is visual, a plane, a height field or an open mesh. */
bool afxi_scene_shape_weighs(const AfxScene *scene, const AfxiSceneShape *shape);
/** Mass properties of a shape in the frame of its body; all 0 for one that weighs nothing. */
AfxMass afxi_scene_shape_mass(const AfxScene *scene, const AfxiSceneShape *shape);

#endif

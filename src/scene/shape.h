/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes. */
#ifndef AFXI_SCENE_SHAPE_H
#define AFXI_SCENE_SHAPE_H

#include "scene/store.h"

/** Whether every shape of body `body` could be on one of this kind and mass source. */
AfxStatus afxi_shapes_fit(const AfxScene *scene, uint32_t body, AfxBodyKind kind, AfxMassSource source);

#endif

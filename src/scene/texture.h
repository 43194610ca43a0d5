/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures on shapes. */
#ifndef AFXI_SCENE_TEXTURE_H
#define AFXI_SCENE_TEXTURE_H

#include "scene/check.h"

/** AFX_OK for none and for one of this scene. */
AfxStatus afxi_check_texture(const AfxScene *scene, const AfxiErrorPlace *place, AfxTextureId texture);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as scene JSON. */
#ifndef AFXI_LOAD_SAVE_SCENE_H
#define AFXI_LOAD_SAVE_SCENE_H

#include "load/save.h"

void afxi_save_scene(AfxiSave *save, const AfxScene *scene);

#endif

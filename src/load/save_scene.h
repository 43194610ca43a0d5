/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as scene JSON. */
#ifndef AFXI_LOAD_SAVE_SCENE_H
#define AFXI_LOAD_SAVE_SCENE_H

#include "load/save.h"
#include "scene/scene.h"

/** `run` may be NULL. */
void afxi_save_scene(AfxiSave *save, const AfxScene *scene, const AfxRunDef *run);
/** The objects "run" and "cameras"; nothing for NULL. */
void afxi_save_run(AfxiSave *save, const AfxRunDef *run);
/** The contact switch, materials and their pairs. */
void afxi_save_contact(AfxiSave *save, const AfxScene *scene);
/** What a shape says of contact. */
void afxi_save_surface(AfxiSave *save, const AfxScene *scene, const AfxiSceneShape *shape);
void afxi_save_exclusions(AfxiSave *save, const AfxScene *scene);
/** The object "robot"; nothing where it would be empty. */
void afxi_save_robot(AfxiSave *save, const AfxScene *scene);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Joints, drives, couplings and springs. */
#ifndef AFXI_MODEL_JOINTS_H
#define AFXI_MODEL_JOINTS_H

#include "model/model.h"
#include "scene/scene.h"

/** Joint `index`: bodies, coordinates, its frame interned. */
AfxStatus afxi_compile_joint_frame(AfxModel *model, const AfxScene *scene, uint32_t index, AfxiIntern *frames);
/** Samples of all tables of springs. */
uint32_t afxi_count_tables(const AfxScene *scene);
/** Drives, couplings and springs, after the joints; tables of signals go to *samples, which moves on. */
void afxi_compile_actions(AfxModel *model, const AfxScene *scene, double **samples);
/** Where the turns of joints are counted, after all that acts on them is known. */
void afxi_compile_angles(AfxModel *model);

#endif

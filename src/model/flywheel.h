/* SPDX-License-Identifier: Apache-2.0 */
/* Flywheels: bodies on the ground that nothing but a coupling drives, from one coordinate of a joint: what the rotor of
 * a geared motor is, and armature in MJCF. Seen through its coupling such a body is a compliance T and a gap t of one
 * row, as whatever stands beyond a joint of a tree is, and that row has the gradient of the coordinate, as drives on it
 * have. So trees stay trees (dual/fold.h). */
#ifndef AFXI_MODEL_FLYWHEEL_H
#define AFXI_MODEL_FLYWHEEL_H

#include "model/model.h"

/** Marks the couplings of a graph that drive flywheels: AfxiGraphBlock.flywheel, `carried`, `carrier`. */
void afxi_flywheels_mark(const AfxModel *model, AfxiGraph *graph);

#endif

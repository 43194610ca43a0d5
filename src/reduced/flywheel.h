/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that stand for armature: held to the ground by one hinge or slide, moved by nothing but an exact coupling to
 * one coordinate, and weightless along it. Their inertia becomes a number on that coordinate. */
#ifndef AFXI_REDUCED_FLYWHEEL_H
#define AFXI_REDUCED_FLYWHEEL_H

#include "reduced/tree.h"

/** Lists the flywheels of a model and marks their bodies in out_apart [bodies]. */
void afxi_flywheels_find(AfxiTree *tree, const uint8_t *active, uint8_t *out_apart);
/** Once all branches are known: gears each to its coordinate; those whose coordinate is none become nodes. */
void afxi_flywheels_attach(AfxiTree *tree);
/** A body that is no flywheel by a block of parameters of a sim, or AFXI_TREE_NONE. */
uint32_t afxi_flywheels_unfit(const AfxiTree *tree, const double *params);
/** Ratios, and armature of the coordinates, from a block of parameters. */
void afxi_flywheels_numbers(AfxiTree *tree, const double *params);

#endif

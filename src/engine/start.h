/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent accelerations of a lot. */
#ifndef AFXI_ENGINE_START_H
#define AFXI_ENGINE_START_H

#include "engine/lot.h"

/** Accelerations into x2 (and x3 for generalised-α) of bodies that are wanted [bodies of the model], and the
 * multipliers of their components, for a step of `dt`. Drive targets are those of the present. */
void afxi_lot_start_accelerations(AfxiLot *lot, const uint8_t *wanted, double dt);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of a hub in the elimination of climb.h. */
#ifndef AFXI_DUAL_CLIMB_HUB_H
#define AFXI_DUAL_CLIMB_HUB_H

#include "dual/system.h"

void afxi_climb_up_hub(const AfxiSystem *system, const AfxiClimbJob *job);
void afxi_climb_back_hub(const AfxiSystem *system, const AfxiClimbJob *job, AfxiClimbTally *out);
/** With `load`, the bounds of all hubs; and their results from lambda. */
void afxi_hub_bounds(const AfxiSystem *system);
void afxi_hub_primal(const AfxiSystem *system, AfxiBodiesTally *tally);

#endif

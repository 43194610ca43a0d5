/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of one body in the elimination of climb.h, by gradients. */
#ifndef AFXI_DUAL_CLIMB_ALONE_H
#define AFXI_DUAL_CLIMB_ALONE_H

#include "dual/system.h"

void afxi_climb_up_alone(const AfxiSystem *system, const AfxiClimbJob *job);
void afxi_climb_back_alone(const AfxiSystem *system, const AfxiClimbJob *job);

#endif

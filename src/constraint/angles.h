/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates of the state, their turns counted on from step to step. */
#ifndef AFXI_CONSTRAINT_ANGLES_H
#define AFXI_CONSTRAINT_ANGLES_H

#include "state/world.h"

/** Counts the turns of all joints on to the present state. */
void afxi_angles_follow(AfxiWorld *world);

#endif

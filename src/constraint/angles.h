/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates of the state, their turns counted on from step to step. */
#ifndef AFXI_CONSTRAINT_ANGLES_H
#define AFXI_CONSTRAINT_ANGLES_H

#include "state/world.h"

/** Room for the lists of joints whose turns are counted, in an arena. */
void afxi_angles_take(AfxiWorld *world, AfxiArena *arena, const AfxModel *model);
/** Makes these lists, four of a kind side by side: what each reads and writes stays where it is. */
void afxi_angles_list(AfxiWorld *world);
/** Counts the turns of all joints on to the present state. The joint that is nearest to where angles that something
 * acts on are lost comes back; UINT32_MAX: none is near. */
uint32_t afxi_angles_follow(AfxiWorld *world);
/** The joint whose angles are nearest to where they are lost, as bodies are now; UINT32_MAX: none is near. */
uint32_t afxi_angles_lost(const AfxiWorld *world);

#endif

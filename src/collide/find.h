/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for contact points. */
#ifndef AFXI_COLLIDE_FIND_H
#define AFXI_COLLIDE_FIND_H

#include "collide/collide.h"

/** Looks for contact points at the end of a stage, from the state at its beginning, and of bodies that are `warm` from
 * their last result. `look` [bodies], which may be NULL: only pairs of these are looked at, all other points go on as
 * they are. `again`: points of an earlier look in this stage are remembered. AFX_E_MEMORY: the points are not whole. */
AfxStatus afxi_collide_find(AfxiCollide *collide, const AfxiPlans *plans, const uint8_t *look, bool again);

#endif

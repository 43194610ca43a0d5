/* SPDX-License-Identifier: Apache-2.0 */
/* How deep contact points may lie without force. */
#ifndef AFXI_COLLIDE_REST_H
#define AFXI_COLLIDE_REST_H

#include "collide/collide.h"

/** Rests of the points [begin, end) of two items, the line of those whose material is soft, and which of them are
 * expected to touch; from the state at the beginning of the stage. */
void afxi_collide_rests(AfxiCollide *collide, uint32_t begin, uint32_t end);

#endif

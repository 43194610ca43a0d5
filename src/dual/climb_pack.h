/* SPDX-License-Identifier: Apache-2.0 */
/* What batched jobs of climb.h read in their own order. */
#ifndef AFXI_DUAL_CLIMB_PACK_H
#define AFXI_DUAL_CLIMB_PACK_H

#include "dual/system.h"

/** Brings what straight jobs read in their own order up to date. */
void afxi_climb_pack(AfxiSystem *system);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What batched jobs of recursion.h read in their own order. */
#ifndef AFXI_DUAL_RECURSION_PACK_H
#define AFXI_DUAL_RECURSION_PACK_H

#include "dual/system.h"

/** Brings what batched jobs read in their own order up to date. */
void afxi_recursion_pack(AfxiSystem *system);

#endif

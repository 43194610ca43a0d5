/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of the dual system. */
#ifndef AFXI_DUAL_ASSEMBLE_H
#define AFXI_DUAL_ASSEMBLE_H

#include "dual/system.h"

/** K into the factor's memory, where factoring overwrites it. */
void afxi_dual_assemble(AfxiSystem *system);
/** The scale of K to unit diagonal; rows that are switched off become rows of the identity. */
void afxi_dual_find_scale(AfxiSystem *system);

#endif

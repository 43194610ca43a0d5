/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of couplings that carry the block of a rotor (model/rotor.h) from a coordinate that a drive acts on. The row of
 * that drive has the coordinate and its gradient, and the block is a point on a rail that stands still: such a row is
 * a multiple of what is known, and a number. */
#ifndef AFXI_CONSTRAINT_CARRIED_H
#define AFXI_CONSTRAINT_CARRIED_H

#include "constraint/rows.h"

/** The row of a coupling's block where the solve linearises, once the rows of drives are; false: it carries no rotor,
 * or the drive's row is of no use for it. */
bool afxi_carried_linearise(const AfxiRows *rows, const AfxiGraphBlock *block);
/** What such a row measures at the result, once drives are known there; false: by itself. */
bool afxi_carried_result(const AfxiRows *rows, const AfxiGraphBlock *block, double *out);
/** Whether an entry of a block is that of a rotor, which turns with nothing. */
bool afxi_carried_rotor(const AfxiRows *rows, const AfxiGraphBlock *block, uint32_t entry);

#endif

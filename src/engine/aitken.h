/* SPDX-License-Identifier: Apache-2.0 */
/* Aitken extrapolation: solves that near their result by a fixed rate go there at once. */
#ifndef AFXI_ENGINE_AITKEN_H
#define AFXI_ENGINE_AITKEN_H

#include "engine/lot.h"

/** In between solves, of which `solve` was the last: bodies that near their place slowly go there at once, each by
 * itself in nets of balls (`apart`), else all by one rate. */
void afxi_lot_aitken(AfxiLot *lot, uint32_t solve, bool apart);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the oracle share. */
#ifndef AFXI_SOLVE_RESIDUAL_INNER_H
#define AFXI_SOLVE_RESIDUAL_INNER_H

#include "solve/equation.h"
#include "solve/residual.h"

/* So many units in the last place of its coordinates may be off what a force is computed from. */
#define AFXI_RESIDUAL_ROUNDING (32 * 2.220446049250313e-16)

#endif

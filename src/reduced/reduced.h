/* SPDX-License-Identifier: Apache-2.0 */
/* The formulation in joint coordinates: rigid trees whose joints hold by themselves; what closes loops, and drives that
 * tell a position or velocity, are exact rows on them (docs/reduced.md). */
#ifndef AFXI_REDUCED_REDUCED_H
#define AFXI_REDUCED_REDUCED_H

#include "formulation/formulation.h"

extern const AfxiFormulationKind afxi_formulation_reduced;

/** About how many instructions a step takes, and degrees of freedom; `work` as its entry of the table made it. */
double afxi_reduced_cost(const void *work, uint32_t *out_dofs);

/** Whether an integrator is one of joint coordinates alone. */
static inline bool integrator_reduced(AfxIntegrator integrator) {
    return integrator == AFX_RK4 || integrator == AFX_AUTO || integrator == AFX_GAUSS2;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Integrators that keep invariants of smooth motion: the energy-momentum method of order 2 and its composition of order
 * 4 (AFX_CONSERVING, AFX_CONSERVING4), and RATTLE composed to order 6 (AFX_REFERENCE). They put the gradients of
 * constraints elsewhere than at the end of a step, which the stages of state/integrator.h cannot say, and so they are
 * an entry of the table of formulations (docs/decisions/conserving.md). */
#ifndef AFXI_CONSERVE_CONSERVE_H
#define AFXI_CONSERVE_CONSERVE_H

#include "formulation/formulation.h"

extern const AfxiFormulationKind afxi_formulation_conserving;

/** Whether an integrator is one of these. */
static inline bool integrator_conserves(AfxIntegrator integrator) {
    return integrator == AFX_CONSERVING || integrator == AFX_CONSERVING4 || integrator == AFX_REFERENCE;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The solves of a component: a sub-step, velocities and accelerations that fit its constraints. */
#ifndef AFXI_CONSERVE_SOLVE_H
#define AFXI_CONSERVE_SOLVE_H

#include "conserve/inner.h"

/** One sub-step; the bodies have moved when it returns true, else nothing has. */
bool afxi_conserve_substep(AfxiConserve *work, AfxiConserveComponent *component, const AfxiConserveSpan *span,
                           AfxiConserveOutcome *out);
/** Velocities that fit the constraints at fraction `fraction` of the step, where the bodies are. */
void afxi_conserve_velocities(AfxiConserve *work, AfxiConserveComponent *component, double fraction,
                              AfxiConserveOutcome *out);
/** Accelerations and multipliers there, and the largest violation; `time` is what it is then. */
void afxi_conserve_accelerations(AfxiConserve *work, AfxiConserveComponent *component, double fraction,
                                 AfxiConserveOutcome *out);
/** Moves bodies to where constraints hold, in the metric of their masses. False when there is no such place near. */
bool afxi_conserve_close(AfxiConserve *work, AfxiConserveComponent *component, AfxiConserveOutcome *out);

#endif

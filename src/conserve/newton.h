/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for the equations of a sub-step. */
#ifndef AFXI_CONSERVE_NEWTON_H
#define AFXI_CONSERVE_NEWTON_H

#include "conserve/inner.h"

/** Raw coordinates of the bodies of a component into `place`; `moved`: by their changes. */
void afxi_conserve_places(AfxiConserve *work, const AfxiConserveComponent *component, double *place, bool moved);
/** Imbalances of the bodies and residuals of the rows for the present changes and multipliers. */
void afxi_conserve_residuals(AfxiConserve *work, const AfxiConserveComponent *component, double h);
/** The matrix at the present changes; h = 0: that of accelerations, where the bodies are. */
void afxi_conserve_linearise(AfxiConserve *work, AfxiConserveComponent *component, double h, AfxiConserveOutcome *out);
/** Iterates from the present unknowns until they stay. False: they do not within the cap, and out->reason says why. */
bool afxi_conserve_iterate(AfxiConserve *work, AfxiConserveComponent *component, double h, uint32_t *iterations,
                           AfxiConserveOutcome *out);

#endif

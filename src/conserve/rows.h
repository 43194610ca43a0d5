/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a component in a sub-step: gradients, laws, residuals. */
#ifndef AFXI_CONSERVE_ROWS_H
#define AFXI_CONSERVE_ROWS_H

#include "conserve/inner.h"

/** Targets of drives at a fraction of the step into out [drives][2]; of velocity drives with their rate. */
void afxi_conserve_targets(AfxiConserve *work, double fraction, double *out);
/** Gradients and laws between place[0] and place[1], h apart: targets at the middle and at the end. */
void afxi_conserve_rows_between(AfxiConserve *work, const AfxiConserveComponent *component, double h);
/** Servos whose effort does not fit their branch change it; true when one did. */
bool afxi_conserve_rows_branches(AfxiConserve *work, const AfxiConserveComponent *component, double h);
/** Gradients at a place; multipliers of compliant rows are given by their laws there, with the rates of the bodies. */
void afxi_conserve_rows_at(AfxiConserve *work, const AfxiConserveComponent *component, const double *place,
                           const double *targets);
/** Exact rows at place[1], counted on from place[0]; gradients and other multipliers stay. */
void afxi_conserve_rows_values(AfxiConserve *work, const AfxiConserveComponent *component);
/** Largest exact row. */
double afxi_conserve_rows_violation(const AfxiConserve *work, const AfxiConserveComponent *component);
/** Rates of exact rows at place[1] less those they must have, by the bodies' velocities. */
void afxi_conserve_rows_rates(AfxiConserve *work, const AfxiConserveComponent *component, const double *targets,
                              double *out);
/** The same of second derivatives without those of the bodies' velocities; time: of the drives' targets. */
void afxi_conserve_rows_seconds(AfxiConserve *work, const AfxiConserveComponent *component, const double *place,
                                double time, double *out);

#endif

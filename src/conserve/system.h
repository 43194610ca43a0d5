/* SPDX-License-Identifier: Apache-2.0 */
/* The linear system of a component: K = G H^-1 G^T + compliance. */
#ifndef AFXI_CONSERVE_SYSTEM_H
#define AFXI_CONSERVE_SYSTEM_H

#include "conserve/inner.h"

/** Makes K from gradients, inverses and laws, and factors it; true when rows are redundant and it was regularised. */
bool afxi_conserve_factor(AfxiConserve *work, AfxiConserveComponent *component);
/** rows [row_count of the work] of the component <- K^-1 rows; rows that are not active: 0. */
void afxi_conserve_solve(AfxiConserve *work, AfxiConserveComponent *component, double *rows);
/** rows of active ones += G x, x [bodies][6]. */
void afxi_conserve_apply(const AfxiConserve *work, const AfxiConserveComponent *component, const double *x,
                         double *rows);
/** x [bodies][6] -= G^T rows. */
void afxi_conserve_pull(const AfxiConserve *work, const AfxiConserveComponent *component, const double *rows,
                        double *x);

#endif

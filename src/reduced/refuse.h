/* SPDX-License-Identifier: Apache-2.0 */
/* What joint coordinates cannot do, each by name. */
#ifndef AFXI_REDUCED_REFUSE_H
#define AFXI_REDUCED_REFUSE_H

#include "reduced/inner.h"

/** AFX_E_INPUT with the reason in `error` (may be NULL). */
AfxStatus afxi_reduced_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error);
/** The same of what is seen with the tree. */
/** Shapes of bodies that only a coupling moves. */
AfxStatus afxi_reduced_refuse_wheels(const AfxiReduced *work, AfxError *error);
AfxStatus afxi_reduced_refuse_rows(const AfxiReduced *work, AfxError *error);

#endif

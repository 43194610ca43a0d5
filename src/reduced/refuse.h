/* SPDX-License-Identifier: Apache-2.0 */
/* What joint coordinates cannot do, each by name. */
#ifndef AFXI_REDUCED_REFUSE_H
#define AFXI_REDUCED_REFUSE_H

#include "reduced/reduced.h"

/** AFX_E_INPUT with the reason in `error` (may be NULL). */
AfxStatus afxi_reduced_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error);

#endif

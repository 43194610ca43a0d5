/* SPDX-License-Identifier: Apache-2.0 */
/* What barrier contact cannot do. */
#ifndef AFXI_BARRIER_REFUSE_H
#define AFXI_BARRIER_REFUSE_H

#include "affix/sim.h"
#include "model/model.h"

/** AFX_E_INPUT when the model with these parameters asks for what barrier contact cannot do; the error (may be NULL)
 * says what. */
AfxStatus afxi_barrier_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error);

/** The same of what the published formulation cannot do besides. */
AfxStatus afxi_barrier_refuse_rigid(const AfxModel *model, const AfxSimDef *def);

#endif

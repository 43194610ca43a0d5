/* SPDX-License-Identifier: Apache-2.0 */
/* What these integrators cannot do. */
#ifndef AFXI_CONSERVE_REFUSE_H
#define AFXI_CONSERVE_REFUSE_H

#include "conserve/inner.h"

/** AFX_E_INPUT when the model with these parameters asks for what the integrator cannot do; the error says what. */
AfxStatus afxi_conserve_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error);

#endif

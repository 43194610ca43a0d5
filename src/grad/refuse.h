/* SPDX-License-Identifier: Apache-2.0 */
/* What has no derivative here, each by name. */
#ifndef AFXI_GRAD_REFUSE_H
#define AFXI_GRAD_REFUSE_H

#include "grad/record.h"

/** Of a sim, before it is recorded. */
AfxStatus afxi_grad_refuse(const AfxSim *sim, AfxError *error);
/** Of what a step did. */
AfxStatus afxi_grad_refuse_step(const AfxiGradRecord *record, uint32_t flags, AfxError *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A step with barrier contact. */
#ifndef AFXI_BARRIER_STEP_H
#define AFXI_BARRIER_STEP_H

#include "barrier/inner.h"

/** One step of length dt, as AfxiFormulationKind.step. */
AfxStatus afxi_barrier_step(AfxiBarrier *work, AfxStepReport *report);

#endif

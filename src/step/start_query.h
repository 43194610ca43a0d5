/* SPDX-License-Identifier: Apache-2.0 */
/* Joints that do not meet at the start, and the reactions of it. */
#ifndef AFXI_STEP_START_QUERY_H
#define AFXI_STEP_START_QUERY_H

#include "step/sim.h"

/** Lists the joints that the model's start violates, after it was repaired. AFX_E_MEMORY. */
AfxStatus afxi_start_gaps(AfxSim *sim);
/** Forgets the reactions of the start: the state is another one. */
void afxi_start_forget(AfxSim *sim);

#endif

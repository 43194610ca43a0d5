/* SPDX-License-Identifier: Apache-2.0 */
/* Postures that were set, made ones that constraints allow. */
#ifndef AFXI_STEP_SETTLE_H
#define AFXI_STEP_SETTLE_H

#include "step/sim.h"

/** Before the first step from a posture that was set: coordinates go to their limits where they are beyond them, loops
 * close. *out_moved says whether anything had to move. AFX_E_MEMORY leaves the state as it is. */
AfxStatus afxi_settle(AfxSim *sim, bool *out_moved);
/** Whether a tendon is beyond its limits. */
bool afxi_settle_asks(AfxSim *sim);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What must follow when somebody edits the state of a sim. */
#ifndef AFXI_STEP_HISTORY_H
#define AFXI_STEP_HISTORY_H

#include "affix/sim.h"

/** The history no longer belongs to the state of any body. */
void afxi_history_drop(AfxSim *sim);

#endif

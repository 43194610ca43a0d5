/* SPDX-License-Identifier: Apache-2.0 */
/* Who sleeps and who wakes, from step to step (state/sleep.h, docs/contact.md#sleep). */
#ifndef AFXI_STEP_SLEEP_H
#define AFXI_STEP_SLEEP_H

#include "step/sim.h"

/** Before a step: sleepers have no part in it. */
void afxi_sleep_begin(AfxSim *sim);
/** Before sub-steps: what sleeps together is late together. */
void afxi_sleep_groups(AfxSim *sim);
/** Sleepers that became late have woken. */
void afxi_sleep_wake_late(AfxSim *sim);
/** After a step that went well: what has rested long enough falls asleep, and what sleeps stands still. */
void afxi_sleep_finish(AfxSim *sim, AfxStepReport *report);
/** Wakes the bodies of a joint. */
void afxi_sleep_wake_joint(AfxSim *sim, uint32_t joint);

#endif

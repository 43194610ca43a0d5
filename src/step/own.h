/* SPDX-License-Identifier: Apache-2.0 */
/* A sim's parameters. */
#ifndef AFXI_STEP_OWN_H
#define AFXI_STEP_OWN_H

#include "step/sim.h"

/** Interns the classes anew when parameters changed. */
void afxi_classes_refresh(AfxSim *sim);

#endif

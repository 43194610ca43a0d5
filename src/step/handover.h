/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier contact where something is near, the usual engines where nothing is. */
#ifndef AFXI_STEP_HANDOVER_H
#define AFXI_STEP_HANDOVER_H

#include "formulation/formulation.h"

/** The entry of the table of formulations; AfxSimDef.contact_model chooses it. */
extern const AfxiFormulationKind afxi_formulation_barrier;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Controls that adhere: forces that pull at the contacts of a body. */
#ifndef AFXI_STEP_ADHESION_H
#define AFXI_STEP_ADHESION_H

#include "step/sim.h"

/** Room for the forces of a model's controls that adhere; nothing where there are none. */
AfxStatus afxi_adhesion_create(AfxSim *sim);
void afxi_adhesion_destroy(AfxSim *sim);
/** Before a step: what is on bodies from outside, and what their controls pull by. */
void afxi_adhesion_begin(AfxSim *sim);
/** After a step: what touches now. */
void afxi_adhesion_finish(AfxSim *sim);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A step of which somebody else does the part of some bodies. */
#ifndef AFXI_STEP_PARTNER_H
#define AFXI_STEP_PARTNER_H

#include "step/save.h"

/** Who does it. */
typedef struct AfxiPartner {
    void *data;
    const uint8_t *own; /* [bodies] those that the partner steps: whole components, or none */
    /** Their part, when all others have done theirs: inputs are as at the beginning of the step, and what is left in
     * the state is its end. A status other than AFX_OK: the step has not happened. */
    AfxStatus (*solve)(void *data, AfxiProgress *progress);
} AfxiPartner;

/** A step of the default formulation; partner NULL: of all bodies. */
AfxStatus afxi_step_with(AfxSim *sim, const AfxiPartner *partner, AfxStepReport *report);

#endif

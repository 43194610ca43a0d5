/* SPDX-License-Identifier: Apache-2.0 */
/* What a step tells its trace of bodies that are not solved by the Newton loop. */
#ifndef AFXI_STEP_TRACED_H
#define AFXI_STEP_TRACED_H

#include "step/sim.h"

/** A stage of bodies that nothing holds; `before`: solves of earlier stages in the outcome. */
void afxi_traced_put_free(const AfxSim *sim, const AfxiFreeOutcome *out, uint32_t before);

static inline void afxi_traced_free(const AfxSim *sim, const AfxiFreeOutcome *out, uint32_t before) {
    if (sim->world.trace) {
        afxi_traced_put_free(sim, out, before);
    }
}

#endif

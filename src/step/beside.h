/* SPDX-License-Identifier: Apache-2.0 */
/* A graph beside the model's: see beside.c. */
#ifndef AFXI_STEP_BESIDE_H
#define AFXI_STEP_BESIDE_H

#include "step/sim.h"

typedef struct AfxiBeside {
    AfxModel model; /* the sim's, with the other graph */
    AfxiJointed jointed;
    const AfxModel *base_model; /* while this one is in use; else NULL */
    AfxiJointed base_jointed;
    void *raw; /* workspace of `jointed` */
    size_t raw_size;
} AfxiBeside;

/** Starts from the sim's model: blocks, rows and lists of the graph are the model's, and it has no plan. */
void afxi_beside_begin(const AfxSim *sim, AfxiBeside *beside);
/** Makes the workspace over the graph. */
AfxStatus afxi_beside_take(AfxSim *sim, const AfxAllocator *allocator, AfxiBeside *beside);
/** Gives back workspace, plan and what else the graph has of its own. */
void afxi_beside_release(const AfxAllocator *allocator, AfxiBeside *beside);
/** The sim uses it from now on, or no longer. */
void afxi_beside_attach(AfxSim *sim, AfxiBeside *beside, bool on);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* About which points jointed bodies turn, for phase fitting (body/phase.h): trees of joints, from the ground outward.
 *
 * A body turns about its joint to its parent, which goes with the parent. Bodies that no path of joints leads to from
 * the ground are a tree of their own, which turns about its centre of mass. */
#ifndef AFXI_MODEL_PHASE_H
#define AFXI_MODEL_PHASE_H

#include "affix/model.h"
#include "body/phase.h"

/* Slots of bodies that are not fitted, and of those without joints, which turn about their centres of mass. */
enum { AFXI_PHASE_OFF = 0 };
#define AFXI_PHASE_ALONE UINT32_MAX

typedef struct AfxiPhaseTrees {
    uint32_t *slot;      /* [bodies] */
    uint32_t *body;      /* [node_count] */
    AfxiPhaseNode *node; /* [node_count], from slot 1 on; parents before children, component by component */
    uint32_t node_count; /* with slot 0 */
    bool any;            /* some body is fitted */
    void *raw;
    size_t raw_size;
} AfxiPhaseTrees;

/** From the graphs of a model. */
AfxStatus afxi_compile_phase(AfxModel *model);
void afxi_phase_destroy(AfxModel *model);

#endif

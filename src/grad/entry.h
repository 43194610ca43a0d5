/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a stage, or of a start from accelerations, to differentiate it: where it began, what it came to, and
 * all that acted on it. Everything else follows from the equations. */
#ifndef AFXI_GRAD_ENTRY_H
#define AFXI_GRAD_ENTRY_H

#include "solve/residual_stage.h"
#include "state/integrator.h"

#define AFXI_GRAD_PLANS 8

/* Parts of a body's state, twelve numbers each: q, v, x2, x3, gap, last_gap. */
enum { AFXI_GRAD_PARTS = 6 };

typedef struct AfxiGradEntry {
    AfxiResidualStage at;                /* what the oracle was told; arrays are the entry's own */
    const double *past[AFXI_GRAD_PARTS]; /* [bodies][12] at its beginning; NULL: there are no gaps */
    bool start;                          /* accelerations of bodies that are not `absent`, at the beginning */
    bool told;                           /* no stage at all: q and v of all bodies are given (quantity.c) */
    bool both;                           /* start: they go to x3 as well as to x2 */
    const double *second;                /* start: [bodies][12] accelerations of bodies that are told how to move */
    const double *target_second;         /* start: [drives] of what positions and velocities follow */
    double dt;                           /* s, of the step or the part of it that it belongs to */
    double fraction;                     /* of the step, where it ends */
    uint8_t *plan_of;                    /* [bodies] */
    AfxiStagePlan plan[AFXI_GRAD_PLANS];
    uint32_t plan_count;
    void *raw;
    size_t raw_size;
} AfxiGradEntry;

/** Where inputs of the equations of an entry stand. Of a start, qhat is q, qv is v, and of q the first six numbers are
 * the angular acceleration in the body's axes, and t''. */
typedef struct AfxiGradLayout {
    uint32_t bodies, rows, drives; /* rows: of graphs, then of ball chains */
    uint32_t q, lambda, qhat, qv;  /* [bodies][12], [rows], [bodies][12] twice */
    uint32_t rate;                 /* [bodies][12] of bodies that are told how to move */
    uint32_t target;               /* [drives][2] */
    uint32_t wrench;               /* [bodies][6] run-time wrenches */
    uint32_t param;                /* the registry */
    uint32_t count;
} AfxiGradLayout;

void afxi_grad_layout(const AfxModel *model, AfxiGradLayout *out);

static inline const AfxiStagePlan *afxi_grad_plan(const AfxiGradEntry *entry, uint32_t body) {
    return &entry->plan[entry->plan_of[body]];
}

#endif

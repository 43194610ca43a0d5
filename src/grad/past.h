/* SPDX-License-Identifier: Apache-2.0 */
/* Before and after the solve of a stage: qhat and qv from the state at its beginning, phase fitting included
 * (body/phase.h), and the state at its end from all of these and the result. Both are explicit: terms in an order in
 * which every input is complete before it is used. */
#ifndef AFXI_GRAD_PAST_H
#define AFXI_GRAD_PAST_H

#include "grad/entry.h"
#include "grad/program.h"
#include "grad/terms.h"

/* What phase fitting adds, twelve numbers a body: to qhat, to qv, and the gaps that a start leaves. */
enum { AFXI_GRAD_HAT, AFXI_GRAD_RATE, AFXI_GRAD_NEXT, AFXI_GRAD_LAST, AFXI_GRAD_GROUPS };

/** Where numbers stand, all by [bodies][12]. */
typedef struct AfxiGradSpace {
    uint32_t wide;                     /* 12 bodies */
    uint32_t part[AFXI_GRAD_PARTS];    /* state at the beginning */
    uint32_t added[AFXI_GRAD_GROUPS];  /* by the turning of a body, and about its joint */
    uint32_t ease;                     /* what is taken from qhat again */
    uint32_t centre[AFXI_GRAD_GROUPS]; /* of trees that nothing holds: mean of what is added, at their roots */
    uint32_t fitted[AFXI_GRAD_GROUPS]; /* with that taken off */
    uint32_t qhat, qv, next;           /* next: q at the end */
    uint32_t look;                     /* what the turning of a body adds to where it is expected to touch */
    uint32_t expect;                   /* [bodies][6] turns and shifts of where that is */
    uint32_t param;
    uint32_t frame; /* of joints, as AfxiGradLayout has them; only where they are asked for */
    bool frames;
    uint32_t count;
} AfxiGradSpace;

/** What phase fitting makes of a body, or of a joint, as a program from places to places. */
typedef struct AfxiGradFit {
    AfxiProgram program;
    AfxiStagePlan plan; /* that it was made for */
    uint32_t kind;      /* and what else its formulas rest on */
    bool active;        /* it has a part in the present entry */
} AfxiGradFit;

typedef struct AfxiGradPast {
    const AfxAllocator *allocator;
    const AfxModel *model;
    const AfxiGradEntry *entry;
    AfxiTape *tape;
    AfxiGradSpace at;
    double *value;    /* [at.count] */
    AfxiGradFit *fit; /* [bodies], [nodes of the trees of joints], [bodies] where they are expected to touch: first of
                         all, in this order */
    uint32_t fit_count;
    AfxiProgramResult *result; /* of the one that is recorded */
    uint32_t result_count, result_capacity;
    AfxiGradTerms terms; /* then from the state and these to qhat and qv; rows are places too */
    AfxiGradTerms end;   /* the state at the end; rows by part, as at the beginning */
    AfxStatus status;
} AfxiGradPast;

void afxi_grad_space(const AfxModel *model, bool frames, AfxiGradSpace *out);
/** Room for fits; model, allocator and tape are given. */
AfxStatus afxi_grad_past_create(AfxiGradPast *past);
void afxi_grad_past_release(AfxiGradPast *past);
/** All terms of a stage. */
AfxStatus afxi_grad_past(AfxiGradPast *past, const AfxiGradEntry *entry);
/** place [at.count]: what is asked of qhat and qv goes on to the state; or what the state changes, to qhat and qv. */
void afxi_grad_past_reverse(AfxiGradPast *past, double *place);
void afxi_grad_past_forward(AfxiGradPast *past, double *place);
/** What phase fitting adds; part of the above. */
void afxi_grad_phase(AfxiGradPast *past);
/** Where a body was expected when its points of contact were looked for; expect.c, with what its turning adds. */
void afxi_grad_expect(AfxiGradPast *past, uint32_t body);
void afxi_grad_phase_expected(AfxiGradPast *past, uint32_t body);
/** Evaluates a fit, which is recorded where it has to be. */
void afxi_grad_fit(AfxiGradPast *past, AfxiGradFit *fit, const AfxiStagePlan *plan, uint32_t kind,
                   void (*record)(AfxiGradPast *past, uint32_t index), uint32_t index);
bool afxi_grad_same_plan(const AfxiStagePlan *a, const AfxiStagePlan *b);
/** A place as a variable. */
AfxiVar afxi_grad_place(AfxiGradPast *past, uint32_t place);
/** Makes a place what a variable is; while a fit is recorded. */
void afxi_grad_set(AfxiGradPast *past, uint32_t place, AfxiVar y);

#endif

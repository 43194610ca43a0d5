/* SPDX-License-Identifier: Apache-2.0 */
/* Before and after the solve of a stage: qhat and qv from the state at its beginning, phase fitting included
 * (body/phase.h), and the state at its end from all of these and the result. Both are explicit: terms in an order in
 * which every input is complete before it is used. */
#ifndef AFXI_GRAD_PAST_H
#define AFXI_GRAD_PAST_H

#include "grad/entry.h"
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
    uint32_t param;
    uint32_t count;
} AfxiGradSpace;

typedef struct AfxiGradPast {
    const AfxModel *model;
    const AfxiGradEntry *entry;
    AfxiTape *tape;
    AfxiGradSpace at;
    double *value;       /* [at.count] */
    AfxiGradTerms terms; /* from the state to qhat and qv; rows are places too */
    AfxiGradTerms end;   /* the state at the end; rows by part, as at the beginning */
} AfxiGradPast;

void afxi_grad_space(const AfxModel *model, AfxiGradSpace *out);
/** All terms of a stage. */
void afxi_grad_past(AfxiGradPast *past, const AfxiGradEntry *entry);
/** What phase fitting adds; part of the above. */
void afxi_grad_phase(AfxiGradPast *past);
/** A place as a variable. */
AfxiVar afxi_grad_place(AfxiGradPast *past, uint32_t place);
/** Makes a place what a variable is. */
void afxi_grad_set(AfxiGradPast *past, uint32_t place, AfxiVar y);

#endif

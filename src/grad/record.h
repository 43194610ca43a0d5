/* SPDX-License-Identifier: Apache-2.0 */
/* What a sim did, step by step: entries of stages, sub-steps and starts, in the order in which they act. */
#ifndef AFXI_GRAD_RECORD_H
#define AFXI_GRAD_RECORD_H

#include "grad/entry.h"
#include "solve/impact.h"
#include "step/verify.h"

typedef struct AfxiGradRecord {
    AfxSim *sim;
    AfxiStageWatch watch;
    AfxiImpactWatch impacts;
    AfxiGradEntry **entry; /* [entry_count - base] */
    uint32_t base;         /* entries before this one are not kept (replay.h) */
    uint32_t entry_count, entry_capacity;
    uint32_t *step; /* [step_count + 1] its first entry */
    uint32_t step_count, step_capacity;
    uint32_t whole;     /* of the present step: entries of what was done in one piece */
    uint64_t branches;  /* changes of drives between entries */
    AfxStatus status;   /* of the present step */
    const char *jumped; /* why an impact in it has no derivative; NULL: it has one, or there was none */
    uint32_t touching;  /* a body that something touched in it as has no derivative; UINT32_MAX: none */
    const char *reason; /* why it has none */
    bool forgets;       /* entries may be dropped: what friction holds could not be followed through them */
} AfxiGradRecord;

/** Entry k of those that are kept. */
static inline AfxiGradEntry *afxi_grad_entry(const AfxiGradRecord *record, uint32_t k) {
    return record->entry[k - record->base];
}
/** Drops all entries; the next one will be entry `base`. */
void afxi_grad_record_drop(AfxiGradRecord *record, uint32_t base);

/** Puts an entry that points at arrays of others behind the last one, with copies of them. */
void afxi_grad_record_keep(AfxiGradRecord *record, const AfxiGradEntry *seen);
/** An impact (AfxiImpactWatch); strike.c. */
void afxi_grad_record_impact(void *context, const AfxiImpactSeen *seen);

/** Looks at the steps of record->sim from now on. */
AfxStatus afxi_grad_record_open(AfxiGradRecord *record);
/** Looks away, and frees the entries. */
void afxi_grad_record_close(AfxiGradRecord *record);
/** Before and after a step; a step that failed leaves nothing. */
void afxi_grad_record_begin(AfxiGradRecord *record);
AfxStatus afxi_grad_record_end(AfxiGradRecord *record, bool fine);

#endif

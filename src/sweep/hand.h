/* SPDX-License-Identifier: Apache-2.0 */
/* What rank 0 does for all: it knows which runs are done, hands out blocks of those that are open, and lets an
 * optimiser choose the next. How runs are cut into blocks depends on the clock; what comes out of a run does not. */
#ifndef AFXI_SWEEP_HAND_H
#define AFXI_SWEEP_HAND_H

#include "sweep/journal.h"
#include "sweep/message.h"
#include "sweep/optimise.h"

/** A run that an earlier start has done, for optimisers. */
typedef struct AfxiKnown {
    uint64_t run, id;
    double *numbers; /* [width] of a DONE message */
} AfxiKnown;

typedef struct AfxiSweepHand {
    const AfxiStudy *study;
    AfxiOptimiser *optimiser; /* NULL: a design */
    uint64_t first, count;    /* runs of this round: a design has one */
    uint64_t next;            /* the first of them that was not looked at yet */
    uint64_t open;            /* of them that are not done */
    unsigned char *done;      /* [count] bits */
    uint64_t done_bytes;
    AfxiKnown *known; /* [known_count] by rising run */
    uint64_t known_count;
    double *known_numbers;
    double pace;      /* s a run takes in one thread; 0: not known yet */
    uint32_t workers; /* threads of all processes */
    bool over;        /* nothing is open any more */
    AfxiSweepProgress progress;
    uint64_t best_run;
    double busy; /* s that threads spent in runs */
} AfxiSweepHand;

/** Takes note of what the journals hold; AFX_E_VERSION when they have runs that this study does not. */
AfxStatus afxi_hand_create(AfxiSweepHand *hand, const AfxiStudy *study, const AfxiJournals *journals,
                           AfxError *out_error);
void afxi_hand_destroy(AfxiSweepHand *hand);
/** A BLOCK of open runs, or NULL: none at present (*out_status is AFX_OK), or no memory. */
AfxiSweepMessage *afxi_hand_next(AfxiSweepHand *hand, AfxStatus *out_status);
/** How long a worker is about to take for the next block. */
double afxi_hand_block_seconds(const AfxiSweepHand *hand);
/** Takes a DONE message. */
AfxStatus afxi_hand_done(AfxiSweepHand *hand, AfxiSweepMessage *done, AfxError *out_error);

#endif

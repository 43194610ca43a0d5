/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose entries were not kept, made again: snapshots of the run, evenly apart, what was told before each step,
 * and a hash of what each came to, so that a step that comes out otherwise is found. */
#ifndef AFXI_GRAD_REPLAY_H
#define AFXI_GRAD_REPLAY_H

#include "grad/record.h"

typedef struct AfxiGradSnapshot {
    uint64_t step;
    void *block;
    size_t size;
} AfxiGradSnapshot;

typedef struct AfxiGradReplay {
    AfxiGradRecord *record;
    uint32_t keep;           /* 0: all entries are kept, and nothing here is used */
    uint32_t most, interval; /* snapshots, and how far they are apart */
    AfxiGradSnapshot *snapshot;
    uint32_t count, capacity;
    unsigned char *told; /* [steps][told_size] input before each */
    uint64_t *hash;      /* [steps] of what each came to */
    size_t told_size;
    uint32_t told_capacity, hash_capacity;
} AfxiGradReplay;

/** record, keep and most are given. */
void afxi_grad_replay_open(AfxiGradReplay *replay);
void afxi_grad_replay_close(AfxiGradReplay *replay);
/** Before and after a step that is recorded. */
AfxStatus afxi_grad_replay_before(AfxiGradReplay *replay);
void afxi_grad_replay_after(AfxiGradReplay *replay);

/** What is done with the entries of steps first ... end - 1, in one piece. */
typedef AfxStatus AfxiGradVisit(void *context, uint32_t first, uint32_t end);
/** Which steps, and in which order. */
typedef enum AfxiGradWay { AFXI_GRAD_BACK, AFXI_GRAD_FORTH, AFXI_GRAD_END } AfxiGradWay;

/** All steps, piece by piece, from the last to the first or the other way; or the last one alone. The sim is left as it
 * is now. AFX_E_VERSION: a step did not come out as before. */
AfxStatus afxi_grad_replay_visit(AfxiGradReplay *replay, AfxiGradWay way, AfxiGradVisit *visit, void *context);

#endif

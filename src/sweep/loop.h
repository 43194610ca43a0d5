/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a sweep that every process goes through while runs are done: the workers get blocks, rank 0 hands them
 * out, all by messages that nobody waits for. */
#ifndef AFXI_SWEEP_LOOP_H
#define AFXI_SWEEP_LOOP_H

#include "sweep/hand.h"
#include "sweep/pool.h"

typedef struct AfxiLoop {
    const AfxiSweepDef *def;
    const AfxiTransport *transport; /* NULL: alone */
    uint32_t rank, size;
    AfxiSweepHand *hand; /* of rank 0; else NULL */
    AfxiWorkerPool *pool;
    uint32_t *wants; /* [size] blocks that a rank would take, rank 0 only */
    uint32_t *jobs;  /* [size] threads of a rank, rank 0 only */
    bool asked;      /* a WANT is under way */
    bool over;       /* no more blocks */
    bool stopped;    /* before all was done */
    AfxStatus status;
    AfxError error;
    double next_flush, next_progress;
} AfxiLoop;

/** Until nothing is left to do, or something failed, or the caller wants it to end. */
void afxi_loop_run(AfxiLoop *loop);

/** Sends a message and frees it. False when there is no memory. */
bool afxi_loop_send(const AfxiTransport *transport, uint32_t to, AfxiSweepMessage *message);
/** The next sound message, to be freed; NULL when none is there. */
AfxiSweepMessage *afxi_loop_receive(const AfxiTransport *transport, uint32_t *out_from);
/** Waits for a message of this kind; others are dropped. NULL when there is no memory. */
AfxiSweepMessage *afxi_loop_expect(const AfxiTransport *transport, AfxiMessageKind kind, AfxiMessageKind other);

#endif

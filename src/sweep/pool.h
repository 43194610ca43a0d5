/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of a process: threads that take blocks of runs from a queue, write each run into the journal, and put a
 * message about every block that is done into another queue. */
#ifndef AFXI_SWEEP_POOL_H
#define AFXI_SWEEP_POOL_H

#include <pthread.h>

#include "sweep/journal.h"
#include "sweep/message.h"

typedef struct AfxiWorkerPool {
    const AfxiStudy *study;
    AfxiJournal *journal;
    pthread_mutex_t lock;
    pthread_cond_t work; /* the queue has something, or all is over */
    pthread_cond_t news; /* a block is done, or something went wrong */
    AfxiSweepMessage *queue, *queue_last;
    AfxiSweepMessage *done;
    uint32_t queued;  /* blocks in the queue */
    bool halted;      /* end after the runs at work */
    AfxStatus status; /* the first failure of a worker */
    AfxError error;
    pthread_t *threads; /* [thread_count] */
    uint32_t thread_count;
} AfxiWorkerPool;

/** Numbers that the message about a run has: its objective, then the residuals where a method needs them. */
uint32_t afxi_pool_result_width(const AfxiStudy *study);
/** The same numbers from a run's values. */
void afxi_pool_result(const AfxiStudy *study, const double *values, double *out_numbers);

AfxStatus afxi_pool_start(AfxiWorkerPool *pool, const AfxiStudy *study, AfxiJournal *journal, uint32_t threads,
                          AfxError *out_error);
/** Takes over a BLOCK. */
void afxi_pool_push(AfxiWorkerPool *pool, AfxiSweepMessage *block);
/** A DONE message, the caller's from then on; NULL when there is none. */
AfxiSweepMessage *afxi_pool_take(AfxiWorkerPool *pool);
/** Blocks that the queue could take, so that no thread waits. */
uint32_t afxi_pool_hunger(AfxiWorkerPool *pool);
/** Hands the journal's buffer to the system; false when it cannot be written. */
bool afxi_pool_flush(AfxiWorkerPool *pool);
/** Waits for news, at most so many seconds. */
void afxi_pool_wait(AfxiWorkerPool *pool, double seconds);
/** Ends the threads after the runs that they are at, and frees what is in the queues. *out_error tells the first
 * failure. */
AfxStatus afxi_pool_end(AfxiWorkerPool *pool, AfxError *out_error);

double afxi_sweep_clock(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What processes and threads of a sweep send each other: a head, numbers of runs, and numbers for each run. */
#ifndef AFXI_SWEEP_MESSAGE_H
#define AFXI_SWEEP_MESSAGE_H

#include "affix/base.h"

typedef enum AfxiMessageKind {
    AFXI_MESSAGE_START,  /* from rank 0: the folder is ready, begin */
    AFXI_MESSAGE_WANT,   /* to rank 0: `count` more blocks would be taken */
    AFXI_MESSAGE_BLOCK,  /* from rank 0: runs to do and their parameters */
    AFXI_MESSAGE_DONE,   /* to rank 0: runs that were done, and objective and residuals of each */
    AFXI_MESSAGE_FAIL,   /* to rank 0: this process cannot go on; an AfxError follows */
    AFXI_MESSAGE_HALT,   /* to rank 0: this process was told to stop */
    AFXI_MESSAGE_STOP,   /* from rank 0: no more blocks */
    AFXI_MESSAGE_LEFT,   /* to rank 0: the journal is closed; an AfxError follows */
    AFXI_MESSAGE_FINISH, /* from rank 0: make your files from the journals */
    AFXI_MESSAGE_MADE,   /* to rank 0: they are made; an AfxError follows */
    AFXI_MESSAGE_BYE     /* from rank 0: all is done */
} AfxiMessageKind;

typedef struct AfxiSweepMessage {
    uint32_t kind;
    uint32_t width;                /* numbers for each run */
    uint64_t count;                /* runs; of WANT: blocks */
    uint64_t failed;               /* DONE: runs that failed */
    double seconds;                /* DONE: of one thread's time */
    struct AfxiSweepMessage *next; /* in a queue of this process */
    /* uint64_t runs[count]; double numbers[count][width]; or an AfxError */
} AfxiSweepMessage;

size_t afxi_sweep_message_size(const AfxiSweepMessage *message);
/** A message for `count` runs, to be filled; NULL when there is no memory. Freed by free. */
AfxiSweepMessage *afxi_sweep_message_create(AfxiMessageKind kind, uint64_t count, uint32_t width);
/** One with an error, which may be NULL for none. */
AfxiSweepMessage *afxi_sweep_message_error(AfxiMessageKind kind, const AfxError *error);
uint64_t *afxi_sweep_message_runs(AfxiSweepMessage *message);
double *afxi_sweep_message_numbers(AfxiSweepMessage *message);
const AfxError *afxi_sweep_message_text(const AfxiSweepMessage *message);
/** Whether `size` bytes are a message as they should be. */
bool afxi_sweep_message_sound(const void *data, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/loop.h"

#include <stdlib.h>
#include <time.h>

#include "sweep/error.h"

#define FLUSH_SECONDS 0.2
#define PROGRESS_SECONDS 0.1
#define WAIT_ALONE 0.02 /* s; workers that are done wake it up at once */
#define WAIT_MESSAGES \
    0.001               /* s between looks for messages, which wake up nobody; a look costs about 15 us of a worker */
#define WAIT_CALM 0.005 /* s, at most, where every worker has its next block: they are 50 ms long */
#define BLOCK_SHARE 0.1 /* of a block, after which whoever asks for another is heard */

bool afxi_loop_send(const AfxiTransport *transport, uint32_t to, AfxiSweepMessage *message) {
    bool fine = message && transport->send(transport->state, to, message, afxi_sweep_message_size(message));
    free(message);
    return fine;
}

AfxiSweepMessage *afxi_loop_receive(const AfxiTransport *transport, uint32_t *out_from) {
    void *data;
    size_t size;
    while (transport && transport->receive(transport->state, out_from, &data, &size)) {
        if (afxi_sweep_message_sound(data, size)) {
            return data;
        }
        free(data);
    }
    return NULL;
}

AfxiSweepMessage *afxi_loop_expect(const AfxiTransport *transport, AfxiMessageKind kind, AfxiMessageKind other) {
    const struct timespec pause = {.tv_nsec = (long)(1e9 * WAIT_MESSAGES)};
    for (;;) {
        uint32_t from;
        AfxiSweepMessage *message = afxi_loop_receive(transport, &from);
        if (message && (message->kind == (uint32_t)kind || message->kind == (uint32_t)other)) {
            return message;
        }
        if (!message) {
            nanosleep(&pause, NULL);
        }
        free(message);
    }
}

static void fail(AfxiLoop *loop, AfxStatus status, const AfxError *error) {
    if (loop->status == AFX_OK) {
        loop->status = status;
        loop->error = *error;
    }
    loop->over = true;
}

static void fail_memory(AfxiLoop *loop) {
    AfxError error;
    fail(loop, afxi_sweep_memory(&error), &error);
}

/* ---- rank 0 ---- */

static void hear(AfxiLoop *loop, uint32_t from, AfxiSweepMessage *message) {
    AfxError error = {0};
    AfxStatus status = AFX_OK;
    switch (message->kind) {
    case AFXI_MESSAGE_WANT:
        loop->wants[from] += (uint32_t)message->count;
        loop->jobs[from] = (uint32_t)message->failed; /* of a WANT: threads of that process */
        break;
    case AFXI_MESSAGE_DONE:
        status = afxi_hand_done(loop->hand, message, &error);
        if (status != AFX_OK) {
            fail(loop, status, &error);
        }
        break;
    case AFXI_MESSAGE_FAIL:
        fail(loop, afxi_sweep_message_text(message)->status, afxi_sweep_message_text(message));
        break;
    case AFXI_MESSAGE_HALT:
        loop->stopped = true;
        break;
    default:
        break;
    }
}

static void hand_out(AfxiLoop *loop) {
    AfxiSweepHand *hand = loop->hand;
    AfxStatus status = AFX_OK;
    AfxiSweepMessage *block;
    hand->workers = 0;
    loop->wants[0] = afxi_pool_hunger(loop->pool);
    loop->jobs[0] = loop->pool->thread_count;
    for (uint32_t k = 0; k < loop->size; k++) {
        hand->workers += loop->jobs[k];
    }
    for (bool any = true; any && !loop->over;) { /* one for each in turn: nobody goes without while another has two */
        any = false;
        for (uint32_t k = 0; k < loop->size && !loop->over; k++) {
            if (loop->wants[k] == 0 || !(block = afxi_hand_next(hand, &status))) {
                continue;
            }
            loop->wants[k]--;
            any = true;
            if (k == 0) {
                afxi_pool_push(loop->pool, block);
            } else if (!afxi_loop_send(loop->transport, k, block)) {
                fail_memory(loop);
            }
        }
        if (status != AFX_OK) {
            fail_memory(loop);
        }
    }
}

static void turn_of_zero(AfxiLoop *loop, double now) {
    uint32_t from;
    for (AfxiSweepMessage *message; (message = afxi_loop_receive(loop->transport, &from));) {
        hear(loop, from, message);
        free(message);
    }
    for (AfxiSweepMessage *done; (done = afxi_pool_take(loop->pool));) {
        hear(loop, 0, done);
        free(done);
    }
    loop->over |= loop->hand->over || loop->stopped;
    if (!loop->over) {
        hand_out(loop);
    }
    if (now >= loop->next_progress && loop->def->progress) {
        loop->next_progress = now + PROGRESS_SECONDS;
        loop->hand->progress.processes = loop->size;
        loop->def->progress(loop->def->progress_user, &loop->hand->progress);
    }
}

/* ---- other ranks ---- */

static void turn_of_other(AfxiLoop *loop) {
    uint32_t from;
    for (AfxiSweepMessage *message; (message = afxi_loop_receive(loop->transport, &from));) {
        if (message->kind == AFXI_MESSAGE_BLOCK && message->width == loop->pool->study->vary_count) {
            loop->asked = false;
            afxi_pool_push(loop->pool, message);
            continue;
        }
        loop->over |= message->kind == AFXI_MESSAGE_STOP;
        free(message);
    }
    bool fine = true;
    for (AfxiSweepMessage *done; (done = afxi_pool_take(loop->pool));) {
        fine &= afxi_loop_send(loop->transport, 0, done);
    }
    if (!loop->asked && !loop->over && loop->status == AFX_OK && afxi_pool_hunger(loop->pool)) {
        AfxiSweepMessage *want = afxi_sweep_message_create(AFXI_MESSAGE_WANT, 1, 0);
        if (want) {
            want->failed = loop->pool->thread_count;
        }
        fine &= afxi_loop_send(loop->transport, 0, want);
        loop->asked = true;
    }
    if (loop->stopped) {
        fine &= afxi_loop_send(loop->transport, 0, afxi_sweep_message_create(AFXI_MESSAGE_HALT, 0, 0));
        loop->stopped = false;
        loop->def = NULL; /* it is said */
    }
    if (!fine) {
        fail_memory(loop);
    }
}

/* Rank 0 ends at once when its own workers fail; others tell it, and wait to be stopped. */
static void watch_pool(AfxiLoop *loop, double now) {
    if (now >= loop->next_flush) {
        loop->next_flush = now + FLUSH_SECONDS;
        if (!afxi_pool_flush(loop->pool) && loop->status == AFX_OK) {
            AfxError error;
            fail(loop,
                 afxi_sweep_system(&error, loop->pool->journal->path, "cannot be written", loop->pool->journal->error),
                 &error);
            loop->over = loop->rank == 0;
        }
    }
    pthread_mutex_lock(&loop->pool->lock);
    AfxStatus status = loop->pool->status;
    AfxError error = loop->pool->error;
    pthread_mutex_unlock(&loop->pool->lock);
    if (status != AFX_OK && loop->status == AFX_OK) {
        fail(loop, status, &error);
        loop->over = loop->rank == 0;
    }
}

static bool wants_end(const AfxiLoop *loop) {
    return loop->def && loop->def->stop && __atomic_load_n(loop->def->stop, __ATOMIC_RELAXED) != 0;
}

/* Whoever has a block for each thread beside those at work needs no messages soon; rank 0 has to hear the others while
 * they still have theirs. */
static double wait_of(const AfxiLoop *loop) {
    if (!loop->transport) {
        return WAIT_ALONE;
    }
    if (afxi_pool_hunger(loop->pool) > 0) {
        return WAIT_MESSAGES;
    }
    double share = loop->rank == 0 ? BLOCK_SHARE * afxi_hand_block_seconds(loop->hand) : WAIT_ALONE;
    return share < WAIT_MESSAGES ? WAIT_MESSAGES : loop->rank == 0 && share > WAIT_CALM ? WAIT_CALM : share;
}

void afxi_loop_run(AfxiLoop *loop) {
    bool told = false;
    while (!loop->over) {
        double now = afxi_sweep_clock();
        loop->stopped |= wants_end(loop);
        if (loop->rank == 0) {
            turn_of_zero(loop, now);
        } else {
            turn_of_other(loop);
        }
        watch_pool(loop, now);
        if (loop->rank != 0 && loop->status != AFX_OK && !told) {
            told = true;
            afxi_loop_send(loop->transport, 0, afxi_sweep_message_error(AFXI_MESSAGE_FAIL, &loop->error));
        }
        if (!loop->over) {
            afxi_pool_wait(loop->pool, wait_of(loop));
        }
    }
    if (loop->rank == 0) {
        loop->stopped &= !loop->hand->over;
        for (uint32_t k = 1; k < loop->size; k++) {
            afxi_loop_send(loop->transport, k, afxi_sweep_message_create(AFXI_MESSAGE_STOP, 0, 0));
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sweep/error.h"

double afxi_sweep_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint32_t afxi_pool_result_width(const AfxiStudy *study) {
    bool residuals = study->optimiser.method == AFXI_METHOD_GAUSS_NEWTON;
    return study->term_count ? 1 + (residuals ? study->term_count : 0) : 0;
}

void afxi_pool_result(const AfxiStudy *study, const double *values, double *out_numbers) {
    uint32_t width = afxi_pool_result_width(study);
    if (width) {
        out_numbers[0] = values[study->value_count - 1];
    }
    for (uint32_t k = 1; k < width; k++) {
        out_numbers[k] = afxi_study_residual(study, k - 1, values);
    }
}

/* Keeps the first failure; the caller has the lock. */
static void fail(AfxiWorkerPool *pool, AfxStatus status, const AfxError *error) {
    if (pool->status == AFX_OK) {
        pool->status = status;
        pool->error = *error;
    }
    pool->halted = true;
    pthread_cond_broadcast(&pool->work);
    pthread_cond_signal(&pool->news);
}

static AfxiSweepMessage *next_block(AfxiWorkerPool *pool) {
    pthread_mutex_lock(&pool->lock);
    while (!pool->queue && !pool->halted) {
        pthread_cond_wait(&pool->work, &pool->lock);
    }
    AfxiSweepMessage *block = pool->halted ? NULL : pool->queue;
    if (block) {
        pool->queue = block->next;
        pool->queue_last = pool->queue ? pool->queue_last : NULL;
        pool->queued--;
        pthread_cond_signal(&pool->news); /* there is room for another */
    }
    pthread_mutex_unlock(&pool->lock);
    return block;
}

/* One run, and its entry. False when the worker is to end. */
static bool do_run(AfxiWorkerPool *pool, AfxiWorker *worker, AfxiSweepMessage *block, uint64_t k,
                   AfxiSweepMessage *done) {
    const double *point = afxi_sweep_message_numbers(block) + k * block->width;
    uint64_t run = afxi_sweep_message_runs(block)[k];
    AfxiResult result;
    AfxError error;
    afxi_worker_run(worker, point, &result);
    afxi_sweep_message_runs(done)[k] = run;
    afxi_pool_result(pool->study, result.values, afxi_sweep_message_numbers(done) + k * done->width);
    pthread_mutex_lock(&pool->lock);
    if (result.status == AFX_E_MEMORY) {
        afxi_sweep_memory(&error);
        fail(pool, AFX_E_MEMORY, &error);
    } else if (!afxi_journal_add(pool->journal, pool->study, run, point, &result)) {
        afxi_sweep_system(&error, pool->journal->path, "cannot be written", pool->journal->error);
        fail(pool, AFX_E_SYSTEM, &error);
    }
    bool goes_on = !pool->halted;
    pthread_mutex_unlock(&pool->lock);
    done->failed += result.status != AFX_OK;
    return goes_on;
}

static void *run_thread(void *user) {
    AfxiWorkerPool *pool = user;
    AfxiWorker *worker = NULL;
    AfxiSweepMessage *block;
    AfxError error = {0};
    AfxStatus status = afxi_worker_create(pool->study, &worker, &error);
    while (status == AFX_OK && (block = next_block(pool))) {
        AfxiSweepMessage *done =
            afxi_sweep_message_create(AFXI_MESSAGE_DONE, block->count, afxi_pool_result_width(pool->study));
        double begin = afxi_sweep_clock();
        status = done ? AFX_OK : afxi_sweep_memory(&error);
        for (uint64_t k = 0; k < block->count && status == AFX_OK; k++) {
            if (!do_run(pool, worker, block, k, done) && k + 1 < block->count) {
                free(done); /* rank 0 is not told of a part: it hands out nothing more */
                done = NULL;
                break;
            }
        }
        free(block);
        if (done) {
            done->seconds = afxi_sweep_clock() - begin;
            pthread_mutex_lock(&pool->lock);
            done->next = pool->done;
            pool->done = done;
            pthread_cond_signal(&pool->news);
            pthread_mutex_unlock(&pool->lock);
        }
    }
    if (status != AFX_OK) {
        pthread_mutex_lock(&pool->lock);
        fail(pool, status, &error);
        pthread_mutex_unlock(&pool->lock);
    }
    afxi_worker_destroy(worker);
    return NULL;
}

AfxStatus afxi_pool_start(AfxiWorkerPool *pool, const AfxiStudy *study, AfxiJournal *journal, uint32_t threads,
                          AfxError *out_error) {
    pthread_condattr_t monotonic;
    sigset_t all, before;
    *pool = (AfxiWorkerPool){.study = study, .journal = journal};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pool->threads = calloc(threads, sizeof *pool->threads);
    if (!pool->threads) {
        return afxi_sweep_memory(out_error);
    }
    sigfillset(&all); /* signals are for the thread that asks */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int number = 0;
    while (pool->thread_count < threads && number == 0) {
        number = pthread_create(&pool->threads[pool->thread_count], NULL, run_thread, pool);
        pool->thread_count += number == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->thread_count ? AFX_OK : afxi_sweep_system(out_error, "threads", "cannot be started", number);
}

void afxi_pool_push(AfxiWorkerPool *pool, AfxiSweepMessage *block) {
    block->next = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->queue_last) {
        pool->queue_last->next = block;
    } else {
        pool->queue = block;
    }
    pool->queue_last = block;
    pool->queued++;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

AfxiSweepMessage *afxi_pool_take(AfxiWorkerPool *pool) {
    pthread_mutex_lock(&pool->lock);
    AfxiSweepMessage *done = pool->done;
    pool->done = done ? done->next : NULL;
    pthread_mutex_unlock(&pool->lock);
    return done;
}

uint32_t afxi_pool_hunger(AfxiWorkerPool *pool) {
    pthread_mutex_lock(&pool->lock);
    uint32_t hunger = pool->halted || pool->queued >= pool->thread_count ? 0 : pool->thread_count - pool->queued;
    pthread_mutex_unlock(&pool->lock);
    return hunger;
}

bool afxi_pool_flush(AfxiWorkerPool *pool) {
    pthread_mutex_lock(&pool->lock);
    bool fine = afxi_journal_flush(pool->journal);
    pthread_mutex_unlock(&pool->lock);
    return fine;
}

void afxi_pool_wait(AfxiWorkerPool *pool, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long nanoseconds = until.tv_nsec + (long)(1e9 * seconds);
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_mutex_lock(&pool->lock);
    if (!pool->done && pool->status == AFX_OK) {
        pthread_cond_timedwait(&pool->news, &pool->lock, &until);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void free_all(AfxiSweepMessage *list) {
    while (list) {
        AfxiSweepMessage *next = list->next;
        free(list);
        list = next;
    }
}

AfxStatus afxi_pool_end(AfxiWorkerPool *pool, AfxError *out_error) {
    pthread_mutex_lock(&pool->lock);
    pool->halted = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t k = 0; k < pool->thread_count; k++) {
        pthread_join(pool->threads[k], NULL);
    }
    free_all(pool->queue);
    free_all(pool->done);
    free(pool->threads);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->news);
    pthread_mutex_destroy(&pool->lock);
    if (pool->status != AFX_OK && out_error) {
        *out_error = pool->error;
    }
    return pool->status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Many steps in one call, of one sim or of many at once. All of it happens without the interpreter's lock.
 *
 * A call comes back after a while even when steps are left, so that the interpreter can look at signals; the state does
 * not depend on where it paused. In a batch every sim is stepped by one thread at a time, so that its result is that of
 * stepping it alone. */
#include "native.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define THREADS_MOST 256

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Inputs that are as they were are not set again: a rate that came with one would be lost. */
static bool set_inputs(AfxiPyRun *run) {
    for (uint32_t k = 0; k < run->input_count; k++) {
        if (run->wanted[k] != run->given[k]) {
            run->status = run->drives ? afx_sim_set_drive_target(run->sim, run->drives[k], run->wanted[k], 0)
                                      : afx_sim_set_control(run->sim, k, run->wanted[k]);
            if (run->status != AFX_OK) {
                run->bad = k;
                return false;
            }
            run->given[k] = run->wanted[k];
        }
    }
    return true;
}

static AfxiPyStop step_once(AfxiPyRun *run) {
    run->status = afx_step(run->sim, &run->report);
    run->flags |= run->report.flags;
    if (run->status != AFX_OK) {
        return AFXI_PY_STEP;
    }
    run->done++;
    for (uint32_t k = 0; k < run->output_count; k++) {
        run->status = afx_output_step(run->outputs[k], run->sim, &run->report, &run->error);
        if (run->status != AFX_OK) {
            return AFXI_PY_OUTPUT;
        }
    }
    return AFXI_PY_DONE;
}

static AfxiPyStop run_until(AfxiPyRun *run, uint64_t steps, double deadline) {
    run->done = 0;
    run->status = AFX_OK;
    if (!set_inputs(run)) {
        return AFXI_PY_INPUT;
    }
    while (run->done < steps) {
        AfxiPyStop stop = step_once(run);
        if (stop != AFXI_PY_DONE) {
            return stop;
        }
        if (run->done < steps && seconds_now() > deadline) {
            return AFXI_PY_PAUSED;
        }
    }
    return AFXI_PY_DONE;
}

/* Stepping one sim from two threads is a mistake that would corrupt it: the second is turned away, and must not touch
 * the run that the first is using. */
static AfxiPyStop run_guarded(AfxiPyRun *run, uint64_t steps, double deadline) {
    uint32_t free_value = 0;
    if (!__atomic_compare_exchange_n(&run->busy, &free_value, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return AFXI_PY_BUSY;
    }
    AfxiPyStop stop = run_until(run, steps, deadline);
    __atomic_store_n(&run->busy, 0, __ATOMIC_RELEASE);
    return stop;
}

AfxiPyStop afxi_py_run(AfxiPyRun *run, uint64_t steps) {
    return run_guarded(run, steps, steps > 1 ? seconds_now() + run->seconds : INFINITY);
}

typedef struct Batch {
    AfxiPyRun *const *runs;
    uint64_t *left;
    AfxiPyStop *stops;
    double deadline;
    uint32_t count;
    _Atomic uint32_t next, stopped;
} Batch;

static void *batch_work(void *context) {
    Batch *batch = context;
    for (uint32_t k = atomic_fetch_add(&batch->next, 1); k < batch->count; k = atomic_fetch_add(&batch->next, 1)) {
        if (batch->left[k] == 0 || seconds_now() > batch->deadline) {
            continue;
        }
        AfxiPyStop stop = run_guarded(batch->runs[k], batch->left[k], batch->deadline);
        batch->stops[k] = stop;
        if (stop == AFXI_PY_DONE || stop == AFXI_PY_PAUSED) {
            batch->left[k] -= batch->runs[k]->done;
        } else {
            batch->left[k] = 0;
            atomic_fetch_add(&batch->stopped, 1);
        }
    }
    return NULL;
}

uint32_t afxi_py_batch_run(AfxiPyRun *const *runs, uint32_t count, uint64_t *left, AfxiPyStop *stops,
                           uint32_t threads) {
    pthread_t others[THREADS_MOST];
    uint32_t started = 0;
    Batch batch = {.runs = runs, .left = left, .stops = stops, .count = count};
    batch.deadline = seconds_now() + (count > 0 ? runs[0]->seconds : 0);
    threads = threads > count ? count : threads;
    threads = threads > THREADS_MOST ? THREADS_MOST : threads;
    /* A thread that the system refuses is one helper less; the work is done all the same. */
    while (started + 1 < threads && pthread_create(&others[started], NULL, batch_work, &batch) == 0) {
        started++;
    }
    batch_work(&batch);
    for (uint32_t k = 0; k < started; k++) {
        pthread_join(others[k], NULL);
    }
    return atomic_load(&batch.stopped);
}

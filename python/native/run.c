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
#define GROUP 8 /* sims that a thread steps side by side: as many as the widest lanes */

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

/* What follows on a step that the sim has made, or not. */
static AfxiPyStop after_step(AfxiPyRun *run, AfxStatus status, const AfxStepReport *report) {
    run->status = status;
    run->report = *report;
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

/* Stepping one sim from two threads is a mistake that would corrupt it: the second is turned away, and must not touch
 * the run that the first is using. */
static bool take(AfxiPyRun *run) {
    uint32_t free_value = 0;
    return __atomic_compare_exchange_n(&run->busy, &free_value, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* One step of each run that is at it and has steps left: how many these are. */
static uint32_t step_group(AfxiPyRun *const *runs, uint32_t count, const uint64_t *steps, AfxiPyStop *stops) {
    AfxSim *sims[GROUP];
    AfxStepReport reports[GROUP] = {0};
    AfxStatus statuses[GROUP];
    uint32_t which[GROUP], going = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (stops[k] == AFXI_PY_PAUSED && runs[k]->done < steps[k]) {
            sims[going] = runs[k]->sim;
            which[going++] = k;
        }
    }
    if (going) {
        afx_step_many(sims, going, reports, statuses);
    }
    for (uint32_t e = 0; e < going; e++) {
        AfxiPyStop stop = after_step(runs[which[e]], statuses[e], &reports[e]);
        bool done = stop == AFXI_PY_DONE && runs[which[e]]->done < steps[which[e]];
        stops[which[e]] = done ? AFXI_PY_PAUSED : stop;
    }
    return going;
}

/* Up to GROUP runs, until all have done steps[count] or the time is over. */
static void run_group(AfxiPyRun *const *runs, uint32_t count, const uint64_t *steps, double deadline,
                      AfxiPyStop *stops) {
    bool taken[GROUP];
    for (uint32_t k = 0; k < count; k++) {
        taken[k] = take(runs[k]);
        stops[k] = AFXI_PY_BUSY;
        if (taken[k]) {
            runs[k]->done = 0;
            runs[k]->status = AFX_OK;
            stops[k] = !set_inputs(runs[k]) ? AFXI_PY_INPUT : steps[k] ? AFXI_PY_PAUSED : AFXI_PY_DONE;
        }
    }
    while (step_group(runs, count, steps, stops) && seconds_now() <= deadline) {
    }
    for (uint32_t k = 0; k < count; k++) {
        if (taken[k]) {
            __atomic_store_n(&runs[k]->busy, 0, __ATOMIC_RELEASE);
        }
    }
}

AfxiPyStop afxi_py_run(AfxiPyRun *run, uint64_t steps) {
    AfxiPyStop stop;
    run_group(&run, 1, &steps, steps > 1 ? seconds_now() + run->seconds : INFINITY, &stop);
    return stop;
}

typedef struct Batch {
    AfxiPyRun *const *runs;
    uint64_t *left;
    AfxiPyStop *stops;
    double deadline;
    uint32_t count, group;
    _Atomic uint32_t next, stopped;
} Batch;

/* Sims first to end - 1 of a batch, those that have steps left. */
static void batch_group(Batch *batch, uint32_t first, uint32_t end) {
    AfxiPyRun *runs[GROUP];
    AfxiPyStop stops[GROUP];
    uint64_t steps[GROUP];
    uint32_t which[GROUP], count = 0;
    for (uint32_t k = first; k < end; k++) {
        if (batch->left[k]) {
            runs[count] = batch->runs[k];
            steps[count] = batch->left[k];
            which[count++] = k;
        }
    }
    run_group(runs, count, steps, batch->deadline, stops);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t k = which[e];
        batch->stops[k] = stops[e];
        if (stops[e] == AFXI_PY_DONE || stops[e] == AFXI_PY_PAUSED) {
            batch->left[k] -= runs[e]->done;
        } else {
            batch->left[k] = 0;
            atomic_fetch_add(&batch->stopped, 1);
        }
    }
}

static void *batch_work(void *context) {
    Batch *batch = context;
    uint32_t first = atomic_fetch_add(&batch->next, batch->group);
    while (first < batch->count) {
        if (seconds_now() <= batch->deadline) {
            uint32_t left = batch->count - first;
            batch_group(batch, first, first + (left < batch->group ? left : batch->group));
        }
        first = atomic_fetch_add(&batch->next, batch->group);
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
    uint32_t share = threads ? (count + threads - 1) / threads : 1; /* no thread waits while another has several */
    batch.group = share < GROUP ? share : GROUP;
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

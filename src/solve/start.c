/* SPDX-License-Identifier: Apache-2.0 */
/* Between steps, of all lots: consistent accelerations at a (re)start, and starts that are closed and projected. */
#include "solve/start.h"

#include <math.h>
#include <string.h>

#include "constraint/angles.h"
#include "constraint/drive.h"
#include "solve/impact_law.h"
#include "solve/tuning.h"
#include "state/input.h"

/* Lots of components, then the ball chains. */
static uint32_t run_count(const AfxiSolver *solver) {
    return solver->world->model->graph_count + 1;
}

void afxi_start(AfxiSolver *solver, const uint8_t *wanted, double dt) {
    afxi_input_forces_at(solver->world, 0);
    afxi_free_start(&solver->free, wanted);
    if (solver->world->model->drive_count) {
        afxi_drives_targets(solver->world, 0);
    }
    for (uint32_t k = 0; k < run_count(solver); k++) {
        const AfxiRun *run = &solver->run[k];
        bool any = false;
        for (uint32_t p = 0; p < run->count && !any; p++) {
            any = wanted[run->island[p].body];
        }
        if (any) {
            run->engine->between->start(run->data, wanted, dt);
        }
    }
}

/* Newton's method on the exact rows of the islands of a run that are open, each until it is near enough by itself; how
 * far they are off at the end comes back. */
static double close_rows(const AfxiRun *run) {
    double residual = 0;
    for (uint32_t p = 0; p < run->count; p++) {
        run->closing[p] = (AfxiClosing){.size = run->violation[p].size, .open = run->open[p]};
    }
    while (run->engine->between->close(run->data, run->closing)) {
    }
    for (uint32_t p = 0; p < run->count; p++) {
        residual = fmax(residual, run->closing[p].residual);
    }
    return residual;
}

static void project(const AfxiRun *run, const uint8_t *open) {
    if (run->lot) {
        afxi_impact_limits(&run->lot->rows, 0, true);
    }
    run->engine->between->project(run->data, &(AfxiJump){.open = open});
}

double afxi_close(AfxiSolver *solver) {
    double residual = 0;
    afxi_drives_targets(solver->world, 0);
    for (uint32_t k = 0; k < run_count(solver); k++) {
        const AfxiRun *run = &solver->run[k];
        if (run->count) {
            run->engine->between->violation(run->data, run->violation);
            memset(run->open, true, run->count);
            residual = fmax(residual, close_rows(run));
        }
    }
    return residual;
}

void afxi_project(AfxiSolver *solver) {
    for (uint32_t k = 0; k < run_count(solver); k++) {
        if (solver->run[k].count) {
            project(&solver->run[k], NULL);
        }
    }
}

/* Opens the islands of a run whose start is off; whether there are any comes back. */
static bool open_off(const AfxiRun *run) {
    bool any = false;
    if (run->count) {
        run->engine->between->violation(run->data, run->violation);
    }
    for (uint32_t p = 0; p < run->count; p++) {
        const AfxiViolation *off = &run->violation[p];
        run->open[p] = off->position > AFXI_START_OFF * off->size || off->rate > AFXI_START_OFF * off->size;
        any |= run->open[p];
    }
    return any;
}

bool afxi_repair(AfxiSolver *solver) {
    bool any = false;
    afxi_drives_targets(solver->world, 0);
    for (uint32_t k = 0; k < run_count(solver); k++) {
        const AfxiRun *run = &solver->run[k];
        if (open_off(run)) {
            close_rows(run);
            afxi_angles_follow(solver->world);
            project(run, run->open);
            any = true;
        }
    }
    return any;
}

AfxStatus afxi_rank(AfxiSolver *solver, uint64_t *out_rows, uint64_t *out_rank) {
    AfxStatus status = AFX_OK;
    *out_rows = *out_rank = 0;
    for (uint32_t k = 0; k < run_count(solver) && status == AFX_OK; k++) {
        const AfxiRun *run = &solver->run[k];
        uint32_t rows = 0, rank = 0;
        if (run->count) {
            status = run->engine->between->rank(run->data, &solver->world->def.allocator, &rows, &rank);
        }
        *out_rows += rows;
        *out_rank += rank;
    }
    return status;
}

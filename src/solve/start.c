/* SPDX-License-Identifier: Apache-2.0 */
/* Between steps, of all lots: consistent accelerations at a (re)start, and starts that are closed and projected. */
#include "solve/start.h"

#include <math.h>

#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "solve/tuning.h"

/* Lots of components, then the ball chains. */
static uint32_t run_count(const AfxiSolver *solver) {
    return solver->world->model->graph_count + 1;
}

void afxi_start(AfxiSolver *solver, const uint8_t *wanted, double dt) {
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

/* Newton's method on the exact rows; how far they are off at the end comes back. */
static double close_rows(const AfxiRun *run, double size) {
    AfxiClosing closing = {.size = size};
    while (run->engine->between->close(run->data, &closing)) {
    }
    return closing.residual;
}

static void project(const AfxiSolver *solver, const AfxiRun *run) {
    run->engine->between->project(run->data, &(AfxiJump){.before = solver->world->state.v});
}

double afxi_close(AfxiSolver *solver) {
    double residual = 0;
    afxi_drives_targets(solver->world, 0);
    for (uint32_t k = 0; k < run_count(solver); k++) {
        const AfxiRun *run = &solver->run[k];
        AfxiViolation off;
        if (run->count) {
            run->engine->between->violation(run->data, &off);
            residual = fmax(residual, close_rows(run, off.size));
        }
    }
    return residual;
}

void afxi_project(AfxiSolver *solver) {
    for (uint32_t k = 0; k < run_count(solver); k++) {
        if (solver->run[k].count) {
            project(solver, &solver->run[k]);
        }
    }
}

bool afxi_repair(AfxiSolver *solver) {
    bool any = false;
    afxi_drives_targets(solver->world, 0);
    for (uint32_t k = 0; k < run_count(solver); k++) {
        const AfxiRun *run = &solver->run[k];
        AfxiViolation off = {0};
        if (run->count) {
            run->engine->between->violation(run->data, &off);
        }
        if (off.position > AFXI_START_OFF * off.size || off.rate > AFXI_START_OFF * off.size) {
            close_rows(run, off.size);
            afxi_angles_follow(solver->world);
            project(solver, run);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The step in joint coordinates, of all islands. */
#include "reduced/step.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "reduced/advance.h"
#include "reduced/islands.h"
#include "reduced/touch.h"
#include "state/input.h"
#include "state/pace.h"

/* All islands are where they are to be, and their results the state. */
static void commit_rest(AfxiReducedIslands *set, AfxStepReport *report) {
    AfxiWorld *world = set->world;
    AfxiState *state = &world->state;
    bool left = false;
    for (uint32_t k = 0; k < set->count; k++) {
        left = left || set->island[k].angles_left;
    }
    if (left) {
        afxi_angles_follow(world);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const AfxiReduced *work = &set->island[i];
        for (uint32_t k = 0; k < work->angle_count; k++) {
            const AfxiReducedAngle *angle = &work->angle[k];
            state->angle[angle->place] = angle->scale * work->q[angle->coordinate] + angle->offset;
        }
    }
    afxi_drives_finish(world);
    afxi_pace_finish(state, world->model->body_count, NULL);
    state->head->has_history = 1;
    afxi_reduced_touch_finish(&set->island[0], report);
}

/* ---- the step ---- */

/* What a step begins with. */
static void begin_step(AfxiReducedIslands *set) {
    const AfxModel *model = set->world->model;
    AfxiState *state = &set->world->state;
    for (uint32_t k = 0; k < set->count; k++) {
        AfxiReduced *work = &set->island[k];
        work->violation = 0;
        work->regularised = false;
        work->solves = 0;
        work->kept = 0;
        work->touch.status = AFX_OK;
        afxi_reduced_touch_keep(work);
    }
    afxi_input_begin(set->world);
    afxi_drives_begin(set->world);
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * model->kinematic[k].body;
        memcpy(state->previous_q + at, state->q + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

/* Puts back what a step has begun. */
static void fail_all(AfxiReducedIslands *set) {
    for (uint32_t k = 0; k < set->count; k++) {
        afxi_reduced_touch_bring_back(&set->island[k]);
        set->island[k].stale = true;
    }
    afxi_input_back(set->world);
    afxi_drives_reset(set->world);
}

static uint32_t first_body(const AfxiReduced *work) {
    for (uint32_t k = 0; k < work->model->dynamic_count; k++) {
        if (work->member[work->model->dynamic[k]]) {
            return work->model->dynamic[k];
        }
    }
    return UINT32_MAX;
}

AfxStatus afxi_reduced_step_begin(AfxiReducedIslands *set, AfxStepReport *report) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < set->count && status == AFX_OK; k++) {
        status = afxi_reduced_refuse_own(&set->island[k]);
    }
    if (status == AFX_OK) {
        report->solves = 1;
        report->residual = 0;
        begin_step(set);
        for (uint32_t k = 0; k < set->count; k++) {
            afxi_reduced_load(&set->island[k], report);
        }
    }
    return status;
}

void afxi_reduced_step_tell(const AfxiReduced *work, AfxStepReport *report) {
    report->solves = work->solves > report->solves ? work->solves : report->solves;
    report->residual = fmax(report->residual, work->violation);
    report->flags |= work->regularised ? AFX_STEP_REGULARISED : 0;
}

AfxStatus afxi_reduced_step_end(AfxiReducedIslands *set, const AfxiReduced *failed, uint32_t stiff,
                                AfxStepReport *report) {
    report->solves_mean = report->solves;
    if (!failed) {
        commit_rest(set, report);
        return AFX_OK;
    }
    AfxStatus status = failed->touch.status ? failed->touch.status : AFX_E_NUMERIC;
    fail_all(set);
    report->body = stiff != AFXI_TREE_NONE ? stiff : first_body(failed);
    return status;
}

AfxStatus afxi_reduced_step(void *data, AfxStepReport *report) {
    AfxiReducedIslands *set = data;
    const AfxiReduced *failed = NULL;
    double mark = afxi_clock();
    uint32_t stiff = AFXI_TREE_NONE;
    AfxStatus status = afxi_reduced_step_begin(set, report);
    if (status != AFX_OK) {
        return status;
    }
    for (uint32_t k = 0; k < set->count && !failed; k++) {
        AfxiReduced *work = &set->island[k];
        bool fresh = afxi_reduced_start(work);
        failed = afxi_reduced_advance(work, fresh, report, &stiff) ? NULL : work;
        afxi_reduced_step_tell(work, report);
    }
    for (uint32_t k = 0; k < set->count && !failed; k++) {
        afxi_reduced_commit(&set->island[k]);
    }
    status = afxi_reduced_step_end(set, failed, stiff, report);
    report->stage_seconds[AFX_STAGE_JOINTS] += afxi_clock() - mark;
    return status;
}

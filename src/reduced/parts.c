/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points of a step, and steps in parts. */
#include "reduced/parts.h"

#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/implicit.h"
#include "reduced/touch.h"

void afxi_reduced_go_back(AfxiReduced *work) {
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(work->q, own.q, work->tree.coordinate_count * sizeof(double));
    memcpy(work->u, own.u, work->tree.dof_count * sizeof(double));
}

bool afxi_reduced_look(AfxiReduced *work, double h) {
    if (work->touch.collide) {
        afxi_reduced_inputs(work, 1);
        work->touch.status = afxi_reduced_touch_find(work, h, false);
    }
    return work->touch.status == AFX_OK;
}

/* The raw state of a part that is over is where the next one begins, for those who look for contacts. */
static bool end_part(AfxiReduced *work, bool last) {
    AfxiState *state = &work->world->state;
    AfxStepReport report = {0};
    if (last || !work->touch.collide) {
        return true;
    }
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    afxi_tree_to_raw(&work->work, work->q, work->u, state->q, state->v);
    afxi_reduced_touch_finish(work, &report);
    for (uint32_t k = 0; k < work->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * work->model->kinematic[k].body;
        memcpy(state->previous_q + at, state->q + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
    return true;
}

/* The step in so many parts, by one. */
static bool do_parts(AfxiReduced *work, double h, uint32_t parts) {
    bool fine = true;
    work->part_share = 1.0 / parts;
    for (uint32_t k = 0; fine && k < parts; k++) {
        work->part_from = (double)k / parts;
        fine = afxi_reduced_look(work, h / parts) && afxi_reduced_bdf(work, h / parts, false) &&
               end_part(work, k + 1 == parts);
    }
    work->part_from = 0;
    work->part_share = 1;
    return fine;
}

/* Puts back what parts of a step have changed: raw coordinates, and what points remember. */
static void undo_parts(AfxiReduced *work) {
    AfxiState *state = &work->world->state;
    afxi_reduced_branches_back(work);
    afxi_reduced_go_back(work);
    if (!work->touch.collide) {
        return;
    }
    size_t numbers = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count;
    memcpy(state->q, work->touch.kept, numbers * sizeof(double));
    memcpy(state->v, work->touch.kept + numbers, numbers * sizeof(double));
    afxi_contacts_bring_back_past(&work->touch.collide->set);
    for (uint32_t k = 0; k < work->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * work->model->kinematic[k].body;
        memcpy(state->previous_q + at, state->targets[k].begin_q, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

bool afxi_reduced_in_parts(AfxiReduced *work, double h, AfxStepReport *report) {
    bool fine = false;
    bool points = work->touch.collide != NULL;
    if (work->touch.status != AFX_OK || (!points && work->model->kinematic_count)) {
        return false;
    }
    if (points) {
        size_t numbers = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count;
        memcpy(work->touch.kept, work->world->state.q, numbers * sizeof(double));
        memcpy(work->touch.kept + numbers, work->world->state.v, numbers * sizeof(double));
        work->touch.status = afxi_contacts_keep_past(&work->touch.collide->set);
    }
    for (uint32_t parts = 2; parts <= AFXI_REDUCED_PARTS_MOST && !fine && work->touch.status == AFX_OK; parts *= 2) {
        undo_parts(work);
        fine = do_parts(work, h, parts);
    }
    if (!fine) {
        undo_parts(work);
    }
    report->flags |= fine ? AFX_STEP_SUBSTEPPED : 0;
    return fine;
}

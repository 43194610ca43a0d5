/* SPDX-License-Identifier: Apache-2.0 */
/* An impact at limits is Newton's law in the metric of the mass matrix, with impulses that push: those that would pull
 * are let go, and held again where they come on. Where contact points bounce, limits go along with them (bounce.h). */
#include "reduced/impact.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "reduced/bounce.h"
#include "reduced/held.h"
#include "reduced/strike.h"

/* Limits at their ends, less those that are let go: the rates they leave with, in `slip`. What was met in this step
 * leaves with its restitution, what was there before may not come on. */
static void list_strikes(AfxiReduced *work, const double *before) {
    afxi_reduced_list_exact(work);
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        double side = afxi_reduced_way_out(work, row), came = side * row->factor * before[row->dof];
        if (side != 0 && !row->let_go) {
            bool met = work->world->branch_begin[row->index] == AFXI_BRANCH_FREE;
            work->slip[work->active_count] = met ? side * row->numbers[AFXI_DRIVE_RESTITUTION] * fmax(0, -came) : 0;
            work->compliance[work->active_count] = 0;
            afxi_reduced_add_row(work, row, AFXI_HOLDS_RATE);
        }
    }
}

/* Lets limits go whose impulse would pull, and holds those that come on at velocities u; false: none of either. */
static bool sort_strikes(AfxiReduced *work, const double *u) {
    bool changed = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        double side = afxi_reduced_way_out(work, row);
        if (side != 0) {
            bool pulls = !row->let_go && side * row->lambda > 0;
            bool comes = row->let_go && side * row->factor * u[row->dof] < -AFXI_REDUCED_STILL;
            changed = changed || pulls || comes;
            row->let_go = pulls || (row->let_go && !comes);
        }
    }
    return changed;
}

static void leave_limits(AfxiReduced *work) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        if (afxi_reduced_way_out(work, row) * row->factor * work->u[row->dof] > AFXI_REDUCED_STILL) {
            work->world->state.drive_branch[row->index] = AFXI_BRANCH_FREE;
        }
    }
}

bool afxi_reduced_strike(AfxiReduced *work, const double *before) {
    bool met = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        bool here = afxi_reduced_way_out(work, row) != 0 && work->world->branch_begin[row->index] == AFXI_BRANCH_FREE;
        row->let_go = row->struck = false;
        met = met || here;
        afxi_trace_limit(here ? work->world->trace : NULL, work->model->drives[row->index].joint);
    }
    bool bounces = afxi_reduced_bounces(work);
    if (!met && !bounces) {
        return false;
    }
    AfxiTreeTask task = {.q = work->q, .u = work->u, .rows = &work->rows, .tau = work->bias, .mass = work->mass};
    afxi_tree_evaluate(&work->work, &task);
    if (bounces) {
        afxi_reduced_bounce(work, before);
        leave_limits(work);
        return true;
    }
    if (!work->work.kernels->factor(&work->rows, work->mass)) {
        return true;
    }
    bool changed = true;
    for (int pass = 0; pass < AFXI_REDUCED_STRIKES_MOST && changed; pass++) {
        list_strikes(work, before);
        memcpy(work->tau, work->u, work->tree.dof_count * sizeof(double));
        changed = afxi_reduced_meet(work, work->tau) && sort_strikes(work, work->tau);
    }
    memcpy(work->u, work->tau, work->tree.dof_count * sizeof(double));
    leave_limits(work);
    return true;
}

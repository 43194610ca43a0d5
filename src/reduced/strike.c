/* SPDX-License-Identifier: Apache-2.0 */
/* Limits in impacts: which of them come on, and velocities with the rates that they leave with. */
#include "reduced/strike.h"

#include <math.h>

#include "constraint/drive.h"
#include "reduced/held.h"
#include "reduced/measure.h"
#include "reduced/system.h"

bool afxi_reduced_meet(AfxiReduced *work, double *u) {
    size_t n = work->tree.dof_count;
    afxi_reduced_measure_active(work, work->q, u);
    for (uint32_t k = 0; k < work->active_count; k++) {
        double target[3] = {0, work->slip[k], 0}, along = 0;
        if (k < work->exact_count) {
            afxi_reduced_target(work, &work->active[k], 1, target);
        }
        for (size_t d = 0; d < n; d++) {
            along += work->gradient[k * n + d] * u[d];
        }
        work->side[k] = work->measure[k].rate - target[1] - along;
        work->active[k].multiplier[0] = 0;
    }
    if (work->active_count && !afxi_reduced_correct(work, u, 0, AFXI_REDUCED_REFINE_MOST)) {
        return false;
    }
    for (uint32_t k = 0; k < work->active_count; k++) {
        *work->active[k].multiplier = work->lambda[k];
    }
    return true;
}

static void list_leaving(AfxiReduced *work) {
    afxi_reduced_list_exact(work);
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        if (afxi_reduced_way_out(work, row) != 0 && !row->let_go) {
            work->slip[work->active_count] = row->leave;
            work->compliance[work->active_count] = 0;
            afxi_reduced_add_row(work, row, AFXI_HOLDS_RATE);
        }
    }
}

bool afxi_reduced_list_strikes(AfxiReduced *work, const double *x, double least, bool restitution) {
    bool any = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        double side = afxi_reduced_way_out(work, row), came = side * row->factor * x[row->dof];
        bool comes = came < -least;
        row->let_go = !comes;
        row->leave = comes && restitution ? -side * row->numbers[AFXI_DRIVE_RESTITUTION] * came : 0;
        row->struck = row->struck || comes;
        any = any || comes;
    }
    list_leaving(work);
    return any;
}

bool afxi_reduced_release_strikes(AfxiReduced *work) {
    bool any = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        bool pulls = !row->let_go && afxi_reduced_way_out(work, row) * row->lambda > 0;
        row->let_go = row->let_go || pulls;
        any = any || pulls;
    }
    list_leaving(work);
    return any;
}

void afxi_reduced_keep_strikes(AfxiReduced *work, const double *x) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        double side = afxi_reduced_way_out(work, row);
        row->let_go = !row->struck;
        row->leave = side * fmax(0, side * row->factor * x[row->dof]);
    }
    list_leaving(work);
}

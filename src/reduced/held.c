/* SPDX-License-Identifier: Apache-2.0 */
/* Limits hold a coordinate at its end while they push, friction while it needs no more than its effort; what changes is
 * looked at after every iteration (joint/law.h). */
#include "reduced/held.h"

#include <math.h>

#include "constraint/drive.h"

static AfxiBranch branch_of(const AfxiReduced *work, const AfxiReducedRow *row) {
    return (AfxiBranch)work->world->state.drive_branch[row->index];
}

static AfxDriveKind kind_of(const AfxiReduced *work, const AfxiReducedRow *row) {
    return (AfxDriveKind)work->model->drives[row->index].kind;
}

/* ---- which rows ---- */

void afxi_reduced_add_row(AfxiReduced *work, AfxiReducedRow *row, AfxiReducedHolds holds) {
    AfxiReducedRow *to = &work->active[work->active_count++];
    *to = *row;
    to->holds = holds;
    to->multiplier = &row->lambda;
}

void afxi_reduced_list_exact(AfxiReduced *work) {
    work->active_count = 0;
    for (uint32_t k = 0; k < work->exact_count; k++) {
        afxi_reduced_add_row(work, &work->exact[k], AFXI_HOLDS_VALUE);
        work->compliance[k] = 0;
    }
}

/* Whether friction sticks: not where a limit holds its coordinate already. */
static bool sticks(const AfxiReduced *work, const AfxiReducedRow *row) {
    bool held = row->limit != AFXI_TREE_NONE && branch_of(work, &work->held[row->limit]) != AFXI_BRANCH_FREE;
    return branch_of(work, row) == AFXI_BRANCH_FREE && !held;
}

void afxi_reduced_list_held(AfxiReduced *work, bool laws) {
    afxi_reduced_list_exact(work);
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        bool limit = kind_of(work, row) == AFX_DRIVE_LIMIT;
        if (limit ? branch_of(work, row) != AFXI_BRANCH_FREE : sticks(work, row)) {
            work->compliance[work->active_count] = 0;
            afxi_reduced_add_row(work, row, limit ? AFXI_HOLDS_END : AFXI_HOLDS_RATE);
        } else {
            row->lambda = 0;
        }
    }
    for (uint32_t k = 0; laws && k < work->force_count; k++) {
        if (work->force[k].dof == AFXI_TREE_NONE) {
            afxi_reduced_add_row(work, &work->force[k], AFXI_HOLDS_LAW);
        }
    }
}

void afxi_reduced_held_begin(AfxiReduced *work) {
    for (uint32_t k = 0; k < work->exact_count; k++) {
        work->exact[k].lambda = 0;
    }
    for (uint32_t k = 0; k < work->held_count; k++) {
        work->held[k].lambda = 0;
    }
}

double afxi_reduced_end(const AfxiReduced *work, const AfxiReducedRow *row) {
    return row->numbers[branch_of(work, row) == AFXI_BRANCH_LOW ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER];
}

void afxi_reduced_held_forces(const AfxiReduced *work, double *tau) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        const AfxiReducedRow *row = &work->held[k];
        AfxiBranch branch = branch_of(work, row);
        if (kind_of(work, row) == AFX_DRIVE_FRICTION && branch != AFXI_BRANCH_FREE) {
            double effort = row->numbers[AFXI_DRIVE_EFFORT];
            tau[row->dof] -= row->factor * (branch == AFXI_BRANCH_LOW ? -effort : effort);
        }
    }
}

double afxi_reduced_held_multiplier(const AfxiReduced *work, const AfxiReducedRow *row) {
    AfxiBranch branch = branch_of(work, row);
    if (kind_of(work, row) == AFX_DRIVE_FRICTION && branch != AFXI_BRANCH_FREE) {
        return (branch == AFXI_BRANCH_LOW ? -1 : 1) * row->numbers[AFXI_DRIVE_EFFORT];
    }
    return row->lambda;
}

void afxi_reduced_held_tell(const AfxiReduced *work, double *lambda) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        const AfxiReducedRow *row = &work->held[k];
        bool slides = kind_of(work, row) == AFX_DRIVE_FRICTION && branch_of(work, row) != AFXI_BRANCH_FREE;
        if (row->place != UINT32_MAX) {
            lambda[row->place] = slides ? row->sign * afxi_reduced_held_multiplier(work, row) : 0;
        }
    }
}

/* ---- branches ---- */

static double limit_slack(const AfxiReduced *work) {
    return AFXI_LIMIT_SLACK * fmax(work->model->size, 1);
}

static bool take_branch(AfxiReduced *work, const AfxiReducedRow *row, AfxiBranch fit) {
    AfxiWorld *world = work->world;
    if (fit == branch_of(work, row) || world->drive_changes[row->index] >= AFXI_BRANCH_CHANGES_MOST) {
        return false;
    }
    world->state.drive_branch[row->index] = (uint8_t)fit;
    world->drive_changes[row->index]++;
    afxi_trace_branch(world->trace, kind_of(work, row));
    return true;
}

bool afxi_reduced_branches(AfxiReduced *work) {
    bool changed = false;
    double dt = work->world->state.head->dt;
    for (int pass = 0; pass < 2; pass++) { /* limits first: where one holds, nothing sticks */
        for (uint32_t k = 0; k < work->held_count; k++) {
            AfxiReducedRow *row = &work->held[k];
            AfxDriveKind kind = kind_of(work, row);
            double x = row->factor * work->q[row->coordinate], rate = row->factor * work->u[row->dof];
            double slack = pass ? AFXI_BRANCH_ROUNDING * fmax(work->model->size, 1) / dt : limit_slack(work);
            if ((kind == AFX_DRIVE_FRICTION) == pass) {
                changed |= take_branch(work, row,
                                       afxi_law_branch(kind, branch_of(work, row), row->numbers, x, rate, row->lambda,
                                                       row->numbers[AFXI_DRIVE_EFFORT], slack));
            }
        }
    }
    for (uint32_t k = 0; k < work->force_count; k++) { /* servos that give all they have */
        const AfxiReducedRow *row = &work->force[k];
        if (row->source == AFXI_REDUCED_DRIVE && kind_of(work, row) == AFX_DRIVE_SERVO && row->dof != AFXI_TREE_NONE) {
            double most = row->numbers[AFXI_DRIVE_EFFORT];
            const double *target = work->world->drive_target + 2 * (size_t)row->index;
            double push = row->numbers[AFXI_DRIVE_STIFFNESS] * (row->factor * work->q[row->coordinate] - target[0]) +
                          row->numbers[AFXI_DRIVE_DAMPING] * (row->factor * work->u[row->dof] - target[1]);
            changed |= take_branch(work, row,
                                   push > most    ? AFXI_BRANCH_HIGH
                                   : push < -most ? AFXI_BRANCH_LOW
                                                  : AFXI_BRANCH_FREE);
        }
    }
    return changed;
}

void afxi_reduced_branches_back(AfxiReduced *work) {
    const AfxiReducedRow *lists[2] = {work->held, work->force};
    const uint32_t counts[2] = {work->held_count, work->force_count};
    for (int list = 0; list < 2; list++) {
        for (uint32_t k = 0; k < counts[list]; k++) {
            uint32_t drive = lists[list][k].index;
            if (lists[list][k].source == AFXI_REDUCED_DRIVE) {
                work->world->state.drive_branch[drive] = work->world->branch_begin[drive];
                work->world->drive_changes[drive] = 0;
            }
        }
    }
}

bool afxi_reduced_beyond(const AfxiReduced *work, const double *q) {
    double slack = limit_slack(work);
    bool any = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        const AfxiReducedRow *row = &work->held[k];
        double x = row->factor * q[row->coordinate];
        any = any || kind_of(work, row) == AFX_DRIVE_FRICTION || branch_of(work, row) != AFXI_BRANCH_FREE ||
              x < row->numbers[AFXI_DRIVE_LOWER] - slack || x > row->numbers[AFXI_DRIVE_UPPER] + slack;
    }
    return any;
}

double afxi_reduced_way_out(const AfxiReduced *work, const AfxiReducedRow *row) {
    AfxiBranch branch = branch_of(work, row);
    if (kind_of(work, row) != AFX_DRIVE_LIMIT || branch == AFXI_BRANCH_FREE) {
        return 0;
    }
    return branch == AFXI_BRANCH_LOW ? 1 : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Limits hold a coordinate at its end while they push, friction while it needs no more than its effort; what changes is
 * looked at after every iteration (joint/law.h). An impact at limits is Newton's law in the metric of the mass matrix,
 * with impulses that push: those that would pull are let go, and held again where they come on. */
#include "reduced/held.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "reduced/bounce.h"
#include "reduced/measure.h"
#include "reduced/system.h"

static AfxiBranch branch_of(const AfxiReduced *work, const AfxiReducedRow *row) {
    return (AfxiBranch)work->world->state.drive_branch[row->index];
}

static AfxDriveKind kind_of(const AfxiReduced *work, const AfxiReducedRow *row) {
    return (AfxDriveKind)work->model->drives[row->index].kind;
}

/* ---- which rows ---- */

static void add(AfxiReduced *work, AfxiReducedRow *row, AfxiReducedHolds holds) {
    AfxiReducedRow *to = &work->active[work->active_count++];
    *to = *row;
    to->holds = holds;
    to->multiplier = &row->lambda;
}

void afxi_reduced_list_exact(AfxiReduced *work) {
    work->active_count = 0;
    for (uint32_t k = 0; k < work->exact_count; k++) {
        add(work, &work->exact[k], AFXI_HOLDS_VALUE);
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
            add(work, row, limit ? AFXI_HOLDS_END : AFXI_HOLDS_RATE);
        } else {
            row->lambda = 0;
        }
    }
    for (uint32_t k = 0; laws && k < work->force_count; k++) {
        if (work->force[k].dof == AFXI_TREE_NONE) {
            add(work, &work->force[k], AFXI_HOLDS_LAW);
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

/* ---- impacts ---- */

/* The way out of a met limit. */
static double side_of(const AfxiReduced *work, const AfxiReducedRow *row) {
    return branch_of(work, row) == AFXI_BRANCH_LOW ? 1 : -1;
}

static bool at_end(const AfxiReduced *work, const AfxiReducedRow *row) {
    return kind_of(work, row) == AFX_DRIVE_LIMIT && branch_of(work, row) != AFXI_BRANCH_FREE;
}

/* Limits at their ends, less those that are let go: the rates they leave with, in `slip`. What was met in this step
 * leaves with its restitution, what was there before may not come on. */
static void list_strikes(AfxiReduced *work, const double *before) {
    afxi_reduced_list_exact(work);
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        if (at_end(work, row) && !row->let_go) {
            double side = side_of(work, row), came = side * row->factor * before[row->dof];
            bool met = work->world->branch_begin[row->index] == AFXI_BRANCH_FREE;
            work->slip[work->active_count] = met ? side * row->numbers[AFXI_DRIVE_RESTITUTION] * fmax(0, -came) : 0;
            work->compliance[work->active_count] = 0;
            add(work, row, AFXI_HOLDS_RATE);
        }
    }
}

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
    if (work->active_count && !afxi_reduced_correct(work, u, AFXI_REDUCED_REGULARISE, AFXI_REDUCED_REFINE_MOST)) {
        return false;
    }
    for (uint32_t k = 0; k < work->active_count; k++) {
        *work->active[k].multiplier = work->lambda[k];
    }
    return true;
}

/* Lets limits go whose impulse would pull, and holds those that come on at velocities u; false: none of either. */
static bool sort_strikes(AfxiReduced *work, const double *u) {
    bool changed = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        if (at_end(work, row)) {
            double side = side_of(work, row);
            bool pulls = !row->let_go && side * row->lambda > 0;
            bool comes = row->let_go && side * row->factor * u[row->dof] < -AFXI_REDUCED_STILL;
            changed = changed || pulls || comes;
            row->let_go = pulls || (row->let_go && !comes);
        }
    }
    return changed;
}

static void list_leaving(AfxiReduced *work) {
    afxi_reduced_list_exact(work);
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        if (at_end(work, row) && !row->let_go) {
            work->slip[work->active_count] = row->leave;
            work->compliance[work->active_count] = 0;
            add(work, row, AFXI_HOLDS_RATE);
        }
    }
}

bool afxi_reduced_list_strikes(AfxiReduced *work, const double *x, double least, bool restitution) {
    bool any = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        double side = at_end(work, row) ? side_of(work, row) : 0, came = side * row->factor * x[row->dof];
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
        bool pulls = at_end(work, row) && !row->let_go && side_of(work, row) * row->lambda > 0;
        row->let_go = row->let_go || pulls;
        any = any || pulls;
    }
    list_leaving(work);
    return any;
}

void afxi_reduced_keep_strikes(AfxiReduced *work, const double *x) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        double side = at_end(work, row) ? side_of(work, row) : 0;
        row->let_go = !row->struck;
        row->leave = side * fmax(0, side * row->factor * x[row->dof]);
    }
    list_leaving(work);
}

static void leave_limits(AfxiReduced *work) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        if (at_end(work, row) && side_of(work, row) * row->factor * work->u[row->dof] > AFXI_REDUCED_STILL) {
            work->world->state.drive_branch[row->index] = AFXI_BRANCH_FREE;
        }
    }
}

bool afxi_reduced_strike(AfxiReduced *work, const double *before) {
    bool met = false;
    for (uint32_t k = 0; k < work->held_count; k++) {
        AfxiReducedRow *row = &work->held[k];
        bool here = at_end(work, row) && work->world->branch_begin[row->index] == AFXI_BRANCH_FREE;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of rows, and how coordinates and velocities are put on them by the rows' own system (system_wide.h). */
#include "reduced/system.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "reduced/held.h"
#include "reduced/measure.h"

/* ---- targets ---- */

static void signal_target(const AfxiReduced *work, uint32_t drive, double fraction, double out[3]) {
    const AfxiWorld *world = work->world;
    const AfxiDrive *source = &work->model->drives[drive];
    double dt = world->state.head->dt, time = afxi_state_time(&world->state) + fraction * dt;
    bool velocity = source->kind == AFX_DRIVE_VELOCITY;
    out[0] = world->drive_target[2 * (size_t)drive];
    if (source->from_input) {
        const double *begin = world->state.drive_input + 4 * (size_t)drive, *end = begin + 2;
        out[1] = velocity ? begin[0] + fraction * (end[0] - begin[0]) : (end[0] - begin[0]) / dt;
        out[2] = velocity ? (end[0] - begin[0]) / dt : 0;
        return;
    }
    double value, rate, acceleration;
    afx_signal_evaluate(&source->target, time, &value, &rate, &acceleration);
    out[1] = velocity ? value : rate;
    out[2] = velocity ? rate : acceleration;
}

void afxi_reduced_target(const AfxiReduced *work, const AfxiReducedRow *row, double fraction, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    if (row->source == AFXI_REDUCED_DRIVE) {
        signal_target(work, row->index, work->part_from + work->part_share * fraction, out);
    }
}

/* ---- the system ---- */

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static AfxiTreeSystem system_of(const AfxiReduced *work) {
    return (AfxiTreeSystem){.rows = work->rows_now,
                            .factor = work->mass_now,
                            .row_count = work->active_count,
                            .gradient = work->gradient,
                            .free = work->rest,
                            .compliance = work->compliance,
                            .side = work->side,
                            .half = work->half,
                            .schur = work->schur,
                            .lambda = work->lambda,
                            .rest = work->rest,
                            .row = work->row};
}

bool afxi_reduced_correct_again(AfxiReduced *work, double *x, int passes) {
    AfxiTreeSystem system = system_of(work);
    return work->work.kernels->system_correct(&system, x, passes) != 0;
}

static void factor_system(AfxiReduced *work, const AfxiTreeSystem *system, double damping) {
    for (uint32_t k = 0; k < work->active_count; k++) {
        work->rest[k] = work->measure[k].free;
    }
    work->regularised |= work->work.kernels->system_factor(system, damping) != 0;
}

bool afxi_reduced_correct(AfxiReduced *work, double *x, double damping, int passes) {
    AfxiTreeSystem system = system_of(work);
    factor_system(work, &system, damping);
    return work->work.kernels->system_correct(&system, x, passes) != 0;
}

bool afxi_reduced_fall_again(AfxiReduced *work, double *x, int passes) {
    if (!work->active_count) {
        work->work.kernels->solve(work->rows_now, work->mass_now, x);
        return true;
    }
    AfxiTreeSystem system = system_of(work);
    return work->work.kernels->system_fall(&system, x, passes) != 0;
}

bool afxi_reduced_fall(AfxiReduced *work, double *x, int passes) {
    if (work->active_count) {
        AfxiTreeSystem system = system_of(work);
        factor_system(work, &system, 0);
    }
    return afxi_reduced_fall_again(work, x, passes);
}

/* ---- projections ---- */

/* How far rows are off their targets: in value to `side`, and in rate to `slip`. */
static double off_at(AfxiReduced *work, const double *q, const double *u, double fraction, double *out_slip) {
    double most = 0;
    *out_slip = 0;
    for (uint32_t k = 0; k < work->exact_count; k++) {
        double target[3];
        AfxiReducedMeasure at = afxi_reduced_measure(work, &work->exact[k], q, u, NULL);
        afxi_reduced_target(work, &work->exact[k], fraction, target);
        work->side[k] = at.value - target[0];
        work->slip[k] = at.rate - target[1];
        most = fmax(most, fabs(work->side[k]));
        *out_slip = fmax(*out_slip, fabs(work->slip[k]));
    }
    return most;
}

/* Redundant rows agree only where all are closed: away from there their differences are second order, along directions
 * that J hardly moves. Damping by the size of what is open leaves these alone, and is gone at the end. */
bool afxi_reduced_project(AfxiReduced *work, double *q, double *u, double fraction) {
    size_t n = work->tree.dof_count;
    AfxiTreeTask task = {.q = q, .u = u, .rows = &work->rows, .tau = work->bias, .mass = work->mass};
    afxi_reduced_list_exact(work);
    for (int pass = 0; pass < AFXI_REDUCED_PROJECT_MOST; pass++) {
        double slip;
        afxi_tree_evaluate(&work->work, &task);
        if (!work->work.kernels->factor(&work->rows, work->mass)) {
            return false;
        }
        afxi_reduced_measure_active(work, q, u);
        work->violation = off_at(work, q, u, fraction, &slip);
        if (work->violation <= AFXI_REDUCED_CLOSED * (1 + work->model->size)) {
            break;
        }
        memset(work->du, 0, n * sizeof(double)); /* Levenberg-Marquardt */
        if (!afxi_reduced_correct(work, work->du, fmin(AFXI_REDUCED_DAMPED, work->violation), 1)) {
            return false;
        }
        afxi_tree_move(&work->tree, q, work->du, 1, q);
    }
    for (uint32_t k = 0; k < work->exact_count; k++) {
        work->side[k] = work->slip[k] - dot(work->gradient + k * n, u, n);
    }
    return work->violation <= AFXI_REDUCED_OPEN * (1 + work->model->size) &&
           afxi_reduced_correct(work, u, 0, AFXI_REDUCED_REFINE_MOST);
}

bool afxi_reduced_is_closed(AfxiReduced *work, const double *q, const double *u, double fraction) {
    double slip;
    work->violation = off_at(work, q, u, fraction, &slip);
    return fmax(work->violation, work->world->state.head->dt * slip) <= AFXI_REDUCED_CLOSED * (1 + work->model->size);
}

bool afxi_reduced_follow(AfxiReduced *work, double *q, double *u, double fraction) {
    size_t n = work->tree.dof_count, m = work->exact_count;
    double before = INFINITY, closed = AFXI_REDUCED_CLOSED * (1 + work->model->size), dt = work->world->state.head->dt;
    for (int pass = 0; pass < AFXI_REDUCED_PROJECT_MOST; pass++) {
        double slip, off;
        afxi_tree_pose(&work->work, q);
        afxi_tree_velocity(&work->work, u);
        off = off_at(work, q, u, fraction, &slip);
        work->violation = off;
        off = fmax(off, dt * slip);
        bool slow = !(off < AFXI_REDUCED_SLOW * before);
        if (off <= closed || (slow && off <= AFXI_REDUCED_NEAR * closed)) {
            return true;
        }
        if (slow) {
            break;
        }
        before = off;
        memset(work->du, 0, n * sizeof(double));
        if (!afxi_reduced_correct_again(work, work->du, 1)) {
            return false;
        }
        afxi_tree_move(&work->tree, q, work->du, 1, q);
        for (size_t k = 0; k < m; k++) {
            work->side[k] = work->slip[k] - dot(work->gradient + k * n, u, n);
        }
        if (!afxi_reduced_correct_again(work, u, 1)) {
            return false;
        }
    }
    return afxi_reduced_project(work, q, u, fraction);
}

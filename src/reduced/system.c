/* SPDX-License-Identifier: Apache-2.0 */
/* The rows' own system S = J M^-1 J^T. With M = L^T L and Y = L^-T J^T it is Y^T Y. Redundant rows make it singular: it
 * is regularised by a share of its diagonal, and refined until its equations hold, which shares their load as the
 * diagonal says (docs/joints.md). */
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

/* Y^T, and its squares into the diagonal of S. A row that no coordinate changes, up to rounding, as those out of the
 * plane of a planar loop, is made exactly that: its multiplier then moves nothing. */
static void set_half(AfxiReduced *work) {
    size_t m = work->active_count, n = work->tree.dof_count;
    double *s = work->schur, most = 0;
    for (size_t i = 0; i < m; i++) {
        double *half = work->half + i * n;
        memcpy(half, work->gradient + i * n, n * sizeof(double));
        work->work.kernels->half_solve(work->rows_now, work->mass_now, half);
        s[i * m + i] = dot(half, half, n);
        most = fmax(most, s[i * m + i]);
    }
    for (size_t i = 0; i < m; i++) {
        if (!(s[i * m + i] > AFXI_REDUCED_NO_ROW * fmax(most, work->measure[i].free))) {
            s[i * m + i] = 0;
            memset(work->half + i * n, 0, n * sizeof(double));
            memset(work->gradient + i * n, 0, n * sizeof(double));
        }
    }
}

/* S and a share of its diagonal, factored in place as C C^T (lower). */
static void factor(AfxiReduced *work, double share) {
    size_t m = work->active_count, n = work->tree.dof_count;
    double *s = work->schur;
    set_half(work);
    for (size_t i = 0; i < m; i++) {
        double diagonal = (1 + share) * s[i * m + i] + work->compliance[i];
        for (size_t j = 0; j < i; j++) {
            double sum = dot(work->half + i * n, work->half + j * n, n) - dot(s + i * m, s + j * m, j);
            s[i * m + j] = sum / s[j * m + j];
        }
        double sum = diagonal - dot(s + i * m, s + i * m, i);
        if (!(sum > AFXI_REDUCED_PIVOT * diagonal)) {
            sum = diagonal > 0 ? AFXI_REDUCED_PIVOT * diagonal : 1;
        }
        work->regularised = work->regularised || !(sum > AFXI_REDUCED_REDUNDANT * diagonal);
        s[i * m + i] = sqrt(sum);
    }
}

static void solve(const AfxiReduced *work, double *x) {
    size_t m = work->active_count;
    const double *s = work->schur;
    for (size_t i = 0; i < m; i++) {
        x[i] = (x[i] - dot(s + i * m, x, i)) / s[i * m + i];
    }
    for (size_t i = m; i-- > 0;) {
        double sum = x[i];
        for (size_t j = i + 1; j < m; j++) {
            sum -= s[j * m + i] * x[j];
        }
        x[i] = sum / s[i * m + i];
    }
}

/* J x changes by -S lambda for x -= M^-1 J^T lambda. */
static void apply(AfxiReduced *work, const double *lambda, double *x) {
    size_t n = work->tree.dof_count;
    memset(work->row, 0, n * sizeof(double));
    for (size_t k = 0; k < work->active_count; k++) {
        for (size_t d = 0; d < n; d++) {
            work->row[d] += work->gradient[k * n + d] * lambda[k];
        }
    }
    work->work.kernels->solve(work->rows_now, work->mass_now, work->row);
    for (size_t d = 0; d < n; d++) {
        x[d] -= work->row[d];
    }
}

bool afxi_reduced_correct_again(AfxiReduced *work, double *x, int passes) {
    size_t m = work->active_count, n = work->tree.dof_count;
    double first = 0;
    memset(work->lambda, 0, m * sizeof(double));
    for (int pass = 0; pass < passes; pass++) {
        double most = 0;
        for (size_t k = 0; k < m; k++) { /* side is what J x is off by; x moves from pass to pass */
            work->rest[k] = work->side[k] + dot(work->gradient + k * n, x, n) - work->compliance[k] * work->lambda[k];
            most = fmax(most, fabs(work->rest[k]));
            if (!isfinite(work->rest[k])) {
                return false;
            }
        }
        first = pass == 0 ? most : first;
        if (most <= AFXI_REDUCED_REFINED * first) {
            break;
        }
        solve(work, work->rest);
        for (size_t k = 0; k < m; k++) {
            work->lambda[k] += work->rest[k];
        }
        apply(work, work->rest, x);
    }
    return true;
}

bool afxi_reduced_correct(AfxiReduced *work, double *x, double share, int passes) {
    factor(work, share);
    return afxi_reduced_correct_again(work, x, passes);
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
        double share = fmax(AFXI_REDUCED_REGULARISE, fmin(AFXI_REDUCED_DAMPED, work->violation));
        memset(work->du, 0, n * sizeof(double)); /* Levenberg-Marquardt */
        if (!afxi_reduced_correct(work, work->du, share, 1)) {
            return false;
        }
        afxi_tree_move(&work->tree, q, work->du, 1, q);
    }
    for (uint32_t k = 0; k < work->exact_count; k++) {
        work->side[k] = work->slip[k] - dot(work->gradient + k * n, u, n);
    }
    return work->violation <= AFXI_REDUCED_OPEN * (1 + work->model->size) &&
           afxi_reduced_correct(work, u, AFXI_REDUCED_REGULARISE, AFXI_REDUCED_REFINE_MOST);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The law of impacts of solve/impact_law.c in joint coordinates. It goes in passes: all points and limits that approach
 * leave with e times their speed, with impulses that push, until none approaches; no pass makes energy. Rows of points
 * are stiff springs of rate (constraint/bounce.h),
 *     (M + sum k g g^T) dx = sum k g (jump - g x),  impulse k (jump - g x),
 * exact rows and limits go on top of that. Then velocities of the step's end are given the rates that it came to. */
#include "reduced/bounce.h"

#include <math.h>
#include <string.h>

#include "constraint/bounce.h"
#include "constraint/tuning.h"
#include "reduced/held.h"
#include "reduced/momentum.h"
#include "reduced/strike.h"
#include "reduced/system.h"
#include "reduced/touch.h"
#include "solve/tuning.h"

static AfxiPoint *point_at(const AfxiReduced *work, uint32_t k) {
    return &afxi_touch_set(work)->now.point[k];
}

static uint32_t point_count(const AfxiReduced *work) {
    return work->touch.collide ? work->touch.active.count : 0;
}

static bool touches(const AfxiPoint *point) {
    return point->row_count && (point->force > 0 || point->gap <= point->tolerance);
}

bool afxi_reduced_bounces(const AfxiReduced *work) {
    bool any = false;
    for (uint32_t k = 0; k < point_count(work); k++) {
        bool strikes = afxi_bounce_strikes(afxi_touch_set(work), point_at(work, k));
        if (strikes) {
            afxi_trace_bounce(work->world->trace, point_at(work, k)->body_a);
        }
        any |= strikes;
    }
    return any;
}

/* ---- velocities ---- */

static double stiffness_of(const AfxiReduced *work, const AfxiPoint *point) {
    return AFXI_BOUNCE_STIFFNESS * afxi_world_class(work->world, point->body_a)->mass;
}

/* The rate along axis r of a point at velocities x; its gradient is left in the workspace. */
static double rate_of(const AfxiReduced *work, uint32_t index, uint32_t r, const double *x) {
    const AfxiPoint *point = point_at(work, index);
    uint32_t count = afxi_reduced_touch_gradient(work, point, r);
    double sum = point->pair ? 0 : -vec3_dot(vec3_load(point->axis + (size_t)3 * r), work->touch.point[index].velocity);
    for (uint32_t e = 0; e < count; e++) {
        sum += work->touch.gradient[e] * x[work->touch.path[e]];
    }
    return sum;
}

static double impulse_of(const AfxiReduced *work, uint32_t index, uint32_t r, const double *x) {
    const AfxiPoint *point = point_at(work, index);
    return isnan(point->jump[r]) ? 0 : stiffness_of(work, point) * (point->jump[r] - rate_of(work, index, r, x));
}

static double kinetic(const AfxiReduced *work, const double *x) {
    double sum = 0;
    for (uint32_t i = 0; i < work->rows.dof_count; i++) {
        for (uint32_t e = work->rows.row[i]; e < work->rows.row[i + 1]; e++) {
            uint32_t j = work->rows.above[e];
            sum += (j == i ? 0.5 : 1) * work->mass[e] * x[i] * x[j];
        }
    }
    return sum;
}

/* Velocities nearest to `from` with the rates of points, exact rows and limits that are listed. `slides`: with the
 * impulses of friction that slides. */
static bool meet(AfxiReduced *work, const double *from, bool slides, double *out) {
    size_t n = work->tree.dof_count;
    double *push = work->stage_du[1];
    memset(push, 0, n * sizeof *push);
    for (uint32_t k = 0; k < point_count(work); k++) {
        const AfxiPoint *point = point_at(work, k);
        for (uint32_t r = 0; r < 3 && point->row_count; r++) {
            bool given = r && slides && isnan(point->jump[r]) && point->slide[r - 1] != 0;
            double force = given ? point->slide[r - 1] : impulse_of(work, k, r, from);
            uint32_t count = force != 0 ? afxi_reduced_touch_gradient(work, point, r) : 0;
            for (uint32_t e = 0; e < count; e++) {
                push[work->touch.path[e]] += force * work->touch.gradient[e];
            }
        }
    }
    if (!afxi_reduced_touch_jump_matrix(work)) {
        return false;
    }
    work->work.kernels->solve(work->rows_now, work->mass_now, push);
    memcpy(out, from, n * sizeof *out);
    for (size_t d = 0; d < n; d++) {
        out[d] += push[d];
    }
    afxi_tree_velocity(&work->work, out); /* rates of exact rows are told by it */
    return afxi_reduced_meet(work, out);
}

/* ---- one pass ---- */

static void leave_free(AfxiPoint *point) {
    point->jump[0] = point->jump[1] = point->jump[2] = NAN;
    point->slide[0] = point->slide[1] = 0;
}

/* What approaches at velocities x leaves with e times its speed, or stops; false: nothing does. */
static bool choose(AfxiReduced *work, const double *x, double least, bool restitution) {
    bool any = afxi_reduced_list_strikes(work, x, least, restitution);
    for (uint32_t k = 0; k < point_count(work); k++) {
        AfxiPoint *point = point_at(work, k);
        double rate = touches(point) ? rate_of(work, k, 0, x) : 0;
        leave_free(point);
        if (rate < -least) {
            point->jump[0] = restitution ? afxi_bounce_after(afxi_touch_set(work), point, -rate) : 0;
            any = point->struck = true;
        }
    }
    return any;
}

/* Lets go what pulls at velocities x; false: nothing does. */
static bool let_go(AfxiReduced *work, const double *x) {
    double largest = 0;
    bool any = afxi_reduced_release_strikes(work);
    for (int round = 0; round < 2; round++) { /* the largest push, then who pulls for its size */
        for (uint32_t k = 0; k < point_count(work); k++) {
            double impulse = impulse_of(work, k, 0, x);
            largest = fmax(largest, impulse);
            if (round && impulse < -AFXI_IMPACT_PULL * largest) {
                leave_free(point_at(work, k));
                any = true;
            }
        }
    }
    return any;
}

/* Points that are pushed stick, or slide where they would take more than their limit; false: as they do already. */
static bool rub(AfxiReduced *work, const double *x, bool first) {
    double off = 0, limits = 0;
    bool any = false;
    for (uint32_t k = 0; k < point_count(work); k++) {
        AfxiPoint *point = point_at(work, k);
        double normal = fmax(0, impulse_of(work, k, 0, x)), limit = point->friction * normal;
        if (first) {
            point->jump[1] = point->jump[2] = limit > 0 ? 0 : NAN;
            any |= limit > 0;
            continue;
        }
        bool slides = isnan(point->jump[1]);
        double p[2] = {slides ? point->slide[0] : impulse_of(work, k, 1, x),
                       slides ? point->slide[1] : impulse_of(work, k, 2, x)};
        limits += limit * limit;
        off += afxi_bounce_slide(point, p, limit);
    }
    return first ? any : off > AFXI_IMPACT_FRICTION * AFXI_IMPACT_FRICTION * limits;
}

/* A pass from velocities `from`; false: there is nothing finite, or energy from nothing. */
static bool strike_once(AfxiReduced *work, const double *from, double *x) {
    double most = kinetic(work, from), *smooth = work->stage_du[2];
    bool fine = true;
    for (uint32_t k = 0; fine && k < AFXI_IMPACT_RELEASES_MOST; k++) {
        fine = meet(work, from, false, x);
        if (!fine || !let_go(work, x)) {
            break;
        }
    }
    memcpy(smooth, x, work->tree.dof_count * sizeof *x);
    if (fine && rub(work, x, true)) {
        bool rubs = true;
        for (uint32_t k = 0; rubs && k < AFXI_IMPACT_ROUNDS_MOST; k++) {
            rubs = meet(work, from, true, x) && rub(work, x, false);
        }
        if (!(kinetic(work, x) <= most)) { /* Newton's law of restitution may make some with friction */
            memcpy(x, smooth, work->tree.dof_count * sizeof *x);
        }
    }
    double energy = kinetic(work, x);
    return fine && isfinite(energy) && (energy <= (1 + AFXI_IMPACT_ROUNDING) * most || work->model->kinematic_count);
}

/* ---- all passes ---- */

/* What points that were struck have now is what they keep; what approaches even so stops. */
static void keep_rates(AfxiReduced *work, const double *x) {
    for (uint32_t k = 0; k < point_count(work); k++) {
        AfxiPoint *point = point_at(work, k);
        leave_free(point);
        for (uint32_t r = 0; r < 3 && point->struck; r++) {
            double rate = rate_of(work, k, r, x);
            point->jump[r] = r == 0 ? fmax(0, rate) : point->friction > 0 ? rate : NAN;
        }
    }
    afxi_reduced_keep_strikes(work, x);
}

/* Velocities just before the impact: those that have the momenta of the beginning, with what weight has added until the
 * first blow, where the step has put the bodies. */
static bool begin(AfxiReduced *work, const double *before, double *x) {
    double time = INFINITY, speed, dt = work->world->state.head->dt;
    for (uint32_t k = 0; k < point_count(work); k++) {
        AfxiPoint *point = point_at(work, k);
        if (afxi_bounce_strikes(afxi_touch_set(work), point)) {
            time = fmin(time, dt - point->dt + afxi_bounce_touch(afxi_touch_set(work), point, &speed));
        }
        point->struck = false;
        leave_free(point);
    }
    afxi_reduced_momenta_along(work, afxi_reduced_state(work).momentum, isfinite(time) ? time : 0, x);
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        x[d] += work->tree.dof[d].armature * before[d];
    }
    if (!afxi_reduced_touch_own_matrix(work)) {
        return false;
    }
    work->work.kernels->solve(work->rows_now, work->mass_now, x);
    afxi_reduced_list_exact(work);
    afxi_tree_velocity(&work->work, x);
    return afxi_reduced_meet(work, x); /* velocities that fit what closes loops */
}

/* Velocities of the step's end with the rates that struck points and limits keep; as far towards them as there is no
 * more kinetic energy than `most`: where bodies strike at several times of a step, these rates are not those of one
 * motion. */
static void take_over(AfxiReduced *work, double most) {
    size_t n = work->tree.dof_count;
    double *end = work->stage_u[3], *mixed = work->stage_u[2], share = 1;
    if (!meet(work, work->u, false, end)) {
        return;
    }
    for (int round = 0; round < AFXI_REDUCED_SHARE_ROUNDS; round++) {
        for (size_t d = 0; d < n; d++) {
            mixed[d] = work->u[d] + share * (end[d] - work->u[d]);
        }
        if (kinetic(work, mixed) <= (1 + AFXI_IMPACT_ROUNDING) * most || work->model->kinematic_count) {
            memcpy(work->u, mixed, n * sizeof *mixed);
            return;
        }
        share *= 0.5;
    }
}

void afxi_reduced_bounce(AfxiReduced *work, const double *before) {
    size_t n = work->tree.dof_count;
    double *x = work->stage_u[1], *from = work->stage_u[2];
    const double least = AFXI_REDUCED_STILL;
    afxi_reduced_touch_place(work, work->touch.length);
    if (begin(work, before, x)) {
        double most = fmax(kinetic(work, x), kinetic(work, work->u));
        for (uint32_t k = 0; k < AFXI_IMPACT_PASSES_MOST; k++) {
            if (!choose(work, x, least, k < AFXI_IMPACT_PASSES_BOUNCING)) {
                break;
            }
            memcpy(from, x, n * sizeof *x);
            if (!strike_once(work, from, x)) {
                memcpy(x, from, n * sizeof *x);
                break;
            }
        }
        keep_rates(work, x);
        take_over(work, most);
    }
    work->rows_now = &work->rows;
    work->mass_now = work->mass;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Backward differences: b = reach = h (BDF1) or 2 h / 3 (BDF2) (newton.h), where q* = (4 q0 - q1) / 3 and so on for
 * BDF2.
 *
 * A rotation goes from q0 by a vector y, q = q0 exp(y), with y' = (3 y - y1) / 2 h at the end, where q0 = q1 exp(y1);
 * its velocity, in axes that turn with it, is w = y' - y x y' / 2 + ..., so that y' = w + y x w / 2 + y x (y x w) / 12.
 */
#include "reduced/implicit.h"

#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/momentum.h"
#include "reduced/newton.h"
#include "reduced/spatial.h"
#include "reduced/touch.h"

static AfxVec3 log_of(const double *from, const double *to) {
    AfxQuat a = {from[0], -from[1], -from[2], -from[3]}, b = {to[0], to[1], to[2], to[3]};
    AfxQuat turn = afx_quat_multiply(a, b);
    AfxVec3 v = vec3_scale(turn.w < 0 ? -1 : 1, vec3(turn.x, turn.y, turn.z));
    double sine = vec3_length(v), angle = 2 * atan2(sine, fabs(turn.w));
    return vec3_scale(sine > 1e-8 ? angle / sine : 2, v);
}

/* Momenta p* of the past: those that the step begins with, or with those before, (4 p0 - p1) / 3. A part of a step
 * begins where the last one ended. */
static void begin_momenta(AfxiReduced *work, bool two) {
    AfxiReducedState own = afxi_reduced_state(work);
    if (work->part_from > 0) {
        afxi_reduced_momenta_at(work, work->q, work->u, work->momentum);
        return;
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        AfxiSpatial change = spatial_sub(own.momentum[k], own.past_momentum[k]);
        work->momentum[k] = two ? spatial_mad(own.momentum[k], 1.0 / 3, change) : own.momentum[k];
    }
}

AfxiReducedStep afxi_reduced_bdf_begin(AfxiReduced *work, double h, bool wanted) {
    const AfxiTree *tree = &work->tree;
    AfxiReducedState own = afxi_reduced_state(work);
    bool two = wanted && *own.history > 0 && work->world->def.integrator != AFX_BDF1;
    double b = two ? 2 * h / 3 : h;
    work->work.placed = false; /* what it is told by is used here */
    AfxiReducedStep step = {.h = h, .b = b, .reach = b, .two = two, .q0 = work->place[1], .q = work->place[0]};
    step.u = work->stage_u[0];
    step.turn = work->stage_du[0];
    begin_momenta(work, two);
    step.tolerance = afxi_reduced_tolerance(work);
    memcpy(work->place[1], work->q, tree->coordinate_count * sizeof(double));
    memcpy(step.q, work->q, tree->coordinate_count * sizeof(double));
    for (uint32_t k = 0; k < tree->node_count; k++) {
        const AfxiNode *node = &tree->node[k];
        const double *now = work->q + node->coordinate, *past = own.past_q + node->coordinate;
        if (node->kind == AFXI_NODE_BALL) {
            vec3_store(step.turn + node->dof, two ? log_of(past, now) : vec3(0, 0, 0));
            continue;
        }
        for (uint32_t d = 0; two && d < node->dof_count; d++) {
            step.q[node->coordinate + d] = now[d] + (now[d] - past[d]) / 3;
        }
    }
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        double now = work->u[d];
        step.u[d] = two ? now + (now - own.past_u[d]) / 3 : now;
        work->u[d] = two ? 2 * now - own.past_u[d] : now; /* where the iterations begin */
        step.size = fmax(step.size, fmax(fabs(now), fabs(work->u[d])));
    }
    afxi_reduced_inputs(work, 1);
    afxi_reduced_held_begin(work);
    return step;
}

/* Whether points were looked for again, where the iterations have put the bodies. *out_fine: no, and something lies too
 * deep. */
static bool look_again(AfxiReduced *work, const AfxiReducedStep *step, int looks, bool *out_fine) {
    if (!work->touch.collide) {
        return false;
    }
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    AfxiFit fit = afxi_reduced_touch_fit(work);
    bool again = looks < (fit == AFXI_FIT_PENETRATING ? AFXI_REDUCED_LOOKS_DEEP : AFXI_REDUCED_LOOKS_MOST);
    if (fit == AFXI_FIT || !again) {
        *out_fine = fit != AFXI_FIT_PENETRATING;
        return false;
    }
    work->touch.status = afxi_reduced_touch_find(work, step->h, true);
    *out_fine = work->touch.status == AFX_OK;
    return *out_fine;
}

bool afxi_reduced_bdf(AfxiReduced *work, double h, bool two) {
    AfxiReducedStep step = afxi_reduced_bdf_begin(work, h, two);
    bool fine = afxi_reduced_iterate(work, &step);
    for (int looks = 0; fine && look_again(work, &step, looks, &fine); looks++) {
        fine = afxi_reduced_iterate(work, &step);
    }
    bool closed = afxi_reduced_iterated(work);
    return fine && closed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A stage of a body that nothing holds but a spring: the solves of body/free_wide.c, one body at a time, with the rows
 * of the hold in its H. They are repeated until the frame has settled, as there. */
#include <math.h>

#include "math/polar.h"
#include "step/holds.h"

#define ROUNDING 1e-15

/* What a body carries from solve to solve. */
typedef struct Held {
    const AfxiBodyClass *class;
    const AfxiFreeForce *forces; /* NULL: none */
    AfxiBodyInverse inverse;
    double target[12]; /* qhat, damping included */
    AfxiMat3 frame;
    AfxVec3 origin;
    double next[12];
} Held;

/* One solve in the frame; how far the body turned away from it comes back. */
static double solve(const AfxiHolds *holds, uint32_t index, const double gravity[3], Held *held) {
    const AfxiBlocks *blocks = &held->inverse.blocks;
    AfxiMat3 wanted = mat3_load(held->target), local = mat3_multiply_tn(&held->frame, &wanted), on_a = {{0}};
    AfxVec3 push = vec3(0, 0, 0);
    double g[12], delta[12];
    if (held->forces) {
        on_a = afxi_free_forces(held->forces, &held->frame, &push);
    }
    for (int e = 0; e < 9; e++) {
        g[e] = blocks->c[e / 3] * (local.m[e] - (e % 4 == 0)) + on_a.m[e];
    }
    vec3_store(g + 9, vec3_mad(push, held->class->gravity * held->class->mass, vec3_load(gravity)));
    afxi_body_apply(&held->inverse, g, delta);
    AfxVec3 ahead = vec3_sub(vec3_load(held->target + 9), held->origin);
    vec3_store(delta + 9, vec3_add(vec3_load(delta + 9), ahead));
    afxi_touch_load(&holds->touches, index, &held->frame, held->origin, &held->inverse, delta);
    AfxiMat3 beta = mat3_load(delta), moved = mat3_multiply(&held->frame, &beta);
    for (int e = 0; e < 9; e++) {
        held->next[e] = held->frame.m[e] + moved.m[e];
    }
    vec3_store(held->next + 9, vec3_add(held->origin, vec3_load(delta + 9)));
    return vec3_length(mat3_axial(&beta));
}

/* The next frame is the rotation of the result. Where the body turns far in one step, |Ahat| > sqrt 3, its potential is
 * as much steeper than the solve's: part of the way then. */
static void advance(Held *held) {
    double square = 3;
    for (int e = 0; e < 9; e++) {
        square += held->target[e] * held->target[e];
    }
    double share = fmin(1, sqrt(6 / square));
    AfxiMat3 a;
    for (int e = 0; e < 9; e++) {
        a.m[e] = held->frame.m[e] + share * (held->next[e] - held->frame.m[e]);
    }
    held->frame = afxi_rotation_part(&a, &held->frame);
    held->origin = vec3_load(held->next + 9);
}

static bool finite(const double q[12]) {
    double sum = 0;
    for (int e = 0; e < 12; e++) {
        sum += 0 * q[e];
    }
    return sum == 0;
}

static void run(AfxSim *sim, const AfxiStagePlan *plan, const AfxiFreeStage *stage, uint32_t index,
                AfxiFreeOutcome *out) {
    AfxiHold *hold = &sim->holds->hold[index];
    uint32_t body = hold->body, slot = sim->force_slot[body];
    Held held = {.class = afxi_sim_class(sim, body), .forces = slot == UINT32_MAX ? NULL : &sim->forces[slot]};
    double qhat[12], qv[12], turn = 0, before = INFINITY;
    held.inverse.blocks = afxi_body_blocks(held.class, plan->weights.scale, 0);
    afxi_stage_past(sim, plan, body, qhat, qv);
    AfxiMat3 predicted;
    for (int e = 0; e < 12; e++) {
        double weight = e < 9 ? held.inverse.blocks.weight_a : held.inverse.blocks.weight_t;
        held.target[e] = weight * qhat[e] + (1 - weight) * qv[e];
        size_t at = (size_t)12 * body + e;
        if (e < 9) {
            predicted.m[e] = sim->q[at] + plan->predict * sim->v[at];
        }
    }
    AfxiMat3 a = afxi_free_frame(held.class, held.target, &predicted);
    held.frame = afxi_rotation_part(&a, NULL);
    held.origin = vec3_load(held.target + 9);
    uint32_t most = stage->solves ? stage->solves : stage->solves_most, count = 0;
    for (bool done = false; !done && count < most;) {
        turn = solve(sim->holds, index, stage->gravity, &held);
        bool near = count ? turn * turn <= stage->tolerance * (before - turn) || turn < ROUNDING
                          : turn <= stage->tolerance_first;
        done = !stage->solves && near;
        count++;
        out->capped |= !stage->solves && !done && count == most;
        before = turn;
        if (!done && count < most) {
            advance(&held);
            afxi_hold_follow(hold, held.next);
        }
    }
    if (!finite(held.next) && body < out->failed_body) {
        out->failed_body = body;
    }
    out->solves = count > out->solves ? count : out->solves;
    out->solves_total += count;
    out->rotation_error = turn > out->rotation_error ? turn : out->rotation_error;
    afxi_commit_body(sim, plan, body, held.next, qhat, qv);
}

void afxi_holds_free(AfxSim *sim, const AfxiStagePlan *plan, const AfxiFreeStage *stage, AfxiFreeOutcome *out) {
    for (uint32_t k = 0; sim->holds && k < sim->holds->count; k++) {
        if (sim->holds->hold[k].path == AFXI_HOLD_FREE) {
            run(sim, plan, stage, k, out);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which method a component of generalised-α goes by, and what its history becomes when that changes. */
#include "state/turning.h"

#include <string.h>

#include "math/vec3.h"
#include "model/model.h"
#include "state/pace.h"
#include "state/tuning.h"

/* What is seen of a component: some body turns too far, and some too far to go back. */
enum { FAR = 1, NOT_SLOW = 2 };

static uint8_t pace_of(const AfxiState *state, uint32_t body) {
    return state->head->uneven ? state->pace[body] : 0;
}

static bool has_history(const AfxiState *state, uint32_t body) {
    return state->head->has_history && !(pace_of(state, body) & AFXI_PACE_RESTART);
}

static double turn_of(const AfxiState *state, uint32_t body) {
    const double *a = state->q + (size_t)AFXI_AFFINE_WIDTH * body, *v = state->v + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxVec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 9; k += 3) {
        sum = vec3_add(sum, vec3_cross(vec3_load(a + k), vec3_load(v + k)));
    }
    return 0.5 * vec3_length(sum) * state->head->dt;
}

/* Where a point of a body is, and its velocity. */
static void point_of(const AfxiState *state, uint32_t body, AfxVec3 x, AfxVec3 out[2]) {
    out[0] = x;
    out[1] = vec3(0, 0, 0);
    if (body != AFXI_WORLD) {
        const double *q = state->q + (size_t)AFXI_AFFINE_WIDTH * body, *v = state->v + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiMat3 a = mat3_load(q), rate = mat3_load(v);
        out[0] = vec3_add(mat3_apply(&a, x), vec3_load(q + 9));
        out[1] = vec3_add(mat3_apply(&rate, x), vec3_load(v + 9));
    }
}

/* A link between points of two bodies. */
typedef struct Link {
    uint32_t body_a, body_b;
    AfxVec3 point_a, point_b;
} Link;

/* What a link turns by in a step: its force goes round with it, whether the bodies turn or not. */
static double link_turn(const AfxiState *state, const Link *link) {
    AfxVec3 a[2], b[2];
    point_of(state, link->body_a, link->point_a, a);
    point_of(state, link->body_b, link->point_b, b);
    AfxVec3 d = vec3_sub(a[0], b[0]), rate = vec3_sub(a[1], b[1]);
    double square = vec3_dot(d, d);
    return square > 0 ? state->head->dt * vec3_length(vec3_cross(d, rate)) / square : 0;
}

static void forget_gaps(AfxiState *state, uint32_t body) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body, bytes = AFXI_AFFINE_WIDTH * sizeof(double);
    if (state->gap) {
        memset(state->gap + at, 0, bytes);
        memset(state->last_gap + at, 0, bytes);
    }
}

/* The step that just ended is the history. */
static void begin_turning(AfxiState *state, uint32_t body) {
    afxi_state_copy_body(body, state->x2, state->x3, state->previous_q, state->previous_v);
    forget_gaps(state, body);
}

/* Accelerations of the step that just ended. */
static void end_turning(AfxiState *state, uint32_t body) {
    for (size_t at = (size_t)AFXI_AFFINE_WIDTH * body, end = at + AFXI_AFFINE_WIDTH; at < end; at++) {
        state->x2[at] = state->x3[at] = (state->v[at] - state->x3[at]) / state->head->dt;
    }
}

void afxi_turning_join(AfxiState *state, uint32_t body) {
    double h = state->head->dt;
    if (pace_of(state, body) & AFXI_PACE_TURNING || !has_history(state, body)) {
        return;
    }
    for (size_t at = (size_t)AFXI_AFFINE_WIDTH * body, end = at + AFXI_AFFINE_WIDTH; at < end; at++) {
        double a = state->x2[at], v = state->v[at];
        state->x2[at] = state->q[at] - h * v + 0.5 * h * h * a;
        state->x3[at] = v - h * a;
    }
    forget_gaps(state, body);
}

static uint8_t mark(double turn, double most) {
    return (turn > most ? FAR : 0) | (turn > AFXI_ALPHA_TURN_BACK * most ? NOT_SLOW : 0);
}

static void look_at_link(const AfxiWorld *world, const Link *link, double most, uint8_t *work) {
    const AfxModel *model = world->model;
    bool fixed = link->body_a == AFXI_WORLD || model->root[link->body_a] == UINT32_MAX;
    uint32_t end = fixed ? link->body_b : link->body_a;
    if (end != AFXI_WORLD && model->root[end] != UINT32_MAX) {
        work[model->root[end]] |= mark(link_turn(&world->state, link), most);
    }
}

/* Marks roots of components: of bodies that turn, of joints with a length and of springs that do. */
static void look(const AfxiWorld *world, uint8_t *work) {
    const AfxModel *model = world->model;
    const AfxiState *state = &world->state;
    double most = afxi_alpha_turn_most(state->head->rho);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        work[model->root[body]] |= mark(turn_of(state, body), most);
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        if (afx_joint_has_length((AfxJointKind)joint->kind) && state->joint_active[k]) {
            const AfxiJointFrame *frame = afxi_world_joint_frame(world, k);
            const Link link = {joint->follower, joint->base, frame->point_a, frame->point_b};
            look_at_link(world, &link, most, work);
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        const AfxiSpring *spring = &model->springs[k];
        look_at_link(world, &(Link){spring->body_a, spring->body_b, spring->point_a, spring->point_b}, most, work);
    }
}

bool afxi_turning_choose(AfxiWorld *world, bool fresh_only, uint8_t *work) {
    const AfxModel *model = world->model;
    AfxiState *state = &world->state;
    bool changed = false, any = false;
    if (state->head->integrator != AFX_ALPHA) {
        return false;
    }
    look(world, work);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        uint8_t pace = pace_of(state, body), seen = work[model->root[body]];
        bool old = has_history(state, body), was = pace & AFXI_PACE_TURNING;
        bool turns = seen & FAR || (was && old && (seen & NOT_SLOW || pace & AFXI_PACE_LED));
        if (!(old && fresh_only) && turns != was) {
            if (old) {
                (turns ? begin_turning : end_turning)(state, body);
                changed = true;
            }
            pace ^= AFXI_PACE_TURNING;
        }
        pace &= (uint8_t)~AFXI_PACE_LED;
        state->pace[body] = pace;
        any |= pace != 0;
    }
    state->head->uneven = any;
    memset(work, 0, model->body_count);
    return changed;
}

bool afxi_turning_keep(AfxiWorld *world, const uint8_t *absent) {
    const AfxModel *model = world->model;
    AfxiState *state = &world->state;
    bool any = false;
    for (uint32_t k = 0; state->head->integrator == AFX_ALPHA && state->head->uneven && k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        if (state->pace[body] & AFXI_PACE_TURNING && !absent[body]) {
            afxi_state_copy_body(body, state->previous_q, state->previous_v, state->x2, state->x3);
            any = true;
        }
    }
    return any;
}

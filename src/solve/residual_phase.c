/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that turn evenly are put through the formulas of a stage as matrices: what these make of them, and what they
 * should make. */
#include "solve/residual_phase.h"

#include <math.h>
#include <string.h>

#include "body/tuning.h"
#include "model/params.h"

/* The w of [w] A = rate, up to squares of the strain. */
static AfxVec3 axial_of(const double *a, const double *rate) {
    AfxVec3 sum = vec3(0, 0, 0), left;
    double square = 0;
    for (int k = 0; k < 9; k += 3) {
        sum = vec3_add(sum, vec3_cross(vec3_load(a + k), vec3_load(rate + k)));
        square += vec3_dot(vec3_load(a + k), vec3_load(a + k));
    }
    AfxVec3 w = vec3_scale(1.5 / square, sum);
    left = sum;
    for (int k = 0; k < 9; k += 3) {
        AfxVec3 column = vec3_load(a + k);
        left = vec3_sub(left, vec3_cross(column, vec3_cross(w, column)));
    }
    return vec3_mad(w, 1.5 / square, left);
}

/* A body that turns evenly: where it is after the time t. */
static AfxiMat3 evenly(const AfxiMat3 *a, AfxVec3 rate, double t) {
    AfxiMat3 turned = afxi_mat3_rotation(vec3_scale(t, rate));
    return mat3_multiply(&turned, a);
}

/* out = sum of weight[k] times part[k] */
static AfxiMat3 weighed(const double *weight, const AfxiMat3 *part, int count) {
    AfxiMat3 out = {{0}};
    for (int k = 0; k < count; k++) {
        for (int e = 0; e < 9; e++) {
            out.m[e] += weight[k] != 0 ? weight[k] * part[k].m[e] : 0;
        }
    }
    return out;
}

/* h times what differences make of the velocity of a body that turned evenly to `a`. */
static AfxiMat3 differenced(const AfxiResidualPhase *way, const AfxiMat3 *a, AfxVec3 rate) {
    AfxiMat3 part[3] = {*a, evenly(a, rate, -way->step), evenly(a, rate, -2 * way->step)};
    return weighed((double[]){1.5, -2, 0.5}, part, 3);
}

/* q, v, x2, x3 of a body that turns evenly and is at `a` now, as the stage takes them. */
static void even_past(const AfxiResidualPhase *way, const AfxiMat3 *a, AfxVec3 rate, AfxiMat3 out[4]) {
    AfxiMat3 spin = mat3_skew(rate), velocity = mat3_multiply(&spin, a), before = evenly(a, rate, -way->step);
    AfxiMat3 read = differenced(way, a, rate), read_before = differenced(way, &before, rate);
    out[0] = *a;
    out[1] = way->phase == AFXI_PHASE_START ? velocity : weighed((double[]){1 / way->step}, &read, 1);
    out[2] = out[3] = mat3_multiply(&spin, &velocity);
    if (way->phase == AFXI_PHASE_TWO_STEP) {
        out[2] = before;
        out[3] = weighed((double[]){1 / way->step}, &read_before, 1);
    }
}

static double sine_between(AfxVec3 a, AfxVec3 b, AfxVec3 about) {
    return vec3_dot(vec3_cross(a, b), about) / (vec3_length(a) * vec3_length(b) * vec3_length(about));
}

/* The sine by which qhat of a body that turns evenly is behind, and its length; false: by more than a right angle. */
static bool behind(const AfxiResidualPhase *way, AfxVec3 rate, double *out, double *out_length) {
    AfxiMat3 one = mat3_identity(), past[4], ahead = evenly(&one, rate, way->step);
    AfxVec3 other = fabs(rate.x) < fabs(rate.y) ? vec3(1, 0, 0) : vec3(0, 1, 0), u = vec3_cross(rate, other);
    even_past(way, &one, rate, past);
    AfxiMat3 hat = weighed(way->weights.qhat, past, 4);
    AfxVec3 from = mat3_apply(&hat, u), to = mat3_apply(&ahead, u);
    *out = sine_between(from, to, rate);
    *out_length = vec3_length(from) / vec3_length(to);
    return vec3_dot(from, to) > 0;
}

/* What is left of all this for a body that does not turn so evenly. */
static double share_of(const AfxiResidualPast *past, uint32_t body, AfxVec3 rate) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    bool start = past->way[body].phase == AFXI_PHASE_START;
    AfxVec3 change = start ? vec3_scale(past->way[body].step, axial_of(past->past[0] + at, past->past[2] + at))
                           : vec3_sub(rate, axial_of(past->past[2] + at, past->past[3] + at));
    return 1 / (1 + AFXI_PHASE_UNSTEADY * vec3_dot(change, change) / vec3_dot(rate, rate));
}

static AfxiMat3 minus(AfxiMat3 a, const AfxiMat3 *b) {
    for (int e = 0; e < 9; e++) {
        a.m[e] -= b->m[e];
    }
    return a;
}

/* A of q, v, x2, x3, with gaps that are known. */
static void load_parts(const AfxiResidualPast *past, uint32_t body, AfxiMat3 part[4]) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    for (int k = 0; k < 4; k++) {
        part[k] = mat3_load(past->past[k] + at);
        for (int e = 0; k % 2 && e < 9 && past->way[body].phase == AFXI_PHASE_TWO_STEP; e++) {
            part[k].m[e] += past->past[k == 1 ? 4 : 5][at + e];
        }
    }
}

static bool is_rigid(const AfxiResidualPast *past, uint32_t body) {
    return isinf(*afxi_param_const(past->model, past->params, AFX_PARAM_BODY_YOUNG, body));
}

static bool turns(const AfxiResidualPast *past, uint32_t body, AfxVec3 rate) {
    const double *a = past->past[0] + (size_t)AFXI_AFFINE_WIDTH * body;
    double step = past->way[body].step, size = 0;
    double most = is_rigid(past, body) ? AFXI_PHASE_MOST : AFXI_PHASE_MOST_ELASTIC;
    for (int e = 0; e < 9; e++) {
        size += a[e] * a[e] / 3;
    }
    return fabs(size - 1) < AFXI_PHASE_STRAIN && step * vec3_length(rate) > AFXI_PHASE_FEW &&
           step * vec3_length(rate) < most;
}

/* What is added to qv: a body that turns evenly has its velocity. */
static void fit_rate(const AfxiResidualPast *past, uint32_t body, AfxVec3 rate, double share) {
    const AfxiResidualPhase *way = &past->way[body];
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(past->past[0] + at), ahead = evenly(&a, rate, way->step), part[4], spin = mat3_skew(rate);
    even_past(way, &a, rate, part);
    AfxiMat3 known = weighed(way->weights.qv, part, 3);
    AfxiMat3 velocity = mat3_multiply(&spin, &ahead), more = minus(ahead, &known);
    for (int e = 0; e < 9; e++) {
        past->more[1][at + e] = share * (more.m[e] - way->weights.scale.h_rate * velocity.m[e]);
    }
}

/* What is added to A but for known gaps. */
static void fit_body(const AfxiResidualPast *past, uint32_t body) {
    const AfxiResidualPhase *way = &past->way[body];
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    memset(past->more[0] + at, 0, AFXI_AFFINE_WIDTH * sizeof(double));
    memset(past->more[1] + at, 0, AFXI_AFFINE_WIDTH * sizeof(double));
    memset(past->ease + 9 * (size_t)body, 0, 9 * sizeof(double));
    if (way->phase == AFXI_PHASE_NONE || past->model->phase.slot[body] == AFXI_PHASE_OFF) {
        return;
    }
    AfxVec3 rate = axial_of(past->past[0] + at, past->past[1] + at);
    if (!turns(past, body, rate)) {
        return;
    }
    double sine, length, share = share_of(past, body, rate);
    fit_rate(past, body, rate, share);
    if (behind(way, rate, &sine, &length)) {
        AfxiMat3 part[4], on = afxi_mat3_rotation(vec3_scale(asin(share * sine) / vec3_length(rate), rate));
        load_parts(past, body, part);
        AfxiMat3 plain = weighed(way->weights.qhat, part, 4), hat = mat3_multiply(&on, &plain);
        AfxiMat3 more = minus(hat, &plain);
        memcpy(past->more[0] + at, more.m, sizeof more.m);
        for (int e = 0; e < 9 && is_rigid(past, body); e++) {
            past->ease[9 * (size_t)body + e] = (1 - fmin(1, AFXI_PHASE_PULL / length)) * hat.m[e];
        }
    }
}

/* Point x of a body, of what is added to its A and t. */
static AfxVec3 moved(const double *more, AfxVec3 x) {
    AfxiMat3 a = mat3_load(more);
    return vec3_add(mat3_apply(&a, x), vec3_load(more + 9));
}

static bool held(const AfxiResidualPast *past, uint32_t slot) {
    uint32_t joint = past->model->phase.node[slot].joint;
    return joint != UINT32_MAX && past->joint_active[joint];
}

/* The slot of the first body on the way from a body to the ground that nothing holds; 0: all are held. */
static uint32_t loose_root(const AfxiResidualPast *past, uint32_t slot) {
    while (slot != AFXI_PHASE_OFF && held(past, slot)) {
        slot = past->model->phase.node[slot].parent;
    }
    return slot;
}

/* A body goes with the point of its parent that it is joined to. */
static void follow(const AfxiResidualPast *past, uint32_t slot) {
    const AfxModel *model = past->model;
    const AfxiPhaseNode *node = &model->phase.node[slot];
    if (!held(past, slot)) {
        return;
    }
    const AfxiJoint *joint = &model->joints[node->joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + joint->frame;
    uint32_t body = model->phase.body[slot];
    AfxVec3 x = joint->follower == body ? frame->point_a : frame->point_b;
    AfxVec3 at = moved(past->past[0] + (size_t)AFXI_AFFINE_WIDTH * body, x);
    for (int k = 0; k < 2; k++) {
        double *own = past->more[k] + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxVec3 target = vec3(0, 0, 0);
        if (node->parent != AFXI_PHASE_OFF) {
            size_t parent = (size_t)AFXI_AFFINE_WIDTH * model->phase.body[node->parent];
            AfxiMat3 a = mat3_load(past->past[0] + parent);
            AfxVec3 from = vec3_sub(at, vec3_load(past->past[0] + parent + 9));
            target = moved(past->more[k] + parent, mat3_apply_transposed(&a, from));
        }
        vec3_store(own + 9, vec3_sub(target, moved(own, x)));
    }
}

/* The momentum of what is added to a tree that nothing holds is taken out again. */
static void balance(const AfxiResidualPast *past, uint32_t root) {
    const AfxiPhaseTrees *trees = &past->model->phase;
    for (int k = 0; k < 2; k++) {
        AfxVec3 sum = vec3(0, 0, 0);
        double mass = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t slot = root; slot < trees->node[root].end; slot++) {
                double *t = past->more[k] + (size_t)AFXI_AFFINE_WIDTH * trees->body[slot] + 9;
                if (loose_root(past, slot) != root) {
                    continue;
                }
                double own = *afxi_param_const(past->model, past->params, AFX_PARAM_BODY_MASS, trees->body[slot]);
                if (pass == 0) {
                    mass += own;
                    sum = vec3_mad(sum, own, vec3_load(t));
                } else {
                    vec3_store(t, vec3_mad(vec3_load(t), -1 / mass, sum));
                }
            }
        }
    }
}

void afxi_residual_phase(const AfxiResidualPast *past) {
    const AfxiPhaseTrees *trees = &past->model->phase;
    for (uint32_t k = 0; k < past->model->dynamic_count; k++) {
        fit_body(past, past->model->dynamic[k]);
    }
    for (uint32_t slot = 1; slot < trees->node_count; slot++) {
        follow(past, slot);
    }
    for (uint32_t slot = 1; slot < trees->node_count; slot++) {
        if (loose_root(past, slot) == slot) {
            balance(past, slot);
        }
    }
    for (uint32_t k = 0; k < past->model->dynamic_count; k++) {
        uint32_t body = past->model->dynamic[k];
        const double *weight = past->way[body].weights.qhat;
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
        bool fitted = past->model->phase.slot[body] != AFXI_PHASE_OFF && past->way[body].phase == AFXI_PHASE_TWO_STEP;
        for (int e = 0; e < 9; e++) {
            past->more[0][at + e] -= past->ease[9 * (size_t)body + e];
        }
        for (int e = 0; fitted && e < AFXI_AFFINE_WIDTH; e++) {
            past->more[0][at + e] += weight[1] * past->past[4][at + e] + weight[3] * past->past[5][at + e];
        }
    }
}

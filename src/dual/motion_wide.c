/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of motion.h. */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "body/stage_wide.h"
#include "dual/motion.h"
#include "math/rotation_wide.h"

typedef struct Group {
    const AfxiMotion *motion;
    uint32_t local[AFXI_LANES];
    size_t at[AFXI_LANES]; /* of the state */
} Group;

WIDE_INLINE void begin_group(Group *group, const AfxiMotion *motion, uint32_t first, uint32_t end) {
    group->motion = motion;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        group->local[l] = first + l < end ? first + l : end - 1;
        group->at[l] = (size_t)12 * motion->body[group->local[l]];
    }
}

/* Twelve numbers of each body, by body of the model and of the graph. */
WIDE_INLINE void load_state(const Group *group, const double *base, Wide out[12]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void store_state(const Group *group, double *base, const Wide in[12]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l];
    }
    wide_scatter(row, 3, in);
}

WIDE_INLINE void load_own(const Group *group, const double *base, Wide out[12]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)12 * group->local[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void store_own(const Group *group, double *base, const Wide in[12]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)12 * group->local[l];
    }
    wide_scatter(row, 3, in);
}

/* The rotation of x [9] as the frame, and t as the origin. */
WIDE_INLINE void store_frame(const Group *group, const Wide x[9], const Wide guess[9], const Wide t[3], bool at) {
    const AfxiMotion *motion = group->motion;
    Wide r[12];
    wide_rotation_near(x, guess, r);
    for (int k = 0; k < 3; k++) {
        r[9 + k] = t[k];
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        double *frame = motion->frame[group->local[l]].m, *origin = &motion->origin[group->local[l]].x;
        for (int k = 0; k < 9; k++) {
            frame[k] = wide_lane(r[k], l);
        }
        for (int k = 0; k < 3; k++) {
            origin[k] = wide_lane(t[k], l);
        }
    }
    if (at && motion->at) {
        store_own(group, motion->at, r);
    }
}

/* What bends the tangent at coordinate k. */
WIDE_INLINE Wide bend(const AfxiMotion *motion, const Wide v[12], const Wide x3[12], int k) {
    return motion->mode == AFXI_FREE_ALPHA ? wide_all(motion->parabola[1]) * x3[k]
                                           : wide_all(motion->parabola[0]) * (v[k] - x3[k]);
}

WIDE_INLINE void load_past(const Group *group, bool history, Wide q[12], Wide v[12], Wide x2[12], Wide x3[12]) {
    const AfxiMotion *motion = group->motion;
    load_state(group, motion->q, q);
    load_state(group, motion->v, v);
    if (history) {
        load_state(group, motion->x2, x2);
        load_state(group, motion->x3, x3);
    } else {
        for (int k = 0; k < 12; k++) {
            x2[k] = x3[k] = wide_all(0);
        }
    }
}

WIDE_INLINE void predict_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    const bool history = motion->mode != AFXI_FREE_ONE_STEP;
    Group group;
    Wide q[12], v[12], x2[12], x3[12], drift[12], qv[12], qhat[12], expected[12];
    WideView curve;
    begin_group(&group, motion, first, end);
    load_past(&group, history, q, v, x2, x3);
    wide_stage_combine(&motion->weights, history, 12, q, v, x2, x3, drift, qv, qhat);
    for (int l = 0; l < AFXI_LANES; l++) {
        curve.lane[l] = motion->curved[group.local[l]];
    }
    for (int k = 0; k < 12; k++) {
        Wide line = wide_fma(wide_all(motion->predict), v[k], q[k]);
        expected[k] = wide_fma(curve.wide, bend(motion, v, x3, k), line);
    }
    store_own(&group, motion->qv, qv);
    if (motion->alpha) {
        store_own(&group, motion->qhat, qhat);
    }
    if (motion->damped) {
        WideView weight[2];
        for (int l = 0; l < AFXI_LANES; l++) {
            const double *constants =
                motion->constants + (size_t)AFXI_CHAIN_SIZE * motion->class_of[motion->body[group.local[l]]];
            weight[0].lane[l] = constants[AFXI_CHAIN_WEIGHT_A];
            weight[1].lane[l] = constants[AFXI_CHAIN_WEIGHT_T];
        }
        for (int k = 0; k < 12; k++) {
            Wide own = weight[k >= 9].wide;
            qhat[k] = wide_fma(own, qhat[k], (wide_all(1) - own) * qv[k]);
        }
    }
    store_own(&group, motion->target, qhat);
    store_frame(&group, expected, q, expected + 9, true);
}

WIDE_INLINE void advance_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    Group group;
    Wide next[12];
    begin_group(&group, motion, first, end);
    load_own(&group, motion->next, next);
    store_frame(&group, next, next, next + 9, false);
    if (motion->at) { /* where the bodies are, strain included */
        store_own(&group, motion->at, next);
    }
}

WIDE_INLINE void commit_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    const AfxiStageWeights *w = &motion->weights;
    const bool history = motion->mode != AFXI_FREE_ONE_STEP;
    Group group;
    Wide q[12], v[12], x2[12], x3[12], next[12], qv[12], line_off = wide_all(0), curve_off = wide_all(0);
    begin_group(&group, motion, first, end);
    load_past(&group, history, q, v, x2, x3);
    load_own(&group, motion->next, next);
    load_own(&group, motion->qv, qv);
    for (int k = 0; k < 9; k++) {
        Wide line = next[k] - wide_fma(wide_all(motion->predict), v[k], q[k]);
        Wide curve = line - bend(motion, v, x3, k);
        line_off = wide_fma(line, line, line_off);
        curve_off = wide_fma(curve, curve, curve_off);
    }
    WideMask curved = wide_less(wide_all(4) * curve_off, line_off);
    for (int l = 0; l < AFXI_LANES; l++) {
        motion->curved[group.local[l]] = wide_mask_lane(curved, l);
    }
    if (motion->mode == AFXI_FREE_ALPHA) {
        Wide qhat[12];
        load_own(&group, motion->qhat, qhat);
        store_state(&group, motion->previous_q, q);
        store_state(&group, motion->previous_v, v);
        for (int k = 0; k < 12; k++) {
            Wide past = wide_fma(wide_all(w->a[1]), x2[k], wide_fma(wide_all(w->a[0]), v[k], q[k]));
            x2[k] = (next[k] - past) * wide_all(w->a[2]);
            x3[k] = (next[k] - qhat[k]) * wide_all(w->per_h_squared);
        }
        store_state(&group, motion->x2, x2);
        store_state(&group, motion->x3, x3);
    } else if (motion->mode != AFXI_FREE_STAGE) {
        store_state(&group, motion->x2, q);
        store_state(&group, motion->x3, v);
    }
    store_state(&group, motion->q, next);
    for (int k = 0; k < 12; k++) {
        v[k] = (next[k] - qv[k]) * wide_all(w->per_h_rate);
    }
    store_state(&group, motion->v, v);
}

#define PASS(name)                                                             \
    static void name(const AfxiMotion *motion, uint32_t begin, uint32_t end) { \
        for (uint32_t first = begin; first < end; first += AFXI_LANES) {       \
            name##_group(motion, first, end);                                  \
        }                                                                      \
    }
PASS(predict)
PASS(advance)
PASS(commit)
#undef PASS

extern const AfxiMotionKernel AFXI_WIDE(afxi_motion);
const AfxiMotionKernel AFXI_WIDE(afxi_motion) = {predict, advance, commit};

#else
typedef int AfxiNoMotionVariant; /* a file may not be empty */
#endif

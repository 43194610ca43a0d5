/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of motion.h. */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "dual/motion_lane_wide.h"
#include "math/rotation_wide.h"

WIDE_INLINE void begin_group(MotionGroup *group, const AfxiMotion *motion, uint32_t first, uint32_t end) {
    group->motion = motion;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        group->local[l] = first + l < end ? first + l : end - 1;
        group->at[l] = (size_t)12 * motion->body[group->local[l]];
    }
}

/* Where the rows of the first bodies are linearised. */
WIDE_INLINE void store_at(const MotionGroup *group, const Wide in[12]) {
    const AfxiMotion *motion = group->motion;
    double *row[AFXI_LANES], unused[12];
    if (group->local[0] >= motion->at_end) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        bool wanted = group->local[l] < motion->at_end;
        row[l] = wanted ? motion->at + (size_t)12 * group->local[l] : unused;
    }
    wide_scatter(row, 3, in);
}

/* The rotation of x [9] as the frame, and t as the origin. */
WIDE_INLINE void store_frame(const MotionGroup *group, const Wide x[9], const Wide guess[9], const Wide t[3], bool at) {
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
    if (at) {
        store_at(group, r);
    }
}

WIDE_INLINE void predict_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    MotionGroup group;
    Wide q[12], qv[12], qhat[12], target[12], expected[12];
    begin_group(&group, motion, first, end);
    motion_expect(&group, q, qv, qhat, target, expected);
    motion_store_own(&group, motion->qv, qv);
    if (motion->alpha) {
        motion_store_own(&group, motion->qhat, qhat);
    }
    motion_store_own(&group, motion->target, target);
    store_frame(&group, expected, q, expected + 9, true);
}

WIDE_INLINE void advance_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    MotionGroup group;
    Wide next[12];
    begin_group(&group, motion, first, end);
    motion_load_own(&group, motion->next, next);
    store_frame(&group, next, next, next + 9, false);
    store_at(&group, next); /* where the bodies are, strain included */
}

WIDE_INLINE void commit_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    const AfxiStageWeights *w = &motion->weights;
    const bool history = motion->mode != AFXI_FREE_ONE_STEP;
    MotionGroup group;
    Wide q[12], v[12], x2[12], x3[12], next[12], drift[12], qv[12], qhat[12], line_off = wide_all(0),
                                                                              curve_off = wide_all(0);
    begin_group(&group, motion, first, end);
    motion_load_past(&group, history, q, v, x2, x3);
    motion_load_own(&group, motion->next, next);
    wide_stage_combine(w, history, 12, q, v, x2, x3, drift, qv, qhat);
    for (int k = 0; k < 9; k++) {
        Wide line = next[k] - wide_fma(wide_all(motion->predict), v[k], q[k]);
        Wide curve = line - motion_bend(motion, v, x3, k);
        line_off = wide_fma(line, line, line_off);
        curve_off = wide_fma(curve, curve, curve_off);
    }
    WideMask curved = wide_less(wide_all(4) * curve_off, line_off);
    for (int l = 0; l < AFXI_LANES; l++) {
        motion->curved[group.local[l]] = wide_mask_lane(curved, l);
    }
    if (motion->mode == AFXI_FREE_ALPHA) {
        motion_store_state(&group, motion->previous_q, q);
        motion_store_state(&group, motion->previous_v, v);
        for (int k = 0; k < 12; k++) {
            Wide past = wide_fma(wide_all(w->a[1]), x2[k], wide_fma(wide_all(w->a[0]), v[k], q[k]));
            x2[k] = (next[k] - past) * wide_all(w->a[2]);
            x3[k] = (next[k] - qhat[k]) * wide_all(w->per_h_squared);
        }
        motion_store_state(&group, motion->x2, x2);
        motion_store_state(&group, motion->x3, x3);
    } else if (motion->mode != AFXI_FREE_STAGE) {
        motion_store_state(&group, motion->x2, q);
        motion_store_state(&group, motion->x3, v);
    }
    motion_store_state(&group, motion->q, next);
    for (int k = 0; k < 12; k++) {
        v[k] = (next[k] - qv[k]) * wide_all(w->per_h_rate);
    }
    motion_store_state(&group, motion->v, v);
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

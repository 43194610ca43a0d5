/* SPDX-License-Identifier: Apache-2.0 */
/* The past of bodies and where they are expected, one body per lane, for *_wide.c files. */
#ifndef AFXI_DUAL_MOTION_LANE_WIDE_H
#define AFXI_DUAL_MOTION_LANE_WIDE_H

#include "body/stage_wide.h"
#include "dual/motion.h"
#include "math/rotation_wide.h"

typedef struct MotionGroup {
    const AfxiMotion *motion;
    uint32_t local[AFXI_LANES];
    size_t at[AFXI_LANES]; /* of the state */
} MotionGroup;

/* Twelve numbers of each body, by body of the model and of the graph. */
WIDE_INLINE void motion_load_state(const MotionGroup *group, const double *base, Wide out[AFXI_AFFINE_WIDTH]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void motion_load_own(const MotionGroup *group, const double *base, Wide out[AFXI_AFFINE_WIDTH]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)AFXI_AFFINE_WIDTH * group->local[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void motion_store_own(const MotionGroup *group, double *base, const Wide in[AFXI_AFFINE_WIDTH]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)AFXI_AFFINE_WIDTH * group->local[l];
    }
    wide_scatter(row, 3, in);
}

/* What bends the tangent of a coordinate. */
WIDE_INLINE Wide motion_bend(const AfxiMotion *motion, bool alpha, Wide v, Wide x3) {
    return alpha ? wide_all(motion->parabola[1]) * x3 : wide_all(motion->parabola[0]) * (v - x3);
}

/* Where numbers `first` and on of each body stand. */
WIDE_INLINE void motion_rows(const MotionGroup *group, double *base, int first, double *row[AFXI_LANES]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l] + first;
    }
}

/* Numbers `first` to first + 3 of each body. */
WIDE_INLINE void motion_load_four(const MotionGroup *group, const double *base, int first, Wide out[4]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l] + first;
    }
    wide_gather(row, 1, out);
}

/* Of x2 and x3; 0 where the stage has no history. */
WIDE_INLINE void motion_load_history(const MotionGroup *group, bool history, int first, Wide x2[4], Wide x3[4]) {
    for (int k = 0; k < 4; k++) {
        x2[k] = x3[k] = wide_all(0);
    }
    if (history) {
        motion_load_four(group, group->motion->x2, first, x2);
        motion_load_four(group, group->motion->x3, first, x3);
    }
}

/* Rows of what is added to the past of each body; NULL where nothing is. */
WIDE_INLINE void motion_find_phase(const MotionGroup *group, const double *out[AFXI_LANES]) {
    const AfxiMotion *motion = group->motion;
    for (int l = 0; l < AFXI_LANES; l++) {
        const uint32_t slot = motion->phase_row ? motion->phase_slot[motion->body[group->local[l]]] : 0;
        out[l] = motion->phase_row + (size_t)AFXI_PHASE_SIZE * slot;
    }
}

/* Adds numbers `first` to first + 3 of part `part` of it. */
WIDE_INLINE void motion_add_phase(const double *const phase[AFXI_LANES], int part, int first, Wide to[4]) {
    const double *row[AFXI_LANES];
    Wide more[4];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = phase[l] + part + first;
    }
    wide_gather(row, 1, more);
    for (int k = 0; k < 4; k++) {
        to[k] = to[k] + more[k];
    }
}

/* target = weight qhat + (1 - weight) qv, where bodies are damped. */
WIDE_INLINE void motion_damp(const MotionGroup *group, const Wide qv[AFXI_AFFINE_WIDTH],
                             const Wide qhat[AFXI_AFFINE_WIDTH], Wide target[AFXI_AFFINE_WIDTH]) {
    const AfxiMotion *motion = group->motion;
    WideView weight[2];
    for (int l = 0; l < AFXI_LANES; l++) {
        const double *constants =
            motion->constants + (size_t)AFXI_CHAIN_SIZE * motion->class_of[motion->body[group->local[l]]];
        weight[0].lane[l] = constants[AFXI_CHAIN_WEIGHT_A];
        weight[1].lane[l] = constants[AFXI_CHAIN_WEIGHT_T];
    }
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        Wide own = weight[k >= 9].wide;
        target[k] = wide_fma(own, qhat[k], (wide_all(1) - own) * qv[k]);
    }
}

/* qv, qhat and the damped target of a stage, and where the bodies are expected. Four numbers of a body at a time, from
 * loading on: there are not registers for more. */
WIDE_INLINE void motion_expect(const MotionGroup *group, Wide qv[AFXI_AFFINE_WIDTH], Wide qhat[AFXI_AFFINE_WIDTH],
                               Wide target[AFXI_AFFINE_WIDTH], Wide expected[AFXI_AFFINE_WIDTH]) {
    const AfxiMotion *motion = group->motion;
    const bool alpha = motion->mode == AFXI_FREE_ALPHA, history = motion->mode != AFXI_FREE_ONE_STEP;
    const double *phase[AFXI_LANES];
    WideView curved;
    motion_find_phase(group, phase);
    for (int l = 0; l < AFXI_LANES; l++) {
        curved.lane[l] = motion->curved[motion->body[group->local[l]]];
    }
#pragma GCC unroll 3
    for (int first = 0; first < AFXI_AFFINE_WIDTH; first += 4) {
        Wide q[4], v[4], x2[4], x3[4], drift[4];
        motion_load_four(group, motion->q, first, q);
        motion_load_four(group, motion->v, first, v);
        motion_load_history(group, history, first, x2, x3);
        wide_stage_combine(&motion->weights, history, 4, q, v, x2, x3, drift, qv + first, qhat + first);
        Wide bend[4];
        for (int k = 0; k < 4; k++) {
            expected[first + k] = wide_fma(wide_all(motion->predict), v[k], q[k]);
            bend[k] = motion_bend(motion, alpha, v[k], x3[k]);
        }
        if (motion->phase_row) {
            motion_add_phase(phase, AFXI_PHASE_QHAT, first, qhat + first);
            motion_add_phase(phase, AFXI_PHASE_QV, first, qv + first);
            motion_add_phase(phase, AFXI_PHASE_LINE, first, expected + first);
            motion_add_phase(phase, AFXI_PHASE_BEND, first, bend);
        }
        for (int k = 0; k < 4; k++) {
            expected[first + k] = wide_fma(curved.wide, bend[k], expected[first + k]);
            target[first + k] = qhat[first + k];
        }
    }
    if (motion->damped) {
        motion_damp(group, qv, qhat, target);
    }
}

/* The rotation of where the bodies are expected; near to where they are, if it is not otherwise found. */
WIDE_INLINE void motion_frame(const MotionGroup *group, const Wide expected[9], Wide r[9]) {
    WideMask bad = wide_newton_near(expected, r);
    if (wide_any(bad)) {
        Wide q[AFXI_AFFINE_WIDTH];
        motion_load_state(group, group->motion->q, q);
        wide_rescue(expected, q, bad, r);
    }
}

#endif

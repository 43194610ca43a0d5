/* SPDX-License-Identifier: Apache-2.0 */
/* The past of bodies and where they are expected, one body per lane, for *_wide.c files. */
#ifndef AFXI_DUAL_MOTION_LANE_WIDE_H
#define AFXI_DUAL_MOTION_LANE_WIDE_H

#include "body/stage_wide.h"
#include "dual/motion.h"

typedef struct MotionGroup {
    const AfxiMotion *motion;
    uint32_t local[AFXI_LANES];
    size_t at[AFXI_LANES]; /* of the state */
} MotionGroup;

/* Twelve numbers of each body, by body of the model and of the graph. */
WIDE_INLINE void motion_load_state(const MotionGroup *group, const double *base, Wide out[12]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void motion_store_state(const MotionGroup *group, double *base, const Wide in[12]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + group->at[l];
    }
    wide_scatter(row, 3, in);
}

WIDE_INLINE void motion_load_own(const MotionGroup *group, const double *base, Wide out[12]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)12 * group->local[l];
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE void motion_store_own(const MotionGroup *group, double *base, const Wide in[12]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)12 * group->local[l];
    }
    wide_scatter(row, 3, in);
}

/* What bends the tangent at coordinate k. */
WIDE_INLINE Wide motion_bend(const AfxiMotion *motion, const Wide v[12], const Wide x3[12], int k) {
    return motion->mode == AFXI_FREE_ALPHA ? wide_all(motion->parabola[1]) * x3[k]
                                           : wide_all(motion->parabola[0]) * (v[k] - x3[k]);
}

WIDE_INLINE void motion_load_past(const MotionGroup *group, bool history, Wide q[12], Wide v[12], Wide x2[12],
                                  Wide x3[12]) {
    const AfxiMotion *motion = group->motion;
    motion_load_state(group, motion->q, q);
    motion_load_state(group, motion->v, v);
    if (history) {
        motion_load_state(group, motion->x2, x2);
        motion_load_state(group, motion->x3, x3);
    } else {
        for (int k = 0; k < 12; k++) {
            x2[k] = x3[k] = wide_all(0);
        }
    }
}

/* qv, qhat and the damped target of a stage, and where the bodies are expected; q, too, comes back. */
WIDE_INLINE void motion_expect(const MotionGroup *group, Wide q[12], Wide qv[12], Wide qhat[12], Wide target[12],
                               Wide expected[12]) {
    const AfxiMotion *motion = group->motion;
    const bool history = motion->mode != AFXI_FREE_ONE_STEP;
    Wide v[12], x2[12], x3[12], drift[12];
    WideView curve, weight[2];
    motion_load_past(group, history, q, v, x2, x3);
    wide_stage_combine(&motion->weights, history, 12, q, v, x2, x3, drift, qv, qhat);
    for (int l = 0; l < AFXI_LANES; l++) {
        curve.lane[l] = motion->curved[group->local[l]];
    }
    for (int k = 0; k < 12; k++) {
        Wide line = wide_fma(wide_all(motion->predict), v[k], q[k]);
        expected[k] = wide_fma(curve.wide, motion_bend(motion, v, x3, k), line);
        target[k] = qhat[k];
    }
    if (!motion->damped) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        const double *constants =
            motion->constants + (size_t)AFXI_CHAIN_SIZE * motion->class_of[motion->body[group->local[l]]];
        weight[0].lane[l] = constants[AFXI_CHAIN_WEIGHT_A];
        weight[1].lane[l] = constants[AFXI_CHAIN_WEIGHT_T];
    }
    for (int k = 0; k < 12; k++) {
        Wide own = weight[k >= 9].wide;
        target[k] = wide_fma(own, qhat[k], (wide_all(1) - own) * qv[k]);
    }
}

#endif

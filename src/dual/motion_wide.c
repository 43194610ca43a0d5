/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of motion.h. */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "body/quad_wide.h"
#include "dual/motion_lane_wide.h"
#include "dual/tuning.h"
#include "math/rotation_wide.h"

WIDE_INLINE void begin_group(MotionGroup *group, const AfxiMotion *motion, uint32_t first, uint32_t end) {
    group->motion = motion;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        group->local[l] = first + l < end ? first + l : end - 1;
        group->at[l] = (size_t)AFXI_AFFINE_WIDTH * motion->body[group->local[l]];
    }
}

/* Where the rows of the first bodies are linearised. */
WIDE_INLINE void store_at(const MotionGroup *group, const Wide in[AFXI_AFFINE_WIDTH]) {
    const AfxiMotion *motion = group->motion;
    double *row[AFXI_LANES], unused[AFXI_AFFINE_WIDTH];
    if (group->local[0] >= motion->at_end) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        bool wanted = group->local[l] < motion->at_end;
        row[l] = wanted ? motion->at + (size_t)AFXI_AFFINE_WIDTH * group->local[l] : unused;
    }
    wide_scatter(row, 3, in);
}

/* The frame and the origin. */
WIDE_INLINE void store_frame(const MotionGroup *group, const Wide r[9], const Wide t[3]) {
    const AfxiMotion *motion = group->motion;
    double *frame[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        frame[l] = motion->frame[group->local[l]].m;
    }
    wide_scatter(frame, 2, r);
    for (int l = 0; l < AFXI_LANES; l++) {
        double *origin = &motion->origin[group->local[l]].x;
        frame[l][8] = wide_lane(r[8], l);
        for (int k = 0; k < 3; k++) {
            origin[k] = wide_lane(t[k], l);
        }
    }
}

/* Where the rows of the first solve are linearised: at the strain that is expected, where it is one; what rows have of
 * its square would be left by the solve, as long as the load lasts. What extrapolation has made of a turn is none. */
WIDE_INLINE void expect_strain(const Wide expected[AFXI_AFFINE_WIDTH], const Wide r[AFXI_AFFINE_WIDTH],
                               Wide at[AFXI_AFFINE_WIDTH]) {
    Wide square = wide_all(0);
    for (int k = 0; k < 9; k++) {
        square = wide_fma(expected[k] - r[k], expected[k] - r[k], square);
    }
    WideMask strained = wide_less(square, wide_all(AFXI_STRAIN_EXPECTED * AFXI_STRAIN_EXPECTED));
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        at[k] = wide_select(strained, expected[k], r[k]);
    }
}

WIDE_INLINE void predict_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    MotionGroup group;
    Wide qv[AFXI_AFFINE_WIDTH], qhat[AFXI_AFFINE_WIDTH], target[AFXI_AFFINE_WIDTH], expected[AFXI_AFFINE_WIDTH],
        r[AFXI_AFFINE_WIDTH], at[AFXI_AFFINE_WIDTH];
    begin_group(&group, motion, first, end);
    motion_expect(&group, qv, qhat, target, expected);
    motion_store_own(&group, motion->qv, qv);
    if (motion->alpha) {
        motion_store_own(&group, motion->qhat, qhat);
    }
    motion_store_own(&group, motion->target, target);
    motion_frame(&group, expected, r);
    wide_copy(expected + 9, 3, r + 9);
    store_frame(&group, r, r + 9);
    expect_strain(expected, r, at);
    store_at(&group, at);
}

WIDE_INLINE void advance_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    MotionGroup group;
    Wide next[AFXI_AFFINE_WIDTH], r[9];
    begin_group(&group, motion, first, end);
    motion_load_own(&group, motion->next, next);
    wide_rotation_near(next, next, r);
    store_frame(&group, r, next + 9);
    store_at(&group, next); /* where the bodies are, strain included */
}

/* Four numbers of the bodies and, where `kept`, copies of them to `keep`. */
WIDE_INLINE void move_four(double *const from[AFXI_LANES], double *const keep[AFXI_LANES], bool kept, Wide out[4]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = from[l];
    }
    if (kept) {
        wide_gather_keep(row, keep, out);
    } else {
        wide_gather(row, 1, out);
    }
}

/* Squares of how far the tangent and the parabola were off. */
typedef struct Misses {
    Wide line, curve;
} Misses;

/* Where the bodies were, where they are put, and how they went there, which moves to the history where it is `kept`. */
typedef struct Moved {
    Wide q[4], v[4], next[4];
} Moved;

WIDE_INLINE void move_state(const MotionGroup *group, const AfxiFreeMode mode, const int first, Moved *out) {
    const AfxiMotion *motion = group->motion;
    const bool alpha = mode == AFXI_FREE_ALPHA, kept = mode != AFXI_FREE_STAGE;
    double *at_q[AFXI_LANES], *at_v[AFXI_LANES], *at_next[AFXI_LANES], *old_q[AFXI_LANES], *old_v[AFXI_LANES];
    motion_rows(group, motion->q, first, at_q);
    motion_rows(group, motion->v, first, at_v);
    motion_rows(group, alpha ? motion->previous_q : motion->x2, first, old_q);
    motion_rows(group, alpha ? motion->previous_v : motion->x3, first, old_v);
    for (int l = 0; l < AFXI_LANES; l++) {
        at_next[l] = motion->next + (size_t)AFXI_AFFINE_WIDTH * group->local[l] + first;
    }
    move_four(at_q, old_q, kept, out->q);
    move_four(at_v, old_v, kept, out->v);
    move_four(at_next, at_q, true, out->next);
}

/* What the predictors were off by, and the new velocities. */
WIDE_INLINE void finish_four(const MotionGroup *group, const double *const phase[AFXI_LANES], const AfxiFreeMode mode,
                             const int first, const Moved *moved, const Wide x3[4], const Wide qv[4], Misses *off) {
    const AfxiMotion *motion = group->motion;
    Wide tangent[4], bend[4], v[4];
    double *at_v[AFXI_LANES];
    for (int k = 0; k < 4; k++) {
        tangent[k] = wide_fma(wide_all(motion->predict), moved->v[k], moved->q[k]);
        bend[k] = motion_bend(motion, mode == AFXI_FREE_ALPHA, moved->v[k], x3[k]);
    }
    if (motion->phase_row) {
        motion_add_phase(phase, AFXI_PHASE_LINE, first, tangent);
        motion_add_phase(phase, AFXI_PHASE_BEND, first, bend);
    }
    for (int k = 0; k < 4 && first + k < 9; k++) {
        Wide line = moved->next[k] - tangent[k], curve = line - bend[k];
        off->line = wide_fma(line, line, off->line);
        off->curve = wide_fma(curve, curve, off->curve);
    }
    for (int k = 0; k < 4; k++) {
        v[k] = (moved->next[k] - qv[k]) * wide_all(motion->weights.per_h_rate);
    }
    motion_rows(group, motion->v, first, at_v);
    wide_scatter(at_v, 1, v);
}

/* Numbers `first` to first + 3 of the new state. */
WIDE_INLINE void commit_four(const MotionGroup *group, const double *const phase[AFXI_LANES], const AfxiFreeMode mode,
                             const int first, Misses *off) {
    const AfxiMotion *motion = group->motion;
    const AfxiStageWeights *w = &motion->weights;
    const bool alpha = mode == AFXI_FREE_ALPHA, history = mode != AFXI_FREE_ONE_STEP;
    Wide x2[4], x3[4], drift[4], qv[4], qhat[4], a2[4], a3[4];
    double *at_x2[AFXI_LANES], *at_x3[AFXI_LANES];
    Moved moved;
    motion_load_history(group, history, first, x2, x3);
    move_state(group, mode, first, &moved);
    wide_stage_combine(w, history, 4, moved.q, moved.v, x2, x3, drift, qv, qhat);
    if (motion->phase_row) {
        motion_add_phase(phase, AFXI_PHASE_QHAT, first, qhat);
        motion_add_phase(phase, AFXI_PHASE_QV, first, qv);
    }
    finish_four(group, phase, mode, first, &moved, x3, qv, off);
    if (alpha) {
        motion_rows(group, motion->x2, first, at_x2);
        motion_rows(group, motion->x3, first, at_x3);
        for (int k = 0; k < 4; k++) {
            Wide past = wide_fma(wide_all(w->a[1]), x2[k], wide_fma(wide_all(w->a[0]), moved.v[k], moved.q[k]));
            a2[k] = (moved.next[k] - past) * wide_all(w->a[2]);
            a3[k] = (moved.next[k] - qhat[k]) * wide_all(w->per_h_squared);
        }
        wide_scatter(at_x2, 1, a2);
        wide_scatter(at_x3, 1, a3);
    }
}

/* The same by methods of several steps where qv is known. */
WIDE_INLINE void commit_known(const MotionGroup *group, const double *const phase[AFXI_LANES], const int first,
                              Misses *off) {
    const AfxiMotion *motion = group->motion;
    const double *row[AFXI_LANES];
    Wide x3[4], qv[4];
    Moved moved;
    motion_load_four(group, motion->x3, first, x3);
    move_state(group, AFXI_FREE_MULTISTEP, first, &moved);
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = motion->qv + (size_t)AFXI_AFFINE_WIDTH * group->local[l] + first;
    }
    wide_gather(row, 1, qv);
    finish_four(group, phase, AFXI_FREE_MULTISTEP, first, &moved, x3, qv, off);
}

/* What velocities by differences have more than true ones, now and a step ago. */
WIDE_INLINE void commit_gaps(const MotionGroup *group, const double *const phase[AFXI_LANES], const uint32_t count) {
    const AfxiMotion *motion = group->motion;
    const Quad per_h = quad_all(motion->weights.per_h_rate);
    for (uint32_t l = 0; l < count; l++) {
        double *gap = motion->gap + group->at[l], *last = motion->last_gap + group->at[l];
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k += QUAD) {
            quad_store(last + k, quad_load(gap + k));
            quad_store(gap + k, quad_times(quad_load(phase[l] + AFXI_PHASE_QV + k), per_h));
        }
    }
}

WIDE_INLINE void commit_as(const AfxiMotion *motion, const AfxiFreeMode mode, const bool known, uint32_t first,
                           uint32_t end) {
    MotionGroup group;
    Misses off = {wide_all(0), wide_all(0)};
    const double *phase[AFXI_LANES];
    begin_group(&group, motion, first, end);
    motion_find_phase(&group, phase);
#pragma GCC unroll 3
    for (int number = 0; number < AFXI_AFFINE_WIDTH; number += 4) {
        if (known) {
            commit_known(&group, phase, number, &off);
        } else {
            commit_four(&group, phase, mode, number, &off);
        }
    }
    if (motion->gap) {
        commit_gaps(&group, phase, end - first < AFXI_LANES ? end - first : AFXI_LANES);
    }
    WideMask curved = wide_less(wide_all(4) * off.curve, off.line);
    for (int l = 0; l < AFXI_LANES; l++) {
        motion->curved[motion->body[group.local[l]]] = wide_mask_lane(curved, l);
    }
}

WIDE_INLINE void commit_group(const AfxiMotion *motion, uint32_t first, uint32_t end) {
    if (motion->mode != AFXI_FREE_MULTISTEP) {
        commit_as(motion, motion->mode, false, first, end);
    } else if (motion->has_past) { /* by far the most: known beforehand */
        commit_as(motion, AFXI_FREE_MULTISTEP, true, first, end);
    } else {
        commit_as(motion, AFXI_FREE_MULTISTEP, false, first, end);
    }
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

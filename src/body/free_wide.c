/* SPDX-License-Identifier: Apache-2.0 */
/* The step of a free affine body, one body per lane.
 *
 * With qhat = (Ahat, that) drawn from the integrator and C = diag(c), c_k = s_k/h², a stage minimises
 *     |A - Ahat|²_C / 2 + W(R^T A) - F : A
 * in the frame R. For a rigid body the minimiser is the rotation part of Ahat C + F, so that is the frame: one
 * solve is then exact. Elastic bodies take R from it as well, solve
 *     beta = H^-1 (C o (R^T Ahat - I) + R^T F),   A = R (I + beta),
 * and go on with the rotation part of A until the rotation w left in beta has settled.
 * The rotation part is Newton's iteration X <- (X + cof X / det X) / 2, on Y = X + cof X (X of norm 1): if X = R P
 * then Y = R (P + cof P), so the rotation is the same and plates (rank 2) become regular. P is nearly C, so the best
 * scaling of the first passes is known beforehand (class.c). */
#include "math/simd.h"

#include "body/free.h"
#include "body/phase_wide.h"
#include "body/stage_wide.h"
#include "body/tuning.h"
#include "math/rotation_wide.h"

/* Forces on a lane group. */
typedef struct Forces {
    Wide all[sizeof(AfxiFreeForce) / sizeof(double)]; /* as AfxiFreeForce */
} Forces;

/* What a lane group carries from solve to solve. */
typedef struct Lanes {
    Wide constants[AFXI_FREE_SIZE];
    const Wide *target;   /* [12] qhat, damping included */
    const Forces *forces; /* NULL: none */
    Wide r[9];            /* frame */
    Wide *result;         /* [12] A, t */
} Lanes;

/* Sums over lane groups; lanes stay apart until the end. */
typedef struct Tally {
    Wide error;
    uint64_t solves_total;
    uint32_t solves;
    bool capped, rescued;
} Tally;

/* R^T F of all forces on A, added to the right-hand side. */
static void add_forces(const Forces *forces, const Wide r[9], Wide rhs[9]) {
    Wide turned[9];
    wide_multiply_tn(r, forces->all + AFXI_FORCE_WORLD, turned);
    for (int k = 0; k < 9; k++) {
        rhs[k] = rhs[k] + (turned[k] + forces->all[AFXI_FORCE_BODY + k]);
    }
    const Wide *torque = forces->all + AFXI_FORCE_TORQUE;
    for (int k = 0; k < 3; k++) {
        const Wide *axis = r + 3 * k;
        Wide half = wide_all(0.5) * wide_fma(axis[2], torque[2], wide_fma(axis[1], torque[1], axis[0] * torque[0]));
        int i = (k + 1) % 3, j = (k + 2) % 3; /* skew: entry (j, i) is +half, (i, j) is -half */
        rhs[3 * i + j] = rhs[3 * i + j] + half;
        rhs[3 * j + i] = rhs[3 * j + i] - half;
    }
}

/* One solve in the frame lanes->r: A into `a`; the squared rotation left comes back. */
WIDE_INLINE Wide solve(const Lanes *restrict lanes, Wide *restrict a) {
    const Wide *constants = lanes->constants, *frame = lanes->r;
    const Wide *c = constants + AFXI_FREE_C, *diagonal = constants + AFXI_FREE_DIAGONAL;
    Wide rhs[9], beta[9];
    wide_multiply_tn(frame, lanes->target, rhs);
    for (int k = 0; k < 3; k++) {
        rhs[4 * k] = rhs[4 * k] - wide_all(1);
        for (int i = 0; i < 3; i++) {
            rhs[3 * k + i] = rhs[3 * k + i] * c[k];
        }
    }
    if (lanes->forces) {
        add_forces(lanes->forces, frame, rhs);
    }
    beta[0] = wide_fma(diagonal[4], rhs[8], wide_fma(diagonal[3], rhs[4], diagonal[0] * rhs[0]));
    beta[4] = wide_fma(diagonal[5], rhs[8], wide_fma(diagonal[1], rhs[4], diagonal[3] * rhs[0]));
    beta[8] = wide_fma(diagonal[2], rhs[8], wide_fma(diagonal[5], rhs[4], diagonal[4] * rhs[0]));
    static const int first[3] = {0, 0, 1}, second[3] = {1, 2, 2};
    Wide rotation = wide_all(0);
    for (int p = 0; p < 3; p++) {
        const Wide *pair = constants + AFXI_FREE_PAIR + 3 * p;
        int ik = 3 * second[p] + first[p], ki = 3 * first[p] + second[p];
        beta[ik] = wide_fma(pair[2], rhs[ki], pair[0] * rhs[ik]);
        beta[ki] = wide_fma(pair[2], rhs[ik], pair[1] * rhs[ki]);
        Wide w = wide_all(0.5) * (beta[ki] - beta[ik]);
        rotation = wide_fma(w, w, rotation);
    }
    for (int k = 0; k < 3; k++) {
        const Wide *b = beta + 3 * k;
        for (int i = 0; i < 3; i++) {
            Wide value = wide_fma(frame[i], b[0], frame[3 * k + i]);
            a[3 * k + i] = wide_fma(frame[6 + i], b[2], wide_fma(frame[3 + i], b[1], value));
        }
    }
    return rotation;
}

/* Solves again the lanes that the first solve left active; lanes that are done stand still, so that no lane sees its
 * neighbours. Only the first `count` lanes are bodies of their own. */
static void settle(const AfxiFreeStage *stage, Lanes *lanes, WideMask active, Wide error, int count, Tally *tally) {
    uint32_t most = stage->solves ? stage->solves : stage->solves_most;
    /* A body that turns far in one step has |Ahat| > sqrt 3, and its potential is as much steeper than the solve's: a
     * full step would overshoot. */
    Wide square = wide_all(3), last = error;
    for (int k = 0; k < 9; k++) {
        square = wide_fma(lanes->target[k], lanes->target[k], square);
    }
    Wide share = wide_sqrt(wide_all(6) / square);
    share = wide_select(wide_less(share, wide_all(1)), share, wide_all(1));
    for (uint32_t j = 2; j <= most && wide_any(active); j++) {
        Wide next[9];
        for (int k = 0; k < 9; k++) {
            next[k] = wide_fma(share, lanes->result[k] - lanes->r[k], lanes->r[k]);
        }
        WideMask bad = wide_mask_none();
        Wide cof[9], det, half = wide_inverse_factor(next, wide_all(0.5), cof, &det, &bad);
        for (int k = 0; k < 9; k++) {
            next[k] = wide_fma(cof[k], half, wide_all(0.5) * next[k]);
        }
        bad = active & (bad | wide_settle_rotation(next, active & ~bad, AFXI_NEWTON_STEPS_MOST));
        if (wide_any(bad)) {
            tally->rescued = true;
            wide_rescue(lanes->result, lanes->r, bad, next);
        }
        for (int k = 0; k < 9; k++) {
            lanes->r[k] = wide_select(active, next[k], lanes->r[k]);
        }
        Wide rotation = wide_sqrt(solve(lanes, next));
        for (int k = 0; k < 9; k++) {
            lanes->result[k] = wide_select(active, next[k], lanes->result[k]);
        }
        error = wide_select(active, rotation, error);
        for (int l = 0; l < count; l++) {
            tally->solves_total += wide_mask_lane(active, l);
        }
        tally->solves = j > tally->solves ? j : tally->solves;
        if (!stage->solves) {
            WideMask done = wide_less(rotation * rotation, wide_all(stage->tolerance) * (last - rotation));
            done |= wide_less(rotation, wide_all(AFXI_FREE_TURN_ROUNDING));
            last = wide_select(active, rotation, last);
            active &= ~done;
        }
    }
    tally->capped |= !stage->solves && wide_any(active);
    tally->error = wide_select(wide_less(tally->error, error), error, tally->error);
}

/* The first frame: the rotation part of Ahat C + F; for rods that of A + h A', which ties all three axes, and of what
 * the tangent misses, `line`, if that is known. */
WIDE_INLINE void first_frame(const AfxiFreeStage *stage, Lanes *lanes, const Wide q[AFXI_AFFINE_WIDTH],
                             const Wide v[AFXI_AFFINE_WIDTH], const Wide *line, bool *out_rescued) {
    const Wide *weight = lanes->constants + AFXI_FREE_FRAME, *factor = lanes->constants + AFXI_FREE_NEWTON;
    Wide x[9], y[9];
    for (int k = 0; k < 9; k++) {
        x[k] = lanes->target[k] * weight[k / 3];
    }
    if (lanes->forces) {
        /* body forces and torques turn with the frame, which is not known yet: the old A stands in for it */
        const Wide *all = lanes->forces->all;
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++) {
                int m = (i + 1) % 3, n = (i + 2) % 3;
                Wide turning =
                    wide_nma(all[AFXI_FORCE_TORQUE + n], q[3 * k + m], all[AFXI_FORCE_TORQUE + m] * q[3 * k + n]) *
                    wide_all(0.5);
                for (int j = 0; j < 3; j++) {
                    turning = wide_fma(q[3 * j + i], all[AFXI_FORCE_BODY + 3 * k + j], turning);
                }
                x[3 * k + i] = wide_fma(lanes->constants[AFXI_FREE_EXACT], all[AFXI_FORCE_WORLD + 3 * k + i] + turning,
                                        x[3 * k + i]);
            }
        }
    }
    if (stage->rods) {
        WideMask rod = wide_equal(lanes->constants[AFXI_FREE_EXACT], wide_all(0));
        for (int k = 0; k < 9; k++) {
            Wide ahead = wide_fma(wide_all(stage->predict), v[k], q[k]);
            x[k] = wide_select(rod, line ? ahead + line[k] : ahead, x[k]);
        }
    }
    wide_cofactor(x, y);
    for (int k = 0; k < 9; k++) {
        y[k] = y[k] + x[k];
    }
    WideMask bad = wide_mask_none();
    wide_newton_scaled(y, factor[0], &bad);
    wide_newton_scaled(y, factor[1], &bad);
    Wide cof[9], det, last = wide_inverse_factor(y, factor[3], cof, &det, &bad);
    for (int k = 0; k < 9; k++) {
        y[k] = wide_fma(cof[k], last, factor[2] * y[k]);
    }
    bad |= wide_settle_rotation(y, ~bad, AFXI_NEWTON_STEPS_MOST);
    for (int k = 0; k < 9; k++) {
        lanes->r[k] = y[k];
    }
    if (wide_any(bad)) {
        *out_rescued = true;
        wide_rescue(x, q, bad, lanes->r);
    }
}

/* Where the rows of a lane group are. */
typedef struct Rows {
    double *q[AFXI_LANES], *v[AFXI_LANES], *x2[AFXI_LANES], *x3[AFXI_LANES];
    uint32_t body[AFXI_LANES], item[AFXI_LANES];
} Rows;

/* Rows of gaps of a lane group; those of t are 0. */
static void gap_rows(double *base, const Rows *rows, double *out[AFXI_LANES]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        out[l] = base + (size_t)AFXI_AFFINE_WIDTH * rows->body[l];
    }
}

/* Leaves the gaps of the new velocity and the old. */
static void store_gaps(const AfxiFreeStage *stage, double *const gap_row[AFXI_LANES],
                       double *const last_row[AFXI_LANES], bool turns, const PhaseRows *phase, Wide *gap) {
    const bool remembers = stage->phase == AFXI_PHASE_TWO_STEP;
    Wide next[AFXI_AFFINE_WIDTH];
    for (int k = 0; k < 9; k++) {
        Wide own = remembers ? phase->qv[k] * wide_all(stage->weights.per_h_rate) : phase->next[k];
        next[k] = turns ? own : wide_all(0);
        gap[k] = remembers ? gap[k] : turns ? phase->last[k] : wide_all(0);
    }
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        gap[k] = next[k] = wide_all(0);
    }
    wide_scatter(gap_row, 3, next);
    wide_scatter(last_row, 3, gap);
}

/* Adds what the formulas of the stage miss of turning, and goes on with gaps; false: nothing turns. Not inlined: bodies
 * without gaps need no registers for it. */
static __attribute__((noinline)) bool fit_phase(const AfxiFreeStage *stage, const Rows *rows, const Wide *q,
                                                const Wide *v, const Wide *x2, const Wide *x3, const Wide *constants,
                                                Wide *qv, Wide *qhat, PhaseRows *out) {
    const AfxiPhaseStage known = {
        .phase = stage->phase, .expects = stage->rods, .weights = &stage->weights, .step = stage->predict};
    double *gap_row[AFXI_LANES], *last_row[AFXI_LANES];
    Wide gap[AFXI_AFFINE_WIDTH], last[AFXI_AFFINE_WIDTH];
    const PhasePast past = {q, v, x2, x3, gap, last};
    gap_rows(stage->gap, rows, gap_row);
    gap_rows(stage->last_gap, rows, last_row);
    if (stage->phase == AFXI_PHASE_TWO_STEP) {
        wide_gather((const double *const *)gap_row, 3, gap);
        wide_gather((const double *const *)last_row, 3, last);
        for (int k = 0; k < 9; k++) {
            Wide more = wide_fma(wide_all(stage->weights.qhat[3]), last[k], wide_all(stage->weights.qhat[1]) * gap[k]);
            qhat[k] = qhat[k] + more;
        }
    }
    WideMask rigid = wide_equal(constants[AFXI_FREE_DIAGONAL], wide_all(0)); /* nothing stretches it */
    PhaseTurn now;
    bool turns = stage->phase != AFXI_PHASE_NONE && phase_begin(&known, q, v, rigid, &now);
    if (turns) {
        phase_fill(&known, &past, rigid, &now, out);
    }
    for (int k = 0; turns && k < 9; k++) {
        qhat[k] = qhat[k] + (out->eased ? out->qhat[k] - out->ease[k] : out->qhat[k]);
        qv[k] = qv[k] + out->qv[k];
    }
    store_gaps(stage, gap_row, last_row, turns, out, gap);
    return turns;
}

/* What a stage leaves behind besides the new q, v. The rows of q and v still hold the old ones. */
WIDE_INLINE void store_history(const AfxiFreeStage *stage, const Rows *rows, const Wide q[AFXI_AFFINE_WIDTH],
                               const Wide v[AFXI_AFFINE_WIDTH], const Wide x2[AFXI_AFFINE_WIDTH],
                               const Wide qhat[AFXI_AFFINE_WIDTH], const Wide result[AFXI_AFFINE_WIDTH]) {
    const AfxiStageWeights *weights = &stage->weights;
    if (stage->mode == AFXI_FREE_ALPHA) {
        double *old_q[AFXI_LANES], *old_v[AFXI_LANES];
        for (int l = 0; l < AFXI_LANES; l++) {
            old_q[l] = stage->previous_q + (size_t)AFXI_AFFINE_WIDTH * rows->body[l];
            old_v[l] = stage->previous_v + (size_t)AFXI_AFFINE_WIDTH * rows->body[l];
        }
        Wide a[AFXI_AFFINE_WIDTH], acceleration[AFXI_AFFINE_WIDTH];
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            Wide base = wide_fma(wide_all(weights->a[1]), x2[k], wide_fma(wide_all(weights->a[0]), v[k], q[k]));
            a[k] = (result[k] - base) * wide_all(weights->a[2]);
            acceleration[k] = (result[k] - qhat[k]) * wide_all(weights->per_h_squared);
        }
        wide_copy12(old_q, rows->q);
        wide_copy12(old_v, rows->v);
        wide_scatter(rows->x2, 3, a);
        wide_scatter(rows->x3, 3, acceleration);
    } else if (stage->mode != AFXI_FREE_STAGE) {
        wide_copy12(rows->x2, rows->q);
        wide_copy12(rows->x3, rows->v);
    }
}

/* Translation, velocity and what must be finite; lanes that are not come back. `drift` is (qhat - qv)/hv: a velocity
 * from velocities, since the difference of two positions far from the origin would lose digits. */
WIDE_INLINE WideMask finish(const AfxiFreeStage *stage, const Lanes *lanes, const Wide qv[AFXI_AFFINE_WIDTH],
                            const Wide drift[AFXI_AFFINE_WIDTH], Wide rate[AFXI_AFFINE_WIDTH]) {
    Wide *result = lanes->result, finite = wide_all(0);
    const Wide per_h_rate = wide_all(stage->weights.per_h_rate);
    for (int k = 0; k < 3; k++) {
        Wide moved = lanes->constants[AFXI_FREE_GRAVITY] * wide_all(stage->gravity[k]);
        if (lanes->forces) {
            const Wide *all = lanes->forces->all, *turned = all + AFXI_FORCE_BODY_FORCE;
            Wide force = wide_fma(lanes->r[k], turned[0], all[AFXI_FORCE + k]);
            force = wide_fma(lanes->r[6 + k], turned[2], wide_fma(lanes->r[3 + k], turned[1], force));
            moved = wide_fma(lanes->constants[AFXI_FREE_FORCE], force, moved);
        }
        result[9 + k] = lanes->target[9 + k] + moved;
        rate[9 + k] = wide_fma(moved, per_h_rate, lanes->constants[AFXI_FREE_WEIGHT_T] * drift[9 + k]);
        finite = wide_fma(wide_all(0), rate[9 + k], wide_fma(wide_all(0), result[9 + k], finite));
    }
    for (int k = 0; k < 9; k++) {
        rate[k] = (result[k] - qv[k]) * per_h_rate;
        finite = wide_fma(wide_all(0), rate[k], finite);
    }
    return ~wide_equal(finite, wide_all(0));
}

/* One lane group; the first `count` lanes are bodies of their own. Lanes that are not finite come back. */
WIDE_INLINE WideMask advance(const AfxiFreeStage *stage, const Rows *rows, int count, Tally *tally) {
    const double *class_row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        class_row[l] = stage->constants + (size_t)AFXI_FREE_SIZE * stage->class_of[rows->body[l]];
    }
    Wide q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH], x2[AFXI_AFFINE_WIDTH], x3[AFXI_AFFINE_WIDTH],
        drift[AFXI_AFFINE_WIDTH], qhat[AFXI_AFFINE_WIDTH], qv[AFXI_AFFINE_WIDTH], target[AFXI_AFFINE_WIDTH],
        result[AFXI_AFFINE_WIDTH], rate[AFXI_AFFINE_WIDTH];
    Forces forces;
    Lanes lanes;
    lanes.target = stage->damped ? target : qhat;
    lanes.forces = NULL;
    lanes.result = result;
    bool all_constants = stage->forces || stage->rods;
    wide_gather(class_row, (all_constants ? AFXI_FREE_SIZE : AFXI_FREE_COMMON) / 4, lanes.constants);
    wide_gather((const double *const *)rows->q, 3, q);
    wide_gather((const double *const *)rows->v, 3, v);
    if (stage->mode != AFXI_FREE_ONE_STEP) {
        wide_gather((const double *const *)rows->x2, 3, x2);
        wide_gather((const double *const *)rows->x3, 3, x3);
    } else {
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            x2[k] = x3[k] = wide_all(0);
        }
    }
    wide_stage_combine(&stage->weights, stage->mode != AFXI_FREE_ONE_STEP, AFXI_AFFINE_WIDTH, q, v, x2, x3, drift, qv,
                       qhat);
    PhaseRows phase;
    bool turns = stage->gap && fit_phase(stage, rows, q, v, x2, x3, lanes.constants, qv, qhat, &phase);
    for (int k = 0; stage->damped && k < AFXI_AFFINE_WIDTH; k++) {
        Wide weight = lanes.constants[k < 9 ? AFXI_FREE_WEIGHT_A : AFXI_FREE_WEIGHT_T];
        target[k] = wide_fma(weight, qhat[k], (wide_all(1) - weight) * qv[k]);
    }
    if (stage->forces) {
        const double *force_row[AFXI_LANES];
        for (int l = 0; l < AFXI_LANES; l++) {
            force_row[l] = (const double *)(stage->forces + rows->item[l]);
        }
        wide_gather(force_row, sizeof(AfxiFreeForce) / (4 * sizeof(double)), forces.all);
        lanes.forces = &forces;
    }
    first_frame(stage, &lanes, q, v, turns ? phase.line : NULL, &tally->rescued);
    WideMask all = wide_equal(wide_all(0), wide_all(0));
    Wide error = wide_sqrt(solve(&lanes, result));
    WideMask again = stage->solves ? all : ~wide_less(error, wide_all(stage->tolerance_first));
    tally->solves_total += (uint32_t)count;
    if (stage->solves != 1 && wide_any(again)) {
        settle(stage, &lanes, again, error, count, tally);
    } else {
        tally->error = wide_select(wide_less(tally->error, error), error, tally->error);
    }
    WideMask bad = finish(stage, &lanes, qv, drift, rate);
    store_history(stage, rows, q, v, x2, qhat, result);
    wide_scatter(rows->q, 3, result);
    wide_scatter(rows->v, 3, rate);
    return bad;
}

/* Asks for the rows of the next lane group while this one is worked on. */
WIDE_INLINE void prefetch(const AfxiFreeStage *stage, const uint32_t *bodies) {
    for (int l = 0; l < AFXI_LANES; l++) {
        size_t offset = (size_t)AFXI_AFFINE_WIDTH * bodies[l];
        for (size_t line = 0; line <= 8; line += 8) {
            __builtin_prefetch(stage->q + offset + line, 1);
            __builtin_prefetch(stage->v + offset + line, 1);
            __builtin_prefetch(stage->x2 + offset + line, 1);
            __builtin_prefetch(stage->x3 + offset + line, 1);
        }
    }
}

AfxiFreeKernel AFXI_WIDE(afxi_free_step);

/* Full groups, then one whose spare lanes repeat its last body: they write the same values to the same place. */
void AFXI_WIDE(afxi_free_step)(const AfxiFreeStage *stage, uint32_t begin, uint32_t end, AfxiFreeOutcome *out) {
    Tally tally = {.error = wide_all(0), .solves = 1};
    for (uint32_t at = begin; at < end; at += AFXI_LANES) {
        Rows rows;
        for (uint32_t l = 0; l < AFXI_LANES; l++) {
            rows.item[l] = at + l < end ? at + l : end - 1;
            rows.body[l] = stage->bodies[rows.item[l]];
            size_t offset = (size_t)AFXI_AFFINE_WIDTH * rows.body[l];
            rows.q[l] = stage->q + offset;
            rows.v[l] = stage->v + offset;
            rows.x2[l] = stage->x2 + offset;
            rows.x3[l] = stage->x3 + offset;
        }
        if (AFXI_LANES >= 4 && at + 2 * AFXI_LANES <= end) { /* narrower groups leave the caches time enough */
            prefetch(stage, stage->bodies + at + AFXI_LANES);
        }
        int count = end - at < AFXI_LANES ? (int)(end - at) : AFXI_LANES;
        WideMask bad = advance(stage, &rows, count, &tally);
        for (int l = 0; wide_any(bad) && l < AFXI_LANES; l++) {
            if (wide_mask_lane(bad, l) && rows.body[l] < out->failed_body) {
                out->failed_body = rows.body[l];
            }
        }
    }
    out->solves = tally.solves;
    out->solves_total = tally.solves_total;
    out->capped = tally.capped;
    out->rescued = tally.rescued;
    for (int l = 0; l < AFXI_LANES; l++) {
        double error = wide_lane(tally.error, l);
        out->rotation_error = error > out->rotation_error ? error : out->rotation_error;
    }
}

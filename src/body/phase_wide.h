/* SPDX-License-Identifier: Apache-2.0 */
/* What phase fitting (body/phase.h) adds to A, one body per lane, for *_wide.c files.
 *
 * In the plane across omega a body that turns evenly by theta in a step is a complex number that turns by e^(i theta).
 * With U = [o] A and W = [o] U, o = h omega, such a number x + iy times what A has in that plane is -x W/theta² + y
 * U/theta: nothing but U and W is needed. Of a body that turned evenly to where it is, h times
 *     its velocity is i theta, that of differences i theta + g, with g = (3 - 4 e^-it + e^-2it)/2 - i theta,
 * and qhat is z times A, where the result has the phase theta: the weights of the stage make z of these. */
#ifndef AFXI_BODY_PHASE_WIDE_H
#define AFXI_BODY_PHASE_WIDE_H

#include "body/phase.h"
#include "body/tuning.h"
#include "math/vector_wide.h"

/* What is added to A, what eases it, and gaps that are not what was added to qv. */
typedef struct PhaseRows {
    Wide qhat[9], qv[9], line[9], bend[9], next[9], last[9], ease[9];
    bool expects, starts, eased; /* line and bend are made; next and last; ease */
} PhaseRows;

/* What is known of A: of q, v, x2, x3, and gaps where they are remembered. */
typedef struct PhasePast {
    const Wide *q, *v, *x2, *x3, *gap, *last;
} PhasePast;

/* A complex number a lane. */
typedef struct PhaseNumber {
    Wide x, y;
} PhaseNumber;

WIDE_INLINE PhaseNumber phase_times(PhaseNumber a, PhaseNumber b) {
    return (PhaseNumber){wide_nma(a.y, b.y, a.x * b.x), wide_fma(a.x, b.y, a.y * b.x)};
}

/* sum += s a */
WIDE_INLINE void phase_add(double s, PhaseNumber a, PhaseNumber *sum) {
    sum->x = wide_fma(wide_all(s), a.x, sum->x);
    sum->y = wide_fma(wide_all(s), a.y, sum->y);
}

/* sin(x)/x and (1 - cos x)/x² of x², x < 6.4: by their series at x/8, and three times those of twice the angle. */
WIDE_INLINE void phase_sines(Wide square, Wide *out_sine, Wide *out_cosine) {
    Wide y = square * wide_all(1.0 / 64), s = wide_all(-1.0 / 1307674368000), c = wide_all(-1.0 / 20922789888000);
    s = wide_fma(s, y, wide_all(1.0 / 6227020800));
    s = wide_fma(s, y, wide_all(-1.0 / 39916800));
    s = wide_fma(s, y, wide_all(1.0 / 362880));
    s = wide_fma(s, y, wide_all(-1.0 / 5040));
    s = wide_fma(s, y, wide_all(1.0 / 120));
    s = wide_fma(s, y, wide_all(-1.0 / 6));
    s = wide_fma(s, y, wide_all(1));
    c = wide_fma(c, y, wide_all(1.0 / 87178291200));
    c = wide_fma(c, y, wide_all(-1.0 / 479001600));
    c = wide_fma(c, y, wide_all(1.0 / 3628800));
    c = wide_fma(c, y, wide_all(-1.0 / 40320));
    c = wide_fma(c, y, wide_all(1.0 / 720));
    c = wide_fma(c, y, wide_all(-1.0 / 24));
    c = wide_fma(c, y, wide_all(0.5));
    for (int twice = 0; twice < 3; twice++) {
        Wide half = s;
        s = wide_nma(s * c, y, s);
        c = wide_all(0.5) * half * half;
        y = wide_all(4) * y;
    }
    *out_sine = s;
    *out_cosine = c;
}

/* out = w x a */
WIDE_INLINE void phase_cross_one(const Wide w[3], const Wide a[3], Wide out[3]) {
    out[0] = wide_nma(w[2], a[1], w[1] * a[2]);
    out[1] = wide_nma(w[0], a[2], w[2] * a[0]);
    out[2] = wide_nma(w[1], a[0], w[0] * a[1]);
}

/* out = [w] a */
WIDE_INLINE void phase_cross(const Wide w[3], const Wide a[9], Wide out[9]) {
    for (int k = 0; k < 9; k += 3) {
        phase_cross_one(w, a + k, out + k);
    }
}

/* sum += a x b */
WIDE_INLINE void phase_cross_add(const Wide a[3], const Wide b[3], Wide sum[3]) {
    for (int i = 0; i < 3; i++) {
        int m = (i + 1) % 3, n = (i + 2) % 3;
        sum[i] = wide_nma(a[n], b[m], wide_fma(a[m], b[n], sum[i]));
    }
}

/* The w with [w] A nearest to v, times the step: sum of a_k x (w x a_k) = sum of a_k x v_k. Where A is strained, up to
 * squares of that. */
WIDE_INLINE void phase_axial(const Wide a[9], const Wide v[9], double step, WideMask rigid, Wide out[3]) {
    Wide sum[3] = {wide_all(0), wide_all(0), wide_all(0)}, left[3] = {wide_all(0), wide_all(0), wide_all(0)};
    Wide turned[3], first[3];
    for (int k = 0; k < 9; k += 3) {
        phase_cross_add(a + k, v + k, sum);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = wide_all(0.5 * step) * sum[i];
    }
    if (!wide_any(~rigid)) {
        return;
    }
    Wide per = wide_all(1.5) / (wide_dot(a, a) + wide_dot(a + 3, a + 3) + wide_dot(a + 6, a + 6));
    for (int i = 0; i < 3; i++) {
        first[i] = per * sum[i];
    }
    for (int k = 0; k < 9; k += 3) {
        phase_cross_one(first, a + k, turned);
        phase_cross_add(a + k, turned, left);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = wide_select(rigid, out[i], wide_all(step) * wide_fma(per, sum[i] - left[i], first[i]));
    }
}

/* Lanes that are strained little: turning on is a motion of bodies that keep their shape. */
WIDE_INLINE WideMask phase_whole(const Wide q[9]) {
    Wide off = wide_all(-3);
    for (int k = 0; k < 9; k++) {
        off = wide_fma(q[k], q[k], off);
    }
    return wide_less(wide_magnitude(off), wide_all(3 * AFXI_PHASE_STRAIN));
}

/* A body that turns: o, what it makes of A, and its sines. */
typedef struct PhaseTurn {
    Wide o[3], u[9], w[9];
    Wide square, per_square, angle, per_angle;
    PhaseNumber back;  /* e^(-i theta) */
    Wide sine, cosine; /* sin(theta)/theta, (1 - cos(theta))/theta² */
    WideMask turns;    /* lanes that are fitted */
} PhaseTurn;

WIDE_INLINE void phase_turn(const Wide a[9], const Wide v[9], double step, WideMask rigid, PhaseTurn *out) {
    phase_axial(a, v, step, rigid, out->o);
    out->square = wide_dot(out->o, out->o);
}

/* The rest, where it is needed. */
WIDE_INLINE void phase_turn_on(const Wide a[9], PhaseTurn *out) {
    phase_cross(out->o, a, out->u);
    phase_cross(out->o, out->u, out->w);
    out->angle = wide_sqrt(out->square);
    out->per_angle = wide_all(1) / out->angle;
    out->per_square = out->per_angle * out->per_angle;
    phase_sines(out->square, &out->sine, &out->cosine);
    out->back = (PhaseNumber){wide_nma(out->cosine, out->square, wide_all(1)), -(out->sine * out->angle)};
}

/* out = scale times number times A in the plane of turning */
WIDE_INLINE void phase_put(const PhaseTurn *turn, PhaseNumber number, Wide scale, Wide out[9]) {
    Wide along_u = scale * (number.y * turn->per_angle), along_w = -(scale * (number.x * turn->per_square));
    for (int k = 0; k < 9; k++) {
        out[k] = wide_fma(along_w, turn->w[k], along_u * turn->u[k]);
    }
}

/* g: h times what velocities by differences have more than true ones. */
WIDE_INLINE PhaseNumber phase_gap(const PhaseTurn *turn) {
    PhaseNumber g = {wide_all(1.5), -turn->angle};
    phase_add(-2, turn->back, &g);
    phase_add(0.5, phase_times(turn->back, turn->back), &g);
    return g;
}

/* What qv misses of even turning: h_v/h of g at the end of the step; at a start e^(i theta) (1 - i theta h_v/h) - p_v.
 */
WIDE_INLINE PhaseNumber phase_velocity_miss(const AfxiPhaseStage *stage, const PhaseTurn *turn, PhaseNumber g) {
    const double *weight = stage->weights->qv, k = stage->weights->scale.h_rate / stage->step;
    PhaseNumber ahead = {turn->back.x, -turn->back.y};
    if (stage->phase != AFXI_PHASE_START) {
        return phase_times(ahead, (PhaseNumber){wide_all(k) * g.x, wide_all(k) * g.y});
    }
    PhaseNumber miss = phase_times(ahead, (PhaseNumber){wide_all(1), wide_all(-k) * turn->angle});
    miss.x = wide_fma(wide_all(weight[2] / (stage->step * stage->step)), turn->square, miss.x - wide_all(weight[0]));
    miss.y = wide_nma(wide_all(weight[1] / stage->step), turn->angle, miss.y);
    return miss;
}

/* z e^(-i theta): what the stage makes of even turning, seen from where that ends. */
WIDE_INLINE PhaseNumber phase_seen(const AfxiPhaseStage *stage, const PhaseTurn *turn, PhaseNumber g) {
    const double *weight = stage->weights->qhat, h = stage->step;
    PhaseNumber z = {wide_all(weight[0]), wide_all(0)}, rate = {g.x, g.y + turn->angle};
    if (stage->phase == AFXI_PHASE_START) {
        z.y = wide_all(weight[1] / h) * turn->angle;
        z.x = wide_nma(wide_all((weight[2] + weight[3]) / (h * h)), turn->square, z.x);
        return phase_times(z, turn->back);
    }
    PhaseNumber before = {wide_all(weight[2]), wide_all(0)};
    phase_add(weight[1] / h, rate, &z);
    phase_add(weight[3] / h, rate, &before);
    phase_add(1, phase_times(before, turn->back), &z);
    return phase_times(z, turn->back);
}

/* What is left of all this where the angular velocity changes by chi of itself in a step: 1 / (1 +
 * AFXI_PHASE_UNSTEADY chi²). */
WIDE_INLINE Wide phase_steady(const AfxiPhaseStage *stage, const PhaseTurn *now, const PhasePast *past,
                              WideMask rigid) {
    const double h = stage->step;
    Wide change[3], other[3];
    if (stage->phase == AFXI_PHASE_START) {
        phase_axial(past->q, past->x2, h * h, rigid, change);
    } else {
        phase_axial(past->x2, past->x3, h, rigid, other);
        for (int i = 0; i < 3; i++) {
            change[i] = now->o[i] - other[i];
        }
    }
    return now->square / wide_fma(wide_all(AFXI_PHASE_UNSTEADY), wide_dot(change, change), now->square);
}

/* What turns a by the angle of y, back: by `share` of its sine; in lanes that are not to be turned, nothing. */
WIDE_INLINE void phase_turn_back(const PhaseTurn *turn, PhaseNumber y, Wide share, Wide length, WideMask turns,
                                 const Wide a[9], Wide out[9]) {
    Wide sine = -(share * y.y) / length, once[9], twice[9], none = wide_all(0);
    Wide cosine = wide_sqrt(wide_nma(sine, sine, wide_all(1)));
    Wide along = wide_select(turns, sine * turn->per_angle, none);
    Wide across = wide_select(turns, (wide_all(1) - cosine) * turn->per_square, none);
    phase_cross(turn->o, a, once);
    phase_cross(turn->o, once, twice);
    for (int k = 0; k < 9; k++) {
        out[k] = wide_fma(across, twice[k], along * once[k]);
    }
}

/* Of rigid bodies no more is left of qhat than solves are sure to bear: shorter, in the same directions. */
WIDE_INLINE bool phase_ease(Wide length, WideMask where, const Wide known[9], const Wide added[9], Wide out[9]) {
    WideMask long_ones = where & wide_less(wide_all(AFXI_PHASE_PULL), length);
    if (!wide_any(long_ones)) {
        return false;
    }
    Wide off = wide_select(long_ones, wide_all(1) - wide_all(AFXI_PHASE_PULL) / length, wide_all(0));
    for (int k = 0; k < 9; k++) {
        out[k] = off * (known[k] + added[k]);
    }
    return true;
}

/* What the tangent misses of even turning, and what the parabola adds to it of that. */
WIDE_INLINE void phase_expected(const AfxiPhaseStage *stage, const PhaseTurn *turn, PhaseRows *out) {
    Wide half = wide_all(stage->phase == AFXI_PHASE_TWO_STEP ? -0.5 : 0), line_u = turn->sine - wide_all(1);
    Wide bend_w = half * turn->sine, bend_u = half * (turn->cosine * turn->square);
    for (int k = 0; k < 9; k++) {
        out->line[k] = wide_fma(turn->cosine, turn->w[k], line_u * turn->u[k]);
        out->bend[k] = wide_fma(bend_w, turn->w[k], bend_u * turn->u[k]);
    }
}

/* qhat of A before it is turned: what the stage weighs, and gaps. */
WIDE_INLINE void phase_known(const AfxiPhaseStage *stage, const PhasePast *past, Wide out[9]) {
    const double *weight = stage->weights->qhat;
    for (int k = 0; k < 9; k++) {
        out[k] = wide_fma(wide_all(weight[1]), past->v[k], wide_all(weight[0]) * past->q[k]);
        out[k] = wide_fma(wide_all(weight[3]), past->x3[k], wide_fma(wide_all(weight[2]), past->x2[k], out[k]));
        if (stage->phase == AFXI_PHASE_TWO_STEP) {
            out[k] = wide_fma(wide_all(weight[3]), past->last[k], wide_fma(wide_all(weight[1]), past->gap[k], out[k]));
        }
    }
}

/* What v misses of even turning; and at a start what its gaps would be, had the body always turned so. */
WIDE_INLINE void phase_rates(const AfxiPhaseStage *stage, const PhaseTurn *now, PhaseNumber g, Wide share,
                             PhaseRows *out) {
    PhaseNumber ahead = {now->back.x, -now->back.y};
    phase_put(now, phase_velocity_miss(stage, now, g), share, out->qv);
    out->starts = stage->phase == AFXI_PHASE_START;
    if (out->starts) {
        Wide per = share * wide_all(1 / stage->step);
        phase_put(now, phase_times(ahead, g), per, out->next);
        phase_put(now, g, per, out->last);
    }
}

/* How bodies turn that are at q with v; false: nothing is added to A of any lane, but for gaps that are known. */
WIDE_INLINE bool phase_begin(const AfxiPhaseStage *stage, const Wide q[9], const Wide v[9], WideMask rigid,
                             PhaseTurn *out) {
    phase_turn(q, v, stage->step, rigid, out);
    Wide most = wide_select(rigid, wide_all(AFXI_PHASE_MOST * AFXI_PHASE_MOST),
                            wide_all(AFXI_PHASE_MOST_ELASTIC * AFXI_PHASE_MOST_ELASTIC));
    Wide least = wide_all(AFXI_PHASE_FEW * AFXI_PHASE_FEW);
    out->turns = wide_less(least, out->square) & wide_less(out->square, most) & phase_whole(q);
    out->square = wide_select(out->turns, out->square, wide_all(AFXI_PHASE_LEAST * AFXI_PHASE_LEAST));
    for (int i = 0; i < 3; i++) { /* other lanes come to nothing */
        out->o[i] = wide_select(out->turns, out->o[i], wide_all(0));
    }
    return wide_any(out->turns);
}

/* What is added to A then. */
WIDE_INLINE void phase_fill(const AfxiPhaseStage *stage, const PhasePast *past, WideMask rigid, PhaseTurn *now,
                            PhaseRows *out) {
    Wide known[9], none = wide_all(0);
    phase_turn_on(past->q, now);
    PhaseNumber g = phase_gap(now), y = phase_seen(stage, now, g);
    Wide length = wide_sqrt(wide_fma(y.x, y.x, y.y * y.y)), share = phase_steady(stage, now, past, rigid);
    WideMask near = now->turns & wide_less(none, y.x);
    phase_known(stage, past, known);
    phase_turn_back(now, y, share, length, near, known, out->qhat);
    out->eased = phase_ease(length, near & rigid, known, out->qhat, out->ease);
    phase_rates(stage, now, g, wide_select(now->turns, share, none), out);
    out->expects = stage->expects;
    if (out->expects) {
        phase_expected(stage, now, out);
    }
}

#endif

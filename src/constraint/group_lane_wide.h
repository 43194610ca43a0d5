/* SPDX-License-Identifier: Apache-2.0 */
/* The two bodies of a joint, and a row that they are in, one joint per lane, for *_wide.c files. */
#ifndef AFXI_CONSTRAINT_GROUP_LANE_WIDE_H
#define AFXI_CONSTRAINT_GROUP_LANE_WIDE_H

#include "constraint/rows.h"
#include "math/angle_wide.h"

typedef struct Pair {
    const Wide *fixed; /* numbers of joint frames: points of follower and base, then axes as columns */
    Wide r[2][12];     /* frames, nine numbers */
    Wide a[2][12];     /* A, t */
} Pair;

WIDE_INLINE const Wide *point_of(const Pair *pair, int side) {
    return pair->fixed + 3 * side;
}

WIDE_INLINE const Wide *axis_of(const Pair *pair, int side, int axis) {
    return pair->fixed + 6 + 9 * side + 3 * axis;
}

WIDE_INLINE void find_fixed(const double *frames, uint32_t sub, Pair *pair) {
    pair->fixed = (const Wide *)(frames + (size_t)AFXI_FRAME_NUMBERS * sub);
}

/* `quads` fours of numbers of each body of a side, from an array by body with `stride` numbers each, or twelve of what
 * is not solved for. */
WIDE_INLINE void load_side(const AfxiRows *rows, const AfxiRowGroup *group, int side, uint32_t sub, const double *base,
                           size_t stride, const double *ground, int quads, Wide *out) {
    const uint32_t *place = group->place[side] + sub, bodies = rows->graph->body_count;
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + stride * place[l];
    }
    for (int l = 0; group->grounded && l < AFXI_LANES; l++) {
        row[l] = place[l] < bodies ? row[l] : ground + 12 * (size_t)(place[l] - bodies);
    }
    wide_gather(row, quads, out);
}

WIDE_INLINE void wide_scaled(Wide s, const Wide a[3], Wide out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = s * a[k];
    }
}

/* a x + t */
WIDE_INLINE void place_of(const Wide a[12], const Wide x[3], Wide out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = wide_fma(a[6 + i], x[2], wide_fma(a[3 + i], x[1], wide_fma(a[i], x[0], a[9 + i])));
    }
}

/* Points of the two bodies, `tip` further along the first axis, and their difference. */
WIDE_INLINE void gap_of(const Pair *pair, bool tip, Wide point[2][3], Wide out[3]) {
    Wide at[2][3];
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++) {
            point[side][k] = point_of(pair, side)[k] + (tip ? axis_of(pair, side, 0)[k] : wide_all(0));
        }
        place_of(pair->a[side], point[side], at[side]);
    }
    for (int k = 0; k < 3; k++) {
        out[k] = at[0][k] - at[1][k];
    }
}

/* What a row depends on in each body: the sum of n . (A y) over its terms, n frozen, and t . (its origin). */
#define TERMS_MOST 4
typedef struct Row {
    Wide value;
    Wide n[2][TERMS_MOST][3], y[2][TERMS_MOST][3], t[2][3];
    int terms[2];
    bool moves; /* t is not 0 */
} Row;

WIDE_INLINE void row_begin(Row *row) {
    row->terms[0] = row->terms[1] = 0;
    row->moves = false;
    row->value = wide_all(0);
}

WIDE_INLINE void row_add(Row *row, int side, Wide scale, const Wide n[3], const Wide y[3]) {
    int k = row->terms[side]++;
    wide_scaled(scale, n, row->n[side][k]);
    wide_copy(y, 3, row->y[side][k]);
}

/* scale times the difference of two points along n. */
WIDE_INLINE void row_add_points(Row *row, Wide scale, const Wide n[3], Wide point[2][3]) {
    for (int side = 0; side < 2; side++) {
        Wide signed_scale = side ? -scale : scale;
        row_add(row, side, signed_scale, n, point[side]);
        wide_scaled(signed_scale, n, row->t[side]);
    }
    row->moves = true;
}

/* sign (A_a u_i) . (A_b v_j) */
WIDE_INLINE void row_direction(const Pair *pair, AfxiRowSpec spec, Row *row) {
    Wide u[3], v[3], sign = wide_all(spec.sign);
    wide_apply(pair->a[0], axis_of(pair, 0, spec.i), u);
    wide_apply(pair->a[1], axis_of(pair, 1, spec.j), v);
    row->value = sign * wide_dot(u, v);
    row_add(row, 0, sign, v, axis_of(pair, 0, spec.i));
    row_add(row, 1, sign, u, axis_of(pair, 1, spec.j));
}

/* scale (A_b v_j) . d, with the points of both and the gap d. */
WIDE_INLINE void row_offset_of(const Pair *pair, int axis, Wide scale, Wide point[2][3], const Wide gap[3], Row *row) {
    Wide n[3];
    wide_apply(pair->a[1], axis_of(pair, 1, axis), n);
    row->value = wide_fma(scale, wide_dot(n, gap), row->value);
    row_add_points(row, scale, n, point);
    row_add(row, 1, scale, gap, axis_of(pair, 1, axis));
}

WIDE_INLINE void row_offset(const Pair *pair, int axis, Wide scale, Row *row) {
    Wide point[2][3], gap[3];
    gap_of(pair, false, point, gap);
    row_offset_of(pair, axis, scale, point, gap, row);
}

WIDE_INLINE void row_distance(const Pair *pair, Wide length, Row *row) {
    Wide point[2][3], gap[3], per_length = wide_all(1) / length;
    gap_of(pair, false, point, gap);
    row->value = wide_nma(length, length, wide_dot(gap, gap)) * wide_all(0.5) * per_length;
    row_add_points(row, per_length, gap, point);
}

/* Sine and cosine that a coordinate is read from. */
typedef struct Angle {
    Wide up[3], ur[3], vq[3], vs[3], sine, cosine;
} Angle;

WIDE_INLINE void angle_of(const Pair *pair, AfxiAxisSpec spec, const bool tilt, Angle *out) {
    wide_apply(pair->a[0], axis_of(pair, 0, spec.p), out->up);
    wide_apply(pair->a[1], axis_of(pair, 1, spec.q), out->vq);
    out->sine = wide_all(spec.sign) * wide_dot(out->up, out->vq);
    if (tilt) {
        Wide square = wide_nma(out->sine, out->sine, wide_all(1)), none = wide_all(0);
        out->cosine = wide_sqrt(wide_select(wide_less(square, none), none, square));
        return;
    }
    wide_copy(out->up, 3, out->ur);
    if (spec.r != spec.p) {
        wide_apply(pair->a[0], axis_of(pair, 0, spec.r), out->ur);
    }
    wide_apply(pair->a[1], axis_of(pair, 1, spec.s), out->vs);
    out->cosine = wide_dot(out->ur, out->vs);
}

WIDE_INLINE Wide angle_value(const Angle *angle, const bool tilt, Wide last) {
    Wide value = wide_atan2(angle->sine, angle->cosine);
    return tilt ? value : wide_angle_near(value, last);
}

/* A coordinate without its gradient. */
WIDE_INLINE Wide coordinate_value(const Pair *pair, AfxiAxisSpec spec, Wide last) {
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        Wide n[3], point[2][3], gap[3];
        wide_apply(pair->a[1], axis_of(pair, 1, spec.axis), n);
        gap_of(pair, false, point, gap);
        return wide_dot(n, gap);
    }
    Angle angle;
    angle_of(pair, spec, spec.type == AFXI_AXIS_TILT, &angle);
    return angle_value(&angle, spec.type == AFXI_AXIS_TILT, last);
}

/* What a coordinate is made of: AfxiAxisType, and turns whose sine and cosine are read from one axis of the follower.
 */
typedef enum Coordinate { SLIDE, TURN, SKEW_TURN, TILT, SCREW } Coordinate;

/* scale times a coordinate. */
WIDE_INLINE void row_coordinate(const Pair *pair, AfxiAxisSpec spec, const Coordinate sort, Wide scale, Wide last,
                                Row *row) {
    if (sort == SLIDE) {
        row_offset(pair, spec.axis, scale, row);
        return;
    }
    Angle angle;
    Wide sign = wide_all(spec.sign), per, n[3];
    angle_of(pair, spec, sort == TILT, &angle);
    row->value = wide_fma(scale, angle_value(&angle, sort == TILT, last), row->value);
    if (sort == TILT) {
        Wide least = wide_all(1e-12);
        per = scale * sign / wide_select(wide_less(angle.cosine, least), least, angle.cosine);
        row_add(row, 0, per, angle.vq, axis_of(pair, 0, spec.p));
        row_add(row, 1, per, angle.up, axis_of(pair, 1, spec.q));
        return;
    }
    Wide square = wide_fma(angle.sine, angle.sine, angle.cosine * angle.cosine), least = wide_all(1e-300);
    per = wide_select(wide_less(least, square), scale / square, wide_all(0));
    Wide down = -per * angle.sine, up = per * sign * angle.cosine;
    row_add(row, 1, down, angle.ur, axis_of(pair, 1, spec.s));
    row_add(row, 1, up, angle.up, axis_of(pair, 1, spec.q));
    if (sort == TURN) { /* one term */
        for (int k = 0; k < 3; k++) {
            n[k] = wide_fma(down, angle.vs[k], up * angle.vq[k]);
        }
        row_add(row, 0, wide_all(1), n, axis_of(pair, 0, spec.p));
    } else {
        row_add(row, 0, down, angle.vs, axis_of(pair, 0, spec.r));
        row_add(row, 0, up, angle.vq, axis_of(pair, 0, spec.p));
    }
}

/* Where the turns of a coordinate are counted from. */
WIDE_INLINE Wide last_angle(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, uint32_t axis) {
    WideView last;
    for (int l = 0; l < AFXI_LANES; l++) {
        last.lane[l] = rows->world->state.angle[rows->world->model->joints[group->joint[sub + l]].angle + axis];
    }
    return last.wide;
}

WIDE_INLINE Wide pitch_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    WideView pitch;
    for (int l = 0; l < AFXI_LANES; l++) {
        pitch.lane[l] = *afxi_world_param(rows->world, AFX_PARAM_JOINT_PITCH, group->joint[sub + l]);
    }
    return pitch.wide;
}

WIDE_INLINE Wide length_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    WideView length;
    for (int l = 0; l < AFXI_LANES; l++) {
        length.lane[l] = *afxi_world_param(rows->world, AFX_PARAM_JOINT_LENGTH, group->joint[sub + l]);
    }
    return length.wide;
}

/* Four of each number side by side, whatever the number of lanes. */
WIDE_INLINE void keep(double *to, int number, Wide in) {
    wide_store(to + AFXI_GROUP_LANES * number, in);
}

WIDE_INLINE Wide kept(const double *from, int number) {
    return wide_load(from + AFXI_GROUP_LANES * number);
}

WIDE_INLINE bool begins_with_point(const AfxiJointKind *kind) {
    return kind->row_count >= 3 && kind->rows[0].type == AFXI_ROW_POINT;
}

#endif

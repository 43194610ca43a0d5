/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of joints where a solve linearises them, one joint per lane. Rows of points and alignments are linear, and are
 * taken at the frames; all others where the bodies are (`at`), less what their strain does to the row to first order.
 */
#include "constraint/group_lane_wide.h"

#if AFXI_WIDE_PAYS

#include "constraint/group_law_wide.h"

/* Where the gradients of rows go, and the numbers that are kept of them. */
typedef struct Output {
    double *gradient[2][AFXI_LANES];
    double *kept;
    double unused[12 * AFXI_JOINT_ROWS_MOST]; /* of what is not solved for */
} Output;

WIDE_INLINE void begin_output(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Output *out) {
    out->kept = rows->groups.kept + group->kept + sub;
    for (int side = 0; side < 2; side++) {
        for (int l = 0; l < AFXI_LANES; l++) {
            bool solved = group->entry[side][sub + l] != UINT32_MAX;
            out->gradient[side][l] = solved ? rows->jacobian + group->gradient[side][sub + l] : out->unused;
        }
    }
}

/* The gradient of row r of a side. */
WIDE_INLINE void put_gradient(const Output *out, int side, uint32_t r, const Wide g[12]) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = out->gradient[side][l] + 12 * r;
    }
    wide_scatter(row, 3, g);
}

/* g = f y^T */
WIDE_INLINE void outer(const Wide f[3], const Wide y[3], Wide g[9]) {
    for (int k = 0; k < 3; k++) {
        wide_scaled(y[k], f, g + 3 * k);
    }
}

/* sym G - tr G I as xx, yy, zz, xy, xz, yz */
WIDE_INLINE void keep_stiffness(double *to, const Wide g[9]) {
    keep(to, 0, -(g[4] + g[8]));
    keep(to, 1, -(g[0] + g[8]));
    keep(to, 2, -(g[0] + g[4]));
    keep(to, 3, wide_all(0.5) * (g[1] + g[3]));
    keep(to, 4, wide_all(0.5) * (g[2] + g[6]));
    keep(to, 5, wide_all(0.5) * (g[5] + g[7]));
}

/* ---- points and alignments ---- */

WIDE_INLINE void point_rows(const Pair *pair, const bool stored, Output *out, Wide value[3]) {
    Wide at[2][3];
#pragma GCC unroll 2
    for (int side = 0; side < 2; side++) {
        const Wide *r = pair->r[side], *point = point_of(pair, side);
        Wide x[3];
        wide_apply(r, point, at[side]);
        for (int k = 0; k < 3; k++) {
            at[side][k] = at[side][k] + pair->a[side][9 + k];
            x[k] = side ? -point[k] : point[k];
        }
#pragma GCC unroll 3
        for (int i = 0; stored && i < 3; i++) {
            Wide f[3] = {r[i], r[3 + i], r[6 + i]}, g[12];
            outer(f, x, g);
            for (int k = 0; k < 3; k++) {
                g[9 + k] = wide_all(k != i ? 0 : side ? -1 : 1);
            }
            put_gradient(out, side, i, g);
        }
        for (int k = 0; k < 9; k++) {
            keep(out->kept, 9 * side + k, r[k]);
        }
        keep(out->kept, 18 + side, wide_sqrt(wide_dot(x, x)));
    }
    for (int k = 0; k < 3; k++) {
        value[k] = at[0][k] - at[1][k];
    }
    out->kept += AFXI_GROUP_LANES * AFXI_KEPT_POINT;
}

/* What the alignments of one axis share. */
typedef struct Aligned {
    Wide along[3];      /* the base's axis as it is, strain included, in its frame */
    Wide per_square;    /* of its length */
    Wide difference[3]; /* of the two axes at the frames, world */
    int axis;           /* -1: of none */
} Aligned;

WIDE_INLINE void align_axis(const Pair *pair, int axis, Aligned *out) {
    Wide world[3], u[3], v[3];
    if (out->axis == axis) {
        return;
    }
    out->axis = axis;
    wide_apply(pair->a[1], axis_of(pair, 1, axis), world);
    wide_apply_transposed(pair->r[1], world, out->along);
    out->per_square = wide_all(1) / wide_dot(out->along, out->along);
    wide_apply(pair->r[0], axis_of(pair, 0, axis), u);
    wide_apply(pair->r[1], axis_of(pair, 1, axis), v);
    for (int k = 0; k < 3; k++) {
        out->difference[k] = u[k] - v[k];
    }
}

/* Its direction is frozen: the base's axis j, made square to the axis that is aligned. */
WIDE_INLINE Wide align_row(const Pair *pair, AfxiRowSpec spec, uint32_t r, Aligned *aligned, Output *out) {
    Wide e[3], n[3], f[3], g[12], back[3];
    align_axis(pair, spec.i, aligned);
    const Wide *other = axis_of(pair, 1, spec.j);
    Wide part = wide_dot(other, aligned->along) * aligned->per_square, sign = wide_all(spec.sign);
    for (int k = 0; k < 3; k++) {
        e[k] = sign * wide_nma(part, aligned->along[k], other[k]);
        back[k] = -e[k];
        g[9 + k] = wide_all(0);
    }
    wide_apply(pair->r[1], e, n);
    wide_apply_transposed(pair->r[0], n, f);
    outer(f, axis_of(pair, 0, spec.i), g);
    put_gradient(out, 0, r, g);
    keep_stiffness(out->kept, g);
    outer(back, axis_of(pair, 1, spec.i), g);
    put_gradient(out, 1, r, g);
    keep_stiffness(out->kept + 6 * AFXI_GROUP_LANES, g);
    for (int k = 0; k < 3; k++) {
        keep(out->kept, AFXI_KEPT_ROW + k, n[k]);
    }
    keep(out->kept, 12, wide_all(2));
    keep(out->kept, 13, wide_all(2));
    out->kept += AFXI_GROUP_LANES * AFXI_KEPT_ALIGN;
    return wide_dot(n, aligned->difference);
}

/* ---- any row ---- */

/* The gradients of a row; its value at the frames, to first order, comes back. `arm`: NULL, by the gradients. */
WIDE_INLINE Wide put_row(const Pair *pair, const bool strained, const Row *row, uint32_t r, const Wide arm[2],
                         Output *out) {
    Wide value = row->value;
#pragma GCC unroll 2
    for (int side = 0; side < 2; side++) {
        Wide g[12], square = wide_all(0);
        for (int k = 0; k < 12; k++) {
            g[k] = k >= 9 && row->moves ? row->t[side][k - 9] : wide_all(0);
        }
#pragma GCC unroll 4
        for (int term = 0; term < row->terms[side]; term++) {
            const Wide *n = row->n[side][term], *y = row->y[side][term];
            Wide f[3], strain[9], moved[3];
            wide_apply_transposed(pair->r[side], n, f);
            for (int k = 0; k < 9; k++) {
                g[k] = wide_fma(y[k / 3], f[k % 3], g[k]);
            }
            if (!strained) {
                continue;
            }
            for (int k = 0; k < 9; k++) {
                strain[k] = pair->a[side][k] - pair->r[side][k];
            }
            wide_apply(strain, y, moved);
            value = value - wide_dot(n, moved);
        }
        put_gradient(out, side, r, g);
        keep_stiffness(out->kept + 6 * side * AFXI_GROUP_LANES, g);
        for (int k = 0; k < 9; k++) {
            square = wide_fma(g[k], g[k], square);
        }
        keep(out->kept, 12 + side, arm ? arm[side] : wide_all(2) * wide_sqrt(square));
    }
    out->kept += AFXI_GROUP_LANES * AFXI_KEPT_ROW;
    return value;
}

WIDE_INLINE Wide length_wide(const Wide a[3]) {
    return wide_sqrt(wide_dot(a, a));
}

/* Lever arms that bound a row's second order (joint/row.c). */
WIDE_INLINE void arms_of(const Pair *pair, AfxiRowSpec spec, Wide arm[2]) {
    Wide point[2][3], gap[3];
    gap_of(pair, spec.type == AFXI_ROW_TIP, point, gap);
    Wide a = length_wide(point[0]), b = length_wide(point[1]), apart = length_wide(gap);
    arm[0] = arm[1] = wide_all(2);
    switch ((AfxiRowType)spec.type) {
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
        arm[0] = a;
        arm[1] = b;
        break;
    case AFXI_ROW_DISTANCE: {
        Wide per = wide_select(wide_less(wide_all(0), apart), wide_all(2) / apart, wide_all(0));
        arm[0] = wide_fma(a * a, per, a);
        arm[1] = wide_fma(b * b, per, b);
        break;
    }
    case AFXI_ROW_ALIGN:
    case AFXI_ROW_DIRECTION:
    case AFXI_ROW_OFFSET:
        break;
    }
}

/* Offsets that follow one another, from row r on: they share points and lever arms. Where they end comes back. */
WIDE_INLINE uint32_t offset_rows(const AfxiRows *rows, const AfxiJointKind *kind, const Pair *pair, uint32_t r,
                                 Output *out, Wide *value) {
    Wide point[2][3], gap[3], arm[2];
    gap_of(pair, false, point, gap);
    Wide a = length_wide(point[0]), b = length_wide(point[1]), apart = length_wide(gap);
    arm[0] = wide_all(2) * a;
    arm[1] = apart + b + a;
    for (; r < kind->row_count && kind->rows[r].type == AFXI_ROW_OFFSET; r++) {
        Row row;
        row_begin(&row);
        row_offset_of(pair, kind->rows[r].j, wide_all(1), point, gap, &row);
        value[r] = put_row(pair, rows->strained, &row, r, arm, out);
    }
    return r;
}

static Wide other_row(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const Pair *pair, AfxiRowSpec spec,
                      uint32_t r, Output *out) {
    Row row;
    Wide arm[2];
    row_begin(&row);
    if (spec.type == AFXI_ROW_DIRECTION) {
        row_direction(pair, spec, &row);
    } else if (spec.type == AFXI_ROW_DISTANCE) {
        row_distance(pair, length_of(rows, group, sub), &row);
    } else { /* a point, or one along an axis */
        Wide point[2][3], gap[3], n[3];
        gap_of(pair, spec.type == AFXI_ROW_TIP, point, gap);
        for (int k = 0; k < 3; k++) {
            n[k] = wide_all(k == spec.i);
        }
        row.value = gap[spec.i];
        row_add_points(&row, wide_all(1), n, point);
    }
    arms_of(pair, spec, arm);
    return put_row(pair, rows->strained, &row, r, arm, out);
}

/* ---- groups ---- */

WIDE_INLINE void load_frames(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, Pair *pair) {
    const AfxiRowGroups *groups = &rows->groups;
    find_fixed(group->frames, sub, pair);
    for (int side = 0; side < 2; side++) {
        load_side(rows, group, side, sub, rows->frame[0].m, 9, groups->ground_q, 3, pair->r[side]);
        if (rows->strained) {
            load_side(rows, group, side, sub, rows->at, 12, groups->ground_q, 3, pair->a[side]);
        } else {
            wide_copy(pair->r[side], 9, pair->a[side]);
            Wide origin[4];
            load_side(rows, group, side, sub, &rows->origin[0].x, 3, groups->ground_q + 9, 1, origin);
            wide_copy(origin, 3, pair->a[side] + 9);
        }
    }
}

/* Rows that hold exactly, or not at all where a joint is switched off. */
WIDE_INLINE void put_values(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const Wide *value) {
    uint32_t count = group->kind->row_count, r = 0;
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = rows->value + group->row[sub + l];
    }
    if (count >= 4) {
        wide_scatter(row, 1, value);
        r = 4;
    }
    for (; r < count; r++) {
        WideView view = {.wide = value[r]};
        for (int l = 0; l < AFXI_LANES; l++) {
            row[l][r] = view.lane[l];
        }
    }
    for (int l = 0; !rows->placed && l < AFXI_LANES; l++) {
        double *compliance = rows->compliance + group->row[sub + l], *fixed = rows->fixed + group->row[sub + l];
        uint8_t *active = rows->active + group->row[sub + l];
        uint8_t on = rows->world->state.joint_active[group->joint[sub + l]];
        for (r = 0; r < count; r++) {
            compliance[r] = fixed[r] = 0;
            active[r] = on;
        }
    }
}

/* Rows of the kind itself. */
static void own_rows(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    const AfxiJointKind *kind = group->kind;
    Pair pair;
    Output out;
    Aligned aligned = {.axis = -1};
    Wide value[AFXI_JOINT_ROWS_MOST];
    uint32_t r = 0;
    load_frames(rows, group, sub, &pair);
    begin_output(rows, group, sub, &out);
    if (begins_with_point(kind) && rows->points_out) {
        point_rows(&pair, false, &out, value);
        r = 3;
    } else if (begins_with_point(kind)) {
        point_rows(&pair, true, &out, value);
        r = 3;
    }
    while (r < kind->row_count) {
        const AfxiRowSpec spec = kind->rows[r];
        if (spec.type == AFXI_ROW_OFFSET) {
            r = offset_rows(rows, kind, &pair, r, &out, value);
            continue;
        }
        value[r] = spec.type == AFXI_ROW_ALIGN ? align_row(&pair, spec, r, &aligned, &out)
                                               : other_row(rows, group, sub, &pair, spec, r, &out);
        r++;
    }
    put_values(rows, group, sub, value);
}

/* The rate of a row at delta = 0: what has passed of the way from the past, or the velocity of what is not solved for.
 */
WIDE_INLINE Wide rate_of(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const Pair *pair,
                         const Row *row) {
    Wide sum = wide_all(0);
#pragma GCC unroll 2
    for (int side = 0; side < 2; side++) {
        Wide past[12];
        WideView factor, whole;
        for (int l = 0; l < AFXI_LANES; l++) {
            bool solved = group->entry[side][sub + l] != UINT32_MAX;
            factor.lane[l] = solved ? -1 / rows->h_rate : 1;
            whole.lane[l] = solved;
        }
        load_side(rows, group, side, sub, rows->qv, 12, rows->groups.ground_v, 3, past);
        for (int k = 0; k < 12; k++) { /* of the frame and the origin */
            past[k] = factor.wide * wide_nma(whole.wide, k < 9 ? pair->r[side][k] : pair->a[side][k], past[k]);
        }
#pragma GCC unroll 4
        for (int term = 0; term < row->terms[side]; term++) {
            Wide moved[3];
            wide_apply(past, row->y[side][term], moved);
            sum = sum + wide_dot(row->n[side][term], moved);
        }
        if (row->moves) {
            sum = sum + wide_dot(row->t[side], past + 9);
        }
    }
    return sum;
}

/* One coordinate, or that of a screw. */
WIDE_INLINE void axis_row(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub, const Coordinate sort) {
    const AfxiJointKind *kind = group->kind;
    Pair pair;
    Output out;
    Row row;
    load_frames(rows, group, sub, &pair);
    begin_output(rows, group, sub, &out);
    row_begin(&row);
    if (sort == SCREW) {
        row_coordinate(&pair, kind->axes[0], SLIDE, wide_all(1), wide_all(0), &row);
        row_coordinate(&pair, kind->axes[1], TURN, -pitch_of(rows, group, sub), last_angle(rows, group, sub, 1), &row);
    } else {
        row_coordinate(&pair, kind->axes[group->rows], sort, wide_all(1), last_angle(rows, group, sub, group->rows),
                       &row);
    }
    Wide rate = rate_of(rows, group, sub, &pair, &row), value = put_row(&pair, rows->strained, &row, 0, NULL, &out);
    put_lanes(rows->measured, group, sub, value);
    put_lanes(rows->rate, group, sub, rate);
    put_law(rows, group, sub, row.value, value, rate);
}

/* The numbers of terms of the most frequent ones are known when this is compiled. */
static void axis_group(const AfxiRows *rows, const AfxiRowGroup *group, uint32_t sub) {
    AfxiAxisSpec spec = group->kind->axes[group->rows == AFXI_GROUP_SCREW ? 0 : group->rows];
    if (group->rows == AFXI_GROUP_SCREW) {
        axis_row(rows, group, sub, SCREW);
    } else if (spec.type == AFXI_AXIS_TRANSLATION) {
        axis_row(rows, group, sub, SLIDE);
    } else if (spec.type == AFXI_AXIS_ROTATION && spec.p == spec.r) {
        axis_row(rows, group, sub, TURN);
    } else {
        axis_row(rows, group, sub, spec.type == AFXI_AXIS_TILT ? TILT : SKEW_TURN);
    }
}

extern AfxiGroupPass AFXI_WIDE(afxi_group_linearise);
void AFXI_WIDE(afxi_group_linearise)(const AfxiRows *rows, uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; k++) {
        const AfxiRowGroup *group = &rows->groups.group[k];
        for (uint32_t sub = 0; sub < group->lanes; sub += AFXI_LANES) {
            if (group->rows == AFXI_GROUP_OWN) {
                own_rows(rows, group, sub);
            } else {
                axis_group(rows, group, sub);
            }
        }
    }
}

#else
typedef int AfxiNoGroupFramesVariant; /* a file may not be empty */
#endif

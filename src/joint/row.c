/* SPDX-License-Identifier: Apache-2.0 */
/* Values, exact gradients and lever arms of the rows of row.h. */
#include "joint/row.h"

#include <string.h>

static AfxVec3 axis_a(const AfxiJointFrame *frame, int i) {
    return mat3_column(&frame->axes_a, i);
}

static AfxVec3 axis_b(const AfxiJointFrame *frame, int j) {
    return mat3_column(&frame->axes_b, j);
}

static AfxVec3 unit(int i) {
    return vec3(i == 0, i == 1, i == 2);
}

/* Points the row acts at: those of the frame, or one unit further along the first axis. */
static AfxVec3 point_a(AfxiRowSpec row, const AfxiJointFrame *frame) {
    return row.type == AFXI_ROW_TIP ? vec3_add(frame->point_a, axis_a(frame, 0)) : frame->point_a;
}

static AfxVec3 point_b(AfxiRowSpec row, const AfxiJointFrame *frame) {
    return row.type == AFXI_ROW_TIP ? vec3_add(frame->point_b, axis_b(frame, 0)) : frame->point_b;
}

static AfxVec3 offset(AfxiRowSpec row, const AfxiJointFrame *frame, const AfxiPairState *state) {
    AfxVec3 a = vec3_add(mat3_apply(&state->a_a, point_a(row, frame)), state->t_a);
    AfxVec3 b = vec3_add(mat3_apply(&state->a_b, point_b(row, frame)), state->t_b);
    return vec3_sub(a, b);
}

/* The frozen direction of an align row: the base's axis, less its part along the strained axis that is aligned. */
static AfxVec3 frozen_direction(AfxiRowSpec row, const AfxiJointFrame *frame, const AfxiPairState *state) {
    AfxVec3 u = axis_b(frame, row.i), e = axis_b(frame, row.j), along = u;
    along = vec3_mad(along, u.x, state->strain_b[0]);
    along = vec3_mad(along, u.y, state->strain_b[1]);
    along = vec3_mad(along, u.z, state->strain_b[2]);
    e = vec3_mad(e, -vec3_dot(e, along) / vec3_dot(along, along), along);
    return mat3_apply(&state->r_b, e);
}

double afxi_row_value(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state) {
    AfxVec3 d;
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
        return vec3_dot(unit(row.i), offset(row, frame, state));
    case AFXI_ROW_ALIGN:
        d = vec3_sub(mat3_apply(&state->a_a, axis_a(frame, row.i)), mat3_apply(&state->a_b, axis_b(frame, row.i)));
        return row.sign * vec3_dot(frozen_direction(row, frame, state), d);
    case AFXI_ROW_DIRECTION:
        return row.sign *
               vec3_dot(mat3_apply(&state->a_a, axis_a(frame, row.i)), mat3_apply(&state->a_b, axis_b(frame, row.j)));
    case AFXI_ROW_OFFSET:
        return vec3_dot(mat3_apply(&state->a_b, axis_b(frame, row.j)), offset(row, frame, state));
    case AFXI_ROW_DISTANCE:
        d = offset(row, frame, state);
        return (vec3_dot(d, d) - length * length) / (2 * length);
    }
    return 0;
}

/* g += n y^T on A, turned into the frame r. */
static void add_outer(AfxiRowGradient *out, const AfxiMat3 *r, AfxVec3 n, AfxVec3 y) {
    AfxVec3 local = mat3_apply_transposed(r, n);
    double weight[3] = {y.x, y.y, y.z};
    for (int k = 0; k < 3; k++) {
        vec3_store(out->g + 3 * k, vec3_mad(vec3_load(out->g + 3 * k), weight[k], local));
    }
}

static void add_force(AfxiRowGradient *out, AfxVec3 n) {
    vec3_store(out->g + 9, vec3_add(vec3_load(out->g + 9), n));
}

/* n . (x_a - x_b) with n fixed */
static void point_gradient(AfxiRowSpec row, const AfxiJointFrame *frame, const AfxiPairState *state, AfxVec3 n,
                           AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    AfxVec3 minus = vec3_scale(-1, n);
    add_outer(out_a, &state->r_a, n, point_a(row, frame));
    add_force(out_a, n);
    add_outer(out_b, &state->r_b, minus, point_b(row, frame));
    add_force(out_b, minus);
}

void afxi_row_gradient(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state,
                       AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    memset(out_a, 0, sizeof *out_a);
    memset(out_b, 0, sizeof *out_b);
    AfxVec3 n;
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
        point_gradient(row, frame, state, unit(row.i), out_a, out_b);
        break;
    case AFXI_ROW_ALIGN:
        n = vec3_scale(row.sign, frozen_direction(row, frame, state));
        add_outer(out_a, &state->r_a, n, axis_a(frame, row.i));
        add_outer(out_b, &state->r_b, vec3_scale(-1, n), axis_b(frame, row.i));
        break;
    case AFXI_ROW_DIRECTION:
        n = vec3_scale(row.sign, mat3_apply(&state->a_b, axis_b(frame, row.j)));
        add_outer(out_a, &state->r_a, n, axis_a(frame, row.i));
        n = vec3_scale(row.sign, mat3_apply(&state->a_a, axis_a(frame, row.i)));
        add_outer(out_b, &state->r_b, n, axis_b(frame, row.j));
        break;
    case AFXI_ROW_OFFSET:
        n = mat3_apply(&state->a_b, axis_b(frame, row.j));
        point_gradient(row, frame, state, n, out_a, out_b);
        add_outer(out_b, &state->r_b, offset(row, frame, state), axis_b(frame, row.j));
        break;
    case AFXI_ROW_DISTANCE:
        point_gradient(row, frame, state, vec3_scale(1 / length, offset(row, frame, state)), out_a, out_b);
        break;
    }
}

static AfxVec3 column_rate(const double *rate, AfxVec3 u) {
    AfxiMat3 a;
    memcpy(a.m, rate, sizeof a.m);
    return mat3_apply(&a, u);
}

double afxi_row_velocity_term(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state,
                              const double *rate_a, const double *rate_b) {
    (void)state;
    AfxVec3 velocity_a = vec3_add(column_rate(rate_a, point_a(row, frame)), vec3_load(rate_a + 9));
    AfxVec3 velocity_b = vec3_add(column_rate(rate_b, point_b(row, frame)), vec3_load(rate_b + 9));
    AfxVec3 slip = vec3_sub(velocity_a, velocity_b);
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_DIRECTION:
        return 2 * row.sign *
               vec3_dot(column_rate(rate_a, axis_a(frame, row.i)), column_rate(rate_b, axis_b(frame, row.j)));
    case AFXI_ROW_OFFSET:
        return 2 * vec3_dot(column_rate(rate_b, axis_b(frame, row.j)), slip);
    case AFXI_ROW_DISTANCE:
        return vec3_dot(slip, slip) / length;
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
    case AFXI_ROW_ALIGN:
        return 0; /* both sides move as one vector */
    }
    return 0;
}

void afxi_row_arms(AfxiRowSpec row, const AfxiJointFrame *frame, const AfxiPairState *state, double *out_a,
                   double *out_b) {
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
        *out_a = vec3_length(point_a(row, frame));
        *out_b = vec3_length(point_b(row, frame));
        break;
    case AFXI_ROW_DISTANCE: { /* the rod turns with both ends: cross term included */
        double length = vec3_length(offset(row, frame, state)), a = vec3_length(frame->point_a);
        double b = vec3_length(frame->point_b), per_length = length > 0 ? 1 / length : 0;
        *out_a = a * (1 + 2 * a * per_length);
        *out_b = b * (1 + 2 * b * per_length);
        break;
    }
    case AFXI_ROW_ALIGN:
    case AFXI_ROW_DIRECTION:
        *out_a = *out_b = 2;
        break;
    case AFXI_ROW_OFFSET:
        /* the axis turns with b while the point turns with a: cross term included */
        *out_a = 2 * vec3_length(frame->point_a);
        *out_b = vec3_length(offset(row, frame, state)) + vec3_length(frame->point_b) + vec3_length(frame->point_a);
        break;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Values of constraints from their definitions (docs/joints.md), as solve/equation.c has them: u, x are axes and points
 * of the follower a, v, y those of the base b, d = A_a x + t_a - A_b y - t_b. Gradients come from the tape. */
#include "grad/row.h"

#include <math.h>

#include "grad/tuning.h"
#include "joint/axis.h"
#include "joint/rotational_spring.h"
#include "joint/row.h"
#include "joint/tuning.h"

typedef struct Sides {
    const AfxiVar *q_a, *q_b, *r_b;
    AfxiVar3 x, y, u[3], v[3];
} Sides;

static Sides sides_of(AfxiGradLocal *local, uint32_t joint) {
    const AfxiJoint *source = &local->model->joints[joint];
    const AfxiGradBody *a = afxi_grad_body(local, source->follower), *b = afxi_grad_body(local, source->base);
    Sides sides = {.q_a = a->q, .q_b = b->q, .r_b = b->turn};
    sides.x = afxi_grad_joint_point(local, joint, AFXI_GRAD_FOLLOWER);
    sides.y = afxi_grad_joint_point(local, joint, AFXI_GRAD_BASE);
    afxi_grad_joint_axes(local, joint, AFXI_GRAD_FOLLOWER, sides.u);
    afxi_grad_joint_axes(local, joint, AFXI_GRAD_BASE, sides.v);
    return sides;
}

static AfxiVar3 offset(AfxiTape *tape, const Sides *sides, AfxiVar3 x, AfxiVar3 y) {
    return var3_subtract(tape, var3_position(tape, sides->q_a, x), var3_position(tape, sides->q_b, y));
}

/* (A_a u_i) . (A_b v_j) */
static AfxiVar directions(AfxiTape *tape, const Sides *sides, int i, int j) {
    return var3_dot(tape, var3_apply(tape, sides->q_a, sides->u[i]), var3_apply(tape, sides->q_b, sides->v[j]));
}

/* e . (A_a u_i - A_b v_i); e is R_b v_j less its part along A_b v_i, and by definition does not vary. */
static AfxiVar alignment(AfxiTape *tape, const Sides *sides, int i, int j) {
    AfxiVar3 along = var3_apply(tape, sides->q_b, sides->v[i]), e = var3_apply(tape, sides->r_b, sides->v[j]);
    AfxiVar share = afxi_divide(tape, var3_dot(tape, e, along), var3_dot(tape, along, along));
    e = var3_subtract(tape, e, var3_times(tape, share, along));
    for (int k = 0; k < 3; k++) {
        e.x[k] = afxi_tape_freeze(tape, e.x[k]);
    }
    return var3_dot(tape, e, var3_subtract(tape, var3_apply(tape, sides->q_a, sides->u[i]), along));
}

AfxiVar afxi_grad_joint_row(AfxiGradLocal *local, uint32_t joint, uint32_t index) {
    AfxiTape *tape = local->tape;
    AfxiRowSpec row = afxi_joint_kind((AfxJointKind)local->model->joints[joint].kind)->rows[index];
    Sides sides = sides_of(local, joint);
    AfxiVar3 d = offset(tape, &sides, sides.x, sides.y);
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_POINT:
        return d.x[row.i];
    case AFXI_ROW_TIP:
        return offset(tape, &sides, var3_add(tape, sides.x, sides.u[0]), var3_add(tape, sides.y, sides.v[0])).x[row.i];
    case AFXI_ROW_ALIGN:
        return afxi_scale(tape, row.sign, alignment(tape, &sides, row.i, row.j));
    case AFXI_ROW_DIRECTION:
        return afxi_scale(tape, row.sign, directions(tape, &sides, row.i, row.j));
    case AFXI_ROW_OFFSET:
        return var3_dot(tape, var3_apply(tape, sides.q_b, sides.v[row.j]), d);
    case AFXI_ROW_DISTANCE: {
        AfxiVar length = afxi_grad_param(local, AFX_PARAM_JOINT_LENGTH, joint, 0);
        AfxiVar off = afxi_subtract(tape, var3_dot(tape, d, d), afxi_tape_multiply(tape, length, length));
        return afxi_scale(tape, 0.5, afxi_divide(tape, off, length));
    }
    }
    return afxi_number(0);
}

/* ---- coordinates ---- */

/* Of the two sets of Cardan angles of a rotation, whether the second goes on from the last step (equation.c). */
static bool is_folded(const double q[3][3], const double *last) {
    double angle[3] = {atan2(-q[1][2], q[2][2]), asin(fmax(-1, fmin(1, q[0][2]))), atan2(-q[0][1], q[0][0])};
    double off[2] = {0, 0}, far = AFXI_CARDAN_FAR;
    if (1 - q[0][2] * q[0][2] >= far * far || fabs(cos(last[1])) >= far) {
        return cos(last[1]) < 0;
    }
    for (int k = 0; k < 3; k++) {
        double other[2] = {angle[k], (AFXI_TWO_PI / 2) + (k == 1 ? -angle[k] : angle[k])};
        for (int set = 0; set < 2; set++) {
            double by = remainder(other[set] - last[k], AFXI_TWO_PI);
            off[set] += by * by;
        }
    }
    return off[1] < off[0] || (off[1] == off[0] && cos(last[1]) < 0);
}

static AfxiVar ball_angle(AfxiTape *tape, AfxiAxisType type, const Sides *sides, uint32_t slot, const double *last) {
    if (type == AFXI_AXIS_TWIST) { /* Q_ij = (A_b v_i) . (A_a u_j) */
        AfxiVar sine = afxi_subtract(tape, directions(tape, sides, 1, 2), directions(tape, sides, 2, 1));
        AfxiVar cosine = afxi_add(tape, directions(tape, sides, 1, 1), directions(tape, sides, 2, 2));
        AfxiVar angle = afxi_tape_arctan(tape, sine, cosine);
        return last ? afxi_tape_counted(tape, angle, slot, *last) : angle;
    }
    AfxiVar cosine = directions(tape, sides, 0, 0);
    if (type == AFXI_AXIS_ANGLE) {
        cosine = afxi_add(tape, cosine, afxi_add(tape, directions(tape, sides, 1, 1), directions(tape, sides, 2, 2)));
        cosine = afxi_tape_linear(tape, 0.5, cosine, 1, afxi_number(-0.5));
    }
    return afxi_tape_arccosine(tape, cosine);
}

/* An angle from its sine, or from sine and cosine. */
static AfxiVar plain_angle(AfxiTape *tape, AfxiAxisSpec spec, const Sides *sides, const double *last, const double *own,
                           uint32_t slot) {
    double q[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            q[i][j] = directions(tape, sides, j, i).value;
        }
    }
    bool folded = spec.type != AFXI_AXIS_ROTATION && last && is_folded(q, last);
    tape->volatile_numbers |= spec.type != AFXI_AXIS_ROTATION && last;
    AfxiVar sine = afxi_scale(tape, spec.sign, directions(tape, sides, spec.p, spec.q)), angle;
    if (spec.type == AFXI_AXIS_TILT) { /* its cosine is the length of u across v, folded less it */
        AfxiVar y = directions(tape, sides, spec.p, (spec.q + 1) % 3);
        AfxiVar z = directions(tape, sides, spec.p, (spec.q + 2) % 3);
        AfxiVar square = afxi_add(tape, afxi_tape_multiply(tape, y, y), afxi_tape_multiply(tape, z, z));
        angle = afxi_tape_arctan(tape, sine, afxi_scale(tape, folded ? -1 : 1, afxi_tape_root(tape, square)));
    } else {
        angle = afxi_tape_arctan(tape, sine, directions(tape, sides, spec.r, spec.s));
        angle = folded ? afxi_add(tape, angle, afxi_number(AFXI_TWO_PI / 2)) : angle;
    }
    return own ? afxi_tape_counted(tape, angle, slot, *own) : angle;
}

AfxiVar afxi_grad_axis(AfxiGradLocal *local, uint32_t joint, uint32_t axis) {
    const AfxiJoint *source = &local->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    AfxiAxisSpec spec = afxi_axis_of(kind, axis);
    uint32_t place = afxi_axis_place(kind, axis);
    const double *last = source->counted ? local->entry->at.angle + source->angle : NULL;
    const double *own = last && place != UINT32_MAX ? last + place : NULL; /* where turns are counted from */
    uint32_t slot = own ? local->layout->angle + (uint32_t)(own - local->entry->at.angle) : 0;
    Sides sides = sides_of(local, joint);
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        AfxiVar3 d = offset(local->tape, &sides, sides.x, sides.y);
        return var3_dot(local->tape, var3_apply(local->tape, sides.q_b, sides.v[spec.axis]), d);
    }
    if (spec.type >= AFXI_AXIS_SWING) {
        return ball_angle(local->tape, (AfxiAxisType)spec.type, &sides, slot, own);
    }
    return plain_angle(local->tape, spec, &sides, last && kind->axis_count >= 3 ? last + kind->axis_count - 3 : last,
                       own, slot);
}

/* ---- rows of graphs ---- */

static AfxiVar line_length(AfxiGradLocal *local, uint32_t index) {
    const AfxiSpring *spring = &local->model->springs[index];
    const AfxiGradBody *a = afxi_grad_body(local, spring->body_a), *b = afxi_grad_body(local, spring->body_b);
    AfxiVar3 d = var3_subtract(local->tape, var3_position(local->tape, a->q, var3_number(spring->point_a)),
                               var3_position(local->tape, b->q, var3_number(spring->point_b)));
    return afxi_tape_root(local->tape, var3_dot(local->tape, d, d));
}

static AfxiVar coupling_sum(AfxiGradLocal *local, uint32_t index) {
    const AfxiCoupling *coupling = &local->model->couplings[index];
    AfxiVar sum = afxi_scale(local->tape, -1, afxi_grad_param(local, AFX_PARAM_COUPLING, index, AFX_COUPLING_TERMS));
    for (uint32_t term = 0; term < coupling->term_count; term++) {
        AfxiVar factor = afxi_grad_param(local, AFX_PARAM_COUPLING, index, term);
        AfxiVar x = afxi_grad_axis(local, coupling->joint[term], coupling->axis[term]);
        sum = afxi_add(local->tape, sum, afxi_tape_multiply(local->tape, factor, x));
    }
    return sum;
}

AfxiVar afxi_grad_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row) {
    const AfxiGraphRow *source = &graph->row[row];
    uint32_t owner = graph->block[source->block].index;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT:
        return afxi_grad_joint_row(local, owner, source->index);
    case AFXI_SOURCE_SCREW: {
        AfxiVar pitch = afxi_grad_param(local, AFX_PARAM_JOINT_PITCH, owner, 0);
        AfxiVar turn = afxi_tape_multiply(local->tape, pitch, afxi_grad_axis(local, owner, 1));
        return afxi_subtract(local->tape, afxi_grad_axis(local, owner, 0), turn);
    }
    case AFXI_SOURCE_DRIVE:
        return afxi_grad_axis(local, local->model->drives[source->index].joint,
                              local->model->drives[source->index].axis);
    case AFXI_SOURCE_COUPLING:
        return coupling_sum(local, source->index);
    case AFXI_SOURCE_SPRING:
        return line_length(local, source->index);
    case AFXI_SOURCE_ROTATIONAL_SPRING: /* afxi_grad_spring_torque */
    case AFXI_SOURCE_CONTACT:           /* not among the rows of joints */
        break;
    }
    return afxi_number(0);
}

/* ---- springs of ball joints ---- */

/* Rotation vector of a rotation matrix. */
static AfxiVar3 rotation_vector(AfxiTape *tape, const AfxiVar q[9]) {
    AfxiVar3 sine = {{afxi_tape_linear(tape, 0.5, q[5], -0.5, q[7]), afxi_tape_linear(tape, 0.5, q[6], -0.5, q[2]),
                      afxi_tape_linear(tape, 0.5, q[1], -0.5, q[3])}};
    AfxiVar cosine = afxi_add(tape, q[0], afxi_add(tape, q[4], q[8])), square = var3_dot(tape, sine, sine);
    cosine = afxi_tape_linear(tape, 0.5, cosine, 1, afxi_number(-0.5));
    bool small = afxi_tape_between(tape, square, -1, AFXI_GRAD_SMALL_TURN * AFXI_GRAD_SMALL_TURN);
    if (afxi_tape_between(tape, cosine, 0, 2) && small) {
        return var3_times(tape, afxi_tape_linear(tape, 1.0 / 6, square, 1, afxi_number(1)), sine);
    }
    AfxiVar length = afxi_tape_root(tape, square);
    return var3_times(tape, afxi_divide(tape, afxi_tape_arctan(tape, length, cosine), length), sine);
}

/* Half the sum of r_k x a_k': the angular velocity of a body. */
static AfxiVar3 spin_of(AfxiTape *tape, const AfxiGradBody *body) {
    AfxiVar3 sum = var3_number(vec3(0, 0, 0));
    for (int k = 0; k < 9; k += 3) {
        sum = var3_linear(tape, 1, sum, 0.5, var3_cross(tape, var3_load(body->turn + k), var3_load(body->rate + k)));
    }
    return sum;
}

/* The rotation of a quaternion that need not be of length 1, transposed. */
static void rotation_back(AfxiTape *tape, const AfxiVar o[4], AfxiVar out[9]) {
    AfxiVar sum = afxi_number(0), p[4][4];
    for (int i = 0; i < 4; i++) {
        sum = afxi_add(tape, sum, afxi_tape_multiply(tape, o[i], o[i]));
    }
    AfxiVar per = afxi_tape_reciprocal(tape, sum);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            p[i][j] = afxi_tape_multiply(tape, per, afxi_tape_multiply(tape, o[i], o[j]));
        }
    }
    for (int i = 0; i < 3; i++) { /* entry (i, j) of the rotation goes to (j, i) */
        int m = (i + 1) % 3, n = (i + 2) % 3;
        AfxiVar across = afxi_add(tape, p[m + 1][m + 1], p[n + 1][n + 1]);
        out[4 * i] = afxi_tape_linear(tape, -2, across, 1, afxi_number(1));
        out[3 * i + m] = afxi_tape_linear(tape, 2, p[i + 1][m + 1], -2, p[0][n + 1]);
        out[3 * i + n] = afxi_tape_linear(tape, 2, p[i + 1][n + 1], 2, p[0][m + 1]);
    }
}

/* The turn theta of a spring from its rest, in the axes of the joint on the base; those come back in `base`. */
static AfxiVar3 turn_of(AfxiGradLocal *local, uint32_t joint, AfxiVar base[9]) {
    AfxiTape *tape = local->tape;
    const AfxiJoint *source = &local->model->joints[joint];
    const AfxiGradBody *a = afxi_grad_body(local, source->follower), *b = afxi_grad_body(local, source->base);
    AfxiVar axes[2][9], follower[9], turn[9], back[9], o[4], whole[9];
    for (int side = 0; side < 2; side++) {
        AfxiVar3 own[3];
        afxi_grad_joint_axes(local, joint, (AfxiGradSide)side, own);
        for (int k = 0; k < 3; k++) {
            var3_store(axes[side] + 3 * k, own[k]);
        }
    }
    for (uint32_t k = 0; k < 4; k++) {
        o[k] =
            afxi_grad_param(local, AFX_PARAM_JOINT_SPRING, source->rotational_spring, AFXI_ROTATIONAL_SPRING_REST + k);
    }
    var9_multiply(tape, b->turn, axes[1], false, base);
    var9_multiply(tape, a->turn, axes[0], false, follower);
    rotation_back(tape, o, back);
    var9_multiply(tape, base, follower, true, turn);
    var9_multiply(tape, turn, back, false, whole);
    return rotation_vector(tape, whole);
}

/* (1 - (t/2) cot(t/2)) / t² of t² */
static AfxiVar curve_of(AfxiTape *tape, AfxiVar square) {
    if (afxi_tape_between(tape, square, -1, 1e-6)) {
        return afxi_tape_linear(tape, 1.0 / 720, square, 1, afxi_number(1.0 / 12));
    }
    AfxiVar half = afxi_scale(tape, 0.5, afxi_tape_root(tape, square));
    AfxiVar cot = afxi_divide(tape, afxi_tape_cosine(tape, half), afxi_tape_sine(tape, half));
    AfxiVar rest = afxi_tape_linear(tape, -1, afxi_tape_multiply(tape, half, cot), 1, afxi_number(1));
    return afxi_divide(tape, rest, square);
}

AfxiVar3 afxi_grad_spring_torque(AfxiGradLocal *local, uint32_t joint, double *out_stiffness) {
    AfxiTape *tape = local->tape;
    const AfxiJoint *source = &local->model->joints[joint];
    AfxiVar base[9];
    AfxiVar3 theta = turn_of(local, joint, base), load, drag;
    AfxiVar3 spin = var3_subtract(tape, spin_of(tape, afxi_grad_body(local, source->follower)),
                                  spin_of(tape, afxi_grad_body(local, source->base)));
    spin = var3_apply_transposed(tape, base, spin);
    *out_stiffness = 0;
    for (uint32_t e = 0; e < 3; e++) {
        AfxiVar k = afxi_grad_param(local, AFX_PARAM_JOINT_SPRING, source->rotational_spring,
                                    AFXI_ROTATIONAL_SPRING_STIFFNESS + e);
        AfxiVar d = afxi_grad_param(local, AFX_PARAM_JOINT_SPRING, source->rotational_spring,
                                    AFXI_ROTATIONAL_SPRING_DAMPING + e);
        load.x[e] = afxi_tape_multiply(tape, k, theta.x[e]);
        drag.x[e] = afxi_tape_multiply(tape, d, spin.x[e]);
        *out_stiffness = fmax(*out_stiffness, k.value + d.value / afxi_grad_h_rate(local));
    }
    AfxiVar3 once = var3_cross(tape, theta, load);
    AfxiVar3 twice = var3_times(tape, curve_of(tape, var3_dot(tape, theta, theta)), var3_cross(tape, theta, once));
    AfxiVar3 torque = var3_add(tape, var3_linear(tape, 1, load, 0.5, once), var3_add(tape, twice, drag));
    return var3_apply(tape, base, torque);
}

void afxi_grad_spring_push(AfxiGradLocal *local, uint32_t joint, uint32_t axis, AfxiVar lambda) {
    const AfxiJoint *source = &local->model->joints[joint];
    const uint32_t ends[2] = {source->follower, source->base};
    AfxiVar3 e = var3_number(vec3(axis == 0, axis == 1, axis == 2));
    for (int side = 0; side < 2; side++) {
        AfxiGradBody *body = afxi_grad_body(local, ends[side]);
        for (int k = 0; k < 9 && afxi_grad_solves(local->entry, body->body); k += 3) {
            AfxiVar3 by = var3_times(local->tape, lambda, var3_cross(local->tape, e, var3_load(body->turn + k)));
            by = var3_linear(local->tape, 1, var3_load(body->force + k), side ? -0.5 : 0.5, by);
            var3_store(body->force + k, by);
        }
    }
}

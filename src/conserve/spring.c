/* SPDX-License-Identifier: Apache-2.0 */
/* The spring of a ball joint (joint/rotational_spring.h) with a discrete gradient. Q = R_b^T R_a P is the turn out of
 * the rest orientation and E(Q) = theta . K theta/2, theta = log Q. Between two places
 *     Q_1 - Q_0 = A_b^T [c_a - c_b] A_a P,  A the means of both rotations,
 * so with D the gradient of E on the entries of Q at the rotation half-way, and a share of Q_1 - Q_0 more that makes
 * D : (Q_1 - Q_0) = E_1 - E_0 exactly, the torque is twice the axial vector of A_b D (A_a P)^T. */
#include <math.h>

#include "conserve/measure.h"
#include "joint/rotational_spring.h"
#include "math/polar.h"

static double energy_at(const double *k, AfxVec3 theta) {
    return 0.5 * vec3_dot(theta, sym3_apply(k, theta));
}

static double contract(const AfxiMat3 *a, const AfxiMat3 *b) {
    double sum = 0;
    for (int e = 0; e < 9; e++) {
        sum += a->m[e] * b->m[e];
    }
    return sum;
}

/* D at the rotation half-way between q0 and q1, with what makes it exact. */
static AfxiMat3 discrete(const double *k, const AfxiMat3 *q0, const AfxiMat3 *q1) {
    AfxiMat3 mean, step;
    for (int e = 0; e < 9; e++) {
        mean.m[e] = 0.5 * (q0->m[e] + q1->m[e]);
        step.m[e] = q1->m[e] - q0->m[e];
    }
    AfxiMat3 half = afxi_rotation_part(&mean, NULL);
    AfxiMat3 skew = mat3_skew(vec3_scale(0.5, afxi_rotational_spring_torque(k, &half)));
    AfxiMat3 d = mat3_multiply(&skew, &half);
    double e0 = energy_at(k, afxi_rotation_vector(q0)), e1 = energy_at(k, afxi_rotation_vector(q1));
    double defect = (e1 - e0) - contract(&d, &step), square = contract(&step, &step);
    if (fabs(defect) > AFXI_CONSERVE_DEFECT * (e0 + e1)) { /* else rounding, which a small step would blow up */
        for (int e = 0; e < 9; e++) {
            d.m[e] += defect / square * step.m[e];
        }
    }
    return d;
}

static AfxiMat3 rotation_at(const double *place, uint32_t body) {
    return body == AFXI_WORLD ? mat3_identity() : mat3_load(place + (size_t)AFXI_AFFINE_WIDTH * body);
}

static AfxiMat3 mean_of(const AfxiMat3 *a, const AfxiMat3 *b) {
    AfxiMat3 mean;
    for (int e = 0; e < 9; e++) {
        mean.m[e] = 0.5 * (a->m[e] + b->m[e]);
    }
    return mean;
}

/* B diag(1 / (k/2 + d/h)) B^T, B the joint's axes on the base */
static void compliance_of(const double *numbers, const AfxiMat3 *axes, double per_h, double *out) {
    double stiff[3], most = 0;
    for (int k = 0; k < 3; k++) {
        stiff[k] =
            0.5 * numbers[AFXI_ROTATIONAL_SPRING_STIFFNESS + k] + numbers[AFXI_ROTATIONAL_SPRING_DAMPING + k] * per_h;
        most = fmax(most, stiff[k]);
    }
    for (int e = 0; e < 9; e++) {
        out[e] = 0;
        for (int k = 0; k < 3; k++) {
            out[e] += axes->m[3 * k + e % 3] * axes->m[3 * k + e / 3] / fmax(stiff[k], AFXI_CONSERVE_SOFTEST * most);
        }
    }
}

/* The turn c of R_1 = cay(c) R_0, from (R_1 - R_0) = [c] (R_0 + R_1)/2. */
static AfxVec3 turn_between(const AfxiMat3 *r0, const AfxiMat3 *r1) {
    AfxiMat3 back = mat3_transpose(r0), q = mat3_multiply(r1, &back);
    return vec3_scale(4 / (1 + q.m[0] + q.m[4] + q.m[8]), mat3_axial(&q));
}

AfxVec3 afxi_conserve_spring_drag(const AfxiConserve *work, uint32_t joint, const double *place, AfxVec3 turn) {
    const AfxiJoint *source = &work->model->joints[joint];
    const double *d = afxi_world_param(work->world, AFX_PARAM_JOINT_SPRING, source->rotational_spring) +
                      AFXI_ROTATIONAL_SPRING_DAMPING;
    AfxiMat3 base = rotation_at(place, source->base);
    AfxiMat3 axes = mat3_multiply(&base, &afxi_world_joint_frame(work->world, joint)->axes_b);
    AfxVec3 local = mat3_apply_transposed(&axes, turn);
    return mat3_apply(&axes, vec3(d[0] * local.x, d[1] * local.y, d[2] * local.z));
}

bool afxi_conserve_spring_torque(const AfxiConserve *work, uint32_t joint, const double *begin, const double *end,
                                 double h, AfxVec3 *out_torque, double *out_compliance) {
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, joint);
    const double *numbers = afxi_world_param(work->world, AFX_PARAM_JOINT_SPRING, source->rotational_spring);
    double constants[AFXI_ROTATIONAL_SPRING_CONSTANTS], held = 0;
    for (int k = 0; k < 6; k++) {
        held += numbers[k];
    }
    *out_torque = vec3(0, 0, 0);
    if (!(held > 0)) {
        return false;
    }
    afxi_rotational_spring_constants(numbers, &frame->axes_a, &frame->axes_b, constants);
    AfxiMat3 p = mat3_load(constants + AFXI_ROTATIONAL_SPRING_AXES);
    AfxiMat3 a0 = rotation_at(begin, source->follower), a1 = rotation_at(end, source->follower);
    AfxiMat3 b0 = rotation_at(begin, source->base), b1 = rotation_at(end, source->base);
    AfxiMat3 turned0 = mat3_multiply(&a0, &p), turned1 = mat3_multiply(&a1, &p);
    AfxiMat3 q0 = mat3_multiply_tn(&b0, &turned0), q1 = mat3_multiply_tn(&b1, &turned1);
    AfxiMat3 d = discrete(constants + AFXI_ROTATIONAL_SPRING_K, &q0, &q1);
    AfxiMat3 base = mean_of(&b0, &b1), follower = mean_of(&turned0, &turned1), back = mat3_transpose(&follower);
    AfxiMat3 pushed = mat3_multiply(&base, &d), n = mat3_multiply(&pushed, &back);
    AfxiMat3 half = afxi_rotation_part(&base, NULL), axes = mat3_multiply(&half, &frame->axes_b);
    *out_torque = vec3_scale(2, mat3_axial(&n));
    if (isfinite(h)) { /* damping on the turn of both, in the base's axes half-way */
        AfxVec3 turn = vec3_sub(turn_between(&a0, &a1), turn_between(&b0, &b1));
        AfxVec3 drag = sym3_apply(constants + AFXI_ROTATIONAL_SPRING_D, mat3_apply_transposed(&half, turn));
        *out_torque = vec3_mad(*out_torque, 1 / h, mat3_apply(&half, drag));
    }
    compliance_of(numbers, &axes, isfinite(h) ? 1 / h : 0, out_compliance);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The spring of a ball joint: with θ the turn out of its rest, in the axes of the base, the torque on the follower is
 * -Jᵀ K θ - D ω, ω the relative angular velocity and J the derivative of θ by a turn. */
#include "dense_inner.h"

#include <math.h>

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static void rotation_vector(const double q[9], double out[3]) {
    double axial[3] = {0.5 * (q[5] - q[7]), 0.5 * (q[6] - q[2]), 0.5 * (q[1] - q[3])};
    double sine = sqrt(axial[0] * axial[0] + axial[1] * axial[1] + axial[2] * axial[2]);
    double turned = atan2(sine, 0.5 * (q[0] + q[4] + q[8] - 1));
    for (int k = 0; k < 3; k++) {
        out[k] = sine > 1e-12 ? axial[k] * turned / sine : axial[k];
    }
}

/* Angular velocity, world axes: of R' R^T, R the rotation part of A, by a difference along the rate. */
static void angular(const double *q, const double *rate, double out[3]) {
    double before[9], after[9], spin[9], step = 1e-6, moved[2][9];
    for (int k = 0; k < 9; k++) {
        moved[0][k] = q[k] - step * rate[k];
        moved[1][k] = q[k] + step * rate[k];
    }
    dense_rotation(moved[0], before);
    dense_rotation(moved[1], after);
    dense_product_transposed(before, after, spin);
    double body[3];
    rotation_vector(spin, body);
    for (int e = 0; e < 3; e++) {
        out[e] = (before[e] * body[0] + before[3 + e] * body[1] + before[6 + e] * body[2]) / (2 * step);
    }
}

/* ½ [torque]x R on A */
static void torque_on(const double *q, const double torque[3], double sign, double *r) {
    double frame[9], column[3];
    dense_rotation(q, frame);
    for (int c = 0; c < 3; c++) {
        cross(torque, frame + 3 * c, column);
        for (int e = 0; e < 3; e++) {
            r[3 * c + e] -= sign * 0.5 * column[e];
        }
    }
}

void dense_turn_spring(const Dense *dense, const DenseElement *element, double q[][12], double *r) {
    const DenseJoint *joint = element->joint;
    double frame[2][9], axes_a[9], axes_b[9], seen[9], turned[9], theta[3], spin[2][3];
    for (int k = 0; k < 2; k++) {
        const DenseBody *body = &dense->body[element->body[k]];
        double rate[9];
        for (int e = 0; e < 9; e++) {
            rate[e] = body->moves ? (q[k][e] - body->past[e]) / dense->h_rate : body->rate[e];
        }
        dense_rotation(q[k], frame[k]);
        angular(q[k], rate, spin[k]);
    }
    dense_product(frame[0], joint->axes_a, axes_a);
    dense_product(frame[1], joint->axes_b, axes_b);
    dense_product_transposed(axes_b, axes_a, seen);
    double rest[9]; /* its transposed */
    for (int k = 0; k < 9; k++) {
        rest[k] = element->rest[3 * (k % 3) + k / 3];
    }
    dense_product(seen, rest, turned);
    rotation_vector(turned, theta);
    double t = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    double c = t > 1e-4 ? (1 - 0.5 * t / tan(0.5 * t)) / (t * t) : 1.0 / 12;
    double pull[3], once[3], twice[3], torque[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        pull[k] = element->turn_stiffness[k] * theta[k];
    }
    cross(theta, pull, once); /* J^T = I + [theta]/2 + c [theta]² */
    cross(theta, once, twice);
    for (int k = 0; k < 3; k++) {
        double relative = 0;
        for (int e = 0; e < 3; e++) {
            relative += axes_b[3 * k + e] * (spin[0][e] - spin[1][e]);
        }
        double along = pull[k] + 0.5 * once[k] + c * twice[k] + element->turn_damping[k] * relative;
        for (int e = 0; e < 3; e++) {
            torque[e] -= along * axes_b[3 * k + e];
        }
    }
    torque_on(q[0], torque, 1, r);
    torque_on(q[1], torque, -1, r + 12);
}

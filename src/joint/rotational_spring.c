/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar parts of rotational_spring.h. */
#include "joint/rotational_spring.h"

#include <math.h>
#include <string.h>

#include "math/variant.h"

/* f diag(d) f^T as xx, yy, zz, xy, xz, yz */
static void turn_diagonal(const AfxiMat3 *f, const double d[3], double out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        out[e] = 0;
        for (int k = 0; k < 3; k++) {
            out[e] += f->m[3 * k + row[e]] * d[k] * f->m[3 * k + column[e]];
        }
    }
}

void afxi_rotational_spring_constants(const double *numbers, const AfxiMat3 *axes_a, const AfxiMat3 *axes_b,
                                      double *out) {
    const double *q = numbers + AFXI_ROTATIONAL_SPRING_REST;
    AfxiMat3 rest = mat3_from_quat(afxi_quat_normalized((AfxQuat){q[0], q[1], q[2], q[3]}));
    AfxiMat3 base = mat3_multiply(axes_b, &rest); /* (F_b rest)^T = rest^T F_b^T */
    AfxiMat3 back = {
        {base.m[0], base.m[3], base.m[6], base.m[1], base.m[4], base.m[7], base.m[2], base.m[5], base.m[8]}};
    AfxiMat3 axes = mat3_multiply(axes_a, &back);
    memset(out, 0, AFXI_ROTATIONAL_SPRING_CONSTANTS * sizeof *out);
    memcpy(out + AFXI_ROTATIONAL_SPRING_AXES, axes.m, sizeof axes.m);
    turn_diagonal(axes_b, numbers + AFXI_ROTATIONAL_SPRING_STIFFNESS, out + AFXI_ROTATIONAL_SPRING_K);
    turn_diagonal(axes_b, numbers + AFXI_ROTATIONAL_SPRING_DAMPING, out + AFXI_ROTATIONAL_SPRING_D);
}

AfxVec3 afxi_rotation_vector(const AfxiMat3 *q) {
    AfxQuat turn = afxi_quat_from_mat3(q);
    AfxVec3 v = vec3(turn.x, turn.y, turn.z);
    double sine = vec3_length(v), sign = turn.w < 0 ? -1 : 1;
    double angle = 2 * atan2(sine, sign * turn.w);
    return vec3_scale(sine > 1e-8 ? sign * angle / sine : sign * 2, v);
}

AfxVec3 afxi_rotational_spring_torque(const double *k, const AfxiMat3 *turn) {
    AfxVec3 theta = afxi_rotation_vector(turn), force = sym3_apply(k, theta), turned = vec3_cross(theta, force);
    double t = vec3_length(theta), half = 0.5 * t;
    double c = t > 1e-3 ? (1 - half * cos(half) / sin(half)) / (t * t) : 1.0 / 12 + t * t / 720;
    return vec3_add(vec3_mad(force, 0.5, turned), vec3_scale(c, vec3_cross(theta, turned)));
}

/* The twist is half the difference of the entries (k,i) and (i,k). */
void afxi_rotational_spring_gradient(const double *r, uint32_t axis, double sign, double *out) {
    double x = 0.5 * sign * r[axis], y = 0.5 * sign * r[3 + axis], z = 0.5 * sign * r[6 + axis];
    const double g[AFXI_AFFINE_WIDTH] = {0, z, -y, -z, 0, x, y, -x, 0, 0, 0, 0};
    memcpy(out, g, sizeof g);
}

AFXI_BUILDS(AfxiRotationalSpringKernel, afxi_rotational_spring);

AfxiRotationalSpringKernel *afxi_rotational_spring_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_rotational_spring, lanes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The spring of a ball joint about all three axes, as three compliant rows.
 *
 * B = R_b F_b are the joint's axes on the base and Q = B^T R_a F_a rest^T the turn out of the rest orientation, with
 * rotation vector theta = log Q. The energy is theta . K theta / 2, K diagonal. When the two bodies turn by w_a and w_b
 * (world axes), theta changes by J B^T (w_a - w_b), with the inverse left Jacobian of the rotations
 *     J = I - [theta]/2 + c [theta]²,   c = (1 - (t/2) cot(t/2)) / t²,   t = |theta|;
 * damping acts on the relative angular velocity. With w the change that is solved for and p the rate at w = 0, the
 * torque on the base is
 *     lambda = B (J^T K (theta + J B^T w) + D B^T (p + w / h)),
 * which as rows in world axes reads   value + w - C lambda = 0,
 *     S = J^T K J + D / h,   C = B S^-1 B^T,   value = B S^-1 (J^T K theta + D B^T p).
 * The rows act on the twist of a body alone, and so the products with its inverse are those of a diagonal matrix.
 * All this is the same in the axes of the base itself, where K and D are F_b K F_b^T and F_b D F_b^T and Q is
 * R_b^T R_a P with P = F_a rest^T F_b^T: so F_b is no longer needed.
 *
 * They bring no geometric stiffness: the axial vector of a rotation has no second order, and what turning both bodies
 * by w does to a torque that is held fixed in the world, |lambda| |w|, stands against the row's own stiffness, which is
 * |lambda| over the angle: an error of that angle times w, gone when the frames are right. */
#ifndef AFXI_JOINT_ROTATIONAL_SPRING_H
#define AFXI_JOINT_ROTATIONAL_SPRING_H

#include "body/dof.h"
#include "math/vec3.h"

/* Numbers of a spring in the parameter block. */
enum {
    AFXI_ROTATIONAL_SPRING_STIFFNESS = 0,
    AFXI_ROTATIONAL_SPRING_DAMPING = 3,
    AFXI_ROTATIONAL_SPRING_REST = 6,
    AFXI_ROTATIONAL_SPRING_SIZE = 10
};

/* What a solve needs of a spring. */
enum {
    AFXI_ROTATIONAL_SPRING_AXES = 0, /* 9: P = F_a rest^T F_b^T */
    AFXI_ROTATIONAL_SPRING_K = 9,    /* 6, in the base's axes: xx, yy, zz, xy, xz, yz */
    AFXI_ROTATIONAL_SPRING_D = 15,   /* 6 */
    AFXI_ROTATIONAL_SPRING_USED = 21,
    AFXI_ROTATIONAL_SPRING_CONSTANTS = 24 /* kernels load four numbers at a time */
};

/* What comes of it, in world axes. */
enum {
    AFXI_ROTATIONAL_SPRING_VALUE = 0,      /* 3 */
    AFXI_ROTATIONAL_SPRING_COMPLIANCE = 3, /* 6: xx, yy, zz, xy, xz, yz */
    AFXI_ROTATIONAL_SPRING_TORQUE = 9,     /* 3: lambda at w = 0 */
    AFXI_ROTATIONAL_SPRING_RESULT = 12
};

/** Where the two bodies (follower, base) of a spring are found. */
typedef struct AfxiRotationalSpringEnds {
    const double *r[2]; /* [12], of which 9 are used: frame, or A of a body that is not solved for */
    const double *x[2]; /* [12], likewise: past A of the stage, or the rate of A where not solved for */
    bool solved[2];
} AfxiRotationalSpringEnds;

/** Springs begin .. end: out [springs][AFXI_ROTATIONAL_SPRING_RESULT] from constants
 * [springs][AFXI_ROTATIONAL_SPRING_CONSTANTS]. A solved body's rate is (A - x) per_h. */
typedef void AfxiRotationalSpringKernel(const AfxiRotationalSpringEnds *ends, const double *constants, double per_h,
                                        uint32_t begin, uint32_t end, double *out);

/** The kernel for a lane count. */
AfxiRotationalSpringKernel *afxi_rotational_spring_kernel(uint32_t lanes);

/** Constants of one spring from its parameters and the joint's axes. */
void afxi_rotational_spring_constants(const double *numbers, const AfxiMat3 *axes_a, const AfxiMat3 *axes_b,
                                      double *out);
/** Rotation vector of a rotation. */
AfxVec3 afxi_rotation_vector(const AfxiMat3 *q);
/** J^T K theta of a turn Q = exp theta, K symmetric as xx, yy, zz, xy, xz, yz: the torque without damping. */
AfxVec3 afxi_rotational_spring_torque(const double *k, const AfxiMat3 *turn);
/** Gradient of row `axis` on a body with frame r, turned into that frame: [12]. */
void afxi_rotational_spring_gradient(const double *r, uint32_t axis, double sign, double *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that joints are made of. u, v are unit vectors and x points fixed in a body's principal frame; a is the
 * follower, b the base; the world is a body that stands still.
 *
 *     point      e_i . (A_a x_a + t_a - A_b x_b - t_b)          linear
 *     align      e . (A_a u_i - A_b v_i), e = R_b v_j frozen    linear
 *                (made square to A_b v_i, so that redundant hinges round a loop of strained bodies agree)
 *     direction  (A_a u_i) . (A_b v_j)                          bilinear
 *     offset     (A_b v_j) . (A_a x_a + t_a - A_b x_b - t_b)    bilinear
 *     distance   (|d|² - l²) / 2l, d the same difference        quadratic
 *     tip        point row at x + u_0 (a second point of an axis)
 *
 * The gradient on one body is a 3x3 matrix on its A, which is kept turned into the body's frame (R^T N), and a vector
 * on its t. All have the sign of Table 7 of the quaternion paper; the force on a body is -J^T lambda. */
#ifndef AFXI_JOINT_ROW_H
#define AFXI_JOINT_ROW_H

#include "body/dof.h"
#include "math/vec3.h"

#define AFXI_WORLD UINT32_MAX

typedef enum AfxiRowType {
    AFXI_ROW_POINT,
    AFXI_ROW_ALIGN,
    AFXI_ROW_DIRECTION,
    AFXI_ROW_OFFSET,
    AFXI_ROW_DISTANCE,
    AFXI_ROW_TIP
} AfxiRowType;

/** One row of a joint kind. */
typedef struct AfxiRowSpec {
    uint8_t type;
    uint8_t i, j; /* axes of follower and base; world axis for point rows */
    int8_t sign;
    uint8_t reaction; /* 0..2: force along that joint axis, 3..5: torque about it; point rows: the world axis */
} AfxiRowSpec;

/** A joint's two frames in the principal frames of its bodies: point, then axes as columns. */
typedef struct AfxiJointFrame {
    AfxVec3 point_a, point_b;
    AfxiMat3 axes_a, axes_b;
} AfxiJointFrame;

/** Where the two bodies are: A, t, and the frame R that gradients are turned into. */
typedef struct AfxiPairState {
    AfxiMat3 a_a, a_b; /* A of follower and base */
    AfxVec3 t_a, t_b;
    AfxiMat3 r_a, r_b;   /* frames */
    AfxVec3 strain_b[3]; /* R_b^T A_b - I, by columns, where the directions of align rows were frozen; 0: unstrained */
} AfxiPairState;

/** A row's gradient on one body: on A in the body's frame (column-major), then on t in the world. */
typedef struct AfxiRowGradient {
    double g[AFXI_AFFINE_WIDTH];
} AfxiRowGradient;

/** Value of a row. `length` is for distance rows. */
double afxi_row_value(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state);
/** Gradients of a row at the state (A = R there). */
void afxi_row_gradient(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state,
                       AfxiRowGradient *out_a, AfxiRowGradient *out_b);
/** The part of the row's second time derivative that has no acceleration in it. rate_* are A', t' of the bodies. */
double afxi_row_velocity_term(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state,
                              const double *rate_a, const double *rate_b);
/** Lever arms of the row on follower and base, for the bound of the geometric stiffness. */
void afxi_row_arms(AfxiRowSpec row, const AfxiJointFrame *frame, const AfxiPairState *state, double *out_a,
                   double *out_b);

#endif

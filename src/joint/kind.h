/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of joint kinds: which rows hold, which coordinates are free. One small file per kind. */
#ifndef AFXI_JOINT_KIND_H
#define AFXI_JOINT_KIND_H

#include "affix/joint.h"
#include "joint/row.h"

#define AFXI_JOINT_ROWS_MOST 6
#define AFXI_JOINT_AXES_MOST 6

typedef enum AfxiAxisType {
    AFXI_AXIS_TRANSLATION, /* (A_b v_k) . d */
    AFXI_AXIS_ROTATION,    /* atan2(sign (A_a u_p) . (A_b v_q), (A_a u_r) . (A_b v_s)) */
    AFXI_AXIS_CARDAN,      /* the same, the first or last of three angles: lost where the middle one is +-pi/2 */
    AFXI_AXIS_TILT,        /* of A_a u_p out of the plane across A_b v_q: the middle one */
    AFXI_AXIS_SWING,       /* of the x axes of both sides against each other */
    AFXI_AXIS_TWIST,       /* about x, what is left of the rotation without the swing */
    AFXI_AXIS_ANGLE        /* of the whole rotation */
} AfxiAxisType;

/** One free axis: a joint coordinate. */
typedef struct AfxiAxisSpec {
    uint8_t type;
    uint8_t axis;       /* of the joint's frame */
    uint8_t p, q, r, s; /* rotations: which axes sine and cosine are read from */
    int8_t sign;        /* of the sine */
    int8_t fold;        /* Cardan angles: -1 where the middle one is counted on beyond a right angle */
} AfxiAxisSpec;

/** A direction pair that is 1 in the right configuration and less in a flipped one. */
typedef struct AfxiConsistency {
    uint8_t i, j;
} AfxiConsistency;

typedef struct AfxiJointKind {
    uint8_t row_count, axis_count, consistency_count;
    AfxiRowSpec rows[AFXI_JOINT_ROWS_MOST];
    AfxiAxisSpec axes[AFXI_JOINT_AXES_MOST];
    AfxiConsistency consistency[3];
} AfxiJointKind;

extern const AfxiJointKind afxi_joint_fixed, afxi_joint_prismatic, afxi_joint_revolute, afxi_joint_rectangular,
    afxi_joint_cylindrical, afxi_joint_pin_in_slot, afxi_joint_universal, afxi_joint_cartesian, afxi_joint_planar,
    afxi_joint_spherical, afxi_joint_slot, afxi_joint_free, afxi_joint_distance, afxi_joint_screw,
    afxi_joint_revolute_points, afxi_joint_revolute_spherical, afxi_joint_revolute_revolute, afxi_joint_point_on_plane,
    afxi_joint_parallel_axes;

/** The table's entry for a kind. */
const AfxiJointKind *afxi_joint_kind(AfxJointKind kind);

/* Groups of rows and axes that several kinds share. */
#define AFXI_ROWS_POINT                                           \
    {AFXI_ROW_POINT, 0, 0, 1, 0}, {AFXI_ROW_POINT, 1, 0, 1, 1}, { \
        AFXI_ROW_POINT, 2, 0, 1, 2                                \
    }
#define AFXI_ROW_OFFSET_ALONG(k) \
    { AFXI_ROW_OFFSET, 0, k, 1, k }
/* no rotation at all: torques about x, y, z */
#define AFXI_ROWS_LOCKED                                          \
    {AFXI_ROW_ALIGN, 1, 2, 1, 3}, {AFXI_ROW_ALIGN, 2, 0, 1, 4}, { \
        AFXI_ROW_ALIGN, 0, 1, 1, 5                                \
    }
/* rotation about axis k only, its followers m and n in cyclic order: torques about m and n */
#define AFXI_ROWS_TURN(k, m, n)            \
    {AFXI_ROW_ALIGN, k, n, -1, 3 + (m)}, { \
        AFXI_ROW_ALIGN, k, m, 1, 3 + (n)   \
    }
#define AFXI_AXIS_SLIDE(k) \
    { AFXI_AXIS_TRANSLATION, k, 0, 0, 0, 0, 1, 1 }
#define AFXI_AXIS_TURN(k, m, n) \
    { AFXI_AXIS_ROTATION, k, m, n, m, m, 1, 1 }
/* Cardan angles: the rotation is one about x, then y, then z of the turned frame */
#define AFXI_AXES_CARDAN                                                               \
    {AFXI_AXIS_CARDAN, 0, 2, 1, 2, 2, -1, 1}, {AFXI_AXIS_TILT, 1, 2, 0, 0, 0, 1, 1}, { \
        AFXI_AXIS_CARDAN, 2, 1, 0, 0, 0, -1, 1                                         \
    }

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse kinematics on a tree: damped least squares. With weights w, errors e of points and r of orientations and
 * damping D, a step is (J^T w² J + D) du = J^T w² (e, r). J^T w² J is the mass matrix of point masses w² where the
 * points are, and of rotary inertias w² of the frames; D is armature: forward dynamics of that tree is the step. What
 * closes loops are exact rows on it, G du = -c. */
#ifndef AFXI_REDUCED_REACH_H
#define AFXI_REDUCED_REACH_H

#include "reduced/inner.h"

/** A frame of a carried body, and where it is wanted. */
typedef struct AfxiReachTarget {
    uint32_t carried; /* AFXI_TREE_NONE: `point` and `axes` are in the world, and do not move */
    AfxVec3 point;    /* in the body's principal frame */
    AfxiMat3 axes;
    AfxVec3 position;
    AfxiMat3 rotation;
    double position_weight, rotation_weight;
    uint32_t depth; /* nodes on the way to the root */
} AfxiReachTarget;

typedef struct AfxiReach {
    AfxiTree *tree;
    AfxiTreeWork *work;
    AfxiReduced *rows; /* of what closes loops, on the same tree; NULL: nothing does */
    AfxiReachTarget *target;
    uint32_t target_count, iterations_most;
    uint32_t depth;              /* targets that lie deeper do not count yet */
    const uint8_t *locked;       /* [dofs] */
    const double *lower, *upper; /* [dofs] of coordinates; infinite for those of rotations */
    const double *home;          /* [coordinates] the start, and where `stay` counts from */
    double stay, tolerance;
    double *q;                     /* [coordinates] the result */
    double *trial;                 /* [coordinates] */
    double *step, *push, *damping; /* [dofs] */
    uint8_t *held;                 /* [dofs] by a limit */
    AfxiSpatial *external;         /* [nodes] */
    double error, open;            /* of the result */
    uint32_t iterations;
} AfxiReach;

/** Finds a posture. Gravity, armature and inertias of the tree and its workspace are then no longer the model's
 * (afxi_tree_numbers). False where loops cannot be closed. */
bool afxi_reach(AfxiReach *reach);

#endif

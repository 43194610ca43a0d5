/* SPDX-License-Identifier: Apache-2.0 */
/* Rigid-body algorithms over a tree: kinematics, inverse dynamics (RNEA), the mass matrix (CRBA) and its sparse factor,
 * forward dynamics (ABA), Jacobians, back to raw coordinates. They need a tree and a workspace, and no sim.
 *
 * Spatial vectors are (angular, linear) in world axes about a *reference point* of each tree, which is taken anew where
 * its first node is at every evaluation and counts as a fixed point of space: nothing is turned on the way through the
 * tree, and what is far from the origin loses no digits. A motion axis s of a node that moves with v changes by
 * v x s; a wrench f by v x* f (Featherstone, Rigid Body Dynamics Algorithms, 2008).
 *     v_i = v_p + S u,  a_i = a_p + S u' + c,  f_i = I_i a_i + v_i x* I_i v_i - f_ext,  tau = S^T sum of f beyond
 * M_ij = s_i . I_j^c s_j with the inertia I_j^c of all beyond node j. M = L^T L keeps the zeros of branches. */
#ifndef AFXI_REDUCED_DYNAMICS_H
#define AFXI_REDUCED_DYNAMICS_H

#include "reduced/tree.h"

/* Numbers that ABA keeps of a node and of a dof. */
enum { AFXI_ARTICULATED = 42, AFXI_ARTICULATED_DOF = 8 };

/** A rigid body's inertia in world axes about a reference point. */
typedef struct AfxiSpatialInertia {
    double mass;
    AfxVec3 moment;
    double inertia[6]; /* xx, yy, zz, xy, xz, yz */
} AfxiSpatialInertia;

/** (angular, linear) of a motion, or (torque, force). */
typedef struct AfxiSpatial {
    AfxVec3 w, v;
} AfxiSpatial;

/** A node at a state. */
typedef struct AfxiNodeState {
    AfxiMat3 r;           /* its axes, world */
    AfxVec3 p;            /* its origin, from the reference point */
    AfxiSpatial velocity; /* about the reference point */
    AfxiSpatial bias;     /* c: what velocities alone make of its acceleration against its parent's */
    AfxiSpatial acceleration, force;
    AfxiSpatialInertia own, beyond;
} AfxiNodeState;

/** How a kinematic body moves: its principal frame. */
typedef struct AfxiMovedState {
    AfxiMat3 r;
    AfxVec3 p, w, v, dw, dv; /* velocities and accelerations of its centre */
} AfxiMovedState;

/** The builds of the recursions for one number of lanes (recursion.h). */
typedef struct AfxiTreeKernels AfxiTreeKernels;

typedef struct AfxiTreeWork {
    const AfxiTree *tree;
    const AfxiTreeKernels *kernels;
    void *raw;
    size_t raw_size;
    AfxiNodeState *node;          /* [nodes + 1], the last is what stands still */
    AfxVec3 *reference;           /* [nodes] of the tree that begins with this node */
    AfxiSpatial *axis;            /* [dofs] */
    AfxiMovedState *moved, *kept; /* [nodes] of those of kind MOVED */
    bool placed;                  /* frames and velocities are still those that whoever has set this has made */
    double *articulated;          /* [nodes][21 + 6], and what ABA keeps of a dof [dofs][8] */
    double *articulated_dof;
    double *number, *armature, *gravity, *wheel; /* of more than one lane: [nodes][AFXI_NODE_NUMBERS], [dofs], [3],
                                                    [flywheels][2] */
} AfxiTreeWork;

/** Room for the algorithms, in one lane. On failure there is nothing to destroy. */
AfxStatus afxi_tree_work_create(const AfxiTree *tree, AfxiTreeWork *out_work);
/** The same in lanes, for as many robots of one model as `kernels` do at once: all arrays are [..][lanes], and what is
 * below does not apply but to one lane. */
AfxStatus afxi_tree_work_create_wide(const AfxiTree *tree, const AfxiTreeKernels *kernels, AfxiTreeWork *out_work);
/** Room for numbers of robots in lanes alone: number, armature, gravity, wheel. */
void afxi_tree_work_numbers_take(AfxiTreeWork *work, AfxiArena *arena);
/** The numbers of a robot's own tree into its lane. */
void afxi_tree_work_numbers(AfxiTreeWork *work, uint32_t lane, const AfxiTree *tree);
/** Frees it; all 0 is allowed. */
void afxi_tree_work_destroy(AfxiTreeWork *work);

/** Where kinematic bodies are and how they move, from raw coordinates [bodies][12]; their accelerations are 0. */
void afxi_tree_set_moved(AfxiTreeWork *work, const double *raw_q, const double *raw_v);
/** One of them, from raw coordinates of all bodies. */
AfxiMovedState afxi_tree_moved(const double *raw_q, const double *raw_v, uint32_t body);
/** Kinematic bodies as they are `time` after where afxi_tree_keep_moved found them, at constant accelerations. */
void afxi_tree_keep_moved(AfxiTreeWork *work);
void afxi_tree_shift_moved(AfxiTreeWork *work, double time);
/** Frames and motion axes at coordinates q. All below follow on this. */
void afxi_tree_pose(AfxiTreeWork *work, const double *q);
/** Velocities and bias accelerations at velocities u. */
void afxi_tree_velocity(AfxiTreeWork *work, const double *u);
/** The same with everything at rest, kinematic bodies too. */
void afxi_tree_rest(AfxiTreeWork *work);
/** Inertias in world axes, of bodies and of all beyond each node. */
void afxi_tree_inertia(AfxiTreeWork *work);
/** Those of all beyond each node, from those of the nodes themselves. */
void afxi_tree_gather(AfxiTreeWork *work);
/** RNEA: generalised forces that accelerations du [dofs] (NULL: 0) take, less what `external` [nodes] (NULL: none;
 * world axes, about the reference point) gives. After afxi_tree_velocity and afxi_tree_inertia; leaves accelerations of
 * the nodes, in which gravity counts as one upwards of what stands still. */
void afxi_tree_inverse(AfxiTreeWork *work, const double *du, const AfxiSpatial *external, double *out_tau);
/** CRBA: the lower triangle of the mass matrix, [dofs][dofs] by rows, armature included; entries between branches are
 * 0. After afxi_tree_inertia. */
void afxi_tree_mass(AfxiTreeWork *work, double *out_mass);
/** ABA: accelerations for generalised forces tau. After afxi_tree_velocity and afxi_tree_inertia. */
void afxi_tree_forward(AfxiTreeWork *work, const double *tau, const AfxiSpatial *external, double *out_du);

/** What a wrench on a node gives along each velocity: out [dofs], 0 where it does not move the node. `node` may be
 * AFXI_TREE_NONE. Adds. */
void afxi_tree_add_wrench(const AfxiTreeWork *work, uint32_t node, const AfxiSpatial *wrench, double *out);
/** Origin and axes of a body's principal frame, and its spatial motion about its own centre from one of its node. */
void afxi_tree_body(const AfxiTreeWork *work, uint32_t carried, AfxiMat3 *out_r, AfxVec3 *out_t);
AfxiSpatial afxi_tree_body_motion(const AfxiTreeWork *work, uint32_t carried, const AfxiSpatial *motion);
/** Raw coordinates and velocities of a body of `carried`, into those of all [bodies][12]. */
void afxi_tree_body_raw(const AfxiTreeWork *work, uint32_t carried, double *raw_q, double *raw_v);
/** Raw coordinates and velocities [bodies][12] of all moving bodies, flywheels too. q is only read for flywheels. */
void afxi_tree_to_raw(const AfxiTreeWork *work, const double *q, const double *u, double *raw_q, double *raw_v);
/** Raw coordinates [12] of a flywheel, and its raw velocities at unit velocity of what it follows. */
void afxi_flywheel_place(const AfxiTreeWork *work, const AfxiFlywheel *wheel, const double *q, double *out_q,
                         double *out_v);
/** What unit velocity of the coordinate that a flywheel follows makes of a point of it (its own frame): the point's
 * velocity and the angular one. */
void afxi_flywheel_columns(const AfxiTreeWork *work, const AfxiFlywheel *wheel, const double *q, AfxVec3 point,
                           AfxVec3 *out_linear, AfxVec3 *out_angular);
/** The coordinates after moving with velocities u for a time h: rotations by their exponential. out may be q. */
void afxi_tree_move(const AfxiTree *tree, const double *q, const double *u, double h, double *out);

#endif

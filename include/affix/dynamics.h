/* SPDX-License-Identifier: Apache-2.0 */
/* affix/dynamics.h: the equations of motion of a sim's bodies in joint coordinates, for control and identification.
 *
 * Joints are taken as branches of trees: those that hold, in the order in which they were written, from what stands
 * still outwards. Bodies that no joint holds to it begin a tree of their own. The velocities u of all branches together
 * (*degrees of freedom*) stand in one vector, and
 *
 *     M(q) u' + bias(q, u) = forces,
 *
 * where `forces` is what everything else gives along them: drives, springs, friction, limits, wrenches, contacts, and
 * joints that close a loop. These are not part of M and bias; gravity and the medium that bodies move in are. Of
 * kinematic bodies, velocities count and accelerations do not. Elastic bodies count as rigid ones in their present
 * pose. A body on a rail that an exact coupling gears to one coordinate, and nothing else moves, is armature: a number
 * on the diagonal of M.
 *
 * A degree of freedom is the rate of a joint coordinate, but where a joint has three free rotations: there three of
 * them are the angular velocity of its far side against its near one, in the axes of the joint's frame on the far side.
 * A body that begins a tree has the velocity of its own frame's origin in world axes, then its angular velocity in its
 * own axes. A screw has one: the rate of its angle.
 *
 * All functions allocate at their first call and after a joint was switched. AFX_E_LIMIT above AFX_DOFS_MOST. */
#ifndef AFFIX_DYNAMICS_H
#define AFFIX_DYNAMICS_H

#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Degrees of freedom that these functions go up to. */
#define AFX_DOFS_MOST 4096

/** What a degree of freedom is. */
typedef struct AfxDof {
    uint32_t joint;  /* UINT32_MAX: of a tree that no joint holds */
    uint32_t axis;   /* of the joint, from 0; of a tree that no joint holds: 0 ... 5, translations, then rotations */
    uint32_t body;   /* the one on the far side */
    uint32_t parent; /* the degree of freedom before it on the way to the root; UINT32_MAX: none */
    bool rotation;   /* rad/s; else m/s */
    bool angular;    /* one of three components of an angular velocity: the rate of no coordinate */
    double armature; /* kg m² or kg, part of its entry of the mass matrix */
} AfxDof;

/** Number of degrees of freedom of the trees, n; 0 when there is no memory to find out. */
AFX_API uint32_t afx_sim_dof_count(AfxSim *sim);
/** What degree of freedom `dof` is; AFX_E_ARGUMENT when out of range. */
AFX_API AfxStatus afx_sim_dof(AfxSim *sim, uint32_t dof, AfxDof *out_dof);
/** Velocities u [n] of the present state. */
AFX_API AfxStatus afx_sim_dof_velocities(AfxSim *sim, double *out_velocities);
/** Gives the bodies the velocities that u [n] says, and those of joints that close loops as they come: repair these
 * with afx_sim_assemble. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_dof_velocities(AfxSim *sim, const double *velocities);
/** Mass matrix [n][n], symmetric, in kg, kg m and kg m². */
AFX_API AfxStatus afx_sim_mass_matrix(AfxSim *sim, double *out_mass);
/** Forces [n] at no acceleration: Coriolis and centrifugal terms, weight, and what the medium brakes. */
AFX_API AfxStatus afx_sim_bias_forces(AfxSim *sim, double *out_forces);
/** Forces [n] that hold the bodies against gravity where they are, at rest. */
AFX_API AfxStatus afx_sim_gravity_forces(AfxSim *sim, double *out_forces);
/** Inverse dynamics: forces [n] that accelerations [n] take. */
AFX_API AfxStatus afx_sim_inverse_dynamics(AfxSim *sim, const double *accelerations, double *out_forces);
/** Forward dynamics: accelerations [n] that forces [n] give. AFX_E_NUMERIC where the mass matrix is singular: bodies
 * without inertia. */
AFX_API AfxStatus afx_sim_forward_dynamics(AfxSim *sim, const double *forces, double *out_accelerations);
/** Jacobian of a point of a body (its own frame): its velocity is out_linear [3][n] times u, and the body's angular
 * velocity out_angular [3][n] times u, both in world axes, but for what kinematic bodies add. Either may be NULL. */
AFX_API AfxStatus afx_sim_point_jacobian(AfxSim *sim, uint32_t body, AfxVec3 point, double *out_linear,
                                         double *out_angular);

#ifdef __cplusplus
}
#endif
#endif

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
 * Degrees of freedom are the generalised velocities of the model (qvel, affix/robot.h), in their order and with their
 * meaning, as far as these are velocities of branches; behind them stands what qvel does not tell (AfxDof.qvel says
 * which are which). For a robot from a file, u is qvel. Of the others, each is the rate of a joint coordinate, but
 * where a joint has three free rotations: there three of them are the angular velocity of its far side against its near
 * one, in the axes of the joint's frame on the far side. A body that begins a tree has the velocity of its own frame's
 * origin in world axes, then its angular velocity in its own axes. A screw has one: the rate of its angle.
 * AFX_E_NUMERIC where qvel has rates of Cardan angles and these are lost.
 *
 * Joints that close loops and exact couplings tie the velocities to each other: G u = 0, when nothing kinematic moves.
 * Functions that have "constrained" or "project" in their names, and the operational-space inertia, take them into
 * account; for trees they are the same as those without.
 *
 * All functions allocate at their first call and after a joint was switched. AFX_E_LIMIT above AFX_DOFS_MOST, where
 * they work on matrices that are as large. */
#ifndef AFFIX_DYNAMICS_H
#define AFFIX_DYNAMICS_H

#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Degrees of freedom that matrices of all by all go up to. */
#define AFX_DOFS_MOST 4096

/** What a degree of freedom is. */
typedef struct AfxDof {
    uint32_t joint;  /* UINT32_MAX: of a tree that no joint holds */
    uint32_t axis;   /* of the joint, from 0; of a tree that no joint holds: 0 ... 5, translations, then rotations */
    uint32_t body;   /* the one on the far side */
    uint32_t parent; /* the degree of freedom before it on the way to the root; UINT32_MAX: none */
    uint32_t qvel;   /* its place in qvel; UINT32_MAX: it is not told there */
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
/** Accelerations u' [n] of the last step: how much velocities have changed in it, by its length. 0 before the first
 * step and after a state was set. */
AFX_API AfxStatus afx_sim_dof_accelerations(AfxSim *sim, double *out_accelerations);
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
/** The same of a site's origin (affix/robot.h). */
AFX_API AfxStatus afx_sim_site_jacobian(AfxSim *sim, uint32_t site, double *out_linear, double *out_angular);
/** Acceleration of a point of a body (its own frame) and angular acceleration of the body, world axes, at accelerations
 * [n]; NULL: none, which leaves what velocities alone make, (d/dt J) u. Gravity is not in it. */
AFX_API AfxStatus afx_sim_point_acceleration(AfxSim *sim, uint32_t body, AfxVec3 point, const double *accelerations,
                                             AfxVec3 *out_linear, AfxVec3 *out_angular);

/** Mass, centre and its velocity of `body` and all that branches carry beyond it; UINT32_MAX: of all moving bodies. Any
 * output may be NULL. AFX_E_ARGUMENT where nothing of that moves. */
AFX_API AfxStatus afx_sim_center_of_mass(AfxSim *sim, uint32_t body, double *out_mass, AfxVec3 *out_position,
                                         AfxVec3 *out_velocity);
/** Jacobian [3][n] of that centre: its velocity is this times u. */
AFX_API AfxStatus afx_sim_center_of_mass_jacobian(AfxSim *sim, uint32_t body, double *out_jacobian);
/** Momentum of the same, the angular one about its centre of mass, without what kinematic bodies add; and the matrix
 * [6][n] that gives it, linear rows first, when multiplied by u. Either may be NULL. */
AFX_API AfxStatus afx_sim_centroidal_momentum(AfxSim *sim, uint32_t body, AfxMomentum *out_momentum,
                                              double *out_matrix);
/** What afx_sim_joint_reaction tells, in the axes of a frame in the world and about its origin. */
AFX_API AfxStatus afx_sim_joint_reaction_in(const AfxSim *sim, uint32_t joint, AfxPose frame, AfxWrench *out_reaction);

/* ---- loops ---- */

/** Number of rows of what ties velocities to each other, m: joints that close loops, and exact couplings. Rows may be
 * redundant. Drives that tell a position are not among them. */
AFX_API uint32_t afx_sim_constraint_count(AfxSim *sim);
/** G [m][n], and how far each row is from being met, [m], in m or rad. Either may be NULL. */
AFX_API AfxStatus afx_sim_constraint_jacobian(AfxSim *sim, double *out_jacobian, double *out_values);
/** The velocities that rows allow and that are nearest to `velocities` [n], by kinetic energy of the difference. */
AFX_API AfxStatus afx_sim_project_velocities(AfxSim *sim, const double *velocities, double *out_velocities);
/** P^T M P [n][n], where P projects velocities as above: the kinetic energy of what is left of any velocity. */
AFX_API AfxStatus afx_sim_projected_mass_matrix(AfxSim *sim, double *out_mass);
/** Accelerations [n] that forces [n] give, with the forces of what closes loops. */
AFX_API AfxStatus afx_sim_constrained_forward_dynamics(AfxSim *sim, const double *forces, double *out_accelerations);
/** Forces [n] along the dofs that `actuated` [n] says (NULL: all), 0 elsewhere, which give accelerations [n] together
 * with the forces of what closes loops; of several that do, nearly the least. AFX_E_NUMERIC where there are none. */
AFX_API AfxStatus afx_sim_constrained_inverse_dynamics(AfxSim *sim, const double *accelerations, const bool *actuated,
                                                       double *out_forces);
/** Inertia of a task with Jacobian J [rows][n], loops taken into account: out_inverse = J P M^-1 J^T [rows][rows] and
 * its inverse, either may be NULL. AFX_E_NUMERIC where the inertia is asked for and a part of the task cannot be done.
 */
AFX_API AfxStatus afx_sim_operational_inertia(AfxSim *sim, uint32_t rows, const double *jacobian, double *out_inverse,
                                              double *out_inertia);

#ifdef __cplusplus
}
#endif
#endif

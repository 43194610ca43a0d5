/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: rigs of a scene, its model and one sim. */
#ifndef AFX_TEST_JOINT_TESTS_H
#define AFX_TEST_JOINT_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "support/check.h"
#include "support/joint_reference.h"
#include "support/random.h"
#include "support/sim.h"

/** Each runs one group and returns the number of failed tests. */
int run_rows_tests(void);
int run_axis_tests(void);
int run_arms_tests(void);
int run_groups_tests(void);
int run_velocity_tests(void);
int run_adams_tests(void);
int run_pendulum_tests(void);
int run_top_tests(void);
int run_motion_tests(void);
int run_statics_tests(void);
int run_load_tests(void);
int run_solves_tests(void);
int run_residual_tests(void);
int run_loops_tests(void);
int run_chain_tests(void);
int run_drive_position_tests(void);
int run_target_tests(void);
int run_drive_velocity_tests(void);
int run_drive_force_tests(void);
int run_drive_servo_tests(void);
int run_drive_motors_tests(void);
int run_limit_tests(void);
int run_hand_tests(void);
int run_swing_tests(void);
int run_friction_tests(void);
int run_crowded_tests(void);
int run_flywheel_tests(void);
int run_spring_tests(void);
int run_coupling_tests(void);
int run_assemble_tests(void);
int run_start_tests(void);
int run_mobility_tests(void);
int run_break_tests(void);
int run_paths_tests(void);
int run_structure_tests(void);
int run_turn_tests(void);
int run_table_tests(void);

#define PI 3.14159265358979323846
/** Pitch of the screws of random rigs, m per radian. */
#define PITCH 0.05

/** A scene, its model (made by the first rig_start) and one sim of it. */
typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} Rig;

Rig rig_make(AfxVec3 gravity);
AfxBodyId rig_body(Rig *rig, const AfxBodyDef *def);
/** A joint of a kind with its frame given in the world; the bodies are where it holds. */
AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame);
AfxJointId rig_joint_def(Rig *rig, const AfxJointDef *def);
/** Compiles when not yet done, and makes a sim in place of the one that was there. */
void rig_start(Rig *rig, const AfxSimDef *def);
/** Steps that must go well; the largest residual, and all flags of the reports (out_flags may be NULL). */
double rig_run(Rig *rig, uint32_t steps, uint32_t *out_flags);
void rig_free(Rig *rig);

AfxPose rig_pose(const Rig *rig, AfxBodyId body);
AfxTwist rig_twist(const Rig *rig, AfxBodyId body);
AfxWrench rig_reaction(const Rig *rig, AfxJointId joint);
double rig_coordinate(const Rig *rig, AfxJointId joint, uint32_t axis);
double rig_energy(const Rig *rig);
bool rig_finite(const Rig *rig);

/** Default settings but for integrator and step. */
AfxSimDef sim_def(AfxIntegrator integrator, double dt);
/** The same, solved to convergence. */
AfxSimDef accurate_def(AfxIntegrator integrator, double dt);

/** A rigid body whose frame is neither principal nor at the centre of mass. */
AfxBodyDef odd_def(uint64_t *seed);

/* ---- joint kinds by what they leave free, read from AFX_JOINT_TABLE ---- */

/** The free axes of a kind, "xyz" or a part of it. */
const char *kind_translations(AfxJointKind kind);
const char *kind_rotations(AfxJointKind kind);
/** The follower's joint frame seen from the base's at random free coordinates where the joint holds. */
AfxPose kind_random_motion(AfxJointKind kind, double length, double reach, uint64_t *seed);
/** A random relative velocity that the joint allows at such a place: of the follower's joint frame, base axes. */
AfxTwist kind_random_twist(AfxJointKind kind, AfxPose at, double size, uint64_t *seed);

/** What the base of a random rig is: the world, a free body, or one that moves at constant velocities. */
typedef enum BaseMode { BASE_WORLD, BASE_FREE, BASE_KINEMATIC, BASE_MODES } BaseMode;
extern const char *const base_names[BASE_MODES];

/** Two bodies (one, when the base is the world) and a joint that holds, all poses, frames and allowed velocities
 * random. Body 0 is the follower, body 1 the base. */
Rig random_rig(AfxJointKind kind, BaseMode mode, uint64_t *seed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: worlds of a scene, its model and one sim. */
#ifndef AFX_TEST_STEP_TESTS_H
#define AFX_TEST_STEP_TESTS_H

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
#include "support/random.h"
#include "support/rigid_reference.h"
#include "support/sim.h"

/** Each runs one group and returns the number of failed tests. */
int run_top_tests(void);
int run_spin_tests(void);
int run_order_tests(void);
int run_box_tests(void);
int run_elastic_tests(void);
int run_projectile_tests(void);
int run_wrench_tests(void);
int run_thin_tests(void);
int run_robust_tests(void);
int run_query_tests(void);
int run_state_tests(void);
int run_control_tests(void);
int run_kinematic_tests(void);
int run_snapshot_tests(void);
int run_restart_tests(void);
int run_determinism_tests(void);
int run_memory_tests(void);
int run_argument_tests(void);
int run_chain_tests(void);
int run_long_chain_tests(void);
int run_chain_failure_tests(void);
int run_param_tests(void);
int run_hold_tests(void);
int run_stiff_start_tests(void);

/** The four integrators with their names and orders, BDF2 first; SDIRK2's order is only that of a bad day. */
typedef struct Method {
    AfxIntegrator integrator;
    const char *name;
    double rho;
    int order;
} Method;

enum { METHODS = 4 };
extern const Method methods[METHODS];

/** A scene, its model (made by the first world_start) and one sim of it. */
typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} World;

World world_make(AfxVec3 gravity);
uint32_t world_add(World *world, const AfxBodyDef *def);
/** A body with one shape. */
uint32_t world_add_shape(World *world, const AfxBodyDef *def, const AfxShapeDef *shape);
/** Bars on balls with springs, one after the other from the world on, every second one turning the other way. */
void world_add_bars(World *world, AfxVec3 start, int count, double speed, double stiffness);
void world_load(World *world, uint32_t body, const AfxWrenchDef *wrench);
uint32_t world_mark(World *world, uint32_t body, AfxVec3 point);
/** Compiles when not yet done, and makes a sim in place of the one that was there. */
void world_start(World *world, const AfxSimDef *def);
void world_run(World *world, uint32_t steps);
void world_free(World *world);

/** Default settings but for the integrator and the step. */
AfxSimDef sim_def(const Method *method, double dt);
/** The same, solved to convergence: what the orders and the closed forms are about. */
AfxSimDef accurate_def(const Method *method, double dt);

/** A rigid body whose frame is neither principal nor at the centre of mass, turned, moving and spinning. */
AfxBodyDef odd_def(void);

AfxPose pose_of(const World *world, uint32_t body);
AfxTwist twist_of(const World *world, uint32_t body);
/** Angular velocity in the body's own axes. */
AfxVec3 spin_of(const World *world, uint32_t body);
AfxVec3 centre_of(const World *world, uint32_t body, AfxVec3 center);

/** Distance of a body from the reference: angle, angular velocity, and position and velocity of the frame. */
typedef struct Gap {
    double angle, spin, position, velocity;
} Gap;

Gap gap_between(const World *world, uint32_t body, const RigidReference *reference);

/** Every number of the state is finite. */
bool state_finite(const World *world);
/** All bits of coordinates and velocities, in memory of the caller to free. */
double *state_copy(const World *world);
bool state_equal(const World *world, const double *copy);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: worlds of a scene with contact, its model and one sim. */
#ifndef AFX_TEST_CONTACT_STEP_TESTS_H
#define AFX_TEST_CONTACT_STEP_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "support/check.h"
#include "support/rigid_reference.h"
#include "support/sim.h"

#define GRAVITY 9.81
#define PI 3.14159265358979323846

/** Each runs one group and returns the number of failed tests. */
int run_slope_tests(void);
int run_rest_tests(void);
int run_friction_tests(void);
int run_momentum_tests(void);
int run_impact_tests(void);
int run_soft_tests(void);
int run_compliant_tests(void);
int run_creep_tests(void);
int run_filter_tests(void);
int run_same_tests(void);
int run_overlap_tests(void);
int run_hold_tests(void);
int run_memory_tests(void);
int run_hub_tests(void);
int run_sweep_tests(void);
int run_sleep_tests(void);
int run_wall_tests(void);

/** A scene, its model (made by the first world_start) and one sim of it. */
typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} World;

/** An empty scene, with contact as it is by default. */
World world_make(AfxVec3 gravity);
/** A built-in case with "name=value" arguments, the last one followed by NULL, and a default sim of it. */
World world_case(const char *name, const char *const *arguments);
/** The same for a scene under gravity on the plane z = 0, whose material (and that of all else) is this one. */
World world_ground(const AfxMaterialDef *material);
uint32_t world_add(World *world, const AfxBodyDef *def, const AfxShapeDef *shape);
/** Compiles when not yet done, and makes a sim in place of the one that was there; NULL: the default one. */
void world_start(World *world, const AfxSimDef *def);
void world_run(World *world, double seconds);
void world_free(World *world);

AfxPose pose_of(const World *world, uint32_t body);
AfxTwist twist_of(const World *world, uint32_t body);
AfxVec3 marker_of(const World *world);
/** The same for its velocity. */
AfxVec3 marker_speed(const World *world);
double mass_of(const World *world, uint32_t body);

/** All bits of coordinates and velocities, in memory of the caller to free. */
double *state_copy(const World *world);
bool state_equal(const World *world, const double *copy);

#endif

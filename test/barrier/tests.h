/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and what they share: scenes of bodies with shapes, and sims with barrier contact. */
#ifndef AFX_TEST_BARRIER_TESTS_H
#define AFX_TEST_BARRIER_TESTS_H

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

#define GRAVITY 9.81
#define PI 3.14159265358979323846

/** Each runs one group and returns the number of failed tests. */
int run_geometry_tests(void);
int run_ccd_tests(void);
int run_gradient_tests(void);
int run_rest_tests(void);
int run_joint_tests(void);
int run_bounce_tests(void);
int run_handover_tests(void);
int run_published_tests(void);
int run_soup_tests(void);
int run_refuse_tests(void);

/** A scene, its model (made by the first world_start) and one sim of it. */
typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} World;

/** A scene under gravity (or none) in which all surfaces have this friction. */
World world_make(double gravity, double friction);
/** The plane z = 0. */
void world_plane(World *world);
AfxBodyId world_add(World *world, const AfxBodyDef *def, const AfxShapeDef *shape);
/** A box, or what else, of 1000 kg/m³ at a place; rigid or with E = 1e9 Pa. */
AfxBodyId world_put(World *world, const AfxShapeDef *shape, AfxPose pose, bool rigid);
/** A sim with barrier contact, by `integrator`, dt; *def NULL: the default otherwise. */
void world_start(World *world, AfxIntegrator integrator, double dt);
/** Steps; each is checked for intersections. The largest of all violations of joints comes back, of iterations their
 * mean in *out_mean (may be NULL). */
double world_run(World *world, uint32_t steps, double *out_mean);
void world_free(World *world);
AfxPose pose_of(const World *world, AfxBodyId body);
AfxTwist twist_of(const World *world, AfxBodyId body);
bool test_long(void);

#endif

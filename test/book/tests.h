/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the energy book and of the watchdog over it. */
#ifndef AFX_TEST_BOOK_TESTS_H
#define AFX_TEST_BOOK_TESTS_H

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
#include "support/rigid_reference.h"
#include "support/sim.h"

/** Each runs one group and returns the number of failed tests. */
int run_closed_tests(void);
int run_interface_tests(void);

#define GRAVITY 9.81

typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxSimDef def;
} Rig;

/** A scene without contact, and default settings. */
Rig rig_make(void);
void rig_free(Rig *rig);
/** A rigid ball of radius 0.1 m and so many kg. */
AfxBodyId rig_ball(Rig *rig, double mass, AfxVec3 at);
/** A joint of the world's, at a point. */
AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame);
void rig_drive(Rig *rig, AfxJointId joint, AfxDriveDef def);
/** Compiles, and opens the book. */
void rig_start(Rig *rig);
/** Steps for so long; the sum of the works of every step is its change. The book of all of it comes back. */
AfxEnergyBook rig_run(Rig *rig, double seconds);

#endif

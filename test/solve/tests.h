/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the oracle of a step's equations, and the mechanisms they share. */
#ifndef AFX_TEST_SOLVE_TESTS_H
#define AFX_TEST_SOLVE_TESTS_H

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
#include "support/sim.h"

/** Each runs one group and returns the number of failed tests. */
int run_gradient_tests(void);
int run_balance_tests(void);
int run_kind_tests(void);
int run_law_tests(void);
int run_contact_tests(void);
int run_path_tests(void);
int run_judge_tests(void);
int run_island_tests(void);
int run_interface_tests(void);
int run_filter_tests(void);
int run_accuracy_tests(void);
int run_arm_tests(void);

/* What a converged step may leave of its equations. */
#define MET 1e-9
/* Solves that converge everything here but where it is said. */
#define MANY 20

#define ELASTIC 1e7

typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    uint32_t flags; /* of the reports of all steps */
    bool touching;  /* bodies that are added may touch each other */
} Rig;

AfxVec3 at(double x, double y, double z);
/** Contact is off. */
Rig rig_make(AfxVec3 gravity);
void rig_free(Rig *rig);
/** A box whose centre is not its origin and whose axes are not its principal ones. young: INFINITY for a rigid one. */
AfxBodyId rig_body(Rig *rig, AfxVec3 position, double young);
/** A joint whose first axis is along `axis`. A distance is 0.3 m long; a screw has a pitch. */
AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxVec3 point, AfxVec3 axis);
AfxDriveDef rig_drive(AfxDriveKind kind, AfxJointId joint, uint32_t axis);
void rig_add_drive(Rig *rig, const AfxDriveDef *def);
/** Contact is on, and a far body makes it possible: other paths are taken though nothing touches. */
void rig_make_contact_possible(Rig *rig);
/** A plane with normal z at this height. */
void rig_ground(Rig *rig, double z);
/** A scene of the table of cases; argument may be NULL. */
Rig rig_case(const char *name, const char *argument);
/** Model and sim, whose steps are verified. */
void rig_start(Rig *rig, AfxIntegrator integrator, uint32_t solves);
/** So many steps; the largest residuals of all come back. */
AfxResidual rig_run(Rig *rig, uint32_t steps);
/** Nothing is larger than `most`. */
void assert_met(const char *what, AfxResidual residual, double most);

#endif

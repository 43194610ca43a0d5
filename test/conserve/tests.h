/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the integrators that conserve; rigs are those of the tests of joints. */
#ifndef TEST_CONSERVE_TESTS_H
#define TEST_CONSERVE_TESTS_H

#include "joint/tests.h"

int run_kinds_tests(void);
int run_pendulum_tests(void);
int run_long_tests(void);
int run_forces_tests(void);
int run_refuse_tests(void);
int run_same_tests(void);

enum { CONSERVING = 3 };
extern const AfxIntegrator conserving[CONSERVING];
extern const char *const conserving_names[CONSERVING];

/** Largest |energy - that at the start| over the run, with `more` [J] added at every step (NULL: nothing). */
double rig_drift(Rig *rig, uint32_t steps, double (*more)(const Rig *));
/** AFFIX_TEST_LONG is set. */
bool test_long(void);
/** A chain of `count` rods of 1 m and 1 kg on hinges about y, from the world along x. */
Rig rods_make(uint32_t count);
/** The free end of the last one. */
AfxVec3 rods_tip(const Rig *rig);

#endif

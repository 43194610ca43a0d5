/* SPDX-License-Identifier: Apache-2.0 */
/* The validators of all rooms: what is right passes, and each fault that is made by hand is noticed. They are compiled
 * here with assertions on, whatever the build has. */
#ifndef AFX_TEST_VALIDATE_TESTS_H
#define AFX_TEST_VALIDATE_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "step/sim.h"
#include "support/check.h"

/** A built-in case that has run for some steps. */
typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} Rig;

Rig rig_run(const char *name, const char *argument, uint32_t steps);
void rig_free(Rig *rig);

/** Whether `call(context)` ends its process by an assertion; it is called in a child, so nothing is changed here. */
bool is_noticed(void (*call)(void *context), void *context);

int run_state_tests(void);
int run_model_tests(void);
int run_solve_tests(void);
int run_sparse_tests(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room: what goes wrong around a simulation, and must not go wrong in it. */
#ifndef AFX_TEST_FAULT_TESTS_H
#define AFX_TEST_FAULT_TESTS_H

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
#include "support/allocator.h"
#include "support/check.h"

/** Each runs one group and returns the number of failed tests. */
int run_memory_tests(void);
int run_many_tests(void);
int run_restore_tests(void);
int run_foreign_tests(void);
int run_misuse_tests(void);

/** A built-in case with one "name=value" argument (NULL: none), its model and a sim. */
typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} World;

/** A case that is small, and its argument. */
typedef struct Small {
    const char *name, *argument;
} Small;

/** Cases with contacts: against the ground, between bodies, with joints; `small_count` of them. */
extern const Small small_cases[];
extern const uint32_t small_count;

/** With an allocator of the caller. The test fails when it cannot be made. */
World world_make(const Small *small, const AfxAllocator *allocator);
void world_free(World *world);
/** Four bodies after five steps: a fixed plane, a box that slides on it, an arm on a hinge with a servo, a limit and a
 * drive from input, and a kinematic body with a target. With integrators that conserve: without contact and drives. */
World world_mixed(AfxIntegrator integrator);
/** All of the state, as bytes for the caller to free. */
void *world_state(const World *world, size_t *out_size);
/** FNV-1a over coordinates and velocities, as `affix run --json` prints it. */
uint64_t world_hash(const World *world);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the trace, and what they share: a scene, its model and a sim whose trace is on. */
#ifndef AFX_TEST_SOLVE_TRACE_TESTS_H
#define AFX_TEST_SOLVE_TRACE_TESTS_H

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
#include "support/sim.h"

/** Each runs one group and returns the number of failed tests. */
int run_event_tests(void);
int run_ring_tests(void);

typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} World;

World world_make(double gravity, bool contact);
/** A built-in case with one argument (NULL: none); `def` NULL: default settings and the case's own dt. */
World world_case(const char *name, const char *argument, const AfxSimDef *def);
/** Compiles and makes a sim with a trace of 4096 events. */
void world_start(World *world, const AfxSimDef *def);
void world_free(World *world);
AfxBodyId world_body(World *world, const AfxBodyDef *def);
AfxJointId world_joint(World *world, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame);

/** Events of a kind, and iterations of a reason, that the trace has. */
uint32_t count_kind(const AfxSim *sim, AfxTraceKind kind);
uint32_t count_reason(const AfxSim *sim, AfxTraceReason reason);
/** The first event of a kind; the test fails when there is none. */
AfxTraceEvent first_of(const AfxSim *sim, AfxTraceKind kind);
AfxTraceEvent event_at(const AfxSim *sim, uint32_t index);
/** A step after which the trace has nothing but its events. */
AfxStatus traced_step(AfxSim *sim, AfxStepReport *out_report);

#endif

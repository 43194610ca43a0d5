/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the published formulations, and what they share. */
#ifndef TEST_FORMULATION_TESTS_H
#define TEST_FORMULATION_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "affix/affix.h"

int run_envelope_tests(void);
int run_motion_tests(void);
int run_failure_tests(void);
int run_refusal_tests(void);
int run_table_tests(void);

/** A sim of a built-in case, with the model that it needs. */
typedef struct Trial {
    AfxModel *model;
    AfxSim *sim;
} Trial;

/** Makes a sim of a case from `count` arguments; BDF1 for all formulations. The test fails when it cannot. */
Trial trial_start(const char *name, uint32_t count, const char *const *texts, AfxFormulation formulation, double dt,
                  uint32_t solves);
void trial_end(Trial *trial);
/** The first marker. */
AfxVec3 trial_marker(const Trial *trial);
/** Largest change of length of a body's axes: | |a_k| - 1 |. */
double trial_strain(const Trial *trial);

#endif

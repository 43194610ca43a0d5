/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room. */
#ifndef AFX_TEST_SWEEP_TESTS_H
#define AFX_TEST_SWEEP_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/study.h"

/** Each runs one group and returns the number of failed tests. */
int run_point_tests(void);
int run_journal_tests(void);
int run_optimise_tests(void);
int run_worker_tests(void);

/** Opens a study from its text; the test fails, with the error printed, when that does. */
AfxiStudy *open_study(const char *text);

#endif

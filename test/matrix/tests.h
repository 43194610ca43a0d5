/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room. */
#ifndef AFX_TEST_MATRIX_TESTS_H
#define AFX_TEST_MATRIX_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/check.h"

/** Each runs one group and returns the number of failed tests. */
int run_reference_tests(void);
int run_parts_tests(void);
int run_same_tests(void);
int run_superposition_tests(void);
int run_cases_tests(void);
/** Prints what all cells came to. */
void print_matrix(void);

#endif

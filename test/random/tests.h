/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of random mechanisms. */
#ifndef AFX_TEST_RANDOM_TESTS_H
#define AFX_TEST_RANDOM_TESTS_H

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
#include "examine.h"
#include "support/check.h"

/** Each runs one group and returns the number of failed tests. */
int run_mechanism_tests(void);

#endif

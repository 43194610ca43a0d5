/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room. */
#ifndef AFX_TEST_VIEW_TESTS_H
#define AFX_TEST_VIEW_TESTS_H

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

/** Each runs one group and returns the number of failed tests. */
int run_message_tests(void);
int run_hand_tests(void);
int run_frame_tests(void);
int run_host_tests(void);

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define assert_ok(call) assert_int_equal((call), AFX_OK)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the command line's parts; each returns the number of failed tests. The program itself is tested
 * by the scripts beside this file. */
#ifndef TEST_CLI_TESTS_H
#define TEST_CLI_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int run_json_tests(void);
int run_samples_tests(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of the cases; each returns the number of failed tests. */
#ifndef TEST_CASES_TESTS_H
#define TEST_CASES_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int run_text_tests(void);
int run_random_tests(void);
int run_argument_tests(void);
int run_build_tests(void);
int run_known_tests(void);
int run_joint_tests(void);
int run_linkage_tests(void);
int run_tied_tests(void);
int run_scale_tests(void);
int run_tree_tests(void);
int run_crowd_tests(void);
int run_apart_tests(void);
int run_drape_tests(void);
int run_runs_tests(void);
int run_touch_tests(void);
int run_robots_tests(void);
int run_truth_tests(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_COLLIDE_TESTS_H
#define TEST_COLLIDE_TESTS_H

int run_span_tests(void);
int run_stale_tests(void);

#endif

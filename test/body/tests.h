/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room. */
#ifndef AFX_TEST_BODY_TESTS_H
#define AFX_TEST_BODY_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "body/energy.h"

/** Each runs one group and returns the number of failed tests. */
int run_blocks_tests(void);
int run_constants_tests(void);

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)

static inline void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
    _fail(file, line);
}

#endif

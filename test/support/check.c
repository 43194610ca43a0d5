/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/rigid_reference.h"

void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g (by %g)\n", got, want, tolerance, got - want);
    _fail(file, line);
}

void assert_below_at(double got, double bound, const char *file, int line) {
    if (got < bound) {
        return;
    }
    print_error("%g is not below %g\n", got, bound);
    _fail(file, line);
}

void assert_vec3_at(AfxVec3 got, AfxVec3 want, double tolerance, const char *file, int line) {
    if (v3_distance(got, want) <= tolerance) {
        return;
    }
    print_error("(%.12g, %.12g, %.12g) is not (%.12g, %.12g, %.12g) within %g (by %g)\n", got.x, got.y, got.z, want.x,
                want.y, want.z, tolerance, v3_distance(got, want));
    _fail(file, line);
}

double slope(double coarse, double fine) {
    return log2(coarse / fine);
}

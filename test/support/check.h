/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions about numbers and vectors. Include it where cmocka.h is. */
#ifndef AFX_TEST_SUPPORT_CHECK_H
#define AFX_TEST_SUPPORT_CHECK_H

#include "affix/math.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/** Sanitizers look at how memory is used, not at what many steps add up to: what takes long is shorter there. */
#if defined(__has_feature) /* clang's way of telling */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#if defined(TEST_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)
/** got < bound, and not NaN. */
#define assert_below(got, bound) assert_below_at((got), (bound), __FILE__, __LINE__)
/** |got - want| <= tolerance, and not NaN. */
#define assert_vec3(got, want, tolerance) assert_vec3_at((got), (want), (tolerance), __FILE__, __LINE__)
#define assert_ok(call) assert_int_equal((call), AFX_OK)

void assert_near_at(double got, double want, double tolerance, const char *file, int line);
void assert_below_at(double got, double bound, const char *file, int line);
void assert_vec3_at(AfxVec3 got, AfxVec3 want, double tolerance, const char *file, int line);

/** log2 of coarse / fine: the order that halving the step shows. */
double slope(double coarse, double fine);

#endif

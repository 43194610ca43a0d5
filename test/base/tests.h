/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and random bits for them. */
#ifndef AFX_TEST_BASE_TESTS_H
#define AFX_TEST_BASE_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Each runs one group and returns the number of failed tests. */
int run_memory_tests(void);
int run_hash_tests(void);
int run_intern_tests(void);
int run_status_tests(void);
int run_task_tests(void);
int run_assert_tests(void);

/** 64 random bits: splitmix64 (Steele, Lea and Flood 2014). */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif

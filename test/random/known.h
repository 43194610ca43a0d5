/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that are known and not cured yet, by class, with how many of them there may be: the list is here to get
 * shorter. What is in no class, or one too many, fails the test. */
#ifndef AFX_TEST_RANDOM_KNOWN_H
#define AFX_TEST_RANDOM_KNOWN_H

#include "examine.h"

typedef struct Known {
    const char *name;
    bool (*has)(const Mechanism *mechanism, const Finding *finding);
    uint32_t most;          /* among the seeds of the short test */
    double most_of_hundred; /* among many */
    const char *why;
} Known;

extern const Known known_faults[];
extern const uint32_t known_fault_count;

/** The first class that a finding belongs to, or known_fault_count. */
uint32_t known_class(const Mechanism *mechanism, const Finding *finding);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the broad phase share: a scene of boxes, and its pairs by comparing all with all. */
#ifndef AFX_TEST_CONTACT_BROAD_TESTS_H
#define AFX_TEST_CONTACT_BROAD_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/broad.h"
#include "support/allocator.h"
#include "support/check.h"
#include "support/random.h"

typedef struct Boxes {
    uint32_t count, excluded_count;
    AfxiBroadItem *item;                         /* [count] */
    double (*lower)[3], (*upper)[3];             /* [count] */
    double (*velocity)[3];                       /* [count] per step */
    double (*start_lower)[3], (*start_upper)[3]; /* [count] boxes of the first update */
    AfxiPair *excluded;                          /* [excluded_count] */
    double margin;
    TestAllocator counts;
} Boxes;

/** All of one group that wants itself, each its own owner, moving, at the origin, without size. */
Boxes boxes_make(uint32_t count);
void boxes_free(Boxes *boxes);
void boxes_set(Boxes *boxes, uint32_t item, const double center[3], const double half[3]);
AfxiBroadDef boxes_def(Boxes *boxes);
AfxiBroad *boxes_broad(Boxes *boxes, uint32_t lanes);
/** Remembers the present boxes as those of the first update. */
void boxes_start(Boxes *boxes);
/** Moves all that is not still by its velocity. */
void boxes_move(Boxes *boxes);
/** The pairs are those that comparing all with all gives, in order. Returns how many. */
uint32_t boxes_check(const Boxes *boxes, const AfxiBroad *broad);
uint32_t boxes_check_pairs(const Boxes *boxes, const AfxiPair *pair, uint32_t count);

int run_clusters_tests(void);
int run_pairs_tests(void);
int run_worst_tests(void);
int run_memory_tests(void);

#endif

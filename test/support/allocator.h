/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts, and that fails on demand. */
#ifndef AFX_TEST_SUPPORT_ALLOCATOR_H
#define AFX_TEST_SUPPORT_ALLOCATOR_H

#include "affix/base.h"

typedef struct TestAllocator {
    size_t live, peak; /* bytes asked for and not yet freed: now, and at most so far */
    uint64_t calls;    /* calls that asked for memory (frees are not counted) */
    uint64_t frees;    /* calls that freed */
    uint64_t fail_at;  /* the call of this number (from 1) fails; 0: none does */
    bool fail_on;      /* and every later one too */
    uint64_t errors;   /* blocks given back with another size than they were asked for with */
} TestAllocator;

/** An allocator over `counts`, which must outlive it. Zero it, then set fail_at as wanted. */
AfxAllocator test_allocator(TestAllocator *counts);

#endif

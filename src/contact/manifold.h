/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points that last: a list of points named by (item a, item b, feature), each with a few numbers that go on
 * from step to step (the stretch of a tangential spring, the last normal force). It is part of a simulation's state.
 *
 * A step begins a new list, adds its points in any order, and finishes: then the points are sorted by name, and each
 * has the numbers of the point of that name in the list before, or zeros when there was none. The list is a function of
 * what was added and of the list before alone. Points of equal names are allowed: they keep the order they were added
 * in, and the first goes on from the first, the second from the second. */
#ifndef AFXI_CONTACT_MANIFOLD_H
#define AFXI_CONTACT_MANIFOLD_H

#include "affix/base.h"

typedef struct AfxiManifold AfxiManifold;

typedef struct AfxiContactPoint {
    uint32_t a, b, feature; /* the caller's, a < b */
    uint32_t known;         /* after finishing: 1 when the list before had this point, else 0 */
} AfxiContactPoint;

/** An empty list whose points have `numbers` doubles each (1 to 64). */
AfxStatus afxi_manifold_create(const AfxAllocator *allocator, uint32_t numbers, AfxiManifold **out);
void afxi_manifold_destroy(AfxiManifold *manifold);

/** Begins a new list; AFX_E_ARGUMENT when one is open already. */
AfxStatus afxi_manifold_begin(AfxiManifold *manifold);
/** Adds `count` points to the open list, and gives their place: fill in a, b and feature, before anything else is
 * added. On failure nothing is added. */
AfxStatus afxi_manifold_add(AfxiManifold *manifold, uint32_t count, AfxiContactPoint **out);
/** Closes the open list: sorts it and takes over the numbers. On AFX_E_MEMORY it stays open, with its points as they
 * were added, and may be finished again or undone; so too on AFX_E_ARGUMENT: none is open, or a point has a >= b. */
AfxStatus afxi_manifold_finish(AfxiManifold *manifold);
/** Undoes the last begin, whether finished or not: the list before is the present one again, with the numbers that it
 * had when the new one was begun. Once per begin; AFX_E_ARGUMENT when there is nothing to undo. */
AfxStatus afxi_manifold_rollback(AfxiManifold *manifold);

/** Keeps the present list, for afxi_manifold_return, over any number of lists begun after it, without copying. Its
 * numbers must not change from then on until the next begin. AFX_E_ARGUMENT when a list is open. */
AfxStatus afxi_manifold_mark(AfxiManifold *manifold);
/** The marked list is the present one again, and stays marked; AFX_E_ARGUMENT when there is none. */
AfxStatus afxi_manifold_return(AfxiManifold *manifold);

/** The points of the present list: sorted once finished, as added while open. */
const AfxiContactPoint *afxi_manifold_points(const AfxiManifold *manifold, uint32_t *out_count);
/** [count][numbers] of the finished list, to be read and written; not while a list is open. */
double *afxi_manifold_numbers(AfxiManifold *manifold);
/** [count] of the finished list: the how-manieth added each point was. Not after undoing, returning or loading. */
const uint32_t *afxi_manifold_order(const AfxiManifold *manifold);

/** Bytes that afxi_manifold_save writes for the present list. */
size_t afxi_manifold_bytes(const AfxiManifold *manifold);
/** Copies the present list into buffer[size], no pointers, in this machine's byte order. AFX_E_ARGUMENT: a list is
 * open, or size is not afxi_manifold_bytes. */
AfxStatus afxi_manifold_save(const AfxiManifold *manifold, void *buffer, size_t size);
/** Makes what was saved the present list; nothing can be undone then, and nothing is marked. AFX_E_VERSION: made by
 * another version or with another number of doubles; AFX_E_INPUT: the bytes are damaged; all failures leave everything
 * as it was. */
AfxStatus afxi_manifold_load(AfxiManifold *manifold, const void *buffer, size_t size);

#endif

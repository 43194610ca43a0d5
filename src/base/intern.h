/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: equal records (bit by bit) share one index. Memory is the caller's, laid out for the worst case, or grows.
 */
#ifndef AFXI_BASE_INTERN_H
#define AFXI_BASE_INTERN_H

#include "base/hash.h"
#include "base/memory.h"

typedef struct AfxiIntern {
    void *items;     /* [capacity] records of item_size */
    uint32_t *slots; /* [slot_count], index + 1, 0 for none */
    size_t item_size;
    uint32_t count, capacity, slot_count;
    AfxiHashKey key; /* of the slots: records are made of numbers of files */
    uint32_t last;   /* record that was asked for last: neighbours are often alike */
} AfxiIntern;

/** Lays out a table for at most `capacity` records in an arena (both passes). */
void afxi_intern_take(AfxiIntern *table, AfxiArena *arena, uint32_t capacity, size_t item_size);
/** Forgets all records. */
void afxi_intern_clear(AfxiIntern *table);
/** Index of the record equal to *item, added when it is new. The table must have room. */
uint32_t afxi_intern(AfxiIntern *table, const void *item);

/** The same for a table that grows: one that is zero but for item_size. */
AfxStatus afxi_intern_growing(const AfxAllocator *allocator, AfxiIntern *table, const void *item, uint32_t *out_index);
/** Frees what is needed to add to a growing table; items [capacity] stay the caller's to release. */
void afxi_intern_release_slots(const AfxAllocator *allocator, AfxiIntern *table);
/** Frees a growing table with its items. */
void afxi_intern_release(const AfxAllocator *allocator, AfxiIntern *table);

#endif

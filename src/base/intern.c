/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most half full. */
#include "base/intern.h"

#include <string.h>

void afxi_intern_take(AfxiIntern *table, AfxiArena *arena, uint32_t capacity, size_t item_size) {
    uint32_t slots = 16;
    while (slots < UINT32_C(1) << 31 && slots / 2 < capacity) {
        slots *= 2;
    }
    *table = (AfxiIntern){.item_size = item_size, .capacity = capacity, .slot_count = slots};
    table->items = afxi_arena_take(arena, capacity, item_size);
    table->slots = afxi_arena_take(arena, slots, sizeof *table->slots);
    table->key = afxi_hash_key(table->slots);
}

void afxi_intern_clear(AfxiIntern *table) {
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->count = table->last = 0;
}

/* The slot of the record equal to *item, or the empty one where it belongs. */
static uint32_t find_slot(const AfxiIntern *table, const void *item) {
    uint32_t slot = (uint32_t)afxi_hash_keyed(table->key, item, table->item_size) & (table->slot_count - 1);
    while (table->slots[slot]) {
        uint32_t index = table->slots[slot] - 1;
        if (memcmp((char *)table->items + index * table->item_size, item, table->item_size) == 0) {
            break;
        }
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return slot;
}

static bool is_last(const AfxiIntern *table, const void *item) {
    return table->last < table->count &&
           memcmp((char *)table->items + table->last * table->item_size, item, table->item_size) == 0;
}

uint32_t afxi_intern(AfxiIntern *table, const void *item) {
    if (is_last(table, item)) {
        return table->last;
    }
    uint32_t slot = find_slot(table, item);
    if (!table->slots[slot]) {
        memcpy((char *)table->items + table->count * table->item_size, item, table->item_size);
        table->slots[slot] = ++table->count;
    }
    table->last = table->slots[slot] - 1;
    return table->last;
}

/* Twice as many slots, everything sorted in anew. */
static AfxStatus grow(const AfxAllocator *allocator, AfxiIntern *table) {
    uint32_t slots = table->slot_count ? 2 * table->slot_count : 16, capacity = table->capacity;
    if (slots > UINT32_C(1) << 31) {
        return AFX_E_LIMIT;
    }
    uint32_t *fresh = afxi_allocate(allocator, slots * sizeof *fresh);
    AfxStatus status =
        fresh ? afxi_array_reserve(allocator, &table->items, &capacity, slots / 2, table->item_size) : AFX_E_MEMORY;
    if (status != AFX_OK) {
        afxi_release(allocator, fresh, slots * sizeof *fresh);
        return status;
    }
    table->capacity = capacity;
    afxi_intern_release_slots(allocator, table);
    table->slots = fresh;
    table->slot_count = slots;
    table->key = afxi_hash_key(fresh);
    for (uint32_t k = 0; k < table->count; k++) {
        table->slots[find_slot(table, (char *)table->items + k * table->item_size)] = k + 1;
    }
    return AFX_OK;
}

AfxStatus afxi_intern_growing(const AfxAllocator *allocator, AfxiIntern *table, const void *item, uint32_t *out_index) {
    if (table->count >= table->slot_count / 2 && !is_last(table, item)) {
        AfxStatus status = grow(allocator, table);
        if (status != AFX_OK) {
            return status;
        }
    }
    *out_index = afxi_intern(table, item);
    return AFX_OK;
}

void afxi_intern_release_slots(const AfxAllocator *allocator, AfxiIntern *table) {
    afxi_release(allocator, table->slots, table->slot_count * sizeof *table->slots);
    table->slots = NULL;
    table->slot_count = 0;
}

void afxi_intern_release(const AfxAllocator *allocator, AfxiIntern *table) {
    afxi_intern_release_slots(allocator, table);
    afxi_release(allocator, table->items, table->capacity * table->item_size);
    table->items = NULL;
    table->count = table->capacity = table->last = 0;
}

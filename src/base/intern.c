/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most half full. */
#include "base/intern.h"

#include <string.h>

#include "base/hash.h"

void afxi_intern_take(AfxiIntern *table, AfxiArena *arena, uint32_t capacity, size_t item_size) {
    uint32_t slots = 16;
    while (slots < UINT32_C(1) << 31 && slots / 2 < capacity) {
        slots *= 2;
    }
    *table = (AfxiIntern){.item_size = item_size, .capacity = capacity, .slot_count = slots};
    table->items = afxi_arena_take(arena, capacity, item_size);
    table->slots = afxi_arena_take(arena, slots, sizeof *table->slots);
}

void afxi_intern_clear(AfxiIntern *table) {
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->count = 0;
}

uint32_t afxi_intern(AfxiIntern *table, const void *item) {
    uint32_t slot = (uint32_t)afxi_hash(AFXI_HASH_START, item, table->item_size) & (table->slot_count - 1);
    while (table->slots[slot]) {
        uint32_t index = table->slots[slot] - 1;
        if (memcmp((char *)table->items + index * table->item_size, item, table->item_size) == 0) {
            return index;
        }
        slot = (slot + 1) & (table->slot_count - 1);
    }
    memcpy((char *)table->items + table->count * table->item_size, item, table->item_size);
    table->slots[slot] = ++table->count;
    return table->count - 1;
}

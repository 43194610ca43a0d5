/* SPDX-License-Identifier: Apache-2.0 */
/* Names: chunks of text that grow by doubling, and a hash table with linear probing; taking a name out moves the
 * names behind it up, so that there are no tombstones. */
#include "scene/name.h"

#include <string.h>

#include "base/memory.h"

#define CHUNK_MIN 256u
#define CHUNK_MAX 65536u

struct AfxiTextChunk {
    AfxiTextChunk *previous;
    size_t used, size; /* bytes of text */
    char text[];
};

AfxStatus afxi_texts_reserve(AfxiTexts *texts, const AfxAllocator *allocator, size_t length) {
    AfxiTextChunk *last = texts->last;
    if (last && last->size - last->used > length) {
        return AFX_OK;
    }
    size_t size = last ? 2 * last->size : CHUNK_MIN;
    size = size > CHUNK_MAX ? CHUNK_MAX : size;
    size = size > length ? size : length + 1;
    AfxiTextChunk *chunk = afxi_allocate(allocator, sizeof *chunk + size);
    if (!chunk) {
        return AFX_E_MEMORY;
    }
    *chunk = (AfxiTextChunk){.previous = last, .used = 0, .size = size};
    texts->last = chunk;
    return AFX_OK;
}

const char *afxi_texts_add(AfxiTexts *texts, const char *text, size_t length) {
    AfxiTextChunk *last = texts->last;
    char *copy = last->text + last->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    last->used += length + 1;
    return copy;
}

void afxi_texts_free(AfxiTexts *texts, const AfxAllocator *allocator) {
    AfxiTextChunk *chunk = texts->last;
    while (chunk) {
        AfxiTextChunk *previous = chunk->previous;
        afxi_release(allocator, chunk, sizeof *chunk + chunk->size);
        chunk = previous;
    }
    texts->last = NULL;
}

static uint32_t hash_of(const AfxiNames *names, const char *name) {
    return (uint32_t)afxi_hash_keyed(names->key, name, strlen(name));
}

/** The slot of a name, or the empty one where its search ends. */
static uint32_t slot_of(const AfxiNames *names, const char *name, uint32_t hash) {
    uint32_t mask = names->capacity - 1, k = hash & mask;
    while (names->slots[k].name && (names->slots[k].hash != hash || strcmp(names->slots[k].name, name) != 0)) {
        k = (k + 1) & mask;
    }
    return k;
}

/** The first empty slot for a hash. */
static AfxiNameSlot *empty_slot(AfxiNameSlot *slots, uint32_t capacity, uint32_t hash) {
    uint32_t k = hash & (capacity - 1);
    while (slots[k].name) {
        k = (k + 1) & (capacity - 1);
    }
    return slots + k;
}

AfxStatus afxi_names_reserve(AfxiNames *names, const AfxAllocator *allocator) {
    if (names->count < names->capacity / 4 * 3) {
        return AFX_OK;
    }
    uint64_t wanted = names->capacity ? 2 * (uint64_t)names->capacity : 16;
    if (wanted > UINT32_MAX || wanted > SIZE_MAX / sizeof *names->slots) {
        return AFX_E_LIMIT;
    }
    uint32_t capacity = (uint32_t)wanted;
    AfxiNameSlot *slots = afxi_allocate(allocator, capacity * sizeof *slots);
    if (!slots) {
        return AFX_E_MEMORY;
    }
    names->key = names->slots ? names->key : afxi_hash_key(slots);
    for (uint32_t k = 0; k < names->capacity; k++) {
        if (names->slots[k].name) {
            *empty_slot(slots, capacity, names->slots[k].hash) = names->slots[k];
        }
    }
    afxi_release(allocator, names->slots, names->capacity * sizeof *slots);
    names->slots = slots;
    names->capacity = capacity;
    return AFX_OK;
}

void afxi_names_add(AfxiNames *names, const char *name, uint32_t index) {
    uint32_t hash = hash_of(names, name);
    *empty_slot(names->slots, names->capacity, hash) = (AfxiNameSlot){name, hash, index};
    names->count++;
}

void afxi_names_remove(AfxiNames *names, const char *name) {
    uint32_t mask = names->capacity - 1, gap = slot_of(names, name, hash_of(names, name));
    for (uint32_t k = (gap + 1) & mask; names->slots[k].name; k = (k + 1) & mask) {
        uint32_t home = names->slots[k].hash & mask;
        /* Its search starts at home and must not meet the gap: move it there unless home is in (gap, k]. */
        if (((k - home) & mask) >= ((k - gap) & mask)) {
            names->slots[gap] = names->slots[k];
            gap = k;
        }
    }
    names->slots[gap] = (AfxiNameSlot){0};
    names->count--;
}

uint32_t afxi_names_find(const AfxiNames *names, const char *name) {
    if (names->count == 0) {
        return UINT32_MAX;
    }
    const AfxiNameSlot *slot = names->slots + slot_of(names, name, hash_of(names, name));
    return slot->name ? slot->index : UINT32_MAX;
}

void afxi_names_free(AfxiNames *names, const AfxAllocator *allocator) {
    afxi_release(allocator, names->slots, names->capacity * sizeof *names->slots);
    *names = (AfxiNames){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names: a pool of texts that never move, and a hash table (open addressing) from a unique name to an index. In both,
 * `reserve` is the step that may fail, and what follows it cannot. */
#ifndef AFXI_SCENE_NAME_H
#define AFXI_SCENE_NAME_H

#include "affix/base.h"
#include "base/hash.h"

#define AFXI_NAME_MAX 255u /* bytes, without the terminator */

typedef struct AfxiTextChunk AfxiTextChunk;

/** Texts, bump-allocated from chunks that are freed together. */
typedef struct AfxiTexts {
    AfxiTextChunk *last;
} AfxiTexts;

/** Room for one text of `length` bytes and its terminator. */
AfxStatus afxi_texts_reserve(AfxiTexts *texts, const AfxAllocator *allocator, size_t length);
/** Copies a text into the room reserved last. */
const char *afxi_texts_add(AfxiTexts *texts, const char *text, size_t length);
void afxi_texts_free(AfxiTexts *texts, const AfxAllocator *allocator);

typedef struct AfxiNameSlot {
    const char *name; /* NULL: empty */
    uint32_t hash, index;
} AfxiNameSlot;

typedef struct AfxiNames {
    AfxiNameSlot *slots; /* [capacity], a power of two, at most 3/4 full */
    uint32_t count, capacity;
    AfxiHashKey key; /* set with the first slots: names are from files */
} AfxiNames;

/** Room for one more name. */
AfxStatus afxi_names_reserve(AfxiNames *names, const AfxAllocator *allocator);
/** Enters a name that is not in the table; the text must outlive the table. */
void afxi_names_add(AfxiNames *names, const char *name, uint32_t index);
/** Takes a name out; it must be in the table. */
void afxi_names_remove(AfxiNames *names, const char *name);
/** The index of a name, or UINT32_MAX. */
uint32_t afxi_names_find(const AfxiNames *names, const char *name);
void afxi_names_free(AfxiNames *names, const AfxAllocator *allocator);

#endif

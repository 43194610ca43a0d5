/* SPDX-License-Identifier: Apache-2.0 */
/* Lots of islands, kept by content. */
#include "solve/kept.h"

#include <string.h>

/* So much memory may be that of lots which the last stage did not use, besides half of what it did use. One large
 * island that changes in every step then takes twice its memory, and of many small ones a few may change for a dozen
 * steps before all are made anew. */
#define SPARE_LEAST ((size_t)1 << 18)

typedef struct PairKey {
    uint32_t body_a, body_b, rows;
} PairKey;

struct AfxiKeptLot {
    AfxiIslandLot lot;
    uint32_t *root; /* [root_count] */
    PairKey *pair;  /* [pair_count] */
    uint32_t root_count, pair_count;
    uint64_t stage; /* last one that used it */
    size_t bytes;
};

void afxi_kept_create(AfxiKeptLots *kept, const AfxAllocator *allocator, uint32_t body_count) {
    *kept = (AfxiKeptLots){.of = kept->of, .body_count = body_count};
    afxi_pool_create(&kept->pool, allocator);
}

void afxi_kept_destroy(AfxiKeptLots *kept) {
    afxi_pool_destroy(&kept->pool);
}

static size_t bytes_used(const AfxiPool *pool) {
    size_t bytes = pool->used;
    for (uint32_t k = 0; k + 1 < pool->count; k++) {
        bytes += pool->size[k];
    }
    return bytes;
}

void afxi_kept_begin(AfxiKeptLots *kept) {
    if (bytes_used(&kept->pool) > kept->live + kept->live / 2 + SPARE_LEAST) {
        afxi_pool_reset(&kept->pool);
        memset(kept->of, 0, kept->body_count * sizeof *kept->of);
    }
    kept->live = 0;
    kept->stage++;
}

static bool is_same(const AfxiKeptLot *own, const AfxiIslandDef *def) {
    if (own->root_count != def->root_count || own->pair_count != def->pair_count ||
        memcmp(own->root, def->root, def->root_count * sizeof *def->root) != 0) {
        return false;
    }
    for (uint32_t k = 0; k < def->pair_count; k++) {
        const AfxiPairBlock *pair = &def->pair[k];
        const PairKey *key = &own->pair[k];
        if (key->body_a != pair->body_a || key->body_b != pair->body_b ||
            key->rows != afxi_island_pair_rows(def, pair)) {
            return false;
        }
    }
    return true;
}

static AfxStatus make(AfxiKeptLots *kept, const AfxiIslandDef *def, AfxiKeptLot **out) {
    AfxAllocator memory = afxi_pool_allocator(&kept->pool);
    size_t before = bytes_used(&kept->pool);
    AfxiKeptLot *own = afxi_allocate(&memory, sizeof *own);
    uint32_t *root = own ? afxi_duplicate(&memory, def->root, def->root_count * sizeof *root) : NULL;
    PairKey *pair = root ? afxi_allocate(&memory, (def->pair_count + (size_t)1) * sizeof *pair) : NULL;
    if (!pair) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < def->pair_count; k++) {
        const AfxiPairBlock *from = &def->pair[k];
        pair[k] = (PairKey){from->body_a, from->body_b, afxi_island_pair_rows(def, from)};
    }
    AfxiIslandDef with = *def;
    with.memory = &memory;
    AfxStatus status = afxi_island_create(&with, &own->lot);
    own->root = root;
    own->pair = pair;
    own->root_count = def->root_count;
    own->pair_count = def->pair_count;
    own->bytes = bytes_used(&kept->pool) - before;
    *out = own;
    return status;
}

AfxStatus afxi_kept_lot(AfxiKeptLots *kept, const AfxiIslandDef *def, AfxiIslandLot **out) {
    AfxiKeptLot **place = &kept->of[def->root[0]];
    if (!*place || !is_same(*place, def)) {
        AfxiKeptLot *own;
        AfxStatus status = make(kept, def, &own);
        if (status != AFX_OK) {
            return status;
        }
        *place = own;
        kept->made++;
    }
    AfxiKeptLot *own = *place;
    kept->live += own->stage == kept->stage ? 0 : own->bytes;
    own->stage = kept->stage;
    afxi_island_attach(def, &own->lot);
    *out = &own->lot;
    return AFX_OK;
}

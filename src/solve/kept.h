/* SPDX-License-Identifier: Apache-2.0 */
/* Lots of islands that were made in earlier stages: what touches mostly goes on touching, and planning a graph takes
 * longer than solving it. A lot is found again by what it was made of, so that results do not depend on it. */
#ifndef AFXI_SOLVE_KEPT_H
#define AFXI_SOLVE_KEPT_H

#include "base/pool.h"
#include "solve/islands.h"

/** A lot, and what it was made of. */
typedef struct AfxiKeptLot AfxiKeptLot;

typedef struct AfxiKeptLots {
    AfxiPool pool;
    AfxiKeptLot **of; /* [bodies] by first root; NULL: none */
    uint32_t body_count;
    uint64_t stage; /* that it is */
    size_t live;    /* bytes of lots that this stage uses */
    uint64_t made;  /* lots that were planned, of all stages */
} AfxiKeptLots;

/** `of` stays what it is. */
void afxi_kept_create(AfxiKeptLots *kept, const AfxAllocator *allocator, uint32_t body_count);
void afxi_kept_destroy(AfxiKeptLots *kept);
/** A new stage: no lot is in use. Where most of the memory is that of lots no longer used, all are made anew. */
void afxi_kept_begin(AfxiKeptLots *kept);
/** The lot of an island, attached to what is there now. It is the caller's for this stage, or until it is asked for
 * again. `def->memory` need not be set. */
AfxStatus afxi_kept_lot(AfxiKeptLots *kept, const AfxiIslandDef *def, AfxiIslandLot **out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Lots of one stage: components that touch each other, or that their own lot cannot solve as they are now, put together
 * into one graph, with a block of rows for each pair of shapes that touch. */
#ifndef AFXI_SOLVE_ISLANDS_H
#define AFXI_SOLVE_ISLANDS_H

#include "constraint/contact.h"
#include "engine/lot.h"

/** A pair of shapes of two solved bodies, and its points. */
typedef struct AfxiPairBlock {
    uint32_t body_a, body_b;
    uint32_t first_point, point_count; /* into the set's points, which follow one another */
} AfxiPairBlock;

/** What an island is made of. */
typedef struct AfxiIslandDef {
    AfxiWorld *world;
    AfxiContactSet *set; /* may be NULL */
    AfxiClassTable *table;
    const uint32_t *root; /* [root_count] components, by rising body */
    uint32_t root_count;
    const AfxiPairBlock *pair; /* [pair_count] */
    uint32_t pair_count;
    uint32_t *local;            /* [bodies] where its bodies' places go, UINT32_MAX before */
    const AfxAllocator *memory; /* for all of it */
    AfxCrowd *crowd;            /* what it is when it is refused */
} AfxiIslandDef;

/** A lot of one stage, with the graph that it is over. */
typedef struct AfxiIslandLot {
    AfxiLot lot;
    AfxiGraph graph;
    uint8_t regularise;
} AfxiIslandLot;

/** Makes the lot, which depends on components and pairs alone; `attach` is what is left to do. AFX_E_LIMIT, before
 * there is memory for it: solves would take more than the settings of the sim allow, and def->crowd says what. */
AfxStatus afxi_island_create(const AfxiIslandDef *def, AfxiIslandLot *out);
/** Gives a lot its bodies, points and multipliers as they now are; rows of pair points are those of its graph from then
 * on. */
void afxi_island_attach(const AfxiIslandDef *def, AfxiIslandLot *lot);
/** Rows of a pair's points. */
uint32_t afxi_island_pair_rows(const AfxiIslandDef *def, const AfxiPairBlock *pair);

#endif

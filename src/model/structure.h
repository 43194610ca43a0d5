/* SPDX-License-Identifier: Apache-2.0 */
/* What the joint graph looks like. */
#ifndef AFXI_MODEL_STRUCTURE_H
#define AFXI_MODEL_STRUCTURE_H

#include "model/graph.h"

/** Components, and the elimination from the leaves to the root; memory of its own while a graph is planned. */
typedef struct AfxiStructure {
    AfxComponent *component; /* [component_count] solver not yet set */
    uint32_t component_count;
    uint32_t *of;    /* [blocks of the plan] component of a block or high-degree body */
    uint32_t *order; /* [blocks of the plan] component by component, in each what closes loops last */
    uint32_t *start; /* [component_count + 1] into order */
    uint32_t *place; /* [bodies] work: where a body stands in a list, or UINT32_MAX */
    uint32_t *parent, *list, *queue, *cursor; /* work, [bodies + 1] */
    uint32_t *block_list, *block_start;       /* work */
    uint32_t *high_degree_of;                 /* [bodies] which high-degree body, or UINT32_MAX */
    void *raw;
    size_t raw_size;
} AfxiStructure;

AfxStatus afxi_structure_create(const AfxAllocator *allocator, const AfxiGraph *graph, const uint32_t *high_degree,
                                AfxiStructure *out);
void afxi_structure_destroy(const AfxAllocator *allocator, AfxiStructure *structure);
/** Blocks along paths: from ends first, on through the other body of each block, every block once. `cursor` [bodies]
 * and `seen` [blocks] are scratch. */
void afxi_structure_sweep(const AfxiGraph *graph, uint32_t *cursor, uint8_t *seen, uint32_t *out);
/** Makes parent [body_count] a forest (base/forest.h) of the bodies that the first `blocks` blocks hold together. */
void afxi_graph_join(const AfxiGraph *graph, uint32_t blocks, uint32_t *parent);

#endif

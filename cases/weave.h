/* SPDX-License-Identifier: Apache-2.0 */
/* cases/weave.h: nets of nodes and links. Nodes are balls in columns and rows, a link lies between any two neighbours,
 * with a ball joint at either end, on the rim of the node there. */
#ifndef AFXI_CASES_WEAVE_H
#define AFXI_CASES_WEAVE_H

#include "cases/builder.h"

typedef struct AfxiWeave {
    uint32_t columns, rows;
    bool ring;     /* the first column is the neighbour of the last one */
    uint32_t bare; /* so many first rows have no links along them */
    double pitch;  /* m between neighbours */
    double node_radius, link_radius;
    double young;
    uint32_t contact_group, contact_mask;
    /** Where a node is; neighbours are `pitch` apart. */
    AfxVec3 (*place)(const void *context, uint32_t column, uint32_t row);
    /** Whether a node is a fixed body; NULL: none is. */
    bool (*held)(const void *context, uint32_t column, uint32_t row);
    const void *context; /* of both */
} AfxiWeave;

/** Adds a net to a scene: first its nodes, column by column, then its links. The index of the first node comes back. */
uint32_t afxi_weave_add(AfxiCaseBuilder *builder, const AfxiWeave *weave);
/** The body of a node, `first` being what afxi_weave_add gave. */
AfxBodyId afxi_weave_node(const AfxiCaseBuilder *builder, const AfxiWeave *weave, uint32_t first, uint32_t column,
                          uint32_t row);

#endif

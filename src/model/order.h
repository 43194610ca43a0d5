/* SPDX-License-Identifier: Apache-2.0 */
/* Which order of elimination a graph gets. */
#ifndef AFXI_MODEL_ORDER_H
#define AFXI_MODEL_ORDER_H

#include "model/structure.h"

/** All components are solved so. */
void afxi_structure_name(AfxiStructure *structure, AfxSolver solver);
/** Makes graph->plan for what the graph's solver asks for, and notes in the components what solves them. AFX_E_INPUT: a
 * loop where a tree is asked for; AFX_E_LIMIT: too many rows for the solver. */
AfxStatus afxi_graph_order(const AfxAllocator *allocator, AfxiGraph *graph, const uint32_t *high_degree,
                           const AfxiBlockGraph *blocks, AfxiStructure *structure);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of elimination of the graph, and what assembling it needs. */
#ifndef AFXI_MODEL_PLAN_H
#define AFXI_MODEL_PLAN_H

#include "model/graph.h"

/** What gradients, and numbers that go with them, are kept for: all, or in a forest that is eliminated from the leaves
 * (AfxiRecursion) up to the last one that is not in closed form. */
uint32_t afxi_graph_rows_stored(const AfxiGraph *graph);
uint32_t afxi_graph_bodies_stored(const AfxiGraph *graph);
size_t afxi_graph_gradients_stored(const AfxiGraph *graph);
bool afxi_graph_all_stored(const AfxiGraph *graph);
/** Which of the high-degree bodies, in rising order, a body is; UINT32_MAX: none. */
uint32_t afxi_graph_high_degree(const AfxiGraph *graph, const uint32_t *high_degree, uint32_t body);
/** From blocks, entries, the bodies' lists and the solver: components, the plan of elimination, and where the products
 * of each body's rows go; the last two not for a forest that is eliminated from the leaves. */
AfxStatus afxi_graph_plan(const AfxAllocator *allocator, AfxiGraph *graph);

#endif

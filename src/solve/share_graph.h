/* SPDX-License-Identifier: Apache-2.0 */
/* G = J^T W^-1 J of one graph, by bodies: six numbers of a rigid one (turning and translation), twelve of others. */
#ifndef AFXI_SOLVE_SHARE_GRAPH_H
#define AFXI_SOLVE_SHARE_GRAPH_H

#include "solve/residual_stage.h"
#include "sparse/block.h"

/** A row's gradient on one body. */
typedef struct AfxiSharePart {
    uint32_t row, body; /* of the graph */
    uint32_t entry;     /* of the row's block: the place of the body among its own */
    double g[AFXI_AFFINE_WIDTH];
} AfxiSharePart;

typedef struct AfxiShareGraph {
    const AfxiGraph *graph; /* NULL: there are no loops, nothing to share */
    AfxiBlockPlan plan;     /* a block for each body */
    AfxiBlockFactor factor;
    AfxiBlockSpot *spot;  /* of entries a >= b of a block: pair_start + a (a + 1) / 2 + b */
    size_t *pair_start;   /* [blocks] */
    AfxiSharePart *part;  /* [part_count] rows one after the other */
    uint32_t *part_start; /* [rows + 1] */
    uint32_t part_count;
    uint8_t *width; /* [bodies] unknowns that count */
    double *scale;  /* [unknowns] 1 / sqrt(diagonal); 0: nothing holds it */
    bool fits;      /* no body has become elastic since the plan was made */
    void *raw;
    size_t raw_size;
} AfxiShareGraph;

AfxStatus afxi_share_graph_create(const AfxAllocator *allocator, const AfxModel *model, const AfxiGraph *graph,
                                  AfxiShareGraph *out);
void afxi_share_graph_release(const AfxAllocator *allocator, AfxiShareGraph *own);
/** Gradients of the rows whose `inverse` [rows] is above 0, and G with these as W^-1, factored. */
void afxi_share_graph_prepare(AfxiShareGraph *own, const AfxiResidualStage *stage, const double *inverse);
/** out [rows] <- J y of the rows that take part, 0 of others. */
void afxi_share_graph_rates(const AfxiShareGraph *own, const double *y, double *out);
/** out [unknowns] += J^T x. */
void afxi_share_graph_forces(const AfxiShareGraph *own, const double *x, double *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and bodies one at a time, by stored gradients. */
#ifndef AFXI_DUAL_APPLY_H
#define AFXI_DUAL_APPLY_H

#include "dual/system.h"

static inline double afxi_dual_dot(const double a[AFXI_AFFINE_WIDTH], const double b[AFXI_AFFINE_WIDTH]) {
    double sum = 0;
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static inline uint32_t afxi_dual_entry_rows(const AfxiGraph *graph, const AfxiGraphEntry *entry) {
    return graph->block[entry->block].row_count;
}

/** out = H^-1 g of a body of the graph, contacts included. */
void afxi_system_apply(const AfxiSystem *system, uint32_t body, const double g[AFXI_AFFINE_WIDTH],
                       double out[AFXI_AFFINE_WIDTH]);
/** out = L^T g, L L^T the split blocks of a body's inverse. */
void afxi_dual_root_apply(const AfxiBlocks *x, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]);
/** (compliance lambda) of row r of a block; lambda is that of the block's first row. */
double afxi_dual_compliance(const AfxiSystem *system, const AfxiGraphBlock *block, uint32_t r, const double *lambda);
/** The result of a body that is not in closed form, for the rows that it shares with closed-form ones. */
void afxi_dual_place_body(const AfxiSystem *system, uint32_t body);
/** delta = start - H^-1 J^T lambda for one body; with closed forms, its result too. */
void afxi_dual_primal_body(const AfxiSystem *system, uint32_t body);

#endif

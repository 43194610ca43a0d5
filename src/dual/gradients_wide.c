/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and bodies by stored gradients: gradients.h. Lanes are numbers of one gradient, so that a body or a block is
 * done by itself, however few there are. */
#include "math/simd.h"

#include "dual/apply.h"
#include "dual/gradients.h"

#if AFXI_WIDE_PAYS

#include "body/quad_wide.h"

static void force(const AfxiSystem *system, uint32_t body, double out[AFXI_AFFINE_WIDTH]) {
    const AfxiGraph *graph = system->graph;
    Quad sum[QUADS] = {0};
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        const AfxiGraphBlock *block = &graph->block[entry->block];
        const double *lambda = system->lambda + block->first_row, *end = lambda + block->row_count;
        for (const double *g = system->jacobian + entry->jacobian; lambda < end; lambda++, g += AFXI_AFFINE_WIDTH) {
            quad_add(g, *lambda, sum);
        }
    }
    quad_store12(out, sum);
}

/* The numbers of two bodies, as most blocks have; a third and later ones are loaded again for every row. */
enum { LOADED = 2 };

static void lack(const AfxiSystem *system, const AfxiGraphBlock *block, double *out) {
    const AfxiGraphEntry *entry = system->graph->entry + block->first_entry;
    const double *lambda = system->lambda + block->first_row, *g[LOADED];
    const uint32_t loaded = block->entry_count < LOADED ? block->entry_count : LOADED;
    Quad delta[LOADED][QUADS];
    for (uint32_t e = 0; e < loaded; e++) {
        g[e] = system->jacobian + entry[e].jacobian;
        quad_load12(system->delta + (size_t)AFXI_AFFINE_WIDTH * entry[e].dof.index, delta[e]);
    }
    for (uint32_t r = 0; r < block->row_count; r++) {
        const uint32_t row = block->first_row + r;
        Quad sum = {0};
        for (uint32_t e = 0; e < loaded; e++, g[e - 1] += AFXI_AFFINE_WIDTH) {
            sum = quad_product(g[e], delta[e], sum);
        }
        for (uint32_t e = loaded; e < block->entry_count; e++) {
            const double *own = system->jacobian + entry[e].jacobian + (size_t)AFXI_AFFINE_WIDTH * r;
            Quad other[QUADS];
            quad_load12(system->delta + (size_t)AFXI_AFFINE_WIDTH * entry[e].dof.index, other);
            sum = quad_product(own, other, sum);
        }
        const bool cross = r >= block->plain && r < block->leading;
        double yield = cross ? afxi_dual_compliance(system, block, r, lambda) : system->compliance[row] * lambda[r];
        out[r] = system->value[row] - yield + quad_sum(sum);
    }
}

extern const AfxiGradientKernel AFXI_WIDE(afxi_gradient);
const AfxiGradientKernel AFXI_WIDE(afxi_gradient) = {force, lack};

#else
typedef int AfxiNoGradientVariant; /* a file may not be empty */
#endif

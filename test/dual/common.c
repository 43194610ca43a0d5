/* SPDX-License-Identifier: Apache-2.0 */
/* Dual systems made by hand. */
#include "dual/system.h"
#include "model/plan.h"
#include "sparse/plan.h"
#include "tests.h"

void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
    _fail(file, line);
}

void rig_make(Rig *rig, uint32_t bodies, const BlockSpec *blocks, uint32_t block_count) {
    memset(rig, 0, sizeof *rig);
    AfxiGraph *graph = &rig->graph;
    graph->body_count = bodies;
    graph->block = rig->block;
    graph->row = rig->row;
    graph->entry = rig->entry;
    graph->body_start = rig->body_start;
    graph->body_entry = rig->body_entry;
    assert_true(bodies <= BODIES_MOST && block_count <= BLOCKS_MOST);
    for (uint32_t k = 0; k < block_count; k++) {
        graph->block[k] = (AfxiGraphBlock){.first_row = graph->row_count,
                                           .row_count = blocks[k].rows,
                                           .first_entry = graph->entry_count,
                                           .entry_count = blocks[k].bodies};
        assert_true(graph->row_count + blocks[k].rows <= ROWS_MOST);
        for (uint32_t r = 0; r < blocks[k].rows; r++) {
            graph->row[graph->row_count++].block = k;
        }
        for (uint32_t b = 0; b < blocks[k].bodies; b++) {
            graph->entry[graph->entry_count++] =
                (AfxiGraphEntry){k, {blocks[k].body[b], AFXI_DOF_AFFINE}, graph->jacobian_length};
            graph->jacobian_length += (size_t)AFXI_AFFINE_WIDTH * blocks[k].rows;
        }
    }
    graph->block_count = block_count;
    uint32_t at = 0;
    for (uint32_t body = 0; body < bodies; body++) {
        graph->body_start[body] = at;
        for (uint32_t e = 0; e < graph->entry_count; e++) {
            if (graph->entry[e].dof.index == body) {
                graph->body_entry[at++] = e;
            }
        }
    }
    graph->body_start[bodies] = at;
    AfxAllocator allocator = afx_default_allocator();
    assert_int_equal(afxi_graph_plan(&allocator, graph), AFX_OK);
    AfxiArena arena = {0};
    afxi_system_take(&rig->system, &arena, graph);
    arena.base = afxi_allocate_aligned(&allocator, arena.used, &rig->raw, &rig->raw_size);
    assert_non_null(arena.base);
    arena.used = 0;
    afxi_system_take(&rig->system, &arena, graph);
    memset(rig->system.active, 1, graph->row_count);
    rig->system.blocks = afxi_dual_blocks(0);
    rig->system.gradients = afxi_gradient_kernel(0);
    rig->system.regularise = &rig->regularise;
}

void rig_fill(Rig *rig, double young, bool twist, uint64_t *seed) {
    AfxiSystem *system = &rig->system;
    for (uint32_t k = 0; k < rig->graph.body_count; k++) {
        AfxiBodyClass body = {.mass = 0.5 + random_unit(seed), .volume = 1e-3, .young = young, .poisson = 0.3};
        AfxiScale scale = {1e-4, 1e-2};
        double stiffness[6] = {0};
        for (int e = 0; e < 3; e++) {
            body.s[e] = 0.01 + 0.1 * random_unit(seed);
        }
        system->inverse[k] = (AfxiBodyInverse){.blocks = afxi_body_blocks(&body, scale, 0)};
        for (int e = 0; e < 6; e++) {
            stiffness[e] = twist ? 50 * random_signed(seed) : 0;
        }
        if (twist) {
            assert_true(afxi_body_add_twist(&system->inverse[k], stiffness));
        }
        rig->energy[k] = body_energy(&body, scale, stiffness);
        for (int e = 0; e < 12; e++) {
            system->start[12 * k + e] = 0.1 * random_signed(seed);
        }
    }
    for (size_t k = 0; k < rig->graph.jacobian_length; k++) {
        system->jacobian[k] = random_signed(seed);
    }
    for (uint32_t row = 0; row < rig->graph.row_count; row++) {
        system->value[row] = 0.1 * random_signed(seed);
    }
}

void rig_free(Rig *rig) {
    AfxAllocator allocator = afx_default_allocator();
    afxi_block_plan_destroy(&rig->graph.plan);
    afxi_release(&allocator, rig->graph.spots_raw, rig->graph.spots_raw_size);
    afxi_release(&allocator, rig->raw, rig->raw_size);
}

uint32_t random_blocks(BlockSpec *blocks, uint32_t bodies, uint32_t extra, uint64_t *seed) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < bodies; k++) { /* each body to an earlier one, or to the ground */
        BlockSpec spec = {1 + (uint32_t)(4 * random_unit(seed)), 1, {k}};
        if (k > 0 && random_unit(seed) < 0.8) {
            spec.body[spec.bodies++] = (uint32_t)(k * random_unit(seed));
        }
        blocks[count++] = spec;
    }
    for (uint32_t k = 0; k < extra; k++) { /* one row on up to three bodies */
        BlockSpec spec = {1, 0, {0}};
        uint32_t first = (uint32_t)(bodies * random_unit(seed));
        for (uint32_t b = 0; b < 3 && b < bodies; b++) {
            spec.body[spec.bodies++] = (first + b) % bodies;
        }
        blocks[count++] = spec;
    }
    return count;
}

double *rig_jacobian(Rig *rig, uint32_t block, uint32_t which, uint32_t r) {
    const AfxiGraphEntry *entry = &rig->graph.entry[rig->graph.block[block].first_entry + which];
    return rig->system.jacobian + entry->jacobian + 12 * r;
}

void dense_solve(uint32_t n, Real a[UNKNOWNS_MOST][UNKNOWNS_MOST], Real *x) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++) {
            pivot = fabsl(a[i][k]) > fabsl(a[pivot][k]) ? i : pivot;
        }
        assert_true(a[pivot][k] != 0);
        for (uint32_t j = 0; j < n; j++) {
            Real t = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        Real t = x[k];
        x[k] = x[pivot];
        x[pivot] = t;
        for (uint32_t i = k + 1; i < n; i++) {
            Real factor = a[i][k] / a[k][k];
            for (uint32_t j = k; factor != 0 && j < n; j++) {
                a[i][j] -= factor * a[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++) {
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
    }
}

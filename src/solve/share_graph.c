/* SPDX-License-Identifier: Apache-2.0 */
/* Structure, gradients and factor of one graph. */
#include "solve/share_graph.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "model/params.h"
#include "solve/equation.h"
#include "solve/tuning.h"
#include "sparse/factor.h"
#include "sparse/plan.h"
#include "sparse/solve.h"
#include "sparse/values.h"

static bool is_rigid(const AfxModel *model, const double *params, uint32_t body) {
    return isinf(*afxi_param_const(model, params, AFX_PARAM_BODY_YOUNG, body));
}

static size_t pairs_of(const AfxiGraphBlock *block) {
    return (size_t)block->entry_count * (block->entry_count + 1) / 2;
}

static void take(AfxiShareGraph *own, AfxiArena *arena, size_t pairs, size_t parts) {
    const AfxiGraph *graph = own->graph;
    own->spot = afxi_arena_take(arena, pairs, sizeof *own->spot);
    own->pair_start = afxi_arena_take(arena, graph->block_count, sizeof *own->pair_start);
    own->part = afxi_arena_take(arena, parts, sizeof *own->part);
    own->part_start = afxi_arena_take(arena, (size_t)graph->row_count + 1, sizeof *own->part_start);
    own->width = afxi_arena_take(arena, graph->body_count, 1);
    own->scale = afxi_arena_take(arena, own->plan.row_count, sizeof *own->scale);
    afxi_block_take(&own->factor, arena, &own->plan);
}

/* The order of elimination: bodies that share a block of rows are coupled. */
static AfxStatus make_plan(const AfxAllocator *allocator, const AfxModel *model, AfxiShareGraph *own) {
    const AfxiGraph *graph = own->graph;
    AfxiArena arena = {0};
    uint32_t *size = NULL, *start = NULL, *member = NULL;
    void *raw = NULL;
    size_t raw_size = 0;
    for (int pass = 0; pass < 2; pass++) {
        size = afxi_arena_take(&arena, graph->body_count, sizeof *size);
        start = afxi_arena_take(&arena, (size_t)graph->block_count + 1, sizeof *start);
        member = afxi_arena_take(&arena, graph->entry_count, sizeof *member);
        if (!pass) {
            arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used + 1, &raw, &raw_size);
            arena.used = 0;
        }
        if (!arena.base) {
            return AFX_E_MEMORY;
        }
    }
    for (uint32_t b = 0; b < graph->body_count; b++) {
        size[b] = is_rigid(model, model->params, graph->body[b]) ? 6 : AFXI_AFFINE_WIDTH;
    }
    uint32_t count = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        start[b] = count;
        for (uint32_t e = 0; e < block->entry_count; e++) {
            member[count++] = graph->entry[block->first_entry + e].dof.index;
        }
    }
    start[graph->block_count] = count;
    AfxiBlockGraph wanted = {.count = graph->body_count,
                             .size = size,
                             .clique_count = graph->block_count,
                             .clique_start = start,
                             .member = member,
                             .order = AFXI_ORDER_OWN};
    AfxStatus status = afxi_block_plan_create(allocator, &wanted, &own->plan);
    afxi_release(allocator, raw, raw_size);
    return status;
}

static void find_spots(AfxiShareGraph *own) {
    const AfxiGraph *graph = own->graph;
    size_t at = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphEntry *entry = graph->entry + graph->block[b].first_entry;
        own->pair_start[b] = at;
        for (uint32_t i = 0; i < graph->block[b].entry_count; i++) {
            for (uint32_t j = 0; j <= i; j++) {
                afxi_block_spot(&own->plan, entry[i].dof.index, entry[j].dof.index, &own->spot[at++]);
            }
        }
    }
}

AfxStatus afxi_share_graph_create(const AfxAllocator *allocator, const AfxModel *model, const AfxiGraph *graph,
                                  AfxiShareGraph *out) {
    AfxiArena arena = {0};
    size_t pairs = 0, parts = 0;
    *out = (AfxiShareGraph){.graph = graph};
    for (uint32_t b = 0; b < graph->block_count; b++) {
        pairs += pairs_of(&graph->block[b]);
        parts += (size_t)graph->block[b].row_count * graph->block[b].entry_count;
    }
    AfxStatus status = make_plan(allocator, model, out);
    if (status != AFX_OK) {
        return status;
    }
    take(out, &arena, pairs, parts);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used + 1, &out->raw, &out->raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(out, &arena, pairs, parts);
    find_spots(out);
    return AFX_OK;
}

void afxi_share_graph_release(const AfxAllocator *allocator, AfxiShareGraph *own) {
    if (own->graph) {
        afxi_block_plan_destroy(&own->plan);
        afxi_release(allocator, own->raw, own->raw_size);
        own->graph = NULL;
    }
}

/* ---- gradients ---- */

/* On a rigid body: torque about its origin, force. */
static void narrow(const double *q, const double *gradient, double out[6]) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < 9; c += 3) {
        sum = vec3_add(sum, vec3_cross(vec3_load(q + c), vec3_load(gradient + c)));
    }
    vec3_store(out, sum);
    memcpy(out + 3, gradient + 9, 3 * sizeof *out);
}

static uint32_t entry_of(const AfxiGraph *graph, const AfxiGraphBlock *block, uint32_t body) {
    uint32_t e = 0;
    while (e < block->entry_count && graph->entry[block->first_entry + e].dof.index != body) {
        e++;
    }
    return e;
}

static void read_row(AfxiShareGraph *own, const AfxiResidualStage *stage, uint32_t row) {
    const AfxiGraph *graph = own->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    AfxiEquation equation;
    afxi_equation_of_row(stage, graph, row, &equation);
    for (uint32_t k = 0; k < equation.count; k++) {
        uint32_t body = equation.body[k] == AFXI_WORLD ? UINT32_MAX : graph->local[equation.body[k]];
        uint32_t entry = body != UINT32_MAX ? entry_of(graph, block, body) : block->entry_count;
        if (entry == block->entry_count) {
            continue; /* it is not solved for */
        }
        AfxiSharePart *part = &own->part[own->part_count++];
        *part = (AfxiSharePart){.row = row, .body = body, .entry = entry};
        if (own->width[body] == 6) {
            narrow(afxi_residual_place(stage, equation.body[k]), equation.gradient[k], part->g);
        } else {
            memcpy(part->g, equation.gradient[k], sizeof part->g);
        }
    }
}

static void add_products(AfxiShareGraph *own, uint32_t row, double inverse) {
    const size_t at = own->pair_start[own->graph->row[row].block];
    for (uint32_t a = own->part_start[row]; a < own->part_start[row + 1]; a++) {
        for (uint32_t b = own->part_start[row]; b < own->part_start[row + 1]; b++) {
            const AfxiSharePart *pa = &own->part[a], *pb = &own->part[b];
            if (pa->entry < pb->entry) {
                continue;
            }
            const AfxiBlockSpot *spot = &own->spot[at + (size_t)pa->entry * (pa->entry + 1) / 2 + pb->entry];
            for (uint32_t r = 0; r < own->width[pa->body]; r++) {
                for (uint32_t c = 0; c < own->width[pb->body] && (pa != pb || c <= r); c++) {
                    own->factor.value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] +=
                        inverse * pa->g[r] * pb->g[c];
                }
            }
        }
    }
}

void afxi_share_graph_prepare(AfxiShareGraph *own, const AfxiResidualStage *stage, const double *inverse) {
    const AfxiGraph *graph = own->graph;
    AfxiBlockReport report;
    own->fits = true;
    own->part_count = 0;
    for (uint32_t b = 0; b < graph->body_count; b++) {
        own->width[b] = is_rigid(stage->model, stage->params, graph->body[b]) ? 6 : AFXI_AFFINE_WIDTH;
        own->fits = own->fits && own->width[b] <= own->plan.first_row[b + 1] - own->plan.first_row[b];
    }
    for (uint32_t row = 0; row < graph->row_count; row++) {
        own->part_start[row] = own->part_count;
        if (inverse[row] > 0 && own->fits) {
            read_row(own, stage, row);
        }
    }
    own->part_start[graph->row_count] = own->part_count;
    if (!own->fits) {
        return;
    }
    afxi_block_clear(&own->plan, &own->factor);
    for (uint32_t row = 0; row < graph->row_count; row++) {
        add_products(own, row, inverse[row]);
    }
    afxi_block_diagonal(&own->plan, &own->factor, own->scale);
    for (uint32_t k = 0; k < own->plan.row_count; k++) {
        own->scale[k] = own->scale[k] > 0 ? 1 / sqrt(own->scale[k]) : 0;
    }
    afxi_block_factor(&own->plan, &own->factor, own->scale, AFXI_SHARE_EPSILON, NULL, &report);
}

void afxi_share_graph_rates(const AfxiShareGraph *own, const double *y, double *out) {
    memset(out, 0, own->graph->row_count * sizeof *out);
    for (uint32_t k = 0; k < own->part_count; k++) {
        const AfxiSharePart *part = &own->part[k];
        const double *on = y + own->plan.first_row[part->body];
        for (uint32_t e = 0; e < own->width[part->body]; e++) {
            out[part->row] += part->g[e] * on[e];
        }
    }
}

void afxi_share_graph_forces(const AfxiShareGraph *own, const double *x, double *out) {
    for (uint32_t k = 0; k < own->part_count; k++) {
        const AfxiSharePart *part = &own->part[k];
        double *on = out + own->plan.first_row[part->body];
        for (uint32_t e = 0; e < own->width[part->body]; e++) {
            on[e] += part->g[e] * x[part->row];
        }
    }
}

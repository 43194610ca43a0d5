/* SPDX-License-Identifier: Apache-2.0 */
/* K in the factor's memory: products of the rows of each body, contacts, high-degree bodies, compliances; and its
 * scale. */
#include "dual/assemble.h"

#include <math.h>

#include "dual/apply.h"
#include "dual/closed_form.h"
#include "sparse/factor.h"

static const uint8_t *active_rows(const AfxiSystem *system, const AfxiGraphEntry *entry) {
    return system->active + system->graph->block[entry->block].first_row;
}

/* What the contacts of a body take from the products of its rows: (Y J^T)^T (Y J^T); those that are off are scaled by
 * 0. */
static void subtract_woodbury(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    uint32_t woodbury_index = system->woodbury_of[body], length = system->woodbury->body[woodbury_index].image_count,
             first = 0;
    uint32_t begin[AFXI_BODY_ROWS_MOST + 1], entries = graph->body_start[body + 1] - graph->body_start[body];
    double image[AFXI_BODY_ROWS_MOST][AFXI_WOODBURY_ROWS_MOST], *value = system->factor.value;
    const uint32_t *list = graph->body_entry + graph->body_start[body];
    for (uint32_t a = 0; a < entries; a++) {
        const AfxiGraphEntry *entry = &graph->entry[list[a]];
        const uint8_t *active = active_rows(system, entry);
        begin[a] = first;
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++, first++) {
            if (active[r]) {
                afxi_woodbury_image(system->woodbury, woodbury_index,
                                    system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r, image[first]);
            }
        }
    }
    begin[entries] = first;
    for (uint32_t a = 0; a < entries; a++) {
        for (uint32_t b = 0; b <= a; b++) {
            const AfxiBlockSpot *spot = &graph->spot[graph->pair_start[body] + (size_t)a * (a + 1) / 2 + b];
            const uint8_t *on_a = active_rows(system, &graph->entry[list[a]]);
            const uint8_t *on_b = active_rows(system, &graph->entry[list[b]]);
            for (uint32_t r = 0; r < begin[a + 1] - begin[a]; r++) {
                for (uint32_t c = 0; on_a[r] && c < (a == b ? r + 1 : begin[b + 1] - begin[b]); c++) {
                    double sum = 0;
                    if (!on_b[c]) {
                        continue;
                    }
                    for (uint32_t k = 0; k < length; k++) {
                        sum += image[begin[a] + r][k] * image[begin[b] + c][k];
                    }
                    value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] -= sum;
                }
            }
        }
    }
}

static void subtract_woodbury_all(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    uint32_t next = 0;
    for (uint32_t body = 0; system->woodbury && body < graph->body_count; body++) {
        bool high = next < graph->high_degree_count && graph->high_degree[next] == body; /* in rising order */
        next += high;
        if (system->woodbury_of[body] != UINT32_MAX && !high) {
            subtract_woodbury(system, body);
        }
    }
}

/* With contacts the block of a high-degree body is -(I + L^T G^T k G L). */
static void add_high_degree_contacts(AfxiSystem *system, uint32_t body, const AfxiBlockSpot *spot) {
    const AfxiWoodburyBody *own = &system->woodbury->body[system->woodbury_of[body]];
    for (uint32_t k = 0; k < own->row_count; k++) {
        double local[AFXI_AFFINE_WIDTH], image[AFXI_AFFINE_WIDTH];
        const AfxiWoodburyRow *row = &system->woodbury->row[own->first_row + k];
        afxi_woodbury_gradient(row, &system->frame[body], local);
        afxi_dual_root_apply(&system->inverse[body].blocks, local, image);
        for (uint32_t r = 0; r < AFXI_AFFINE_WIDTH; r++) {
            for (uint32_t c = 0; c <= r; c++) {
                system->factor.value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] -=
                    row->stiffness * image[r] * image[c];
            }
        }
    }
}

/* G L and -I of a high-degree body. The split blocks are used: a high-degree body's stiffness is always the bound. */
static void add_high_degree(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    const AfxiBlockSpot *spot = graph->spot + graph->pair_start[body];
    double *value = system->factor.value;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++, spot++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            double image[AFXI_AFFINE_WIDTH];
            afxi_dual_root_apply(&system->inverse[body].blocks,
                                 system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r, image);
            for (uint32_t c = 0; c < AFXI_AFFINE_WIDTH; c++) {
                value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] += image[c];
            }
        }
    }
    for (uint32_t c = 0; c < AFXI_AFFINE_WIDTH; c++) {
        value[spot->at + c * ((size_t)spot->row_step + spot->column_step)] -= 1;
    }
    if (system->woodbury && system->woodbury_of[body] != UINT32_MAX) {
        add_high_degree_contacts(system, body, spot);
    }
}

/* What couples the axes of a ball joint's spring: the places below the diagonal. */
static void add_cross(AfxiSystem *system, const AfxiGraphBlock *block, const AfxiBlockSpot *spot) {
    const double *cross = system->rotational_spring + (size_t)AFXI_ROTATIONAL_SPRING_RESULT * block->rotational_spring +
                          AFXI_ROTATIONAL_SPRING_COMPLIANCE + 3;
    double *to = system->factor.value + spot->at + block->plain * ((size_t)spot->row_step + spot->column_step);
    to[spot->row_step] += cross[0];
    to[(size_t)2 * spot->row_step] += cross[1];
    to[(size_t)2 * spot->row_step + spot->column_step] += cross[2];
}

void afxi_dual_assemble(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    afxi_block_clear(&graph->plan, &system->factor);
    bool closed_form = system->bodies.on;
    if (closed_form) {
        afxi_closed_form_assemble(system);
    }
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        if (closed_form && graph->batch[k].closed_form) {
            continue;
        }
        system->blocks(system, graph->alike + graph->batch[k].first, graph->batch[k].count);
    }
    subtract_woodbury_all(system);
    if (graph->hub_width) {
        afxi_hubs_assemble(system);
    }
    for (uint32_t k = 0; !graph->hub_width && k < graph->high_degree_count; k++) {
        add_high_degree(system, graph->high_degree[k]);
    }
    for (uint32_t k = 0; k < afxi_graph_planned_blocks(graph); k++) {
        const AfxiBlockSpot *spot = &graph->diagonal[k];
        const double *compliance = system->compliance + graph->block[k].first_row;
        for (uint32_t r = 0; r < graph->block[k].row_count; r++) {
            if (compliance[r] != 0) {
                system->factor.value[spot->at + r * ((size_t)spot->row_step + spot->column_step)] += compliance[r];
            }
        }
        if (graph->block[k].leading > graph->block[k].plain) {
            add_cross(system, &graph->block[k], spot);
        }
    }
}

/* What high-degree bodies put on the diagonal of K, which stands there only after they are eliminated. */
static void add_high_degree_diagonal(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            const double *g = system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r;
            double image[AFXI_AFFINE_WIDTH];
            afxi_system_apply(system, body, g, image);
            system->scale[graph->block[entry->block].first_row + r] += afxi_dual_dot(g, image);
        }
    }
}

void afxi_dual_find_scale(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    afxi_block_diagonal(&graph->plan, &system->factor, system->scale);
    if (graph->hub_width) {
        afxi_hubs_scale(system);
    }
    for (uint32_t k = 0; !graph->hub_width && k < graph->high_degree_count; k++) {
        add_high_degree_diagonal(system, graph->high_degree[k]);
    }
    uint32_t first = 0, rows = afxi_graph_planned_rows(graph);
    if (system->bodies.on) {
        system->closed_form_joints->scale(system->active, graph->row_count, system->scale);
        first = graph->row_count;
    }
    for (uint32_t row = first; row < graph->plan.row_count; row++) {
        bool active = row >= rows || system->active[row];
        /* pivots of hubs, -(I + ...), are at least 1 as they are, and no small one tells of redundant rows */
        double pivot = graph->hub_width && row >= rows ? 1 : fabs(system->scale[row]);
        system->scale[row] = active && pivot > 0 ? 1 / sqrt(pivot) : 0;
    }
}

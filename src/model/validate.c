/* SPDX-License-Identifier: Apache-2.0 */
#include "model/validate.h"

#include "base/assert.h"

/* ---- a graph ---- */

static void validate_block(const AfxiGraph *graph, uint32_t b, uint32_t first_row, uint32_t first_entry,
                           size_t *jacobian) {
    const AfxiGraphBlock *block = &graph->block[b];
    AFXI_ASSERT(block->first_row == first_row && block->first_entry == first_entry && block->entry_count > 0);
    AFXI_ASSERT(block->first_row + block->row_count <= graph->row_count);
    AFXI_ASSERT(block->first_entry + block->entry_count <= graph->entry_count);
    AFXI_ASSERT((block->type == AFXI_BLOCK_CONTACT) == (b >= graph->joint_blocks));
    AFXI_ASSERT(block->plain <= block->leading && block->leading <= block->row_count);
    AFXI_ASSERT(block->rotational_spring == UINT32_MAX ||
                graph->rotational_spring_block[block->rotational_spring] == b);
    for (uint32_t row = first_row; row < first_row + block->row_count; row++) {
        AFXI_ASSERT(graph->row[row].block == b);
    }
    for (uint32_t e = first_entry; e < first_entry + block->entry_count; e++) {
        AFXI_ASSERT(graph->entry[e].block == b && graph->entry[e].dof.index < graph->body_count);
        AFXI_ASSERT(graph->entry[e].jacobian == *jacobian);
        *jacobian += (size_t)afxi_dof_width(graph->entry[e].dof.family) * block->row_count;
    }
}

static void validate_blocks(const AfxiGraph *graph) {
    uint32_t row = 0, entry = 0, loop_rows = 0;
    size_t jacobian = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        validate_block(graph, b, row, entry, &jacobian);
        row += graph->block[b].row_count;
        entry += graph->block[b].entry_count;
        loop_rows += graph->block[b].loop && b < graph->joint_blocks ? graph->block[b].row_count : 0;
    }
    AFXI_ASSERT(row == graph->row_count && entry == graph->entry_count && jacobian == graph->jacobian_length);
    AFXI_ASSERT(loop_rows == graph->loop_rows);
}

/* Every entry is in the list of its body, once: the lists rise. */
static void validate_bodies(const AfxiGraph *graph) {
    AFXI_ASSERT(graph->body_start[0] == 0 && graph->body_start[graph->body_count] == graph->entry_count);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        AFXI_ASSERT(graph->local[graph->body[k]] == k);
        for (uint32_t x = graph->body_start[k]; x < graph->body_start[k + 1]; x++) {
            AFXI_ASSERT(graph->entry[graph->body_entry[x]].dof.index == k);
            AFXI_ASSERT(x == graph->body_start[k] || graph->body_entry[x - 1] < graph->body_entry[x]);
        }
    }
}

static void validate_parts(const AfxiGraph *graph) {
    const AfxiGraphPart *part = graph->part, *end = &part[graph->part_count];
    AFXI_ASSERT(part->first_body == 0 && part->first_row == 0 && part->first_block == 0);
    AFXI_ASSERT(end->first_body == graph->body_count && end->first_row == graph->joint_rows &&
                end->first_block == graph->joint_blocks);
    for (uint32_t p = 0; p < graph->part_count; p++) {
        AFXI_ASSERT(part[p].first_body < part[p + 1].first_body && part[p].first_row <= part[p + 1].first_row);
        AFXI_ASSERT(part[p].size >= 0 && part[p].size <= graph->size);
    }
}

void afxi_graph_validate(const AfxiGraph *graph) {
    validate_blocks(graph);
    validate_bodies(graph);
    validate_parts(graph);
    AFXI_ASSERT(graph->joint_rows <= graph->row_count);
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        AFXI_ASSERT(graph->drive_row[k] < graph->joint_rows);
        AFXI_ASSERT(graph->row[graph->drive_row[k]].source == AFXI_SOURCE_DRIVE);
        AFXI_ASSERT(k == 0 || graph->drive_row[k - 1] < graph->drive_row[k]);
    }
}

/* ---- a model ---- */

static void validate_chains(const AfxModel *model) {
    const AfxiChains *chains = &model->chains;
    uint32_t link = 0, slot = 0;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        AFXI_ASSERT(chain->first_link == link && chain->first_slot == slot && chain->link_count > 0);
        for (uint32_t k = link; k < link + chain->link_count; k++) {
            AFXI_ASSERT(chains->chain_of[k] == c && chains->link_of[chains->link[k].body] == k);
        }
        link += chain->link_count;
        slot += chain->link_count + 1;
    }
    AFXI_ASSERT(link == chains->link_count && slot == chains->slot_count);
}

static void validate_body(const AfxModel *model, uint32_t body) {
    bool solved = model->kind[body] == AFX_BODY_DYNAMIC, chained = afxi_model_in_chain(model, body);
    uint32_t graph = model->graph_of[body], root = model->root[body];
    AFXI_ASSERT(solved == (root != UINT32_MAX));
    AFXI_ASSERT(!solved || model->root[root] == root);
    AFXI_ASSERT(solved || (graph == UINT32_MAX && !chained));
    AFXI_ASSERT(graph == UINT32_MAX || !chained);
    AFXI_ASSERT(graph == UINT32_MAX || (graph < model->graph_count && model->graph_of[root] == graph));
    AFXI_ASSERT(graph == UINT32_MAX || model->graph[graph].body[model->local[body]] == body);
}

void afxi_model_validate(const AfxModel *model) {
    uint32_t rows = 0;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        const AfxiGraph *graph = &model->graph[k];
        AFXI_ASSERT(graph->first_row == rows);
        afxi_graph_validate(graph);
        rows += graph->row_count;
    }
    AFXI_ASSERT(rows == model->row_count);
    validate_chains(model);
    for (uint32_t body = 0; body < model->body_count; body++) {
        validate_body(model, body);
    }
}

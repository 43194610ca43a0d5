/* SPDX-License-Identifier: Apache-2.0 */
/* Lots of one stage. The graph is the graphs of the components one after the other, bodies, rows and entries
 * renumbered, then the blocks of pairs that touch. Which components, and in which order, depends on what is found in
 * this step alone: a resumed run goes on bit for bit. */
#include "solve/islands.h"

#include <math.h>
#include <string.h>

#include "model/graph.h"
#include "model/model.h"
#include "model/plan.h"
#include "model/recursion.h"
#include "solve/tuning.h"

/* How much a graph has of everything. */
typedef struct Counts {
    uint32_t bodies, blocks, entries, rows, drives, turns;
    bool touching; /* there are pairs */
    size_t jacobian_length;
} Counts;

/* The part of a graph that a component is. */
typedef struct Component {
    const AfxiGraph *graph;
    const AfxiGraphPart *part;
    uint32_t first_entry, entry_end;
} Component;

static Component component_of(const AfxModel *model, uint32_t root) {
    Component c = {.graph = &model->graph[model->graph_of[root]], .part = afxi_model_part(model, root)};
    const AfxiGraphBlock *last = &c.graph->block[c.part[1].first_block - 1];
    c.first_entry = c.graph->block[c.part->first_block].first_entry;
    c.entry_end = last->first_entry + last->entry_count;
    return c;
}

static uint32_t turns_of(const Component *c) {
    uint32_t count = 0;
    for (uint32_t b = c->part->first_block; b < c->part[1].first_block; b++) {
        count += c->graph->block[b].rotational_spring != UINT32_MAX;
    }
    return count;
}

static uint32_t drives_of(const Component *c) {
    uint32_t count = 0;
    for (uint32_t row = c->part->first_row; row < c->part[1].first_row; row++) {
        count += c->graph->row[row].source == AFXI_SOURCE_DRIVE;
    }
    return count;
}

/* ---- components with a graph ---- */

static void add_graph(const AfxiIslandDef *def, const Component *c, AfxiGraph *to, Counts *at, uint32_t *row_of,
                      double *row_sign) {
    const AfxiGraph *from = c->graph;
    uint32_t first_body = c->part->first_body, first_row = c->part->first_row, first_block = c->part->first_block;
    size_t jacobian = from->entry[c->first_entry].jacobian;
    for (uint32_t b = first_body; b < c->part[1].first_body; b++) {
        uint32_t place = at->bodies + b - first_body;
        to->body[place] = from->body[b];
        def->local[from->body[b]] = place;
    }
    for (uint32_t row = first_row; row < c->part[1].first_row; row++) {
        uint32_t place = at->rows + row - first_row;
        to->row[place] = from->row[row];
        to->row[place].block += at->blocks - first_block;
        row_of[place] = from->first_row + row;
        row_sign[place] = 1;
        if (from->row[row].source == AFXI_SOURCE_DRIVE) {
            to->drive_row[at->drives++] = place;
        }
    }
    for (uint32_t e = c->first_entry; e < c->entry_end; e++) {
        AfxiGraphEntry *entry = &to->entry[at->entries + e - c->first_entry];
        *entry = from->entry[e];
        entry->block += at->blocks - first_block;
        entry->dof.index += at->bodies - first_body;
        entry->jacobian += at->jacobian_length - jacobian;
    }
    for (uint32_t b = first_block; b < c->part[1].first_block; b++) {
        AfxiGraphBlock *block = &to->block[at->blocks + b - first_block];
        *block = from->block[b];
        block->first_row += at->rows - first_row;
        block->first_entry += at->entries - c->first_entry;
        block->carried += at->bodies - first_body;
        block->carrier += at->rows - first_row;
        block->closed_form = false;
        if (block->rotational_spring != UINT32_MAX) {
            block->rotational_spring = at->turns;
            to->rotational_spring_block[at->turns++] = at->blocks + b - first_block;
        }
    }
    to->loop_rows += from->loop_rows;
    to->ball_loops &= from->ball_loops;
    to->rings |= from->rings;
    to->part[0].size = c->part->size > to->part[0].size ? c->part->size : to->part[0].size;
}

static void count_graph(const Component *c, Counts *counts) {
    const AfxiGraph *graph = c->graph;
    const AfxiGraphEntry *last = &graph->entry[c->entry_end - 1];
    counts->bodies += c->part[1].first_body - c->part->first_body;
    counts->blocks += c->part[1].first_block - c->part->first_block;
    counts->rows += c->part[1].first_row - c->part->first_row;
    counts->entries += c->entry_end - c->first_entry;
    counts->jacobian_length += last->jacobian +
                               (size_t)afxi_dof_width(last->dof.family) * graph->block[last->block].row_count -
                               graph->entry[c->first_entry].jacobian;
    counts->turns += turns_of(c);
    counts->drives += drives_of(c);
}

/* ---- ball chains ---- */

static void count_chain(const AfxModel *model, const AfxiChain *chain, Counts *counts) {
    counts->bodies += chain->link_count;
    for (uint32_t k = 0; k <= chain->link_count; k++) {
        uint32_t ends = (k > 0) + (k < chain->link_count);
        if (model->chains.slot_joint[chain->first_slot + k] != UINT32_MAX) {
            counts->blocks++;
            counts->rows += 3;
            counts->entries += ends;
            counts->jacobian_length += 3 * (size_t)afxi_dof_width(AFXI_DOF_AFFINE) * ends;
        }
    }
}

/* A ball joint between links k - 1 and k of a chain. */
static void add_slot(const AfxModel *model, const AfxiChain *chain, uint32_t k, uint32_t first_body, AfxiGraph *to,
                     Counts *at, uint32_t *row_of, double *row_sign) {
    uint32_t slot = chain->first_slot + k, joint = model->chains.slot_joint[slot];
    const AfxiJoint *own = &model->joints[joint];
    AfxiGraphBlock *block = &to->block[at->blocks];
    *block = (AfxiGraphBlock){.first_row = at->rows,
                              .row_count = 3,
                              .first_entry = at->entries,
                              .index = joint,
                              .rotational_spring = UINT32_MAX,
                              .type = AFXI_BLOCK_JOINT,
                              .plain = 3,
                              .leading = 3};
    for (uint32_t r = 0; r < 3; r++) {
        to->row[at->rows] = (AfxiGraphRow){at->blocks, r, AFXI_SOURCE_JOINT, 0};
        row_of[at->rows] = own->row + r;
        row_sign[at->rows++] = own->reversed ? -1 : 1;
    }
    for (uint32_t side = 0; side < 2; side++) { /* left, right */
        if (side == 0 ? k > 0 : k < chain->link_count) {
            to->entry[at->entries++] = (AfxiGraphEntry){
                at->blocks, {first_body + (side == 0 ? k - 1 : k), AFXI_DOF_AFFINE}, at->jacobian_length};
            at->jacobian_length += 3 * (size_t)afxi_dof_width(AFXI_DOF_AFFINE);
            block->entry_count++;
        }
    }
    at->blocks++;
}

static void add_chain(const AfxiIslandDef *def, const AfxiChain *chain, AfxiGraph *to, Counts *at, uint32_t *row_of,
                      double *row_sign) {
    const AfxModel *model = def->world->model;
    uint32_t first_body = at->bodies;
    for (uint32_t k = 0; k < chain->link_count; k++) {
        uint32_t body = model->chains.link[chain->first_link + k].body;
        to->body[at->bodies] = body;
        def->local[body] = at->bodies++;
    }
    for (uint32_t k = 0; k <= chain->link_count; k++) {
        if (model->chains.slot_joint[chain->first_slot + k] != UINT32_MAX) {
            add_slot(model, chain, k, first_body, to, at, row_of, row_sign);
        }
    }
    to->part[0].size = chain->size > to->part[0].size ? chain->size : to->part[0].size;
}

/* ---- all of them ---- */

static const AfxiChain *chain_of(const AfxModel *model, uint32_t root) {
    const AfxiChains *chains = &model->chains;
    return &chains->chain[chains->chain_of[chains->link_of[root]]];
}

static void count_component(const AfxModel *model, uint32_t root, Counts *counts) {
    if (model->graph_of[root] != UINT32_MAX) {
        Component c = component_of(model, root);
        count_graph(&c, counts);
    } else if (afxi_model_in_chain(model, root)) {
        count_chain(model, chain_of(model, root), counts);
    } else {
        counts->bodies++;
    }
}

static void add_component(const AfxiIslandDef *def, uint32_t root, AfxiGraph *to, Counts *at, uint32_t *row_of,
                          double *row_sign) {
    const AfxModel *model = def->world->model;
    if (model->graph_of[root] != UINT32_MAX) {
        Component c = component_of(model, root);
        Counts counted = {0};
        count_graph(&c, &counted);
        uint32_t drives = at->drives, turns = at->turns;
        add_graph(def, &c, to, at, row_of, row_sign);
        at->bodies += counted.bodies;
        at->blocks += counted.blocks;
        at->rows += counted.rows;
        at->entries += counted.entries;
        at->jacobian_length += counted.jacobian_length;
        at->drives = drives + counted.drives;
        at->turns = turns + counted.turns;
    } else if (afxi_model_in_chain(model, root)) {
        add_chain(def, chain_of(model, root), to, at, row_of, row_sign);
    } else {
        double size = afxi_model_extent(model, root);
        to->body[at->bodies] = root;
        def->local[root] = at->bodies++;
        to->part[0].size = size > to->part[0].size ? size : to->part[0].size;
    }
}

uint32_t afxi_island_pair_rows(const AfxiIslandDef *def, const AfxiPairBlock *pair) {
    uint32_t rows = 0;
    for (uint32_t k = 0; k < pair->point_count; k++) {
        rows += def->set->now.point[pair->first_point + k].row_count;
    }
    return rows;
}

static void add_pair(const AfxiIslandDef *def, const AfxiPairBlock *pair, AfxiGraph *to, Counts *at) {
    uint32_t rows = afxi_island_pair_rows(def, pair);
    to->block[at->blocks] = (AfxiGraphBlock){.first_row = at->rows,
                                             .row_count = rows,
                                             .first_entry = at->entries,
                                             .entry_count = 2,
                                             .rotational_spring = UINT32_MAX,
                                             .type = AFXI_BLOCK_CONTACT,
                                             .loop = true};
    for (uint32_t r = 0; r < rows; r++) {
        to->row[at->rows++] = (AfxiGraphRow){at->blocks, r, AFXI_SOURCE_CONTACT, 0};
    }
    for (int side = 0; side < 2; side++) {
        uint32_t body = def->local[side ? pair->body_b : pair->body_a];
        to->entry[at->entries++] = (AfxiGraphEntry){at->blocks, {body, AFXI_DOF_AFFINE}, at->jacobian_length};
        at->jacobian_length += (size_t)afxi_dof_width(AFXI_DOF_AFFINE) * rows;
    }
    to->compliant_rows += rows;
    at->blocks++;
}

static void take_graph(AfxiGraph *graph, AfxiArena *arena, const Counts *all, uint32_t joint_rows, uint32_t **row_of,
                       double **row_sign) {
    graph->part = afxi_arena_take(arena, 2, sizeof *graph->part);
    graph->body = afxi_arena_take(arena, all->bodies, sizeof *graph->body);
    graph->block = afxi_arena_take(arena, all->blocks, sizeof *graph->block);
    graph->row = afxi_arena_take(arena, all->rows, sizeof *graph->row);
    graph->entry = afxi_arena_take(arena, all->entries, sizeof *graph->entry);
    graph->body_start = afxi_arena_take(arena, (size_t)all->bodies + 1, sizeof *graph->body_start);
    graph->body_entry = afxi_arena_take(arena, all->entries, sizeof *graph->body_entry);
    graph->drive_row = afxi_arena_take(arena, all->drives, sizeof *graph->drive_row);
    graph->hub_width = all->touching ? afxi_arena_take(arena, all->bodies, sizeof *graph->hub_width) : NULL;
    graph->rotational_spring_block = afxi_arena_take(arena, all->turns, sizeof *graph->rotational_spring_block);
    *row_of = afxi_arena_take(arena, joint_rows, sizeof **row_of);
    *row_sign = afxi_arena_take(arena, joint_rows, sizeof **row_sign);
}

static void *allocate(const AfxAllocator *memory, AfxiArena *arena) {
    void *raw;
    size_t size;
    arena->base = arena->overflow ? NULL : afxi_allocate_aligned(memory, arena->used ? arena->used : 1, &raw, &size);
    arena->used = 0;
    return arena->base;
}

/* Names the body that touches most others, and refuses the island. */
static AfxStatus refuse(const AfxiIslandDef *def, const AfxiGraph *graph, double flops, double bytes) {
    AfxCrowd *crowd = def->crowd;
    *crowd = (AfxCrowd){.body = graph->body[0], .bodies = graph->body_count, .flops = flops, .bytes = bytes};
    for (uint32_t b = 0; b < graph->body_count; b++) {
        uint32_t touching = 0;
        for (uint32_t e = graph->body_start[b]; e < graph->body_start[b + 1]; e++) {
            touching += graph->entry[graph->body_entry[e]].block >= graph->joint_blocks;
        }
        crowd->body = touching > crowd->touching ? graph->body[b] : crowd->body;
        crowd->touching = touching > crowd->touching ? touching : crowd->touching;
    }
    return AFX_E_LIMIT;
}

/* What a solver iteration may take. */
static double flops_most(const AfxiIslandDef *def) {
    double given = def->world->def.flops_most;
    return given > 0 ? given : AFXI_ISLAND_FLOPS_MOST;
}

static double bytes_most(const AfxiIslandDef *def) {
    double given = def->world->def.bytes_most;
    return given > 0 ? given : AFXI_ISLAND_BYTES_MOST;
}

/* Flops of a factor, by pairs that touch alone, which is seen before anything is planned: where bodies touch d others
 * on average, any order of elimination meets a dense block of about as many. */
static double crowded_flops(const AfxiGraph *graph, uint32_t hubs, uint32_t rows) {
    double most = 0.5 * hubs * (hubs - 1.0), pairs = graph->block_count - graph->joint_blocks; /* of shapes: more */
    double dense = hubs ? (1 + 2 * fmin(pairs, most) / hubs) * rows / hubs : 0;
    return dense * dense * dense / 3;
}

/* Bodies that touch become blocks of the plan, and contacts are left out of it, where that makes fewer rows. The
 * number of these bodies comes back, and that of their rows. */
static uint32_t set_hubs(const AfxiWorld *world, AfxiGraph *graph, uint32_t *out_rows) {
    uint32_t rows = 0, hubs = 0;
    memset(graph->hub_width, 0, graph->body_count * sizeof *graph->hub_width);
    for (uint32_t k = graph->joint_blocks; k < graph->block_count; k++) {
        for (uint32_t e = 0; e < 2; e++) {
            uint32_t body = graph->entry[graph->block[k].first_entry + e].dof.index;
            bool rigid = isinf(afxi_world_class(world, graph->body[body])->young);
            uint8_t width = rigid ? AFXI_HUB_NARROW : AFXI_HUB_WIDEST;
            rows += graph->hub_width[body] ? 0 : width;
            hubs += graph->hub_width[body] == 0;
            graph->hub_width[body] = width;
        }
    }
    if (rows >= graph->row_count - graph->joint_rows) {
        graph->hub_width = NULL;
    }
    *out_rows = rows;
    return hubs;
}

/* Blocks, rows and entries of all components and pairs. */
static AfxStatus make_graph(const AfxiIslandDef *def, AfxiIslandLot *out, uint32_t **row_of, double **row_sign) {
    const AfxModel *model = def->world->model;
    AfxiGraph *graph = &out->graph;
    Counts joints = {0};
    for (uint32_t k = 0; k < def->root_count; k++) {
        count_component(model, def->root[k], &joints);
    }
    Counts all = joints, at = {0};
    all.touching = def->pair_count > 0;
    for (uint32_t k = 0; k < def->pair_count; k++) {
        uint32_t rows = afxi_island_pair_rows(def, &def->pair[k]);
        all.blocks++;
        all.entries += 2;
        all.rows += rows;
        all.jacobian_length += 2 * (size_t)afxi_dof_width(AFXI_DOF_AFFINE) * rows;
    }
    AfxiArena arena = {0};
    take_graph(graph, &arena, &all, joints.rows, row_of, row_sign);
    if (!allocate(def->memory, &arena)) {
        return AFX_E_MEMORY;
    }
    take_graph(graph, &arena, &all, joints.rows, row_of, row_sign);
    graph->local = def->local;
    graph->ball_loops = true;
    for (uint32_t k = 0; k < def->root_count; k++) {
        add_component(def, def->root[k], graph, &at, *row_of, *row_sign);
    }
    graph->joint_blocks = at.blocks;
    graph->ball_blocks = 0;
    for (uint32_t k = 0; k < graph->joint_blocks; k++) {
        graph->ball_blocks += afxi_graph_is_ball(model, &graph->block[k]);
    }
    graph->joint_rows = at.rows;
    for (uint32_t k = 0; k < def->pair_count; k++) {
        add_pair(def, &def->pair[k], graph, &at);
    }
    graph->part_count = 1;
    graph->part[1] = (AfxiGraphPart){all.bodies, joints.rows, joints.blocks, 0};
    graph->size = graph->part[0].size;
    graph->body_count = all.bodies;
    graph->block_count = all.blocks;
    graph->entry_count = all.entries;
    graph->row_count = all.rows;
    graph->jacobian_length = all.jacobian_length;
    graph->drive_count = all.drives;
    graph->rotational_spring_count = all.turns;
    afxi_graph_list_bodies(graph);
    uint32_t rows = 0, hubs = graph->hub_width ? set_hubs(def->world, graph, &rows) : 0;
    double flops = crowded_flops(graph, hubs, rows);
    return flops > flops_most(def) ? refuse(def, graph, flops, 0) : AFX_OK;
}

/* Workspace in an arena (both passes). */
static void take_lot(const AfxiIslandDef *def, AfxiArena *arena, AfxiIslandLot *out) {
    afxi_lot_take(&out->lot, arena, def->world, &out->graph, def->table);
    out->lot.known = afxi_arena_take(arena, out->graph.row_count, sizeof *out->lot.known);
}

AfxStatus afxi_island_create(const AfxiIslandDef *def, AfxiIslandLot *out) {
    AfxiGraph *graph = &out->graph;
    uint32_t *row_of;
    double *row_sign;
    *out = (AfxiIslandLot){.regularise = 0};
    AfxStatus status = make_graph(def, out, &row_of, &row_sign);
    if (status != AFX_OK) {
        return status;
    }
    /* it serves a few solves: looking for a better order takes longer; a forest needs none, and no matrix */
    bool joined = def->pair_count || graph->loop_rows;
    graph->solver = joined ? AFX_SOLVER_GRAPH : AFX_SOLVER_TREE;
    graph->order = AFXI_ORDER_OWN;
    graph->closed_form.general_row_end = graph->row_count;
    graph->closed_form.general_body_end = graph->body_count;
    graph->closed_form.general_jacobian_end = graph->jacobian_length;
    status = !joined && graph->block_count ? afxi_recursion_create(def->memory, def->world->model, graph) : AFX_OK;
    if (!joined && !graph->recursion.on) {
        graph->solver = AFX_SOLVER_SCHUR;
    }
    status = status ? status : afxi_graph_plan(def->memory, graph);
    if (status != AFX_OK) {
        return status;
    }
    AfxiArena arena = {0};
    take_lot(def, &arena, out);
    if (graph->plan.flops > flops_most(def) || (double)arena.used > bytes_most(def)) {
        return refuse(def, graph, graph->plan.flops, (double)arena.used);
    }
    if (!allocate(def->memory, &arena)) {
        return AFX_E_MEMORY;
    }
    take_lot(def, &arena, out);
    out->lot.row_of = row_of;
    out->lot.row_sign = row_sign;
    afxi_lot_set_regularise(&out->lot, &out->regularise);
    out->lot.pairs = def->pair_count > 0;
    out->lot.load = out->lot.known;
    return AFX_OK;
}

void afxi_island_attach(const AfxiIslandDef *def, AfxiIslandLot *lot) {
    const AfxModel *model = def->world->model;
    const AfxiState *state = &def->world->state;
    const AfxiGraph *graph = &lot->graph;
    for (uint32_t b = 0; b < graph->body_count; b++) {
        def->local[graph->body[b]] = b;
    }
    for (uint32_t k = 0; k < def->pair_count; k++) {
        uint32_t row = graph->block[graph->joint_blocks + k].first_row;
        for (uint32_t p = 0; p < def->pair[k].point_count; p++) {
            AfxiPoint *point = &def->set->now.point[def->pair[k].first_point + p];
            point->row = row;
            row += point->row_count;
        }
    }
    lot->regularise = 0;
    for (uint32_t k = 0; k < def->root_count; k++) {
        uint32_t from = model->graph_of[def->root[k]];
        lot->regularise |= from != UINT32_MAX && state->regularise[from];
    }
    for (uint32_t row = 0; row < graph->joint_rows; row++) {
        lot->lot.known[row] = lot->lot.row_sign[row] * state->lambda[lot->lot.row_of[row]];
    }
    lot->lot.load = lot->lot.known;
}

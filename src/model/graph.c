/* SPDX-License-Identifier: Apache-2.0 */
/* Joints to blocks: the components that joints, couplings and springs hold together, a graph for each of them, with one
 * block of rows per joint, the moving bodies it touches, whether it closes a loop, and the elimination plan. Components
 * are islands that nothing but contact can join: each has its own numbering, order, tolerances and flags, so that it is
 * solved as if it were alone. Small trees of balls share one graph, whose lanes they fill. */
#include "model/graph.h"

#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "joint/axis.h"
#include "joint/law.h"
#include "model/closed_form.h"
#include "model/flywheel.h"
#include "model/model.h"
#include "model/params.h"
#include "model/plan.h"
#include "model/tuning.h"
#include "sparse/plan.h"

static bool moves(const AfxModel *model, uint32_t body) {
    return body != AFXI_WORLD && model->kind[body] == AFX_BODY_DYNAMIC;
}

/* ---- blocks ---- */

typedef struct Counts {
    uint32_t blocks, entries, rows, bodies, drives, turns;
    size_t jacobian_length;
} Counts;

/* Rows of a joint that is made of a point and alignments alone, the point first; else 0. */
static uint8_t plain_rows(const AfxiJoint *joint) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    bool fine = kind->row_count >= 3;
    for (uint32_t r = 0; r < kind->row_count; r++) {
        fine &=
            r < 3 ? kind->rows[r].type == AFXI_ROW_POINT && kind->rows[r].i == r : kind->rows[r].type == AFXI_ROW_ALIGN;
    }
    return fine ? kind->row_count : 0;
}

/* Adds one block that touches the given bodies (UINT32_MAX: none). With graph->block NULL it only counts. */
static void add_block(AfxModel *model, AfxiGraph *graph, Counts *counts, AfxiBlockType type, uint32_t index,
                      uint32_t rows, const uint32_t *bodies, uint32_t body_count) {
    AfxiGraphBlock block = {
        counts->rows, rows, counts->entries, 0, index, UINT32_MAX, (uint8_t)type, false, false, 0, 0,
        false,        0,    false,           0, 0};
    for (uint32_t k = 0; k < body_count; k++) {
        bool repeated = false;
        for (uint32_t j = 0; j < k; j++) {
            repeated |= bodies[j] == bodies[k];
        }
        if (repeated || !moves(model, bodies[k])) {
            continue;
        }
        if (model->local[bodies[k]] == UINT32_MAX) {
            model->local[bodies[k]] = counts->bodies++;
        }
        if (graph->entry) {
            uint32_t local = model->local[bodies[k]];
            graph->body[local] = bodies[k];
            graph->entry[counts->entries] =
                (AfxiGraphEntry){counts->blocks, {local, AFXI_DOF_AFFINE}, counts->jacobian_length};
        }
        counts->entries++;
        counts->jacobian_length += (size_t)afxi_dof_width(AFXI_DOF_AFFINE) * rows;
        block.entry_count++;
    }
    if (block.entry_count == 0) {
        return;
    }
    if (graph->block) {
        block.plain = type == AFXI_BLOCK_JOINT ? plain_rows(&model->joints[index]) : 0;
        bool turns = type == AFXI_BLOCK_JOINT && model->joints[index].rotational_spring != UINT32_MAX;
        block.rotational_spring = turns ? counts->turns : UINT32_MAX;
        block.leading = block.plain + (turns ? 3 : 0);
        if (turns) {
            graph->rotational_spring_block[counts->turns] = counts->blocks;
        }
        graph->block[counts->blocks] = block;
    }
    counts->turns += type == AFXI_BLOCK_JOINT && model->joints[index].rotational_spring != UINT32_MAX;
    counts->rows += rows;
    counts->blocks++;
}

/* Fills row `r` of the block just added, when there is one. */
static void add_row(AfxiGraph *graph, const Counts *counts, uint32_t rows, uint32_t r, AfxiRowSource source,
                    uint32_t index) {
    if (graph->row) {
        graph->row[counts->rows - rows + r] = (AfxiGraphRow){counts->blocks - 1, index, (uint8_t)source, 0};
    }
}

/* Notes which row of the block that begins at `first` is of the coordinate that the drive of `row` acts on as well. */
static void fold_row(const AfxModel *model, AfxiGraph *graph, uint32_t first, uint32_t row) {
    uint8_t axis = model->drives[graph->row[row].index].axis;
    uint32_t lead = first;
    while (graph->row[lead].source != AFXI_SOURCE_DRIVE || model->drives[graph->row[lead].index].axis != axis) {
        lead++;
    }
    graph->row[row].lead = (uint8_t)(lead - first);
    graph->block[graph->row[row].block].folded++;
}

/* The rows of a joint: its own, its spring's, a screw's, its drives'. */
static void add_joint(AfxModel *model, AfxiGraph *graph, Counts *counts, uint32_t k) {
    AfxiJoint *joint = &model->joints[k];
    uint32_t own = afxi_joint_kind((AfxJointKind)joint->kind)->row_count, screw = joint->kind == AFX_JOINT_SCREW;
    uint32_t turn = joint->rotational_spring == UINT32_MAX ? 0 : 3, rows = own + screw + turn + joint->drive_count;
    uint32_t bodies[2] = {joint->follower, joint->base}, at = 0;
    add_block(model, graph, counts, AFXI_BLOCK_JOINT, k, rows, bodies, 2);
    joint->row = graph->first_row + counts->rows - rows;
    for (uint32_t r = 0; r < own; r++) {
        add_row(graph, counts, rows, at++, AFXI_SOURCE_JOINT, r);
    }
    for (uint32_t r = 0; r < turn; r++) {
        add_row(graph, counts, rows, at++, AFXI_SOURCE_ROTATIONAL_SPRING, r);
    }
    if (screw) {
        add_row(graph, counts, rows, at++, AFXI_SOURCE_SCREW, k);
    }
    for (uint32_t d = 0; d < joint->drive_count; d++) {
        uint32_t drive = model->drive_order[joint->first_drive + d], row = counts->rows - rows + at;
        model->drives[drive].row = graph->first_row + row;
        if (graph->drive_row) {
            graph->drive_row[counts->drives] = row;
        }
        counts->drives++;
        add_row(graph, counts, rows, at++, AFXI_SOURCE_DRIVE, drive);
        if (model->drives[drive].folded && graph->row) {
            fold_row(model, graph, counts->rows - rows, row);
        }
    }
}

/* ---- items: joints with rows, then couplings, then springs, each by the moving bodies that it holds ---- */

static uint32_t item_count(const AfxModel *model) {
    return model->joint_count + model->coupling_count + model->spring_count;
}

/* Bodies of an item, moving or not; AFXI_WORLD among them. 0: it has no rows of its own. */
static uint32_t item_bodies(const AfxModel *model, uint32_t item, uint32_t out[2 * AFX_COUPLING_TERMS]) {
    if (item < model->joint_count) {
        const AfxiJoint *joint = &model->joints[item];
        uint32_t rows = afxi_joint_kind((AfxJointKind)joint->kind)->row_count + joint->drive_count;
        out[0] = joint->follower;
        out[1] = joint->base;
        return joint->slot == UINT32_MAX && (rows || joint->rotational_spring != UINT32_MAX) ? 2 : 0;
    }
    if (item < model->joint_count + model->coupling_count) {
        const AfxiCoupling *coupling = &model->couplings[item - model->joint_count];
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            out[2 * term] = model->joints[coupling->joint[term]].follower;
            out[2 * term + 1] = model->joints[coupling->joint[term]].base;
        }
        return 2u * coupling->term_count;
    }
    const AfxiSpring *spring = &model->springs[item - model->joint_count - model->coupling_count];
    out[0] = spring->body_a;
    out[1] = spring->body_b;
    return 2;
}

/* The first moving body of an item, or UINT32_MAX. */
static uint32_t item_body(const AfxModel *model, uint32_t item) {
    uint32_t bodies[2 * AFX_COUPLING_TERMS], count = item_bodies(model, item, bodies);
    for (uint32_t k = 0; k < count; k++) {
        if (moves(model, bodies[k])) {
            return bodies[k];
        }
    }
    return UINT32_MAX;
}

static void add_item(AfxModel *model, AfxiGraph *graph, Counts *counts, uint32_t item) {
    uint32_t bodies[2 * AFX_COUPLING_TERMS], count = item_bodies(model, item, bodies);
    bool coupling = item < model->joint_count + model->coupling_count;
    if (item < model->joint_count) {
        add_joint(model, graph, counts, item);
        return;
    }
    uint32_t index = item - model->joint_count - (coupling ? 0 : model->coupling_count);
    add_block(model, graph, counts, coupling ? AFXI_BLOCK_COUPLING : AFXI_BLOCK_SPRING, index, 1, bodies, count);
    if (!coupling) {
        model->springs[index].row = graph->first_row + counts->rows - 1;
    }
    add_row(graph, counts, 1, 0, coupling ? AFXI_SOURCE_COUPLING : AFXI_SOURCE_SPRING, index);
}

/* Rows that hold exactly, and those with a law of their own. */
static void count_rows(const AfxModel *model, AfxiGraph *graph) {
    for (uint32_t k = 0; k < graph->row_count; k++) {
        const AfxiGraphRow *row = &graph->row[k];
        bool exact = row->source == AFXI_SOURCE_JOINT || row->source == AFXI_SOURCE_SCREW;
        if (row->source == AFXI_SOURCE_DRIVE) {
            exact = afxi_law_exact((AfxDriveKind)model->drives[row->index].kind);
        } else if (row->source == AFXI_SOURCE_COUPLING) {
            exact = afxi_param_const(model, model->params, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1] == 0;
        }
        graph->equality_rows += exact;
        graph->compliant_rows += !exact;
    }
}

static void take_graph(AfxiGraph *graph, AfxiArena *arena, const Counts *counts) {
    graph->part = afxi_arena_take(arena, (size_t)graph->part_count + 1, sizeof *graph->part);
    graph->drive_row = afxi_arena_take(arena, counts->drives, sizeof *graph->drive_row);
    graph->rotational_spring_block = afxi_arena_take(arena, counts->turns, sizeof *graph->rotational_spring_block);
    graph->body = afxi_arena_take(arena, counts->bodies, sizeof *graph->body);
    graph->block = afxi_arena_take(arena, counts->blocks, sizeof *graph->block);
    graph->row = afxi_arena_take(arena, counts->rows, sizeof *graph->row);
    graph->entry = afxi_arena_take(arena, counts->entries, sizeof *graph->entry);
    graph->body_start = afxi_arena_take(arena, (size_t)counts->bodies + 1, sizeof *graph->body_start);
    graph->body_entry = afxi_arena_take(arena, counts->entries, sizeof *graph->body_entry);
}

void afxi_graph_list_bodies(AfxiGraph *graph) {
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        graph->body_start[graph->entry[e].dof.index + 1]++;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        graph->body_start[k + 1] += graph->body_start[k];
    }
    for (uint32_t e = graph->entry_count; e-- > 0;) { /* backwards, filling each list from its end */
        graph->body_entry[--graph->body_start[graph->entry[e].dof.index + 1]] = e;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) { /* the ends moved to the beginnings: shift them back */
        graph->body_start[k] = graph->body_start[k + 1];
    }
    graph->body_start[graph->body_count] = graph->entry_count;
}

/* Whether a drive can hold its coordinate exactly. */
static bool can_hold(const AfxiDrive *drive) {
    AfxDriveKind kind = (AfxDriveKind)drive->kind;
    return afxi_law_exact(kind) || kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_FRICTION;
}

/* Whether a joint has a row that holds exactly, of its own or of a drive: then it is an edge of the graph. */
static bool holds_exactly(const AfxModel *model, const AfxiJoint *joint) {
    bool exact = afxi_joint_kind((AfxJointKind)joint->kind)->row_count > 0;
    for (uint32_t k = 0; k < joint->drive_count; k++) {
        exact |= can_hold(&model->drives[model->drive_order[joint->first_drive + k]]);
    }
    return exact;
}

/* Whether two drives of a joint can both hold what is then one row twice. Friction never sticks where a limit holds its
 * coordinate (constraint/drive.c), and coordinates that are places along axes or angles about them are apart from each
 * other; others, and those of a screw, are not. */
static bool may_repeat(const AfxiJoint *joint, const AfxiDrive *a, const AfxiDrive *b) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    if (!can_hold(a) || !can_hold(b)) {
        return false;
    }
    AfxiAxisType types[2] = {(AfxiAxisType)afxi_axis_of(kind, a->axis).type,
                             (AfxiAxisType)afxi_axis_of(kind, b->axis).type};
    bool apart = a->axis != b->axis && joint->kind != AFX_JOINT_SCREW;
    for (int k = 0; k < 2; k++) {
        apart &= types[k] == AFXI_AXIS_TRANSLATION || types[k] == AFXI_AXIS_ROTATION;
    }
    bool ends = a->axis == b->axis && a->kind != b->kind &&
                (a->kind == AFX_DRIVE_LIMIT || b->kind == AFX_DRIVE_LIMIT) &&
                (a->kind == AFX_DRIVE_FRICTION || b->kind == AFX_DRIVE_FRICTION);
    return !apart && !ends;
}

/* Whether a joint is redundant in itself, or can be by its drives. */
static bool is_redundant(const AfxModel *model, const AfxiJoint *joint) {
    const uint32_t *drive = model->drive_order + joint->first_drive;
    bool redundant = joint->kind == AFX_JOINT_REVOLUTE_POINTS;
    for (uint32_t a = 0; a < joint->drive_count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            redundant |= may_repeat(joint, &model->drives[drive[a]], &model->drives[drive[b]]);
        }
    }
    return redundant;
}

bool afxi_graph_is_ball(const AfxModel *model, const AfxiGraphBlock *block) {
    const AfxiJoint *joint = block->type == AFXI_BLOCK_JOINT ? &model->joints[block->index] : NULL;
    return joint && joint->kind == AFX_JOINT_SPHERICAL && joint->drive_count == 0;
}

/* Loops: union-find over the moving bodies, everything that does not move being one node. */
static void mark_loops(const AfxModel *model, AfxiGraph *graph, uint32_t *parent) {
    for (uint32_t k = 0; k <= graph->body_count; k++) {
        parent[k] = k;
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphEntry *entry = graph->entry + graph->block[k].first_entry;
        if (graph->block[k].type == AFXI_BLOCK_JOINT && graph->block[k].entry_count > 1) {
            graph->rings |= afxi_forest_join(parent, entry[0].dof.index, entry[1].dof.index);
        }
    }
    for (uint32_t k = 0; k <= graph->body_count; k++) {
        parent[k] = k;
    }
    graph->ball_loops = true;
    for (uint32_t k = 0; k < graph->block_count; k++) {
        AfxiGraphBlock *block = &graph->block[k];
        const AfxiJoint *joint = block->type == AFXI_BLOCK_JOINT ? &model->joints[block->index] : NULL;
        block->loop = block->type == AFXI_BLOCK_COUPLING && !block->flywheel;
        if (joint && holds_exactly(model, joint)) {
            uint32_t first = graph->entry[block->first_entry].dof.index;
            uint32_t second =
                block->entry_count > 1 ? graph->entry[block->first_entry + 1].dof.index : graph->body_count;
            block->loop = afxi_forest_join(parent, first, second);
            block->repeats = is_redundant(model, joint);
            block->loop |= block->repeats;
        }
        graph->loop_rows += block->loop ? block->row_count : 0;
        graph->ball_loops &= !block->loop || (joint && block->plain == 3);
        graph->ball_blocks += afxi_graph_is_ball(model, block);
    }
}

/* ---- components ---- */

/* Work of the compiler: items by graph, and in a graph by component. */
typedef struct Components {
    uint32_t *parent; /* [bodies + 1] forest; then also scratch for loops */
    uint32_t *bodies; /* [bodies] of the component of a root */
    uint32_t *joined; /* [bodies] items between moving bodies, of the component of a root */
    uint32_t *ground; /* [bodies] other items of it */
    uint8_t *rough;   /* [bodies] the component of a root cannot be solved side by side with others */
    uint32_t *degree; /* [bodies] items that hold a body */
    uint32_t *order;  /* [bodies] roots with items, by graph; then [graph_count + 1] where each graph begins */
    uint32_t *start;  /* [bodies + 2] */
    uint32_t *item;   /* [items] by component, then by number */
    uint32_t *first;  /* [bodies + 1] into item, by place in `order` */
    uint32_t count;   /* of roots with items */
    void *raw;
    size_t raw_size;
} Components;

static void take_components(Components *c, AfxiArena *arena, const AfxModel *model) {
    size_t bodies = (size_t)model->body_count + 2;
    uint32_t **lists[] = {&c->parent, &c->bodies, &c->joined, &c->ground, &c->degree, &c->order, &c->start, &c->first};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        *lists[k] = afxi_arena_take(arena, bodies, sizeof(uint32_t));
    }
    c->rough = afxi_arena_take(arena, bodies, 1);
    c->item = afxi_arena_take(arena, item_count(model), sizeof(uint32_t));
}

/* Notes what an item makes of its component. */
static void weigh_item(const AfxModel *model, Components *c, uint32_t item, uint32_t root) {
    uint32_t bodies[2 * AFX_COUPLING_TERMS], count = item_bodies(model, item, bodies);
    const AfxiJoint *joint = item < model->joint_count ? &model->joints[item] : NULL;
    bool ball = joint && joint->kind == AFX_JOINT_SPHERICAL && joint->drive_count == 0 &&
                joint->rotational_spring != UINT32_MAX;
    bool both = count == 2 && moves(model, bodies[0]) && moves(model, bodies[1]);
    c->rough[root] |= !ball;
    c->joined[root] += both;
    c->ground[root] += !both;
    for (uint32_t k = 0; k < count; k++) {
        if (moves(model, bodies[k])) {
            c->rough[root] |= ++c->degree[bodies[k]] > AFXI_POOLED_DEGREE_MOST;
        }
    }
}

static bool is_pooled(const AfxModel *model, const Components *c, uint32_t root) {
    bool asked = model->solver == AFX_SOLVER_AUTO || model->solver == AFX_SOLVER_TREE;
    return asked && !c->rough[root] && c->bodies[root] <= AFXI_POOLED_BODIES_MOST &&
           c->joined[root] + 1 == c->bodies[root] && c->ground[root] <= 1;
}

/* Joins bodies that items hold together, and sorts the items by component; components by their first body, pooled ones
 * behind all others. The number of components that have a graph of their own comes back. */
static uint32_t sort_components(const AfxModel *model, Components *c) {
    uint32_t bodies[2 * AFX_COUPLING_TERMS], own = 0, total = item_count(model);
    for (uint32_t k = 0; k <= model->body_count; k++) {
        c->parent[k] = k;
    }
    for (uint32_t item = 0; item < total; item++) {
        uint32_t first = item_body(model, item), count = first == UINT32_MAX ? 0 : item_bodies(model, item, bodies);
        for (uint32_t k = 0; k < count; k++) {
            if (moves(model, bodies[k])) {
                afxi_forest_join(c->parent, first, bodies[k]);
            }
        }
    }
    for (uint32_t body = 0; body < model->body_count; body++) {
        c->bodies[afxi_forest_root(c->parent, body)]++;
    }
    for (uint32_t item = 0; item < total; item++) {
        uint32_t first = item_body(model, item);
        if (first != UINT32_MAX) {
            weigh_item(model, c, item, afxi_forest_root(c->parent, first));
        }
    }
    for (int pooled = 0; pooled < 2; pooled++) {
        for (uint32_t root = 0; root < model->body_count; root++) {
            if (c->joined[root] + c->ground[root] && is_pooled(model, c, root) == (pooled == 1)) {
                c->start[root] = c->count; /* for now, the place of the root */
                c->first[c->count + 1] = c->joined[root] + c->ground[root];
                c->order[c->count++] = root;
            }
        }
        own = pooled ? own : c->count;
    }
    for (uint32_t k = 0; k < c->count; k++) {
        c->first[k + 1] += c->first[k];
    }
    for (uint32_t item = 0; item < total; item++) {
        uint32_t first = item_body(model, item);
        if (first != UINT32_MAX) {
            c->item[c->first[c->start[afxi_forest_root(c->parent, first)]]++] = item;
        }
    }
    for (uint32_t k = c->count; k > 0; k--) { /* the beginnings have moved to the ends */
        c->first[k] = c->first[k - 1];
    }
    c->first[0] = 0;
    return own;
}

/* Blocks of the components [begin, end). */
static void add_parts(AfxModel *model, AfxiGraph *graph, Counts *counts, const Components *c, uint32_t begin,
                      uint32_t end) {
    for (uint32_t k = begin; k < end; k++) {
        AfxiGraphPart part = {counts->bodies, counts->rows, counts->blocks, 0};
        for (uint32_t x = c->first[k]; x < c->first[k + 1]; x++) {
            add_item(model, graph, counts, c->item[x]);
        }
        if (graph->part) {
            part.size = afxi_model_measure(model, graph->body + part.first_body, counts->bodies - part.first_body);
            graph->part[k - begin] = part;
            graph->size = part.size > graph->size ? part.size : graph->size;
        }
    }
    if (graph->part) {
        graph->part[end - begin] = (AfxiGraphPart){counts->bodies, counts->rows, counts->blocks, 0};
    }
}

static void forget_bodies(AfxModel *model, const Components *c, uint32_t begin, uint32_t end) {
    uint32_t bodies[2 * AFX_COUPLING_TERMS];
    for (uint32_t x = c->first[begin]; x < c->first[end]; x++) {
        uint32_t count = item_bodies(model, c->item[x], bodies);
        for (uint32_t k = 0; k < count; k++) {
            if (moves(model, bodies[k])) {
                model->local[bodies[k]] = UINT32_MAX;
            }
        }
    }
}

/* The graph of the components [begin, end). */
static AfxStatus compile_graph(AfxModel *model, const Components *c, uint32_t begin, uint32_t end, AfxiGraph *graph) {
    const AfxAllocator *allocator = &model->allocator;
    Counts counts = {0};
    *graph = (AfxiGraph){.first_row = model->row_count, .part_count = end - begin, .local = model->local};
    graph->solver = model->solver;
    add_parts(model, graph, &counts, c, begin, end);
    AfxiArena arena = {0};
    take_graph(graph, &arena, &counts);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &graph->raw, &graph->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_graph(graph, &arena, &counts);
    forget_bodies(model, c, begin, end);
    counts = (Counts){0};
    add_parts(model, graph, &counts, c, begin, end);
    graph->body_count = counts.bodies;
    graph->block_count = graph->joint_blocks = counts.blocks;
    graph->entry_count = counts.entries;
    graph->row_count = graph->joint_rows = counts.rows;
    graph->jacobian_length = counts.jacobian_length;
    graph->drive_count = counts.drives;
    graph->rotational_spring_count = counts.turns;
    count_rows(model, graph);
    afxi_graph_list_bodies(graph);
    afxi_flywheels_mark(model, graph);
    mark_loops(model, graph, c->start);
    AfxStatus status = afxi_closed_form_create(model, graph);
    return status ? status : afxi_graph_plan(allocator, graph);
}

/* A component goes by one of its bodies. */
static void name_components(AfxModel *model) {
    for (uint32_t body = 0; body < model->body_count; body++) {
        model->root[body] = moves(model, body) ? body : UINT32_MAX;
    }
    for (uint32_t k = 0; k < model->graph_count; k++) {
        const AfxiGraph *graph = &model->graph[k];
        for (uint32_t p = 0; p < graph->part_count; p++) {
            for (uint32_t b = graph->part[p].first_body; b < graph->part[p + 1].first_body; b++) {
                model->root[graph->body[b]] = graph->body[graph->part[p].first_body];
            }
        }
    }
    for (uint32_t c = 0; c < model->chains.chain_count; c++) {
        const AfxiChainLink *link = model->chains.link + model->chains.chain[c].first_link;
        for (uint32_t k = 0; k < model->chains.chain[c].link_count; k++) {
            model->root[link[k].body] = link[0].body;
        }
    }
}

static AfxStatus compile_all(AfxModel *model, Components *c) {
    uint32_t own = sort_components(model, c), graphs = own + (c->count > own);
    model->graph = afxi_allocate(&model->allocator, graphs * sizeof *model->graph);
    model->graph_allocated = model->graph ? graphs : 0;
    if (graphs && !model->graph) {
        return AFX_E_MEMORY;
    }
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < graphs && status == AFX_OK; k++) {
        AfxiGraph *graph = &model->graph[model->graph_count++];
        status = compile_graph(model, c, k < own ? k : own, k < own ? k + 1 : c->count, graph);
        graph->pooled = k >= own;
        model->row_count += graph->row_count;
        for (uint32_t b = 0; status == AFX_OK && b < graph->body_count; b++) {
            model->graph_of[graph->body[b]] = k;
        }
    }
    if (status == AFX_OK) {
        name_components(model);
    }
    for (uint32_t k = 0; status == AFX_OK && k < model->joint_count; k++) { /* ball chains stand behind */
        AfxiJoint *joint = &model->joints[k];
        joint->row = joint->slot == UINT32_MAX ? joint->row : model->row_count + 3 * joint->slot;
    }
    return status;
}

AfxStatus afxi_compile_graphs(AfxModel *model) {
    Components c = {0};
    AfxiArena arena = {0};
    memset(model->local, 0xff, model->body_count * sizeof *model->local);
    memset(model->graph_of, 0xff, model->body_count * sizeof *model->graph_of);
    take_components(&c, &arena, model);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(&model->allocator, arena.used, &c.raw, &c.raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_components(&c, &arena, model);
    AfxStatus status = compile_all(model, &c);
    afxi_release(&model->allocator, c.raw, c.raw_size);
    return status;
}

void afxi_graph_release(const AfxAllocator *allocator, AfxiGraph *graph) {
    afxi_block_plan_destroy(&graph->plan);
    afxi_release(allocator, graph->spots_raw, graph->spots_raw_size);
    afxi_release(allocator, graph->closed_form.raw, graph->closed_form.raw_size);
    afxi_release(allocator, graph->recursion.raw, graph->recursion.raw_size);
    afxi_release(allocator, graph->raw, graph->raw_size);
}

void afxi_graphs_destroy(AfxModel *model) {
    for (uint32_t k = 0; k < model->graph_count; k++) {
        afxi_graph_release(&model->allocator, &model->graph[k]);
    }
    afxi_release(&model->allocator, model->graph, model->graph_allocated * sizeof *model->graph);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of joints (phase.h): breadth first from the ground, over the joints of each component. Components in which
 * balls alone join moving bodies are left out: chains and nets whip, their links do not turn on as they did. */
#include "model/phase.h"

#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/model.h"

/* Whether two points stay together: only about those do bodies turn. What slides moves on straight. */
static bool holds_points(AfxJointKind kind) {
    return kind == AFX_JOINT_FIXED || kind == AFX_JOINT_REVOLUTE || kind == AFX_JOINT_UNIVERSAL ||
           kind == AFX_JOINT_SPHERICAL || kind == AFX_JOINT_REVOLUTE_POINTS;
}

/* The joint of an entry of a body, or NULL: one that holds two points together. */
static const AfxiJoint *joint_of(const AfxModel *model, const AfxiGraph *graph, uint32_t entry, uint32_t *out_index) {
    const AfxiGraphBlock *block = &graph->block[graph->entry[entry].block];
    if (block->type != AFXI_BLOCK_JOINT) {
        return NULL;
    }
    const AfxiJoint *joint = &model->joints[block->index];
    *out_index = block->index;
    return holds_points(joint->kind) ? joint : NULL;
}

static bool moves(const AfxModel *model, uint32_t body) {
    return body != AFXI_WORLD && model->kind[body] == AFX_BODY_DYNAMIC;
}

static uint32_t across(const AfxiJoint *joint, uint32_t body) {
    return joint->follower == body ? joint->base : joint->follower;
}

/* Marks bodies that are left out: of pieces that joints hold together, those of more than one body and balls alone. The
 * slots of bodies serve to join the pieces; AFXI_PHASE_ALONE stays with those that are left out. */
static void leave_out_balls(AfxModel *model, const AfxiGraph *graph, uint32_t *piece, uint8_t *mixed) {
    for (uint32_t k = 0; k < graph->body_count; k++) {
        piece[graph->body[k]] = graph->body[k];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < graph->body_count; k++) {
            uint32_t body = graph->body[k], index;
            for (uint32_t at = graph->body_start[k]; at < graph->body_start[k + 1]; at++) {
                const AfxiJoint *joint = joint_of(model, graph, graph->body_entry[at], &index);
                uint32_t other = joint ? across(joint, body) : AFXI_WORLD;
                if (!moves(model, other)) {
                    continue;
                }
                if (pass == 0) {
                    afxi_forest_join(piece, body, other);
                } else {
                    mixed[afxi_forest_root(piece, body)] |= joint->kind == AFX_JOINT_SPHERICAL ? 1 : 2;
                }
            }
        }
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        bool balls = mixed[afxi_forest_root(piece, graph->body[k])] == 1;
        model->phase.slot[graph->body[k]] = balls ? AFXI_PHASE_ALONE : AFXI_PHASE_OFF;
    }
}

static void add(AfxModel *model, uint32_t body, uint32_t parent, uint32_t index) {
    AfxiPhaseTrees *trees = &model->phase;
    AfxiPhaseNode *node = &trees->node[trees->node_count];
    *node = (AfxiPhaseNode){.parent = parent, .joint = index};
    if (index != UINT32_MAX) {
        const AfxiJoint *joint = &model->joints[index];
        const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + joint->frame;
        vec3_store(node->point, joint->follower == body ? frame->point_a : frame->point_b);
    }
    trees->slot[body] = trees->node_count;
    trees->body[trees->node_count++] = body;
}

/* Bodies of a component that a joint holds to the ground. */
static void add_grounded(AfxModel *model, const AfxiGraph *graph, uint32_t begin, uint32_t end) {
    for (uint32_t k = begin; k < end; k++) {
        uint32_t body = graph->body[k], index;
        for (uint32_t at = graph->body_start[k]; at < graph->body_start[k + 1]; at++) {
            const AfxiJoint *joint = joint_of(model, graph, graph->body_entry[at], &index);
            if (joint && model->phase.slot[body] == AFXI_PHASE_OFF && !moves(model, across(joint, body))) {
                add(model, body, AFXI_PHASE_OFF, index);
            }
        }
    }
}

/* All that hangs on the bodies from slot `from` on. */
static void add_outward(AfxModel *model, const AfxiGraph *graph, uint32_t from) {
    AfxiPhaseTrees *trees = &model->phase;
    for (; from < trees->node_count; from++) {
        uint32_t body = trees->body[from], k = graph->local[body], index;
        for (uint32_t at = graph->body_start[k]; at < graph->body_start[k + 1]; at++) {
            const AfxiJoint *joint = joint_of(model, graph, graph->body_entry[at], &index);
            uint32_t other = joint ? across(joint, body) : AFXI_WORLD;
            if (moves(model, other) && trees->slot[other] == AFXI_PHASE_OFF) {
                add(model, other, from, index);
            }
        }
    }
}

static void compile_component(AfxModel *model, const AfxiGraph *graph, uint32_t begin, uint32_t end) {
    AfxiPhaseTrees *trees = &model->phase;
    uint32_t first = trees->node_count;
    add_grounded(model, graph, begin, end);
    add_outward(model, graph, first);
    for (uint32_t k = begin; k < end; k++) {
        if (trees->slot[graph->body[k]] == AFXI_PHASE_OFF) {
            uint32_t from = trees->node_count;
            add(model, graph->body[k], AFXI_PHASE_OFF, UINT32_MAX);
            add_outward(model, graph, from);
        }
    }
    for (uint32_t k = first; k < trees->node_count; k++) {
        trees->node[k].first = first;
        trees->node[k].end = trees->node_count;
    }
}

static void take(AfxModel *model, AfxiArena *arena, uint32_t jointed) {
    model->phase.slot = afxi_arena_take(arena, model->body_count, sizeof *model->phase.slot);
    model->phase.body = afxi_arena_take(arena, (size_t)jointed + 1, sizeof *model->phase.body);
    model->phase.node = afxi_arena_take(arena, (size_t)jointed + 1, sizeof *model->phase.node);
}

AfxStatus afxi_compile_phase(AfxModel *model) {
    AfxiArena arena = {0};
    uint32_t jointed = 0;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        jointed += model->graph[k].body_count;
    }
    take(model, &arena, jointed);
    arena.base = arena.overflow
                     ? NULL
                     : afxi_allocate_aligned(&model->allocator, arena.used, &model->phase.raw, &model->phase.raw_size);
    uint32_t *piece = afxi_allocate(&model->allocator, model->body_count * sizeof *piece);
    uint8_t *mixed = afxi_allocate(&model->allocator, model->body_count);
    if (!arena.base || (model->body_count && (!piece || !mixed))) {
        afxi_release(&model->allocator, piece, model->body_count * sizeof *piece);
        afxi_release(&model->allocator, mixed, model->body_count);
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(model, &arena, jointed);
    model->phase.node_count = 1;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        const AfxiGraph *graph = &model->graph[k];
        leave_out_balls(model, graph, piece, mixed);
        for (uint32_t p = 0; p < graph->part_count; p++) {
            uint32_t begin = graph->part[p].first_body, end = graph->part[p + 1].first_body;
            compile_component(model, graph, begin, end);
        }
    }
    for (uint32_t body = 0; body < model->body_count; body++) {
        bool alone = moves(model, body) && model->graph_of[body] == UINT32_MAX && !afxi_model_in_chain(model, body);
        uint32_t slot = model->phase.slot[body] == AFXI_PHASE_ALONE ? AFXI_PHASE_OFF : model->phase.slot[body];
        model->phase.slot[body] = alone ? AFXI_PHASE_ALONE : slot;
        model->phase.any |= model->phase.slot[body] != AFXI_PHASE_OFF;
    }
    afxi_release(&model->allocator, piece, model->body_count * sizeof *piece);
    afxi_release(&model->allocator, mixed, model->body_count);
    return AFX_OK;
}

void afxi_phase_destroy(AfxModel *model) {
    afxi_release(&model->allocator, model->phase.raw, model->phase.raw_size);
}

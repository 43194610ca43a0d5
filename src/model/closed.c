/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks and bodies of the graph are worked on in closed form: balls, with or without a spring, that carry
 * nothing else. Their rows need no gradients, only the points where they hold (dual/closed.h). */
#include "model/closed.h"

#include <string.h>

#include "base/memory.h"
#include "model/climb.h"
#include "model/model.h"
#include "model/tuning.h"

static void take(AfxiClosed *closed, AfxiArena *arena, const AfxiGraph *graph, uint32_t joints, uint32_t grounds) {
    closed->body = afxi_arena_take(arena, graph->body_count, sizeof *closed->body);
    closed->lever = afxi_arena_take(arena, graph->entry_count, sizeof *closed->lever);
    closed->first_row = afxi_arena_take(arena, graph->entry_count, sizeof *closed->first_row);
    closed->joint = afxi_arena_take(arena, joints, sizeof *closed->joint);
    closed->open_body = afxi_arena_take(arena, graph->body_count, sizeof *closed->open_body);
    closed->open_block = afxi_arena_take(arena, graph->block_count, sizeof *closed->open_block);
    closed->ground = afxi_arena_take(arena, grounds, sizeof *closed->ground);
}

static bool is_solved(const AfxiGraph *graph, uint32_t body) {
    return body != AFXI_WORLD && graph->local[body] != UINT32_MAX;
}

/* Marks the closed blocks; their number, and that of their ends that are not solved for, come back. */
static uint32_t mark_blocks(AfxiGraph *graph, uint32_t *out_grounds) {
    bool allowed = graph->solver != AFX_SOLVER_CG && graph->solver != AFX_SOLVER_GS; /* these use gradients */
    uint32_t count = 0;
    *out_grounds = 0;
    for (uint32_t k = 0; k < graph->block_count; k++) {
        AfxiGraphBlock *block = &graph->block[k];
        bool joint = block->type == AFXI_BLOCK_JOINT;
        block->closed = allowed && joint && block->plain == 3 && block->leading == block->row_count;
        count += block->closed;
        *out_grounds += block->closed && block->entry_count == 1;
    }
    return count;
}

/* A body with more rows than a batch takes is a hub. */
static void mark_bodies(AfxiGraph *graph) {
    AfxiClosed *closed = &graph->closed;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t rows = 0;
        bool fine = true;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiGraphBlock *block = &graph->block[graph->entry[graph->body_entry[x]].block];
            rows += block->row_count;
            fine &= block->closed;
        }
        closed->body[body] = fine && rows <= AFXI_BODY_ROWS_MOST;
    }
}

/* Notes that gradients of a block are needed. */
static void reach(AfxiGraph *graph, const AfxiGraphBlock *block) {
    AfxiClosed *closed = &graph->closed;
    closed->open_row_end = block->first_row + block->row_count; /* blocks come in rising order */
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        uint32_t body = graph->entry[e].dof.index;
        closed->open_body_end = body >= closed->open_body_end ? body + 1 : closed->open_body_end;
        closed->open_jacobian_end =
            graph->entry[e].jacobian + afxi_dof_width(graph->entry[e].dof.family) * block->row_count;
    }
}

static void list_open(AfxiGraph *graph) {
    AfxiClosed *closed = &graph->closed;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        if (!closed->body[body]) {
            closed->open_body[closed->open_body_count++] = body;
            closed->open_body_end = body + 1;
        } else if (3 * (uint64_t)(graph->body_start[body + 1] - graph->body_start[body]) > AFXI_BODY_ROWS_MOST) {
            closed->open_body_end = body + 1; /* a hub of a forest has its numbers there, too */
        }
    }
    graph->ball_loops = true;
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        bool open = !block->closed;
        graph->ball_loops &= !block->loop || (block->type == AFXI_BLOCK_JOINT && block->plain == 3);
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            open |= !closed->body[graph->entry[e].dof.index];
        }
        if (open) {
            closed->open_block[closed->open_block_count++] = k;
            reach(graph, block);
        }
    }
}

static void fill_levers(const AfxModel *model, AfxiGraph *graph) {
    const AfxiJointFrame *frames = model->joint_frames.items;
    for (uint32_t x = 0; x < graph->entry_count; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        const AfxiGraphBlock *block = &graph->block[entry->block];
        graph->closed.first_row[x] = block->first_row;
        if (block->closed) {
            const AfxiJoint *joint = &model->joints[block->index];
            bool follower = joint->follower == graph->body[entry->dof.index];
            const AfxiJointFrame *frame = &frames[joint->frame];
            vec3_store(graph->closed.lever[x].point, follower ? frame->point_a : frame->point_b);
            graph->closed.lever[x].sign = follower ? 1 : -1;
        }
    }
}

/* The number of an end behind the bodies. */
static uint32_t ground_of(AfxiGraph *graph, uint32_t body) {
    AfxiClosed *closed = &graph->closed;
    uint32_t k = closed->ground_count; /* most graphs stand on one thing, and what comes again came last */
    while (k > 0 && closed->ground[k - 1] != body && closed->ground_count - k < AFXI_GROUNDS_SEEN) {
        k--;
    }
    if (k == 0 || closed->ground[k - 1] != body) {
        closed->ground[closed->ground_count++] = body;
        k = closed->ground_count;
    }
    return graph->body_count + k - 1;
}

static void fill_joints(const AfxModel *model, AfxiGraph *graph) {
    AfxiClosed *closed = &graph->closed;
    for (int springs = 0; springs < 2; springs++) {
        for (uint32_t k = 0; k < graph->block_count; k++) {
            const AfxiGraphBlock *block = &graph->block[k];
            if (!block->closed || (block->turn != UINT32_MAX) != (springs == 1)) {
                continue;
            }
            const AfxiJoint *joint = &model->joints[block->index];
            uint32_t ends[2] = {joint->follower, joint->base};
            for (int side = 0; side < 2; side++) {
                ends[side] = is_solved(graph, ends[side]) ? graph->local[ends[side]] : ground_of(graph, ends[side]);
            }
            closed->joint[closed->joint_count++] =
                (AfxiClosedJoint){ends[0], ends[1], k, block->first_row, joint->frame, block->turn};
        }
        closed->ball_count = springs ? closed->ball_count : closed->joint_count;
    }
}

AfxStatus afxi_closed_create(const AfxModel *model, AfxiGraph *graph) {
    AfxiClosed *closed = &graph->closed;
    uint32_t grounds, joints = mark_blocks(graph, &grounds);
    AfxiArena arena = {0};
    take(closed, &arena, graph, joints, grounds);
    arena.base =
        arena.overflow ? NULL : afxi_allocate_aligned(&model->allocator, arena.used, &closed->raw, &closed->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(closed, &arena, graph, joints, grounds);
    mark_bodies(graph);
    fill_levers(model, graph);
    fill_joints(model, graph);
    AfxStatus status = afxi_climb_create(model, graph);
    list_open(graph);
    return status;
}

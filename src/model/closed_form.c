/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks and bodies of the graph are worked on in closed form: balls, with or without a spring, that carry
 * nothing else. Their rows need no gradients, only the points where they hold (dual/closed_form.h). */
#include "model/closed_form.h"

#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/recursion.h"
#include "model/tuning.h"

static void take(AfxiClosedForm *closed_form, AfxiArena *arena, const AfxiGraph *graph, uint32_t joints,
                 uint32_t grounds) {
    closed_form->body = afxi_arena_take(arena, graph->body_count, sizeof *closed_form->body);
    closed_form->lever = afxi_arena_take(arena, graph->entry_count, sizeof *closed_form->lever);
    closed_form->first_row = afxi_arena_take(arena, graph->entry_count, sizeof *closed_form->first_row);
    closed_form->joint = afxi_arena_take(arena, joints, sizeof *closed_form->joint);
    closed_form->general_body = afxi_arena_take(arena, graph->body_count, sizeof *closed_form->general_body);
    closed_form->general_block = afxi_arena_take(arena, graph->block_count, sizeof *closed_form->general_block);
    closed_form->ground = afxi_arena_take(arena, grounds, sizeof *closed_form->ground);
}

static bool is_solved(const AfxiGraph *graph, uint32_t body) {
    return body != AFXI_WORLD && graph->local[body] != UINT32_MAX;
}

/* Marks the closed-form blocks; their number, and that of their ends that are not solved for, come back. */
static uint32_t mark_blocks(AfxiGraph *graph, uint32_t *out_grounds) {
    bool allowed = graph->solver != AFX_SOLVER_CG && graph->solver != AFX_SOLVER_GS; /* these use gradients */
    uint32_t count = 0;
    *out_grounds = 0;
    for (uint32_t k = 0; k < graph->block_count; k++) {
        AfxiGraphBlock *block = &graph->block[k];
        bool joint = block->type == AFXI_BLOCK_JOINT;
        block->closed_form = allowed && joint && block->plain == 3 && block->leading == block->row_count;
        count += block->closed_form;
        *out_grounds += block->closed_form && block->entry_count == 1;
    }
    return count;
}

/* A body with more rows than a batch takes is a high-degree body. */
static void mark_bodies(AfxiGraph *graph) {
    AfxiClosedForm *closed_form = &graph->closed_form;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t rows = 0;
        bool fine = true;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiGraphBlock *block = &graph->block[graph->entry[graph->body_entry[x]].block];
            rows += block->row_count;
            fine &= block->closed_form;
        }
        closed_form->body[body] = fine && rows <= AFXI_BODY_ROWS_MOST;
    }
}

/* Notes that gradients of a block are needed. */
static void reach(AfxiGraph *graph, const AfxiGraphBlock *block) {
    AfxiClosedForm *closed_form = &graph->closed_form;
    closed_form->general_row_end = block->first_row + block->row_count; /* blocks come in rising order */
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        uint32_t body = graph->entry[e].dof.index;
        closed_form->general_body_end =
            body >= closed_form->general_body_end ? body + 1 : closed_form->general_body_end;
        closed_form->general_jacobian_end =
            graph->entry[e].jacobian + afxi_dof_width(graph->entry[e].dof.family) * block->row_count;
    }
}

static void list_open(AfxiGraph *graph) {
    AfxiClosedForm *closed_form = &graph->closed_form;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        if (!closed_form->body[body]) {
            closed_form->general_body[closed_form->general_body_count++] = body;
            closed_form->general_body_end = body + 1;
        } else if (3 * (uint64_t)(graph->body_start[body + 1] - graph->body_start[body]) > AFXI_BODY_ROWS_MOST) {
            closed_form->general_body_end = body + 1; /* a high-degree body of a forest has its numbers there, too */
        }
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        bool open = !block->closed_form;
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            open |= !closed_form->body[graph->entry[e].dof.index];
        }
        if (open) {
            closed_form->general_block[closed_form->general_block_count++] = k;
            reach(graph, block);
        }
    }
}

static void fill_levers(const AfxModel *model, AfxiGraph *graph) {
    const AfxiJointFrame *frames = model->joint_frames.items;
    for (uint32_t x = 0; x < graph->entry_count; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        const AfxiGraphBlock *block = &graph->block[entry->block];
        graph->closed_form.first_row[x] = block->first_row;
        if (block->closed_form) {
            const AfxiJoint *joint = &model->joints[block->index];
            bool follower = joint->follower == graph->body[entry->dof.index];
            const AfxiJointFrame *frame = &frames[joint->frame];
            vec3_store(graph->closed_form.lever[x].point, follower ? frame->point_a : frame->point_b);
            graph->closed_form.lever[x].sign = follower ? 1 : -1;
        }
    }
}

/* The number of an end behind the bodies. */
static uint32_t ground_of(AfxiGraph *graph, uint32_t body) {
    AfxiClosedForm *closed_form = &graph->closed_form;
    uint32_t k = closed_form->ground_count; /* most graphs stand on one thing, and what comes again came last */
    while (k > 0 && closed_form->ground[k - 1] != body && closed_form->ground_count - k < AFXI_GROUNDS_SEEN) {
        k--;
    }
    if (k == 0 || closed_form->ground[k - 1] != body) {
        closed_form->ground[closed_form->ground_count++] = body;
        k = closed_form->ground_count;
    }
    return graph->body_count + k - 1;
}

static void fill_joints(const AfxModel *model, AfxiGraph *graph) {
    AfxiClosedForm *closed_form = &graph->closed_form;
    for (int springs = 0; springs < 2; springs++) {
        for (uint32_t k = 0; k < graph->block_count; k++) {
            const AfxiGraphBlock *block = &graph->block[k];
            if (!block->closed_form || (block->rotational_spring != UINT32_MAX) != (springs == 1)) {
                continue;
            }
            const AfxiJoint *joint = &model->joints[block->index];
            uint32_t ends[2] = {joint->follower, joint->base};
            for (int side = 0; side < 2; side++) {
                ends[side] = is_solved(graph, ends[side]) ? graph->local[ends[side]] : ground_of(graph, ends[side]);
            }
            closed_form->joint[closed_form->joint_count++] =
                (AfxiClosedFormJoint){ends[0], ends[1], k, block->first_row, joint->frame, block->rotational_spring};
        }
        closed_form->ball_count = springs ? closed_form->ball_count : closed_form->joint_count;
    }
}

AfxStatus afxi_closed_form_create(const AfxModel *model, AfxiGraph *graph) {
    AfxiClosedForm *closed_form = &graph->closed_form;
    uint32_t grounds, joints = mark_blocks(graph, &grounds);
    AfxiArena arena = {0};
    take(closed_form, &arena, graph, joints, grounds);
    arena.base = arena.overflow
                     ? NULL
                     : afxi_allocate_aligned(&model->allocator, arena.used, &closed_form->raw, &closed_form->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(closed_form, &arena, graph, joints, grounds);
    mark_bodies(graph);
    fill_levers(model, graph);
    fill_joints(model, graph);
    AfxStatus status = afxi_recursion_create(&model->allocator, model, graph);
    list_open(graph);
    return status;
}

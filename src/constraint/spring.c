/* SPDX-License-Identifier: Apache-2.0 */
/* Springs of ball joints in a step: the kernel of joint/rotational_spring_wide.c over all of them, and their rows. */
#include "constraint/spring.h"

#include <math.h>
#include <string.h>

#include "base/task.h"

static const double identity[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

void afxi_rotational_springs_take(AfxiRows *rows, AfxiArena *arena) {
    size_t turns = rows->graph->rotational_spring_count;
    rows->rotational_spring_kernel = afxi_rotational_spring_kernel(rows->world->def.lanes);
    rows->rotational_spring_ends = afxi_arena_take(arena, turns, sizeof *rows->rotational_spring_ends);
    rows->rotational_spring_constants =
        afxi_arena_take(arena, turns * AFXI_ROTATIONAL_SPRING_CONSTANTS, sizeof(double));
    rows->rotational_spring = afxi_arena_take(arena, turns * AFXI_ROTATIONAL_SPRING_RESULT, sizeof(double));
}

static const AfxiJoint *joint_of(const AfxiRows *rows, uint32_t turn) {
    return &rows->world->model->joints[rows->graph->block[rows->graph->rotational_spring_block[turn]].index];
}

static uint32_t local_of(const AfxiRows *rows, uint32_t body) {
    return body == AFXI_WORLD ? UINT32_MAX : rows->graph->local[body];
}

/* Where the two bodies of a spring are found. */
static void find_ends(AfxiRows *rows, uint32_t turn) {
    const AfxiJoint *joint = joint_of(rows, turn);
    AfxiRotationalSpringEnds *ends = &rows->rotational_spring_ends[turn];
    for (int side = 0; side < 2; side++) {
        uint32_t body = side ? joint->base : joint->follower, local = local_of(rows, body);
        ends->solved[side] = local != UINT32_MAX;
        ends->r[side] = ends->x[side] = identity;
        if (local != UINT32_MAX) {
            ends->r[side] = rows->frame[local].m;
            ends->x[side] = rows->qv + (size_t)AFXI_AFFINE_WIDTH * local;
        } else if (body != AFXI_WORLD) {
            ends->r[side] = rows->world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
            ends->x[side] = rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
        }
    }
}

void afxi_rotational_springs_refresh(AfxiRows *rows) {
    if (rows->rotational_springs_version == rows->world->springs_version) {
        return;
    }
    for (uint32_t turn = 0; turn < rows->graph->rotational_spring_count; turn++) {
        const AfxiJoint *joint = joint_of(rows, turn);
        const AfxiJointFrame *frame = (const AfxiJointFrame *)rows->world->model->joint_frames.items + joint->frame;
        afxi_rotational_spring_constants(
            afxi_world_param(rows->world, AFX_PARAM_JOINT_SPRING, joint->rotational_spring), &frame->axes_a,
            &frame->axes_b, rows->rotational_spring_constants + (size_t)AFXI_ROTATIONAL_SPRING_CONSTANTS * turn);
        find_ends(rows, turn);
    }
    rows->held_scale = 0; /* `held` follows */
    rows->rotational_springs_version = rows->world->springs_version;
}

bool afxi_rotational_springs_held(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    if (!graph->rotational_spring_count || rows->held_scale == rows->h_rate) {
        return false;
    }
    memset(rows->held, 0, graph->body_count * sizeof *rows->held);
    for (uint32_t turn = 0; turn < graph->rotational_spring_count; turn++) {
        const AfxiJoint *joint = joint_of(rows, turn);
        const double *numbers = afxi_world_param(rows->world, AFX_PARAM_JOINT_SPRING, joint->rotational_spring);
        double least = INFINITY;
        for (int e = 0; e < 3; e++) {
            least = fmin(least, numbers[AFXI_ROTATIONAL_SPRING_STIFFNESS + e] +
                                    numbers[AFXI_ROTATIONAL_SPRING_DAMPING + e] / rows->h_rate);
        }
        const uint32_t ends[2] = {joint->follower, joint->base};
        for (int side = 0; side < 2; side++) {
            uint32_t local = local_of(rows, ends[side]);
            if (local != UINT32_MAX) {
                rows->held[local] = fmax(rows->held[local], least);
            }
        }
    }
    rows->held_scale = rows->h_rate;
    return true;
}

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const AfxiRows *rows = context;
    rows->rotational_spring_kernel(rows->rotational_spring_ends, rows->rotational_spring_constants, 1 / rows->h_rate,
                                   begin, end, rows->rotational_spring);
}

/* Rows and gradients of one spring. */
static void put_rows(AfxiRows *rows, uint32_t turn) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->rotational_spring_block[turn]];
    const AfxiJoint *joint = joint_of(rows, turn);
    const double *result = rows->rotational_spring + (size_t)AFXI_ROTATIONAL_SPRING_RESULT * turn;
    bool on = rows->world->state.joint_active[block->index];
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t r = block->plain + axis, row = block->first_row + r;
        rows->rate[row] = rows->shift[row] = rows->base_acceleration[row] = 0;
        rows->measured[row] = rows->value[row] = result[AFXI_ROTATIONAL_SPRING_VALUE + axis];
        rows->compliance[row] = result[AFXI_ROTATIONAL_SPRING_COMPLIANCE + axis];
        rows->fixed[row] = 0;
        rows->active[row] = on;
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const AfxiGraphEntry *entry = &graph->entry[e];
            double sign = graph->body[entry->dof.index] == joint->follower ? 1 : -1;
            afxi_rotational_spring_gradient(rows->frame[entry->dof.index].m, axis, sign,
                                            rows->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r);
        }
    }
}

void afxi_rotational_springs_linearise(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    uint32_t turns = graph->rotational_spring_count;
    bool whole = rows->closed_form && rows->whole;
    if (!whole) {
        afxi_parallel_for(&rows->world->def.tasks, rows->world->def.threads, turns, AFXI_GRAIN, run_part, rows);
    }
    for (uint32_t b = 0; rows->closed_form && b < graph->closed_form.general_block_count; b++) {
        uint32_t turn = graph->block[graph->closed_form.general_block[b]].rotational_spring;
        if (turn != UINT32_MAX && whole) {
            run_part(rows, 0, turn, turn + 1);
        }
        if (turn != UINT32_MAX) {
            put_rows(rows, turn);
        }
    }
    for (uint32_t k = 0; !rows->closed_form && k < turns; k++) {
        put_rows(rows, k);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Springs of ball joints in a step: the kernel of joint/turn_wide.c over all of them, and their rows. */
#include <math.h>
#include <string.h>

#include "base/task.h"
#include "step/rows_inner.h"

static const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

void afxi_turns_take(AfxSim *sim, AfxiArena *arena) {
    AfxiJointed *jointed = &sim->jointed;
    size_t turns = sim->model->turn_count;
    jointed->turn_kernel = afxi_turn_kernel(sim->def.lanes);
    jointed->turn_ends = afxi_arena_take(arena, turns, sizeof *jointed->turn_ends);
    jointed->turn_constants = afxi_arena_take(arena, turns * AFXI_TURN_CONSTANTS, sizeof(double));
    jointed->system.turn = afxi_arena_take(arena, turns * AFXI_TURN_RESULT, sizeof(double));
}

void afxi_turn_refresh(AfxSim *sim, uint32_t turn) {
    const AfxiJointFrame *frame = afxi_joint_frame(sim, sim->model->turn_joint[turn]);
    sim->jointed.held_scale = 0; /* `held`, and what is packed, follow at the next stage */
    afxi_turn_constants(afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_SPRING, turn), &frame->axes_a,
                        &frame->axes_b, sim->jointed.turn_constants + (size_t)AFXI_TURN_CONSTANTS * turn);
}

void afxi_turns_begin(AfxSim *sim) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->turn_count; k++) {
        const AfxiJoint *joint = &model->joints[model->turn_joint[k]];
        AfxiTurnEnds *ends = &sim->jointed.turn_ends[k];
        afxi_turn_refresh(sim, k);
        for (int side = 0; side < 2; side++) {
            uint32_t body = side ? joint->base : joint->follower;
            uint32_t local = body == AFXI_WORLD ? UINT32_MAX : model->graph.local[body];
            ends->solved[side] = local != UINT32_MAX;
            ends->r[side] = ends->x[side] = identity;
            if (local != UINT32_MAX) {
                ends->r[side] = sim->jointed.frame[local].m;
                ends->x[side] = sim->jointed.qv + (size_t)12 * local;
            } else if (body != AFXI_WORLD) {
                ends->r[side] = sim->q + (size_t)12 * body;
                ends->x[side] = sim->v + (size_t)12 * body;
            }
        }
    }
}

void afxi_turns_held(AfxSim *sim) {
    const AfxModel *model = sim->model;
    AfxiJointed *jointed = &sim->jointed;
    if (!model->turn_count || jointed->held_scale == jointed->h_rate) {
        return;
    }
    memset(jointed->held, 0, model->graph.body_count * sizeof *jointed->held);
    for (uint32_t turn = 0; turn < model->turn_count; turn++) {
        const AfxiJoint *joint = &model->joints[model->turn_joint[turn]];
        const double *numbers = afxi_param_const(model, sim->params, AFX_PARAM_JOINT_SPRING, turn);
        double least = INFINITY;
        for (int e = 0; e < 3; e++) {
            least = fmin(least, numbers[AFXI_TURN_STIFFNESS + e] + numbers[AFXI_TURN_DAMPING + e] / jointed->h_rate);
        }
        const uint32_t ends[2] = {joint->follower, joint->base};
        for (int side = 0; side < 2; side++) {
            uint32_t local = ends[side] == AFXI_WORLD ? UINT32_MAX : model->graph.local[ends[side]];
            if (local != UINT32_MAX) {
                jointed->held[local] = fmax(jointed->held[local], least);
            }
        }
    }
    jointed->held_scale = jointed->h_rate;
    jointed->system.climb.packed = false;
}

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const AfxSim *sim = context;
    const AfxiJointed *jointed = &sim->jointed;
    jointed->turn_kernel(jointed->turn_ends, jointed->turn_constants, 1 / jointed->h_rate, begin, end,
                         jointed->system.turn);
}

/* Rows and gradients of one spring. */
static void put_rows(AfxSim *sim, uint32_t turn) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiJoint *joint = &sim->model->joints[sim->model->turn_joint[turn]];
    if (joint->block == UINT32_MAX) {
        return;
    }
    const AfxiGraphBlock *block = &graph->block[joint->block];
    AfxiSystem *system = &sim->jointed.system;
    const double *result = system->turn + (size_t)AFXI_TURN_RESULT * turn;
    bool on = sim->joint_active[block->index];
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t r = block->plain + axis, row = block->first_row + r;
        sim->jointed.rate[row] = sim->jointed.shift[row] = sim->jointed.base_acceleration[row] = 0;
        sim->jointed.measured[row] = system->value[row] = result[AFXI_TURN_VALUE + axis];
        system->compliance[row] = result[AFXI_TURN_COMPLIANCE + axis];
        system->given[row] = 0;
        system->active[row] = on;
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const AfxiGraphEntry *entry = &graph->entry[e];
            double sign = graph->body[entry->body] == joint->follower ? 1 : -1;
            afxi_turn_gradient(sim->jointed.frame[entry->body].m, axis, sign,
                               system->jacobian + 12 * (entry->jacobian + r));
        }
    }
}

void afxi_turns_linearise(AfxSim *sim) {
    uint32_t turns = sim->model->turn_count;
    const AfxiGraph *graph = &sim->model->graph;
    bool closed = sim->jointed.system.bodies.on, whole = closed && sim->jointed.system.climb.whole;
    if (!whole) {
        afxi_parallel_for(&sim->def.tasks, sim->def.threads, turns, AFXI_GRAIN, run_part, sim);
    }
    for (uint32_t b = 0; closed && b < graph->closed.open_block_count; b++) {
        uint32_t turn = graph->block[graph->closed.open_block[b]].turn;
        if (turn != UINT32_MAX && whole) {
            run_part(sim, 0, turn, turn + 1);
        }
        if (turn != UINT32_MAX) {
            put_rows(sim, turn);
        }
    }
    if (closed && !whole) { /* the rest in closed form */
        afxi_closed_values(&sim->jointed.system);
    }
    if (closed) {
        return;
    }
    for (uint32_t k = 0; k < turns; k++) {
        put_rows(sim, k);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the state block, and how history moves. */
#include "state/state.h"

#include <math.h>
#include <string.h>

#include "state/tuning.h"

size_t afxi_state_adhesion_size(const AfxModel *model) {
    size_t count = model->robot.adhesion_count;
    return count ? (AFXI_AFFINE_WIDTH + 6 * count) * model->body_count : 0;
}

void afxi_state_take(AfxiState *state, AfxiArena *arena, const AfxModel *model) {
    size_t numbers = AFXI_AFFINE_WIDTH * (size_t)model->body_count, rows = model->row_count;
    state->head = afxi_arena_take(arena, 1, sizeof *state->head);
    state->q = afxi_arena_take(arena, numbers, sizeof *state->q);
    state->v = afxi_arena_take(arena, numbers, sizeof *state->v);
    state->home_x2 = state->x2 = afxi_arena_take(arena, numbers, sizeof *state->x2);
    state->home_x3 = state->x3 = afxi_arena_take(arena, numbers, sizeof *state->x3);
    if (model->phase.any) {
        state->gap = afxi_arena_take(arena, numbers, sizeof *state->gap);
        state->last_gap = afxi_arena_take(arena, numbers, sizeof *state->last_gap);
    }
    state->targets = afxi_arena_take(arena, model->kinematic_count, sizeof *state->targets);
    size_t rest = arena->used;
    state->lambda = afxi_arena_take(arena, rows + 3 * (size_t)model->chains.slot_count + 1, sizeof *state->lambda);
    state->angle = afxi_arena_take(arena, model->angle_count, sizeof *state->angle);
    state->joint_active = afxi_arena_take(arena, model->joint_count, sizeof *state->joint_active);
    state->drive_branch = afxi_arena_take(arena, model->drive_count, sizeof *state->drive_branch);
    state->curved = afxi_arena_take(arena, (size_t)model->body_count + model->chains.link_count, sizeof *state->curved);
    state->pace = afxi_arena_take(arena, model->body_count, sizeof *state->pace);
    state->regularise = afxi_arena_take(arena, model->graph_count, sizeof *state->regularise);
    state->rest_size = arena->used - rest;
    state->drive_travel = afxi_arena_take(arena, model->drive_count, sizeof *state->drive_travel);
    state->drive_input = afxi_arena_take(arena, 4 * (size_t)model->drive_count, sizeof *state->drive_input);
    state->activation = afxi_arena_take(arena, model->robot.active ? 2 * (size_t)model->robot.control_count : 0,
                                        sizeof *state->activation);
    state->adhesion = afxi_arena_take(arena, afxi_state_adhesion_size(model), sizeof *state->adhesion);
    state->rested = afxi_arena_take(arena, model->body_count, sizeof *state->rested);
    state->asleep = afxi_arena_take(arena, model->body_count, sizeof *state->asleep);
}

void afxi_state_swap_history(AfxiState *state) {
    double *x2 = state->x2, *x3 = state->x3;
    state->previous_q = state->x2 = state->saved_q;
    state->previous_v = state->x3 = state->saved_v;
    state->saved_q = x2;
    state->saved_v = x3;
}

void afxi_state_keep_part(AfxiState *state, const void *part, size_t bytes) {
    memcpy((char *)state->saved_rest + ((const char *)part - (const char *)state->lambda), part, bytes);
}

void afxi_state_restore_part(AfxiState *state, void *part, size_t bytes) {
    memcpy(part, (const char *)state->saved_rest + ((char *)part - (char *)state->lambda), bytes);
}

void afxi_state_save_rest(AfxiState *state, const AfxModel *model, bool bodies) {
    state->saved_bodies = bodies;
    state->saved_pace = state->head->uneven;
    if (bodies) {
        afxi_state_keep_part(state, state->curved, model->body_count);
        afxi_state_keep_part(state, state->regularise, model->graph_count);
    }
    if (state->saved_pace) {
        afxi_state_keep_part(state, state->pace, model->body_count);
    }
}

void afxi_state_restore_rest(AfxiState *state, const AfxModel *model) {
    if (state->saved_bodies) {
        afxi_state_restore_part(state, state->curved, model->body_count);
        afxi_state_restore_part(state, state->regularise, model->graph_count);
    }
    if (state->saved_pace) {
        afxi_state_restore_part(state, state->pace, model->body_count);
    } else {
        memset(state->pace, 0, model->body_count);
    }
    state->head->uneven = state->saved_pace;
}

void afxi_state_restore_pace(AfxiState *state, uint32_t body) {
    if (state->saved_pace) {
        afxi_state_restore_part(state, state->pace + body, 1);
    } else {
        state->pace[body] = 0;
    }
}

double afxi_state_time(const AfxiState *state) {
    return state->head->base_time + (double)state->head->base_steps * state->head->dt;
}

void afxi_state_copy_body(uint32_t body, double *to_q, double *to_v, const double *from_q, const double *from_v) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body, bytes = AFXI_AFFINE_WIDTH * sizeof(double);
    memcpy(to_q + at, from_q + at, bytes);
    memcpy(to_v + at, from_v + at, bytes);
}

void afxi_state_drop_wild(AfxiState *state, const AfxModel *model) {
    size_t count = model->row_count + 3 * (size_t)model->chains.slot_count;
    for (size_t k = 0; k < count; k++) {
        state->lambda[k] = fabs(state->lambda[k]) < AFXI_MULTIPLIER_WILD ? state->lambda[k] : 0;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: the state block, and what contact points remember. One that comes back is somebody's file until its
 * numbers have been looked at: what a step could not have left is refused. */
#include <math.h>
#include <string.h>

#include "base/released.h"
#include "model/model.h"
#include "state/validate.h"
#include "step/path.h"
#include "step/sim.h"
#include "step/start_query.h"
#include "step/tuning.h"

/* Bytes of what the contact points remember: it follows the state. */
static size_t memory_size(const AfxSim *sim) {
    return sim->solver.collide ? sim->solver.set->past_count * sizeof(AfxiPointMemory) : 0;
}

size_t afx_sim_snapshot_size(const AfxSim *sim) {
    return sim ? sim->world.state.size + memory_size(sim) : 0;
}

void afxi_sim_keep(const AfxSim *sim, void *to) {
    const AfxiState *state = &sim->world.state;
    size_t bytes = (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count * sizeof(double);
    memcpy(to, state->head, state->size);
    if (state->x2 != state->home_x2) { /* the history is in the places of saved_q, saved_v at the moment */
        memcpy((char *)to + ((char *)state->home_x2 - (char *)state->head), state->x2, bytes);
        memcpy((char *)to + ((char *)state->home_x3 - (char *)state->head), state->x3, bytes);
    }
}

void afxi_sim_bring_back(AfxSim *sim, const void *from) {
    if (sim->world.state.x2 != sim->world.state.home_x2) {
        afxi_state_swap_history(&sim->world.state);
    }
    memcpy(sim->world.state.head, from, sim->world.state.size);
    afxi_sim_replaced(sim);
}

void afxi_sim_replaced(AfxSim *sim) {
    afxi_paths_follow(sim);
    afxi_start_forget(sim);
    sim->formulation->refresh(sim->work);
    sim->world.joints_version++;
    sim->world.joints_off = 0;
    for (uint32_t k = 0; k < sim->model->joint_count; k++) {
        sim->world.joints_off += !sim->world.state.joint_active[k];
    }
}

AfxStatus afx_sim_snapshot(const AfxSim *sim, void *buffer, size_t size) {
    if (!sim || !buffer || size < afx_sim_snapshot_size(sim)) {
        return AFX_E_ARGUMENT;
    }
    AFXI_ASSERT_ALIVE(sim);
    afxi_sim_keep(sim, buffer);
    for (uint32_t k = 0; sim_blank_history(sim) && k < sim->model->chains.link_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * sim->model->chains.link[k].body,
               row = AFXI_AFFINE_WIDTH * sizeof(double);
        memset((char *)buffer + ((char *)(sim->world.state.home_x2 + at) - (char *)sim->world.state.head), 0, row);
        memset((char *)buffer + ((char *)(sim->world.state.home_x3 + at) - (char *)sim->world.state.head), 0, row);
    }
    if (memory_size(sim)) {
        memcpy((char *)buffer + sim->world.state.size, sim->solver.set->past, memory_size(sim));
    }
    return AFX_OK;
}

/* ---- restore ---- */

/* Rows [12] of bodies in a copy of the state block. */
static bool finite_row(const char *block, const AfxiState *state, const double *home, uint32_t body) {
    double row[AFXI_AFFINE_WIDTH], sum = 0;
    size_t at = (size_t)((const char *)(home + (size_t)AFXI_AFFINE_WIDTH * body) - (const char *)state->head);
    memcpy(row, block + at, sizeof row);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum += 0 * row[k];
    }
    return sum == 0;
}

/* The history, as far as the next step goes by it. */
static bool is_history_sound(const AfxSim *sim, const AfxiStateHead *head, const char *block) {
    const AfxiState *state = &sim->world.state;
    const uint8_t *pace = (const uint8_t *)block + (state->pace - (const uint8_t *)state->head);
    const double *home[4] = {state->home_x2, state->home_x3, state->gap, state->last_gap};
    bool sound = true;
    for (uint32_t k = 0; head->has_history && k < sim->model->body_count; k++) {
        for (int part = 0; part < 4 && home[part]; part++) {
            sound = sound && (pace[k] & AFXI_PACE_RESTART || finite_row(block, state, home[part], k));
        }
    }
    return sound;
}

static bool in_order(const AfxiPointMemory *a, const AfxiPointMemory *b) {
    if (a->item_a != b->item_a) {
        return a->item_a < b->item_a;
    }
    return a->item_b != b->item_b ? a->item_b < b->item_b : a->feature <= b->feature;
}

/* What contact points remember: of shapes that there are, sorted, forces and stiffnesses that push and rub. */
static bool are_memories_sound(const AfxModel *model, const char *memories, uint32_t count) {
    AfxiPointMemory own, before = {0};
    for (uint32_t k = 0; k < count; k++, before = own) {
        memcpy(&own, memories + k * sizeof own, sizeof own);
        const double least[] = {own.slip,  own.roll,       own.spin,       own.slid,
                                own.limit, own.limit_roll, own.limit_spin, own.push};
        bool sound = own.item_a < model->contacts.shape_count && own.item_b < model->contacts.shape_count &&
                     own.sliding < 2 && in_order(&before, &own);
        for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
            sound = sound && least[i] >= 0 && isfinite(least[i]);
        }
        for (int i = 0; i < 3; i++) {
            sound = sound && isfinite(own.stretch[i]) && isfinite(own.turned[i]);
        }
        if (!sound) {
            return false;
        }
    }
    return true;
}

AfxStatus afx_sim_restore(AfxSim *sim, const void *buffer, size_t size) {
    if (!sim || !buffer || size < sizeof(AfxiStateHead)) {
        return AFX_E_ARGUMENT;
    }
    AFXI_ASSERT_ALIVE(sim);
    AfxiStateHead head;
    size_t own = sim->world.state.size;
    const char *memories = (const char *)buffer + own;
    memcpy(&head, buffer, sizeof head);
    if (head.magic != AFXI_STATE_MAGIC || head.model_hash != sim->model->hash ||
        head.integrator != (uint32_t)sim->def.integrator || size < own) {
        return AFX_E_VERSION;
    }
    if ((size - own) / sizeof(AfxiPointMemory) < head.contact_points || (head.contact_points && !sim->solver.collide)) {
        return AFX_E_VERSION;
    }
    if (!(head.dt >= AFXI_DT_LEAST && head.dt <= AFXI_DT_MOST) ||
        afxi_state_fault(buffer, &sim->world.state, sim->model) || !is_history_sound(sim, &head, buffer) ||
        !are_memories_sound(sim->model, memories, head.contact_points)) {
        return AFX_E_INPUT;
    }
    AfxStatus status =
        sim->solver.collide ? afxi_collide_restore(sim->solver.collide, memories, head.contact_points) : AFX_OK;
    if (status == AFX_OK) {
        sim->still.count = 0; /* a snapshot has what points remember, not the points */
        afxi_sim_bring_back(sim, buffer);
    }
    return status;
}

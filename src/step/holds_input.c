/* SPDX-License-Identifier: Apache-2.0 */
/* Taking hold of a point, letting go, and the force: run-time input of a sim, like its wrenches. */
#include <math.h>
#include <string.h>

#include "step/contacts.h"
#include "step/holds.h"

static void take(AfxiHolds *holds, const AfxModel *model, AfxiArena *arena) {
    holds->touch_of = afxi_arena_take(arena, model->graph.body_count, sizeof *holds->touch_of);
    holds->link_touch = afxi_arena_take(arena, model->chains.link_count, sizeof *holds->link_touch);
}

static AfxStatus create(AfxSim *sim) {
    AfxiArena arena = {0};
    AfxiHolds *holds = afxi_allocate(&sim->def.allocator, sizeof *holds);
    if (!holds) {
        return AFX_E_MEMORY;
    }
    take(holds, sim->model, &arena);
    if (arena.used) {
        arena.base = afxi_allocate_aligned(&sim->def.allocator, arena.used, &holds->raw, &holds->raw_size);
        if (!arena.base) {
            afxi_release(&sim->def.allocator, holds, sizeof *holds);
            return AFX_E_MEMORY;
        }
        memset(arena.base, 0xff, arena.used);
        arena.used = 0;
        take(holds, sim->model, &arena);
    }
    holds->touches = (AfxiTouches){.body = holds->body, .row = holds->row, .image = holds->image[0]};
    sim->holds = holds;
    return AFX_OK;
}

void afxi_holds_destroy(AfxSim *sim) {
    if (sim->holds) {
        afxi_release(&sim->def.allocator, sim->holds->raw, sim->holds->raw_size);
        afxi_release(&sim->def.allocator, sim->holds, sizeof *sim->holds);
    }
}

/* How a body is solved. */
static void find_path(const AfxModel *model, AfxiHold *hold) {
    hold->place = model->graph.local[hold->body];
    hold->path = hold->place != UINT32_MAX ? AFXI_HOLD_JOINTED : AFXI_HOLD_FREE;
    if (!afxi_model_in_chain(model, hold->body)) {
        return;
    }
    hold->path = AFXI_HOLD_LINK;
    for (uint32_t k = 0; k < model->chains.link_count; k++) {
        if (model->chains.link[k].body == hold->body) {
            hold->place = k;
        }
    }
}

static void set_slot(AfxiHolds *holds, const AfxiHold *hold, uint32_t slot) {
    if (hold->path == AFXI_HOLD_JOINTED) {
        holds->touch_of[hold->place] = slot;
    } else if (hold->path == AFXI_HOLD_LINK) {
        holds->link_touch[hold->place] = slot;
    }
}

/* Gives every hold its place among the touches. */
static void list(AfxiHolds *holds) {
    for (uint32_t k = 0; k < holds->count; k++) {
        AfxiHold *hold = &holds->hold[k];
        holds->body[k] =
            (AfxiTouchBody){.body = hold->body, .first_row = AFXI_HOLD_ROWS * k, .row_count = AFXI_HOLD_ROWS};
        hold->row = holds->row + AFXI_HOLD_ROWS * k;
        set_slot(holds, hold, k);
    }
    holds->touches.body_count = holds->count;
    holds->touches.row_count = AFXI_HOLD_ROWS * holds->count;
}

/* Free bodies that are held are not in the lists of the others. They need no more room than there is. */
static void list_free(AfxSim *sim, AfxiHoldPath path) {
    if (path == AFXI_HOLD_FREE) {
        afxi_input_lists(sim, sim->body_wrenches != NULL);
        afxi_input_forces(sim);
    }
}

static AfxStatus add(AfxSim *sim, uint32_t body, AfxiHold **out) {
    AfxStatus status = sim->holds ? AFX_OK : create(sim);
    AfxiHolds *holds = sim->holds;
    if (status != AFX_OK) {
        return status;
    }
    if (holds->count == AFX_HOLDS_MOST) {
        return AFX_E_LIMIT;
    }
    AfxiContactWork *work = sim->contacts; /* a step then has the room that it needs for this */
    if (work && !afxi_contacts_reserve(work, work->touches.body_count + 1, work->touches.row_count + AFXI_HOLD_ROWS)) {
        return AFX_E_MEMORY;
    }
    if (sim->model->graph.local[body] != UINT32_MAX) {
        status = afxi_graded_create(sim);
        if (status != AFX_OK) {
            return status;
        }
    }
    *out = &holds->hold[holds->count++];
    **out = (AfxiHold){.body = body, .fresh = true};
    find_path(sim->model, *out);
    list(holds);
    list_free(sim, (*out)->path);
    return AFX_OK;
}

AfxStatus afx_sim_hold(AfxSim *sim, uint32_t body, AfxVec3 point, AfxVec3 target, double stiffness, double damping) {
    if (!sim || sim->published || body >= sim->model->body_count || sim->model->kind[body] != AFX_BODY_DYNAMIC ||
        !vec3_finite(point) || !vec3_finite(target) || !(stiffness >= 0) || !(damping >= 0) || isinf(stiffness) ||
        isinf(damping)) {
        return AFX_E_ARGUMENT;
    }
    AfxiHold *hold = afxi_hold_of(sim, body);
    AfxStatus status = hold ? AFX_OK : add(sim, body, &hold);
    if (status == AFX_OK) {
        const AfxiFrame *frame = afxi_model_frame(sim->model, body);
        hold->point = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center));
        hold->target = target;
        hold->stiffness = stiffness;
        hold->damping = damping;
    }
    return status;
}

AfxStatus afx_sim_release(AfxSim *sim, uint32_t body) {
    AfxiHold *hold = sim ? afxi_hold_of(sim, body) : NULL;
    if (!hold) {
        return AFX_E_ARGUMENT;
    }
    AfxiHoldPath path = hold->path;
    set_slot(sim->holds, hold, UINT32_MAX);
    *hold = sim->holds->hold[--sim->holds->count];
    list(sim->holds);
    list_free(sim, path);
    return AFX_OK;
}

AfxStatus afx_sim_hold_force(const AfxSim *sim, uint32_t body, AfxVec3 *out_force) {
    const AfxiHold *hold = sim && out_force ? afxi_hold_of(sim, body) : NULL;
    if (!hold) {
        return AFX_E_ARGUMENT;
    }
    *out_force = hold->force;
    return AFX_OK;
}

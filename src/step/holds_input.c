/* SPDX-License-Identifier: Apache-2.0 */
/* Taking hold of a point, letting go, and the force: run-time input of a sim, like its wrenches. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "solve/solver.h"
#include "state/holds.h"
#include "state/sleep.h"
#include "step/sim.h"

size_t afxi_sim_saved_size(const AfxSim *sim) {
    return 24 * (size_t)sim->model->body_count * sizeof(double) + sim->world.state.rest_size;
}

static AfxStatus add(AfxSim *sim, uint32_t body, AfxiHold **out) {
    AfxiWorld *world = &sim->world;
    if (!world->holds) {
        world->holds = afxi_allocate(&sim->def.allocator, sizeof *world->holds);
    }
    if (!world->holds) {
        return AFX_E_MEMORY;
    }
    if (world->holds->count == AFX_HOLDS_MOST) {
        return AFX_E_LIMIT;
    }
    if (!world->state.saved_q) { /* what a body that is held may have to be put back to */
        size_t count = AFXI_AFFINE_WIDTH * (size_t)sim->model->body_count;
        double *saved = sim->saved_apart = afxi_allocate(&sim->def.allocator, afxi_sim_saved_size(sim));
        world->state.saved_q = saved;
        world->state.saved_v = saved ? saved + count : NULL;
        world->state.saved_rest = saved ? saved + 2 * count : NULL;
    }
    if (!sim->before) {
        sim->before = sim->before_apart = afxi_allocate(&sim->def.allocator, world->state.size);
    }
    if (!world->state.saved_q || !sim->before) {
        return AFX_E_MEMORY;
    }
    AfxStatus status = afxi_solver_hold(&sim->solver); /* a step then has the room that it needs for this */
    if (status == AFX_OK) {
        *out = &world->holds->hold[world->holds->count++];
        **out = (AfxiHold){.body = body, .fresh = true};
    }
    return status;
}

AfxStatus afx_sim_hold(AfxSim *sim, uint32_t body, AfxVec3 point, AfxVec3 target, double stiffness, double damping) {
    if (!sim || !sim_can(sim, AFXI_FORMULATION_HOLDS) || body >= sim->model->shown.bodies ||
        sim->model->kind[body] != AFX_BODY_DYNAMIC || !vec3_finite(point) || !vec3_finite(target) ||
        !(stiffness >= 0) || !(damping >= 0) || isinf(stiffness) || isinf(damping)) {
        return AFX_E_ARGUMENT;
    }
    AfxiHold *hold = afxi_hold_of(&sim->world, body);
    AfxStatus status = hold ? AFX_OK : add(sim, body, &hold);
    if (status == AFX_OK) {
        afxi_sleep_wake(&sim->world.state, sim->model, body);
        const AfxiFrame *frame = afxi_model_frame(sim->model, body);
        hold->point = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center));
        hold->target = target;
        hold->stiffness = stiffness;
        hold->damping = damping;
    }
    return status;
}

AfxStatus afx_sim_release(AfxSim *sim, uint32_t body) {
    AfxiHold *hold = sim ? afxi_hold_of(&sim->world, body) : NULL;
    if (!hold) {
        return AFX_E_ARGUMENT;
    }
    afxi_sleep_wake(&sim->world.state, sim->model, body);
    *hold = sim->world.holds->hold[--sim->world.holds->count];
    return AFX_OK;
}

AfxStatus afx_sim_hold_force(const AfxSim *sim, uint32_t body, AfxVec3 *out_force) {
    const AfxiHold *hold = sim && out_force ? afxi_hold_of(&sim->world, body) : NULL;
    if (!hold) {
        return AFX_E_ARGUMENT;
    }
    *out_force = hold->force;
    return AFX_OK;
}

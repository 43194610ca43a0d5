/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time input of a sim: targets of kinematic bodies, wrenches. */
#include <string.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "model/model.h"
#include "state/input.h"
#include "state/pose.h"
#include "state/sleep.h"
#include "step/sim.h"

AfxStatus afx_sim_set_body_target(AfxSim *sim, uint32_t body, AfxPose pose, AfxTwist twist) {
    if (!sim || body >= sim->model->shown.bodies || sim->model->kind[body] != AFX_BODY_KINEMATIC ||
        !afxi_pose_valid(pose) || !vec3_finite(twist.linear) || !vec3_finite(twist.angular)) {
        return AFX_E_ARGUMENT;
    }
    AfxQuat rotation = afxi_quat_normalized(pose.rotation);
    for (uint32_t k = 0; k < sim->model->kinematic_count; k++) {
        if (sim->model->kinematic[k].body == body) {
            pose.rotation = rotation;
            afxi_raw_from_pose(afxi_model_frame(sim->model, body), pose, twist, sim->world.state.targets[k].q,
                               sim->world.state.targets[k].v);
            sim->world.state.targets[k].active = 1;
        }
    }
    return AFX_OK;
}

static bool wrench_finite(AfxWrench wrench) {
    return vec3_finite(wrench.force) && vec3_finite(wrench.torque);
}

AfxStatus afx_sim_set_wrench(AfxSim *sim, uint32_t wrench, AfxWrench value) {
    double values[6];
    vec3_store(values, value.force);
    vec3_store(values + 3, value.torque);
    return afx_sim_set_param(sim, AFX_PARAM_WRENCH, wrench, values);
}

AfxStatus afx_sim_wrench(const AfxSim *sim, uint32_t wrench, AfxWrench *out_value) {
    double values[6];
    AfxStatus status = out_value ? afx_sim_param(sim, AFX_PARAM_WRENCH, wrench, values) : AFX_E_ARGUMENT;
    if (status == AFX_OK) {
        *out_value = (AfxWrench){vec3_load(values), vec3_load(values + 3)};
    }
    return status;
}

/* Wakes bodies whose wrench is another one. */
static void wake_pushed(AfxSim *sim, const AfxWrench *wrenches) {
    const AfxWrench none = {{0, 0, 0}, {0, 0, 0}}, *before = sim->world.body_wrenches;
    for (uint32_t k = 0; k < sim->model->shown.bodies; k++) {
        const AfxWrench *from = before ? &before[k] : &none, *to = wrenches ? &wrenches[k] : &none;
        if (memcmp(from, to, sizeof *to) != 0) {
            afxi_sleep_wake(&sim->world.state, sim->model, k);
        }
    }
}

AfxStatus afx_sim_set_body_wrenches(AfxSim *sim, const AfxWrench *wrenches) {
    if (!sim || (wrenches && !sim_can(sim, AFXI_FORMULATION_WRENCHES))) {
        return AFX_E_ARGUMENT;
    }
    size_t bytes = sim->model->body_count * sizeof *wrenches, shown = sim->model->shown.bodies * sizeof *wrenches;
    for (uint32_t k = 0; wrenches && k < sim->model->shown.bodies; k++) {
        if (!wrench_finite(wrenches[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    if (sim->world.state.head->sleepers) {
        wake_pushed(sim, wrenches);
    }
    if (sim->wrenches_given) { /* what controls add to it is known when the step begins */
        memset(sim->wrenches_given, 0, bytes);
        if (wrenches) {
            memcpy(sim->wrenches_given, wrenches, shown);
        }
        memcpy(sim->world.body_wrenches, sim->wrenches_given, bytes);
    } else if (!wrenches && sim->world.body_wrenches) {
        afxi_release(&sim->def.allocator, sim->world.body_wrenches, sim->body_wrench_bytes);
        sim->world.body_wrenches = NULL;
        sim->body_wrench_bytes = 0;
        afxi_input_lists(&sim->world, false); /* asks for no more room than there is */
    } else if (wrenches && bytes) {
        if (!sim->world.body_wrenches) {
            AfxWrench *copy = afxi_allocate(&sim->def.allocator, bytes);
            if (!copy || afxi_input_lists(&sim->world, true) != AFX_OK) {
                afxi_release(&sim->def.allocator, copy, bytes);
                return AFX_E_MEMORY;
            }
            sim->world.body_wrenches = copy;
            sim->body_wrench_bytes = bytes;
        }
        memcpy(sim->world.body_wrenches, wrenches, shown);
    }
    afxi_input_forces(&sim->world);
    return AFX_OK;
}

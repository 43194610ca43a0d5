/* SPDX-License-Identifier: Apache-2.0 */
/* What joints tell: coordinates, reactions, efforts of drives; and switching them. */
#include "step/joint_query.h"

#include <math.h>
#include <string.h>

#include "constraint/reaction.h"
#include "joint/axis.h"
#include "state/pace.h"
#include "step/sim.h"
#include "step/sleep.h"

static bool joint_valid(const AfxSim *sim, uint32_t joint) {
    return sim && joint < sim->model->shown.joints;
}

void afxi_joint_coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis, double *out_value, double *out_rate) {
    static const double still[AFXI_AFFINE_WIDTH];
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    AfxiPairState state = afxi_joint_state(&sim->world, joint);
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, joint);
    const double *last = source->counted ? sim->world.state.angle + source->angle : NULL;
    uint32_t place = afxi_axis_place(kind, axis);
    AfxiAxisSpec spec = last ? afxi_axis_after(kind, axis, frame, &state, last) : afxi_axis_of(kind, axis);
    if (out_value) {
        *out_value = last && place != UINT32_MAX ? afxi_axis_counted(spec, frame, &state, last[place])
                                                 : afxi_axis_value(spec, frame, &state);
    }
    if (out_rate) {
        const double *rate_a =
            source->follower == AFXI_WORLD ? still : sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * source->follower;
        const double *rate_b =
            source->base == AFXI_WORLD ? still : sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * source->base;
        *out_rate = afxi_axis_rate(spec, frame, &state, rate_a, rate_b);
    }
}

AfxStatus afx_sim_joint_coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis, double *out_value,
                                   double *out_rate) {
    if (!joint_valid(sim, joint) ||
        !afxi_axis_exists(afxi_joint_kind((AfxJointKind)sim->model->joints[joint].kind), axis)) {
        return AFX_E_ARGUMENT;
    }
    afxi_joint_coordinate(sim, joint, axis, out_value, out_rate);
    return AFX_OK;
}

AfxStatus afx_sim_joint_reaction(const AfxSim *sim, uint32_t joint, AfxWrench *out_reaction) {
    if (!joint_valid(sim, joint) || !out_reaction || !sim->formulation->reaction) {
        return AFX_E_ARGUMENT;
    }
    sim->formulation->reaction(sim->work, joint, out_reaction);
    return AFX_OK;
}

AfxStatus afx_sim_joint_spring_torque(const AfxSim *sim, uint32_t joint, AfxVec3 *out_torque) {
    if (!joint_valid(sim, joint) || !out_torque || sim->model->joints[joint].rotational_spring == UINT32_MAX) {
        return AFX_E_ARGUMENT;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    AfxiPairState state = afxi_joint_state(&sim->world, joint);
    AfxiMat3 axes = mat3_multiply(&state.r_b, &afxi_world_joint_frame(&sim->world, joint)->axes_b);
    AfxVec3 torque = {0, 0, 0};
    if (source->row != UINT32_MAX) { /* behind those of the point */
        torque = vec3_scale(-1, vec3_load(afxi_shown_multipliers(sim) + source->row + 3));
    }
    *out_torque = mat3_apply_transposed(&axes, torque);
    return AFX_OK;
}

/* The history of what a joint holds together no longer fits. */
static void restart_component(AfxSim *sim, uint32_t joint) {
    const AfxModel *model = sim->model;
    const uint32_t ends[2] = {model->joints[joint].follower, model->joints[joint].base};
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        for (int side = 0; side < 2; side++) {
            if (ends[side] != AFXI_WORLD && model->root[ends[side]] == model->root[body]) {
                afxi_pace_restart(&sim->world.state, body);
            }
        }
    }
}

bool afxi_joints_break(AfxSim *sim) {
    bool broken = false, breakable = sim->model->breakable || sim->breakable;
    for (uint32_t k = 0; breakable && k < sim->model->shown.joints; k++) {
        const double *most = afxi_world_param(&sim->world, AFX_PARAM_JOINT_BREAK, k);
        AfxWrench reaction;
        if (!sim->world.state.joint_active[k] || (most[0] == 0 && most[1] == 0)) {
            continue;
        }
        afxi_joint_reaction(&sim->world, sim->world.state.lambda, k, &reaction);
        if ((most[0] > 0 && vec3_length(reaction.force) > most[0]) ||
            (most[1] > 0 && vec3_length(reaction.torque) > most[1])) {
            sim->world.state.joint_active[k] = 0;
            sim->world.joints_version++;
            sim->world.joints_off++;
            restart_component(sim, k);
            afxi_trace_broken(sim->world.trace, k);
            broken = true;
        }
    }
    return broken;
}

AfxStatus afx_sim_set_joint_active(AfxSim *sim, uint32_t joint, bool active) {
    if (!joint_valid(sim, joint) || (!active && !sim_can(sim, AFXI_FORMULATION_SWITCHES))) {
        return AFX_E_ARGUMENT;
    }
    if ((bool)sim->world.state.joint_active[joint] != active) {
        sim->world.state.joint_active[joint] = active;
        sim->world.joints_version++;
        sim->world.joints_off += active ? -1u : 1u;
        afxi_sleep_wake_joint(sim, joint);
        restart_component(sim, joint);
    }
    return AFX_OK;
}

bool afx_sim_joint_active(const AfxSim *sim, uint32_t joint) {
    return joint_valid(sim, joint) && sim->world.state.joint_active[joint];
}

AfxStatus afx_sim_set_drive_target(AfxSim *sim, uint32_t drive, double value, double rate) {
    if (!sim || drive >= sim->model->drive_count || !sim->model->drives[drive].from_input || !isfinite(value) ||
        !isfinite(rate)) {
        return AFX_E_ARGUMENT;
    }
    double *input = sim->world.state.drive_input + 4 * (size_t)drive;
    if (input[2] != value || input[3] != rate) {
        afxi_sleep_wake_joint(sim, sim->model->drives[drive].joint);
    }
    input[2] = value;
    input[3] = rate;
    return AFX_OK;
}

AfxStatus afx_sim_drive_effort(const AfxSim *sim, uint32_t drive, double *out_effort) {
    if (!sim || drive >= sim->model->drive_count || !out_effort) {
        return AFX_E_ARGUMENT;
    }
    uint32_t row = sim->model->drives[drive].row;
    *out_effort = row == UINT32_MAX ? 0 : -afxi_shown_multipliers(sim)[row];
    return AFX_OK;
}

AfxStatus afx_sim_spring_force(const AfxSim *sim, uint32_t spring, double *out_force) {
    if (!sim || spring >= sim->model->spring_count || !out_force) {
        return AFX_E_ARGUMENT;
    }
    uint32_t row = sim->model->springs[spring].row;
    *out_force = row == UINT32_MAX ? 0 : afxi_shown_multipliers(sim)[row];
    return AFX_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "golden/act.h"

#include <stdlib.h>

static uint32_t last_dynamic(const AfxSim *sim) {
    const AfxModel *model = afx_sim_model(sim);
    uint32_t body = afx_model_body_count(model);
    while (body > 1 && afx_model_body_kind(model, body - 1) != AFX_BODY_DYNAMIC) {
        --body;
    }
    return body - 1;
}

void golden_act_hold(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    (void)memory;
    uint32_t body = last_dynamic(sim);
    AfxPose pose;
    if (step == 30) {
        afx_sim_release(sim, body);
    }
    if (step % 5 == 0 && step >= 5 && step < 30 && afx_sim_body_pose(sim, body, &pose) == AFX_OK) {
        AfxVec3 target = {pose.position.x + 0.05, pose.position.y - 0.02, pose.position.z + 0.04};
        afx_sim_hold(sim, body, (AfxVec3){0.01, 0.02, 0}, target, 400, 3);
    }
}

void golden_act_switch(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    (void)memory;
    uint32_t joints = afx_model_joint_count(afx_sim_model(sim));
    if (joints > 0 && step == 10) {
        afx_sim_set_joint_active(sim, joints / 2, false);
    }
    if (joints > 0 && step == 14) {
        afx_sim_set_joint_active(sim, joints / 2, true);
        afx_sim_assemble(sim, NULL);
    }
}

static void scale_param(AfxSim *sim, AfxParamKind kind, uint32_t index, uint32_t size, double factor, double add) {
    double values[AFX_PARAM_SIZE_MOST] = {0};
    if (afx_sim_param(sim, kind, index, values) != AFX_OK) {
        return;
    }
    for (uint32_t k = 0; k < size; ++k) {
        values[k] = factor * values[k] + add;
    }
    afx_sim_set_param(sim, kind, index, values);
}

void golden_act_params(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    (void)memory;
    uint32_t bodies = afx_model_body_count(afx_sim_model(sim)), body = last_dynamic(sim);
    if (step == 8) {
        scale_param(sim, AFX_PARAM_BODY_MASS, body, 1, 2, 0);
        scale_param(sim, AFX_PARAM_BODY_SECOND_MOMENTS, body, 3, 2, 0);
    }
    if (step == 14) {
        for (uint32_t k = 0; k < bodies; k += 2) {
            scale_param(sim, AFX_PARAM_BODY_YOUNG, k, 1, 0.5, 0);
            scale_param(sim, AFX_PARAM_BODY_LINEAR_DAMPING, k, 1, 1, 0.3);
        }
    }
    if (step == 20) {
        scale_param(sim, AFX_PARAM_GRAVITY, 0, 3, 0.5, 1);
    }
    if (step == 26) {
        scale_param(sim, AFX_PARAM_BODY_ANGULAR_DAMPING, body / 2, 1, 1, 0.7);
        scale_param(sim, AFX_PARAM_MATERIAL_PAIR, 0, 1, 0.5, 0);
    }
}

void golden_act_snapshot(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    if (step == 12) {
        memory->size = afx_sim_snapshot_size(sim);
        memory->snapshot = malloc(memory->size);
        if (memory->snapshot) {
            afx_sim_snapshot(sim, memory->snapshot, memory->size);
        }
    }
    if (step == 24 && memory->snapshot) {
        afx_sim_restore(sim, memory->snapshot, memory->size);
    }
}

void golden_act_wild(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    if (step == 5) {
        memory->size = afx_sim_snapshot_size(sim);
        memory->snapshot = malloc(memory->size);
        if (memory->snapshot) {
            afx_sim_snapshot(sim, memory->snapshot, memory->size);
        }
    }
    if (step == 6) {
        afx_sim_set_body_twist(sim, last_dynamic(sim), (AfxTwist){{1e200, 0, 1e200}, {0, 1e200, 0}});
    }
    if (step == 8 && memory->snapshot) {
        afx_sim_restore(sim, memory->snapshot, memory->size);
    }
}

void golden_act_whip(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    (void)memory;
    uint32_t bodies = afx_model_body_count(afx_sim_model(sim));
    double spin = 0.5 / afx_sim_dt(sim);
    for (uint32_t body = step % 3; step % 6 == 4 && body < bodies; body += 3) {
        AfxTwist twist;
        if (afx_sim_body_twist(sim, body, &twist) == AFX_OK) {
            twist.angular = (AfxVec3){body % 2 ? spin : 0, body % 5 ? 0 : -spin, body % 7 ? spin : 0.2 * spin};
            afx_sim_set_body_twist(sim, body, twist);
        }
    }
}

void golden_act_push(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    (void)memory;
    uint32_t bodies = afx_model_body_count(afx_sim_model(sim)), body = last_dynamic(sim);
    if (step == 6) {
        AfxWrench *wrenches = calloc(bodies, sizeof *wrenches);
        if (wrenches) {
            wrenches[body].force = (AfxVec3){0.3, 0.2, 0.1};
            wrenches[body / 2].torque = (AfxVec3){0.001, 0.002, 0.003};
            afx_sim_set_body_wrenches(sim, wrenches);
        }
        free(wrenches);
    }
    if (step == 12) {
        afx_sim_set_dt(sim, 0.75 * afx_sim_dt(sim));
    }
    if (step == 20) {
        AfxTwist twist;
        if (afx_sim_body_twist(sim, body, &twist) == AFX_OK) {
            twist.angular.x += 0.5;
            afx_sim_set_body_twist(sim, body, twist);
        }
        afx_sim_set_body_wrenches(sim, NULL);
    }
}

/* Four corners of the body's frame, moved to where `scale` times the frame's axes are. */
static void set_corners(AfxSim *sim, uint32_t body, AfxVec3 scale) {
    const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    AfxVec3 places[4];
    AfxPose pose;
    if (afx_sim_body_pose(sim, body, &pose) != AFX_OK) {
        return;
    }
    for (int k = 0; k < 4; ++k) {
        AfxVec3 point = {scale.x * rest[k].x, scale.y * rest[k].y, scale.z * rest[k].z};
        places[k] = afx_pose_apply(pose, point);
    }
    afx_sim_set_control_points(sim, body, rest, places, NULL);
}

void golden_act_stretch(AfxSim *sim, uint32_t step, GoldenMemory *memory) {
    (void)memory;
    if (step == 4) {
        set_corners(sim, last_dynamic(sim), (AfxVec3){1, -1, 1});
    }
    if (step == 8) {
        set_corners(sim, 0, (AfxVec3){1.5, 0.7, 1.2});
    }
}

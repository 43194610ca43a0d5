/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of rotors follow the coordinates they are coupled to whenever a state is set. */
#include "step/rotor.h"

#include "model/model.h"
#include "model/params.h"
#include "state/pose.h"

/* A block slides along x of the world from where the scene has it. */
static void put(AfxSim *sim, uint32_t body, double way, double rate) {
    AfxPose pose = sim->model->start_pose[body];
    AfxTwist twist = {{rate, 0, 0}, {0, 0, 0}};
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    pose.position.x += way;
    afxi_raw_from_pose(afxi_model_frame(sim->model, body), pose, twist, sim->world.state.q + at,
                       sim->world.state.v + at);
}

void afxi_rotors_follow(AfxSim *sim) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->rotor_count; k++) {
        const AfxiCoupling *coupling = &model->couplings[model->rotors[k].coupling];
        const double *factor =
            afxi_param_const(model, sim->world.params, AFX_PARAM_COUPLING, model->rotors[k].coupling);
        double way = -factor[AFX_COUPLING_TERMS], rate = 0;
        for (uint32_t term = 0; term + 1 < coupling->term_count; term++) {
            double value = 0, speed = 0;
            afx_sim_joint_coordinate(sim, coupling->joint[term], coupling->axis[term], &value, &speed);
            way += factor[term] * value;
            rate += factor[term] * speed;
        }
        put(sim, model->shown.bodies + k, way, rate);
    }
}

uint32_t afxi_rotor_body(const AfxModel *model, uint32_t body) {
    if (body < model->shown.bodies || body >= model->body_count) {
        return body;
    }
    const AfxiJoint *joint =
        &model->joints[model->couplings[model->rotors[body - model->shown.bodies].coupling].joint[0]];
    return joint->follower == AFXI_WORLD ? joint->base : joint->follower;
}

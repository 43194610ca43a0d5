/* SPDX-License-Identifier: Apache-2.0 */
/* What touches, for who asks. */
#include <math.h>

#include "step/sim.h"
#include "step/tuning.h"

/* All of the force on a. */
static AfxVec3 force_of(const AfxiPoint *point) {
    AfxVec3 push = vec3_scale(point->force, vec3_load(point->axis));
    return vec3_add(push, vec3_load(point->at.friction));
}

static AfxVec3 point_on(const AfxSim *sim, uint32_t body, const double x[3]) {
    const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, vec3_load(x)), vec3_load(q + 9));
}

uint32_t afx_sim_contact_count(const AfxSim *sim) {
    return sim && sim->solver.set ? sim->solver.set->now.count : 0;
}

AfxStatus afx_sim_contact(const AfxSim *sim, uint32_t index, AfxContact *out_contact) {
    if (!out_contact || index >= afx_sim_contact_count(sim)) {
        return AFX_E_ARGUMENT;
    }
    const AfxiPoint *point = &sim->solver.set->now.point[index];
    bool swapped = sim->model->contacts.shapes[point->memory.item_a].body != point->body_a;
    *out_contact = (AfxContact){
        .body_a = point->body_a,
        .body_b = point->body_b,
        .shape_a = swapped ? point->memory.item_b : point->memory.item_a,
        .shape_b = swapped ? point->memory.item_a : point->memory.item_b,
        .point = point_on(sim, point->body_a, point->x_a),
        .normal = vec3_load(point->axis),
        .depth = -point->gap,
        .force = point->force,
        .friction = vec3_load(point->at.friction),
        .moment = vec3_load(point->at.moment),
        .sliding = point->force > 0 &&
                   vec3_length(vec3_load(point->at.friction)) > AFXI_SLIDING_TOLD * point->friction * point->force,
    };
    return AFX_OK;
}

AfxStatus afx_sim_body_contact(const AfxSim *sim, uint32_t body, AfxWrench *out_wrench) {
    if (!sim || !out_wrench || body >= sim->model->shown.bodies) {
        return AFX_E_ARGUMENT;
    }
    AfxVec3 force = vec3(0, 0, 0), torque = force,
            center = vec3_load(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9);
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        const AfxiPoint *point = &sim->solver.set->now.point[k];
        if (point->body_a != body && point->body_b != body) {
            continue;
        }
        double sign = point->body_a == body ? 1 : -1;
        AfxVec3 own = vec3_scale(sign, force_of(point));
        AfxVec3 at = vec3_sub(point_on(sim, point->body_a, point->x_a), center);
        force = vec3_add(force, own);
        torque = vec3_add(torque, vec3_add(vec3_cross(at, own), vec3_scale(sign, vec3_load(point->at.moment))));
    }
    out_wrench->force = force;
    out_wrench->torque = torque;
    return AFX_OK;
}

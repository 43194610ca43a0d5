/* SPDX-License-Identifier: Apache-2.0 */
/* What touches, for who asks. */
#include <math.h>

#include "step/sim.h"
#include "step/tuning.h"

static AfxVec3 point_on(const AfxSim *sim, uint32_t body, const double x[3]) {
    const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    AfxiMat3 a = mat3_load(q);
    return vec3_add(mat3_apply(&a, vec3_load(x)), vec3_load(q + 9));
}

uint32_t afx_sim_contact_count(const AfxSim *sim) {
    if (sim && sim->formulation->contact_count) {
        return sim->formulation->contact_count(sim->work);
    }
    return sim && sim->solver.set ? sim->solver.set->now.count + sim->still.count : 0;
}

AfxStatus afx_sim_contact(const AfxSim *sim, uint32_t index, AfxContact *out_contact) {
    if (!out_contact || index >= afx_sim_contact_count(sim)) {
        return AFX_E_ARGUMENT;
    }
    if (sim->formulation->contact) {
        sim->formulation->contact(sim->work, index, out_contact);
        return AFX_OK;
    }
    uint32_t awake = sim->solver.set->now.count;
    const AfxiPoint *point =
        index < awake ? &sim->solver.set->now.point[index] : &sim->still.point[index - awake]; /* or of a sleeper */
    bool swapped = sim->model->contacts.shapes[point->memory.item_a].body != point->body_a;
    *out_contact = (AfxContact){
        .body_a = point->body_a,
        .body_b = point->body_b,
        .shape_a = swapped ? point->memory.item_b : point->memory.item_a,
        .shape_b = swapped ? point->memory.item_a : point->memory.item_b,
        .point = point_on(sim, point->body_a, point->x_a),
        .normal = vec3_load(point->axis),
        .depth = -point->gap - point->margin, /* of the surfaces themselves */
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
        AfxContact contact;
        afx_sim_contact(sim, k, &contact);
        if (contact.body_a != body && contact.body_b != body) {
            continue;
        }
        double sign = contact.body_a == body ? 1 : -1;
        AfxVec3 own = vec3_scale(sign, vec3_mad(contact.friction, contact.force, contact.normal));
        force = vec3_add(force, own);
        torque = vec3_add(torque,
                          vec3_add(vec3_cross(vec3_sub(contact.point, center), own), vec3_scale(sign, contact.moment)));
    }
    out_wrench->force = force;
    out_wrench->torque = torque;
    return AFX_OK;
}

AfxStatus afx_sim_intersections(AfxSim *sim, AfxOverlap *out_intersections, uint32_t capacity, uint32_t *out_count) {
    if (!sim || !out_count || (capacity && !out_intersections) || !sim->formulation->intersections) {
        return AFX_E_ARGUMENT;
    }
    return sim->formulation->intersections(sim->work, out_intersections, capacity, out_count);
}

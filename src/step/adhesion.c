/* SPDX-License-Identifier: Apache-2.0 */
/* Adhesion as MuJoCo has it: a control of a body pulls at its contacts by F = gain u, F/n at each of n points along the
 * normal, on both bodies. What touches is known from the step before; over the step the forces are wrenches on bodies,
 * added to those that were set from outside (afx_sim_set_body_wrenches). */
#include "step/adhesion.h"

#include <string.h>

#include "affix/robot.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/model.h"
#include "state/input.h"

static size_t size_of(const AfxSim *sim) {
    return sim->model->body_count * sizeof(AfxWrench);
}

AfxStatus afxi_adhesion_create(AfxSim *sim) {
    if (!sim->model->robot.adheres) {
        return AFX_OK;
    }
    sim->wrenches_given = afxi_allocate(&sim->def.allocator, size_of(sim));
    sim->world.body_wrenches = afxi_allocate(&sim->def.allocator, size_of(sim));
    if (!sim->wrenches_given || !sim->world.body_wrenches) {
        return AFX_E_MEMORY;
    }
    sim->body_wrench_bytes = size_of(sim);
    memset(sim->wrenches_given, 0, size_of(sim));
    memset(sim->world.body_wrenches, 0, size_of(sim));
    return AFX_OK;
}

void afxi_adhesion_destroy(AfxSim *sim) {
    afxi_release(&sim->def.allocator, sim->wrenches_given, sim->wrenches_given ? size_of(sim) : 0);
    if (sim->body_wrench_bytes == 0) { /* it could not be made whole */
        afxi_release(&sim->def.allocator, sim->world.body_wrenches, sim->world.body_wrenches ? size_of(sim) : 0);
        sim->world.body_wrenches = NULL;
    }
}

/* Adds a force at a point of a body. */
static void push(AfxSim *sim, uint32_t body, AfxVec3 point, AfxVec3 force) {
    AfxWrench *wrench = &sim->world.body_wrenches[body];
    AfxVec3 arm = vec3_sub(point, vec3_load(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9));
    wrench->force = vec3_add(wrench->force, force);
    wrench->torque = vec3_add(wrench->torque, vec3_cross(arm, force));
}

static bool touches(const AfxContact *contact, uint32_t body) {
    return (contact->body_a == body || contact->body_b == body) && (contact->force > 0 || contact->depth >= 0);
}

static void adhere(AfxSim *sim, uint32_t body, double force) {
    uint32_t count = afx_sim_contact_count(sim), points = 0;
    AfxContact contact;
    for (uint32_t k = 0; k < count; k++) {
        afx_sim_contact(sim, k, &contact);
        points += touches(&contact, body);
    }
    for (uint32_t k = 0; k < count && points; k++) {
        afx_sim_contact(sim, k, &contact);
        if (touches(&contact, body)) {
            AfxVec3 pull = vec3_scale(-force / points, contact.normal);
            push(sim, contact.body_a, contact.point, pull);
            push(sim, contact.body_b, contact.point, vec3_scale(-1, pull));
        }
    }
}

void afxi_adhesion_begin(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    if (!robot->adheres) {
        return;
    }
    memcpy(sim->world.body_wrenches, sim->wrenches_given, size_of(sim));
    for (uint32_t k = 0; k < robot->control_count; k++) {
        const AfxiControl *control = &robot->control[k];
        double act;
        if (control->adhesion != UINT32_MAX && afx_sim_activation(sim, k, &act) == AFX_OK) {
            adhere(sim, control->adhesion, control->gain * act);
        }
    }
    afxi_input_forces(&sim->world);
}

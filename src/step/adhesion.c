/* SPDX-License-Identifier: Apache-2.0 */
/* Adhesion as MuJoCo has it: a control of a body pulls at its contacts by F = gain u, F/n at each of n points along the
 * normal, on both bodies. What touches is known from the step before, and is part of the state: by F = 1, and nothing
 * where bodies were put elsewhere since. Over the step the forces are wrenches on bodies, added to those that were set
 * from outside (afx_sim_set_body_wrenches). */
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

static size_t place_size(const AfxSim *sim) {
    return AFXI_AFFINE_WIDTH * (size_t)sim->model->body_count * sizeof(double);
}

AfxStatus afxi_adhesion_create(AfxSim *sim) {
    if (!sim->model->robot.adhesion_count) {
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

/* Forces and torques on all bodies, by a unit of pull of one of the controls that adhere. */
static double *unit_of(const AfxSim *sim, uint32_t adhesion) {
    return sim->world.state.adhesion + (AFXI_AFFINE_WIDTH + 6 * (size_t)adhesion) * sim->model->body_count;
}

/* Adds a force at a point of a body. */
static void push(const AfxSim *sim, double *unit, uint32_t body, AfxVec3 point, AfxVec3 force) {
    double *own = unit + 6 * (size_t)body;
    AfxVec3 arm = vec3_sub(point, vec3_load(sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9));
    vec3_store(own, vec3_add(vec3_load(own), force));
    vec3_store(own + 3, vec3_add(vec3_load(own + 3), vec3_cross(arm, force)));
}

static bool touches(const AfxContact *contact, uint32_t body) {
    return (contact->body_a == body || contact->body_b == body) && (contact->force > 0 || contact->depth >= 0);
}

static void adhere(const AfxSim *sim, uint32_t body, double *unit) {
    uint32_t count = afx_sim_contact_count(sim), points = 0;
    AfxContact contact;
    for (uint32_t k = 0; k < count; k++) {
        afx_sim_contact(sim, k, &contact);
        points += touches(&contact, body);
    }
    for (uint32_t k = 0; k < count && points; k++) {
        afx_sim_contact(sim, k, &contact);
        if (touches(&contact, body)) {
            AfxVec3 pull = vec3_scale(-1.0 / points, contact.normal);
            push(sim, unit, contact.body_a, contact.point, pull);
            push(sim, unit, contact.body_b, contact.point, vec3_scale(-1, pull));
        }
    }
}

void afxi_adhesion_finish(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    uint32_t adhesion = 0;
    for (uint32_t k = 0; robot->adhesion_count && k < robot->control_count; k++) {
        if (robot->control[k].adhesion != UINT32_MAX) {
            double *unit = unit_of(sim, adhesion++);
            memset(unit, 0, 6 * sim->model->body_count * sizeof *unit);
            adhere(sim, robot->control[k].adhesion, unit);
        }
    }
    if (robot->adhesion_count) {
        memcpy(sim->world.state.adhesion, sim->world.state.q, place_size(sim));
    }
}

/* Adds `by` times what a unit of pull does. */
static void add(AfxSim *sim, const double *unit, double by) {
    for (uint32_t body = 0; body < sim->model->body_count && by != 0; body++, unit += 6) {
        AfxWrench *wrench = &sim->world.body_wrenches[body];
        wrench->force = vec3_mad(wrench->force, by, vec3_load(unit));
        wrench->torque = vec3_mad(wrench->torque, by, vec3_load(unit + 3));
    }
}

void afxi_adhesion_begin(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    if (!robot->adhesion_count) {
        return;
    }
    bool there = memcmp(sim->world.state.adhesion, sim->world.state.q, place_size(sim)) == 0;
    uint32_t adhesion = 0;
    memcpy(sim->world.body_wrenches, sim->wrenches_given, size_of(sim));
    for (uint32_t k = 0; k < robot->control_count; k++) {
        const AfxiControl *control = &robot->control[k];
        double act;
        if (control->adhesion != UINT32_MAX) {
            const double *unit = unit_of(sim, adhesion++);
            if (there && afx_sim_activation(sim, k, &act) == AFX_OK) {
                add(sim, unit, control->gain * act);
            }
        }
    }
    afxi_input_forces(&sim->world);
}

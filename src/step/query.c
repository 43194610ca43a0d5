/* SPDX-License-Identifier: Apache-2.0 */
/* Energy and momentum of the moving bodies, summed in authoring order.
 *
 * T = (m |t'|² + sum s_k |a_k'|²)/2, W = V (mu |S - I|² + lambda/2 tr(S - I)²) with A = R S,
 * L = t x m t' + sum s_k a_k x a_k'. */
#include <math.h>
#include <string.h>

#include "body/strain.h"
#include "model/params.h"
#include "step/sim.h"

/* The class of a body even while a changed parameter waits for the next step. */
static AfxiBodyClass current_class(const AfxSim *sim, uint32_t body) {
    if (!sim->classes_stale) {
        return *afxi_world_class(&sim->world, body);
    }
    return afxi_class_of_params(sim->model, sim->world.params, body);
}

AfxStatus afx_sim_energy(const AfxSim *sim, AfxEnergy *out_energy) {
    if (!sim || !out_energy) {
        return AFX_E_ARGUMENT;
    }
    AfxEnergy energy = {0, 0, 0, 0};
    AfxVec3 gravity = vec3_load(afxi_world_param(&sim->world, AFX_PARAM_GRAVITY, 0));
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                     *v = sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiBodyClass class = current_class(sim, body);
        AfxVec3 velocity = vec3_load(v + 9);
        double twice = class.mass * vec3_dot(velocity, velocity);
        for (int column = 0; column < 3; column++) {
            AfxVec3 rate = vec3_load(v + 3 * column);
            twice += class.s[column] * vec3_dot(rate, rate);
        }
        energy.kinetic += 0.5 * twice;
        energy.potential -= class.gravity * class.mass * vec3_dot(gravity, vec3_load(q + 9));
        energy.elastic += afxi_body_strain_energy(&class, q);
    }
    energy.total = energy.kinetic + energy.potential + energy.elastic;
    *out_energy = energy;
    return AFX_OK;
}

AfxStatus afx_sim_momentum(const AfxSim *sim, AfxMomentum *out_momentum) {
    if (!sim || !out_momentum) {
        return AFX_E_ARGUMENT;
    }
    AfxMomentum sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        if (body >= sim->model->shown.bodies) {
            break; /* rotors have energy, but neither weight nor momentum */
        }
        const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                     *v = sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiBodyClass class = current_class(sim, body);
        AfxVec3 position = vec3_load(q + 9), linear = vec3_scale(class.mass, vec3_load(v + 9));
        sum.mass += class.mass;
        sum.center = vec3_mad(sum.center, class.mass, position);
        sum.linear = vec3_add(sum.linear, linear);
        sum.angular = vec3_add(sum.angular, vec3_cross(position, linear));
        for (int column = 0; column < 3; column++) {
            AfxVec3 spin = vec3_cross(vec3_load(q + 3 * column), vec3_load(v + 3 * column));
            sum.angular = vec3_mad(sum.angular, class.s[column], spin);
        }
    }
    sum.center = sum.mass > 0 ? vec3_scale(1 / sum.mass, sum.center) : sum.center;
    *out_momentum = sum;
    return AFX_OK;
}

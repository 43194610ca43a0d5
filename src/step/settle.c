/* SPDX-License-Identifier: Apache-2.0 */
/* A posture that users set may lie beyond limits and open loops, and is told as it was set. What a step would do
 * about that it would do by a velocity, which is violation / h and stays: the shorter the step, the more energy from
 * nothing (0.07 rad beyond a limit threw an arm by a radian at 0.5 ms). So it is put right before the step: by
 * positions alone, velocities being projected. Joints first, then tendons by the least motion of their joints in the
 * metric of the mass matrix's diagonal, then loops. */
#include "step/settle.h"

#include <math.h>

#include "affix/dynamics.h"
#include "base/memory.h"
#include "joint/law.h"
#include "model/model.h"
#include "solve/start.h"
#include "step/history.h"
#include "step/path.h"
#include "step/tuning.h"

/* A coordinate of a joint within its limits. */
static double within(const AfxSim *sim, uint32_t joint, uint32_t axis, double value) {
    const AfxiJoint *source = &sim->model->joints[joint];
    for (uint32_t d = 0; d < source->drive_count; d++) {
        uint32_t index = sim->model->drive_order[source->first_drive + d];
        const AfxiDrive *drive = &sim->model->drives[index];
        if (drive->kind == AFX_DRIVE_LIMIT && drive->axis == axis) {
            const double *numbers = afxi_world_param(&sim->world, AFX_PARAM_DRIVE, index);
            value = fmin(fmax(value, numbers[AFXI_DRIVE_LOWER]), numbers[AFXI_DRIVE_UPPER]);
        }
    }
    return value;
}

static bool limit(const AfxSim *sim, double *qpos) {
    bool moved = false;
    for (uint32_t k = 0; k < sim->model->robot.count; k++) {
        const AfxiGeneralized *g = &sim->model->robot.generalized[k];
        if (g->shown.kind == AFX_GENERALIZED_AXIS) {
            double *q = qpos + g->shown.qpos, value = g->sign * (*q - g->offset);
            double inside = within(sim, g->shown.joint, g->shown.axis, value);
            moved = moved || inside != value;
            *q = inside != value ? g->sign * inside + g->offset : *q;
        }
    }
    return moved;
}

/* ---- tendons ---- */

/* The generalised coordinate of a free axis of a joint; NULL: none. */
static const AfxiGeneralized *coordinate_of(const AfxModel *model, uint32_t joint, uint32_t axis) {
    for (uint32_t k = 0; k < model->robot.count; k++) {
        const AfxGeneralized *shown = &model->robot.generalized[k].shown;
        if (shown->kind == AFX_GENERALIZED_AXIS && shown->joint == joint && shown->axis == axis) {
            return &model->robot.generalized[k];
        }
    }
    return NULL;
}

/* How easily a coordinate moves: the inverse of its entry of the mass matrix [nv][nv], 1 where there is none. */
static double ease_of(const AfxSim *sim, const AfxiGeneralized *g, const double *mass) {
    double own = mass ? mass[(size_t)g->shown.qvel * (sim->model->robot.qvel_count + (size_t)1)] : 1;
    return own > 0 ? 1 / own : 0;
}

/* How far the sum of a coupling is beyond its limits, as the sim stands. */
static double beyond(const AfxSim *sim, const AfxiCoupling *coupling, const double *factor) {
    double sum = -factor[AFX_COUPLING_TERMS];
    for (uint32_t term = 0; term + 1 < coupling->term_count; term++) { /* the last is that of the block */
        double value = 0, rate = 0;
        afx_sim_joint_coordinate(sim, coupling->joint[term], coupling->axis[term], &value, &rate);
        sum += factor[term] * value;
    }
    return sum - within(sim, coupling->joint[coupling->term_count - 1], coupling->axis[coupling->term_count - 1], sum);
}

/* Moves the coordinates of a coupling so that its sum is less by `way`, each as easily as it moves; those at limits of
 * their own stay there. */
static void pull(const AfxSim *sim, const AfxiCoupling *coupling, const double *factor, double way, const double *mass,
                 double *qpos) {
    bool held[AFX_COUPLING_TERMS] = {false};
    for (uint32_t round = 0; round < coupling->term_count; round++) {
        double sum = 0, left = way;
        for (uint32_t term = 0; term + 1 < coupling->term_count; term++) {
            const AfxiGeneralized *g = coordinate_of(sim->model, coupling->joint[term], coupling->axis[term]);
            held[term] = held[term] || !g;
            sum += held[term] ? 0 : factor[term] * factor[term] * ease_of(sim, g, mass);
        }
        for (uint32_t term = 0; sum > 0 && term + 1 < coupling->term_count; term++) {
            const AfxiGeneralized *g = coordinate_of(sim->model, coupling->joint[term], coupling->axis[term]);
            if (held[term]) {
                continue;
            }
            double *q = qpos + g->shown.qpos, value = g->sign * (*q - g->offset);
            double next = value - way * factor[term] * ease_of(sim, g, mass) / sum;
            double inside = within(sim, coupling->joint[term], coupling->axis[term], next);
            held[term] = inside != next;
            left -= factor[term] * (value - inside);
            *q = g->sign * inside + g->offset;
        }
        way = left;
    }
}

static double most_beyond(const AfxSim *sim) {
    double most = 0;
    for (uint32_t k = 0; k < sim->model->rotor_count; k++) {
        uint32_t index = sim->model->rotors[k].coupling;
        most = fmax(most, fabs(beyond(sim, &sim->model->couplings[index],
                                      afxi_world_param(&sim->world, AFX_PARAM_COUPLING, index))));
    }
    return most;
}

bool afxi_settle_asks(AfxSim *sim) {
    return sim->model->rotor_count && most_beyond(sim) > AFXI_TENDON_BEYOND * fmax(sim->model->size, 1);
}

/* Puts tendons within their limits by moving the coordinates that they depend on, one after the other, until all are.
 * Paths give other factors at every posture. */
static AfxStatus limit_tendons(AfxSim *sim, double *qpos, bool *out_moved) {
    size_t n = sim->model->robot.qvel_count, bytes = (n * n + 1) * sizeof(double);
    double *mass = afxi_allocate(&sim->def.allocator, bytes);
    AfxStatus status = mass ? AFX_OK : AFX_E_MEMORY;
    bool known = mass && afx_sim_mass_matrix(sim, mass) == AFX_OK;
    for (uint32_t round = 0; round < AFXI_TENDON_ROUNDS && status == AFX_OK && afxi_settle_asks(sim); round++) {
        for (uint32_t k = 0; k < sim->model->rotor_count && status == AFX_OK; k++) {
            uint32_t index = sim->model->rotors[k].coupling;
            const AfxiCoupling *coupling = &sim->model->couplings[index];
            const double *factor = afxi_world_param(&sim->world, AFX_PARAM_COUPLING, index);
            double way = beyond(sim, coupling, factor);
            if (way != 0) {
                pull(sim, coupling, factor, way, known ? mass : NULL, qpos);
                status = afx_sim_set_qpos(sim, qpos);
                afxi_paths_follow(sim);
                *out_moved = true;
            }
        }
    }
    afxi_release(&sim->def.allocator, mass, bytes);
    return status;
}

AfxStatus afxi_settle(AfxSim *sim, bool *out_moved) {
    AfxiStateHead *head = sim->world.state.head;
    *out_moved = false;
    if (!head->placed) {
        return AFX_OK;
    }
    size_t bytes = (sim->model->robot.qpos_count + (size_t)1) * sizeof(double);
    double *qpos = afxi_allocate(&sim->def.allocator, bytes);
    AfxStatus status = qpos ? afx_sim_qpos(sim, qpos) : AFX_E_MEMORY;
    if (status == AFX_OK && limit(sim, qpos)) {
        status = afx_sim_set_qpos(sim, qpos);
        *out_moved = true;
    }
    if (status == AFX_OK) {
        afxi_paths_follow(sim);
    }
    if (status == AFX_OK && afxi_settle_asks(sim)) {
        status = limit_tendons(sim, qpos, out_moved);
    }
    afxi_release(&sim->def.allocator, qpos, bytes);
    if (status != AFX_OK) {
        return status;
    }
    head->placed = 0;
    if ((sim->model->graph_count || sim->model->chains.chain_count) && afxi_repair(&sim->solver)) {
        afxi_history_drop(sim);
        *out_moved = true;
    }
    return AFX_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent accelerations and multipliers of the jointed bodies: those of rigid bodies, with unit step,
 *     R^T A'' = W² + skew,   J q'' = -(velocity terms of the rows). */
#include <math.h>
#include <string.h>

#include "math/polar.h"
#include "step/rows.h"

void afxi_jointed_rigid(AfxSim *sim, uint32_t k) {
    uint32_t body = sim->model->graph.body[k];
    AfxiJointed *jointed = &sim->jointed;
    AfxiBodyClass class = *afxi_sim_class(sim, body);
    AfxiMat3 a = mat3_load(sim->q + (size_t)12 * body);
    jointed->frame[k] = afxi_rotation_part(&a, NULL);
    jointed->origin[k] = vec3_load(sim->q + (size_t)12 * body + 9);
    if (k < afxi_graph_bodies_kept(&sim->model->graph)) {
        memcpy(jointed->at + (size_t)12 * k, jointed->frame[k].m, sizeof jointed->frame[k].m);
        vec3_store(jointed->at + (size_t)12 * k + 9, jointed->origin[k]);
    }
    class.young = INFINITY;
    class.linear_damping = class.angular_damping = 0;
    jointed->system.inverse[k].blocks = afxi_body_blocks(&class, (AfxiScale){1, 1}, 0);
    jointed->system.inverse[k].has_twist = 0;
    memset(jointed->system.inverse[k].twist, 0, sizeof jointed->system.inverse[k].twist);
}

/* The acceleration without rows: that of the free rigid body. */
static void start_acceleration(AfxSim *sim, uint32_t k) {
    uint32_t body = sim->model->graph.body[k], slot = sim->force_slot[body];
    AfxiJointed *jointed = &sim->jointed;
    const double *gravity = afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0);
    const double *q = sim->q + (size_t)12 * body, *v = sim->v + (size_t)12 * body;
    double world[12], *start = jointed->system.start + (size_t)12 * k, *qv = jointed->qv + (size_t)12 * k;
    afxi_jointed_rigid(sim, k);
    afxi_free_acceleration(afxi_sim_class(sim, body), q, v, gravity, slot == UINT32_MAX ? NULL : &sim->forces[slot],
                           world);
    AfxiMat3 acceleration = mat3_load(world), local = mat3_multiply_tn(&jointed->frame[k], &acceleration);
    memcpy(start, local.m, sizeof local.m);
    memcpy(start + 9, world + 9, 3 * sizeof *start);
    /* so that the rates of rows come out as those of the present velocities: (q - qv) / h = v */
    for (int e = 0; e < 12; e++) {
        qv[e] = (e < 9 ? jointed->frame[k].m[e] : q[e]) - v[e];
    }
}

/* Friction on an axis that moves slides from the beginning; true when that changed something. */
static bool start_sliding(AfxSim *sim) {
    bool changed = false;
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        double rate = drive->row == UINT32_MAX ? 0 : sim->jointed.rate[drive->row];
        if (drive->kind == AFX_DRIVE_FRICTION && fabs(rate) > AFXI_STILL) {
            sim->drive_branch[k] = rate > 0 ? AFXI_BRANCH_HIGH : AFXI_BRANCH_LOW;
            changed = true;
        }
    }
    return changed;
}

/* Friction that was taken to stick but would need more than it has slides; true when that changed something. */
static bool start_friction(AfxSim *sim) {
    bool changed = false;
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        if (drive->kind != AFX_DRIVE_FRICTION || drive->row == UINT32_MAX || sim->drive_branch[k] != AFXI_BRANCH_FREE) {
            continue;
        }
        double lambda = sim->jointed.system.lambda[drive->row];
        if (fabs(lambda) > afxi_friction_limit(sim, k)) {
            sim->drive_branch[k] = lambda > 0 ? AFXI_BRANCH_HIGH : AFXI_BRANCH_LOW;
            changed = true;
        }
    }
    return changed;
}

void afxi_jointed_start(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    AfxiDualReport dual;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        start_acceleration(sim, k);
    }
    jointed->h_rate = 1;
    jointed->starting = jointed->rates = true;
    afxi_drives_targets(sim, 0);
    afxi_swift_still(sim, true);
    for (int pass = 0; pass < 3; pass++) {
        afxi_rows_linearise(sim);
        if (pass == 0 && start_sliding(sim)) {
            afxi_rows_laws(sim);
        }
        afxi_rows_velocity_terms(sim);
        afxi_dual_solve_apart(&jointed->system, true, &dual);
        memcpy(sim->lambda, jointed->system.lambda, graph->row_count * sizeof(double)); /* friction may follow it */
        if (!start_friction(sim)) {
            break;
        }
    }
    jointed->starting = jointed->rates = false;
    afxi_swift_still(sim, false);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        size_t at = (size_t)12 * graph->body[k];
        const double *delta = jointed->system.delta + (size_t)12 * k;
        AfxiMat3 local = mat3_load(delta), world = mat3_multiply(&jointed->frame[k], &local);
        memcpy(sim->x2 + at, world.m, sizeof world.m);
        memcpy(sim->x2 + at + 9, delta + 9, 3 * sizeof *delta);
        if (sim->state->integrator == AFX_ALPHA) {
            memcpy(sim->x3 + at, sim->x2 + at, 12 * sizeof *sim->x2);
        }
    }
}

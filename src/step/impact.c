/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: a coordinate that has just reached its limit bounces or stops, and every other row keeps its
 * rate. In the metric of the rigid mass matrix,
 *     v+ = v- - M^-1 J^T impulse,   J v+ = wanted rates,
 * v- being the velocity the step began with. The multistep history no longer fits afterwards. */
#include <math.h>
#include <string.h>

#include "step/contacts.h"
#include "step/rows.h"

/* Frames at the present state, rigid inverses, and the velocities as the start of the dual solve. */
static void load_velocities(AfxSim *sim, const double *velocities) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        size_t at = (size_t)12 * graph->body[k];
        double *start = jointed->system.start + (size_t)12 * k;
        afxi_jointed_rigid(sim, k);
        /* rigid: a rate of strain would pass the rows and part the joints later */
        AfxiMat3 rate = mat3_load(velocities + at), local = mat3_multiply_tn(&jointed->frame[k], &rate);
        AfxiMat3 spin = mat3_skew(mat3_axial(&local));
        memcpy(start, spin.m, sizeof spin.m);
        memcpy(start + 9, velocities + at + 9, 3 * sizeof *start);
    }
}

static void store_velocities(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiJointed *jointed = &sim->jointed;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        size_t at = (size_t)12 * graph->body[k];
        const double *delta = jointed->system.delta + (size_t)12 * k;
        for (int e = 0; e < 3; e++) {
            vec3_store(sim->v + at + 3 * e, mat3_apply(&jointed->frame[k], vec3_load(delta + 3 * e)));
        }
        memcpy(sim->v + at + 9, delta + 9, 3 * sizeof *delta);
    }
}

/* Rate of a row for the velocities in system.start; jointed.rate holds the share of bodies that are not solved for. */
static double row_rate(const AfxSim *sim, uint32_t row) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    double sum = sim->jointed.rate[row];
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        const double *g = sim->jointed.system.jacobian + 12 * (graph->entry[e].jacobian + row - block->first_row);
        const double *start = sim->jointed.system.start + 12 * (size_t)graph->entry[e].body;
        for (int k = 0; k < 12; k++) {
            sum += g[k] * start[k];
        }
    }
    return sum;
}

/* The rate that an active row is to have; limits bounce. */
static double wanted_rate(AfxSim *sim, uint32_t row) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    if (source->source != AFXI_SOURCE_DRIVE) {
        return 0;
    }
    const AfxiDrive *drive = &sim->model->drives[source->index];
    if (drive->kind == AFX_DRIVE_LIMIT) {
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_DRIVE, source->index);
        double before = row_rate(sim, row), bounce = -numbers[AFXI_DRIVE_RESTITUTION] * before;
        bool low = sim->drive_branch[source->index] == AFXI_BRANCH_LOW, approaching = low ? before < 0 : before > 0;
        if (!approaching) {
            bounce = before;
        }
        if (fabs(bounce) > AFXI_STILL) { /* it leaves again */
            sim->drive_branch[source->index] = AFXI_BRANCH_FREE;
        }
        return bounce;
    }
    double value = 0, rate = 0;
    afx_signal_evaluate(&drive->target, afx_sim_time(sim) + sim->state->dt, &value, &rate, NULL);
    if (drive->from_input) {
        value = sim->drive_input[4 * (size_t)source->index + 2];
        rate = sim->drive_input[4 * (size_t)source->index + 3];
    }
    return drive->kind == AFX_DRIVE_VELOCITY ? value : rate;
}

/* jointed.qv = q makes the constant part of a row's rate the share of the bodies that are not solved for. */
static void still_bodies(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        double *qv = sim->jointed.qv + (size_t)12 * k;
        memcpy(qv, sim->jointed.frame[k].m, sizeof sim->jointed.frame[k].m);
        vec3_store(qv + 9, sim->jointed.origin[k]);
    }
    sim->jointed.h_rate = 1;
}

/* `bounce`: with the points of touch that bounce. */
static void project(AfxSim *sim, const double *velocities, bool bounce) {
    AfxiSystem *system = &sim->jointed.system;
    AfxiDualReport dual;
    load_velocities(sim, velocities);
    still_bodies(sim);
    sim->jointed.rates = true;
    afxi_rows_linearise(sim);
    sim->jointed.rates = false;
    afxi_rows_keep_exact(sim);
    for (uint32_t row = 0; row < sim->model->graph.joint_rows; row++) {
        system->value[row] = system->active[row] ? sim->jointed.rate[row] - wanted_rate(sim, row) : 0;
    }
    if (bounce) {
        afxi_contacts_bounce_rows(sim);
    }
    afxi_dual_solve_apart(system, true, &dual);
    store_velocities(sim);
}

void afxi_velocities_project(AfxSim *sim, const double *velocities) {
    project(sim, velocities, false);
    afxi_history_drop(sim);
}

bool afxi_contacts_bounce(AfxSim *sim) {
    if (!afxi_contacts_bouncing(sim)) {
        return false;
    }
    afxi_contacts_attach(sim, true);
    project(sim, sim->v, true);
    afxi_contacts_attach(sim, false);
    return true;
}

bool afxi_impact(AfxSim *sim) {
    bool struck = false;
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        struck |= drive->kind == AFX_DRIVE_LIMIT && drive->row != UINT32_MAX &&
                  sim->jointed.branch_begin[k] == AFXI_BRANCH_FREE && sim->drive_branch[k] != AFXI_BRANCH_FREE;
    }
    if (struck) {
        afxi_velocities_project(sim, sim->saved_v);
    }
    return struck;
}

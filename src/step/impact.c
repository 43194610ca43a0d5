/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: a coordinate that has just reached its limit bounces or stops, and every other row keeps its
 * rate. In the metric of the rigid mass matrix,
 *     v+ = v - M^-1 J^T impulse,   J v+ = wanted rates,
 * v being the velocity at the end of the step, which has what gravity and contacts did in it; the step has stopped part
 * of the approach, so that its speed is that at the beginning. Only bodies that joints hold to the struck one change.
 * The multistep history no longer fits afterwards. */
#include <math.h>
#include <string.h>

#include "base/forest.h"
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

static void store_velocity(AfxSim *sim, uint32_t k) {
    size_t at = (size_t)12 * sim->model->graph.body[k];
    const double *delta = sim->jointed.system.delta + (size_t)12 * k;
    for (int e = 0; e < 3; e++) {
        vec3_store(sim->v + at + 3 * e, mat3_apply(&sim->jointed.frame[k], vec3_load(delta + 3 * e)));
    }
    memcpy(sim->v + at + 9, delta + 9, 3 * sizeof *delta);
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

/* The rate of a limit that is met: it bounces off what came at it with `approach`, and what leaves goes on. */
static double limit_rate(AfxSim *sim, uint32_t row, uint32_t index, double approach) {
    const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_DRIVE, index);
    double side = sim->drive_branch[index] == AFXI_BRANCH_LOW ? 1 : -1; /* the way out */
    double rate = fmax(0, side * row_rate(sim, row));
    if (side * approach < 0) {
        rate = -numbers[AFXI_DRIVE_RESTITUTION] * side * approach;
    }
    if (rate > AFXI_STILL) { /* it leaves again */
        sim->drive_branch[index] = AFXI_BRANCH_FREE;
    }
    return side * rate;
}

/* The rate that an active row is to have. */
static double wanted_rate(AfxSim *sim, uint32_t row) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    if (source->source != AFXI_SOURCE_DRIVE) {
        return 0;
    }
    const AfxiDrive *drive = &sim->model->drives[source->index];
    if (drive->kind == AFX_DRIVE_LIMIT) {
        return limit_rate(sim, row, source->index, sim->jointed.kept[row]);
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

/* Rows at the present frames. `before`: velocities with which limits were approached. */
static void prepare(AfxSim *sim, const double *before) {
    load_velocities(sim, before);
    still_bodies(sim);
    sim->jointed.rates = true;
    afxi_swift_still(sim, true);
    afxi_rows_linearise(sim);
    sim->jointed.rates = false;
    afxi_rows_keep_exact(sim);
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        if (drive->kind == AFX_DRIVE_LIMIT && drive->row != UINT32_MAX) {
            sim->jointed.kept[drive->row] = row_rate(sim, drive->row);
        }
    }
}

/* `bounce`: with the points of touch that bounce. */
static void project(AfxSim *sim, bool bounce) {
    AfxiSystem *system = &sim->jointed.system;
    AfxiDualReport dual;
    load_velocities(sim, sim->v);
    afxi_swift_rates(sim, false);
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        const AfxiGraphBlock *block = afxi_block_left(sim, b);
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            system->value[row] = system->active[row] ? sim->jointed.rate[row] - wanted_rate(sim, row) : 0;
        }
    }
    if (bounce) {
        afxi_contacts_bounce_rows(sim);
    }
    afxi_dual_solve_apart(system, true, &dual);
    afxi_swift_still(sim, false);
}

static void store_velocities(AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->graph.body_count; k++) {
        store_velocity(sim, k);
    }
}

void afxi_velocities_project(AfxSim *sim) {
    prepare(sim, sim->v);
    project(sim, false);
    store_velocities(sim);
    afxi_history_drop(sim);
}

bool afxi_contacts_bounce(AfxSim *sim) {
    if (!afxi_contacts_bouncing(sim)) {
        return false;
    }
    afxi_contacts_attach(sim, true);
    prepare(sim, sim->v);
    project(sim, true);
    store_velocities(sim);
    afxi_contacts_attach(sim, false);
    return true;
}

/* Whether a drive is a limit that was met in this step. */
static bool struck(const AfxSim *sim, uint32_t drive) {
    return sim->model->drives[drive].kind == AFX_DRIVE_LIMIT && sim->model->drives[drive].row != UINT32_MAX &&
           sim->jointed.branch_begin[drive] == AFXI_BRANCH_FREE && sim->drive_branch[drive] != AFXI_BRANCH_FREE;
}

bool afxi_impact(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    bool any = false;
    for (uint32_t k = 0; k < sim->model->drive_count && !any; k++) {
        any = struck(sim, k);
    }
    if (!any) {
        return false;
    }
    prepare(sim, sim->saved_v);
    afxi_graph_join(graph, graph->joint_blocks, sim->jointed.tied);
    memset(sim->jointed.jolted, 0, graph->body_count * sizeof *sim->jointed.jolted);
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        if (struck(sim, k)) {
            const AfxiGraphBlock *block = &graph->block[graph->row[sim->model->drives[k].row].block];
            uint32_t body = graph->entry[block->first_entry].body;
            sim->jointed.jolted[afxi_forest_root(sim->jointed.tied, body)] = 1;
        }
    }
    project(sim, false);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        if (sim->jointed.jolted[afxi_forest_root(sim->jointed.tied, k)]) {
            store_velocity(sim, k);
        }
    }
    afxi_history_drop(sim);
    return true;
}

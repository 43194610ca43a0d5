/* SPDX-License-Identifier: Apache-2.0 */
/* Drives through a step: targets from data or input, and which branch of its law each is on. */
#include <math.h>
#include <string.h>

#include "step/rows.h"

/* A drive that changes its branch more often than this in one step keeps the one it has. */
#define CHANGES_MOST 6u

/* The signal of a drive at a time, with its rate. */
static void signal_at(const AfxSim *sim, uint32_t drive, double time, double *out_value, double *out_rate) {
    *out_value = *out_rate = 0;
    afx_signal_evaluate(&sim->model->drives[drive].target, time, out_value, out_rate, NULL);
}

/* Position that a velocity drive has reached at `fraction` of the step: Simpson's rule over its rate. */
static double travelled(const AfxSim *sim, uint32_t drive, double fraction) {
    double span = fraction * sim->state->dt, time = afx_sim_time(sim), rate[3], unused;
    if (sim->model->drives[drive].from_input) {
        const double *begin = sim->drive_input + 4 * (size_t)drive, *end = begin + 2;
        double now = begin[0] + fraction * (end[0] - begin[0]);
        return sim->drive_travel[drive] + span * 0.5 * (begin[0] + now);
    }
    for (int k = 0; k < 3; k++) {
        signal_at(sim, drive, time + 0.5 * k * span, &rate[k], &unused);
    }
    return sim->drive_travel[drive] + span * (rate[0] + 4 * rate[1] + rate[2]) / 6;
}

void afxi_drives_targets(AfxSim *sim, double fraction) {
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        double *target = sim->jointed.drive_target + 2 * (size_t)k;
        const double *begin = sim->drive_input + 4 * (size_t)k, *end = begin + 2;
        if (sim->model->drives[k].kind == AFX_DRIVE_VELOCITY) {
            target[0] = travelled(sim, k, fraction);
            target[1] = 0;
        } else if (sim->model->drives[k].from_input) {
            target[0] = begin[0] + fraction * (end[0] - begin[0]);
            target[1] = begin[1] + fraction * (end[1] - begin[1]);
        } else {
            signal_at(sim, k, afx_sim_time(sim) + fraction * sim->state->dt, &target[0], &target[1]);
        }
    }
}

double afxi_drive_acceleration(const AfxSim *sim, uint32_t drive) {
    const AfxiDrive *source = &sim->model->drives[drive];
    double rate = 0, acceleration = 0;
    if (!source->from_input) {
        afx_signal_evaluate(&source->target, afx_sim_time(sim), NULL, &rate, &acceleration);
    }
    return source->kind == AFX_DRIVE_POSITION ? acceleration : source->kind == AFX_DRIVE_VELOCITY ? rate : 0;
}

double afxi_friction_limit(const AfxSim *sim, uint32_t drive) {
    const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_DRIVE, drive);
    double share = numbers[AFXI_DRIVE_COEFFICIENT] * numbers[AFXI_DRIVE_RADIUS];
    if (share == 0) {
        return numbers[AFXI_DRIVE_EFFORT];
    }
    AfxWrench reaction;
    afx_sim_joint_reaction(sim, sim->model->drives[drive].joint, &reaction);
    return numbers[AFXI_DRIVE_EFFORT] + share * vec3_length(reaction.force);
}

/* Change of what a row measures, to first order: J delta. */
static double row_change(const AfxSim *sim, uint32_t row) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    double sum = 0;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        const double *g = sim->jointed.system.jacobian + 12 * (graph->entry[e].jacobian + row - block->first_row);
        const double *delta = sim->jointed.system.delta + 12 * (size_t)graph->entry[e].body;
        for (int k = 0; k < 12; k++) {
            sum += g[k] * delta[k];
        }
    }
    return sum;
}

bool afxi_drives_branches(AfxSim *sim) {
    const AfxModel *model = sim->model;
    bool changed = false;
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const AfxiDrive *drive = &model->drives[k];
        AfxDriveKind kind = (AfxDriveKind)drive->kind;
        bool branches = kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_SERVO || kind == AFX_DRIVE_FRICTION;
        if (drive->row == UINT32_MAX || !branches || sim->jointed.changes[k] >= CHANGES_MOST) {
            continue;
        }
        const double *numbers = afxi_param_const(model, sim->params, AFX_PARAM_DRIVE, k);
        double x = afxi_row_result(sim, drive->row), lambda = sim->jointed.system.lambda[drive->row];
        double rate = sim->jointed.rate[drive->row] + row_change(sim, drive->row) / sim->jointed.h_rate;
        AfxiBranch branch = (AfxiBranch)sim->drive_branch[k];
        if (kind == AFX_DRIVE_SERVO && branch != AFXI_BRANCH_FREE) {
            const double *target = sim->jointed.drive_target + 2 * (size_t)k;
            lambda = numbers[AFXI_DRIVE_STIFFNESS] * (x - target[0]) + numbers[AFXI_DRIVE_DAMPING] * (rate - target[1]);
        }
        AfxiBranch fit =
            afxi_law_branch(kind, branch, numbers, x, rate, lambda, afxi_friction_limit(sim, k), 1e-12 * model->size);
        if (fit != branch) {
            sim->drive_branch[k] = (uint8_t)fit;
            sim->jointed.changes[k]++;
            changed = true;
        }
    }
    return changed;
}

void afxi_drives_begin(AfxSim *sim) {
    memset(sim->jointed.changes, 0, sim->model->drive_count);
    memcpy(sim->jointed.branch_begin, sim->drive_branch, sim->model->drive_count);
}

void afxi_drives_reset(AfxSim *sim) {
    memset(sim->jointed.changes, 0, sim->model->drive_count);
    memcpy(sim->drive_branch, sim->jointed.branch_begin, sim->model->drive_count);
}

void afxi_drives_finish(AfxSim *sim) {
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        double *begin = sim->drive_input + 4 * (size_t)k;
        if (sim->model->drives[k].kind == AFX_DRIVE_VELOCITY) {
            sim->drive_travel[k] = travelled(sim, k, 1);
        }
        begin[0] = begin[2];
        begin[1] = begin[3];
    }
}

AfxStatus afx_sim_set_drive_target(AfxSim *sim, uint32_t drive, double value, double rate) {
    if (!sim || drive >= sim->model->drive_count || !sim->model->drives[drive].from_input || !isfinite(value) ||
        !isfinite(rate)) {
        return AFX_E_ARGUMENT;
    }
    sim->drive_input[4 * (size_t)drive + 2] = value;
    sim->drive_input[4 * (size_t)drive + 3] = rate;
    return AFX_OK;
}

AfxStatus afx_sim_drive_effort(const AfxSim *sim, uint32_t drive, double *out_effort) {
    if (!sim || drive >= sim->model->drive_count || !out_effort) {
        return AFX_E_ARGUMENT;
    }
    uint32_t row = sim->model->drives[drive].row;
    *out_effort = row == UINT32_MAX ? 0 : -sim->lambda[row];
    return AFX_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A posture that users set may lie beyond limits and open loops, and is told as it was set. What a step would do
 * about that it would do by a velocity, which is violation / h and stays: the shorter the step, the more energy from
 * nothing (0.07 rad beyond a limit threw an arm by a radian at 0.5 ms). So it is put right before the step: by
 * positions alone, velocities being projected. */
#include "step/settle.h"

#include <math.h>

#include "base/memory.h"
#include "joint/law.h"
#include "model/model.h"
#include "solve/start.h"
#include "step/history.h"

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

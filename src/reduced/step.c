/* SPDX-License-Identifier: Apache-2.0 */
/* The step in joint coordinates. Its state is q and u; raw coordinates are written after every step, and read again
 * where they were edited. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "reduced/explicit.h"
#include "reduced/flywheel.h"
#include "reduced/forces.h"
#include "reduced/make.h"
#include "reduced/reaction.h"
#include "reduced/refuse.h"
#include "reduced/system.h"
#include "state/input.h"
#include "state/pace.h"

AfxiReducedState afxi_reduced_state(const AfxiReduced *work) {
    double *own = work->world->state.own;
    return (AfxiReducedState){own, own + 7 * (size_t)work->model->dynamic_count};
}

static size_t state_size(const AfxModel *model) { /* seven coordinates and six velocities of a body at most */
    return 13 * (size_t)model->dynamic_count * sizeof(double);
}

/* ---- from and to the state ---- */

/* Coordinates of the model as its joints were last counted, by velocity. */
static void set_near(AfxiReduced *work, double *out) {
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        const AfxiTreeDof *dof = &work->tree.dof[d];
        const AfxiJoint *joint = dof->joint == AFXI_TREE_NONE ? NULL : &work->model->joints[dof->joint];
        bool counted = joint && joint->angle != UINT32_MAX;
        out[d] = counted ? work->world->state.angle[joint->angle + dof->axis] : 0;
    }
}

/* True where parameters or the state have changed since the last step, and what rests on them is to be looked at. */
static bool load(AfxiReduced *work, AfxStepReport *report) {
    bool fresh = work->stale;
    const AfxiState *state = &work->world->state;
    AfxiReducedState own = afxi_reduced_state(work);
    size_t q = work->tree.coordinate_count * sizeof(double), u = work->tree.dof_count * sizeof(double);
    if (work->stale) {
        afxi_tree_numbers(&work->tree, work->world->params);
        work->stale = false;
    }
    if (state->head->has_history && !state->head->uneven) {
        memcpy(work->q, own.q, q);
        memcpy(work->u, own.u, u);
        return fresh;
    }
    report->flags |= AFX_STEP_RESTARTED;
    afxi_trace_part(work->world->trace, 0, 1);
    afxi_trace_restart(work->world->trace);
    set_near(work, work->row);
    afxi_tree_from_raw(&work->tree, state->q, state->v, work->row, work->q, work->u);
    afxi_tree_set_moved(&work->work, state->q, state->v);
    afxi_reduced_inputs(work, 0);
    if (work->exact_count) { /* velocities that fit drives; a start that cannot be closed fails in the step */
        afxi_reduced_project(work, work->q, work->u, 0);
    }
    return true;
}

static bool is_finite(const AfxiReduced *work) {
    bool finite = true;
    for (uint32_t k = 0; k < work->tree.coordinate_count; k++) {
        finite = finite && isfinite(work->q[k]);
    }
    for (uint32_t k = 0; k < work->tree.dof_count; k++) {
        finite = finite && isfinite(work->u[k]);
    }
    return finite;
}

static void store_told(AfxiReduced *work) {
    double *lambda = work->world->state.lambda;
    const AfxiReducedRow *lists[2] = {work->exact, work->force};
    const uint32_t counts[2] = {work->exact_count, work->force_count};
    for (int list = 0; list < 2; list++) {
        for (uint32_t k = 0; k < counts[list]; k++) {
            uint32_t place = lists[list][k].place;
            if (place != UINT32_MAX) {
                lambda[place] = work->told[place];
            }
        }
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        uint32_t row = work->model->joints[work->ball[k]].row;
        if (row != UINT32_MAX) {
            memcpy(lambda + row + 3, work->told + row + 3, 3 * sizeof *lambda);
        }
    }
}

static void commit(AfxiReduced *work) {
    AfxiState *state = &work->world->state;
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(own.q, work->q, work->tree.coordinate_count * sizeof(double));
    memcpy(own.u, work->u, work->tree.dof_count * sizeof(double));
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    afxi_tree_to_raw(&work->work, work->q, work->u, state->q, state->v);
    store_told(work);
    afxi_angles_follow(work->world);
    afxi_drives_finish(work->world);
    afxi_pace_finish(state, work->model->body_count, NULL);
    state->head->has_history = 1;
}

/* ---- the step ---- */

/* Parameters of the sim itself may ask for what is not there. */
static AfxStatus refuse_own(const AfxiReduced *work) {
    const AfxiWorld *world = work->world;
    if (world->params == work->model->params) {
        return AFX_OK;
    }
    bool unfit = afxi_flywheels_unfit(&work->tree, world->params) != AFXI_TREE_NONE;
    return unfit ? AFX_E_INPUT : afxi_reduced_refuse(work->model, world->params, world->def.integrator, NULL);
}

static AfxStatus step(void *data, AfxStepReport *report) {
    AfxiReduced *work = data;
    AfxiWorld *world = work->world;
    double mark = afxi_clock();
    AfxStatus status = refuse_own(work);
    if (status != AFX_OK) {
        return status;
    }
    work->violation = 0;
    work->regularised = false;
    afxi_input_begin(world);
    afxi_drives_begin(world);
    double h = world->state.head->dt;
    bool fresh = load(work, report);
    uint32_t stiff = fresh ? afxi_reduced_too_stiff(work, h) : AFXI_TREE_NONE;
    bool fine = stiff == AFXI_TREE_NONE && afxi_reduced_rk4(work, h) && is_finite(work);
    if (fine) {
        commit(work);
    } else {
        afxi_input_back(world);
        work->stale = true;
        report->body = stiff != AFXI_TREE_NONE      ? stiff
                       : work->model->dynamic_count ? work->model->dynamic[0]
                                                    : UINT32_MAX;
    }
    report->solves = 1;
    report->solves_mean = 1;
    report->residual = work->violation;
    report->flags |= work->regularised ? AFX_STEP_REGULARISED : 0;
    report->stage_seconds[AFX_STAGE_JOINTS] += afxi_clock() - mark;
    return fine ? AFX_OK : AFX_E_NUMERIC;
}

/* ---- the entry of the table ---- */

static void destroy(void *data) {
    AfxiReduced *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_reduced_release(work);
        afxi_release(&allocator, work, sizeof *work);
    }
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiReduced *work = afxi_allocate(&def->allocator, sizeof *work);
    (void)owner;
    *out_work = NULL;
    AfxStatus status = AFX_E_MEMORY;
    if (work) {
        *work = (AfxiReduced){.allocator = def->allocator, .world = world, .model = world->model, .stale = true};
        work->self = work;
        status = afxi_reduced_make(work);
    }
    if (status != AFX_OK) {
        destroy(work);
        return afxi_error(def->error, status, "formulation reduced", afx_status_text(status),
                          status == AFX_E_LIMIT ? "take the formulation affix: there are too many degrees of freedom"
                                                : "use a smaller scene or free some memory");
    }
    *out_work = work;
    return AFX_OK;
}

static AfxStatus refuse(const AfxModel *model, const AfxSimDef *def) {
    return afxi_reduced_refuse(model, model->params, def->integrator, def->error);
}

static void refresh(void *data) {
    ((AfxiReduced *)data)->stale = true;
}

/* Accelerations of the present state say what branches carry; rows have their multipliers. */
static void reaction(const void *data, uint32_t joint, AfxWrench *out_reaction) {
    AfxiReduced *work = ((const AfxiReduced *)data)->self; /* what it has beside the state is room to work in */
    AfxiWorld *world = work->world;
    *out_reaction = (AfxWrench){{0, 0, 0}, {0, 0, 0}};
    if (!world->state.head->steps || !world->state.head->has_history) {
        return;
    }
    afxi_tree_numbers(&work->tree, world->params);
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(work->q, own.q, work->tree.coordinate_count * sizeof(double));
    memcpy(work->u, own.u, work->tree.dof_count * sizeof(double));
    afxi_reduced_inputs_now(work);
    if (!afxi_reduced_accelerate(work, 0, work->q, work->u, work->du, work->told)) {
        return;
    }
    if (work->tree.joint[joint].branch) {
        afxi_tree_inverse(&work->work, work->du, NULL, work->row);
        afxi_reduced_reaction(work, joint, work->told, out_reaction);
    } else {
        afxi_joint_reaction(world, work->told, joint, out_reaction);
    }
}

const AfxiFormulationKind afxi_formulation_reduced = {
    .name = "reduced",
    .can = AFXI_FORMULATION_WRENCHES,
    .refuse = refuse,
    .state_size = state_size,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .step = step,
    .reaction = reaction,
};

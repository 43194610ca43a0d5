/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates in the table of formulations. */
#include "reduced/reduced.h"

#include <string.h>

#include "base/status.h"
#include "constraint/reaction.h"
#include "reduced/advance.h"
#include "reduced/explicit.h"
#include "reduced/forces.h"
#include "reduced/islands.h"
#include "reduced/lanes.h"
#include "reduced/reaction.h"
#include "reduced/refuse.h"
#include "reduced/step.h"
#include "reduced/touch.h"

static size_t state_size(const AfxModel *model) { /* islands have two numbers besides, and one body or more */
    return ((AFXI_REDUCED_STATE + 2) * (size_t)model->dynamic_count + 2) * sizeof(double);
}

/* About how many instructions a step of an island takes. */
static double island_cost(const AfxiReduced *work) {
    double rows = work->exact_count + (double)work->held_count, n = work->tree.dof_count, squares = 0;
    double sum = AFXI_REDUCED_COST_ROW * (double)work->exact_count + AFXI_REDUCED_COST_HELD * (double)work->held_count;
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        bool ball = work->tree.node[k].kind == AFXI_NODE_BALL;
        sum += AFXI_REDUCED_COST_NODE + (ball ? AFXI_REDUCED_COST_BALL : 0);
    }
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        double above = work->rows.row[d + 1] - work->rows.row[d];
        squares += above * above;
    }
    return sum + AFXI_REDUCED_COST_SQUARE * (squares + rows * rows * (n + rows / 3));
}

double afxi_reduced_cost(const void *data, uint32_t *out_dofs) {
    const AfxiReducedIslands *set = data;
    double sum = AFXI_REDUCED_COST_STEP;
    *out_dofs = 0;
    for (uint32_t k = 0; k < set->count; k++) {
        uint32_t dofs = set->island[k].tree.dof_count;
        sum += island_cost(&set->island[k]);
        *out_dofs = dofs > *out_dofs ? dofs : *out_dofs;
    }
    return sum;
}

static void destroy(void *data) {
    AfxiReducedIslands *set = data;
    if (set) {
        AfxAllocator allocator = set->allocator;
        afxi_reduced_islands_release(set);
        afxi_release(&allocator, set, sizeof *set);
    }
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiReducedIslands *set = afxi_allocate(&def->allocator, sizeof *set);
    (void)owner;
    *out_work = NULL;
    AfxStatus status = AFX_E_MEMORY;
    if (set) {
        *set = (AfxiReducedIslands){.self = set, .allocator = def->allocator};
        status = afxi_reduced_islands_make(set, world);
    }
    for (uint32_t k = 0; status == AFX_OK && k < set->count; k++) {
        if (afxi_reduced_refuse_rows(&set->island[k], def->error) != AFX_OK ||
            afxi_reduced_refuse_wheels(&set->island[k], def->error) != AFX_OK) {
            destroy(set);
            return AFX_E_INPUT;
        }
    }
    if (status != AFX_OK) {
        destroy(set);
        return afxi_error(def->error, status, "formulation reduced", afx_status_text(status),
                          status == AFX_E_LIMIT ? "take the formulation affix: there are too many degrees of freedom"
                                                : "use a smaller scene or free some memory");
    }
    *out_work = set;
    return AFX_OK;
}

static AfxStatus refuse(const AfxModel *model, const AfxSimDef *def) {
    return afxi_reduced_refuse(model, model->params, def->integrator, def->error);
}

static AfxStatus attach(void *data, AfxiCollide *collide) {
    return afxi_reduced_touch_attach(&((AfxiReducedIslands *)data)->island[0], collide);
}

static void refresh(void *data) {
    AfxiReducedIslands *set = data;
    for (uint32_t k = 0; k < set->count; k++) {
        set->island[k].stale = true;
    }
}

/* Accelerations of the present state say what branches carry; rows have their multipliers. */
static void reaction(const void *data, uint32_t joint, AfxWrench *out_reaction) {
    AfxiReducedIslands *set = ((const AfxiReducedIslands *)data)->self; /* what it has is room to work in */
    AfxiReduced *work = &set->island[set->of_joint[joint]];
    AfxiWorld *world = work->world;
    *out_reaction = (AfxWrench){{0, 0, 0}, {0, 0, 0}};
    if (!world->state.head->steps || !world->state.head->has_history) {
        return;
    }
    afxi_reduced_numbers(work);
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(work->q, own.q, work->tree.coordinate_count * sizeof(double));
    memcpy(work->u, own.u, work->tree.dof_count * sizeof(double));
    afxi_reduced_inputs_now(work);
    work->touch.acting = work->touch.collide != NULL;
    bool fine = afxi_reduced_accelerate(work, 0, work->q, work->u, work->du, work->told);
    work->touch.acting = false;
    if (!fine) {
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
    .attach = attach,
    .destroy = destroy,
    .refresh = refresh,
    .step = afxi_reduced_step,
    .step_many = afxi_lanes_step,
    .reaction = reaction,
};

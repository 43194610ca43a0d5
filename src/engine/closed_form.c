/* SPDX-License-Identifier: Apache-2.0 */
/* A lot by wide passes over all its bodies, with closed forms where ball joints alone hold a body (dual/closed_form.h).
 * Other bodies and rows are worked on one by one as ever. */
#include "engine/closed_form.h"

#include <math.h>
#include <string.h>

#include "base/task.h"
#include "dual/closed_form.h"
#include "dual/motion.h"
#include "dual/recursion.h"
#include "math/polar.h"
#include "model/plan.h"
#include "state/phase.h"

void afxi_closed_form_kernels(AfxiLot *lot) {
    uint32_t lanes = lot->rows.world->def.lanes;
    lot->system.closed_form = afxi_closed_form_kernel(lanes);
    lot->system.closed_form_joints = afxi_closed_form_joint_kernel(lanes);
    lot->system.recursion.kernel = afxi_recursion_kernel(lanes);
    lot->system.recursion.stage = afxi_recursion_stage_kernel(lanes);
    lot->system.recursion.batched = afxi_recursion_batched_kernel(lanes);
    lot->system.recursion.general = afxi_recursion_general_kernel(lanes);
    lot->system.recursion.general_one = afxi_recursion_general_kernel(1);
    lot->system.recursion.one = afxi_recursion_one_kernel(lanes);
    lot->motion_kernel = afxi_motion_kernel(lanes);
}

/* What closed-form joints are fixed to, behind the bodies that are solved for. */
static void place_grounds(AfxiLot *lot) {
    static const double world[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->closed_form.ground_count; k++) {
        uint32_t body = graph->closed_form.ground[k];
        size_t place = (size_t)graph->body_count + k;
        const double *q = body == AFXI_WORLD ? world : lot->rows.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
        lot->rows.frame[place] = mat3_load(q);
        lot->rows.origin[place] = vec3_load(q + 9);
        memcpy(lot->rows.next + AFXI_AFFINE_WIDTH * place, q, AFXI_AFFINE_WIDTH * sizeof *q);
        memset(lot->system.delta + AFXI_AFFINE_WIDTH * place, 0, AFXI_AFFINE_WIDTH * sizeof *q);
    }
}

/* Rows of closed-form joints: what does not change from solve to solve. */
static void set_rows(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiWorld *world = lot->rows.world;
    AfxiSystem *system = &lot->system;
    if (lot->rows.fresh && lot->joints_version == world->joints_version) {
        return;
    }
    for (uint32_t k = 0; k < graph->closed_form.joint_count; k++) {
        const AfxiGraphBlock *block = &graph->block[graph->closed_form.joint[k].block];
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            system->active[row] = world->state.joint_active[block->index];
            system->fixed[row] = system->compliance[row] = 0;
        }
    }
    lot->rows.fresh = true;
    lot->rows.placed = false;
    lot->joints_version = world->joints_version;
}

static void switch_on(AfxiLot *lot) {
    const AfxiWorld *world = lot->rows.world;
    const double *gravity = afxi_world_param(world, AFX_PARAM_GRAVITY, 0);
    lot->system.bodies = (AfxiBodiesWork){
        .constants = lot->table->chain,
        .class_of = world->classes->of,
        .forces = world->force_count ? world->forces : NULL,
        .force_slot = world->force_slot,
        .joint_frames = world->model->joint_frames.items,
        .gravity = {gravity[0], gravity[1], gravity[2]},
        .frame = lot->rows.frame,
        .origin = lot->rows.origin,
        .target = lot->target,
        .next = lot->rows.next,
        .turn = lot->turn,
        .gamma = lot->gamma,
        .gamma_next = lot->gamma_next,
        .stiffness = lot->stiffness,
        .held = lot->rows.held,
        .second = lot->second,
        .error = lot->error,
        .excess = lot->excess,
        .load = lot->load,
        .on = true,
    };
    lot->rows.closed_form = true;
    lot->rows.whole = lot->system.recursion.whole = lot->system.recursion.refused = false;
    place_grounds(lot);
    set_rows(lot);
}

bool afxi_closed_form_between(const AfxiLot *lot) {
    return lot->rows.graph->recursion.on && lot->rows.graph->closed_form.raw;
}

void afxi_closed_form(AfxiLot *lot, bool on) {
    lot->rows.fresh = lot->rows.placed = false; /* what is active is set otherwise between steps */
    lot->rows.strained = true;
    if (on && afxi_closed_form_between(lot)) {
        switch_on(lot);
    } else {
        lot->system.bodies.on = lot->rows.closed_form = false;
        lot->rows.whole = lot->system.recursion.whole = false;
    }
}

/* Bodies that go on from a result begin there. */
static void place_warm(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; lot->is_warm && k < graph->body_count; k++) {
        const double *warm = lot->warm + (size_t)AFXI_AFFINE_WIDTH * graph->body[k];
        if (!lot->is_warm[graph->body[k]]) {
            continue;
        }
        AfxiMat3 a = mat3_load(warm);
        lot->rows.frame[k] = afxi_rotation_part(&a, NULL);
        lot->rows.origin[k] = vec3_load(warm + 9);
        if (k < afxi_graph_bodies_stored(graph)) {
            memcpy(lot->rows.at + (size_t)AFXI_AFFINE_WIDTH * k, warm, AFXI_AFFINE_WIDTH * sizeof *warm);
        }
    }
}

/* With a whole stage at once, only bodies that go alone, and those next to them, are predicted beforehand. */
static void predict(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    lot->motion.has_past = !lot->system.recursion.whole;
    if (lot->motion.has_past) {
        afxi_closed_form_run(lot, lot->motion_kernel->predict, 0, graph->body_count);
        return;
    }
    for (uint32_t k = 0; k < graph->high_degree_count; k++) {
        lot->motion_kernel->predict(&lot->motion, graph->high_degree[k], graph->high_degree[k] + 1);
    }
    for (uint32_t b = 0; b < graph->closed_form.general_block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[graph->closed_form.general_block[b]];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            uint32_t body = graph->entry[e].dof.index;
            lot->motion_kernel->predict(&lot->motion, body, body + 1);
        }
    }
}

/* Whether something is added to the past of some body. */
static bool fitted(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    bool any = false;
    for (uint32_t k = 0; lot->plan.phase != AFXI_PHASE_NONE && k < graph->body_count && !any; k++) {
        any = lot->rows.world->state.phase_slot[graph->body[k]] != AFXI_PHASE_OFF &&
              !afxi_phase_stands(lot->rows.world, &lot->plan, graph->body[k]);
    }
    return any;
}

void afxi_closed_form_begin(AfxiLot *lot) {
    const AfxiStagePlan *plan = &lot->plan;
    const AfxiGraph *graph = lot->rows.graph;
    AfxiState *state = &lot->rows.world->state;
    AfxiRecursionWork *recursion = &lot->system.recursion;
    bool alpha = plan->mode == AFXI_FREE_ALPHA;
    bool velocities = plan->mode == AFXI_FREE_MULTISTEP && plan->weights.qhat[3] != 0;
    switch_on(lot);
    lot->motion = (AfxiMotion){
        .mode = plan->mode,
        .weights = plan->weights,
        .predict = plan->predict,
        .parabola = {velocities ? 0.5 * plan->predict : 0, alpha ? 0.5 * plan->predict * plan->predict : 0},
        .damped = lot->table->damped,
        .alpha = alpha,
        .body = graph->body,
        .class_of = lot->rows.world->classes->of,
        .constants = lot->table->chain,
        .curved = state->curved,
        .q = state->q,
        .v = state->v,
        .x2 = state->x2,
        .x3 = state->x3,
        .previous_q = state->previous_q,
        .previous_v = state->previous_v,
        .qhat = lot->qhat,
        .qv = lot->rows.qv,
        .target = lot->target,
        .frame = lot->rows.frame,
        .origin = lot->rows.origin,
        .at = lot->rows.at,
        .at_end = graph->closed_form.general_body_end,
        .next = lot->rows.next,
        .phase_row = fitted(lot) ? state->phase_row : NULL,
        .phase_slot = state->phase_slot,
    };
    if (lot->motion.phase_row && plan->has_gaps && plan->phase == AFXI_PHASE_TWO_STEP) {
        lot->motion.gap = state->gap;
        lot->motion.last_gap = state->last_gap;
    }
    bool touched = lot->system.woodbury || lot->is_warm; /* several solves are to be expected */
    lot->rows.whole = recursion->whole = graph->recursion.whole && !*lot->regularise && !touched;
    recursion->motion = &lot->motion;
    recursion->springs = lot->rows.rotational_spring_constants;
    recursion->per_h = 1 / plan->weights.scale.h_rate;
    recursion->packed_forces &= lot->forces_version == lot->rows.world->forces_version;
    recursion->packed &= lot->generation == lot->table->generation;
    lot->forces_version = lot->rows.world->forces_version;
    lot->generation = lot->table->generation;
    predict(lot);
    place_warm(lot);
    lot->rows.strained = true;
}

void afxi_closed_form_unfold(AfxiLot *lot) {
    lot->rows.whole = lot->system.recursion.whole = lot->system.recursion.refused = false;
    predict(lot);
}

typedef struct Pass {
    const AfxiLot *lot;
    AfxiMotionPass *pass;
    uint32_t first;
} Pass;

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const Pass *pass = context;
    pass->pass(&pass->lot->motion, pass->first + begin, pass->first + end);
}

void afxi_closed_form_run(AfxiLot *lot, AfxiMotionPass *pass, uint32_t begin, uint32_t end) {
    Pass context = {lot, pass, begin};
    const AfxSimDef *def = &lot->rows.world->def;
    afxi_parallel_for(&def->tasks, def->threads, end - begin, AFXI_GRAIN, run_part, &context);
}

void afxi_lot_linearise(AfxiLot *lot) {
    afxi_rows_linearise(&lot->rows);
    if (lot->rows.closed_form && !lot->rows.whole) {
        afxi_closed_form_values(&lot->system);
    }
}

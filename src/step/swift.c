/* SPDX-License-Identifier: Apache-2.0 */
/* A stage of the jointed bodies by wide passes over all of them, with closed forms where ball joints alone hold a body
 * (dual/closed.h). Other bodies and rows are worked on one by one as ever. */
#include <math.h>
#include <string.h>

#include "base/task.h"
#include "step/holds.h"
#include "step/rows.h"

void afxi_swift_take(AfxSim *sim, AfxiArena *arena) {
    AfxiJointed *jointed = &sim->jointed;
    size_t classes = sim->model->graph.body_count ? sim->model->classes.intern.count : 0;
    jointed->system.closed = afxi_closed_kernel(sim->def.lanes);
    jointed->system.closed_joints = afxi_closed_joint_kernel(sim->def.lanes);
    jointed->system.climb.kernel = afxi_climb_kernel(sim->def.lanes);
    jointed->system.climb.stage = afxi_climb_stage_kernel(sim->def.lanes);
    jointed->system.climb.straight = afxi_climb_straight_kernel(sim->def.lanes);
    jointed->motion_kernel = afxi_motion_kernel(sim->def.lanes);
    jointed->constants = afxi_arena_take(arena, classes * AFXI_CHAIN_SIZE, sizeof *jointed->constants);
}

static void refresh_constants(AfxSim *sim, AfxiScale scale) {
    AfxiJointed *jointed = &sim->jointed;
    if (scale.h_squared == jointed->scale.h_squared && scale.h_rate == jointed->scale.h_rate) {
        return;
    }
    const AfxiBodyClass *items = sim->classes->intern.items;
    jointed->motion.damped = false;
    for (uint32_t k = 0; k < sim->classes->intern.count; k++) {
        afxi_chain_constants(&items[k], scale, jointed->constants + (size_t)AFXI_CHAIN_SIZE * k);
        jointed->motion.damped |= items[k].linear_damping > 0 || items[k].angular_damping > 0;
    }
    jointed->scale = scale;
    jointed->system.climb.packed = false;
}

/* What closed joints are fixed to, behind the bodies that are solved for. */
static void place_grounds(AfxSim *sim) {
    static const double world[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    for (uint32_t k = 0; k < graph->closed.ground_count; k++) {
        uint32_t body = graph->closed.ground[k];
        size_t place = (size_t)graph->body_count + k;
        const double *q = body == AFXI_WORLD ? world : sim->q + (size_t)12 * body;
        jointed->frame[place] = mat3_load(q);
        jointed->origin[place] = vec3_load(q + 9);
        memcpy(jointed->next + 12 * place, q, 12 * sizeof *q);
        memset(jointed->system.delta + 12 * place, 0, 12 * sizeof *q);
    }
}

/* Rows of closed joints: what does not change from solve to solve. */
static void set_rows(AfxSim *sim) {
    const AfxiClosed *closed = &sim->model->graph.closed;
    AfxiSystem *system = &sim->jointed.system;
    for (uint32_t k = 0; k < closed->joint_count && !sim->jointed.rows_fresh; k++) {
        const AfxiGraphBlock *block = &sim->model->graph.block[closed->joint[k].block];
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            system->active[row] = sim->joint_active[block->index];
            system->given[row] = system->compliance[row] = 0;
        }
    }
    sim->jointed.rows_fresh = true;
}

/* Closed forms are in use from now on, with multipliers `load`. */
static void switch_on(AfxSim *sim) {
    AfxiJointed *jointed = &sim->jointed;
    const double *gravity = afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0);
    jointed->system.bodies = (AfxiBodiesWork){
        .constants = jointed->constants,
        .class_of = sim->classes->of,
        .forces = sim->force_count ? sim->forces : NULL,
        .force_slot = sim->force_slot,
        .joint_frames = sim->model->joint_frames.items,
        .gravity = {gravity[0], gravity[1], gravity[2]},
        .frame = jointed->frame,
        .origin = jointed->origin,
        .target = jointed->target,
        .next = jointed->next,
        .turn = jointed->turn,
        .gamma = jointed->gamma,
        .gamma_next = jointed->gamma_next,
        .stiffness = jointed->stiffness,
        .held = jointed->held,
        .second = jointed->second,
        .error = jointed->error,
        .excess = jointed->excess,
        .load = sim->lambda,
        .on = true,
    };
    jointed->system.climb.whole = jointed->system.climb.refused = false;
    place_grounds(sim);
    set_rows(sim);
}

void afxi_swift_begin(AfxSim *sim, const AfxiStagePlan *plan) {
    const AfxModel *model = sim->model;
    AfxiJointed *jointed = &sim->jointed;
    bool alpha = plan->mode == AFXI_FREE_ALPHA;
    if (model->solver == AFX_SOLVER_CG || model->solver == AFX_SOLVER_GS || sim->contacts ||
        afxi_holds_any(sim, AFXI_HOLD_JOINTED)) {
        return; /* they go by gradients, and contacts and holds change single bodies */
    }
    refresh_constants(sim, plan->weights.scale);
    switch_on(sim);
    bool velocities = plan->mode == AFXI_FREE_MULTISTEP && plan->weights.qhat[3] != 0;
    jointed->motion = (AfxiMotion){
        .mode = plan->mode,
        .weights = plan->weights,
        .predict = plan->predict,
        .parabola = {velocities ? 0.5 * plan->predict : 0, alpha ? 0.5 * plan->predict * plan->predict : 0},
        .damped = jointed->motion.damped,
        .alpha = alpha,
        .body = model->graph.body,
        .class_of = sim->classes->of,
        .constants = jointed->constants,
        .curved = sim->curved,
        .q = sim->q,
        .v = sim->v,
        .x2 = sim->x2,
        .x3 = sim->x3,
        .previous_q = sim->previous_q,
        .previous_v = sim->previous_v,
        .qhat = jointed->qhat,
        .qv = jointed->qv,
        .target = jointed->target,
        .frame = jointed->frame,
        .origin = jointed->origin,
        .at = jointed->at,
        .at_end = model->graph.closed.open_body_end,
        .next = jointed->next,
    };
    AfxiClimbWork *climb = &jointed->system.climb;
    climb->whole = model->graph.climb.on;
    climb->motion = &jointed->motion;
    climb->springs = jointed->turn_constants;
    climb->per_h = 1 / plan->weights.scale.h_rate;
}

/* ---- solves that are not part of a step ---- */

void afxi_swift_still(AfxSim *sim, bool on) {
    AfxiJointed *jointed = &sim->jointed;
    jointed->rows_fresh = false; /* what is active is set otherwise there */
    if (on && sim->model->graph.climb.on) {
        switch_on(sim);
    } else {
        jointed->system.bodies.on = false;
    }
}

/* sign times the rate of a point of a body, by place: (R - qv) / h where the body is solved for. */
static AfxVec3 point_rate(const AfxSim *sim, uint32_t place, AfxVec3 x, AfxVec3 *out_acceleration) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiJointed *jointed = &sim->jointed;
    double rate[12] = {0}, second[12] = {0};
    if (place < graph->body_count) {
        const double *qv = jointed->qv + (size_t)12 * place, *t = &jointed->origin[place].x;
        for (int k = 0; k < 12; k++) {
            rate[k] = ((k < 9 ? jointed->frame[place].m[k] : t[k - 9]) - qv[k]) / jointed->h_rate;
        }
    } else if (graph->closed.ground[place - graph->body_count] != AFXI_WORLD) {
        uint32_t body = graph->closed.ground[place - graph->body_count];
        memcpy(rate, sim->v + (size_t)12 * body, sizeof rate);
        if (jointed->starting) {
            afxi_input_acceleration(sim, body, second);
        }
    }
    AfxiMat3 a = mat3_load(rate), b = mat3_load(second);
    *out_acceleration = vec3_add(mat3_apply(&b, x), vec3_load(second + 9));
    return vec3_add(mat3_apply(&a, x), vec3_load(rate + 9));
}

double afxi_swift_rates(AfxSim *sim, bool accelerations) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiSystem *system = &sim->jointed.system;
    double largest = 0;
    for (uint32_t k = 0; system->bodies.on && k < graph->closed.joint_count; k++) {
        const AfxiClosedJoint *joint = &graph->closed.joint[k];
        const AfxiJointFrame *frame = &system->bodies.joint_frames[joint->frame];
        AfxVec3 second[2], a = point_rate(sim, joint->a, frame->point_a, &second[0]);
        AfxVec3 b = point_rate(sim, joint->b, frame->point_b, &second[1]);
        double *value = system->value + joint->first_row;
        vec3_store(value, accelerations ? vec3_sub(second[0], second[1]) : vec3_sub(a, b));
        for (int r = 0; r < 3; r++) {
            value[r] = system->active[joint->first_row] ? value[r] : 0;
            largest = fmax(largest, fabs(value[r]));
        }
    }
    return largest;
}

/* With a whole stage at once, only bodies that go alone, and those next to them, are predicted beforehand. */
void afxi_swift_predict(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiJointed *jointed = &sim->jointed;
    if (!jointed->system.climb.whole) {
        afxi_swift_run(sim, jointed->motion_kernel->predict);
        return;
    }
    for (uint32_t k = 0; k < graph->hub_count; k++) {
        jointed->motion_kernel->predict(&jointed->motion, graph->hub[k], graph->hub[k] + 1);
    }
    for (uint32_t b = 0; b < graph->closed.open_block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[graph->closed.open_block[b]];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            uint32_t body = graph->entry[e].body;
            jointed->motion_kernel->predict(&jointed->motion, body, body + 1);
        }
    }
}

void afxi_swift_unfold(AfxSim *sim) {
    sim->jointed.system.climb.whole = sim->jointed.system.climb.refused = false;
    afxi_swift_predict(sim);
}

typedef struct Pass {
    AfxSim *sim;
    AfxiMotionPass *pass;
} Pass;

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    (void)part;
    const Pass *pass = context;
    pass->pass(&pass->sim->jointed.motion, begin, end);
}

void afxi_swift_run(AfxSim *sim, AfxiMotionPass *pass) {
    Pass context = {sim, pass};
    afxi_parallel_for(&sim->def.tasks, sim->def.threads, sim->model->graph.body_count, AFXI_GRAIN, run_part, &context);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of a lot before, in and after a solve: past, frames, inverse blocks, the solve without rows, results.
 *
 * The first solve carries the geometric stiffness of the last multipliers as a bound, later ones the exact matrix where
 * that keeps a body's H definite. With loops, unless balls alone close them and no redundant row has been met, it stays
 * the bound: the multipliers of redundant rows are not unique, and the Hoberman sphere passed its singular position
 * with fewer solves that way. Bodies that balls alone hold have all their stiffness in every solve, that of their
 * inertia included, made definite (dual/bodies_wide.h). */
#include "engine/lot.h"

#include <math.h>
#include <string.h>

#include "base/task.h"
#include "body/definite.h"
#include "constraint/group_make.h"
#include "constraint/spring.h"
#include "dual/apply.h"
#include "dual/cg.h"
#include "dual/closed_form.h"
#include "dual/motion.h"
#include "dual/system.h"
#include "dual/tuning.h"
#include "engine/closed_form.h"
#include "engine/tuning.h"
#include "math/polar.h"
#include "model/plan.h"
#include "sparse/kernel.h"
#include "state/history.h"
#include "state/holds.h"
#include "state/phase.h"

bool afxi_graph_is_net(const AfxiGraph *graph) {
    return graph->rings && graph->ball_loops;
}

/* Arrays that solves of a lot share with its rows. */
static void take_rows(AfxiLot *lot, AfxiArena *arena) {
    AfxiRows *rows = &lot->rows;
    const AfxiGraph *graph = rows->graph;
    size_t bodies = graph->body_count, numbers = AFXI_AFFINE_WIDTH * bodies, count = afxi_graph_rows_stored(graph);
    size_t places = bodies + graph->closed_form.ground_count; /* and one: kernels load four numbers at a time */
    rows->frame = afxi_arena_take(arena, places + 1, sizeof *rows->frame);
    rows->origin = afxi_arena_take(arena, places + 1, sizeof *rows->origin);
    rows->at = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * (size_t)afxi_graph_bodies_stored(graph), sizeof(double));
    rows->qv = afxi_arena_take(arena, numbers, sizeof(double));
    rows->next = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * places, sizeof(double));
    rows->held = afxi_arena_take(arena, bodies, sizeof(double));
    rows->measured = afxi_arena_take(arena, count, sizeof(double));
    rows->base_acceleration = afxi_arena_take(arena, count, sizeof(double));
    rows->shift = afxi_arena_take(arena, count, sizeof(double));
    rows->cache = afxi_arena_take(arena, 1, sizeof *rows->cache);
    rows->result = afxi_arena_take(arena, count, sizeof(double));
    rows->rate = afxi_arena_take(arena, count, sizeof(double));
    rows->rotational_springs_version = UINT32_MAX;
    rows->held_scale = 0;
    rows->delta = lot->system.delta;
    rows->value = lot->system.value;
    rows->compliance = lot->system.compliance;
    rows->active = lot->system.active;
    rows->fixed = lot->system.fixed;
    rows->jacobian = lot->system.jacobian;
    lot->system.points_out = &rows->points_out;
    lot->system.frame = rows->frame;
    afxi_rotational_springs_take(rows, arena);
    afxi_groups_take(rows, arena);
    lot->system.rotational_spring = rows->rotational_spring;
    lot->fixed_lambda = afxi_arena_take(arena, count, sizeof(double));
}

void afxi_lot_take_state(AfxiLot *lot, AfxiArena *arena, const AfxiGraph *graph) {
    afxi_cg_take_state(&lot->system, arena, graph);
}

void afxi_lot_keep_multipliers(AfxiLot *lot) {
    AfxiState *state = &lot->rows.world->state;
    const AfxiGraph *graph = lot->rows.graph;
    if (!lot->kept) {
        afxi_state_keep_part(state, state->lambda + graph->first_row, graph->row_count * sizeof *state->lambda);
        lot->kept = true;
    }
}

void afxi_lot_restore_multipliers(const AfxiLot *lot, uint32_t begin, uint32_t end) {
    AfxiState *state = &lot->rows.world->state;
    if (lot->kept) {
        afxi_state_restore_part(state, state->lambda + lot->rows.graph->first_row + begin,
                                (end - begin) * sizeof *state->lambda);
    }
}

void afxi_lot_set_regularise(AfxiLot *lot, uint8_t *regularise) {
    lot->regularise = lot->system.regularise = regularise;
}

void afxi_lot_take(AfxiLot *lot, AfxiArena *arena, AfxiWorld *world, const AfxiGraph *graph, AfxiClassTable *table) {
    size_t bodies = graph->body_count, numbers = AFXI_AFFINE_WIDTH * bodies;
    bool full_newton = afxi_graph_is_net(graph);      /* may be: afxi_lot_inverses */
    bool touchable = world->model->contacts.possible; /* impacts put velocities there */
    bool history = afxi_graph_all_stored(graph) || world->def.integrator == AFX_ALPHA || touchable;
    lot->rows.world = world;
    lot->rows.graph = graph;
    lot->table = table;
    afxi_system_take(&lot->system, arena, graph);
    lot->system.blocks = afxi_dual_blocks(world->def.lanes);
    lot->system.gradients = afxi_gradient_kernel(world->def.lanes);
    afxi_closed_form_kernels(lot);
    const struct AfxiBlockKernel *kernel = afxi_block_kernel(world->def.lanes);
    lot->system.factor.kernel = kernel ? kernel : afxi_block_kernel(0); /* at most four lanes pay there */
    lot->system.factor.threads = world->def.threads;
    lot->system.factor.tasks = world->def.tasks.run ? &world->def.tasks : NULL;
    take_rows(lot, arena);
    lot->qhat = afxi_arena_take(arena, history ? numbers : 0, sizeof(double));
    lot->target = afxi_arena_take(arena, numbers, sizeof(double));
    lot->gamma = afxi_arena_take(arena, bodies, sizeof(double));
    lot->gamma_next = afxi_arena_take(arena, bodies, sizeof(double));
    lot->bounded = afxi_arena_take(arena, graph->row_count, sizeof(double));
    lot->stiffness = afxi_arena_take(arena, 6 * (size_t)afxi_graph_bodies_stored(graph) + 2, sizeof(double));
    lot->second = afxi_arena_take(arena, full_newton ? numbers : 0, sizeof(double));
    lot->error = afxi_arena_take(arena, bodies, sizeof(double));
    lot->excess = afxi_arena_take(arena, bodies, sizeof(double));
    lot->update_tally =
        afxi_arena_take(arena, afxi_part_count(graph->body_count, AFXI_GRAIN), sizeof *lot->update_tally);
    lot->turned = afxi_arena_take(arena, 3 * bodies, sizeof(double));
    lot->strain = afxi_arena_take(arena, full_newton ? 9 * bodies : 0, sizeof(double));
    lot->turn = afxi_arena_take(arena, bodies, sizeof(double));
    lot->woodbury_of = afxi_arena_take(arena, bodies, sizeof *lot->woodbury_of);
    lot->followed = afxi_arena_take(arena, graph->drive_count, sizeof *lot->followed);
    lot->parts = afxi_arena_take(arena, graph->part_count, sizeof *lot->parts);
    lot->forces_version = lot->joints_version = UINT32_MAX;
}

/* qhat, qv and the damped target of a body, and its frame and origin in the first solve. */
static void predict_body(AfxiLot *lot, const AfxiStagePlan *plan, uint32_t k) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiState *state = &lot->rows.world->state;
    const AfxiStageWeights *w = &plan->weights;
    uint32_t body = graph->body[k];
    size_t from = (size_t)AFXI_AFFINE_WIDTH * body, to = (size_t)AFXI_AFFINE_WIDTH * k;
    const AfxiBodyClass *class = afxi_world_class(lot->rows.world, body);
    const double *warm = lot->is_warm && lot->is_warm[body] ? lot->warm + from : NULL;
    double drag = w->scale.h_squared * w->per_h_rate, predicted[AFXI_AFFINE_WIDTH], own[AFXI_PHASE_SIZE];
    double weight_a = 1 / (1 + class->angular_damping * drag), weight_t = 1 / (1 + class->linear_damping * drag);
    const double *row = afxi_phase_row(lot->rows.world, plan, body, own);
    afxi_stage_past_with(state, plan, body, row, lot->qhat + to, lot->rows.qv + to);
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        double weight = e < 9 ? weight_a : weight_t;
        lot->target[to + e] = weight * lot->qhat[to + e] + (1 - weight) * lot->rows.qv[to + e];
        predicted[e] = warm ? warm[e] : stage_expected(state, plan, row, from + e, e, state->curved[body]);
    }
    AfxiMat3 a = mat3_load(predicted);
    if (!warm && graph->body_start[k] == graph->body_start[k + 1]) {
        a = afxi_free_frame(class, lot->target + to, &a);
    }
    lot->rows.frame[k] = afxi_rotation_part(&a, NULL);
    lot->rows.origin[k] = vec3_load(predicted + 9);
    bool strained = warm || afxi_motion_strained(predicted, lot->rows.frame[k].m);
    memcpy(lot->rows.at + to, strained ? predicted : lot->rows.frame[k].m, sizeof lot->rows.frame[k].m);
    vec3_store(lot->rows.at + to + 9, lot->rows.origin[k]);
}

void afxi_lot_predict(AfxiLot *lot, const AfxiStagePlan *plan, bool closed_form) {
    lot->ready = false;
    lot->plan = *plan;
    lot->rows.h_rate = plan->weights.scale.h_rate;
    afxi_rotational_springs_refresh(&lot->rows);
    if (afxi_rotational_springs_held(&lot->rows)) {
        lot->system.recursion.packed = false;
    }
    if (closed_form) {
        afxi_closed_form_begin(lot);
        return;
    }
    afxi_closed_form(lot, false);
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        predict_body(lot, plan, k);
    }
}

/* R^T F of the wrenches on a body: on A in its frame, and on t. */
static void add_forces(const AfxiLot *lot, uint32_t k, double g[AFXI_AFFINE_WIDTH]) {
    uint32_t body = lot->rows.graph->body[k], slot = lot->rows.world->force_slot[body];
    if (slot == UINT32_MAX) {
        return;
    }
    AfxVec3 push;
    AfxiMat3 on_a = afxi_free_forces(&lot->rows.world->forces[slot], &lot->rows.frame[k], &push);
    for (int e = 0; e < 9; e++) {
        g[e] += on_a.m[e];
    }
    vec3_store(g + 9, vec3_add(vec3_load(g + 9), push));
}

/* The solve without rows. */
static void start_bodies(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    AfxVec3 gravity = vec3_load(afxi_world_param(lot->rows.world, AFX_PARAM_GRAVITY, 0));
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const AfxiBodyClass *class = afxi_world_class(lot->rows.world, graph->body[k]);
        const AfxiBodyInverse *inverse = &lot->system.inverse[k];
        const double *target = lot->target + (size_t)AFXI_AFFINE_WIDTH * k;
        double g[AFXI_AFFINE_WIDTH], *start = lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k;
        AfxiMat3 a = mat3_load(target), local = mat3_multiply_tn(&lot->rows.frame[k], &a);
        for (int e = 0; e < 9; e++) {
            g[e] = inverse->blocks.c[e / 3] * (local.m[e] - (e % 4 == 0));
        }
        vec3_store(g + 9, vec3_scale(class->gravity * class->mass, gravity));
        add_forces(lot, k, g);
        afxi_body_apply(inverse, g, start);
        AfxVec3 ahead = vec3_sub(vec3_load(target + 9), lot->rows.origin[k]);
        vec3_store(start + 9, vec3_add(vec3_load(start + 9), ahead));
    }
}

/* The last result instead of the solve without rows: what comes on top of it only meets the rows, and the multipliers
 * that hold the bodies there keep their directions. The strain -[w]²/2 that a turn by w leaves is taken out. */
static void start_at_result(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    AfxiSystem *system = &lot->system;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const double *at = lot->rows.at + (size_t)AFXI_AFFINE_WIDTH * k;
        double *start = system->start + (size_t)AFXI_AFFINE_WIDTH * k;
        AfxiMat3 a = mat3_load(at), local = mat3_multiply_tn(&lot->rows.frame[k], &a);
        AfxiMat3 beta = mat3_load(system->delta + (size_t)AFXI_AFFINE_WIDTH * k);
        AfxVec3 w = mat3_axial(&beta);
        double turn[3] = {w.x, w.y, w.z}, square = vec3_dot(w, w);
        for (int e = 0; e < 9; e++) {
            double whole = e % 4 == 0;
            start[e] = local.m[e] - whole - 0.5 * (square * whole - turn[e / 3] * turn[e % 3]);
        }
        vec3_store(start + 9, vec3_sub(vec3_load(at + 9), lot->rows.origin[k]));
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        for (uint32_t r = 0; r < block->row_count; r++) {
            system->value[block->first_row + r] -=
                afxi_dual_compliance(system, block, r, lot->fixed_lambda + block->first_row);
        }
    }
    for (uint32_t row = 0; row < graph->row_count; row++) { /* what rows that are off push with has led there, too */
        system->fixed[row] -= system->active[row] ? 0 : lot->fixed_lambda[row];
    }
}

void afxi_lot_add_fixed(AfxiLot *lot) {
    AfxiSystem *system = &lot->system;
    for (uint32_t row = 0; row < lot->rows.graph->row_count; row++) {
        system->lambda[row] += lot->fixed_lambda[row];
        system->fixed[row] += system->active[row] ? 0 : lot->fixed_lambda[row];
    }
}

/* Contacts with what is not solved for and held points change a body's inverse and its solve without rows. */
static void load_woodbury(AfxiLot *lot, bool finishing) {
    const AfxiWoodburySet *woodbury = lot->system.woodbury;
    const bool keep = woodbury && !finishing && afxi_recursion_keep(&lot->system);
    for (uint32_t k = 0; woodbury && k < lot->rows.graph->body_count; k++) {
        uint32_t own = lot->system.woodbury_of[k];
        if (own == UINT32_MAX) {
            continue;
        }
        const AfxiBodyInverse *inverse = &lot->system.inverse[k];
        const AfxiMat3 *frame = &lot->rows.frame[k];
        double *start = lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k;
        memcpy(woodbury->body[own].start, start, sizeof woodbury->body[own].start);
        if (keep) {
            afxi_recursion_mark(&lot->system, k);
        }
        if (finishing && afxi_hold_of(lot->rows.world, lot->rows.graph->body[k])) {
            afxi_woodbury_load_balanced(woodbury, own, frame, lot->rows.origin[k], inverse,
                                        lot->rows.at + (size_t)AFXI_AFFINE_WIDTH * k, start);
        } else {
            afxi_woodbury_load(woodbury, own, frame, lot->rows.origin[k], inverse, finishing ? NULL : start);
        }
    }
}

void afxi_lot_start(AfxiLot *lot, bool finishing) {
    if (finishing) {
        start_at_result(lot);
    } else if (!lot->system.bodies.on) {
        start_bodies(lot);
    }
    load_woodbury(lot, finishing);
    lot->ready = !finishing;
}

/* The rows of drives that have changed their branches have the laws of the new ones; whether there are any. */
static bool follow_branches(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    bool any = false;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        bool changed = afxi_row_follow_branch(&lot->rows, graph->drive_row[k]);
        lot->followed[k] = changed;
        any |= changed;
    }
    return any;
}

/* Marks the bodies of those drives: only their ways to the root are eliminated again. */
static void mark_branches(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        const AfxiGraphBlock *block = &graph->block[graph->row[graph->drive_row[k]].block];
        for (uint32_t e = 0; lot->followed[k] && e < block->entry_count; e++) {
            afxi_recursion_mark(&lot->system, graph->entry[block->first_entry + e].dof.index);
        }
    }
}

bool afxi_lot_follows_branches(const AfxiLot *lot) {
    const AfxiRowGroups *groups = &lot->rows.groups;
    return lot->ready && !lot->finishing && !lot->rows.graph->pooled && !lot->system.recursion.whole &&
           !groups->odd_count && !groups->table_count;
}

void afxi_lot_restart(AfxiLot *lot) {
    const AfxiWoodburySet *woodbury = lot->system.woodbury;
    const bool branches = afxi_lot_follows_branches(lot) && follow_branches(lot), tree = lot->rows.graph->recursion.on;
    /* what bodies have left is kept where something touches, and factors everywhere */
    bool marks = tree && ((!branches && afxi_recursion_rework(&lot->system)) || afxi_recursion_again(&lot->system));
    if (marks && branches) {
        mark_branches(lot);
    }
    for (uint32_t k = 0; woodbury && k < lot->rows.graph->body_count; k++) {
        uint32_t own = lot->system.woodbury_of[k];
        if (own == UINT32_MAX || !woodbury->body[own].changed) {
            continue;
        }
        double *start = lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k;
        memcpy(start, woodbury->body[own].start, sizeof woodbury->body[own].start);
        afxi_woodbury_load(woodbury, own, &lot->rows.frame[k], lot->rows.origin[k], &lot->system.inverse[k], start);
        if (marks) {
            afxi_recursion_mark(&lot->system, k);
        }
    }
}

/* A step mostly begins with the multipliers that the last one ended with. */
void afxi_lot_bound(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    bool known = lot->bound_known && lot->bound_closed_form == lot->rows.closed_form;
    if (known && memcmp(lot->bounded, lot->load, graph->row_count * sizeof(double)) == 0) {
        memcpy(lot->gamma, lot->gamma_next, graph->body_count * sizeof(double));
    } else {
        afxi_rows_stiffness(&lot->rows, lot->load, lot->gamma, NULL);
    }
    lot->bound_only = true;
}

void afxi_lot_stiffness_next(AfxiLot *lot) {
    afxi_rows_stiffness(&lot->rows, lot->system.lambda, lot->gamma_next, lot->stiffness);
    lot->bound_only = false;
    lot->bound_known = lot->rows.groups.steady;
    lot->bound_closed_form = lot->rows.closed_form;
    if (lot->bound_known) {
        memcpy(lot->bounded, lot->system.lambda, lot->rows.graph->row_count * sizeof(double));
    }
}

/* A body that is unstable by its stiffness is often held by what it is joined to: it has as much of it as is definite.
 * What touches others keeps the bound: with as many iterations, two of forty linked boxes that fell on each other came
 * to lie 2.7 mm instead of 0.9 mm deep. */
static void add_stiffness(AfxiBodyInverse *inverse, const double *stiffness, bool touches) {
    if (!afxi_body_add_twist(inverse, stiffness) && !touches) {
        double definite[6];
        if (afxi_body_make_definite(inverse, stiffness, AFXI_HESSIAN_PIVOT_LEAST, definite)) {
            afxi_body_add_twist(inverse, definite);
        }
    }
}

/* Inverse blocks. Closed-form bodies have all their stiffness in every solve, made definite, if `full_newton`:
 * dual/closed_form_wide.c. Others have the bound at first, and later the exact stiffness, made definite where it is
 * not. In loops, where the multipliers are large and of any direction, the bound takes fewer solves to a loose
 * tolerance. */
void afxi_lot_inverses(AfxiLot *lot, bool full_newton, bool later) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiScale scale = lot->plan.weights.scale;
    uint32_t next_high_degree = 0;
    bool balls = lot->rows.world->def.accuracy != AFX_FAST && graph->ball_loops && !*lot->regularise;
    bool exact = later && (graph->loop_rows == 0 || balls);
    if (exact && lot->bound_only) { /* a stage that goes on from a result begins with its exact stiffness */
        afxi_rows_stiffness(&lot->rows, lot->load, lot->gamma, lot->stiffness);
    }
    lot->bound_only &= !exact;
    if (lot->system.bodies.on) {
        lot->system.bodies.exact = exact;
        lot->system.bodies.full_newton = full_newton;
        lot->system.bodies.later = later;
        afxi_closed_form_prepare(&lot->system);
        return;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const AfxiBodyClass *class = afxi_world_class(lot->rows.world, graph->body[k]);
        AfxiBodyInverse *inverse = &lot->system.inverse[k];
        bool high_degree = next_high_degree < graph->high_degree_count &&
                           graph->high_degree[next_high_degree] == k; /* in rising order */
        next_high_degree += high_degree;
        inverse->has_twist = 0;
        if (exact && (!high_degree || graph->hub_width)) {
            inverse->blocks = afxi_body_blocks(class, scale, 0);
            add_stiffness(inverse, lot->stiffness + 6 * (size_t)k, lot->pairs);
        }
        if (inverse->has_twist == 0) {
            memset(inverse->twist, 0, sizeof inverse->twist);
            inverse->blocks = afxi_body_blocks(class, scale, lot->gamma[k]);
        }
    }
}

/* Where a body that no joint holds turns far in one step, |Ahat| > sqrt 3, its potential is as much steeper than the
 * solve's: part of the way then. */
static double share_of_turn(const AfxiLot *lot, uint32_t k) {
    double square = 3;
    for (int e = 0; e < 9; e++) {
        square += lot->target[(size_t)AFXI_AFFINE_WIDTH * k + e] * lot->target[(size_t)AFXI_AFFINE_WIDTH * k + e];
    }
    bool alone = lot->rows.graph->body_start[k] == lot->rows.graph->body_start[k + 1];
    return alone && square > AFXI_TURNS_FAR ? sqrt(6 / square) : 1;
}

/* The next frames are the rotations of the result, where the rows are linearised. */
void afxi_lot_advance(AfxiLot *lot) {
    lot->ready = false;
    lot->rows.strained = true;
    if (lot->system.bodies.on) {
        if (lot->system.recursion.whole) {
            afxi_closed_form_unfold(lot);
        }
        afxi_closed_form_run(lot, lot->motion_kernel->advance, 0, lot->rows.graph->body_count);
        lot->system.bodies.load = lot->system.lambda;
        return;
    }
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        const double *next = lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * k;
        AfxiMat3 a = mat3_load(next);
        double share = share_of_turn(lot, k);
        for (int e = 0; share < 1 && e < 9; e++) {
            a.m[e] = lot->rows.frame[k].m[e] + share * (next[e] - lot->rows.frame[k].m[e]);
        }
        lot->rows.frame[k] = afxi_rotation_part(&a, &lot->rows.frame[k]);
        lot->rows.origin[k] = vec3_load(next + 9);
        memcpy(lot->rows.at + (size_t)AFXI_AFFINE_WIDTH * k, next, AFXI_AFFINE_WIDTH * sizeof *next);
    }
}

/* The parabola is more accurate in smooth motion but unsafe in stiff tension: a body uses it while it has just been
 * twice as good as the tangent. */
static bool choose_predictor(const AfxiLot *lot, const AfxiState *state, uint32_t k) {
    double off[2] = {0, 0}, own[AFXI_PHASE_SIZE];
    const double *row = afxi_phase_row(lot->rows.world, &lot->plan, lot->rows.graph->body[k], own);
    for (int e = 0; e < 9; e++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k] + e;
        for (int curved = 0; curved < 2; curved++) {
            double miss = lot->rows.next[(size_t)AFXI_AFFINE_WIDTH * k + e] -
                          stage_expected(state, &lot->plan, row, at, e, curved);
            off[curved] += miss * miss;
        }
    }
    return 4 * off[1] < off[0];
}

void afxi_lot_commit(AfxiLot *lot, AfxiState *state, uint32_t begin, uint32_t end) {
    if (lot->system.bodies.on) {
        afxi_closed_form_run(lot, lot->motion_kernel->commit, begin, end);
        bool starts =
            lot->plan.has_gaps && lot->plan.phase != AFXI_PHASE_TWO_STEP; /* else the kernel has seen to them */
        for (uint32_t k = begin; starts && k < end; k++) {
            uint32_t body = lot->rows.graph->body[k];
            if (state->phase_slot[body] != AFXI_PHASE_OFF) {
                const double *row = afxi_phase_row(lot->rows.world, &lot->plan, body, NULL);
                afxi_phase_keep(lot->rows.world, &lot->plan, body, row);
            }
        }
        return;
    }
    for (uint32_t k = begin; k < end; k++) {
        uint32_t body = lot->rows.graph->body[k];
        size_t from = (size_t)AFXI_AFFINE_WIDTH * k;
        state->curved[body] = choose_predictor(lot, state, k);
        afxi_commit_body(lot->rows.world, &lot->plan, body, lot->rows.next + from, lot->qhat + from,
                         lot->rows.qv + from);
    }
}

/* ---- for the loop ---- */

void afxi_lot_attach(AfxiLot *lot, const AfxiContactSet *set) {
    const AfxiGraph *graph = lot->rows.graph;
    lot->system.woodbury = NULL;
    for (uint32_t k = 0; set && k < graph->body_count; k++) {
        lot->woodbury_of[k] = set->woodbury_of[graph->body[k]];
        if (lot->woodbury_of[k] != UINT32_MAX) {
            lot->system.woodbury = &set->woodbury;
            lot->system.woodbury_of = lot->woodbury_of;
        }
    }
}

bool afxi_lot_touchable(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    return afxi_graph_all_stored(graph) || (!graph->pooled && !graph->high_degree_count);
}

bool afxi_lot_touched(const AfxiLot *lot) {
    return lot->system.woodbury || lot->pairs;
}

const double *afxi_lot_multipliers(const AfxiLot *lot) {
    return lot->system.lambda;
}

uint32_t afxi_lot_part(const AfxiLot *lot, uint32_t body) {
    return lot->system.recursion.part_of[body];
}

void afxi_lot_finish_next(AfxiLot *lot, bool finish) {
    lot->finishing = finish && !lot->system.bodies.on;
    if (lot->finishing) {
        memcpy(lot->fixed_lambda, lot->system.lambda, lot->rows.graph->row_count * sizeof(double));
    }
}

/* ---- for the trace ---- */

bool afxi_lot_knows_turns(const AfxiLot *lot) {
    return !lot->system.recursion.whole;
}

AfxTraceMethod afxi_lot_method(const AfxiLot *lot) {
    const AfxiSystem *system = &lot->system;
    bool exact = system->bodies.on && system->bodies.exact;
    if (lot->finishing) {
        return AFX_TRACE_FINISH;
    }
    if (system->bodies.on && system->bodies.full_newton) {
        return AFX_TRACE_HESSIAN;
    }
    for (uint32_t k = 0; !system->bodies.on && !exact && k < lot->rows.graph->body_count; k++) {
        exact = system->inverse[k].has_twist;
    }
    return exact ? AFX_TRACE_EXACT : AFX_TRACE_BOUND;
}

double afxi_lot_excess(const AfxiLot *lot) {
    const AfxiBodiesWork *bodies = &lot->system.bodies;
    double sum = 0;
    if (!bodies->on || !bodies->full_newton) {
        return NAN;
    }
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        sum += isinf(lot->excess[k]) ? 0 : lot->excess[k];
    }
    return sum;
}

/* ---- between steps ---- */

void afxi_lot_rigid(AfxiLot *lot, uint32_t k) {
    uint32_t body = lot->rows.graph->body[k];
    AfxiBodyClass class = *afxi_world_class(lot->rows.world, body);
    AfxiMat3 a = mat3_load(lot->rows.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body);
    lot->rows.frame[k] = afxi_rotation_part(&a, NULL);
    lot->rows.origin[k] = vec3_load(lot->rows.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9);
    if (k < afxi_graph_bodies_stored(lot->rows.graph)) {
        memcpy(lot->rows.at + (size_t)AFXI_AFFINE_WIDTH * k, lot->rows.frame[k].m, sizeof lot->rows.frame[k].m);
        vec3_store(lot->rows.at + (size_t)AFXI_AFFINE_WIDTH * k + 9, lot->rows.origin[k]);
    }
    class.young = INFINITY;
    class.linear_damping = class.angular_damping = 0;
    lot->system.inverse[k].blocks = afxi_body_blocks(&class, (AfxiScale){1, 1}, 0);
    lot->system.inverse[k].has_twist = 0;
    memset(lot->system.inverse[k].twist, 0, sizeof lot->system.inverse[k].twist);
}

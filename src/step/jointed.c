/* SPDX-License-Identifier: Apache-2.0 */
/* One stage of the jointed bodies: predict frames, linearise the rows, solve the dual system, and do it again from the
 * result until the step's equations are met.
 *
 * The first solve carries the geometric stiffness of the last multipliers as a bound, later ones the exact matrix where
 * that keeps a body's H definite. With loops, unless balls alone close them and no redundant row has been met, it stays
 * the bound: the multipliers of redundant rows are not unique, and the Hoberman sphere passed its singular position
 * with fewer solves that way. Bodies that balls alone hold have all their stiffness in every solve, that of their
 * inertia included, made definite (dual/bodies_wide.h). settle.c tells when a solve is enough. */
#include <math.h>
#include <string.h>

#include "math/polar.h"
#include "step/contacts.h"
#include "step/holds.h"
#include "step/rows.h"

#define SOLVES_MOST 30u
/* Of accurate steps of nets, which get there in the end: parts would be another method. */
#define SOLVES_MOST_NETS 90u
/* From this solve on, what is balanced only has its rows met, but for every so many. */
#define FINISH_AFTER 3u
#define FINISH_EVERY 5u
#define THIN 1e-3
#define TURN_STRUCK 0.01
/* What the last solve may turn a body by where its strain is taken out afterwards. */
#define TURN_STRAINED 0.3
/* Newton's method gets there quickly, and what weighs nothing need not: a closer tolerance than others have. */
#define TURN_SHARP 0.03
/* Solves after which accurate steps too leave what weighs nothing, if it leaves no strain. */
#define ACCURATE_MOST 20u

/* Loops that balls alone close. */
static bool is_net(const AfxiGraph *graph) {
    return graph->rings && graph->ball_loops;
}

void afxi_jointed_take(AfxSim *sim, AfxiArena *arena) {
    AfxiJointed *jointed = &sim->jointed;
    const AfxiGraph *graph = &sim->model->graph;
    size_t bodies = graph->body_count, numbers = 12 * bodies, rows = afxi_graph_rows_kept(graph);
    size_t open = afxi_graph_bodies_kept(graph), drives = sim->model->drive_count;
    bool sharp = is_net(graph); /* may be: make_inverses */
    bool history = !graph->climb.on || sim->def.integrator == AFX_ALPHA;
    afxi_system_take(&jointed->system, arena, graph);
    jointed->system.blocks = afxi_dual_blocks(sim->def.lanes);
    jointed->system.regularise = sim->regularise;
    afxi_swift_take(sim, arena);
    const struct AfxiBlockKernel *kernel = afxi_block_kernel(sim->def.lanes);
    jointed->system.factor.kernel = kernel ? kernel : afxi_block_kernel(0); /* at most four lanes pay there */
    jointed->system.factor.threads = sim->def.threads;
    jointed->system.factor.tasks = sim->def.tasks.run ? &sim->def.tasks : NULL;
    afxi_turns_take(sim, arena);
    size_t places = bodies + graph->closed.ground_count; /* and one: kernels load four numbers at a time */
    jointed->frame = afxi_arena_take(arena, places + 1, sizeof *jointed->frame);
    jointed->origin = afxi_arena_take(arena, places + 1, sizeof *jointed->origin);
    jointed->at = afxi_arena_take(arena, 12 * open, sizeof(double));
    jointed->qhat = afxi_arena_take(arena, history ? numbers : 0, sizeof(double));
    jointed->qv = afxi_arena_take(arena, numbers, sizeof(double));
    jointed->target = afxi_arena_take(arena, numbers, sizeof(double));
    jointed->next = afxi_arena_take(arena, 12 * places, sizeof(double));
    jointed->gamma = afxi_arena_take(arena, bodies, sizeof(double));
    jointed->gamma_next = afxi_arena_take(arena, bodies, sizeof(double));
    jointed->stiffness = afxi_arena_take(arena, 6 * open + 2, sizeof(double));
    jointed->second = afxi_arena_take(arena, sharp ? numbers : 0, sizeof(double));
    jointed->error = afxi_arena_take(arena, bodies, sizeof(double));
    jointed->excess = afxi_arena_take(arena, bodies, sizeof(double));
    jointed->turned = afxi_arena_take(arena, sharp ? 3 * bodies : 0, sizeof(double));
    jointed->strain = afxi_arena_take(arena, sharp ? 9 * bodies : 0, sizeof(double));
    jointed->share = afxi_arena_take(arena, sharp ? 2 * bodies : 0, sizeof(double));
    jointed->turn = afxi_arena_take(arena, bodies, sizeof(double));
    jointed->held = afxi_arena_take(arena, bodies, sizeof(double));
    jointed->measured = afxi_arena_take(arena, rows, sizeof(double));
    jointed->kept = afxi_arena_take(arena, rows, sizeof(double));
    jointed->tied = afxi_arena_take(arena, drives || sharp ? bodies : 0, sizeof *jointed->tied);
    jointed->jolted = afxi_arena_take(arena, drives ? bodies : 0, sizeof *jointed->jolted);
    jointed->base_acceleration = afxi_arena_take(arena, rows, sizeof(double));
    jointed->shift = afxi_arena_take(arena, rows, sizeof(double));
    jointed->cache = afxi_arena_take(arena, 1, sizeof *jointed->cache);
    jointed->direction = afxi_arena_take(arena, 3 * rows, sizeof(double));
    jointed->rate = afxi_arena_take(arena, rows, sizeof(double));
    jointed->drive_target = afxi_arena_take(arena, 2 * drives, sizeof(double));
    jointed->changes = afxi_arena_take(arena, drives, sizeof *jointed->changes);
    jointed->branch_begin = afxi_arena_take(arena, drives, sizeof *jointed->branch_begin);
}

/* The acceleration that is known before a stage: q'' itself, or from the last two velocities; 0 when neither is. */
static double known_acceleration(const AfxSim *sim, const AfxiStagePlan *plan, size_t at) {
    if (plan->mode == AFXI_FREE_ALPHA) {
        return sim->x3[at];
    }
    bool velocities = plan->mode == AFXI_FREE_MULTISTEP && plan->weights.qhat[3] != 0;
    return velocities ? (sim->v[at] - sim->x3[at]) / plan->predict : 0;
}

/* Where a coordinate is expected, along the tangent or the parabola. */
static double expected(const AfxSim *sim, const AfxiStagePlan *plan, size_t at, bool curved) {
    double h = plan->predict, line = sim->q[at] + h * sim->v[at];
    return curved ? line + 0.5 * h * h * known_acceleration(sim, plan, at) : line;
}

/* The parabola is more accurate in smooth motion but unsafe in stiff tension: a body uses it while it has just been
 * twice as good as the tangent. */
static void choose_predictors(AfxSim *sim, const AfxiStagePlan *plan) {
    const AfxiGraph *graph = &sim->model->graph;
    for (uint32_t k = 0; !sim->jointed.system.bodies.on && k < graph->body_count; k++) { /* else with `commit` */
        double off[2] = {0, 0};
        for (int e = 0; e < 9; e++) {
            size_t at = (size_t)12 * graph->body[k] + e;
            for (int curved = 0; curved < 2; curved++) {
                double miss = sim->jointed.next[(size_t)12 * k + e] - expected(sim, plan, at, curved);
                off[curved] += miss * miss;
            }
        }
        sim->curved[k] = 4 * off[1] < off[0];
    }
}

void afxi_stage_past(const AfxSim *sim, const AfxiStagePlan *plan, uint32_t body, double qhat[12], double qv[12]) {
    const AfxiStageWeights *w = &plan->weights;
    bool history = plan->mode != AFXI_FREE_ONE_STEP;
    for (int e = 0; e < 12; e++) {
        size_t at = (size_t)12 * body + e;
        double q = sim->q[at], v = sim->v[at], x2 = history ? sim->x2[at] : 0;
        double x3 = history && w->qhat[3] != 0 ? sim->x3[at] : 0;
        qhat[e] = w->qhat[0] * q + w->qhat[1] * v + w->qhat[2] * x2 + w->qhat[3] * x3;
        qv[e] = w->qv[0] * q + w->qv[1] * v + w->qv[2] * x2;
    }
}

AfxiMat3 afxi_free_frame(const AfxiBodyClass *class, const double *target, const AfxiMat3 *predicted) {
    const double *s = class->s;
    double most = fmax(s[0], fmax(s[1], s[2])), least = fmin(s[0], fmin(s[1], s[2]));
    if (least < THIN * most) {
        return *predicted;
    }
    AfxiMat3 weighted;
    for (int e = 0; e < 9; e++) {
        weighted.m[e] = target[e] * (s[e / 3] / most);
    }
    return weighted;
}

/* qhat, qv and the damped target of every body, and the frames and origins of the first solve. */
static void predict(AfxSim *sim, const AfxiStagePlan *plan) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiStageWeights *w = &plan->weights;
    AfxiJointed *jointed = &sim->jointed;
    const double *warm = sim->contacts && sim->contacts->warm ? sim->contacts->result : NULL;
    jointed->h_rate = w->scale.h_rate;
    afxi_turns_held(sim);
    if (jointed->system.bodies.on) {
        afxi_swift_predict(sim);
        return;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        size_t from = (size_t)12 * graph->body[k], to = (size_t)12 * k;
        const AfxiBodyClass *class = afxi_sim_class(sim, graph->body[k]);
        double drag = w->scale.h_squared * w->per_h_rate, predicted[12];
        double weight_a = 1 / (1 + class->angular_damping * drag), weight_t = 1 / (1 + class->linear_damping * drag);
        afxi_stage_past(sim, plan, graph->body[k], jointed->qhat + to, jointed->qv + to);
        for (int e = 0; e < 12; e++) {
            double weight = e < 9 ? weight_a : weight_t;
            jointed->target[to + e] = weight * jointed->qhat[to + e] + (1 - weight) * jointed->qv[to + e];
            predicted[e] = warm ? warm[to + e] : expected(sim, plan, from + e, sim->curved[k]);
        }
        AfxiMat3 a = mat3_load(predicted);
        if (!warm && graph->body_start[k] == graph->body_start[k + 1]) {
            a = afxi_free_frame(class, jointed->target + to, &a);
        }
        jointed->frame[k] = afxi_rotation_part(&a, NULL);
        jointed->origin[k] = vec3_load(predicted + 9);
        memcpy(jointed->at + to, warm ? warm + to : jointed->frame[k].m, sizeof jointed->frame[k].m);
        vec3_store(jointed->at + to + 9, jointed->origin[k]);
    }
}

/* R^T F of the wrenches on a body: on A in its frame, and on t. */
static void add_forces(const AfxSim *sim, uint32_t k, double g[12]) {
    uint32_t body = sim->model->graph.body[k], slot = sim->force_slot[body];
    if (slot == UINT32_MAX) {
        return;
    }
    AfxVec3 push;
    AfxiMat3 on_a = afxi_free_forces(&sim->forces[slot], &sim->jointed.frame[k], &push);
    for (int e = 0; e < 9; e++) {
        g[e] += on_a.m[e];
    }
    vec3_store(g + 9, vec3_add(vec3_load(g + 9), push));
}

/* The solve without rows. */
static void start_bodies(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    AfxVec3 gravity = vec3_load(afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0));
    for (uint32_t k = 0; !jointed->system.bodies.on && k < graph->body_count; k++) {
        const AfxiBodyClass *class = afxi_sim_class(sim, graph->body[k]);
        const AfxiBodyInverse *inverse = &jointed->system.inverse[k];
        const double *target = jointed->target + (size_t)12 * k;
        double g[12], *start = jointed->system.start + (size_t)12 * k;
        AfxiMat3 a = mat3_load(target), local = mat3_multiply_tn(&jointed->frame[k], &a);
        for (int e = 0; e < 9; e++) {
            g[e] = inverse->blocks.c[e / 3] * (local.m[e] - (e % 4 == 0));
        }
        vec3_store(g + 9, vec3_scale(class->gravity * class->mass, gravity));
        add_forces(sim, k, g);
        afxi_body_apply(inverse, g, start);
        AfxVec3 ahead = vec3_sub(vec3_load(target + 9), jointed->origin[k]);
        vec3_store(start + 9, vec3_add(vec3_load(start + 9), ahead));
    }
}

/* The last result instead of the solve without rows: what comes on top of it only meets the rows, and the multipliers
 * that hold the bodies there keep their directions. The strain -[w]²/2 that a turn by w leaves is taken out. */
static void start_at_result(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    AfxiSystem *system = &jointed->system;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const double *at = jointed->at + (size_t)12 * k;
        double *start = system->start + (size_t)12 * k;
        AfxiMat3 a = mat3_load(at), local = mat3_multiply_tn(&jointed->frame[k], &a);
        AfxiMat3 beta = mat3_load(system->delta + (size_t)12 * k);
        AfxVec3 w = mat3_axial(&beta);
        double turn[3] = {w.x, w.y, w.z}, square = vec3_dot(w, w);
        for (int e = 0; e < 9; e++) {
            double whole = e % 4 == 0;
            start[e] = local.m[e] - whole - 0.5 * (square * whole - turn[e / 3] * turn[e % 3]);
        }
        vec3_store(start + 9, vec3_sub(vec3_load(at + 9), jointed->origin[k]));
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        for (uint32_t r = 0; r < block->row_count; r++) {
            system->value[block->first_row + r] -= afxi_dual_yield(system, block, r, jointed->kept + block->first_row);
        }
    }
}

static void add_kept(AfxSim *sim) {
    for (uint32_t row = 0; row < sim->model->graph.row_count; row++) {
        sim->jointed.system.lambda[row] += sim->jointed.kept[row];
    }
}

/* Contacts with what is not solved for change a body's inverse and its solve without rows. */
static void load_touches(AfxSim *sim, bool finishing) {
    AfxiJointed *jointed = &sim->jointed;
    const AfxiTouches *touches = jointed->system.touches;
    for (uint32_t k = 0; touches && k < touches->body_count; k++) {
        uint32_t body = sim->model->graph.local[touches->body[k].body];
        if (body != UINT32_MAX) {
            const AfxiBodyInverse *inverse = &jointed->system.inverse[body];
            double *start = jointed->system.start + (size_t)12 * body;
            if (finishing && afxi_hold_of(sim, touches->body[k].body)) {
                afxi_touch_load_kept(touches, k, &jointed->frame[body], jointed->origin[body], inverse,
                                     jointed->at + (size_t)12 * body, start);
                continue;
            }
            afxi_touch_load(touches, k, &jointed->frame[body], jointed->origin[body], inverse,
                            finishing ? NULL : start);
        }
    }
}

/* Inverse blocks. Closed bodies have all their stiffness in every solve, made definite, if `sharp`: closed_wide.c.
 * Others have the bound at first, and later the exact stiffness where that is not singular. In loops, where the
 * multipliers are large and of any direction, the bound takes fewer solves to a loose tolerance. */
static void make_inverses(AfxSim *sim, AfxiScale scale, bool sharp, bool later) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    uint32_t next_hub = 0;
    bool balls = sim->def.accuracy == AFX_ACCURATE && graph->ball_loops && !*sim->regularise;
    bool exact = later && (graph->loop_rows == 0 || balls);
    if (jointed->system.bodies.on) {
        jointed->system.bodies.exact = exact;
        jointed->system.bodies.sharp = sharp;
        jointed->system.bodies.later = later;
        afxi_closed_prepare(&jointed->system);
        return;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const AfxiBodyClass *class = afxi_sim_class(sim, graph->body[k]);
        AfxiBodyInverse *inverse = &jointed->system.inverse[k];
        bool hub = next_hub < graph->hub_count && graph->hub[next_hub] == k; /* in rising order */
        next_hub += hub;
        inverse->has_twist = 0;
        if (exact && !hub) {
            inverse->blocks = afxi_body_blocks(class, scale, 0);
            afxi_body_add_twist(inverse, jointed->stiffness + 6 * (size_t)k);
        }
        if (inverse->has_twist == 0) {
            memset(inverse->twist, 0, sizeof inverse->twist);
            inverse->blocks = afxi_body_blocks(class, scale, jointed->gamma[k]);
        }
    }
}

/* Bodies to go through one by one: all, or those that closed forms leave. */
static uint32_t bodies_left(const AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    return sim->jointed.system.bodies.on ? graph->closed.open_body_count : graph->body_count;
}

static uint32_t body_left(const AfxSim *sim, uint32_t k) {
    return sim->jointed.system.bodies.on ? sim->model->graph.closed.open_body[k] : k;
}

/* A = R (I + beta), t = t_k + delta; the largest rotation comes back. NaN spreads into it. */
static double update(AfxSim *sim) {
    AfxiJointed *jointed = &sim->jointed;
    double largest = jointed->system.bodies.on ? jointed->system.bodies.tally.turn : 0;
    for (uint32_t b = 0; b < bodies_left(sim); b++) {
        uint32_t k = body_left(sim, b);
        const double *delta = jointed->system.delta + (size_t)12 * k;
        double *next = jointed->next + (size_t)12 * k;
        AfxiMat3 beta = mat3_load(delta), a = mat3_multiply(&jointed->frame[k], &beta);
        for (int e = 0; e < 9; e++) {
            next[e] = jointed->frame[k].m[e] + a.m[e];
        }
        vec3_store(next + 9, vec3_add(jointed->origin[k], vec3_load(delta + 9)));
        jointed->turn[k] = vec3_length(mat3_axial(&beta));
        largest = jointed->turn[k] > largest || isnan(jointed->turn[k]) ? jointed->turn[k] : largest;
    }
    return largest;
}

static double least_inertia(const AfxiBodyClass *class) {
    const double *s = class->s;
    return fmin(s[0] + s[1], fmin(s[0] + s[2], s[1] + s[2]));
}

/* |w|, and how far a solve with the bound gamma is from one with the exact stiffness. */
static double turn_error(const AfxSim *sim, uint32_t k, const AfxiBodyClass *class, double h_squared) {
    const AfxiJointed *jointed = &sim->jointed;
    const double *s = class->s, held = jointed->held[k];
    const double inertia[3] = {(s[1] + s[2]) / h_squared + held, (s[0] + s[2]) / h_squared + held,
                               (s[0] + s[1]) / h_squared + held};
    AfxiMat3 beta = mat3_load(jointed->system.delta + (size_t)12 * k);
    AfxVec3 w = mat3_axial(&beta);
    return vec3_length(w) + afxi_turn_error(w, inertia, jointed->gamma[k], jointed->stiffness + 6 * (size_t)k);
}

/* The error that a first solve is judged by, and whether a multiplier jumped. */
static double first_error(const AfxSim *sim, double h_squared, bool *out_jump) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiJointed *jointed = &sim->jointed;
    const AfxiBodiesWork *bodies = &jointed->system.bodies;
    double error = bodies->on ? bodies->tally.error : 0;
    *out_jump = bodies->on && bodies->tally.jump;
    for (uint32_t b = 0; b < bodies_left(sim); b++) {
        uint32_t k = body_left(sim, b);
        const AfxiBodyClass *class = afxi_sim_class(sim, graph->body[k]);
        double inertia = least_inertia(class), own = turn_error(sim, k, class, h_squared);
        error = own > error ? own : error;
        jointed->error[k] = own;
        jointed->excess[k] = INFINITY; /* not known */
        *out_jump |= jointed->gamma_next[k] > 2 * (jointed->gamma[k] + inertia / h_squared + jointed->held[k]);
    }
    return error;
}

/* The next frames are the rotations of the result, where the rows are linearised. */
static void advance_frames(AfxSim *sim) {
    AfxiJointed *jointed = &sim->jointed;
    if (jointed->system.bodies.on) {
        if (jointed->system.climb.whole) {
            afxi_swift_unfold(sim);
        }
        afxi_swift_run(sim, jointed->motion_kernel->advance);
        jointed->system.bodies.load = jointed->system.lambda;
        return;
    }
    for (uint32_t k = 0; k < sim->model->graph.body_count; k++) {
        const double *next = jointed->next + (size_t)12 * k;
        AfxiMat3 a = mat3_load(next);
        jointed->frame[k] = afxi_rotation_part(&a, &jointed->frame[k]);
        jointed->origin[k] = vec3_load(next + 9);
        memcpy(jointed->at + (size_t)12 * k, next, 12 * sizeof *next);
    }
}

void afxi_commit_body(AfxSim *sim, const AfxiStagePlan *plan, uint32_t body, const double next[12],
                      const double qhat[12], const double qv[12]) {
    const AfxiStageWeights *w = &plan->weights;
    for (int e = 0; e < 12; e++) {
        size_t at = (size_t)12 * body + e;
        double q = sim->q[at], v = sim->v[at], x2 = sim->x2[at];
        if (plan->mode == AFXI_FREE_ALPHA) {
            sim->previous_q[at] = q;
            sim->previous_v[at] = v;
            sim->x2[at] = (next[e] - (q + w->a[0] * v + w->a[1] * x2)) * w->a[2];
            sim->x3[at] = (next[e] - qhat[e]) * w->per_h_squared;
        } else if (plan->mode != AFXI_FREE_STAGE) {
            sim->x2[at] = q;
            sim->x3[at] = v;
        }
        sim->q[at] = next[e];
        sim->v[at] = (next[e] - qv[e]) * w->per_h_rate;
    }
}

/* Puts the accepted result into the state. */
static void commit(AfxSim *sim, const AfxiStagePlan *plan) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiJointed *jointed = &sim->jointed;
    if (jointed->system.bodies.on) {
        afxi_swift_run(sim, jointed->motion_kernel->commit);
    }
    for (uint32_t k = 0; !jointed->system.bodies.on && k < graph->body_count; k++) {
        size_t from = (size_t)12 * k;
        afxi_commit_body(sim, plan, graph->body[k], jointed->next + from, jointed->qhat + from, jointed->qv + from);
    }
    if (graph->climb.on && sim->model->chains.slot_count == 0) {
        afxi_multipliers_swap(sim);
    } else {
        memcpy(sim->lambda, jointed->system.lambda, graph->joint_rows * sizeof(double));
    }
}

/* What is still finite this many times further away leaves finite velocities and accelerations, whatever dt. */
#define FAR 1e26

static bool all_finite(const AfxSim *sim, uint32_t *out_body) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiBodiesWork *bodies = &sim->jointed.system.bodies;
    bool all = !bodies->on || bodies->tally.infinite;
    for (uint32_t b = 0; b < (all ? graph->body_count : bodies_left(sim)); b++) {
        uint32_t k = all ? b : body_left(sim, b);
        double sum = 0;
        for (int e = 0; e < 12; e++) {
            sum += 0 * (FAR * sim->jointed.next[(size_t)12 * k + e]);
        }
        if (sum != 0) {
            *out_body = graph->body[k];
            return false;
        }
    }
    return true;
}

void afxi_jointed_stage(AfxSim *sim, const AfxiStagePlan *plan, AfxiFit allowed, AfxiJointedOutcome *out) {
    AfxiJointed *jointed = &sim->jointed;
    AfxiSettling settling = afxi_settling_begin(sim, plan->weights.scale.h_squared);
    afxi_contacts_attach(sim, true);
    const AfxiGraph *graph = &sim->model->graph;
    if (sim->contacts) { /* what is struck turns at once, and a turn leaves a strain, whose energy would come back */
        settling.turn_tolerance = fmin(settling.turn_tolerance, TURN_STRUCK);
        settling.turn_most = TURN_STRUCK;
        if (sim->contacts->warm) { /* where it goes on from was near enough */
            settling.turn_tolerance = INFINITY;
        }
    }
    const double turn_most = settling.turn_most;
    const bool fast = sim->def.accuracy == AFX_FAST;
    const uint32_t solves_most = !fast && is_net(graph) ? SOLVES_MOST_NETS : SOLVES_MOST;
    *out = (AfxiJointedOutcome){.failed_body = UINT32_MAX, .finite = true};
    afxi_swift_begin(sim, plan);
    jointed->system.climb.fine = settling.turn_tolerance;
    predict(sim, plan);
    afxi_rows_linearise(sim);
    afxi_contacts_linearise(sim);
    const double *known = sim->contacts && sim->contacts->warm ? sim->contacts->known : sim->lambda;
    afxi_rows_stiffness(sim, known, jointed->gamma, jointed->stiffness);
    /* Frames move on when the points that touch have settled at the present ones: until then a body may be anywhere. */
    bool finishing = false;
    for (uint32_t pass = 1; pass <= solves_most && !out->accepted;) {
        AfxiDualReport dual;
        /* a fixed number of solves is for comparing solvers, which do not all know it */
        bool sharp = is_net(graph) && !*sim->regularise && !sim->def.solves;
        jointed->system.bodies.enough = fmin(settling.turn_tolerance, TURN_SHARP);
        make_inverses(sim, plan->weights.scale, sharp, pass > 1);
        if (finishing) {
            start_at_result(sim);
        } else {
            start_bodies(sim);
        }
        load_touches(sim, finishing);
        afxi_dual_solve(&jointed->system, pass > 1, &dual);
        if (jointed->system.bodies.on && jointed->system.climb.refused) {
            afxi_swift_unfold(sim);
            afxi_rows_linearise(sim);
            afxi_rows_stiffness(sim, known, jointed->gamma, jointed->stiffness);
            continue;
        }
        if (finishing) {
            add_kept(sim);
        }
        double turn = update(sim), error;
        bool jump, last = sim->def.solves && ++out->solves == sim->def.solves;
        out->solves += !sim->def.solves;
        out->body_solves += sim->model->graph.body_count;
        out->regularised |= dual.regularised;
        jointed->iterations += dual.iterations;
        out->unconverged |= dual.unconverged;
        out->rotation_error = turn;
        out->finite = all_finite(sim, &out->failed_body);
        if (!out->finite) {
            break;
        }
        if (sim->contacts && afxi_contacts_review(sim, false, jointed->next, settling.turn_most) && !last) {
            if (finishing) {
                afxi_rows_linearise(sim);
                afxi_contacts_moved(sim, false);
                finishing = false;
            }
            afxi_contacts_linearise(sim);
            continue;
        }
        if (sim->contacts && sim->contacts->strict && sim->contacts->review[0].sunk) {
            break;
        }
        afxi_rows_stiffness(sim, jointed->system.lambda, jointed->gamma_next, jointed->stiffness);
        error = first_error(sim, plan->weights.scale.h_squared, &jump);
        out->residual = afxi_rows_residual(sim);
        bool changed = afxi_drives_branches(sim);
        bool able = jointed->system.bodies.on && sharp && dual.factored && !dual.regularised;
        settling.turn_most = able ? TURN_STRAINED : turn_most;
        settling.turn_tolerance = able ? fmin(settling.turn_tolerance, TURN_SHARP) : settling.turn_tolerance;
        bool settled = afxi_settling_done(&settling, pass, error, turn, out->residual, jump);
        bool leave = able && settling.turning && (fast || (pass >= ACCURATE_MOST && !afxi_sharp_strained(sim, turn)));
        out->light = leave && afxi_sharp_light(sim, settling.turn_tolerance);
        settled = (settled || out->light) && !changed && afxi_joints_consistent(sim);
        if (able && settled && afxi_sharp_strained(sim, turn)) {
            afxi_sharp_unstrain(sim, turn, &dual);
            update(sim);
            out->residual = afxi_rows_residual(sim);
            settled = out->residual <= settling.row_tolerance;
        }
        out->loose = afxi_settling_loose(sim, out->residual);
        out->accepted = sim->def.solves ? last : settled;
        out->strayed =
            sim->contacts && allowed < AFXI_FIT_SUNK && !last && afxi_contacts_fit(sim, jointed->next) > allowed;
        if (out->strayed) {
            break;
        }
        if (!out->accepted) {
            finishing = pass >= FINISH_AFTER && pass % FINISH_EVERY && settling.unmet && graph->joint_rows > 0 &&
                        !changed && !jointed->system.bodies.on;
            if (finishing) {
                memcpy(jointed->kept, jointed->system.lambda, graph->row_count * sizeof(double));
            }
            if (able) {
                afxi_sharp_hurry(sim, pass);
            }
            pass++;
            advance_frames(sim);
            afxi_holds_follow(sim, AFXI_HOLD_JOINTED, jointed->next);
            afxi_contacts_moved(sim, false);
            afxi_rows_linearise(sim);
            afxi_contacts_linearise(sim);
            afxi_rows_stiffness(sim, jointed->system.lambda, jointed->gamma, jointed->stiffness);
        }
    }
    if (out->accepted && allowed == AFXI_FIT_SUNK && sim->contacts &&
        afxi_contacts_fit(sim, jointed->next) == AFXI_FIT_SUNK && sim->contacts->strict && !sim->def.solves) {
        out->accepted = false; /* points were looked for often enough: a smaller step */
    }
    if (out->strayed) {
        afxi_contacts_keep_result(sim, jointed->next, jointed->system.lambda);
    } else if (out->accepted) {
        choose_predictors(sim, plan);
        commit(sim, plan);
    }
    afxi_contacts_attach(sim, false);
    jointed->system.bodies.on = jointed->system.climb.whole = false;
}

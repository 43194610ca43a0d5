/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains of a sim: a stage of a step, consistent accelerations, closing and projecting, over the kernels of
 * dual/chain.h.
 *
 * BDF steps of full length write the new state over the old one, which the first solve moves to saved_q, saved_v:
 * there it is the history of the next step, and all that further solves or taking the step back need. Every other stage
 * works on `tentative` and commits when all chains have settled. */
#include "step/chains.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/task.h"
#include "step/contacts.h"
#include "step/holds.h"

#define SOLVES_MOST 30u
#define CLOSE_PASSES_MOST 60u
#define CLOSE_TOLERANCE 1e-13
/* From so many links on (37 MB of state), the old state goes past the caches. */
#define STREAM_LINKS_LEAST 65536u
/* The spans are shared out in at most so many parts, whatever the number of threads. */
#define PARTS_MOST 16u

static bool parallel(const AfxSim *sim) {
    return sim->def.threads > 1 || sim->def.tasks.run;
}

void afxi_chains_take(AfxSim *sim, AfxiArena *arena) {
    const AfxiChains *chains = &sim->model->chains;
    AfxiChainWork *work = &sim->chains;
    uint32_t parts = parallel(sim) ? PARTS_MOST : 1;
    size_t own = chains->chain_count ? 12 * (size_t)sim->model->body_count : 0;
    work->variant = afxi_chain_variant(sim->def.lanes);
    work->piece = afxi_arena_take(arena, chains->span_count, sizeof *work->piece);
    work->settling = afxi_arena_take(arena, chains->chain_count, sizeof *work->settling);
    work->group = afxi_arena_take(arena, chains->span_count, sizeof *work->group);
    work->scratch_size = (work->variant.scratch_per_link * chains->span_most + 63) / 64 * 64;
    work->scratch = afxi_arena_take(arena, parts, work->scratch_size);
    work->constants = afxi_arena_take(
        arena, chains->chain_count ? (size_t)sim->model->classes.intern.count * AFXI_CHAIN_SIZE : 0, sizeof(double));
    work->tentative = sim->x3;
    if (sim->def.integrator == AFX_ALPHA) {
        work->tentative = sim->previous_q;
    } else if (sim->def.integrator == AFX_SDIRK2) {
        work->tentative = afxi_arena_take(arena, own, sizeof(double));
    }
}

/* ---- groups and passes ---- */

/* Spans of equal length and kind that still have work, as many as there are lanes; the last is repeated. */
static void make_groups(AfxSim *sim) {
    const AfxiChains *chains = &sim->model->chains;
    AfxiChainWork *work = &sim->chains;
    uint32_t lanes = work->variant.lanes, filled = 0;
    AfxiChainGroup *group = NULL;
    work->group_count = 0;
    for (uint32_t k = 0; k < chains->span_count; k++) {
        uint32_t span = chains->order[k], length = chains->span[span].link_count;
        const AfxiChainPiece *piece = &work->piece[span];
        if (piece->accepted) {
            continue;
        }
        if (!group || filled == lanes || group->link_count != length || group->whole != piece->whole) {
            group = &work->group[work->group_count++];
            group->link_count = length;
            group->whole = piece->whole;
            filled = 0;
        }
        for (uint32_t l = filled++; l < AFXI_CHAIN_LANES_MOST; l++) {
            group->span[l] = span;
        }
    }
}

typedef struct Pass {
    const AfxSim *sim;
    const AfxiChainStage *stage, *after;
    bool condense;
} Pass;

/* Condenses spans for the next step while they are in the cache: what has just been solved is its past. */
static void condense_after(const Pass *pass, const AfxiChainGroup *group) {
    const AfxiChainWork *work = &pass->sim->chains;
    for (uint32_t l = 0; l < work->variant.lanes; l++) {
        AfxiChainPiece *piece = &work->piece[group->span[l]];
        memcpy(piece->old_right, piece->lambda_right, sizeof piece->lambda_right);
    }
    work->variant.condense(pass->after, group, NULL);
}

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Pass *pass = context;
    const AfxiChainWork *work = &pass->sim->chains;
    char *scratch = (char *)work->scratch + (parallel(pass->sim) ? part * work->scratch_size : 0);
    for (uint32_t k = begin; k < end; k++) {
        const AfxiChainGroup *next = k + 1 < work->group_count ? &work->group[k + 1] : NULL;
        if (!pass->condense) {
            work->variant.solve(pass->stage, &work->group[k], next, scratch);
            if (pass->after && !pass->stage->turns && !work->group[k].whole) {
                condense_after(pass, &work->group[k]);
            }
        } else if (!work->group[k].whole) {
            work->variant.condense(pass->stage, &work->group[k], next);
        }
    }
}

/* One solve of all chains that are not accepted yet. `condensed`: the last step has done that part. `after`, unless
 * NULL, is the first solve of the next step, to be condensed for. */
static void solve_chains(AfxSim *sim, const AfxiChainStage *stage, bool condensed, const AfxiChainStage *after) {
    const AfxiChains *chains = &sim->model->chains;
    AfxiChainWork *work = &sim->chains;
    bool cut = false;
    make_groups(sim);
    for (uint32_t k = 0; k < chains->span_count; k++) {
        const AfxiChainSpan *span = &chains->span[k];
        memcpy(work->piece[k].old_right, stage->lambda + (size_t)3 * (span->first_slot + span->link_count),
               3 * sizeof(double));
        cut |= !work->piece[k].whole && !work->piece[k].accepted;
    }
    uint32_t grain = (work->group_count + PARTS_MOST - 1) / PARTS_MOST;
    Pass pass = {sim, stage, after, true};
    if (cut) {
        if (!condensed) {
            afxi_parallel_for(&sim->def.tasks, sim->def.threads, work->group_count, grain, run_part, &pass);
        }
        for (uint32_t c = 0; c < chains->chain_count; c++) {
            const AfxiChain *chain = &chains->chain[c];
            const AfxiChainPiece *last = &work->piece[chain->first_piece + chain->piece_count - 1];
            if (chain->piece_count > 1 && !last->accepted) {
                afxi_chain_separators(stage, chain);
                if (stage->task <= AFXI_CHAIN_START) {
                    memcpy(stage->lambda + (size_t)3 * (chain->first_slot + chain->link_count), last->lambda_right,
                           3 * sizeof(double));
                }
            }
        }
    }
    pass.condense = false;
    afxi_parallel_for(&sim->def.tasks, sim->def.threads, work->group_count, grain, run_part, &pass);
}

/* ---- what is outside ---- */

/* Value of an outer slot's point on what is not solved for: where it is, how fast it moves, or how it accelerates. */
static void outside(const AfxSim *sim, uint32_t joint, uint32_t link, AfxiChainTask task, double out[3]) {
    static const double world[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const AfxiJoint *own = &sim->model->joints[joint];
    const AfxiJointFrame *frame = afxi_joint_frame(sim, joint);
    bool follows = own->follower == link;
    uint32_t body = follows ? own->base : own->follower;
    AfxVec3 x = follows ? frame->point_b : frame->point_a;
    double second[12] = {0};
    const double *q = second;
    if (task == AFXI_CHAIN_STAGE || task == AFXI_CHAIN_CLOSE) {
        q = body == AFXI_WORLD ? world : sim->q + (size_t)12 * body;
    } else if (body != AFXI_WORLD && task == AFXI_CHAIN_START) {
        afxi_input_acceleration(sim, body, second);
    } else if (body != AFXI_WORLD) {
        q = sim->v + (size_t)12 * body;
    }
    AfxiMat3 a = mat3_load(q);
    vec3_store(out, vec3_add(mat3_apply(&a, x), vec3_load(q + 9)));
}

static bool slot_on(const AfxSim *sim, uint32_t slot) {
    uint32_t joint = sim->model->chains.slot_joint[slot];
    return joint != UINT32_MAX && sim->joint_active[joint];
}

static void begin_pieces(AfxSim *sim, AfxiChainTask task, double h_squared) {
    const AfxiChains *chains = &sim->model->chains;
    AfxiChainWork *work = &sim->chains;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        uint32_t last_slot = chain->first_slot + chain->link_count;
        work->settling[c] = afxi_settling_begin(sim, h_squared);
        for (uint32_t k = 0; k < chain->piece_count; k++) {
            AfxiChainPiece *piece = &work->piece[chain->first_piece + k];
            piece->accepted = false;
            piece->whole = chain->piece_count == 1;
        }
        AfxiChainPiece *first = &work->piece[chain->first_piece], *last = first + chain->piece_count - 1;
        first->slot_left = slot_on(sim, chain->first_slot);
        last->slot_right = slot_on(sim, last_slot);
        memset(first->outside_left, 0, sizeof first->outside_left);
        memset(last->outside_right, 0, sizeof last->outside_right);
        if (first->slot_left != 0) {
            outside(sim, chains->slot_joint[chain->first_slot], chains->link[chain->first_link].body, task,
                    first->outside_left);
        }
        if (last->slot_right != 0) {
            outside(sim, chains->slot_joint[last_slot], chains->link[chain->first_link + chain->link_count - 1].body,
                    task, last->outside_right);
        }
    }
}

/* ---- a stage ---- */

static AfxiChainStage make_stage(AfxSim *sim, AfxiChainTask task, AfxiScale scale) {
    const AfxiBodyClass *classes = sim->classes->intern.items;
    AfxiChainWork *work = &sim->chains;
    AfxiChainStage stage = {
        .task = task,
        .weights.scale = scale,
        .first = true,
        .all_on = true,
        .collinear = sim->model->chains.collinear,
        .axial = sim->model->chains.axial,
        .alike = sim->classes == &sim->model->classes,
        .chains = &sim->model->chains,
        .joint_active = sim->joint_active,
        .classes = classes,
        .class_of = sim->classes->of,
        .constants = work->constants,
        .forces = sim->force_count ? sim->forces : NULL,
        .force_slot = sim->force_slot,
        .q = sim->q,
        .v = sim->v,
        .x2 = sim->x2,
        .x3 = sim->x3,
        .next = work->tentative,
        .lambda = sim->lambda + sim->model->graph.row_count,
        .curved = sim->curved + sim->model->graph.body_count,
        .piece = work->piece,
    };
    memcpy(stage.gravity, afxi_param_const(sim->model, sim->params, AFX_PARAM_GRAVITY, 0), sizeof stage.gravity);
    for (uint32_t k = 0; k < sim->classes->intern.count; k++) {
        AfxiBodyClass class = classes[k];
        stage.damped |= class.linear_damping > 0 || class.angular_damping > 0;
        if (task != AFXI_CHAIN_STAGE) {
            class.young = INFINITY;
            class.linear_damping = class.angular_damping = 0;
        }
        afxi_chain_constants(&class, scale, work->constants + (size_t)AFXI_CHAIN_SIZE * k);
    }
    for (uint32_t k = 0; sim->joints_off && k < sim->model->chains.slot_count; k++) {
        uint32_t joint = sim->model->chains.slot_joint[k];
        stage.all_on &= joint == UINT32_MAX || sim->joint_active[joint];
    }
    return stage;
}

static double gap(const double a[3], const double b[3]) {
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        double size = fabs(a[k] - b[k]);
        largest = size > largest || isnan(size) ? size : largest;
    }
    return largest;
}

static double larger(double a, double b) {
    return b > a || isnan(b) ? b : a;
}

/* Whether a chain has settled; its largest values go into *out. */
static bool judge(AfxSim *sim, const AfxiChain *chain, uint32_t solve, bool final, AfxiJointedOutcome *out) {
    AfxiChainWork *work = &sim->chains;
    AfxiChainPiece *piece = work->piece + chain->first_piece;
    double error = 0, turn = 0, residual = 0;
    bool jump = false, finite = true;
    for (uint32_t k = 0; k < chain->piece_count; k++) {
        error = larger(error, piece[k].error);
        turn = larger(turn, piece[k].turn);
        residual = larger(residual, piece[k].residual);
        jump |= piece[k].jump;
        finite &= piece[k].finite;
        if (k && slot_on(sim, sim->model->chains.span[chain->first_piece + k].first_slot)) {
            residual = larger(residual, gap(piece[k - 1].end_right, piece[k].end_left));
        }
        if (!piece[k].finite && out->finite) {
            out->finite = false;
            out->failed_body = sim->model->chains.link[sim->model->chains.span[chain->first_piece + k].first_link].body;
        }
    }
    if (piece[0].slot_left != 0) {
        residual = larger(residual, gap(piece[0].outside_left, piece[0].end_left));
    }
    if (piece[chain->piece_count - 1].slot_right != 0) {
        const AfxiChainPiece *last = &piece[chain->piece_count - 1];
        residual = larger(residual, gap(last->outside_right, last->end_right));
    }
    AfxiSettling *settling = &work->settling[chain - sim->model->chains.chain];
    bool settled = afxi_settling_done(settling, solve, error, turn, residual, jump) && finite;
    bool accepted = sim->def.solves ? final && finite : settled;
    for (uint32_t k = 0; k < chain->piece_count; k++) {
        piece[k].accepted = accepted;
    }
    if (accepted) {
        out->residual = larger(out->residual, residual);
        out->rotation_error = larger(out->rotation_error, turn);
        out->loose |= afxi_settling_loose(sim, residual);
    }
    return accepted;
}

/* Marks the chains whose contacts do not agree with the last solve; whether there are any comes back. */
static bool review_contacts(AfxSim *sim, const double *next) {
    const AfxiChains *chains = &sim->model->chains;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        sim->chains.piece[chains->chain[c].first_piece].touched = false;
    }
    if (!sim->contacts || !afxi_contacts_review(sim, true, next, INFINITY)) {
        return false;
    }
    for (uint32_t k = 0; k < sim->contacts->now.count; k++) {
        const AfxiPoint *point = &sim->contacts->now.point[k];
        if (point->chained && !point->settled && sim->contacts->island[point->island].changed) {
            sim->chains.piece[chains->chain[point->chain].first_piece].touched = true;
        }
    }
    return true;
}

static void for_links(AfxSim *sim, const AfxiStagePlan *plan,
                      void (*call)(AfxSim *sim, const AfxiStagePlan *plan, uint32_t body)) {
    for (uint32_t k = 0; k < sim->model->chains.link_count; k++) {
        call(sim, plan, sim->model->chains.link[k].body);
    }
}

static void take_back(AfxSim *sim, const AfxiStagePlan *plan, uint32_t body) {
    (void)plan;
    size_t at = (size_t)12 * body;
    memcpy(sim->q + at, sim->saved_q + at, 12 * sizeof(double));
    memcpy(sim->v + at, sim->saved_v + at, 12 * sizeof(double));
}

static void commit_link(AfxSim *sim, const AfxiStagePlan *plan, uint32_t body) {
    double next[12], qhat[12], qv[12];
    memcpy(next, sim->chains.tentative + (size_t)12 * body, sizeof next);
    afxi_stage_past(sim, plan, body, qhat, qv);
    afxi_commit_body(sim, plan, body, next, qhat, qv);
}

/* What an integrator's plan makes of a stage. */
static void apply_plan(const AfxiStagePlan *plan, AfxiChainStage *stage) {
    bool alpha = plan->mode == AFXI_FREE_ALPHA, history = plan->weights.qhat[3] != 0;
    stage->mode = plan->mode;
    stage->weights = plan->weights;
    stage->predict = plan->predict;
    stage->parabola[1] = alpha ? 0.5 * plan->predict * plan->predict : 0;
    stage->parabola[0] = plan->mode == AFXI_FREE_MULTISTEP && history ? 0.5 * plan->predict : 0;
    if (!alpha && !history) {
        stage->x3 = stage->x2; /* not used, and `tentative` may live there */
    }
}

/* All that condensing depends on but for the state itself, which nothing changes between steps that go on from their
 * history. */
static uint64_t kind_of(const AfxSim *sim, const AfxiChainStage *stage) {
    const void *past[2] = {stage->x2, stage->x3};
    uint32_t flags[2] = {(uint32_t)stage->mode, stage->damped};
    uint64_t hash = afxi_hash(AFXI_HASH_START, past, sizeof past);
    hash = afxi_hash(hash, flags, sizeof flags);
    hash = afxi_hash(hash, &stage->weights, sizeof stage->weights);
    hash = afxi_hash(hash, &stage->predict, sizeof stage->predict);
    hash = afxi_hash(hash, stage->parabola, sizeof stage->parabola);
    hash = afxi_hash(hash, stage->gravity, sizeof stage->gravity);
    return afxi_hash(hash, stage->constants,
                     (size_t)AFXI_CHAIN_SIZE * sim->classes->intern.count * sizeof *stage->constants);
}

/* Whether nothing acts on the links of a stage that the next step might find changed. */
static bool undisturbed(const AfxSim *sim, const AfxiChainStage *stage) {
    return sim->state->integrator == AFX_BDF2 && stage->all_on && !stage->forces && !stage->touches && !sim->contacts &&
           sim->model->chains.span_count > sim->model->chains.chain_count;
}

/* The first solve of the step after this one, when it is taken whole and with the same dt. */
static AfxiChainStage foresee(const AfxSim *sim, const AfxiChainStage *stage) {
    AfxiStagePlan plan = afxi_integrator_plan(AFX_BDF2, sim->state->rho, sim->state->dt, 0, false);
    AfxiChainStage after = *stage;
    after.x2 = sim->saved_q;
    after.x3 = sim->saved_v;
    after.old_q = after.old_v = after.rate = NULL;
    after.iterate = NULL;
    apply_plan(&plan, &after);
    return after;
}

void afxi_chains_stage(AfxSim *sim, const AfxiStagePlan *plan, bool in_place, AfxiJointedOutcome *out) {
    const AfxiChains *chains = &sim->model->chains;
    AfxiChainStage stage = make_stage(sim, AFXI_CHAIN_STAGE, plan->weights.scale);
    uint32_t open = chains->chain_count;
    apply_plan(plan, &stage);
    if (sim->contacts) {
        stage.touches = &sim->contacts->touches;
        stage.link_touch = sim->contacts->link_touch;
    } else if (afxi_holds_any(sim, AFXI_HOLD_LINK)) {
        stage.touches = &sim->holds->touches;
        stage.link_touch = sim->holds->link_touch;
    }
    if (in_place) {
        stage.next = sim->q;
        stage.rate = sim->v;
        stage.old_q = sim->saved_q;
        stage.old_v = sim->saved_v;
    }
    bool foresees = in_place && undisturbed(sim, &stage);
    bool condensed = foresees && sim->chains.ready && sim->chains.ready_for == kind_of(sim, &stage);
    AfxiChainStage after = foresees ? foresee(sim, &stage) : stage;
    stage.turns = foresees && afxi_chain_turns(&stage, &after);
    stage.stream =
        in_place && (!foresees || stage.turns) && chains->in_order && chains->link_count >= STREAM_LINKS_LEAST;
    sim->chains.ready = false;
    *out = (AfxiJointedOutcome){.failed_body = UINT32_MAX, .finite = true};
    begin_pieces(sim, AFXI_CHAIN_STAGE, plan->weights.scale.h_squared);
    /* a link that is thrown about by contacts keeps the coarse bound */
    stage.enough = sim->contacts ? INFINITY : sim->chains.settling[0].turn_tolerance;
    for (uint32_t pass = 1; pass <= SOLVES_MOST && open && out->finite;) {
        solve_chains(sim, &stage, condensed, foresees ? &after : NULL);
        bool last = sim->def.solves && out->solves + 1 == sim->def.solves;
        bool again =
            review_contacts(sim, stage.next) && !last; /* frames wait until the points that touch have settled */
        out->solves++;
        for (uint32_t c = 0; c < chains->chain_count; c++) {
            const AfxiChain *chain = &chains->chain[c];
            const AfxiChainPiece *piece = &sim->chains.piece[chain->first_piece];
            if (!piece->accepted) {
                out->body_solves += chain->link_count;
                bool waits = again && (piece->touched || pass > 1);
                open -= !waits && judge(sim, chain, pass, last, out);
            }
        }
        pass += !again;
        if (!stage.first || !again) {
            afxi_holds_follow(sim, AFXI_HOLD_LINK, stage.next);
            afxi_contacts_moved(sim, true);
        }
        stage.first = again && pass == 1;
        stage.iterate = stage.first ? NULL : stage.next;
        condensed = foresees = stage.turns = false;
        if (in_place) {
            stage.q = sim->saved_q;
            stage.v = sim->saved_v;
            stage.old_q = stage.old_v = NULL;
        }
    }
    out->accepted = open == 0 && out->finite;
    if (in_place && out->accepted && out->solves == 1 && undisturbed(sim, &stage)) {
        sim->chains.ready = true;
        sim->chains.ready_for = kind_of(sim, &after);
    }
    if (in_place && !out->accepted) {
        for_links(sim, plan, take_back);
    } else if (!in_place && out->accepted) {
        for_links(sim, plan, commit_link);
    }
}

/* ---- start, closing, projecting ---- */

void afxi_chains_start(AfxSim *sim) {
    AfxiChainStage stage = make_stage(sim, AFXI_CHAIN_START, (AfxiScale){1, 1});
    stage.next = sim->x2;
    begin_pieces(sim, AFXI_CHAIN_START, 1);
    solve_chains(sim, &stage, false, NULL);
    for (uint32_t k = 0; sim->state->integrator == AFX_ALPHA && k < sim->model->chains.link_count; k++) {
        size_t at = (size_t)12 * sim->model->chains.link[k].body;
        memcpy(sim->x3 + at, sim->x2 + at, 12 * sizeof(double));
    }
}

/* How far the joint of a slot is off in q, or in v. */
static double slot_gap(const AfxSim *sim, uint32_t joint, const double *values, const double *of_world) {
    const AfxiJoint *own = &sim->model->joints[joint];
    const AfxiJointFrame *frame = afxi_joint_frame(sim, joint);
    double ends[2][3];
    for (int side = 0; side < 2; side++) {
        uint32_t body = side ? own->base : own->follower;
        const double *q = body == AFXI_WORLD ? of_world : values + (size_t)12 * body;
        AfxiMat3 a = mat3_load(q);
        vec3_store(ends[side], vec3_add(mat3_apply(&a, side ? frame->point_b : frame->point_a), vec3_load(q + 9)));
    }
    return gap(ends[0], ends[1]);
}

void afxi_chains_violation(const AfxSim *sim, double *out_position, double *out_rate) {
    static const double world[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, still[12];
    *out_position = *out_rate = 0;
    for (uint32_t k = 0; k < sim->model->chains.slot_count; k++) {
        uint32_t joint = sim->model->chains.slot_joint[k];
        if (joint != UINT32_MAX && sim->joint_active[joint]) {
            *out_position = larger(*out_position, slot_gap(sim, joint, sim->q, world));
            *out_rate = larger(*out_rate, slot_gap(sim, joint, sim->v, still));
        }
    }
}

double afxi_chains_close(AfxSim *sim) {
    double position = 0, rate;
    for (uint32_t pass = 0; pass <= CLOSE_PASSES_MOST; pass++) {
        double before = position;
        afxi_chains_violation(sim, &position, &rate);
        bool stalls = pass > 20 && position >= before;
        if (position <= CLOSE_TOLERANCE * sim->model->size || stalls || pass == CLOSE_PASSES_MOST) {
            break;
        }
        AfxiChainStage stage = make_stage(sim, AFXI_CHAIN_CLOSE, (AfxiScale){1, 1});
        stage.next = sim->q;
        stage.rate = sim->v;
        begin_pieces(sim, AFXI_CHAIN_CLOSE, 1);
        solve_chains(sim, &stage, false, NULL);
    }
    return position;
}

void afxi_chains_project(AfxSim *sim) {
    AfxiChainStage stage = make_stage(sim, AFXI_CHAIN_PROJECT, (AfxiScale){1, 1});
    stage.next = sim->v;
    begin_pieces(sim, AFXI_CHAIN_PROJECT, 1);
    solve_chains(sim, &stage, false, NULL);
}

int64_t afxi_chains_rows(const AfxSim *sim) {
    int64_t rows = 0;
    for (uint32_t k = 0; k < sim->model->chains.slot_count; k++) {
        rows += slot_on(sim, k) ? 3 : 0;
    }
    return rows;
}

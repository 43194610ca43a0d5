/* SPDX-License-Identifier: Apache-2.0 */
/* The engine `chain`: ball chains by the kernels of dual/chain.h, all chains of a model in one lot. Also their
 * consistent accelerations, closing and projecting.
 *
 * BDF steps of full length write the new state over the old one, which the first solve moves to saved_q, saved_v:
 * there it is the history of the next step, and all that further solves or taking the step back need. Every other stage
 * works on `tentative` and commits when it is accepted.
 *
 * Chains do not wait for each other: each goes on from its own frames, predicted or those of its last result, in groups
 * of lanes with others that are at the same. */
#include "engine/chain.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/task.h"
#include "dual/chain.h"
#include "engine/between.h"
#include "engine/tuning.h"
#include "math/polar.h"
#include "state/history.h"
#include "state/input.h"

static bool parallel(const AfxiChainLot *lot) {
    return lot->world->def.threads > 1 || lot->world->def.tasks.run;
}

static const AfxiChains *chains_of(const AfxiChainLot *lot) {
    return &lot->world->model->chains;
}

void afxi_chains_take(AfxiChainLot *lot, AfxiArena *arena, AfxiWorld *world, AfxiClassTable *table) {
    lot->world = world;
    lot->table = table;
    const AfxiChains *chains = chains_of(lot);
    uint32_t parts = parallel(lot) ? AFXI_CHAIN_PARTS_MOST : 1;
    size_t own = chains->chain_count ? AFXI_AFFINE_WIDTH * (size_t)world->model->body_count : 0;
    lot->variant = afxi_chain_variant(world->def.lanes);
    lot->piece = afxi_arena_take(arena, chains->span_count, sizeof *lot->piece);
    lot->group = afxi_arena_take(arena, chains->span_count, sizeof *lot->group);
    lot->scratch_size = (lot->variant.scratch_per_link * chains->span_most + 63) / 64 * 64;
    lot->scratch = afxi_arena_take(arena, parts, lot->scratch_size);
    lot->touched = afxi_arena_take(arena, chains->chain_count, sizeof *lot->touched);
    lot->off = afxi_arena_take(arena, chains->chain_count, sizeof *lot->off);
    lot->kept = afxi_arena_take(arena, chains->chain_count, sizeof *lot->kept);
    lot->closing = afxi_arena_take(arena, chains->chain_count, sizeof *lot->closing);
    lot->link_woodbury = afxi_arena_take(arena, chains->link_count, sizeof *lot->link_woodbury);
    lot->joints_version = UINT32_MAX;
    lot->tentative = NULL;
    if (world->def.integrator == AFX_SDIRK2) {
        lot->tentative = afxi_arena_take(arena, own, sizeof(double));
    }
    if (arena->base) {
        memset(lot->link_woodbury, 0xff, chains->link_count * sizeof *lot->link_woodbury);
    }
}

/* Where results go that are not solved in place: what a stage does not read otherwise. */
static double *tentative(const AfxiChainLot *lot) {
    const AfxiState *state = &lot->world->state;
    return lot->tentative ? lot->tentative : lot->world->def.integrator == AFX_ALPHA ? state->previous_q : state->x3;
}

/* ---- what is kept of the state before the step ---- */

static double *slots_of(const AfxiChainLot *lot) {
    return lot->world->state.lambda + lot->world->model->row_count;
}

void afxi_chains_begin_step(AfxiChainLot *lot) {
    memset(lot->kept, AFXI_CHAIN_UNTOUCHED, chains_of(lot)->chain_count);
    lot->moved = false;
}

/* All of a span but its last slot, which is the first of the next one. */
static void keep_span(const AfxiChainLot *lot, const AfxiChainSpan *span) {
    AfxiState *state = &lot->world->state;
    afxi_state_keep_part(state, slots_of(lot) + 3 * (size_t)span->first_slot,
                         3 * (size_t)span->link_count * sizeof(double));
    afxi_state_keep_part(state, state->curved + lot->world->model->body_count + span->first_link, span->link_count);
}

static void keep_last_slot(const AfxiChainLot *lot, const AfxiChain *chain) {
    afxi_state_keep_part(&lot->world->state, slots_of(lot) + 3 * ((size_t)chain->first_slot + chain->link_count),
                         3 * sizeof(double));
}

void afxi_chain_keep(AfxiChainLot *lot, uint32_t chain) {
    const AfxiChain *own = &chains_of(lot)->chain[chain];
    for (uint32_t k = 0; lot->kept[chain] == AFXI_CHAIN_UNTOUCHED && k < own->piece_count; k++) {
        keep_span(lot, &chains_of(lot)->span[own->first_piece + k]);
    }
    if (lot->kept[chain] == AFXI_CHAIN_UNTOUCHED) {
        keep_last_slot(lot, own);
        lot->kept[chain] = AFXI_CHAIN_KEPT;
    }
}

void afxi_chain_restore(const AfxiChainLot *lot, uint32_t chain) {
    const AfxiChain *own = &chains_of(lot)->chain[chain];
    AfxiState *state = &lot->world->state;
    if (lot->kept[chain] != AFXI_CHAIN_UNTOUCHED) {
        afxi_state_restore_part(state, slots_of(lot) + 3 * (size_t)own->first_slot,
                                3 * ((size_t)own->link_count + 1) * sizeof(double));
        afxi_state_restore_part(state, state->curved + lot->world->model->body_count + own->first_link,
                                own->link_count);
    }
}

void afxi_chains_restore(const AfxiChainLot *lot) {
    for (uint32_t c = 0; c < chains_of(lot)->chain_count; c++) {
        afxi_chain_restore(lot, c);
    }
}

/* ---- groups and passes ---- */

/* Whether a span belongs to a group. */
static bool fits(const AfxiChainGroup *group, const AfxiChainPiece *piece, const AfxiChain *chain, uint32_t length) {
    return group->link_count == length && group->whole == piece->whole && group->plain == piece->plain &&
           group->touched == piece->touched && group->axial == chain->axial && group->collinear == chain->collinear;
}

/* Spans of equal length and kind that still have work at predicted frames, or at later ones, as many as there are
 * lanes; the last is repeated. */
static void make_groups(AfxiChainLot *lot, bool later) {
    const AfxiChains *chains = chains_of(lot);
    uint32_t lanes = lot->variant.lanes, filled = 0;
    AfxiChainGroup *group = NULL;
    lot->group_count = 0;
    for (uint32_t k = 0; k < chains->span_count; k++) {
        uint32_t span = chains->order[k], length = chains->span[span].link_count;
        const AfxiChainPiece *piece = &lot->piece[span];
        const AfxiChain *chain = &chains->chain[chains->span[span].chain];
        if (piece->accepted || piece->later != later) {
            continue;
        }
        if (!group || filled == lanes || !fits(group, piece, chain, length)) {
            group = &lot->group[lot->group_count++];
            *group = (AfxiChainGroup){.link_count = length,
                                      .whole = piece->whole,
                                      .collinear = chain->collinear,
                                      .axial = chain->axial,
                                      .plain = piece->plain,
                                      .touched = piece->touched};
            filled = 0;
        }
        for (uint32_t l = filled++; l < AFXI_CHAIN_LANES_MOST; l++) {
            group->span[l] = span;
        }
    }
}

typedef struct Pass {
    const AfxiChainLot *lot;
    const AfxiChainStage *stage, *after;
    bool condense;
} Pass;

/* Condenses spans for the next step while they are in the cache: what has just been solved is its past. */
static void condense_after(const Pass *pass, const AfxiChainGroup *group) {
    const AfxiChainLot *lot = pass->lot;
    for (uint32_t l = 0; l < lot->variant.lanes; l++) {
        AfxiChainPiece *piece = &lot->piece[group->span[l]];
        memcpy(piece->old_right, piece->lambda_right, sizeof piece->lambda_right);
    }
    lot->variant.condense(pass->after, group, NULL);
}

/* Spans of chains whose multipliers this solve is the first of the step to write. */
static void keep_group(const AfxiChainLot *lot, const AfxiChainGroup *group) {
    const AfxiChains *chains = chains_of(lot);
    for (uint32_t l = 0; l < lot->variant.lanes; l++) {
        const AfxiChainSpan *span = &chains->span[group->span[l]];
        if (lot->kept[span->chain] == AFXI_CHAIN_KEEPING && (l == 0 || group->span[l] != group->span[l - 1])) {
            keep_span(lot, span);
        }
    }
}

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Pass *pass = context;
    const AfxiChainLot *lot = pass->lot;
    char *scratch = (char *)lot->scratch + (parallel(lot) ? part * lot->scratch_size : 0);
    for (uint32_t k = begin; k < end; k++) {
        const AfxiChainGroup *group = &lot->group[k], *next = k + 1 < lot->group_count ? group + 1 : NULL;
        bool turns = pass->stage->turns && group->axial && group->plain;
        if (!pass->condense) {
            keep_group(lot, group);
            lot->variant.solve(pass->stage, group, next, scratch);
            if (pass->after && !turns && !group->whole) {
                condense_after(pass, group);
            }
        } else if (!group->whole) {
            lot->variant.condense(pass->stage, group, next);
        }
    }
}

/* The multipliers on the right of a span, as they were. Only stages and starts write multipliers. */
static void begin_span(AfxiChainLot *lot, const AfxiChainStage *stage, uint32_t k) {
    const AfxiChainSpan *span = &chains_of(lot)->span[k];
    const AfxiChain *chain = &chains_of(lot)->chain[span->chain];
    uint8_t *kept = &lot->kept[span->chain];
    memcpy(lot->piece[k].old_right, stage->lambda + (size_t)3 * (span->first_slot + span->link_count),
           3 * sizeof(double));
    if (stage->task <= AFXI_CHAIN_START && k + 1 == chain->first_piece + chain->piece_count) {
        if (*kept == AFXI_CHAIN_UNTOUCHED) {
            keep_last_slot(lot, chain);
        }
        *kept = *kept == AFXI_CHAIN_UNTOUCHED ? AFXI_CHAIN_KEEPING : AFXI_CHAIN_KEPT;
    }
}

/* One solve of all chains that still have work at predicted frames, or at later ones. `condensed`: the last step has
 * done that part. `after`, unless NULL, is the first solve of the next step, to be condensed for. */
static void solve_chains(AfxiChainLot *lot, const AfxiChainStage *stage, bool condensed, const AfxiChainStage *after) {
    const AfxiChains *chains = chains_of(lot);
    const AfxSimDef *def = &lot->world->def;
    bool later = !stage->first, cut = false;
    make_groups(lot, later);
    for (uint32_t k = 0; k < chains->span_count; k++) {
        AfxiChainPiece *piece = &lot->piece[k];
        if (!piece->accepted && piece->later == later) {
            begin_span(lot, stage, k);
            cut |= !piece->whole;
        }
    }
    if (lot->group_count == 0) {
        return;
    }
    uint32_t grain = (lot->group_count + AFXI_CHAIN_PARTS_MOST - 1) / AFXI_CHAIN_PARTS_MOST;
    Pass pass = {lot, stage, after, true};
    if (cut) {
        if (!condensed) {
            afxi_parallel_for(&def->tasks, def->threads, lot->group_count, grain, run_part, &pass);
        }
        for (uint32_t c = 0; c < chains->chain_count; c++) {
            const AfxiChain *chain = &chains->chain[c];
            const AfxiChainPiece *last = &lot->piece[chain->first_piece + chain->piece_count - 1];
            if (chain->piece_count > 1 && !last->accepted && last->later == later) {
                afxi_chain_separators(stage, chain);
                if (stage->task <= AFXI_CHAIN_START) {
                    memcpy(stage->lambda + (size_t)3 * (chain->first_slot + chain->link_count), last->lambda_right,
                           3 * sizeof(double));
                }
            }
        }
    }
    pass.condense = false;
    afxi_parallel_for(&def->tasks, def->threads, lot->group_count, grain, run_part, &pass);
}

/* ---- what is outside ---- */

/* Value of an outer slot's point on what is not solved for: where it is, how fast it moves, or how it accelerates. */
static void outside(const AfxiChainLot *lot, uint32_t joint, uint32_t link, AfxiChainTask task, double out[3]) {
    static const double world[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const AfxiJoint *own = &lot->world->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(lot->world, joint);
    bool follows = own->follower == link;
    uint32_t body = follows ? own->base : own->follower;
    AfxVec3 x = follows ? frame->point_b : frame->point_a;
    double second[AFXI_AFFINE_WIDTH] = {0};
    const double *q = second;
    if (task == AFXI_CHAIN_STAGE || task == AFXI_CHAIN_CLOSE) {
        q = body == AFXI_WORLD ? world : lot->world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    } else if (body != AFXI_WORLD && task == AFXI_CHAIN_START) {
        afxi_input_acceleration(lot->world, body, second);
    } else if (body != AFXI_WORLD) {
        q = lot->world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    }
    AfxiMat3 a = mat3_load(q);
    vec3_store(out, vec3_add(mat3_apply(&a, x), vec3_load(q + 9)));
}

static bool slot_on(const AfxiChainLot *lot, uint32_t slot) {
    uint32_t joint = chains_of(lot)->slot_joint[slot];
    return joint != UINT32_MAX && lot->world->state.joint_active[joint];
}

/* Which chains have an inner joint that is switched off. */
static void find_off(AfxiChainLot *lot) {
    const AfxiChains *chains = chains_of(lot);
    if (lot->joints_version == lot->world->joints_version) {
        return;
    }
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        lot->off[c] = false;
        for (uint32_t k = 0; lot->world->joints_off && k <= chains->chain[c].link_count; k++) {
            uint32_t joint = chains->slot_joint[chains->chain[c].first_slot + k];
            lot->off[c] |= joint != UINT32_MAX && !lot->world->state.joint_active[joint];
        }
    }
    lot->joints_version = lot->world->joints_version;
}

/* `chosen` [chains], NULL: all. */
static void begin_pieces(AfxiChainLot *lot, AfxiChainTask task, const uint8_t *chosen) {
    const AfxiChains *chains = chains_of(lot);
    find_off(lot);
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        uint32_t last_slot = chain->first_slot + chain->link_count;
        for (uint32_t k = 0; k < chain->piece_count; k++) {
            AfxiChainPiece *piece = &lot->piece[chain->first_piece + k];
            piece->accepted = chosen && !chosen[c];
            piece->whole = chain->piece_count == 1;
            piece->later = false;
            piece->touched = lot->woodbury && lot->touched[c];
            piece->plain = !lot->off[c] && !piece->touched;
        }
        AfxiChainPiece *first = &lot->piece[chain->first_piece], *last = first + chain->piece_count - 1;
        if (first->accepted) {
            continue;
        }
        first->slot_left = slot_on(lot, chain->first_slot);
        last->slot_right = slot_on(lot, last_slot);
        memset(first->outside_left, 0, sizeof first->outside_left);
        memset(last->outside_right, 0, sizeof last->outside_right);
        if (first->slot_left != 0) {
            outside(lot, chains->slot_joint[chain->first_slot], chains->link[chain->first_link].body, task,
                    first->outside_left);
        }
        if (last->slot_right != 0) {
            outside(lot, chains->slot_joint[last_slot], chains->link[chain->first_link + chain->link_count - 1].body,
                    task, last->outside_right);
        }
    }
}

/* ---- a stage ---- */

static AfxiChainStage make_stage(AfxiChainLot *lot, AfxiChainTask task, AfxiScale scale) {
    AfxiWorld *world = lot->world;
    AfxiState *state = &world->state;
    afxi_class_table_chain(lot->table, world, scale, task != AFXI_CHAIN_STAGE);
    AfxiChainStage stage = {
        .task = task,
        .weights.scale = scale,
        .first = true,
        .all_on = world->joints_off == 0,
        .damped = lot->table->damped,
        .alike = world->classes == &world->model->classes,
        .chains = &world->model->chains,
        .joint_active = state->joint_active,
        .classes = world->classes->intern.items,
        .class_of = world->classes->of,
        .constants = lot->table->chain,
        .forces = world->force_count ? world->forces : NULL,
        .force_slot = world->force_slot,
        .q = state->q,
        .v = state->v,
        .x2 = state->x2,
        .x3 = state->x3,
        .next = tentative(lot),
        .lambda = state->lambda + world->model->row_count,
        .curved = state->curved + world->model->body_count,
        .piece = lot->piece,
    };
    memcpy(stage.gravity, afxi_world_param(world, AFX_PARAM_GRAVITY, 0), sizeof stage.gravity);
    return stage;
}

static double gap(const double a[3], const double b[3]) {
    return afxi_points_apart(vec3_load(a), vec3_load(b));
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
static uint64_t kind_of(const AfxiChainLot *lot, const AfxiChainStage *stage) {
    const void *past[2] = {stage->x2, stage->x3};
    uint32_t flags[2] = {(uint32_t)stage->mode, stage->damped};
    uint64_t hash = afxi_hash(AFXI_HASH_START, past, sizeof past);
    hash = afxi_hash(hash, flags, sizeof flags);
    hash = afxi_hash(hash, &stage->weights, sizeof stage->weights);
    hash = afxi_hash(hash, &stage->predict, sizeof stage->predict);
    hash = afxi_hash(hash, stage->parabola, sizeof stage->parabola);
    hash = afxi_hash(hash, stage->gravity, sizeof stage->gravity);
    return afxi_hash(hash, stage->constants,
                     (size_t)AFXI_CHAIN_SIZE * lot->world->classes->intern.count * sizeof *stage->constants);
}

/* Whether nothing acts on the links of a stage that the next step might find changed. */
static bool undisturbed(const AfxiChainLot *lot, const AfxiChainStage *stage) {
    const AfxiChains *chains = chains_of(lot);
    return lot->world->state.head->integrator == AFX_BDF2 && stage->all_on && !stage->forces && !stage->woodbury &&
           !lot->chosen && chains->span_count > chains->chain_count;
}

/* The first solve of the step after this one, when it is taken whole and with the same dt. */
static AfxiChainStage foresee(const AfxiChainLot *lot, const AfxiChainStage *stage) {
    const AfxiState *state = &lot->world->state;
    AfxiStagePlan plan = afxi_integrator_plan(AFX_BDF2, state->head->rho, state->head->dt, 0, false);
    AfxiChainStage after = *stage;
    after.x2 = state->saved_q;
    after.x3 = state->saved_v;
    after.old_q = after.old_v = after.rate = NULL;
    after.iterate = NULL;
    apply_plan(&plan, &after);
    return after;
}

void afxi_chains_attach_contacts(AfxiChainLot *lot, const AfxiContactSet *set) {
    const AfxiChains *chains = chains_of(lot);
    for (uint32_t c = 0; lot->woodbury && c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        for (uint32_t k = chain->first_link; lot->touched[c] && k < chain->first_link + chain->link_count; k++) {
            lot->link_woodbury[k] = UINT32_MAX;
        }
        lot->touched[c] = false;
    }
    lot->woodbury = NULL;
    for (uint32_t k = 0; set && k < set->woodbury.body_count; k++) {
        uint32_t body = set->woodbury.body[k].body, link = chains->link_of ? chains->link_of[body] : UINT32_MAX;
        if (link != UINT32_MAX) {
            lot->link_woodbury[link] = k;
            lot->touched[chains->chain_of[link]] = true;
            lot->woodbury = &set->woodbury;
        }
    }
}

const double *afxi_chains_next(const AfxiChainLot *lot) {
    return lot->in_place ? lot->world->state.q : tentative(lot);
}

void afxi_chains_plan(AfxiChainLot *lot, const AfxiStagePlan *plan) {
    lot->plan = *plan;
}

void afxi_chains_choose(AfxiChainLot *lot, const uint8_t *chosen, bool in_place) {
    lot->chosen = chosen;
    lot->in_place = in_place;
}

static void begin(void *data, const AfxiStagePlan *plan) {
    AfxiChainLot *lot = data;
    const AfxiChains *chains = chains_of(lot);
    AfxiState *state = &lot->world->state;
    AfxiChainStage *stage = &lot->stage;
    lot->plan = *plan;
    *stage = make_stage(lot, AFXI_CHAIN_STAGE, plan->weights.scale);
    apply_plan(plan, stage);
    stage->woodbury = lot->woodbury;
    stage->link_woodbury = lot->woodbury ? lot->link_woodbury : NULL;
    if (lot->in_place) {
        stage->next = state->q;
        stage->rate = state->v;
        stage->old_q = state->saved_q;
        stage->old_v = state->saved_v;
    }
    lot->moved = false;
    lot->foresees = lot->in_place && undisturbed(lot, stage);
    lot->condensed = lot->foresees && lot->ready && lot->ready_for == kind_of(lot, stage);
    lot->after = lot->foresees ? foresee(lot, stage) : *stage;
    stage->turns = lot->foresees && afxi_chain_turns(stage, &lot->after);
    stage->stream = lot->in_place && (!lot->foresees || stage->turns) && chains->in_order &&
                    chains->link_count >= AFXI_STREAM_LINKS_LEAST;
    lot->ready = false;
    begin_pieces(lot, AFXI_CHAIN_STAGE, lot->chosen);
}

/* What a solve came to in one chain. */
static void tally_chain(const AfxiChainLot *lot, const AfxiChain *chain, AfxiTally *out) {
    const AfxiChains *chains = chains_of(lot);
    const AfxiChainPiece *piece = lot->piece + chain->first_piece;
    *out = (AfxiTally){.finite = true, .body = UINT32_MAX};
    for (uint32_t k = 0; k < chain->piece_count; k++) {
        const AfxiChainSpan *span = &chains->span[chain->first_piece + k];
        out->error = afxi_larger(out->error, piece[k].error);
        out->turn = afxi_larger(out->turn, piece[k].turn);
        out->residual = afxi_larger(out->residual, piece[k].residual);
        out->jump |= piece[k].jump;
        if (k && slot_on(lot, span->first_slot)) {
            out->residual = afxi_larger(out->residual, gap(piece[k - 1].end_right, piece[k].end_left));
        }
        if (!piece[k].finite && out->finite) {
            out->finite = false;
            out->body = chains->link[span->first_link].body;
        }
    }
    const AfxiChainPiece *last = &piece[chain->piece_count - 1];
    if (piece[0].slot_left != 0) {
        out->residual = afxi_larger(out->residual, gap(piece[0].outside_left, piece[0].end_left));
    }
    if (last->slot_right != 0) {
        out->residual = afxi_larger(out->residual, gap(last->outside_right, last->end_right));
    }
}

/* Both kinds of frames, one after the other. */
static void sweep(AfxiChainLot *lot) {
    AfxiState *state = &lot->world->state;
    const AfxiChains *chains = chains_of(lot);
    AfxiChainStage *stage = &lot->stage;
    bool open[2] = {false, false};
    for (uint32_t k = 0; k < chains->span_count; k++) {
        open[0] |= !lot->piece[k].accepted && !lot->piece[k].later;
        open[1] |= !lot->piece[k].accepted && lot->piece[k].later;
    }
    for (int later = 0; later < 2; later++) {
        stage->first = !later;
        stage->iterate = later ? stage->next : NULL;
        if (open[later]) {
            solve_chains(lot, stage, lot->condensed, lot->foresees ? &lot->after : NULL);
        }
    }
    if (lot->in_place) { /* what was moved stays there */
        stage->q = state->saved_q;
        stage->v = state->saved_v;
        stage->old_q = stage->old_v = NULL;
        lot->moved = true;
    }
}

static void solve(void *data, const AfxiAsk *ask) {
    AfxiChainLot *lot = data;
    const AfxiChains *chains = chains_of(lot);
    lot->stage.enough = ask->fine;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        for (uint32_t k = 0; k < chain->piece_count; k++) {
            lot->piece[chain->first_piece + k].accepted = ask->open && !ask->open[c];
        }
    }
    bool first = !lot->moved && lot->foresees;
    sweep(lot);
    lot->ready = first && lot->in_place; /* until something is solved again */
    lot->condensed = lot->foresees = lot->stage.turns = false;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        if (!ask->open || ask->open[c]) {
            tally_chain(lot, &chains->chain[c], &ask->tally[c]);
        }
    }
}

static void measure(void *data, const AfxiAsk *ask) {
    (void)data;
    (void)ask; /* all is known after a solve */
}

static void advance(void *data, const AfxiAsk *ask) {
    AfxiChainLot *lot = data;
    const AfxiChains *chains = chains_of(lot);
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        for (uint32_t k = 0; ask->open[c] && !ask->same[c] && k < chain->piece_count; k++) {
            lot->piece[chain->first_piece + k].later = true;
        }
    }
}

static void commit_link(const AfxiChainLot *lot, uint32_t body) {
    double next[AFXI_AFFINE_WIDTH], qhat[AFXI_AFFINE_WIDTH], qv[AFXI_AFFINE_WIDTH];
    memcpy(next, tentative(lot) + (size_t)AFXI_AFFINE_WIDTH * body, sizeof next);
    afxi_stage_past(lot->world, &lot->plan, body, qhat, qv);
    afxi_commit_body(lot->world, &lot->plan, body, next, qhat, qv);
}

static void commit(void *data, AfxiState *state, const uint8_t *accepted) {
    AfxiChainLot *lot = data;
    const AfxiChains *chains = chains_of(lot);
    (void)state;
    if (lot->in_place) {
        lot->ready_for = lot->ready ? kind_of(lot, &lot->after) : 0;
        return;
    }
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        bool own = (!accepted || accepted[c]) && (!lot->chosen || lot->chosen[c]);
        for (uint32_t k = chain->first_link; own && k < chain->first_link + chain->link_count; k++) {
            commit_link(lot, chains->link[k].body);
        }
    }
}

void afxi_chains_undo(AfxiChainLot *lot, const uint8_t *which) {
    const AfxiChains *chains = chains_of(lot);
    AfxiState *state = &lot->world->state;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        bool own = (!which || which[c]) && (!lot->chosen || lot->chosen[c]);
        for (uint32_t k = chain->first_link; own && lot->moved && k < chain->first_link + chain->link_count; k++) {
            size_t at = (size_t)AFXI_AFFINE_WIDTH * chains->link[k].body;
            memcpy(state->q + at, state->saved_q + at, AFXI_AFFINE_WIDTH * sizeof(double));
            memcpy(state->v + at, state->saved_v + at, AFXI_AFFINE_WIDTH * sizeof(double));
        }
        if (own) {
            afxi_chain_restore(lot, c);
        }
    }
    lot->ready = false;
}

void afxi_chains_exchange(AfxiChainLot *lot, const uint8_t *which) {
    const AfxiChains *chains = chains_of(lot);
    AfxiState *state = &lot->world->state;
    double *now[2] = {state->q, state->v}, *before[2] = {state->saved_q, state->saved_v};
    for (uint32_t c = 0; lot->in_place && lot->moved && c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        for (uint32_t k = chain->first_link; which[c] && k < chain->first_link + chain->link_count; k++) {
            size_t at = (size_t)AFXI_AFFINE_WIDTH * chains->link[k].body;
            for (int array = 0; array < 2; array++) {
                double kept[AFXI_AFFINE_WIDTH];
                memcpy(kept, now[array] + at, sizeof kept);
                memcpy(now[array] + at, before[array] + at, sizeof kept);
                memcpy(before[array] + at, kept, sizeof kept);
            }
        }
    }
}

/* ---- start, closing, projecting ---- */

static void start(void *data, const uint8_t *wanted, double dt) {
    (void)dt; /* no friction in a ball chain */
    AfxiChainLot *lot = data;
    const AfxiChains *chains = chains_of(lot);
    AfxiState *state = &lot->world->state;
    AfxiChainStage stage = make_stage(lot, AFXI_CHAIN_START, (AfxiScale){1, 1});
    stage.next = state->x2;
    begin_pieces(lot, AFXI_CHAIN_START, NULL);
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        for (uint32_t k = 0; k < chain->piece_count; k++) {
            lot->piece[chain->first_piece + k].accepted = !wanted[chains->link[chain->first_link].body];
        }
    }
    solve_chains(lot, &stage, false, NULL);
    for (uint32_t k = 0; state->head->integrator == AFX_ALPHA && k < chains->link_count; k++) {
        uint32_t body = chains->link[k].body;
        if (wanted[body]) {
            memcpy(state->x3 + (size_t)AFXI_AFFINE_WIDTH * body, state->x2 + (size_t)AFXI_AFFINE_WIDTH * body,
                   AFXI_AFFINE_WIDTH * sizeof(double));
        }
    }
}

/* How far the joint of a slot is off in q, or in v. */
static double slot_gap(const AfxiChainLot *lot, uint32_t joint, const double *values, const double *of_world) {
    const AfxiJoint *own = &lot->world->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(lot->world, joint);
    AfxVec3 ends[2];
    for (int side = 0; side < 2; side++) {
        uint32_t body = side ? own->base : own->follower;
        const double *q = body == AFXI_WORLD ? of_world : values + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiMat3 a = mat3_load(q);
        ends[side] = vec3_add(mat3_apply(&a, side ? frame->point_b : frame->point_a), vec3_load(q + 9));
    }
    return afxi_points_apart(ends[0], ends[1]);
}

/* How far the joints of a chain are off. */
static AfxiViolation chain_violation(const AfxiChainLot *lot, const AfxiChain *chain) {
    static const double world[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, still[AFXI_AFFINE_WIDTH];
    AfxiViolation out = {.size = chain->size};
    for (uint32_t k = chain->first_slot; k <= chain->first_slot + chain->link_count; k++) {
        if (slot_on(lot, k)) {
            uint32_t joint = chains_of(lot)->slot_joint[k];
            out.position = afxi_larger(out.position, slot_gap(lot, joint, lot->world->state.q, world));
            out.rate = afxi_larger(out.rate, slot_gap(lot, joint, lot->world->state.v, still));
        }
    }
    return out;
}

static void violation(void *data, AfxiViolation *out) {
    const AfxiChainLot *lot = data;
    for (uint32_t c = 0; c < chains_of(lot)->chain_count; c++) {
        out[c] = chain_violation(lot, &chains_of(lot)->chain[c]);
    }
}

static bool close_once(void *data, AfxiClosing *closing) {
    AfxiChainLot *lot = data;
    const AfxiChains *chains = chains_of(lot);
    bool any = false;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        bool goes_on =
            closing[c].open && afxi_closing_goes_on(&closing[c], chain_violation(lot, &chains->chain[c]).position);
        closing[c].open = goes_on;
        lot->closing[c] = goes_on;
        any |= goes_on;
    }
    if (any) {
        AfxiChainStage stage = make_stage(lot, AFXI_CHAIN_CLOSE, (AfxiScale){1, 1});
        stage.next = lot->world->state.q;
        stage.rate = lot->world->state.v;
        begin_pieces(lot, AFXI_CHAIN_CLOSE, lot->closing);
        solve_chains(lot, &stage, false, NULL);
    }
    return any;
}

static void project(void *data, const AfxiJump *jump) {
    AfxiChainLot *lot = data; /* links have no limits, and do not bounce */
    AfxiChainStage stage = make_stage(lot, AFXI_CHAIN_PROJECT, (AfxiScale){1, 1});
    stage.next = lot->world->state.v;
    begin_pieces(lot, AFXI_CHAIN_PROJECT, jump->open);
    solve_chains(lot, &stage, false, NULL);
}

/* All rows of a chain are independent. */
static AfxStatus rank(void *data, const AfxAllocator *allocator, uint32_t *out_rows, uint32_t *out_rank) {
    const AfxiChainLot *lot = data;
    uint32_t rows = 0;
    (void)allocator;
    for (uint32_t k = 0; k < chains_of(lot)->slot_count; k++) {
        rows += slot_on(lot, k) ? 3 : 0;
    }
    *out_rows = *out_rank = rows;
    return AFX_OK;
}

static void forget(void *data) {
    AfxiChainLot *lot = data;
    lot->ready = false;
}

static const AfxiBetweenKind between = {
    .violation = violation,
    .start = start,
    .close = close_once,
    .project = project,
    .rank = rank,
    .forget = forget,
};

const AfxiEngineKind afxi_engine_chain = {
    .name = "chain",
    .can = AFXI_CAN_CONTACT | AFXI_CAN_REPEAT,
    .begin = begin,
    .solve = solve,
    .measure = measure,
    .advance = advance,
    .commit = commit,
    .between = &between,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The Newton loop over the islands of a lot:
 *
 *     solve > finite? > filter > active set of contacts > errors and residuals > branches of drives > judgement >
 *     stale contacts?
 *
 * Frames move on when the points that touch have settled at the present ones: until then a body may be anywhere. Each
 * island has its own count, tolerances and verdict; one that is accepted is solved no more. */
#include "solve/newton.h"

#include <math.h>

#include "constraint/drive.h"
#include "constraint/hold.h"
#include "engine/aitken.h"
#include "engine/closed_form.h"
#include "engine/full_newton.h"
#include "engine/tuning.h"
#include "model/model.h"
#include "solve/activeset.h"
#include "solve/gain.h"
#include "solve/judge.h"
#include "solve/traced.h"
#include "solve/tuning.h"
#include "state/sleep.h"

/* ---- contacts of an island ---- */

/* The place of a body in the results of the run's lot; NULL: it belongs to another one. */
static const double *result_of(const AfxiRun *run, uint32_t body) {
    const AfxiWorld *world = run->set->world;
    if (world->model->kind[body] != AFX_BODY_DYNAMIC || afxi_is_asleep(&world->state, body)) {
        return world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    }
    if (run->chains) {
        return afxi_model_in_chain(world->model, body) ? run->chains->stage.next + (size_t)AFXI_AFFINE_WIDTH * body
                                                       : NULL;
    }
    const AfxiGraph *graph = run->lot->rows.graph;
    uint32_t local = graph->local[body];
    bool own = local < graph->body_count && graph->body[local] == body;
    return own ? run->lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * local : NULL;
}

AfxiFit afxi_island_fit(const AfxiRun *run, AfxiIsland *island) {
    AfxiFit worst = AFXI_FIT;
    run->collide->unseen = 0;
    for (uint32_t k = 0; k < island->pair_count && worst != AFXI_FIT_PENETRATING; k++) {
        const AfxiNear *near = &run->near[island->first_pair + k];
        const AfxiContactShape *shapes = run->set->world->model->contacts.shapes;
        const double *q_a = result_of(run, shapes[near->a].body), *q_b = result_of(run, shapes[near->b].body);
        if (q_a && q_b) {
            AfxiPair pair = {near->a, near->b};
            AfxiSolvedPair solved = afxi_solved_pair(run->set, near->first_point, near->end, near->tolerance);
            AfxiFit fit = afxi_collide_fit(run->collide, &pair, &solved, q_a, q_b, run->before);
            worst = fit > worst ? fit : worst;
        }
    }
    island->unseen = run->collide->unseen;
    return worst;
}

/* Rows of contacts between solved bodies at the present frames. */
static void linearise_contacts(const AfxiRun *run, const AfxiIsland *island) {
    if (!run->lot || !run->lot->pairs) {
        return;
    }
    afxi_contacts_clear(&run->lot->rows);
    for (uint32_t k = 0; k < island->active.count; k++) {
        AfxiPoint *point = &run->set->now.point[island->active.point[k]];
        if (point->pair) {
            afxi_contacts_linearise_point(run->set, &run->lot->rows, point);
        }
    }
}

/* The same when only the active set has changed. */
static void follow_contacts(const AfxiRun *run, const AfxiIsland *island) {
    for (uint32_t k = 0; run->lot && run->lot->pairs && k < island->active.count; k++) {
        AfxiPoint *point = &run->set->now.point[island->active.point[k]];
        if (point->pair) {
            afxi_contacts_follow_point(run->set, &run->lot->rows, point);
        }
    }
}

/* Whether a body turned so far that its frame must follow before friction is settled. */
static bool is_moving(const AfxiRun *run, const AfxiIsland *island) {
    bool moving = false;
    for (uint32_t k = 0; run->lot && k < run->lot->rows.graph->body_count; k++) {
        moving |= run->lot->turn[k] > fmax(AFXI_TURN_MOST, island->judge.tolerances.turn_most);
    }
    return moving;
}

/* Held points follow the bodies. */
static void follow_holds(const AfxiRun *run, const AfxiIsland *island) {
    const AfxiHolds *holds = run->set ? run->set->world->holds : NULL;
    (void)island;
    for (uint32_t k = 0; holds && k < holds->count; k++) {
        const double *next = result_of(run, holds->hold[k].body);
        if (next) {
            afxi_hold_follow(&run->set->world->holds->hold[k], next);
        }
    }
}

/* ---- beginning ---- */

static bool is_touched(const AfxiRun *run) {
    return run->lot && afxi_lot_touched(run->lot);
}

/* Many bodies that balls hold, nearly all of them by balls alone: a ball chain, or such a component of a graph. */
static bool is_whip(const AfxiRun *run, uint32_t part) {
    const AfxiGraph *graph = run->lot ? run->lot->rows.graph : NULL;
    if (!graph) {
        return true;
    }
    uint32_t bodies =
        graph->pooled ? graph->part[part + 1].first_body - graph->part[part].first_body : graph->body_count;
    uint32_t others = graph->joint_blocks - graph->ball_blocks;
    return bodies >= AFXI_WHIP_BODIES && graph->joint_blocks + graph->part_count >= graph->body_count &&
           AFXI_WHIP_BODIES * (uint64_t)others <= graph->body_count;
}

static void begin_island(const AfxiRun *run, AfxiIsland *island) {
    const AfxSimDef *def = run->lot ? &run->lot->rows.world->def : &run->chains->world->def;
    AfxiTolerances *tolerances = &island->judge.tolerances;
    island->judge = (AfxiJudge){.residual_before = INFINITY};
    *tolerances = afxi_judge_tolerances(def->accuracy, island->size, run->plan.weights.scale.h_squared);
    if (def->accuracy == AFX_FAST && is_whip(run, (uint32_t)(island - run->island))) {
        tolerances->turn_most = AFXI_TURN_MOST_WHIPS;
    }
    if (is_touched(run)) {
        tolerances->turn = run->warm && !tolerances->exact ? INFINITY : fmin(tolerances->turn, AFXI_TURN_STRUCK);
        tolerances->turn_most = tolerances->exact ? tolerances->turn_most : AFXI_TURN_STRUCK;
    }
    island->verdict = AFXI_NEW_FRAMES;
    island->pass = 1;
    island->solves = island->counted = island->repeats = 0;
    island->unseen = 0;
    island->capped = island->energy_accepted = island->loose = island->regularised = island->unconverged = false;
}

static uint32_t solves_most(const AfxiRun *run) {
    const AfxSimDef *def = run->lot ? &run->lot->rows.world->def : &run->chains->world->def;
    bool net = run->lot && afxi_graph_is_net(run->lot->rows.graph);
    return def->accuracy == AFX_CONVERGED     ? AFXI_SOLVES_MOST_CONVERGED
           : def->accuracy != AFX_FAST && net ? AFXI_SOLVES_MOST_NETS
                                              : AFXI_SOLVES_MOST;
}

/* ---- judgement of one island ---- */

/* Judges a solve of a lot that had all stiffness: closer tolerances, but what holds no energy may stay off, and the
 * strain that turns have left is taken out. */
static bool judge_full_newton(AfxiRun *run, AfxiIsland *island, AfxiTally *tally, bool drives) {
    AfxiLot *lot = run->lot;
    AfxiJudge *judge = &island->judge;
    bool fast = lot->rows.world->def.accuracy == AFX_FAST;
    double turn_most = judge->tolerances.turn_most;
    judge->tolerances.turn_most = judge->tolerances.exact ? turn_most : AFXI_TURN_STRAINED;
    judge->tolerances.turn = fmin(judge->tolerances.turn, AFXI_TURN_FULL_NEWTON);
    bool converged = afxi_judge(judge, island->pass, tally);
    judge->tolerances.turn_most = turn_most;
    bool leave = judge->turning && !judge->tolerances.exact &&
                 (fast || (island->pass >= AFXI_ACCURATE_ENERGY_AFTER && !afxi_full_newton_strained(lot, tally->turn)));
    island->energy_accepted = leave && afxi_full_newton_energy_accepts(lot, judge->tolerances.turn);
    judge->reason = island->energy_accepted ? AFX_TRACE_LIGHT : judge->reason;
    converged = (converged || island->energy_accepted) && !drives && afxi_joints_consistent(&lot->rows);
    judge->reason = afxi_judge_reason(judge->reason, converged, drives);
    if (converged && !judge->tolerances.exact && afxi_full_newton_strained(lot, tally->turn)) {
        tally->residual = afxi_full_newton_correct(lot, tally->turn);
        converged = tally->residual <= judge->tolerances.row;
        judge->reason = converged ? judge->reason : AFX_TRACE_CORRECTION;
    }
    return converged;
}

/* Whether a solve that is near enough by its turns makes or loses too much energy: a first one of `fast`, or any later
 * one. Whips lose more, and what is struck too, but for strains that joints load or that bodies leave in each other:
 * eight boxes that fell into a pit had 19 % more energy for two steps. A body that strikes the ground alone loses more
 * than its strain holds. Trees that are solved as a whole are of balls. */
static bool gain_matters(const AfxiRun *run, const AfxiIsland *island, const AfxiTally *tally, double before) {
    const AfxiLot *lot = run->lot;
    const AfxiGraph *graph = lot ? lot->rows.graph : NULL;
    bool first = island->pass == 1;
    if (!lot || island->judge.tolerances.exact) {
        return false;
    }
    if (graph->pooled || !afxi_lot_knows_turns(lot)) { /* of their turns only the largest is known */
        return afxi_part_strain_matters(lot, (uint32_t)(island - run->island), tally->turn);
    }
    if (is_whip(run, 0)) {
        return false;
    }
    if (is_touched(run)) {
        return afxi_strain_matters(lot, tally->turn);
    }
    if (first && lot->rows.world->def.accuracy != AFX_FAST) {
        return false;
    }
    return afxi_gain_matters(lot, tally->turn, first ? 0 : fmin(1, tally->turn / before));
}

/* With `converged`: whether a body has been strained or turned away from where the rows of the solve were linearised.
 * No turn tells of a strain that came with a load, but gradients of alignments are those of the strained body. */
static bool rows_moved(const AfxiRun *run, const AfxiIsland *island) {
    double most = 0;
    if (!island->judge.tolerances.exact || island->pass > AFXI_MOVED_SOLVES || !run->lot ||
        run->lot->rows.graph->pooled) {
        return false;
    }
    const AfxiRows *rows = &run->lot->rows;
    for (uint32_t k = 0; rows->graph->joint_rows && k < rows->graph->body_count; k++) {
        for (size_t e = (size_t)AFXI_AFFINE_WIDTH * k; e < (size_t)AFXI_AFFINE_WIDTH * k + 9; e++) {
            most = fmax(most, fabs(rows->next[e] - rows->at[e]));
        }
    }
    return most > AFXI_MOVED_CONVERGED;
}

/* Whether a solve of `fast` that lacks nothing but rows meets them once its factor has taken what they are off by:
 * limits that are met, and whatever else is more than linear in A. Only where there are drives: loads keep the
 * directions that they had, and a ball of 92 kg on a rod gained 1e-3 of its energy in 10 s where it loses as much. */
static bool meets_rows(AfxiRun *run, const AfxiIsland *island, AfxiTally *tally) {
    const AfxSimDef *def = run->lot ? &run->lot->rows.world->def : NULL;
    if (island->judge.reason != AFX_TRACE_RESIDUAL || !def || def->accuracy != AFX_FAST || def->solves ||
        !run->lot->rows.graph->drive_count) {
        return false;
    }
    tally->residual = afxi_lot_meet_rows(run->lot, tally->residual, island->judge.tolerances.row);
    return tally->residual <= island->judge.tolerances.row;
}

/* `out_fine`: but for its drives it would be accepted. */
static bool judge_plain(AfxiRun *run, AfxiIsland *island, AfxiTally *tally, bool drives, bool *out_fine) {
    double before = island->judge.turn_before;
    bool converged = afxi_judge(&island->judge, island->pass, tally);
    if (!converged && !drives && meets_rows(run, island, tally)) {
        island->judge.reason = AFX_TRACE_FINE;
        converged = true;
    }
    if (converged && (rows_moved(run, island) || gain_matters(run, island, tally, before))) {
        converged = false;
        island->judge.reason = AFX_TRACE_TURN;
    }
    *out_fine = converged && (!run->lot || run->lot->rows.graph->pooled || afxi_joints_consistent(&run->lot->rows));
    converged = *out_fine && !drives;
    island->judge.reason = afxi_judge_reason(island->judge.reason, converged, drives);
    return converged;
}

/* Whether points must be looked for again, or the step is too long for them. */
static AfxiVerdict check_contacts(const AfxiRun *run, AfxiIsland *island, bool accepted, bool last) {
    AfxiVerdict verdict = accepted ? AFXI_ACCEPT : AFXI_NEW_FRAMES;
    if (!run->collide || last || !island->pair_count) {
        return verdict;
    }
    uint32_t round = island->rounds;
    bool links = run->chains != NULL; /* they are not looked for again: a smaller step where they lie deep */
    AfxiFit allowed = links || round >= AFXI_LOOKS_MOST ? AFXI_FIT_PENETRATING
                      : round >= AFXI_STALE_MOST        ? AFXI_FIT_STALE
                                                        : AFXI_FIT;
    if (allowed == AFXI_FIT_PENETRATING && !accepted) {
        return verdict;
    }
    AfxiFit fit = afxi_island_fit(run, island);
    if (fit > allowed) {
        island->judge.reason = allowed == AFXI_FIT ? AFX_TRACE_STALE : AFX_TRACE_PENETRATION;
        return AFXI_RECOLLIDE;
    }
    if (fit == AFXI_FIT_PENETRATING && accepted && run->strict) {
        island->judge.reason = AFX_TRACE_PENETRATION;
        return AFXI_CUT_STEP;
    }
    return verdict;
}

/* Whether a solve that is accepted leads to a step that makes energy, and smaller ones may still be taken. Whips give
 * back in a step what they lose in the next. */
static bool makes_energy(const AfxiRun *run) {
    const AfxiLot *lot = run->lot;
    return lot && run->watched && !lot->rows.graph->pooled && afxi_lot_knows_turns(lot) && !is_whip(run, 0) &&
           afxi_step_gains(lot);
}

/* Whether drives that have changed their branches are solved for again at the frames that they changed at. Frames that
 * have not moved are as good for the new branches; but what goes round is stirred by moving them. */
static bool repeats(const AfxiRun *run, const AfxiIsland *island) {
    return run->engine->can & AFXI_CAN_REPEAT && run->lot && afxi_lot_follows_branches(run->lot) &&
           island->repeats < AFXI_BRANCH_REPEATS_MOST;
}

/* Whether what nears its place slowly may go there at once: where nothing but joints has a say. A solve that only met
 * its rows tells nothing of a rate. */
static bool extrapolates(const AfxiRun *run) {
    return !run->filter && !is_touched(run) && !run->lot->finishing && !run->lot->rows.graph->pooled &&
           afxi_lot_knows_turns(run->lot) && !run->lot->rows.world->def.solves;
}

/* The verdict on a solve of island k; `last`: a fixed number of solves ends with it. */
static AfxiVerdict judge_island(AfxiRun *run, uint32_t k, bool last) {
    AfxiIsland *island = &run->island[k];
    AfxiTally *tally = &run->tally[k];
    bool drives = run->lot && (run->lot->rows.graph->drive_count || run->lot->rows.groups.table_count) &&
                  afxi_drives_branches(&run->lot->rows, afxi_lot_multipliers(run->lot)) > 0;
    bool able = run->lot && run->lot->able && !run->filter; /* it would go on from a filtered candidate */
    const AfxiJudge before = island->judge;
    bool fine = false;
    bool converged =
        able ? judge_full_newton(run, island, tally, drives) : judge_plain(run, island, tally, drives, &fine);
    const AfxSimDef *def = run->lot ? &run->lot->rows.world->def : &run->chains->world->def;
    bool accepted = def->solves ? last : converged;
    island->loose = tally->residual > island->judge.tolerances.loose;
    AfxiVerdict verdict = check_contacts(run, island, accepted, last && def->solves);
    if (verdict == AFXI_ACCEPT && makes_energy(run)) {
        island->judge.reason = AFX_TRACE_TURN;
        return AFXI_CUT_STEP;
    }
    if (verdict == AFXI_NEW_FRAMES && fine && drives && !def->solves && repeats(run, island)) {
        island->judge.turn_before = before.turn_before; /* as if the right branches had been known */
        island->judge.residual_before = before.residual_before;
        island->repeats++;
        return AFXI_SAME_FRAMES;
    }
    if (verdict == AFXI_NEW_FRAMES && run->lot) {
        AfxiLot *lot = run->lot;
        bool whole = !lot->finishing;
        afxi_lot_finish_next(lot, island->pass >= AFXI_FINISH_AFTER && island->pass % AFXI_FINISH_EVERY &&
                                      island->judge.unmet && lot->rows.graph->joint_rows > 0 && !drives);
        if (able || (whole && extrapolates(run))) {
            afxi_lot_aitken(lot, island->pass, able);
        }
    }
    return verdict;
}

/* Compares the contacts of island k with what the solve gave; true when it is solved again at the same frames, or comes
 * to its verdict so. */
static bool update_active_set(AfxiRun *run, uint32_t k, bool last) {
    AfxiIsland *island = &run->island[k];
    if (!island->active.count) {
        return false;
    }
    if (afxi_activeset_update(run->set, &island->active, is_moving(run, island)) && !last) {
        if (run->lot && run->lot->finishing) { /* the rows are those of the frames again */
            afxi_lot_linearise(run->lot);
            island->active.started = false;
            run->lot->finishing = false;
            linearise_contacts(run, island);
        } else {
            follow_contacts(run, island);
        }
        island->judge.reason = island->active.followed ? AFX_TRACE_FRICTION_LIMIT : AFX_TRACE_CONTACT_SET;
        island->verdict = AFXI_SAME_FRAMES;
        return true;
    }
    if (run->strict && island->active.penetrating) {
        island->judge.reason = AFX_TRACE_PENETRATION;
        island->verdict = AFXI_CUT_STEP;
        return true;
    }
    return false;
}

/* ---- the loop ---- */

/* Counts a solve of island k; false when it ended there. */
static bool book_solve(AfxiRun *run, uint32_t k) {
    AfxiIsland *island = &run->island[k];
    const AfxiTally *tally = &run->tally[k];
    island->solves++;
    island->judge.error = NAN;
    island->regularised |= tally->regularised;
    island->unconverged |= tally->unconverged;
    if (!tally->finite) {
        island->judge.reason = AFX_TRACE_NOT_FINITE;
        island->verdict = AFXI_LOST;
    } else if (tally->refused) {
        island->judge.reason = AFX_TRACE_REFUSED;
        island->verdict = AFXI_ESCALATE;
    } else {
        return true;
    }
    return false;
}

static bool is_open(AfxiVerdict verdict) {
    return verdict == AFXI_SAME_FRAMES || verdict == AFXI_NEW_FRAMES;
}

/* The cap of solves is reached. A single body that is pulled far by a held point is where its rows want it, and nothing
 * is gained by a smaller step. */
static AfxiVerdict out_of_solves(const AfxiRun *run, AfxiIsland *island) {
    island->capped = run->lot && run->lot->rows.graph->body_count == 1 && run->lot->rows.graph->block_count == 0 &&
                     island->active.count == 0;
    island->judge.reason = AFX_TRACE_CAP;
    return island->capped ? AFXI_ACCEPT : AFXI_CUT_STEP;
}

/* Frames move on, but for components of a pooled lot, and up to the cap of solves. */
static AfxiVerdict go_on(const AfxiRun *run, AfxiIsland *island) {
    bool pooled = run->lot && run->lot->rows.graph->pooled;
    return pooled ? AFXI_ESCALATE : ++island->pass > solves_most(run) ? out_of_solves(run, island) : AFXI_NEW_FRAMES;
}

/* A candidate that was shortened tells nothing of convergence: the next one is not compared with it, and a warm start
 * is no longer near enough. */
static bool filter(AfxiRun *run, uint32_t k, bool last) {
    AfxiIsland *island = &run->island[k];
    if (!afxi_filter_apply(run, k) || last) {
        return false;
    }
    if (run->lot) {
        run->lot->finishing = false;
    }
    island->judge.turn_before = 0;
    island->judge.tolerances.turn = fmin(island->judge.tolerances.turn, island->judge.tolerances.turn_near);
    island->judge.reason = AFX_TRACE_SHORTENED;
    island->verdict = go_on(run, island);
    return true;
}

/* The verdict on the last solve of island k. */
static void conclude(AfxiRun *run, uint32_t k, AfxiAsk *ask, bool *measured) {
    AfxiIsland *island = &run->island[k];
    const AfxSimDef *def = run->lot ? &run->lot->rows.world->def : &run->chains->world->def;
    if (!book_solve(run, k)) {
        return;
    }
    bool last = def->solves && island->solves >= def->solves;
    if (filter(run, k, last)) {
        return;
    }
    if (update_active_set(run, k, last)) {
        run->same[k] = island->verdict == AFXI_SAME_FRAMES;
        return;
    }
    if (!*measured) {
        run->engine->measure(run->data, ask);
        *measured = true;
    }
    island->verdict = judge_island(run, k, last);
    run->same[k] = island->verdict == AFXI_SAME_FRAMES;
    if (island->verdict == AFXI_NEW_FRAMES) {
        island->verdict = go_on(run, island);
    }
}

/* One solve of all open islands, and their verdicts. */
static void solve_once(AfxiRun *run, AfxiAsk *ask) {
    run->engine->solve(run->data, ask);
    bool measured = false;
    AfxTraceMethod method = afxi_traced_method(run);
    for (uint32_t k = 0; k < run->count; k++) {
        run->same[k] = false;
        if (run->open[k]) {
            conclude(run, k, ask, &measured);
            afxi_traced_solve(run, k, method);
        }
    }
}

/* Moves the frames of islands that go on at new ones. */
static void advance(AfxiRun *run, AfxiAsk *ask) {
    bool any = false;
    for (uint32_t k = 0; k < run->count; k++) {
        run->open[k] = run->open[k] && is_open(run->island[k].verdict);
        bool moves = run->open[k] && !run->same[k];
        any |= moves;
        if (run->chains && run->same[k] && run->island[k].pass > 1) {
            run->island[k].active.started = false; /* links go on from their last result in any case */
        }
        if (moves) {
            run->island[k].active.started = false;
            afxi_filter_advance(run, k);
        }
    }
    ask->later = run->lot && run->island[0].pass > 1;
    if (any) {
        run->engine->advance(run->data, ask);
        follow_holds(run, run->island);
        if (run->lot) {
            linearise_contacts(run, &run->island[0]);
        }
    }
}

void afxi_newton(AfxiRun *run) {
    AfxiAsk ask = {.tally = run->tally, .open = run->open, .same = run->same};
    uint32_t open = 0;
    for (uint32_t k = 0; k < run->count; k++) {
        open += run->open[k];
        if (run->open[k]) {
            begin_island(run, &run->island[k]);
            afxi_filter_begin(run, k);
            const AfxiTolerances *tolerances = &run->island[k].judge.tolerances;
            ask.fine = tolerances->share > 0 ? fmin(tolerances->turn, AFXI_TURN_FINE) : tolerances->turn;
        }
    }
    if (open) {
        run->engine->begin(run->data, &run->plan);
        linearise_contacts(run, &run->island[0]);
    }
    while (open) {
        solve_once(run, &ask);
        advance(run, &ask);
        open = 0;
        for (uint32_t k = 0; k < run->count; k++) {
            open += run->open[k];
        }
    }
    run->done = true;
}

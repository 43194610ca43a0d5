/* SPDX-License-Identifier: Apache-2.0 */
/* One stage of a step:
 *
 *     contacts > partition into islands > Newton loop of each run > contacts stale? look for them again, solve what
 * changed
 *
 * Nothing is committed before all of it is accepted: contacts that are looked for again may join an island to one that
 * is done. What an island comes to depends on its own bodies alone, never on others that happen to be in the same
 * world. */
#include "solve/stage.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "collide/find.h"
#include "collide/rest.h"
#include "constraint/hold.h"
#include "model/model.h"
#include "solve/newton.h"
#include "solve/partition.h"
#include "solve/traced.h"
#include "solve/tuning.h"
#include "solve/validate.h"
#include "state/phase.h"
#include "state/sleep.h"
#include "state/turning.h"

/* ---- pace ---- */

/* The slowest pace of bodies; a new impact makes it slower. */
static uint8_t pace_of(const AfxiState *state, const uint32_t *bodies, uint32_t count, bool impact) {
    uint8_t pace = impact ? AFXI_IMPACT_STEPS : 0;
    for (uint32_t k = 0; state->head->uneven && k < count; k++) {
        pace = afxi_pace_slower(pace, state->pace[bodies[k]]);
    }
    return pace;
}

static void set_pace(AfxiState *state, uint8_t pace, const uint32_t *bodies, uint32_t count) {
    for (uint32_t k = 0; pace && k < count; k++) {
        state->pace[bodies[k]] = pace;
        state->head->uneven = 1;
    }
}

static bool any_impact(const AfxiContactSet *set, const AfxiActiveSet *active) {
    for (uint32_t k = 0; k < active->count; k++) {
        if (set->now.point[active->point[k]].impact) {
            return true;
        }
    }
    return false;
}

/* ---- beginning of a run ---- */

/* All methods but BDF1 are thrown off by a velocity that jumps within a step: they would throw part of the jump back.
 */
static bool shocks(const AfxiSolver *solver) {
    return solver->world->state.head->integrator != AFX_BDF1;
}

/* `held`: forces of holds may be too stiff for a start from accelerations. */
static int plan_number(const AfxiStageDef *def, uint8_t pace, bool held) {
    const AfxiStagePlan *plan = afxi_pace_plan_of(&def->plans, pace);
    const AfxiPlanFamily *family = pace & AFXI_PACE_TURNING ? &def->plans.turning : &def->plans.own;
    int which = plan == &family->even ? 0 : plan == &family->reduced_order ? 2 : held ? 3 : 1;
    return pace & AFXI_PACE_TURNING ? which + AFXI_PLANS / 2 : which;
}

static void set_plan(const AfxiSolver *solver, const AfxiStageDef *def, AfxiRun *run, uint8_t pace, bool held) {
    run->planned = plan_number(def, pace, held);
    run->plan = *solver->plans[run->planned];
    afxi_phase_fill(solver->world, &run->plan, run->lot->rows.graph->body, run->lot->rows.graph->body_count);
}

/* Whether a body of a lot is held. */
static bool is_held(const AfxiSolver *solver, const AfxiRun *run) {
    const AfxiHolds *holds = solver->world->holds;
    for (uint32_t k = 0; holds && k < holds->count; k++) {
        if (afxi_partition_run(solver, holds->hold[k].body) == run) {
            return true;
        }
    }
    return false;
}

static void choose_plan(AfxiSolver *solver, const AfxiStageDef *def, AfxiRun *run) {
    AfxiState *state = &solver->world->state;
    const AfxiGraph *graph = run->lot->rows.graph;
    bool impact = solver->set && shocks(solver) && any_impact(solver->set, &run->island[0].active);
    afxi_traced_order_reduction(solver->world, impact, graph->body[0], AFXI_IMPACT_STEPS);
    uint8_t pace = pace_of(state, graph->body, graph->body_count, impact);
    if (pace & AFXI_PACE_TURNING && run->root_count > 1) {
        pace |= AFXI_PACE_LED;
        for (uint32_t k = 0; k < graph->body_count; k++) {
            afxi_turning_join(state, graph->body[k]);
        }
    }
    set_pace(state, pace, graph->body, graph->body_count);
    set_plan(solver, def, run, pace, is_held(solver, run));
}

/* Rows of an island's points, from what they remember and the stage. */
static void begin_points(AfxiSolver *solver, const AfxiStagePlan *plan, const AfxiActiveSet *active, bool chained) {
    AfxiContactSet *set = solver->set;
    for (uint32_t k = 0; k < active->count; k++) {
        set->now.point[active->point[k]].chained = chained;
    }
    for (uint32_t begin = 0, end; begin < active->count; begin = end) {
        const AfxiPointMemory *first = &set->now.point[active->point[begin]].memory;
        for (end = begin; end < active->count; end++) {
            const AfxiPointMemory *own = &set->now.point[active->point[end]].memory;
            if (own->item_a != first->item_a || own->item_b != first->item_b) {
                break;
            }
        }
        afxi_collide_rests(solver->collide, active->point[begin], active->point[end - 1] + 1);
    }
    for (uint32_t k = 0; k < active->count; k++) {
        AfxiPoint *point = &set->now.point[active->point[k]];
        afxi_point_count_from(set, plan, point);
        if (!point->pair) {
            afxi_point_stiffen(set, point);
        }
    }
}

/* Rows of held points of a run. */
static void begin_holds(AfxiSolver *solver, const AfxiStageDef *def, const AfxiRun *run) {
    AfxiHolds *holds = solver->world->holds;
    const AfxiChains *chains = &solver->world->model->chains;
    for (uint32_t k = 0; holds && k < holds->count; k++) {
        AfxiHold *hold = &holds->hold[k];
        bool own = afxi_partition_run(solver, hold->body) == run;
        if (own && (!run->chains || run->open[chains->chain_of[chains->link_of[hold->body]]])) {
            afxi_hold_begin(solver->world, &run->plan, def->fraction, def->whole, hold);
        }
    }
}

/* Multipliers and places that solves go on from after contacts were looked for again. */
static void attach_warm(AfxiSolver *solver, AfxiRun *run) {
    AfxiLot *lot = run->lot;
    const AfxiGraph *graph = lot->rows.graph;
    bool able = solver->collide && run->engine->can & AFXI_CAN_CONTACT &&
                afxi_lot_touchable(lot); /* else what is warm has left the lot */
    const uint8_t *warm = able && solver->repeated ? solver->collide->warm : NULL;
    bool any = false, all = warm != NULL;
    for (uint32_t k = 0; warm && k < graph->body_count; k++) {
        any |= warm[graph->body[k]];
        all &= warm[graph->body[k]];
    }
    run->warm = all && any;
    lot->is_warm = any ? warm : NULL;
    lot->warm = any ? solver->collide->result : NULL;
    if (!lot->row_of) {
        lot->load = (any ? solver->known : solver->world->state.lambda) + graph->first_row;
        return;
    }
    for (uint32_t row = 0; any && row < graph->joint_rows; row++) {
        uint32_t body = graph->body[graph->entry[graph->block[graph->row[row].block].first_entry].dof.index];
        const double *from = warm[body] ? solver->known : solver->world->state.lambda;
        lot->known[row] = lot->row_sign[row] * from[lot->row_of[row]];
    }
}

static void run_lot(AfxiSolver *solver, const AfxiStageDef *def, AfxiRun *run) {
    AfxiIsland *island = &run->island[0];
    run->set = solver->set;
    run->collide = solver->collide;
    run->filter = solver->filter;
    run->strict = def->strict;
    run->watched = def->watched;
    run->before = solver->world->state.q;
    island->active.next = run->lot->rows.next;
    island->active.local = run->lot->rows.graph->local;
    begin_points(solver, &run->plan, &island->active, false);
    begin_holds(solver, def, run);
    bool able =
        run->engine->can & AFXI_CAN_CONTACT && afxi_lot_touchable(run->lot); /* else what is touched has left the lot */
    bool touched = solver->set && solver->mark[solver->world->model->root[run->lot->rows.graph->body[0]]];
    afxi_lot_attach(run->lot, able && (touched || island->active.count) ? solver->set : NULL);
    attach_warm(solver, run);
    afxi_newton(run);
    AFXI_VALIDATE(run->count == 1 ? afxi_run_validate(run) : (void)0);
}

/* ---- all runs ---- */

/* Lots of components, then islands of this stage. */
static uint32_t run_count(const AfxiSolver *solver) {
    return solver->world->model->graph_count + solver->island_count;
}

static AfxiRun *run_at(const AfxiSolver *solver, uint32_t k) {
    uint32_t graphs = solver->world->model->graph_count;
    return k < graphs ? &solver->run[k] : solver->island[k - graphs];
}

/* Whether island p of run k is solved there in this stage. */
static bool is_own(const AfxiSolver *solver, uint32_t k, uint32_t p) {
    uint32_t body = run_at(solver, k)->island[p].body;
    bool leaves = k < solver->world->model->graph_count && afxi_partition_leaves(solver, body);
    return !leaves && !solver->absent[body];
}

/* Marks what a run still has to solve; whether that is anything comes back. */
static bool open_run(const AfxiSolver *solver, uint32_t k) {
    AfxiRun *run = run_at(solver, k);
    bool any = false;
    for (uint32_t p = 0; p < run->count; p++) {
        run->open[p] = !run->done && is_own(solver, k, p);
        any |= run->open[p];
    }
    return any;
}

/* Plans of ball chains, each by its own pace. */
static void choose_chain_plans(AfxiSolver *solver, const AfxiStageDef *def) {
    const AfxiChains *chains = &solver->world->model->chains;
    AfxiState *state = &solver->world->state;
    solver->chain_plans = 0;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        const AfxiChainLink *link = chains->link + chain->first_link;
        const AfxiActiveSet *active = &afxi_partition_chains(solver)->island[c].active;
        bool impact = solver->set && shocks(solver) && any_impact(solver->set, active);
        uint8_t pace = impact ? AFXI_IMPACT_STEPS : 0;
        afxi_traced_order_reduction(solver->world, impact, link[0].body, AFXI_IMPACT_STEPS);
        for (uint32_t k = 0; state->head->uneven && k < chain->link_count; k++) {
            pace = afxi_pace_slower(pace, state->pace[link[k].body]);
        }
        for (uint32_t k = 0; pace && k < chain->link_count; k++) {
            set_pace(state, pace, &link[k].body, 1);
        }
        bool held = false;
        const AfxiHolds *holds = solver->world->holds;
        for (uint32_t k = 0; holds && k < holds->count; k++) {
            held |= solver->world->model->root[holds->hold[k].body] == link[0].body;
        }
        solver->chain_plan[c] = (uint8_t)plan_number(def, pace, held);
        solver->chain_plans |= 1u << solver->chain_plan[c];
    }
}

/* Ball chains that go by one plan. */
static void run_chains(AfxiSolver *solver, const AfxiStageDef *def, int which, const AfxiStagePlan *plan) {
    AfxiRun *run = afxi_partition_chains(solver);
    bool all = true, any = false;
    for (uint32_t c = 0; c < run->count; c++) {
        uint32_t root = run->island[c].body;
        bool own = !afxi_partition_leaves(solver, root) && !solver->absent[root];
        run->open[c] = own && !run->done && solver->chain_plan[c] == which;
        solver->chosen[c] = run->open[c];
        all &= run->open[c];
        any |= run->open[c];
    }
    if (!any) {
        return;
    }
    run->set = solver->set;
    run->collide = solver->collide;
    run->filter = solver->filter;
    run->strict = def->strict;
    run->watched = def->watched;
    run->plan = *plan;
    run->before = def->in_place ? solver->world->state.saved_q : solver->world->state.q;
    afxi_chains_choose(&solver->chains, all ? NULL : solver->chosen, def->in_place);
    for (uint32_t c = 0; c < run->count; c++) {
        AfxiActiveSet *active = &run->island[c].active;
        active->next = afxi_chains_next(&solver->chains);
        active->local = NULL;
        active->patient = solver->world->def.accuracy == AFX_FAST;
        if (run->open[c]) {
            begin_points(solver, plan, active, true);
        }
    }
    begin_holds(solver, def, run);
    afxi_newton(run);
    run->done = false; /* other plans may follow */
}

/* Solves what is not done, plan by plan: constants of bodies are made for one at a time. */
static void run_all(AfxiSolver *solver, const AfxiStageDef *def) {
    AFXI_VALIDATE(afxi_partition_validate(solver));
    uint32_t plans = 0; /* bits: those that some run goes by */
    for (uint32_t k = 0; k < run_count(solver); k++) {
        AfxiRun *run = run_at(solver, k);
        bool open = open_run(solver, k);
        run->planned = -1;
        if (open && !run->lot->rows.graph->pooled) {
            choose_plan(solver, def, run);
        } else if (open) { /* pooled trees whose pace is not even have left it */
            set_plan(solver, def, run, 0, false);
        }
        plans |= open ? 1u << run->planned : 0;
    }
    AfxiRun *chains = afxi_partition_chains(solver);
    bool solve_chains = chains->count && !chains->done;
    if (solve_chains) {
        choose_chain_plans(solver, def);
        afxi_chains_attach_contacts(&solver->chains, solver->set);
    }
    for (int p = 0; p < AFXI_PLANS; p++) {
        for (uint32_t k = 0; plans >> p & 1 && k < run_count(solver); k++) {
            if (run_at(solver, k)->planned == p) {
                run_lot(solver, def, run_at(solver, k));
            }
        }
        if (solve_chains && solver->chain_plans >> p & 1) {
            run_chains(solver, def, p, solver->plans[p]);
        }
    }
    chains->done = true;
}

/* ---- verdicts ---- */

/* An island whose contacts no longer fit, or that its engine could not do: what it needs for the next round. */
static bool prepare_again(AfxiSolver *solver, AfxiRun *run, uint32_t p) {
    const AfxModel *model = solver->world->model;
    AfxiVerdict verdict = run->island[p].verdict;
    bool recollide = verdict == AFXI_RECOLLIDE;
    bool beyond = run->engine == &afxi_engine_tree && !(recollide && afxi_lot_touchable(run->lot));
    if (!recollide && verdict != AFXI_ESCALATE) {
        return false;
    }
    const AfxiGraph *graph = run->lot->rows.graph;
    solver->repeated = true;
    if (recollide && !graph->pooled) {
        afxi_partition_keep(solver, run);
    }
    for (uint32_t b = graph->part[p].first_body; b < graph->part[p + 1].first_body; b++) {
        uint32_t body = graph->body[b], root = model->root[body];
        solver->look[body] |= recollide;
        solver->mark[root] |= beyond ? AFXI_MARK_ESCALATED : 0;
        solver->rounds[root] = (uint8_t)(solver->rounds[root] + (recollide && body == root));
        solver->spent[root] = (uint16_t)(solver->spent[root] + (body == root ? run->island[p].solves : 0));
    }
    run->done = graph->pooled; /* what stays in a pooled lot is done */
    return true;
}

/* Pairs of shapes of two islands: each was solved without the other. */
static void check_between(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    for (uint32_t k = 0; k < solver->between_count; k++) {
        const AfxiNear *near = &solver->between[k];
        uint32_t body[2] = {model->contacts.shapes[near->a].body, model->contacts.shapes[near->b].body};
        uint8_t rounds_a = solver->rounds[model->root[body[0]]], rounds_b = solver->rounds[model->root[body[1]]];
        AfxiIsland *island[2] = {NULL, NULL};
        const double *q_a = afxi_partition_result(solver, body[0], &island[0]);
        const double *q_b = afxi_partition_result(solver, body[1], &island[1]);
        if (!q_a || !q_b || (rounds_a > rounds_b ? rounds_a : rounds_b) >= AFXI_LOOKS_MOST) {
            continue;
        }
        AfxiPair pair = {near->a, near->b};
        AfxiSolvedPair solved = afxi_solved_pair(solver->set, near->first_point, near->end, near->tolerance);
        AfxiFit fit = afxi_collide_fit(solver->collide, &pair, &solved, q_a, q_b, solver->world->state.q);
        for (int side = 0; fit > AFXI_FIT && side < 2; side++) {
            bool accepted = island[side]->verdict == AFXI_ACCEPT && !afxi_model_in_chain(model, body[side]);
            island[side]->verdict = accepted ? AFXI_RECOLLIDE : island[side]->verdict;
            afxi_traced_overrule(accepted ? afxi_partition_run(solver, body[side]) : NULL, island[side]);
        }
    }
}

/* Notes what was accepted; true when some islands are to be solved again. */
static bool collect(AfxiSolver *solver) {
    bool again = false;
    for (uint32_t k = 0; k < run_count(solver); k++) {
        AfxiRun *run = run_at(solver, k);
        for (uint32_t p = 0; p < run->count; p++) {
            bool own = is_own(solver, k, p);
            run->accepted[p] = own && run->island[p].verdict == AFXI_ACCEPT;
            again |= own && prepare_again(solver, run, p);
        }
    }
    AfxiRun *chains = afxi_partition_chains(solver);
    for (uint32_t c = 0; c < chains->count; c++) {
        uint32_t root = chains->island[c].body;
        bool own = !afxi_partition_leaves(solver, root) && !solver->absent[root];
        chains->accepted[c] = own && chains->island[c].verdict == AFXI_ACCEPT;
    }
    return again;
}

/* ---- outcome ---- */

static void book_island(const AfxiSolver *solver, const AfxiRun *run, uint32_t p, AfxiStageOutcome *out) {
    const AfxiIsland *island = &run->island[p];
    const AfxiTally *tally = &run->tally[p];
    uint32_t solves = island->solves + solver->spent[island->body];
    out->solves = solves > out->solves ? solves : out->solves;
    out->regularised |= island->regularised;
    out->unconverged |= island->unconverged;
    if (island->verdict == AFXI_ACCEPT) {
        out->residual = tally->residual > out->residual ? tally->residual : out->residual;
        out->rotation_error = tally->turn > out->rotation_error ? tally->turn : out->rotation_error;
        out->loose |= island->loose;
        out->energy_accepted |= island->energy_accepted;
        out->capped |= island->capped;
        return;
    }
    out->whole = false;
    if (island->verdict == AFXI_LOST) {
        out->failed_body = tally->body < out->failed_body ? tally->body : out->failed_body;
        out->finite = false;
    }
}

/* Counts the solves of a round. */
static void count_solves(AfxiSolver *solver, AfxiStageOutcome *out) {
    for (uint32_t k = 0; k <= run_count(solver); k++) {
        AfxiRun *run = k < run_count(solver) ? run_at(solver, k) : afxi_partition_chains(solver);
        for (uint32_t p = 0; p < run->count; p++) {
            AfxiIsland *island = &run->island[p];
            out->body_solves += (uint64_t)(island->solves - island->counted) * island->body_count;
            island->counted = island->solves;
        }
    }
}

/* The bodies of an island that is not accepted have no part in the rest of the step. */
static void mark_absent(AfxiSolver *solver, const AfxiRun *run, uint32_t p) {
    const AfxModel *model = solver->world->model;
    if (run->chains) {
        const AfxiChain *chain = &model->chains.chain[p];
        for (uint32_t k = 0; k < chain->link_count; k++) {
            solver->absent[model->chains.link[chain->first_link + k].body] = 1;
        }
    } else {
        const AfxiGraph *graph = run->lot->rows.graph;
        for (uint32_t b = graph->part[p].first_body; b < graph->part[p + 1].first_body; b++) {
            solver->absent[graph->body[b]] = 1;
        }
    }
    solver->any_absent = true;
}

static void finish(AfxiSolver *solver, AfxiStageOutcome *out) {
    solver->dropped |= solver->set && solver->set->dropped > 0;
    for (uint32_t k = 0; k < run_count(solver); k++) {
        AfxiRun *run = run_at(solver, k);
        for (uint32_t p = 0; p < run->count; p++) {
            if (is_own(solver, k, p)) {
                book_island(solver, run, p, out);
                solver->unseen = fmax(solver->unseen, run->island[p].unseen);
                solver->given_up |= run->accepted[p] && run->island[p].active.given_up;
            }
        }
    }
    for (uint32_t k = 0; k < run_count(solver); k++) { /* after all: it changes what is own */
        AfxiRun *run = run_at(solver, k);
        for (uint32_t p = 0; p < run->count; p++) {
            if (is_own(solver, k, p) && !run->accepted[p]) {
                mark_absent(solver, run, p);
            }
        }
    }
    AfxiRun *chains = afxi_partition_chains(solver);
    uint8_t *failed = solver->chosen;
    bool any = false;
    for (uint32_t c = 0; c < chains->count; c++) {
        uint32_t root = chains->island[c].body;
        bool own = !afxi_partition_leaves(solver, root) && !solver->absent[root];
        failed[c] = own && !chains->accepted[c];
        any |= failed[c];
        if (own) {
            book_island(solver, chains, c, out);
            solver->unseen = fmax(solver->unseen, chains->island[c].unseen);
            solver->given_up |= chains->accepted[c] && chains->island[c].active.given_up;
        }
    }
    if (any) {
        afxi_chains_choose(&solver->chains, failed, solver->chains.in_place);
        afxi_chains_undo(&solver->chains, failed);
    }
    for (uint32_t c = 0; any && c < chains->count; c++) {
        if (failed[c]) {
            mark_absent(solver, chains, c);
        }
    }
}

/* In a stage of some bodies: whether one of them touches another that is absent. In a part of a step that one must take
 * part; in a later stage of a whole step it did not settle in an earlier one, and the body waits with it. */
static bool find_grown(AfxiSolver *solver, bool whole) {
    const AfxModel *model = solver->world->model;
    const AfxiContactSet *set = solver->set;
    bool grown = false;
    for (uint32_t k = 0; solver->any_absent && set && k < set->now.count; k++) {
        const AfxiPoint *point = &set->now.point[k];
        uint32_t a = point->body_a, b = point->pair ? point->body_b : point->body_a;
        if (solver->absent[a] != solver->absent[b]) {
            bool first = solver->absent[a] != whole;
            solver->grown[model->root[first ? a : b]] = 1;
            grown = true;
        }
    }
    return grown;
}

/* Sleepers that something has come near wake, and take part; whether there are any comes back. Their contacts are
 * looked for next. */
static bool wake_touched(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    AfxiState *state = &solver->world->state;
    bool any = false;
    for (uint32_t k = 0; solver->set && state->head->sleepers && k < solver->set->now.count; k++) {
        const AfxiPoint *point = &solver->set->now.point[k];
        any |= afxi_sleep_wake(state, model, point->body_a);
        any |= point->pair && afxi_sleep_wake(state, model, point->body_b);
    }
    for (uint32_t k = 0; any && k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        bool wakes = solver->asleep[body] && !state->asleep[body];
        solver->absent[body] = solver->absent[body] && !wakes;
        solver->asleep[body] = solver->asleep[body] && !wakes;
        solver->look[body] = wakes;
    }
    return any;
}

/* Whether bodies are absent that do not sleep: they keep the points that they have. */
static bool any_left_out(const AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    bool sleepers = false;
    for (uint32_t k = 0; solver->any_absent && k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        sleepers |= solver->asleep[body] != 0;
        if (solver->absent[body] && !solver->asleep[body]) {
            return true;
        }
    }
    return solver->any_absent && !sleepers;
}

/* Contacts where the bodies are expected. */
static AfxStatus look_first(AfxiSolver *solver, const AfxiStageDef *def) {
    const AfxModel *model = solver->world->model;
    bool partial = any_left_out(solver);
    AfxStatus status;
    solver->unseen = 0;
    do {
        solver->collide->absent = solver->any_absent ? solver->absent : NULL;
        for (uint32_t k = 0; partial && k < model->dynamic_count; k++) { /* absent ones keep their points */
            solver->look[model->dynamic[k]] = !solver->absent[model->dynamic[k]];
        }
        status = afxi_collide_find(solver->collide, &def->plans, partial ? solver->look : NULL, false);
    } while (status == AFX_OK && def->wakes && wake_touched(solver));
    memset(solver->look, 0, model->body_count);
    return status;
}

/* Contacts where the solves put the bodies. Ball chains that were solved in place are seen as they were before: what
 * meets them starts there, and so do they if it does. */
static AfxStatus look_again(AfxiSolver *solver, const AfxiStageDef *def) {
    const AfxiRun *chains = afxi_partition_chains(solver);
    for (uint32_t c = 0; c < chains->count; c++) {
        uint32_t root = chains->island[c].body;
        solver->chosen[c] = !afxi_partition_leaves(solver, root) && !solver->absent[root];
    }
    afxi_chains_exchange(&solver->chains, solver->chosen);
    AfxStatus status;
    do {
        status = afxi_collide_find(solver->collide, &def->plans, solver->look, true);
    } while (status == AFX_OK && def->wakes && wake_touched(solver));
    afxi_chains_exchange(&solver->chains, solver->chosen);
    memset(solver->look, 0, solver->world->model->body_count);
    return status;
}

AfxStatus afxi_stage_solve(AfxiSolver *solver, const AfxiStageDef *def, AfxiStageOutcome *out) {
    AfxStatus status = AFX_OK;
    *out = (AfxiStageOutcome){.failed_body = UINT32_MAX, .finite = true, .whole = true};
    const AfxiPlanFamily *family[2] = {&def->plans.own, &def->plans.turning};
    for (int k = 0; k < 2; k++) {
        const AfxiStagePlan **plans = solver->plans + k * AFXI_PLANS / 2;
        plans[0] = &family[k]->even;
        plans[1] = &family[k]->restarted;
        plans[2] = &family[k]->reduced_order;
        plans[3] = &family[k]->gentle;
    }
    afxi_partition_reset(solver);
    solver->chains.moved = false;
    status = solver->collide ? look_first(solver, def) : AFX_OK;
    if (status == AFX_OK && find_grown(solver, def->whole)) {
        out->grown = true;
        return AFX_OK;
    }
    status = status ? status : afxi_partition(solver);
    for (bool again = true; again && status == AFX_OK;) {
        run_all(solver, def);
        check_between(solver);
        again = collect(solver);
        if (again && solver->collide) {
            count_solves(solver, out);
            status = look_again(solver, def);
        }
        if (again && status == AFX_OK && find_grown(solver, def->whole)) {
            out->grown = true;
            return AFX_OK;
        }
        if (again && status == AFX_OK) {
            status = afxi_partition(solver);
        }
    }
    if (status == AFX_OK) {
        count_solves(solver, out);
        finish(solver, out);
    } else {
        out->failed_body = solver->crowd.bodies ? solver->crowd.body : UINT32_MAX;
    }
    return status;
}

/* Components that an island solves: their multipliers before the step are kept. */
static void keep_components(AfxiSolver *solver, const AfxiRun *run) {
    for (uint32_t k = 0; k < run->root_count; k++) {
        uint32_t graph = solver->world->model->graph_of[run->root[k]];
        if (graph != UINT32_MAX) {
            afxi_lot_keep_multipliers(&solver->lot[graph]);
        }
    }
}

/* Links that an island solves: the state before the step is kept where chains that are solved by themselves put it. */
static void keep_links(AfxiSolver *solver, const AfxiRun *run, bool in_place) {
    const AfxModel *model = solver->world->model;
    AfxiState *state = &solver->world->state;
    const AfxiGraph *graph = run->lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t body = graph->body[k];
        if (!afxi_model_in_chain(model, body)) {
            continue;
        }
        afxi_chain_keep(&solver->chains, model->chains.chain_of[model->chains.link_of[body]]);
        if (in_place) {
            afxi_state_copy_body(body, state->saved_q, state->saved_v, state->q, state->v);
        }
    }
}

void afxi_stage_commit(AfxiSolver *solver, bool in_place) {
    AfxiState *state = &solver->world->state;
    for (uint32_t k = 0; k < run_count(solver); k++) {
        AfxiRun *run = run_at(solver, k);
        bool any = false;
        for (uint32_t p = 0; p < run->count; p++) {
            any |= run->accepted[p];
        }
        bool island = any && k >= solver->world->model->graph_count;
        if (island) {
            keep_components(solver, run);
        }
        if (island && afxi_partition_chains(solver)->count) {
            keep_links(solver, run, in_place);
        }
        if (any) {
            run->engine->commit(run->data, state, run->accepted);
        }
    }
    AfxiRun *chains = afxi_partition_chains(solver);
    for (int p = 0; chains->count && p < AFXI_PLANS; p++) {
        bool any = false, all = true;
        for (uint32_t c = 0; solver->chain_plans >> p & 1 && c < chains->count; c++) {
            solver->chosen[c] = chains->accepted[c] && solver->chain_plan[c] == p;
            any |= solver->chosen[c];
            all &= solver->chosen[c];
        }
        if (any) {
            afxi_chains_choose(&solver->chains, all ? NULL : solver->chosen, solver->chains.in_place);
            afxi_chains_plan(&solver->chains, solver->plans[p]);
            chains->engine->commit(chains->data, state, chains->accepted);
        }
    }
}

/* Whether a ball chain stands where its own engine has put it: islands, and what is absent, do so when they are
 * committed. */
static bool is_moved(const AfxiSolver *solver, uint32_t chain) {
    const AfxiRun *chains = afxi_partition_chains(solver);
    uint32_t root = chains->island[chain].body;
    return solver->chains.in_place && solver->chains.moved && chains->done && !afxi_partition_leaves(solver, root) &&
           !solver->absent[root];
}

bool afxi_stage_moved(const AfxiSolver *solver, uint32_t body) {
    const AfxModel *model = solver->world->model;
    return afxi_model_in_chain(model, body) && is_moved(solver, model->chains.chain_of[model->chains.link_of[body]]);
}

void afxi_stage_undo(AfxiSolver *solver) {
    const AfxiRun *chains = afxi_partition_chains(solver);
    bool any = false;
    for (uint32_t c = 0; c < chains->count; c++) {
        solver->chosen[c] = is_moved(solver, c);
        any |= solver->chosen[c];
    }
    if (any) {
        afxi_chains_choose(&solver->chains, solver->chosen, solver->chains.in_place);
        afxi_chains_undo(&solver->chains, solver->chosen);
        solver->chains.moved = false;
    }
}

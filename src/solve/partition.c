/* SPDX-License-Identifier: Apache-2.0 */
/* Islands of a stage: a union over only those components that have a contact point between solved bodies, or leave
 * their lot for another reason. The cost is that of points, pairs and components that are touched. */
#include "solve/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "contact/broad.h"
#include "model/model.h"
#include "solve/islands.h"

/* ---- who solves a body ---- */

AfxiRun *afxi_partition_chains(const AfxiSolver *solver) {
    return &solver->run[solver->world->model->graph_count];
}

AfxiRun *afxi_partition_run(const AfxiSolver *solver, uint32_t body) {
    const AfxModel *model = solver->world->model;
    if (model->root[body] == UINT32_MAX || solver->absent[body]) {
        return NULL;
    }
    if (solver->taken && solver->taken[body] != UINT32_MAX) {
        return solver->island[solver->taken[body]];
    }
    if (model->graph_of[body] != UINT32_MAX) {
        return &solver->run[model->graph_of[body]];
    }
    return afxi_model_in_chain(model, body) ? afxi_partition_chains(solver) : NULL;
}

/* Which island of its run a body is in. */
static uint32_t island_of(const AfxiSolver *solver, const AfxiRun *run, uint32_t body) {
    const AfxModel *model = solver->world->model;
    if (run->count == 1) {
        return 0;
    }
    return run->chains ? model->chains.chain_of[model->chains.link_of[body]]
                       : afxi_lot_part(run->lot, model->local[body]);
}

const double *afxi_partition_result(const AfxiSolver *solver, uint32_t body, AfxiIsland **out_island) {
    AfxiRun *run = afxi_partition_run(solver, body);
    if (!run || !run->done) {
        return NULL;
    }
    *out_island = &run->island[island_of(solver, run, body)];
    if (run->chains) {
        return afxi_chains_next(run->chains) + (size_t)AFXI_AFFINE_WIDTH * body;
    }
    return run->lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * run->lot->rows.graph->local[body];
}

/* ---- components that leave their lots ---- */

static void forget_island(AfxiSolver *solver, uint32_t k) {
    const AfxiGraph *graph = solver->island[k]->lot->rows.graph;
    for (uint32_t b = 0; b < graph->body_count; b++) {
        solver->taken[graph->body[b]] = solver->place[graph->body[b]] = UINT32_MAX;
    }
}

void afxi_partition_reset(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    for (uint32_t k = 0; k < solver->island_count; k++) {
        forget_island(solver, k);
    }
    for (uint32_t k = 0; k < solver->leaving_count; k++) {
        solver->parent[solver->leaving[k]] = UINT32_MAX;
    }
    solver->island_count = solver->leaving_count = solver->between_count = 0;
    if (solver->touched || solver->repeated) {
        memset(solver->mark, 0, model->body_count);
    }
    if (solver->repeated) {
        memset(solver->rounds, 0, model->body_count);
        memset(solver->spent, 0, model->body_count * sizeof *solver->spent);
    }
    if (solver->collide && solver->repeated) {
        memset(solver->collide->warm, 0, model->body_count);
    }
    for (uint32_t k = 0; k <= model->graph_count; k++) {
        AfxiRun *run = &solver->run[k];
        run->done = false;
        memset(run->accepted, 0, run->count);
        for (uint32_t p = 0; (solver->set || solver->repeated) && p < run->count; p++) {
            run->island[p].active = (AfxiActiveSet){0};
            run->island[p].pair_count = run->island[p].rounds = run->island[p].spent = 0;
            run->island[p].verdict = AFXI_NEW_FRAMES;
        }
    }
    solver->touched = solver->repeated = false;
    afxi_pool_reset(&solver->pool);
    afxi_kept_begin(&solver->kept);
}

/* The component of a root leaves its lot. */
static void leave(AfxiSolver *solver, uint32_t root) {
    if (solver->parent[root] == UINT32_MAX) {
        solver->parent[root] = root;
        solver->leaving[solver->leaving_count++] = root;
    }
}

/* Whether what is not solved for may touch or hold bodies of a run. */
static bool is_touchable(const AfxiRun *run) {
    return run->engine->can & AFXI_CAN_CONTACT && (!run->lot || afxi_lot_touchable(run->lot));
}

/* Something that is not solved for touches or holds a body: can its lot do that? */
static void touch(AfxiSolver *solver, uint32_t body) {
    const AfxModel *model = solver->world->model;
    uint32_t root = model->root[body];
    const AfxiRun *run = model->graph_of[body] != UINT32_MAX ? &solver->run[model->graph_of[body]]
                         : afxi_model_in_chain(model, body)  ? afxi_partition_chains(solver)
                                                             : NULL;
    solver->mark[root] |= AFXI_MARK_TOUCHED;
    solver->touched = true;
    if (!run || !is_touchable(run)) {
        leave(solver, root);
    }
}

/* What the engine of a lot could not do in this stage; or it would have to go on from a result of an island, which it
 * cannot: contacts were looked for again, and nothing touches any more. */
static bool is_beyond(const AfxiSolver *solver, const AfxiRun *run, uint32_t root) {
    bool warm = solver->collide && solver->collide->warm[root];
    return solver->mark[root] & AFXI_MARK_ESCALATED || (warm && !is_touchable(run));
}

/* Pooled trees with a pace of their own, and what is beyond an engine. */
static void leave_others(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    const AfxiState *state = &solver->world->state;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        AfxiRun *run = &solver->run[k];
        for (uint32_t p = 0; p < run->count; p++) {
            uint32_t root = run->island[p].body;
            bool slow = state->head->uneven && run->lot->rows.graph->pooled && state->pace[root];
            if (!solver->absent[root] && (slow || is_beyond(solver, run, root))) {
                leave(solver, root);
            }
        }
    }
}

/* Ball chains that were in an island whose contacts were looked for again: they go on from its result, which their
 * own engine cannot. */
static void leave_warm_chains(AfxiSolver *solver) {
    const AfxiRun *chains = afxi_partition_chains(solver);
    for (uint32_t c = 0; solver->repeated && solver->collide && c < chains->count; c++) {
        if (solver->collide->warm[chains->island[c].body]) {
            leave(solver, chains->island[c].body);
        }
    }
}

/* Marks ball chains that their own engine has solved in this stage. */
static void note_solved_chains(AfxiSolver *solver) {
    const AfxiRun *chains = afxi_partition_chains(solver);
    for (uint32_t c = 0; c < chains->count; c++) {
        uint32_t root = chains->island[c].body;
        solver->chosen[c] = !afxi_partition_leaves(solver, root) && !solver->absent[root];
    }
}

/* Those of them that have met something since: an island solves them anew. */
static void take_back_chains(AfxiSolver *solver) {
    const AfxiRun *chains = afxi_partition_chains(solver);
    bool any = false;
    for (uint32_t c = 0; c < chains->count; c++) {
        solver->chosen[c] = solver->chosen[c] && afxi_partition_leaves(solver, chains->island[c].body);
        any |= solver->chosen[c];
    }
    if (any) {
        afxi_chains_choose(&solver->chains, solver->chosen, solver->chains.in_place);
        afxi_chains_undo(&solver->chains, solver->chosen);
    }
}

static bool is_free(const AfxModel *model, uint32_t body) {
    return model->root[body] == body && model->graph_of[body] == UINT32_MAX && !afxi_model_in_chain(model, body);
}

/* Joins components by their contacts. */
static void join(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    const AfxiContactSet *set = solver->set;
    for (uint32_t k = 0; k < solver->leaving_count; k++) {
        solver->parent[solver->leaving[k]] = UINT32_MAX;
    }
    solver->leaving_count = 0;
    if (solver->repeated || solver->world->state.head->uneven) {
        leave_others(solver);
    }
    leave_warm_chains(solver);
    for (uint32_t k = 0; set && solver->world->holds && k < solver->world->holds->count; k++) {
        if (!solver->absent[solver->world->holds->hold[k].body]) {
            touch(solver, solver->world->holds->hold[k].body);
        }
    }
    for (uint32_t k = 0; set && k < set->now.count; k++) {
        const AfxiPoint *point = &set->now.point[k];
        if (solver->absent[point->body_a]) {
            continue;
        }
        if (!point->pair) {
            touch(solver, point->body_a);
        } else {
            leave(solver, model->root[point->body_a]);
            leave(solver, model->root[point->body_b]);
            afxi_forest_join(solver->parent, model->root[point->body_a], model->root[point->body_b]);
        }
    }
    uint32_t count = 0;
    const AfxiPair *pair = solver->collide ? afxi_clusters_pairs(solver->collide->clusters, &count) : NULL;
    for (uint32_t k = 0; k < count; k++) { /* free bodies that come near something are solved with an eye on it */
        uint32_t bodies[2] = {model->contacts.shapes[pair[k].a].body, model->contacts.shapes[pair[k].b].body};
        for (int side = 0; side < 2; side++) {
            if (is_free(model, bodies[side]) && !solver->absent[bodies[side]]) {
                leave(solver, bodies[side]);
            }
        }
    }
}

/* ---- islands ---- */

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Whether an island that is done has the same components as before, and none is to be solved again. */
static bool unchanged(const AfxiRun *run, const uint32_t *root, uint32_t count) {
    return run->done && run->root_count == count && memcmp(run->root, root, count * sizeof *root) == 0;
}

static void *pool_take(AfxiSolver *solver, size_t size) {
    AfxAllocator memory = afxi_pool_allocator(&solver->pool);
    return afxi_allocate(&memory, size ? size : 1);
}

/* A run of one island in the pool. */
static AfxiRun *new_run(AfxiSolver *solver) {
    struct Whole {
        AfxiRun run;
        AfxiIsland island;
        AfxiTally tally;
        uint8_t open, same, accepted;
    } *whole = pool_take(solver, sizeof *whole);
    if (whole) {
        whole->run = (AfxiRun){.engine = &afxi_engine_graph,
                               .island = &whole->island,
                               .tally = &whole->tally,
                               .open = &whole->open,
                               .same = &whole->same,
                               .accepted = &whole->accepted,
                               .count = 1};
    }
    return whole ? &whole->run : NULL;
}

static AfxStatus make_island(AfxiSolver *solver, const uint32_t *root, uint32_t count, const AfxiPairBlock *pair,
                             uint32_t pairs) {
    AfxStatus status = afxi_array_reserve(&solver->world->def.allocator, (void **)&solver->island,
                                          &solver->island_capacity, solver->island_count + 1, sizeof *solver->island);
    AfxiRun *run = status == AFX_OK ? new_run(solver) : NULL;
    uint32_t *own = run ? pool_take(solver, count * sizeof *own) : NULL;
    if (!own) {
        return status ? status : AFX_E_MEMORY;
    }
    memcpy(own, root, count * sizeof *own);
    AfxiIslandLot *lot = NULL;
    AfxiIslandDef def = {.world = solver->world,
                         .set = solver->set,
                         .table = &solver->table,
                         .root = own,
                         .root_count = count,
                         .pair = pair,
                         .pair_count = pairs,
                         .local = solver->place,
                         .crowd = &solver->crowd};
    status = afxi_kept_lot(&solver->kept, &def, &lot);
    if (status != AFX_OK) {
        return status;
    }
    run->data = run->lot = &lot->lot;
    run->engine = lot->graph.recursion.on ? &afxi_engine_tree : &afxi_engine_graph;
    run->root = own;
    run->root_count = count;
    run->island[0] = (AfxiIsland){
        .body = own[0], .body_count = lot->graph.body_count, .size = lot->graph.size, .spent = solver->spent[own[0]]};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t rounds = solver->rounds[own[k]];
        run->island[0].rounds = rounds > run->island[0].rounds ? rounds : run->island[0].rounds;
    }
    for (uint32_t b = 0; b < lot->graph.body_count; b++) {
        solver->taken[lot->graph.body[b]] = solver->island_count;
    }
    solver->island[solver->island_count++] = run;
    return AFX_OK;
}

void afxi_partition_keep(AfxiSolver *solver, const AfxiRun *run) {
    const AfxiLot *lot = run->lot;
    const AfxiGraph *graph = lot->rows.graph;
    solver->repeated = true;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t body = graph->body[k];
        memcpy(solver->collide->result + (size_t)AFXI_AFFINE_WIDTH * body,
               lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * k, AFXI_AFFINE_WIDTH * sizeof(double));
        solver->collide->warm[body] = true;
    }
    for (uint32_t row = 0; row < graph->joint_rows; row++) {
        uint32_t at = lot->row_of ? lot->row_of[row] : graph->first_row + row;
        solver->known[at] = (lot->row_of ? lot->row_sign[row] : 1) * afxi_lot_multipliers(lot)[row];
    }
}

/* Components that leave their lots, island by island. */
typedef struct Grouping {
    uint32_t *first;      /* [count] smallest root of each island, rising */
    uint32_t *start;      /* [count + 1] into member */
    uint32_t *member;     /* [leaving_count] roots, rising in each island */
    uint8_t *kept;        /* [count] a run of it is done and stays */
    AfxiPairBlock *pair;  /* pairs of shapes of solved bodies that touch, island by island */
    uint32_t *pair_start; /* [count + 1] into pair */
    uint32_t count;
} Grouping;

/* The island of a component; islands are in the order of their first roots. */
static uint32_t group_of(const AfxiSolver *solver, const Grouping *groups, uint32_t root) {
    uint32_t wanted = afxi_forest_root(solver->parent, root), low = 0, high = groups->count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        *(groups->first[middle] <= wanted ? &low : &high) = middle;
    }
    return low;
}

static AfxStatus group_components(AfxiSolver *solver, Grouping *out) {
    uint32_t count = solver->leaving_count;
    out->first = pool_take(solver, (size_t)count * sizeof *out->first);
    out->start = pool_take(solver, ((size_t)count + 2) * sizeof *out->start);
    out->member = pool_take(solver, (size_t)count * sizeof *out->member);
    out->kept = pool_take(solver, count);
    if (!out->first || !out->start || !out->member || !out->kept) {
        return AFX_E_MEMORY;
    }
    qsort(solver->leaving, count, sizeof *solver->leaving, by_number);
    for (uint32_t k = 0; k < count; k++) { /* a root of the forest is the first of its island */
        if (afxi_forest_root(solver->parent, solver->leaving[k]) == solver->leaving[k]) {
            out->first[out->count++] = solver->leaving[k];
        }
    }
    for (uint32_t k = 0; k < count; k++) { /* a counting sort, one place ahead */
        out->start[group_of(solver, out, solver->leaving[k]) + 2]++;
    }
    for (uint32_t k = 0; k < out->count; k++) {
        out->start[k + 2] += out->start[k + 1];
    }
    for (uint32_t k = 0; k < count; k++) {
        out->member[out->start[group_of(solver, out, solver->leaving[k]) + 1]++] = solver->leaving[k];
    }
    return AFX_OK;
}

/* Islands that are done and unchanged stay, under new numbers; what others have come to is kept. */
static AfxStatus keep_islands(AfxiSolver *solver, Grouping *groups) {
    uint32_t count = solver->island_count;
    AfxiRun **old = pool_take(solver, (size_t)count * sizeof *old);
    if (!old) {
        return AFX_E_MEMORY;
    }
    if (count) {
        memcpy(old, solver->island, (size_t)count * sizeof *old);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t root = old[k]->root[0], group = UINT32_MAX;
        if (solver->parent[root] != UINT32_MAX) {
            group = group_of(solver, groups, root);
        }
        bool stays =
            group != UINT32_MAX && !groups->kept[group] &&
            unchanged(old[k], groups->member + groups->start[group], groups->start[group + 1] - groups->start[group]);
        if (!stays) {
            if (old[k]->done) { /* what it has come to is where the next one goes on from */
                afxi_partition_keep(solver, old[k]);
            }
            forget_island(solver, k);
            old[k] = NULL;
        } else {
            groups->kept[group] = 1;
        }
    }
    solver->island_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t b = 0; old[k] && b < old[k]->lot->rows.graph->body_count; b++) {
            solver->taken[old[k]->lot->rows.graph->body[b]] = solver->island_count;
        }
        if (old[k]) {
            solver->island[solver->island_count++] = old[k];
        }
    }
    return AFX_OK;
}

/* One pair for each run of points of two items, which come sorted by them; their number comes back. */
static uint32_t list_pairs(const AfxiSolver *solver, const Grouping *groups, AfxiPairBlock *pair, uint32_t *group) {
    const AfxiPointList *now = &solver->set->now;
    uint32_t count = 0;
    for (uint32_t k = 0, end; k < now->count; k = end) {
        const AfxiPoint *point = &now->point[k];
        for (end = k + 1; end < now->count && now->point[end].memory.item_a == point->memory.item_a &&
                          now->point[end].memory.item_b == point->memory.item_b;) {
            end++;
        }
        if (point->pair && !solver->absent[point->body_a]) {
            pair[count] = (AfxiPairBlock){point->body_a, point->body_b, k, end - k};
            group[count++] = group_of(solver, groups, solver->world->model->root[point->body_a]);
        }
    }
    return count;
}

static AfxStatus group_pairs(AfxiSolver *solver, Grouping *groups) {
    uint32_t points = solver->set ? solver->set->now.count : 0;
    AfxiPairBlock *found = pool_take(solver, points * sizeof *found);
    uint32_t *group = pool_take(solver, points * sizeof *group);
    groups->pair = pool_take(solver, points * sizeof *found);
    groups->pair_start = pool_take(solver, ((size_t)groups->count + 2) * sizeof *groups->pair_start);
    if (!found || !group || !groups->pair || !groups->pair_start) {
        return AFX_E_MEMORY;
    }
    uint32_t count = points ? list_pairs(solver, groups, found, group) : 0, *start = groups->pair_start;
    for (uint32_t k = 0; k < count; k++) { /* a counting sort, one place ahead */
        start[group[k] + 2]++;
    }
    for (uint32_t k = 0; k < groups->count; k++) {
        start[k + 2] += start[k + 1];
    }
    for (uint32_t k = 0; k < count; k++) {
        groups->pair[start[group[k] + 1]++] = found[k];
    }
    return AFX_OK;
}

static AfxStatus make_islands(AfxiSolver *solver) {
    Grouping groups = {0};
    AfxStatus status = group_components(solver, &groups);
    status = status ? status : keep_islands(solver, &groups);
    status = status ? status : group_pairs(solver, &groups);
    for (uint32_t k = 0; k < groups.count && status == AFX_OK; k++) {
        uint32_t first = groups.start[k], count = groups.start[k + 1] - first;
        uint32_t pair = groups.pair_start[k], pairs = groups.pair_start[k + 1] - pair;
        status = groups.kept[k] ? AFX_OK : make_island(solver, groups.member + first, count, groups.pair + pair, pairs);
    }
    return status;
}

/* ---- points and pairs by run ---- */

static AfxiIsland *island_at(const AfxiSolver *solver, uint32_t body, AfxiRun **out_run) {
    AfxiRun *run = afxi_partition_run(solver, body);
    *out_run = run;
    return run ? &run->island[island_of(solver, run, body)] : NULL;
}

/* Runs that begin anew have no points and pairs yet. */
static void forget_points(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    for (uint32_t k = 0; k <= model->graph_count; k++) {
        AfxiRun *run = &solver->run[k];
        for (uint32_t p = 0; !run->done && p < run->count; p++) {
            run->island[p].active = (AfxiActiveSet){0};
            run->island[p].pair_count = 0;
            run->island[p].rounds = solver->rounds[run->island[p].body];
            run->island[p].spent = solver->spent[run->island[p].body];
        }
    }
}

/* Lists of points: counted, then filled, in the order in which they were found. */
static AfxStatus deal_points(AfxiSolver *solver) {
    const AfxiPointList *now = &solver->set->now;
    uint32_t *list = pool_take(solver, (size_t)now->count * sizeof *list), at = 0;
    AfxiIsland **of = pool_take(solver, (size_t)now->count * sizeof *of), *island = NULL;
    if (!list || !of) {
        return AFX_E_MEMORY;
    }
    AfxiRun *run;
    for (uint32_t k = 0; k < now->count; k++) {
        bool other = k == 0 || now->point[k].body_a != now->point[k - 1].body_a;
        of[k] = island = other ? island_at(solver, now->point[k].body_a, &run) : island;
        if (island) {
            island->active.count = 0;
            island->active.point = NULL;
        }
    }
    for (uint32_t k = 0; k < now->count; k++) {
        if (of[k]) {
            of[k]->active.count++;
        }
    }
    for (uint32_t k = 0; k < now->count; k++) {
        AfxiActiveSet *active = of[k] ? &of[k]->active : NULL;
        if (active && !active->point) {
            active->point = list + at;
            at += active->count;
            active->count = 0;
        }
        if (active) {
            ((uint32_t *)active->point)[active->count++] = k;
        }
    }
    return AFX_OK;
}

/* Two shapes near each other, with their points from `point` on. */
static AfxiNear near_of(const AfxiSolver *solver, const AfxiPair *pair, uint32_t point) {
    const AfxModel *model = solver->world->model;
    const AfxiPointList *now = &solver->set->now;
    AfxiNear own = {pair->a, pair->b, point, point, 0};
    while (own.end < now->count && now->point[own.end].memory.item_a == own.a &&
           now->point[own.end].memory.item_b == own.b) {
        own.tolerance = now->point[own.end].tolerance;
        own.end++;
    }
    if (own.tolerance == 0) {
        uint32_t a = model->contacts.shapes[pair->a].body, b = model->contacts.shapes[pair->b].body;
        own.tolerance = 1e-9 * solver->collide->extent[model->kind[a] == AFX_BODY_DYNAMIC ? a : b];
    }
    return own;
}

/* Pairs of shapes that are near each other, with their points: those of one run by island, those of two apart. */
static AfxStatus deal_pairs(AfxiSolver *solver) {
    const AfxiContactShape *shapes = solver->world->model->contacts.shapes;
    uint32_t count = 0, at = 0, point = 0;
    const AfxiPair *pair = afxi_clusters_pairs(solver->collide->clusters, &count);
    AfxiNear *near = pool_take(solver, (size_t)count * sizeof *near);
    AfxiNear *found = pool_take(solver, (size_t)count * sizeof *found);
    AfxiIsland **of = pool_take(solver, (size_t)count * sizeof *of);
    solver->between = pool_take(solver, (size_t)count * sizeof *near);
    solver->between_count = 0;
    if (!near || !found || !of || !solver->between) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        AfxiRun *run[2];
        AfxiIsland *island[2] = {island_at(solver, shapes[pair[k].a].body, &run[0]),
                                 island_at(solver, shapes[pair[k].b].body, &run[1])};
        found[k] = near_of(solver, &pair[k], point);
        point = found[k].end;
        int by = island[0] ? 0 : 1;
        of[k] = island[by];
        if (island[0] && island[1] && island[0] != island[1]) {
            solver->between[solver->between_count++] = found[k];
            of[k] = NULL;
        } else if (of[k]) {
            of[k]->pair_count = 0;
            of[k]->first_pair = UINT32_MAX;
            run[by]->near = near;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (of[k]) {
            of[k]->pair_count++;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (of[k] && of[k]->first_pair == UINT32_MAX) {
            of[k]->first_pair = at;
            at += of[k]->pair_count;
            of[k]->pair_count = 0;
        }
        if (of[k]) {
            near[of[k]->first_pair + of[k]->pair_count++] = found[k];
        }
    }
    return AFX_OK;
}

AfxStatus afxi_partition(AfxiSolver *solver) {
    bool solved = afxi_partition_chains(solver)->done;
    bool islands = solver->set || solver->repeated || solver->world->state.head->uneven; /* there may be some */
    if (islands && afxi_solver_reserve_islands(solver) != AFX_OK) {
        return AFX_E_MEMORY;
    }
    if (solved) {
        note_solved_chains(solver);
    }
    join(solver);
    if (solved) {
        take_back_chains(solver);
    }
    AfxStatus status = solver->leaving_count || solver->island_count ? make_islands(solver) : AFX_OK;
    if (status == AFX_OK && solver->set) {
        forget_points(solver);
        status = afxi_contacts_place_rows(solver->set);
    }
    if (status == AFX_OK && solver->set && solver->set->now.count) {
        status = deal_points(solver);
    }
    if (status == AFX_OK && solver->collide) {
        status = deal_pairs(solver);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing what solves a world. */
#include "solve/solver.h"

#include <string.h>

#include "contact/cluster.h"

static void take_run(AfxiRun *run, AfxiArena *arena, uint32_t islands) {
    run->count = islands;
    run->island = afxi_arena_take(arena, islands, sizeof *run->island);
    run->tally = afxi_arena_take(arena, islands, sizeof *run->tally);
    run->open = afxi_arena_take(arena, islands, sizeof *run->open);
    run->same = afxi_arena_take(arena, islands, sizeof *run->same);
    run->accepted = afxi_arena_take(arena, islands, sizeof *run->accepted);
    run->violation = afxi_arena_take(arena, islands, sizeof *run->violation);
    run->closing = afxi_arena_take(arena, islands, sizeof *run->closing);
}

/* Components of a graph, and ball chains, as islands. */
static void name_islands(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        const AfxiGraph *graph = &model->graph[k];
        for (uint32_t p = 0; p < graph->part_count; p++) {
            const AfxiGraphPart *part = &graph->part[p];
            solver->run[k].island[p] = (AfxiIsland){.body = graph->body[part->first_body],
                                                    .body_count = part[1].first_body - part->first_body,
                                                    .size = part->size};
        }
    }
    for (uint32_t c = 0; c < model->chains.chain_count; c++) {
        const AfxiChain *chain = &model->chains.chain[c];
        solver->run[model->graph_count].island[c] = (AfxiIsland){
            .body = model->chains.link[chain->first_link].body, .body_count = chain->link_count, .size = chain->size};
    }
}

static void connect(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        AfxiLot *lot = &solver->lot[k];
        const AfxiGraph *graph = &model->graph[k];
        AfxSolver kind = graph->solver;
        bool iterates = kind == AFX_SOLVER_CG || kind == AFX_SOLVER_GS;
        afxi_lot_set_regularise(lot, solver->world->state.regularise + k);
        solver->run[k].engine = graph->recursion.on ? &afxi_engine_tree
                                : iterates          ? &afxi_engine_iterative
                                                    : &afxi_engine_graph;
        solver->run[k].data = solver->run[k].lot = lot;
    }
    AfxiRun *run = &solver->run[model->graph_count];
    run->engine = &afxi_engine_chain;
    run->data = run->chains = &solver->chains;
    name_islands(solver);
}

/* What islands need by body (both passes). */
static void take_islands(AfxiSolver *solver, AfxiArena *arena) {
    uint32_t bodies = solver->world->model->body_count;
    solver->taken = afxi_arena_take(arena, bodies, sizeof *solver->taken);
    solver->place = afxi_arena_take(arena, bodies, sizeof *solver->place);
    solver->parent = afxi_arena_take(arena, bodies, sizeof *solver->parent);
    solver->leaving = afxi_arena_take(arena, bodies, sizeof *solver->leaving);
    solver->kept.of = afxi_arena_take(arena, bodies, sizeof *solver->kept.of);
    if (arena->base) {
        memset(solver->taken, 0xff, bodies * sizeof *solver->taken);
        memset(solver->place, 0xff, bodies * sizeof *solver->place);
        memset(solver->parent, 0xff, bodies * sizeof *solver->parent);
    }
}

AfxStatus afxi_solver_reserve_islands(AfxiSolver *solver) {
    if (solver->parent) {
        return AFX_OK;
    }
    AfxiSolver counting = {.world = solver->world};
    AfxiArena arena = {0};
    take_islands(&counting, &arena);
    arena.base = afxi_allocate_aligned(&solver->world->def.allocator, arena.used, &solver->islands_apart,
                                       &solver->islands_bytes);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_islands(solver, &arena);
    return AFX_OK;
}

void afxi_solver_take_state(AfxiSolver *solver, AfxiArena *arena, AfxiWorld *world, size_t own) {
    const AfxModel *model = world->model;
    solver->lot = afxi_arena_take(arena, model->graph_count, sizeof *solver->lot);
    size_t first = arena->used;
    afxi_state_take(&world->state, arena, model);
    for (uint32_t k = 0; k < model->graph_count; k++) {
        AfxiLot counting = {0};
        afxi_lot_take_state(arena->base ? &solver->lot[k] : &counting, arena, &model->graph[k]);
    }
    world->state.own = own ? afxi_arena_take(arena, own, 1) : NULL;
    world->state.size = arena->used - first;
}

void afxi_solver_take(AfxiSolver *solver, AfxiArena *arena, AfxiWorld *world) {
    const AfxModel *model = world->model;
    uint32_t bodies = model->body_count, chains = model->chains.chain_count;
    size_t rows = model->row_count + 3 * (size_t)model->chains.slot_count;
    bool jointed = model->graph_count || chains, woodbury = model->contacts.possible;
    solver->world = world;
    afxi_class_table_take(&solver->table, arena, model->classes.intern.count);
    afxi_free_take(&solver->free, arena, world, &solver->table);
    solver->run = afxi_arena_take(arena, (size_t)model->graph_count + 1, sizeof *solver->run);
    for (uint32_t k = 0; k < model->graph_count; k++) {
        AfxiLot counting = {.rows = {.world = world}};
        AfxiRun run = {0};
        afxi_lot_take(arena->base ? &solver->lot[k] : &counting, arena, world, &model->graph[k], &solver->table);
        take_run(arena->base ? &solver->run[k] : &run, arena, model->graph[k].part_count);
    }
    afxi_chains_take(&solver->chains, arena, world, &solver->table);
    AfxiRun counting = {0};
    take_run(arena->base ? &solver->run[model->graph_count] : &counting, arena, chains);
    solver->chain_plan = afxi_arena_take(arena, chains, sizeof *solver->chain_plan);
    solver->chosen = afxi_arena_take(arena, chains, sizeof *solver->chosen);
    if (woodbury || model->drive_count) { /* contacts, and limits that are met: not to be asked for in a step */
        take_islands(solver, arena);
    }
    solver->mark = afxi_arena_take(arena, bodies, sizeof *solver->mark);
    solver->rounds = afxi_arena_take(arena, bodies, sizeof *solver->rounds);
    solver->spent = afxi_arena_take(arena, bodies, sizeof *solver->spent);
    solver->absent = afxi_arena_take(arena, bodies, sizeof *solver->absent);
    solver->asleep = afxi_arena_take(arena, bodies, sizeof *solver->asleep);
    solver->grown = afxi_arena_take(arena, bodies, sizeof *solver->grown);
    solver->look = afxi_arena_take(arena, bodies, sizeof *solver->look);
    solver->known = afxi_arena_take(arena, jointed && woodbury ? rows : 0, sizeof *solver->known);
    afxi_contacts_take(&solver->held, arena, world);
    if (arena->base) {
        connect(solver);
    }
}

AfxStatus afxi_solver_begin(AfxiSolver *solver) {
    const AfxAllocator *allocator = &solver->world->def.allocator;
    afxi_pool_create(&solver->pool, allocator);
    afxi_kept_create(&solver->kept, allocator, solver->world->model->body_count);
    const AfxSimDef *def = &solver->world->def;
    bool points = def->contact_model == AFX_CONTACT_COMPLIANT && def->formulation != AFX_ABD_IPC; /* barriers: none */
    AfxStatus status = points ? afxi_collide_create(solver->world, &solver->collide) : AFX_OK;
    solver->set = solver->collide ? &solver->collide->set : NULL;
    return status;
}

AfxStatus afxi_solver_hold(AfxiSolver *solver) {
    solver->set = solver->set ? solver->set : &solver->held;
    const AfxiWoodburySet *woodbury = &solver->set->woodbury;
    bool fine = afxi_contacts_reserve(solver->set, woodbury->body_count + 1, woodbury->row_count + AFXI_HOLD_ROWS);
    return fine ? AFX_OK : AFX_E_MEMORY;
}

void afxi_solver_forget(AfxiSolver *solver) {
    for (uint32_t k = 0; k <= solver->world->model->graph_count; k++) {
        solver->run[k].engine->between->forget(solver->run[k].data);
    }
    if (solver->collide) { /* fixed bodies may have been placed anew */
        afxi_clusters_reset(solver->collide->clusters);
    }
}

void afxi_solver_release(AfxiSolver *solver) {
    if (!solver->world) {
        return;
    }
    afxi_collide_destroy(solver->collide);
    if (solver->held.world) {
        afxi_contacts_release(&solver->held);
    }
    afxi_free_release(&solver->free);
    afxi_pool_destroy(&solver->pool);
    afxi_kept_destroy(&solver->kept);
    afxi_release(&solver->world->def.allocator, solver->islands_apart, solver->islands_bytes);
    afxi_release(&solver->world->def.allocator, solver->island, solver->island_capacity * sizeof *solver->island);
}

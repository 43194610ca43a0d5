/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts between solved bodies: compliant rows of a joint graph that is the model's with a block for each pair of
 * shapes that touch or nearly do. It is planned anew when these pairs change. Rows that are not needed are switched
 * off. */
#include <string.h>

#include "step/contacts.h"
#include "step/holds.h"
#include "step/rows.h"

/* The block of two items. */
struct AfxiPairBlock {
    uint32_t item_a, item_b;
    uint32_t body_a, body_b;
    uint32_t first_row, row_count;
};

/* Rows that are kept for a pair: rounded up, as the number of its points comes and goes. */
static uint32_t room_for(uint32_t rows) {
    uint32_t room = AFXI_POINT_ROWS;
    while (room < rows) {
        room *= 2;
    }
    return room;
}

/* The run of points that belongs to the pair of point `begin`; its rows come back. */
static uint32_t run_of(const AfxiPointList *list, uint32_t begin, uint32_t *out_rows) {
    const AfxiPointMemory *first = &list->point[begin].memory;
    uint32_t end = begin;
    *out_rows = 0;
    for (; end < list->count; end++) {
        const AfxiPointMemory *own = &list->point[end].memory;
        if (own->item_a != first->item_a || own->item_b != first->item_b) {
            break;
        }
        *out_rows += list->point[end].row_count;
    }
    return end;
}

/* Whether a block comes before the pair of a point, is its own, or comes after. */
static int compare(const AfxiPairBlock *block, const AfxiPointMemory *memory) {
    if (block->item_a != memory->item_a) {
        return block->item_a < memory->item_a ? -1 : 1;
    }
    return block->item_b < memory->item_b ? -1 : block->item_b > memory->item_b;
}

/* Gives the points their rows; false when the blocks are not just those that the points need: the graph, and with it
 * every bit of a result, must not depend on what touched before this step. `keep`: the blocks are of this stage, and
 * points that were looked for again may leave some idle. Both lists are sorted. */
static bool place_rows(AfxiContactWork *work, bool keep) {
    AfxiPairGraph *pairs = &work->pairs;
    uint32_t cursor = 0, rows;
    for (uint32_t begin = 0, end; begin < work->now.count; begin = end) {
        AfxiPoint *point = &work->now.point[begin];
        end = run_of(&work->now, begin, &rows);
        if (!point->pair) {
            continue;
        }
        while (keep && cursor < pairs->count && compare(&pairs->block[cursor], &point->memory) < 0) {
            cursor++;
        }
        const AfxiPairBlock *block = &pairs->block[cursor];
        if (cursor == pairs->count || compare(block, &point->memory) != 0 || block->row_count < room_for(rows) ||
            (!keep && block->row_count > room_for(rows))) {
            return false;
        }
        uint32_t row = block->first_row;
        for (uint32_t k = begin; k < end; k++) {
            work->now.point[k].row = row;
            row += work->now.point[k].row_count;
        }
        cursor++;
    }
    return keep || cursor == pairs->count;
}

/* ---- the graph ---- */

static AfxStatus add_block(AfxiContactWork *work, AfxiPairBlock block) {
    AfxiPairGraph *pairs = &work->pairs;
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&pairs->block, &pairs->capacity, pairs->count + 1,
                                          sizeof *pairs->block);
    if (status == AFX_OK) {
        pairs->block[pairs->count++] = block;
    }
    return status;
}

/* Blocks for the points and, with `keep`, those of this stage so far. */
static AfxStatus list_pairs(AfxiContactWork *work, bool keep) {
    AfxiPairGraph *pairs = &work->pairs;
    uint32_t rows, old = 0, old_count = keep ? pairs->count : 0;
    AfxiPairBlock *before = pairs->block;
    uint32_t before_capacity = pairs->capacity;
    pairs->block = NULL;
    pairs->count = pairs->capacity = 0;
    AfxStatus status = AFX_OK;
    for (uint32_t begin = 0, end; status == AFX_OK && begin < work->now.count; begin = end) {
        const AfxiPoint *point = &work->now.point[begin];
        end = run_of(&work->now, begin, &rows);
        if (!point->pair) {
            continue;
        }
        uint32_t room = room_for(rows);
        for (; status == AFX_OK && old < old_count && compare(&before[old], &point->memory) < 0; old++) {
            status = add_block(work, before[old]);
        }
        if (old < old_count && compare(&before[old], &point->memory) == 0) {
            room = before[old].row_count > room ? before[old].row_count : room;
            old++;
        }
        if (status == AFX_OK) {
            status = add_block(work, (AfxiPairBlock){point->memory.item_a, point->memory.item_b, point->body_a,
                                                     point->body_b, 0, room});
        }
    }
    for (; status == AFX_OK && old < old_count; old++) {
        status = add_block(work, before[old]);
    }
    afxi_release(&work->allocator, before, before_capacity * sizeof *before);
    return status;
}

static void take_graph(AfxiGraph *graph, AfxiArena *arena, const AfxiGraph *base, const AfxiPairGraph *pairs,
                       uint32_t rows) {
    graph->block_count = base->block_count + pairs->count;
    graph->entry_count = base->entry_count + 2 * pairs->count;
    graph->row_count = base->row_count + rows;
    graph->jacobian_rows = base->jacobian_rows + 2 * (size_t)rows;
    graph->block = afxi_arena_take(arena, graph->block_count, sizeof *graph->block);
    graph->row = afxi_arena_take(arena, graph->row_count, sizeof *graph->row);
    graph->entry = afxi_arena_take(arena, graph->entry_count, sizeof *graph->entry);
    graph->body_start = afxi_arena_take(arena, (size_t)graph->body_count + 1, sizeof *graph->body_start);
    graph->body_entry = afxi_arena_take(arena, graph->entry_count, sizeof *graph->body_entry);
}

static void add_pairs(AfxiGraph *graph, const AfxiGraph *base, AfxiPairGraph *pairs) {
    uint32_t row = base->row_count, entry = base->entry_count;
    size_t jacobian = base->jacobian_rows;
    memcpy(graph->block, base->block, base->block_count * sizeof *base->block);
    memcpy(graph->row, base->row, base->row_count * sizeof *base->row);
    memcpy(graph->entry, base->entry, base->entry_count * sizeof *base->entry);
    for (uint32_t k = 0; k < pairs->count; k++) {
        AfxiPairBlock *pair = &pairs->block[k];
        uint32_t block = base->block_count + k;
        pair->first_row = row;
        graph->block[block] = (AfxiGraphBlock){.first_row = row,
                                               .row_count = pair->row_count,
                                               .first_entry = entry,
                                               .entry_count = 2,
                                               .index = k,
                                               .type = AFXI_BLOCK_CONTACT,
                                               .loop = true};
        for (uint32_t r = 0; r < pair->row_count; r++) {
            graph->row[row++] = (AfxiGraphRow){block, r, AFXI_SOURCE_CONTACT};
        }
        for (int side = 0; side < 2; side++) {
            graph->entry[entry++] = (AfxiGraphEntry){block, base->local[side ? pair->body_b : pair->body_a], jacobian};
            jacobian += pair->row_count;
        }
        graph->compliant_rows += pair->row_count;
    }
}

static void release_graph(AfxiContactWork *work) {
    afxi_beside_release(&work->allocator, &work->pairs.beside);
    work->pairs.planned = false;
}

static AfxStatus plan_graph(AfxSim *sim, bool keep) {
    AfxiContactWork *work = sim->contacts;
    AfxiPairGraph *pairs = &work->pairs;
    const AfxiGraph *base = &sim->model->graph;
    uint32_t rows = 0;
    release_graph(work);
    AfxStatus status = list_pairs(work, keep);
    for (uint32_t k = 0; k < pairs->count; k++) {
        rows += pairs->block[k].row_count;
    }
    afxi_beside_begin(sim, &pairs->beside);
    AfxiGraph *graph = &pairs->beside.model.graph;
    graph->solver = AFX_SOLVER_GRAPH;
    graph->order = AFXI_ORDER_OWN; /* it serves a few solves: looking for a better one takes longer */
    AfxiArena arena = {0};
    take_graph(graph, &arena, base, pairs, rows);
    if (status == AFX_OK) {
        arena.base =
            arena.overflow ? NULL : afxi_allocate_aligned(&work->allocator, arena.used, &graph->raw, &graph->raw_size);
        status = arena.base ? AFX_OK : AFX_E_MEMORY;
    }
    if (status == AFX_OK) {
        arena.used = 0;
        take_graph(graph, &arena, base, pairs, rows);
        add_pairs(graph, base, pairs);
        afxi_graph_list_bodies(graph);
        status = afxi_graph_plan(&work->allocator, graph);
    }
    status = status ? status : afxi_beside_take(sim, &work->allocator, &pairs->beside);
    if (status != AFX_OK) {
        release_graph(work);
        pairs->count = 0;
    }
    pairs->planned = status == AFX_OK;
    return status;
}

AfxStatus afxi_contacts_plan(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    bool any = false, keep = work->warm && work->pairs.used;
    for (uint32_t k = 0; k < work->now.count && !any; k++) {
        any = work->now.point[k].pair;
    }
    work->pairs.used = any;
    if (!any || (work->pairs.planned && place_rows(work, keep))) {
        return AFX_OK;
    }
    AfxStatus status = plan_graph(sim, keep);
    if (status == AFX_OK) {
        place_rows(work, keep);
    }
    return status;
}

void afxi_contacts_release_pairs(AfxiContactWork *work) {
    release_graph(work);
    afxi_release(&work->allocator, work->pairs.block, work->pairs.capacity * sizeof *work->pairs.block);
}

void afxi_contacts_attach(AfxSim *sim, bool on) {
    AfxiContactWork *work = sim->contacts;
    if (!work) {
        afxi_holds_attach(sim, on);
        return;
    }
    AfxiPairGraph *pairs = &work->pairs;
    if (!on || pairs->used) {
        afxi_beside_attach(sim, &pairs->beside, on);
    }
    AfxiSystem *system = &sim->jointed.system;
    bool any = on && work->touches.body_count > 0;
    system->touches = any ? &work->touches : NULL;
    system->touch_of = any ? work->touch_of : NULL;
    system->frame = sim->jointed.frame;
}

/* ---- rows ---- */

static void local_gradient(const AfxiMat3 *frame, const double world[12], double sign, double out[12]) {
    for (int k = 0; k < 3; k++) {
        vec3_store(out + 3 * k, vec3_scale(sign, mat3_apply_transposed(frame, vec3_load(world + 3 * k))));
    }
    vec3_store(out + 9, vec3_scale(sign, vec3_load(world + 9)));
}

void afxi_contacts_clear(AfxSim *sim) {
    const AfxiContactWork *work = sim->contacts;
    if (!work->pairs.beside.base_model) {
        return;
    }
    const AfxiGraph *graph = &sim->model->graph;
    AfxiSystem *system = &sim->jointed.system;
    size_t first = work->pairs.beside.base_model->graph.jacobian_rows;
    for (uint32_t row = graph->joint_rows; row < graph->row_count; row++) {
        system->active[row] = 0;
        system->given[row] = system->value[row] = system->compliance[row] = 0;
    }
    memset(system->jacobian + 12 * first, 0, 12 * (graph->jacobian_rows - first) * sizeof(double));
}

double afxi_contacts_gradient(AfxSim *sim, const AfxiPoint *point, uint32_t r) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiJointed *jointed = &sim->jointed;
    const AfxiGraphBlock *block = &graph->block[graph->row[point->row].block];
    const AfxiGraphEntry *entry = &graph->entry[block->first_entry];
    AfxiContactRow side[2];
    afxi_contacts_row(sim->contacts, point, r, side);
    double value = side[0].target;
    for (int s = 0; s < 2; s++) {
        uint32_t body = entry[s].body;
        double sign = s ? -1 : 1, at = vec3_dot(vec3_load(side[s].g + 9), jointed->origin[body]);
        local_gradient(&jointed->frame[body], side[s].g, sign,
                       jointed->system.jacobian + 12 * (entry[s].jacobian + point->row + r - block->first_row));
        for (int e = 0; e < 9; e++) {
            at += side[s].g[e] * jointed->frame[body].m[e];
        }
        value += sign * at;
    }
    return value;
}

void afxi_contacts_linearise(AfxSim *sim) {
    AfxiContactWork *work = sim->contacts;
    if (!work || !work->pairs.beside.base_model) {
        return;
    }
    AfxiSystem *system = &sim->jointed.system;
    afxi_contacts_clear(sim);
    for (uint32_t k = 0; k < work->now.count; k++) {
        const AfxiPoint *point = &work->now.point[k];
        for (uint32_t r = 0; point->pair && r < point->row_count; r++) {
            AfxiContactRow side[2];
            double stiffness = afxi_contacts_row(work, point, r, side);
            uint32_t row = point->row + r;
            system->value[row] = afxi_contacts_gradient(sim, point, r);
            system->active[row] = stiffness > 0;
            system->compliance[row] = stiffness > 0 ? 1 / stiffness : 0;
        }
    }
}

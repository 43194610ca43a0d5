/* SPDX-License-Identifier: Apache-2.0 */
/* The system by the block solver of src/sparse. Bodies are eliminated in its own order; the rows of a joint come behind
 * the last of its bodies, where their pivot is -J H^-1 J^T and never 0. Rows and columns are scaled to a unit diagonal,
 * rows get a small regularisation for those that are redundant, and what it changes is taken out by refinement. */
#include "barrier/system.h"

#include <string.h>

#include "base/memory.h"
#include "sparse/factor.h"
#include "sparse/plan.h"
#include "sparse/solve.h"
#include "sparse/values.h"

#define BLOCK ((size_t)AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH)

/* ---- structure ---- */

static uint32_t find_pair(const AfxiBarrierSystem *system, uint32_t a, uint32_t b) {
    uint32_t low = 0, high = system->pair_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const AfxiBarrierPair *pair = &system->pairs[middle];
        if (pair->a < a || (pair->a == a && pair->b < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < system->pair_count && system->pairs[low].a == a && system->pairs[low].b == b ? low : UINT32_MAX;
}

double *afxi_barrier_pair_block(AfxiBarrier *work, uint32_t a, uint32_t b) {
    uint32_t at = find_pair(&work->kkt, a < b ? a : b, a < b ? b : a);
    return at == UINT32_MAX ? NULL : work->kkt.pair_block + BLOCK * at;
}

/* Slots of a pair of shapes that both move, a < b; false: one does not. */
static bool slots_of(const AfxiBarrier *work, AfxiPair pair, AfxiBarrierPair *out) {
    uint32_t a = work->slot[work->surface.shapes[pair.a].body], b = work->slot[work->surface.shapes[pair.b].body];
    *out = (AfxiBarrierPair){a < b ? a : b, a < b ? b : a};
    return a != UINT32_MAX && b != UINT32_MAX;
}

static int compare(const AfxiBarrierPair *a, const AfxiBarrierPair *b) {
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b < b->b ? -1 : a->b > b->b);
}

/* Heap sort: in place, and of any list in n log n. */
static void sift(AfxiBarrierPair *list, uint32_t at, uint32_t count) {
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && compare(&list[child], &list[child + 1]) < 0;
        if (compare(&list[at], &list[child]) >= 0) {
            return;
        }
        AfxiBarrierPair swap = list[at];
        list[at] = list[child];
        list[child] = swap;
    }
}

static void sort_pairs(AfxiBarrierPair *list, uint32_t count) {
    for (uint32_t k = count / 2; k-- > 0;) {
        sift(list, k, count);
    }
    for (uint32_t end = count; end-- > 1;) {
        AfxiBarrierPair swap = list[0];
        list[0] = list[end];
        list[end] = swap;
        sift(list, 0, end);
    }
}

static void release(AfxiBarrier *work) {
    AfxiBarrierSystem *system = &work->kkt;
    if (system->planned) {
        afxi_block_plan_destroy(&system->plan);
        system->planned = false;
    }
    afxi_release(&work->allocator, system->raw, system->raw_size);
    system->raw = NULL;
    system->raw_size = 0;
}

void afxi_barrier_system_forget(AfxiBarrier *work) {
    release(work);
    work->kkt.pair_count = 0;
}

void afxi_barrier_system_destroy(AfxiBarrier *work) {
    release(work);
    afxi_release(&work->allocator, work->kkt.pairs, work->kkt.pair_capacity * sizeof *work->kkt.pairs);
}

/* What a plan is made from. */
typedef struct Draft {
    uint32_t *size, *start, *member, *given;
    uint32_t *first, *next; /* rows by the place of their last body */
    int8_t *sign;
} Draft;

static void take_draft(const AfxiBarrier *work, AfxiArena *arena, Draft *draft) {
    size_t blocks = (size_t)work->body_count + work->block_count;
    size_t cliques = (size_t)work->kkt.pair_count + work->block_count;
    draft->size = afxi_arena_take(arena, blocks, sizeof *draft->size);
    draft->sign = afxi_arena_take(arena, blocks, 1);
    draft->given = afxi_arena_take(arena, blocks, sizeof *draft->given);
    draft->first = afxi_arena_take(arena, work->body_count, sizeof *draft->first);
    draft->next = afxi_arena_take(arena, work->block_count, sizeof *draft->next);
    draft->start = afxi_arena_take(arena, cliques + 1, sizeof *draft->start);
    draft->member = afxi_arena_take(arena, 2 * (size_t)work->kkt.pair_count + work->entry_count + work->block_count,
                                    sizeof *draft->member);
}

/* Cliques of pairs and joints; with rows, those of a joint have its block too. */
static AfxiBlockGraph graph_of(const AfxiBarrier *work, const Draft *draft, bool rows) {
    uint32_t members = 0, cliques = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        draft->size[k] = work->bodies[k].width;
        draft->sign[k] = 1;
    }
    for (uint32_t p = 0; p < work->kkt.pair_count; p++) {
        draft->start[cliques++] = members;
        draft->member[members++] = work->kkt.pairs[p].a;
        draft->member[members++] = work->kkt.pairs[p].b;
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        draft->size[work->body_count + b] = block->row_count;
        draft->sign[work->body_count + b] = -1;
        draft->start[cliques++] = members;
        for (uint32_t e = 0; e < block->entry_count; e++) {
            draft->member[members++] = work->entries[block->first_entry + e].slot;
        }
        if (rows) {
            draft->member[members++] = work->body_count + b;
        }
    }
    draft->start[cliques] = members;
    return (AfxiBlockGraph){.count = work->body_count + (rows ? work->block_count : 0),
                            .size = draft->size,
                            .sign = rows && work->block_count ? draft->sign : NULL,
                            .clique_count = cliques,
                            .clique_start = draft->start,
                            .member = draft->member,
                            .order = rows && work->block_count ? AFXI_ORDER_GIVEN : AFXI_ORDER_AUTO,
                            .given = rows && work->block_count ? draft->given : NULL};
}

/* Bodies in the order of `plan`, each followed by the rows of which it is the last body. */
static void put_order(const AfxiBarrier *work, const AfxiBlockPlan *plan, const Draft *draft) {
    for (uint32_t k = 0; k < work->body_count; k++) {
        draft->first[k] = UINT32_MAX;
    }
    for (uint32_t b = work->block_count; b-- > 0;) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        uint32_t last = 0;
        for (uint32_t e = 0; e < block->entry_count; e++) {
            uint32_t place = plan->place[work->entries[block->first_entry + e].slot];
            last = place > last ? place : last;
        }
        draft->next[b] = draft->first[last];
        draft->first[last] = b;
    }
    for (uint32_t k = 0, at = 0; k < work->body_count; k++) {
        draft->given[at++] = plan->order[k];
        for (uint32_t b = draft->first[k]; b != UINT32_MAX; b = draft->next[b]) {
            draft->given[at++] = work->body_count + b;
        }
    }
}

static AfxStatus make_plan(AfxiBarrier *work) {
    AfxiBarrierSystem *system = &work->kkt;
    AfxiArena arena = {0};
    Draft draft;
    void *raw = NULL;
    size_t raw_size = 0;
    take_draft(work, &arena, &draft);
    arena.base = afxi_allocate_aligned(&work->allocator, arena.used + 1, &raw, &raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_draft(work, &arena, &draft);
    AfxiBlockGraph graph = graph_of(work, &draft, false);
    AfxStatus status = afxi_block_plan_create(&work->allocator, &graph, &system->plan);
    if (status == AFX_OK && work->block_count) {
        put_order(work, &system->plan, &draft);
        afxi_block_plan_destroy(&system->plan);
        graph = graph_of(work, &draft, true);
        status = afxi_block_plan_create(&work->allocator, &graph, &system->plan);
    }
    afxi_release(&work->allocator, raw, raw_size);
    system->planned = status == AFX_OK;
    return status;
}

static void take_numbers(AfxiBarrier *work, AfxiArena *arena) {
    AfxiBarrierSystem *system = &work->kkt;
    system->pair_spot = afxi_arena_take(arena, system->pair_count, sizeof *system->pair_spot);
    system->body_spot = afxi_arena_take(arena, work->body_count, sizeof *system->body_spot);
    system->entry_spot = afxi_arena_take(arena, work->entry_count, sizeof *system->entry_spot);
    system->row_spot = afxi_arena_take(arena, work->block_count, sizeof *system->row_spot);
    system->pair_block = afxi_arena_take(arena, BLOCK * system->pair_count, sizeof(double));
    system->scale = afxi_arena_take(arena, work->unknown_count, sizeof(double));
    system->residual = afxi_arena_take(arena, work->unknown_count, sizeof(double));
    system->step = afxi_arena_take(arena, work->unknown_count, sizeof(double));
    afxi_block_take(&system->factor, arena, &system->plan);
}

static void find_spots(AfxiBarrier *work) {
    AfxiBarrierSystem *system = &work->kkt;
    for (uint32_t k = 0; k < work->body_count; k++) {
        afxi_block_spot(&system->plan, k, k, &system->body_spot[k]);
    }
    for (uint32_t p = 0; p < system->pair_count; p++) {
        afxi_block_spot(&system->plan, system->pairs[p].b, system->pairs[p].a, &system->pair_spot[p]);
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        afxi_block_spot(&system->plan, work->body_count + b, work->body_count + b, &system->row_spot[b]);
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            afxi_block_spot(&system->plan, work->body_count + b, work->entries[e].slot, &system->entry_spot[e]);
        }
    }
}

/* Pairs of the broad phase, and behind them those that are watched. */
static AfxiPair pair_at(const AfxiBarrier *work, const AfxiPair *pairs, uint32_t count, uint32_t k) {
    const AfxiCandidate *candidate = k < count ? NULL : &work->watch[k - count].of;
    return k < count ? pairs[k] : (AfxiPair){candidate->shape[0], candidate->shape[1]};
}

/* A plan for the pairs that there are now. */
static AfxStatus rebuild(AfxiBarrier *work, const AfxiPair *pairs, uint32_t broad) {
    uint32_t count = broad + work->watch_count;
    AfxiBarrierSystem *system = &work->kkt;
    AfxiBarrierPair pair;
    release(work);
    AfxStatus status = afxi_array_reserve(&work->allocator, (void **)&system->pairs, &system->pair_capacity, count + 1,
                                          sizeof *system->pairs);
    if (status != AFX_OK) {
        return status;
    }
    uint32_t listed = 0, unique = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (slots_of(work, pair_at(work, pairs, broad, k), &pair)) {
            system->pairs[listed++] = pair;
        }
    }
    sort_pairs(system->pairs, listed);
    for (uint32_t k = 0; k < listed; k++) {
        if (unique == 0 || compare(&system->pairs[unique - 1], &system->pairs[k]) != 0) {
            system->pairs[unique++] = system->pairs[k];
        }
    }
    system->pair_count = unique;
    status = make_plan(work);
    AfxiArena arena = {0};
    if (status == AFX_OK) {
        take_numbers(work, &arena);
        arena.base = arena.overflow
                         ? NULL
                         : afxi_allocate_aligned(&work->allocator, arena.used + 1, &system->raw, &system->raw_size);
        status = arena.overflow ? AFX_E_LIMIT : arena.base ? AFX_OK : AFX_E_MEMORY;
    }
    if (status != AFX_OK) {
        release(work);
        return status;
    }
    arena.used = 0;
    take_numbers(work, &arena);
    find_spots(work);
    return AFX_OK;
}

AfxStatus afxi_barrier_system_pairs(AfxiBarrier *work) {
    AfxiBarrierSystem *system = &work->kkt;
    AfxiBarrierPair pair;
    uint32_t count;
    const AfxiPair *pairs = afxi_broad_pairs(work->broad, &count);
    bool fits = system->planned;
    uint32_t used = 0;
    if (fits) {
        memset(system->pair_block, 0, BLOCK * system->pair_count * sizeof(double));
    }
    for (uint32_t k = 0; fits && k < count + work->watch_count; k++) {
        if (slots_of(work, pair_at(work, pairs, count, k), &pair)) {
            uint32_t at = find_pair(system, pair.a, pair.b);
            fits = at != UINT32_MAX;
            used += fits && system->pair_block[BLOCK * at] == 0;
            if (fits) {
                system->pair_block[BLOCK * at] = 1;
            }
        }
    }
    fits = fits && (!work->fresh || used == system->pair_count); /* a step does not depend on those before it */
    work->fresh = false;
    AfxStatus status = fits ? AFX_OK : rebuild(work, pairs, count);
    if (status == AFX_OK) {
        memset(system->pair_block, 0, BLOCK * system->pair_count * sizeof(double));
    }
    return status;
}

/* ---- numbers ---- */

static void add_at(AfxiBarrierSystem *system, AfxiBlockSpot spot, uint32_t r, uint32_t c, double value) {
    system->factor.value[spot.at + (size_t)r * spot.row_step + (size_t)c * spot.column_step] += value;
}

static void add_rows(AfxiBarrier *work, uint32_t b) {
    AfxiBarrierSystem *system = &work->kkt;
    const AfxiBarrierBlock *block = &work->blocks[b];
    for (uint32_t r = 0; r < block->row_count; r++) {
        add_at(system, system->row_spot[b], r, r, -work->rows[block->first_row + r].compliance);
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const double *g = work->row_gradient + work->entries[e].gradient + (size_t)AFXI_BARRIER_WIDTH * r;
            for (uint32_t c = 0; c < work->bodies[work->entries[e].slot].width; c++) {
                add_at(system, system->entry_spot[e], r, c, g[c]);
            }
        }
    }
}

static void assemble(AfxiBarrier *work) {
    AfxiBarrierSystem *system = &work->kkt;
    afxi_block_clear(&system->plan, &system->factor);
    for (uint32_t k = 0; k < work->body_count; k++) {
        const double *h = work->hessian + BLOCK * k;
        for (uint32_t c = 0; c < work->bodies[k].width; c++) {
            for (uint32_t r = c; r < work->bodies[k].width; r++) {
                add_at(system, system->body_spot[k], r, c, h[AFXI_BARRIER_WIDTH * c + r]);
            }
        }
    }
    for (uint32_t p = 0; p < system->pair_count; p++) {
        const double *h = system->pair_block + BLOCK * p;
        for (uint32_t c = 0; c < work->bodies[system->pairs[p].a].width; c++) {
            for (uint32_t r = 0; r < work->bodies[system->pairs[p].b].width; r++) {
                add_at(system, system->pair_spot[p], r, c, h[AFXI_BARRIER_WIDTH * c + r]);
            }
        }
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        add_rows(work, b);
    }
}

/* Unit diagonal: of a row that of J H^-1 J^T, with the diagonal of H. Rows that are not active are left out. */
static void set_scale(AfxiBarrier *work) {
    double *scale = work->kkt.scale;
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        for (uint32_t c = 0; c < body->width; c++) {
            scale[body->first + c] = 1 / sqrt(work->hessian[BLOCK * k + (AFXI_BARRIER_WIDTH + 1) * c]);
        }
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t r = 0; r < block->row_count; r++) {
            const AfxiBarrierRow *row = &work->rows[block->first_row + r];
            double sum = row->compliance;
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                const AfxiBarrierBody *body = &work->bodies[work->entries[e].slot];
                const double *g = work->row_gradient + work->entries[e].gradient + (size_t)AFXI_BARRIER_WIDTH * r;
                for (uint32_t c = 0; c < body->width; c++) {
                    sum += g[c] * g[c] * scale[body->first + c] * scale[body->first + c];
                }
            }
            scale[work->width_count + block->first_row + r] = row->active && sum > 0 ? 1 / sqrt(sum) : 0;
        }
    }
}

bool afxi_barrier_system_factor(AfxiBarrier *work) {
    AfxiBarrierSystem *system = &work->kkt;
    AfxiBlockReport report;
    set_scale(work);
    assemble(work);
    afxi_block_factor(&system->plan, &system->factor, system->scale, work->row_count ? AFXI_BARRIER_REGULARISATION : 0,
                      NULL, &report);
    return report.wrong == 0 && !isnan(report.pivot);
}

/* out -= A x */
static void subtract(const AfxiBarrier *work, const double *x, double *out) {
    const AfxiBarrierSystem *system = &work->kkt;
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiBarrierBody *body = &work->bodies[k];
        for (uint32_t c = 0; c < body->width; c++) {
            for (uint32_t r = 0; r < body->width; r++) {
                out[body->first + r] -= work->hessian[BLOCK * k + AFXI_BARRIER_WIDTH * c + r] * x[body->first + c];
            }
        }
    }
    for (uint32_t p = 0; p < system->pair_count; p++) {
        const AfxiBarrierBody *a = &work->bodies[system->pairs[p].a], *b = &work->bodies[system->pairs[p].b];
        for (uint32_t c = 0; c < a->width; c++) {
            const double *h = system->pair_block + BLOCK * p + AFXI_BARRIER_WIDTH * c;
            for (uint32_t r = 0; r < b->width; r++) {
                out[b->first + r] -= h[r] * x[a->first + c];
                out[a->first + c] -= h[r] * x[b->first + r];
            }
        }
    }
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t at = work->width_count + block->first_row + r;
            if (!work->rows[block->first_row + r].active) {
                continue;
            }
            out[at] += work->rows[block->first_row + r].compliance * x[at];
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                const AfxiBarrierBody *body = &work->bodies[work->entries[e].slot];
                const double *g = work->row_gradient + work->entries[e].gradient + (size_t)AFXI_BARRIER_WIDTH * r;
                for (uint32_t c = 0; c < body->width; c++) {
                    out[at] -= g[c] * x[body->first + c];
                    out[body->first + c] -= g[c] * x[at];
                }
            }
        }
    }
}

void afxi_barrier_system_solve(AfxiBarrier *work, double *x) {
    AfxiBarrierSystem *system = &work->kkt;
    size_t bytes = work->unknown_count * sizeof(double);
    memcpy(system->residual, x, bytes);
    memset(x, 0, bytes);
    uint32_t passes = work->row_count ? AFXI_BARRIER_PASSES : 1;
    double first = 0;
    for (uint32_t pass = 0; pass < passes; pass++) {
        double most = 0;
        for (uint32_t k = 0; k < work->unknown_count; k++) {
            system->step[k] = system->residual[k] * system->scale[k];
            most = fmax(most, fabs(system->step[k]));
        }
        first = pass == 0 ? most : first;
        if (pass > 0 && most <= AFXI_BARRIER_SOLVED * first) {
            break;
        }
        afxi_block_solve(&system->plan, &system->factor, system->step);
        for (uint32_t k = 0; k < work->unknown_count; k++) {
            system->step[k] *= system->scale[k];
            x[k] += system->step[k];
        }
        if (pass + 1 < passes) {
            subtract(work, system->step, system->residual);
        }
    }
}

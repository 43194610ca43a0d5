/* SPDX-License-Identifier: Apache-2.0 */
/* The order of elimination: bodies and blocks of rows by minimum degree (sparse/degree.h). A block of rows has no
 * pivots of its own before one of its bodies is eliminated, which carries as many rows as it has unknowns: rows that
 * come too early wait for that. */
#include <string.h>

#include "grad/system.h"
#include "sparse/degree.h"

#define NONE UINT32_MAX

/* Blocks: bodies of the model, then elements with rows. */
typedef struct Blocks {
    uint32_t count, bodies;
    uint32_t *size;   /* [count] unknowns */
    uint32_t *owner;  /* [rows] the element that has it */
    uint32_t *start;  /* [elements + 1] cliques: bodies and rows of an element */
    uint32_t *member; /* [members] */
    uint32_t *number; /* [count] among those that have unknowns */
    uint32_t *back;   /* [count] the reverse */
    uint32_t *order;  /* [count] by minimum degree */
    uint32_t *goes;   /* [count] in which they go; numbers among those that have unknowns */
    uint32_t *room;   /* [bodies] rows that it can still carry */
    uint8_t *done;    /* [count] 1: its turn has come; 2: it is in the order */
    uint32_t *stamp;  /* [count] */
    uint32_t members;
} Blocks;

static uint32_t block_of(const AfxiGradSystem *system, const Blocks *blocks, uint32_t index) {
    uint32_t bodies = AFXI_AFFINE_WIDTH * system->layout->bodies;
    return index < bodies ? index / AFXI_AFFINE_WIDTH : blocks->bodies + blocks->owner[index - bodies];
}

static void take(const AfxiGradSystem *system, const AfxiGradEquations *equations, Blocks *blocks, AfxiArena *arena) {
    blocks->size = afxi_arena_take(arena, blocks->count, sizeof(uint32_t));
    blocks->owner = afxi_arena_take(arena, system->layout->rows, sizeof(uint32_t));
    blocks->start = afxi_arena_take(arena, (size_t)equations->element_count + 1, sizeof(uint32_t));
    blocks->member = afxi_arena_take(arena, blocks->members, sizeof(uint32_t));
    blocks->number = afxi_arena_take(arena, blocks->count, sizeof(uint32_t));
    blocks->back = afxi_arena_take(arena, blocks->count, sizeof(uint32_t));
    blocks->order = afxi_arena_take(arena, blocks->count, sizeof(uint32_t));
    blocks->goes = afxi_arena_take(arena, blocks->count, sizeof(uint32_t));
    blocks->room = afxi_arena_take(arena, blocks->bodies, sizeof(uint32_t));
    blocks->done = afxi_arena_take(arena, blocks->count, 1);
    blocks->stamp = afxi_arena_take(arena, blocks->count, sizeof(uint32_t));
}

/* Sizes of blocks; and the blocks of each element, each once. */
static void gather(const AfxiGradSystem *system, const AfxiGradStructure *structure, const AfxiGradEquations *equations,
                   Blocks *blocks) {
    uint32_t rows = AFXI_AFFINE_WIDTH * system->layout->bodies, count = 0;
    memset(blocks->size, 0, blocks->count * sizeof *blocks->size);
    for (uint32_t k = 0; k < blocks->bodies; k++) {
        blocks->size[k] = structure->first[k] != NONE ? structure->width[k] : 0;
        blocks->room[k] = blocks->size[k];
    }
    for (uint32_t k = 0; k < blocks->count; k++) {
        blocks->stamp[k] = NONE;
    }
    for (uint32_t e = 0; e < equations->element_count; e++) {
        const AfxiProgram *program = &equations->now[e].program;
        blocks->start[e] = count;
        for (uint32_t k = 0; k < program->result_count; k++) {
            uint32_t row = program->result[k].row;
            if (row >= rows) {
                blocks->owner[row - rows] = e;
                blocks->size[blocks->bodies + e]++;
            }
        }
        for (uint32_t k = 0; k < program->unknown_count; k++) {
            uint32_t ends[2] = {block_of(system, blocks, program->term[k].row),
                                block_of(system, blocks, program->term[k].slot)};
            for (int side = 0; side < 2; side++) {
                if (blocks->stamp[ends[side]] != e) {
                    blocks->stamp[ends[side]] = e;
                    blocks->member[count++] = ends[side];
                }
            }
        }
    }
    blocks->start[equations->element_count] = count;
}

/* Whether a block of rows can go: one of its bodies is out and has room for it, which it takes. */
static bool carried(Blocks *blocks, uint32_t block) {
    uint32_t e = block - blocks->bodies;
    for (uint32_t p = blocks->start[e]; p < blocks->start[e + 1]; p++) {
        uint32_t body = blocks->member[p];
        if (body < blocks->bodies && blocks->done[body] == 2 && blocks->room[body] >= blocks->size[block]) {
            blocks->room[body] -= blocks->size[block];
            return true;
        }
    }
    return false;
}

/* Puts a block into the order. */
static uint32_t append(Blocks *blocks, uint32_t block, uint32_t at) {
    blocks->done[block] = 2;
    blocks->goes[at] = blocks->number[block];
    return at + 1;
}

/* Rows that waited for a body, as far as it carries them. */
static uint32_t release_waiting(Blocks *blocks, const uint32_t *of, const uint32_t *list, uint32_t body, uint32_t at) {
    for (uint32_t p = of[body]; p < of[body + 1]; p++) {
        uint32_t block = blocks->bodies + list[p];
        if (blocks->done[block] == 1 && carried(blocks, block)) {
            at = append(blocks, block, at);
        }
    }
    return at;
}

/* Elements of each body: list [of[body] ...]. */
static void elements_of(const AfxiGradEquations *equations, const Blocks *blocks, uint32_t *of, uint32_t *list) {
    memset(of, 0, ((size_t)blocks->bodies + 1) * sizeof *of);
    for (uint32_t p = 0; p < blocks->start[equations->element_count]; p++) {
        if (blocks->member[p] < blocks->bodies) {
            of[blocks->member[p] + 1]++;
        }
    }
    for (uint32_t k = 0; k < blocks->bodies; k++) {
        of[k + 1] += of[k];
    }
    for (uint32_t e = equations->element_count; e-- > 0;) {
        for (uint32_t p = blocks->start[e]; p < blocks->start[e + 1]; p++) {
            if (blocks->member[p] < blocks->bodies) {
                list[--of[blocks->member[p] + 1]] = e;
            }
        }
    }
    for (uint32_t k = 0; k < blocks->bodies; k++) { /* of[k + 1] has gone back to where k begins */
        of[k] = of[k + 1];
    }
}

static void arrange(const AfxiGradEquations *equations, Blocks *blocks, uint32_t nodes, uint32_t *of, uint32_t *list) {
    uint32_t at = 0;
    elements_of(equations, blocks, of, list);
    uint32_t total = 0;
    for (uint32_t p = 0; p < blocks->start[equations->element_count]; p++) {
        total += blocks->member[p] < blocks->bodies;
    }
    of[blocks->bodies] = total;
    memset(blocks->done, 0, blocks->count);
    for (uint32_t k = 0; k < nodes; k++) {
        uint32_t block = blocks->back[blocks->order[k]];
        blocks->done[block] = 1;
        if (block < blocks->bodies) {
            at = append(blocks, block, at);
            at = release_waiting(blocks, of, list, block, at);
        } else if (carried(blocks, block)) {
            at = append(blocks, block, at);
        }
    }
    for (uint32_t k = 0; k < nodes; k++) {
        uint32_t block = blocks->back[blocks->order[k]];
        if (blocks->done[block] == 1) {
            at = append(blocks, block, at);
        }
    }
}

/* The blocks that have unknowns, as a graph. */
static void make_graph(const AfxiGradEquations *equations, Blocks *blocks, uint32_t *size, uint32_t *member,
                       AfxiBlockGraph *out) {
    uint32_t nodes = 0, members = blocks->start[equations->element_count];
    for (uint32_t k = 0; k < blocks->count; k++) {
        blocks->number[k] = blocks->size[k] ? nodes : NONE;
        if (blocks->size[k]) {
            size[nodes] = blocks->size[k];
            blocks->back[nodes++] = k;
        }
    }
    for (uint32_t p = 0; p < members; p++) {
        member[p] = blocks->number[blocks->member[p]];
    }
    *out = (AfxiBlockGraph){.count = nodes,
                            .size = size,
                            .clique_count = equations->element_count,
                            .clique_start = blocks->start,
                            .member = member,
                            .order = AFXI_ORDER_OWN};
}

/* out [n] <- their unknowns, block after block */
static void list_unknowns(const AfxiGradSystem *system, const AfxiGradStructure *structure,
                          const AfxiGradEquations *equations, const Blocks *blocks, uint32_t nodes, uint32_t *out) {
    uint32_t rows = AFXI_AFFINE_WIDTH * system->layout->bodies, at = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t block = blocks->back[node];
        for (uint32_t k = 0; block < blocks->bodies && k < blocks->size[block]; k++) {
            out[at++] = structure->first[block] + k;
        }
        const AfxiProgram *program = block < blocks->bodies ? NULL : &equations->now[block - blocks->bodies].program;
        for (uint32_t k = 0; program && k < program->result_count; k++) {
            if (program->result[k].row >= rows) {
                out[at++] = structure->row[program->result[k].row - rows];
            }
        }
    }
}

AfxStatus afxi_grad_order(AfxiGradSystem *system, AfxiGradStructure *structure, const AfxiGradEquations *equations) {
    Blocks blocks = {.bodies = system->layout->bodies,
                     .count = system->layout->bodies + equations->element_count,
                     .members = 2 * structure->term_count + 1};
    AfxiArena arena = {0};
    AfxiBlockGraph graph = {0};
    void *raw = NULL;
    size_t raw_size = 0;
    uint32_t *size = NULL, *member = NULL, *of = NULL, *list = NULL, *unknown = NULL;
    for (int pass = 0; pass < 2; pass++) {
        take(system, equations, &blocks, &arena);
        size = afxi_arena_take(&arena, blocks.count, sizeof *size);
        member = afxi_arena_take(&arena, blocks.members, sizeof *member);
        of = afxi_arena_take(&arena, (size_t)blocks.bodies + 2, sizeof *of);
        list = afxi_arena_take(&arena, blocks.members, sizeof *list);
        unknown = afxi_arena_take(&arena, structure->n, sizeof *unknown);
        if (pass == 0) {
            arena.base =
                arena.overflow ? NULL : afxi_allocate_aligned(system->allocator, arena.used + 1, &raw, &raw_size);
            arena.used = 0;
        }
        if (!arena.base) {
            return AFX_E_MEMORY;
        }
    }
    gather(system, structure, equations, &blocks);
    make_graph(equations, &blocks, size, member, &graph);
    AfxStatus status = graph.count ? afxi_order_degree(system->allocator, &graph, blocks.order) : AFX_OK;
    if (status == AFX_OK) {
        arrange(equations, &blocks, graph.count, of, list);
        list_unknowns(system, structure, equations, &blocks, graph.count, unknown);
        status =
            afxi_grad_factor_plan(&structure->factor, &graph, blocks.goes, unknown, &structure->matrix, structure->n);
    }
    afxi_release(system->allocator, raw, raw_size);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finding ball chains: walks from every body with at most one moving neighbour, along ball joints that nothing drives,
 * as long as nothing else holds the bodies on the way. Then cuts the chains into spans for the SIMD lanes. */
#include "model/chains.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/contacts.h"
#include "model/model.h"
#include "model/tuning.h"

#define NONE UINT32_MAX

/* Work of the search. */
typedef struct Search {
    uint32_t (*joint)[2]; /* [bodies] ball joints of a body */
    uint8_t *count;       /* [bodies] of them; OTHER: something else holds it, too */
    uint8_t *seen;        /* [bodies] */
    uint32_t *path;       /* [bodies] bodies of all chains, one after the other */
    uint32_t *length;     /* [bodies] links of each chain */
    uint32_t path_length, chain_count;
    void *raw;
    size_t raw_size;
} Search;

#define OTHER 3

static bool moves(const AfxModel *model, uint32_t body) {
    return body != AFXI_WORLD && model->kind[body] == AFX_BODY_DYNAMIC;
}

static void hold(const AfxModel *model, Search *search, uint32_t body) {
    if (moves(model, body)) {
        search->count[body] = OTHER;
    }
}

static void add_ball(const AfxModel *model, Search *search, uint32_t body, uint32_t joint) {
    if (!moves(model, body)) {
        return;
    }
    if (search->count[body] < 2) {
        search->joint[body][search->count[body]++] = joint;
    } else {
        search->count[body] = OTHER;
    }
}

static void collect(const AfxModel *model, Search *search) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        if (joint->kind == AFX_JOINT_SPHERICAL && joint->drive_count == 0 && joint->rotational_spring == UINT32_MAX) {
            add_ball(model, search, joint->follower, k);
            add_ball(model, search, joint->base, k);
        } else if (afxi_joint_kind((AfxJointKind)joint->kind)->row_count || joint->drive_count) {
            hold(model, search, joint->follower);
            hold(model, search, joint->base);
        }
    }
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        for (uint32_t term = 0; term < model->couplings[k].term_count; term++) {
            const AfxiJoint *joint = &model->joints[model->couplings[k].joint[term]];
            hold(model, search, joint->follower);
            hold(model, search, joint->base);
        }
    }
    for (uint32_t k = 0; k < model->contacts.shape_count; k++) {
        if (afxi_contacts_bounces(model, k)) { /* velocities that jump: not for a chain */
            hold(model, search, model->contacts.shapes[k].body);
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        hold(model, search, model->springs[k].body_a);
        hold(model, search, model->springs[k].body_b);
    }
}

static uint32_t across(const AfxModel *model, uint32_t joint, uint32_t body) {
    const AfxiJoint *own = &model->joints[joint];
    return own->follower == body ? own->base : own->follower;
}

/* The moving neighbour across a body's ball joint `side`, or NONE. */
static uint32_t neighbour(const AfxModel *model, const Search *search, uint32_t body, uint32_t side) {
    if (side >= search->count[body] || search->count[body] == OTHER) {
        return NONE;
    }
    uint32_t other = across(model, search->joint[body][side], body);
    return moves(model, other) ? other : NONE;
}

/* Walks from an end; keeps the path when it is a chain. */
static void walk(const AfxModel *model, Search *search, uint32_t body) {
    uint32_t begin = search->path_length, at = begin, from = NONE;
    bool fine = true;
    while (body != NONE) {
        search->seen[body] = 1;
        search->path[at++] = body;
        fine &= search->count[body] != OTHER;
        uint32_t first = neighbour(model, search, body, 0), second = neighbour(model, search, body, 1);
        uint32_t next = first != NONE && first != from ? first : second;
        fine &= next == NONE || !search->seen[next]; /* on a path from another end that something holds */
        from = body;
        body = next != NONE && !search->seen[next] ? next : NONE;
    }
    if (fine && at - begin >= AFXI_CHAIN_LINKS_LEAST) {
        search->path_length = at;
        search->length[search->chain_count++] = at - begin;
    }
}

/* Two bodies joined twice are a loop. */
static bool is_end(const AfxModel *model, const Search *search, uint32_t body) {
    uint32_t first = neighbour(model, search, body, 0), second = neighbour(model, search, body, 1);
    return search->count[body] > 0 && search->count[body] < OTHER && (first == NONE || second == NONE);
}

static void take_search(Search *search, AfxiArena *arena, uint32_t bodies) {
    search->joint = afxi_arena_take(arena, bodies, sizeof *search->joint);
    search->count = afxi_arena_take(arena, bodies, sizeof *search->count);
    search->seen = afxi_arena_take(arena, bodies, sizeof *search->seen);
    search->path = afxi_arena_take(arena, bodies, sizeof *search->path);
    search->length = afxi_arena_take(arena, bodies, sizeof *search->length);
}

static AfxStatus find_chains(const AfxModel *model, Search *search) {
    AfxiArena arena = {0};
    take_search(search, &arena, model->body_count);
    arena.base =
        arena.overflow ? NULL : afxi_allocate_aligned(&model->allocator, arena.used, &search->raw, &search->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_search(search, &arena, model->body_count);
    collect(model, search);
    for (uint32_t body = 0; body < model->body_count; body++) {
        if (!search->seen[body] && is_end(model, search, body)) {
            walk(model, search, body);
        }
    }
    return AFX_OK;
}

/* ---- from paths to chains ---- */

static uint32_t span_count(uint32_t links) {
    if (links <= AFXI_CHAIN_WHOLE_MOST) {
        return 1;
    }
    uint32_t count = (links + AFXI_CHAIN_SPAN_LINKS - 1) / AFXI_CHAIN_SPAN_LINKS;
    count = count < AFXI_CHAIN_SPANS_LEAST ? AFXI_CHAIN_SPANS_LEAST : count;
    return (count + AFXI_CHAIN_SPANS_LEAST - 1) / AFXI_CHAIN_SPANS_LEAST * AFXI_CHAIN_SPANS_LEAST +
           (links % AFXI_CHAIN_SPANS_LEAST != 0);
}

/* Links of span k of `count`: equal for every AFXI_CHAIN_SPANS_LEAST of them, which lanes take side by side; the links
 * that are left over are the last span. */
static uint32_t span_length(uint32_t links, uint32_t count, uint32_t k) {
    uint32_t rows = count / AFXI_CHAIN_SPANS_LEAST, each = links / AFXI_CHAIN_SPANS_LEAST;
    if (count == 1 || k == AFXI_CHAIN_SPANS_LEAST * rows) {
        return count == 1 ? links : links % AFXI_CHAIN_SPANS_LEAST;
    }
    return each / rows + (k / AFXI_CHAIN_SPANS_LEAST < each % rows);
}

static void take_chains(AfxiChains *chains, AfxiArena *arena, uint32_t bodies) {
    chains->chain = afxi_arena_take(arena, chains->chain_count, sizeof *chains->chain);
    chains->link = afxi_arena_take(arena, chains->link_count, sizeof *chains->link);
    chains->chain_of = afxi_arena_take(arena, chains->link_count, sizeof *chains->chain_of);
    chains->link_of = afxi_arena_take(arena, bodies, sizeof *chains->link_of);
    chains->slot_joint = afxi_arena_take(arena, chains->slot_count, sizeof *chains->slot_joint);
    chains->span = afxi_arena_take(arena, chains->span_count, sizeof *chains->span);
    chains->order = afxi_arena_take(arena, chains->span_count, sizeof *chains->order);
}

/* The joint between two links of a path, or a free one of the first (other NONE). */
static uint32_t joint_to(const AfxModel *model, const Search *search, uint32_t body, uint32_t other) {
    for (uint32_t side = 0; side < search->count[body]; side++) {
        uint32_t joint = search->joint[body][side];
        if (neighbour(model, search, body, side) == other) {
            return joint;
        }
    }
    return NONE;
}

static AfxVec3 point_on(const AfxModel *model, uint32_t joint, uint32_t body) {
    const AfxiJoint *own = &model->joints[joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + own->frame;
    return own->follower == body ? frame->point_a : frame->point_b;
}

/* The points are rounded where principal frames are: what is off an axis by no more is on it. */
static AfxVec3 snapped(AfxVec3 x) {
    double least = 4 * DBL_EPSILON * vec3_length(x);
    return vec3(fabs(x.x) <= least ? 0 : x.x, fabs(x.y) <= least ? 0 : x.y, fabs(x.z) <= least ? 0 : x.z);
}

static AfxiChainShape shape_of(const AfxModel *model, uint32_t body, uint32_t left, uint32_t right) {
    AfxVec3 x = left == NONE ? vec3(0, 0, 0) : snapped(point_on(model, left, body));
    AfxVec3 y = right == NONE ? vec3_scale(-1, x) : snapped(point_on(model, right, body));
    x = left == NONE ? vec3_scale(-1, y) : x; /* an empty slot may be anywhere: where it makes the shape collinear */
    AfxiChainShape shape = {.left_length = vec3_length(x), .right_length = vec3_length(y)};
    double square = vec3_dot(x, x), ratio = square > 0 ? vec3_dot(x, y) / square : 0;
    vec3_store(shape.left, x);
    vec3_store(shape.right, y);
    shape.ratio = ratio;
    shape.collinear = vec3_length(vec3_mad(y, -ratio, x)) <= 4 * DBL_EPSILON * shape.right_length;
    shape.axial = shape.collinear != 0 && x.y == 0 && x.z == 0 && y.y == 0 && y.z == 0;
    return shape;
}

static AfxStatus fill_links(AfxModel *model, const Search *search, AfxiIntern *shapes) {
    AfxiChains *chains = &model->chains;
    const uint32_t *path = search->path;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        AfxiChain *chain = &chains->chain[c];
        uint32_t left = NONE, count = chain->link_count, slot = chain->first_slot;
        chain->collinear = chain->axial = true;
        chain->size = afxi_model_measure(model, path + chain->first_link, count);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t body = path[chain->first_link + k];
            uint32_t next = k + 1 < count ? path[chain->first_link + k + 1] : NONE;
            uint32_t right = joint_to(model, search, body, next);
            if (k == 0) { /* what holds the first link from outside, and is not its right joint */
                left = count > 1 ? joint_to(model, search, body, NONE) : NONE;
                chains->slot_joint[slot++] = left;
            }
            AfxiChainShape shape = shape_of(model, body, left, right);
            AfxStatus status =
                afxi_intern_growing(&model->allocator, shapes, &shape, &chains->link[chain->first_link + k].shape);
            if (status != AFX_OK) {
                return status;
            }
            chains->link[chain->first_link + k].body = body;
            chains->in_order &= next == NONE || next == body + 1;
            chain->collinear &= shape.collinear != 0;
            chain->axial &= shape.axial != 0;
            chains->slot_joint[slot++] = right;
            left = right;
        }
    }
    for (uint32_t k = 0; k < chains->slot_count; k++) {
        if (chains->slot_joint[k] != NONE) {
            model->joints[chains->slot_joint[k]].slot = k;
        }
    }
    return AFX_OK;
}

/* The row of a slot is left end minus right end; that of a joint, follower minus base. */
static void mark_bodies(AfxModel *model) {
    const AfxiChains *chains = &model->chains;
    memset(chains->link_of, 0xff, model->body_count * sizeof *chains->link_of);
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        const AfxiChain *chain = &chains->chain[c];
        for (uint32_t k = 0; k < chain->link_count; k++) {
            uint32_t body = chains->link[chain->first_link + k].body;
            uint32_t joint = chains->slot_joint[chain->first_slot + k];
            model->in_chain[body] = 1;
            chains->link_of[body] = chain->first_link + k;
            chains->chain_of[chain->first_link + k] = c;
            if (joint != NONE) {
                model->joints[joint].reversed = model->joints[joint].follower == body;
            }
        }
        uint32_t last = chains->slot_joint[chain->first_slot + chain->link_count];
        if (last != NONE) {
            uint32_t body = chains->link[chain->first_link + chain->link_count - 1].body;
            model->joints[last].reversed = model->joints[last].follower != body;
        }
    }
}

static void cut(AfxiChains *chains) {
    uint32_t at = 0;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        AfxiChain *chain = &chains->chain[c];
        uint32_t count = span_count(chain->link_count);
        chain->first_piece = at;
        chain->piece_count = count;
        uint32_t link = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t length = span_length(chain->link_count, count, k);
            chains->span[at++] = (AfxiChainSpan){c, chain->first_link + link, chain->first_slot + link, length, 0, 0};
            link += length;
            chains->span_most = length > chains->span_most ? length : chains->span_most;
        }
    }
}

/* Around the middle of every span, how far links are alike. */
static void mark_alike(AfxModel *model) {
    const AfxiChains *chains = &model->chains;
    for (uint32_t s = 0; s < chains->span_count; s++) {
        AfxiChainSpan *span = &chains->span[s];
        const AfxiChainLink *link = chains->link + span->first_link, *middle = link + span->link_count / 2;
        uint32_t begin = span->link_count / 2, end = begin + 1, class = model->classes.of[middle->body];
        while (begin > 0 && link[begin - 1].shape == middle->shape && link[begin - 1].body + 1 == link[begin].body &&
               model->classes.of[link[begin - 1].body] == class) {
            begin--;
        }
        while (end < span->link_count && link[end].shape == middle->shape && link[end - 1].body + 1 == link[end].body &&
               model->classes.of[link[end].body] == class) {
            end++;
        }
        span->alike_begin = begin;
        span->alike_end = end;
    }
}

/* What spans are put side by side by: length, then whole chains before cut ones, then the shapes of the links. Lanes
 * hold spans that agree in all of it (engine/chain.c), so where they stand mixed, lanes run empty. */
#define KINDS_PER_LENGTH 6u

static uint32_t kind_of(const AfxiChains *chains, const AfxiChainSpan *span) {
    const AfxiChain *chain = &chains->chain[span->chain];
    uint32_t shape = chain->axial ? 0 : chain->collinear ? 1 : 2;
    return KINDS_PER_LENGTH * span->link_count + (chain->piece_count == 1 ? 0 : 3) + shape;
}

static size_t kind_count(const AfxiChains *chains) {
    return KINDS_PER_LENGTH * ((size_t)chains->span_most + 1);
}

/* Spans by kind; equal ones stay in their order. A counting sort. `start`: [kinds + 1]. */
static void order_spans(AfxiChains *chains, uint32_t *start) {
    size_t kinds = kind_count(chains);
    memset(start, 0, (kinds + 1) * sizeof *start);
    for (uint32_t k = 0; k < chains->span_count; k++) {
        start[kind_of(chains, &chains->span[k]) + 1]++;
    }
    for (size_t k = 0; k < kinds; k++) {
        start[k + 1] += start[k];
    }
    for (uint32_t k = 0; k < chains->span_count; k++) {
        chains->order[start[kind_of(chains, &chains->span[k])]++] = k;
    }
}

static AfxStatus fill(AfxModel *model, Search *search) {
    AfxiChains *chains = &model->chains;
    const AfxAllocator *allocator = &model->allocator;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        uint32_t links = search->length[c];
        chains->link_count += links;
        chains->slot_count += links + 1;
        chains->span_count += span_count(links);
    }
    AfxiArena arena = {0};
    take_chains(chains, &arena, model->body_count);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &chains->raw, &chains->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_chains(chains, &arena, model->body_count);
    uint32_t link = 0;
    for (uint32_t c = 0; c < chains->chain_count; c++) {
        chains->chain[c].first_link = link;
        chains->chain[c].first_slot = link + c; /* one more than links; before they are cut into spans */
        chains->chain[c].link_count = search->length[c];
        link += search->length[c];
    }
    cut(chains);
    AfxiIntern shapes = {.item_size = sizeof(AfxiChainShape)};
    AfxStatus status = fill_links(model, search, &shapes);
    chains->shape = shapes.items;
    chains->shape_count = shapes.count;
    chains->shape_bytes = (size_t)shapes.capacity * sizeof(AfxiChainShape);
    afxi_intern_release_slots(allocator, &shapes);
    size_t bytes = (kind_count(chains) + 1) * sizeof(uint32_t);
    uint32_t *start = status == AFX_OK ? afxi_allocate(allocator, bytes) : NULL;
    status = status ? status : start ? AFX_OK : AFX_E_MEMORY;
    if (status == AFX_OK) {
        order_spans(chains, start);
        mark_alike(model);
        mark_bodies(model);
    }
    afxi_release(allocator, start, bytes);
    return status;
}

AfxStatus afxi_compile_chains(AfxModel *model) {
    Search search = {0};
    model->chains.in_order = true;
    AfxStatus status = model->joint_count ? find_chains(model, &search) : AFX_OK;
    model->chains.chain_count = search.chain_count;
    if (status == AFX_OK && search.chain_count) {
        status = fill(model, &search);
    }
    afxi_release(&model->allocator, search.raw, search.raw_size);
    return status;
}

void afxi_chains_destroy(AfxModel *model) {
    afxi_release(&model->allocator, model->chains.raw, model->chains.raw_size);
    afxi_release(&model->allocator, model->chains.shape, model->chains.shape_bytes);
}

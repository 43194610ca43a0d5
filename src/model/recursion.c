/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination from the leaves to the roots of a forest: which bodies go side by side, and in which order.
 *
 * Bodies with equally many joints of equally many rows are alike. Of those whose children are done, four that are
 * alike go next, the latest first: so four twigs are followed side by side down to where they fork, and what a body
 * leaves for the next one is still in the cache. Leaves only begin when nothing else is four. What is not closed, or
 * has more joints than the closed forms take, goes by its gradients (general), side by side all the same.
 *
 * Subtrees of about a sixteenth of all bodies are parts that can be worked on at the same time; what stands between
 * them and the roots is the last part. */
#include "model/recursion.h"

#include <string.h>

#include "base/memory.h"
#include "joint/rotational_spring.h"
#include "model/recursion_walk.h"

static void take_walk(AfxiWalk *walk, AfxiArena *arena, const AfxiGraph *graph) {
    uint32_t **lists[] = {&walk->parent, &walk->order, &walk->size,  &walk->part, &walk->wait,
                          &walk->next,   &walk->left,  &walk->spare, &walk->depth};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        *lists[k] = afxi_arena_take(arena, graph->body_count, sizeof(uint32_t));
    }
    walk->joint = afxi_arena_take(arena, graph->block_count, sizeof(uint32_t));
    walk->kind = afxi_arena_take(arena, graph->body_count, 1);
}

/* ---- parts ---- */

/* Parts of subtrees with at most `most` bodies; the last part's number comes back. */
static uint32_t cut(const AfxiGraph *graph, AfxiWalk *walk) {
    uint32_t most = graph->body_count / AFXI_FOREST_PARTS, part = 0, filled = 0;
    most = most < AFXI_FOREST_PART_LEAST ? AFXI_FOREST_PART_LEAST : most;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        walk->size[body] = 1;
    }
    for (uint32_t k = graph->body_count; k-- > 0;) {
        uint32_t body = walk->order[k], parent = afxi_walk_parent(graph, walk, body);
        if (parent != AFXI_WALK_NONE) {
            walk->size[parent] += walk->size[body];
        }
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t body = walk->order[k], parent = afxi_walk_parent(graph, walk, body);
        walk->depth[body] = parent == AFXI_WALK_NONE ? 0 : walk->depth[parent] + 1;
        if (walk->size[body] > most) {
            walk->part[body] = AFXI_WALK_NONE;
        } else if (parent != AFXI_WALK_NONE && walk->part[parent] != AFXI_WALK_NONE) {
            walk->part[body] = walk->part[parent];
        } else {
            part += filled >= most;
            filled = (filled >= most ? 0 : filled) + walk->size[body];
            walk->part[body] = part;
        }
    }
    part += filled > 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t towards = walk->parent[body];
        bool carried = towards != AFXI_WALK_NONE && afxi_walk_block(graph, towards)->flywheel;
        walk->part[body] = carried ? AFXI_WALK_CARRIED : walk->part[body] == AFXI_WALK_NONE ? part : walk->part[body];
    }
    return part;
}

/* ---- jobs ---- */

/* Of general bodies, those far from the root go first: the shortest way through a forest with a given number of lanes.
 */
static void push(AfxiWalk *walk, uint32_t body) {
    uint8_t kind = walk->kind[body];
    uint32_t *at = &walk->head[kind];
    while (kind >= AFXI_WALK_CLOSED && *at != AFXI_WALK_NONE && walk->depth[*at] > walk->depth[body]) {
        at = &walk->next[*at];
    }
    walk->next[body] = *at;
    *at = body;
    walk->count[kind]++;
}

static bool goes_before(const AfxiWalk *walk, uint32_t kind, uint32_t other) {
    if (other == AFXI_WALK_NONE || kind < AFXI_WALK_CLOSED || other < AFXI_WALK_CLOSED) {
        return other == AFXI_WALK_NONE || walk->count[kind] > walk->count[other];
    }
    return walk->depth[walk->head[kind]] > walk->depth[walk->head[other]];
}

/* What goes next: one that goes alone, four of a kind, four leaves, or as many of a kind as there are; AFXI_WALK_NONE:
 * nothing is left. Of general kinds, that with the body farthest from the root. */
static uint32_t choose(const AfxiGraph *graph, const AfxiWalk *walk) {
    uint32_t best = AFXI_WALK_NONE, full = AFXI_WALK_NONE;
    if (walk->count[AFXI_WALK_ALONE]) {
        return AFXI_WALK_ALONE;
    }
    for (int leaves = 0; leaves < 2; leaves++) {
        for (uint32_t kind = 0; kind < AFXI_WALK_CLOSED && full == AFXI_WALK_NONE; kind++) {
            if (afxi_walk_leaf(graph, walk, kind) == leaves) {
                full = walk->count[kind] >= AFXI_RECURSION_LANES ? kind : AFXI_WALK_NONE;
                best = walk->count[kind] && goes_before(walk, kind, best) ? kind : best;
            }
        }
    }
    for (uint32_t kind = AFXI_WALK_CLOSED;
         kind < AFXI_WALK_CLOSED + walk->general_kinds && (full == AFXI_WALK_NONE || full >= AFXI_WALK_CLOSED);
         kind++) {
        bool enough = walk->count[kind] >= AFXI_RECURSION_LANES;
        full = enough && goes_before(walk, kind, full) ? kind : full;
        best = walk->count[kind] && goes_before(walk, kind, best) ? kind : best;
    }
    return full != AFXI_WALK_NONE ? full : best;
}

/* Of a batched job: the inverse and the solution for all joints away from the root together, and where there are
 * several, of each. */
static size_t batched_size(size_t children) {
    return AFXI_RECURSION_SIX * (children > 1 ? 1 + children : children);
}

/* Doubles that a job keeps for the forward pass: its factor and the solution in the backward pass. */
static size_t forward_size(const AfxiGraph *graph, const AfxiRecursionJob *job, uint32_t parent) {
    if (!job->rows && !job->high_degree) {
        size_t one = job->lanes == 1 ? afxi_one_layout(job->inner, job->size).end : 0;
        return AFXI_RECURSION_LANES * (size_t)afxi_general_layout(job->inner, job->size, job->stored).end + one;
    }
    size_t rows = 0, own = parent == AFXI_WALK_NONE ? 0 : afxi_walk_block(graph, parent)->row_count;
    for (uint32_t x = graph->body_start[job->body[0]]; x < graph->body_start[job->body[0] + 1]; x++) {
        rows += x == parent ? 0 : afxi_walk_block(graph, x)->row_count;
    }
    if (job->rows) { /* of each column of blocks, those below the diagonal and a solution */
        size_t inner = rows / 3, below = inner * (own / 3) + inner * (inner - (inner > 0)) / 2;
        size_t factor = 9 * below + rows, whole = job->batched ? batched_size(job->children) : factor;
        whole += AFXI_RECURSION_STORED;
        return AFXI_RECURSION_LANES * (whole > factor ? whole : factor);
    }
    size_t high_degree = AFXI_RECURSION_HIGH_DEGREE + 3 * rows; /* others begin where four numbers are aligned */
    return (high_degree + AFXI_RECURSION_LANES - 1) / AFXI_RECURSION_LANES * AFXI_RECURSION_LANES;
}

/* Slots that all have taken from can be used again; so few of them are in use, and they stay in the cache. */
static void release_slots(const AfxiGraph *graph, AfxiWalk *walk, const AfxiRecursionJob *job) {
    for (uint32_t l = 0; l < job->lanes; l++) {
        for (uint32_t x = graph->body_start[job->body[l]]; x < graph->body_start[job->body[l] + 1]; x++) {
            uint32_t other = afxi_walk_across(graph, x);
            if (other == AFXI_WALK_NONE || x == walk->parent[job->body[l]]) {
                continue;
            }
            uint32_t message = graph->recursion.job[graph->recursion.place[other] / AFXI_RECURSION_LANES].message;
            if (--walk->left[message] == 0) {
                walk->spare[walk->spare_count++] = message;
            }
        }
    }
}

/* The next bodies of a kind, side by side. */
static void take_bodies(const AfxiGraph *graph, AfxiWalk *walk, uint32_t kind, AfxiRecursionJob *job) {
    uint32_t *head = &walk->head[kind], most = kind == AFXI_WALK_ALONE ? 1 : AFXI_RECURSION_LANES;
    for (; job->lanes < most && *head != AFXI_WALK_NONE; job->lanes++, *head = walk->next[*head]) {
        job->body[job->lanes] = *head;
    }
    walk->count[kind] -= job->lanes;
    for (uint32_t l = job->lanes; l < AFXI_RECURSION_LANES; l++) { /* not the first: see afxi_link_joint */
        job->body[l] = job->body[job->lanes - 1];
    }
    uint32_t first = job->body[0], entries = afxi_walk_degree(graph, first);
    job->rooted = walk->parent[first] != AFXI_WALK_NONE;
    job->children = entries - job->rooted;
    job->rows = kind < AFXI_WALK_CLOSED ? (kind & 2 ? 6 : 3) : 0;
    job->batched = kind < AFXI_WALK_CLOSED && (kind & 4);
    job->high_degree = kind == AFXI_WALK_ALONE && afxi_walk_high_degree(graph, first);
}

static void add_job(AfxiGraph *graph, AfxiWalk *walk, uint32_t kind) {
    AfxiRecursion *recursion = &graph->recursion;
    AfxiRecursionJob *job = &recursion->job[recursion->job_count];
    *job = (AfxiRecursionJob){
        .first_joint = recursion->joint_count, .forward = recursion->forward_length, .pack = recursion->pack_length};
    take_bodies(graph, walk, kind, job);
    for (uint32_t l = 0; (job->rows || job->high_degree) && l < AFXI_RECURSION_LANES; l++) {
        uint32_t body = job->body[l], at = recursion->joint_count;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            bool towards = x == walk->parent[body];
            afxi_link_joint(graph, walk, job,
                            &recursion->joint[towards ? recursion->joint_count + job->children : at++], l, x);
        }
    }
    if (!job->rows && !job->high_degree) {
        afxi_link_bodies(graph, walk, job);
    }
    job->message = walk->spare_count ? walk->spare[--walk->spare_count] : recursion->message_count++;
    walk->left[job->message] = job->lanes;
    for (uint32_t l = 0; l < job->lanes; l++) {
        recursion->place[job->body[l]] = AFXI_RECURSION_LANES * recursion->job_count + l;
    }
    if (job->batched) {
        size_t each = AFXI_RECURSION_PACK + AFXI_ROTATIONAL_SPRING_USED * (size_t)job->children;
        recursion->pack_length += AFXI_RECURSION_LANES * each;
    }
    release_slots(graph, walk, job);
    recursion->joint_count += job->children + job->rooted;
    recursion->forward_length += forward_size(graph, job, walk->parent[job->body[0]]);
    recursion->job_count++;
}

static void finish_body(const AfxiGraph *graph, AfxiWalk *walk, uint32_t body) {
    uint32_t parent = afxi_walk_parent(graph, walk, body);
    if (parent != AFXI_WALK_NONE && --walk->wait[parent] == 0 && walk->part[parent] == walk->part[body]) {
        push(walk, parent);
    }
}

static void add_jobs(AfxiGraph *graph, AfxiWalk *walk, uint32_t part) {
    for (uint32_t body = graph->body_count; body-- > 0;) { /* the first ones come out first */
        if (walk->part[body] == part && walk->wait[body] == 0) {
            push(walk, body);
        }
    }
    for (uint32_t kind = choose(graph, walk); kind != AFXI_WALK_NONE; kind = choose(graph, walk)) {
        add_job(graph, walk, kind);
        const AfxiRecursionJob *job = &graph->recursion.job[graph->recursion.job_count - 1];
        for (uint32_t l = job->lanes; l-- > 0;) { /* so that the next ones keep their lanes */
            finish_body(graph, walk, job->body[l]);
        }
    }
}

static void schedule(AfxiGraph *graph, AfxiWalk *walk, uint32_t last) {
    AfxiRecursion *recursion = &graph->recursion;
    memset(walk->head, 0xff, sizeof walk->head);
    memset(walk->count, 0, sizeof walk->count);
    memset(walk->joint, 0xff, graph->block_count * sizeof *walk->joint);
    memset(walk->wait, 0, graph->body_count * sizeof *walk->wait);
    for (uint32_t k = 0; k < graph->closed_form.joint_count; k++) {
        walk->joint[graph->closed_form.joint[k].block] = k;
    }
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t parent = afxi_walk_parent(graph, walk, body);
        if (parent != AFXI_WALK_NONE) {
            walk->wait[parent]++;
        }
    }
    add_jobs(graph, walk, AFXI_WALK_CARRIED);
    recursion->flywheel_jobs = recursion->job_count;
    for (uint32_t part = 0; part <= last; part++) {
        recursion->part[part] = recursion->job_count;
        walk->spare_count = 0; /* parts run at the same time */
        add_jobs(graph, walk, part);
    }
    recursion->part_count = last + 1;
    recursion->part[recursion->part_count] = recursion->job_count;
    for (uint32_t k = 0; k < recursion->joint_count; k++) {
        AfxiRecursionJoint *joint = &recursion->joint[k];
        joint->aligned = joint->outward = true;
        for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
            joint->message[l] += joint->message[l] < AFXI_WALK_GROUND
                                     ? 0
                                     : AFXI_RECURSION_LANES * recursion->message_count - AFXI_WALK_GROUND;
            joint->outward &= joint->sign[l] < 0;
            joint->aligned &=
                joint->message[l] == joint->message[0] + l && joint->message[0] % AFXI_RECURSION_LANES == 0;
        }
    }
}

/* Counts of `recursion` are those that it has room for. */
static void take_recursion(AfxiRecursion *recursion, AfxiArena *arena, uint32_t bodies) {
    recursion->job = afxi_arena_take(arena, recursion->job_count, sizeof *recursion->job);
    recursion->joint = afxi_arena_take(arena, recursion->joint_count, sizeof *recursion->joint);
    recursion->general = afxi_arena_take(arena, recursion->general_count, sizeof *recursion->general);
    recursion->ground = afxi_arena_take(arena, recursion->ground_count, sizeof *recursion->ground);
    recursion->place = afxi_arena_take(arena, bodies, sizeof *recursion->place);
    recursion->part = afxi_arena_take(arena, (size_t)recursion->part_count + 1, sizeof *recursion->part);
}

static AfxStatus allocate_recursion(const AfxAllocator *allocator, AfxiRecursion *recursion, uint32_t bodies) {
    AfxiArena arena = {0};
    take_recursion(recursion, &arena, bodies);
    recursion->raw = NULL;
    arena.base = arena.overflow /* all is written before it is read */
                     ? NULL
                     : afxi_allocate_partly(allocator, arena.used, 0, &recursion->raw, &recursion->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_recursion(recursion, &arena, bodies);
    return AFX_OK;
}

/* The same in as much room as it needs: there are about a quarter as many jobs as bodies. */
static AfxStatus shrink(const AfxAllocator *allocator, AfxiRecursion *recursion, uint32_t bodies) {
    AfxiRecursion small = *recursion;
    AfxStatus status = allocate_recursion(allocator, &small, bodies);
    if (status == AFX_OK) {
        memcpy(small.job, recursion->job, recursion->job_count * sizeof *small.job);
        memcpy(small.joint, recursion->joint, recursion->joint_count * sizeof *small.joint);
        memcpy(small.general, recursion->general, recursion->general_count * sizeof *small.general);
        memcpy(small.ground, recursion->ground, recursion->ground_count * sizeof *small.ground);
        memcpy(small.place, recursion->place, bodies * sizeof *small.place);
        memcpy(small.part, recursion->part, ((size_t)recursion->part_count + 1) * sizeof *small.part);
        afxi_release(allocator, recursion->raw, recursion->raw_size);
        *recursion = small;
    }
    return status;
}

static AfxStatus make_jobs(const AfxAllocator *allocator, AfxiGraph *graph, AfxiWalk *walk) {
    AfxiRecursion *recursion = &graph->recursion;
    uint32_t last = cut(graph, walk);
    *recursion = (AfxiRecursion){.whole = recursion->whole,
                                 .job_count = graph->body_count,
                                 .joint_count = graph->entry_count,
                                 .general_count = graph->entry_count,
                                 .ground_count = graph->block_count,
                                 .part_count = last + 1};
    AfxStatus status = allocate_recursion(allocator, recursion, graph->body_count);
    if (status != AFX_OK) {
        return status;
    }
    recursion->job_count = recursion->joint_count = recursion->general_count = 0;
    recursion->ground_count = recursion->part_count = 0;
    schedule(graph, walk, last);
    recursion->on = true;
    return shrink(allocator, recursion, graph->body_count);
}

AfxStatus afxi_recursion_create(const AfxAllocator *allocator, const AfxModel *model, AfxiGraph *graph) {
    bool asked = graph->solver == AFX_SOLVER_AUTO || graph->solver == AFX_SOLVER_TREE;
    if (!asked || graph->body_count == 0) {
        return AFX_OK;
    }
    AfxiWalk walk = {.model = model};
    AfxiArena arena = {0};
    void *raw;
    size_t raw_size;
    take_walk(&walk, &arena, graph);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &raw, &raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take_walk(&walk, &arena, graph);
    AfxStatus status = AFX_OK;
    if (afxi_walk_is_forest(graph, walk.parent)) {
        afxi_walk_span(graph, &walk);
        afxi_walk_sort(graph, &walk);
        status = make_jobs(allocator, graph, &walk);
        graph->recursion.keeps = model->contacts.possible;
    }
    afxi_release(allocator, raw, raw_size);
    return status;
}

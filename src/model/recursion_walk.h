/* SPDX-License-Identifier: Apache-2.0 */
/* A forest on its way to jobs: which bodies are alike (recursion_kinds.c), and the joints of those that go side by side
 * (recursion_link.c). */
#ifndef AFXI_MODEL_RECURSION_WALK_H
#define AFXI_MODEL_RECURSION_WALK_H

#include "model/model.h"
#include "model/tuning.h"

#define AFXI_WALK_NONE UINT32_MAX

/* Kinds of bodies in closed form: joints away from the root, three or six rows, rooted or not, batched or not. Only
 * bodies of a kind go side by side, so that what one is solved by does not depend on its neighbours in the lanes. Those
 * of general bodies follow, as they are met, each with a body for its example; then bodies that go alone: those of high
 * degree, and general ones of which there are too many kinds. */
#define AFXI_WALK_CLOSED ((AFXI_RECURSION_CHILDREN + 1u) * 8u)
#define AFXI_WALK_KINDS (AFXI_WALK_CLOSED + AFXI_GENERAL_KINDS)
#define AFXI_WALK_ALONE AFXI_WALK_KINDS

typedef struct AfxiWalk {
    const AfxModel *model;
    uint32_t *parent; /* [bodies] place of the entry towards the root, or AFXI_WALK_NONE */
    uint32_t *order;  /* [bodies] parents before children */
    uint32_t *size;   /* [bodies] of the subtree */
    uint32_t *depth;  /* [bodies] joints to the root */
    uint32_t *part;   /* [bodies] */
    uint32_t *wait;   /* [bodies] children that are not done */
    uint32_t *next;   /* [bodies] of the list it waits in */
    uint32_t *joint;  /* [blocks] closed-form joint of a block, or AFXI_WALK_NONE */
    uint32_t *left;   /* [bodies] by message: bodies whose results there are not yet taken */
    uint32_t *spare;  /* [spare_count] messages to be used again, at most one for each body */
    uint8_t *kind;    /* [bodies] */
    uint32_t spare_count;
    uint32_t example[AFXI_GENERAL_KINDS], general_kinds;
    uint32_t head[AFXI_WALK_KINDS + 1], count[AFXI_WALK_KINDS + 1];
} AfxiWalk;

/* Part of bodies that couplings carry: they come before all others. */
#define AFXI_WALK_CARRIED (AFXI_WALK_NONE - 1)

/* Until all jobs are known, messages of grounds have this added to their number. */
#define AFXI_WALK_GROUND 0x80000000u

static inline const AfxiGraphBlock *afxi_walk_block(const AfxiGraph *graph, uint32_t place) {
    return &graph->block[graph->entry[graph->body_entry[place]].block];
}

/* Whether an entry of a body is that of a coupling that carries another one: trees fold it (dual/fold.h). */
static inline bool afxi_walk_folded(const AfxiGraph *graph, uint32_t place) {
    const AfxiGraphBlock *block = afxi_walk_block(graph, place);
    return block->flywheel && block->carried != graph->entry[graph->body_entry[place]].dof.index;
}

/* Joints of a body, and the coupling that carries it. */
static inline uint32_t afxi_walk_degree(const AfxiGraph *graph, uint32_t body) {
    uint32_t count = 0;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        count += !afxi_walk_folded(graph, x);
    }
    return count;
}

/* Rows of it that trees solve for. */
static inline uint32_t afxi_walk_rows(const AfxiGraphBlock *block) {
    return block->row_count - block->folded;
}

/* The body at the far side of an entry, AFXI_WALK_NONE for the ground and for couplings. */
static inline uint32_t afxi_walk_across(const AfxiGraph *graph, uint32_t place) {
    const AfxiGraphEntry *own = &graph->entry[graph->body_entry[place]];
    const AfxiGraphBlock *block = &graph->block[own->block];
    const AfxiGraphEntry *first = &graph->entry[block->first_entry];
    return block->entry_count == 1 || block->flywheel ? AFXI_WALK_NONE
           : first->dof.index == own->dof.index       ? first[1].dof.index
                                                      : first->dof.index;
}

static inline uint32_t afxi_walk_parent(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t body) {
    return walk->parent[body] == AFXI_WALK_NONE ? AFXI_WALK_NONE : afxi_walk_across(graph, walk->parent[body]);
}

/** Whether blocks are on two bodies or on one, without loops, and no body has too many rows but those of balls.
 * `parent` [bodies] is room for that. */
bool afxi_walk_is_forest(const AfxiGraph *graph, uint32_t *parent);
/** Trees from the bodies that the ground holds, then from what floats. */
void afxi_walk_span(const AfxiGraph *graph, AfxiWalk *walk);
/** Kinds of all bodies; closed forms that no kernel takes are general. */
void afxi_walk_sort(AfxiGraph *graph, AfxiWalk *walk);
/** Whether bodies of a kind have no joints but that towards the root. */
bool afxi_walk_leaf(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t kind);
/** Whether a body has more rows than others may have, all of balls without springs. */
bool afxi_walk_high_degree(const AfxiGraph *graph, uint32_t body);
/** What stands beyond an entry of a body. */
AfxiBeyond afxi_walk_beyond(const AfxiGraph *graph, uint32_t place);
const AfxiJointKind *afxi_walk_joint_kind(const AfxModel *model, const AfxiGraphBlock *block);
/** Whether the first three rows of a joint are those of a point. */
bool afxi_walk_has_point(const AfxModel *model, const AfxiGraphBlock *block);
/** Whether a row depends on how its bodies are turned, and not on where they are. */
bool afxi_walk_turns_only(const AfxModel *model, const AfxiGraph *graph, uint32_t row);
/** The entries of a general body in the order of its job, the one towards the root last; their number comes back. */
uint32_t afxi_walk_list_joints(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t body,
                               uint32_t out[AFXI_BODY_ROWS_MOST]);
/** The joint at `place` of the body in a lane of a job. */
void afxi_link_joint(AfxiGraph *graph, const AfxiWalk *walk, const AfxiRecursionJob *job, AfxiRecursionJoint *joint,
                     uint32_t lane, uint32_t place);
/** Joints of the bodies of a general job, and the numbers of their rows. */
void afxi_link_bodies(AfxiGraph *graph, const AfxiWalk *walk, AfxiRecursionJob *job);

#endif

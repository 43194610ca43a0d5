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

#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "joint/axis.h"
#include "joint/rotational_spring.h"
#include "model/model.h"
#include "model/tuning.h"

#define NONE UINT32_MAX

/* Kinds of bodies in closed form: joints away from the root, three or six rows, rooted or not, batched or not. Only
 * bodies of a kind go side by side, so that what one is solved by does not depend on its neighbours in the lanes. Those
 * of general bodies follow, as they are met, each with a body for its example; then bodies that go alone: those of high
 * degree, and general ones of which there are too many kinds. */
#define CLOSED ((AFXI_RECURSION_CHILDREN + 1u) * 8u)
#define KINDS (CLOSED + AFXI_GENERAL_KINDS)
#define ALONE KINDS

typedef struct Walk {
    const AfxModel *model;
    uint32_t *parent; /* [bodies] place of the entry towards the root, or NONE */
    uint32_t *order;  /* [bodies] parents before children */
    uint32_t *size;   /* [bodies] of the subtree */
    uint32_t *depth;  /* [bodies] joints to the root */
    uint32_t *part;   /* [bodies] */
    uint32_t *wait;   /* [bodies] children that are not done */
    uint32_t *next;   /* [bodies] of the list it waits in */
    uint32_t *joint;  /* [blocks] closed-form joint of a block, or NONE */
    uint32_t *left;   /* [bodies] by message: bodies whose results there are not yet taken */
    uint32_t *spare;  /* [spare_count] messages to be used again, at most one for each body */
    uint8_t *kind;    /* [bodies] */
    uint32_t spare_count;
    uint32_t example[AFXI_GENERAL_KINDS], general_kinds;
    uint32_t head[KINDS + 1], count[KINDS + 1];
} Walk;

static void take_walk(Walk *walk, AfxiArena *arena, const AfxiGraph *graph) {
    uint32_t **lists[] = {&walk->parent, &walk->order, &walk->size,  &walk->part, &walk->wait,
                          &walk->next,   &walk->left,  &walk->spare, &walk->depth};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        *lists[k] = afxi_arena_take(arena, graph->body_count, sizeof(uint32_t));
    }
    walk->joint = afxi_arena_take(arena, graph->block_count, sizeof(uint32_t));
    walk->kind = afxi_arena_take(arena, graph->body_count, 1);
}

static const AfxiGraphBlock *block_at(const AfxiGraph *graph, uint32_t place) {
    return &graph->block[graph->entry[graph->body_entry[place]].block];
}

/* The body at the far side of an entry, NONE for the ground. */
static uint32_t across(const AfxiGraph *graph, uint32_t place) {
    const AfxiGraphEntry *own = &graph->entry[graph->body_entry[place]];
    const AfxiGraphBlock *block = &graph->block[own->block];
    const AfxiGraphEntry *first = &graph->entry[block->first_entry];
    return block->entry_count == 1 ? NONE : first->dof.index == own->dof.index ? first[1].dof.index : first->dof.index;
}

static uint32_t parent_of(const AfxiGraph *graph, const Walk *walk, uint32_t body) {
    return walk->parent[body] == NONE ? NONE : across(graph, walk->parent[body]);
}

/* ---- the forest ---- */

static uint32_t visit(const AfxiGraph *graph, Walk *walk, uint32_t root, uint32_t end) {
    uint32_t at = end;
    walk->wait[root] = 0;
    walk->order[end++] = root;
    while (at < end) {
        uint32_t body = walk->order[at++];
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            uint32_t other = across(graph, x);
            if (other == NONE || x == walk->parent[body]) {
                continue;
            }
            walk->wait[other] = 0;
            walk->order[end++] = other;
            for (uint32_t y = graph->body_start[other]; y < graph->body_start[other + 1]; y++) {
                walk->parent[other] = block_at(graph, y) == block_at(graph, x) ? y : walk->parent[other];
            }
        }
    }
    return end;
}

/* Trees from the bodies that the ground holds, then from what floats. */
static void span(const AfxiGraph *graph, Walk *walk) {
    uint32_t end = 0;
    memset(walk->parent, 0xff, graph->body_count * sizeof *walk->parent);
    memset(walk->wait, 0xff, graph->body_count * sizeof *walk->wait);
    for (int floats = 0; floats < 2; floats++) {
        for (uint32_t body = 0; body < graph->body_count; body++) {
            bool grounded = false;
            for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
                grounded |= across(graph, x) == NONE;
            }
            if (walk->wait[body] == NONE && (grounded || floats)) {
                end = visit(graph, walk, body, end);
            }
        }
    }
}

/* Whether a body has more rows than others may have, all of balls without springs. */
static bool is_high_degree(const AfxiGraph *graph, uint32_t body) {
    uint32_t first = graph->body_start[body], end = graph->body_start[body + 1];
    bool balls = true;
    for (uint32_t x = first; x < end; x++) {
        balls &= block_at(graph, x)->closed_form && block_at(graph, x)->row_count == 3;
    }
    return balls && 3 * (uint64_t)(end - first) > AFXI_BODY_ROWS_MOST;
}

/* Blocks on two bodies or on one, no loops, no high-degree bodies but those of balls. */
static bool is_forest(const AfxiGraph *graph, uint32_t *parent) {
    bool fine = graph->loop_rows == 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t rows = 0;
        parent[body] = body;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            rows += block_at(graph, x)->row_count;
        }
        fine &= rows <= AFXI_BODY_ROWS_MOST || is_high_degree(graph, body);
    }
    for (uint32_t k = 0; k < graph->block_count && fine; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        fine = block->type == AFXI_BLOCK_JOINT && block->entry_count <= 2;
        if (fine && block->entry_count == 2) {
            fine = !afxi_forest_join(parent, graph->entry[block->first_entry].dof.index,
                                     graph->entry[block->first_entry + 1].dof.index);
        }
    }
    return fine;
}

/* Whether all joints of a body are on its first axis, those away from the root at one point. */
static bool is_batched(const AfxiGraph *graph, const Walk *walk, uint32_t body) {
    double reach = NAN;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const double *point = graph->closed_form.lever[x].point;
        double most = AFXI_ON_AXIS * fabs(point[0]);
        reach = isnan(reach) && x != walk->parent[body] ? point[0] : reach;
        double off = x == walk->parent[body] ? 0 : point[0] - reach;
        if (!(fabs(point[1]) <= most && fabs(point[2]) <= most && fabs(off) <= most)) {
            return false;
        }
    }
    return true;
}

static bool is_closed(const AfxiGraph *graph, uint32_t body) {
    return graph->closed_form.body && graph->closed_form.body[body];
}

/* The kind of a body in closed form, or ALONE where it cannot be. */
static uint8_t closed_kind(const AfxiGraph *graph, const Walk *walk, uint32_t body) {
    uint32_t first = graph->body_start[body], count = graph->body_start[body + 1] - first;
    bool rooted = walk->parent[body] != NONE;
    if (!is_closed(graph, body) || count == 0 || count - rooted > AFXI_RECURSION_CHILDREN) {
        return ALONE;
    }
    for (uint32_t k = 1; k < count; k++) {
        if (block_at(graph, first + k)->row_count != block_at(graph, first)->row_count) {
            return ALONE;
        }
    }
    bool six = block_at(graph, first)->row_count == 6, batched = six && rooted && is_batched(graph, walk, body);
    return (uint8_t)(8 * (count - rooted) + 4 * batched + 2 * six + rooted);
}

/* ---- general bodies ---- */

static AfxiBeyond beyond(const AfxiGraph *graph, uint32_t place) {
    uint32_t other = across(graph, place);
    return other == NONE ? AFXI_BEYOND_NOTHING : is_closed(graph, other) ? AFXI_BEYOND_CLOSED : AFXI_BEYOND_GENERAL;
}

static const AfxiJointKind *kind_of(const AfxModel *model, const AfxiGraphBlock *block) {
    return afxi_joint_kind((AfxJointKind)model->joints[block->index].kind);
}

/* Whether the first three rows of a joint are those of a point. */
static bool has_point(const AfxModel *model, const AfxiGraphBlock *block) {
    const AfxiJointKind *kind = kind_of(model, block);
    bool point = kind->row_count >= 3;
    for (uint32_t r = 0; point && r < 3; r++) {
        point = kind->rows[r].type == AFXI_ROW_POINT && kind->rows[r].i == r;
    }
    return point;
}

/* Whether a row depends on how its bodies are turned, and not on where they are. */
static bool turns_only(const AfxModel *model, const AfxiGraph *graph, uint32_t row) {
    const AfxiGraphRow *source = &graph->row[row];
    const AfxiJointKind *kind = kind_of(model, &graph->block[source->block]);
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT:
        return kind->rows[source->index].type == AFXI_ROW_ALIGN || kind->rows[source->index].type == AFXI_ROW_DIRECTION;
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        return true;
    case AFXI_SOURCE_DRIVE:
        return afxi_axis_of(kind, model->drives[source->index].axis).type != AFXI_AXIS_TRANSLATION;
    default:
        return false;
    }
}

/* What must be equal for joints to go side by side. */
static uint32_t key_of(const AfxiGraph *graph, const Walk *walk, uint32_t place) {
    const AfxiGraphBlock *block = block_at(graph, place);
    uint32_t spring = block->leading > block->plain ? block->plain : 0, point = has_point(walk->model, block);
    return block->row_count << 16 | (uint32_t)beyond(graph, place) << 8 | point << 7 | spring;
}

/* The entries of a body by their keys, the one towards the root last; their number comes back. */
static uint32_t list_joints(const AfxiGraph *graph, const Walk *walk, uint32_t body,
                            uint32_t out[AFXI_BODY_ROWS_MOST]) {
    uint32_t count = 0;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        uint32_t at = count;
        if (x == walk->parent[body]) {
            continue;
        }
        for (; at > 0 && key_of(graph, walk, out[at - 1]) > key_of(graph, walk, x); at--) {
            out[at] = out[at - 1];
        }
        out[at] = x;
        count++;
    }
    if (walk->parent[body] != NONE) {
        out[count++] = walk->parent[body];
    }
    return count;
}

static bool is_alike(const AfxiGraph *graph, const Walk *walk, uint32_t a, uint32_t b) {
    uint32_t own[AFXI_BODY_ROWS_MOST], other[AFXI_BODY_ROWS_MOST];
    uint32_t count = list_joints(graph, walk, a, own);
    bool same = list_joints(graph, walk, b, other) == count && (walk->parent[a] == NONE) == (walk->parent[b] == NONE);
    for (uint32_t k = 0; same && k < count; k++) {
        same = key_of(graph, walk, own[k]) == key_of(graph, walk, other[k]);
    }
    return same;
}

static uint8_t general_kind(const AfxiGraph *graph, Walk *walk, uint32_t body) {
    uint32_t kind = 0;
    while (kind < walk->general_kinds && !is_alike(graph, walk, walk->example[kind], body)) {
        kind++;
    }
    if (kind == walk->general_kinds && kind < AFXI_GENERAL_KINDS) {
        walk->example[walk->general_kinds++] = body;
    }
    return (uint8_t)(kind < AFXI_GENERAL_KINDS ? CLOSED + kind : ALONE);
}

/* Kinds of all bodies; closed forms that no kernel takes are general. */
static void sort_kinds(AfxiGraph *graph, Walk *walk) {
    uint32_t general = 0;
    walk->general_kinds = 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        bool high_degree = is_high_degree(graph, body);
        walk->kind[body] = closed_kind(graph, walk, body);
        bool closed = walk->kind[body] != ALONE || high_degree;
        if (graph->closed_form.body) {
            graph->closed_form.body[body] = closed;
        }
        general += !closed;
    }
    for (uint32_t body = 0; body < graph->body_count; body++) {
        if (!is_closed(graph, body)) {
            walk->kind[body] = general_kind(graph, walk, body);
        }
    }
    graph->recursion.whole = general < graph->body_count &&
                             (uint64_t)AFXI_GENERAL_SHARE * general <= (uint64_t)graph->body_count + AFXI_GENERAL_SHARE;
}

static bool is_leaf(const AfxiGraph *graph, const Walk *walk, uint32_t kind) {
    if (kind < CLOSED || kind == ALONE) {
        return kind < 8;
    }
    uint32_t body = walk->example[kind - CLOSED];
    return graph->body_start[body + 1] - graph->body_start[body] == (walk->parent[body] != NONE);
}

/* ---- parts ---- */

/* Parts of subtrees with at most `most` bodies; the last part's number comes back. */
static uint32_t cut(const AfxiGraph *graph, Walk *walk) {
    uint32_t most = graph->body_count / AFXI_FOREST_PARTS, part = 0, filled = 0;
    most = most < AFXI_FOREST_PART_LEAST ? AFXI_FOREST_PART_LEAST : most;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        walk->size[body] = 1;
    }
    for (uint32_t k = graph->body_count; k-- > 0;) {
        uint32_t body = walk->order[k], parent = parent_of(graph, walk, body);
        if (parent != NONE) {
            walk->size[parent] += walk->size[body];
        }
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t body = walk->order[k], parent = parent_of(graph, walk, body);
        walk->depth[body] = parent == NONE ? 0 : walk->depth[parent] + 1;
        if (walk->size[body] > most) {
            walk->part[body] = NONE;
        } else if (parent != NONE && walk->part[parent] != NONE) {
            walk->part[body] = walk->part[parent];
        } else {
            part += filled >= most;
            filled = (filled >= most ? 0 : filled) + walk->size[body];
            walk->part[body] = part;
        }
    }
    part += filled > 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        walk->part[body] = walk->part[body] == NONE ? part : walk->part[body];
    }
    return part;
}

/* ---- jobs ---- */

/* Of general bodies, those far from the root go first: the shortest way through a forest with a given number of lanes.
 */
static void push(Walk *walk, uint32_t body) {
    uint8_t kind = walk->kind[body];
    uint32_t *at = &walk->head[kind];
    while (kind >= CLOSED && *at != NONE && walk->depth[*at] > walk->depth[body]) {
        at = &walk->next[*at];
    }
    walk->next[body] = *at;
    *at = body;
    walk->count[kind]++;
}

static bool goes_before(const Walk *walk, uint32_t kind, uint32_t other) {
    if (other == NONE || kind < CLOSED || other < CLOSED) {
        return other == NONE || walk->count[kind] > walk->count[other];
    }
    return walk->depth[walk->head[kind]] > walk->depth[walk->head[other]];
}

/* What goes next: one that goes alone, four of a kind, four leaves, or as many of a kind as there are; NONE: nothing is
 * left. Of general kinds, that with the body farthest from the root. */
static uint32_t choose(const AfxiGraph *graph, const Walk *walk) {
    uint32_t best = NONE, full = NONE;
    if (walk->count[ALONE]) {
        return ALONE;
    }
    for (int leaves = 0; leaves < 2; leaves++) {
        for (uint32_t kind = 0; kind < CLOSED && full == NONE; kind++) {
            if (is_leaf(graph, walk, kind) == leaves) {
                full = walk->count[kind] >= AFXI_RECURSION_LANES ? kind : NONE;
                best = walk->count[kind] && goes_before(walk, kind, best) ? kind : best;
            }
        }
    }
    for (uint32_t kind = CLOSED; kind < CLOSED + walk->general_kinds && (full == NONE || full >= CLOSED); kind++) {
        bool enough = walk->count[kind] >= AFXI_RECURSION_LANES;
        full = enough && goes_before(walk, kind, full) ? kind : full;
        best = walk->count[kind] && goes_before(walk, kind, best) ? kind : best;
    }
    return full != NONE ? full : best;
}

/* Until all jobs are known, messages of grounds have this added to their number. */
#define GROUND 0x80000000u

static uint32_t message_of(const AfxiRecursion *recursion, uint32_t body) {
    return AFXI_RECURSION_LANES * recursion->job[recursion->place[body] / AFXI_RECURSION_LANES].message +
           recursion->place[body] % AFXI_RECURSION_LANES;
}

static void link_joint(AfxiGraph *graph, const Walk *walk, const AfxiRecursionJob *job, AfxiRecursionJoint *joint,
                       uint32_t lane, uint32_t place) {
    AfxiRecursion *recursion = &graph->recursion;
    uint32_t body = job->body[lane], other = across(graph, place), block = graph->entry[graph->body_entry[place]].block;
    uint32_t closed_form = walk->joint[block];
    if (lane >= job->lanes) {
        joint->other[lane] = joint->other[0];
        joint->message[lane] = joint->message[0];
        joint->place[lane] = joint->place[0];
        joint->rotational_spring[lane] = joint->rotational_spring[0];
        joint->row[lane] = joint->row[0];
        joint->reach[lane] = joint->reach[0];
        joint->sign[lane] = joint->sign[0];
        return;
    }
    joint->place[lane] = place;
    joint->rotational_spring[lane] = graph->block[block].rotational_spring;
    joint->other[lane] = other;
    joint->row[lane] = graph->block[block].first_row;
    joint->reach[lane] = graph->closed_form.lever ? graph->closed_form.lever[place].point[0] : 0;
    joint->sign[lane] = graph->closed_form.lever ? graph->closed_form.lever[place].sign : 0;
    joint->message[lane] = other == NONE || place == walk->parent[body] ? 0 : message_of(recursion, other);
    if (other == NONE && (job->rows || job->high_degree)) {
        const AfxiClosedFormJoint *own = &graph->closed_form.joint[closed_form];
        bool follower = own->b == body;
        joint->other[lane] = follower ? own->a : own->b;
        joint->message[lane] = GROUND + recursion->ground_count;
        recursion->ground[recursion->ground_count++] = (AfxiRecursionGround){closed_form, follower};
    }
}

/* Of the rows of a joint in one lane, what follows from its kind. */
static void link_rows(const AfxiGraph *graph, const Walk *walk, uint32_t place, uint32_t lane, AfxiGeneralJoint *to) {
    const AfxModel *model = walk->model;
    const AfxiGraphBlock *block = block_at(graph, place);
    const AfxiJoint *joint = &model->joints[block->index];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + joint->frame;
    bool follower = joint->follower == graph->body[graph->entry[graph->body_entry[place]].dof.index];
    double point[3];
    vec3_store(point, follower ? frame->point_a : frame->point_b);
    to->sign[lane] = follower ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        to->point[k][lane] = follower ? point[k] : -point[k];
    }
    for (uint32_t r = to->points; r < block->row_count; r++) {
        to->still &= turns_only(model, graph, block->first_row + r);
    }
    uint8_t hard = kind_of(model, block)->row_count;
    to->hard = hard < to->hard ? hard : to->hard;
}

/* Of a general job, what its kernels need besides. */
static void link_general(AfxiGraph *graph, const Walk *walk, const AfxiRecursionJob *job,
                         const AfxiRecursionJoint *joint, bool towards, AfxiGeneralJoint *to) {
    const AfxiRecursion *recursion = &graph->recursion;
    const AfxiGraphBlock *block = block_at(graph, joint->place[0]);
    to->rows = (uint8_t)block->row_count;
    to->points = has_point(walk->model, block) ? 3 : 0;
    to->beyond = (uint8_t)beyond(graph, joint->place[0]);
    to->plain = block->leading > block->plain ? block->plain : 0;
    to->still = true;
    to->hard = UINT8_MAX;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        link_rows(graph, walk, joint->place[l], l, to);
    }
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        to->jacobian[l] = graph->entry[graph->body_entry[joint->place[l]]].jacobian;
        to->row[l] = joint->row[l];
        to->left[l] = 0;
        if (!towards && to->beyond == AFXI_BEYOND_GENERAL) {
            uint32_t place = recursion->place[joint->other[l]];
            const AfxiRecursionJob *other = &recursion->job[place / AFXI_RECURSION_LANES];
            to->left[l] =
                other->forward +
                AFXI_RECURSION_LANES * (size_t)afxi_general_layout(other->inner, other->size, other->stored).left +
                place % AFXI_RECURSION_LANES;
        }
    }
    to->aligned = to->left[0] % AFXI_RECURSION_LANES == 0 && job->lanes == AFXI_RECURSION_LANES;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        to->aligned &= to->left[l] == to->left[0] + l;
    }
}

/* Joints of the bodies of a general job, and the numbers of their rows. */
static void link_bodies(AfxiGraph *graph, const Walk *walk, AfxiRecursionJob *job) {
    AfxiRecursion *recursion = &graph->recursion;
    uint32_t place[AFXI_BODY_ROWS_MOST], count = job->children + job->rooted;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        list_joints(graph, walk, job->body[l], place);
        for (uint32_t k = 0; k < count; k++) {
            link_joint(graph, walk, job, &recursion->joint[job->first_joint + k], l, place[k]);
        }
    }
    job->first_general = recursion->general_count;
    bool alike = job->rooted && job->children <= AFXI_GENERAL_CHILDREN;
    for (uint32_t k = 0; k < count; k++) {
        AfxiGeneralJoint *joint = &recursion->general[recursion->general_count++];
        link_general(graph, walk, job, &recursion->joint[job->first_joint + k], k == job->children, joint);
        joint->first = job->size;
        joint->stored = job->stored;
        job->size = (uint8_t)(job->size + joint->rows);
        job->stored = (uint8_t)(job->stored + joint->rows - joint->points);
        job->inner = k < job->children ? job->size : job->inner;
        alike &= joint->points && joint->still && joint->rows == recursion->general[job->first_general].rows;
    }
    uint32_t rest = alike ? recursion->general[job->first_general].rows - 3u : AFXI_GENERAL_REST + 1u;
    job->rest = (uint8_t)(rest <= AFXI_GENERAL_REST ? rest : AFXI_GENERAL_REST + 1u);
}

/* Of a batched job: the inverse and the solution for all joints away from the root together, and where there are
 * several, of each. */
static size_t batched_size(size_t children) {
    return AFXI_RECURSION_SIX * (children > 1 ? 1 + children : children);
}

/* Doubles that a job keeps for the forward pass: its factor and the solution in the backward pass. */
static size_t forward_size(const AfxiGraph *graph, const AfxiRecursionJob *job, uint32_t parent) {
    if (!job->rows && !job->high_degree) {
        return AFXI_RECURSION_LANES * (size_t)afxi_general_layout(job->inner, job->size, job->stored).end;
    }
    size_t rows = 0, own = parent == NONE ? 0 : block_at(graph, parent)->row_count;
    for (uint32_t x = graph->body_start[job->body[0]]; x < graph->body_start[job->body[0] + 1]; x++) {
        rows += x == parent ? 0 : block_at(graph, x)->row_count;
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
static void release_slots(const AfxiGraph *graph, Walk *walk, const AfxiRecursionJob *job) {
    for (uint32_t l = 0; l < job->lanes; l++) {
        for (uint32_t x = graph->body_start[job->body[l]]; x < graph->body_start[job->body[l] + 1]; x++) {
            uint32_t other = across(graph, x);
            if (other == NONE || x == walk->parent[job->body[l]]) {
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
static void take_bodies(const AfxiGraph *graph, Walk *walk, uint32_t kind, AfxiRecursionJob *job) {
    uint32_t *head = &walk->head[kind], most = kind == ALONE ? 1 : AFXI_RECURSION_LANES;
    for (; job->lanes < most && *head != NONE; job->lanes++, *head = walk->next[*head]) {
        job->body[job->lanes] = *head;
    }
    walk->count[kind] -= job->lanes;
    for (uint32_t l = job->lanes; l < AFXI_RECURSION_LANES; l++) {
        job->body[l] = job->body[0];
    }
    uint32_t first = job->body[0], entries = graph->body_start[first + 1] - graph->body_start[first];
    job->rooted = walk->parent[first] != NONE;
    job->children = entries - job->rooted;
    job->rows = kind < CLOSED ? (kind & 2 ? 6 : 3) : 0;
    job->batched = kind < CLOSED && (kind & 4);
    job->high_degree = kind == ALONE && is_high_degree(graph, first);
}

static void add_job(AfxiGraph *graph, Walk *walk, uint32_t kind) {
    AfxiRecursion *recursion = &graph->recursion;
    AfxiRecursionJob *job = &recursion->job[recursion->job_count];
    *job = (AfxiRecursionJob){
        .first_joint = recursion->joint_count, .forward = recursion->forward_length, .pack = recursion->pack_length};
    take_bodies(graph, walk, kind, job);
    for (uint32_t l = 0; (job->rows || job->high_degree) && l < AFXI_RECURSION_LANES; l++) {
        uint32_t body = job->body[l], at = recursion->joint_count;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            bool towards = x == walk->parent[body];
            link_joint(graph, walk, job, &recursion->joint[towards ? recursion->joint_count + job->children : at++], l,
                       x);
        }
    }
    if (!job->rows && !job->high_degree) {
        link_bodies(graph, walk, job);
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

static void finish_body(const AfxiGraph *graph, Walk *walk, uint32_t body) {
    uint32_t parent = parent_of(graph, walk, body);
    if (parent != NONE && --walk->wait[parent] == 0 && walk->part[parent] == walk->part[body]) {
        push(walk, parent);
    }
}

static void add_jobs(AfxiGraph *graph, Walk *walk, uint32_t part) {
    for (uint32_t body = graph->body_count; body-- > 0;) { /* the first ones come out first */
        if (walk->part[body] == part && walk->wait[body] == 0) {
            push(walk, body);
        }
    }
    for (uint32_t kind = choose(graph, walk); kind != NONE; kind = choose(graph, walk)) {
        add_job(graph, walk, kind);
        const AfxiRecursionJob *job = &graph->recursion.job[graph->recursion.job_count - 1];
        for (uint32_t l = job->lanes; l-- > 0;) { /* so that the next ones keep their lanes */
            finish_body(graph, walk, job->body[l]);
        }
    }
}

static void schedule(AfxiGraph *graph, Walk *walk, uint32_t last) {
    AfxiRecursion *recursion = &graph->recursion;
    memset(walk->head, 0xff, sizeof walk->head);
    memset(walk->count, 0, sizeof walk->count);
    memset(walk->joint, 0xff, graph->block_count * sizeof *walk->joint);
    memset(walk->wait, 0, graph->body_count * sizeof *walk->wait);
    for (uint32_t k = 0; k < graph->closed_form.joint_count; k++) {
        walk->joint[graph->closed_form.joint[k].block] = k;
    }
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t parent = parent_of(graph, walk, body);
        if (parent != NONE) {
            walk->wait[parent]++;
        }
    }
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
            joint->message[l] +=
                joint->message[l] < GROUND ? 0 : AFXI_RECURSION_LANES * recursion->message_count - GROUND;
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

static AfxStatus make_jobs(const AfxAllocator *allocator, AfxiGraph *graph, Walk *walk) {
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
    Walk walk = {.model = model};
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
    if (is_forest(graph, walk.parent)) {
        span(graph, &walk);
        sort_kinds(graph, &walk);
        status = make_jobs(allocator, graph, &walk);
    }
    afxi_release(allocator, raw, raw_size);
    return status;
}

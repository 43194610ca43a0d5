/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a forest, and which of their bodies are alike. */
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "joint/axis.h"
#include "model/recursion_walk.h"

/* ---- the forest ---- */

static uint32_t visit(const AfxiGraph *graph, AfxiWalk *walk, uint32_t root, uint32_t end) {
    uint32_t at = end;
    walk->wait[root] = 0;
    walk->order[end++] = root;
    while (at < end) {
        uint32_t body = walk->order[at++];
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            uint32_t other = afxi_walk_across(graph, x);
            if (other == AFXI_WALK_NONE || x == walk->parent[body]) {
                continue;
            }
            walk->wait[other] = 0;
            walk->order[end++] = other;
            for (uint32_t y = graph->body_start[other]; y < graph->body_start[other + 1]; y++) {
                walk->parent[other] = afxi_walk_block(graph, y) == afxi_walk_block(graph, x) ? y : walk->parent[other];
            }
        }
    }
    return end;
}

/* Trees from the bodies that the ground holds, then from what floats. */
void afxi_walk_span(const AfxiGraph *graph, AfxiWalk *walk) {
    uint32_t end = 0;
    memset(walk->parent, 0xff, graph->body_count * sizeof *walk->parent);
    memset(walk->wait, 0xff, graph->body_count * sizeof *walk->wait);
    for (uint32_t x = 0; x < graph->entry_count; x++) { /* couplings are towards the root of what they carry */
        const AfxiGraphBlock *block = afxi_walk_block(graph, x);
        if (block->flywheel && !afxi_walk_folded(graph, x)) {
            walk->parent[block->carried] = x;
        }
    }
    for (int floats = 0; floats < 2; floats++) {
        for (uint32_t body = 0; body < graph->body_count; body++) {
            bool grounded = false;
            for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
                grounded |= afxi_walk_across(graph, x) == AFXI_WALK_NONE && !afxi_walk_folded(graph, x);
            }
            if (walk->wait[body] == AFXI_WALK_NONE && (grounded || floats)) {
                end = visit(graph, walk, body, end);
            }
        }
    }
}

/* Whether a body has more rows than others may have, all of balls without springs. */
bool afxi_walk_high_degree(const AfxiGraph *graph, uint32_t body) {
    uint32_t first = graph->body_start[body], end = graph->body_start[body + 1];
    bool balls = true;
    for (uint32_t x = first; x < end; x++) {
        balls &= afxi_walk_block(graph, x)->closed_form && afxi_walk_block(graph, x)->row_count == 3;
    }
    return balls && 3 * (uint64_t)(end - first) > AFXI_BODY_ROWS_MOST;
}

/* Blocks on two bodies or on one, couplings that carry, no loops but through the ground, no high-degree bodies but
 * those of balls. Loops that balls alone close have closed forms of the general factor. */
bool afxi_walk_is_forest(const AfxiGraph *graph, uint32_t *parent) {
    bool fine = graph->loop_rows == 0 || !graph->ball_loops;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        uint32_t rows = 0;
        parent[body] = body;
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            rows += afxi_walk_folded(graph, x) ? 0 : afxi_walk_rows(afxi_walk_block(graph, x));
        }
        fine &= rows <= AFXI_BODY_ROWS_MOST || (!graph->loop_rows && afxi_walk_high_degree(graph, body));
    }
    for (uint32_t k = 0; k < graph->block_count && fine; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        fine = block->flywheel || (block->type == AFXI_BLOCK_JOINT && block->entry_count <= 2 && !block->repeats);
        if (fine && !block->flywheel && block->entry_count == 2) {
            fine = !afxi_forest_join(parent, graph->entry[block->first_entry].dof.index,
                                     graph->entry[block->first_entry + 1].dof.index);
        }
    }
    return fine;
}

/* Whether all joints of a body are on its first axis, those away from the root at one point. */
static bool is_batched(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t body) {
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

/* The kind of a body in closed form, or AFXI_WALK_ALONE where it cannot be. */
static uint8_t closed_kind(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t body) {
    uint32_t first = graph->body_start[body], count = graph->body_start[body + 1] - first;
    bool rooted = walk->parent[body] != AFXI_WALK_NONE;
    if (!is_closed(graph, body) || count == 0 || count - rooted > AFXI_RECURSION_CHILDREN || graph->loop_rows) {
        return AFXI_WALK_ALONE;
    }
    for (uint32_t k = 1; k < count; k++) {
        if (afxi_walk_block(graph, first + k)->row_count != afxi_walk_block(graph, first)->row_count) {
            return AFXI_WALK_ALONE;
        }
    }
    bool six = afxi_walk_block(graph, first)->row_count == 6, batched = six && rooted && is_batched(graph, walk, body);
    return (uint8_t)(8 * (count - rooted) + 4 * batched + 2 * six + rooted);
}

/* ---- general bodies ---- */

AfxiBeyond afxi_walk_beyond(const AfxiGraph *graph, uint32_t place) {
    uint32_t other = afxi_walk_across(graph, place);
    return other == AFXI_WALK_NONE   ? AFXI_BEYOND_NOTHING
           : is_closed(graph, other) ? AFXI_BEYOND_CLOSED
                                     : AFXI_BEYOND_GENERAL;
}

const AfxiJointKind *afxi_walk_joint_kind(const AfxModel *model, const AfxiGraphBlock *block) {
    return afxi_joint_kind((AfxJointKind)model->joints[block->index].kind);
}

/* Whether the first three rows of a joint are those of a point. */
bool afxi_walk_has_point(const AfxModel *model, const AfxiGraphBlock *block) {
    if (block->type != AFXI_BLOCK_JOINT) {
        return false;
    }
    const AfxiJointKind *kind = afxi_walk_joint_kind(model, block);
    bool point = kind->row_count >= 3;
    for (uint32_t r = 0; point && r < 3; r++) {
        point = kind->rows[r].type == AFXI_ROW_POINT && kind->rows[r].i == r;
    }
    return point;
}

/* Whether a row depends on how its bodies are turned, and not on where they are. */
bool afxi_walk_turns_only(const AfxModel *model, const AfxiGraph *graph, uint32_t row) {
    const AfxiGraphRow *source = &graph->row[row];
    const AfxiJointKind *kind = afxi_walk_joint_kind(model, &graph->block[source->block]);
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
static uint32_t key_of(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t place) {
    const AfxiGraphBlock *block = afxi_walk_block(graph, place);
    uint32_t spring = block->leading > block->plain ? block->plain : 0, point = afxi_walk_has_point(walk->model, block);
    return afxi_walk_rows(block) << 16 | (uint32_t)afxi_walk_beyond(graph, place) << 8 | point << 7 | spring;
}

/* The entries of a body by their keys, the one towards the root last; their number comes back. */
uint32_t afxi_walk_list_joints(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t body,
                               uint32_t out[AFXI_BODY_ROWS_MOST]) {
    uint32_t count = 0;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        uint32_t at = count;
        if (x == walk->parent[body] || afxi_walk_folded(graph, x)) {
            continue;
        }
        for (; at > 0 && key_of(graph, walk, out[at - 1]) > key_of(graph, walk, x); at--) {
            out[at] = out[at - 1];
        }
        out[at] = x;
        count++;
    }
    if (walk->parent[body] != AFXI_WALK_NONE) {
        out[count++] = walk->parent[body];
    }
    return count;
}

static bool is_alike(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t a, uint32_t b) {
    uint32_t own[AFXI_BODY_ROWS_MOST], other[AFXI_BODY_ROWS_MOST];
    uint32_t count = afxi_walk_list_joints(graph, walk, a, own);
    bool same = afxi_walk_list_joints(graph, walk, b, other) == count &&
                (walk->parent[a] == AFXI_WALK_NONE) == (walk->parent[b] == AFXI_WALK_NONE);
    for (uint32_t k = 0; same && k < count; k++) {
        same = key_of(graph, walk, own[k]) == key_of(graph, walk, other[k]);
    }
    return same;
}

static uint8_t general_kind(const AfxiGraph *graph, AfxiWalk *walk, uint32_t body) {
    uint32_t kind = 0;
    while (kind < walk->general_kinds && !is_alike(graph, walk, walk->example[kind], body)) {
        kind++;
    }
    if (kind == walk->general_kinds && kind < AFXI_GENERAL_KINDS) {
        walk->example[walk->general_kinds++] = body;
    }
    return (uint8_t)(kind < AFXI_GENERAL_KINDS ? AFXI_WALK_CLOSED + kind : AFXI_WALK_ALONE);
}

/* Kinds of all bodies; closed forms that no kernel takes are general. */
void afxi_walk_sort(AfxiGraph *graph, AfxiWalk *walk) {
    uint32_t general = 0;
    walk->general_kinds = 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        bool high_degree = afxi_walk_high_degree(graph, body);
        walk->kind[body] = closed_kind(graph, walk, body);
        bool closed = walk->kind[body] != AFXI_WALK_ALONE || (high_degree && !graph->loop_rows);
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
    for (uint32_t k = 0; k < graph->block_count; k++) {
        graph->recursion.whole &= !graph->block[k].flywheel;
    }
}

bool afxi_walk_leaf(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t kind) {
    if (kind < AFXI_WALK_CLOSED || kind == AFXI_WALK_ALONE) {
        return kind < 8;
    }
    uint32_t body = walk->example[kind - AFXI_WALK_CLOSED];
    return afxi_walk_degree(graph, body) == (walk->parent[body] != AFXI_WALK_NONE);
}

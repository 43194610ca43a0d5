/* SPDX-License-Identifier: Apache-2.0 */
/* How far the rows of a lot are off in the present state, what closes them, and their rank.
 *
 * Closing is Newton's method in the metric of the rigid mass matrix: the least motion that meets all exact rows. The
 * rank is that of K = J M^-1 J^T of rigid bodies, each taken as a ball of its own extent so that thin bodies do not
 * spoil the condition. */
#include <math.h>
#include <string.h>

#include "constraint/rows_start.h"
#include "constraint/spring.h"
#include "dual/primal.h"
#include "dual/rank.h"
#include "engine/between.h"
#include "engine/closed_form.h"
#include "engine/tuning.h"
#include "math/polar.h"

bool afxi_closing_goes_on(AfxiClosing *closing, double residual) {
    bool stalls = closing->pass > AFXI_CLOSE_STALLS_AFTER && residual >= closing->residual;
    closing->residual = residual;
    return residual > AFXI_CLOSE_TOLERANCE * closing->size && !stalls && closing->pass++ < AFXI_CLOSE_PASSES_MOST;
}

void afxi_lot_between_begin(AfxiLot *lot, bool rates) {
    lot->system.woodbury = NULL;
    lot->rows.h_rate = 1;
    lot->rows.rates = rates;
    afxi_rotational_springs_refresh(&lot->rows);
    afxi_closed_form(lot, true);
    afxi_lot_linearise(lot);
    lot->rows.rates = false;
}

void afxi_lot_between_resume(AfxiLot *lot) {
    lot->system.woodbury = NULL;
    lot->rows.closed_form = lot->system.bodies.on = afxi_closed_form_between(lot);
}

void afxi_lot_between_end(AfxiLot *lot) {
    afxi_closed_form(lot, false);
}

void afxi_lot_between_solve(AfxiLot *lot, AfxiPurpose purpose) {
    AfxiDualReport dual;
    afxi_dual_solve_apart(&lot->system, purpose != AFXI_FOR_CLOSING, &dual);
}

/* ---- single components of a pooled lot ---- */

/* Where a point of a rigid body is in the present state, or its rate. */
static AfxVec3 end_of(const AfxiLot *lot, uint32_t body, AfxVec3 point, bool rate) {
    const AfxiState *state = &lot->rows.world->state;
    if (body == AFXI_WORLD) {
        return rate ? vec3(0, 0, 0) : point;
    }
    const double *value = (rate ? state->v : state->q) + (size_t)AFXI_AFFINE_WIDTH * body;
    uint32_t local = lot->rows.graph->local[body];
    AfxiMat3 a = !rate && local != UINT32_MAX ? lot->rows.frame[local] : mat3_load(value);
    return vec3_add(mat3_apply(&a, point), vec3_load(value + 9));
}

/* The largest coordinate by which the two ends of a ball joint differ. */
static double ball_gap(const AfxiLot *lot, uint32_t joint, bool rate) {
    const AfxiJoint *own = &lot->rows.world->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(lot->rows.world, joint);
    return afxi_points_apart(end_of(lot, own->follower, frame->point_a, rate),
                             end_of(lot, own->base, frame->point_b, rate));
}

/* All joints of pooled trees are balls. */
static AfxiViolation part_violation(const AfxiLot *lot, uint32_t p) {
    const AfxiGraphPart *part = &lot->rows.graph->part[p];
    AfxiViolation out = {.size = part->size};
    for (uint32_t b = part[0].first_block; b < part[1].first_block; b++) {
        uint32_t joint = lot->rows.graph->block[b].index;
        if (lot->rows.world->state.joint_active[joint]) {
            out.position = afxi_larger(out.position, ball_gap(lot, joint, false));
            out.rate = afxi_larger(out.rate, ball_gap(lot, joint, true));
        }
    }
    return out;
}

/* ---- closing ---- */

static void move_bodies(AfxiLot *lot, const AfxiGraphPart *part) {
    AfxiState *state = &lot->rows.world->state;
    for (uint32_t k = part[0].first_body; k < part[1].first_body; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k];
        double *q = state->q + at, *v = state->v + at;
        const double *delta = lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * k;
        const AfxiMat3 *r = &lot->rows.frame[k];
        AfxiMat3 beta, turned;
        memcpy(beta.m, delta, sizeof beta.m);
        turned = afxi_mat3_rotation(mat3_axial(&beta));
        turned = mat3_multiply(r, &turned);
        for (int c = 0; c < 3; c++) {
            vec3_store(v + 3 * c, mat3_apply(&turned, mat3_apply_transposed(r, vec3_load(v + 3 * c))));
        }
        memcpy(q, turned.m, sizeof turned.m);
        vec3_store(q + 9, vec3_add(lot->rows.origin[k], vec3_load(delta + 9)));
    }
}

bool afxi_lot_close(void *data, AfxiClosing *closing) {
    AfxiLot *lot = data;
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        afxi_lot_rigid(lot, k);
    }
    afxi_lot_between_begin(lot, false);
    double residual = afxi_rows_keep_exact(&lot->rows);
    bool moves = false;
    for (uint32_t p = 0; p < graph->part_count; p++) {
        double own = graph->pooled ? part_violation(lot, p).position : residual;
        closing[p].open = closing[p].open && afxi_closing_goes_on(&closing[p], own);
        moves |= closing[p].open;
    }
    if (moves) {
        memset(lot->system.start, 0, AFXI_AFFINE_WIDTH * (size_t)graph->body_count * sizeof(double));
        afxi_lot_between_solve(lot, AFXI_FOR_CLOSING);
    }
    for (uint32_t p = 0; moves && p < graph->part_count; p++) {
        if (closing[p].open) {
            move_bodies(lot, &graph->part[p]);
        }
    }
    afxi_lot_between_end(lot);
    return moves;
}

/* ---- violation ---- */

/* How far the rates of a block's active rows are off. */
static double block_rate(const AfxiLot *lot, const AfxiGraphBlock *block) {
    const AfxiWorld *world = lot->rows.world;
    double largest = 0;
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        const AfxiGraphRow *source = &lot->rows.graph->row[row];
        double wanted = 0;
        if (source->source == AFXI_SOURCE_DRIVE && !world->model->drives[source->index].from_input) {
            const AfxiDrive *drive = &world->model->drives[source->index];
            double value = 0, rate = 0;
            afx_signal_evaluate(&drive->target, afxi_state_time(&world->state), &value, &rate, NULL);
            wanted = drive->kind == AFX_DRIVE_VELOCITY ? value : rate;
        }
        largest = lot->rows.active[row] ? fmax(largest, fabs(lot->rows.rate[row] - wanted)) : largest;
    }
    return largest;
}

/* Rigid inverses, gradients and only exact rows active are left behind. */
static void lot_violation(AfxiLot *lot, AfxiViolation *out) {
    const AfxiState *state = &lot->rows.world->state;
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        const double *q = state->q + (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k];
        const double *v = state->v + (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k];
        afxi_lot_rigid(lot, k);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            lot->rows.qv[(size_t)AFXI_AFFINE_WIDTH * k + e] = (e < 9 ? lot->rows.frame[k].m[e] : q[e]) - v[e];
        }
    }
    afxi_lot_between_begin(lot, true);
    out->size = lot->rows.graph->size;
    out->position = afxi_rows_keep_exact(&lot->rows);
    out->rate = afxi_rows_closed_form_rates(&lot->rows, false);
    for (uint32_t b = 0; b < afxi_blocks_left(&lot->rows); b++) {
        out->rate = fmax(out->rate, block_rate(lot, afxi_block_left(&lot->rows, b)));
    }
    afxi_lot_between_end(lot);
}

void afxi_lot_violation(void *data, AfxiViolation *out) {
    AfxiLot *lot = data;
    lot_violation(lot, out);
    for (uint32_t p = 0; lot->rows.graph->pooled && p < lot->rows.graph->part_count; p++) {
        out[p] = part_violation(lot, p);
    }
}

/* ---- rank ---- */

/* Square of a length: that of the body's mass, or the longest lever arm of its joints. */
static double body_extent(const AfxiLot *lot, uint32_t k) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiBodyClass *own = afxi_world_class(lot->rows.world, graph->body[k]);
    double extent = (own->s[0] + own->s[1] + own->s[2]) / own->mass / 3;
    for (uint32_t x = graph->body_start[k]; x < graph->body_start[k + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < graph->block[entry->block].row_count; r++) {
            const double *g = lot->rows.jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r;
            double arm = 0, force = vec3_length(vec3_load(g + 9));
            for (int e = 0; e < 9; e++) {
                arm += g[e] * g[e];
            }
            extent = force > 0.5 && arm > extent ? arm : extent;
        }
    }
    return extent;
}

AfxStatus afxi_lot_rank(void *data, const AfxAllocator *allocator, uint32_t *out_rows, uint32_t *out_rank) {
    AfxiLot *lot = data;
    const AfxiGraph *graph = lot->rows.graph;
    AfxiViolation violation;
    lot_violation(lot, &violation);
    afxi_dual_store_points(&lot->system);
    for (uint32_t k = 0; graph->loop_rows && k < graph->body_count; k++) { /* a forest has independent rows */
        double extent = body_extent(lot, k);
        AfxiBodyClass ball = {.mass = 1, .s = {extent, extent, extent}, .volume = 1, .young = INFINITY};
        lot->system.inverse[k].blocks = afxi_body_blocks(&ball, (AfxiScale){1, 1}, 0);
    }
    *out_rows = 0;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        *out_rows += lot->rows.active[row];
    }
    return afxi_dual_rank(&lot->system, allocator, out_rank);
}

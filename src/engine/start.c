/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent accelerations and multipliers of the bodies of a lot: those of rigid bodies, with unit step,
 *     R^T A'' = W² + skew,   J q'' = -(velocity terms of the rows). */
#include "engine/between.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "constraint/rows_start.h"
#include "constraint/spring.h"
#include "constraint/tuning.h"
#include "dual/apply.h"
#include "dual/system.h"
#include "engine/closed_form.h"
#include "engine/tuning.h"
#include "math/polar.h"
#include "state/pace.h"

/* The acceleration without rows: that of the free rigid body. */
static void start_acceleration(AfxiLot *lot, uint32_t k) {
    uint32_t body = lot->rows.graph->body[k], slot = lot->rows.world->force_slot[body];
    const double *gravity = afxi_world_param(lot->rows.world, AFX_PARAM_GRAVITY, 0);
    const double *q = lot->rows.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                 *v = lot->rows.world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    double world[AFXI_AFFINE_WIDTH], *start = lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k,
                                     *qv = lot->rows.qv + (size_t)AFXI_AFFINE_WIDTH * k;
    afxi_lot_rigid(lot, k);
    afxi_free_acceleration(afxi_world_class(lot->rows.world, body), q, v, gravity,
                           slot == UINT32_MAX ? NULL : &lot->rows.world->forces[slot], world);
    AfxiMat3 acceleration = mat3_load(world), local = mat3_multiply_tn(&lot->rows.frame[k], &acceleration);
    memcpy(start, local.m, sizeof local.m);
    memcpy(start + 9, world + 9, 3 * sizeof *start);
    /* so that the rates of rows come out as those of the present velocities: (q - qv) / h = v */
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        qv[e] = (e < 9 ? lot->rows.frame[k].m[e] : q[e]) - v[e];
    }
}

/* All friction is taken to stick at first: it brings to rest within the step what moves. Its force would be all of its
 * limit otherwise, however large, and would throw back what it is to stop. */
static void start_sticking(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    AfxiWorld *world = lot->rows.world;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t drive = graph->row[graph->drive_row[k]].index;
        if (world->model->drives[drive].kind == AFX_DRIVE_FRICTION) {
            world->state.drive_branch[drive] = AFXI_BRANCH_FREE;
        }
    }
}

/* Friction that was taken to stick but would need more than it has slides, the way it moves; true when that changed
 * something. */
static bool start_sliding(AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    AfxiWorld *world = lot->rows.world;
    bool changed = false;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t row = graph->drive_row[k], drive = graph->row[row].index;
        bool sticks = world->state.drive_branch[drive] == AFXI_BRANCH_FREE;
        if (world->model->drives[drive].kind != AFX_DRIVE_FRICTION || !sticks) {
            continue;
        }
        double lambda = lot->system.lambda[row], rate = lot->rows.rate[row];
        if (fabs(lambda) > afxi_friction_limit(world, drive)) {
            bool high = fabs(rate) > AFXI_STILL ? rate > 0 : lambda > 0;
            world->state.drive_branch[drive] = high ? AFXI_BRANCH_HIGH : AFXI_BRANCH_LOW;
            changed = true;
        }
    }
    return changed;
}

/* ---- whether the step resolves what it starts from ---- */

/* J q'' of row r of a block, by its gradients. */
static double row_acceleration(const AfxiLot *lot, const AfxiGraphBlock *block, uint32_t r) {
    const AfxiGraph *graph = lot->rows.graph;
    double sum = 0;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        const AfxiGraphEntry *entry = &graph->entry[e];
        sum += afxi_dual_dot(lot->rows.jacobian + entry->jacobian + (size_t)AFXI_AFFINE_WIDTH * r,
                             lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * entry->dof.index);
    }
    return sum;
}

/* (k + 2 d / dt) (J q'')² of the rows of a block that give way: springs, servos, couplings. h_rate is dt / 2. */
static double block_stiffness(const AfxiLot *lot, const AfxiGraphBlock *block) {
    const AfxiRows *rows = &lot->rows;
    double sum = 0;
    for (uint32_t r = block->leading; r < block->row_count; r++) {
        uint32_t row = block->first_row + r, source = rows->graph->row[row].source;
        bool law = source == AFXI_SOURCE_DRIVE || source == AFXI_SOURCE_SPRING || source == AFXI_SOURCE_COUPLING;
        if (law && !rows->active[row] && afxi_row_on(rows, row)) { /* not one of those that hold at the start */
            AfxiLawRow own = afxi_row_law(rows, row, rows->measured[row], rows->rate[row], 0);
            double along =
                row_acceleration(lot, block, r < block->row_count - block->folded ? r : rows->graph->row[row].lead);
            sum += own.active && own.compliance > 0 ? along * along / own.compliance : 0;
        }
    }
    return sum;
}

/* The same of the spring of a ball, by its stiffest axis. */
static double ball_stiffness(const AfxiLot *lot, const AfxiGraphBlock *block) {
    const AfxiRows *rows = &lot->rows;
    const AfxiJoint *joint = &rows->world->model->joints[block->index];
    const double *numbers = afxi_world_param(rows->world, AFX_PARAM_JOINT_SPRING, joint->rotational_spring);
    double most = 0, square = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double along = 0, gradient[AFXI_AFFINE_WIDTH];
        most = fmax(most, numbers[AFXI_ROTATIONAL_SPRING_STIFFNESS + axis] +
                              numbers[AFXI_ROTATIONAL_SPRING_DAMPING + axis] / rows->h_rate);
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            uint32_t body = rows->graph->entry[e].dof.index;
            double sign = rows->graph->body[body] == joint->follower ? 1 : -1;
            afxi_rotational_spring_gradient(rows->frame[body].m, axis, sign, gradient);
            along += afxi_dual_dot(gradient, lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * body);
        }
        square += along * along;
    }
    return rows->world->state.joint_active[block->index] ? most * square : 0;
}

/* Whether loads that give way change the accelerations a of a part by more than these themselves within the step: with
 * K the stiffness along a, h² (a K a) / (a M a) is the square of the angle of that oscillation. */
static bool is_unresolved(const AfxiLot *lot, const AfxiGraphPart *part, double dt) {
    const AfxiGraph *graph = lot->rows.graph;
    double stiffness = 0, inertia = 0;
    for (uint32_t b = part->first_block; b < part[1].first_block; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        stiffness += block_stiffness(lot, block);
        stiffness += block->rotational_spring != UINT32_MAX ? ball_stiffness(lot, block) : 0;
    }
    for (uint32_t k = part->first_body; stiffness > 0 && k < part[1].first_body; k++) {
        const AfxiBodyClass *class = afxi_world_class(lot->rows.world, graph->body[k]);
        const double *a = lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * k;
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            inertia += (e < 9 ? class->s[e / 3] : class->mass) * a[e] * a[e];
        }
    }
    return dt * dt * stiffness > AFXI_START_UNRESOLVED * inertia;
}

static void store_acceleration(const AfxiLot *lot, AfxiState *state, uint32_t k) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k];
    const double *delta = lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * k;
    AfxiMat3 local = mat3_load(delta), world = mat3_multiply(&lot->rows.frame[k], &local);
    memcpy(state->x2 + at, world.m, sizeof world.m);
    memcpy(state->x2 + at + 9, delta + 9, 3 * sizeof *delta);
    if (state->head->integrator == AFX_ALPHA) {
        memcpy(state->x3 + at, state->x2 + at, AFXI_AFFINE_WIDTH * sizeof *state->x2);
    }
}

void afxi_lot_start_accelerations(void *data, const uint8_t *wanted, double dt) {
    AfxiLot *lot = data;
    const AfxiGraph *graph = lot->rows.graph;
    AfxiState *state = &lot->rows.world->state;
    lot->system.woodbury = NULL;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        start_acceleration(lot, k);
    }
    lot->rows.h_rate = 1;
    lot->rows.starting = lot->rows.rates = true;
    afxi_rotational_springs_refresh(&lot->rows);
    afxi_closed_form(lot, true);
    start_sticking(lot);
    afxi_lot_keep_multipliers(lot);
    for (uint32_t pass = 0, same = 0; pass < AFXI_START_PASSES_MOST && same < 2; pass++) {
        afxi_lot_linearise(lot);
        afxi_rows_velocity_terms(&lot->rows, dt);
        afxi_lot_between_solve(lot, AFXI_FOR_START);
        for (uint32_t part = 0; part < graph->part_count; part++) { /* friction may follow it */
            const AfxiGraphPart *own = &graph->part[part];
            if (wanted[graph->body[own->first_body]]) {
                memcpy(state->lambda + graph->first_row + own->first_row, lot->system.lambda + own->first_row,
                       (own[1].first_row - own->first_row) * sizeof(double));
            }
        }
        same = start_sliding(lot) ? 0 : same + (pass ? 1 : 2);
    }
    lot->rows.h_rate = 0.5 * dt;
    for (uint32_t p = 0; p < graph->part_count; p++) {
        const AfxiGraphPart *part = &graph->part[p];
        if (wanted[graph->body[part->first_body]] && is_unresolved(lot, part, dt)) {
            for (uint32_t k = part->first_body; k < part[1].first_body; k++) {
                afxi_pace_reduce(state, graph->body[k], 1);
            }
        }
    }
    lot->rows.starting = lot->rows.rates = false;
    afxi_lot_between_end(lot);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        if (wanted[graph->body[k]]) {
            store_acceleration(lot, state, k);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of a lot that jump: limits that are met and contact points have the rates that an impact gives them
 * (solve/impact_law.c), and every other row keeps its rate. In the metric of the rigid mass matrix,
 *     v+ = v - M^-1 J^T impulse,   J v+ = wanted rates. */
#include <math.h>
#include <string.h>

#include "constraint/bounce.h"
#include "constraint/drive.h"
#include "constraint/rows_start.h"
#include "constraint/tuning.h"
#include "engine/between.h"

/* The velocities as the start of the dual solve. */
static void load_velocities(AfxiLot *lot, const double *velocities) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * graph->body[k];
        double *start = lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k;
        /* rigid: a rate of strain would pass the rows and part the joints later */
        AfxiMat3 rate = mat3_load(velocities + at), local = mat3_multiply_tn(&lot->rows.frame[k], &rate);
        AfxiMat3 spin = mat3_skew(mat3_axial(&local));
        memcpy(start, spin.m, sizeof spin.m);
        memcpy(start + 9, velocities + at + 9, 3 * sizeof *start);
    }
}

static void store_velocities(const AfxiLot *lot, const AfxiGraphPart *part) {
    double *v = lot->rows.world->state.v;
    for (uint32_t k = part[0].first_body; k < part[1].first_body; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * lot->rows.graph->body[k];
        const double *delta = lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * k;
        for (int e = 0; e < 3; e++) {
            vec3_store(v + at + 3 * e, mat3_apply(&lot->rows.frame[k], vec3_load(delta + 3 * e)));
        }
        memcpy(v + at + 9, delta + 9, 3 * sizeof *delta);
    }
}

/* The rate that an active row is to have. */
static double wanted_rate(AfxiLot *lot, uint32_t row) {
    const AfxiWorld *world = lot->rows.world;
    const AfxiGraphRow *source = &lot->rows.graph->row[row];
    if (source->source != AFXI_SOURCE_DRIVE) {
        return 0;
    }
    const AfxiDrive *drive = &world->model->drives[source->index];
    if (drive->kind == AFX_DRIVE_LIMIT) {
        return world->limit_rate[source->index];
    }
    double value = 0, rate = 0;
    afx_signal_evaluate(&drive->target, afxi_state_time(&world->state) + world->state.head->dt, &value, &rate, NULL);
    if (drive->from_input) {
        value = world->state.drive_input[4 * (size_t)source->index + 2];
        rate = world->state.drive_input[4 * (size_t)source->index + 3];
    }
    return drive->kind == AFX_DRIVE_VELOCITY ? value : rate;
}

/* Frames at the present state and rigid inverses. qv = q makes the constant part of a row's rate the share of the
 * bodies that are not solved for. */
static void place_bodies(AfxiLot *lot) {
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        double *qv = lot->rows.qv + (size_t)AFXI_AFFINE_WIDTH * k;
        afxi_lot_rigid(lot, k);
        memcpy(qv, lot->rows.frame[k].m, sizeof lot->rows.frame[k].m);
        vec3_store(qv + 9, lot->rows.origin[k]);
    }
}

/* Rows at the present frames. */
static void prepare(AfxiLot *lot) {
    place_bodies(lot);
    afxi_lot_between_begin(lot, true);
    afxi_rows_keep_exact(&lot->rows);
}

/* Limits that are met as the impact says; with `marks`, bodies that change by it are told the recursion. */
static void choose_limits(AfxiLot *lot, bool marks) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiWorld *world = lot->rows.world;
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t row = graph->drive_row[k], drive = graph->row[row].index;
        if (world->model->drives[drive].kind != AFX_DRIVE_LIMIT) {
            continue;
        }
        uint8_t active = afxi_row_on(&lot->rows, row) && !isnan(world->limit_rate[drive]) &&
                         world->state.drive_branch[drive] != AFXI_BRANCH_FREE;
        const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
        for (uint32_t e = 0; marks && active != lot->rows.active[row] && e < block->entry_count; e++) {
            afxi_recursion_mark(&lot->system, graph->entry[block->first_entry + e].dof.index);
        }
        lot->rows.active[row] = active;
    }
}

/* The present velocities as near as rows allow, into system.delta. */
static void load_rates(AfxiLot *lot) {
    afxi_rows_closed_form_rates(&lot->rows, false);
    for (uint32_t b = 0; b < afxi_blocks_left(&lot->rows); b++) {
        const AfxiGraphBlock *block = afxi_block_left(&lot->rows, b);
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            lot->rows.value[row] = lot->rows.active[row] ? lot->rows.rate[row] - wanted_rate(lot, row) : 0;
        }
    }
}

/* Points that bounce, `again` with what the last solve has left of the others. */
static void load_bounces(AfxiLot *lot, const AfxiJump *jump, bool again) {
    AfxiContactSet *set = jump->set;
    afxi_bounce_rows(set, &lot->rows, lot->pairs, jump->point, jump->point_count);
    lot->system.woodbury = &set->woodbury;
    lot->system.woodbury_of = lot->woodbury_of;
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        lot->woodbury_of[k] = set->woodbury_of[lot->rows.graph->body[k]];
        if (lot->woodbury_of[k] != UINT32_MAX) {
            afxi_woodbury_load(&set->woodbury, lot->woodbury_of[k], &lot->rows.frame[k], lot->rows.origin[k],
                               &lot->system.inverse[k], lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k);
            if (again) {
                afxi_recursion_mark(&lot->system, k);
            }
        }
    }
}

void afxi_lot_project(void *data, const AfxiJump *jump) {
    AfxiLot *lot = data;
    const AfxiGraph *graph = lot->rows.graph;
    if (jump->again) {
        afxi_lot_between_resume(lot);
    } else {
        prepare(lot);
    }
    bool again = jump->again && graph->recursion.on && afxi_recursion_again(&lot->system);
    choose_limits(lot, again);
    load_velocities(lot, lot->rows.world->state.v);
    load_rates(lot);
    if (jump->point_count) {
        load_bounces(lot, jump, again);
    }
    afxi_lot_between_solve(lot, AFXI_FOR_IMPACT);
    afxi_lot_between_end(lot);
    for (uint32_t p = 0; p < lot->rows.graph->part_count; p++) {
        if (!jump->open || jump->open[p]) {
            store_velocities(lot, &lot->rows.graph->part[p]);
        }
    }
}

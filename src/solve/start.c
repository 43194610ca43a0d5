/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent accelerations at a (re)start; violated starts are closed by Newton's method in the metric of the rigid
 * mass matrix: the least motion that meets all exact rows. */
#include "solve/start.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "constraint/rows_start.h"
#include "constraint/spring.h"
#include "dual/system.h"
#include "engine/closed_form.h"
#include "engine/start.h"
#include "engine/tuning.h"
#include "math/polar.h"
#include "solve/impact.h"
#include "solve/tuning.h"

void afxi_start(AfxiSolver *solver, const uint8_t *wanted) {
    const AfxModel *model = solver->world->model;
    afxi_free_start(&solver->free, wanted);
    if (model->drive_count) {
        afxi_drives_targets(solver->world, 0);
    }
    for (uint32_t k = 0; k < model->graph_count; k++) {
        AfxiLot *lot = &solver->lot[k];
        bool any = false;
        for (uint32_t p = 0; p < lot->rows.graph->part_count && !any; p++) {
            any = wanted[lot->rows.graph->body[lot->rows.graph->part[p].first_body]];
        }
        if (any) {
            lot->system.touches = NULL;
            afxi_lot_start_accelerations(lot, wanted);
        }
    }
    if (model->chains.chain_count) {
        afxi_chains_start(&solver->chains, wanted);
    }
}

/* ---- closing ---- */

static void move_bodies(AfxiLot *lot) {
    AfxiState *state = &lot->rows.world->state;
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        size_t at = (size_t)12 * lot->rows.graph->body[k];
        double *q = state->q + at, *v = state->v + at;
        const double *delta = lot->system.delta + (size_t)12 * k;
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

/* Newton's method on the exact rows; how far they are off at the end comes back. */
static double close_rows(AfxiLot *lot) {
    AfxiSystem *system = &lot->system;
    double residual = 0, before = INFINITY;
    system->touches = NULL;
    for (uint32_t pass = 0; pass < AFXI_CLOSE_PASSES_MOST; pass++) {
        AfxiDualReport dual;
        for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
            afxi_lot_rigid(lot, k);
        }
        lot->rows.h_rate = 1;
        afxi_turns_refresh(&lot->rows);
        afxi_closed_form(lot, true);
        afxi_lot_linearise(lot);
        residual = afxi_rows_keep_exact(&lot->rows);
        if (residual <= AFXI_CLOSE_TOLERANCE * lot->rows.graph->size || (pass > 20 && residual >= before)) {
            break;
        }
        before = residual;
        memset(system->start, 0, 12 * (size_t)lot->rows.graph->body_count * sizeof(double));
        afxi_dual_solve_apart(system, false, &dual);
        move_bodies(lot);
    }
    afxi_closed_form(lot, false);
    return residual;
}

double afxi_close(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    double residual = 0;
    afxi_drives_targets(solver->world, 0);
    for (uint32_t k = 0; k < model->graph_count; k++) {
        residual = fmax(residual, close_rows(&solver->lot[k]));
    }
    if (model->chains.chain_count) {
        residual = fmax(residual, afxi_chains_close(&solver->chains));
    }
    return residual;
}

void afxi_project(AfxiSolver *solver) {
    for (uint32_t k = 0; k < solver->world->model->graph_count; k++) {
        afxi_velocities_project(&solver->lot[k]);
    }
    if (solver->world->model->chains.chain_count) {
        afxi_chains_project(&solver->chains);
    }
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

void afxi_lot_violation(AfxiLot *lot, double *out_position, double *out_rate) {
    const AfxiState *state = &lot->rows.world->state;
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        const double *q = state->q + (size_t)12 * lot->rows.graph->body[k];
        const double *v = state->v + (size_t)12 * lot->rows.graph->body[k];
        afxi_lot_rigid(lot, k);
        for (int e = 0; e < 12; e++) {
            lot->rows.qv[(size_t)12 * k + e] = (e < 9 ? lot->rows.frame[k].m[e] : q[e]) - v[e];
        }
    }
    lot->system.touches = NULL;
    lot->rows.h_rate = 1;
    lot->rows.rates = true;
    afxi_turns_refresh(&lot->rows);
    afxi_closed_form(lot, true);
    afxi_lot_linearise(lot);
    lot->rows.rates = false;
    *out_position = afxi_rows_keep_exact(&lot->rows);
    *out_rate = afxi_rows_closed_rates(&lot->rows, false);
    for (uint32_t b = 0; b < afxi_blocks_left(&lot->rows); b++) {
        *out_rate = fmax(*out_rate, block_rate(lot, afxi_block_left(&lot->rows, b)));
    }
    afxi_closed_form(lot, false);
}

/* Whether a start is off by more than rounding. */
static bool is_off(double position, double rate, double size) {
    return position > AFXI_START_OFF * size || rate > AFXI_START_OFF * size;
}

bool afxi_repair(AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    double position = 0, rate = 0, size = 0;
    bool any = false;
    afxi_drives_targets(solver->world, 0);
    for (uint32_t c = 0; c < model->chains.chain_count; c++) {
        size = fmax(size, model->chains.chain[c].size);
    }
    if (model->chains.chain_count) {
        afxi_chains_violation(&solver->chains, &position, &rate);
    }
    if (is_off(position, rate, size)) {
        afxi_chains_close(&solver->chains);
        afxi_chains_project(&solver->chains);
        any = true;
    }
    for (uint32_t k = 0; k < model->graph_count; k++) {
        AfxiLot *lot = &solver->lot[k];
        afxi_lot_violation(lot, &position, &rate);
        if (is_off(position, rate, lot->rows.graph->size)) {
            close_rows(lot);
            afxi_angles_follow(solver->world);
            afxi_velocities_project(lot);
            any = true;
        }
    }
    return any;
}

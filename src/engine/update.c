/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of a lot after a solve: where it puts them, and how far it may be off. */
#include <math.h>

#include "base/task.h"
#include "dual/tuning.h"
#include "dual/update.h"
#include "engine/lot.h"
#include "engine/tuning.h"

typedef struct Pass {
    AfxiUpdate update;
    AfxiUpdatePass *pass;
    AfxiBodiesTally *tally; /* [parts] */
} Pass;

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Pass *pass = context;
    pass->tally[part] = (AfxiBodiesTally){0};
    pass->pass(&pass->update, begin, end, &pass->tally[part]);
}

/* Bodies to go through: all, or those that closed forms leave. */
static AfxiBodiesTally run(const AfxiLot *lot, bool judge) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiClosedForm *closed_form = &graph->closed_form;
    const AfxSimDef *def = &lot->rows.world->def;
    bool on = lot->system.bodies.on;
    uint32_t count = on ? closed_form->general_body_count : graph->body_count;
    const AfxiUpdateKernel *kernel = afxi_update_kernel(def->lanes);
    Pass pass = {.update = {.list = on ? closed_form->general_body : NULL,
                            .body = graph->body,
                            .class_of = lot->rows.world->classes->of,
                            .constants = lot->table->chain,
                            .frame = lot->rows.frame,
                            .origin = lot->rows.origin,
                            .delta = lot->system.delta,
                            .next = lot->rows.next,
                            .turn = lot->turn,
                            .gamma = lot->gamma,
                            .gamma_next = lot->gamma_next,
                            .held = lot->rows.held,
                            .stiffness = lot->stiffness,
                            .error = lot->error,
                            .excess = lot->excess},
                 .pass = judge ? kernel->judge : kernel->move,
                 .tally = lot->update_tally};
    AfxiBodiesTally total = {0};
    afxi_parallel_for(&def->tasks, def->threads, count, AFXI_GRAIN, run_part, &pass);
    for (uint32_t part = 0; part < afxi_part_count(count, AFXI_GRAIN); part++) {
        afxi_tally_join(&total, &lot->update_tally[part]);
    }
    return total;
}

/* NaN spreads into it. */
static double larger(double a, double b) {
    return b > a || isnan(b) ? b : a;
}

double afxi_lot_update(AfxiLot *lot) {
    const AfxiBodiesWork *bodies = &lot->system.bodies;
    AfxiBodiesTally tally = run(lot, false);
    lot->infinite = tally.infinite;
    return larger(bodies->on ? bodies->tally.turn : 0, tally.turn);
}

double afxi_lot_first_error(const AfxiLot *lot, bool *out_jump) {
    const AfxiBodiesWork *bodies = &lot->system.bodies;
    AfxiBodiesTally tally = run(lot, true);
    *out_jump = tally.jump || (bodies->on && bodies->tally.jump);
    return larger(bodies->on ? bodies->tally.error : 0, tally.error);
}

double afxi_lot_stiff_error(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    double most = 0, scale = 1 / lot->plan.weights.scale.h_squared;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        const double *s = afxi_world_class(lot->rows.world, graph->body[k])->s;
        double least = scale * (s[0] + s[1] + s[2] - fmax(s[0], fmax(s[1], s[2]))) + lot->rows.held[k];
        bool stiffer = lot->gamma[k] > 2 * (lot->gamma_next[k] + least);
        most = stiffer ? larger(most, lot->error[k]) : most;
    }
    return most;
}

bool afxi_lot_finite(const AfxiLot *lot, uint32_t *out_body) {
    const AfxiGraph *graph = lot->rows.graph;
    bool infinite = lot->infinite || (lot->system.bodies.on && lot->system.bodies.tally.infinite);
    for (uint32_t k = 0; infinite && k < graph->body_count; k++) { /* which */
        double sum = 0;
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            sum += 0 * (AFXI_FINITE_REACH * lot->rows.next[(size_t)AFXI_AFFINE_WIDTH * k + e]);
        }
        if (sum != 0) {
            *out_body = graph->body[k];
            return false;
        }
    }
    return true;
}

double afxi_lot_meet_rows(AfxiLot *lot, double residual, double enough) {
    double before = INFINITY;
    bool able = !lot->finishing && !lot->rows.graph->pooled && afxi_dual_can_meet(&lot->system);
    for (int pass = 0; able && pass < AFXI_MEETS_MOST && residual > enough; pass++) {
        before = residual;
        afxi_rows_misses(&lot->rows, lot->system.residual);
        afxi_dual_meet(&lot->system);
        afxi_lot_update(lot);
        lot->rows.closed_form_gap = lot->system.bodies.gap;
        residual = afxi_rows_residual(&lot->rows);
        able = residual < AFXI_MEETS_LESS * before;
    }
    return residual;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted least-norm multipliers of one graph after the other. Rows and their gradients are those of the oracle. */
#include "solve/share.h"

#include <math.h>
#include <string.h>

#include "joint/row.h"
#include "model/params.h"
#include "solve/equation.h"
#include "solve/share_graph.h"
#include "solve/tuning.h"
#include "sparse/factor.h"
#include "sparse/solve.h"

struct AfxiShare {
    const AfxAllocator *allocator;
    const AfxModel *model;
    AfxiShareGraph *graph; /* [model->graph_count] those without loops are empty */
    double *force, *torque, *drive;
    double *of_row;     /* [rows of the model] 1 / weight of what takes part; 0: it does not */
    double *side, *sum; /* [12 bodies] work, by unknown of a graph */
    double *solution;   /* [12 bodies] y of a graph */
    double *multiplier; /* [rows of a graph] work */
    double *rate;       /* [rows of a graph] work */
    void *raw;
    size_t raw_size;
};

static void take(AfxiShare *share, AfxiArena *arena) {
    const AfxModel *model = share->model;
    size_t wide = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    share->force = afxi_arena_take(arena, model->joint_count, sizeof(double));
    share->torque = afxi_arena_take(arena, model->joint_count, sizeof(double));
    share->drive = afxi_arena_take(arena, model->drive_count, sizeof(double));
    share->of_row = afxi_arena_take(arena, model->row_count, sizeof(double));
    share->side = afxi_arena_take(arena, wide, sizeof(double));
    share->sum = afxi_arena_take(arena, wide, sizeof(double));
    share->solution = afxi_arena_take(arena, wide, sizeof(double));
    share->multiplier = afxi_arena_take(arena, model->row_count, sizeof(double));
    share->rate = afxi_arena_take(arena, model->row_count, sizeof(double));
    share->graph = afxi_arena_take(arena, model->graph_count, sizeof *share->graph);
}

void afxi_share_destroy(AfxiShare *share) {
    if (share) {
        for (uint32_t k = 0; share->graph && k < share->model->graph_count; k++) {
            afxi_share_graph_release(share->allocator, &share->graph[k]);
        }
        afxi_release(share->allocator, share->raw, share->raw_size);
        afxi_release(share->allocator, share, sizeof *share);
    }
}

AfxStatus afxi_share_create(const AfxAllocator *allocator, const AfxModel *model, AfxiShare **out) {
    AfxiArena arena = {0};
    AfxStatus status = AFX_OK;
    AfxiShare *share = afxi_allocate(allocator, sizeof *share);
    *out = NULL;
    if (!share) {
        return AFX_E_MEMORY;
    }
    share->allocator = allocator;
    share->model = model;
    take(share, &arena);
    arena.base =
        arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used + 1, &share->raw, &share->raw_size);
    arena.used = 0;
    if (!arena.base) {
        afxi_release(allocator, share, sizeof *share);
        return AFX_E_MEMORY;
    }
    take(share, &arena);
    for (uint32_t k = 0; k < model->graph_count && status == AFX_OK; k++) {
        if (model->graph[k].loop_rows) {
            status = afxi_share_graph_create(allocator, model, &model->graph[k], &share->graph[k]);
        }
    }
    if (status != AFX_OK) {
        afxi_share_destroy(share);
        return status;
    }
    *out = share;
    return AFX_OK;
}

static void weigh(double *to, const double *from, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        to[k] = from ? from[k] : 1;
    }
}

void afxi_share_weigh(AfxiShare *share, const double *force, const double *torque, const double *drive) {
    const AfxModel *model = share->model;
    weigh(share->force, NULL, model->joint_count); /* joints that stand behind those of users count as 1 */
    weigh(share->torque, NULL, model->joint_count);
    weigh(share->force, force, model->shown.joints);
    weigh(share->torque, torque, model->shown.joints);
    weigh(share->drive, drive, model->drive_count);
}

/* ---- which rows ---- */

static double weight_of_joint(const AfxiShare *share, uint32_t joint, uint32_t index) {
    AfxiRowSpec row = afxi_joint_kind((AfxJointKind)share->model->joints[joint].kind)->rows[index];
    bool force = row.type == AFXI_ROW_POINT || row.type == AFXI_ROW_TIP || row.type == AFXI_ROW_DISTANCE ||
                 (row.type != AFXI_ROW_DIRECTION && row.reaction < 3);
    return force ? share->force[joint] : share->torque[joint];
}

static bool coupling_holds(const AfxiResidualStage *stage, uint32_t index) {
    const AfxiCoupling *coupling = &stage->model->couplings[index];
    const double *numbers = afxi_param_const(stage->model, stage->params, AFX_PARAM_COUPLING, index);
    bool on = numbers[AFX_COUPLING_TERMS + 1] == 0;
    for (uint32_t k = 0; k < coupling->term_count; k++) {
        on = on && stage->joint_active[coupling->joint[k]];
    }
    return on;
}

/* The weight of a row that holds both ways and exactly; 0: what it carries is told by its law. Limits push one way
 * only, and friction up to a limit: their shares stay. */
static double weight_of(const AfxiShare *share, const AfxiResidualStage *stage, const AfxiGraph *graph, uint32_t row) {
    const AfxiGraphRow *source = &graph->row[row];
    uint32_t owner = graph->block[source->block].index;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT:
        return stage->joint_active[owner] ? weight_of_joint(share, owner, source->index) : 0;
    case AFXI_SOURCE_SCREW:
        return stage->joint_active[owner] ? share->force[owner] : 0;
    case AFXI_SOURCE_DRIVE: {
        const AfxiDrive *drive = &stage->model->drives[source->index];
        bool exact = drive->kind == AFX_DRIVE_POSITION || drive->kind == AFX_DRIVE_VELOCITY;
        return exact && stage->joint_active[drive->joint] ? share->drive[source->index] : 0;
    }
    case AFXI_SOURCE_COUPLING:
        return coupling_holds(stage, source->index) ? 1 : 0;
    default:
        return 0;
    }
}

void afxi_share_prepare(AfxiShare *share, const AfxiResidualStage *stage) {
    for (uint32_t k = 0; k < share->model->graph_count; k++) {
        const AfxiGraph *graph = &share->model->graph[k];
        double *inverse = share->of_row + graph->first_row;
        for (uint32_t row = 0; row < graph->row_count; row++) {
            double weight = share->graph[k].graph ? weight_of(share, stage, graph, row) : 0;
            inverse[row] = weight > 0 ? 1 / weight : 0;
        }
        if (share->graph[k].graph) {
            afxi_share_graph_prepare(&share->graph[k], stage, inverse);
        }
    }
}

bool afxi_share_has(const AfxiShare *share, uint32_t row) {
    return row < share->model->row_count && share->of_row[row] > 0;
}

/* ---- solves ---- */

static double largest(const AfxiShareGraph *own, const double *x) {
    double most = 0;
    for (uint32_t k = 0; k < own->plan.row_count; k++) {
        most = fmax(most, own->scale[k] * fabs(x[k]));
    }
    return most;
}

/* multiplier <- W^-1 J y with G y = side; y in solution. What is left comes back, over the size of side. */
static double solve(AfxiShare *share, AfxiShareGraph *own, const double *inverse) {
    uint32_t n = own->plan.row_count;
    double size = largest(own, share->side), left = size;
    memset(share->solution, 0, n * sizeof(double));
    memset(share->multiplier, 0, own->graph->row_count * sizeof(double));
    memcpy(share->sum, share->side, n * sizeof(double));
    for (int pass = 0; pass < AFXI_SHARE_PASSES && left > AFXI_SHARE_ENOUGH * size; pass++) {
        for (uint32_t k = 0; k < n; k++) {
            share->sum[k] *= own->scale[k];
        }
        afxi_block_solve(&own->plan, &own->factor, share->sum);
        for (uint32_t k = 0; k < n; k++) {
            share->sum[k] *= own->scale[k];
            share->solution[k] += share->sum[k];
        }
        /* added up by multipliers: of a large y little may be left in J y, and no digit of what is refined would be */
        afxi_share_graph_rates(own, share->sum, share->rate);
        for (uint32_t row = 0; row < own->graph->row_count; row++) {
            share->multiplier[row] += inverse[row] * share->rate[row];
        }
        memset(share->sum, 0, n * sizeof(double));
        afxi_share_graph_forces(own, share->multiplier, share->sum);
        for (uint32_t k = 0; k < n; k++) {
            share->sum[k] = share->side[k] - share->sum[k];
        }
        double before = left;
        left = largest(own, share->sum);
        if (pass && !(left < 0.5 * before)) {
            break;
        }
    }
    return size > 0 ? left / size : 0;
}

static void put_y(const AfxiShare *share, const AfxiShareGraph *own, double *out_y) {
    for (uint32_t b = 0; out_y && b < own->graph->body_count; b++) {
        double *to = out_y + (size_t)AFXI_AFFINE_WIDTH * own->graph->body[b];
        for (uint32_t e = 0; e < own->width[b]; e++) {
            to[e] = share->solution[own->plan.first_row[b] + e];
        }
    }
}

double afxi_share_apply(AfxiShare *share, double *lambda, double *out_y) {
    double worst = 0;
    if (out_y) {
        memset(out_y, 0, AFXI_AFFINE_WIDTH * (size_t)share->model->body_count * sizeof(double));
    }
    for (uint32_t k = 0; k < share->model->graph_count; k++) {
        AfxiShareGraph *own = &share->graph[k];
        if (!own->graph) {
            continue;
        }
        double *part = lambda + own->graph->first_row;
        const double *inverse = share->of_row + own->graph->first_row;
        for (uint32_t row = 0; row < own->graph->row_count; row++) {
            share->multiplier[row] = inverse[row] > 0 ? part[row] : 0;
        }
        memset(share->side, 0, own->plan.row_count * sizeof(double));
        afxi_share_graph_forces(own, share->multiplier, share->side);
        double left = own->fits ? solve(share, own, inverse) : 1;
        worst = fmax(worst, left);
        for (uint32_t row = 0; left <= AFXI_SHARE_POOR && row < own->graph->row_count; row++) {
            part[row] = inverse[row] > 0 ? share->multiplier[row] : part[row];
        }
        if (left <= AFXI_SHARE_POOR) {
            put_y(share, own, out_y);
        }
    }
    return worst;
}

double afxi_share_reverse(AfxiShare *share, double *bar, double *out_a) {
    double worst = 0;
    memset(out_a, 0, share->model->row_count * sizeof *out_a);
    for (uint32_t k = 0; k < share->model->graph_count; k++) {
        AfxiShareGraph *own = &share->graph[k];
        if (!own->graph) {
            continue;
        }
        double *part = bar + own->graph->first_row, *a = out_a + own->graph->first_row;
        const double *inverse = share->of_row + own->graph->first_row;
        for (uint32_t row = 0; row < own->graph->row_count; row++) {
            share->multiplier[row] = inverse[row] * part[row];
        }
        memset(share->side, 0, own->plan.row_count * sizeof(double));
        afxi_share_graph_forces(own, share->multiplier, share->side);
        double left = own->fits ? solve(share, own, inverse) : 1;
        worst = fmax(worst, left);
        for (uint32_t row = 0; left <= AFXI_SHARE_POOR && row < own->graph->row_count; row++) {
            if (inverse[row] > 0) { /* W^-1 (bar - J b), and J b = W multiplier */
                a[row] = inverse[row] * part[row] - share->multiplier[row];
                part[row] = share->multiplier[row] / inverse[row];
            }
        }
    }
    return worst;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The dual system: its workspace, and its solution by factorisation and refinement or as the graph's solver says. */
#include "dual/system.h"

#include <math.h>

#include "dual/apply.h"
#include "dual/assemble.h"
#include "dual/cg.h"
#include "dual/closed_form.h"
#include "dual/gs.h"
#include "dual/primal.h"
#include "dual/recursion.h"
#include "dual/refine.h"
#include "dual/tuning.h"
#include "math/variant.h"
#include "model/plan.h"
#include "sparse/factor.h"
#include "sparse/solve.h"

AFXI_BUILDS(AfxiDualBlocks, afxi_dual_blocks);
AFXI_BUILDS(const AfxiGradientKernel, afxi_gradient);

AfxiDualBlocks *afxi_dual_blocks(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_dual_blocks, lanes);
}

const AfxiGradientKernel *afxi_gradient_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_gradient, lanes);
}

void afxi_system_take(AfxiSystem *system, AfxiArena *arena, const AfxiGraph *graph) {
    size_t rows = graph->row_count, bodies = graph->body_count;
    size_t all = graph->plan.row_count > rows ? graph->plan.row_count : rows; /* high-degree bodies have more */
    system->graph = graph;
    system->rounding = AFXI_ROW_ROUNDING * fmin(1, graph->size);
    system->inverse = afxi_arena_take(arena, bodies, sizeof *system->inverse);
    system->start = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * bodies, sizeof(double));
    system->delta =
        afxi_arena_take(arena, AFXI_AFFINE_WIDTH * (bodies + graph->closed_form.ground_count), sizeof(double));
    system->value = afxi_arena_take(arena, rows, sizeof(double));
    system->compliance = afxi_arena_take(arena, rows, sizeof(double));
    system->active = afxi_arena_take(arena, rows + 7, sizeof *system->active); /* kernels load eight at a time */
    system->fixed = afxi_arena_take(arena, rows, sizeof(double));
    system->lambda = afxi_arena_take(arena, rows + 1, sizeof(double)); /* kernels load four at a time */
    system->residual = afxi_arena_take(arena, all, sizeof(double));
    system->scale = afxi_arena_take(arena, all, sizeof(double));
    system->jacobian = afxi_arena_take(arena, afxi_graph_gradients_stored(graph), sizeof(double));
    afxi_block_take(&system->factor, arena, &graph->plan);
    afxi_closed_form_take(system, arena);
    afxi_recursion_take(system, arena);
    afxi_fold_take(system, arena);
    afxi_cg_take(system, arena);
    afxi_gs_take(system, arena);
    afxi_hubs_take(system, arena);
}

/* Factors K with the right-hand side in `residual`; once more with eps when it shows redundant rows. */
static void factor(AfxiSystem *system, AfxiDualReport *out) {
    const AfxiBlockPlan *plan = &system->graph->plan;
    AfxiBlockReport report;
    double epsilon = *system->regularise ? AFXI_REGULARISATION : 0;
    afxi_block_factor(plan, &system->factor, system->scale, epsilon, system->residual, &report);
    if (!*system->regularise && !(report.pivot > AFXI_REDUNDANT_PIVOT)) {
        *system->regularise = 1;
        afxi_dual_assemble(system); /* factoring has overwritten it */
        afxi_block_factor(plan, &system->factor, system->scale, AFXI_REGULARISATION, system->residual, &report);
    }
    out->pivot = report.pivot;
    out->regularised = *system->regularise;
}

/* `keep`: the matrix is kept for conjugate gradients. */
static void solve_by_factor(AfxiSystem *system, bool consistent, bool keep, AfxiDualReport *out) {
    const AfxiGraph *graph = system->graph;
    afxi_dual_assemble(system);
    afxi_dual_find_scale(system);
    if (keep) {
        afxi_cg_keep(system);
    }
    afxi_dual_begin(system);
    double first = afxi_dual_residual(system, false), residual;
    factor(system, out);
    if (keep) {
        *system->older.valid = !out->regularised;
    }
    afxi_block_back(&graph->plan, &system->factor, system->residual);
    afxi_refine_add(system);
    afxi_dual_primal(system);
    residual = afxi_dual_residual(system, true);
    afxi_refine(system, consistent ? AFXI_REFINEMENTS_MOST : AFXI_REFINEMENTS_FIRST,
                afxi_refine_goal(system, out->regularised, first), residual, out);
    out->factored = true;
}

void afxi_dual_solve_again(AfxiSystem *system, AfxiDualReport *out) {
    afxi_dual_primal(system);
    double first = afxi_dual_residual(system, true);
    out->refinements = 0;
    afxi_refine(system, AFXI_REFINEMENTS_MOST, AFXI_RESIDUAL_AGAIN * first, first, out);
}

bool afxi_dual_can_meet(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    const bool iterates = graph->solver == AFX_SOLVER_CG || graph->solver == AFX_SOLVER_GS;
    return !iterates && !graph->hub_width && !system->recursion.whole && !*system->regularise && /* eps would be left */
           (!graph->recursion.on || system->recursion.solved);
}

void afxi_dual_meet(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t row = 0; row < graph->row_count; row++) {
        system->residual[row] *= system->scale[row];
    }
    for (uint32_t row = graph->row_count; row < graph->plan.row_count; row++) {
        system->residual[row] = 0;
    }
    if (graph->recursion.on) {
        afxi_recursion_correct(system);
    } else {
        afxi_block_solve(&graph->plan, &system->factor, system->residual);
    }
    afxi_refine_add(system);
    afxi_dual_primal(system);
}

/* From the leaves to the roots. The same elimination corrects what rounding, or eps, has left. */
static void solve_by_recursion(AfxiSystem *system, bool consistent, AfxiDualReport *out) {
    if (system->recursion.whole) {
        system->recursion.refused = !afxi_recursion_stage(system);
        system->recursion.refusals += system->recursion.refused;
        return;
    }
    double residual, first = afxi_recursion_solve(system, &residual);
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->scale[row] = system->active[row];
    }
    if (system->bodies.on && system->graph->closed_form.joint_count) {
        double closed_form = afxi_dual_closed_form(system);
        residual = closed_form > residual || isnan(closed_form) ? closed_form : residual;
    }
    out->regularised = *system->regularise;
    bool few = out->regularised && !consistent;
    afxi_refine(system, few ? AFXI_REFINEMENTS_FIRST : AFXI_REFINEMENTS_MOST,
                afxi_refine_goal(system, out->regularised, first), residual, out);
}

void afxi_dual_solve(AfxiSystem *system, bool consistent, AfxiDualReport *out) {
    AfxSolver solver = system->graph->solver;
    *out = (AfxiDualReport){.pivot = 1};
    if (solver == AFX_SOLVER_GS) {
        afxi_gs_solve(system, out);
    } else if (system->graph->recursion.on) {
        solve_by_recursion(system, consistent, out);
    } else if (solver != AFX_SOLVER_CG || !afxi_cg_solve(system, out)) {
        solve_by_factor(system, consistent, solver == AFX_SOLVER_CG, out);
    }
}

void afxi_dual_solve_apart(AfxiSystem *system, bool consistent, AfxiDualReport *out) {
    uint8_t redundant = 0, *kept = system->regularise;
    double rounding = system->rounding;
    *out = (AfxiDualReport){.pivot = 1};
    system->regularise = &redundant;
    system->rounding = 0;
    if (system->graph->recursion.on) {
        solve_by_recursion(system, consistent, out);
    } else {
        solve_by_factor(system, consistent, false, out);
    }
    system->regularise = kept;
    system->rounding = rounding;
    system->older.stale = true;
}

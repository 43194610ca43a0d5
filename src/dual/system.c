/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly, factorisation and refined solution of the dual system. */
#include "dual/inner.h"

#include <math.h>
#include <string.h>

#include "math/variant.h"

/* Added to the unit diagonal once rows have shown to be redundant: they disagree at the predicted frame, and a smaller
 * value would let their multipliers grow. */
#define REGULARISATION 1e-8
/* A smaller pivot of the matrix with unit diagonal is taken for a redundant row. */
#define REDUNDANT 1e-7
/* Rows that disagree must not be refined long: what they cannot agree on would pile up in their multipliers. */
#define REFINEMENTS_FEW 2
#define REFINEMENTS_MOST 8
/* What is left of the right-hand side when no refinement is needed: without eps, and with it. */
#define ENOUGH 1e-12
#define ROUNDING 1e-15
/* Of what a start that has changed a little leaves in the rows. */
#define AGAIN 1e-10

AFXI_BUILDS(AfxiDualBlocks, afxi_dual_blocks);

AfxiDualBlocks *afxi_dual_blocks(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_dual_blocks, lanes);
}

void afxi_system_take(AfxiSystem *system, AfxiArena *arena, const AfxiGraph *graph) {
    size_t rows = graph->row_count, bodies = graph->body_count;
    size_t all = graph->plan.row_count > rows ? graph->plan.row_count : rows; /* hubs have more */
    system->graph = graph;
    system->inverse = afxi_arena_take(arena, bodies, sizeof *system->inverse);
    system->start = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * bodies, sizeof(double));
    system->delta = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * (bodies + graph->closed.ground_count), sizeof(double));
    system->value = afxi_arena_take(arena, rows, sizeof(double));
    system->compliance = afxi_arena_take(arena, rows, sizeof(double));
    system->active = afxi_arena_take(arena, rows, sizeof *system->active);
    system->given = afxi_arena_take(arena, rows, sizeof(double));
    system->lambda = afxi_arena_take(arena, rows + 1, sizeof(double)); /* kernels load four at a time */
    system->residual = afxi_arena_take(arena, all, sizeof(double));
    system->scale = afxi_arena_take(arena, all, sizeof(double));
    system->jacobian = afxi_arena_take(arena, afxi_graph_gradients_kept(graph), sizeof(double));
    afxi_block_take(&system->factor, arena, &graph->plan);
    afxi_closed_take(system, arena);
    afxi_climb_take(system, arena);
    afxi_cg_take(system, arena);
    afxi_gs_take(system, arena);
}

double afxi_dual_dot(const double a[AFXI_AFFINE_WIDTH], const double b[AFXI_AFFINE_WIDTH]) {
    double sum = 0;
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

double afxi_dual_yield(const AfxiSystem *system, const AfxiGraphBlock *block, uint32_t r, const double *lambda) {
    double sum = system->compliance[block->first_row + r] * lambda[r];
    if (r >= block->plain && r < block->leading) {
        const double *cross = system->turn + (size_t)AFXI_TURN_RESULT * block->turn + AFXI_TURN_COMPLIANCE + 3;
        uint32_t axis = r - block->plain, next = (axis + 1) % 3, after = (axis + 2) % 3;
        sum += cross[axis + next - 1] * lambda[block->plain + next] +
               cross[axis + after - 1] * lambda[block->plain + after];
    }
    return sum;
}

uint32_t afxi_dual_entry_rows(const AfxiGraph *graph, const AfxiGraphEntry *entry) {
    return graph->block[entry->block].row_count;
}

/* ---- assembly ---- */

/* L with L L^T = [[a, o], [o, b]], which may be semidefinite. */
static void root2(double a, double b, double o, double out[3]) {
    out[0] = a > 0 ? sqrt(a) : 0;
    out[1] = out[0] > 0 ? o / out[0] : 0;
    double rest = b - out[1] * out[1];
    out[2] = rest > 0 ? sqrt(rest) : 0;
}

void afxi_dual_root_apply(const AfxiBlocks *x, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]) {
    static const int ik[3] = {3, 6, 7}, ki[3] = {1, 2, 5};
    const double *d = x->diagonal;
    double top[3], l20 = 0, l21 = 0, l22;
    root2(d[0], d[1], d[3], top);
    l20 = top[0] > 0 ? d[4] / top[0] : 0;
    l21 = top[2] > 0 ? (d[5] - l20 * top[1]) / top[2] : 0;
    l22 = d[2] - l20 * l20 - l21 * l21;
    l22 = l22 > 0 ? sqrt(l22) : 0;
    out[0] = top[0] * g[0] + top[1] * g[4] + l20 * g[8];
    out[4] = top[2] * g[4] + l21 * g[8];
    out[8] = l22 * g[8];
    for (int p = 0; p < 3; p++) {
        double l[3];
        root2(x->pair[p][0], x->pair[p][1], x->pair[p][2], l);
        out[ik[p]] = l[0] * g[ik[p]] + l[1] * g[ki[p]];
        out[ki[p]] = l[2] * g[ki[p]];
    }
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = sqrt(x->translation) * g[k];
    }
}

void afxi_system_apply(const AfxiSystem *system, uint32_t body, const double g[AFXI_AFFINE_WIDTH],
                       double out[AFXI_AFFINE_WIDTH]) {
    afxi_body_apply(&system->inverse[body], g, out);
    if (system->touches && system->touch_of[body] != UINT32_MAX) {
        afxi_touch_apply(system->touches, system->touch_of[body], g, out);
    }
}

/* What the contacts of a body take from the products of its rows: (Y J^T)^T (Y J^T). */
static void subtract_touch(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    uint32_t touch = system->touch_of[body], length = system->touches->body[touch].image_count, first = 0;
    uint32_t begin[AFXI_BODY_ROWS_MOST + 1], entries = graph->body_start[body + 1] - graph->body_start[body];
    double image[AFXI_BODY_ROWS_MOST][AFXI_TOUCH_ROWS_MOST], *value = system->factor.value;
    const uint32_t *list = graph->body_entry + graph->body_start[body];
    for (uint32_t a = 0; a < entries; a++) {
        const AfxiGraphEntry *entry = &graph->entry[list[a]];
        begin[a] = first;
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            afxi_touch_image(system->touches, touch, system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r,
                             image[first++]);
        }
    }
    begin[entries] = first;
    for (uint32_t a = 0; a < entries; a++) {
        for (uint32_t b = 0; b <= a; b++) {
            const AfxiBlockSpot *spot = &graph->spot[graph->pair_start[body] + (size_t)a * (a + 1) / 2 + b];
            for (uint32_t r = 0; r < begin[a + 1] - begin[a]; r++) {
                for (uint32_t c = 0; c < (a == b ? r + 1 : begin[b + 1] - begin[b]); c++) {
                    double sum = 0;
                    for (uint32_t k = 0; k < length; k++) {
                        sum += image[begin[a] + r][k] * image[begin[b] + c][k];
                    }
                    value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] -= sum;
                }
            }
        }
    }
}

static bool is_hub(const AfxiGraph *graph, uint32_t body) {
    for (uint32_t k = 0; k < graph->hub_count; k++) {
        if (graph->hub[k] == body) {
            return true;
        }
    }
    return false;
}

static void subtract_touches(AfxiSystem *system) {
    for (uint32_t body = 0; system->touches && body < system->graph->body_count; body++) {
        if (system->touch_of[body] != UINT32_MAX && !is_hub(system->graph, body)) {
            subtract_touch(system, body);
        }
    }
}

/* With contacts the block of a hub is -(I + L^T G^T k G L). */
static void add_hub_touches(AfxiSystem *system, uint32_t body, const AfxiBlockSpot *spot) {
    const AfxiTouchBody *own = &system->touches->body[system->touch_of[body]];
    for (uint32_t k = 0; k < own->row_count; k++) {
        double local[AFXI_AFFINE_WIDTH], image[AFXI_AFFINE_WIDTH];
        const AfxiTouchRow *row = &system->touches->row[own->first_row + k];
        afxi_touch_gradient(row, &system->frame[body], local);
        afxi_dual_root_apply(&system->inverse[body].blocks, local, image);
        for (uint32_t r = 0; r < AFXI_AFFINE_WIDTH; r++) {
            for (uint32_t c = 0; c <= r; c++) {
                system->factor.value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] -=
                    row->stiffness * image[r] * image[c];
            }
        }
    }
}

/* G L and -I of a hub. The split blocks are used: a hub's stiffness is always the bound. */
static void add_hub(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    const AfxiBlockSpot *spot = graph->spot + graph->pair_start[body];
    double *value = system->factor.value;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++, spot++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            double image[AFXI_AFFINE_WIDTH];
            afxi_dual_root_apply(&system->inverse[body].blocks,
                                 system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r, image);
            for (uint32_t c = 0; c < AFXI_AFFINE_WIDTH; c++) {
                value[spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step] += image[c];
            }
        }
    }
    for (uint32_t c = 0; c < AFXI_AFFINE_WIDTH; c++) {
        value[spot->at + c * ((size_t)spot->row_step + spot->column_step)] -= 1;
    }
    if (system->touches && system->touch_of[body] != UINT32_MAX) {
        add_hub_touches(system, body, spot);
    }
}

/* What couples the axes of a ball joint's spring: the places below the diagonal. */
static void add_cross(AfxiSystem *system, const AfxiGraphBlock *block, const AfxiBlockSpot *spot) {
    const double *cross = system->turn + (size_t)AFXI_TURN_RESULT * block->turn + AFXI_TURN_COMPLIANCE + 3;
    double *to = system->factor.value + spot->at + block->plain * ((size_t)spot->row_step + spot->column_step);
    to[spot->row_step] += cross[0];
    to[(size_t)2 * spot->row_step] += cross[1];
    to[(size_t)2 * spot->row_step + spot->column_step] += cross[2];
}

void afxi_dual_assemble(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    afxi_block_clear(&graph->plan, &system->factor);
    bool closed = system->bodies.on;
    if (closed) {
        afxi_closed_assemble(system);
    }
    for (uint32_t k = 0; k < graph->batch_count; k++) {
        if (closed && graph->batch[k].closed) {
            continue;
        }
        system->blocks(system, graph->alike + graph->batch[k].first, graph->batch[k].count);
    }
    subtract_touches(system);
    for (uint32_t k = 0; k < graph->hub_count; k++) {
        add_hub(system, graph->hub[k]);
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiBlockSpot *spot = &graph->diagonal[k];
        const double *compliance = system->compliance + graph->block[k].first_row;
        for (uint32_t r = 0; r < graph->block[k].row_count; r++) {
            if (compliance[r] != 0) {
                system->factor.value[spot->at + r * ((size_t)spot->row_step + spot->column_step)] += compliance[r];
            }
        }
        if (graph->block[k].leading > graph->block[k].plain) {
            add_cross(system, &graph->block[k], spot);
        }
    }
}

/* What hubs put on the diagonal of K, which stands there only after they are eliminated. */
static void add_hub_diagonal(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            const double *g = system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r;
            double image[AFXI_AFFINE_WIDTH];
            afxi_system_apply(system, body, g, image);
            system->scale[graph->block[entry->block].first_row + r] += afxi_dual_dot(g, image);
        }
    }
}

/* To unit diagonal; rows that are switched off become rows of the identity. */
static void find_scale(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    afxi_block_diagonal(&graph->plan, &system->factor, system->scale);
    for (uint32_t k = 0; k < graph->hub_count; k++) {
        add_hub_diagonal(system, graph->hub[k]);
    }
    uint32_t first = 0;
    if (system->bodies.on) {
        system->closed_joints->scale(system->active, graph->row_count, system->scale);
        first = graph->row_count;
    }
    for (uint32_t row = first; row < graph->plan.row_count; row++) {
        bool active = row >= graph->row_count || system->active[row];
        double pivot = fabs(system->scale[row]);
        system->scale[row] = active && pivot > 0 ? 1 / sqrt(pivot) : 0;
    }
}

/* ---- solution ---- */

/* The result of a body that is not closed, for the rows that it shares with closed ones. */
static void place_body(const AfxiSystem *system, uint32_t body) {
    const double *delta = system->delta + AFXI_AFFINE_WIDTH * (size_t)body, *r = system->bodies.frame[body].m;
    double *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)body;
    for (int e = 0; e < 9; e++) {
        const double *column = delta + e / 3 * 3;
        next[e] = r[e] + (r[e % 3] * column[0] + r[3 + e % 3] * column[1] + r[6 + e % 3] * column[2]);
    }
    vec3_store(next + 9, vec3_add(system->bodies.origin[body], vec3_load(delta + 9)));
}

void afxi_dual_primal_body(const AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    const double *start = system->start + AFXI_AFFINE_WIDTH * (size_t)body;
    double force[AFXI_AFFINE_WIDTH] = {0}, moved[AFXI_AFFINE_WIDTH],
           *delta = system->delta + AFXI_AFFINE_WIDTH * (size_t)body;
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        const double *lambda = system->lambda + graph->block[entry->block].first_row;
        const double *g = system->jacobian + entry->jacobian;
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++, g += 12) {
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                force[k] += g[k] * lambda[r];
            }
        }
    }
    afxi_system_apply(system, body, force, moved);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        delta[k] = start[k] - moved[k];
    }
    if (system->bodies.on) {
        place_body(system, body);
    }
}

void afxi_dual_primal(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    bool closed = system->bodies.on;
    if (closed) {
        afxi_closed_primal(system);
        if (graph->climb.on) {
            afxi_hub_primal(system, &system->bodies.tally);
        }
    }
    for (uint32_t k = 0; k < (closed ? graph->closed.open_body_count : graph->body_count); k++) {
        afxi_dual_primal_body(system, closed ? graph->closed.open_body[k] : k);
    }
}

/* `gaps`: also how far closed joints are off in the result. */
static double residual_of(AfxiSystem *system, bool gaps) {
    const AfxiGraph *graph = system->graph;
    bool closed = system->bodies.on;
    double largest = closed ? afxi_closed_residual(system, gaps) : 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        if (closed && block->closed) {
            continue;
        }
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t row = block->first_row + r;
            double sum = system->value[row] - afxi_dual_yield(system, block, r, system->lambda + block->first_row);
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                const AfxiGraphEntry *entry = &graph->entry[e];
                sum += afxi_dual_dot(system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * r,
                                     system->delta + AFXI_AFFINE_WIDTH * (size_t)entry->dof.index);
            }
            system->residual[row] = sum * system->scale[row];
            double size = fabs(system->residual[row]);
            largest = size > largest || isnan(size) ? size : largest;
        }
    }
    for (uint32_t row = graph->row_count; row < graph->plan.row_count; row++) {
        system->residual[row] = 0;
    }
    return largest;
}

double afxi_dual_residual(AfxiSystem *system) {
    return residual_of(system, false);
}

/* lambda += S times the solution that `residual` holds */
static void correct(AfxiSystem *system) {
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] += system->scale[row] * system->residual[row];
    }
}

/* Factors K with the right-hand side in `residual`; once more with eps when it shows redundant rows. */
static void factor(AfxiSystem *system, AfxiDualReport *out) {
    const AfxiBlockPlan *plan = &system->graph->plan;
    AfxiBlockReport report;
    double epsilon = *system->regularise ? REGULARISATION : 0;
    afxi_block_factor(plan, &system->factor, system->scale, epsilon, system->residual, &report);
    if (!*system->regularise && !(report.pivot > REDUNDANT)) {
        *system->regularise = 1;
        afxi_dual_assemble(system); /* factoring has overwritten it */
        afxi_block_factor(plan, &system->factor, system->scale, REGULARISATION, system->residual, &report);
    }
    out->pivot = report.pivot;
    out->regularised = *system->regularise;
}

bool afxi_dual_load_given(AfxiSystem *system) {
    bool loaded = false;
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] = system->active[row] ? 0 : system->given[row];
        loaded |= system->lambda[row] != 0;
    }
    if (loaded) {
        afxi_dual_primal(system);
    }
    return loaded;
}

void afxi_dual_begin(AfxiSystem *system) {
    if (!afxi_dual_load_given(system)) {
        memcpy(system->delta, system->start, AFXI_AFFINE_WIDTH * (size_t)system->graph->body_count * sizeof(double));
    }
}

/* Substitutes until the residual, which is `residual` now, is small enough or stays. */
static void refine(AfxiSystem *system, uint32_t most, double enough, double residual, AfxiDualReport *out) {
    bool stalled = false;
    while (out->refinements < most && !stalled && !(residual <= enough)) {
        afxi_block_solve(&system->graph->plan, &system->factor, system->residual);
        correct(system);
        afxi_dual_primal(system);
        double next = residual_of(system, true);
        stalled = !(next < 0.9 * residual);
        out->refinements++;
        residual = next;
    }
    out->residual = residual;
}

/* `keep`: the matrix is kept for conjugate gradients. */
static void solve_by_factor(AfxiSystem *system, bool consistent, bool keep, AfxiDualReport *out) {
    const AfxiGraph *graph = system->graph;
    afxi_dual_assemble(system);
    find_scale(system);
    if (keep) {
        afxi_cg_keep(system);
    }
    afxi_dual_begin(system);
    double first = afxi_dual_residual(system), residual;
    factor(system, out);
    if (keep) {
        *system->kept.valid = !out->regularised;
    }
    afxi_block_back(&graph->plan, &system->factor, system->residual);
    correct(system);
    afxi_dual_primal(system);
    residual = residual_of(system, true);
    double enough = out->regularised ? ROUNDING : ENOUGH;
    refine(system, consistent ? REFINEMENTS_MOST : REFINEMENTS_FEW, enough * first, residual, out);
    out->factored = true;
}

void afxi_dual_solve_again(AfxiSystem *system, AfxiDualReport *out) {
    afxi_dual_primal(system);
    double first = residual_of(system, true);
    out->refinements = 0;
    refine(system, REFINEMENTS_MOST, AGAIN * first, first, out);
}

/* From the leaves to the roots. The same elimination corrects what rounding has left. */
static void solve_by_climb(AfxiSystem *system, AfxiDualReport *out) {
    if (system->climb.whole) {
        system->climb.refused = !afxi_climb_stage(system);
        system->climb.refusals += system->climb.refused;
        return;
    }
    double first = afxi_climb_solve(system), residual;
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->scale[row] = system->active[row];
    }
    afxi_dual_primal(system);
    residual = residual_of(system, true);
    while (out->refinements < REFINEMENTS_MOST && !(residual <= ENOUGH * first)) {
        afxi_climb_correct(system);
        afxi_dual_primal(system);
        double next = residual_of(system, true);
        bool stalled = !(next < 0.9 * residual);
        out->refinements++;
        residual = next;
        if (stalled) {
            break;
        }
    }
    out->residual = residual;
}

void afxi_dual_solve(AfxiSystem *system, bool consistent, AfxiDualReport *out) {
    AfxSolver solver = system->graph->solver;
    *out = (AfxiDualReport){.pivot = 1};
    if (solver == AFX_SOLVER_GS) {
        afxi_gs_solve(system, out);
    } else if (system->graph->climb.on) {
        solve_by_climb(system, out);
    } else if (solver != AFX_SOLVER_CG || !afxi_cg_solve(system, out)) {
        solve_by_factor(system, consistent, solver == AFX_SOLVER_CG, out);
    }
}

void afxi_dual_solve_apart(AfxiSystem *system, bool consistent, AfxiDualReport *out) {
    uint8_t redundant = 0, *kept = system->regularise;
    *out = (AfxiDualReport){.pivot = 1};
    if (system->graph->climb.on) {
        solve_by_climb(system, out);
        return;
    }
    system->regularise = &redundant;
    solve_by_factor(system, consistent, false, out);
    system->regularise = kept;
    system->kept.stale = true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies from multipliers, and what the rows then lack. */
#include "dual/primal.h"

#include <math.h>
#include <string.h>

#include "dual/apply.h"
#include "dual/closed_form.h"
#include "dual/recursion_high_degree.h"

/* Bodies in closed form. */
static void move_closed_form(AfxiSystem *system) {
    afxi_closed_form_primal(system);
    if (system->graph->recursion.on) {
        afxi_high_degree_primal(system, &system->bodies.tally);
    }
}

/* Gradients of a joint's point on one body. */
static void store_point(const AfxiSystem *system, const AfxiGeneralJoint *joint, uint32_t lane, uint32_t body) {
    const double *r = system->frame[body].m;
    double *g = system->jacobian + joint->jacobian[lane];
    for (int i = 0; i < 3; i++, g += AFXI_AFFINE_WIDTH) {
        for (int k = 0; k < 9; k++) {
            g[k] = r[3 * (k % 3) + i] * joint->point[k / 3][lane];
        }
        for (int k = 0; k < 3; k++) {
            g[9 + k] = k == i ? joint->sign[lane] : 0;
        }
    }
}

void afxi_dual_store_points(const AfxiSystem *system) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    if (!system->points_out || !*system->points_out) {
        return;
    }
    for (uint32_t k = 0; k < recursion->job_count; k++) {
        const AfxiRecursionJob *job = &recursion->job[k];
        const AfxiGeneralJoint *joint = recursion->general + job->first_general;
        bool general = !job->rows && !job->high_degree;
        for (uint32_t e = 0; general && e < job->children + job->rooted; e++) {
            for (uint32_t l = 0; joint[e].points && l < job->lanes; l++) {
                store_point(system, &joint[e], l, job->body[l]);
            }
        }
    }
    *system->points_out = false;
}

double afxi_dual_closed_form(AfxiSystem *system) {
    move_closed_form(system);
    return afxi_closed_form_residual(system, true);
}

void afxi_dual_primal(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    bool closed_form = system->bodies.on;
    afxi_dual_store_points(system);
    if (closed_form) {
        move_closed_form(system);
    }
    for (uint32_t k = 0; k < (closed_form ? graph->closed_form.general_body_count : graph->body_count); k++) {
        afxi_dual_primal_body(system, closed_form ? graph->closed_form.general_body[k] : k);
    }
}

/* What the rows of a block lack, scaled for the plan where it has them; the largest so far comes back. */
static double put_residuals(AfxiSystem *system, const AfxiGraphBlock *block, double largest) {
    uint32_t planned = afxi_graph_planned_rows(system->graph);
    bool contact = block->first_row >= planned;
    double *residual =
        contact ? system->hubs.residual + (block->first_row - planned) : system->residual + block->first_row;
    const double *scale =
        contact ? system->hubs.scale + (block->first_row - planned) : system->scale + block->first_row;
    system->gradients->lack(system, block, residual);
    for (uint32_t r = 0; r < block->row_count; r++) {
        double scaled = residual[r] * scale[r], size = fabs(scaled);
        residual[r] = contact ? residual[r] : scaled;
        largest = size > largest || isnan(size) ? size : largest;
    }
    return largest;
}

double afxi_dual_residual(AfxiSystem *system, bool gaps) {
    const AfxiGraph *graph = system->graph;
    bool closed_form = system->bodies.on;
    afxi_dual_store_points(system);
    double largest = closed_form ? afxi_closed_form_residual(system, gaps) : 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        if (closed_form && block->closed_form) {
            continue;
        }
        largest = put_residuals(system, block, largest);
    }
    for (uint32_t row = afxi_graph_planned_rows(graph); row < graph->plan.row_count; row++) {
        system->residual[row] = 0;
    }
    if (graph->hub_width) {
        afxi_hubs_load(system);
    }
    return largest;
}

bool afxi_dual_load_fixed(AfxiSystem *system) {
    bool loaded = false;
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] = system->active[row] ? 0 : system->fixed[row];
        loaded |= system->lambda[row] != 0;
    }
    if (loaded) {
        afxi_dual_primal(system);
    }
    return loaded;
}

void afxi_dual_begin(AfxiSystem *system) {
    if (!afxi_dual_load_fixed(system)) {
        memcpy(system->delta, system->start, AFXI_AFFINE_WIDTH * (size_t)system->graph->body_count * sizeof(double));
    }
}

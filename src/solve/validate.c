/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/validate.h"

#include <math.h>

#include "base/assert.h"
#include "model/validate.h"
#include "solve/partition.h"

/* Axes of a point come from cross products of unit vectors. */
#define SQUARE 1e-6

/* ---- who solves what ---- */

static void validate_islands(const AfxiSolver *solver, uint32_t taken) {
    uint32_t listed = 0;
    for (uint32_t k = 0; k < solver->island_count; k++) {
        const AfxiGraph *graph = solver->island[k]->lot->rows.graph;
        afxi_graph_validate(graph);
        for (uint32_t b = 0; b < graph->body_count; b++) {
            AFXI_ASSERT(solver->taken[graph->body[b]] == k && solver->place[graph->body[b]] == b);
        }
        listed += graph->body_count;
    }
    AFXI_ASSERT(listed == taken);
}

static void validate_bodies(const AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    uint32_t taken = 0;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k], root = model->root[body];
        bool leaves = afxi_partition_leaves(solver, root), own = solver->taken && solver->taken[body] != UINT32_MAX;
        AFXI_ASSERT(leaves == own);
        AFXI_ASSERT(!own || !solver->absent[body]);
        AFXI_ASSERT(!own || solver->taken[body] == solver->taken[root]);
        AFXI_ASSERT(solver->absent[body] == solver->absent[root]);
        taken += own;
    }
    for (uint32_t k = 0; k < solver->leaving_count; k++) {
        uint32_t root = solver->leaving[k];
        AFXI_ASSERT(model->root[root] == root && solver->parent[root] != UINT32_MAX);
        AFXI_ASSERT(solver->parent[root] <= root);
    }
    validate_islands(solver, taken);
}

/* ---- contacts ---- */

static void validate_rows(const AfxiContactSet *set, const AfxiRun *run, const AfxiPoint *point) {
    if (point->pair) {
        const AfxiGraph *graph = run->lot->rows.graph;
        AFXI_ASSERT(point->row >= graph->joint_rows && point->row + point->row_count <= graph->row_count);
    } else {
        AFXI_ASSERT(point->row + point->row_count <= set->woodbury.row_count);
    }
}

/* Islands of lots that have left them, or are absent, keep what they had. */
static uint32_t validate_points(const AfxiSolver *solver, const AfxiRun *run, bool lot) {
    const AfxiContactSet *set = solver->set;
    uint32_t points = 0;
    for (uint32_t p = 0; p < run->count; p++) {
        const AfxiActiveSet *active = &run->island[p].active;
        uint32_t body = run->island[p].body;
        if (lot && (afxi_partition_leaves(solver, solver->world->model->root[body]) || solver->absent[body])) {
            continue;
        }
        for (uint32_t k = 0; k < active->count; k++) {
            AFXI_ASSERT(active->point[k] < set->now.count && (k == 0 || active->point[k - 1] < active->point[k]));
            const AfxiPoint *point = &set->now.point[active->point[k]];
            AFXI_ASSERT(afxi_partition_run(solver, point->body_a) == run);
            AFXI_ASSERT(!point->pair || afxi_partition_run(solver, point->body_b) == run);
            validate_rows(set, run, point);
        }
        points += active->count;
    }
    return points;
}

void afxi_partition_validate(const AfxiSolver *solver) {
    const AfxModel *model = solver->world->model;
    uint32_t dealt = 0, wanted = 0;
    validate_bodies(solver);
    if (!solver->set) {
        return;
    }
    for (uint32_t k = 0; k <= model->graph_count; k++) {
        dealt += validate_points(solver, &solver->run[k], true);
    }
    for (uint32_t k = 0; k < solver->island_count; k++) {
        dealt += validate_points(solver, solver->island[k], false);
    }
    for (uint32_t k = 0; k < solver->set->now.count; k++) {
        wanted += afxi_partition_run(solver, solver->set->now.point[k].body_a) != NULL;
    }
    AFXI_ASSERT(dealt == wanted);
}

void afxi_activeset_validate(const AfxiContactSet *set, const AfxiActiveSet *active) {
    for (uint32_t k = 0; k < active->count; k++) {
        const AfxiPoint *point = &set->now.point[active->point[k]];
        const AfxiPointMemory *memory = &point->memory;
        if (!point->row_count) {
            continue;
        }
        AFXI_ASSERT(point->stiffness > 0 && isfinite(point->stiffness));
        AFXI_ASSERT(isfinite(point->force) && isfinite(point->gap));
        AFXI_ASSERT(memory->limit >= 0 && memory->limit_roll >= 0 && memory->limit_spin >= 0);
        AFXI_ASSERT(memory->slip >= 0 && memory->roll >= 0 && memory->spin >= 0);
        for (int i = 0; i < 3; i++) {
            AfxVec3 one = vec3_load(point->axis + (size_t)3 * i),
                    next = vec3_load(point->axis + (size_t)3 * ((i + 1) % 3));
            AFXI_ASSERT(fabs(vec3_dot(one, one) - 1) < SQUARE && fabs(vec3_dot(one, next)) < SQUARE);
        }
    }
}

void afxi_run_validate(const AfxiRun *run) {
    const AfxiIsland *island = &run->island[0];
    AFXI_ASSERT(run->done && island->verdict != AFXI_SAME_FRAMES && island->verdict != AFXI_NEW_FRAMES);
    AFXI_ASSERT(island->solves > 0);
    if (island->verdict != AFXI_ACCEPT) {
        return;
    }
    double sum = 0;
    for (size_t k = 0; k < 12 * (size_t)run->lot->rows.graph->body_count; k++) {
        sum += 0 * run->lot->rows.next[k];
    }
    AFXI_ASSERT(sum == 0 && run->tally[0].finite);
    afxi_activeset_validate(run->set, &island->active);
}

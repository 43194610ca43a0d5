/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a sim for queries: made when first asked for, anew when joints were switched. */
#include <math.h>
#include <string.h>

#include "affix/dynamics.h"
#include "base/memory.h"
#include "reduced/flywheel.h"
#include "reduced/held.h"
#include "reduced/make.h"
#include "reduced/measure.h"
#include "reduced/spatial.h"
#include "step/dynamics_query.h"

static void release_block(const AfxAllocator *allocator, void *raw, size_t size) {
    if (raw) {
        afxi_release(allocator, raw, size);
    }
}

static void release(const AfxAllocator *allocator, AfxiDynamics *kept) {
    release_block(allocator, kept->raw, kept->raw_size);
    release_block(allocator, kept->dense_raw, kept->dense_size);
    release_block(allocator, kept->rows_raw, kept->rows_size);
    release_block(allocator, kept->search_raw, kept->search_size);
    afxi_tree_work_destroy(&kept->work);
    afxi_tree_destroy(&kept->tree);
    afxi_release(allocator, kept, sizeof *kept);
}

void afxi_dynamics_destroy(AfxSim *sim) {
    if (sim->dynamics) {
        release(&sim->def.allocator, sim->dynamics);
        sim->dynamics = NULL;
    }
}

/* ---- memory ---- */

typedef void (*Layout)(AfxiDynamics *kept, AfxiArena *arena);

static AfxStatus take(const AfxAllocator *allocator, AfxiDynamics *kept, Layout layout, void **raw, size_t *size) {
    AfxiArena arena = {0};
    layout(kept, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(allocator, arena.used + AFXI_ALIGNMENT, raw, size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(kept, &arena);
    return AFX_OK;
}

static void layout_vectors(AfxiDynamics *kept, AfxiArena *arena) {
    kept->q = afxi_arena_take(arena, kept->tree.coordinate_count, sizeof *kept->q);
    kept->u = afxi_arena_take(arena, kept->tree.dof_count, sizeof *kept->u);
    kept->x = afxi_arena_take(arena, kept->tree.dof_count, sizeof *kept->x);
    kept->y = afxi_arena_take(arena, kept->tree.dof_count, sizeof *kept->y);
    kept->six = afxi_arena_take(arena, 6 * (size_t)kept->tree.dof_count, sizeof *kept->six);
    afxi_dofs_layout(&kept->dofs, &kept->tree, arena);
}

static void layout_dense(AfxiDynamics *kept, AfxiArena *arena) {
    size_t n = kept->tree.dof_count;
    kept->mass = afxi_arena_take(arena, n * n, sizeof *kept->mass);
}

static void layout_rows(AfxiDynamics *kept, AfxiArena *arena) {
    AfxiReduced *rows = &kept->rows;
    size_t n = kept->tree.dof_count, m = rows->exact_count;
    rows->exact = afxi_arena_take(arena, m, sizeof *rows->exact);
    rows->active = afxi_arena_take(arena, m, sizeof *rows->active);
    rows->compliance = afxi_arena_take(arena, m, sizeof(double));
    rows->measure = afxi_arena_take(arena, m, sizeof *rows->measure);
    rows->gradient = afxi_arena_take(arena, m * n, sizeof(double));
    rows->rows.row = afxi_arena_take(arena, n + 1, sizeof *rows->rows.row);
    rows->rows.above = afxi_arena_take(arena, rows->rows.size, sizeof *rows->rows.above);
    rows->rows.run = afxi_arena_take(arena, kept->tree.dof_count, sizeof *rows->rows.run);
    rows->mass = afxi_arena_take(arena, rows->rows.size, sizeof(double));
    rows->half = afxi_arena_take(arena, m * n, sizeof(double));
    rows->schur = afxi_arena_take(arena, m * m, sizeof(double));
    double **by_row[] = {&rows->side, &rows->lambda, &rows->rest};
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) {
        *by_row[k] = afxi_arena_take(arena, m, sizeof(double));
    }
    rows->row = afxi_arena_take(arena, n, sizeof(double));
    rows->du = afxi_arena_take(arena, n, sizeof(double));
    rows->stage_q = afxi_arena_take(arena, kept->tree.coordinate_count, sizeof(double));
}

/* ---- making ---- */

static AfxStatus fill(AfxSim *sim, AfxiDynamics *kept) {
    const AfxAllocator *allocator = &sim->def.allocator;
    AfxStatus status = afxi_tree_create(sim->model, sim->world.state.joint_active, allocator, &kept->tree);
    status = status ? status : afxi_tree_work_create(&kept->tree, &kept->work);
    status = status ? status : take(allocator, kept, layout_vectors, &kept->raw, &kept->raw_size);
    if (status == AFX_OK) {
        afxi_dofs_make(&kept->dofs, &kept->tree);
        kept->joints_version = sim->world.joints_version;
    }
    return status;
}

AfxStatus afxi_dynamics_trees(AfxSim *sim, AfxiDynamics **out) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    if (sim->dynamics && sim->dynamics->joints_version != sim->world.joints_version) {
        afxi_dynamics_destroy(sim);
    }
    if (!sim->dynamics) {
        AfxiDynamics *kept = afxi_allocate(&sim->def.allocator, sizeof *kept);
        if (!kept) {
            return AFX_E_MEMORY;
        }
        AfxStatus status = fill(sim, kept);
        if (status != AFX_OK) {
            release(&sim->def.allocator, kept);
            return status;
        }
        sim->dynamics = kept;
    }
    *out = sim->dynamics;
    return AFX_OK;
}

AfxStatus afxi_dynamics_now(AfxSim *sim, AfxiDynamics **out) {
    AfxStatus status = afxi_dynamics_trees(sim, out);
    if (status != AFX_OK) {
        return status;
    }
    AfxiDynamics *kept = *out;
    const AfxiState *state = &sim->world.state;
    if (afxi_flywheels_unfit(&kept->tree, sim->world.params) != AFXI_TREE_NONE) {
        return AFX_E_INPUT;
    }
    afxi_tree_numbers(&kept->tree, sim->world.params);
    afxi_tree_near(&kept->tree, state->angle, kept->x);
    afxi_tree_from_raw(&kept->tree, state->q, state->v, kept->x, kept->q, kept->u);
    afxi_tree_set_moved(&kept->work, state->q, state->v);
    afxi_tree_pose(&kept->work, kept->q);
    afxi_tree_velocity(&kept->work, kept->u);
    afxi_tree_inertia(&kept->work);
    return afxi_dofs_update(&kept->dofs, sim, &kept->tree, kept->u);
}

AfxStatus afxi_dynamics_dense(AfxSim *sim, AfxiDynamics **out) {
    AfxStatus status = afxi_dynamics_now(sim, out);
    if (status != AFX_OK || (*out)->mass) {
        return status;
    }
    AfxiDynamics *kept = *out;
    return kept->tree.dof_count > AFX_DOFS_MOST
               ? AFX_E_LIMIT
               : take(&sim->def.allocator, kept, layout_dense, &kept->dense_raw, &kept->dense_size);
}

AfxStatus afxi_dynamics_rows(AfxSim *sim, AfxiDynamics **out) {
    AfxStatus status = afxi_dynamics_dense(sim, out);
    if (status != AFX_OK) {
        return status;
    }
    AfxiDynamics *kept = *out;
    AfxiReduced *rows = &kept->rows;
    const uint8_t *active = sim->world.state.joint_active;
    rows->world = &sim->world;
    rows->model = sim->model;
    rows->tree = kept->tree;
    rows->work = kept->work;
    if (!kept->rows_raw) {
        rows->exact = NULL;
        rows->rows.size = (uint32_t)afxi_tree_rows_size(&kept->tree);
        afxi_reduced_list_closing(rows, active);
        status = take(&sim->def.allocator, kept, layout_rows, &kept->rows_raw, &kept->rows_size);
        if (status != AFX_OK) {
            return status;
        }
        afxi_reduced_list_closing(rows, active);
        afxi_tree_rows_set(&kept->tree, &rows->rows);
        rows->rows_now = &rows->rows;
        rows->mass_now = rows->mass;
        rows->part_share = 1;
    }
    afxi_reduced_list_exact(rows);
    afxi_reduced_measure_active(rows, kept->q, kept->u);
    return AFX_OK;
}

/* ---- what queries share ---- */

bool afxi_dynamics_finite(const double *x, size_t n) {
    bool finite = true;
    for (size_t k = 0; k < n; k++) {
        finite = finite && isfinite(x[k]);
    }
    return finite;
}

/* Adds a row of a Jacobian: what a force (or torque) of size `scale` along a world axis gives along each velocity. */
static void add_row(const AfxiTreeWork *work, uint32_t node, AfxVec3 arm, int axis, bool angular, double scale,
                    double *out) {
    AfxVec3 unit = vec3_scale(scale, vec3(axis == 0, axis == 1, axis == 2)), none = {0, 0, 0};
    AfxiSpatial wrench = angular ? spatial(unit, none) : spatial(vec3_cross(arm, unit), unit);
    afxi_tree_add_wrench(work, node, &wrench, out);
}

/* A flywheel moves with one coordinate alone; other bodies out of the tree stand still. */
static void add_flywheel(const AfxiDynamics *kept, uint32_t body, AfxVec3 point, double scale, double *linear,
                         double *angular) {
    size_t n = kept->tree.dof_count;
    for (uint32_t k = 0; k < kept->tree.flywheel_count; k++) {
        const AfxiFlywheel *wheel = &kept->tree.flywheel[k];
        if (wheel->body != body) {
            continue;
        }
        AfxVec3 columns[2];
        afxi_flywheel_columns(&kept->work, wheel, kept->q, point, &columns[0], &columns[1]);
        double *out[2] = {linear, angular};
        for (int part = 0; part < 2; part++) {
            const double c[3] = {columns[part].x, columns[part].y, columns[part].z};
            for (size_t axis = 0; out[part] && axis < 3; axis++) {
                out[part][axis * n + wheel->dof] += scale * c[axis];
            }
        }
    }
}

void afxi_dynamics_add_point(const AfxSim *sim, const AfxiDynamics *kept, uint32_t body, AfxVec3 point, double scale,
                             double *linear, double *angular) {
    uint32_t place = kept->tree.place[body];
    if (place == AFXI_TREE_NONE) {
        add_flywheel(kept, body, point, scale, linear, angular);
        return;
    }
    uint32_t node = kept->tree.carried[place].node;
    if (node == AFXI_TREE_NONE) {
        return;
    }
    const AfxiFrame *frame = afxi_model_frame(sim->model, body);
    AfxVec3 local = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center)), t;
    AfxiMat3 r;
    afxi_tree_body(&kept->work, place, &r, &t);
    AfxVec3 arm = vec3_sub(vec3_add(t, mat3_apply(&r, local)), kept->work.reference[kept->tree.node[node].first]);
    double *out[2] = {linear, angular};
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; out[k] && axis < 3; axis++) {
            add_row(&kept->work, node, arm, axis, k == 1, scale, out[k] + (size_t)axis * kept->tree.dof_count);
        }
    }
}

void afxi_dynamics_tell_rows(const AfxiDynamics *kept, const double *rows, size_t count, double *out) {
    for (size_t k = 0; k < count; k++) {
        afxi_dofs_force_out(&kept->dofs, rows + k * kept->tree.dof_count, out + k * kept->dofs.count);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of carried.h: factor * coordinate + factor of the rail * (way of the block along it) - constant. */
#include "constraint/carried.h"

#include <string.h>

#include "model/model.h"

bool afxi_carried_rotor(const AfxiRows *rows, const AfxiGraphBlock *block, uint32_t entry) {
    const AfxiGraph *graph = rows->graph;
    return block->flywheel && graph->entry[entry].dof.index == block->carried &&
           graph->body[block->carried] >= rows->world->model->shown.bodies;
}

/* The terms of a coupling that carries a rotor. */
typedef struct Carried {
    const double *numbers;       /* of the coupling */
    const AfxiJointFrame *frame; /* of the rail */
    uint32_t joint, rail;        /* terms */
} Carried;

static bool find(const AfxiRows *rows, const AfxiGraphBlock *block, Carried *out) {
    const AfxModel *model = rows->world->model;
    if (!block->flywheel || rows->graph->body[block->carried] < model->shown.bodies) {
        return false;
    }
    const AfxiCoupling *coupling = &model->couplings[block->index];
    const uint32_t rotor = rows->graph->body[block->carried] - model->shown.bodies + model->shown.joints;
    out->rail = coupling->joint[0] == rotor ? 0 : 1;
    out->joint = 1 - out->rail;
    out->numbers = afxi_world_param(rows->world, AFX_PARAM_COUPLING, block->index);
    out->frame = afxi_world_joint_frame(rows->world, rotor);
    const AfxVec3 *point = &out->frame->point_a; /* its centre of mass: turning it moves nothing */
    return model->joints[rotor].base == AFXI_WORLD && point->x == 0 && point->y == 0 && point->z == 0;
}

/* How far the block is along its rail where its origin is at t. */
static double way_of(const Carried *carried, const double *t) {
    return vec3_dot(mat3_column(&carried->frame->axes_b, 0), vec3_sub(vec3_load(t), carried->frame->point_b));
}

/* Drives on angles of balls have gradients of their own where they hold. */
static bool is_odd(const AfxiRows *rows, const AfxiGraphBlock *carrier) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)rows->world->model->joints[carrier->index].kind);
    return afxi_axis_places(kind) > kind->axis_count;
}

/* The gradient of the drive's row on the body of an entry. */
static const double *driven_gradient(const AfxiRows *rows, uint32_t row, uint32_t body) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        if (graph->entry[e].dof.index == body) {
            return rows->jacobian + graph->entry[e].jacobian + (size_t)AFXI_AFFINE_WIDTH * (row - block->first_row);
        }
    }
    return NULL;
}

static void put_gradients(const AfxiRows *rows, const AfxiGraphBlock *block, const Carried *carried) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        double *restrict to = rows->jacobian + graph->entry[e].jacobian, factor = carried->numbers[carried->joint];
        const double *restrict g = driven_gradient(rows, block->carrier, graph->entry[e].dof.index);
        if (g) {
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                to[k] = factor * g[k];
            }
            continue;
        }
        memset(to, 0, 9 * sizeof *to);
        vec3_store(to + 9, vec3_scale(carried->numbers[carried->rail], mat3_column(&carried->frame->axes_b, 0)));
    }
}

bool afxi_carried_linearise(const AfxiRows *rows, const AfxiGraphBlock *block) {
    Carried carried;
    if (!find(rows, block, &carried) || is_odd(rows, &rows->graph->block[rows->graph->row[block->carrier].block])) {
        return false;
    }
    const uint32_t row = block->first_row;
    put_gradients(rows, block, &carried);
    rows->rate[row] = rows->shift[row] = rows->base_acceleration[row] = 0;
    rows->measured[row] = carried.numbers[carried.joint] * rows->measured[block->carrier] +
                          carried.numbers[carried.rail] * way_of(&carried, &rows->origin[block->carried].x) -
                          carried.numbers[AFX_COUPLING_TERMS];
    rows->value[row] = rows->measured[row];
    rows->compliance[row] = carried.numbers[AFX_COUPLING_TERMS + 1];
    rows->active[row] = 1;
    rows->fixed[row] = 0;
    return true;
}

bool afxi_carried_result(const AfxiRows *rows, const AfxiGraphBlock *block, double *out) {
    const AfxiGraph *graph = rows->graph;
    const AfxiDrive *drives = rows->world->model->drives;
    Carried carried;
    if (!find(rows, block, &carried)) {
        return false;
    }
    const AfxiGraphBlock *carrier = &graph->block[graph->row[block->carrier].block];
    const AfxiDrive *lead = &drives[graph->row[block->carrier].index];
    for (uint32_t row = block->carrier; row < carrier->first_row + carrier->row_count && !is_odd(rows, carrier);
         row++) {
        const AfxiDrive *drive = &drives[graph->row[row].index];
        if (graph->row[row].source == AFXI_SOURCE_DRIVE && drive->axis == lead->axis &&
            (drive->kind == AFX_DRIVE_LIMIT || drive->kind == AFX_DRIVE_POSITION ||
             drive->kind == AFX_DRIVE_VELOCITY)) {
            *out = carried.numbers[carried.joint] * rows->result[row] +
                   carried.numbers[carried.rail] *
                       way_of(&carried, rows->next + (size_t)AFXI_AFFINE_WIDTH * block->carried + 9) -
                   carried.numbers[AFX_COUPLING_TERMS];
            return true;
        }
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which couplings drive a flywheel. */
#include "model/flywheel.h"

/* The one joint that holds a body, to the ground, where a coupling is all that acts on it besides; else NULL. Drives on
 * it could hold what the coupling moves. */
static const AfxiGraphBlock *rail_of(const AfxModel *model, const AfxiGraph *graph, uint32_t body, uint32_t coupling) {
    const AfxiGraphBlock *rail = NULL;
    uint32_t first = graph->body_start[body];
    if (graph->body_start[body + 1] - first != 2) {
        return NULL;
    }
    for (uint32_t x = first; x < first + 2; x++) {
        uint32_t block = graph->entry[graph->body_entry[x]].block;
        rail = block == coupling ? rail : &graph->block[block];
    }
    bool fine = rail && rail->type == AFXI_BLOCK_JOINT && rail->entry_count == 1 &&
                model->joints[rail->index].drive_count == 0 && rail->rotational_spring == UINT32_MAX;
    return fine ? rail : NULL;
}

/* The row of the first drive on a coordinate; UINT32_MAX: there is none. */
static uint32_t driven_row(const AfxModel *model, const AfxiGraph *graph, const AfxiGraphBlock *joint, uint8_t axis) {
    for (uint32_t row = joint->first_row; row < joint->first_row + joint->row_count - joint->folded; row++) {
        if (graph->row[row].source == AFXI_SOURCE_DRIVE && model->drives[graph->row[row].index].axis == axis) {
            return row;
        }
    }
    return UINT32_MAX;
}

/* The rows of a joint; NULL: it has none here. */
static const AfxiGraphBlock *block_of_joint(const AfxModel *model, const AfxiGraph *graph, uint32_t joint) {
    uint32_t row = model->joints[joint].row - graph->first_row;
    const AfxiGraphBlock *block = row < graph->row_count ? &graph->block[graph->row[row].block] : NULL;
    return block && block->type == AFXI_BLOCK_JOINT && block->index == joint ? block : NULL;
}

/* Whether a coupling follows a coordinate of another joint than the rail of `body`, and holds its bodies and this one
 * alone. */
static bool follows(const AfxModel *model, const AfxiGraph *graph, AfxiGraphBlock *block, uint32_t body) {
    const AfxiCoupling *coupling = &model->couplings[block->index];
    const AfxiGraphBlock *rail = rail_of(model, graph, body, (uint32_t)(block - graph->block));
    if (!rail || coupling->term_count != 2) {
        return false;
    }
    uint32_t term = coupling->joint[0] == rail->index ? 1 : 0;
    const AfxiGraphBlock *joint = block_of_joint(model, graph, coupling->joint[term]);
    if (coupling->joint[1 - term] != rail->index || !joint || joint == rail ||
        block->entry_count != joint->entry_count + 1) {
        return false;
    }
    block->carrier = driven_row(model, graph, joint, coupling->axis[term]);
    return block->carrier != UINT32_MAX;
}

void afxi_flywheels_mark(const AfxModel *model, AfxiGraph *graph) {
    for (uint32_t k = 0; k < graph->block_count; k++) {
        AfxiGraphBlock *block = &graph->block[k];
        for (uint32_t e = 0; block->type == AFXI_BLOCK_COUPLING && !block->flywheel && e < block->entry_count; e++) {
            uint32_t body = graph->entry[block->first_entry + e].dof.index;
            block->flywheel = follows(model, graph, block, body);
            block->carried = body;
        }
    }
}

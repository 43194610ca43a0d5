/* SPDX-License-Identifier: Apache-2.0 */
/* What the model holds together, listed component by component, so that each is solved as if it were alone. Sources of
 * blocks are counted through: joints, then couplings, then springs. */
#include "conserve/list.h"

#include <math.h>
#include <string.h>

/* The moving bodies that a source touches, each once. */
typedef struct Touched {
    uint32_t body[AFXI_CONSERVE_SIDES];
    uint32_t count, rows;
} Touched;

static void touch(const AfxModel *model, Touched *touched, uint32_t body) {
    if (body == AFXI_WORLD || model->kind[body] != AFX_BODY_DYNAMIC) {
        return;
    }
    for (uint32_t k = 0; k < touched->count; k++) {
        if (touched->body[k] == body) {
            return;
        }
    }
    touched->body[touched->count++] = body;
}

uint32_t afxi_conserve_source_count(const AfxModel *model) {
    return model->joint_count + model->coupling_count + model->spring_count;
}

static uint32_t joint_rows(const AfxiJoint *joint) {
    return afxi_joint_kind((AfxJointKind)joint->kind)->row_count + (joint->kind == AFX_JOINT_SCREW) +
           joint->drive_count + (joint->rotational_spring == UINT32_MAX ? 0 : 3);
}

static Touched touched_by(const AfxModel *model, uint32_t source) {
    Touched touched = {.count = 0, .rows = 1};
    if (source < model->joint_count) {
        const AfxiJoint *joint = &model->joints[source];
        touch(model, &touched, joint->follower);
        touch(model, &touched, joint->base);
        touched.rows = joint_rows(joint);
    } else if (source - model->joint_count < model->coupling_count) {
        const AfxiCoupling *coupling = &model->couplings[source - model->joint_count];
        for (uint32_t k = 0; k < coupling->term_count; k++) {
            touch(model, &touched, model->joints[coupling->joint[k]].follower);
            touch(model, &touched, model->joints[coupling->joint[k]].base);
        }
    } else {
        const AfxiSpring *spring = &model->springs[source - model->joint_count - model->coupling_count];
        touch(model, &touched, spring->body_a);
        touch(model, &touched, spring->body_b);
    }
    touched.count = touched.rows ? touched.count : 0; /* a free joint without drives holds nothing */
    return touched;
}

/* ---- counting ---- */

void afxi_conserve_number(AfxiConserve *work, AfxiConserveDraft *draft) {
    const AfxModel *model = work->model;
    memset(draft->component, 0xff, model->body_count * sizeof *draft->component);
    for (uint32_t k = 0; k < model->dynamic_count; k++) { /* by the first of its bodies */
        uint32_t root = model->root[model->dynamic[k]];
        if (draft->component[root] == UINT32_MAX) {
            draft->component[root] = work->component_count++;
        }
    }
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        draft->component[model->dynamic[k]] = draft->component[model->root[model->dynamic[k]]];
    }
    work->body_count = model->dynamic_count;
}

void afxi_conserve_count(AfxiConserve *work) {
    for (uint32_t s = 0; s < afxi_conserve_source_count(work->model); s++) {
        Touched touched = touched_by(work->model, s);
        work->block_count += touched.count > 0;
        work->entry_count += touched.count;
        work->row_count += touched.count ? touched.rows : 0;
        work->gradient_count += AFXI_RIGID_WIDTH * (size_t)touched.rows * touched.count;
    }
}

/* Rows of couplings and springs in the state. */
static void find_lambda(const AfxModel *model, AfxiConserveDraft *draft) {
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const AfxiGraph *graph = &model->graph[g];
        for (uint32_t b = 0; b < graph->block_count; b++) {
            const AfxiGraphBlock *block = &graph->block[b];
            uint32_t at = block->index + (block->type == AFXI_BLOCK_SPRING ? model->coupling_count : 0);
            if (block->type == AFXI_BLOCK_COUPLING || block->type == AFXI_BLOCK_SPRING) {
                draft->lambda[at] = graph->first_row + block->first_row;
            }
        }
    }
}

/* ---- filling ---- */

static void put_row(AfxiConserve *work, uint32_t *row, AfxiRowSource source, uint32_t index, uint32_t joint,
                    uint32_t place) {
    bool reversed = source == AFXI_SOURCE_JOINT && work->model->joints[joint].reversed;
    work->rows[(*row)++] = (AfxiConserveRow){index, joint, place, (uint8_t)source, reversed ? -1 : 1};
}

static void put_joint_rows(AfxiConserve *work, uint32_t k, uint32_t *row) {
    const AfxModel *model = work->model;
    const AfxiJoint *joint = &model->joints[k];
    uint32_t plain = afxi_joint_kind((AfxJointKind)joint->kind)->row_count;
    for (uint32_t r = 0; r < plain; r++) {
        put_row(work, row, AFXI_SOURCE_JOINT, r, k, joint->row + r);
    }
    if (joint->kind == AFX_JOINT_SCREW) {
        put_row(work, row, AFXI_SOURCE_SCREW, 0, k, joint->row + plain);
    }
    for (uint32_t axis = 0; joint->rotational_spring != UINT32_MAX && axis < 3; axis++) {
        put_row(work, row, AFXI_SOURCE_ROTATIONAL_SPRING, axis, k, joint->row + plain + axis);
    }
    for (uint32_t d = 0; d < joint->drive_count; d++) {
        uint32_t drive = model->drive_order[joint->first_drive + d];
        put_row(work, row, AFXI_SOURCE_DRIVE, drive, k, model->drives[drive].row);
    }
}

static void put_rows(AfxiConserve *work, const AfxiConserveDraft *draft, uint32_t source, uint32_t first_row) {
    const AfxModel *model = work->model;
    uint32_t row = first_row, index = source - model->joint_count;
    if (source < model->joint_count) {
        put_joint_rows(work, source, &row);
    } else if (index < model->coupling_count) {
        put_row(work, &row, AFXI_SOURCE_COUPLING, index, UINT32_MAX, draft->lambda[index]);
    } else {
        put_row(work, &row, AFXI_SOURCE_SPRING, index - model->coupling_count, UINT32_MAX, draft->lambda[index]);
    }
}

/* Bodies by component, and within one in their order. */
static void fill_bodies(AfxiConserve *work, AfxiConserveDraft *draft) {
    const AfxModel *model = work->model;
    memset(work->slot, 0xff, model->body_count * sizeof *work->slot);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        work->components[draft->component[model->dynamic[k]]].body_count++;
    }
    for (uint32_t c = 0, first = 0; c < work->component_count; c++) {
        draft->next[c] = work->components[c].first_body = first;
        first += work->components[c].body_count;
    }
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k], slot = draft->next[draft->component[body]]++;
        work->slot[body] = slot;
        work->bodies[slot].body = body;
    }
    for (uint32_t c = 0; c < work->component_count; c++) {
        work->components[c].root = work->bodies[work->components[c].first_body].body;
        work->components[c].size = afxi_model_extent(model, work->components[c].root);
    }
}

/* Blocks by component; then rows, entries and gradients follow one another in the same order. */
static void fill_blocks(AfxiConserve *work, AfxiConserveDraft *draft) {
    uint32_t *source_of = draft->member; /* [blocks], not yet in use */
    for (uint32_t s = 0; s < afxi_conserve_source_count(work->model); s++) {
        Touched touched = touched_by(work->model, s);
        if (touched.count) {
            work->components[draft->component[touched.body[0]]].block_count++;
        }
    }
    for (uint32_t c = 0, first = 0; c < work->component_count; c++) {
        draft->next[c] = work->components[c].first_block = first;
        first += work->components[c].block_count;
    }
    for (uint32_t s = 0; s < afxi_conserve_source_count(work->model); s++) {
        Touched touched = touched_by(work->model, s);
        if (touched.count) {
            source_of[draft->next[draft->component[touched.body[0]]]++] = s;
        }
    }
    uint32_t row = 0, entry = 0;
    size_t gradient = 0;
    for (uint32_t b = 0; b < work->block_count; b++) {
        Touched touched = touched_by(work->model, source_of[b]);
        work->blocks[b] = (AfxiConserveBlock){row, touched.rows, entry, touched.count};
        put_rows(work, draft, source_of[b], row);
        for (uint32_t k = 0; k < touched.count; k++) {
            uint32_t slot = work->slot[touched.body[k]];
            work->entries[entry++] = (AfxiConserveEntry){b, slot, gradient};
            work->bodies[slot].entry_count++;
            gradient += AFXI_RIGID_WIDTH * (size_t)touched.rows;
        }
        row += touched.rows;
    }
    for (uint32_t c = 0, first = 0; c < work->component_count; c++) {
        AfxiConserveComponent *component = &work->components[c];
        component->first_row = first;
        for (uint32_t b = 0; b < component->block_count; b++) {
            component->row_count += work->blocks[component->first_block + b].row_count;
        }
        first += component->row_count;
    }
}

/* Points that bodies are held at may lie far out: what they are rounded by. */
static void measure_arms(AfxiConserve *work, const AfxiConserveDraft *draft) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, k);
        const uint32_t ends[2] = {model->joints[k].follower, model->joints[k].base};
        const double arms[2] = {vec3_length(frame->point_a), vec3_length(frame->point_b)};
        for (int side = 0; side < 2; side++) {
            uint32_t body = ends[side], slot = body == AFXI_WORLD ? UINT32_MAX : work->slot[body];
            if (slot == UINT32_MAX) {
                continue;
            }
            AfxiConserveComponent *component = &work->components[draft->component[body]];
            component->size = fmax(component->size, arms[side]);
        }
    }
}

static void fill_entries(AfxiConserve *work) {
    uint32_t first = 0;
    size_t spot = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        AfxiConserveBody *body = &work->bodies[k];
        body->first_entry = first;
        body->first_spot = spot;
        first += body->entry_count;
        spot += (size_t)body->entry_count * (body->entry_count + 1) / 2;
        body->entry_count = 0;
    }
    for (uint32_t e = 0; e < work->entry_count; e++) {
        AfxiConserveBody *body = &work->bodies[work->entries[e].body];
        work->body_entry[body->first_entry + body->entry_count++] = e;
    }
}

void afxi_conserve_list(AfxiConserve *work, AfxiConserveDraft *draft) {
    find_lambda(work->model, draft);
    fill_bodies(work, draft);
    fill_blocks(work, draft);
    fill_entries(work);
    measure_arms(work, draft);
}

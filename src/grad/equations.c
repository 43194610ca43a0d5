/* SPDX-License-Identifier: Apache-2.0 */
/* All elements of an entry: programs that are still right are evaluated, others recorded again. */
#include "grad/equations.h"

#include <string.h>

/* Which element is meant, in the order of AfxiGradEquations.element. */
typedef enum Sort { BODY, WRENCH, BLOCK, SLOT, HOLD, POINT } Sort;

typedef struct Place {
    Sort sort;
    uint32_t index; /* body, wrench, block of its graph, slot, hold, point */
    const AfxiGraph *graph;
} Place;

static uint32_t count_blocks(const AfxModel *model) {
    uint32_t count = 0;
    for (uint32_t g = 0; g < model->graph_count; g++) {
        count += model->graph[g].joint_blocks;
    }
    return count;
}

AfxStatus afxi_grad_equations_create(AfxiGradEquations *out) {
    const AfxModel *model = out->local.model;
    out->first_point =
        model->dynamic_count + model->wrench_count + count_blocks(model) + model->chains.slot_count + AFX_HOLDS_MOST;
    out->element_count = out->first_point;
    out->element_capacity = out->first_point + (model->contacts.possible ? AFXI_GRAD_POINTS : 0);
    for (int k = 0; k < AFXI_GRAD_SORTS; k++) {
        out->element[k] = afxi_allocate(out->allocator, out->element_capacity * sizeof **out->element);
        if (!out->element[k]) {
            return AFX_E_MEMORY;
        }
    }
    return AFX_OK;
}

void afxi_grad_equations_release(AfxiGradEquations *out) {
    for (int k = 0; k < AFXI_GRAD_SORTS; k++) {
        for (uint32_t e = 0; out->element[k] && e < out->element_count; e++) {
            afxi_program_release(&out->element[k][e].program);
        }
        afxi_release(out->allocator, out->element[k], out->element_capacity * sizeof **out->element);
    }
    afxi_release(out->allocator, out->result, out->result_capacity * sizeof *out->result);
    afxi_grad_terms_release(&out->outcome);
    afxi_grad_terms_release(&out->memory);
}

/* ---- branches ---- */

static uint64_t mix(uint64_t hash, uint64_t by) {
    return (hash ^ by) * UINT64_C(1099511628211);
}

static uint64_t joint_branches(const AfxiGradEntry *entry, uint32_t joint, uint64_t hash) {
    const AfxiJoint *source = &entry->at.model->joints[joint];
    hash = mix(hash, afxi_grad_solves(entry, source->follower));
    hash = mix(hash, source->base != AFXI_WORLD && afxi_grad_solves(entry, source->base));
    return mix(hash, entry->at.joint_active[joint]);
}

static uint64_t block_branches(const AfxiGradEntry *entry, const Place *place) {
    const AfxModel *model = entry->at.model;
    const AfxiGraphBlock *block = &place->graph->block[place->index];
    uint64_t hash = 1;
    if (block->type == AFXI_BLOCK_JOINT) {
        hash = joint_branches(entry, block->index, hash);
    } else if (block->type == AFXI_BLOCK_SPRING) {
        const AfxiSpring *spring = &model->springs[block->index];
        hash = mix(hash, spring->body_a != AFXI_WORLD && afxi_grad_solves(entry, spring->body_a));
        hash = mix(hash, spring->body_b != AFXI_WORLD && afxi_grad_solves(entry, spring->body_b));
    } else if (block->type == AFXI_BLOCK_COUPLING) {
        for (uint32_t term = 0; term < model->couplings[block->index].term_count; term++) {
            hash = joint_branches(entry, model->couplings[block->index].joint[term], hash);
        }
    }
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        if (place->graph->row[row].source == AFXI_SOURCE_DRIVE) {
            hash = mix(hash, 2 + entry->at.branch[place->graph->row[row].index]);
        }
    }
    return hash;
}

/* All that an element's formulas rest on but numbers in its slots; never 0. */
static uint64_t branches_of(const AfxiGradEntry *entry, const Place *place) {
    const AfxModel *model = entry->at.model;
    uint64_t hash = 7;
    switch (place->sort) {
    case BODY:
        hash = mix(hash, afxi_grad_solves(entry, place->index) + 2 * (entry->at.body_wrenches != NULL));
        break;
    case WRENCH:
        hash = mix(hash, afxi_grad_solves(entry, model->wrench_body[place->index]));
        break;
    case BLOCK:
        hash = block_branches(entry, place);
        break;
    case SLOT:
        if (model->chains.slot_joint[place->index] != UINT32_MAX) {
            hash = joint_branches(entry, model->chains.slot_joint[place->index], hash);
        }
        break;
    case HOLD:
        hash = mix(hash, entry->at.hold_count > place->index);
        break;
    case POINT:
        hash = mix(hash, entry->at.point_count > place->index);
        break;
    }
    return hash ? hash : 1;
}

/* ---- recording ---- */

static void record(AfxiGradEquations *out, const Place *place) {
    const AfxiGradEntry *entry = out->local.entry;
    const AfxModel *model = out->local.model;
    afxi_grad_begin(&out->local);
    out->local.tape->volatile_numbers = entry->start;
    out->local.tape->known = out->local.layout->param;
    out->local.tape->known_end = out->local.layout->count;
    out->result_count = 0;
    if (place->sort == BODY && afxi_grad_solves(entry, place->index)) {
        (entry->jump ? afxi_grad_put_jump_body : afxi_grad_put_body)(out, place->index);
    } else if (place->sort == WRENCH && !entry->jump && afxi_grad_solves(entry, model->wrench_body[place->index])) {
        afxi_grad_put_wrench(out, place->index);
    } else if (place->sort == BLOCK) {
        afxi_grad_put_block(out, place->graph, &place->graph->block[place->index]);
    } else if (place->sort == SLOT) {
        afxi_grad_put_slot(out, place->index);
    } else if (place->sort == HOLD && place->index < entry->at.hold_count) {
        afxi_grad_put_hold(out, &entry->at.hold[place->index]);
    } else if (place->sort == POINT && entry->jump != AFXI_GRAD_FIT && place->index < entry->at.point_count) {
        (entry->jump ? afxi_grad_put_strike : afxi_grad_put_point)(out, place->index);
    }
}

static bool is_unknown(const AfxiGradEquations *out, uint32_t slot) {
    const AfxiGradLayout *layout = out->local.layout;
    return slot < layout->lambda ? afxi_grad_solves(out->local.entry, slot / AFXI_AFFINE_WIDTH) : slot < layout->qhat;
}

/* Terms by unknowns first; a hash of where they are comes back. */
static uint64_t sort_terms(const AfxiGradEquations *out, AfxiProgram *program) {
    uint64_t hash = UINT64_C(14695981039346656037);
    program->unknown_count = 0;
    for (uint32_t k = 0; k < program->term_count; k++) {
        if (is_unknown(out, program->term[k].slot)) {
            AfxiProgramTerm own = program->term[k];
            program->term[k] = program->term[program->unknown_count];
            program->term[program->unknown_count++] = own;
            hash = mix(mix(hash, own.row), own.slot);
        }
    }
    for (uint32_t k = 0; k < program->result_count; k++) {
        hash = mix(hash, program->result[k].row);
    }
    return hash;
}

static void record_again(AfxiGradEquations *out, AfxiGradElement *element, const Place *place) {
    bool start = out->local.entry->start;
    record(out, place);
    if (out->status == AFX_OK) {
        out->status = afxi_program_make(&element->program, out->local.tape, out->result, out->result_count,
                                        out->local.layout->count, start);
    }
    if (out->status == AFX_OK) {
        uint64_t shape = sort_terms(out, &element->program);
        out->shape[afxi_grad_sort(out->local.entry)] += shape != element->shape; /* counts changes */
        element->shape = shape;
        afxi_program_evaluate(&element->program, out->input);
    }
}

/* What results come to, and which rows there are. */
static void collect(AfxiGradEquations *out, const AfxiProgram *program) {
    uint32_t rows = AFXI_AFFINE_WIDTH * out->local.layout->bodies;
    for (uint32_t k = 0; k < program->result_count; k++) {
        const AfxiProgramTerm *result = &program->result[k];
        out->value[result->row] += afxi_program_term(program, result);
        if (result->row >= rows) {
            out->present[result->row - rows] = true;
        }
    }
}

static void evaluate(AfxiGradEquations *out, uint32_t *next, Place place) {
    AfxiGradElement *element = &out->now[(*next)++];
    uint64_t branches = branches_of(out->local.entry, &place);
    bool kept = element->branches == branches && element->program.again;
    element->branches = branches;
    if (!kept || !afxi_program_evaluate(&element->program, out->input)) {
        record_again(out, element, &place);
    }
    if (out->status == AFX_OK) {
        collect(out, &element->program);
    }
}

AfxStatus afxi_grad_equations(AfxiGradEquations *out, const AfxiGradEntry *entry) {
    const AfxModel *model = out->local.model;
    const AfxiGradLayout *layout = out->local.layout;
    uint32_t next = 0;
    out->local.entry = entry;
    out->now = out->element[afxi_grad_sort(entry)];
    out->outcome.count = out->memory.count = 0;
    if (out->first_point + entry->at.point_count > out->element_count) { /* never fewer: places stay */
        out->element_count = out->first_point + entry->at.point_count;
        for (int k = 0; k < AFXI_GRAD_SORTS; k++) {
            out->shape[k]++;
        }
    }
    out->status = AFX_OK;
    afxi_grad_fill(layout, entry, out->input);
    memset(out->value, 0, ((size_t)AFXI_AFFINE_WIDTH * layout->bodies + layout->rows) * sizeof *out->value);
    memset(out->present, 0, layout->rows * sizeof *out->present);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        evaluate(out, &next, (Place){BODY, model->dynamic[k], NULL});
    }
    for (uint32_t k = 0; k < model->wrench_count; k++) {
        evaluate(out, &next, (Place){WRENCH, k, NULL});
    }
    for (uint32_t g = 0; g < model->graph_count; g++) {
        for (uint32_t b = 0; b < model->graph[g].joint_blocks; b++) {
            evaluate(out, &next, (Place){BLOCK, b, &model->graph[g]});
        }
    }
    for (uint32_t slot = 0; slot < model->chains.slot_count; slot++) {
        evaluate(out, &next, (Place){SLOT, slot, NULL});
    }
    for (uint32_t k = 0; k < AFX_HOLDS_MOST; k++) {
        evaluate(out, &next, (Place){HOLD, k, NULL});
    }
    for (uint32_t k = 0; out->first_point + k < out->element_count; k++) {
        evaluate(out, &next, (Place){POINT, k, NULL});
    }
    if (out->status == AFX_OK && (out->local.tape->failed || out->outcome.failed || out->memory.failed)) {
        out->status = AFX_E_MEMORY;
    }
    out->local.tape->failed = out->outcome.failed = out->memory.failed = false;
    return out->status;
}

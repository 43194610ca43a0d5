/* SPDX-License-Identifier: Apache-2.0 */
/* Unknowns by number, and places of terms in columns. */
#include <string.h>

#include "grad/system.h"

#define NONE UINT32_MAX

static void take(const AfxiGradSystem *system, AfxiGradStructure *structure, AfxiArena *arena) {
    const AfxiGradLayout *layout = system->layout;
    size_t most = (size_t)AFXI_AFFINE_WIDTH * layout->bodies + layout->rows;
    structure->first = afxi_arena_take(arena, layout->bodies, sizeof *structure->first);
    structure->row = afxi_arena_take(arena, layout->rows, sizeof *structure->row);
    structure->width = afxi_arena_take(arena, layout->bodies, sizeof *structure->width);
    structure->scale = afxi_arena_take(arena, most, sizeof *structure->scale);
    structure->shift = afxi_arena_take(arena, most, sizeof *structure->shift);
    structure->diagonal = afxi_arena_take(arena, most, sizeof *structure->diagonal);
}

static AfxStatus open(const AfxiGradSystem *system, AfxiGradStructure *structure) {
    AfxiArena arena = {0};
    if (structure->raw) {
        return AFX_OK;
    }
    take(system, structure, &arena);
    arena.base = arena.overflow
                     ? NULL
                     : afxi_allocate_aligned(system->allocator, arena.used + 1, &structure->raw, &structure->raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(system, structure, &arena);
    structure->factor.allocator = system->allocator;
    return AFX_OK;
}

void afxi_grad_structure_release(AfxiGradSystem *system, AfxiGradStructure *structure) {
    structure->factor.allocator = system->allocator;
    afxi_grad_factor_release(&structure->factor);
    afxi_grad_columns_release(system->allocator, &structure->matrix);
    afxi_release(system->allocator, structure->position, structure->position_capacity * sizeof *structure->position);
    afxi_release(system->allocator, structure->weight, structure->weight_capacity * sizeof *structure->weight);
    afxi_release(system->allocator, structure->raw, structure->raw_size);
    *structure = (AfxiGradStructure){0};
}

static void number(const AfxiGradSystem *system, AfxiGradStructure *structure, const AfxiGradEquations *equations) {
    const AfxiGradEntry *entry = equations->local.entry;
    structure->n = 0;
    for (uint32_t k = 0; k < system->model->body_count; k++) {
        bool solved = afxi_grad_solves(entry, k);
        structure->width[k] = (uint8_t)afxi_grad_width(entry, k);
        structure->first[k] = solved ? structure->n : NONE;
        structure->n += solved ? structure->width[k] : 0;
    }
    structure->bodies = structure->n;
    for (uint32_t k = 0; k < system->layout->rows; k++) {
        structure->row[k] = equations->present[k] ? structure->n++ : NONE;
    }
}

uint32_t afxi_grad_unknown(const AfxiGradSystem *system, const AfxiGradStructure *structure, uint32_t index) {
    uint32_t bodies = AFXI_AFFINE_WIDTH * system->layout->bodies;
    return index < bodies ? structure->first[index / AFXI_AFFINE_WIDTH] + index % AFXI_AFFINE_WIDTH
                          : structure->row[index - bodies];
}

/* Calls of terms by unknowns, element by element. */
static uint32_t count_terms(const AfxiGradEquations *equations) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < equations->element_count; e++) {
        count += equations->now[e].program.unknown_count;
    }
    return count;
}

/* Puts the terms, and the diagonal, into columns: position [term] <- its place among all that have the same column. */
static void sort_columns(const AfxiGradSystem *system, AfxiGradStructure *structure,
                         const AfxiGradEquations *equations) {
    AfxiGradColumns *matrix = &structure->matrix;
    uint32_t n = structure->n, at = 0;
    memset(matrix->start, 0, ((size_t)n + 1) * sizeof *matrix->start);
    for (uint32_t c = 0; c < n; c++) {
        matrix->start[c + 1] = 1;
    }
    for (uint32_t e = 0; e < equations->element_count; e++) {
        const AfxiProgram *program = &equations->now[e].program;
        for (uint32_t k = 0; k < program->unknown_count; k++) {
            matrix->start[afxi_grad_unknown(system, structure, program->term[k].slot) + 1]++;
        }
    }
    for (uint32_t c = 0; c < n; c++) {
        matrix->start[c + 1] += matrix->start[c];
    }
    for (uint32_t c = 0; c < n; c++) { /* start[c] runs on to where column c + 1 begins */
        structure->diagonal[c] = matrix->start[c];
        matrix->row[matrix->start[c]++] = c;
    }
    for (uint32_t e = 0; e < equations->element_count; e++) {
        const AfxiProgram *program = &equations->now[e].program;
        for (uint32_t k = 0; k < program->unknown_count; k++) {
            uint32_t column = afxi_grad_unknown(system, structure, program->term[k].slot);
            structure->position[at] = matrix->start[column];
            matrix->row[matrix->start[column]++] = afxi_grad_unknown(system, structure, program->term[k].row);
            at++;
        }
    }
}

/* Each row of a column once; `moved` [entries] tells where an entry has gone, `last` [n] is work. */
static void merge(AfxiGradStructure *structure, uint32_t *moved, uint32_t *last) {
    AfxiGradColumns *matrix = &structure->matrix;
    uint32_t count = 0;
    for (uint32_t k = 0; k < structure->n; k++) {
        last[k] = NONE;
    }
    for (uint32_t c = 0, begin = 0; c < structure->n; c++) {
        uint32_t end = matrix->start[c], first = count;
        for (uint32_t p = begin; p < end; p++) {
            uint32_t row = matrix->row[p];
            if (last[row] == NONE || last[row] < first) {
                last[row] = count;
                matrix->row[count++] = row;
            }
            moved[p] = last[row];
        }
        matrix->start[c] = first;
        begin = end;
    }
    matrix->start[structure->n] = count;
    for (uint32_t k = 0; k < structure->term_count; k++) {
        structure->position[k] = moved[structure->position[k]];
    }
    for (uint32_t c = 0; c < structure->n; c++) {
        structure->diagonal[c] = moved[structure->diagonal[c]];
    }
}

AfxStatus afxi_grad_structure_make(AfxiGradSystem *system, const AfxiGradEquations *equations) {
    AfxiGradStructure *structure = system->now;
    AfxStatus status = open(system, structure);
    if (status != AFX_OK) {
        return status;
    }
    number(system, structure, equations);
    structure->shape = 0;
    structure->scaled = false;
    structure->term_count = count_terms(equations);
    uint32_t entries = structure->term_count + structure->n;
    size_t bytes = ((size_t)entries + structure->n + 1) * sizeof(uint32_t);
    uint32_t *work = afxi_allocate(system->allocator, bytes);
    status = work ? afxi_grad_columns_reserve(system->allocator, &structure->matrix, structure->n, entries + 1)
                  : AFX_E_MEMORY;
    status = status == AFX_OK
                 ? afxi_array_reserve(system->allocator, (void **)&structure->position, &structure->position_capacity,
                                      structure->term_count, sizeof *structure->position)
                 : status;
    status = status == AFX_OK
                 ? afxi_array_reserve(system->allocator, (void **)&structure->weight, &structure->weight_capacity,
                                      structure->term_count, sizeof *structure->weight)
                 : status;
    if (status == AFX_OK) {
        sort_columns(system, structure, equations);
        merge(structure, work, work + entries);
        status = afxi_grad_order(system, structure, equations);
    }
    afxi_release(system->allocator, work, bytes);
    structure->shape = status == AFX_OK ? equations->shape[afxi_grad_sort(system->entry)] : 0;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and solution. The matrix is scaled so that its diagonal on bodies is 1 and rows of constraints have length 1,
 * as they were when its pivots were chosen; exact rows get a small compliance when it is factored, which refinement
 * takes out again: redundant ones need it, and no other one notices. */
#include "grad/system.h"

#include <math.h>
#include <string.h>

#include "grad/tuning.h"

#define NONE UINT32_MAX

static void take(AfxiGradSystem *system, AfxiArena *arena) {
    const AfxiGradLayout *layout = system->layout;
    size_t most = (size_t)AFXI_AFFINE_WIDTH * layout->bodies + layout->rows;
    for (int k = 0; k < 3; k++) {
        system->work[k] = afxi_arena_take(arena, most, sizeof(double));
    }
    system->solution = afxi_arena_take(arena, most, sizeof(double));
}

AfxStatus afxi_grad_system_create(AfxiGradSystem *system) {
    AfxiArena arena = {0};
    take(system, &arena);
    arena.base = arena.overflow
                     ? NULL
                     : afxi_allocate_aligned(system->allocator, arena.used + 1, &system->raw, &system->raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(system, &arena);
    return AFX_OK;
}

void afxi_grad_system_release(AfxiGradSystem *system) {
    for (int k = 0; k < AFXI_GRAD_SORTS; k++) {
        afxi_grad_structure_release(system, &system->of[k]);
    }
    afxi_release(system->allocator, system->raw, system->raw_size);
    system->raw = NULL;
}

/* ---- numbers ---- */

/* The scaled matrix, from the terms of all elements. */
static void assemble(AfxiGradStructure *structure, const AfxiGradEquations *equations) {
    double *value = structure->matrix.value;
    uint32_t at = 0;
    memset(value, 0, structure->matrix.start[structure->n] * sizeof *value);
    for (uint32_t e = 0; e < equations->element_count; e++) {
        const AfxiProgram *program = &equations->now[e].program;
        for (uint32_t k = 0; k < program->unknown_count; k++, at++) {
            value[structure->position[at]] += structure->weight[at] * afxi_program_term(program, &program->term[k]);
        }
    }
}

/* weight [term] <- the scales of its row and column */
static void weigh(const AfxiGradSystem *system, const AfxiGradEquations *equations, bool scaled) {
    AfxiGradStructure *structure = system->now;
    uint32_t at = 0;
    for (uint32_t e = 0; e < equations->element_count; e++) {
        const AfxiProgram *program = &equations->now[e].program;
        for (uint32_t k = 0; k < program->unknown_count; k++, at++) {
            double row = structure->scale[afxi_grad_unknown(system, structure, program->term[k].row)];
            double column = structure->scale[afxi_grad_unknown(system, structure, program->term[k].slot)];
            structure->weight[at] = scaled ? row * column : 1;
        }
    }
}

/* Bodies by their diagonals, rows by their lengths in these scales; which rows are exact. The matrix is not scaled. */
static void find_scale(const AfxiGradSystem *system) {
    AfxiGradStructure *structure = system->now;
    const AfxiGradColumns *matrix = &structure->matrix;
    double *scale = structure->scale, *square = system->work[0];
    uint32_t n = structure->n, bodies = structure->bodies;
    memset(square, 0, n * sizeof *square);
    for (uint32_t c = 0; c < n; c++) {
        double value = fabs(matrix->value[structure->diagonal[c]]);
        scale[c] = c < bodies && value > 0 ? 1 / sqrt(value) : 1;
        structure->shift[c] = c >= bodies && !(value > 0) ? -AFXI_GRAD_COMPLIANCE : 0;
    }
    for (uint32_t c = 0; c < bodies; c++) {
        for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
            double value = matrix->value[p] * scale[c];
            square[matrix->row[p]] += matrix->row[p] >= bodies ? value * value : 0;
        }
    }
    for (uint32_t c = bodies; c < n; c++) {
        scale[c] = square[c] > 0 ? 1 / sqrt(square[c]) : 1;
    }
}

AfxStatus afxi_grad_system_factor(AfxiGradSystem *system, const AfxiGradEquations *equations) {
    AfxStatus status = AFX_OK;
    system->entry = equations->local.entry;
    system->now = &system->of[afxi_grad_sort(system->entry)];
    AfxiGradStructure *now = system->now;
    if (now->shape != equations->shape[afxi_grad_sort(system->entry)]) {
        status = afxi_grad_structure_make(system, equations);
    }
    if (status == AFX_OK && now->scaled) {
        assemble(now, equations);
        if (afxi_grad_factor(&now->factor, &now->matrix, now->shift) == AFX_OK) {
            return AFX_OK;
        }
    }
    now->scaled = false;
    if (status == AFX_OK) {
        weigh(system, equations, false);
        assemble(now, equations);
        find_scale(system);
        weigh(system, equations, true);
        assemble(now, equations);
        status = afxi_grad_factor(&now->factor, &now->matrix, now->shift);
        now->scaled = status == AFX_OK;
    }
    return status;
}

/* ---- solution ---- */

/* out = b - K x, or with the transpose; the size of out comes back. */
static double residual(const AfxiGradStructure *structure, bool transposed, const double *b, const double *x,
                       double *out) {
    const AfxiGradColumns *matrix = &structure->matrix;
    double size = 0;
    memcpy(out, b, structure->n * sizeof *out);
    for (uint32_t c = 0; c < structure->n; c++) {
        double sum = 0, by = x[c];
        if (transposed) {
            for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
                sum += matrix->value[p] * x[matrix->row[p]];
            }
            out[c] -= sum;
        } else {
            for (uint32_t p = matrix->start[c]; p < matrix->start[c + 1]; p++) {
                out[matrix->row[p]] -= matrix->value[p] * by;
            }
        }
    }
    for (uint32_t c = 0; c < structure->n; c++) {
        size = fmax(size, fabs(out[c]));
    }
    return size;
}

/* Solves with the factor and refines with the matrix. work: right-hand side, residual, correction. */
static void refine(AfxiGradSystem *system, bool transposed, double *x) {
    const AfxiGradStructure *now = system->now;
    double *b = system->work[0], *r = system->work[1], *d = system->work[2], size = 0, left = INFINITY;
    for (uint32_t k = 0; k < now->n; k++) {
        size = fmax(size, fabs(b[k]));
        x[k] = 0;
    }
    memcpy(r, b, now->n * sizeof *r);
    for (int pass = 0; pass < AFXI_GRAD_REFINEMENTS && size > AFXI_GRAD_NOTHING; pass++) {
        afxi_grad_factor_solve(&now->factor, transposed, r, d);
        for (uint32_t k = 0; k < now->n; k++) {
            x[k] += d[k];
        }
        double before = left;
        left = fmin(left, residual(now, transposed, b, x, r));
        if (left <= AFXI_GRAD_REFINED * size || !(left < 0.5 * before)) {
            break; /* enough, or no better: rounding, or rows that contradict each other */
        }
    }
    system->left = size > AFXI_GRAD_NOTHING ? left / size : 0;
}

/* Equations of a body that is not spread over its coordinates: as unknowns have them. */
static void copy_in(AfxiGradSystem *system, const double *b) {
    const AfxiGradStructure *now = system->now;
    uint32_t rows = AFXI_AFFINE_WIDTH * system->layout->bodies;
    for (uint32_t k = 0; k < system->layout->bodies; k++) {
        for (uint32_t e = 0; now->first[k] != NONE && e < now->width[k]; e++) {
            system->work[0][now->first[k] + e] = b[AFXI_AFFINE_WIDTH * k + e];
        }
    }
    for (uint32_t k = 0; k < system->layout->rows; k++) {
        if (now->row[k] != NONE) {
            system->work[0][now->row[k]] = b[rows + k];
        }
    }
}

/* By coordinates: T^T of a rigid body, with dA = w x A. */
static void project_in(AfxiGradSystem *system, const double *b) {
    const AfxiGradStructure *now = system->now;
    copy_in(system, b);
    for (uint32_t k = 0; k < system->layout->bodies && !system->entry->start; k++) {
        const double *a = system->entry->at.q + (size_t)AFXI_AFFINE_WIDTH * k, *on = b + (size_t)AFXI_AFFINE_WIDTH * k;
        if (now->first[k] == NONE || now->width[k] != 6) {
            continue;
        }
        AfxVec3 sum = vec3(0, 0, 0);
        for (int c = 0; c < 9; c += 3) {
            sum = vec3_add(sum, vec3_cross(vec3_load(a + c), vec3_load(on + c)));
        }
        vec3_store(system->work[0] + now->first[k], sum);
        memcpy(system->work[0] + now->first[k] + 3, on + 9, 3 * sizeof(double));
    }
}

static void copy_out(const AfxiGradSystem *system, double *x) {
    const AfxiGradStructure *now = system->now;
    uint32_t rows = AFXI_AFFINE_WIDTH * system->layout->bodies;
    memset(x, 0, (rows + system->layout->rows) * sizeof *x);
    for (uint32_t k = 0; k < system->layout->bodies; k++) {
        for (uint32_t e = 0; now->first[k] != NONE && e < now->width[k]; e++) {
            x[AFXI_AFFINE_WIDTH * k + e] = system->solution[now->first[k] + e];
        }
    }
    for (uint32_t k = 0; k < system->layout->rows; k++) {
        x[rows + k] = now->row[k] != NONE ? system->solution[now->row[k]] : 0;
    }
}

/* As changes of coordinates. */
static void spread_out(const AfxiGradSystem *system, double *x) {
    const AfxiGradStructure *now = system->now;
    copy_out(system, x);
    for (uint32_t k = 0; k < system->layout->bodies && !system->entry->start; k++) {
        const double *a = system->entry->at.q + (size_t)AFXI_AFFINE_WIDTH * k;
        double *own = x + (size_t)AFXI_AFFINE_WIDTH * k;
        if (now->first[k] == NONE || now->width[k] != 6) {
            continue;
        }
        AfxVec3 w = vec3_load(own);
        memcpy(own + 9, system->solution + now->first[k] + 3, 3 * sizeof(double));
        for (int c = 0; c < 9; c += 3) {
            vec3_store(own + c, vec3_cross(w, vec3_load(a + c)));
        }
    }
}

/* Adds to the right-hand side what is asked of unknowns themselves. */
static void add_in(AfxiGradSystem *system, const double *more) {
    const AfxiGradStructure *now = system->now;
    for (uint32_t k = 0; k < system->layout->bodies; k++) {
        for (uint32_t e = 0; now->first[k] != NONE && e < now->width[k]; e++) {
            system->work[0][now->first[k] + e] += more[AFXI_AFFINE_WIDTH * k + e];
        }
    }
}

void afxi_grad_system_solve(AfxiGradSystem *system, bool transposed, const double *b, const double *more, double *x) {
    const AfxiGradStructure *now = system->now;
    if (transposed) {
        project_in(system, b);
    } else {
        copy_in(system, b);
    }
    if (more) {
        add_in(system, more);
    }
    for (uint32_t k = 0; k < now->n; k++) {
        system->work[0][k] *= now->scale[k];
    }
    refine(system, transposed, system->solution);
    for (uint32_t k = 0; k < now->n; k++) {
        system->solution[k] *= now->scale[k];
    }
    if (transposed) {
        copy_out(system, x);
    } else {
        spread_out(system, x);
    }
}

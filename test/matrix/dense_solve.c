/* SPDX-License-Identifier: Apache-2.0 */
/* One dense system from all elements, and Newton's method on it. */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL_MOST (12 * DENSE_ENDS_MOST + 8)
#define PASSES_MOST 30
#define SETTLED 1e-13 /* m, and 1 for entries of A */
#define GOOD 1e-10

void dense_coordinates(const Dense *dense, uint32_t body, double out_q[12]) {
    const DenseBody *from = &dense->body[body];
    memcpy(out_q, from->moves ? dense->solution + from->first : from->q, 12 * sizeof *out_q);
}

/* Where local unknown k of an element is in the solution; UINT32_MAX: it does not move. */
static uint32_t place_of(const Dense *dense, const DenseElement *element, uint32_t k) {
    if (k >= 12 * element->ends) {
        return element->first_row + k - 12 * element->ends;
    }
    const DenseBody *body = &dense->body[element->body[k / 12]];
    return body->moves ? body->first + k % 12 : UINT32_MAX;
}

typedef struct Local {
    uint32_t size;
    double q[DENSE_ENDS_MOST][12], lambda[8];
} Local;

static double *local_unknown(const DenseElement *element, Local *local, uint32_t k) {
    return k < 12 * element->ends ? &local->q[k / 12][k % 12] : &local->lambda[k - 12 * element->ends];
}

/* Adds residual and matrix (rows first) of one element. */
static void assemble(const Dense *dense, const DenseElement *element, double *residual, double *matrix) {
    Local local = {.size = 12 * element->ends + element->rows};
    for (uint32_t k = 0; k < element->ends; k++) {
        dense_coordinates(dense, element->body[k], local.q[k]);
    }
    memcpy(local.lambda, dense->solution + element->first_row, element->rows * sizeof(double));
    double at[LOCAL_MOST], low[LOCAL_MOST], high[LOCAL_MOST];
    dense_residual(dense, element, local.q, local.lambda, at);
    for (uint32_t c = 0; c < local.size; c++) {
        uint32_t column = place_of(dense, element, c);
        if (column == UINT32_MAX) {
            continue;
        }
        double *x = local_unknown(element, &local, c), before = *x;
        double step = c < 12 * element->ends ? 1e-6 : 1e-6 * fmax(1, fabs(before));
        *x = before - step;
        dense_residual(dense, element, local.q, local.lambda, low);
        *x = before + step;
        dense_residual(dense, element, local.q, local.lambda, high);
        *x = before;
        for (uint32_t k = 0; k < local.size; k++) {
            uint32_t row = place_of(dense, element, k);
            if (row != UINT32_MAX) {
                matrix[(size_t)row * dense->size + column] += (high[k] - low[k]) / (2 * step);
            }
        }
    }
    for (uint32_t k = 0; k < local.size; k++) {
        uint32_t row = place_of(dense, element, k);
        if (row != UINT32_MAX) {
            residual[row] += at[k];
        }
    }
}

/* Solves matrix x = b in place of b: Gauss with the rows scaled and the largest pivot of a column. */
static bool eliminate(uint32_t n, double *matrix, double *b) {
    for (uint32_t r = 0; r < n; r++) {
        double most = 0;
        for (uint32_t c = 0; c < n; c++) {
            most = fmax(most, fabs(matrix[(size_t)r * n + c]));
        }
        for (uint32_t c = 0; c < n && most > 0; c++) {
            matrix[(size_t)r * n + c] /= most;
        }
        b[r] /= most > 0 ? most : 1;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t r = k + 1; r < n; r++) {
            best = fabs(matrix[(size_t)r * n + k]) > fabs(matrix[(size_t)best * n + k]) ? r : best;
        }
        for (uint32_t c = k; c < n && best != k; c++) {
            double keep = matrix[(size_t)k * n + c];
            matrix[(size_t)k * n + c] = matrix[(size_t)best * n + c];
            matrix[(size_t)best * n + c] = keep;
        }
        double keep = b[k];
        b[k] = b[best];
        b[best] = keep;
        double pivot = matrix[(size_t)k * n + k];
        if (!(fabs(pivot) > 1e-18)) {
            return false;
        }
        for (uint32_t r = k + 1; r < n; r++) {
            double factor = matrix[(size_t)r * n + k] / pivot;
            for (uint32_t c = k; c < n && factor != 0; c++) {
                matrix[(size_t)r * n + c] -= factor * matrix[(size_t)k * n + c];
            }
            b[r] -= factor * b[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t c = k + 1; c < n; c++) {
            b[k] -= matrix[(size_t)k * n + c] * b[c];
        }
        b[k] /= matrix[(size_t)k * n + k];
    }
    return true;
}

static uint32_t number_unknowns(Dense *dense) {
    uint32_t size = 0;
    for (uint32_t k = 0; k < dense->body_count; k++) {
        dense->body[k].first = size;
        size += dense->body[k].moves ? 12 : 0;
    }
    uint32_t coordinates = size;
    for (uint32_t k = 0; k < dense->element_count; k++) {
        dense->element[k].first_row = size;
        size += dense->element[k].rows;
    }
    dense->size = size;
    return coordinates;
}

bool dense_solve(Dense *dense) {
    uint32_t coordinates = number_unknowns(dense), n = dense->size;
    free(dense->solution);
    dense->solution = calloc(n, sizeof *dense->solution);
    double *residual = calloc(n, sizeof *residual), *matrix = calloc((size_t)n * n, sizeof *matrix), change = INFINITY;
    bool fine = dense->solution && residual && matrix;
    for (uint32_t k = 0; k < dense->body_count && fine; k++) {
        if (dense->body[k].moves) {
            memcpy(dense->solution + dense->body[k].first, dense->body[k].q, sizeof dense->body[k].q);
        }
    }
    for (int pass = 0; pass < PASSES_MOST && fine && change > SETTLED; pass++) {
        memset(residual, 0, n * sizeof *residual);
        memset(matrix, 0, (size_t)n * n * sizeof *matrix);
        for (uint32_t k = 0; k < dense->element_count; k++) {
            assemble(dense, &dense->element[k], residual, matrix);
        }
        fine = eliminate(n, matrix, residual);
        change = 0;
        for (uint32_t k = 0; k < n && fine; k++) {
            dense->solution[k] -= residual[k];
            change = k < coordinates ? fmax(change, fabs(residual[k])) : change;
        }
    }
    free(residual);
    free(matrix);
    return fine && change < GOOD;
}

void dense_free(Dense *dense) {
    free(dense->solution);
    dense->solution = NULL;
}

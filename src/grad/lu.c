/* SPDX-License-Identifier: Apache-2.0 */
/* Column by column: the pattern of a column of the factors is what can be reached from the column of the matrix in the
 * graph of lower, found by a search in depth; then the triangular solve along it. */
#include "grad/lu.h"

#include <math.h>
#include <string.h>

#include "grad/tuning.h"

#define NONE UINT32_MAX

void afxi_grad_columns_release(const AfxAllocator *allocator, AfxiGradColumns *columns) {
    afxi_release(allocator, columns->start, columns->start_capacity * sizeof *columns->start);
    afxi_release(allocator, columns->row, columns->row_capacity * sizeof *columns->row);
    afxi_release(allocator, columns->value, columns->value_capacity * sizeof *columns->value);
    *columns = (AfxiGradColumns){0};
}

AfxStatus afxi_grad_columns_reserve(const AfxAllocator *allocator, AfxiGradColumns *columns, uint32_t n,
                                    uint32_t entries) {
    AfxStatus status = afxi_array_reserve(allocator, (void **)&columns->start, &columns->start_capacity, n + 1,
                                          sizeof *columns->start);
    if (status == AFX_OK) {
        status = afxi_array_reserve(allocator, (void **)&columns->row, &columns->row_capacity, entries,
                                    sizeof *columns->row);
    }
    if (status == AFX_OK) {
        status = afxi_array_reserve(allocator, (void **)&columns->value, &columns->value_capacity, entries,
                                    sizeof *columns->value);
    }
    return status;
}

void afxi_grad_lu_release(AfxiGradLu *lu) {
    afxi_grad_columns_release(lu->allocator, &lu->lower);
    afxi_grad_columns_release(lu->allocator, &lu->upper);
    afxi_release(lu->allocator, lu->pivot, lu->pivot_capacity * sizeof *lu->pivot);
    afxi_release(lu->allocator, lu->stack, lu->stack_capacity * sizeof *lu->stack);
    afxi_release(lu->allocator, lu->mark, lu->mark_capacity * sizeof *lu->mark);
    afxi_release(lu->allocator, lu->next, lu->next_capacity * sizeof *lu->next);
    afxi_release(lu->allocator, lu->x, lu->x_capacity * sizeof *lu->x);
    *lu = (AfxiGradLu){.allocator = lu->allocator};
}

static AfxStatus reserve(AfxiGradLu *lu, uint32_t n) {
    struct {
        uint32_t **array, *capacity;
    } each[] = {{&lu->pivot, &lu->pivot_capacity},
                {&lu->stack, &lu->stack_capacity},
                {&lu->mark, &lu->mark_capacity},
                {&lu->next, &lu->next_capacity}};
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < sizeof each / sizeof *each && status == AFX_OK; k++) {
        status = afxi_array_reserve(lu->allocator, (void **)each[k].array, each[k].capacity, n, sizeof **each[k].array);
    }
    if (status == AFX_OK) {
        status = afxi_array_reserve(lu->allocator, (void **)&lu->x, &lu->x_capacity, n, sizeof *lu->x);
    }
    if (status == AFX_OK) {
        status = afxi_grad_columns_reserve(lu->allocator, &lu->lower, n, 4 * n);
    }
    return status == AFX_OK ? afxi_grad_columns_reserve(lu->allocator, &lu->upper, n, 4 * n) : status;
}

/* Goes down from `row` in the graph of lower; rows are put at stack[top - 1], ... when all below them are. The stack of
 * the search itself begins at stack[0]. */
static uint32_t search(AfxiGradLu *lu, uint32_t row, uint32_t stamp, uint32_t top) {
    uint32_t depth = 1;
    lu->stack[0] = row;
    lu->mark[row] = stamp;
    lu->next[row] = lu->pivot[row] == NONE ? 0 : lu->lower.start[lu->pivot[row]] + 1;
    while (depth) {
        uint32_t here = lu->stack[depth - 1], column = lu->pivot[here];
        uint32_t end = column == NONE ? 0 : lu->lower.start[column + 1];
        bool deeper = false;
        while (column != NONE && lu->next[here] < end && !deeper) {
            uint32_t below = lu->lower.row[lu->next[here]++];
            if (lu->mark[below] != stamp) {
                lu->mark[below] = stamp;
                lu->next[below] = lu->pivot[below] == NONE ? 0 : lu->lower.start[lu->pivot[below]] + 1;
                lu->stack[depth++] = below;
                deeper = true;
            }
        }
        if (!deeper) {
            depth--;
            lu->stack[--top] = here;
        }
    }
    return top;
}

/* x <- lower^-1 column, on the pattern stack[top ...]; rows that are not eliminated yet stay as they are. */
static void eliminate(AfxiGradLu *lu, uint32_t top, uint32_t n) {
    for (uint32_t p = top; p < n; p++) {
        uint32_t column = lu->pivot[lu->stack[p]];
        double by = lu->x[lu->stack[p]];
        if (column == NONE || by == 0) {
            continue;
        }
        for (uint32_t q = lu->lower.start[column] + 1; q < lu->lower.start[column + 1]; q++) {
            lu->x[lu->lower.row[q]] -= lu->lower.value[q] * by;
        }
    }
}

/* The row of the next pivot, or NONE. */
static uint32_t choose(const AfxiGradLu *lu, uint32_t top, uint32_t n, uint32_t diagonal) {
    double most = 0;
    uint32_t best = NONE;
    for (uint32_t p = top; p < n; p++) {
        uint32_t row = lu->stack[p];
        if (lu->pivot[row] == NONE && fabs(lu->x[row]) > most) {
            most = fabs(lu->x[row]);
            best = row;
        }
    }
    bool prefers = best != NONE && lu->pivot[diagonal] == NONE && fabs(lu->x[diagonal]) >= AFXI_GRAD_PIVOT * most;
    return prefers ? diagonal : best;
}

/* Puts the column into the factors; x is 0 again. */
static void store(AfxiGradLu *lu, uint32_t top, uint32_t n, uint32_t k, uint32_t pivot) {
    AfxiGradColumns *lower = &lu->lower, *upper = &lu->upper;
    double value = lu->x[pivot], per = 1 / value;
    uint32_t l = lower->start[k], u = upper->start[k];
    lu->pivot[pivot] = k;
    lower->row[l] = pivot;
    lower->value[l++] = 1;
    for (uint32_t p = top; p < n; p++) {
        uint32_t row = lu->stack[p];
        double x = lu->x[row];
        lu->x[row] = 0;
        if (row == pivot) { /* what is 0 by chance keeps its place */
            continue;
        }
        if (lu->pivot[row] == NONE) {
            lower->row[l] = row;
            lower->value[l++] = x * per;
        } else {
            upper->row[u] = lu->pivot[row];
            upper->value[u++] = x;
        }
    }
    upper->row[u] = k;
    upper->value[u++] = value;
    lower->start[k + 1] = l;
    upper->start[k + 1] = u;
}

AfxStatus afxi_grad_lu_factor(AfxiGradLu *lu, const AfxiGradColumns *matrix, uint32_t n, const uint32_t *order,
                              const double *shift) {
    AfxStatus status = reserve(lu, n);
    lu->n = n;
    for (uint32_t k = 0; k < n && status == AFX_OK; k++) {
        lu->pivot[k] = lu->mark[k] = NONE;
        lu->x[k] = 0;
    }
    for (uint32_t k = 0; k < n && status == AFX_OK; k++) {
        uint32_t column = order[k], top = n;
        lu->lower.start[0] = lu->upper.start[0] = 0;
        status = afxi_grad_columns_reserve(lu->allocator, &lu->lower, n, lu->lower.start[k] + n);
        status =
            status != AFX_OK ? status : afxi_grad_columns_reserve(lu->allocator, &lu->upper, n, lu->upper.start[k] + n);
        if (status != AFX_OK) {
            break;
        }
        for (uint32_t p = matrix->start[column]; p < matrix->start[column + 1]; p++) {
            top = lu->mark[matrix->row[p]] != k ? search(lu, matrix->row[p], k, top) : top;
            lu->x[matrix->row[p]] += matrix->value[p];
        }
        lu->x[column] += shift[column];
        eliminate(lu, top, n);
        uint32_t pivot = choose(lu, top, n, column);
        if (pivot == NONE || !isfinite(lu->x[pivot])) {
            return AFX_E_NUMERIC;
        }
        store(lu, top, n, k, pivot);
    }
    for (uint32_t p = 0; status == AFX_OK && n && p < lu->lower.start[n]; p++) {
        lu->lower.row[p] = lu->pivot[lu->lower.row[p]];
    }
    return status;
}

bool afxi_grad_lu_refactor(AfxiGradLu *lu, const AfxiGradColumns *matrix, const uint32_t *order, const double *shift) {
    const AfxiGradColumns *lower = &lu->lower, *upper = &lu->upper;
    double *x = lu->x;
    for (uint32_t k = 0; k < lu->n; k++) {
        uint32_t column = order[k], last = upper->start[k + 1] - 1, begin = lower->start[k] + 1;
        double most = 0;
        for (uint32_t p = matrix->start[column]; p < matrix->start[column + 1]; p++) {
            x[lu->pivot[matrix->row[p]]] = matrix->value[p];
        }
        x[lu->pivot[column]] += shift[column];
        for (uint32_t p = upper->start[k]; p < last; p++) { /* in the order of the search: all before is done */
            uint32_t from = upper->row[p];
            double by = x[from];
            upper->value[p] = by;
            x[from] = 0;
            for (uint32_t q = lower->start[from] + 1; q < lower->start[from + 1]; q++) {
                x[lower->row[q]] -= lower->value[q] * by;
            }
        }
        double pivot = x[k], per = 1 / pivot;
        upper->value[last] = pivot;
        x[k] = 0;
        for (uint32_t p = begin; p < lower->start[k + 1]; p++) {
            double below = x[lower->row[p]];
            x[lower->row[p]] = 0;
            most = fmax(most, fabs(below));
            lower->value[p] = below * per;
        }
        if (!(fabs(pivot) >= AFXI_GRAD_WEAK * most) || pivot == 0) {
            memset(x, 0, lu->n * sizeof *x);
            return false;
        }
    }
    return true;
}

void afxi_grad_lu_solve(const AfxiGradLu *lu, const uint32_t *order, const double *b, double *x) {
    double *y = lu->x;
    for (uint32_t k = 0; k < lu->n; k++) {
        y[lu->pivot[k]] = b[k];
    }
    for (uint32_t k = 0; k < lu->n; k++) {
        for (uint32_t p = lu->lower.start[k] + 1; p < lu->lower.start[k + 1]; p++) {
            y[lu->lower.row[p]] -= lu->lower.value[p] * y[k];
        }
    }
    for (uint32_t k = lu->n; k-- > 0;) {
        uint32_t last = lu->upper.start[k + 1] - 1;
        y[k] /= lu->upper.value[last];
        for (uint32_t p = lu->upper.start[k]; p < last; p++) {
            y[lu->upper.row[p]] -= lu->upper.value[p] * y[k];
        }
    }
    for (uint32_t k = 0; k < lu->n; k++) {
        x[order[k]] = y[k];
    }
    memset(y, 0, lu->n * sizeof *y);
}

void afxi_grad_lu_solve_transposed(const AfxiGradLu *lu, const uint32_t *order, const double *b, double *x) {
    double *y = lu->x;
    for (uint32_t k = 0; k < lu->n; k++) {
        uint32_t last = lu->upper.start[k + 1] - 1;
        double sum = b[order[k]];
        for (uint32_t p = lu->upper.start[k]; p < last; p++) {
            sum -= lu->upper.value[p] * y[lu->upper.row[p]];
        }
        y[k] = sum / lu->upper.value[last];
    }
    for (uint32_t k = lu->n; k-- > 0;) {
        for (uint32_t p = lu->lower.start[k] + 1; p < lu->lower.start[k + 1]; p++) {
            y[k] -= lu->lower.value[p] * y[lu->lower.row[p]];
        }
    }
    for (uint32_t k = 0; k < lu->n; k++) {
        x[k] = y[lu->pivot[k]];
    }
    memset(y, 0, lu->n * sizeof *y);
}

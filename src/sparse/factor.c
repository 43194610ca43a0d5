/* SPDX-License-Identifier: Apache-2.0 */
/* Left-looking block L D L^T: column j gathers the updates L_ik D_k L_jk^T of the earlier columns k that reach it, then
 * D_j is inverted and the panel multiplied by D_j^-1. Which columns reach j is kept in linked lists: a column hangs at
 * the next block row it will update. Diagonal blocks are inverted with pivoting, so they need not be definite. */
#include <math.h>
#include <string.h>

#include "sparse/block.h"

#define NONE UINT32_MAX

size_t afxi_block_work(const AfxiBlockPlan *plan) {
    size_t m = plan->largest;
    return (plan->tallest + 4 * m) * m + 2 * m + 1;
}

double *afxi_block_at(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, uint32_t i, uint32_t j,
                      uint32_t *out_leading) {
    if (i == j) {
        *out_leading = plan->size[j];
        return factor->diagonal + plan->diagonal[j];
    }
    uint32_t low = plan->start[j], high = plan->start[j + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == plan->start[j + 1] || plan->row[low] != i) {
        return NULL;
    }
    *out_leading = plan->height[j];
    return factor->panel + plan->panel[j] + plan->offset[low];
}

/* inverse <- a^-1 (m x m), Gauss-Jordan with row pivoting; a is used up. The smallest pivot comes back. */
static double invert(uint32_t m, double *a, double *inverse) {
    double smallest = INFINITY;
    memset(inverse, 0, (size_t)m * m * sizeof *inverse);
    for (uint32_t k = 0; k < m; k++) {
        inverse[k * m + k] = 1;
    }
    for (uint32_t k = 0; k < m; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < m; i++) {
            pivot = fabs(a[k * m + i]) > fabs(a[k * m + pivot]) ? i : pivot;
        }
        double value = a[k * m + pivot];
        smallest = fmin(smallest, fabs(value));
        if (value == 0 || !isfinite(value)) {
            return 0;
        }
        for (uint32_t j = 0; j < m; j++) {
            double x = a[j * m + pivot], y = inverse[j * m + pivot];
            a[j * m + pivot] = a[j * m + k];
            inverse[j * m + pivot] = inverse[j * m + k];
            a[j * m + k] = x / value;
            inverse[j * m + k] = y / value;
        }
        for (uint32_t i = 0; i < m; i++) {
            double factor = a[k * m + i];
            if (i == k || factor == 0) {
                continue;
            }
            for (uint32_t j = 0; j < m; j++) {
                a[j * m + i] -= factor * a[j * m + k];
                inverse[j * m + i] -= factor * inverse[j * m + k];
            }
        }
    }
    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t i = 0; i < j; i++) {
            double mean = 0.5 * (inverse[j * m + i] + inverse[i * m + j]);
            inverse[j * m + i] = inverse[i * m + j] = mean;
        }
    }
    return smallest;
}

/* c (rows x m, leading ldc) -= a (rows x n, leading lda) b (n x m, leading n) */
static void multiply_subtract(uint32_t rows, uint32_t m, uint32_t n, const double *a, uint32_t lda, const double *b,
                              double *c, uint32_t ldc) {
    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t k = 0; k < n; k++) {
            double factor = b[(size_t)j * n + k];
            const double *column = a + (size_t)k * lda;
            double *target = c + (size_t)j * ldc;
            for (uint32_t i = 0; i < rows; i++) {
                target[i] -= factor * column[i];
            }
        }
    }
}

/* Applies what column k does to column j; entry `at` of k is block row j. */
static void update(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, uint32_t j, uint32_t k, uint32_t at) {
    uint32_t m = plan->size[j], n = plan->size[k], lda = plan->height[k];
    const double *panel = factor->panel + plan->panel[k], *d = factor->diagonal + plan->diagonal[k];
    const double *l_jk = panel + plan->offset[at];
    double *t = factor->work; /* D_k L_jk^T, n x m */
    for (uint32_t c = 0; c < m; c++) {
        for (uint32_t r = 0; r < n; r++) {
            double sum = 0;
            for (uint32_t e = 0; e < n; e++) {
                sum += d[e * n + r] * l_jk[(size_t)e * lda + c];
            }
            t[c * n + r] = sum;
        }
    }
    multiply_subtract(m, m, n, l_jk, lda, t, factor->diagonal + plan->diagonal[j], m);
    double *target = factor->panel + plan->panel[j];
    for (uint32_t e = at + 1; e < plan->start[k + 1]; e++) {
        uint32_t i = plan->row[e];
        multiply_subtract(plan->size[i], m, n, panel + plan->offset[e], lda, t, target + factor->map[i],
                          plan->height[j]);
    }
}

/* Inverts D_j and turns the panel into L. */
static double finish_column(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, uint32_t j) {
    uint32_t m = plan->size[j], height = plan->height[j];
    double *inverse = factor->inverse + plan->diagonal[j], *panel = factor->panel + plan->panel[j];
    double *copy = factor->work;
    memcpy(copy, factor->diagonal + plan->diagonal[j], (size_t)m * m * sizeof *copy);
    double pivot = invert(m, copy, inverse);
    for (uint32_t i = 0; i < height; i++) {
        double *row = factor->work;
        for (uint32_t c = 0; c < m; c++) {
            row[c] = panel[(size_t)c * height + i];
        }
        for (uint32_t c = 0; c < m; c++) {
            double sum = 0;
            for (uint32_t e = 0; e < m; e++) {
                sum += row[e] * inverse[c * m + e];
            }
            panel[(size_t)c * height + i] = sum;
        }
    }
    return pivot;
}

/* Hangs column k at its next block row, if there is one. */
static void hang(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, uint32_t k) {
    if (factor->first[k] < plan->start[k + 1]) {
        uint32_t row = plan->row[factor->first[k]];
        factor->next[k] = factor->link[row];
        factor->link[row] = k;
    }
}

double afxi_block_factor(const AfxiBlockPlan *plan, AfxiBlockFactor *factor) {
    double smallest = INFINITY;
    for (uint32_t j = 0; j < plan->count; j++) {
        factor->link[j] = NONE;
    }
    for (uint32_t j = 0; j < plan->count; j++) {
        for (uint32_t e = plan->start[j]; e < plan->start[j + 1]; e++) {
            factor->map[plan->row[e]] = plan->offset[e];
        }
        for (uint32_t k = factor->link[j], next; k != NONE; k = next) {
            next = factor->next[k];
            update(plan, factor, j, k, factor->first[k]);
            factor->first[k]++;
            hang(plan, factor, k);
        }
        smallest = fmin(smallest, finish_column(plan, factor, j));
        factor->first[j] = plan->start[j];
        hang(plan, factor, j);
    }
    return smallest;
}

/* out (rows) -= l (rows x m, leading ld) x (m) */
static void apply_subtract(uint32_t rows, uint32_t m, const double *l, uint32_t ld, const double *x, double *out) {
    for (uint32_t c = 0; c < m; c++) {
        for (uint32_t i = 0; i < rows; i++) {
            out[i] -= l[(size_t)c * ld + i] * x[c];
        }
    }
}

void afxi_block_solve(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, const uint32_t *position, double *x,
                      double *work) {
    for (uint32_t j = 0; j < plan->count; j++) {
        const double *panel = factor->panel + plan->panel[j];
        for (uint32_t e = plan->start[j]; e < plan->start[j + 1]; e++) {
            uint32_t i = plan->row[e];
            apply_subtract(plan->size[i], plan->size[j], panel + plan->offset[e], plan->height[j], x + position[j],
                           x + position[i]);
        }
    }
    for (uint32_t j = plan->count; j-- > 0;) {
        uint32_t m = plan->size[j], height = plan->height[j];
        const double *panel = factor->panel + plan->panel[j], *inverse = factor->inverse + plan->diagonal[j];
        memcpy(work, x + position[j], m * sizeof *work);
        for (uint32_t c = 0; c < m; c++) {
            double sum = 0;
            for (uint32_t e = 0; e < m; e++) {
                sum += inverse[e * m + c] * work[e];
            }
            for (uint32_t e = plan->start[j]; e < plan->start[j + 1]; e++) {
                uint32_t i = plan->row[e];
                const double *column = panel + (size_t)c * height + plan->offset[e];
                for (uint32_t r = 0; r < plan->size[i]; r++) {
                    sum -= column[r] * x[position[i] + r];
                }
            }
            x[position[j] + c] = sum;
        }
    }
}

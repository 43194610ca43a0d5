/* SPDX-License-Identifier: Apache-2.0 */
/* Left-looking block Cholesky: column j gathers the updates L_ik L_jk^T of the earlier columns k that reach it, then
 * its diagonal block is factored, D_j = C C^T, and the panel solved with C^T. Triangular solves keep it backward
 * stable: with explicit inverses a nearly singular D_j would spoil the columns behind it. Which columns reach j is kept
 * in linked lists: a column hangs at the next block row it will update. */
#include <math.h>
#include <string.h>

#include "sparse/block.h"

#define NONE UINT32_MAX
/* Of a matrix with unit diagonal: below this a pivot is rounding. */
#define LEAST_PIVOT 1e-15

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

/* The smaller one; NaN when either is. */
static double lesser(double a, double b) {
    return isnan(a) || a < b ? a : b;
}

/* a (m x m, lower part) <- C with a = C C^T. The smallest pivot comes back; one that is not positive is lifted. */
static double cholesky(uint32_t m, double *a) {
    double smallest = INFINITY;
    for (uint32_t k = 0; k < m; k++) {
        double pivot = a[k * m + k];
        smallest = lesser(smallest, pivot);
        double root = sqrt(pivot > LEAST_PIVOT ? pivot : LEAST_PIVOT);
        a[k * m + k] = root;
        for (uint32_t i = k + 1; i < m; i++) {
            a[k * m + i] /= root;
        }
        for (uint32_t j = k + 1; j < m; j++) {
            for (uint32_t i = j; i < m; i++) {
                a[j * m + i] -= a[k * m + i] * a[k * m + j];
            }
        }
    }
    return smallest;
}

/* c (rows x m, leading ldc) -= a (rows x n) b^T (b: m x n), a and b of leading dimension lda */
static void multiply_subtract(uint32_t rows, uint32_t m, uint32_t n, const double *a, const double *b, uint32_t lda,
                              double *c, uint32_t ldc) {
    for (uint32_t j = 0; j < m; j++) {
        double *target = c + (size_t)j * ldc;
        for (uint32_t k = 0; k < n; k++) {
            double factor = b[(size_t)k * lda + j];
            const double *column = a + (size_t)k * lda;
            for (uint32_t i = 0; i < rows; i++) {
                target[i] -= factor * column[i];
            }
        }
    }
}

/* Applies what column k does to column j; entry `at` of k is block row j. */
static void update(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, uint32_t j, uint32_t k, uint32_t at) {
    uint32_t m = plan->size[j], n = plan->size[k], lda = plan->height[k];
    const double *panel = factor->panel + plan->panel[k], *l_jk = panel + plan->offset[at];
    double *target = factor->panel + plan->panel[j];
    multiply_subtract(m, m, n, l_jk, l_jk, lda, factor->diagonal + plan->diagonal[j], m);
    for (uint32_t e = at + 1; e < plan->start[k + 1]; e++) {
        uint32_t i = plan->row[e];
        multiply_subtract(plan->size[i], m, n, panel + plan->offset[e], l_jk, lda, target + factor->map[i],
                          plan->height[j]);
    }
}

/* Factors D_j and solves the panel with it. */
static double finish_column(const AfxiBlockPlan *plan, AfxiBlockFactor *factor, uint32_t j) {
    uint32_t m = plan->size[j], height = plan->height[j];
    double *c = factor->diagonal + plan->diagonal[j], *panel = factor->panel + plan->panel[j];
    double pivot = cholesky(m, c);
    for (uint32_t k = 0; k < m; k++) {
        double *column = panel + (size_t)k * height;
        for (uint32_t e = 0; e < k; e++) {
            const double *earlier = panel + (size_t)e * height;
            double weight = c[e * m + k];
            for (uint32_t i = 0; i < height; i++) {
                column[i] -= weight * earlier[i];
            }
        }
        for (uint32_t i = 0; i < height; i++) {
            column[i] /= c[k * m + k];
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
        double pivot = finish_column(plan, factor, j);
        smallest = lesser(smallest, pivot);
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

void afxi_block_solve(const AfxiBlockPlan *plan, const AfxiBlockFactor *factor, const uint32_t *position, double *x) {
    for (uint32_t j = 0; j < plan->count; j++) {
        uint32_t m = plan->size[j];
        const double *panel = factor->panel + plan->panel[j], *c = factor->diagonal + plan->diagonal[j];
        double *own = x + position[j];
        for (uint32_t k = 0; k < m; k++) {
            own[k] /= c[k * m + k];
            for (uint32_t i = k + 1; i < m; i++) {
                own[i] -= c[k * m + i] * own[k];
            }
        }
        for (uint32_t e = plan->start[j]; e < plan->start[j + 1]; e++) {
            uint32_t i = plan->row[e];
            apply_subtract(plan->size[i], m, panel + plan->offset[e], plan->height[j], own, x + position[i]);
        }
    }
    for (uint32_t j = plan->count; j-- > 0;) {
        uint32_t m = plan->size[j], height = plan->height[j];
        const double *panel = factor->panel + plan->panel[j], *c = factor->diagonal + plan->diagonal[j];
        double *own = x + position[j];
        for (uint32_t k = m; k-- > 0;) {
            double sum = own[k];
            for (uint32_t e = plan->start[j]; e < plan->start[j + 1]; e++) {
                uint32_t i = plan->row[e];
                const double *column = panel + (size_t)k * height + plan->offset[e];
                for (uint32_t r = 0; r < plan->size[i]; r++) {
                    sum -= column[r] * x[position[i] + r];
                }
            }
            for (uint32_t i = k + 1; i < m; i++) {
                sum -= c[k * m + i] * own[i];
            }
            own[k] = sum / c[k * m + k];
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One front: columns in blocks of eight, within which pivots are looked for one by one; what a block changes of all
 * that is to its right is taken off at once, in tiles of two quads by four columns that stay in registers. */
#include "grad/front.h"
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include <math.h>

#include "sparse/quad.h"

#define BLOCK 8u

/* c [rows][columns] -= a b^T, element (j, k) of b at b[j across + k down]. */
WIDE_INLINE void take_tile(int quads, int columns, uint32_t depth, const double *a, size_t a_leading, const double *b,
                           size_t across, size_t down, double *c, size_t c_leading) {
    Quad sum[2][4];
    for (int j = 0; j < columns; j++) {
        for (int q = 0; q < quads; q++) {
            sum[q][j] = quad_load(c + (size_t)j * c_leading + 4 * q);
        }
    }
    for (uint32_t k = 0; k < depth; k++) {
        Quad x[2];
        for (int q = 0; q < quads; q++) {
            x[q] = quad_load(a + k * a_leading + 4 * q);
        }
        for (int j = 0; j < columns; j++) {
            Quad y = quad_all(b[(size_t)j * across + k * down]);
            for (int q = 0; q < quads; q++) {
                sum[q][j] = quad_nma(x[q], y, sum[q][j]);
            }
        }
    }
    for (int j = 0; j < columns; j++) {
        for (int q = 0; q < quads; q++) {
            quad_store(c + (size_t)j * c_leading + 4 * q, sum[q][j]);
        }
    }
}

WIDE_INLINE void take_columns(int columns, uint32_t rows, uint32_t depth, const double *a, size_t a_leading,
                              const double *b, size_t across, size_t down, double *c, size_t c_leading) {
    uint32_t row = 0;
    for (; row + 8 <= rows; row += 8) {
        take_tile(2, columns, depth, a + row, a_leading, b, across, down, c + row, c_leading);
    }
    if (row < rows) {
        take_tile(1, columns, depth, a + row, a_leading, b, across, down, c + row, c_leading);
    }
}

static void take_off(uint32_t rows, uint32_t columns, uint32_t depth, const double *a, size_t a_leading,
                     const double *b, size_t across, size_t down, double *c, size_t c_leading) {
    uint32_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        take_columns(4, rows, depth, a, a_leading, b + j * across, across, down, c + j * c_leading, c_leading);
    }
    for (; j < columns; j++) {
        take_columns(1, rows, depth, a, a_leading, b + j * across, across, down, c + j * c_leading, c_leading);
    }
}

/* to [begin ... end) -= by from; end is a multiple of four. */
WIDE_INLINE void take_multiple(uint32_t begin, uint32_t end, double by, const double *from, double *to) {
    uint32_t row = begin;
    for (; row < end && (row & 3u); row++) {
        to[row] = scalar_nma(by, from[row], to[row]);
    }
    Quad factor = quad_all(by);
    for (; row < end; row += 4) {
        quad_store(to + row, quad_nma(factor, quad_load(from + row), quad_load(to + row)));
    }
}

/* Brings the largest of a column among the pivots to row k. */
static double choose(const AfxiGradFront *front, uint32_t k, double *column, double *across, uint32_t *swap) {
    size_t leading = front->below + front->beside;
    double most = -1;
    uint32_t best = k;
    for (uint32_t r = k; r < front->width; r++) {
        double size = fabs(column[k * leading + r]);
        if (size > most) {
            most = size;
            best = r;
        }
    }
    swap[k] = best;
    for (uint32_t c = 0; best != k && c < front->width; c++) {
        double kept = column[c * leading + k];
        column[c * leading + k] = column[c * leading + best];
        column[c * leading + best] = kept;
    }
    for (uint32_t r = 0; best != k && r < front->beside; r++) {
        double kept = across[(size_t)k * front->beside + r];
        across[(size_t)k * front->beside + r] = across[(size_t)best * front->beside + r];
        across[(size_t)best * front->beside + r] = kept;
    }
    return most;
}

/* Columns begin ... end - 1, which all before have been taken off from. */
static double factor_block(const AfxiGradFront *front, uint32_t begin, uint32_t end, double *column, double *across,
                           uint32_t *swap) {
    size_t leading = front->below + front->beside;
    double least = INFINITY;
    for (uint32_t k = begin; k < end; k++) {
        double most = choose(front, k, column, across, swap), *own = column + k * leading;
        double per = 1 / own[k];
        least = most < least || !(most == most) ? most : least;
        for (uint32_t r = k + 1; r < leading; r++) {
            own[r] *= per;
        }
        own[k] = per;
        for (uint32_t j = k + 1; j < end; j++) {
            take_multiple(k + 1, (uint32_t)leading, column[j * leading + k], own, column + j * leading);
        }
    }
    return least;
}

/* U beside the pivots: what is above each of them in L is taken off. */
static void factor_across(const AfxiGradFront *front, const double *column, double *across) {
    size_t leading = front->below + front->beside, rows = front->beside;
    for (uint32_t begin = 0; begin < front->width; begin += BLOCK) {
        uint32_t end = begin + BLOCK < front->width ? begin + BLOCK : front->width;
        for (uint32_t k = begin; k < end; k++) {
            for (uint32_t l = begin; l < k; l++) {
                take_multiple(0, front->beside, column[l * leading + k], across + l * rows, across + k * rows);
            }
        }
        take_off(front->beside, front->width - end, end - begin, across + begin * rows, rows,
                 column + begin * leading + end, 1, leading, across + end * rows, rows);
    }
}

static double factor_front(const AfxiGradFront *front, double *column, double *across, double *update, uint32_t *swap) {
    size_t leading = front->below + front->beside;
    double least = INFINITY;
    for (uint32_t begin = 0; begin < front->width; begin += BLOCK) {
        uint32_t end = begin + BLOCK < front->width ? begin + BLOCK : front->width;
        double own = factor_block(front, begin, end, column, across, swap);
        least = own < least || !(own == own) ? own : least;
        for (uint32_t j = end; j < front->width; j++) {
            for (uint32_t k = begin; k < end; k++) {
                for (uint32_t l = k + 1; l < end; l++) {
                    column[j * leading + l] =
                        scalar_nma(column[k * leading + l], column[j * leading + k], column[j * leading + l]);
                }
            }
        }
        if (end < front->width) { /* end is a multiple of four */
            take_off((uint32_t)leading - end, front->width - end, end - begin, column + begin * leading + end, leading,
                     column + end * leading + begin, leading, 1, column + end * leading + end, leading);
        }
    }
    factor_across(front, column, across);
    take_off(front->beside, front->height, front->width, column + front->below, leading, across, 1, front->beside,
             update, front->beside);
    return least;
}

static void spread(uint32_t rows, uint32_t columns, const double *a, size_t leading, const double *y, double *out) {
    for (uint32_t row = 0; row < rows; row += 4) {
        Quad sum = quad_all(0);
        for (uint32_t k = 0; k < columns; k++) {
            sum = quad_fma(quad_load(a + k * leading + row), quad_all(y[k]), sum);
        }
        quad_store(out + row, sum);
    }
}

static void gather(uint32_t rows, uint32_t columns, const double *a, size_t leading, const double *y, double *out) {
    for (uint32_t k = 0; k < columns; k += 4) {
        uint32_t some = columns - k < 4 ? columns - k : 4;
        Quad sum[4];
        double result[4];
        for (uint32_t c = 0; c < 4; c++) {
            sum[c] = quad_all(0);
        }
        for (uint32_t row = 0; row < rows; row += 4) {
            Quad x = quad_load(y + row);
            for (uint32_t c = 0; c < some; c++) {
                sum[c] = quad_fma(quad_load(a + (k + c) * leading + row), x, sum[c]);
            }
        }
        quad_store(result, quad_sums(sum));
        for (uint32_t c = 0; c < some; c++) {
            out[k + c] = result[c];
        }
    }
}

extern const AfxiGradKernel AFXI_WIDE(afxi_grad_kernel);
const AfxiGradKernel AFXI_WIDE(afxi_grad_kernel) = {factor_front, spread, gather};

#endif

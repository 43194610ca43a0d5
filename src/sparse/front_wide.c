/* SPDX-License-Identifier: Apache-2.0 */
/* One front: Cholesky of its panel and the update that it hands on. Lanes run along rows; a tile of three quads by four
 * columns stays in registers while earlier columns pass by. Columns are done in blocks of four, left-looking; every
 * DEPTH_MOST columns what they contribute is taken off all that is to their right, so that a row of tiles stays in the
 * first cache. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

#define TILE_QUADS 3
#define DEPTH_MOST 48u

/* The lower triangle of a diagonal block of L, and the reciprocals of its diagonal. */
typedef struct Corner {
    double lower[4][4]; /* [column][row] */
    double inverse[4];
} Corner;

/* acc -= (rows, columns 0 ... depth) (four rows `across` of the same columns)^T, or +=; depth > 0. */
WIDE_INLINE void multiply(int quads, int columns, uint32_t depth, const double *rows, const double *across,
                          size_t leading, bool add, Quad acc[TILE_QUADS][4]) {
    do {
        Quad x[TILE_QUADS];
        for (int q = 0; q < quads; q++) {
            x[q] = quad_load(rows + 4 * q);
        }
        for (int c = 0; c < columns; c++) {
            Quad y = quad_all(across[c]);
            for (int q = 0; q < quads; q++) {
                acc[q][c] = add ? quad_fma(x[q], y, acc[q][c]) : quad_nma(x[q], y, acc[q][c]);
            }
        }
        rows += leading;
        across += leading;
    } while (--depth);
}

/* Rows of a block of columns, `own`, behind `depth` others, `rows`: takes off what those contribute, then solves with
 * the corner. `any`: depth > 0; known when this is compiled, so that sums need not go through memory. */
WIDE_INLINE void solve_tile(int quads, int columns, bool any, uint32_t depth, const double *rows, const double *across,
                            double *own, size_t leading, const Corner *corner) {
    Quad acc[TILE_QUADS][4];
    for (int c = 0; c < columns; c++) {
        for (int q = 0; q < quads; q++) {
            acc[q][c] = quad_load(own + c * leading + 4 * q);
        }
    }
    if (any) {
        multiply(quads, columns, depth, rows, across, leading, false, acc);
    }
    for (int c = 0; c < columns; c++) {
        Quad inverse = quad_all(corner->inverse[c]);
        for (int q = 0; q < quads; q++) {
            acc[q][c] = quad_multiply(acc[q][c], inverse);
            quad_store(own + c * leading + 4 * q, acc[q][c]);
        }
        for (int later = c + 1; later < columns; later++) {
            Quad factor = quad_all(corner->lower[c][later]);
            for (int q = 0; q < quads; q++) {
                acc[q][later] = quad_nma(acc[q][c], factor, acc[q][later]);
            }
        }
    }
}

WIDE_INLINE void solve_some(int columns, bool any, uint32_t depth, const double *first, const double *across,
                            double *own, uint32_t row, uint32_t leading, const Corner *corner) {
    for (; row + 4 * TILE_QUADS <= leading; row += 4 * TILE_QUADS) {
        solve_tile(TILE_QUADS, columns, any, depth, first + row, across, own + row, leading, corner);
    }
    if (row + 8 <= leading) {
        solve_tile(2, columns, any, depth, first + row, across, own + row, leading, corner);
    } else if (row + 4 <= leading) {
        solve_tile(1, columns, any, depth, first + row, across, own + row, leading, corner);
    }
}

/* All rows from `row` on. Not inlined: the corner is to be read from memory, not to take registers from the tiles. */
#define SOLVE_ROWS(columns)                                                                                     \
    static __attribute__((noinline)) void solve_rows_##columns(uint32_t depth, const double *first,             \
                                                               const double *across, double *own, uint32_t row, \
                                                               uint32_t leading, const Corner *corner) {        \
        if (depth) {                                                                                            \
            solve_some(columns, true, depth, first, across, own, row, leading, corner);                         \
        } else {                                                                                                \
            solve_some(columns, false, 0, first, across, own, row, leading, corner);                            \
        }                                                                                                       \
    }
SOLVE_ROWS(1)
SOLVE_ROWS(2)
SOLVE_ROWS(3)
SOLVE_ROWS(4)

/* The diagonal block of columns that stand `depth` behind those of `across`, its first row. What later columns lose is
 * reckoned with a reciprocal of the pivot, not with its root: one pivot waits for the one before, and that is sooner
 * there. */
WIDE_INLINE void factor_corner(int columns, uint32_t depth, const double *across, double *own, size_t leading,
                               uint32_t row, AfxiPivot *pivot, Corner *corner) {
    Quad acc[TILE_QUADS][4];
    double a[4][4]; /* [column][row] */
    for (int c = 0; c < columns; c++) {
        acc[0][c] = quad_load(own + c * leading);
    }
    if (depth) {
        multiply(1, columns, depth, across, across, leading, false, acc);
    }
    for (int c = 0; c < columns; c++) {
        quad_store(a[c], acc[0][c]);
    }
    for (int c = 0; c < columns; c++) {
        double reciprocal = 1 / afxi_pivot_take(pivot, a[c][c], row + (uint32_t)c);
        for (int later = c + 1; later < columns; later++) {
            double factor = a[c][later] * reciprocal;
            for (int r = later; r < columns; r++) {
                a[later][r] = scalar_nma(a[c][r], factor, a[later][r]);
            }
        }
        double inverse = corner->inverse[c] = __builtin_sqrt(reciprocal);
        own[c * leading + (size_t)c] = inverse;
        for (int r = c + 1; r < columns; r++) {
            own[c * leading + (size_t)r] = corner->lower[c][r] = a[c][r] * inverse;
        }
    }
}

/* Columns [begin + depth, ...) of the panel, after what the columns before `begin` contribute has been taken off. */
#define FACTOR_COLUMNS(columns)                                                                                      \
    WIDE_INLINE void factor_columns_##columns(const AfxiFront *front, double *panel, uint32_t begin, uint32_t depth, \
                                              AfxiPivot *pivot) {                                                    \
        Corner corner;                                                                                               \
        uint32_t leading = front->leading, at = begin + depth;                                                       \
        double *first = panel + (size_t)begin * leading, *own = panel + (size_t)at * leading;                        \
        factor_corner(columns, depth, first + at, own + at, leading, front->first_row + at, pivot, &corner);         \
        solve_rows_##columns(depth, first, first + at, own, at + 4, leading, &corner);                               \
    }
FACTOR_COLUMNS(1)
FACTOR_COLUMNS(2)
FACTOR_COLUMNS(3)
FACTOR_COLUMNS(4)

/* to -= rows across^T (or +=), one tile; `fresh`: to was zero. */
WIDE_INLINE void update_tile(int quads, int columns, uint32_t depth, const double *rows, const double *across,
                             size_t leading, double *to, size_t to_leading, bool fresh, bool add) {
    Quad acc[TILE_QUADS][4];
    for (int c = 0; c < columns; c++) {
        for (int q = 0; q < quads; q++) {
            acc[q][c] = fresh ? quad_all(0) : quad_load(to + c * to_leading + 4 * q);
        }
    }
    multiply(quads, columns, depth, rows, across, leading, add, acc);
    for (int c = 0; c < columns; c++) {
        for (int q = 0; q < quads; q++) {
            quad_store(to + c * to_leading + 4 * q, acc[q][c]);
        }
    }
}

/* A row of tiles: columns [0, columns) of `to`, whose rows are those of `rows`; across: the row of column 0. */
WIDE_INLINE void update_row(int quads, uint32_t columns, uint32_t depth, const double *rows, const double *across,
                            size_t leading, double *to, size_t to_leading, bool fresh, bool add) {
    uint32_t at = 0;
    for (; at + 4 <= columns; at += 4) {
        update_tile(quads, 4, depth, rows, across + at, leading, to + at * to_leading, to_leading, fresh, add);
    }
    switch (columns - at) {
    case 1:
        update_tile(quads, 1, depth, rows, across + at, leading, to + at * to_leading, to_leading, fresh, add);
        break;
    case 2:
        update_tile(quads, 2, depth, rows, across + at, leading, to + at * to_leading, to_leading, fresh, add);
        break;
    case 3:
        update_tile(quads, 3, depth, rows, across + at, leading, to + at * to_leading, to_leading, fresh, add);
        break;
    default:
        break;
    }
}

/* The lower part of to (height rows, padded; `columns` columns) -= below below^T; both start at the same row. */
WIDE_INLINE void update_all(uint32_t rows, uint32_t columns, uint32_t depth, const double *below, size_t leading,
                            double *to, size_t to_leading, bool fresh, bool add) {
    uint32_t row = 0;
    for (; row + 4 * TILE_QUADS <= rows; row += 4 * TILE_QUADS) {
        uint32_t most = row + 4 * TILE_QUADS < columns ? row + 4 * TILE_QUADS : columns;
        update_row(TILE_QUADS, most, depth, below + row, below, leading, to + row, to_leading, fresh, add);
    }
    if (row + 8 <= rows) {
        uint32_t most = row + 8 < columns ? row + 8 : columns;
        update_row(2, most, depth, below + row, below, leading, to + row, to_leading, fresh, add);
    } else if (row + 4 <= rows) {
        uint32_t most = row + 4 < columns ? row + 4 : columns;
        update_row(1, most, depth, below + row, below, leading, to + row, to_leading, fresh, add);
    }
}

static __attribute__((noinline)) void update_fresh(uint32_t rows, uint32_t columns, uint32_t depth, const double *below,
                                                   size_t leading, double *to, size_t to_leading) {
    update_all(rows, columns, depth, below, leading, to, to_leading, true, false);
}

static __attribute__((noinline)) void update_more(uint32_t rows, uint32_t columns, uint32_t depth, const double *below,
                                                  size_t leading, double *to, size_t to_leading) {
    update_all(rows, columns, depth, below, leading, to, to_leading, false, false);
}

static void factor_front(const AfxiFront *front, double *panel, AfxiPivot *pivot) {
    size_t leading = front->leading;
    for (uint32_t begin = 0; begin < front->width; begin += DEPTH_MOST) {
        uint32_t columns = front->width - begin < DEPTH_MOST ? front->width - begin : DEPTH_MOST, depth = 0;
        for (; depth + 4 <= columns; depth += 4) {
            factor_columns_4(front, panel, begin, depth, pivot);
        }
        switch (columns - depth) {
        case 1:
            factor_columns_1(front, panel, begin, depth, pivot);
            break;
        case 2:
            factor_columns_2(front, panel, begin, depth, pivot);
            break;
        case 3:
            factor_columns_3(front, panel, begin, depth, pivot);
            break;
        default:
            break;
        }
        uint32_t next = begin + columns;
        if (next < front->width) {
            update_more(front->leading - next, front->width - next, columns, panel + begin * leading + next, leading,
                        panel + next * leading + next, leading);
        }
    }
}

static void update_front(const AfxiFront *front, const double *panel, double *update) {
    uint32_t rows = front->update_leading;
    size_t leading = front->leading;
    for (uint32_t begin = 0; begin < front->width; begin += DEPTH_MOST) {
        uint32_t depth = front->width - begin < DEPTH_MOST ? front->width - begin : DEPTH_MOST;
        const double *below = panel + begin * leading + front->below;
        if (front->sign < 0) {
            update_all(rows, front->height, depth, below, leading, update, rows, begin == 0, true);
        } else if (begin == 0) {
            update_fresh(rows, front->height, depth, below, leading, update, rows);
        } else {
            update_more(rows, front->height, depth, below, leading, update, rows);
        }
    }
}

extern const AfxiFrontKernel AFXI_WIDE(afxi_front_kernel);
const AfxiFrontKernel AFXI_WIDE(afxi_front_kernel) = {factor_front, update_front};

#endif

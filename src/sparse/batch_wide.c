/* SPDX-License-Identifier: Apache-2.0 */
/* Four fronts of one shape side by side: every quad holds one element of all four. The arithmetic of front_wide.c,
 * without a thought for lanes, but for bringing them together and apart. */
#include <math.h>

#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"
#include "sparse/tuning.h"

#define TILE_ROWS 4
#define TILE_COLUMNS 3

typedef struct Corner {
    Quad lower[TILE_COLUMNS][TILE_COLUMNS]; /* [column][row] */
    Quad inverse[TILE_COLUMNS];
} Corner;

/* Rows of a panel, in quads. */
static uint32_t rows_of(const AfxiFront *front) {
    return front->width + front->height + 1;
}

/* Four rows of each lane to quads in `side`, `count` of them. */
WIDE_INLINE void load_four(int count, double *const panel[AFXI_BATCH], size_t at, double *side) {
    Quad q[4];
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        q[l] = quad_load(panel[l] + at);
    }
    quad_transpose(q);
    for (int k = 0; k < count; k++) {
        quad_store(side + 4 * k, q[k]);
    }
}

/* And back; rows of a lane behind the last one become zero. */
WIDE_INLINE void store_four(int count, const double *side, double *const panel[AFXI_BATCH], size_t at) {
    Quad q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = k < count ? quad_load(side + 4 * k) : quad_all(0);
    }
    quad_transpose(q);
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        quad_store(panel[l] + at, q[l]);
    }
}

WIDE_INLINE void bring_together(uint32_t rows, double *const panel[AFXI_BATCH], size_t at, double *side) {
    for (; rows >= 4; rows -= 4, at += 4, side += 16) {
        load_four(4, panel, at, side);
    }
    switch (rows) {
    case 1:
        load_four(1, panel, at, side);
        break;
    case 2:
        load_four(2, panel, at, side);
        break;
    case 3:
        load_four(3, panel, at, side);
        break;
    default:
        break;
    }
}

WIDE_INLINE void bring_apart(uint32_t rows, const double *side, double *const panel[AFXI_BATCH], size_t at) {
    for (; rows >= 4; rows -= 4, at += 4, side += 16) {
        store_four(4, side, panel, at);
    }
    switch (rows) {
    case 1:
        store_four(1, side, panel, at);
        break;
    case 2:
        store_four(2, side, panel, at);
        break;
    case 3:
        store_four(3, side, panel, at);
        break;
    default:
        break;
    }
}

static void load_batch(const AfxiFront *front, double *const panel[AFXI_BATCH], double *side) {
    uint32_t width = front->width;
    for (uint32_t c = 0; c < width; c++) {
        size_t at = (size_t)c * front->leading, first = c & ~3u;
        double *to = side + (size_t)c * rows_of(front) * AFXI_BATCH;
        bring_together(width - (uint32_t)first, panel, at + first, to + first * AFXI_BATCH);
        bring_together(front->height + 1, panel, at + front->below, to + width * AFXI_BATCH);
    }
}

static void store_batch(const AfxiFront *front, const double *side, double *const panel[AFXI_BATCH]) {
    uint32_t width = front->width;
    for (uint32_t c = 0; c < width; c++) {
        size_t at = (size_t)c * front->leading, first = c & ~3u;
        const double *from = side + (size_t)c * rows_of(front) * AFXI_BATCH;
        bring_apart(width - (uint32_t)first, from + first * AFXI_BATCH, panel, at + first);
        bring_apart(front->height + 1, from + width * AFXI_BATCH, panel, at + front->below);
    }
}

/* acc -= (rows, columns 0 ... depth) (rows `across` of the same columns)^T, depth > 0; leading in doubles. */
WIDE_INLINE void multiply(int rows, int columns, uint32_t depth, const double *own, const double *across,
                          size_t leading, Quad acc[TILE_ROWS][TILE_COLUMNS]) {
    do {
        Quad y[TILE_COLUMNS];
        for (int c = 0; c < columns; c++) {
            y[c] = quad_load(across + 4 * c);
        }
        for (int r = 0; r < rows; r++) { /* one row at a time: twelve sums, three y and this one fill the registers */
            Quad x = quad_load(own + 4 * r);
            for (int c = 0; c < columns; c++) {
                acc[r][c] = quad_nma(x, y[c], acc[r][c]);
            }
        }
        own += leading;
        across += leading;
    } while (--depth);
}

/* `any`: depth > 0; known when this is compiled, so that sums need not go through memory. */
WIDE_INLINE void solve_tile(int rows, int columns, bool any, uint32_t depth, double *row, const double *across,
                            size_t leading, const Corner *corner) {
    Quad acc[TILE_ROWS][TILE_COLUMNS];
    double *own = row + depth * leading;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            acc[r][c] = quad_load(own + c * leading + 4 * r);
        }
    }
    if (any) {
        multiply(rows, columns, depth, row, across, leading, acc);
    }
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            acc[r][c] = quad_multiply(acc[r][c], corner->inverse[c]);
            quad_store(own + c * leading + 4 * r, acc[r][c]);
        }
        for (int later = c + 1; later < columns; later++) {
            for (int r = 0; r < rows; r++) {
                acc[r][later] = quad_nma(acc[r][c], corner->lower[c][later], acc[r][later]);
            }
        }
    }
}

/* The smallest pivot of each lane and its column, while none is wrong. */
typedef struct Smallest {
    Quad value, column;
} Smallest;

/* Pivots that are too small are lifted, lane by lane. */
static __attribute__((noinline)) Quad lift_pivots(Quad value, uint32_t column, AfxiPivot pivot[AFXI_BATCH]) {
    double lane[AFXI_BATCH];
    quad_store(lane, value);
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        lane[l] = afxi_pivot_take(&pivot[l], lane[l], column);
    }
    return quad_load(lane);
}

WIDE_INLINE Quad take_pivots(Quad value, uint32_t column, Smallest *smallest, AfxiPivot pivot[AFXI_BATCH]) {
    if (!quad_all_above(value, AFXI_PIVOT_ROUNDING)) {
        return lift_pivots(value, column, pivot);
    }
    smallest->column = quad_choose_less(value, smallest->value, quad_all(column), smallest->column);
    smallest->value = quad_choose_less(value, smallest->value, value, smallest->value);
    return value;
}

WIDE_INLINE void factor_corner(int columns, uint32_t depth, double *across, size_t leading, Smallest *smallest,
                               AfxiPivot *pivot, Corner *corner) {
    Quad acc[TILE_ROWS][TILE_COLUMNS];
    double *own = across + depth * leading;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < columns; r++) {
            acc[r][c] = quad_load(own + c * leading + 4 * r);
        }
    }
    if (depth) {
        multiply(columns, columns, depth, across, across, leading, acc);
    }
    for (int c = 0; c < columns; c++) {
        Quad reciprocal = quad_reciprocal(take_pivots(acc[c][c], depth + (uint32_t)c, smallest, pivot));
        for (int later = c + 1; later < columns; later++) {
            Quad factor = quad_multiply(acc[later][c], reciprocal);
            for (int r = later; r < columns; r++) {
                acc[r][later] = quad_nma(acc[r][c], factor, acc[r][later]);
            }
        }
        Quad inverse = corner->inverse[c] = quad_root(reciprocal);
        quad_store(own + c * leading + 4 * c, inverse);
        for (int r = c + 1; r < columns; r++) {
            corner->lower[c][r] = quad_multiply(acc[r][c], inverse);
            quad_store(own + c * leading + 4 * r, corner->lower[c][r]);
        }
    }
}

WIDE_INLINE void solve_some(int columns, bool any, uint32_t depth, double *side, const double *across, uint32_t row,
                            uint32_t rows, const Corner *corner) {
    size_t leading = (size_t)rows * AFXI_BATCH;
    double *own = side + row * AFXI_BATCH;
    for (; row + TILE_ROWS <= rows; row += TILE_ROWS, own += TILE_ROWS * AFXI_BATCH) {
        solve_tile(TILE_ROWS, columns, any, depth, own, across, leading, corner);
    }
    switch (rows - row) {
    case 1:
        solve_tile(1, columns, any, depth, own, across, leading, corner);
        break;
    case 2:
        solve_tile(2, columns, any, depth, own, across, leading, corner);
        break;
    case 3:
        solve_tile(3, columns, any, depth, own, across, leading, corner);
        break;
    default:
        break;
    }
}

/* All rows from `row` on. Not inlined: the corner is to be read from memory, not to take registers from the tiles. */
#define SOLVE_ROWS(columns)                                                                                         \
    static __attribute__((noinline)) void solve_rows_##columns(uint32_t depth, double *side, const double *across,  \
                                                               uint32_t row, uint32_t rows, const Corner *corner) { \
        if (depth) {                                                                                                \
            solve_some(columns, true, depth, side, across, row, rows, corner);                                      \
        } else {                                                                                                    \
            solve_some(columns, false, 0, side, across, row, rows, corner);                                         \
        }                                                                                                           \
    }
SOLVE_ROWS(1)
SOLVE_ROWS(2)
SOLVE_ROWS(3)

#define FACTOR_COLUMNS(columns)                                                                     \
    WIDE_INLINE void factor_columns_##columns(uint32_t depth, const AfxiFront *front, double *side, \
                                              Smallest *smallest, AfxiPivot *pivot) {               \
        Corner corner;                                                                              \
        uint32_t rows = rows_of(front);                                                             \
        double *across = side + depth * AFXI_BATCH;                                                 \
        size_t leading = (size_t)rows * AFXI_BATCH;                                                 \
        factor_corner(columns, depth, across, leading, smallest, pivot, &corner);                   \
        solve_rows_##columns(depth, side, across, depth + columns, rows, &corner);                  \
    }
FACTOR_COLUMNS(1)
FACTOR_COLUMNS(2)
FACTOR_COLUMNS(3)

static void factor_batch(const AfxiFront *front, double *side, AfxiPivot pivot[AFXI_BATCH]) {
    Smallest smallest = {quad_all(INFINITY), quad_all(0)};
    uint32_t depth = 0;
    for (; depth + TILE_COLUMNS <= front->width; depth += TILE_COLUMNS) {
        factor_columns_3(depth, front, side, &smallest, pivot);
    }
    if (front->width - depth == 2) {
        factor_columns_2(depth, front, side, &smallest, pivot);
    } else if (front->width - depth == 1) {
        factor_columns_1(depth, front, side, &smallest, pivot);
    }
    double value[AFXI_BATCH], column[AFXI_BATCH];
    quad_store(value, smallest.value);
    quad_store(column, smallest.column);
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        if (pivot[l].wrong == 0 && value[l] < pivot[l].smallest) {
            pivot[l].smallest = value[l];
            pivot[l].row = (uint32_t)column[l];
        }
    }
}

/* Four rows by `columns` of the update matrices; rows behind the end are not computed but written. */
WIDE_INLINE void update_tile(int rows, int columns, uint32_t depth, const double *own, const double *across,
                             size_t leading, double *const update[AFXI_BATCH], size_t at, size_t to_leading) {
    Quad acc[TILE_ROWS][TILE_COLUMNS];
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            acc[r][c] = quad_all(0);
        }
    }
    multiply(rows, columns, depth, own, across, leading, acc);
    for (int c = 0; c < columns; c++) {
        Quad q[4];
        for (int r = 0; r < 4; r++) {
            q[r] = r < rows ? acc[r][c] : quad_all(0);
        }
        quad_transpose(q);
        for (uint32_t l = 0; l < AFXI_BATCH; l++) {
            quad_store(update[l] + at + c * to_leading, q[l]);
        }
    }
}

/* Columns from `at` on, from the quad of the diagonal down. */
WIDE_INLINE void update_columns(int columns, const AfxiFront *front, const double *below, uint32_t at,
                                double *const update[AFXI_BATCH]) {
    uint32_t rows = front->height + 1, row = at & ~3u, depth = front->width;
    size_t leading = (size_t)rows_of(front) * AFXI_BATCH, to = (size_t)at * front->update_leading;
    const double *across = below + at * AFXI_BATCH;
    for (; row + TILE_ROWS <= rows; row += TILE_ROWS) {
        update_tile(TILE_ROWS, columns, depth, below + row * AFXI_BATCH, across, leading, update, to + row,
                    front->update_leading);
    }
    below += row * AFXI_BATCH;
    switch (rows - row) {
    case 1:
        update_tile(1, columns, depth, below, across, leading, update, to + row, front->update_leading);
        break;
    case 2:
        update_tile(2, columns, depth, below, across, leading, update, to + row, front->update_leading);
        break;
    case 3:
        update_tile(3, columns, depth, below, across, leading, update, to + row, front->update_leading);
        break;
    default:
        break;
    }
}

static void update_batch(const AfxiFront *front, const double *side, double *const update[AFXI_BATCH]) {
    const double *below = side + front->width * AFXI_BATCH;
    uint32_t at = 0;
    for (; at + TILE_COLUMNS <= front->height; at += TILE_COLUMNS) {
        update_columns(TILE_COLUMNS, front, below, at, update);
    }
    if (front->height - at == 2) {
        update_columns(2, front, below, at, update);
    } else if (front->height - at == 1) {
        update_columns(1, front, below, at, update);
    }
}

extern const AfxiBatchKernel AFXI_WIDE(afxi_batch_kernel);
const AfxiBatchKernel AFXI_WIDE(afxi_batch_kernel) = {load_batch, factor_batch, store_batch, update_batch};

#endif

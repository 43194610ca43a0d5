/* SPDX-License-Identifier: Apache-2.0 */
/* Four fronts of one shape side by side: every quad holds one element of all four. The arithmetic of front_wide.c,
 * without a thought for lanes, but for bringing them together and apart. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

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

/* `rows` quads to `to` from as many doubles of each lane, which stand `apart`. */
WIDE_INLINE void bring_together(uint32_t rows, const double *from, size_t apart, double *to) {
    for (uint32_t r = 0; r < rows; r += 4) {
        Quad q[4];
        for (uint32_t l = 0; l < AFXI_BATCH; l++) {
            q[l] = quad_load(from + l * apart + r);
        }
        quad_transpose(q);
        for (uint32_t k = 0; k < 4 && r + k < rows; k++) {
            quad_store(to + (r + k) * AFXI_BATCH, q[k]);
        }
    }
}

static void load_batch(const AfxiFront *front, const double *from, double *panel) {
    uint32_t width = front->width, leading = front->leading;
    for (uint32_t c = 0; c < width; c++) {
        double *to = panel + (size_t)c * rows_of(front) * AFXI_BATCH;
        bring_together(width, from + c * leading, (size_t)width * leading, to);
        bring_together(front->height + 1, from + c * leading + front->below, (size_t)width * leading,
                       to + width * AFXI_BATCH);
    }
}

/* acc -= (rows, columns 0 ... depth) (rows `across` of the same columns)^T; leading in doubles. */
WIDE_INLINE void multiply(int rows, int columns, uint32_t depth, const double *own, const double *across,
                          size_t leading, Quad acc[TILE_ROWS][TILE_COLUMNS]) {
    for (uint32_t k = 0; k < depth; k++) {
        Quad x[TILE_ROWS];
        for (int r = 0; r < rows; r++) {
            x[r] = quad_load(own + k * leading + 4 * r);
        }
        for (int c = 0; c < columns; c++) {
            Quad y = quad_load(across + k * leading + 4 * c);
            for (int r = 0; r < rows; r++) {
                acc[r][c] = quad_nma(x[r], y, acc[r][c]);
            }
        }
    }
}

WIDE_INLINE void solve_tile(int rows, int columns, uint32_t depth, double *row, const double *across, size_t leading,
                            const Corner *corner) {
    Quad acc[TILE_ROWS][TILE_COLUMNS];
    double *own = row + depth * leading;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            acc[r][c] = quad_load(own + c * leading + 4 * r);
        }
    }
    multiply(rows, columns, depth, row, across, leading, acc);
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

/* Pivots that are too small are lifted, lane by lane. */
static Quad take_pivots(Quad value, uint32_t column, AfxiPivot pivot[AFXI_BATCH]) {
    double lane[AFXI_BATCH];
    quad_store(lane, value);
    for (uint32_t l = 0; l < AFXI_BATCH; l++) {
        lane[l] = afxi_pivot_take(&pivot[l], lane[l], column);
    }
    return quad_load(lane);
}

WIDE_INLINE void factor_corner(int columns, uint32_t depth, double *across, size_t leading, AfxiPivot *pivot,
                               Corner *corner) {
    Quad acc[TILE_ROWS][TILE_COLUMNS];
    double *own = across + depth * leading;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < columns; r++) {
            acc[r][c] = quad_load(own + c * leading + 4 * r);
        }
    }
    multiply(columns, columns, depth, across, across, leading, acc);
    for (int c = 0; c < columns; c++) {
        Quad inverse = corner->inverse[c] = quad_inverse_root(take_pivots(acc[c][c], depth + (uint32_t)c, pivot));
        quad_store(own + c * leading + 4 * c, inverse);
        for (int r = c + 1; r < columns; r++) {
            corner->lower[c][r] = quad_multiply(acc[r][c], inverse);
            quad_store(own + c * leading + 4 * r, corner->lower[c][r]);
        }
        for (int later = c + 1; later < columns; later++) {
            for (int r = later; r < columns; r++) {
                acc[r][later] = quad_nma(corner->lower[c][r], corner->lower[c][later], acc[r][later]);
            }
        }
    }
}

/* All rows from `row` on. Not inlined: the corner is to be read from memory, not to take registers from the tiles. */
#define SOLVE_ROWS(columns)                                                                                         \
    static __attribute__((noinline)) void solve_rows_##columns(uint32_t depth, double *panel, const double *across, \
                                                               uint32_t row, uint32_t rows, const Corner *corner) { \
        size_t leading = (size_t)rows * AFXI_BATCH;                                                                 \
        for (; row + TILE_ROWS <= rows; row += TILE_ROWS) {                                                         \
            solve_tile(TILE_ROWS, columns, depth, panel + row * AFXI_BATCH, across, leading, corner);               \
        }                                                                                                           \
        for (; row < rows; row++) {                                                                                 \
            solve_tile(1, columns, depth, panel + row * AFXI_BATCH, across, leading, corner);                       \
        }                                                                                                           \
    }
SOLVE_ROWS(1)
SOLVE_ROWS(2)
SOLVE_ROWS(3)

#define FACTOR_COLUMNS(columns)                                                                      \
    WIDE_INLINE void factor_columns_##columns(uint32_t depth, const AfxiFront *front, double *panel, \
                                              AfxiPivot *pivot) {                                    \
        Corner corner;                                                                               \
        uint32_t rows = rows_of(front);                                                              \
        double *across = panel + depth * AFXI_BATCH;                                                 \
        factor_corner(columns, depth, across, (size_t)rows *AFXI_BATCH, pivot, &corner);             \
        solve_rows_##columns(depth, panel, across, depth + columns, rows, &corner);                  \
    }
FACTOR_COLUMNS(1)
FACTOR_COLUMNS(2)
FACTOR_COLUMNS(3)

static void factor_batch(const AfxiFront *front, double *panel, AfxiPivot pivot[AFXI_BATCH]) {
    uint32_t depth = 0;
    for (; depth + TILE_COLUMNS <= front->width; depth += TILE_COLUMNS) {
        factor_columns_3(depth, front, panel, pivot);
    }
    if (front->width - depth == 2) {
        factor_columns_2(depth, front, panel, pivot);
    } else if (front->width - depth == 1) {
        factor_columns_1(depth, front, panel, pivot);
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

static void update_batch(const AfxiFront *front, const double *panel, double *const update[AFXI_BATCH]) {
    const double *below = panel + front->width * AFXI_BATCH;
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

static void forward_batch(const AfxiFront *front, const double *panel, double *x) {
    uint32_t rows = front->width + front->height;
    for (uint32_t c = 0; c < front->width; c++) {
        const double *column = panel + (size_t)c * rows_of(front) * AFXI_BATCH;
        Quad y = quad_multiply(quad_load(x + c * AFXI_BATCH), quad_load(column + c * AFXI_BATCH));
        quad_store(x + c * AFXI_BATCH, y);
        for (uint32_t r = c + 1; r < rows; r++) {
            Quad left = quad_nma(quad_load(column + r * AFXI_BATCH), y, quad_load(x + r * AFXI_BATCH));
            quad_store(x + r * AFXI_BATCH, left);
        }
    }
}

static void backward_batch(const AfxiFront *front, const double *panel, double *x) {
    uint32_t rows = front->width + front->height;
    for (uint32_t c = front->width; c-- > 0;) {
        const double *column = panel + (size_t)c * rows_of(front) * AFXI_BATCH;
        Quad sum[2] = {quad_load(x + c * AFXI_BATCH), quad_all(0)};
        for (uint32_t r = rows; r-- > c + 1;) {
            sum[r & 1] = quad_nma(quad_load(column + r * AFXI_BATCH), quad_load(x + r * AFXI_BATCH), sum[r & 1]);
        }
        quad_store(x + c * AFXI_BATCH, quad_multiply(quad_add(sum[0], sum[1]), quad_load(column + c * AFXI_BATCH)));
    }
}

extern const AfxiBatchKernel AFXI_WIDE(afxi_batch_kernel);
const AfxiBatchKernel AFXI_WIDE(afxi_batch_kernel) = {load_batch, factor_batch, update_batch, forward_batch,
                                                      backward_batch};

#endif

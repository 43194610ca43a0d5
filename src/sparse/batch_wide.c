/* SPDX-License-Identifier: Apache-2.0 */
/* Four fronts of one shape side by side: every quad holds one element of all four. The arithmetic of front_wide.c,
 * without a thought for lanes. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

#define TILE_ROWS 4
#define TILE_COLUMNS 3

typedef struct Corner {
    Quad lower[TILE_COLUMNS][TILE_COLUMNS]; /* [column][row] */
    Quad inverse[TILE_COLUMNS];
} Corner;

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

WIDE_INLINE void factor_columns(int columns, uint32_t depth, const AfxiFront *front, double *panel, AfxiPivot *pivot) {
    Corner corner;
    size_t leading = (size_t)front->leading * AFXI_BATCH;
    const double *across = panel + depth * AFXI_BATCH;
    factor_corner(columns, depth, panel + depth * AFXI_BATCH, leading, pivot, &corner);
    uint32_t row = depth + (uint32_t)columns;
    for (; row + TILE_ROWS <= front->leading; row += TILE_ROWS) {
        solve_tile(TILE_ROWS, columns, depth, panel + row * AFXI_BATCH, across, leading, &corner);
    }
    switch (front->leading - row) {
    case 1:
        solve_tile(1, columns, depth, panel + row * AFXI_BATCH, across, leading, &corner);
        break;
    case 2:
        solve_tile(2, columns, depth, panel + row * AFXI_BATCH, across, leading, &corner);
        break;
    case 3:
        solve_tile(3, columns, depth, panel + row * AFXI_BATCH, across, leading, &corner);
        break;
    default:
        break;
    }
}

static void factor_batch(const AfxiFront *front, double *panel, AfxiPivot pivot[AFXI_BATCH]) {
    uint32_t depth = 0;
    for (; depth + TILE_COLUMNS <= front->width; depth += TILE_COLUMNS) {
        factor_columns(TILE_COLUMNS, depth, front, panel, pivot);
    }
    if (front->width - depth == 2) {
        factor_columns(2, depth, front, panel, pivot);
    } else if (front->width - depth == 1) {
        factor_columns(1, depth, front, panel, pivot);
    }
}

WIDE_INLINE void update_tile(int rows, int columns, uint32_t depth, const double *own, const double *across,
                             size_t leading, double *to, size_t to_leading, bool fresh) {
    Quad acc[TILE_ROWS][TILE_COLUMNS];
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            acc[r][c] = fresh ? quad_all(0) : quad_load(to + c * to_leading + 4 * r);
        }
    }
    multiply(rows, columns, depth, own, across, leading, acc);
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            quad_store(to + c * to_leading + 4 * r, acc[r][c]);
        }
    }
}

WIDE_INLINE void update_columns(int columns, const AfxiFront *front, const double *below, uint32_t at, double *update,
                                bool fresh) {
    uint32_t rows = front->update_leading, row = at, depth = front->width;
    size_t leading = (size_t)front->leading * AFXI_BATCH, to_leading = (size_t)rows * AFXI_BATCH;
    const double *across = below + at * AFXI_BATCH;
    double *to = update + at * to_leading;
    for (; row + TILE_ROWS <= rows; row += TILE_ROWS) {
        update_tile(TILE_ROWS, columns, depth, below + row * AFXI_BATCH, across, leading, to + row * AFXI_BATCH,
                    to_leading, fresh);
    }
    below += row * AFXI_BATCH;
    to += row * AFXI_BATCH;
    switch (rows - row) {
    case 1:
        update_tile(1, columns, depth, below, across, leading, to, to_leading, fresh);
        break;
    case 2:
        update_tile(2, columns, depth, below, across, leading, to, to_leading, fresh);
        break;
    case 3:
        update_tile(3, columns, depth, below, across, leading, to, to_leading, fresh);
        break;
    default:
        break;
    }
}

WIDE_INLINE void update_all(const AfxiFront *front, const double *panel, double *update, bool fresh) {
    const double *below = panel + front->below * AFXI_BATCH;
    uint32_t at = 0;
    for (; at + TILE_COLUMNS <= front->height; at += TILE_COLUMNS) {
        update_columns(TILE_COLUMNS, front, below, at, update, fresh);
    }
    if (front->height - at == 2) {
        update_columns(2, front, below, at, update, fresh);
    } else if (front->height - at == 1) {
        update_columns(1, front, below, at, update, fresh);
    }
}

static void update_batch(const AfxiFront *front, const double *panel, double *update, bool fresh) {
    if (fresh) {
        update_all(front, panel, update, true);
    } else {
        update_all(front, panel, update, false);
    }
}

static void scale_batch(const AfxiFront *front, double *panel, const double *scale) {
    uint32_t rows = front->width + front->height;
    for (uint32_t c = 0; c < front->width; c++) {
        double *column = panel + (size_t)c * front->leading * AFXI_BATCH;
        Quad own = quad_load(scale + c * AFXI_BATCH);
        for (uint32_t r = c; r < rows; r++) {
            Quad both = quad_multiply(own, quad_load(scale + r * AFXI_BATCH));
            quad_store(column + r * AFXI_BATCH, quad_multiply(both, quad_load(column + r * AFXI_BATCH)));
        }
    }
}

static void forward_batch(const AfxiFront *front, const double *panel, double *x) {
    uint32_t rows = front->width + front->height;
    for (uint32_t c = 0; c < front->width; c++) {
        const double *column = panel + (size_t)c * front->leading * AFXI_BATCH;
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
        const double *column = panel + (size_t)c * front->leading * AFXI_BATCH;
        Quad sum[2] = {quad_load(x + c * AFXI_BATCH), quad_all(0)};
        for (uint32_t r = rows; r-- > c + 1;) {
            sum[r & 1] = quad_nma(quad_load(column + r * AFXI_BATCH), quad_load(x + r * AFXI_BATCH), sum[r & 1]);
        }
        quad_store(x + c * AFXI_BATCH, quad_multiply(quad_add(sum[0], sum[1]), quad_load(column + c * AFXI_BATCH)));
    }
}

extern const AfxiBatchKernel AFXI_WIDE(afxi_batch_kernel);
const AfxiBatchKernel AFXI_WIDE(afxi_batch_kernel) = {scale_batch, factor_batch, update_batch, forward_batch,
                                                      backward_batch};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One front: Cholesky of its panel, left-looking by blocks of four columns, and the update that it hands on. Lanes run
 * along rows; a tile of three quads by four columns stays in registers while earlier columns pass by. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

#define TILE_QUADS 3

/* The lower triangle of a diagonal block of L, and the reciprocals of its diagonal. */
typedef struct Corner {
    double lower[4][4]; /* [column][row] */
    double inverse[4];
} Corner;

/* acc -= (rows, columns 0 ... depth) (four rows `across` of the same columns)^T */
WIDE_INLINE void multiply(int quads, int columns, uint32_t depth, const double *rows, const double *across,
                          size_t leading, bool add, Quad acc[TILE_QUADS][4]) {
    for (uint32_t k = 0; k < depth; k++) {
        Quad x[TILE_QUADS];
        for (int q = 0; q < quads; q++) {
            x[q] = quad_load(rows + k * leading + 4 * q);
        }
        for (int c = 0; c < columns; c++) {
            Quad y = quad_all(across[k * leading + c]);
            for (int q = 0; q < quads; q++) {
                acc[q][c] = add ? quad_fma(x[q], y, acc[q][c]) : quad_nma(x[q], y, acc[q][c]);
            }
        }
    }
}

/* Rows of the columns from `depth` on: takes off what earlier columns contribute, then solves with the corner. */
WIDE_INLINE void solve_tile(int quads, int columns, uint32_t depth, double *rows, const double *across, size_t leading,
                            const Corner *corner) {
    Quad acc[TILE_QUADS][4];
    double *own = rows + depth * leading;
    for (int c = 0; c < columns; c++) {
        for (int q = 0; q < quads; q++) {
            acc[q][c] = quad_load(own + c * leading + 4 * q);
        }
    }
    multiply(quads, columns, depth, rows, across, leading, false, acc);
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

/* The diagonal block of the columns from `depth` on; `across` is its first row. */
WIDE_INLINE void factor_corner(int columns, uint32_t depth, double *across, size_t leading, uint32_t row,
                               AfxiPivot *pivot, Corner *corner) {
    Quad acc[TILE_QUADS][4];
    double *own = across + depth * leading;
    for (int c = 0; c < columns; c++) {
        acc[0][c] = quad_load(own + c * leading);
    }
    multiply(1, columns, depth, across, across, leading, false, acc);
    for (int c = 0; c < columns; c++) {
        quad_store(corner->lower[c], acc[0][c]);
    }
    for (int c = 0; c < columns; c++) {
        double *column = corner->lower[c];
        double value = afxi_pivot_take(pivot, column[c], row + (uint32_t)c);
        double inverse = corner->inverse[c] = 1 / __builtin_sqrt(value);
        own[c * leading + (size_t)c] = inverse;
        for (int r = c + 1; r < columns; r++) {
            column[r] *= inverse;
            own[c * leading + (size_t)r] = column[r];
        }
        for (int later = c + 1; later < columns; later++) {
            for (int r = later; r < columns; r++) {
                corner->lower[later][r] = scalar_nma(column[r], column[later], corner->lower[later][r]);
            }
        }
    }
}

/* A block of columns from `depth` on, all rows of it. */
WIDE_INLINE void factor_columns(int columns, uint32_t depth, double *panel, uint32_t leading, uint32_t first_row,
                                AfxiPivot *pivot) {
    Corner corner;
    const double *across = panel + depth;
    factor_corner(columns, depth, panel + depth, leading, first_row + depth, pivot, &corner);
    uint32_t row = depth + 4;
    for (; row + 4 * TILE_QUADS <= leading; row += 4 * TILE_QUADS) {
        solve_tile(TILE_QUADS, columns, depth, panel + row, across, leading, &corner);
    }
    if (row + 8 <= leading) {
        solve_tile(2, columns, depth, panel + row, across, leading, &corner);
    } else if (row + 4 <= leading) {
        solve_tile(1, columns, depth, panel + row, across, leading, &corner);
    }
}

static void factor_front(const AfxiFront *front, double *panel, AfxiPivot *pivot) {
    uint32_t depth = 0;
    for (; depth + 4 <= front->width; depth += 4) {
        factor_columns(4, depth, panel, front->leading, front->first_row, pivot);
    }
    switch (front->width - depth) {
    case 1:
        factor_columns(1, depth, panel, front->leading, front->first_row, pivot);
        break;
    case 2:
        factor_columns(2, depth, panel, front->leading, front->first_row, pivot);
        break;
    case 3:
        factor_columns(3, depth, panel, front->leading, front->first_row, pivot);
        break;
    default:
        break;
    }
}

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

/* Columns [at, at + columns) of the update matrix, from the diagonal down. */
WIDE_INLINE void update_columns(int columns, const AfxiFront *front, const double *below, uint32_t at, double *update,
                                bool fresh, bool add) {
    uint32_t rows = front->update_leading, row = at, depth = front->width;
    size_t leading = front->leading, to = (size_t)at * rows;
    const double *across = below + at;
    for (; row + 4 * TILE_QUADS <= rows; row += 4 * TILE_QUADS) {
        update_tile(TILE_QUADS, columns, depth, below + row, across, leading, update + to + row, rows, fresh, add);
    }
    if (row + 8 <= rows) {
        update_tile(2, columns, depth, below + row, across, leading, update + to + row, rows, fresh, add);
    } else if (row + 4 <= rows) {
        update_tile(1, columns, depth, below + row, across, leading, update + to + row, rows, fresh, add);
    }
}

WIDE_INLINE void update_all(const AfxiFront *front, const double *panel, double *update, bool fresh, bool add) {
    const double *below = panel + front->below;
    uint32_t at = 0;
    for (; at + 4 <= front->height; at += 4) {
        update_columns(4, front, below, at, update, fresh, add);
    }
    switch (front->height - at) {
    case 1:
        update_columns(1, front, below, at, update, fresh, add);
        break;
    case 2:
        update_columns(2, front, below, at, update, fresh, add);
        break;
    case 3:
        update_columns(3, front, below, at, update, fresh, add);
        break;
    default:
        break;
    }
}

static void update_front(const AfxiFront *front, const double *panel, double *update, bool fresh) {
    if (front->sign < 0) {
        update_all(front, panel, update, fresh, true);
    } else if (fresh) {
        update_all(front, panel, update, true, false);
    } else {
        update_all(front, panel, update, false, false);
    }
}

/* to[0 ... length) += from[0 ... length) */
WIDE_INLINE void add_run(uint32_t length, const double *from, double *to) {
    uint32_t r = 0;
    for (; r + 4 <= length; r += 4) {
        quad_store(to + r, quad_add(quad_load(to + r), quad_load(from + r)));
    }
    for (; r < length; r++) {
        to[r] += from[r];
    }
}

static void add_child(const AfxiFront *child, const AfxiRun *map, const double *from, const AfxiFront *parent,
                      double *panel, double *update) {
    uint32_t column = 0;
    size_t step = parent->step, source = child->step;
    for (uint32_t a = 0; a + 1 < child->map_count; a++) {
        bool pivot = map[a].row < parent->width;
        uint32_t shift = pivot ? 0 : parent->below;
        size_t leading = (pivot ? parent->leading : parent->update_leading) * step;
        double *to = (pivot ? panel : update) + (map[a].row - shift) * leading;
        for (uint32_t c = 0; c < map[a].length; c++, column++, to += leading) {
            const double *own = from + ((size_t)column * child->update_leading + column) * source;
            uint32_t first = c;
            for (uint32_t b = a; b < child->map_count; b++) {
                double *target = to + (map[b].row + first - shift) * step;
                uint32_t length = map[b].length - first;
                if (step == 1 && source == 1) {
                    add_run(length, own, target);
                } else {
                    for (uint32_t r = 0; r < length; r++) {
                        target[r * step] += own[r * source];
                    }
                }
                own += length * source;
                first = 0;
            }
        }
    }
}

WIDE_INLINE void forward_columns(int columns, uint32_t depth, const double *panel, size_t leading, double *x) {
    const double *own = panel + depth * leading;
    double y[4];
    for (int c = 0; c < columns; c++) {
        y[c] = x[depth + (uint32_t)c];
    }
    for (int c = 0; c < columns; c++) {
        x[depth + (uint32_t)c] = y[c] *= own[c * leading + depth + (uint32_t)c];
        for (int r = c + 1; r < columns; r++) {
            y[r] = scalar_nma(own[c * leading + depth + (uint32_t)r], y[c], y[r]);
        }
    }
    for (size_t row = depth + 4; row + 4 <= leading; row += 4) {
        Quad sum = quad_load(x + row);
        for (int c = 0; c < columns; c++) {
            sum = quad_nma(quad_load(own + c * leading + row), quad_all(y[c]), sum);
        }
        quad_store(x + row, sum);
    }
}

static void forward_front(const AfxiFront *front, const double *panel, double *x) {
    uint32_t depth = 0;
    for (; depth + 4 <= front->width; depth += 4) {
        forward_columns(4, depth, panel, front->leading, x);
    }
    switch (front->width - depth) {
    case 1:
        forward_columns(1, depth, panel, front->leading, x);
        break;
    case 2:
        forward_columns(2, depth, panel, front->leading, x);
        break;
    case 3:
        forward_columns(3, depth, panel, front->leading, x);
        break;
    default:
        break;
    }
}

WIDE_INLINE void backward_columns(int columns, uint32_t depth, const double *panel, size_t leading, double *x) {
    const double *own = panel + depth * leading;
    Quad sum[4];
    double y[4];
    for (int c = 0; c < columns; c++) {
        sum[c] = quad_all(0);
    }
    for (size_t row = depth + 4; row + 4 <= leading; row += 4) {
        Quad z = quad_load(x + row);
        for (int c = 0; c < columns; c++) {
            sum[c] = quad_fma(quad_load(own + c * leading + row), z, sum[c]);
        }
    }
    for (int c = columns - 1; c >= 0; c--) {
        y[c] = x[depth + (uint32_t)c] - quad_sum(sum[c]);
        for (int r = columns - 1; r > c; r--) {
            y[c] = scalar_nma(own[c * leading + depth + (uint32_t)r], y[r], y[c]);
        }
        x[depth + (uint32_t)c] = y[c] *= own[c * leading + depth + (uint32_t)c];
    }
}

static void backward_front(const AfxiFront *front, const double *panel, double *x) {
    uint32_t depth = front->width / 4 * 4;
    switch (front->width - depth) {
    case 1:
        backward_columns(1, depth, panel, front->leading, x);
        break;
    case 2:
        backward_columns(2, depth, panel, front->leading, x);
        break;
    case 3:
        backward_columns(3, depth, panel, front->leading, x);
        break;
    default:
        break;
    }
    while (depth) {
        depth -= 4;
        backward_columns(4, depth, panel, front->leading, x);
    }
}

extern const AfxiFrontKernel AFXI_WIDE(afxi_front_kernel);
const AfxiFrontKernel AFXI_WIDE(afxi_front_kernel) = {add_child, factor_front, update_front, forward_front,
                                                      backward_front};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution with a front, or with two of the same shape that do not wait for each other. Columns go in blocks of
 * four: forward each block takes its part off all rows below it, backward it gathers a product with them, in lanes
 * along the rows. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

#define PAIR 2

/* `local` [leading] has the layout of a panel's column. Forward: x of the pivots and what the children hand on for the
 * rows below. Backward: y of pivot c is start[c * next], its solution goes to x[c]; local holds x of the rows below,
 * and zeros behind them. */
typedef struct Side {
    const double *panel, *start;
    double *local, *x;
    size_t next;
} Side;

WIDE_INLINE void forward_columns(int count, int columns, uint32_t depth, size_t leading, const Side side[PAIR]) {
    double y[PAIR][4];
    for (int f = 0; f < count; f++) {
        for (int c = 0; c < columns; c++) {
            y[f][c] = side[f].local[depth + (uint32_t)c];
        }
    }
    for (int c = 0; c < columns; c++) {
        for (int f = 0; f < count; f++) {
            const double *own = side[f].panel + (depth + (uint32_t)c) * leading + depth;
            y[f][c] *= own[c];
            for (int r = c + 1; r < columns; r++) {
                y[f][r] = scalar_nma(own[r], y[f][c], y[f][r]);
            }
        }
    }
    for (int f = 0; f < count; f++) {
        for (int c = 0; c < columns; c++) {
            side[f].x[depth + (uint32_t)c] = y[f][c];
        }
    }
    for (size_t row = depth + 4; row + 4 <= leading; row += 4) {
        for (int f = 0; f < count; f++) {
            const double *own = side[f].panel + depth * leading + row;
            Quad sum = quad_load(side[f].local + row);
            for (int c = 0; c < columns; c++) {
                sum = quad_nma(quad_load(own + (size_t)c * leading), quad_all(y[f][c]), sum);
            }
            quad_store(side[f].local + row, sum);
        }
    }
}

/* x of the pivots <- L^-1 local; the rows below lose what they contribute. */
WIDE_INLINE void forward_local(int count, uint32_t width, size_t leading, const Side side[PAIR]) {
    uint32_t depth = 0;
    for (; depth + 4 <= width; depth += 4) {
        forward_columns(count, 4, depth, leading, side);
    }
    switch (width - depth) {
    case 1:
        forward_columns(count, 1, depth, leading, side);
        break;
    case 2:
        forward_columns(count, 2, depth, leading, side);
        break;
    case 3:
        forward_columns(count, 3, depth, leading, side);
        break;
    default:
        break;
    }
}

WIDE_INLINE void backward_columns(int count, int columns, uint32_t depth, size_t leading, const Side side[PAIR]) {
    Quad sum[PAIR][4];
    double y[PAIR][4] = {{0}}, taken[PAIR][4];
    for (int f = 0; f < count; f++) {
        for (int c = 0; c < 4; c++) {
            sum[f][c] = quad_all(0);
        }
    }
    for (size_t row = depth + 4; row + 4 <= leading; row += 4) {
        for (int f = 0; f < count; f++) {
            const double *own = side[f].panel + depth * leading + row;
            Quad z = quad_load(side[f].local + row);
            for (int c = 0; c < columns; c++) {
                sum[f][c] = quad_fma(quad_load(own + (size_t)c * leading), z, sum[f][c]);
            }
        }
    }
    for (int f = 0; f < count; f++) {
        quad_store(taken[f], quad_sums(sum[f]));
        for (int c = 0; c < columns; c++) {
            y[f][c] = side[f].start[(depth + (uint32_t)c) * side[f].next] - taken[f][c];
        }
    }
    for (int c = columns - 1; c >= 0; c--) {
        for (int f = 0; f < count; f++) {
            const double *own = side[f].panel + depth * leading + depth + (uint32_t)c;
            y[f][c] *= own[(size_t)c * leading];
            for (int r = c - 1; r >= 0; r--) {
                y[f][r] = scalar_nma(own[(size_t)r * leading], y[f][c], y[f][r]);
            }
        }
    }
    for (int f = 0; f < count; f++) {
        for (int c = 0; c < columns; c++) {
            side[f].x[depth + (uint32_t)c] = y[f][c];
        }
        quad_store(side[f].local + depth, quad_of(y[f][0], y[f][1], y[f][2], y[f][3]));
    }
}

/* x of the pivots <- L^-T (y - rows below^T x). */
WIDE_INLINE void backward_local(int count, uint32_t width, size_t leading, const Side side[PAIR]) {
    uint32_t depth = width / 4 * 4;
    switch (width - depth) {
    case 1:
        backward_columns(count, 1, depth, leading, side);
        break;
    case 2:
        backward_columns(count, 2, depth, leading, side);
        break;
    case 3:
        backward_columns(count, 3, depth, leading, side);
        break;
    default:
        break;
    }
    while (depth) {
        depth -= 4;
        backward_columns(count, 4, depth, leading, side);
    }
}

/* to[0 ... length) <- from, in whole quads: up to three more doubles are read and written. */
WIDE_INLINE void copy_loosely(uint32_t length, const double *from, double *to) {
    for (uint32_t r = 0; r < length; r += 4) {
        quad_store(to + r, quad_load(from + r));
    }
}

/* local <- x of the pivots, and what the children hand on. */
WIDE_INLINE void forward_gather(const AfxiBlockTree *tree, const AfxiFront *front, const double *x, const double *work,
                                double *local) {
    quad_copy(front->width, x + front->first_row, local);
    for (uint32_t r = front->below; r < front->leading; r += 4) {
        quad_store(local + r, quad_all(0));
    }
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        const AfxiTreeRun *map = tree->map + child->map_start, *end = map + child->map_count - 1;
        const double *from = work + child->update;
        for (; map < end; map++) {
            for (uint32_t r = 0; r < map->length; r++) {
                local[map->row + r] += *from++;
            }
        }
    }
}

static void forward(const AfxiBlockTree *tree, const AfxiFront *const front[], uint32_t count, const double *value,
                    double *x, double *work, double *local) {
    Side side[PAIR];
    size_t leading = front[0]->leading;
    for (uint32_t f = 0; f < count; f++) {
        double *own = local + f * (leading + 4);
        side[f] = (Side){.panel = value + front[f]->panel, .local = own, .x = x + front[f]->first_row};
        forward_gather(tree, front[f], x, work, own);
    }
    if (count == PAIR) {
        forward_local(PAIR, front[0]->width, leading, side);
    } else {
        forward_local(1, front[0]->width, leading, side);
    }
    for (uint32_t f = 0; f < count; f++) {
        for (uint32_t r = 0; front[f]->sign < 0 && r < front[f]->width; r++) {
            side[f].x[r] = -side[f].x[r];
        }
        copy_loosely(front[f]->height, side[f].local + front[f]->below, work + front[f]->update);
    }
}

static void backward(const AfxiBlockTree *tree, const AfxiFront *const front[], uint32_t count, const double *value,
                     bool carried, double *x, double *local) {
    Side side[PAIR];
    size_t leading = front[0]->leading;
    for (uint32_t f = 0; f < count; f++) {
        const AfxiTreeRun *run = tree->run + front[f]->run_start, *end = run + front[f]->run_count;
        double *own = local + f * (leading + 4), *to = own + front[f]->below;
        quad_store(own + leading - 4, quad_all(0)); /* in quads throughout: loads of these are soon to follow */
        for (; run < end; run++) {
            quad_copy(run->length, x + run->row, to);
            to += run->length;
        }
        side[f] = (Side){.panel = value + front[f]->panel, .local = own, .x = x + front[f]->first_row, .next = 1};
        side[f].start = side[f].x;
        if (carried) {
            side[f].start = side[f].panel + front[f]->below + front[f]->height;
            side[f].next = leading;
        }
    }
    if (count == PAIR) {
        backward_local(PAIR, front[0]->width, leading, side);
    } else {
        backward_local(1, front[0]->width, leading, side);
    }
}

extern const AfxiSolveKernel AFXI_WIDE(afxi_solve_kernel);
const AfxiSolveKernel AFXI_WIDE(afxi_solve_kernel) = {forward, backward};

#endif

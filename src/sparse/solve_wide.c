/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution with one front. Columns go in blocks of four: forward each block takes its part off all rows below it,
 * backward it gathers a product with them, in lanes along the rows. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

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

/* x [leading]: the pivots' part <- L^-1 x, the rows below lose what that part contributes. */
static void forward_local(const AfxiFront *front, const double *panel, double *x) {
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

/* What backward substitution of a front goes through: `local` has the layout of a panel's column, zeros after the rows
 * below; y of pivot c is start[c * next], its solution goes to x[c]. */
typedef struct Back {
    const double *panel, *start;
    size_t leading, next;
    double *local, *x;
} Back;

WIDE_INLINE void backward_columns(int columns, uint32_t depth, const Back *back) {
    size_t leading = back->leading;
    const double *own = back->panel + depth * leading;
    Quad sum[4];
    double y[4] = {0}, taken[4];
    for (int c = 0; c < 4; c++) {
        sum[c] = quad_all(0);
    }
    for (size_t row = depth + 4; row + 4 <= leading; row += 4) {
        Quad z = quad_load(back->local + row);
        for (int c = 0; c < columns; c++) {
            sum[c] = quad_fma(quad_load(own + c * leading + row), z, sum[c]);
        }
    }
    quad_store(taken, quad_sums(sum));
    for (int c = 0; c < columns; c++) {
        y[c] = back->start[(depth + (uint32_t)c) * back->next] - taken[c];
    }
    for (int c = columns - 1; c >= 0; c--) {
        back->x[depth + (uint32_t)c] = y[c] *= own[c * leading + depth + (uint32_t)c];
        for (int r = c - 1; r >= 0; r--) {
            y[r] = scalar_nma(own[(size_t)r * leading + depth + (uint32_t)c], y[c], y[r]);
        }
    }
    quad_store(back->local + depth, quad_of(y[0], y[1], y[2], y[3]));
}

/* x of the pivots <- L^-T (y - rows below^T x). */
static void backward_local(uint32_t width, const Back *back) {
    uint32_t depth = width / 4 * 4;
    switch (width - depth) {
    case 1:
        backward_columns(1, depth, back);
        break;
    case 2:
        backward_columns(2, depth, back);
        break;
    case 3:
        backward_columns(3, depth, back);
        break;
    default:
        break;
    }
    while (depth) {
        depth -= 4;
        backward_columns(4, depth, back);
    }
}

/* to[0 ... length) <- from, in whole quads: up to three more doubles are read and written. */
WIDE_INLINE void copy_loosely(uint32_t length, const double *from, double *to) {
    for (uint32_t r = 0; r < length; r += 4) {
        quad_store(to + r, quad_load(from + r));
    }
}

static void forward(const AfxiBlockTree *tree, const AfxiFront *front, const double *panel, double *x, double *work,
                    double *local) {
    for (uint32_t r = 0; r < front->leading; r += 4) {
        quad_store(local + r, quad_all(0));
    }
    for (uint32_t r = 0; r < front->width; r++) {
        local[r] = x[front->first_row + r];
    }
    for (uint32_t c = front->first_child; c != AFXI_NO_FRONT; c = tree->front[c].next_child) {
        const AfxiFront *child = &tree->front[c];
        const AfxiRun *map = tree->map + child->map_start, *end = map + child->map_count - 1;
        const double *from = work + child->update;
        for (; map < end; map++) {
            for (uint32_t r = 0; r < map->length; r++) {
                local[map->row + r] += *from++;
            }
        }
    }
    forward_local(front, panel, local);
    for (uint32_t r = 0; r < front->width; r++) {
        x[front->first_row + r] = front->sign * local[r];
    }
    copy_loosely(front->height, local + front->below, work + front->update);
}

static void backward(const AfxiBlockTree *tree, const AfxiFront *front, const double *panel, bool carried, double *x,
                     double *local) {
    const AfxiRun *run = tree->run + front->run_start, *end = run + front->run_count;
    double *to = local + front->below;
    for (; run < end; run++) {
        copy_loosely(run->length, x + run->row, to);
        to += run->length;
    }
    for (uint32_t r = front->height; r < front->update_leading; r++) {
        *to++ = 0;
    }
    Back back = {.panel = panel, .leading = front->leading, .local = local, .x = x + front->first_row};
    back.start = carried ? panel + front->below + front->height : back.x;
    back.next = carried ? front->leading : 1;
    backward_local(front->width, &back);
}

extern const AfxiSolveKernel AFXI_WIDE(afxi_solve_kernel);
const AfxiSolveKernel AFXI_WIDE(afxi_solve_kernel) = {forward, backward};

#endif

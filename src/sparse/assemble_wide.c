/* SPDX-License-Identifier: Apache-2.0 */
/* Putting fronts together: A and the right-hand side into a panel, and the update matrices of children into it and into
 * the front's own (extend-add). Rows come in runs that are contiguous on both sides. */
#include "sparse/kernel.h"

#if AFXI_LANES <= 4

#include "sparse/quad.h"

/* to[0 ... length) <- from[r] * (own * scale[r]), zeros up to the end of the last quad. */
WIDE_INLINE void copy_scaled(uint32_t length, const double *from, double own, const double *scale, double *to) {
    uint32_t whole = length & ~3u;
    Quad factor = quad_all(own);
    for (uint32_t r = 0; r < whole; r += 4) {
        Quad both = quad_multiply(factor, quad_load(scale + r));
        quad_store(to + r, quad_multiply(quad_load(from + r), both));
    }
    if (length & 3u) {
        Quad both = quad_multiply(factor, quad_load(scale + whole));
        quad_store(to + whole, quad_first(quad_multiply(quad_load(from + whole), both), length & 3u));
    }
}

/* Diagonal entry and right-hand side of column c. */
WIDE_INLINE void finish_column(const AfxiInput *input, const AfxiFront *front, uint32_t c, double *column) {
    uint32_t row = front->first_row + c;
    bool off = input->scale && input->scale[row] == 0; /* becomes a row of the identity */
    column[c] = off ? front->sign : column[c] + front->sign * input->epsilon;
    column[front->below + front->height] = input->rhs ? input->rhs[row] : 0;
}

/* A that stands apart. */
static void fill_apart(const AfxiInput *input, const AfxiFront *front, double *panel) {
    const AfxiBlockTree *tree = input->tree;
    uint32_t leading = front->leading, c = 0;
    for (size_t k = 0; k < (size_t)front->width * leading; k += 4) {
        quad_store(panel + k, quad_all(0));
    }
    for (uint32_t k = front->first_block; k < front->first_block + front->block_count; k++) {
        const AfxiTreeColumn *column = &tree->column[k];
        const AfxiSpan *first = tree->span + column->span_start, *end = tree->span + column[1].span_start;
        const double *from = input->value + column->at;
        for (uint32_t last = c + tree->ordered[k + 1] - tree->ordered[k]; c < last; c++) {
            double *to = panel + (size_t)c * leading, own = input->scale ? input->scale[front->first_row + c] : 1;
            for (const AfxiSpan *span = first; span < end; span++) {
                if (input->scale) {
                    copy_scaled(span->length, from, own, input->scale + span->ordered, to + span->row);
                } else {
                    quad_copy(span->length, from, to + span->row);
                }
                from += span->length;
            }
            finish_column(input, front, c, to);
        }
    }
}

/* A that stands in the panel; `local` takes the scale of its rows. */
static void fill_inside(const AfxiInput *input, const AfxiFront *front, double *panel, double *local) {
    uint32_t leading = front->leading;
    if (input->scale) {
        const AfxiTreeRun *run = input->tree->run + front->run_start, *end = run + front->run_count;
        double *to = local + front->below;
        quad_copy(front->width, input->scale + front->first_row, local);
        for (; run < end; run++) {
            quad_copy(run->length, input->scale + run->row, to);
            to += run->length;
        }
        for (uint32_t r = front->below + front->height; r < leading; r++) {
            local[r] = 0;
        }
    }
    for (uint32_t c = 0; c < front->width; c++) {
        double *column = panel + (size_t)c * leading;
        if (input->scale) {
            copy_scaled(leading, column, local[c], local, column);
        }
        finish_column(input, front, c, column);
    }
}

static void fill(const AfxiInput *input, const AfxiFront *front, double *local) {
    double *panel = input->value + front->panel;
    if (front->apart) {
        fill_apart(input, front, panel);
    } else {
        fill_inside(input, front, panel, local);
    }
}

/* to += from, `rows` x `columns`. The last quad of a column may add zeros to what stands behind it. */
WIDE_INLINE void add_block(uint32_t rows, uint32_t columns, const double *from, size_t from_leading, double *to,
                           size_t to_leading) {
    uint32_t whole = rows & ~3u, left = rows & 3u;
    for (uint32_t c = 0; c < columns; c++, from += from_leading, to += to_leading) {
        for (uint32_t r = 0; r < whole; r += 4) {
            quad_store(to + r, quad_add(quad_load(to + r), quad_load(from + r)));
        }
        if (left) {
            quad_store(to + whole, quad_add(quad_load(to + whole), quad_first(quad_load(from + whole), left)));
        }
    }
}

/* Runs [begin, end) of the child's columns, from the diagonal down, to columns of leading dimension to_leading whose
 * first row is row `shift` of the parent's panel. The last run, the right-hand side, is no column. */
WIDE_INLINE void add_runs(const AfxiFront *child, const AfxiTreeRun *map, const double *from, uint32_t begin,
                          uint32_t end, uint32_t column, uint32_t shift, double *to, size_t to_leading) {
    size_t leading = child->update_leading;
    for (uint32_t a = begin; a < end; a++) {
        AfxiTreeRun across = map[a];
        const double *own = from + column * leading;
        double *target = to + (across.row - shift) * to_leading;
        uint32_t row = column;
        for (uint32_t b = a; b + 1 < child->map_count; b++) {
            add_block(map[b].length, across.length, own + row, leading, target + (map[b].row - shift), to_leading);
            row += map[b].length;
        }
        for (uint32_t c = 0; c < across.length; c++) {
            target[c * to_leading + (map[child->map_count - 1].row - shift)] += own[c * leading + row];
        }
        column += across.length;
    }
}

static void add_pivots(const AfxiFront *child, const AfxiTreeRun *map, const double *from, const AfxiFront *parent,
                       double *panel) {
    uint32_t end = 0;
    while (map[end].row < parent->width) {
        end++;
    }
    add_runs(child, map, from, 0, end, 0, 0, panel, parent->leading);
}

static void add_rest(const AfxiFront *child, const AfxiTreeRun *map, const double *from, const AfxiFront *parent,
                     double *update) {
    uint32_t begin = 0, column = 0;
    while (map[begin].row < parent->width) {
        column += map[begin++].length;
    }
    add_runs(child, map, from, begin, child->map_count - 1, column, parent->below, update, parent->update_leading);
}

extern const AfxiAssembleKernel AFXI_WIDE(afxi_assemble_kernel);
const AfxiAssembleKernel AFXI_WIDE(afxi_assemble_kernel) = {fill, add_pivots, add_rest};

#endif

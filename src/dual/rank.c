/* SPDX-License-Identifier: Apache-2.0 */
/* Rank of the dual matrix: Cholesky with the largest remaining diagonal entry as the next pivot, which is safe for
 * semidefinite matrices, on K scaled to unit diagonal. Columns of K are made when they are needed. A forest of joints
 * has independent rows and needs none of this. */
#include "dual/rank.h"

#include <math.h>

#include "dual/apply.h"
#include "dual/tuning.h"

/* Column `row` of K into out [rows]. */
static void column(const AfxiSystem *system, uint32_t row, uint32_t block, double *out) {
    const AfxiGraph *graph = system->graph;
    const AfxiGraphBlock *own = &graph->block[block];
    for (uint32_t k = 0; k < graph->row_count; k++) {
        out[k] = 0;
    }
    for (uint32_t e = own->first_entry; e < own->first_entry + own->entry_count; e++) {
        uint32_t body = graph->entry[e].dof.index;
        double image[AFXI_AFFINE_WIDTH];
        afxi_body_apply(&system->inverse[body],
                        system->jacobian + graph->entry[e].jacobian + AFXI_AFFINE_WIDTH * (row - own->first_row),
                        image);
        for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
            const AfxiGraphEntry *other = &graph->entry[graph->body_entry[x]];
            uint32_t first = graph->block[other->block].first_row;
            for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, other); r++) {
                out[first + r] += afxi_dual_dot(system->jacobian + other->jacobian + AFXI_AFFINE_WIDTH * r, image);
            }
        }
    }
}

typedef struct Pivots {
    double *left;   /* [rows] what is left of each diagonal entry */
    double *column; /* [rows] */
    double *lower;  /* [rows][rows] */
} Pivots;

/* Four sums, so that they need not wait for each other. */
static double dot(const double *a, const double *b, uint32_t count) {
    double sum[4] = {0}, rest = 0;
    uint32_t k = 0;
    for (; k + 4 <= count; k += 4) {
        for (int lane = 0; lane < 4; lane++) {
            sum[lane] += a[k + lane] * b[k + lane];
        }
    }
    for (; k < count; k++) {
        rest += a[k] * b[k];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]) + rest;
}

static uint32_t eliminate(const AfxiSystem *system, Pivots *p) {
    const AfxiGraph *graph = system->graph;
    uint32_t rows = graph->row_count, rank = 0;
    for (uint32_t row = 0; row < rows; row++) {
        column(system, row, graph->row[row].block, p->column);
        system->scale[row] = system->active[row] && p->column[row] > 0 ? 1 / sqrt(p->column[row]) : 0;
        p->left[row] = system->scale[row] > 0 ? 1 : 0;
    }
    for (; rank < rows; rank++) {
        uint32_t pivot = 0;
        for (uint32_t row = 1; row < rows; row++) {
            pivot = p->left[row] > p->left[pivot] ? row : pivot;
        }
        if (!(p->left[pivot] > AFXI_RANK_DEPENDENT)) {
            break;
        }
        double root = sqrt(p->left[pivot]);
        const double *pivot_row = p->lower + (size_t)pivot * rows;
        column(system, pivot, graph->row[pivot].block, p->column);
        for (uint32_t row = 0; row < rows; row++) {
            double *own = p->lower + (size_t)row * rows;
            if (p->left[row] <= 0 || row == pivot) {
                continue;
            }
            double sum = p->column[row] * system->scale[row] * system->scale[pivot] - dot(own, pivot_row, rank);
            own[rank] = sum / root;
            p->left[row] -= own[rank] * own[rank];
        }
        p->left[pivot] = 0;
    }
    return rank;
}

AfxStatus afxi_dual_rank(AfxiSystem *system, const AfxAllocator *allocator, uint32_t *out_rank) {
    const AfxiGraph *graph = system->graph;
    size_t rows = graph->row_count;
    *out_rank = 0;
    if (graph->loop_rows == 0) {
        for (size_t row = 0; row < rows; row++) {
            *out_rank += system->active[row];
        }
        return AFX_OK;
    }
    if (rows > AFXI_RANK_ROWS) {
        return AFX_E_LIMIT;
    }
    size_t bytes = (rows * rows + 2 * rows) * sizeof(double);
    double *work = afxi_allocate(allocator, bytes);
    if (!work) {
        return AFX_E_MEMORY;
    }
    Pivots pivots = {work, work + rows, work + 2 * rows};
    *out_rank = eliminate(system, &pivots);
    afxi_release(allocator, work, bytes);
    return AFX_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A point between two bodies couples all degrees of freedom on both ways to the root. Merged by their numbers, these
 * are one way of a larger tree, in which L^T L fills nothing in but along it: the elimination tree (J. Liu, The role of
 * elimination trees in sparse factorization, 1990). Points of one body couple what is on one way already. */
#include "reduced/joined.h"

#include <string.h>

AfxStatus afxi_joined_begin(const AfxiTree *tree, AfxiJoinedRows *joined) {
    uint32_t n = tree->dof_count;
    if (afxi_array_reserve(&tree->allocator, (void **)&joined->parent, &joined->parent_capacity, n,
                           sizeof *joined->parent) != AFX_OK ||
        afxi_array_reserve(&tree->allocator, (void **)&joined->rows.row, &joined->row_capacity, n + 1,
                           sizeof *joined->rows.row) != AFX_OK ||
        afxi_array_reserve(&tree->allocator, (void **)&joined->rows.run, &joined->run_capacity, n,
                           sizeof *joined->rows.run) != AFX_OK) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < n; k++) {
        joined->parent[k] = tree->dof[k].parent;
    }
    return AFX_OK;
}

/* Whoever is further out gets the other as the next one on its way, if that lies between it and what it had. */
void afxi_joined_add(AfxiJoinedRows *joined, uint32_t a, uint32_t b) {
    while (a != AFXI_TREE_NONE && b != AFXI_TREE_NONE && a != b) {
        uint32_t far = a > b ? a : b, near = a > b ? b : a, next = joined->parent[far];
        if (next == AFXI_TREE_NONE || next < near) {
            joined->parent[far] = near;
        }
        a = near;
        b = next;
    }
}

AfxStatus afxi_joined_finish(const AfxiTree *tree, AfxiJoinedRows *joined) {
    AfxiTreeRows *rows = &joined->rows;
    uint32_t n = tree->dof_count;
    rows->dof_count = n;
    rows->row[0] = 0;
    for (uint32_t k = 0; k < n; k++) { /* parents come first */
        uint32_t parent = joined->parent[k];
        uint32_t length = 1 + (parent == AFXI_TREE_NONE ? 0 : rows->row[parent + 1] - rows->row[parent]);
        rows->row[k + 1] = rows->row[k] + length;
    }
    rows->size = rows->row[n];
    if (afxi_array_reserve(&tree->allocator, (void **)&rows->above, &joined->above_capacity, rows->size,
                           sizeof *rows->above) != AFX_OK ||
        afxi_array_reserve(&tree->allocator, (void **)&joined->matrix, &joined->matrix_capacity, rows->size,
                           sizeof *joined->matrix) != AFX_OK) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t parent = joined->parent[k], before = rows->row[k + 1] - rows->row[k] - 1;
        if (before) {
            memcpy(rows->above + rows->row[k], rows->above + rows->row[parent], before * sizeof *rows->above);
        }
        rows->above[rows->row[k + 1] - 1] = k;
    }
    afxi_tree_rows_runs(rows);
    return AFX_OK;
}

void afxi_joined_fill(AfxiJoinedRows *joined, const AfxiTreeRows *rows, const double *mass) {
    memset(joined->matrix, 0, joined->rows.size * sizeof *joined->matrix);
    for (uint32_t i = 0; i < rows->dof_count; i++) {
        for (uint32_t e = rows->row[i]; e < rows->row[i + 1]; e++) {
            joined->matrix[afxi_packed_place(&joined->rows, i, rows->above[e])] = mass[e];
        }
    }
}

void afxi_joined_release(const AfxAllocator *allocator, AfxiJoinedRows *joined) {
    afxi_release(allocator, joined->rows.row, joined->row_capacity * sizeof *joined->rows.row);
    afxi_release(allocator, joined->rows.run, joined->run_capacity * sizeof *joined->rows.run);
    afxi_release(allocator, joined->rows.above, joined->above_capacity * sizeof *joined->rows.above);
    afxi_release(allocator, joined->parent, joined->parent_capacity * sizeof *joined->parent);
    afxi_release(allocator, joined->matrix, joined->matrix_capacity * sizeof *joined->matrix);
}

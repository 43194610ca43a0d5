/* SPDX-License-Identifier: Apache-2.0 */
/* Drives that act on one coordinate have one gradient g, and trees solve for one row of them. With s = g delta the
 * change of the coordinate, those that give way come to lambda_i = (value_i + s) / c_i, those whose multiplier is given
 * to f_i, and one that holds makes s = -value whatever the others do:
 *
 *     none holds    V + s - C lambda = 0,   C = 1 / sum of 1 / c_i,   V = C (sum of f_i + sum of value_i / c_i)
 *     one holds     value + s = 0
 *
 * lambda is the sum of all. A servo, limits and friction on a hinge cost what the servo alone does. */
#ifndef AFXI_DUAL_FOLD_H
#define AFXI_DUAL_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct AfxiSystem;

/** What a row was before it was folded. */
typedef struct AfxiFoldedRow {
    double value, compliance, fixed;
    uint32_t row;
    bool active;
} AfxiFoldedRow;

/** Workspace of a sim. */
typedef struct AfxiFold {
    uint32_t *first;    /* [count + 1] into row, by coordinate */
    AfxiFoldedRow *row; /* the one that is solved for, then the others */
    uint32_t count;
} AfxiFold;

/** Workspace in an arena; none where the graph is no tree. */
void afxi_fold_take(struct AfxiSystem *system, AfxiArena *arena);
/** Before a solve: first rows of coordinates stand for all, others are off. */
void afxi_fold(struct AfxiSystem *system);
/** After it: all as it was, and each row has its own multiplier. */
void afxi_unfold(struct AfxiSystem *system);

#endif

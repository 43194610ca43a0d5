/* SPDX-License-Identifier: Apache-2.0 */
/* Drives that act on one coordinate have one gradient g, and trees solve for one row of them. With s = g delta the
 * change of the coordinate, those that give way come to lambda_i = (value_i + s) / c_i, those whose multiplier is given
 * to f_i, and one that holds makes s = -value whatever the others do:
 *
 *     none holds    V + s - C lambda = 0,   C = 1 / sum of 1 / c_i,   V = C (sum of f_i + sum of value_i / c_i)
 *     one holds     value + s = 0
 *
 * lambda is the sum of all. A servo, limits and friction on a hinge cost what the servo alone does.
 *
 * So does a coupling that carries a flywheel from that coordinate (model/flywheel.h): its gradient is a g, and what it
 * carries is seen through it as a compliance T and a gap t, lambda = (value + t + a s) / (c + T), which the coordinate
 * gets a times. */
#ifndef AFXI_DUAL_FOLD_H
#define AFXI_DUAL_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct AfxiSystem;

/** What a row was before it was folded. */
typedef struct AfxiFoldedRow {
    double own_value, own_compliance, fixed;
    double value, compliance; /* with what a coupling carries */
    double factor;            /* of its gradient, in that of the coordinate */
    size_t left; /* of a coupling: where T and behind it t are in what is kept for the forward pass; 0: a drive */
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
/** Before a solve, when bodies that couplings carry are eliminated: first rows of coordinates stand for all, others are
 * off. */
void afxi_fold(struct AfxiSystem *system);
/** After it: all as it was, and each row has its own multiplier. */
void afxi_unfold(struct AfxiSystem *system);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of supernodes while it is made, and joining supernodes that are too small to be fast. */
#ifndef AFXI_SPARSE_RELAX_H
#define AFXI_SPARSE_RELAX_H

#include "affix/base.h"

/** Arrays by supernode unless said otherwise; every one has room for all columns. */
typedef struct AfxiNodes {
    uint32_t count;
    uint32_t *first, *last; /* columns; first UINT32_MAX: joined to another */
    uint32_t *next;         /* by column: the next one of its supernode */
    uint32_t *width, *height;
    uint32_t *parent;
    uint32_t *list, *rows; /* where the blocks below stand, and how many */
    uint32_t *sibling;     /* free for whoever walks over the tree */
    uint32_t *child, *next_child;
    int8_t *sign;
} AfxiNodes;

/** Fills child and next_child, rising, from parent. */
void afxi_nodes_children(AfxiNodes *nodes);
/** Joins children to parents. The rows below of the joined one are the parent's. */
void afxi_nodes_relax(AfxiNodes *nodes);
/** Clock cycles of a front, about. */
double afxi_front_cycles(double width, double height);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of nodes that are joined one pair after another: each set is a tree of `parent`, its root the smallest node. A
 * node that is alone is its own parent. */
#ifndef AFXI_BASE_FOREST_H
#define AFXI_BASE_FOREST_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t afxi_forest_root(uint32_t *parent, uint32_t node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/** Joins the sets of two nodes; true when they were one already. */
static inline bool afxi_forest_join(uint32_t *parent, uint32_t a, uint32_t b) {
    uint32_t x = afxi_forest_root(parent, a), y = afxi_forest_root(parent, b);
    parent[x < y ? y : x] = x < y ? x : y;
    return x == y;
}

#endif

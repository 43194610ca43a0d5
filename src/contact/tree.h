/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a tree of boxes without recursion. */
#ifndef AFXI_CONTACT_TREE_H
#define AFXI_CONTACT_TREE_H

#include "contact/inner.h"

/* The trees are balanced: halves of at most 2^32 triangles. A walk holds one node for each level, and one more. */
#define AFXI_TREE_STACK 40

typedef struct AfxiTreeWalk {
    uint32_t count;
    uint32_t stack[AFXI_TREE_STACK]; /* node numbers; begin with {.count = 1}: the root */
} AfxiTreeWalk;

static inline void afxi_tree_push(AfxiTreeWalk *walk, const AfxiTreeNode *node) {
    walk->stack[walk->count++] = node->first + 1;
    walk->stack[walk->count++] = node->first;
}

static inline bool afxi_tree_overlap(const AfxiTreeNode *node, const double lower[3], const double upper[3]) {
    return node->lower[0] <= upper[0] && node->upper[0] >= lower[0] && node->lower[1] <= upper[1] &&
           node->upper[1] >= lower[1] && node->lower[2] <= upper[2] && node->upper[2] >= lower[2];
}

/** Does o + s d, 0 <= s <= end, meet the box? */
static inline bool afxi_tree_ray(const AfxiTreeNode *node, AfxVec3 o, AfxVec3 d, double end) {
    double from = 0, to = end;
    for (int k = 0; k < 3; k++) {
        double x = vec3_part(o, k), v = vec3_part(d, k);
        if (v == 0) {
            if (x < node->lower[k] || x > node->upper[k])
                return false;
            continue;
        }
        double s0 = (node->lower[k] - x) / v, s1 = (node->upper[k] - x) / v;
        from = fmax(from, fmin(s0, s1));
        to = fmin(to, fmax(s0, s1));
    }
    return from <= to;
}

#endif

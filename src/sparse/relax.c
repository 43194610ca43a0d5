/* SPDX-License-Identifier: Apache-2.0 */
/* Relaxed supernodes (Ashcraft, Grimes 1989), by a model of time: a child joins its parent when one front with the
 * child's columns padded takes less time than two. */
#include "sparse/relax.h"

#include "sparse/tree.h"

#define NONE UINT32_MAX

void afxi_nodes_children(AfxiNodes *nodes) {
    for (uint32_t s = 0; s < nodes->count; s++) {
        nodes->child[s] = NONE;
    }
    for (uint32_t s = nodes->count; s-- > 0;) {
        uint32_t parent = nodes->parent[s];
        if (parent != NONE) {
            nodes->next_child[s] = nodes->child[parent];
            nodes->child[parent] = s;
        }
    }
}

/* Clock cycles of a front, about: its own overhead, the chain of roots, arithmetic, filling the panel, and handing on
 * the update. Small fronts are mostly done in batches, which shares overhead and chain. */
double afxi_front_cycles(double width, double height) {
    double flops = width * (width * (width / 3 + height) + height * height);
    if (afxi_front_small(width, height)) {
        return 100 + flops / 6 + 2 * width * (width + height) + height * height;
    }
    return 400 + 40 * width + flops / 10 + width * (width + height) + 0.75 * height * height;
}

/* Joins c to p; the children of c take its place in the list of p, after `before` (NONE: at the head). */
static void join(AfxiNodes *nodes, uint32_t p, uint32_t c, uint32_t before) {
    nodes->next[nodes->last[c]] = nodes->first[p];
    nodes->first[p] = nodes->first[c];
    nodes->first[c] = NONE;
    nodes->width[p] += nodes->width[c];
    uint32_t follower = nodes->next_child[c], head = nodes->child[c], tail = NONE;
    for (uint32_t k = head; k != NONE; k = nodes->next_child[k]) {
        nodes->parent[k] = p;
        tail = k;
    }
    if (tail != NONE) {
        nodes->next_child[tail] = follower;
    } else {
        head = follower;
    }
    if (before == NONE) {
        nodes->child[p] = head;
    } else {
        nodes->next_child[before] = head;
    }
}

void afxi_nodes_relax(AfxiNodes *nodes) {
    for (uint32_t p = 0; p < nodes->count; p++) {
        uint32_t before = NONE, c = nodes->child[p];
        while (c != NONE) {
            double apart = afxi_front_cycles(nodes->width[p], nodes->height[p]) +
                           afxi_front_cycles(nodes->width[c], nodes->height[c]);
            double joined = afxi_front_cycles((double)nodes->width[p] + nodes->width[c], nodes->height[p]);
            if (nodes->sign[c] == nodes->sign[p] && joined < apart) {
                join(nodes, p, c, before);
                c = before == NONE ? nodes->child[p] : nodes->next_child[before];
            } else {
                before = c;
                c = nodes->next_child[c];
            }
        }
    }
}

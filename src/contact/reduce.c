/* SPDX-License-Identifier: Apache-2.0 */
/* Fewer points that hold as well: one, then always the farthest from those that are kept already; at last the deepest
 * instead of its neighbour, if it is deeper than all of them. A point is preferred to an earlier one only when it is
 * clearly better, so that rounding does not change the choice. */
#include "contact/inner.h"

#define CLEARLY 1.0001 /* farther */
#define DEEPER 1e-6    /* of the extent of all points */

static double distance(const AfxiTouch *p, const AfxiTouch *q) {
    return vec3_length(vec3_sub(vec3_load(p->point_b), vec3_load(q->point_b)));
}

static void exchange(AfxiTouch *points, uint32_t i, uint32_t j) {
    AfxiTouch keep = points[i];
    points[i] = points[j];
    points[j] = keep;
}

static uint32_t deepest_of(const AfxiTouch *points, uint32_t count) {
    uint32_t deepest = 0;
    for (uint32_t k = 1; k < count; k++)
        deepest = points[k].gap < points[deepest].gap ? k : deepest;
    return deepest;
}

static void keep_deepest(AfxiTouch *points, uint32_t count, uint32_t kept, double size) {
    uint32_t deepest = deepest_of(points, count), near = 0;
    if (deepest < kept || points[deepest].gap > points[deepest_of(points, kept)].gap - DEEPER * size)
        return;
    for (uint32_t k = 1; k < kept; k++)
        near = distance(points + k, points + deepest) < distance(points + near, points + deepest) ? k : near;
    exchange(points, near, deepest);
}

uint32_t afxi_reduce(AfxiTouch *points, uint32_t count, uint32_t limit) {
    if (count <= limit)
        return count;
    double size = 0;
    for (uint32_t k = 1; k < count; k++)
        size = fmax(size, distance(points, points + k));
    for (uint32_t kept = 1; kept < limit; kept++) {
        double most = -1;
        uint32_t best = kept;
        for (uint32_t k = kept; k < count; k++) {
            double apart = INFINITY;
            for (uint32_t j = 0; j < kept; j++)
                apart = fmin(apart, distance(points + k, points + j));
            if (apart > CLEARLY * most) {
                most = apart;
                best = k;
            }
        }
        exchange(points, kept, best);
    }
    keep_deepest(points, count, limit, size);
    return limit;
}

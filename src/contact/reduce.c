/* SPDX-License-Identifier: Apache-2.0 */
/* Fewer points that hold as well: the outermost, then always the farthest from those that are kept already; at last the
 * deepest instead of its neighbour, if it is deeper than all of them. A point is preferred to an earlier one only when
 * it is clearly better, so that rounding does not change the choice. */
#include "contact/reduce.h"

#include "contact/inner.h"
#include "contact/tuning.h"

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

static void keep_deepest(AfxiTouch *points, uint32_t count, uint32_t kept, double slack) {
    uint32_t deepest = deepest_of(points, count), near = 0;
    if (deepest < kept || points[deepest].gap > points[deepest_of(points, kept)].gap - slack)
        return;
    for (uint32_t k = 1; k < kept; k++)
        near = distance(points + k, points + deepest) < distance(points + near, points + deepest) ? k : near;
    exchange(points, near, deepest);
}

/* Puts the point farthest from the middle first; returns how far it is. */
static double move_outermost_first(AfxiTouch *points, uint32_t count) {
    AfxVec3 middle = vec3(0, 0, 0);
    for (uint32_t k = 0; k < count; k++)
        middle = vec3_mad(middle, 1.0 / count, vec3_load(points[k].point_b));
    double most = 0;
    uint32_t best = 0;
    for (uint32_t k = 0; k < count; k++) {
        double away = vec3_length(vec3_sub(vec3_load(points[k].point_b), middle));
        if (away > AFXI_CLEARLY_FARTHER * most) {
            most = away;
            best = k;
        }
    }
    exchange(points, 0, best);
    return most;
}

/* Puts the farthest point in each of eight directions along the surface first: whichever points come later, the corners
 * of the whole stay. Returns how many these are. */
static uint32_t move_corners_first(AfxiTouch *points, uint32_t count) {
    static const double cosine[8] = {1, 0.7, 0, -0.7, -1, -0.7, 0, 0.7};
    AfxVec3 n = vec3_load(points[0].normal), t = any_normal_to(n), u = vec3_cross(n, t);
    uint32_t kept = 0;
    for (int k = 0; k < 8; k++) {
        AfxVec3 d = vec3_add(vec3_scale(cosine[k], t), vec3_scale(cosine[(k + 6) % 8], u));
        uint32_t best = 0;
        double most = -INFINITY;
        for (uint32_t j = 0; j < count; j++) {
            double along = vec3_dot(d, vec3_load(points[j].point_b));
            best = along > most ? j : best;
            most = fmax(most, along);
        }
        if (best >= kept)
            exchange(points, kept++, best);
    }
    return kept;
}

uint32_t afxi_reduce(AfxiTouch *points, uint32_t count, uint32_t limit) {
    if (count <= limit)
        return count;
    double size = move_outermost_first(points, count), apart[AFXI_REDUCE_MAX];
    uint32_t corners = limit > 8 ? move_corners_first(points, count) : 1;
    for (uint32_t k = 0; k < count; k++)
        apart[k] = INFINITY;
    for (uint32_t kept = 1; kept < limit; kept++) {
        double most = -1;
        uint32_t best = kept;
        for (uint32_t k = kept; k < count; k++) {
            apart[k] = fmin(apart[k], distance(points + k, points + kept - 1));
            if (apart[k] > AFXI_CLEARLY_FARTHER * most) {
                most = apart[k];
                best = k;
            }
        }
        best = kept < corners ? kept : best;
        exchange(points, kept, best);
        apart[best] = apart[kept];
    }
    keep_deepest(points, count, limit, (limit > 8 ? AFXI_DEEPER_MANY : AFXI_DEEPER_FEW) * size);
    return limit;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* When moving shapes come near each other: conservative advancement (Mirtich 1996). With the gap g and the normal n at
 * s, convex shapes stay g + (s' - s) n . d apart along n, so they can be moved until that is the target without missing
 * anything. A mesh can be nearer elsewhere after any motion: there the whole length of the motion counts. */
#include "contact/inner.h"

#define TURNS 100

static AfxiPlace moved(const AfxiPlace *place, const double move[3], double s) {
    AfxiPlace at = *place;
    for (int k = 0; k < 3; k++)
        at.t[k] += s * move[k];
    return at;
}

/* The nearest of the touches; of those not above `limit`, one that approaches, if any does. */
static const AfxiTouch *relevant(const AfxiTouch *points, uint32_t count, AfxVec3 d, double limit) {
    const AfxiTouch *best = points;
    for (uint32_t k = 1; k < count; k++)
        best = points[k].gap < best->gap ? points + k : best;
    for (uint32_t k = 0; k < count && best->gap <= limit && vec3_dot(vec3_load(best->normal), d) >= 0; k++)
        if (points[k].gap <= limit && vec3_dot(vec3_load(points[k].normal), d) < 0)
            best = points + k;
    return best;
}

bool afxi_sweep(const AfxiGeometry *a, const AfxiPlace *place_a, const double move_a[3], const AfxiGeometry *b,
                const AfxiPlace *place_b, const double move_b[3], double target, double *out_s, AfxiTouch *out) {
    AfxVec3 d = vec3_sub(vec3_load(move_a), vec3_load(move_b));
    double s = 0, length = vec3_length(d), limit = target * (1 + 1e-6);
    bool convex = a->kind < AFXI_GEOMETRY_MESH && b->kind < AFXI_GEOMETRY_MESH;
    *out_s = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        AfxiTouch points[AFXI_TOUCH_MAX];
        AfxiPlace pa = moved(place_a, move_a, s), pb = moved(place_b, move_b, s);
        uint32_t count = afxi_touch(a, &pa, b, &pb, limit + length * (1 - s), points);
        if (count == 0)
            return false;
        const AfxiTouch *touch = relevant(points, count, d, limit);
        double closing = -vec3_dot(vec3_load(touch->normal), d), step;
        *out = *touch;
        if (touch->gap <= limit && closing > 0)
            break;
        if (convex && closing <= 0)
            return false;
        step = touch->gap <= limit ? target / length : (touch->gap - target) / (convex ? closing : length);
        s += step;
        if (!(s <= 1))
            return false;
    }
    *out_s = s;
    return true; /* or nearly so, after many turns */
}

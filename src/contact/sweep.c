/* SPDX-License-Identifier: Apache-2.0 */
/* When moving shapes come near each other: conservative advancement (Mirtich 1996). With the gap g and the normal n at
 * s, convex shapes stay g + (s' - s) n . d apart along n, so they can be moved until that is the target without missing
 * anything. A mesh can be nearer elsewhere after any motion: there the whole length of the motion counts, and only what
 * is near is looked at. */
#include "contact/sweep.h"

#include "contact/geometry.h"
#include "contact/inner.h"
#include "contact/tuning.h"

static AfxiPlace place_at(const AfxiPlace *place, const double move[3], double s) {
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

/* How far to look at s: all that is left for convex shapes; for meshes a few sizes of a, to spare triangles. */
static double look_ahead(const AfxiGeometry *a, const AfxiPlace *place, double left, double length, bool convex) {
    double lower[3], upper[3];
    if (convex || a->kind == AFXI_GEOMETRY_PLANE)
        return left;
    afxi_geometry_bounds(a, place, lower, upper);
    return fmin(left, fmax(2 * vec3_length(vec3_sub(vec3_load(upper), vec3_load(lower))), length / 16));
}

bool afxi_sweep(const AfxiGeometry *a, const AfxiPlace *place_a, const double move_a[3], const AfxiGeometry *b,
                const AfxiPlace *place_b, const double move_b[3], double target, double *out_s, AfxiTouch *out) {
    AfxVec3 d = vec3_sub(vec3_load(move_a), vec3_load(move_b));
    double s = 0, length = vec3_length(d), limit = target * (1 + 1e-6), closing = 0;
    bool convex = a->kind < AFXI_GEOMETRY_MESH && b->kind < AFXI_GEOMETRY_MESH;
    *out_s = 1;
    out->gap = INFINITY;
    for (int turn = 0; turn < AFXI_SWEEP_TURNS; turn++) {
        AfxiTouch points[AFXI_TOUCH_MAX];
        AfxiPlace pa = place_at(place_a, move_a, s), pb = place_at(place_b, move_b, s);
        double ahead = look_ahead(a, &pa, length * (1 - s), length, convex), step = ahead / length;
        uint32_t count = afxi_touch(a, &pa, b, &pb, limit + ahead, points);
        if (count > 0) {
            *out = *relevant(points, count, d, limit);
            closing = -vec3_dot(vec3_load(out->normal), d);
            if (out->gap <= limit && closing > 0) {
                *out_s = s;
                return true;
            }
            if (convex && closing <= 0)
                return false;
            step = out->gap <= limit ? target / length : (out->gap - target) / (convex ? closing : length);
        }
        s += step;
        if (!(s < 1) || length == 0)
            return false;
    }
    /* Many small steps: something slides by. It counts if the nearest point would come as near at its speed. */
    if (out->gap - closing * (1 - s) > target)
        return false;
    *out_s = s;
    return true;
}

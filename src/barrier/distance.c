/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points. A point and a triangle: the regions of its corners and edges are tried first (Ericson, Real-Time
 * Collision Detection, 5.1.5); a triangle without area is its edges. Two segments: the nearest points of the lines,
 * where they have one, and all ends otherwise. */
#include "barrier/distance.h"

#include <float.h>

static double clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Where on a segment the point nearest to p is, in 0 .. 1. */
static double along(AfxVec3 p, AfxVec3 a, AfxVec3 b) {
    AfxVec3 d = vec3_sub(b, a);
    double square = vec3_dot(d, d);
    return square > 0 ? clamp01(vec3_dot(vec3_sub(p, a), d) / square) : 0;
}

static AfxVec3 between(AfxVec3 a, AfxVec3 b, double t) {
    return vec3_mad(vec3_scale(1 - t, a), t, b);
}

static double square_of(AfxVec3 a, AfxVec3 b) {
    AfxVec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

/* The nearest of the three edges. */
static void nearest_border(AfxVec3 p, const AfxVec3 *t, double w[3]) {
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double s = along(p, t[k], t[next]), square = square_of(p, between(t[k], t[next], s));
        if (square < best) {
            best = square;
            w[k] = 1 - s;
            w[next] = s;
            w[(k + 2) % 3] = 0;
        }
    }
}

static void nearest_triangle(AfxVec3 p, const AfxVec3 *t, double w[3]) {
    AfxVec3 u = vec3_sub(t[1], t[0]), v = vec3_sub(t[2], t[0]), n = vec3_cross(u, v), r = vec3_sub(p, t[0]);
    double area = vec3_dot(n, n), scale = vec3_dot(u, u) * vec3_dot(v, v);
    w[0] = w[1] = w[2] = 0;
    if (area > 16 * DBL_EPSILON * DBL_EPSILON * scale) {
        double b = vec3_dot(vec3_cross(r, v), n) / area, c = vec3_dot(vec3_cross(u, r), n) / area;
        if (b >= 0 && c >= 0 && b + c <= 1) {
            w[0] = 1 - b - c;
            w[1] = b;
            w[2] = c;
            return;
        }
    }
    nearest_border(p, t, w);
}

/* Takes a pair of places on the two segments when it is nearer than the best so far. */
static void keep_nearer(const AfxVec3 *x, double s, double t, double *best, double *out_s, double *out_t) {
    double square = square_of(between(x[0], x[1], s), between(x[2], x[3], t));
    if (square < *best) {
        *best = square;
        *out_s = s;
        *out_t = t;
    }
}

static void nearest_segments(const AfxVec3 *x, double *out_s, double *out_t) {
    AfxVec3 u = vec3_sub(x[1], x[0]), v = vec3_sub(x[3], x[2]), r = vec3_sub(x[0], x[2]), n = vec3_cross(u, v);
    double area = vec3_dot(n, n), best = INFINITY, scale = vec3_dot(u, u) * vec3_dot(v, v);
    *out_s = *out_t = 0;
    if (area > 16 * DBL_EPSILON * DBL_EPSILON * scale) {
        double s = vec3_dot(vec3_cross(v, r), n) / area, t = vec3_dot(vec3_cross(u, r), n) / area;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            *out_s = s;
            *out_t = t;
            best = square_of(between(x[0], x[1], s), between(x[2], x[3], t));
            if (area > 1e-12 * scale) {
                return;
            }
        }
    }
    keep_nearer(x, 0, along(x[0], x[2], x[3]), &best, out_s, out_t);
    keep_nearer(x, 1, along(x[1], x[2], x[3]), &best, out_s, out_t);
    keep_nearer(x, along(x[2], x[0], x[1]), 0, &best, out_s, out_t);
    keep_nearer(x, along(x[3], x[0], x[1]), 1, &best, out_s, out_t);
}

AfxVec3 afxi_stencil_nearest(AfxiStencil stencil, const AfxVec3 x[4], double weight[4]) {
    int first = afxi_stencil_first(stencil), count = afxi_stencil_count(stencil);
    double s, t;
    weight[0] = weight[1] = 1;
    switch (stencil) {
    case AFXI_STENCIL_POINT_EDGE:
        t = along(x[0], x[1], x[2]);
        weight[1] = 1 - t;
        weight[2] = t;
        break;
    case AFXI_STENCIL_POINT_TRIANGLE:
        nearest_triangle(x[0], x + 1, weight + 1);
        break;
    case AFXI_STENCIL_EDGES:
        nearest_segments(x, &s, &t);
        weight[0] = 1 - s;
        weight[1] = s;
        weight[2] = 1 - t;
        weight[3] = t;
        break;
    case AFXI_STENCIL_POINTS:
    case AFXI_STENCIL_POINT_PLANE:
        break;
    }
    AfxVec3 r = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        r = vec3_mad(r, k < first ? weight[k] : -weight[k], x[k]);
    }
    return r;
}

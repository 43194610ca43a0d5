/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: placed pairs, nearest points, support points, faces as polygons. */
#ifndef AFXI_CONTACT_INNER_H
#define AFXI_CONTACT_INNER_H

#include "contact/geometry.h"
#include "math/vec3.h"

/** Two placed shapes; b's origin is the origin, so that nothing is lost far from the world's. */
typedef struct AfxiPlacedPair {
    const AfxiGeometry *a, *b;
    AfxiPlace pa, pb;
    double margin;
} AfxiPlacedPair;

/** One function for each family (plane.h, round.h, box.h, convex.h, mesh.h); a's kind comes before b's in
 * AfxiGeometryKind, or is the same. */
typedef uint32_t (*AfxiPairTouch)(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

/* Places */
static inline AfxVec3 place_direction(const AfxiPlace *p, AfxVec3 v) {
    const double *m = p->r;
    return vec3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
static inline AfxVec3 place_point(const AfxiPlace *p, AfxVec3 x) {
    return vec3_add(place_direction(p, x), vec3_load(p->t));
}
static inline AfxVec3 place_axis(const AfxiPlace *p, int k) {
    return vec3_load(p->r + 3 * k);
}
static inline AfxVec3 place_local_direction(const AfxiPlace *p, AfxVec3 v) {
    return vec3(vec3_dot(place_axis(p, 0), v), vec3_dot(place_axis(p, 1), v), vec3_dot(place_axis(p, 2), v));
}
static inline AfxVec3 place_local_point(const AfxiPlace *p, AfxVec3 x) {
    return place_local_direction(p, vec3_sub(x, vec3_load(p->t)));
}

/* Vectors */
static inline double vec3_part(AfxVec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}
static inline double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}
/** v divided by its length, or `instead` when that is too small to divide by. */
static inline AfxVec3 unit_or(AfxVec3 v, AfxVec3 instead) {
    double length = vec3_length(v);
    return length > 1e-150 ? vec3_scale(1 / length, v) : instead;
}
/** A unit vector normal to the unit vector n. */
static inline AfxVec3 any_normal_to(AfxVec3 n) {
    AfxVec3 e = fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    return unit_or(vec3_cross(n, e), vec3(0, 0, 1));
}

static inline void touch_set(AfxiTouch *out, AfxVec3 point_a, AfxVec3 point_b, AfxVec3 normal, double gap,
                             uint32_t feature) {
    vec3_store(out->point_a, point_a);
    vec3_store(out->point_b, point_b);
    vec3_store(out->normal, normal);
    out->gap = gap;
    out->feature = feature;
}

/** The nearest point of a shape's surface to x; distance is negative when x is inside. World. */
typedef struct AfxiNearPoint {
    AfxVec3 point, normal; /* outward there */
    double distance;
} AfxiNearPoint;

/* A convex shape is a core and a radius around it: sphere and capsule are a point and a segment. */
static inline double core_radius(const AfxiGeometry *g) {
    return g->kind <= AFXI_GEOMETRY_CAPSULE ? g->radius : 0;
}
/** Is one of them curved, so that Newton's method in afxi_polish does the last of the work? */
static inline bool afxi_is_smooth(const AfxiPlacedPair *pair) {
    return pair->a->kind == AFXI_GEOMETRY_CYLINDER || pair->a->kind == AFXI_GEOMETRY_ELLIPSOID ||
           pair->b->kind == AFXI_GEOMETRY_CYLINDER || pair->b->kind == AFXI_GEOMETRY_ELLIPSOID;
}

#define AFXI_POLYGON_MAX 32

/** A flat piece of a core's surface: a face (3 points or more), an edge (2) or a single point. */
typedef struct AfxiPolygon {
    uint32_t count;
    AfxVec3 p[AFXI_POLYGON_MAX];
    uint32_t edge[AFXI_POLYGON_MAX]; /* name of the edge from p[k] to p[k + 1]; an edge's two points: of each */
    AfxVec3 normal;                  /* outward, when count >= 3 */
} AfxiPolygon;

#define AFXI_REDUCE_MAX 64

/** Where the cores of two convex shapes are nearest, or deepest in each other. */
typedef struct AfxiApart {
    AfxVec3 normal;           /* from b to a */
    AfxVec3 point_a, point_b; /* on the cores */
    double distance;          /* of the cores; negative: depth */
    bool far;                 /* farther than asked for; nothing else is set */
} AfxiApart;

/** A corner of the difference a - b, with the points that make it. */
typedef struct AfxiCorner {
    AfxVec3 w, a, b;
} AfxiCorner;
typedef struct AfxiSimplex {
    uint32_t count;
    AfxiCorner corner[4];
    double weight[4]; /* of the point nearest to the origin */
} AfxiSimplex;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: placed pairs, nearest points, support points, faces as polygons. */
#ifndef AFXI_CONTACT_INNER_H
#define AFXI_CONTACT_INNER_H

#include "contact/geometry.h"
#include "math/vec3.h"

/** Two placed shapes; b's origin is the origin, so that nothing is lost far from the world's. */
typedef struct AfxiPair {
    const AfxiGeometry *a, *b;
    AfxiPlace pa, pb;
    double margin;
} AfxiPair;

typedef uint32_t (*AfxiPairTouch)(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

/* One function for each family; a's kind comes before b's in AfxiGeometryKind, or is the same. */
uint32_t afxi_touch_plane(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_sphere(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_capsule(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_boxes(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_convex(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_mesh(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_meshes(const AfxiPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

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
typedef struct AfxiNear {
    AfxVec3 point, normal; /* outward there */
    double distance;
} AfxiNear;

/** Plane, sphere, capsule, box, cylinder, ellipsoid. */
AfxiNear afxi_nearest(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 x);

/* A convex shape is a core and a radius around it: sphere and capsule are a point and a segment. */
static inline double core_radius(const AfxiGeometry *g) {
    return g->kind <= AFXI_GEOMETRY_CAPSULE ? g->radius : 0;
}
/** Half the size of the core, roughly: what tolerances are relative to. */
double afxi_core_size(const AfxiGeometry *g);
/** The vertex farthest in a direction, in the hull's frame. */
uint32_t afxi_hull_support(const AfxiHullMesh *hull, AfxVec3 d);
/** The core's farthest point in a direction of any length; world. */
AfxVec3 afxi_support(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 direction);
/** Is one of them curved, so that Newton's method in afxi_polish does the last of the work? */
static inline bool afxi_is_smooth(const AfxiPair *pair) {
    return pair->a->kind == AFXI_GEOMETRY_CYLINDER || pair->a->kind == AFXI_GEOMETRY_ELLIPSOID ||
           pair->b->kind == AFXI_GEOMETRY_CYLINDER || pair->b->kind == AFXI_GEOMETRY_ELLIPSOID;
}
/** A point well inside the core; world. */
AfxVec3 afxi_core_center(const AfxiGeometry *g, const AfxiPlace *place);

#define AFXI_POLYGON_MAX 32

/** A flat piece of a core's surface: a face (3 points or more), an edge (2) or a single point. */
typedef struct AfxiPolygon {
    uint32_t count;
    AfxVec3 p[AFXI_POLYGON_MAX];
    uint32_t edge[AFXI_POLYGON_MAX]; /* name of the edge from p[k] to p[k + 1]; an edge's two points: of each */
    AfxVec3 normal;                  /* outward, when count >= 3 */
} AfxiPolygon;

/** The flat piece that faces a unit direction. */
void afxi_polygon(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 direction, AfxiPolygon *out);

/** Touches of the cores along the normal n (from b to a): the corners of the common part of the two pieces that face
 * each other, seen along n. `limit` of them at most; gaps below margin only, radii included. May be none. */
uint32_t afxi_manifold(const AfxiPair *pair, AfxVec3 n, uint32_t limit, AfxiTouch out[AFXI_TOUCH_MAX]);
#define AFXI_REDUCE_MAX 64
/** Leaves at most `limit` of the points (AFXI_REDUCE_MAX at most), well spread, the deepest among them; returns how
 * many. */
uint32_t afxi_reduce(AfxiTouch *points, uint32_t count, uint32_t limit);

/** Where the cores of two convex shapes are nearest, or deepest in each other. */
typedef struct AfxiApart {
    AfxVec3 normal;           /* from b to a */
    AfxVec3 point_a, point_b; /* on the cores */
    double distance;          /* of the cores; negative: depth */
    bool far;                 /* farther than asked for; nothing else is set */
} AfxiApart;

/** Any two convex shapes; distances above `reach` need not be known exactly. */
AfxiApart afxi_apart(const AfxiPair *pair, double reach);
/** The touch of two convex shapes whose cores are as `apart` says. */
uint32_t afxi_touch_apart(const AfxiPair *pair, const AfxiApart *apart, uint32_t limit, AfxiTouch out[AFXI_TOUCH_MAX]);
/** How far the cores are apart along the unit vector n: no more than their distance, for any n. */
double afxi_separation(const AfxiPair *pair, AfxVec3 n);

/** A corner of the difference a - b, with the points that make it. */
typedef struct AfxiCorner {
    AfxVec3 w, a, b;
} AfxiCorner;
typedef struct AfxiSimplex {
    uint32_t count;
    AfxiCorner corner[4];
    double weight[4]; /* of the point nearest to the origin */
} AfxiSimplex;

AfxiCorner afxi_corner(const AfxiPair *pair, AfxVec3 direction);
/** The point of the cores' difference that is nearest to the origin (Gilbert, Johnson and Keerthi 1988); zero when the
 * cores overlap. False when it is farther than reach. */
bool afxi_gjk(const AfxiPair *pair, double reach, AfxiSimplex *out_simplex, AfxVec3 *out_nearest);
/** The least motion that separates overlapping cores (van den Bergen's expanding polytope): normal from b to a. */
AfxVec3 afxi_expand(const AfxiPair *pair, const AfxiSimplex *simplex);
/** Improves a normal: no smaller separation, and exact where faces, edges or smooth surfaces decide. */
AfxVec3 afxi_polish(const AfxiPair *pair, AfxVec3 normal, double size);

#endif

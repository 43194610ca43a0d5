/* SPDX-License-Identifier: Apache-2.0 */
/* One triangle of a mesh against a convex shape a, in the mesh's frame. Normals of touch are limited to those that the
 * surface has there: the face's; on a ridge those between the two faces' (the edge's Voronoi region); at a peak those
 * between the faces around it. What the distance asks for outside of that belongs to a neighbour, or is welded to the
 * face's normal. Triangles push outward only, and no deeper than the mesh is thick there. */
#include "contact/triangle.h"

#include "contact/convex.h"
#include "contact/manifold.h"
#include "contact/support.h"
#include "contact/tuning.h"

/* The feature of a touch at a single point of a. */
#define POINT UINT32_MAX

void afxi_triangle_shape(const AfxiTriangles *mesh, uint32_t triangle, const AfxiPlace *place, AfxiTriangleShape *out) {
    static const uint32_t face_start[3] = {0, 3, 6}, face_corners[6] = {0, 1, 2, 0, 2, 1};
    static const uint32_t vertex_start[4] = {0, 2, 4, 6}, vertex_faces[6] = {0, 1, 0, 1, 0, 1};
    static const uint32_t vertex_next[6] = {1, 2, 2, 0, 0, 1};
    AfxVec3 n = vec3_load(mesh->normals + 3 * (size_t)triangle), center = vec3(0, 0, 0);
    n = place ? place_direction(place, n) : n;
    for (uint32_t k = 0; k < 3; k++) {
        AfxVec3 v = vec3_load(mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + k]);
        v = place ? place_point(place, v) : v;
        vec3_store(out->vertices + 3 * k, v);
        center = vec3_mad(center, 1.0 / 3, v);
    }
    double level = vec3_dot(n, center), radius = 0;
    for (uint32_t k = 0; k < 3; k++)
        radius = fmax(radius, vec3_length(vec3_sub(vec3_load(out->vertices + 3 * k), center)));
    for (uint32_t side = 0; side < 2; side++) {
        vec3_store(out->planes + 4 * side, vec3_scale(side ? -1 : 1, n));
        out->planes[4 * side + 3] = side ? -level : level;
    }
    out->hull = (AfxiHullMesh){3,
                               2,
                               out->vertices,
                               out->planes,
                               face_start,
                               face_corners,
                               vertex_start,
                               vertex_faces,
                               vertex_next,
                               {center.x, center.y, center.z},
                               radius,
                               NULL,
                               0};
    out->g = (AfxiGeometry){.kind = AFXI_GEOMETRY_CONVEX, .hull = &out->hull};
}

static AfxVec3 normal_of(const AfxiTriangles *mesh, uint32_t t) {
    return vec3_load(mesh->normals + 3 * (size_t)t);
}

static AfxVec3 outward(const AfxiTriangles *mesh, uint32_t t, uint32_t k) {
    return vec3_load(mesh->outward + 9 * (size_t)t + 3 * k);
}

/* Is n, which leans across edge k by `lean` = n . outward, not beyond what the edge allows? `at_corner`: it may lean
 * away from the edge, too. */
static bool edge_allows(const AfxiTriangles *mesh, uint32_t t, uint32_t k, AfxVec3 n, bool at_corner) {
    uint32_t other = mesh->across[3 * (size_t)t + k];
    AfxVec3 out = outward(mesh, t, k), face = normal_of(mesh, t);
    double lean = vec3_dot(n, out);
    if (lean < -1e-6)
        return at_corner;
    if (other == UINT32_MAX)
        return true;
    double ridge = mesh->ridge[3 * (size_t)t + k];
    if (ridge < AFXI_RIDGE_SINE)
        return lean < 1e-6;
    double angle = atan2(lean, vec3_dot(n, face)), most = atan2(ridge, vec3_dot(normal_of(mesh, other), face));
    return angle <= most + 1e-6;
}

bool afxi_triangle_owns(const AfxiTriangles *mesh, uint32_t t, AfxVec3 n) {
    AfxVec3 face = normal_of(mesh, t);
    double facing = vec3_dot(n, face), value[3], most = -INFINITY, size = 0;
    if (facing > 1 - 1e-12)
        return true;
    AfxVec3 first = vec3_load(mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t]);
    for (uint32_t k = 0; k < 3; k++) {
        AfxVec3 v = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + k]), first);
        value[k] = vec3_dot(n, v);
        most = fmax(most, value[k]);
        size = fmax(size, vec3_length(v));
    }
    bool on[3];
    uint32_t corners = 0;
    for (uint32_t k = 0; k < 3; k++) {
        on[k] = value[k] >= most - 1e-9 * size;
        corners += on[k];
    }
    if (corners == 3)
        return facing > 0;
    for (uint32_t k = 0; k < 3; k++) {
        bool touches = corners == 2 ? on[k] && on[(k + 1) % 3] : on[k] || on[(k + 1) % 3];
        if (touches && !edge_allows(mesh, t, k, n, corners == 1))
            return false;
    }
    /* Beyond a ridge of more than a right angle the face itself may look the other way. */
    return facing > -0.999;
}

/* Would a neighbour over a ridge let a out with less depth? */
static bool neighbour_is_better(const AfxiPlacedPair *pair, const AfxiTriangles *mesh, uint32_t t, double separation,
                                double slack) {
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t other = mesh->across[3 * (size_t)t + k];
        if (other == UINT32_MAX || mesh->ridge[3 * (size_t)t + k] < AFXI_RIDGE_SINE)
            continue;
        AfxVec3 n = normal_of(mesh, other);
        AfxVec3 on = vec3_load(mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)other]);
        double s = vec3_dot(n, vec3_sub(afxi_support(pair->a, &pair->pa, vec3_scale(-1, n)), on));
        if (s > separation + slack)
            return true;
    }
    return false;
}

/* How far p is inside the triangle, seen along its normal; negative: outside. */
static double inside_triangle(const AfxiTriangles *mesh, uint32_t t, AfxVec3 p) {
    double least = INFINITY;
    for (uint32_t k = 0; k < 3; k++) {
        AfxVec3 v = vec3_load(mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + k]);
        least = fmin(least, vec3_dot(outward(mesh, t, k), vec3_sub(v, p)));
    }
    return least;
}

/* Touches along the face's normal. */
static uint32_t touch_face(const AfxiPlacedPair *pair, const AfxiTriangles *mesh, uint32_t t, double separation,
                           AfxiTouch *out, bool *out_spare) {
    AfxVec3 n = normal_of(mesh, t), low = afxi_support(pair->a, &pair->pa, vec3_scale(-1, n));
    double radius = core_radius(pair->a), size = pair->b->hull->radius;
    *out_spare = neighbour_is_better(pair, mesh, t, separation, 1e-9 * (size + afxi_core_size(pair->a)));
    uint32_t count = afxi_manifold(pair, n, 8, out);
    double least = INFINITY;
    for (uint32_t k = 0; k < count; k++)
        least = fmin(least, out[k].gap);
    /* The lowest point of a itself, when it is above the triangle and lower than the corners found. */
    double gap = separation - radius;
    if (least <= gap + 1e-10 * size || inside_triangle(mesh, t, low) < -1e-9 * size)
        return count;
    touch_set(out + count++, vec3_mad(low, -radius, n), vec3_mad(low, -separation, n), n, gap, POINT);
    return count;
}

/* The core's points farthest along the triangle's normal and against it, and how far it is from the edges' planes. */
typedef struct Reach {
    AfxVec3 low, high;
    double separation; /* from the triangle's plane */
    double beside;     /* beyond an edge, at most of the three; negative: it is above or below the triangle */
    double sharp;      /* the sharpest ridge */
} Reach;

static Reach reach_of(const AfxiPlacedPair *pair, const AfxiTriangles *mesh, uint32_t t) {
    AfxVec3 face = normal_of(mesh, t);
    Reach reach = {.beside = -INFINITY, .sharp = -1};
    const uint32_t *v = mesh->triangles + 3 * (size_t)t;
    reach.low = afxi_support(pair->a, &pair->pa, vec3_scale(-1, face));
    reach.high = afxi_support(pair->a, &pair->pa, face);
    reach.separation = vec3_dot(face, vec3_sub(reach.low, vec3_load(mesh->vertices + 3 * (size_t)v[0])));
    if (reach.separation - core_radius(pair->a) >= pair->margin)
        return reach;
    for (uint32_t k = 0; k < 3; k++) {
        AfxVec3 out = outward(mesh, t, k), on = vec3_load(mesh->vertices + 3 * (size_t)v[k]);
        AfxVec3 back = afxi_support(pair->a, &pair->pa, vec3_scale(-1, out));
        reach.beside = fmax(reach.beside, vec3_dot(out, vec3_sub(back, on)));
        reach.sharp = fmax(reach.sharp, mesh->ridge[3 * (size_t)t + k]);
    }
    return reach;
}

static uint32_t touch_shape(const AfxiPlacedPair *pair, const AfxiTriangles *mesh, uint32_t t, const Reach *reach,
                            AfxiTouch *out, bool *out_spare) {
    AfxVec3 face = normal_of(mesh, t), on = vec3_load(pair->b->hull->vertices);
    double radius = core_radius(pair->a), separation = reach->separation;
    /* The face's normal is exact when a's lowest point is above the triangle; there is no other normal without ridges;
     * and what is all behind goes back the way it came. */
    if (reach->sharp < (separation < 0 ? AFXI_RIDGE_SINE_DEEP : AFXI_RIDGE_SINE) ||
        (separation >= 0 && inside_triangle(mesh, t, reach->low) >= 0) ||
        vec3_dot(face, vec3_sub(reach->high, on)) + radius <= 0)
        return touch_face(pair, mesh, t, separation, out, out_spare);
    AfxiApart apart = afxi_apart(pair, pair->margin + radius);
    if (apart.far)
        return 0;
    bool outward_bound = vec3_dot(apart.normal, face) > 1e-6;
    if (outward_bound && afxi_triangle_owns(mesh, t, apart.normal))
        return afxi_touch_apart(pair, &apart, 8, out);
    uint32_t count = touch_face(pair, mesh, t, separation, out, out_spare);
    if (count > 0 || !outward_bound || apart.distance > 0)
        return count;
    *out_spare = true;
    return afxi_touch_apart(pair, &apart, 8, out);
}

uint32_t afxi_touch_triangle(const AfxiPlacedPair *pair, uint32_t triangle, AfxiTouch out[AFXI_TOUCH_MAX],
                             bool *out_spare) {
    const AfxiTriangles *mesh = pair->b->mesh;
    double radius = core_radius(pair->a), slack = 1e-6 * (afxi_core_size(pair->a) + radius);
    *out_spare = false;
    if (vec3_dot(normal_of(mesh, triangle), normal_of(mesh, triangle)) < 0.5)
        return 0; /* no area */
    Reach reach = reach_of(pair, mesh, triangle);
    if (reach.separation - radius >= pair->margin || reach.separation - radius < -mesh->thickness[triangle] ||
        reach.beside >= (reach.sharp < AFXI_RIDGE_SINE ? slack : radius + pair->margin))
        return 0;
    AfxiTriangleShape shape;
    afxi_triangle_shape(mesh, triangle, NULL, &shape);
    AfxiPlacedPair with = {pair->a, &shape.g, pair->pa, pair->pb, pair->margin};
    uint32_t count = touch_shape(&with, mesh, triangle, &reach, out, out_spare);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t h = (out[k].feature ^ triangle) * 0x9E3779B1u;
        out[k].feature = (h ^ h >> 16) + triangle * 0x85EBCA77u;
        out[k].triangle = triangle;
    }
    return count;
}

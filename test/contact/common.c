/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes at random, and what is known of them without the code under test. */
#include "contact/hull_mesh.h"
#include "tests.h"

#include <string.h>

#define HULL_POINTS 30

AfxiGeometry sphere_of(double radius) {
    return (AfxiGeometry){.kind = AFXI_GEOMETRY_SPHERE, .radius = radius};
}
AfxiGeometry capsule_of(double radius, double half_length) {
    return (AfxiGeometry){.kind = AFXI_GEOMETRY_CAPSULE, .radius = radius, .half_length = half_length};
}
AfxiGeometry cylinder_of(double radius, double half_length) {
    return (AfxiGeometry){.kind = AFXI_GEOMETRY_CYLINDER, .radius = radius, .half_length = half_length};
}
AfxiGeometry box_of(double x, double y, double z) {
    return (AfxiGeometry){.kind = AFXI_GEOMETRY_BOX, .half = {x, y, z}};
}
AfxiGeometry ellipsoid_of(double x, double y, double z) {
    return (AfxiGeometry){.kind = AFXI_GEOMETRY_ELLIPSOID, .half = {x, y, z}};
}

void random_shape(uint64_t *seed, AfxiGeometryKind kind, double size, Shape *out) {
    memset(out, 0, sizeof *out);
    out->g.kind = kind;
    out->g.radius = size * (0.2 + 0.8 * random_unit(seed));
    out->g.half_length = size * (0.2 + 0.8 * random_unit(seed));
    for (int k = 0; k < 3; k++)
        out->g.half[k] = size * (0.2 + 0.8 * random_unit(seed));
    if (kind != AFXI_GEOMETRY_CONVEX)
        return;
    double points[3 * HULL_POINTS];
    uint32_t count = 4 + (uint32_t)(random_unit(seed) * (HULL_POINTS - 4));
    for (uint32_t k = 0; k < count; k++)
        vec3_store(points + 3 * (size_t)k, random_vec3(seed, size));
    AfxAllocator allocator = afx_default_allocator();
    assert_int_equal(afxi_hull_mesh_create(&allocator, points, count, &out->hull), AFX_OK);
    out->g.hull = &out->hull;
}

void drop_shape(Shape *shape) {
    AfxAllocator allocator = afx_default_allocator();
    if (shape->g.hull)
        afxi_hull_mesh_destroy(&allocator, &shape->hull);
}

AfxiPlace place_at(double x, double y, double z) {
    return (AfxiPlace){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {x, y, z}};
}

AfxiPlace random_place(uint64_t *seed, double size) {
    AfxiMat3 r = mat3_from_quat(random_quat(seed));
    AfxiPlace place;
    memcpy(place.r, r.m, sizeof r.m);
    vec3_store(place.t, random_vec3(seed, size));
    return place;
}

double size_of(const AfxiGeometry *g) {
    switch (g->kind) {
    case AFXI_GEOMETRY_BOX:
    case AFXI_GEOMETRY_ELLIPSOID:
        return fmax(g->half[0], fmax(g->half[1], g->half[2]));
    case AFXI_GEOMETRY_CONVEX:
        return g->hull->radius;
    case AFXI_GEOMETRY_SPHERE:
        return g->radius;
    default:
        return g->radius + g->half_length;
    }
}

double reach_of(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 n) {
    AfxiMat3 r = mat3_load(place->r);
    AfxVec3 d = mat3_apply_transposed(&r, n);
    double reach = 0;
    switch (g->kind) {
    case AFXI_GEOMETRY_SPHERE:
        reach = g->radius;
        break;
    case AFXI_GEOMETRY_CAPSULE:
        reach = g->radius + g->half_length * fabs(d.z);
        break;
    case AFXI_GEOMETRY_BOX:
        reach = g->half[0] * fabs(d.x) + g->half[1] * fabs(d.y) + g->half[2] * fabs(d.z);
        break;
    case AFXI_GEOMETRY_CYLINDER:
        reach = g->radius * sqrt(d.x * d.x + d.y * d.y) + g->half_length * fabs(d.z);
        break;
    case AFXI_GEOMETRY_ELLIPSOID:
        reach = vec3_length(vec3(g->half[0] * d.x, g->half[1] * d.y, g->half[2] * d.z));
        break;
    default:
        reach = -INFINITY;
        for (uint32_t k = 0; k < g->hull->vertex_count; k++)
            reach = fmax(reach, vec3_dot(d, vec3_load(g->hull->vertices + 3 * (size_t)k)));
    }
    return reach + vec3_dot(n, vec3_load(place->t));
}

double apart_along(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb, AfxVec3 n) {
    return -reach_of(a, pa, vec3_scale(-1, n)) - reach_of(b, pb, n);
}

/* Steps along two tangents and their sums, halved whenever none of them helps. */
static double climb(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb, AfxVec3 n,
                    double step) {
    double best = apart_along(a, pa, b, pb, n);
    for (int turn = 0; turn < 50 && step > 1e-7; turn++) {
        AfxVec3 t = vec3_cross(n, fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0)), keep = n;
        t = vec3_scale(1 / vec3_length(t), t);
        AfxVec3 u = vec3_cross(n, t);
        for (int k = 0; k < 8; k++) {
            static const double cosine[8] = {1, 0.7, 0, -0.7, -1, -0.7, 0, 0.7};
            AfxVec3 m = vec3_mad(vec3_mad(keep, step * cosine[k], t), step * cosine[(k + 6) % 8], u);
            m = vec3_scale(1 / vec3_length(m), m);
            double s = apart_along(a, pa, b, pb, m);
            if (s > best) {
                best = s;
                n = m;
            }
        }
        if (n.x == keep.x && n.y == keep.y && n.z == keep.z)
            step *= 0.4;
    }
    return best;
}

double search_distance(const AfxiGeometry *a, const AfxiPlace *pa, const AfxiGeometry *b, const AfxiPlace *pb) {
    enum { DIRECTIONS = 200, STARTS = 3 };
    AfxVec3 start[STARTS];
    double value[STARTS], best = -INFINITY;
    for (int k = 0; k < STARTS; k++)
        value[k] = -INFINITY;
    for (int k = 0; k < DIRECTIONS; k++) { /* a spiral from pole to pole */
        double z = 1 - (2 * k + 1.0) / DIRECTIONS, angle = 2.39996322972865332 * k, rho = sqrt(1 - z * z);
        AfxVec3 n = vec3(rho * cos(angle), rho * sin(angle), z);
        double s = apart_along(a, pa, b, pb, n);
        int at = STARTS;
        while (at > 0 && s > value[at - 1])
            at--;
        for (int j = STARTS - 1; j > at; j--) {
            value[j] = value[j - 1];
            start[j] = start[j - 1];
        }
        if (at < STARTS) {
            value[at] = s;
            start[at] = n;
        }
    }
    for (int k = 0; k < STARTS; k++)
        best = fmax(best, climb(a, pa, b, pb, start[k], 0.1));
    return best;
}

bool holds(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 x, double slack) {
    AfxiMat3 r = mat3_load(place->r);
    AfxVec3 p = mat3_apply_transposed(&r, vec3_sub(x, vec3_load(place->t)));
    double rho = sqrt(p.x * p.x + p.y * p.y), z = fmax(fabs(p.z) - g->half_length, 0);
    switch (g->kind) {
    case AFXI_GEOMETRY_SPHERE:
        return vec3_length(p) <= g->radius + slack;
    case AFXI_GEOMETRY_CAPSULE:
        return sqrt(rho * rho + z * z) <= g->radius + slack;
    case AFXI_GEOMETRY_BOX:
        return fabs(p.x) <= g->half[0] + slack && fabs(p.y) <= g->half[1] + slack && fabs(p.z) <= g->half[2] + slack;
    case AFXI_GEOMETRY_CYLINDER:
        return rho <= g->radius + slack && z <= slack;
    case AFXI_GEOMETRY_ELLIPSOID:
        return vec3_length(vec3(p.x / g->half[0], p.y / g->half[1], p.z / g->half[2])) <=
               1 + slack / fmin(g->half[0], fmin(g->half[1], g->half[2]));
    default:
        for (uint32_t f = 0; f < g->hull->face_count; f++) {
            const double *plane = g->hull->planes + 4 * (size_t)f;
            if (vec3_dot(vec3_load(plane), p) > plane[3] + slack)
                return false;
        }
        return true;
    }
}

const AfxiTouch *deepest_of(const AfxiTouch *points, uint32_t count) {
    const AfxiTouch *best = points;
    for (uint32_t k = 1; k < count; k++)
        best = points[k].gap < best->gap ? points + k : best;
    return best;
}

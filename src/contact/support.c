/* SPDX-License-Identifier: Apache-2.0 */
/* Support points of convex cores, and the flat pieces of their surfaces. */
#include "contact/support.h"

#include "contact/inner.h"
#include "contact/tuning.h"

double afxi_core_size(const AfxiGeometry *g) {
    switch (g->kind) {
    case AFXI_GEOMETRY_CAPSULE:
        return g->half_length;
    case AFXI_GEOMETRY_BOX:
    case AFXI_GEOMETRY_ELLIPSOID:
        return fmax(g->half[0], fmax(g->half[1], g->half[2]));
    case AFXI_GEOMETRY_CYLINDER:
        return fmax(g->radius, g->half_length);
    case AFXI_GEOMETRY_CONVEX:
        return g->hull->radius;
    default:
        return 0;
    }
}

AfxVec3 afxi_core_center(const AfxiGeometry *g, const AfxiPlace *place) {
    return g->kind == AFXI_GEOMETRY_CONVEX ? place_point(place, vec3_load(g->hull->center)) : vec3_load(place->t);
}

static AfxVec3 hull_vertex(const AfxiHullMesh *hull, uint32_t k) {
    return vec3_load(hull->vertices + 3 * (size_t)k);
}

/* A vertex without a better neighbour is the best: the hull is convex. */
uint32_t afxi_hull_support(const AfxiHullMesh *hull, AfxVec3 d) {
    uint32_t best = 0;
    double most = vec3_dot(d, hull_vertex(hull, 0));
    if (hull->vertex_count <= AFXI_HULL_SCAN_MOST) {
        for (uint32_t k = 1; k < hull->vertex_count; k++) {
            double value = vec3_dot(d, hull_vertex(hull, k));
            best = value > most ? k : best;
            most = value > most ? value : most;
        }
        return best;
    }
    for (uint32_t from = UINT32_MAX; from != best;) {
        from = best;
        for (uint32_t k = hull->vertex_start[from]; k < hull->vertex_start[from + 1]; k++) {
            double value = vec3_dot(d, hull_vertex(hull, hull->vertex_next[k]));
            if (value > most) {
                most = value;
                best = hull->vertex_next[k];
            }
        }
    }
    return best;
}

static AfxVec3 local_support(const AfxiGeometry *g, AfxVec3 d) {
    switch (g->kind) {
    case AFXI_GEOMETRY_CAPSULE:
        return vec3(0, 0, d.z < 0 ? -g->half_length : g->half_length);
    case AFXI_GEOMETRY_BOX:
        return vec3(d.x < 0 ? -g->half[0] : g->half[0], d.y < 0 ? -g->half[1] : g->half[1],
                    d.z < 0 ? -g->half[2] : g->half[2]);
    case AFXI_GEOMETRY_CYLINDER: {
        double rho = sqrt(d.x * d.x + d.y * d.y), s = rho > 1e-150 ? g->radius / rho : 0;
        return vec3(rho > 1e-150 ? s * d.x : g->radius, s * d.y, d.z < 0 ? -g->half_length : g->half_length);
    }
    case AFXI_GEOMETRY_ELLIPSOID: {
        AfxVec3 u = vec3(g->half[0] * d.x, g->half[1] * d.y, g->half[2] * d.z);
        u = unit_or(u, vec3(0, 0, 1));
        return vec3(g->half[0] * u.x, g->half[1] * u.y, g->half[2] * u.z);
    }
    case AFXI_GEOMETRY_CONVEX:
        return hull_vertex(g->hull, afxi_hull_support(g->hull, d));
    default:
        return vec3(0, 0, 0);
    }
}

AfxVec3 afxi_support(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 direction) {
    return place_point(place, local_support(g, place_local_direction(place, direction)));
}

/* Corners in the order in which they go around the axis, from outside. */
static void box_polygon(const AfxiGeometry *g, AfxVec3 direction, AfxiPolygon *out) {
    double d[3], p[3], n[3] = {0, 0, 0};
    vec3_store(d, direction);
    int k = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    k = fabs(d[2]) > fabs(d[k]) ? 2 : k;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double side = d[k] < 0 ? -1 : 1;
    n[k] = side;
    p[k] = side * g->half[k];
    for (uint32_t c = 0; c < 4; c++) {
        p[i] = (c == 1 || c == 2 ? side : -side) * g->half[i];
        p[j] = (c >= 2 ? 1 : -1) * g->half[j];
        out->p[c] = vec3_load(p);
        out->edge[c] = (uint32_t)(8 * k + (side < 0 ? 4 : 0)) + c;
    }
    out->normal = vec3_load(n);
    out->count = 4;
}

static void hull_polygon(const AfxiHullMesh *hull, AfxVec3 direction, AfxiPolygon *out) {
    uint32_t vertex = afxi_hull_support(hull, direction), face = 0;
    double most = -INFINITY;
    for (uint32_t k = hull->vertex_start[vertex]; k < hull->vertex_start[vertex + 1]; k++) {
        double value = vec3_dot(direction, vec3_load(hull->planes + 4 * (size_t)hull->vertex_faces[k]));
        if (value > most) {
            most = value;
            face = hull->vertex_faces[k];
        }
    }
    uint32_t first = hull->face_start[face], corners = hull->face_start[face + 1] - first;
    out->count = corners < AFXI_POLYGON_MAX ? corners : AFXI_POLYGON_MAX;
    for (uint32_t k = 0; k < out->count; k++) {
        uint32_t corner = first + (uint32_t)((uint64_t)k * corners / out->count);
        out->p[k] = hull_vertex(hull, hull->face_corners[corner]);
        out->edge[k] = corner;
    }
    out->normal = vec3_load(hull->planes + 4 * (size_t)face);
}

/* The line of a cylinder's side or a capsule's axis: both ends at `offset` from the axis. */
static void line_polygon(double half_length, AfxVec3 offset, AfxiPolygon *out) {
    out->count = half_length > 0 ? 2 : 1;
    for (uint32_t k = 0; k < 2; k++) {
        out->p[k] = vec3(offset.x, offset.y, k ? half_length : -half_length);
        out->edge[k] = k;
    }
}

static void cylinder_polygon(const AfxiGeometry *g, AfxVec3 d, AfxiPolygon *out) {
    static const double cosine[AFXI_RIM] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                            -1, -0.70710678118654752, 0, 0.70710678118654752};
    double rho = sqrt(d.x * d.x + d.y * d.y), side = d.z < 0 ? -1 : 1;
    if (fabs(d.z) < AFXI_SIDE_FACES) {
        line_polygon(g->half_length, vec3(g->radius * d.x / rho, g->radius * d.y / rho, 0), out);
        return;
    }
    if (fabs(d.z) < AFXI_END_FACES) {
        out->count = 1;
        out->p[0] = local_support(g, d);
        out->edge[0] = 0;
        return;
    }
    out->count = AFXI_RIM;
    out->normal = vec3(0, 0, side);
    for (uint32_t k = 0; k < AFXI_RIM; k++) {
        uint32_t at = side > 0 ? k : AFXI_RIM - 1 - k;
        out->p[k] = vec3(g->radius * cosine[at], g->radius * cosine[(at + 6) % AFXI_RIM], side * g->half_length);
        out->edge[k] = 8 + k + (side < 0 ? AFXI_RIM : 0);
    }
}

void afxi_polygon(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 direction, AfxiPolygon *out) {
    AfxVec3 d = place_local_direction(place, direction);
    out->normal = d;
    switch (g->kind) {
    case AFXI_GEOMETRY_BOX:
        box_polygon(g, d, out);
        break;
    case AFXI_GEOMETRY_CONVEX:
        hull_polygon(g->hull, d, out);
        break;
    case AFXI_GEOMETRY_CYLINDER:
        cylinder_polygon(g, d, out);
        break;
    case AFXI_GEOMETRY_CAPSULE:
        if (fabs(d.z) < AFXI_SIDE_FACES) {
            line_polygon(g->half_length, vec3(0, 0, 0), out);
            break;
        } /* fallthrough */
    default:
        out->count = 1;
        out->p[0] = local_support(g, d);
        out->edge[0] = 0;
    }
    for (uint32_t k = 0; k < out->count; k++)
        out->p[k] = place_point(place, out->p[k]);
    out->normal = place_direction(place, out->normal);
}

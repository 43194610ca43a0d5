/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of two convex cores is the largest separation s(n) = n . (a(-n) - b(n)) over all unit vectors n, with
 * the support points a and b; for overlapping cores it is the least depth, as the largest s < 0. An estimate of n is
 * improved by trying what can be the exact normal near it and keeping the best s:
 *   - a normal of a face of either;
 *   - the cross product of an edge of each (the axis of a cylinder or a capsule is an edge: s has a kink there);
 *   - where one edge decides, Newton's method on the circle of normals to it;
 *   - where none does, Newton's method on the sphere. By the homogeneity of support functions the Hessian of -s on the
 *     sphere is T^T (H_a + H_b) T + s 1, and its gradient -T^T (a - b), with tangents T. */
#include "contact/polish.h"

#include "contact/gjk.h"
#include "contact/inner.h"
#include "contact/support.h"
#include "contact/tuning.h"

#define EDGES 4

typedef struct Polish {
    const AfxiPlacedPair *pair;
    AfxVec3 start, best;
    double s, slack;
} Polish;

double afxi_separation(const AfxiPlacedPair *pair, AfxVec3 n) {
    return vec3_dot(n, afxi_corner(pair, vec3_scale(-1, n)).w);
}

static void try_normal(Polish *polish, AfxVec3 n) {
    double length = vec3_length(n);
    if (!(length > 1e-8))
        return;
    n = vec3_scale((vec3_dot(n, polish->start) < 0 ? -1 : 1) / length, n);
    if (vec3_dot(n, polish->start) < AFXI_NEAR_FACE)
        return;
    double s = afxi_separation(polish->pair, n);
    if (s >= polish->s - polish->slack) {
        polish->s = fmax(s, polish->s);
        polish->best = n;
    }
}

static void try_faces(Polish *polish, const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 facing) {
    if (g->kind == AFXI_GEOMETRY_BOX || g->kind == AFXI_GEOMETRY_CYLINDER) {
        for (int k = g->kind == AFXI_GEOMETRY_BOX ? 0 : 2; k < 3; k++)
            if (fabs(vec3_dot(facing, place_axis(place, k))) > AFXI_NEAR_FACE)
                try_normal(polish, place_axis(place, k));
    } else if (g->kind == AFXI_GEOMETRY_CONVEX) {
        AfxiPolygon piece;
        afxi_polygon(g, place, facing, &piece);
        try_normal(polish, piece.normal);
    }
}

/* Edges at the support point that are nearly normal to the direction, the nearest to normal first. */
static uint32_t hull_edges(const AfxiHullMesh *hull, AfxVec3 direction, AfxVec3 out[EDGES]) {
    uint32_t vertex = afxi_hull_support(hull, direction), count = 0;
    double sines[EDGES];
    for (uint32_t k = hull->vertex_start[vertex]; k < hull->vertex_start[vertex + 1]; k++) {
        AfxVec3 e = vec3_sub(vec3_load(hull->vertices + 3 * (size_t)hull->vertex_next[k]),
                             vec3_load(hull->vertices + 3 * (size_t)vertex));
        e = unit_or(e, vec3(0, 0, 0));
        double sine = fabs(vec3_dot(e, direction));
        uint32_t at = count < EDGES ? count++ : EDGES;
        while (at > 0 && sine < sines[at - 1]) {
            at--;
            if (at + 1 < EDGES) {
                sines[at + 1] = sines[at];
                out[at + 1] = out[at];
            }
        }
        if (at < EDGES && sine < AFXI_NEAR_EDGE) {
            sines[at] = sine;
            out[at] = e;
        } else if (at + 1 == count && at < EDGES) {
            count--;
        }
    }
    return count;
}

static uint32_t edges_of(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 facing, AfxVec3 out[EDGES]) {
    uint32_t count = 0;
    if (g->kind == AFXI_GEOMETRY_CONVEX) {
        count = hull_edges(g->hull, place_local_direction(place, facing), out);
        for (uint32_t k = 0; k < count; k++)
            out[k] = place_direction(place, out[k]);
    } else if (g->kind == AFXI_GEOMETRY_BOX || g->kind == AFXI_GEOMETRY_CYLINDER || g->kind == AFXI_GEOMETRY_CAPSULE) {
        for (int k = g->kind == AFXI_GEOMETRY_BOX ? 0 : 2; k < 3; k++)
            if (fabs(vec3_dot(facing, place_axis(place, k))) < AFXI_NEAR_EDGE)
                out[count++] = place_axis(place, k);
    }
    return count;
}

/* u^T H v for the Hessian H of the core's support function at the unit vector n. */
static double bend(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 n, AfxVec3 u, AfxVec3 v) {
    if (g->kind != AFXI_GEOMETRY_CYLINDER && g->kind != AFXI_GEOMETRY_ELLIPSOID)
        return 0;
    n = place_local_direction(place, n);
    u = place_local_direction(place, u);
    v = place_local_direction(place, v);
    if (g->kind == AFXI_GEOMETRY_CYLINDER) {
        double rho = sqrt(n.x * n.x + n.y * n.y);
        if (rho < 1e-6)
            return 0;
        return g->radius / rho * ((n.x * u.y - n.y * u.x) / rho) * ((n.x * v.y - n.y * v.x) / rho);
    }
    const double *e = g->half;
    AfxVec3 en = vec3(e[0] * n.x, e[1] * n.y, e[2] * n.z), eu = vec3(e[0] * u.x, e[1] * u.y, e[2] * u.z);
    AfxVec3 ev = vec3(e[0] * v.x, e[1] * v.y, e[2] * v.z);
    double h = vec3_length(en);
    return (vec3_dot(eu, ev) - vec3_dot(en, eu) / h * (vec3_dot(en, ev) / h)) / h;
}

static double bend_both(const AfxiPlacedPair *pair, AfxVec3 n, AfxVec3 u, AfxVec3 v) {
    return bend(pair->a, &pair->pa, vec3_scale(-1, n), u, v) + bend(pair->b, &pair->pb, n, u, v);
}

/* The step of Newton's method at n for the largest s, in the tangents t and u (u NULL: along t only). Where -s is not
 * convex its Hessian is shifted until it is, so that the step goes uphill. */
static AfxVec3 newton_step(const AfxiPlacedPair *pair, AfxVec3 n, AfxVec3 w, AfxVec3 t, const AfxVec3 *u) {
    double s = vec3_dot(n, w), g1 = vec3_dot(t, w), h11 = bend_both(pair, n, t, t) + s;
    if (!u)
        return vec3_scale(clamp(g1 / fmax(fabs(h11), 1e-12), -0.5, 0.5), t);
    double g2 = vec3_dot(*u, w), h22 = bend_both(pair, n, *u, *u) + s, h12 = bend_both(pair, n, t, *u);
    double middle = 0.5 * (h11 + h22), radius = sqrt(0.25 * (h11 - h22) * (h11 - h22) + h12 * h12);
    double lowest = middle - radius, least = 1e-3 * (fabs(middle) + radius), shift = fmax(0, least - lowest);
    h11 += shift;
    h22 += shift;
    double det = h11 * h22 - h12 * h12;
    if (!(det > 0))
        return vec3(0, 0, 0);
    double x = clamp((h22 * g1 - h12 * g2) / det, -0.5, 0.5), y = clamp((h11 * g2 - h12 * g1) / det, -0.5, 0.5);
    return vec3_mad(vec3_scale(x, t), y, *u);
}

/* Newton's method for the largest s among the normals to `edge`, or among all of them (edge NULL); steps that do not
 * help are halved. */
static void try_newton(Polish *polish, const AfxVec3 *edge) {
    const AfxiPlacedPair *pair = polish->pair;
    AfxVec3 n = polish->start;
    n = unit_or(edge ? vec3_mad(n, -vec3_dot(n, *edge), *edge) : n, n);
    AfxVec3 w = afxi_corner(pair, vec3_scale(-1, n)).w;
    for (int turn = 0; turn < AFXI_POLISH_TURNS; turn++) {
        AfxVec3 t = edge ? vec3_cross(*edge, n) : any_normal_to(n), u = vec3_cross(n, t), next = n, at = w;
        AfxVec3 step = newton_step(pair, n, w, t, edge ? NULL : &u);
        bool better = false;
        for (int halving = 0; halving < 5 && !better; halving++) {
            next = unit_or(vec3_add(n, step), n);
            at = afxi_corner(pair, vec3_scale(-1, next)).w;
            better = vec3_dot(next, at) > vec3_dot(n, w) + polish->slack;
            step = vec3_scale(0.25, step);
        }
        if (!better)
            break;
        n = next;
        w = at;
    }
    try_normal(polish, n);
}

AfxVec3 afxi_polish(const AfxiPlacedPair *pair, AfxVec3 normal, double size) {
    Polish polish = {pair, normal, normal, afxi_separation(pair, normal), 2e-16 * size};
    AfxVec3 ea[EDGES], eb[EDGES], back = vec3_scale(-1, normal);
    uint32_t na = edges_of(pair->a, &pair->pa, back, ea), nb = edges_of(pair->b, &pair->pb, normal, eb);
    bool smooth = afxi_is_smooth(pair); /* polyhedra are exact already where no face and no two edges decide */
    if (smooth)
        try_newton(&polish, NULL);
    for (uint32_t k = 0; smooth && k < na; k++)
        try_newton(&polish, ea + k);
    for (uint32_t k = 0; smooth && k < nb; k++)
        try_newton(&polish, eb + k);
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = 0; j < nb; j++)
            try_normal(&polish, vec3_cross(ea[i], eb[j]));
    try_faces(&polish, pair->a, &pair->pa, back);
    try_faces(&polish, pair->b, &pair->pb, normal);
    return polish.best;
}

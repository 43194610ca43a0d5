/* SPDX-License-Identifier: Apache-2.0 */
/* Distance of two convex cores: the point nearest to the origin of the set of differences a - b, by a sequence of
 * simplices in it (Gilbert, Johnson and Keerthi 1988; regions of a simplex as in Ericson, "Real-Time Collision
 * Detection", 5.1). */
#include "contact/gjk.h"

#include "contact/inner.h"
#include "contact/support.h"
#include "contact/tuning.h"

AfxiCorner afxi_corner(const AfxiPlacedPair *pair, AfxVec3 direction) {
    AfxiCorner c;
    c.a = afxi_support(pair->a, &pair->pa, direction);
    c.b = afxi_support(pair->b, &pair->pb, vec3_scale(-1, direction));
    c.w = vec3_sub(c.a, c.b);
    return c;
}

static void keep_two(AfxiSimplex *s, int i, int j, double weight_j) {
    AfxiCorner a = s->corner[i], b = s->corner[j];
    s->corner[0] = a;
    s->corner[1] = b;
    s->weight[0] = 1 - weight_j;
    s->weight[1] = weight_j;
    s->count = 2;
}

static void keep_one(AfxiSimplex *s, int i) {
    s->corner[0] = s->corner[i];
    s->weight[0] = 1;
    s->count = 1;
}

static void nearest_on_segment(AfxiSimplex *s) {
    AfxVec3 a = s->corner[0].w, d = vec3_sub(s->corner[1].w, a);
    double along = -vec3_dot(a, d), square = vec3_dot(d, d);
    if (along <= 0)
        keep_one(s, 0);
    else if (along >= square)
        keep_one(s, 1);
    else
        keep_two(s, 0, 1, along / square);
}

static void nearest_on_triangle(AfxiSimplex *s) {
    AfxVec3 a = s->corner[0].w, b = s->corner[1].w, c = s->corner[2].w;
    AfxVec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a);
    double d1 = -vec3_dot(ab, a), d2 = -vec3_dot(ac, a), d3 = -vec3_dot(ab, b), d4 = -vec3_dot(ac, b);
    double d5 = -vec3_dot(ab, c), d6 = -vec3_dot(ac, c);
    if (d1 <= 0 && d2 <= 0) {
        keep_one(s, 0);
        return;
    }
    if (d3 >= 0 && d4 <= d3) {
        keep_one(s, 1);
        return;
    }
    if (d6 >= 0 && d5 <= d6) {
        keep_one(s, 2);
        return;
    }
    /* Areas by the normal, which loses less than products of the dots for thin triangles. */
    AfxVec3 n = vec3_cross(ab, ac);
    double vc = vec3_dot(n, vec3_cross(a, b)), va = vec3_dot(n, vec3_cross(b, c)), vb = vec3_dot(n, vec3_cross(c, a));
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        keep_two(s, 0, 1, d1 / (d1 - d3));
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        keep_two(s, 0, 2, d2 / (d2 - d6));
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        keep_two(s, 1, 2, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    } else {
        double sum = va + vb + vc;
        s->weight[0] = va / sum;
        s->weight[1] = vb / sum;
        s->weight[2] = vc / sum;
    }
}

static AfxVec3 point_of(const AfxiSimplex *s) {
    AfxVec3 v = vec3(0, 0, 0);
    for (uint32_t k = 0; k < s->count; k++)
        v = vec3_mad(v, s->weight[k], s->corner[k].w);
    return v;
}

/* The nearest of the points on the faces that the origin is outside of; all four corners stay when it is inside. */
static void nearest_on_tetrahedron(AfxiSimplex *s) {
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    AfxiSimplex best = *s;
    double least = INFINITY;
    for (int f = 0; f < 4; f++) {
        AfxVec3 a = s->corner[face[f][0]].w, b = s->corner[face[f][1]].w, c = s->corner[face[f][2]].w;
        AfxVec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        double origin = -vec3_dot(n, a), inside = vec3_dot(n, vec3_sub(s->corner[face[f][3]].w, a));
        if (origin * inside > 0)
            continue;
        AfxiSimplex t = {.count = 3, .corner = {s->corner[face[f][0]], s->corner[face[f][1]], s->corner[face[f][2]]}};
        nearest_on_triangle(&t);
        AfxVec3 p = point_of(&t);
        double square = vec3_dot(p, p);
        if (square < least) {
            least = square;
            best = t;
        }
    }
    *s = best;
}

static void nearest_on(AfxiSimplex *s) {
    switch (s->count) {
    case 1:
        s->weight[0] = 1;
        break;
    case 2:
        nearest_on_segment(s);
        break;
    case 3:
        nearest_on_triangle(s);
        break;
    default:
        nearest_on_tetrahedron(s);
    }
}

static bool has_corner(const AfxiSimplex *s, AfxVec3 w) {
    for (uint32_t k = 0; k < s->count; k++)
        if (s->corner[k].w.x == w.x && s->corner[k].w.y == w.y && s->corner[k].w.z == w.z)
            return true;
    return false;
}

bool afxi_gjk(const AfxiPlacedPair *pair, double reach, AfxiSimplex *out_simplex, AfxVec3 *out_nearest) {
    double size = afxi_core_size(pair->a) + afxi_core_size(pair->b), left = afxi_is_smooth(pair) ? 1e-5 : 1e-14;
    AfxVec3 v = vec3_sub(afxi_core_center(pair->a, &pair->pa), afxi_core_center(pair->b, &pair->pb));
    AfxiSimplex s = {.count = 1};
    s.corner[0] = afxi_corner(pair, vec3_scale(-1, v));
    s.weight[0] = 1;
    v = s.corner[0].w;
    for (int turn = 0; turn < AFXI_GJK_TURNS; turn++) {
        double square = vec3_dot(v, v), length = sqrt(square);
        if (length <= 1e-12 * size) {
            v = vec3(0, 0, 0);
            break;
        }
        AfxiCorner c = afxi_corner(pair, vec3_scale(-1, v));
        double along = vec3_dot(v, c.w);
        if (along > reach * length)
            return false;
        if (square - along <= left * square || has_corner(&s, c.w))
            break;
        AfxiSimplex next = s;
        next.corner[next.count++] = c;
        nearest_on(&next);
        AfxVec3 w = next.count == 4 ? vec3(0, 0, 0) : point_of(&next);
        if (!(vec3_dot(w, w) < square))
            break; /* rounding: no nearer than before */
        s = next;
        v = w;
        if (s.count == 4)
            break;
    }
    *out_simplex = s;
    *out_nearest = v;
    return true;
}

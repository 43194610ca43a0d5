/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes and height fields: the tree finds the triangles near a convex shape, or the pairs of triangles of two meshes;
 * each gives its touches; equal ones are joined and the rest reduced as they come in. */
#include "contact/mesh.h"

#include "contact/geometry.h"
#include "contact/reduce.h"
#include "contact/tree.h"
#include "contact/triangle.h"

#define GATHER AFXI_REDUCE_MAX

/* Touches in the frame of mesh b. */
typedef struct Gather {
    double same; /* points nearer than this with the same normal are one */
    uint32_t count, spare_count;
    AfxiTouch points[GATHER];
    AfxiTouch spare[9]; /* for when there is nothing else: of the triangle that needs the least motion */
    double spare_gap;
} Gather;

static double least_gap(const AfxiTouch *points, uint32_t count) {
    double least = INFINITY;
    for (uint32_t k = 0; k < count; k++)
        least = fmin(least, points[k].gap);
    return least;
}

static void gather(Gather *g, const AfxiTouch *points, uint32_t count, bool spare) {
    if (spare) {
        double gap = least_gap(points, count);
        if (count == 0 || (g->spare_count > 0 && gap <= g->spare_gap))
            return;
        g->spare_gap = gap;
        g->spare_count = count;
        for (uint32_t k = 0; k < count; k++)
            g->spare[k] = points[k];
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        AfxVec3 p = vec3_load(points[k].point_a), n = vec3_load(points[k].normal);
        uint32_t at = 0;
        while (at < g->count && !(vec3_dot(n, vec3_load(g->points[at].normal)) > 0.9999 &&
                                  vec3_length(vec3_sub(p, vec3_load(g->points[at].point_a))) <= g->same))
            at++;
        if (at < g->count) {
            if (points[k].gap < g->points[at].gap)
                g->points[at] = points[k];
            continue;
        }
        if (g->count == GATHER)
            g->count = afxi_reduce(g->points, GATHER, GATHER / 2);
        g->points[g->count++] = points[k];
    }
}

/* Hands the best of them out, in the frame of the pair. */
static uint32_t hand_out(Gather *g, const AfxiPlace *place, AfxiTouch *out) {
    if (g->count == 0)
        gather(g, g->spare, g->spare_count, false);
    uint32_t count = afxi_reduce(g->points, g->count, AFXI_TOUCH_MAX);
    for (uint32_t k = 0; k < count; k++) {
        const AfxiTouch *p = g->points + k;
        touch_set(out + k, place_point(place, vec3_load(p->point_a)), place_point(place, vec3_load(p->point_b)),
                  place_direction(place, vec3_load(p->normal)), p->gap, p->feature);
        out[k].triangle = p->triangle;
    }
    return count;
}

/* The pair with b's frame as the world. */
static AfxiPlacedPair in_frame_of_b(const AfxiPlacedPair *pair) {
    AfxiPlacedPair in = {pair->a, pair->b, pair->pa, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}, pair->margin};
    for (int k = 0; k < 3; k++)
        vec3_store(in.pa.r + 3 * k, place_local_direction(&pair->pb, place_axis(&pair->pa, k)));
    vec3_store(in.pa.t, place_local_point(&pair->pb, vec3_load(pair->pa.t)));
    return in;
}

/* The box around a shape, and how far it may have gone through the surface and is still held by it. */
typedef struct Region {
    double lower[3], upper[3], through;
} Region;

/* Does a triangle lie in the region? Only along the triangle's normal does the region reach farther than the box. */
static bool is_near(const Region *region, const AfxiTriangles *mesh, uint32_t triangle) {
    const double *n = mesh->normals + 3 * (size_t)triangle;
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++) {
        double a = mesh->vertices[3 * (size_t)v[0] + k], b = mesh->vertices[3 * (size_t)v[1] + k];
        double c = mesh->vertices[3 * (size_t)v[2] + k], push = region->through * n[k];
        if (fmax(a, fmax(b, c)) < region->lower[k] + fmin(push, 0) ||
            fmin(a, fmin(b, c)) > region->upper[k] + fmax(push, 0))
            return false;
    }
    return true;
}

uint32_t afxi_touch_mesh(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    AfxiPlacedPair in = in_frame_of_b(pair);
    const AfxiTriangles *mesh = pair->b->mesh;
    Region region = {.through = INFINITY};
    double lower[3], upper[3], wide = 0;
    afxi_geometry_bounds(in.a, &in.pa, region.lower, region.upper);
    for (int k = 0; k < 3; k++) {
        region.through = fmin(region.through, 0.5 * (region.upper[k] - region.lower[k]));
        wide = fmax(wide, region.upper[k] - region.lower[k]);
    }
    for (int k = 0; k < 3; k++) {
        region.lower[k] -= pair->margin;
        region.upper[k] += pair->margin;
        lower[k] = region.lower[k] - region.through;
        upper[k] = region.upper[k] + region.through;
    }
    Gather g;
    g.count = g.spare_count = 0;
    g.same = 1e-6 * wide;
    AfxiTreeWalk walk;
    walk.count = 1;
    walk.stack[0] = 0;
    while (walk.count > 0) {
        const AfxiTreeNode *node = mesh->nodes + walk.stack[--walk.count];
        if (!afxi_tree_overlap(node, lower, upper))
            continue;
        if (node->count == 0)
            afxi_tree_push(&walk, node);
        for (uint32_t k = 0; k < node->count; k++) {
            AfxiTouch points[AFXI_TOUCH_MAX];
            uint32_t triangle = mesh->order[node->first + k];
            if (!is_near(&region, mesh, triangle))
                continue;
            bool spare;
            uint32_t count = afxi_touch_triangle(&in, triangle, points, &spare);
            gather(&g, points, count, spare);
        }
    }
    return hand_out(&g, &pair->pb, out);
}

/* A node's box, placed: lower and upper corners of a box around it. */
static void placed_box(const AfxiTreeNode *node, const AfxiPlace *place, double grow, double lower[3],
                       double upper[3]) {
    AfxVec3 low = vec3_load(node->lower), high = vec3_load(node->upper);
    AfxiGeometry box = {.kind = AFXI_GEOMETRY_BOX};
    AfxiPlace at = *place;
    vec3_store(box.half, vec3_scale(0.5, vec3_sub(high, low)));
    vec3_store(at.t, place_point(place, vec3_scale(0.5, vec3_add(low, high))));
    afxi_geometry_bounds(&box, &at, lower, upper);
    for (int k = 0; k < 3; k++) {
        lower[k] -= grow;
        upper[k] += grow;
    }
}

/* A touch counts if it faces a's triangle, or is at an edge or a corner that a's surface has there. */
static bool faces(const AfxiTriangles *mesh, uint32_t triangle, const AfxiPlace *place, const AfxiTouch *touch) {
    AfxVec3 n = place_local_direction(place, vec3_scale(-1, vec3_load(touch->normal)));
    double facing = vec3_dot(n, vec3_load(mesh->normals + 3 * (size_t)triangle));
    return facing > 0.9 || (facing > -0.1 && afxi_triangle_owns(mesh, triangle, n));
}

/* Triangles of a leaf of a against those of a leaf of b. */
static void touch_leaves(const AfxiPlacedPair *in, const AfxiTreeNode *a, const AfxiTreeNode *b, Gather *g) {
    const AfxiTriangles *ma = in->a->mesh, *mb = in->b->mesh;
    for (uint32_t i = 0; i < a->count; i++) {
        AfxiTriangleShape shape;
        uint32_t ta = ma->order[a->first + i];
        afxi_triangle_shape(ma, ta, &in->pa, &shape);
        AfxiPlacedPair with = {&shape.g, in->b, in->pb, in->pb, in->margin};
        for (uint32_t j = 0; j < b->count; j++) {
            AfxiTouch points[AFXI_TOUCH_MAX];
            bool spare;
            uint32_t count = afxi_touch_triangle(&with, mb->order[b->first + j], points, &spare), kept = 0;
            for (uint32_t k = 0; k < count; k++)
                if (faces(ma, ta, &in->pa, points + k)) {
                    points[k].feature += ta * 0xC2B2AE35u;
                    points[kept++] = points[k];
                }
            gather(g, points, kept, spare);
        }
    }
}

/* Both trees at once: of a pair of nodes, the larger is opened. */
uint32_t afxi_touch_meshes(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    AfxiPlacedPair in = in_frame_of_b(pair);
    const AfxiTriangles *ma = pair->a->mesh, *mb = pair->b->mesh;
    Gather g;
    g.count = g.spare_count = 0;
    g.same = 0;
    for (int k = 0; k < 3; k++)
        g.same = fmax(g.same, 1e-6 * (ma->nodes->upper[k] - ma->nodes->lower[k]));
    uint32_t stack[2 * AFXI_TREE_STACK][2] = {{0, 0}}, depth = 1;
    while (depth > 0) {
        uint32_t ia = stack[--depth][0], ib = stack[depth][1];
        const AfxiTreeNode *a = ma->nodes + ia, *b = mb->nodes + ib;
        double lower[3], upper[3];
        placed_box(a, &in.pa, pair->margin, lower, upper);
        if (!afxi_tree_overlap(b, lower, upper))
            continue;
        if (a->count > 0 && b->count > 0) {
            touch_leaves(&in, a, b, &g);
            continue;
        }
        bool open_a =
            b->count > 0 || (a->count == 0 && vec3_length(vec3_sub(vec3_load(upper), vec3_load(lower))) >
                                                  vec3_length(vec3_sub(vec3_load(b->upper), vec3_load(b->lower))));
        for (uint32_t k = 0; k < 2; k++) {
            stack[depth][0] = open_a ? a->first + 1 - k : ia;
            stack[depth++][1] = open_a ? ib : b->first + 1 - k;
        }
    }
    return hand_out(&g, &pair->pb, out);
}

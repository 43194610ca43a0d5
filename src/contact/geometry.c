/* SPDX-License-Identifier: Apache-2.0 */
/* Which function serves which pair of kinds, and boxes around shapes. */
#include "contact/geometry.h"

#include "contact/box.h"
#include "contact/convex.h"
#include "contact/inner.h"
#include "contact/mesh.h"
#include "contact/plane.h"
#include "contact/round.h"

#define KINDS AFXI_GEOMETRY_KINDS

#define PLANE afxi_touch_plane
#define SPHERE afxi_touch_sphere
#define CAPSULE afxi_touch_capsule
#define BOXES afxi_touch_boxes
#define CONVEX afxi_touch_convex
#define MESH afxi_touch_mesh
#define MESHES afxi_touch_meshes

/* Kinds in the order of AfxiGeometryKind; NULL: such a pair never touches, or is served the other way round. */
static const AfxiPairTouch pair_table[KINDS][KINDS] = {
    /* plane, sphere, capsule, box, cylinder, ellipsoid, convex, mesh, height field */
    {NULL, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE},
    {NULL, SPHERE, SPHERE, SPHERE, SPHERE, SPHERE, CONVEX, MESH, MESH},
    {NULL, NULL, CAPSULE, CAPSULE, CAPSULE, CONVEX, CONVEX, MESH, MESH},
    {NULL, NULL, NULL, BOXES, CONVEX, CONVEX, CONVEX, MESH, MESH},
    {NULL, NULL, NULL, NULL, CONVEX, CONVEX, CONVEX, MESH, MESH},
    {NULL, NULL, NULL, NULL, NULL, CONVEX, CONVEX, MESH, MESH},
    {NULL, NULL, NULL, NULL, NULL, NULL, CONVEX, MESH, MESH},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, MESHES, MESHES},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, MESHES},
};

/* Back to the world's origin and, when the pair was served the other way round, to the caller's a and b. */
static void give_back(AfxiTouch *touch, AfxVec3 origin, bool swapped) {
    AfxVec3 a = vec3_add(vec3_load(touch->point_a), origin), b = vec3_add(vec3_load(touch->point_b), origin);
    vec3_store(touch->point_a, swapped ? b : a);
    vec3_store(touch->point_b, swapped ? a : b);
    if (swapped)
        vec3_store(touch->normal, vec3_scale(-1, vec3_load(touch->normal)));
}

uint32_t afxi_touch(const AfxiGeometry *a, const AfxiPlace *place_a, const AfxiGeometry *b, const AfxiPlace *place_b,
                    double margin, AfxiTouch out[AFXI_TOUCH_MAX]) {
    bool swapped = a->kind > b->kind;
    AfxiPlacedPair pair = {swapped ? b : a, swapped ? a : b, swapped ? *place_b : *place_a,
                           swapped ? *place_a : *place_b, margin};
    AfxiPairTouch touch = pair_table[pair.a->kind][pair.b->kind];
    if (!touch)
        return 0;
    AfxVec3 origin = vec3_load(pair.pb.t);
    vec3_store(pair.pa.t, vec3_sub(vec3_load(pair.pa.t), origin));
    vec3_store(pair.pb.t, vec3(0, 0, 0));
    uint32_t count = touch(&pair, out);
    for (uint32_t k = 0; k < count; k++)
        give_back(out + k, origin, swapped);
    return count;
}

/* Half the extents along the world's axes of a shape that is symmetric about its origin. */
static void symmetric_extents(const AfxiGeometry *g, const AfxiPlace *place, double out[3]) {
    for (int k = 0; k < 3; k++) {
        double x = place->r[k], y = place->r[3 + k], z = place->r[6 + k]; /* the world's axis k in the shape's frame */
        switch (g->kind) {
        case AFXI_GEOMETRY_CAPSULE:
            out[k] = g->radius + g->half_length * fabs(z);
            break;
        case AFXI_GEOMETRY_BOX:
            out[k] = g->half[0] * fabs(x) + g->half[1] * fabs(y) + g->half[2] * fabs(z);
            break;
        case AFXI_GEOMETRY_CYLINDER:
            out[k] = g->radius * sqrt(x * x + y * y) + g->half_length * fabs(z);
            break;
        case AFXI_GEOMETRY_ELLIPSOID:
            out[k] = vec3_length(vec3(g->half[0] * x, g->half[1] * y, g->half[2] * z));
            break;
        default:
            out[k] = g->kind == AFXI_GEOMETRY_PLANE ? INFINITY : g->radius;
        }
    }
}

static void vertex_bounds(const double *vertices, uint32_t count, const AfxiPlace *place, double lower[3],
                          double upper[3]) {
    for (int k = 0; k < 3; k++) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
    }
    for (uint32_t v = 0; v < count; v++) {
        double p[3];
        vec3_store(p, place_point(place, vec3_load(vertices + 3 * (size_t)v)));
        for (int k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], p[k]);
            upper[k] = fmax(upper[k], p[k]);
        }
    }
}

void afxi_geometry_bounds(const AfxiGeometry *g, const AfxiPlace *place, double lower[3], double upper[3]) {
    double extent[3];
    if (g->kind == AFXI_GEOMETRY_CONVEX) {
        vertex_bounds(g->hull->vertices, g->hull->vertex_count, place, lower, upper);
        return;
    }
    AfxVec3 center = vec3_load(place->t);
    if (g->kind == AFXI_GEOMETRY_MESH || g->kind == AFXI_GEOMETRY_HEIGHT_FIELD) {
        const AfxiTreeNode *root = g->mesh->nodes; /* its box, turned: larger than needed, but cheap */
        AfxVec3 low = vec3_load(root->lower), high = vec3_load(root->upper);
        AfxiGeometry box = {.kind = AFXI_GEOMETRY_BOX};
        vec3_store(box.half, vec3_scale(0.5, vec3_sub(high, low)));
        symmetric_extents(&box, place, extent);
        center = place_point(place, vec3_scale(0.5, vec3_add(low, high)));
    } else {
        symmetric_extents(g, place, extent);
    }
    vec3_store(lower, vec3_sub(center, vec3_load(extent)));
    vec3_store(upper, vec3_add(center, vec3_load(extent)));
}

double afxi_geometry_radius(const AfxiGeometry *geometry) {
    return core_radius(geometry);
}

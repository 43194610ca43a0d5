/* SPDX-License-Identifier: Apache-2.0 */
/* A plane against everything: the lowest points of the other shape, each straight above the plane. */
#include "contact/plane.h"

#include "contact/inner.h"
#include "contact/reduce.h"
#include "contact/support.h"
#include "contact/tuning.h"

typedef struct Above {
    AfxVec3 normal, origin; /* of the plane */
    double margin;
    uint32_t count, limit;
    AfxiTouch *out;
} Above;

/* Adds a point of b's surface if it is low enough; the plane is a, so the normal of the touch points down. */
static void add(Above *above, AfxVec3 point, uint32_t feature) {
    double height = vec3_dot(above->normal, vec3_sub(point, above->origin));
    if (!(height < above->margin) || above->count == above->limit)
        return;
    touch_set(above->out + above->count++, vec3_mad(point, -height, above->normal), point,
              vec3_scale(-1, above->normal), height, feature);
}

/* The four corners of the face that looks down most; their numbers have one bit for each axis. */
static void add_box(Above *above, const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 down) {
    double d[3];
    vec3_store(d, down);
    int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    axis = fabs(d[2]) > fabs(d[axis]) ? 2 : axis;
    for (uint32_t corner = 0; corner < 8; corner++) {
        if ((corner >> axis & 1) != (d[axis] > 0))
            continue;
        AfxVec3 x = vec3(corner & 1 ? g->half[0] : -g->half[0], corner & 2 ? g->half[1] : -g->half[1],
                         corner & 4 ? g->half[2] : -g->half[2]);
        add(above, place_point(place, x), corner);
    }
}

/* Lying: the lowest line. Standing: points that are fixed to the rim, so that they rest when the cylinder rests; and
 * the lowest one of the rim where it is lower than they are by more than a little: it goes around with the least tilt,
 * and friction with it. */
static void add_cylinder(Above *above, const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 down) {
    static const double cosine[AFXI_RIM] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                            -1, -0.70710678118654752, 0, 0.70710678118654752};
    double tilt = sqrt(down.x * down.x + down.y * down.y), end = down.z < 0 ? -g->half_length : g->half_length;
    AfxVec3 low = tilt > 1e-150 ? vec3(down.x * g->radius / tilt, down.y * g->radius / tilt, end) : vec3(0, 0, end);
    if (tilt > AFXI_RIM_TILT)
        add(above, place_point(place, low), 0);
    if (tilt > 0.5) {
        add(above, place_point(place, vec3(low.x, low.y, -end)), 1);
        return;
    }
    for (uint32_t k = 0; k < AFXI_RIM; k++) {
        AfxVec3 x = vec3(g->radius * cosine[k], g->radius * cosine[(k + 6) % AFXI_RIM], end);
        add(above, place_point(place, x), 2 + k + (end < 0 ? AFXI_RIM : 0));
    }
}

static uint32_t reduced(const Above *above, uint32_t limit) {
    return afxi_reduce(above->out, above->count, limit);
}

static uint32_t touch_vertices(Above *above, const AfxiPlace *place, const double *vertices, uint32_t count,
                               uint32_t limit) {
    for (uint32_t k = 0; k < count; k++) {
        if (above->count == above->limit)
            above->count = reduced(above, limit);
        add(above, place_point(place, vec3_load(vertices + 3 * (size_t)k)), k);
    }
    return reduced(above, limit);
}

/* Of the box around a mesh, along the plane's normal. */
static double lowest_of_box(const AfxiTreeNode *root, const AfxiPlace *place, AfxVec3 down) {
    AfxVec3 x = vec3(down.x > 0 ? root->upper[0] : root->lower[0], down.y > 0 ? root->upper[1] : root->lower[1],
                     down.z > 0 ? root->upper[2] : root->lower[2]);
    return -vec3_dot(down, x) - vec3_dot(place_direction(place, down), vec3_load(place->t));
}

uint32_t afxi_touch_plane(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]) {
    const AfxiGeometry *b = pair->b;
    const AfxiPlace *place = &pair->pb;
    AfxVec3 normal = place_axis(&pair->pa, 2), center = vec3_load(place->t);
    AfxVec3 down = vec3_scale(-1, place_local_direction(place, normal));
    Above above = {normal, vec3_load(pair->pa.t), pair->margin, 0, AFXI_TOUCH_MAX, out};
    switch (b->kind) {
    case AFXI_GEOMETRY_SPHERE:
        add(&above, vec3_mad(center, -b->radius, normal), 0);
        break;
    case AFXI_GEOMETRY_CAPSULE:
        for (uint32_t k = 0; k < (b->half_length > 0 ? 2 : 1); k++) {
            AfxVec3 end = place_point(place, vec3(0, 0, k ? b->half_length : -b->half_length));
            add(&above, vec3_mad(end, -b->radius, normal), k);
        }
        break;
    case AFXI_GEOMETRY_BOX:
        add_box(&above, b, place, down);
        break;
    case AFXI_GEOMETRY_CYLINDER:
        add_cylinder(&above, b, place, down);
        break;
    case AFXI_GEOMETRY_ELLIPSOID:
        add(&above, afxi_support(b, place, vec3_scale(-1, normal)), 0);
        break;
    case AFXI_GEOMETRY_CONVEX:
        return touch_vertices(&above, place, b->hull->vertices, b->hull->vertex_count, 4);
    case AFXI_GEOMETRY_MESH:
    case AFXI_GEOMETRY_HEIGHT_FIELD:
        if (lowest_of_box(b->mesh->nodes, place, down) - vec3_dot(normal, above.origin) >= pair->margin)
            break;
        return touch_vertices(&above, place, b->mesh->vertices, b->mesh->vertex_count, 8);
    default:
        break;
    }
    return above.count;
}

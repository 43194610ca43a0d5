/* SPDX-License-Identifier: Apache-2.0 */
/* Rays and shapes. Candidates are offered one by one, and the first along the ray stays. Round surfaces are roots of a
 * quadratic, flat ones a quotient; hulls are an interval cut by planes; triangles are found by their tree of boxes and
 * met as Moeller and Trumbore (1997) have it. */
#include "contact/ray.h"

#include "contact/inner.h"
#include "contact/tree.h"

typedef struct Ray {
    AfxVec3 o, d;
    double s; /* of the first hit so far; at the beginning the end of the ray */
    AfxVec3 normal;
    bool hit;
} Ray;

static AfxVec3 point_at(const Ray *ray, double s) {
    return vec3_mad(ray->o, s, ray->d);
}

static void offer(Ray *ray, double s, AfxVec3 normal) {
    if (s >= 0 && s <= ray->s) {
        ray->s = s;
        ray->normal = normal;
        ray->hit = true;
    }
}

/* Real roots of a s² + 2 b s + c, the smaller first, without cancellation; false: none. */
static bool roots(double a, double b, double c, double out[2]) {
    double square = b * b - a * c;
    if (!(square >= 0) || a == 0) {
        return false;
    }
    double q = -(b + copysign(sqrt(square), b));
    double one = q / a, two = q != 0 ? c / q : one;
    out[0] = fmin(one, two);
    out[1] = fmax(one, two);
    return true;
}

/* An ellipsoid about `center`; of it only what is beyond z = `least` on the side `end` (0: all of it). */
static void meet_ellipsoid(Ray *ray, AfxVec3 center, const double axes[3], int end, double least) {
    AfxVec3 o = vec3_sub(ray->o, center), d = ray->d;
    AfxVec3 from = vec3(o.x / axes[0], o.y / axes[1], o.z / axes[2]);
    AfxVec3 way = vec3(d.x / axes[0], d.y / axes[1], d.z / axes[2]);
    double s[2];
    if (!roots(vec3_dot(way, way), vec3_dot(from, way), vec3_dot(from, from) - 1, s)) {
        return;
    }
    for (int k = 1; k >= 0; k--) {
        AfxVec3 p = vec3_mad(from, s[k], way);
        if (end == 0 || end * point_at(ray, s[k]).z >= least) {
            offer(ray, s[k], vec3(p.x / axes[0], p.y / axes[1], p.z / axes[2]));
        }
    }
}

/* The side of a cylinder along z. */
static void meet_side(Ray *ray, double radius, double half_length) {
    AfxVec3 o = ray->o, d = ray->d;
    double s[2];
    if (roots(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - radius * radius, s)) {
        for (int k = 1; k >= 0; k--) {
            AfxVec3 p = point_at(ray, s[k]);
            if (fabs(p.z) <= half_length) {
                offer(ray, s[k], vec3(p.x, p.y, 0));
            }
        }
    }
}

static void meet_cylinder(Ray *ray, double radius, double half_length) {
    meet_side(ray, radius, half_length);
    for (int end = -1; end <= 1; end += 2) {
        double s = (end * half_length - ray->o.z) / ray->d.z;
        AfxVec3 p = point_at(ray, s);
        if (p.x * p.x + p.y * p.y <= radius * radius) { /* false where the ray is parallel: not a number */
            offer(ray, s, vec3(0, 0, end));
        }
    }
}

/* The side, and of the balls at its ends what lies beyond it: the rest of them is inside. */
static void meet_capsule(Ray *ray, double radius, double half_length) {
    const double axes[3] = {radius, radius, radius};
    meet_side(ray, radius, half_length);
    for (int end = -1; end <= 1; end += 2) {
        meet_ellipsoid(ray, vec3(0, 0, end * half_length), axes, end, half_length);
    }
}

/* The interval of s inside n . x <= at. */
typedef struct Inside {
    double from, to;
    AfxVec3 in, out; /* normals where it begins and ends */
} Inside;

static void cut(const Ray *ray, Inside *inside, AfxVec3 normal, double at) {
    double rate = vec3_dot(normal, ray->d), above = vec3_dot(normal, ray->o) - at, s = -above / rate;
    if (rate == 0) {
        inside->to = above > 0 ? -INFINITY : inside->to;
    } else if (rate < 0 && s > inside->from) {
        inside->from = s;
        inside->in = normal;
    } else if (rate > 0 && s < inside->to) {
        inside->to = s;
        inside->out = normal;
    }
}

static void offer_inside(Ray *ray, const Inside *inside) {
    if (inside->from <= inside->to) {
        offer(ray, inside->to, inside->out);
        offer(ray, inside->from, inside->in);
    }
}

static void meet_box(Ray *ray, const double half[3]) {
    Inside inside = {.from = -INFINITY, .to = INFINITY};
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = vec3(k == 0, k == 1, k == 2);
        cut(ray, &inside, axis, half[k]);
        cut(ray, &inside, vec3_scale(-1, axis), half[k]);
    }
    offer_inside(ray, &inside);
}

static void meet_hull(Ray *ray, const AfxiHullMesh *hull) {
    Inside inside = {.from = -INFINITY, .to = INFINITY};
    for (uint32_t k = 0; k < hull->face_count && inside.from <= inside.to; k++) {
        const double *plane = &hull->planes[4 * (size_t)k];
        cut(ray, &inside, vec3_load(plane), plane[3]);
    }
    offer_inside(ray, &inside);
}

static void meet_triangle(Ray *ray, const AfxiTriangles *mesh, uint32_t t) {
    const uint32_t *three = &mesh->triangles[3 * (size_t)t];
    AfxVec3 a = vec3_load(mesh->vertices + 3 * (size_t)three[0]);
    AfxVec3 u = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)three[1]), a);
    AfxVec3 v = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)three[2]), a);
    AfxVec3 across = vec3_cross(ray->d, v), from = vec3_sub(ray->o, a), turned = vec3_cross(from, u);
    double volume = vec3_dot(u, across);
    double p = vec3_dot(from, across) / volume, q = vec3_dot(ray->d, turned) / volume;
    if (volume != 0 && p >= 0 && q >= 0 && p + q <= 1) {
        offer(ray, vec3_dot(v, turned) / volume, vec3_cross(u, v));
    }
}

static void meet_mesh(Ray *ray, const AfxiTriangles *mesh) {
    AfxiTreeWalk walk = {.count = 1};
    while (walk.count) {
        const AfxiTreeNode *node = &mesh->nodes[walk.stack[--walk.count]];
        if (!afxi_tree_ray(node, ray->o, ray->d, ray->s)) {
            continue;
        }
        if (node->count == 0) {
            afxi_tree_push(&walk, node);
        }
        for (uint32_t k = 0; k < node->count; k++) {
            meet_triangle(ray, mesh, mesh->order[node->first + k]);
        }
    }
}

bool afxi_ray(const AfxiGeometry *geometry, AfxVec3 o, AfxVec3 d, double end, double *out_s, AfxVec3 *out_normal) {
    Ray ray = {.o = o, .d = d, .s = end};
    const double round[3] = {geometry->radius, geometry->radius, geometry->radius};
    switch (geometry->kind) {
    case AFXI_GEOMETRY_PLANE:
        if (d.z != 0) {
            offer(&ray, -o.z / d.z, vec3(0, 0, 1));
        }
        break;
    case AFXI_GEOMETRY_SPHERE:
        meet_ellipsoid(&ray, vec3(0, 0, 0), round, 0, 0);
        break;
    case AFXI_GEOMETRY_ELLIPSOID:
        meet_ellipsoid(&ray, vec3(0, 0, 0), geometry->half, 0, 0);
        break;
    case AFXI_GEOMETRY_CAPSULE:
        meet_capsule(&ray, geometry->radius, geometry->half_length);
        break;
    case AFXI_GEOMETRY_CYLINDER:
        meet_cylinder(&ray, geometry->radius, geometry->half_length);
        break;
    case AFXI_GEOMETRY_BOX:
        meet_box(&ray, geometry->half);
        break;
    case AFXI_GEOMETRY_CONVEX:
        meet_hull(&ray, geometry->hull);
        break;
    default:
        meet_mesh(&ray, geometry->mesh);
        break;
    }
    *out_s = ray.s;
    *out_normal = ray.normal;
    return ray.hit;
}

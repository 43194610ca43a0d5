/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against shapes. A ray goes into the frame of each body, where shapes are as they were made: x = A^-1 (p - t), a
 * map that keeps the share of the way along the ray, whatever the strain. A ball around each shape says at once that
 * most are not met. */
#include "collide/cast.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/hull_mesh.h"
#include "contact/ray.h"
#include "contact/triangles.h"
#include "model/contacts.h"

static size_t frame_bytes(const AfxiContactGeometry *geometry) {
    return 3 * sizeof(double) * (size_t)geometry->vertex_count * geometry->frame_count;
}

static AfxStatus make_geometry(AfxiCast *cast, const AfxiContactGeometry *source, uint32_t at) {
    AfxiContactGeometry own = *source;
    AfxStatus status =
        afxi_collide_geometry(&cast->allocator, source, &cast->geometries[at], &cast->hulls[at], &cast->meshes[at]);
    if (status == AFX_OK && own.frames) {
        own.frames = afxi_duplicate(&cast->allocator, own.frames, frame_bytes(&own));
        cast->moving[at] = own;
        status = own.frames ? AFX_OK : AFX_E_MEMORY;
    }
    return status;
}

static void bound(const AfxiCast *cast, AfxiCastItem *item) {
    AfxiPlace place;
    double lower[3], upper[3];
    memcpy(place.r, item->turn.m, sizeof place.r);
    vec3_store(place.t, item->shift);
    afxi_geometry_bounds(&cast->geometries[item->geometry], &place, lower, upper);
    item->center = vec3_scale(0.5, vec3_add(vec3_load(lower), vec3_load(upper)));
    item->radius = vec3_length(vec3_sub(vec3_load(upper), item->center));
    if (!vec3_finite(item->center) || !isfinite(item->radius) || cast->moving[item->geometry].frames) {
        item->center = vec3(0, 0, 0);
        item->radius = INFINITY;
    }
}

AfxStatus afxi_cast_add(AfxiCast *cast, uint32_t body, uint32_t shape, uint32_t at, const AfxiContactGeometry *source,
                        const AfxiMat3 *turn, AfxVec3 shift) {
    AfxStatus status = afxi_array_reserve(&cast->allocator, (void **)&cast->items, &cast->item_capacity,
                                          cast->item_count + 1, sizeof *cast->items);
    if (status == AFX_OK && !cast->made[at]) {
        cast->made[at] = 1;
        status = make_geometry(cast, source, at);
    }
    if (status == AFX_OK) {
        AfxiCastItem *item = &cast->items[cast->item_count++];
        *item = (AfxiCastItem){.body = body, .shape = shape, .geometry = at, .turn = *turn, .shift = shift};
        bound(cast, item);
    }
    return status;
}

AfxStatus afxi_cast_reserve(AfxiCast *cast, const AfxAllocator *allocator, uint32_t bodies, uint32_t geometries) {
    size_t count = geometries;
    *cast = (AfxiCast){.allocator = *allocator, .bodies = bodies, .geometry_count = geometries};
    cast->frames = afxi_allocate(allocator, bodies * sizeof *cast->frames);
    cast->made = afxi_allocate(allocator, count * sizeof *cast->made);
    cast->geometries = afxi_allocate(allocator, count * sizeof *cast->geometries);
    cast->hulls = afxi_allocate(allocator, count * sizeof *cast->hulls);
    cast->meshes = afxi_allocate(allocator, count * sizeof *cast->meshes);
    cast->moving = afxi_allocate(allocator, count * sizeof *cast->moving);
    bool geometry = cast->made && cast->geometries && cast->hulls && cast->meshes && cast->moving;
    return (geometry || !count) && (cast->frames || !bodies) ? AFX_OK : AFX_E_MEMORY;
}

void afxi_cast_destroy(AfxiCast *cast) {
    const AfxAllocator *allocator = &cast->allocator;
    size_t count = cast->geometry_count;
    for (size_t k = 0; k < count && cast->hulls && cast->meshes && cast->moving; k++) {
        afxi_hull_mesh_destroy(allocator, &cast->hulls[k]);
        afxi_triangles_destroy(allocator, &cast->meshes[k]);
        afxi_release(allocator, (void *)cast->moving[k].frames, frame_bytes(&cast->moving[k]));
    }
    afxi_release(allocator, cast->items, cast->item_capacity * sizeof *cast->items);
    afxi_release(allocator, cast->frames, cast->bodies * sizeof *cast->frames);
    afxi_release(allocator, cast->made, count * sizeof *cast->made);
    afxi_release(allocator, cast->geometries, count * sizeof *cast->geometries);
    afxi_release(allocator, cast->hulls, count * sizeof *cast->hulls);
    afxi_release(allocator, cast->meshes, count * sizeof *cast->meshes);
    afxi_release(allocator, cast->moving, count * sizeof *cast->moving);
}

/* ---- rays ---- */

void afxi_cast_place(AfxiCast *cast, uint32_t body, const AfxiMat3 *m, AfxVec3 origin) {
    AfxVec3 a = vec3_load(m->m), b = vec3_load(m->m + 3), c = vec3_load(m->m + 6);
    AfxVec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
    double scale = 1 / vec3_dot(a, bc);
    AfxiMat3 rows = mat3_from_columns(vec3_scale(scale, bc), vec3_scale(scale, ca), vec3_scale(scale, ab));
    cast->frames[body] = (AfxiCastFrame){.inverse = mat3_transpose(&rows), .origin = origin};
}

void afxi_cast_move(AfxiCast *cast, double time) {
    for (uint32_t k = 0; k < cast->geometry_count; k++) {
        if (cast->moving[k].frames) {
            afxi_contact_vertices(&cast->moving[k], time, cast->meshes[k].vertices, NULL);
            afxi_triangles_move(&cast->meshes[k], cast->meshes[k].vertices);
        }
    }
}

/* A ray in the frame of a body, kept while the next shape is on the same one. */
typedef struct LocalRay {
    uint32_t body;
    AfxVec3 from, way; /* way: of a metre in the world */
} LocalRay;

static void meet(const AfxiCast *cast, const AfxiCastItem *item, const LocalRay *local, double reach, AfxRayHit *hit) {
    AfxVec3 to = vec3_sub(item->center, local->from), across = vec3_cross(to, local->way);
    double way = vec3_dot(local->way, local->way);
    if (vec3_dot(across, across) > item->radius * item->radius * way) {
        return; /* the line does not come near */
    }
    AfxVec3 from = mat3_apply_transposed(&item->turn, vec3_sub(local->from, item->shift)), normal;
    AfxVec3 direction = mat3_apply_transposed(&item->turn, local->way);
    double s;
    if (afxi_ray(&cast->geometries[item->geometry], from, direction, fmin(hit->distance, reach), &s, &normal) &&
        s < hit->distance) {
        AfxVec3 outward = mat3_apply_transposed(&cast->frames[item->body].inverse, mat3_apply(&item->turn, normal));
        double length = vec3_length(outward);
        hit->distance = s;
        hit->body = item->body;
        hit->shape = item->shape;
        hit->normal = length > 0 ? vec3_scale(1 / length, outward) : outward;
    }
}

void afxi_cast_ray(const AfxiCast *cast, const AfxRay *ray, AfxRayHit *out_hit) {
    AfxVec3 unit = vec3_scale(1 / vec3_length(ray->direction), ray->direction);
    LocalRay local = {.body = AFX_RAY_NO_BODY};
    *out_hit = (AfxRayHit){.distance = INFINITY, .body = AFX_RAY_NO_BODY};
    for (uint32_t k = 0; k < cast->item_count; k++) {
        const AfxiCastItem *item = &cast->items[k];
        if (item->body == ray->skip) {
            continue;
        }
        if (item->body != local.body) {
            const AfxiCastFrame *frame = &cast->frames[item->body];
            local.body = item->body;
            local.from = mat3_apply(&frame->inverse, vec3_sub(ray->from, frame->origin));
            local.way = mat3_apply(&frame->inverse, unit);
        }
        meet(cast, item, &local, ray->reach, out_hit);
    }
    if (out_hit->body != AFX_RAY_NO_BODY) {
        out_hit->point = vec3_mad(ray->from, out_hit->distance, unit);
    }
}

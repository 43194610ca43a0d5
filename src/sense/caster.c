/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against shapes. A ray goes into the frame of each body, where shapes are as they were made: x = A^-1 (p - t), a
 * map that keeps the share of the way along the ray, whatever the strain. A ball around each shape says at once that
 * most are not met. */
#include <string.h>

#include "affix/ray.h"
#include "base/memory.h"
#include "base/status.h"
#include "collide/collide.h"
#include "contact/hull_mesh.h"
#include "contact/ray.h"
#include "contact/triangles.h"
#include "math/vec3.h"
#include "model/contacts.h"
#include "scene/scene.h"

/* A shape on a body. */
typedef struct Item {
    uint32_t body, shape, geometry;
    AfxiMat3 turn; /* of the shape in the body's frame */
    AfxVec3 shift;
    AfxVec3 center; /* of a ball around it, in the body's frame, and its radius; INFINITY: it has no bounds */
    double radius;
} Item;

/* Where a body is: p = A x + t, and A^-1. */
typedef struct Frame {
    AfxiMat3 inverse;
    AfxVec3 origin;
} Frame;

struct AfxCaster {
    AfxAllocator allocator;
    uint32_t bodies, item_count, item_capacity, geometry_count;
    Item *items;                 /* [item_count] */
    Frame *frames;               /* [bodies] */
    uint32_t *geometry_of;       /* [geometry_count] 1: made; by the scene's own shapes, of which each is kept once */
    AfxiGeometry *geometries;    /* [geometry_count] */
    AfxiHullMesh *hulls;         /* [geometry_count] */
    AfxiTriangles *meshes;       /* [geometry_count] */
    AfxiContactGeometry *moving; /* [geometry_count] those with vertex frames, which are its own; else zeros */
};

AfxCasterDef afx_default_caster(void) {
    return (AfxCasterDef){.cookie = AFXI_COOKIE, .allocator = afx_default_allocator()};
}

AfxRay afx_default_ray(AfxVec3 from, AfxVec3 direction) {
    return (AfxRay){.from = from, .direction = direction, .reach = INFINITY, .skip = AFX_RAY_NO_BODY};
}

/* ---- making one ---- */

static size_t frame_bytes(const AfxiContactGeometry *geometry) {
    return 3 * sizeof(double) * (size_t)geometry->vertex_count * geometry->frame_count;
}

static AfxStatus make_geometry(AfxCaster *caster, const AfxScene *scene, const AfxiSceneShape *shape, uint32_t at) {
    AfxiContactGeometry source = afxi_contact_geometry(scene, shape);
    AfxStatus status = afxi_collide_geometry(&caster->allocator, &source, &caster->geometries[at], &caster->hulls[at],
                                             &caster->meshes[at]);
    if (status == AFX_OK && source.frames) {
        source.frames = afxi_duplicate(&caster->allocator, source.frames, frame_bytes(&source));
        caster->moving[at] = source;
        status = source.frames ? AFX_OK : AFX_E_MEMORY;
    }
    return status;
}

static void bound(const AfxCaster *caster, Item *item) {
    AfxiPlace place;
    double lower[3], upper[3];
    memcpy(place.r, item->turn.m, sizeof place.r);
    vec3_store(place.t, item->shift);
    afxi_geometry_bounds(&caster->geometries[item->geometry], &place, lower, upper);
    item->center = vec3_scale(0.5, vec3_add(vec3_load(lower), vec3_load(upper)));
    item->radius = vec3_length(vec3_sub(vec3_load(upper), item->center));
    if (!vec3_finite(item->center) || !isfinite(item->radius) || caster->moving[item->geometry].frames) {
        item->center = vec3(0, 0, 0);
        item->radius = INFINITY;
    }
}

static AfxStatus add_item(AfxCaster *caster, const AfxScene *scene, uint32_t body, uint32_t use, uint32_t number) {
    const AfxiSceneShape *shape = afxi_scene_shape(scene, use);
    uint32_t at = scene->uses[use].shape;
    AfxStatus status = afxi_array_reserve(&caster->allocator, (void **)&caster->items, &caster->item_capacity,
                                          caster->item_count + 1, sizeof *caster->items);
    if (status == AFX_OK && !caster->geometry_of[at]) {
        caster->geometry_of[at] = 1;
        status = make_geometry(caster, scene, shape, at);
    }
    if (status == AFX_OK) {
        Item *item = &caster->items[caster->item_count++];
        *item = (Item){.body = body,
                       .shape = number,
                       .geometry = at,
                       .turn = mat3_from_quat(shape->pose.rotation),
                       .shift = shape->pose.position};
        bound(caster, item);
    }
    return status;
}

static AfxStatus add_items(AfxCaster *caster, const AfxScene *scene, bool visual) {
    AfxStatus status = AFX_OK;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        uint32_t number = 0;
        for (uint32_t use = scene->bodies[body].first_shape; use != AFXI_NONE && status == AFX_OK;
             use = scene->uses[use].next, number++) {
            if (visual || !afxi_scene_shape(scene, use)->visual) {
                status = add_item(caster, scene, body, use, number);
            }
        }
    }
    return status;
}

static AfxStatus reserve(AfxCaster *caster, const AfxScene *scene) {
    const AfxAllocator *allocator = &caster->allocator;
    uint32_t count = caster->geometry_count = scene->shapes.count;
    caster->bodies = scene->body_count;
    caster->frames = afxi_allocate(allocator, caster->bodies * sizeof *caster->frames);
    caster->geometry_of = afxi_allocate(allocator, count * sizeof *caster->geometry_of);
    caster->geometries = afxi_allocate(allocator, count * sizeof *caster->geometries);
    caster->hulls = afxi_allocate(allocator, count * sizeof *caster->hulls);
    caster->meshes = afxi_allocate(allocator, count * sizeof *caster->meshes);
    caster->moving = afxi_allocate(allocator, count * sizeof *caster->moving);
    bool geometry = caster->geometry_of && caster->geometries && caster->hulls && caster->meshes && caster->moving;
    return (geometry || !count) && (caster->frames || !caster->bodies) ? AFX_OK : AFX_E_MEMORY;
}

AfxStatus afx_caster_create(const AfxCasterDef *def, const AfxScene *scene, AfxCaster **out_caster) {
    if (out_caster) {
        *out_caster = NULL;
    }
    if (!def || def->cookie != AFXI_COOKIE || !scene || !out_caster) {
        return AFX_E_ARGUMENT;
    }
    AfxCaster *caster = afxi_allocate(&def->allocator, sizeof *caster);
    if (!caster) {
        return AFX_E_MEMORY;
    }
    caster->allocator = def->allocator;
    AfxStatus status = reserve(caster, scene);
    status = status == AFX_OK ? add_items(caster, scene, def->visual) : status;
    if (status != AFX_OK) {
        afx_caster_destroy(caster);
        return status;
    }
    *out_caster = caster;
    return AFX_OK;
}

void afx_caster_destroy(AfxCaster *caster) {
    if (!caster) {
        return;
    }
    AfxAllocator allocator = caster->allocator;
    size_t count = caster->geometry_count;
    for (size_t k = 0; k < count && caster->hulls && caster->meshes && caster->moving; k++) {
        afxi_hull_mesh_destroy(&allocator, &caster->hulls[k]);
        afxi_triangles_destroy(&allocator, &caster->meshes[k]);
        afxi_release(&allocator, (void *)caster->moving[k].frames, frame_bytes(&caster->moving[k]));
    }
    afxi_release(&allocator, caster->items, caster->item_capacity * sizeof *caster->items);
    afxi_release(&allocator, caster->frames, caster->bodies * sizeof *caster->frames);
    afxi_release(&allocator, caster->geometry_of, count * sizeof *caster->geometry_of);
    afxi_release(&allocator, caster->geometries, count * sizeof *caster->geometries);
    afxi_release(&allocator, caster->hulls, count * sizeof *caster->hulls);
    afxi_release(&allocator, caster->meshes, count * sizeof *caster->meshes);
    afxi_release(&allocator, caster->moving, count * sizeof *caster->moving);
    afxi_release(&allocator, caster, sizeof *caster);
}

/* ---- rays ---- */

static Frame frame_of(const AfxVec3 at[4]) {
    AfxVec3 a = vec3_sub(at[1], at[0]), b = vec3_sub(at[2], at[0]), c = vec3_sub(at[3], at[0]);
    AfxVec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
    double scale = 1 / vec3_dot(a, bc);
    AfxiMat3 rows = mat3_from_columns(vec3_scale(scale, bc), vec3_scale(scale, ca), vec3_scale(scale, ab));
    return (Frame){.inverse = mat3_transpose(&rows), .origin = at[0]};
}

static AfxStatus place_bodies(AfxCaster *caster, const AfxSim *sim) {
    static const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (uint32_t k = 0; k < caster->bodies; k++) {
        AfxVec3 at[4];
        AfxStatus status = afx_sim_control_points(sim, k, rest, at, NULL);
        if (status != AFX_OK) {
            return status;
        }
        caster->frames[k] = frame_of(at);
    }
    for (uint32_t k = 0; k < caster->geometry_count; k++) {
        if (caster->moving[k].frames) {
            afxi_contact_vertices(&caster->moving[k], afx_sim_time(sim), caster->meshes[k].vertices, NULL);
            afxi_triangles_move(&caster->meshes[k], caster->meshes[k].vertices);
        }
    }
    return AFX_OK;
}

/* A ray in the frame of a body, kept while the next shape is on the same one. */
typedef struct LocalRay {
    uint32_t body;
    AfxVec3 from, way; /* way: of a metre in the world */
} LocalRay;

static void meet(const AfxCaster *caster, const Item *item, const LocalRay *local, double reach, AfxRayHit *hit) {
    AfxVec3 to = vec3_sub(item->center, local->from), across = vec3_cross(to, local->way);
    double way = vec3_dot(local->way, local->way);
    if (vec3_dot(across, across) > item->radius * item->radius * way) {
        return; /* the line does not come near */
    }
    AfxVec3 from = mat3_apply_transposed(&item->turn, vec3_sub(local->from, item->shift)), normal;
    AfxVec3 direction = mat3_apply_transposed(&item->turn, local->way);
    double s;
    if (afxi_ray(&caster->geometries[item->geometry], from, direction, fmin(hit->distance, reach), &s, &normal) &&
        s < hit->distance) {
        AfxVec3 outward = mat3_apply_transposed(&caster->frames[item->body].inverse, mat3_apply(&item->turn, normal));
        double length = vec3_length(outward);
        hit->distance = s;
        hit->body = item->body;
        hit->shape = item->shape;
        hit->normal = length > 0 ? vec3_scale(1 / length, outward) : outward;
    }
}

static void cast(const AfxCaster *caster, const AfxRay *ray, AfxRayHit *out_hit) {
    AfxVec3 unit = vec3_scale(1 / vec3_length(ray->direction), ray->direction);
    LocalRay local = {.body = AFX_RAY_NO_BODY};
    *out_hit = (AfxRayHit){.distance = INFINITY, .body = AFX_RAY_NO_BODY};
    for (uint32_t k = 0; k < caster->item_count; k++) {
        const Item *item = &caster->items[k];
        if (item->body == ray->skip) {
            continue;
        }
        if (item->body != local.body) {
            const Frame *frame = &caster->frames[item->body];
            local.body = item->body;
            local.from = mat3_apply(&frame->inverse, vec3_sub(ray->from, frame->origin));
            local.way = mat3_apply(&frame->inverse, unit);
        }
        meet(caster, item, &local, ray->reach, out_hit);
    }
    if (out_hit->body != AFX_RAY_NO_BODY) {
        out_hit->point = vec3_mad(ray->from, out_hit->distance, unit);
    }
}

static bool is_ray(const AfxRay *ray) {
    double length = vec3_length(ray->direction);
    return vec3_finite(ray->from) && length > 0 && isfinite(length) && ray->reach >= 0;
}

AfxStatus afx_caster_cast(AfxCaster *caster, const AfxSim *sim, const AfxRay *rays, uint32_t count,
                          AfxRayHit *out_hits) {
    if (!caster || !sim || (count && (!rays || !out_hits)) ||
        afx_model_body_count(afx_sim_model(sim)) != caster->bodies) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!is_ray(&rays[k])) {
            return AFX_E_ARGUMENT;
        }
    }
    AfxStatus status = place_bodies(caster, sim);
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        cast(caster, &rays[k], &out_hits[k]);
    }
    return status;
}

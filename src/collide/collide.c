/* SPDX-License-Identifier: Apache-2.0 */
/* What contact needs of a world: made with it, released with it. */
#include "collide/collide.h"

#include <math.h>
#include <string.h>

#include "collide/box.h"
#include "contact/broad.h"
#include "contact/field.h"
#include "contact/geometry.h"
#include "contact/hull_mesh.h"
#include "contact/triangles.h"
#include "model/contacts.h"

AfxStatus afxi_collide_geometry(const AfxAllocator *allocator, const AfxiContactGeometry *source, AfxiGeometry *out,
                                AfxiHullMesh *hull, AfxiTriangles *mesh) {
    switch (source->kind) {
    case AFX_SHAPE_BOX:
    case AFX_SHAPE_ELLIPSOID:
        out->kind = source->kind == AFX_SHAPE_BOX ? AFXI_GEOMETRY_BOX : AFXI_GEOMETRY_ELLIPSOID;
        memcpy(out->half, source->size, sizeof out->half);
        return AFX_OK;
    case AFX_SHAPE_SPHERE:
        out->kind = AFXI_GEOMETRY_SPHERE;
        out->radius = source->size[0];
        return AFX_OK;
    case AFX_SHAPE_CAPSULE:
    case AFX_SHAPE_CYLINDER:
        out->kind = source->kind == AFX_SHAPE_CAPSULE ? AFXI_GEOMETRY_CAPSULE : AFXI_GEOMETRY_CYLINDER;
        out->radius = source->size[0];
        out->half_length = 0.5 * source->size[1];
        return AFX_OK;
    case AFX_SHAPE_PLANE:
        out->kind = AFXI_GEOMETRY_PLANE;
        return AFX_OK;
    case AFX_SHAPE_CONVEX:
        out->kind = AFXI_GEOMETRY_CONVEX;
        out->hull = hull;
        return afxi_hull_mesh_create(allocator, source->vertices, source->vertex_count, hull);
    case AFX_SHAPE_MESH:
        out->kind = AFXI_GEOMETRY_MESH;
        out->mesh = mesh;
        return afxi_triangles_create(allocator, source->vertices, source->vertex_count, source->triangles,
                                     source->triangle_count, mesh);
    case AFX_SHAPE_HEIGHT_FIELD:
    default:
        out->kind = AFXI_GEOMETRY_HEIGHT_FIELD;
        out->mesh = mesh;
        return afxi_triangles_create_field(allocator, source->heights, source->columns, source->rows, source->size[0],
                                           source->size[1], mesh);
    }
}

/* Radius of a ball that fits in: how far a shape may move unseen. */
static double inner_radius(const AfxiGeometry *geometry, const double half[3]) {
    switch (geometry->kind) {
    case AFXI_GEOMETRY_SPHERE:
    case AFXI_GEOMETRY_CAPSULE:
        return geometry->radius;
    case AFXI_GEOMETRY_CYLINDER:
        return fmin(geometry->radius, geometry->half_length);
    case AFXI_GEOMETRY_BOX:
    case AFXI_GEOMETRY_ELLIPSOID:
        return fmin(geometry->half[0], fmin(geometry->half[1], geometry->half[2]));
    case AFXI_GEOMETRY_CONVEX:
        return 0.5 * fmin(half[0], fmin(half[1], half[2]));
    default: /* what is behind a triangle is not known */
        return INFINITY;
    }
}

/* Everywhere that the vertices come. */
static void bound_frames(const AfxiContactGeometry *source, const AfxiPlace *place, double lower[3], double upper[3]) {
    AfxiMat3 r = mat3_load(place->r);
    for (size_t k = 0; k < (size_t)source->frame_count * source->vertex_count; k++) {
        double p[3];
        vec3_store(p, vec3_add(vec3_load(place->t), mat3_apply(&r, vec3_load(source->frames + 3 * k))));
        for (int i = 0; i < 3; i++) {
            lower[i] = fmin(lower[i], p[i]);
            upper[i] = fmax(upper[i], p[i]);
        }
    }
}

static AfxiShapeBox make_box(const AfxiGeometry *geometry, const AfxiContactGeometry *source,
                             const AfxiContactPose *pose) {
    AfxiShapeBox box = {.unbounded = geometry->kind == AFXI_GEOMETRY_PLANE};
    AfxiPlace place;
    double lower[3], upper[3];
    memcpy(place.r, pose->r, sizeof place.r);
    memcpy(place.t, pose->t, sizeof place.t);
    afxi_geometry_bounds(geometry, &place, lower, upper);
    if (source->frames) {
        bound_frames(source, &place, lower, upper);
    }
    for (int k = 0; k < 3 && !box.unbounded; k++) {
        box.center[k] = 0.5 * (lower[k] + upper[k]);
        box.half[k] = 0.5 * (upper[k] - lower[k]);
    }
    box.inner = inner_radius(geometry, box.half);
    return box;
}

/* One box for each geometry at each pose; neighbours in the list tend to be alike. */
static AfxStatus make_boxes(AfxiWorld *world, AfxiCollide *work) {
    const AfxiContacts *contacts = &world->model->contacts;
    uint32_t first[64]; /* item that a recent box was made for */
    for (uint32_t k = 0; k < contacts->shape_count; k++) {
        const AfxiContactShape *shape = &contacts->shapes[k];
        uint32_t found = UINT32_MAX, recent = work->box_count < 64 ? work->box_count : 64;
        for (uint32_t b = 0; b < recent && found == UINT32_MAX; b++) {
            uint32_t box = work->box_count - 1 - b;
            const AfxiContactShape *other = &contacts->shapes[first[box % 64]];
            found = other->geometry == shape->geometry && other->pose == shape->pose ? box : UINT32_MAX;
        }
        if (found == UINT32_MAX) {
            if (afxi_array_reserve(&work->set.world->def.allocator, (void **)&work->box, &work->box_capacity,
                                   work->box_count + 1, sizeof *work->box) != AFX_OK) {
                return AFX_E_MEMORY;
            }
            found = work->box_count++;
            work->box[found] = make_box(&work->geometry[shape->geometry], &contacts->geometries[shape->geometry],
                                        &contacts->poses[shape->pose]);
            first[found % 64] = k;
        }
        work->box_of[k] = found;
    }
    return AFX_OK;
}

static void take(AfxiWorld *world, AfxiCollide *work, AfxiArena *arena) {
    const AfxModel *model = world->model;
    uint32_t items = model->contacts.shape_count, geometries = model->contacts.geometry_count;
    work->geometry = afxi_arena_take(arena, geometries, sizeof *work->geometry);
    work->hull = afxi_arena_take(arena, geometries, sizeof *work->hull);
    work->mesh = afxi_arena_take(arena, geometries, sizeof *work->mesh);
    double **rates = afxi_arena_take(arena, geometries, sizeof *work->rates);
    for (uint32_t k = 0; k < geometries; k++) {
        const AfxiContactGeometry *source = &model->contacts.geometries[k];
        double *own = source->frames ? afxi_arena_take(arena, 3 * (size_t)source->vertex_count, sizeof(double)) : NULL;
        if (arena->base) {
            rates[k] = own;
        }
        work->deforming |= source->frames != NULL;
    }
    work->rates = rates;
    work->lower = afxi_arena_take(arena, items, sizeof *work->lower);
    work->upper = afxi_arena_take(arena, items, sizeof *work->upper);
    work->pad = afxi_arena_take(arena, items, sizeof *work->pad);
    work->box_of = afxi_arena_take(arena, items, sizeof *work->box_of);
    work->boxed = afxi_arena_take(arena, items, sizeof *work->boxed);
    work->item_count = items;
    work->extent = afxi_arena_take(arena, model->body_count, sizeof *work->extent);
    work->result = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * (size_t)model->body_count, sizeof *work->result);
    work->warm = afxi_arena_take(arena, model->body_count, sizeof *work->warm);
    afxi_contacts_take(&work->set, arena, world);
}

AfxStatus afxi_collide_create(AfxiWorld *world, AfxiCollide **out) {
    const AfxiContacts *contacts = &world->model->contacts;
    const AfxAllocator *allocator = &world->def.allocator;
    *out = NULL;
    if (!contacts->possible) {
        return AFX_OK;
    }
    AfxiCollide *work = afxi_allocate(allocator, sizeof *work);
    if (!work) {
        return AFX_E_MEMORY;
    }
    work->set.world = world;
    work->geometry_count = contacts->geometry_count;
    AfxiArena arena = {0};
    take(world, work, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &work->raw, &work->raw_size);
    AfxStatus status = arena.base ? AFX_OK : AFX_E_MEMORY;
    if (status == AFX_OK) {
        arena.used = 0;
        take(world, work, &arena);
    }
    for (uint32_t k = 0; status == AFX_OK && k < contacts->geometry_count; k++) {
        status = afxi_collide_geometry(allocator, &contacts->geometries[k], &work->geometry[k], &work->hull[k],
                                       &work->mesh[k]);
    }
    for (uint32_t k = 0; status == AFX_OK && k < world->model->dynamic_count; k++) {
        work->extent[world->model->dynamic[k]] = afxi_model_extent(world->model, world->model->dynamic[k]);
    }
    status = status ? status : make_boxes(world, work);
    status = status ? status : afxi_collide_cluster(work);
    if (status != AFX_OK) {
        afxi_collide_destroy(work);
        return status;
    }
    *out = work;
    return AFX_OK;
}

void afxi_collide_destroy(AfxiCollide *work) {
    if (!work) {
        return;
    }
    AfxAllocator allocator = work->set.world->def.allocator;
    for (uint32_t k = 0; work->raw && k < work->geometry_count; k++) {
        afxi_hull_mesh_destroy(&allocator, &work->hull[k]);
        afxi_triangles_destroy(&allocator, &work->mesh[k]);
    }
    afxi_release(&allocator, work->cluster, afxi_clusters_count(work->clusters) * sizeof *work->cluster);
    afxi_release(&allocator, work->cluster_body, work->item_count * sizeof *work->cluster_body);
    afxi_clusters_destroy(work->clusters);
    afxi_contacts_release(&work->set);
    afxi_release(&allocator, work->box, work->box_capacity * sizeof *work->box);
    afxi_release(&allocator, work->raw, work->raw_size);
    afxi_release(&allocator, work, sizeof *work);
}

void afxi_collide_deform(AfxiCollide *work, double time) {
    const AfxiContactGeometry *geometries = work->set.world->model->contacts.geometries;
    for (uint32_t k = 0; work->deforming && k < work->geometry_count; k++) {
        if (work->rates[k]) {
            afxi_contact_vertices(&geometries[k], time, work->mesh[k].vertices, work->rates[k]);
            afxi_triangles_move(&work->mesh[k], work->mesh[k].vertices);
        }
    }
}

AfxStatus afxi_collide_restore(AfxiCollide *work, const void *memories, uint32_t count) {
    AfxiContactSet *set = &work->set;
    AfxStatus status = afxi_array_reserve(&set->world->def.allocator, (void **)&set->past, &set->past_capacity, count,
                                          sizeof *set->past);
    if (status == AFX_OK) {
        if (count) {
            memcpy(set->past, memories, count * sizeof *set->past);
        }
        set->past_count = count;
        set->now.count = 0;
    }
    return status;
}

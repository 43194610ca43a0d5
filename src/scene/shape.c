/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: defaults, checks, adding and reading back. */
#include "scene/shape.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "scene/check.h"
#include "scene/mass.h"
#include "scene/material.h"
#include "scene/mesh.h"
#include "scene/store.h"
#include "scene/texture.h"

static AfxShapeDef default_shape(AfxShapeKind kind) {
    return (AfxShapeDef){.cookie = AFXI_COOKIE,
                         .kind = kind,
                         .pose = {.rotation = {1, 0, 0, 0}},
                         .density = 1000,
                         .contact_group = 1,
                         .contact_mask = 1};
}

AfxShapeDef afx_default_box(double x, double y, double z) {
    AfxShapeDef d = default_shape(AFX_SHAPE_BOX);
    d.half_extents = vec3(0.5 * x, 0.5 * y, 0.5 * z);
    return d;
}

AfxShapeDef afx_default_sphere(double radius) {
    AfxShapeDef d = default_shape(AFX_SHAPE_SPHERE);
    d.radius = radius;
    return d;
}

AfxShapeDef afx_default_capsule(double radius, double length) {
    AfxShapeDef d = default_shape(AFX_SHAPE_CAPSULE);
    d.radius = radius;
    d.length = length;
    return d;
}

AfxShapeDef afx_default_cylinder(double radius, double length) {
    AfxShapeDef d = default_shape(AFX_SHAPE_CYLINDER);
    d.radius = radius;
    d.length = length;
    return d;
}

AfxShapeDef afx_default_ellipsoid(double a, double b, double c) {
    AfxShapeDef d = default_shape(AFX_SHAPE_ELLIPSOID);
    d.half_extents = vec3(a, b, c);
    return d;
}

AfxShapeDef afx_default_convex(const double *vertices, uint32_t vertex_count) {
    AfxShapeDef d = default_shape(AFX_SHAPE_CONVEX);
    d.vertices = vertices;
    d.vertex_count = vertex_count;
    return d;
}

AfxShapeDef afx_default_mesh(const double *vertices, uint32_t vertex_count, const uint32_t *triangles,
                             uint32_t triangle_count) {
    AfxShapeDef d = default_shape(AFX_SHAPE_MESH);
    d.vertices = vertices;
    d.vertex_count = vertex_count;
    d.triangles = triangles;
    d.triangle_count = triangle_count;
    return d;
}

AfxShapeDef afx_default_plane(void) {
    return default_shape(AFX_SHAPE_PLANE);
}

AfxShapeDef afx_default_height_field(double x, double y, const double *heights, uint32_t columns, uint32_t rows) {
    AfxShapeDef d = default_shape(AFX_SHAPE_HEIGHT_FIELD);
    d.half_extents = vec3(0.5 * x, 0.5 * y, 0);
    d.heights = heights;
    d.columns = columns;
    d.rows = rows;
    return d;
}

/** The sizes that a kind uses, and how many. */
static int take_sizes(const AfxShapeDef *def, double out_size[3]) {
    switch (def->kind) {
    case AFX_SHAPE_BOX:
    case AFX_SHAPE_ELLIPSOID:
        vec3_store(out_size, def->half_extents);
        return 3;
    case AFX_SHAPE_SPHERE:
        out_size[0] = def->radius;
        return 1;
    case AFX_SHAPE_CAPSULE:
    case AFX_SHAPE_CYLINDER:
        out_size[0] = def->radius;
        out_size[1] = def->length;
        return 2;
    case AFX_SHAPE_HEIGHT_FIELD:
        out_size[0] = def->half_extents.x;
        out_size[1] = def->half_extents.y;
        return 2;
    default:
        return 0;
    }
}

static AfxStatus check_sizes(const AfxiErrorPlace *place, const AfxShapeDef *def, const double *size, int count) {
    bool extents = count == 3 || def->kind == AFX_SHAPE_HEIGHT_FIELD;
    for (int k = 0; k < count; k++) {
        const char *what = extents ? "its half extents" : k == 0 ? "its radius" : "its length";
        AfxStatus status = afxi_check_number(place, size[k], what);
        if (status) {
            return status;
        }
        if (!(size[k] > 0)) {
            char text[64];
            snprintf(text, sizeof text, "%s %s not positive", what, extents ? "are" : "is");
            return afxi_fail(place, AFX_E_INPUT, text,
                             def->kind == AFX_SHAPE_CAPSULE && k == 1 ? "give a length above 0 m, or use a sphere"
                                                                      : "give lengths above 0 m");
        }
    }
    return AFX_OK;
}

static bool has_arrays(uint32_t kind) {
    return kind == AFX_SHAPE_CONVEX || kind == AFX_SHAPE_MESH || kind == AFX_SHAPE_HEIGHT_FIELD;
}

/** Whether a shape may be on a body of this kind. `animated`: its vertices move by themselves. */
static AfxStatus check_kind(const AfxiErrorPlace *place, uint32_t kind, bool animated, AfxBodyKind body) {
    if (body != AFX_BODY_DYNAMIC || (kind != AFX_SHAPE_PLANE && kind != AFX_SHAPE_HEIGHT_FIELD && !animated)) {
        return AFX_OK;
    }
    const char *text = kind == AFX_SHAPE_PLANE          ? "a dynamic body cannot have a plane"
                       : kind == AFX_SHAPE_HEIGHT_FIELD ? "a dynamic body cannot have a height field"
                                                        : "a dynamic body cannot have a mesh with vertex frames";
    return afxi_fail(place, AFX_E_INPUT, text, "put it on a body that is fixed or kinematic");
}

/** Whether a mesh has to weigh something on such a body. */
static bool must_weigh(AfxBodyKind kind, AfxMassSource source, bool visual) {
    return kind == AFX_BODY_DYNAMIC && source == AFX_MASS_FROM_SHAPES && !visual;
}

AfxStatus afxi_shapes_fit(const AfxScene *scene, uint32_t body, AfxBodyKind kind, AfxMassSource source) {
    const AfxiSceneBody *b = scene->bodies + body;
    AfxiErrorPlace place = {scene->error, "body", b->name, body, 0};
    AfxStatus status = AFX_OK;
    for (uint32_t s = b->first_shape; s != AFXI_NONE && !status; s = scene->uses[s].next, place.shape++) {
        const AfxiSceneShape *shape = afxi_scene_shape(scene, s);
        const AfxiSceneMesh *mesh = shape->mesh != AFXI_NONE ? scene->meshes + shape->mesh : NULL;
        status = check_kind(&place, shape->kind, mesh && mesh->frames, kind);
        if (!status && mesh && !mesh->solid && must_weigh(kind, source, shape->visual != 0)) {
            status = afxi_fail(&place, AFX_E_INPUT, "its mesh encloses no solid, so it has no mass",
                               "give mass, center and inertia of the body, or close the mesh");
        }
    }
    return status;
}

static AfxStatus check_def(const AfxScene *scene, const AfxiErrorPlace *place, AfxShapeDef *d) {
    if ((unsigned)d->kind > AFX_SHAPE_HEIGHT_FIELD) {
        return afxi_fail(place, AFX_E_INPUT, "its kind is not one of AfxShapeKind", "start from an afx_default_ shape");
    }
    AfxStatus status =
        check_kind(place, d->kind, d->vertex_frames, (AfxBodyKind)afxi_scene_matter(scene, place->index)->kind);
    status = status ? status : afxi_check_pose(place, &d->pose, "its");
    status = status ? status : afxi_check_material(scene, place, d->material);
    status = status ? status : afxi_check_number(place, d->density, "its density");
    status = status ? status : afxi_check_number(place, d->mass, "its mass");
    if (status) {
        return status;
    }
    if (d->mass < 0) {
        return afxi_fail(place, AFX_E_INPUT, "its mass is negative",
                         "give a mass above 0 kg, or 0 to take it from the density");
    }
    if (d->mass == 0 && !(d->density > 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its density is not positive",
                         "give a density above 0 kg/m^3, or a mass; AFX_MASS_GIVEN makes shapes geometry only");
    }
    return AFX_OK;
}

/** Room for one more shape and, when meshed, one more mesh. */
static AfxStatus reserve(AfxScene *scene, bool meshed) {
    void *uses = scene->uses, *meshes = scene->meshes;
    AfxStatus status =
        afxi_array_reserve(&scene->allocator, &uses, &scene->use_capacity, scene->use_count + 1, sizeof *scene->uses);
    scene->uses = uses;
    if (!status && meshed) {
        status = afxi_array_reserve(&scene->allocator, &meshes, &scene->mesh_capacity, scene->mesh_count + 1,
                                    sizeof *scene->meshes);
        scene->meshes = meshes;
    }
    return status;
}

/** Checks what a new shape weighs. */
static AfxStatus check_mass(const AfxScene *scene, const AfxiErrorPlace *place, const AfxiSceneShape *shape,
                            int size_count) {
    if (!afxi_scene_shape_weighs(scene, shape)) {
        return AFX_OK;
    }
    AfxMass mass = afxi_scene_shape_mass(scene, shape);
    AfxStatus status = afxi_check_mass_range(place, &mass);
    for (int k = 0; k < size_count && !status; k++) {
        if (mass.mass * shape->size[k] * shape->size[k] < DBL_MIN) { /* a thin one: its second moment underflows */
            status = afxi_fail(place, AFX_E_INPUT, "its mass, volume or inertia is too small for double precision",
                               "check the units: kg and m");
        }
    }
    return status;
}

/** All that a definition says but for its arrays. */
static AfxiSceneShape shape_of(const AfxShapeDef *d, int *out_size_count) {
    AfxiSceneShape shape = {.pose = d->pose,
                            .density = d->density,
                            .mass = d->mass,
                            .mesh = AFXI_NONE,
                            .material = d->material.index,
                            .contact_group = d->contact_group,
                            .contact_mask = d->contact_mask,
                            .kind = (uint32_t)d->kind,
                            .visual = d->visual};
    *out_size_count = take_sizes(d, shape.size);
    return shape;
}

/** Whether the last shape that was added is this one, a simple solid: then it has been checked. */
static bool is_last_shape(const AfxScene *scene, const AfxShapeDef *d) {
    int size_count;
    AfxiSceneShape shape = shape_of(d, &size_count);
    return scene->use_count > 0 && (unsigned)d->kind <= AFX_SHAPE_ELLIPSOID &&
           memcmp(&shape, afxi_scene_shape(scene, scene->use_count - 1), sizeof shape) == 0;
}

/** Makes the new use of a shape, and its mesh, at the ends of their arrays without counting them yet. */
static AfxStatus make_shape(AfxScene *scene, const AfxiErrorPlace *place, AfxShapeDef *d) {
    const AfxiSceneMatter *matter = afxi_scene_matter(scene, place->index);
    int size_count;
    AfxiSceneShape shape = shape_of(d, &size_count);
    AfxStatus status = check_sizes(place, d, shape.size, size_count);
    if (status) {
        return status;
    }
    bool meshed = has_arrays(d->kind);
    status = reserve(scene, meshed);
    if (status) {
        return afxi_fail_memory(place, status);
    }
    if (meshed) {
        shape.mesh = scene->mesh_count;
        bool solid = must_weigh((AfxBodyKind)matter->kind, (AfxMassSource)matter->mass_source, d->visual);
        status = afxi_mesh_make(scene, place, d, solid, scene->meshes + shape.mesh);
        if (status) {
            return status;
        }
    }
    AfxiSceneUse *use = scene->uses + scene->use_count;
    use->next = AFXI_NONE;
    status = check_mass(scene, place, &shape, size_count);
    if (!status) {
        status = afxi_intern_growing(&scene->allocator, &scene->shapes, &shape, &use->shape);
        status = status ? afxi_fail_memory(place, status) : AFX_OK;
    }
    if (status && meshed) {
        afxi_mesh_free(scene, scene->meshes + shape.mesh);
    }
    return status;
}

/** The same for another use of the shape that was added last. */
static AfxStatus repeat_shape(AfxScene *scene, const AfxiErrorPlace *place) {
    AfxStatus status = reserve(scene, false);
    if (status) {
        return afxi_fail_memory(place, status);
    }
    scene->uses[scene->use_count] = (AfxiSceneUse){.shape = scene->uses[scene->use_count - 1].shape, .next = AFXI_NONE};
    return AFX_OK;
}

/** Counts the new shape and links it to its body. */
static void link_shape(AfxScene *scene, AfxiSceneBody *body) {
    uint32_t index = scene->use_count++;
    if (afxi_scene_shape(scene, index)->mesh != AFXI_NONE) {
        scene->mesh_count++;
    }
    if (body->shape_count++ == 0) {
        body->first_shape = index;
    } else {
        scene->uses[body->last_shape].next = index;
    }
    body->last_shape = index;
}

AfxStatus afx_scene_add_shape(AfxScene *scene, AfxBodyId body, const AfxShapeDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_check_body(scene, body);
    if (status) {
        return status;
    }
    AfxiSceneBody *b = scene->bodies + body.index;
    AfxiErrorPlace place = {scene->error, "body", b->name, body.index, b->shape_count};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    status = afxi_check_cookie(&place, def->cookie, "an afx_default_ shape");
    if (status) {
        return status;
    }
    AfxShapeDef d = *def;
    status = afxi_check_material(scene, &place, d.material);
    status = status ? status : afxi_check_texture(scene, &place, d.texture);
    if (!status && is_last_shape(scene, &d)) {
        status = repeat_shape(scene, &place);
    } else if (!status) {
        status = check_def(scene, &place, &d);
        status = status ? status : make_shape(scene, &place, &d);
    }
    if (!status) {
        scene->uses[scene->use_count].color = d.color;
        scene->uses[scene->use_count].texture = d.texture.scene ? d.texture.index + 1 : 0;
        link_shape(scene, b);
    }
    return status;
}

uint32_t afx_scene_shape_count(const AfxScene *scene, AfxBodyId body) {
    return scene && !afxi_check_body(scene, body) ? scene->bodies[body.index].shape_count : 0;
}

/** What the scene keeps of a shape, as a definition. */
static AfxShapeDef to_def(const AfxScene *scene, const AfxiSceneShape *shape) {
    AfxShapeDef d = default_shape((AfxShapeKind)shape->kind);
    d.pose = shape->pose;
    d.density = shape->density;
    d.mass = shape->mass;
    d.visual = shape->visual != 0;
    d.material = (AfxMaterialId){shape->material, scene->id};
    d.contact_group = shape->contact_group;
    d.contact_mask = shape->contact_mask;
    if (shape->kind == AFX_SHAPE_BOX || shape->kind == AFX_SHAPE_ELLIPSOID || shape->kind == AFX_SHAPE_HEIGHT_FIELD) {
        d.half_extents = vec3_load(shape->size);
    } else {
        d.radius = shape->size[0];
        d.length = shape->size[1];
    }
    if (shape->mesh != AFXI_NONE) {
        const AfxiSceneMesh *mesh = scene->meshes + shape->mesh;
        d.vertices = mesh->vertices;
        d.vertex_count = mesh->vertex_count;
        d.triangles = mesh->triangles;
        d.triangle_count = mesh->triangle_count;
        d.heights = mesh->heights;
        d.columns = mesh->columns;
        d.rows = mesh->rows;
        d.vertex_frames = mesh->frames;
        d.frame_count = mesh->frame_count;
        d.frame_rate = mesh->frame_rate;
        d.loop = mesh->loop;
    }
    return d;
}

AfxStatus afx_scene_get_shape(const AfxScene *scene, AfxBodyId body, uint32_t k, AfxShapeDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_check_body(scene, body);
    if (status) {
        return status;
    }
    const AfxiSceneBody *b = scene->bodies + body.index;
    AfxiErrorPlace place = {scene->error, "body", b->name, body.index, k};
    if (!out_def) {
        return afxi_fail_null(&place, "out_def");
    }
    if (k >= b->shape_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "the body has no such shape", "count with afx_scene_shape_count");
    }
    uint32_t index = b->first_shape;
    if (b->last_shape - b->first_shape == b->shape_count - 1) { /* added one after the other */
        index += k;
    } else {
        while (k--) {
            index = scene->uses[index].next;
        }
    }
    *out_def = to_def(scene, afxi_scene_shape(scene, index));
    out_def->color = scene->uses[index].color;
    if (scene->uses[index].texture) {
        out_def->texture = (AfxTextureId){scene->uses[index].texture - 1, scene->id};
    }
    return AFX_OK;
}

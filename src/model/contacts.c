/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of a scene to what contact needs of them: places in principal frames, geometries interned by their sizes and
 * by two hashes of their arrays (which are compared then). */
#include "model/contacts.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/model.h"
#include "model/params.h"
#include "model/touching.h"
#include "scene/material.h"
#include "scene/scene.h"

/* What makes a geometry; padding is zero. */
typedef struct Key {
    double size[3], frame_rate;
    uint64_t hash[2];
    uint32_t kind, vertex_count, triangle_count, columns, rows, frame_count;
    uint32_t flags; /* loop, solid */
    uint32_t salt;  /* tells those apart that only look alike */
} Key;

/* What is needed while compiling only. */
typedef struct Build {
    AfxModel *model;
    const AfxScene *scene;
    AfxiContacts *contacts;
    AfxiIntern poses, keys;
    bool all; /* whether they touch something or not */
} Build;

static void hash_arrays(const AfxiContactGeometry *g, uint64_t hash[2]) {
    hash[0] = AFXI_HASH_START;
    hash[1] = ~AFXI_HASH_START;
    for (int k = 0; k < 2; k++) {
        size_t vertices = 3 * (size_t)g->vertex_count * sizeof(double);
        hash[k] = afxi_hash(hash[k], g->vertices, vertices);
        hash[k] = afxi_hash(hash[k], g->triangles, 3 * (size_t)g->triangle_count * sizeof(uint32_t));
        hash[k] = afxi_hash(hash[k], g->heights, (size_t)g->columns * g->rows * sizeof(double));
        hash[k] = afxi_hash(hash[k], g->frames, g->frame_count * vertices);
    }
}

static bool equal(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

/* Of two geometries with equal counts. */
static bool same_arrays(const AfxiContactGeometry *a, const AfxiContactGeometry *b) {
    size_t vertices = 3 * (size_t)a->vertex_count * sizeof(double);
    return equal(a->vertices, b->vertices, vertices) &&
           equal(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(uint32_t)) &&
           equal(a->heights, b->heights, (size_t)a->columns * a->rows * sizeof(double)) &&
           equal(a->frames, b->frames, a->frame_count * vertices);
}

AfxiContactGeometry afxi_contact_geometry(const AfxScene *scene, const AfxiSceneShape *shape) {
    AfxiContactGeometry g = {.kind = (AfxShapeKind)shape->kind, .solid = true};
    memcpy(g.size, shape->size, sizeof g.size);
    if (shape->mesh != AFXI_NONE) {
        const AfxiSceneMesh *mesh = &scene->meshes[shape->mesh];
        g.solid = shape->kind != AFX_SHAPE_MESH || mesh->solid;
        g.vertices = mesh->vertices;
        g.vertex_count = mesh->vertex_count;
        g.triangles = mesh->triangles;
        g.triangle_count = mesh->triangle_count;
        g.heights = mesh->heights;
        g.columns = mesh->columns;
        g.rows = mesh->rows;
        g.frames = mesh->frames;
        g.frame_count = mesh->frame_count;
        g.frame_rate = mesh->frame_rate;
        g.loop = mesh->loop;
    }
    return g;
}

static AfxStatus intern_geometry(Build *build, const AfxiSceneShape *shape, uint32_t *out_index) {
    AfxiContacts *contacts = build->contacts;
    AfxiContactGeometry g = afxi_contact_geometry(build->scene, shape);
    Key key;
    memset(&key, 0, sizeof key);
    memcpy(key.size, g.size, sizeof key.size);
    key.frame_rate = g.frame_rate;
    key.kind = g.kind;
    key.vertex_count = g.vertex_count;
    key.triangle_count = g.triangle_count;
    key.columns = g.columns;
    key.rows = g.rows;
    key.frame_count = g.frame_count;
    key.flags = (uint32_t)g.loop + 2 * (uint32_t)g.solid;
    if (shape->mesh != AFXI_NONE) {
        hash_arrays(&g, key.hash);
    }
    for (;; key.salt++) {
        AfxStatus status = afxi_intern_growing(&build->model->allocator, &build->keys, &key, out_index);
        if (status != AFX_OK) {
            return status;
        }
        if (*out_index == contacts->geometry_count) {
            break;
        }
        if (same_arrays(&g, &contacts->geometries[*out_index])) {
            return AFX_OK;
        }
    }
    void *geometries = contacts->geometries;
    AfxStatus status = afxi_array_reserve(&build->model->allocator, &geometries, &contacts->geometry_capacity,
                                          contacts->geometry_count + 1, sizeof *contacts->geometries);
    contacts->geometries = geometries;
    if (status == AFX_OK) {
        contacts->geometries[contacts->geometry_count++] = g;
    }
    return status;
}

static AfxStatus intern_pose(Build *build, uint32_t body, AfxPose pose, uint32_t *out_index) {
    AfxiContactPose item;
    AfxVec3 point;
    AfxiMat3 axes;
    afxi_principal_pose(build->model, body, pose, &point, &axes);
    memcpy(item.r, axes.m, sizeof item.r);
    vec3_store(item.t, point);
    return afxi_intern_growing(&build->model->allocator, &build->poses, &item, out_index);
}

/* All shapes, or those that can touch something, body after body. */
static AfxStatus compile_shapes(Build *build) {
    const AfxScene *scene = build->scene;
    AfxiContacts *contacts = build->contacts;
    AfxiContactFilter filter = afxi_contact_filter(scene);
    AfxStatus status = AFX_OK;
    uint32_t count = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        for (uint32_t s = scene->bodies[body].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
            const AfxiSceneShape *shape = afxi_scene_shape(scene, s);
            if (status != AFX_OK || !(build->all || afxi_contact_able(&filter, shape))) {
                continue;
            }
            AfxiContactShape *out = &contacts->shapes[count++];
            *out = (AfxiContactShape){
                .body = body, .material = shape->material, .group = shape->contact_group, .mask = shape->contact_mask};
            status = intern_geometry(build, shape, &out->geometry);
            status = status ? status : intern_pose(build, body, shape->pose, &out->pose);
        }
    }
    return status;
}

static const double *own_numbers(double **numbers, const double *source, size_t count) {
    if (count == 0) {
        return NULL;
    }
    double *own = *numbers;
    memcpy(own, source, count * sizeof *own);
    *numbers += count;
    return own;
}

/* Makes the arrays of all geometries the model's own. */
static AfxStatus copy_arrays(const AfxAllocator *allocator, AfxiContacts *contacts) {
    for (uint32_t k = 0; k < contacts->geometry_count; k++) {
        const AfxiContactGeometry *g = &contacts->geometries[k];
        contacts->number_count += 3 * (size_t)g->vertex_count * (1 + (size_t)g->frame_count);
        contacts->number_count += (size_t)g->columns * g->rows;
        contacts->corner_count += 3 * (size_t)g->triangle_count;
    }
    contacts->numbers = afxi_allocate(allocator, contacts->number_count * sizeof *contacts->numbers);
    contacts->corners = afxi_allocate(allocator, contacts->corner_count * sizeof *contacts->corners);
    if ((contacts->number_count && !contacts->numbers) || (contacts->corner_count && !contacts->corners)) {
        return AFX_E_MEMORY;
    }
    double *numbers = contacts->numbers;
    uint32_t *corners = contacts->corners;
    for (uint32_t k = 0; k < contacts->geometry_count; k++) {
        AfxiContactGeometry *g = &contacts->geometries[k];
        size_t vertices = 3 * (size_t)g->vertex_count, triangles = 3 * (size_t)g->triangle_count;
        g->vertices = own_numbers(&numbers, g->vertices, vertices);
        g->frames = own_numbers(&numbers, g->frames, vertices * g->frame_count);
        g->heights = own_numbers(&numbers, g->heights, (size_t)g->columns * g->rows);
        if (triangles) {
            memcpy(corners, g->triangles, triangles * sizeof *corners);
            g->triangles = corners;
            corners += triangles;
        }
    }
    return AFX_OK;
}

uint32_t afxi_contact_shape_of(const AfxScene *scene, uint32_t body, uint32_t part) {
    AfxiContactFilter filter = afxi_contact_filter(scene);
    uint32_t count = 0;
    for (uint32_t k = 0; part != UINT32_MAX && k <= body && k < scene->body_count; k++) {
        uint32_t own = 0;
        for (uint32_t s = scene->bodies[k].first_shape; s != AFXI_NONE; s = scene->uses[s].next, own++) {
            bool able = afxi_contact_able(&filter, afxi_scene_shape(scene, s));
            if (k == body && own == part) {
                return able ? count : AFXI_CONTACT_SHAPE_NONE;
            }
            count += able;
        }
    }
    return UINT32_MAX;
}

/* What holds between each two materials. */
static void compile_materials(AfxModel *model, const AfxScene *scene) {
    for (uint32_t b = 0; b < model->contacts.material_count; b++) {
        for (uint32_t a = 0; a <= b; a++) {
            double *pair = afxi_param(model, model->params, AFX_PARAM_MATERIAL_PAIR, afxi_material_pair(a, b));
            AfxMaterialDef def = afxi_scene_pair(scene, a, b);
            pair[AFXI_PAIR_FRICTION] = def.friction;
            pair[AFXI_PAIR_RESTITUTION] = def.restitution;
            pair[AFXI_PAIR_ROLLING] = def.rolling_friction;
            pair[AFXI_PAIR_TORSIONAL] = def.torsional_friction;
            pair[AFXI_PAIR_STIFFNESS] = def.stiffness;
            pair[AFXI_PAIR_DAMPING] = def.damping;
            memcpy(pair + AFXI_PAIR_IMPEDANCE, def.impedance, sizeof def.impedance);
            pair[AFXI_PAIR_FRICTION_DAMPING] = def.friction_damping;
            pair[AFXI_PAIR_MARGIN] = def.margin;
            model->contacts.margins |= def.margin > 0;
        }
    }
}

/* Shapes, poses and geometries; shape_count is known. */
static AfxStatus compile_parts(AfxModel *model, const AfxScene *scene, AfxiContacts *contacts, bool all) {
    const AfxAllocator *allocator = &model->allocator;
    Build build = {.model = model,
                   .scene = scene,
                   .contacts = contacts,
                   .poses = {.item_size = sizeof(AfxiContactPose)},
                   .keys = {.item_size = sizeof(Key)},
                   .all = all};
    contacts->shapes = afxi_allocate(allocator, contacts->shape_count * sizeof *contacts->shapes);
    AfxStatus status = contacts->shapes ? compile_shapes(&build) : AFX_E_MEMORY;
    contacts->poses = build.poses.items;
    contacts->pose_count = build.poses.count;
    contacts->pose_capacity = build.poses.capacity;
    afxi_intern_release_slots(allocator, &build.poses);
    afxi_intern_release_slots(allocator, &build.keys);
    afxi_release(allocator, build.keys.items, build.keys.capacity * sizeof(Key));
    if (status == AFX_OK) {
        status = copy_arrays(allocator, contacts);
    } else {
        contacts->geometry_count = 0; /* their arrays are not the model's */
    }
    return status;
}

AfxStatus afxi_compile_seen(AfxModel *model, const AfxScene *scene) {
    for (uint32_t k = 0; k < scene->body_count; k++) {
        for (uint32_t s = scene->bodies[k].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
            model->seen.shape_count++;
        }
    }
    return model->seen.shape_count ? compile_parts(model, scene, &model->seen, true) : AFX_OK;
}

AfxStatus afxi_compile_contacts(AfxModel *model, const AfxScene *scene) {
    AfxiContacts *contacts = &model->contacts;
    if (!contacts->possible) {
        return AFX_OK;
    }
    AfxStatus status = compile_parts(model, scene, contacts, false);
    if (status == AFX_OK) {
        compile_materials(model, scene);
        for (uint32_t k = 0; k < contacts->shape_count; k++) {
            bool solved = model->kind[contacts->shapes[k].body] == AFX_BODY_DYNAMIC;
            contacts->solved_groups |= solved ? contacts->shapes[k].group : 0;
            contacts->solved_masks |= solved ? contacts->shapes[k].mask : 0;
        }
    }
    return status;
}

bool afxi_contacts_bounces(const AfxModel *model, uint32_t shape) {
    for (uint32_t k = 0; k < model->contacts.material_count; k++) {
        uint32_t pair = afxi_material_pair(model->contacts.shapes[shape].material, k);
        if (afxi_param_const(model, model->params, AFX_PARAM_MATERIAL_PAIR, pair)[AFXI_PAIR_RESTITUTION] > 0) {
            return true;
        }
    }
    return false;
}

void afxi_contacts_destroy(const AfxAllocator *allocator, AfxiContacts *contacts) {
    afxi_release(allocator, contacts->shapes, contacts->shape_count * sizeof *contacts->shapes);
    afxi_release(allocator, contacts->poses, contacts->pose_capacity * sizeof *contacts->poses);
    afxi_release(allocator, contacts->geometries, contacts->geometry_capacity * sizeof *contacts->geometries);
    afxi_release(allocator, contacts->excluded, contacts->excluded_capacity * sizeof *contacts->excluded);
    afxi_release(allocator, contacts->numbers, contacts->number_count * sizeof *contacts->numbers);
    afxi_release(allocator, contacts->corners, contacts->corner_count * sizeof *contacts->corners);
    *contacts = (AfxiContacts){0};
}

size_t afxi_contacts_bytes(const AfxiContacts *contacts) {
    return contacts->shape_count * sizeof *contacts->shapes + contacts->pose_capacity * sizeof *contacts->poses +
           contacts->geometry_capacity * sizeof *contacts->geometries +
           contacts->excluded_capacity * sizeof *contacts->excluded +
           contacts->number_count * sizeof *contacts->numbers + contacts->corner_count * sizeof *contacts->corners;
}

uint64_t afxi_contacts_hash(const AfxiContacts *contacts, uint64_t hash) {
    if (!contacts->possible) {
        return hash;
    }
    hash = afxi_hash(hash, contacts->shapes, contacts->shape_count * sizeof *contacts->shapes);
    hash = afxi_hash(hash, contacts->poses, contacts->pose_count * sizeof *contacts->poses);
    hash = afxi_hash(hash, contacts->excluded, contacts->excluded_count * sizeof *contacts->excluded);
    for (uint32_t k = 0; k < contacts->geometry_count; k++) {
        const AfxiContactGeometry *g = &contacts->geometries[k];
        uint32_t words[8] = {(uint32_t)g->kind, g->vertex_count, g->triangle_count, g->columns,
                             g->rows,           g->frame_count,  g->loop,           g->solid};
        hash = afxi_hash(hash, words, sizeof words);
        hash = afxi_hash(hash, g->size, sizeof g->size);
        hash = afxi_hash(hash, &g->frame_rate, sizeof g->frame_rate);
    }
    hash = afxi_hash(hash, contacts->numbers, contacts->number_count * sizeof *contacts->numbers);
    return afxi_hash(hash, contacts->corners, contacts->corner_count * sizeof *contacts->corners);
}

/* ---- vertices in time ---- */

/* Frame `first` and the share of `next` at a time; equal frames where it stands still. */
static void find_frames(const AfxiContactGeometry *g, double time, uint32_t *out_first, uint32_t *out_next,
                        double *out_share) {
    double at = time * g->frame_rate, count = g->frame_count;
    if (g->loop) {
        at = fmod(at, count);
        at = at < 0 ? at + count : at;
        at = at < count ? at : 0; /* a tiny negative one plus count */
    } else {
        at = fmin(fmax(at, 0), count - 1);
    }
    uint32_t first = (uint32_t)at, next = first + 1;
    if (next == g->frame_count) {
        next = g->loop ? 0 : first;
    }
    *out_first = first;
    *out_next = next;
    *out_share = at - first;
}

void afxi_contact_vertices(const AfxiContactGeometry *geometry, double time, double *out_positions,
                           double *out_velocities) {
    size_t length = 3 * (size_t)geometry->vertex_count;
    uint32_t first, next;
    double share;
    find_frames(geometry, time, &first, &next, &share);
    bool still = !geometry->loop && (time < 0 || next == first);
    const double *from = geometry->frames + first * length, *to = geometry->frames + next * length;
    for (size_t k = 0; k < length; k++) {
        out_positions[k] = from[k] + share * (to[k] - from[k]);
    }
    for (size_t k = 0; out_velocities && k < length; k++) {
        out_velocities[k] = still ? 0 : geometry->frame_rate * (to[k] - from[k]);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* All shapes of a scene. Equal meshes are found by two hashes of what makes them. */
#include "out/geometry.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* From Okabe and Ito's palette, which is told apart by most eyes, a little muted, after two greys. */
const double afxi_palette[AFXI_COLOURS][3] = {
    {0.55, 0.57, 0.60}, {0.80, 0.80, 0.78}, {0.20, 0.47, 0.72}, {0.90, 0.60, 0.18}, {0.16, 0.62, 0.49},
    {0.80, 0.40, 0.20}, {0.45, 0.70, 0.88}, {0.75, 0.50, 0.66}, {0.88, 0.82, 0.35}, {0.42, 0.42, 0.72},
};

typedef struct Key {
    uint64_t a, b;
} Key;

/* Meshes by what makes them: open addressing, at most half full. */
typedef struct Index {
    Key *keys;
    uint32_t *meshes; /* UINT32_MAX: a free slot */
    uint32_t size;    /* a power of two */
} Index;

static void mix(Key *key, const void *data, size_t size) {
    key->a = afxi_hash(key->a, data, size);
    key->b = afxi_hash(key->b, data, size);
}

static Key key_of(const AfxShapeDef *shape) {
    Key key = {AFXI_HASH_START, ~AFXI_HASH_START};
    AfxShapeKind kind = shape->kind == AFX_SHAPE_ELLIPSOID ? AFX_SHAPE_SPHERE : shape->kind;
    mix(&key, &kind, sizeof kind);
    if (kind == AFX_SHAPE_CAPSULE) {
        mix(&key, &shape->radius, sizeof shape->radius);
        mix(&key, &shape->length, sizeof shape->length);
    }
    if (kind == AFX_SHAPE_CONVEX || kind == AFX_SHAPE_MESH) {
        mix(&key, shape->vertices, 3 * (size_t)shape->vertex_count * sizeof(double));
    }
    if (kind == AFX_SHAPE_HEIGHT_FIELD) {
        mix(&key, &shape->half_extents, sizeof shape->half_extents);
        mix(&key, &shape->columns, sizeof shape->columns);
        mix(&key, shape->heights, (size_t)shape->columns * shape->rows * sizeof(double));
    }
    if (kind == AFX_SHAPE_MESH) {
        mix(&key, shape->triangles, 3 * (size_t)shape->triangle_count * sizeof(uint32_t));
    }
    return key;
}

/* The mesh of a shape, made when there is none like it. */
static AfxStatus find_mesh(AfxiSceneGeometry *geometry, Index *index, const AfxShapeDef *shape, uint32_t *out_mesh) {
    Key key = key_of(shape);
    uint32_t slot = (uint32_t)key.a & (index->size - 1);
    while (index->meshes[slot] != UINT32_MAX && (index->keys[slot].a != key.a || index->keys[slot].b != key.b)) {
        slot = (slot + 1) & (index->size - 1);
    }
    if (index->meshes[slot] == UINT32_MAX) {
        void *meshes = geometry->meshes;
        AfxStatus status = afxi_array_reserve(&geometry->allocator, &meshes, &geometry->mesh_capacity,
                                              geometry->mesh_count + 1, sizeof *geometry->meshes);
        geometry->meshes = meshes;
        if (status == AFX_OK) {
            status = afxi_shape_mesh(&geometry->allocator, shape, &geometry->meshes[geometry->mesh_count]);
        }
        if (status != AFX_OK) {
            return status;
        }
        index->keys[slot] = key;
        index->meshes[slot] = geometry->mesh_count++;
    }
    *out_mesh = index->meshes[slot];
    return AFX_OK;
}

static AfxStatus wear(AfxiSceneGeometry *geometry, Index *index, uint32_t body, const AfxShapeDef *shape,
                      uint32_t colour) {
    AfxiWorn worn = {.body = body, .pose = shape->pose, .colour = colour};
    void *list = geometry->worn;
    AfxStatus status = afxi_array_reserve(&geometry->allocator, &list, &geometry->worn_capacity,
                                          geometry->worn_count + 1, sizeof *geometry->worn);
    geometry->worn = list;
    if (status == AFX_OK) {
        status = find_mesh(geometry, index, shape, &worn.mesh);
    }
    if (status == AFX_OK) {
        afxi_shape_mesh_scale(shape, worn.scale);
        if (shape->kind == AFX_SHAPE_PLANE) {
            worn.scale[0] = worn.scale[1] = geometry->plane_edge;
            worn.plane = true;
        }
        worn.texture = shape->texture.scene ? shape->texture.index + 1 : 0;
        geometry->worn[geometry->worn_count++] = worn;
    }
    return status;
}

/* The box with a body's mass and inertia, axes as the body's own: edge a with a² = 6 (I_y + I_z - I_x) / m. A body that
 * has none is drawn as a small cube. */
static AfxShapeDef box_of_inertia(const AfxScene *scene, AfxBodyId id) {
    AfxMass mass = {0};
    AfxShapeDef box = afx_default_box(0.1, 0.1, 0.1);
    if (afx_scene_body_mass(scene, id, &mass) == AFX_OK && mass.mass > 0) {
        double edges[3], largest = 0;
        for (int k = 0; k < 3; k++) {
            double rest = mass.inertia[(k + 1) % 3] + mass.inertia[(k + 2) % 3] - mass.inertia[k];
            edges[k] = rest > 0 ? sqrt(6 * rest / mass.mass) : 0;
            largest = fmax(largest, edges[k]);
        }
        if (largest > 0 && isfinite(largest)) {
            box = afx_default_box(fmax(edges[0], 0.02 * largest), fmax(edges[1], 0.02 * largest),
                                  fmax(edges[2], 0.02 * largest));
        }
        box.pose.position = mass.center;
    }
    return box;
}

/* The number of a colour of the scene, which is entered where it is new. */
static uint32_t own_colour(AfxiSceneGeometry *geometry, uint32_t color) {
    uint32_t k = geometry->own_count;
    while (k > 0 && geometry->own[k - 1] != color) { /* neighbours mostly have the same: from the last one back */
        k--;
    }
    if (k == 0 && geometry->own_count < AFXI_OWN_COLOURS) {
        geometry->own[geometry->own_count++] = color;
        k = geometry->own_count;
    }
    return AFXI_COLOURS + (k ? k - 1 : AFXI_OWN_COLOURS - 1);
}

uint32_t afxi_geometry_colours(const AfxiSceneGeometry *geometry) {
    return AFXI_COLOURS + geometry->own_count;
}

void afxi_geometry_colour(const AfxiSceneGeometry *geometry, uint32_t colour, double out_rgb[3]) {
    for (int c = 0; c < 3; c++) {
        out_rgb[c] = colour < AFXI_COLOURS
                         ? afxi_palette[colour][c]
                         : (double)(geometry->own[colour - AFXI_COLOURS] >> (16 - 8 * c) & 255u) / 255;
    }
}

static AfxStatus dress(AfxiSceneGeometry *geometry, Index *index, const AfxScene *scene, uint32_t body) {
    AfxBodyId id = afx_scene_body(scene, body);
    uint32_t count = afx_scene_shape_count(scene, id);
    AfxBodyDef def;
    AfxStatus status = afx_scene_get_body(scene, id, &def);
    uint32_t colour = status == AFX_OK && def.kind == AFX_BODY_FIXED ? 0 : 2 + body % (AFXI_COLOURS - 2);
    AfxShapeDef shape;
    bool visual = false; /* shapes for looks stand for the others */
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        status = afx_scene_get_shape(scene, id, k, &shape);
        visual = visual || (status == AFX_OK && shape.visual);
    }
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        status = afx_scene_get_shape(scene, id, k, &shape);
        if (status == AFX_OK && shape.visual == visual) {
            uint32_t own = shape.color ? shape.color : shape.texture.scene ? AFX_COLOR(255, 255, 255) : 0;
            status = wear(geometry, index, body, &shape, own ? own_colour(geometry, own) : colour);
        }
    }
    if (status == AFX_OK && count == 0 && def.kind != AFX_BODY_FIXED && !geometry->dressed) {
        AfxShapeDef box = box_of_inertia(scene, id);
        status = wear(geometry, index, body, &box, 1);
    }
    return status;
}

/* Planes have no bounds: they are drawn ten times as large as the box around the bodies' origins. */
static double measure_planes(const AfxScene *scene) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (uint32_t k = 0; k < afx_scene_body_count(scene); k++) {
        AfxBodyDef def;
        if (afx_scene_get_body(scene, afx_scene_body(scene, k), &def) == AFX_OK) {
            const double at[3] = {def.pose.position.x, def.pose.position.y, def.pose.position.z};
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = fmin(low[axis], at[axis]);
                high[axis] = fmax(high[axis], at[axis]);
            }
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        square += (high[axis] - low[axis]) * (high[axis] - low[axis]);
    }
    return square > 0 && isfinite(square) ? 10 * sqrt(square) : 10;
}

static AfxStatus make_index(const AfxAllocator *allocator, const AfxScene *scene, Index *index) {
    uint64_t shapes = 1, size = 16;
    for (uint32_t k = 0; k < afx_scene_body_count(scene); k++) {
        shapes += 1 + (uint64_t)afx_scene_shape_count(scene, afx_scene_body(scene, k));
    }
    while (size < 2 * shapes) {
        size *= 2;
    }
    if (size > UINT32_MAX / 2) {
        return AFX_E_LIMIT;
    }
    *index = (Index){.size = (uint32_t)size};
    index->keys = afxi_allocate(allocator, (size_t)size * sizeof *index->keys);
    index->meshes = afxi_allocate(allocator, (size_t)size * sizeof *index->meshes);
    if (index->meshes) {
        memset(index->meshes, 0xff, (size_t)size * sizeof *index->meshes);
    }
    return index->keys && index->meshes ? AFX_OK : AFX_E_MEMORY;
}

/* Whether some shape is for looks. */
static bool has_looks(const AfxScene *scene) {
    AfxShapeDef shape;
    for (uint32_t body = 0; body < afx_scene_body_count(scene); body++) {
        AfxBodyId id = afx_scene_body(scene, body);
        for (uint32_t k = 0; k < afx_scene_shape_count(scene, id); k++) {
            if (afx_scene_get_shape(scene, id, k, &shape) == AFX_OK && shape.visual) {
                return true;
            }
        }
    }
    return false;
}

AfxStatus afxi_geometry_create(const AfxAllocator *allocator, const AfxScene *scene, AfxiSceneGeometry *out_geometry) {
    *out_geometry =
        (AfxiSceneGeometry){.allocator = *allocator, .plane_edge = measure_planes(scene), .dressed = has_looks(scene)};
    Index index = {0};
    AfxStatus status = make_index(allocator, scene, &index);
    for (uint32_t k = 0; k < afx_scene_body_count(scene) && status == AFX_OK; k++) {
        status = dress(out_geometry, &index, scene, k);
    }
    afxi_release(allocator, index.keys, index.size * sizeof *index.keys);
    afxi_release(allocator, index.meshes, index.size * sizeof *index.meshes);
    if (status != AFX_OK) {
        afxi_geometry_destroy(out_geometry);
    }
    return status;
}

void afxi_geometry_destroy(AfxiSceneGeometry *geometry) {
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        afxi_shape_mesh_destroy(&geometry->allocator, &geometry->meshes[k]);
    }
    afxi_release(&geometry->allocator, geometry->meshes, geometry->mesh_capacity * sizeof *geometry->meshes);
    afxi_release(&geometry->allocator, geometry->worn, geometry->worn_capacity * sizeof *geometry->worn);
    *geometry = (AfxiSceneGeometry){.allocator = geometry->allocator};
}

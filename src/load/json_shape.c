/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of a scene file. Sizes are full edges, radii and lengths; vertices are arrays of three or one long array, or
 * come from a mesh file. */
#include <math.h>

#include "base/memory.h"
#include "load/json.h"
#include "load/mesh_file.h"
#include "math/vec3.h"

#define COMMON " position rotation density mass material visual contact_group contact_mask color texture"

/** Arrays that are freed together. */
typedef struct Geometry {
    double *vertices;    /* [3 * vertex_count] */
    uint32_t *triangles; /* [3 * triangle_count] */
    uint32_t vertex_count, triangle_count;
    double *heights; /* [rows * columns] */
    uint32_t columns, rows;
    double *frames; /* [frame_length] */
    size_t frame_length;
} Geometry;

static void free_geometry(const AfxiJsonFile *file, Geometry *g) {
    const AfxAllocator *allocator = &file->load->allocator;
    afxi_release(allocator, g->vertices, 3 * (size_t)g->vertex_count * sizeof *g->vertices);
    afxi_release(allocator, g->triangles, 3 * (size_t)g->triangle_count * sizeof *g->triangles);
    afxi_release(allocator, g->heights, (size_t)g->columns * g->rows * sizeof *g->heights);
    afxi_release(allocator, g->frames, g->frame_length * sizeof *g->frames);
}

/** How many triples an array holds: [[a, b, c], ...] or [a, b, c, ...]; false with the error set for anything else. */
static bool count_triples(const AfxiJsonFile *file, const AfxiJsonNode *node, bool *out_flat, uint32_t *out_count) {
    const AfxiJsonNode *first = afxi_json_first(node);
    *out_flat = first && json_is_number(first->value);
    *out_count = *out_flat ? node->count / 3 : node->count;
    if (!json_is_array(node->value) || !first || (*out_flat && node->count % 3 != 0)) {
        return afxi_json_error(file, node, "this is not an array of triples", "write [[1, 2, 3], ...]");
    }
    return true;
}

/** The numbers of an array of `count` triples. */
static bool read_triples(const AfxiJsonFile *file, const AfxiJsonNode *node, bool flat, uint32_t count, double *out) {
    if (flat) {
        return afxi_json_numbers_at(file, node, 3 * count, file->units.length, out);
    }
    bool fine = true;
    for (const AfxiJsonNode *child = afxi_json_first(node); child && fine; child = afxi_json_next(node, child)) {
        fine = afxi_json_numbers_at(file, child, 3, file->units.length, out);
        out += 3;
    }
    return fine;
}

static bool read_vertices(const AfxiJsonFile *file, const AfxiJsonNode *node, Geometry *g) {
    bool flat;
    uint32_t count;
    if (!count_triples(file, node, &flat, &count)) {
        return false;
    }
    g->vertices = afxi_allocate(&file->load->allocator, 3 * (size_t)count * sizeof *g->vertices);
    if (!g->vertices) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    g->vertex_count = count;
    return read_triples(file, node, flat, count, g->vertices);
}

static bool read_index(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t **out) {
    return afxi_json_whole_at(file, node, UINT32_MAX - 1, (*out)++);
}

static bool read_triangles(const AfxiJsonFile *file, const AfxiJsonNode *node, Geometry *g) {
    bool flat, fine = true;
    uint32_t count;
    if (!count_triples(file, node, &flat, &count)) {
        return false;
    }
    g->triangles = afxi_allocate(&file->load->allocator, 3 * (size_t)count * sizeof *g->triangles);
    if (!g->triangles) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    g->triangle_count = count;
    uint32_t *out = g->triangles;
    for (const AfxiJsonNode *child = afxi_json_first(node); child && fine; child = afxi_json_next(node, child)) {
        if (flat) {
            fine = read_index(file, child, &out);
            continue;
        }
        if (!json_is_array(child->value) || child->count != 3) {
            return afxi_json_error(file, child, "this is no triangle", "give the numbers of three vertices");
        }
        for (int k = 0; k < 3 && fine; k++) {
            fine = read_index(file, child + 1 + k, &out);
        }
    }
    return fine;
}

/** A number that must be there. */
static bool need_number(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *key, double *out) {
    const AfxiJsonNode *value;
    return afxi_json_need(file, node, key, &value) && afxi_json_number_at(file, value, file->units.length, out);
}

static bool need_vec3(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *key, AfxVec3 *out) {
    const AfxiJsonNode *value;
    return afxi_json_need(file, node, key, &value) && afxi_json_vec3_at(file, value, file->units.length, out);
}

/** A number for all directions, or three. */
static bool read_scale(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxVec3 *out_scale) {
    const AfxiJsonNode *scale = afxi_json_get(node, "scale");
    double factor = file->units.length;
    *out_scale = vec3(factor, factor, factor);
    if (!scale || json_is_array(scale->value)) {
        return !scale || afxi_json_vec3_at(file, scale, factor, out_scale);
    }
    bool fine = afxi_json_number_at(file, scale, file->units.length, &factor);
    *out_scale = vec3(factor, factor, factor);
    return fine;
}

/** Reads the mesh file that key "file" names into `mesh`, which the caller frees. */
static bool read_mesh_file(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxShapeDef *def, AfxiMeshData *mesh) {
    const AfxiJsonNode *name = afxi_json_get(node, "file");
    const char *text = NULL;
    char path[AFXI_PATH_SIZE];
    AfxVec3 scale;
    if (afxi_json_get(node, "vertices") || afxi_json_get(node, "triangles")) {
        return afxi_json_error(file, name, "both a file and vertices are given", "give one of them");
    }
    if (!afxi_json_text_at(file, name, &text) || !read_scale(file, node, &scale) ||
        !afxi_load_path(file->load, file->path, text, path, sizeof path) ||
        !afxi_mesh_file_read(file->load, path, file->path, name->line, mesh)) {
        return false;
    }
    if (def->kind == AFX_SHAPE_MESH && mesh->triangle_count == 0) {
        return afxi_json_error(file, name, "this file has vertices and no triangles",
                               "give it triangles, or the shape the kind convex");
    }
    afxi_mesh_scale(mesh, scale);
    def->vertices = mesh->vertices;
    def->vertex_count = mesh->vertex_count;
    def->triangles = mesh->triangles;
    def->triangle_count = mesh->triangle_count;
    return true;
}

static bool read_geometry(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxShapeDef *def, Geometry *g) {
    const AfxiJsonNode *vertices, *triangles;
    if (!afxi_json_need(file, node, "vertices", &vertices) || !read_vertices(file, vertices, g)) {
        return false;
    }
    if (def->kind == AFX_SHAPE_MESH &&
        (!afxi_json_need(file, node, "triangles", &triangles) || !read_triangles(file, triangles, g))) {
        return false;
    }
    def->vertices = g->vertices;
    def->vertex_count = g->vertex_count;
    def->triangles = g->triangles;
    def->triangle_count = g->triangle_count;
    return true;
}

/** Key "vertex_frames": {"rate", "loop", "frames": [vertices, ...]}, of a mesh whose vertices are read. */
static bool read_frames(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxShapeDef *def, Geometry *g) {
    const AfxiJsonNode *rate, *list, *frames = afxi_json_get(node, "vertex_frames");
    if (!frames) {
        return true;
    }
    if (!afxi_json_keys(file, frames, "rate loop frames") || !afxi_json_need(file, frames, "rate", &rate) ||
        !afxi_json_number_at(file, rate, 1 / file->units.time, &def->frame_rate) ||
        !afxi_json_boolean(file, frames, "loop", &def->loop) || !afxi_json_need(file, frames, "frames", &list)) {
        return false;
    }
    if (!json_is_array(list->value) || list->count == 0) {
        return afxi_json_error(file, list, "this is not an array of frames", "give at least one array of vertices");
    }
    size_t length = 3 * (size_t)def->vertex_count;
    for (const AfxiJsonNode *frame = afxi_json_first(list); frame; frame = afxi_json_next(list, frame)) {
        bool flat;
        uint32_t count;
        if (!count_triples(file, frame, &flat, &count)) {
            return false;
        }
        if (count != def->vertex_count) { /* before anything of that size is allocated */
            return afxi_json_error(file, frame, "this frame has another number of vertices than the mesh",
                                   "give all vertices in every frame");
        }
    }
    g->frames = afxi_allocate(&file->load->allocator, list->count * length * sizeof *g->frames);
    if (!g->frames) {
        return afxi_load_memory_error(file->load, file->path, list->line);
    }
    g->frame_length = list->count * length;
    def->vertex_frames = g->frames;
    def->frame_count = list->count;
    double *out = g->frames;
    bool fine = true;
    for (const AfxiJsonNode *frame = afxi_json_first(list); frame && fine; frame = afxi_json_next(list, frame)) {
        fine = read_triples(file, frame, json_is_number(afxi_json_first(frame)->value), def->vertex_count, out);
        out += length;
    }
    return fine;
}

/** Key "heights": rows of equally many numbers; key "size": the two edges. */
static bool read_height_field(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxShapeDef *def, Geometry *g) {
    const AfxiJsonNode *size, *rows;
    double edges[2] = {0, 0};
    if (!afxi_json_need(file, node, "size", &size) || !afxi_json_numbers_at(file, size, 2, file->units.length, edges) ||
        !afxi_json_need(file, node, "heights", &rows)) {
        return false;
    }
    const AfxiJsonNode *row = json_is_array(rows->value) ? afxi_json_first(rows) : NULL;
    if (!row || !json_is_array(row->value) || row->count == 0) {
        return afxi_json_error(file, rows, "this is not an array of rows of heights", "write [[0, 0.1], [0, 0.2]]");
    }
    size_t count = (size_t)rows->count * row->count; /* every number is a value of the file, so this is small */
    g->heights = afxi_allocate(&file->load->allocator, count * sizeof *g->heights);
    if (!g->heights) {
        return afxi_load_memory_error(file->load, file->path, rows->line);
    }
    g->columns = row->count;
    g->rows = rows->count;
    bool fine = true;
    for (double *out = g->heights; row && fine; row = afxi_json_next(rows, row), out += g->columns) {
        fine = afxi_json_numbers_at(file, row, g->columns, file->units.length, out);
    }
    def->half_extents = vec3(0.5 * edges[0], 0.5 * edges[1], 0);
    def->heights = g->heights;
    def->columns = g->columns;
    def->rows = g->rows;
    return fine;
}

static bool read_sizes(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxShapeDef *def, Geometry *g,
                       AfxiMeshData *mesh) {
    static const char *const keys[] = {
        [AFX_SHAPE_BOX] = "kind size" COMMON,
        [AFX_SHAPE_SPHERE] = "kind radius" COMMON,
        [AFX_SHAPE_CAPSULE] = "kind radius length along" COMMON,
        [AFX_SHAPE_CYLINDER] = "kind radius length along" COMMON,
        [AFX_SHAPE_ELLIPSOID] = "kind semi_axes" COMMON,
        [AFX_SHAPE_CONVEX] = "kind vertices file scale" COMMON,
        [AFX_SHAPE_MESH] = "kind vertices triangles file scale vertex_frames" COMMON,
        [AFX_SHAPE_PLANE] = "kind along" COMMON,
        [AFX_SHAPE_HEIGHT_FIELD] = "kind size heights" COMMON,
    };
    if (!afxi_json_keys(file, node, keys[def->kind])) {
        return false;
    }
    switch (def->kind) {
    case AFX_SHAPE_BOX:
        if (!need_vec3(file, node, "size", &def->half_extents)) {
            return false;
        }
        def->half_extents = vec3_scale(0.5, def->half_extents);
        return true;
    case AFX_SHAPE_ELLIPSOID:
        return need_vec3(file, node, "semi_axes", &def->half_extents);
    case AFX_SHAPE_SPHERE:
        return need_number(file, node, "radius", &def->radius);
    case AFX_SHAPE_CAPSULE:
    case AFX_SHAPE_CYLINDER:
        return need_number(file, node, "radius", &def->radius) && need_number(file, node, "length", &def->length);
    case AFX_SHAPE_PLANE:
        return true;
    case AFX_SHAPE_HEIGHT_FIELD:
        return read_height_field(file, node, def, g);
    case AFX_SHAPE_CONVEX:
    case AFX_SHAPE_MESH:
        break;
    }
    return (afxi_json_get(node, "file") ? read_mesh_file(file, node, def, mesh) : read_geometry(file, node, def, g)) &&
           read_frames(file, node, def, g);
}

/** Whether the material that a shape names has a density. */
static bool material_weighs(const AfxiJsonFile *file, const AfxiJsonNode *node) {
    const AfxiJsonNode *name = afxi_json_get(node, "material");
    return name && json_is_string(name->value) &&
           afxi_json_get(afxi_json_find_material(file, json_string_value(name->value)), "density");
}

static bool read_weight(const AfxiJsonFile *file, const AfxiJsonNode *node, double density, AfxShapeDef *def) {
    const AfxiJsonNode *mass = afxi_json_get(node, "mass");
    double young, poisson;
    if (mass && (afxi_json_get(node, "density") || material_weighs(file, node))) {
        return afxi_json_error(file, mass, "both a mass and a density are given", "give one of them");
    }
    def->density = density;
    return afxi_json_material(file, node, &def->density, &young, &poisson) &&
           afxi_json_number(file, node, "density", file->units.density, &def->density) &&
           (!mass || afxi_json_number_at(file, mass, file->units.mass, &def->mass));
}

static bool read_touch(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxShapeDef *def) {
    const AfxiJsonNode *group = afxi_json_get(node, "contact_group"), *mask = afxi_json_get(node, "contact_mask");
    return afxi_json_boolean(file, node, "visual", &def->visual) && afxi_json_surface(file, node, &def->material) &&
           (!group || afxi_json_whole_at(file, group, UINT32_MAX, &def->contact_group)) &&
           (!mask || afxi_json_whole_at(file, mask, UINT32_MAX, &def->contact_mask));
}

/** Key "along": where the axis of a shape points that goes along its z. */
static bool read_along(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxQuat *rotation) {
    const AfxiJsonNode *along = afxi_json_get(node, "along");
    AfxVec3 axis;
    if (!along) {
        return true;
    }
    if (afxi_json_get(node, "rotation")) {
        return afxi_json_error(file, along, "both rotation and along are given", "give one of them");
    }
    if (!afxi_json_vec3_at(file, along, 1, &axis)) {
        return false;
    }
    double length = vec3_length(axis);
    if (!(length > 0 && isfinite(length))) {
        return afxi_json_error(file, along, "the direction has no length", "give where the shape's axis is to point");
    }
    double cosine = axis.z / length;
    if (cosine < -1 + 1e-12) {
        *rotation = (AfxQuat){0, 1, 0, 0};
        return true;
    }
    double w = sqrt(0.5 * (1 + cosine)), side = 0.5 / (w * length); /* the shortest turn from z */
    *rotation = (AfxQuat){w, 0 - axis.y * side, axis.x * side, 0};
    return true;
}

bool afxi_json_read_shape(const AfxiJsonFile *file, const AfxiJsonNode *node, double density, AfxMaterialId material,
                          AfxiJsonLook look, AfxBodyId body) {
    AfxShapeDef def = afx_default_sphere(1);
    Geometry geometry = {0};
    AfxiMeshData mesh = {0};
    const AfxiJsonNode *kind;
    uint32_t index = 0;
    if (!json_is_object(node->value)) {
        return afxi_json_keys(file, node, "");
    }
    if (!afxi_json_need(file, node, "kind", &kind) ||
        !afxi_json_word(file, kind, "box sphere capsule cylinder ellipsoid convex mesh plane height-field", &index)) {
        return false;
    }
    def.kind = (AfxShapeKind)index;
    def.material = material;
    def.color = look.color;
    def.texture = look.texture;
    if (afxi_json_get(node, "file") && !file->load->def->meshes) {
        return afxi_json_notice(file, node, "mesh files are not read: there is no shape here");
    }
    bool fine = read_sizes(file, node, &def, &geometry, &mesh) && afxi_json_pose(file, node, &def.pose) &&
                read_along(file, node, &def.pose.rotation) && afxi_json_color(file, node, &def.color) &&
                afxi_json_texture(file, node, &def.texture) && read_weight(file, node, density, &def) &&
                read_touch(file, node, &def);
    fine = fine && afxi_load_shape(file->load, &def, file->path, node->line);
    if (fine && afx_scene_add_shape(file->load->scene, body, &def)) {
        fine = afxi_json_scene_error(file, node);
    }
    free_geometry(file, &geometry);
    afxi_mesh_free_data(file->load, &mesh);
    return fine;
}

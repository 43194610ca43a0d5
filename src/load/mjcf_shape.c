/* SPDX-License-Identifier: Apache-2.0 */
/* Geoms as shapes. Those that can touch something touch, the others are visual; mass is reckoned from geoms before
 * (mjcf_weigh.c), whatever they are. A mesh that can touch is its convex hull, as in MuJoCo. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/height_file.h"
#include "load/mjcf.h"

static bool mesh_notice(AfxiMjcf *m, const AfxiMjcfMesh *mesh, AfxNoticeKind kind, const char *text) {
    return afxi_xml_notice(m->load, kind, mesh->node, NULL, text);
}

/** *out_there is false when the mesh is no shape, which was told. */
static bool mesh_shape(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxShapeDef *out_shape, bool *out_there) {
    AfxiMjcfMesh *mesh = geom->model->meshes + geom->mesh;
    bool touches = afxi_mjcf_touches(geom);
    *out_there = false;
    if (!afxi_mjcf_read_mesh(m, geom->model, mesh, false)) {
        return false;
    }
    if (mesh->missing) {
        return true;
    }
    if (!touches && afxi_mesh_is_sound(&mesh->data)) { /* drawn as it is, closed or not */
        *out_there = true;
        *out_shape = afx_default_mesh(mesh->data.vertices, mesh->data.vertex_count, mesh->data.triangles,
                                      mesh->data.triangle_count);
        return true;
    }
    if (!mesh->use_known && !afxi_mesh_use(m->load, &mesh->data, mesh->node->file, &mesh->use)) {
        return false;
    }
    mesh->use_known = true;
    const AfxiMeshData *data = &mesh->data;
    if (mesh->use == AFXI_MESH_USE_NONE) {
        return mesh_notice(m, mesh, AFX_NOTICE_IGNORED, "it is flat: no shape");
    }
    *out_there = true;
    *out_shape = afx_default_convex(data->vertices, data->vertex_count);
    return true;
}

/** Heights of a file, 0 .. height; without it the field is flat, which is told. */
static bool read_height_file(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, double height,
                             AfxShapeDef *shape, double **out_heights) {
    char path[AFXI_PATH_SIZE];
    AfxiText content;
    AfxiHeights read = {0};
    double low = INFINITY, high = -INFINITY;
    if (!afxi_mjcf_asset_path(m, model, node, model->settings.mesh_folder, afxi_xml_text(node, "file"), path)) {
        return false;
    }
    if (!afxi_load_exists(m->load, path)) {
        double *flat = afxi_allocate(&m->load->allocator, 4 * sizeof *flat);
        *out_heights = flat;
        shape->heights = flat;
        shape->rows = shape->columns = 2;
        return flat ? afxi_xml_notice(m->load, AFX_NOTICE_MISSING, node, "file", "it cannot be read: the field is flat")
                    : afxi_load_memory_error(m->load, node->file, node->line);
    }
    if (!afxi_load_read(m->load, path, node->file, node->line, &content)) {
        return false;
    }
    const char *fault = afxi_heights_read(&m->load->allocator, content.data, content.size, &read);
    afxi_load_release(m->load, &content);
    if (fault) {
        return afxi_xml_error(m->load, node, "file", fault, "give another file");
    }
    size_t count = (size_t)read.rows * read.columns;
    *out_heights = read.values;
    for (size_t k = 0; k < count; k++) {
        low = fmin(low, read.values[k]);
        high = fmax(high, read.values[k]);
    }
    for (size_t k = 0; k < count; k++) {
        read.values[k] = high > low ? height * (read.values[k] - low) / (high - low) : 0;
    }
    shape->heights = read.values;
    shape->columns = read.columns;
    shape->rows = read.rows;
    return afxi_load_work(m->load, count, node->file, node->line);
}

/** Heights of a field between 0 and its size, the first row of the text at the far end (largest y), as MuJoCo has it.
 * *out_heights [rows * columns] is to be freed; NULL without an error when there are none, which was told. */
static bool read_heights(AfxiMjcf *m, AfxiXmlNode *node, double height, AfxShapeDef *shape, double **out_heights) {
    const char *text = afxi_xml_text(node, "elevation"), *at = text;
    int rows = 2, columns = 2;
    if (!afxi_xml_integer(m->load, node, "nrow", &rows) || !afxi_xml_integer(m->load, node, "ncol", &columns)) {
        return false;
    }
    rows = text ? rows : 2; /* without numbers it is flat */
    columns = text ? columns : 2;
    if (rows < 2 || columns < 2 || (text && (uint64_t)rows * (uint64_t)columns > strlen(text))) {
        return afxi_xml_error(m->load, node, "elevation", "its numbers are not nrow times ncol, both at least 2",
                              "give as many numbers");
    }
    size_t count = (size_t)rows * (size_t)columns;
    if (!afxi_load_work(m->load, count, node->file, node->line)) {
        return false;
    }
    double *heights = afxi_allocate(&m->load->allocator, count * sizeof *heights), low = INFINITY, high = -INFINITY;
    if (!heights) {
        return afxi_load_memory_error(m->load, node->file, node->line);
    }
    *out_heights = heights;
    for (size_t k = 0; text && k < count; k++) {
        size_t row = (size_t)rows - 1 - k / (size_t)columns;
        double *value = heights + row * (size_t)columns + k % (size_t)columns;
        if (!afxi_xml_scan_number(&at, value)) {
            return afxi_xml_error(m->load, node, "elevation", "its numbers are not nrow times ncol",
                                  "give as many numbers");
        }
        low = fmin(low, *value);
        high = fmax(high, *value);
    }
    for (size_t k = 0; text && k < count; k++) {
        heights[k] = high > low ? height * (heights[k] - low) / (high - low) : 0;
    }
    shape->heights = heights;
    shape->columns = (uint32_t)columns;
    shape->rows = (uint32_t)rows;
    return true;
}

static bool hfield_shape(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxShapeDef *out_shape, double **out_heights) {
    double size[4] = {0};
    if (!afxi_xml_numbers(m->load, geom->hfield, "size", 4, 4, size, NULL)) {
        return false;
    }
    *out_shape = afx_default_height_field(2 * size[0], 2 * size[1], NULL, 0, 0);
    return afxi_xml_has(geom->hfield, "file")
               ? read_height_file(m, geom->model, geom->hfield, size[2], out_shape, out_heights)
               : read_heights(m, geom->hfield, size[2], out_shape, out_heights);
}

/** *out_heights is to be freed. */
static bool geom_shape(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxShapeDef *out_shape, double **out_heights,
                       bool *out_there) {
    const double *s = geom->size;
    bool ground = geom->type == AFXI_MJCF_PLANE || geom->type == AFXI_MJCF_HFIELD, good;
    const AfxiMjcfBody *holder = m->bodies + m->bodies[geom->body].group;
    *out_there = true;
    if (ground && holder != m->bodies && !holder->mocap) {
        *out_there = false;
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, geom->node, NULL,
                               "a body that moves has no planes and height fields");
    }
    switch (geom->type) {
    case AFXI_MJCF_SPHERE:
        *out_shape = afx_default_sphere(s[0]);
        return true;
    case AFXI_MJCF_CAPSULE:
        *out_shape = s[1] > 0 ? afx_default_capsule(s[0], 2 * s[1]) : afx_default_sphere(s[0]);
        return true;
    case AFXI_MJCF_ELLIPSOID:
        *out_shape = afx_default_ellipsoid(s[0], s[1], s[2]);
        return true;
    case AFXI_MJCF_CYLINDER:
        *out_shape = afx_default_cylinder(s[0], 2 * s[1]);
        return true;
    case AFXI_MJCF_BOX:
        *out_shape = afx_default_box(2 * s[0], 2 * s[1], 2 * s[2]);
        return true;
    case AFXI_MJCF_MESH:
        return mesh_shape(m, geom, out_shape, out_there);
    case AFXI_MJCF_PLANE:
        *out_shape = afx_default_plane();
        return true;
    case AFXI_MJCF_HFIELD:
        good = hfield_shape(m, geom, out_shape, out_heights);
        *out_there = *out_heights != NULL;
        return good;
    default:
        break;
    }
    *out_there = false;
    return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, geom->node, NULL, "a distance field is no shape of a scene");
}

/** The body that a geom's shape goes to. A part of the world that is excluded from touching something has its own. */
static bool shape_holder(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxBodyId *out_body, AfxPose *out_pose) {
    AfxiMjcfBody *body = m->bodies + geom->body;
    *out_pose = afx_pose_compose(body->in_group, geom->pose);
    if (body->group != 0) {
        *out_body = m->bodies[body->group].id;
        return true;
    }
    if (!body->apart || geom->body == 0) {
        return afxi_mjcf_world_body(m, out_body);
    }
    *out_pose = geom->pose;
    *out_body = body->id;
    return true;
}

static bool add_shape(AfxiMjcf *m, AfxiMjcfGeom *geom) {
    AfxShapeDef shape = {0};
    AfxBodyId id;
    double *heights = NULL;
    bool there, good = geom_shape(m, geom, &shape, &heights, &there);
    if (good && there) {
        shape.visual = !afxi_mjcf_touches(geom);
        shape.color = geom->color;
        shape.texture = geom->texture;
        shape.contact_group = geom->contype;
        shape.contact_mask = geom->conaffinity;
        shape.material = shape.visual ? (AfxMaterialId){0, 0} : m->materials[geom->material].id;
        good = shape_holder(m, geom, &id, &shape.pose) &&
               afxi_load_shape(m->load, &shape, geom->node->file, geom->node->line) &&
               (afx_scene_add_shape(m->load->scene, id, &shape) == AFX_OK || afxi_mjcf_scene_error(m, geom->node));
        if (good) { /* otherwise there may be no holder, and loading ends */
            geom->holder = id;
            geom->part = afx_scene_shape_count(m->load->scene, id) - 1;
        }
    }
    afxi_release(&m->load->allocator, heights, (size_t)shape.rows * shape.columns * sizeof *heights);
    return good;
}

bool afxi_mjcf_add_shapes(AfxiMjcf *m) {
    for (uint32_t b = 0; b < m->body_count; b++) {
        for (uint32_t k = m->bodies[b].first_geom; k != AFXI_MJCF_NONE; k = m->geoms[k].next) {
            if (!add_shape(m, m->geoms + k)) {
                return false;
            }
        }
    }
    return true;
}

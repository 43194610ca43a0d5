/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of URDF links: those of the collision elements touch, those of the visual ones are visual. They are geometry
 * only, as mass comes from inertials. A mesh that is missing, or of a format that is not read, is told and left out;
 * one that is not closed is visual as it is, and touches as its convex hull, which is told. */
#include <stdio.h>
#include <string.h>

#include "load/mesh_file.h"
#include "load/urdf.h"

/* Pieces of work (afxi_load_work) of looking whether a file is there. */
#define TRY_WORK 50u

/** Copies "FOLDER/REST" when there is such a file. */
static bool try_file(AfxiUrdf *urdf, const char *folder, size_t folder_length, const char *rest, char *out,
                     size_t size) {
    int length = snprintf(out, size, "%.*s/%s", (int)folder_length, folder, rest);
    urdf->tries++;
    return length > 0 && (size_t)length < size && afxi_load_exists(urdf->load, out);
}

/** Folders on the way from the root of all to a real path. */
static uint32_t levels_of(const char *path) {
    uint32_t levels = 1;
    for (; *path; path++) {
        levels += *path == '/';
    }
    return levels;
}

/** package://NAME/REST: in the folder given for NAME, as NAME/REST in a folder given, or upward from the file. */
static bool find_in_packages(AfxiUrdf *urdf, const char *name, char *out, size_t size) {
    const AfxLoadDef *def = urdf->load->def;
    size_t package = strcspn(name, "/");
    const char *rest = name[package] ? name + package + 1 : "";
    for (uint32_t k = 0; k < def->package_count; k++) {
        const char *entry = def->package_paths[k], *equal = entry ? strchr(entry, '=') : NULL;
        if (equal && (size_t)(equal - entry) == package && strncmp(entry, name, package) == 0 &&
            try_file(urdf, equal + 1, strlen(equal + 1), rest, out, size)) {
            return true;
        }
        if (entry && !equal && try_file(urdf, entry, strlen(entry), name, out, size)) {
            return true;
        }
    }
    char folder[AFXI_PATH_SIZE];
    const char *slash = strrchr(urdf->path, '/');
    int length =
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - urdf->path) : 1, slash ? urdf->path : ".");
    if (length < 0 || (size_t)length >= sizeof folder) {
        return false;
    }
    uint32_t most = levels_of(urdf->load->root) < def->depth_most ? levels_of(urdf->load->root) : def->depth_most;
    for (uint32_t up = 0; up < most; up++) { /* FOLDER, FOLDER/.., FOLDER/../.. */
        char below[AFXI_PATH_SIZE];
        /* the folder may be NAME itself: a package is often loaded from inside */
        snprintf(below, sizeof below, "../%s", name);
        if (try_file(urdf, folder, strlen(folder), below, out, size) ||
            try_file(urdf, folder, strlen(folder), name, out, size)) {
            return true;
        }
        size_t end = strlen(folder);
        if (end + 4 > sizeof folder) {
            return false;
        }
        memcpy(folder + end, "/..", 4);
    }
    return false;
}

bool afxi_urdf_find_file(AfxiUrdf *urdf, const char *name, char *out, size_t size) {
    if (strncmp(name, "package://", 10) == 0 || strncmp(name, "model://", 8) == 0) {
        return find_in_packages(urdf, strstr(name, "://") + 3, out, size);
    }
    if (strncmp(name, "file://", 7) == 0) {
        name += 7;
    }
    const char *slash = strrchr(urdf->path, '/');
    int folder = name[0] == '/' || !slash ? 0 : (int)(slash - urdf->path) + 1;
    int length = snprintf(out, size, "%.*s%s", folder, urdf->path, name);
    return length > 0 && (size_t)length < size && afxi_load_exists(urdf->load, out);
}

static bool mesh_notice(AfxiUrdf *urdf, const AfxiXmlNode *node, AfxNoticeKind kind, const char *file,
                        const char *text) {
    char element[120];
    size_t length = strlen(file), most = 90;
    snprintf(element, sizeof element, "mesh \"%s%s\"", length > most ? "..." : "",
             file + (length > most ? length - most : 0));
    return afxi_load_notice(urdf->load, kind, node->file, node->line, element, text);
}

bool afxi_urdf_add_shape(AfxiUrdf *urdf, const AfxiXmlNode *node, const AfxiUrdfPlace *place, AfxShapeDef shape) {
    shape.pose = place->pose;
    shape.visual = place->visual;
    shape.color = place->color;
    shape.material = place->material;
    return afxi_load_shape(urdf->load, &shape, node->file, node->line) &&
           (afx_scene_add_shape(urdf->load->scene, place->body, &shape) == AFX_OK ||
            afxi_load_scene_error(urdf->load, node->file, node->line));
}

static bool add_mesh_data(AfxiUrdf *urdf, AfxiXmlNode *node, const AfxiUrdfPlace *place, const char *file,
                          const AfxiMeshData *mesh) {
    AfxiMeshUse use = AFXI_MESH_USE_SOLID;
    if (!(place->visual && afxi_mesh_is_sound(mesh)) && !afxi_mesh_use(urdf->load, mesh, node->file, &use)) {
        return false;
    }
    if (use == AFXI_MESH_USE_NONE) {
        return mesh_notice(urdf, node, AFX_NOTICE_IGNORED, file, "it is flat or has hardly any vertices: no shape");
    }
    if (use == AFXI_MESH_USE_SOLID) {
        return afxi_urdf_add_shape(
            urdf, node, place,
            afx_default_mesh(mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count));
    }
    return mesh_notice(urdf, node, AFX_NOTICE_CHANGED, file, "it is not closed: its convex hull is the shape") &&
           afxi_urdf_add_shape(urdf, node, place, afx_default_convex(mesh->vertices, mesh->vertex_count));
}

static bool add_mesh(AfxiUrdf *urdf, AfxiXmlNode *node, const AfxiUrdfPlace *place) {
    const char *name;
    AfxVec3 scale = {1, 1, 1};
    char path[AFXI_PATH_SIZE];
    const char *key = afxi_xml_has(node, "uri") ? "uri" : "filename"; /* SDF, URDF */
    if (!afxi_xml_need(urdf->load, node, key, &name) || !afxi_xml_vec3(urdf->load, node, "scale", &scale)) {
        return false;
    }
    if (scale.x == 0 || scale.y == 0 || scale.z == 0) {
        return afxi_xml_error(urdf->load, node, "scale", "a factor is zero", "give factors other than 0");
    }
    if (!urdf->load->def->meshes) {
        return true; /* the caller asked for that */
    }
    if (afxi_mesh_file_format(name) == AFXI_MESH_FILE_UNKNOWN) {
        return mesh_notice(urdf, node, AFX_NOTICE_IGNORED, name, "only OBJ and STL files are read");
    }
    urdf->tries = 0;
    bool found = afxi_urdf_find_file(urdf, name, path, sizeof path);
    if (!afxi_load_work(urdf->load, TRY_WORK * (uint64_t)urdf->tries, node->file, node->line)) {
        return false;
    }
    if (!found) {
        return mesh_notice(urdf, node, AFX_NOTICE_MISSING, name,
                           "there is no such file where files may be read: no shape");
    }
    AfxiMeshData mesh;
    if (!afxi_mesh_file_read(urdf->load, path, node->file, node->line, &mesh)) {
        return false;
    }
    afxi_mesh_scale(&mesh, scale);
    bool good = add_mesh_data(urdf, node, place, name, &mesh);
    afxi_mesh_free_data(urdf->load, &mesh);
    return good;
}

/** Numbers that a simple shape needs. */
static bool need_numbers(AfxiUrdf *urdf, AfxiXmlNode *node, const char *name, uint32_t count, double *out) {
    const char *text;
    return afxi_xml_need(urdf->load, node, name, &text) &&
           afxi_xml_numbers(urdf->load, node, name, count, count, out, NULL);
}

bool afxi_urdf_add_geometry(AfxiUrdf *urdf, AfxiXmlNode *geometry, const AfxiUrdfPlace *place) {
    AfxiXmlNode *node;
    double size[3], radius, length;
    if ((node = afxi_xml_child(geometry, "box"))) {
        return need_numbers(urdf, node, "size", 3, size) &&
               afxi_urdf_add_shape(urdf, node, place, afx_default_box(size[0], size[1], size[2]));
    }
    if ((node = afxi_xml_child(geometry, "sphere"))) {
        return need_numbers(urdf, node, "radius", 1, &radius) &&
               afxi_urdf_add_shape(urdf, node, place, afx_default_sphere(radius));
    }
    if ((node = afxi_xml_child(geometry, "cylinder"))) {
        return need_numbers(urdf, node, "radius", 1, &radius) && need_numbers(urdf, node, "length", 1, &length) &&
               afxi_urdf_add_shape(urdf, node, place, afx_default_cylinder(radius, length));
    }
    if ((node = afxi_xml_child(geometry, "capsule"))) {
        return need_numbers(urdf, node, "radius", 1, &radius) && need_numbers(urdf, node, "length", 1, &length) &&
               afxi_urdf_add_shape(urdf, node, place, afx_default_capsule(radius, length));
    }
    if ((node = afxi_xml_child(geometry, "mesh"))) {
        return add_mesh(urdf, node, place);
    }
    return afxi_xml_error(urdf->load, geometry, NULL, "it is no box, sphere, cylinder, capsule or mesh",
                          "give it one of these");
}

/** The colour of a visual element: its material's own, or that of the robot's material of the same name. */
static bool read_color(AfxiUrdf *urdf, AfxiXmlNode *element, uint32_t *color) {
    AfxiXmlNode *material = afxi_xml_child(element, "material");
    const char *name = material ? afxi_xml_text(material, "name") : NULL;
    AfxiXmlNode *own = material ? afxi_xml_child(material, "color") : NULL;
    AfxiXmlNode *node = own || !name ? NULL : urdf->robot->first;
    for (; node && !own; node = node->next) {
        const char *other = afxi_xml_is(node, "material") ? afxi_xml_text(node, "name") : NULL;
        if (!afxi_load_work(urdf->load, 1, element->file, element->line)) {
            return false;
        }
        if (other && strcmp(other, name) == 0) {
            node->used = true;
            own = afxi_xml_child(node, "color");
        }
    }
    return !own || afxi_xml_color(urdf->load, own, "rgba", color);
}

static bool add_element(AfxiUrdf *urdf, AfxiXmlNode *element, const AfxiUrdfLink *link, AfxBodyId body) {
    AfxPose origin;
    AfxiUrdfPlace place = {.body = body, .visual = afxi_xml_is(element, "visual")};
    element->used = true;
    AfxiXmlNode *geometry = afxi_xml_child(element, "geometry");
    if (!geometry) {
        return afxi_xml_error(urdf->load, element, NULL, "it has no geometry", "give it one");
    }
    if (!afxi_urdf_origin(urdf, element, &origin)) {
        return false;
    }
    if (place.visual && !read_color(urdf, element, &place.color)) {
        return false;
    }
    place.pose = afx_pose_compose(link->in_body, origin);
    return afxi_urdf_add_geometry(urdf, geometry, &place);
}

bool afxi_urdf_add_shapes(AfxiUrdf *urdf, const AfxiUrdfLink *link, AfxBodyId body) {
    for (AfxiXmlNode *node = link->node->first; node; node = node->next) {
        if ((afxi_xml_is(node, "collision") || afxi_xml_is(node, "visual")) && !add_element(urdf, node, link, body)) {
            return false;
        }
    }
    return true;
}

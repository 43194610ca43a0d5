/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh assets: from a file, or written in the element. Vertices are rounded to single precision, as MuJoCo keeps them,
 * so that masses agree; then moved by -refpos, turned back by refquat and scaled. A mesh without triangles is the hull
 * of its vertices. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/mjcf.h"
#include "math/hull.h"

/* ---- the list ---- */

/** The name of a mesh: given, or its file's without folder and ending; NULL after an error. */
static const char *mesh_name(AfxiMjcf *m, AfxiXmlNode *node) {
    const char *name = afxi_xml_text(node, "name"), *file = afxi_xml_text(node, "file");
    if (name && name[0]) {
        return name;
    }
    if (!file) {
        afxi_xml_error(m->load, node, "name", "the mesh has neither name nor file", "give one");
        return NULL;
    }
    const char *slash = strrchr(file, '/');
    file = slash ? slash + 1 : file;
    const char *dot = strrchr(file, '.');
    return afxi_xml_copy(m->load, &m->arena, file, dot ? (size_t)(dot - file) : strlen(file));
}

/** A material is its colour and texture; how it shines is for other viewers. */
static bool add_look(AfxiMjcf *m, AfxiMjcfModel *model, AfxiXmlNode *node) {
    AfxiMjcfScope scope = {model, "", "", NULL};
    const char *name = afxi_xml_text(node, "name");
    if (!afxi_mjcf_use_class(m, &scope, node, AFXI_MJCF_LOOKS)) {
        return false;
    }
    node->used = true;
    for (uint32_t k = 0; k < node->attribute_count; k++) {
        node->attributes[k].used = true;
    }
    if (!name || afxi_names_find(&model->look_names, name) != AFXI_MJCF_NONE) {
        return true;
    }
    model->looks[model->look_count] = node;
    model->look_textures[model->look_count].index = UINT32_MAX;
    return afxi_mjcf_enter(m, &model->look_names, node, name, model->look_count++);
}

static bool add_asset(AfxiMjcf *m, AfxiMjcfModel *model, AfxiXmlNode *node) {
    AfxiMjcfScope scope = {model, "", "", NULL};
    if (afxi_xml_is(node, "mesh")) {
        if (!afxi_mjcf_use_class(m, &scope, node, AFXI_MJCF_MESHES)) {
            return false;
        }
        const char *name = mesh_name(m, node);
        model->meshes[model->mesh_count] = (AfxiMjcfMesh){.node = node};
        return name && afxi_mjcf_enter(m, &model->mesh_names, node, name, model->mesh_count++);
    }
    if (afxi_xml_is(node, "hfield")) {
        const char *name = afxi_xml_text(node, "name");
        node->used = true;
        model->hfields[model->hfield_count] = node;
        return afxi_mjcf_enter(m, &model->hfield_names, node, name ? name : "", model->hfield_count++);
    }
    if (afxi_xml_is(node, "material")) {
        return add_look(m, model, node);
    }
    if (afxi_xml_is(node, "texture")) {
        const char *name = afxi_xml_text(node, "name");
        if (!name || afxi_names_find(&model->texture_names, name) != AFXI_MJCF_NONE) {
            return true;
        }
        model->textures[model->texture_count] = node;
        return afxi_mjcf_enter(m, &model->texture_names, node, name, model->texture_count++);
    }
    return true; /* models are opened when they are attached; textures that nothing has are told at the end */
}

bool afxi_mjcf_list_assets(AfxiMjcf *m, AfxiMjcfModel *model) {
    uint32_t meshes = 0, hfields = 0, looks = 0, textures = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (AfxiXmlNode *section = model->root->first; section; section = section->next) {
            for (AfxiXmlNode *node = afxi_xml_is(section, "asset") ? section->first : NULL; node; node = node->next) {
                section->used = true;
                if (pass == 0) {
                    meshes += afxi_xml_is(node, "mesh");
                    hfields += afxi_xml_is(node, "hfield");
                    looks += afxi_xml_is(node, "material");
                    textures += afxi_xml_is(node, "texture");
                } else if (!add_asset(m, model, node)) {
                    return false;
                }
            }
        }
        if (pass == 0) {
            model->meshes = afxi_xml_take(m->load, &m->arena, (meshes + 1) * sizeof *model->meshes);
            model->hfields = afxi_xml_take(m->load, &m->arena, (hfields + 1) * sizeof *model->hfields);
            model->looks = afxi_xml_take(m->load, &m->arena, (looks + 1) * sizeof *model->looks);
            model->textures = afxi_xml_take(m->load, &m->arena, (textures + 1) * sizeof *model->textures);
            model->look_textures = afxi_xml_take(m->load, &m->arena, (looks + 1) * sizeof *model->look_textures);
            if (!model->meshes || !model->hfields || !model->looks || !model->textures || !model->look_textures) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the data ---- */

/** Numbers of an attribute, three by three. */
static bool read_list(AfxiMjcf *m, AfxiXmlNode *node, const char *name, AfxiMeshData *data) {
    const char *text = afxi_xml_text(node, name), *at = text;
    bool faces = strcmp(name, "face") == 0;
    double n[3];
    uint32_t count = 0;
    while (at && at[strspn(at, " \t\r\n")] != '\0') {
        if (!afxi_xml_scan_number(&at, n + count)) {
            return afxi_xml_error(m->load, node, name, "it has something that is not a finite number", "give numbers");
        }
        if (++count < 3) {
            continue;
        }
        count = 0;
        for (int k = 0; faces && k < 3; k++) {
            if (!(n[k] >= 0 && n[k] < data->vertex_count && n[k] == (double)(uint32_t)n[k])) {
                return afxi_xml_error(m->load, node, name, "it names a vertex that is not there",
                                      "count vertices from 0");
            }
        }
        bool good = faces ? afxi_mesh_add_triangle(m->load, data, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2],
                                                   node->file, node->line)
                          : afxi_mesh_add_vertex(m->load, data, n, node->file, node->line);
        if (!good) {
            return false;
        }
    }
    return count == 0 || afxi_xml_error(m->load, node, name, "its numbers are not a multiple of 3", "complete it");
}

bool afxi_mjcf_asset_path(AfxiMjcf *m, const AfxiMjcfModel *model, const AfxiXmlNode *node, const char *folder,
                          const char *file, char *out) {
    const char *slash = strrchr(file, '/');
    file = model->settings.strip_path && slash ? slash + 1 : file;
    char name[AFXI_PATH_SIZE];
    int length = folder && folder[0] && file[0] != '/'
                     ? snprintf(name, sizeof name, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", file)
                     : snprintf(name, sizeof name, "%s", file);
    if (length < 0 || (size_t)length >= sizeof name) {
        return afxi_xml_error(m->load, node, "file", "its path is too long", "use shorter names");
    }
    if (!afxi_load_path(m->load, model->path, name, out, AFXI_PATH_SIZE)) {
        return false;
    }
    return afxi_load_exists(m->load, out) || strcmp(node->file, model->path) == 0 ||
           afxi_load_path(m->load, node->file, name, out, AFXI_PATH_SIZE);
}

/** A mesh that cannot be had: an error when it is needed, else told. */
static bool go_without(AfxiMjcf *m, AfxiMjcfMesh *mesh, bool need, AfxNoticeKind kind, const char *text,
                       const char *cure) {
    mesh->missing = true;
    return need ? afxi_xml_error(m->load, mesh->node, "file", text, cure)
                : afxi_xml_notice(m->load, kind, mesh->node, NULL, text);
}

static bool read_file(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiMjcfMesh *mesh, const char *file, bool need) {
    char path[AFXI_PATH_SIZE];
    if (!m->load->def->meshes) {
        mesh->missing = true; /* the caller asked for that */
        return !need || afxi_xml_error(m->load, mesh->node, "file", "a mass hangs on this mesh",
                                       "set AfxLoadDef.meshes, or give the body an inertial");
    }
    if (afxi_mesh_file_format(file) == AFXI_MESH_FILE_UNKNOWN) {
        return go_without(m, mesh, need, AFX_NOTICE_IGNORED, "only OBJ and STL files are read", "convert the file");
    }
    if (!afxi_mjcf_asset_path(m, model, mesh->node, model->settings.mesh_folder, file, path)) {
        return false;
    }
    if (!afxi_load_exists(m->load, path)) {
        return go_without(m, mesh, need, AFX_NOTICE_MISSING, "its file is not where files may be read",
                          "put it there, allow outside files, or give the body an inertial");
    }
    return afxi_mesh_file_read(m->load, path, mesh->node->file, mesh->node->line, &mesh->data);
}

static bool hull_faces(AfxiMjcf *m, AfxiXmlNode *node, AfxiMeshData *data) {
    size_t work = afxi_hull_workspace(data->vertex_count), size = 6 * (size_t)data->vertex_count * sizeof(uint32_t);
    uint32_t count = 0;
    unsigned char *block =
        work < SIZE_MAX / 2 && size < SIZE_MAX / 2 ? afxi_allocate(&m->load->allocator, work + size) : NULL;
    if (!block) {
        return afxi_load_memory_error(m->load, node->file, node->line);
    }
    uint32_t *faces = (uint32_t *)(void *)(block + work);
    bool good = afxi_hull(data->vertices, data->vertex_count, faces, 2 * data->vertex_count, &count, block, work) ==
                AFXI_HULL_OK;
    data->triangle_count = 0;
    for (size_t k = 0; good && k < count; k++) {
        good = afxi_mesh_add_triangle(m->load, data, faces[3 * k], faces[3 * k + 1], faces[3 * k + 2], node->file,
                                      node->line);
    }
    afxi_release(&m->load->allocator, block, work + size);
    return good || afxi_xml_error(m->load, node, NULL, "its vertices have no convex hull", "give points of a solid");
}

/** Rounded to single precision. Volatile, because gcc 12 leaves the rounding of pairs of numbers out when it makes
 * vectors of them. */
static double single(double x) {
    volatile float rounded = (float)x;
    return rounded;
}

static bool place_vertices(AfxiMjcf *m, AfxiXmlNode *node, AfxiMeshData *data) {
    AfxVec3 scale = {1, 1, 1}, shift = {0, 0, 0};
    double q[4] = {1, 0, 0, 0};
    if (!afxi_xml_vec3(m->load, node, "scale", &scale) || !afxi_xml_vec3(m->load, node, "refpos", &shift) ||
        !afxi_xml_numbers(m->load, node, "refquat", 4, 4, q, NULL)) {
        return false;
    }
    if (scale.x == 0 || scale.y == 0 || scale.z == 0) {
        return afxi_xml_error(m->load, node, "scale", "a factor is zero", "give factors other than 0");
    }
    AfxQuat turn = afxi_quat_normalized((AfxQuat){q[0], q[1], q[2], q[3]});
    turn = (AfxQuat){turn.w, -turn.x, -turn.y, -turn.z};
    bool turned = q[0] != 1 || q[1] != 0 || q[2] != 0 || q[3] != 0;
    for (size_t k = 0; k < data->vertex_count; k++) {
        double *v = data->vertices + 3 * k;
        AfxVec3 x = vec3(single(v[0]), single(v[1]), single(v[2]));
        x = vec3_sub(x, shift);
        vec3_store(v, turned ? afx_quat_rotate(turn, x) : x);
    }
    afxi_mesh_scale(data, scale);
    return true;
}

bool afxi_mjcf_read_mesh(AfxiMjcf *m, AfxiMjcfModel *model, AfxiMjcfMesh *mesh, bool need) {
    AfxiXmlNode *node = mesh->node;
    if (mesh->read) {
        return !mesh->missing || !need ||
               afxi_xml_error(m->load, node, "file", "a mass hangs on this mesh, which is not there",
                              "provide it as OBJ or STL, or give the body an inertial");
    }
    mesh->read = true;
    const char *file = afxi_xml_text(node, "file"), *builtin = afxi_xml_text(node, "builtin");
    if (builtin && strcmp(builtin, "none") != 0) {
        return go_without(m, mesh, need, AFX_NOTICE_IGNORED, "builtin meshes are not made", "export it to a file");
    }
    if (file ? !read_file(m, model, mesh, file, need)
             : !read_list(m, node, "vertex", &mesh->data) || !read_list(m, node, "face", &mesh->data)) {
        return false;
    }
    if (mesh->missing) {
        return true;
    }
    if (mesh->data.vertex_count < 4) {
        return afxi_xml_error(m->load, node, NULL, "it has fewer than four vertices", "give points of a solid");
    }
    return place_vertices(m, node, &mesh->data) && (mesh->data.triangle_count > 0 || hull_faces(m, node, &mesh->data));
}

bool afxi_mjcf_hull_mesh(AfxiMjcf *m, const AfxiMjcfMesh *mesh, AfxiMeshData *out_hull) {
    *out_hull = (AfxiMeshData){0};
    for (size_t k = 0; k < mesh->data.vertex_count; k++) {
        if (!afxi_mesh_add_vertex(m->load, out_hull, mesh->data.vertices + 3 * k, mesh->node->file, mesh->node->line)) {
            return false;
        }
    }
    return hull_faces(m, mesh->node, out_hull);
}

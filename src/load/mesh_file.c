/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh files: which format, and its reader. */
#include "load/mesh_file.h"

#include <string.h>
#include <strings.h>

AfxiMeshFormat afxi_mesh_file_format(const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".obj") == 0) {
        return AFXI_MESH_FILE_OBJ;
    }
    return dot && strcasecmp(dot, ".stl") == 0 ? AFXI_MESH_FILE_STL : AFXI_MESH_FILE_UNKNOWN;
}

bool afxi_mesh_file_parse(AfxiLoad *load, AfxiMeshFormat format, const AfxiText *text, const char *path,
                          AfxiMeshData *out_mesh) {
    AfxiMeshData mesh = {0};
    bool good = false;
    if (format == AFXI_MESH_FILE_OBJ) {
        good = afxi_mesh_parse_obj(load, text, path, &mesh);
    } else if (format == AFXI_MESH_FILE_STL) {
        good = afxi_mesh_parse_stl(load, text, path, &mesh);
    } else {
        afxi_load_error(load, AFX_E_INPUT, path, 0, "mesh", "the format of this file is not read",
                        "convert it to OBJ or STL");
    }
    if (!good) {
        afxi_mesh_free_data(load, &mesh);
    }
    *out_mesh = mesh;
    return good;
}

bool afxi_mesh_file_read(AfxiLoad *load, const char *path, const char *from, int line, AfxiMeshData *out_mesh) {
    *out_mesh = (AfxiMeshData){0};
    AfxiText text;
    if (!afxi_load_read(load, path, from, line, &text)) {
        return false;
    }
    bool good = afxi_mesh_file_parse(load, afxi_mesh_file_format(path), &text, path, out_mesh);
    afxi_load_release(load, &text);
    return good;
}

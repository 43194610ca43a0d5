/* SPDX-License-Identifier: Apache-2.0 */
/* Triangle meshes from files: OBJ, STL. */
#ifndef AFXI_LOAD_MESH_FILE_H
#define AFXI_LOAD_MESH_FILE_H

#include "load/load.h"

/** Vertices and triangles, as a file has them; vertices of an STL file that are equal are one. */
typedef struct AfxiMeshData {
    double *vertices;    /* [3 * vertex_count] */
    uint32_t *triangles; /* [3 * triangle_count] */
    uint32_t vertex_count, triangle_count;
    uint32_t vertex_capacity, triangle_capacity; /* in numbers, not in vertices and triangles */
} AfxiMeshData;

typedef enum AfxiMeshFormat { AFXI_MESH_FILE_UNKNOWN = 0, AFXI_MESH_FILE_OBJ, AFXI_MESH_FILE_STL } AfxiMeshFormat;

/** By the ending of the name. */
AfxiMeshFormat afxi_mesh_file_format(const char *path);
/** Reads a mesh file that is asked for at `line` of `from`; false with load->error set, and nothing to free. */
bool afxi_mesh_file_read(AfxiLoad *load, const char *path, const char *from, int line, AfxiMeshData *out_mesh);
/** The same from memory. */
bool afxi_mesh_file_parse(AfxiLoad *load, AfxiMeshFormat format, const AfxiText *text, const char *path,
                          AfxiMeshData *out_mesh);
void afxi_mesh_free_data(AfxiLoad *load, AfxiMeshData *mesh);

/** Multiplies all vertices; a mirror image gets its triangles turned. */
void afxi_mesh_scale(AfxiMeshData *mesh, AfxVec3 scale);
bool afxi_mesh_add_vertex(AfxiLoad *load, AfxiMeshData *mesh, const double point[3], const char *file, int line);
bool afxi_mesh_add_triangle(AfxiLoad *load, AfxiMeshData *mesh, uint32_t a, uint32_t b, uint32_t c, const char *file,
                            int line);
/** Makes equal vertices one and renumbers the triangles. */
bool afxi_mesh_weld(AfxiLoad *load, AfxiMeshData *mesh, const char *file);

/** Whether every triangle has three different vertices, and there is one: an open mesh of the scene. */
bool afxi_mesh_is_sound(const AfxiMeshData *mesh);

/** How a mesh can be a shape of the scene. */
typedef enum AfxiMeshUse {
    AFXI_MESH_USE_SOLID,  /* closed */
    AFXI_MESH_USE_CONVEX, /* not closed, but its vertices have a hull */
    AFXI_MESH_USE_NONE    /* flat, or too few vertices */
} AfxiMeshUse;

/** What the scene would make of it; false with load->error set when there is no memory. */
bool afxi_mesh_use(AfxiLoad *load, const AfxiMeshData *mesh, const char *file, AfxiMeshUse *out_use);

/* one per format */
bool afxi_mesh_parse_obj(AfxiLoad *load, const AfxiText *text, const char *path, AfxiMeshData *mesh);
bool afxi_mesh_parse_stl(AfxiLoad *load, const AfxiText *text, const char *path, AfxiMeshData *mesh);

#endif

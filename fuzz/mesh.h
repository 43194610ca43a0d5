/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a mesh file: what is read goes into a scene as a solid and as a hull. */
#ifndef AFX_FUZZ_MESH_H
#define AFX_FUZZ_MESH_H

#include "harness.h"
#include "load/mesh_file.h"

static inline void fuzz_mesh(AfxiMeshFormat format, const uint8_t *data, size_t size) {
    FuzzMemory memory = {0};
    AfxScene *scene = fuzz_scene(&memory);
    AfxLoadDef def = fuzz_limits(AFX_FORMAT_AUTO);
    AfxiLoad load = {.scene = scene, .def = &def, .allocator = fuzz_allocator(&memory)};
    AfxiText text = {0};
    AfxiMeshData mesh = {0};
    def.items_most = 5000;
    if (afxi_load_copy(&load, (const char *)data, size, &text) &&
        afxi_mesh_file_parse(&load, format, &text, "mesh", &mesh)) {
        AfxBodyDef body = afx_default_body();
        AfxBodyId id;
        AfxShapeDef shapes[] = {afx_default_mesh(mesh.vertices, mesh.vertex_count, mesh.triangles, mesh.triangle_count),
                                afx_default_convex(mesh.vertices, mesh.vertex_count)};
        for (int k = 0; k < 2; k++) {
            fuzz_expect(afx_scene_add_body(scene, &body, &id) == AFX_OK, "no body");
            (void)afx_scene_add_shape(scene, id, &shapes[k]);
        }
        fuzz_use(scene, &memory);
    } else {
        fuzz_expect(load.error.status != AFX_OK && load.error.text[0], "a mesh that is not read says nothing");
    }
    afxi_mesh_free_data(&load, &mesh);
    afxi_load_release(&load, &text);
    afxi_load_forget(&load);
    afx_scene_destroy(scene);
    fuzz_done(&memory);
}

#endif

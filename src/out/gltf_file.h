/* SPDX-License-Identifier: Apache-2.0 */
/* A .glb file being made from a spool. */
#ifndef AFXI_OUT_GLTF_FILE_H
#define AFXI_OUT_GLTF_FILE_H

#include "out/gltf.h"

typedef struct AfxiGltfFile {
    AfxOutput *output;
    const AfxiGltf *gltf; /* its record is that of the first frame */
    AfxiSink *sink;
    int spool;
    uint64_t frames;
    uint64_t vertices, corners; /* bytes of the first two views */
    uint64_t binary;            /* bytes of all views */
    float *times;               /* [frames] */
    uint32_t *pairs; /* [meshes][afxi_geometry_colours] number of glTF's mesh for each pair; UINT32_MAX: not worn */
} AfxiGltfFile;

/** Writes the JSON text. */
void afxi_gltf_json(AfxiGltfFile *file);

#endif

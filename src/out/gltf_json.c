/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a .glb file: what the numbers mean.
 *
 * Node 0 turns z up into glTF's y up; then come the bodies, then the meshes that they wear. A mesh of glTF has its
 * material, so there is one for each pair of mesh and colour. Accessors: positions of all meshes, their corners,
 * normals of those that have them, the times, positions of the moving bodies, their rotations. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "out/gltf_file.h"

#define DIGITS 17 /* bounds of single-precision numbers must not be rounded */

static void numbers(AfxiSink *sink, const char *name, const double *values, int count) {
    afxi_sink_print(sink, "\"%s\":[", name);
    for (int k = 0; k < count; k++) {
        afxi_sink_text(sink, k ? "," : "");
        afxi_sink_number(sink, values[k], DIGITS);
    }
    afxi_sink_text(sink, "]");
}

/* Bytes of the UTF-8 sequence that begins a text; 0 when it is none. */
static int sequence(const unsigned char *at) {
    int length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < length; k++) {
        if ((at[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool outside = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

static void text(AfxiSink *sink, const char *value) {
    const unsigned char *at = (const unsigned char *)value;
    afxi_sink_text(sink, "\"");
    while (*at) {
        int length = sequence(at);
        if (length == 0) {
            afxi_sink_text(sink, "\\ufffd");
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            afxi_sink_print(sink, "\\%c", *at);
        } else if (*at < 0x20) {
            afxi_sink_print(sink, "\\u%04x", (unsigned)*at);
        } else {
            afxi_sink_write(sink, at, (size_t)length);
        }
        at += length;
    }
    afxi_sink_text(sink, "\"");
}

static void pose(AfxiSink *sink, AfxPose at) {
    const double position[3] = {at.position.x, at.position.y, at.position.z};
    const double rotation[4] = {at.rotation.x, at.rotation.y, at.rotation.z, at.rotation.w};
    numbers(sink, "translation", position, 3);
    afxi_sink_text(sink, ",");
    numbers(sink, "rotation", rotation, 4);
}

static void write_views(const AfxiGltfFile *file) {
    uint64_t moving = file->gltf->moving_count, frames = file->frames, at = 0;
    const uint64_t sizes[5] = {file->vertices, file->corners, 4 * frames, 12 * frames * moving, 16 * frames * moving};
    static const char *const more[5] = {",\"byteStride\":12,\"target\":34962", ",\"target\":34963", "", "", ""};
    afxi_sink_print(file->sink, ",\n\"buffers\":[{\"byteLength\":%" PRIu64 "}],\n\"bufferViews\":[", file->binary);
    for (int k = 0; k < 5 && sizes[k] > 0; k++) { /* the last two are empty when nothing moves */
        afxi_sink_print(file->sink, "%s{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 "%s}",
                        k ? "," : "", at, sizes[k], more[k]);
        at += sizes[k];
    }
    afxi_sink_text(file->sink, "]");
}

static void accessor(const AfxiGltfFile *file, int view, uint64_t offset, const char *type, int component,
                     uint64_t count) {
    afxi_sink_print(file->sink,
                    "%s{\"bufferView\":%d,\"byteOffset\":%" PRIu64 ",\"componentType\":%d,\"count\":%" PRIu64
                    ",\"type\":\"%s\"",
                    view == 0 && offset == 0 ? "" : ",\n", view, offset, component, count, type);
}

static void bounds(AfxiSink *sink, const float *values, uint64_t count, int width) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t k = 0; k < count * (uint64_t)width; k++) {
        low[k % (uint64_t)width] = fmin(low[k % (uint64_t)width], (double)values[k]);
        high[k % (uint64_t)width] = fmax(high[k % (uint64_t)width], (double)values[k]);
    }
    afxi_sink_text(sink, ",");
    numbers(sink, "min", low, width);
    afxi_sink_text(sink, ",");
    numbers(sink, "max", high, width);
}

/* Positions, corners or normals of all meshes. */
static void mesh_accessors(const AfxiGltfFile *file, int what) {
    const AfxiSceneGeometry *geometry = &file->gltf->geometry;
    uint64_t vertices = 0, corners = 0;
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        const AfxiDrawMesh *mesh = &geometry->meshes[k];
        uint64_t size = 12 * (uint64_t)mesh->vertex_count;
        if (what == 0) {
            accessor(file, 0, vertices, "VEC3", 5126, mesh->vertex_count);
            bounds(file->sink, mesh->positions, mesh->vertex_count, 3);
        } else if (what == 1) {
            accessor(file, 1, corners, "SCALAR", 5125, 3 * (uint64_t)mesh->triangle_count);
        } else if (mesh->normals) {
            accessor(file, 0, vertices + size, "VEC3", 5126, mesh->vertex_count);
        }
        if (what < 2 || mesh->normals) {
            afxi_sink_text(file->sink, "}");
        }
        vertices += mesh->normals ? 2 * size : size;
        corners += 12 * (uint64_t)mesh->triangle_count;
    }
}

static void write_accessors(const AfxiGltfFile *file) {
    uint64_t frames = file->frames;
    afxi_sink_text(file->sink, ",\n\"accessors\":[");
    for (int what = 0; what < 3; what++) {
        mesh_accessors(file, what);
    }
    const double ends[2] = {(double)file->times[0], (double)file->times[frames - 1]};
    accessor(file, 2, 0, "SCALAR", 5126, frames);
    afxi_sink_text(file->sink, ",");
    numbers(file->sink, "min", &ends[0], 1);
    afxi_sink_text(file->sink, ",");
    numbers(file->sink, "max", &ends[1], 1);
    afxi_sink_text(file->sink, "}");
    for (int what = 0; what < 2; what++) {
        for (uint32_t k = 0; k < file->gltf->moving_count; k++) {
            accessor(file, 3 + what, k * frames * (what ? 16 : 12), what ? "VEC4" : "VEC3", 5126, frames);
            afxi_sink_text(file->sink, "}");
        }
    }
    afxi_sink_text(file->sink, "]");
}

static bool pair_worn(const AfxiGltfFile *file, uint32_t mesh, uint32_t colour) {
    return file->pairs[(size_t)mesh * afxi_geometry_colours(&file->gltf->geometry) + colour] != UINT32_MAX;
}

static void write_mesh_list(const AfxiGltfFile *file) {
    const AfxiSceneGeometry *geometry = &file->gltf->geometry;
    uint32_t normals = 2 * geometry->mesh_count, written = 0;
    afxi_sink_text(file->sink, ",\n\"meshes\":[");
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        for (uint32_t colour = 0; colour < afxi_geometry_colours(geometry); colour++) {
            if (!pair_worn(file, k, colour)) {
                continue;
            }
            afxi_sink_print(file->sink, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%u", written++ ? ",\n" : "",
                            k);
            if (geometry->meshes[k].normals) {
                afxi_sink_print(file->sink, ",\"NORMAL\":%u", normals);
            }
            afxi_sink_print(file->sink, "},\"indices\":%u,\"material\":%u}]}", geometry->mesh_count + k, colour);
        }
        normals += geometry->meshes[k].normals != NULL;
    }
    afxi_sink_text(file->sink, "]");
}

static void write_materials(const AfxiGltfFile *file) {
    afxi_sink_text(file->sink, ",\n\"materials\":[");
    for (uint32_t k = 0; k < afxi_geometry_colours(&file->gltf->geometry); k++) {
        double linear[4] = {0, 0, 0, 1}, rgb[3];
        afxi_geometry_colour(&file->gltf->geometry, k, rgb);
        for (int c = 0; c < 3; c++) { /* the format wants light, not what a screen is sent */
            linear[c] = pow((rgb[c] + 0.055) / 1.055, 2.4);
        }
        afxi_sink_print(file->sink, "%s{\"pbrMetallicRoughness\":{", k ? ",\n" : "");
        numbers(file->sink, "baseColorFactor", linear, 4);
        afxi_sink_text(file->sink, ",\"metallicFactor\":0.1,\"roughnessFactor\":0.6}}");
    }
    afxi_sink_text(file->sink, "]");
}

/* Where a body is at the first frame. */
static AfxPose first_pose(const AfxiGltfFile *file, uint32_t body, uint32_t *next_moving) {
    const AfxiGltf *gltf = file->gltf;
    if (*next_moving >= gltf->moving_count || gltf->moving[*next_moving] != body) {
        return gltf->start[body];
    }
    const float *at = gltf->record + 1 + 7 * (size_t)(*next_moving)++;
    return (AfxPose){{(double)at[0], (double)at[1], (double)at[2]},
                     {(double)at[6], (double)at[3], (double)at[4], (double)at[5]}};
}

static void write_children(const AfxiGltfFile *file, uint32_t first, uint32_t after) {
    for (uint32_t k = first; k < after; k++) {
        afxi_sink_print(file->sink, "%s%u", k == first ? ",\"children\":[" : ",", k);
    }
    afxi_sink_text(file->sink, after > first ? "]" : "");
}

static void write_nodes(const AfxiGltfFile *file) {
    const AfxiSceneGeometry *geometry = &file->gltf->geometry;
    const AfxiCatalog *catalog = &file->output->catalog;
    uint32_t bodies = catalog->count[AFXI_ITEM_BODY], worn = 0, moving = 0;
    uint32_t colours = afxi_geometry_colours(geometry);
    afxi_sink_text(file->sink, ",\n\"nodes\":[{\"name\":\"z up\",\"rotation\":[-0.70710678,0,0,0.70710678]");
    write_children(file, 1, 1 + bodies);
    afxi_sink_text(file->sink, "}");
    for (uint32_t k = 0; k < bodies; k++) {
        const char *name = afxi_catalog_name(catalog, AFXI_ITEM_BODY, k);
        uint32_t first = worn;
        while (worn < geometry->worn_count && geometry->worn[worn].body == k) {
            worn++;
        }
        afxi_sink_text(file->sink, ",\n{");
        if (name[0]) {
            afxi_sink_text(file->sink, "\"name\":");
            text(file->sink, name);
        } else {
            afxi_sink_print(file->sink, "\"name\":\"body %u\"", k);
        }
        afxi_sink_text(file->sink, ",");
        pose(file->sink, first_pose(file, k, &moving));
        write_children(file, 1 + bodies + first, 1 + bodies + worn);
        afxi_sink_text(file->sink, "}");
    }
    for (uint32_t k = 0; k < geometry->worn_count; k++) {
        const AfxiWorn *one = &geometry->worn[k];
        afxi_sink_print(file->sink, ",\n{\"mesh\":%u,", file->pairs[(size_t)one->mesh * colours + one->colour]);
        pose(file->sink, one->pose);
        afxi_sink_text(file->sink, ",");
        numbers(file->sink, "scale", one->scale, 3);
        afxi_sink_text(file->sink, "}");
    }
    afxi_sink_text(file->sink, "]");
}

static void write_animation(const AfxiGltfFile *file, uint32_t times) {
    const AfxiGltf *gltf = file->gltf;
    uint32_t count = gltf->moving_count;
    afxi_sink_text(file->sink, ",\n\"animations\":[{\"name\":\"run\",\"samplers\":[");
    for (uint32_t k = 0; k < 2 * count; k++) { /* all positions, then all rotations, as the accessors */
        afxi_sink_print(file->sink, "%s{\"input\":%u,\"output\":%u}", k ? ",\n" : "", times, times + 1 + k);
    }
    afxi_sink_text(file->sink, "],\n\"channels\":[");
    for (uint32_t k = 0; k < 2 * count; k++) {
        afxi_sink_print(file->sink, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"%s\"}}", k ? ",\n" : "", k,
                        1 + gltf->moving[k % count], k < count ? "translation" : "rotation");
    }
    afxi_sink_text(file->sink, "]}]");
}

void afxi_gltf_json(AfxiGltfFile *file) {
    const AfxiSceneGeometry *geometry = &file->gltf->geometry;
    uint32_t times = 2 * geometry->mesh_count;
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        times += geometry->meshes[k].normals != NULL;
    }
    afxi_sink_print(
        file->sink,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"affix %s\",\"extras\":{\"model_hash\":\"%016" PRIx64
        "\"}},\n\"scene\":0,\n",
        afx_version(), file->output->catalog.model_hash);
    afxi_sink_text(file->sink, "\"scenes\":[{\"name\":");
    text(file->sink, file->gltf->title[0] ? file->gltf->title : "run");
    afxi_sink_text(file->sink, ",\"nodes\":[0]}]");
    write_nodes(file);
    if (geometry->mesh_count > 0) {
        write_mesh_list(file);
        write_materials(file);
    }
    if (geometry->mesh_count > 0 && file->gltf->moving_count > 0) {
        write_animation(file, times);
    }
    if (geometry->mesh_count > 0) {
        write_views(file);
        write_accessors(file);
    }
    afxi_sink_text(file->sink, "}\n");
}

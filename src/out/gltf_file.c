/* SPDX-License-Identifier: Apache-2.0 */
/* The .glb file (Khronos, glTF 2.0 specification, section 4): a head, a chunk of JSON, a chunk of binary numbers.
 *
 * The numbers, each in a view of its own: positions and normals of the meshes; their corners; the times; positions of
 * the moving bodies, track by track; their rotations. */
#include "out/gltf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"

#define MAGIC 0x46546c67u
#define JSON_CHUNK 0x4e4f534au
#define BINARY_CHUNK 0x004e4942u
#define HEAD 20u                         /* bytes of the file's head and of the head of its first chunk */
#define TRACKS ((uint64_t)1 << 26)       /* bytes of tracks that are turned round at once, about */
#define FILE_MOST ((uint64_t)UINT32_MAX) /* bytes: sizes in the file have 32 bits */

static AfxStatus spool_error(const AfxiGltfFile *file, AfxError *out_error) {
    return afxi_file_errno(out_error, file->gltf->spool_path, "cannot be read", errno);
}

static bool read_at(int fd, void *data, size_t size, uint64_t offset) {
    char *to = data;
    while (size > 0) {
        ssize_t done = pread(fd, to, size, (off_t)offset);
        if (done > 0) {
            to += done;
            size -= (size_t)done;
            offset += (uint64_t)done;
        } else if (done == 0 || errno != EINTR) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
    }
    return true;
}

/* All times. They must rise, which single precision alone does not promise. */
static bool read_times(AfxiGltfFile *file) {
    float before = -INFINITY;
    for (uint64_t k = 0; k < file->frames; k++) {
        if (!read_at(file->spool, &file->times[k], sizeof(float), k * afxi_gltf_record(file->gltf))) {
            return false;
        }
        if (!(file->times[k] > before)) {
            file->times[k] = nextafterf(before, INFINITY);
        }
        before = file->times[k];
    }
    return true;
}

static void write_meshes(AfxiGltfFile *file) {
    const AfxiSceneGeometry *geometry = &file->gltf->geometry;
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        const AfxiDrawMesh *mesh = &geometry->meshes[k];
        size_t size = (size_t)mesh->vertex_count * 3 * sizeof(float);
        afxi_sink_write(file->sink, mesh->positions, size);
        afxi_sink_write(file->sink, mesh->normals, mesh->normals ? size : 0);
    }
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        const AfxiDrawMesh *mesh = &geometry->meshes[k];
        afxi_sink_write(file->sink, mesh->corners, (size_t)mesh->triangle_count * 3 * sizeof(uint32_t));
    }
}

/* A quaternion and its negative are one rotation, but the way between frames is short only for like signs. */
static void align_signs(float *track, uint64_t frames) {
    for (uint64_t k = 1; k < frames; k++) {
        float *now = track + 4 * k;
        const float *before = now - 4;
        float dot = now[0] * before[0] + now[1] * before[1] + now[2] * before[2] + now[3] * before[3];
        for (int c = 0; c < 4 && dot < 0; c++) {
            now[c] = -now[c];
        }
    }
}

/* Tracks of `width` numbers from place `first` of each body's seven: frames with all bodies become bodies with all
 * frames, as many at once as there is room for. */
static AfxStatus write_tracks(AfxiGltfFile *file, uint32_t first, uint32_t width, AfxError *out_error) {
    const AfxiGltf *gltf = file->gltf;
    const AfxAllocator *allocator = &file->output->allocator;
    uint64_t fit = TRACKS / (file->frames * width * sizeof(float));
    uint32_t count = gltf->moving_count, together = fit < 1 ? 1 : fit < count ? (uint32_t)fit : count;
    if (count == 0) {
        return AFX_OK;
    }
    size_t track = (size_t)file->frames * width, size = together * track * sizeof(float);
    size_t row_size = 7 * (size_t)together * sizeof(float);
    float *tracks = afxi_allocate(allocator, size), *row = afxi_allocate(allocator, row_size);
    AfxStatus status = AFX_OK;
    if (!tracks || !row) {
        afxi_release(allocator, tracks, size);
        afxi_release(allocator, row, row_size);
        return afxi_output_memory(file->output, out_error);
    }
    for (uint32_t body = 0; body < count && status == AFX_OK; body += together) {
        uint32_t now = count - body < together ? count - body : together;
        for (uint64_t frame = 0; frame < file->frames && status == AFX_OK; frame++) {
            uint64_t at = frame * afxi_gltf_record(gltf) + (1 + 7 * (uint64_t)body) * sizeof(float);
            if (!read_at(file->spool, row, 7 * (size_t)now * sizeof(float), at)) {
                status = spool_error(file, out_error);
            }
            for (uint32_t k = 0; k < now; k++) {
                memcpy(tracks + k * track + frame * width, row + 7 * (size_t)k + first, width * sizeof(float));
            }
        }
        for (uint32_t k = 0; k < now && width == 4; k++) {
            align_signs(tracks + k * track, file->frames);
        }
        afxi_sink_write(file->sink, tracks, now * track * sizeof(float));
    }
    afxi_release(allocator, tracks, size);
    afxi_release(allocator, row, row_size);
    return status;
}

/* The head, when the size of the JSON is known. */
static void write_head(AfxiGltfFile *file, uint64_t json) {
    uint64_t binary = file->gltf->geometry.mesh_count ? 8 + file->binary : 0;
    const uint32_t head[5] = {MAGIC, 2, (uint32_t)(HEAD + json + binary), (uint32_t)json, JSON_CHUNK};
    const char *at = (const char *)head;
    if (!afxi_sink_flush(file->sink, false)) {
        return;
    }
    ssize_t done = pwrite(file->sink->fd, at, sizeof head, 0);
    if (done != (ssize_t)sizeof head) {
        file->sink->error = done < 0 ? errno : ENOSPC;
    }
}

static AfxStatus write_chunks(AfxiGltfFile *file, AfxError *out_error) {
    const char blank[HEAD] = {0};
    afxi_sink_write(file->sink, blank, HEAD);
    afxi_gltf_json(file);
    while (file->sink->size % 4 && !file->sink->error) {
        afxi_sink_text(file->sink, " ");
    }
    uint64_t json = file->sink->size - HEAD;
    if (file->gltf->geometry.mesh_count == 0) { /* then nothing moves either */
        write_head(file, json);
        return AFX_OK;
    }
    if (HEAD + json + 8 + file->binary > FILE_MOST) {
        return afxi_file_error(out_error, AFX_E_LIMIT, file->output->path,
                               "would have more than 4 GiB, the format's limit", "take fewer frames (--every)");
    }
    const uint32_t chunk[2] = {(uint32_t)file->binary, BINARY_CHUNK};
    afxi_sink_write(file->sink, chunk, sizeof chunk);
    write_meshes(file);
    afxi_sink_write(file->sink, file->times, (size_t)file->frames * sizeof(float));
    AfxStatus status = write_tracks(file, 0, 3, out_error);
    if (status == AFX_OK) {
        status = write_tracks(file, 3, 4, out_error);
    }
    write_head(file, json);
    return status;
}

/* Numbers the pairs of mesh and colour that are worn. */
static void number_pairs(AfxiGltfFile *file) {
    const AfxiSceneGeometry *geometry = &file->gltf->geometry;
    uint32_t count = 0, colours = afxi_geometry_colours(geometry);
    size_t slots = (size_t)geometry->mesh_count * colours;
    for (uint32_t k = 0; k < geometry->worn_count; k++) {
        file->pairs[(size_t)geometry->worn[k].mesh * colours + geometry->worn[k].colour] = 1;
    }
    for (size_t k = 0; k < slots; k++) {
        file->pairs[k] = file->pairs[k] ? count++ : UINT32_MAX;
    }
}

static size_t pairs_size(const AfxiGltfFile *file) {
    return ((size_t)file->gltf->geometry.mesh_count * afxi_geometry_colours(&file->gltf->geometry) + 1) *
           sizeof *file->pairs;
}

static AfxStatus prepare(AfxiGltfFile *file, AfxError *out_error) {
    const AfxiGltf *gltf = file->gltf;
    const AfxAllocator *allocator = &file->output->allocator;
    for (uint32_t k = 0; k < gltf->geometry.mesh_count; k++) {
        const AfxiDrawMesh *mesh = &gltf->geometry.meshes[k];
        file->vertices += (uint64_t)mesh->vertex_count * 12 * (mesh->normals ? 2 : 1);
        file->corners += (uint64_t)mesh->triangle_count * 12;
    }
    file->binary = file->vertices + file->corners + file->frames * 4 * (1 + 7 * (uint64_t)gltf->moving_count);
    file->times = afxi_allocate(allocator, (size_t)file->frames * sizeof(float));
    file->pairs = afxi_allocate(allocator, pairs_size(file));
    if (!file->times || !file->pairs) {
        return afxi_output_memory(file->output, out_error);
    }
    number_pairs(file);
    if (!read_times(file) || !read_at(file->spool, gltf->record, (size_t)afxi_gltf_record(gltf), 0)) {
        return spool_error(file, out_error);
    }
    return AFX_OK;
}

AfxStatus afxi_gltf_write(AfxOutput *output, int fd, uint64_t frames, AfxError *out_error) {
    AfxiReplace replace;
    AfxiGltfFile file = {.output = output, .gltf = output->state, .sink = &replace.sink, .spool = fd, .frames = frames};
    AfxStatus status = prepare(&file, out_error);
    if (status == AFX_OK) {
        status = afxi_replace_open(&output->allocator, output->path, &replace, out_error);
    }
    if (status == AFX_OK) {
        status = write_chunks(&file, out_error);
        if (status == AFX_OK) {
            status = afxi_replace_commit(&replace, NULL, out_error);
        } else {
            afxi_replace_abandon(&replace);
        }
    }
    afxi_release(&output->allocator, file.times, (size_t)frames * sizeof(float));
    afxi_release(&output->allocator, file.pairs, pairs_size(&file));
    return status;
}

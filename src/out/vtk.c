/* SPDX-License-Identifier: Apache-2.0 */
/* VTK as a kind of output: one PolyData file (.vtp, XML with raw binary arrays) for each frame, and a collection (.pvd)
 * that gives their times. The triangles stand where the bodies are; the number of the body is data of each. The
 * collection is complete after every frame: its last lines are written over and over. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/geometry.h"
#include "out/output.h"

#define NAME 40 /* bytes of what a frame's file adds to the name */

static const char collection_head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                                      "byte_order=\"LittleEndian\">\n<Collection>\n";
static const char collection_tail[] = "</Collection>\n</VTKFile>\n";

typedef struct Vtk {
    AfxiSceneGeometry geometry;
    uint64_t points, triangles;
    AfxPose *poses; /* [bodies] */
    char *frame_path;
    size_t stem;  /* characters of frame_path before the frame's number */
    int fd;       /* of the collection */
    uint64_t end; /* where its last lines begin */
} Vtk;

static void release(AfxOutput *output) {
    Vtk *vtk = output->state;
    if (vtk->fd >= 0) {
        close(vtk->fd);
    }
    afxi_geometry_destroy(&vtk->geometry);
    afxi_release(&output->allocator, vtk->poses, output->catalog.count[AFXI_ITEM_BODY] * sizeof *vtk->poses);
    afxi_release(&output->allocator, vtk->frame_path, vtk->stem + NAME);
    afxi_release(&output->allocator, vtk, sizeof *vtk);
    output->state = NULL;
}

static AfxStatus allocate(AfxOutput *output, const AfxScene *scene, AfxError *out_error) {
    Vtk *vtk = output->state = afxi_allocate(&output->allocator, sizeof *vtk);
    if (!vtk) {
        return afxi_output_memory(output, out_error);
    }
    size_t length = strlen(output->path);
    vtk->fd = -1;
    vtk->stem = length > 4 && strcmp(output->path + length - 4, ".pvd") == 0 ? length - 4 : length;
    vtk->frame_path = afxi_allocate(&output->allocator, vtk->stem + NAME);
    vtk->poses = afxi_allocate(&output->allocator, output->catalog.count[AFXI_ITEM_BODY] * sizeof *vtk->poses);
    if (!vtk->frame_path || !vtk->poses) {
        return afxi_output_memory(output, out_error);
    }
    memcpy(vtk->frame_path, output->path, vtk->stem);
    AfxStatus status = afxi_geometry_create(&output->allocator, scene, &vtk->geometry);
    for (uint32_t k = 0; k < vtk->geometry.worn_count && status == AFX_OK; k++) {
        const AfxiDrawMesh *mesh = &vtk->geometry.meshes[vtk->geometry.worn[k].mesh];
        vtk->points += mesh->vertex_count;
        vtk->triangles += mesh->triangle_count;
    }
    if (vtk->points > INT32_MAX || vtk->triangles > INT32_MAX / 3) {
        status = AFX_E_LIMIT;
    }
    return status == AFX_OK ? AFX_OK : afxi_file_error(out_error, status, output->path, afx_status_text(status), "");
}

static AfxStatus put(AfxOutput *output, const char *text, uint64_t offset, AfxError *out_error) {
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t done = pwrite(((Vtk *)output->state)->fd, text, length, (off_t)offset);
        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return afxi_file_errno(out_error, output->path, "cannot be written", done < 0 ? errno : ENOSPC);
        }
        size_t more = done > 0 ? (size_t)done : 0;
        text += more;
        offset += more;
        length -= more;
    }
    return AFX_OK;
}

static AfxStatus open_collection(AfxOutput *output, AfxiMark *mark, AfxError *out_error) {
    Vtk *vtk = output->state;
    struct stat info;
    if (mark && !afxi_mark_get(mark, &vtk->end, sizeof vtk->end)) {
        return afxi_mark_damaged(output, out_error);
    }
    vtk->fd = open(output->path, O_RDWR | O_CLOEXEC | (mark ? 0 : O_CREAT | O_TRUNC), 0666);
    if (vtk->fd < 0) {
        return afxi_file_errno(out_error, output->path, mark ? "cannot be opened to go on from" : "cannot be made",
                               errno);
    }
    if (!mark) {
        vtk->end = sizeof collection_head - 1;
        return put(output, collection_head, 0, out_error);
    }
    if (fstat(vtk->fd, &info) != 0 || (uint64_t)info.st_size < vtk->end || ftruncate(vtk->fd, (off_t)vtk->end) != 0) {
        return afxi_file_error(out_error, AFX_E_INPUT, output->path, "is shorter than when the snapshot was taken",
                               "restore it, or start the run anew");
    }
    return put(output, collection_tail, vtk->end, out_error);
}

static AfxStatus vtk_open(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                          AfxiMark *mark, AfxError *out_error) {
    (void)def;
    (void)sim;
    AfxStatus status = afxi_path_replaceable(output->path, out_error);
    if (status == AFX_OK) {
        status = afxi_file_needs_little_endian(output->path, out_error);
    }
    if (status == AFX_OK) {
        status = allocate(output, scene, out_error);
    }
    if (status == AFX_OK) {
        status = open_collection(output, mark, out_error);
    }
    if (status != AFX_OK && output->state) {
        release(output);
    }
    return status;
}

static void write_size(AfxiSink *sink, uint64_t size) {
    afxi_sink_write(sink, &size, sizeof size);
}

static void write_points(const Vtk *vtk, AfxiSink *sink) {
    write_size(sink, vtk->points * 12);
    for (uint32_t k = 0; k < vtk->geometry.worn_count; k++) {
        const AfxiWorn *worn = &vtk->geometry.worn[k];
        const AfxiDrawMesh *mesh = &vtk->geometry.meshes[worn->mesh];
        AfxPose pose = afx_pose_compose(vtk->poses[worn->body], worn->pose);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            const float *at = &mesh->positions[3 * (size_t)v];
            AfxVec3 point = {worn->scale[0] * (double)at[0], worn->scale[1] * (double)at[1],
                             worn->scale[2] * (double)at[2]};
            point = afx_pose_apply(pose, point);
            const float placed[3] = {(float)point.x, (float)point.y, (float)point.z};
            afxi_sink_write(sink, placed, sizeof placed);
        }
    }
}

static void write_triangles(const Vtk *vtk, AfxiSink *sink) {
    write_size(sink, vtk->triangles * 12);
    int32_t first = 0;
    for (uint32_t k = 0; k < vtk->geometry.worn_count; k++) {
        const AfxiDrawMesh *mesh = &vtk->geometry.meshes[vtk->geometry.worn[k].mesh];
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *corner = &mesh->corners[3 * (size_t)t];
            const int32_t shifted[3] = {first + (int32_t)corner[0], first + (int32_t)corner[1],
                                        first + (int32_t)corner[2]};
            afxi_sink_write(sink, shifted, sizeof shifted);
        }
        first += (int32_t)mesh->vertex_count;
    }
    write_size(sink, vtk->triangles * 4);
    for (int32_t k = 1; (uint64_t)k <= vtk->triangles; k++) {
        const int32_t end = 3 * k;
        afxi_sink_write(sink, &end, sizeof end);
    }
    write_size(sink, vtk->triangles * 4);
    for (uint32_t k = 0; k < vtk->geometry.worn_count; k++) {
        const AfxiWorn *worn = &vtk->geometry.worn[k];
        for (uint32_t t = 0; t < vtk->geometry.meshes[worn->mesh].triangle_count; t++) {
            const int32_t body = (int32_t)worn->body;
            afxi_sink_write(sink, &body, sizeof body);
        }
    }
}

static void write_poly_data(const Vtk *vtk, AfxiSink *sink) {
    uint64_t corners = 8 + 12 * vtk->points, ends = corners + 8 + 12 * vtk->triangles;
    uint64_t bodies = ends + 8 + 4 * vtk->triangles;
    afxi_sink_text(sink, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                         "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    afxi_sink_print(sink, "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfPolys=\"%" PRIu64 "\">\n<Points>", vtk->points,
                    vtk->triangles);
    afxi_sink_text(sink, "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>");
    afxi_sink_print(sink,
                    "</Points>\n<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" "
                    "offset=\"%" PRIu64 "\"/>",
                    corners);
    afxi_sink_print(sink, "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"%" PRIu64 "\"/>",
                    ends);
    afxi_sink_print(sink,
                    "</Polys>\n<CellData Scalars=\"body\"><DataArray type=\"Int32\" Name=\"body\" format=\"appended\" "
                    "offset=\"%" PRIu64 "\"/></CellData>\n",
                    bodies);
    afxi_sink_text(sink, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    write_points(vtk, sink);
    write_triangles(vtk, sink);
    afxi_sink_text(sink, "\n</AppendedData>\n</VTKFile>\n");
}

/* A name between quotes in XML. */
static void escape(const char *name, char *out, size_t size) {
    size_t used = 0;
    for (; *name && used + 7 < size; name++) {
        const char *entity = *name == '&' ? "&amp;" : *name == '"' ? "&quot;" : *name == '<' ? "&lt;" : NULL;
        used += (size_t)(entity ? snprintf(out + used, size - used, "%s", entity)
                                : snprintf(out + used, size - used, "%c", *name));
    }
}

static AfxStatus vtk_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    Vtk *vtk = output->state;
    snprintf(vtk->frame_path + vtk->stem, NAME, "_%06" PRIu64 ".vtp", output->frames);
    afx_sim_poses(sim, vtk->poses);
    AfxiReplace replace;
    AfxStatus status = afxi_replace_open(&output->allocator, vtk->frame_path, &replace, out_error);
    if (status == AFX_OK) {
        replace.hasty = true;
        write_poly_data(vtk, &replace.sink);
        status = afxi_replace_commit(&replace, NULL, out_error);
    }
    if (status != AFX_OK) {
        return status;
    }
    char name[2048] = "", line[2200];
    const char *slash = strrchr(vtk->frame_path, '/');
    escape(slash ? slash + 1 : vtk->frame_path, name, sizeof name);
    int length = snprintf(line, sizeof line, "<DataSet timestep=\"%.17g\" file=\"%s\"/>\n%s", afx_sim_time(sim), name,
                          collection_tail);
    status = put(output, line, vtk->end, out_error);
    vtk->end += (uint64_t)length - (sizeof collection_tail - 1);
    return status;
}

static AfxStatus vtk_mark(AfxOutput *output, AfxError *out_error) {
    Vtk *vtk = output->state;
    if (fsync(vtk->fd) != 0) {
        return afxi_file_errno(out_error, output->path, "cannot be written", errno);
    }
    return afxi_mark_put(output, &vtk->end, sizeof vtk->end) == AFX_OK ? AFX_OK : afxi_output_memory(output, out_error);
}

static AfxStatus vtk_close(AfxOutput *output, bool complete, AfxError *out_error) {
    (void)complete;
    Vtk *vtk = output->state;
    AfxStatus status = AFX_OK;
    if (close(vtk->fd) != 0 && errno != EINTR) {
        status = afxi_file_errno(out_error, output->path, "cannot be written", errno);
    }
    vtk->fd = -1;
    release(output);
    return status;
}

const AfxiOutputKind afxi_output_vtk = {vtk_open, vtk_frame, vtk_mark, vtk_close, NULL};

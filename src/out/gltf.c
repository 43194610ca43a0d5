/* SPDX-License-Identifier: Apache-2.0 */
/* glTF 2.0 as a kind of output: the spool. A track needs all frames of a body together, but frames come one by one with
 * all bodies; so they are appended to `path`.part, and memory does not grow with the run. */
#include "out/gltf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"

static void release(AfxOutput *output) {
    AfxiGltf *gltf = output->state;
    size_t bodies = output->catalog.count[AFXI_ITEM_BODY];
    if (gltf->spool.buffer) {
        afxi_sink_close(&gltf->spool, false);
    }
    afxi_geometry_destroy(&gltf->geometry);
    afxi_path_release(&output->allocator, gltf->spool_path);
    afxi_release(&output->allocator, gltf->moving, bodies * sizeof *gltf->moving);
    afxi_release(&output->allocator, gltf->start, bodies * sizeof *gltf->start);
    afxi_release(&output->allocator, gltf->poses, bodies * sizeof *gltf->poses);
    afxi_release(&output->allocator, gltf->record, (1 + 7 * bodies) * sizeof *gltf->record);
    afxi_release(&output->allocator, gltf, sizeof *gltf);
    output->state = NULL;
}

static AfxStatus allocate(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                          AfxError *out_error) {
    AfxiGltf *gltf = output->state = afxi_allocate(&output->allocator, sizeof *gltf);
    if (!gltf) {
        return afxi_output_memory(output, out_error);
    }
    size_t bodies = output->catalog.count[AFXI_ITEM_BODY];
    gltf->spool.fd = -1;
    snprintf(gltf->title, sizeof gltf->title, "%s", def->title ? def->title : "");
    gltf->spool_path = afxi_path_with(&output->allocator, output->path, ".part");
    gltf->moving = afxi_allocate(&output->allocator, bodies * sizeof *gltf->moving);
    gltf->start = afxi_allocate(&output->allocator, bodies * sizeof *gltf->start);
    gltf->poses = afxi_allocate(&output->allocator, bodies * sizeof *gltf->poses);
    gltf->record = afxi_allocate(&output->allocator, (1 + 7 * bodies) * sizeof *gltf->record);
    if (!gltf->spool_path || !gltf->moving || !gltf->start || !gltf->poses || !gltf->record) {
        return afxi_output_memory(output, out_error);
    }
    const AfxModel *model = afx_sim_model(sim);
    for (uint32_t k = 0; k < bodies; k++) {
        if (afx_model_body_kind(model, k) != AFX_BODY_FIXED) {
            gltf->moving[gltf->moving_count++] = k;
        }
    }
    AfxStatus status = afxi_geometry_create(&output->allocator, scene, &gltf->geometry);
    if (status != AFX_OK) {
        return afxi_file_error(out_error, status, output->path, afx_status_text(status), "");
    }
    return afx_sim_poses(sim, gltf->start);
}

/* Opens the spool, anew or cut to the frames of a mark. */
static AfxStatus open_spool(AfxOutput *output, AfxError *out_error) {
    AfxiGltf *gltf = output->state;
    struct stat info;
    bool resumed = gltf->resumable;
    uint64_t size = resumed ? output->frames * afxi_gltf_record(gltf) : 0;
    int fd = open(gltf->spool_path, O_RDWR | O_CLOEXEC | (resumed ? 0 : O_CREAT | O_TRUNC), 0666);
    if (fd < 0) {
        return resumed ? afxi_file_errno(out_error, gltf->spool_path, "cannot be opened to go on from", errno)
                       : afxi_file_errno(out_error, output->path, "cannot be made", errno);
    }
    if (resumed && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < size ||
                    ftruncate(fd, (off_t)size) != 0 || lseek(fd, (off_t)size, SEEK_SET) < 0)) {
        close(fd);
        return afxi_file_error(out_error, AFX_E_INPUT, gltf->spool_path, "is shorter than when the snapshot was taken",
                               "restore it, or start the run anew");
    }
    if (!afxi_sink_open(&output->allocator, fd, size, &gltf->spool)) {
        close(fd);
        return afxi_output_memory(output, out_error);
    }
    return AFX_OK;
}

static AfxStatus gltf_open(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                           AfxiMark *mark, AfxError *out_error) {
    AfxStatus status = afxi_path_replaceable(output->path, out_error);
    if (status == AFX_OK) {
        status = afxi_file_needs_little_endian(output->path, out_error);
    }
    if (status == AFX_OK) {
        status = allocate(output, def, scene, sim, out_error);
    }
    if (status == AFX_OK) {
        ((AfxiGltf *)output->state)->resumable = mark != NULL;
        status = open_spool(output, out_error);
    }
    if (status != AFX_OK && output->state) {
        release(output);
    }
    return status;
}

static AfxStatus gltf_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    AfxiGltf *gltf = output->state;
    afx_sim_poses(sim, gltf->poses);
    float *at = gltf->record;
    *at++ = (float)afx_sim_time(sim);
    for (uint32_t k = 0; k < gltf->moving_count; k++) {
        const AfxPose *pose = &gltf->poses[gltf->moving[k]];
        *at++ = (float)pose->position.x;
        *at++ = (float)pose->position.y;
        *at++ = (float)pose->position.z;
        *at++ = (float)pose->rotation.x;
        *at++ = (float)pose->rotation.y;
        *at++ = (float)pose->rotation.z;
        *at++ = (float)pose->rotation.w;
    }
    afxi_sink_write(&gltf->spool, gltf->record, (size_t)afxi_gltf_record(gltf));
    return gltf->spool.error ? afxi_file_errno(out_error, gltf->spool_path, "cannot be written", gltf->spool.error)
                             : AFX_OK;
}

static AfxStatus gltf_mark(AfxOutput *output, AfxError *out_error) {
    AfxiGltf *gltf = output->state;
    gltf->resumable = true;
    return afxi_sink_flush(&gltf->spool, true)
               ? AFX_OK
               : afxi_file_errno(out_error, gltf->spool_path, "cannot be written", gltf->spool.error);
}

static AfxStatus gltf_close(AfxOutput *output, bool complete, AfxError *out_error) {
    AfxiGltf *gltf = output->state;
    AfxStatus status = AFX_OK;
    if (complete) {
        status = afxi_sink_flush(&gltf->spool, false)
                     ? afxi_gltf_write(output, gltf->spool.fd, output->frames, out_error)
                     : afxi_file_errno(out_error, gltf->spool_path, "cannot be written", gltf->spool.error);
    }
    if (!gltf->resumable) {
        unlink(gltf->spool_path);
    }
    release(output);
    return status;
}

const AfxiOutputKind afxi_output_gltf = {gltf_open, gltf_frame, gltf_mark, gltf_close, NULL};

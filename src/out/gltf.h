/* SPDX-License-Identifier: Apache-2.0 */
/* An animation being recorded, and the file that it becomes. */
#ifndef AFXI_OUT_GLTF_H
#define AFXI_OUT_GLTF_H

#include "out/geometry.h"
#include "out/output.h"
#include "out/sink.h"

/** Frames go to a spool beside the file, as they come; the file has one track per body and is made from it at the end.
 */
typedef struct AfxiGltf {
    AfxiSceneGeometry geometry;
    char *spool_path;
    AfxiSink spool;
    uint32_t *moving; /* [moving_count] bodies that can move, rising */
    uint32_t moving_count;
    AfxPose *start; /* [bodies] poses at the first frame; what never moves stays there */
    AfxPose *poses; /* [bodies] */
    float *record;  /* of one frame: time, then position and quaternion (x, y, z, w) of each moving body */
    char title[200];
    bool resumable; /* somebody may go on from the spool: it stays */
} AfxiGltf;

/** Bytes of a record. */
static inline uint64_t afxi_gltf_record(const AfxiGltf *gltf) {
    return (1 + 7 * (uint64_t)gltf->moving_count) * sizeof(float);
}

/** Makes output->path from `frames` records of the spool, which is open for reading as `fd`. */
AfxStatus afxi_gltf_write(AfxOutput *output, int fd, uint64_t frames, AfxError *out_error);

#endif

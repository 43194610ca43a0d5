/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded run as one page that needs nothing else (docs/viewer.md, "The replay page").
 *
 * Frames go to a spool beside the page, as they come, and are packed when the run ends. Positions become whole numbers
 * of 16 bits over the cube around all that was recorded, components of quaternions whole numbers of 1/8191, stresses
 * eighths of an octave. What is kept of a number is its difference to the line through the last two frames; these are
 * put in order of component, body and frame, low bytes first, and deflated. A chunk of frames stands for itself, so
 * that a page can jump. */
#ifndef AFXI_OUT_REPLAY_H
#define AFXI_OUT_REPLAY_H

#include "affix/sim.h"
#include "out/bytes.h"
#include "out/look.h"
#include "out/sink.h"

/** What is known of a frame as a whole. */
typedef struct AfxiReplayNumbers {
    double time, step;
    double energy[4]; /* kinetic, potential, elastic, total */
    double residual, rotation_error, solves, flags;
    double seconds; /* that a step took */
} AfxiReplayNumbers;

#define AFXI_REPLAY_NUMBERS (sizeof(AfxiReplayNumbers) / sizeof(double))

typedef struct AfxiReplay {
    AfxAllocator allocator;
    const char *path; /* the caller's */
    char *spool_path;
    AfxiSink spool;
    AfxiBytes look;
    uint32_t bodies;
    uint64_t frames;
    bool keep; /* somebody may go on from the spool: it stays */
} AfxiReplay;

/** Opens the spool of `path`, anew or cut to its first `frames` frames, and takes over *look (afxi_look_write). On
 * failure nothing is left to close. */
AfxStatus afxi_replay_open(const AfxAllocator *allocator, const char *path, AfxiBytes *look, uint32_t bodies,
                           bool resumed, uint64_t frames, AfxiReplay *out_replay, AfxError *out_error);
/** Adds a frame; bodies[count][AFXI_LOOK_FLOATS], the value being the stress in Pa. */
AfxStatus afxi_replay_add(AfxiReplay *replay, const AfxiReplayNumbers *numbers, const float *bodies,
                          AfxError *out_error);
/** Writes the page when `complete`, and frees everything. */
AfxStatus afxi_replay_close(AfxiReplay *replay, bool complete, AfxError *out_error);

/** Packs the spool, open for reading as `fd`, into the page. */
AfxStatus afxi_replay_pack(const AfxiReplay *replay, int fd, AfxError *out_error);
/** Bytes of a frame in the spool. */
static inline size_t afxi_replay_record(const AfxiReplay *replay) {
    return sizeof(AfxiReplayNumbers) + AFXI_LOOK_FLOATS * sizeof(float) * (size_t)replay->bodies;
}

#endif

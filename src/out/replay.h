/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded run as one page that needs nothing else (docs/viewer.md, "The replay page").
 *
 * Frames go to a spool beside the page, as they come, and are packed when the run ends. Positions become whole numbers
 * of 16 bits over the cube around all that was recorded, components of quaternions whole numbers of 1/8191, stresses
 * eighths of an octave. What is kept of a number is its difference to the line through the last two frames; these are
 * put in order of component, body and frame, low bytes first, and deflated. A chunk of frames stands for itself, so
 * that a page can jump. Contacts are packed beside them (replay_touch.c), at most AFXI_REPLAY_CONTACTS of a frame. */
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
    double seconds;  /* that a step took */
    double contacts; /* points that touch, those included that are not kept */
} AfxiReplayNumbers;

#define AFXI_REPLAY_NUMBERS (sizeof(AfxiReplayNumbers) / sizeof(double))
#define AFXI_REPLAY_CONTACTS 1024u /* points of a frame; of more, as many are chosen evenly */
#define AFXI_TOUCH_NORMAL 127.0    /* steps over 1 */
#define AFXI_TOUCH_FORCE 1023.0    /* steps over the largest of a frame */

typedef struct AfxiReplay {
    AfxAllocator allocator;
    const char *path; /* the caller's */
    char *spool_path;
    AfxiSink spool;
    AfxiBytes look;
    uint32_t bodies;
    uint32_t contacts; /* of a frame, at most; 0: none are kept */
    uint64_t frames;
    bool keep; /* somebody may go on from the spool: it stays */
} AfxiReplay;

/** Positions are low + step * whole number. */
typedef struct AfxiReplayGrid {
    double low[3], high[3], step;
} AfxiReplayGrid;

/** Opens the spool of `path`, anew or cut to its first `frames` frames, and takes over *look (afxi_look_write). The
 * caller has set bodies, contacts and, when `resumed`, frames of *replay. On failure nothing is left to close. */
AfxStatus afxi_replay_open(const AfxAllocator *allocator, const char *path, AfxiBytes *look, bool resumed,
                           AfxiReplay *replay, AfxError *out_error);
/** Adds a frame; bodies[count][AFXI_LOOK_FLOATS], the value being the stress in Pa, and
 * touches[afxi_replay_touches(contacts)]: their number, then [number][AFXI_LOOK_CONTACT]. */
AfxStatus afxi_replay_add(AfxiReplay *replay, const AfxiReplayNumbers *numbers, const float *bodies,
                          const float *touches, AfxError *out_error);
/** Writes the page when `complete`, and frees everything. */
AfxStatus afxi_replay_close(AfxiReplay *replay, bool complete, AfxError *out_error);

/** Packs the spool, open for reading as `fd`, into the page. */
AfxStatus afxi_replay_pack(const AfxiReplay *replay, int fd, AfxError *out_error);
/** Contacts of `frames` frames, each as in afxi_replay_add with room for `most`, as bytes at the end of *out, which is
 * empty: numbers of points (32 bits) and scales (floats) of the frames, low bytes, high bytes. */
AfxStatus afxi_replay_touch(const AfxiReplayGrid *grid, uint32_t most, uint32_t frames, const float *touches,
                            AfxiBytes *out);
/** Floats of the contacts of a frame. */
static inline size_t afxi_replay_touches(uint32_t contacts) {
    return contacts ? 1 + AFXI_LOOK_CONTACT * (size_t)contacts : 0;
}
/** Bytes of a frame in the spool. */
static inline size_t afxi_replay_record(const AfxiReplay *replay) {
    return sizeof(AfxiReplayNumbers) +
           sizeof(float) * (AFXI_LOOK_FLOATS * (size_t)replay->bodies + afxi_replay_touches(replay->contacts));
}
/** The sign goes to the lowest bit: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint16_t afxi_replay_fold(uint16_t rest) {
    return (uint16_t)(rest << 1 ^ (rest & 0x8000 ? 0xffff : 0));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded run as one page that needs nothing else (docs/viewer.md, "The replay page").
 *
 * Frames go to a spool beside the page, as they come, and are packed when the run ends: as whole numbers, of which the
 * difference to a guess is kept (replay_code.h), in order of component, body and frame, low bytes first, and deflated.
 * A chunk of frames stands for itself, so that a page can jump, and unpacks its frames one by one. Contacts are packed
 * beside them (replay_touch.c), at most AFXI_REPLAY_CONTACTS of a frame, and reactions (replay_load.c) where there are
 * no more than AFXI_REPLAY_JOINTS joints. */
#ifndef AFXI_OUT_REPLAY_H
#define AFXI_OUT_REPLAY_H

#include "affix/sim.h"
#include "out/bytes.h"
#include "out/drawings.h"
#include "out/look.h"
#include "out/sink.h"

/** What is known of a frame as a whole. */
typedef struct AfxiReplayNumbers {
    double time, step;
    double energy[4]; /* kinetic, potential, elastic, total */
    double residual, rotation_error, solves, flags;
    double contacts;             /* points that touch, those included that are not kept */
    double reason;               /* AfxTraceReason of the step with most solver iterations */
    double book[AFXI_LOOK_BOOK]; /* the energy book; NaN where none is kept */
    double drawing;              /* which drawing is shown, from 1 on; 0: none */
} AfxiReplayNumbers;

#define AFXI_REPLAY_NUMBERS (sizeof(AfxiReplayNumbers) / sizeof(double))
#define AFXI_REPLAY_CONTACTS 1024u /* points of a frame; of more, as many are chosen evenly */
#define AFXI_REPLAY_JOINTS 1024u   /* more have no reactions */
#define AFXI_TOUCH_NORMAL 127.0    /* steps over 1 */
#define AFXI_TOUCH_FORCE 1023.0    /* steps over the largest of a frame */
#define AFXI_REPLAY_LOAD 16383.0   /* steps over the largest reaction of a chunk */

#define AFXI_TIE_NONE UINT32_MAX
#define AFXI_TIE_WORLD (UINT32_MAX - 1)

/** A joint that holds two points together, one of them on a body with a smaller number or on the world. */
typedef struct AfxiReplayTie {
    uint32_t body;           /* the other one */
    float there[3], here[3]; /* the point on the other body, or in the world, and on its own */
} AfxiReplayTie;

typedef struct AfxiReplay {
    AfxAllocator allocator;
    const char *path; /* the caller's */
    char *spool_path;
    AfxiSink spool;
    AfxiBytes look;
    uint32_t bodies;
    uint32_t contacts;     /* of a frame, at most; 0: none are kept */
    uint32_t joints;       /* whose reactions are kept; 0: none are */
    AfxiReplayTie *ties;   /* [bodies], or NULL */
    float *reach;          /* [bodies] m, how far a body reaches from its origin; or NULL */
    AfxiDrawings drawings; /* own geometry */
    uint64_t frames;
    bool keep; /* somebody may go on from the spool: it stays */
} AfxiReplay;

/** Positions are low + step * whole number. */
typedef struct AfxiReplayGrid {
    double low[3], high[3], step;
} AfxiReplayGrid;

/** Makes ties and reach from the scene; replay->bodies is set. Both stay the caller's to free, with the other function.
 */
AfxStatus afxi_replay_prepare(AfxiReplay *replay, const AfxAllocator *allocator, const AfxScene *scene);
void afxi_replay_unprepare(AfxiReplay *replay, const AfxAllocator *allocator);

/** Opens the spool of `path`, anew or cut to its first `frames` frames, and takes over *look (afxi_look_write). The
 * caller has set bodies, contacts, joints, ties, reach and, when `resumed`, frames of *replay. On failure nothing is
 * left to close. */
AfxStatus afxi_replay_open(const AfxAllocator *allocator, const char *path, AfxiBytes *look, bool resumed,
                           AfxiReplay *replay, AfxError *out_error);
/** Adds a frame; bodies[count][AFXI_LOOK_FLOATS], the value being the stress in Pa,
 * touches[afxi_replay_touches(contacts)]: their number, then [number][AFXI_LOOK_CONTACT], and
 * reactions[joints][AFXI_LOOK_REACTION]. */
AfxStatus afxi_replay_add(AfxiReplay *replay, const AfxiReplayNumbers *numbers, const float *bodies,
                          const float *touches, const float *reactions, AfxError *out_error);
/** Writes the page when `complete`, and frees everything. */
AfxStatus afxi_replay_close(AfxiReplay *replay, bool complete, AfxError *out_error);

/** Packs the spool, open for reading as `fd`, into the page. */
AfxStatus afxi_replay_pack(const AfxiReplay *replay, int fd, AfxError *out_error);
/** Contacts of `frames` frames, each as in afxi_replay_add with room for `most`, as bytes at the end of *out, which is
 * empty: numbers of points (32 bits) and scales (floats) of the frames, low bytes, high bytes. */
AfxStatus afxi_replay_touch(const AfxiReplayGrid *grid, uint32_t most, uint32_t frames, const float *touches,
                            AfxiBytes *out);
/** Reactions of `frames` frames, [frames][joints][AFXI_LOOK_REACTION], as bytes at the end of *out, which is empty: the
 * largest force and the largest torque (floats), then parts of AFXI_REPLAY_LOAD of them as differences to the frame
 * before, low bytes, high bytes, each [AFXI_LOOK_REACTION][joints][frames]. */
AfxStatus afxi_replay_load(uint32_t joints, uint32_t frames, const float *reactions, AfxiBytes *out);
/** Floats of the contacts of a frame. */
static inline size_t afxi_replay_touches(uint32_t contacts) {
    return contacts ? 1 + AFXI_LOOK_CONTACT * (size_t)contacts : 0;
}
/** Bytes of a frame in the spool. */
static inline size_t afxi_replay_record(const AfxiReplay *replay) {
    return sizeof(AfxiReplayNumbers) +
           sizeof(float) * (AFXI_LOOK_FLOATS * (size_t)replay->bodies + afxi_replay_touches(replay->contacts) +
                            AFXI_LOOK_REACTION * (size_t)replay->joints);
}
/** The sign goes to the lowest bit: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint16_t afxi_replay_fold(uint16_t rest) {
    return (uint16_t)(rest << 1 ^ (rest & 0x8000 ? 0xffff : 0));
}

#endif

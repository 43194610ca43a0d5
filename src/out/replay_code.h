/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of a replay as whole numbers, of which the difference to a guess is kept.
 *
 * A position is a number of steps of the grid. Where a joint without free translations ties a body to one with a
 * smaller number, or to the world, the joint gives the guess; it is taken as it is when it is off by no more than
 * AFXI_REPLAY_OFF steps, so that the positions of a chain cost next to nothing. Quaternions have a scale for each body:
 * as fine as positions, seen at the end of the body. Their largest component follows from the others. Everything else
 * continues the line through the last two frames; the first frame of a chunk, the body before. viewer/src/unpack.js
 * undoes it with the same operations in the same order, so that guesses are equal to the bit. */
#ifndef AFXI_OUT_REPLAY_CODE_H
#define AFXI_OUT_REPLAY_CODE_H

#include "out/replay.h"

#define AFXI_REPLAY_OFF 2.0    /* steps that a position may be off */
#define AFXI_REPLAY_STRESS 4.0 /* steps of a stress over an octave, from 1 Pa on */

typedef struct AfxiReplayCoder {
    const AfxiReplayTie *ties; /* [bodies], or NULL */
    const AfxiReplayGrid *grid;
    const uint16_t *scales; /* [bodies] of quaternions */
    uint32_t bodies;
    int32_t *last, *before; /* [bodies][AFXI_LOOK_FLOATS] whole numbers of the last two frames */
} AfxiReplayCoder;

/** Scales of quaternions from how far bodies reach (NULL: as fine as can be). */
void afxi_replay_scales(const AfxiReplayGrid *grid, const float *reach, uint32_t bodies, uint16_t *out_scales);
/** Codes a frame, [bodies][AFXI_LOOK_FLOATS]: number `frame` of the `count` in its chunk, in order. planes has the low,
 * then the high bytes, each [AFXI_LOOK_FLOATS][bodies][count]. */
void afxi_replay_code(AfxiReplayCoder *coder, const float *bodies, uint32_t frame, uint32_t count,
                      unsigned char *planes);

#endif

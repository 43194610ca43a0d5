/* SPDX-License-Identifier: Apache-2.0 */
/* The contacts of a chunk of frames as bytes. Of each point there are ten whole numbers: its place on the grid of the
 * bodies' positions, the normal in parts of AFXI_TOUCH_NORMAL, and the force and the friction in parts of
 * AFXI_TOUCH_FORCE of the frame's largest force. What is kept is the difference to the frame's point before it, which
 * is often a neighbour on the same bodies. */
#include <math.h>

#include "out/replay.h"

static uint16_t whole(const AfxiReplayGrid *grid, double scale, int component, double value) {
    double number = component < 3   ? (value - grid->low[component]) / grid->step
                    : component < 6 ? AFXI_TOUCH_NORMAL * value
                                    : AFXI_TOUCH_FORCE * value / scale;
    number = isfinite(number) ? fmin(fmax(number, -32768), 65535) : 0;
    return (uint16_t)(int32_t)lrint(number);
}

static float largest_force(const float *points, uint32_t count) {
    float largest = 0;
    for (uint32_t k = 0; k < count; k++) {
        for (int component = 6; component < AFXI_LOOK_CONTACT; component++) {
            largest = fmaxf(largest, fabsf(points[AFXI_LOOK_CONTACT * (size_t)k + (size_t)component]));
        }
    }
    return largest > 0 && isfinite(largest) ? largest : 1;
}

/* `at` is the point's place among all points of the chunk, whose number is `total`. */
static void put_frame(const AfxiReplayGrid *grid, float scale, const float *points, uint32_t count, size_t at,
                      size_t total, unsigned char *planes) {
    size_t half = AFXI_LOOK_CONTACT * total;
    for (size_t component = 0; component < AFXI_LOOK_CONTACT; component++) {
        uint16_t last = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint16_t now = whole(grid, scale, (int)component, points[AFXI_LOOK_CONTACT * (size_t)k + component]);
            uint16_t zigzag = afxi_replay_fold((uint16_t)(now - last));
            size_t place = component * total + at + k;
            planes[place] = (unsigned char)zigzag;
            planes[half + place] = (unsigned char)(zigzag >> 8);
            last = now;
        }
    }
}

AfxStatus afxi_replay_touch(const AfxiReplayGrid *grid, uint32_t most, uint32_t frames, const float *touches,
                            AfxiBytes *out) {
    size_t stride = afxi_replay_touches(most), total = 0, at = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        total += (size_t)touches[frame * stride];
    }
    size_t head = frames * (sizeof(uint32_t) + sizeof(float));
    uint32_t *counts = afxi_bytes_extend(out, head + 2 * AFXI_LOOK_CONTACT * total);
    if (!counts) {
        return out->status;
    }
    float *scales = (float *)(void *)(counts + frames);
    unsigned char *planes = (unsigned char *)(scales + frames);
    for (uint32_t frame = 0; frame < frames; frame++) {
        const float *block = touches + frame * stride;
        counts[frame] = (uint32_t)block[0];
        scales[frame] = largest_force(block + 1, counts[frame]);
        put_frame(grid, scales[frame], block + 1, counts[frame], at, total, planes);
        at += counts[frame];
    }
    return AFX_OK;
}

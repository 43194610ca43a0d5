/* SPDX-License-Identifier: Apache-2.0 */
/* The reactions of a chunk of frames as bytes. */
#include <math.h>

#include "out/replay.h"

static float largest(const float *reactions, size_t count, size_t first) {
    float most = 0;
    for (size_t k = 0; k < count; k++) {
        for (size_t n = first; n < first + 3; n++) {
            float size = fabsf(reactions[AFXI_LOOK_REACTION * k + n]);
            most = size > most && isfinite(size) ? size : most;
        }
    }
    return most > 0 ? most : 1;
}

static uint16_t whole(float value, float scale) {
    double number = AFXI_REPLAY_LOAD * (double)value / scale;
    return (uint16_t)(int16_t)lrint(isfinite(number) ? fmin(fmax(number, -AFXI_REPLAY_LOAD), AFXI_REPLAY_LOAD) : 0);
}

AfxStatus afxi_replay_load(uint32_t joints, uint32_t frames, const float *reactions, AfxiBytes *out) {
    size_t half = AFXI_LOOK_REACTION * (size_t)joints * frames;
    float *scales = afxi_bytes_extend(out, 2 * sizeof(float) + 2 * half);
    if (!scales) {
        return out->status;
    }
    unsigned char *planes = (unsigned char *)(scales + 2);
    scales[0] = largest(reactions, (size_t)joints * frames, 0);
    scales[1] = largest(reactions, (size_t)joints * frames, 3);
    size_t place = 0;
    for (size_t n = 0; n < AFXI_LOOK_REACTION; n++) {
        for (size_t joint = 0; joint < joints; joint++) {
            uint16_t last = 0;
            for (size_t frame = 0; frame < frames; frame++, place++) {
                uint16_t now = whole(reactions[(frame * joints + joint) * AFXI_LOOK_REACTION + n], scales[n / 3]);
                uint16_t zigzag = afxi_replay_fold((uint16_t)(now - last));
                planes[place] = (unsigned char)zigzag;
                planes[half + place] = (unsigned char)(zigzag >> 8);
                last = now;
            }
        }
    }
    return AFX_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses, and what is left over from them. */
#include "out/replay_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOATS AFXI_LOOK_FLOATS
#define SCALE_MOST 8191
#define SCALE_LEAST 511

static double limit(double number, double low, double high) {
    return isfinite(number) ? fmin(fmax(number, low), high) : 0;
}

void afxi_replay_scales(const AfxiReplayGrid *grid, const float *reach, uint32_t bodies, uint16_t *out_scales) {
    for (uint32_t k = 0; k < bodies; k++) {
        /* a component that is off by 1/2 turns by up to 2 / scale */
        double scale = reach ? 2 * (double)reach[k] / grid->step : SCALE_MOST;
        out_scales[k] = (uint16_t)limit(ceil(scale), SCALE_LEAST, SCALE_MOST);
    }
}

/* A vector turned by whole numbers that stand for a quaternion x, y, z, w. */
static void turn(const int32_t *whole, const float v[3], double out[3]) {
    double q[4], square = 0;
    for (int k = 0; k < 4; k++) {
        square += (double)whole[k] * whole[k];
    }
    for (int k = 0; k < 4; k++) {
        q[k] = square > 0 ? whole[k] / sqrt(square) : 0;
    }
    double x = v[0], y = v[1], z = v[2];
    double tx = 2 * (q[1] * z - q[2] * y), ty = 2 * (q[2] * x - q[0] * z), tz = 2 * (q[0] * y - q[1] * x);
    out[0] = x + q[3] * tx + q[1] * tz - q[2] * ty;
    out[1] = y + q[3] * ty + q[2] * tx - q[0] * tz;
    out[2] = z + q[3] * tz + q[0] * ty - q[1] * tx;
}

/* Where the joint says that the body is, whose quaternion `own` is known. */
static void guess_tied(const AfxiReplayCoder *coder, const AfxiReplayTie *tie, const int32_t *own, int32_t out[3]) {
    double there[3] = {tie->there[0], tie->there[1], tie->there[2]}, here[3];
    if (tie->body != AFXI_TIE_WORLD) {
        const int32_t *other = coder->last + FLOATS * (size_t)tie->body;
        turn(other + 4, tie->there, there);
        for (int axis = 0; axis < 3; axis++) {
            there[axis] = coder->grid->low[axis] + coder->grid->step * other[axis] + there[axis];
        }
    }
    turn(own, tie->here, here);
    for (int axis = 0; axis < 3; axis++) {
        double steps = (there[axis] - here[axis] - coder->grid->low[axis]) / coder->grid->step;
        out[axis] = (int32_t)limit(floor(steps + 0.5), 0, 65535);
    }
}

/* The largest component of a quaternion from the others; its sign is that of the last frame. */
static int32_t guess_largest(const int32_t *now, const int32_t *last, int largest, double scale) {
    double rest = scale * scale;
    for (int k = 0; k < 4; k++) {
        rest -= k == largest ? 0 : (double)now[k] * now[k];
    }
    double size = floor(sqrt(fmax(rest, 0)) + 0.5);
    return (int32_t)(last[largest] < 0 ? -size : size);
}

static int largest_of(const int32_t *quaternion) {
    int largest = 0;
    for (int k = 1; k < 4; k++) {
        largest = abs(quaternion[k]) > abs(quaternion[largest]) ? k : largest;
    }
    return largest;
}

/* A number that is hardly off from its guess is taken for it. */
static int32_t near_guess(double number, int32_t guess, double off) {
    return fabs(number - guess) <= off ? guess : (int32_t)lrint(number);
}

typedef struct Numbers {
    int32_t now[FLOATS], guess[FLOATS];
} Numbers;

static void code_quaternion(const AfxiReplayCoder *coder, uint32_t body, uint32_t frame, const float *at,
                            Numbers *numbers) {
    const int32_t *last = coder->last + FLOATS * (size_t)body + 4;
    double scale = coder->scales[body], sign = 1, dot = 0;
    int32_t *now = numbers->now + 4;
    for (int k = 0; k < 4; k++) {
        dot += (double)at[k] * last[k];
    }
    sign = frame && dot < 0 ? -1 : 1; /* a quaternion and its negative are one rotation */
    int largest = frame ? largest_of(last) : -1;
    for (int k = 0; k < 4; k++) {
        now[k] = (int32_t)lrint(limit(sign * scale * (double)at[k], -SCALE_MOST, SCALE_MOST));
    }
    if (frame) {
        numbers->guess[4 + largest] = guess_largest(now, last, largest, scale);
        now[largest] = near_guess(limit(sign * scale * (double)at[largest], -SCALE_MOST, SCALE_MOST),
                                  numbers->guess[4 + largest], 1);
    }
}

static void code_position(const AfxiReplayCoder *coder, uint32_t body, const float *at, Numbers *numbers) {
    const AfxiReplayTie *tie = coder->ties ? &coder->ties[body] : NULL;
    bool tied = tie && tie->body != AFXI_TIE_NONE;
    if (tied) {
        guess_tied(coder, tie, numbers->now + 4, numbers->guess);
    }
    for (int axis = 0; axis < 3; axis++) {
        double number = limit((at[axis] - coder->grid->low[axis]) / coder->grid->step, 0, 65535);
        numbers->now[axis] = tied ? near_guess(number, numbers->guess[axis], AFXI_REPLAY_OFF) : (int32_t)lrint(number);
    }
}

void afxi_replay_code(AfxiReplayCoder *coder, const float *bodies, uint32_t frame, uint32_t count,
                      unsigned char *planes) {
    size_t half = FLOATS * (size_t)coder->bodies * count;
    for (uint32_t body = 0; body < coder->bodies; body++) {
        const float *at = bodies + FLOATS * (size_t)body;
        int32_t *last = coder->last + FLOATS * (size_t)body, *before = coder->before + FLOATS * (size_t)body;
        Numbers numbers = {{0}, {0}};
        for (int k = 0; k < FLOATS; k++) {
            numbers.guess[k] = frame > 1 && k != 3 ? 2 * last[k] - before[k]
                               : frame             ? last[k]
                               : body              ? last[k - FLOATS]
                                                   : 0;
        }
        code_quaternion(coder, body, frame, at + 4, &numbers);
        code_position(coder, body, at, &numbers);
        numbers.now[3] = (int32_t)lrint(limit(AFXI_REPLAY_STRESS * log2(1 + fmax((double)at[3], 0)), 0, 65535));
        for (size_t k = 0; k < FLOATS; k++) {
            uint16_t zigzag = afxi_replay_fold((uint16_t)(numbers.now[k] - numbers.guess[k]));
            size_t place = (k * coder->bodies + body) * count + frame;
            planes[place] = (unsigned char)zigzag;
            planes[half + place] = (unsigned char)(zigzag >> 8);
        }
        memcpy(before, last, FLOATS * sizeof *before);
        memcpy(last, numbers.now, sizeof numbers.now);
    }
}

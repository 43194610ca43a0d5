/* SPDX-License-Identifier: Apache-2.0 */
/* Pins: joints that hold their bodies at one point, or hinges on one axis, one after another through bodies that share
 * them. */
#ifndef AFXI_MODEL_PINS_H
#define AFXI_MODEL_PINS_H

#include "base/memory.h"
#include "scene/scene.h"

/** Where a body reaches a pin: from `low` to `high` along its axis; both 0 at a point. */
typedef struct AfxiPinEnd {
    uint32_t pin, body;
    double low, high; /* m */
} AfxiPinEnd;

typedef struct AfxiPins {
    AfxiPinEnd *end; /* [count] by rising pin, and on it by where they begin */
    uint32_t count, capacity;
} AfxiPins;

/** Finds the bodies whose shapes reach the pins that they are on. `able`: bodies with a shape that can touch something.
 * Joints whose bodies may collide make no pin. Release the list in any case. */
AfxStatus afxi_pins_find(const AfxScene *scene, const AfxAllocator *allocator, const uint8_t *able, AfxiPins *out_pins);
void afxi_pins_release(const AfxAllocator *allocator, AfxiPins *pins);
/** Whether two ends reach the same of one pin. Of those that follow an end, the first that does not is the last to ask
 * for. */
bool afxi_pins_meet(const AfxiPinEnd *a, const AfxiPinEnd *b);

#endif

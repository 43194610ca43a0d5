/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies are held. */
#include "state/holds.h"

AfxiHold *afxi_hold_of(const AfxiWorld *world, uint32_t body) {
    for (uint32_t k = 0; world->holds && k < world->holds->count; k++) {
        if (world->holds->hold[k].body == body) {
            return &world->holds->hold[k];
        }
    }
    return NULL;
}

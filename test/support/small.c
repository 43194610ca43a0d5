/* SPDX-License-Identifier: Apache-2.0 */
#include "support/small.h"

#include <stddef.h>
#include <string.h>

const char *small_case(const char *name) {
    static const char *const small[][2] = {
        {"chains", "links=60"},
        {"beads", "chains=6"},
        {"tree", "links=150"},
        {"hub", "arms=20"},
        {"ring", "n=40"},
        {"falling-joints", "pairs=12"},
        {"hagfish", "joints=20"},
        {"pulley-huge", "links=1500"},
        {"ragdolls", "count=2"},
        {"cloak", "rows=3"},
        {"bridge", "deck=12"},
        {"umbrella", "pieces=2"},
        {"card-house", "levels=2"},
        {"wrecking-ball", "columns=2"},
        {"rings", "rings=3"},
        {"panda-pick", "cubes=2"},
        {"protein", "links=60"},
        {"chain-net", "k=2"},
        {"gears", "gears=1"},
        {"tentacles", "arms=3"},
        {"spiked-knots", "knots=1"},
    };
    for (size_t k = 0; k < sizeof(small) / sizeof(small[0]); ++k) {
        if (strcmp(small[k][0], name) == 0) {
            return small[k][1];
        }
    }
    return NULL;
}

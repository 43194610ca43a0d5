/* SPDX-License-Identifier: Apache-2.0 */
/* peer_affix: the driver of Affix itself, and the origin of the scenes of all the others.
 *
 *   peer_affix --scene CASE [name=value]... >FILE    writes a built-in case (affix_scene.c); a path is a model file
 *   peer_affix FILE [options]                         runs such a scene (peer.h)
 *
 * The scene that runs is built anew from the file, so that no engine has more than the file says. */
#include <string.h>

#include "affix_engine.h"
#include "affix_scene.h"

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--scene") == 0) {
        return peer_write_scene(argc - 2, argv + 2);
    }
    PeerEngine engine = peer_affix_engine();
    return peer_main(argc, argv, &engine);
}

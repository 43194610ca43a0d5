/* SPDX-License-Identifier: Apache-2.0 */
/* Affix in WebAssembly, as affix.mjs calls it: one engine, its scene read from a file. */
#include <emscripten.h>
#include <stdlib.h>

#include "affix_engine.h"

typedef struct Wasm {
    PeerEngine engine;
    PeerScene scene;
    void *instance;
    PeerState *states; /* [bodies] */
} Wasm;

EMSCRIPTEN_KEEPALIVE Wasm *wasm_create(const char *path, const char *variant, double h) {
    Wasm *wasm = peer_allocate(1, sizeof *wasm);
    PeerOptions options = {.variant = variant, .h = h, .substeps = 1};
    wasm->engine = peer_affix_engine();
    wasm->scene = peer_scene_read(path);
    wasm->instance = wasm->engine.create(&wasm->scene, &options);
    wasm->states = peer_allocate(wasm->scene.body_count, sizeof *wasm->states);
    return wasm;
}

EMSCRIPTEN_KEEPALIVE int wasm_step(Wasm *wasm) {
    return wasm->engine.step(wasm->instance);
}

/* States in a row, as peer.mjs has them. */
EMSCRIPTEN_KEEPALIVE double *wasm_read(Wasm *wasm) {
    wasm->engine.read(wasm->instance, wasm->states);
    return (double *)wasm->states;
}

EMSCRIPTEN_KEEPALIVE const char *wasm_version(void) {
    return peer_affix_engine().version;
}

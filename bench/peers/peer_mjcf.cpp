/* SPDX-License-Identifier: Apache-2.0 */
/* peer_mjcf SCENE [options]: prints a line of the joints' rates at the start (body, rate, ...) and the scene as MJCF,
 * for MuJoCo in WebAssembly (mujoco.mjs). */
#include <cstdio>
#include <cstdlib>

#include "mjcf.h"

namespace {

void *print(const PeerScene *scene, const PeerOptions *options) {
    for (const PeerSpeed &speed : peer_mjcf_speeds(scene)) {
        std::printf("%d %.17g ", speed.body, speed.rate);
    }
    std::printf("\n%s", peer_mjcf(scene, options).c_str());
    std::exit(std::fflush(stdout) == 0 ? 0 : 3);
}

} // namespace

int main(int argc, char **argv) {
    PeerEngine engine = {"mjcf", "", print, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    return peer_main(argc, argv, &engine);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as MJCF, for both drivers of MuJoCo (mjcf.cpp). */
#ifndef PEER_MJCF_H
#define PEER_MJCF_H

#include <string>
#include <vector>

#include "peer.h"

/** The rate of the hinge or slide that moves a body. */
struct PeerSpeed {
    int body;
    double rate;
};

/** A body's name is b and its number. */
std::string peer_mjcf(const PeerScene *scene, const PeerOptions *options);
/** The rates at the start that are not 0. */
std::vector<PeerSpeed> peer_mjcf_speeds(const PeerScene *scene);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the drivers of the comparison share: the scene, the state, the measurements and the line that is printed.
 *
 * A driver is one engine behind PeerEngine; peer_main reads the scene that `peer_affix --scene` wrote, steps the
 * engine, and measures all engines by the same code: the gap of every joint, the energy, where the marker is. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A rigid body: its frame is at the centre of mass, along the principal axes. */
typedef struct PeerBody {
    bool fixed;
    double mass;
    double inertia[3];
    double position[3];
    double rotation[4]; /* w, x, y, z */
} PeerBody;

/** A ball joint. */
typedef struct PeerJoint {
    int32_t a, b; /* bodies; -1 is the world */
    double on_a[3], on_b[3];
} PeerJoint;

typedef struct PeerScene {
    char name[120];
    double gravity[3];
    uint32_t body_count, joint_count;
    PeerBody *bodies;  /* [body_count] */
    PeerJoint *joints; /* [joint_count] */
    uint32_t marker_body;
    double marker[3];
} PeerScene;

/** State of a body: centre of mass, rotation, velocity of the centre, angular velocity; world axes. */
typedef struct PeerState {
    double position[3], rotation[4], linear[3], angular[3];
} PeerState;

typedef struct PeerOptions {
    const char *variant;
    double h;            /* s */
    uint32_t iterations; /* 0: the engine's default */
    uint32_t substeps;
    double accuracy; /* of error-controlled integrators; 0: the driver's default */
    double erp;      /* share of a joint's error that a step corrects; 0: the driver's default */
} PeerOptions;

typedef struct PeerEngine {
    const char *name, *version;
    /** NULL and a message on standard error when the scene cannot be run. */
    void *(*create)(const PeerScene *scene, const PeerOptions *options);
    /** Advances by options->h; false when the engine says that it failed. */
    bool (*step)(void *engine);
    void (*read)(void *engine, PeerState *out_states); /* [body_count] */
    /** The largest gap of the engine's own unknowns, where bodies are more than a pose; may be NULL. */
    double (*own_gap)(void *engine);
} PeerEngine;

PeerScene peer_scene_read(const char *path);
void peer_rotate(const double rotation[4], const double v[3], double out[3]);
/** The place in the world of a point of a body, -1 for the world. */
void peer_point(const PeerState *states, int32_t body, const double point[3], double out[3]);
/** Bodies in an order that is random, but the same in every run; to be freed. */
uint32_t *peer_shuffle(uint32_t count);
void peer_fail(const char *format, ...);
int peer_main(int argc, char **argv, const PeerEngine *engine);

#ifdef __cplusplus
}
#endif
#endif

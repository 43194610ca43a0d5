/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as a page draws it: one block of bytes, the same for a recorded run and for one that is going on.
 *
 * The block is: "AFXL", the size of a JSON text (32 bits), the text, zeros up to a multiple of 8, then arrays. The text
 * names them: "arrays": {name: {"type": "f32|u32|u8", "at": byte, "count": numbers}}, where `at` counts from the first
 * array. docs/viewer.md lists them. All numbers have the low byte first. */
#ifndef AFXI_OUT_LOOK_H
#define AFXI_OUT_LOOK_H

#include "affix/io.h"
#include "out/bytes.h"

/** Floats of a body in frames: x, y, z of its origin, a value to colour it by, quaternion x, y, z, w. */
#define AFXI_LOOK_FLOATS 8
/** Floats of a contact: the point, the unit normal (towards body a), the force on a along it, N, and the friction on a,
 * N; world axes. */
#define AFXI_LOOK_CONTACT 10
/** Floats of a joint's reaction on its follower: force, N, and torque, Nm; world axes. */
#define AFXI_LOOK_REACTION 6
/* Numbers of an energy book: what springs store, then AFX_ENERGY_WORK_TABLE. */
#define AFXI_LOOK_BOOK 15

/** Adds the block to *bytes. `sim` is one of the scene's model; `title` may be NULL; `more` (may be NULL) are members
 * of the JSON text, each with a comma behind it. */
AfxStatus afxi_look_write(AfxiBytes *bytes, const AfxScene *scene, const AfxSim *sim, const char *title,
                          const char *more);

/** The member "cameras" of the JSON text, for `more`: where `run` (may be NULL) wants the scene to be looked at from.
 */
void afxi_look_cameras(AfxiBytes *text, const AfxScene *scene, const AfxRunDef *run);

/** Von Mises' stress of each body, Pa, from the strain of its coordinates: E = (A^T A - I) / 2 and
 * sqrt(3/2) 2 mu |dev E|. 0 for rigid bodies. [bodies] */
typedef struct AfxiStiffness {
    AfxAllocator allocator;
    float *factor; /* [count] sqrt(3/2) 2 mu of each body */
    uint32_t count;
} AfxiStiffness;

AfxStatus afxi_stiffness_create(const AfxAllocator *allocator, const AfxSim *sim, AfxiStiffness *out_stiffness);
void afxi_stiffness_destroy(AfxiStiffness *stiffness);
/** The stress of one body. */
double afxi_stress(const AfxiStiffness *stiffness, const AfxSim *sim, uint32_t body);

/** Positions and quaternions of all bodies into frames of AFXI_LOOK_FLOATS; values become 0. `scratch` is [bodies]. */
void afxi_look_poses(const AfxSim *sim, AfxPose *scratch, float *out_bodies);
/** Points that touch: those with a force, since those that are only near say nothing to the eye. */
uint32_t afxi_look_touching(const AfxSim *sim);
/** The energy book since it was opened; NaN and false where none is kept. */
bool afxi_look_book(const AfxSim *sim, double out_book[AFXI_LOOK_BOOK]);
/** `count` of the `touching` points, evenly chosen, into [count][AFXI_LOOK_CONTACT]. */
void afxi_look_contacts(const AfxSim *sim, uint32_t touching, uint32_t count, float *out_contacts);
/** The reaction of a joint, whose definition is `joint`, by the poses of the bodies, [bodies], into
 * [AFXI_LOOK_REACTION]. */
void afxi_look_reaction(const AfxSim *sim, uint32_t index, const AfxJointDef *joint, const AfxPose *poses,
                        uint32_t bodies, float *out_reaction);
/** The same of a reaction that is known, in the joint's axes on its base. */
void afxi_look_wrench(const AfxWrench *reaction, const AfxJointDef *joint, const AfxPose *poses, uint32_t bodies,
                      float *out_reaction);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rotors: armature of joints, and couplings whose sum is a coordinate (tendons). Inertia a along a coordinate c adds
 * a c'^2 / 2 to the kinetic energy and no weight; so does a block of mass a on a rail fixed in the world, coupled so
 * that it moves as c does. Engines see the block, its rail and the coupling like any other; they stand behind all that
 * was authored, and no public count, list, state or parameter has them. */
#ifndef AFXI_MODEL_ROTOR_H
#define AFXI_MODEL_ROTOR_H

#include "base/memory.h"
#include "scene/scene.h"

/** A scene with its rotors spelled out: what it has shares the memory of the scene it was made from. */
typedef struct AfxiRotorScene {
    AfxScene scene;
    uint32_t armatures; /* blocks of joints; those of couplings follow */
    uint32_t count;     /* of all blocks */
    void *raw;
    size_t raw_size;
} AfxiRotorScene;

/** Spells out the rotors of a scene; release it even after a failure. */
AfxStatus afxi_rotors_expand(const AfxScene *scene, AfxiRotorScene *out);
void afxi_rotors_release(const AfxAllocator *allocator, AfxiRotorScene *expanded);
/** The coupling that drives block k of an expanded scene that was made from one with `couplings`. */
uint32_t afxi_rotor_coupling(const AfxiRotorScene *expanded, uint32_t k, uint32_t couplings);

#endif

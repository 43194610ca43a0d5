/* SPDX-License-Identifier: Apache-2.0 */
/* Several scenes in one, each at a place of its own. */
#ifndef AFX_TEST_MATRIX_GATHER_H
#define AFX_TEST_MATRIX_GATHER_H

#include "affix/affix.h"

/** Where one of them begins in the common scene, and how much of it is there. */
typedef struct GatherPart {
    uint32_t body, bodies, joint, joints, drive, drives;
} GatherPart;

/** A common scene: gravity (0, 0, -9.81), contact off until a part has it. */
AfxScene *gather_begin(void);
/** Adds all of `from`, moved by `shift`. Its shapes collide with each other as they did, and with nothing else, whether
 * or not a plane in it goes on below the others: *bit, 0 at first, counts the bits of groups and masks that are taken.
 * Another gravity than the common one becomes forces on its bodies. */
GatherPart gather_add(AfxScene *to, const AfxScene *from, AfxVec3 shift, uint32_t *bit);
/** Mixes all that can be asked about a part into a hash: coordinates, velocities, reactions, efforts, contacts. */
uint64_t gather_hash(const AfxSim *sim, const GatherPart *part, uint64_t hash);

#endif

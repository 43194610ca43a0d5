/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of cases at scale share: counts and masses, and a few steps. */
#ifndef TEST_CASES_SCALE_H
#define TEST_CASES_SCALE_H

#include "closed.h"

#define PI 3.14159265358979323846

/** The default link: a capsule of density 1000, 0.1 m between its joints, radius 0.01 m. */
#define LINK_MASS (1000 * PI * 0.0001 * (0.1 + 4.0 / 3 * 0.01))
#define BALL_MASS(radius) (1000 * 4.0 / 3 * PI * (radius) * (radius) * (radius))

typedef struct ScaleCounts {
    uint32_t bodies, fixed, joints, rows, compliant;
    double mass; /* of all bodies, fixed ones too; kg */
} ScaleCounts;

/** Builds a case from "name=value name=value" and fails unless its counts and mass are these, its joints are met at
 * the start, and `steps` steps (the first without assembly) leave joints met and energies finite. */
void scale_check(const char *name, const char *arguments, ScaleCounts want, uint32_t steps);
/** The scene of a case from "name=value name=value"; the caller destroys it. */
AfxScene *scale_scene(const char *name, const char *arguments);
/** Fails unless building is refused with AFX_E_INPUT and the error's element and text hold these words. */
void scale_refused(const char *name, const char *arguments, const char *element, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a scene's joints, made from the definitions alone: nothing of the library's joints is used. */
#ifndef TEST_CASES_CLOSED_H
#define TEST_CASES_CLOSED_H

#include "cases/cases.h"

/** The scene of a case with `count` arguments; the test fails when there is none. The caller destroys it. */
AfxScene *closed_scene(const char *name, uint32_t count, const char *const *texts);
/** Fails unless the two frames of every joint agree in the world, in all locked directions, within the tolerance. */
void closed_positions(const AfxScene *scene, const char *title, double tolerance);
/** Fails unless the bodies' velocities agree with every joint. */
void closed_velocities(const AfxScene *scene, const char *title, double tolerance);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Random values from a seed (splitmix64: Steele, Lea, Flood 2014). */
#ifndef AFX_TEST_SUPPORT_RANDOM_H
#define AFX_TEST_SUPPORT_RANDOM_H

#include "affix/math.h"

/** Uniform in [0, 1). */
double random_unit(uint64_t *seed);
/** Uniform in a cube, each component between -size and size. */
AfxVec3 random_vec3(uint64_t *seed, double size);
/** A turn of up to 6 rad about any axis. */
AfxQuat random_quat(uint64_t *seed);
AfxPose random_pose(uint64_t *seed, double size);

#endif

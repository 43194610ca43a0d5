/* SPDX-License-Identifier: Apache-2.0 */
/* Two bodies and a joint's frame on each as the rows see them: at random, and changed a little. */
#ifndef AFX_TEST_JOINT_PAIR_H
#define AFX_TEST_JOINT_PAIR_H

#include "joint/axis.h"
#include "tests.h"

enum { TRIALS = 40 };

AfxiJointFrame random_frame(uint64_t *seed);
/** Both bodies anywhere, at rotations; gradients are turned into just these. */
AfxiPairState random_state(uint64_t *seed);
/** The follower placed where the joint holds, for a base anywhere. */
AfxiPairState holding_state(AfxJointKind kind, const AfxiJointFrame *f, double length, AfxPose *out_motion,
                            uint64_t *seed);
/** The state with A and t of one body (0: follower, 1: base) moved by s times the 12 numbers of `by`; frames stay. */
AfxiPairState moved(const AfxiPairState *state, int body, const double by[12], double s);
/** g . (R^T dA, dt) */
double along(const AfxiRowGradient *gradient, const AfxiMat3 *r, const double by[12]);
void random_direction(double by[12], uint64_t *seed);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A rotation as a swing and a twist, and its whole angle. With Q_ij = (A_b v_i) . (A_a u_j), the axes of the follower
 * as the base sees them, the rotation is a twist about x and then the swing that turns x by the shortest way to where
 * it points: swing   acos(Q_xx)                             0 .. pi: the cone that x of the follower lies on twist
 * atan2(Q_zy - Q_yz, Q_yy + Q_zz)        lost at a swing of pi alone angle   acos((tr Q - 1) / 2)                   0
 * .. pi Sines and cosines are sums of entries of Q, each bilinear in the two A: what a limit adds to the stiffness of
 * turns is then that of its gradient (constraint/rows.c), exactly where the limit holds. */
#ifndef AFXI_JOINT_SWING_H
#define AFXI_JOINT_SWING_H

#include "joint/kind.h"

/** Value in rad. */
double afxi_swing_value(AfxiAxisType type, const AfxiJointFrame *frame, const AfxiPairState *state);
/** Exact gradient on follower and base; bounded where the axis is lost. */
void afxi_swing_gradient(AfxiAxisType type, const AfxiJointFrame *frame, const AfxiPairState *state,
                         AfxiRowGradient *out_a, AfxiRowGradient *out_b);
/** How far from where the axis is lost, half a turn: the cosine of half the swing, or of half the angle. */
double afxi_swing_regular(AfxiAxisType type, const AfxiJointFrame *frame, const AfxiPairState *state);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates: position along or angle about a free axis, its gradient and rate.
 *
 *     translation  (A_b v_k) . d
 *     rotation     atan2(f, g), f = (A_a u_p) . (A_b v_q), g = (A_a u_r) . (A_b v_s),
 *                  gradient (g grad f - f grad g) / (f² + g²)
 *     tilt         asin(f), gradient grad f / sqrt(1 - f²) */
#ifndef AFXI_JOINT_AXIS_H
#define AFXI_JOINT_AXIS_H

#include "joint/kind.h"

/** Value; angles in (-pi, pi]. */
double afxi_axis_value(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state);
/** Exact gradient on follower and base. */
void afxi_axis_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state,
                        AfxiRowGradient *out_a, AfxiRowGradient *out_b);
/** Rate of the coordinate for the velocities rate_a, rate_b (12 each; A' in world axes). */
double afxi_axis_rate(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, const double *rate_a,
                      const double *rate_b);
/** The angle equal to `raw` up to whole turns that is nearest to `near`. */
double afxi_angle_near(double raw, double near);

#endif

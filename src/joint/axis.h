/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates: position along or angle about a free axis, its gradient and rate.
 *
 *     translation  (A_b v_k) . d
 *     rotation     atan2(f, g), f = (A_a u_p) . (A_b v_q), g = (A_a u_r) . (A_b v_s),
 *                  gradient (g grad f - f grad g) / (f² + g²)
 *     tilt         atan2(f, g), f = (A_a u_p) . (A_b v_q), g the length of A_a u_p across v_q (fold = -1: less it)
 *     swing, twist, angle of joints with three free rotations (swing.h)
 *
 * Three free rotations are read as Cardan angles (a, b, c). The same rotation has the angles (a + pi, pi - b, c + pi):
 * where b is counted on beyond a right angle, as in the rings of a gimbal, these are the ones (fold = -1). At a right
 * angle itself a and c are lost: f² + g² = cos² b is 0. Gradients are bounded there, at AFXI_CARDAN_LEAST, and what
 * must hold exactly is measured without a division that could vanish: a = p is fold (f cos p - g sin p) / max(|cos b|,
 * AFXI_CARDAN_LEAST) = 0. */
#ifndef AFXI_JOINT_AXIS_H
#define AFXI_JOINT_AXIS_H

#include "joint/kind.h"

/** What axis `axis` of a kind reads: one of its coordinates, or AFX_AXIS_SWING, AFX_AXIS_TWIST, AFX_AXIS_ANGLE. */
AfxiAxisSpec afxi_axis_of(const AfxiJointKind *kind, uint32_t axis);
/** Whether a kind has that axis. */
bool afxi_axis_exists(const AfxiJointKind *kind, uint32_t axis);
/** Where a sim keeps the last value of an axis, among those of its joint; UINT32_MAX: nowhere. */
uint32_t afxi_axis_place(const AfxiJointKind *kind, uint32_t axis);
/** How many values a sim keeps of a joint whose turns are counted. */
uint32_t afxi_axis_places(const AfxiJointKind *kind);
/** The axis as it is read at a state, after the values `last` [places] of the step before. */
AfxiAxisSpec afxi_axis_after(const AfxiJointKind *kind, uint32_t axis, const AfxiJointFrame *frame,
                             const AfxiPairState *state, const double *last);
/** Value; angles in (-pi, pi]. */
double afxi_axis_value(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state);
/** The same, its turns counted on from `last`. */
double afxi_axis_counted(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, double last);
/** How far the coordinate is from `target`, turns counted on from `last`: 0 where it is there, and smooth near it. */
double afxi_axis_off(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, double target,
                     double last);
/** Exact gradient on follower and base; bounded near a singular position. */
void afxi_axis_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state,
                        AfxiRowGradient *out_a, AfxiRowGradient *out_b);
/** That of afxi_axis_off. */
void afxi_axis_off_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, double target,
                            AfxiRowGradient *out_a, AfxiRowGradient *out_b);
/** Rate of the coordinate for the velocities rate_a, rate_b (12 each; A' in world axes). */
double afxi_axis_rate(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, const double *rate_a,
                      const double *rate_b);
/** How far the axis is from where it is lost: the sine of an angle, 1 for those that never are. */
double afxi_axis_regular(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state);
/** The angle equal to `raw` up to whole turns that is nearest to `near`. */
double afxi_angle_near(double raw, double near);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of joints: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_JOINT_TUNING_H
#define AFXI_JOINT_TUNING_H

/* Terms of the series of the rotation vector for small turns: to rounding up to AFXI_TURN_SMALL. */
#define AFXI_TURN_SERIES 12
/* 1 + trace Q: half a turn less 1e-6 rad; there the axis is lost in rounding. */
#define AFXI_TURN_LEAST_TRACE 1e-12
/* sin² of what is a small turn: 0.25 rad. */
#define AFXI_TURN_SMALL 0.0625

/* Of the slopes of a spring's tables: below this their sum is none, and the force is given. A row with such a
 * compliance would tell nothing, and less than nothing where the force falls. */
#define AFXI_TABLE_SOFTEST 1e-9

/* Cosine of the middle Cardan angle below which gradients of the two others no longer grow: .6 degrees from where they
 * are lost. Smaller, and a torque about them is amplified further; larger, and efforts are told wrong sooner. */
#define AFXI_CARDAN_LEAST 0.01
/* Cosine from which on the middle angle alone tells which of the two sets of angles it is: a step would have to turn by
 * 74 degrees to pass a right angle unseen. */
#define AFXI_CARDAN_FAR 0.8
/* Below this cosine, or sine of half the angle that is left to a swing of pi, a step tells that angles which something
 * acts on are about to be lost: 3 degrees. */
#define AFXI_AXIS_SINGULAR 0.05
/* Cosine of half the swing below which a twist is lost and its limits let go: 11 degrees from half a turn, where it
 * turns ten times as fast as its joint. */
#define AFXI_TWIST_LOST 0.1
/* f² + g² below which the gradient of a swing, twist or angle no longer grows: 1e-4 rad from half a turn. */
#define AFXI_SWING_LEAST 1e-8

#endif

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

#endif

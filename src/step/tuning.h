/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of a sim and its steps: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_STEP_TUNING_H
#define AFXI_STEP_TUNING_H

/* A step is cut into at most 2^6 parts, for contacts alone into fewer: a part starts the method anew, with another
 * damping (docs/decisions/sub-steps.md). */
#define AFXI_HALVINGS_MOST 6u
#define AFXI_STRICT_HALVINGS 3u
/* What the integrator may have made, of all energy that moves or was worked, before the step says so: methods of second
 * order are off by as much within a period of an oscillation at tens of steps; and of the weight times size of all,
 * which is rounding. */
#define AFXI_MADE_MOST 0.05
#define AFXI_MADE_LEAST 1e-4
/* Friction above this share of its limit is told as sliding. */
#define AFXI_SLIDING_TOLD 0.999
/* Volume of three unit edges below which four points count as flat. */
#define AFXI_POINTS_FLAT 1e-9
/* What a sim may be asked for: s, and threads. Squares of dt and of its inverse stay far from overflow. */
#define AFXI_DT_LEAST 1e-12
#define AFXI_DT_MOST 1e6
#define AFXI_THREADS_MOST 1024u
/* Of the model's size: joints that are off by more after assembly cannot be assembled. */
#define AFXI_ASSEMBLED 1e-9
/* The same, of rigid bodies that no step can close: more than steps accept where redundant rows meet
 * (AFXI_ROW_TOLERANCE_SINGULAR).
 */
#define AFXI_START_OPEN 1e-6
/* The same where elastic bodies can give way: a start that strains them by as much is no preload but a mistake. */
#define AFXI_START_OPEN_ELASTIC 1e-3
/* Of the inner radius: what lies in another by less is told as touching it. Scenes put bodies next to each other to a
 * few digits. */
#define AFXI_OVERLAP_TOLD 1e-3
/* rad in a step: what turns further is named where a step fails. Chords of a rotation are half a turn at most, and
 * predictions of whips are worth nothing from about here on. */
#define AFXI_TURNS_FAR 1.0

/** Square of the least length of a quaternion that is still a direction: below, its parts may have underflowed. */
#define AFXI_QUAT_LEAST 1e-200
/** Volume that the axes of three Cardan angles span, the cosine of the middle one: below, their rates are lost, and
 * queries by them have no more than six digits. */
#define AFXI_CARDAN_VOLUME 1e-9
/** Inverse dynamics with loops: share of the trace that is added where more is actuated than can move, which refinement
 * takes out again, 1e-10 a pass; passes; and what of the accelerations may be left, else what is actuated cannot give
 * them. */
#define AFXI_ACTUATED_SHARE 1e-10
#define AFXI_ACTUATED_PASSES 3
#define AFXI_ACTUATED_LEFT 1e-7
/** A pivot of a task's inverse inertia, of its diagonal: below, the task is one that the mechanism cannot do. */
#define AFXI_SINGULAR 1e-10

/** AFX_CHOOSE (docs/decisions/choosing.md). Degrees of freedom up to which joint coordinates are asked at all: their
 * matrices are dense along a branch. */
#define AFXI_CHOOSE_DOFS_MOST 64
/** Instructions of a step by affine bodies, counted: at all, and of a body or a row of a joint. A pendulum takes
 * 26,000, a four-bar 49,000, 30 links on hinges 205,000, 40 on balls 103,000 (less than this says), a hand with its
 * couplings 549,000 (more). */
#define AFXI_COST_STEP 20000
#define AFXI_COST_ITEM 1000

/** Targets by poses: how far a pose may be from what a joint allows, m or 1; and where the first and the last of three
 * Cardan axes are nearly one, the square of the sine between them that rates are bounded by. */
#define AFXI_TARGET_OFF 1e-6
#define AFXI_TARGET_SINGULAR 1e-6

/** m: what is nearer to the plane of a camera's eye is taken to be so far in front of it, as MuJoCo does. */
#define AFXI_CAMERA_NEAR 1e-15

/* Sims of afx_step_many that are under way at once: eight times the widest lanes, and 20 kB of reports. */
#define AFXI_STEP_MANY 64

/* Of the size (at least 1 m): how far beyond its limit a tendon may be when a step begins; steps leave limits met to
 * 1e-11 of it. And how often its coordinates are moved to get there: Newton's method on a path takes a few, tendons
 * that share joints go by turns. */
#define AFXI_TENDON_BEYOND 1e-10
#define AFXI_TENDON_ROUNDS 50u

/* s: rest until bodies fall asleep, where the sim says nothing: engines for games have 0.4 to 0.5. */
#define AFXI_SLEEP_TIME 0.5

#endif

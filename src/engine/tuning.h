/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of the engines: tolerances, caps and shares, each with what it rests on or trades off. */
#ifndef AFXI_ENGINE_TUNING_H
#define AFXI_ENGINE_TUNING_H

/* Most solves of a stage: shocks take a few, and what does not settle in so many is done in parts
 * (docs/decisions/sub-steps.md). */
#define AFXI_SOLVES_MOST 30u
/* rad: a first solve of a free body is accepted below the first, later ones by what is still to come. Tight on purpose:
 * an unconverged step of a free spinning body feeds energy into it (docs/step.md, 4). */
#define AFXI_FREE_FIRST_FAST 1e-5
#define AFXI_FREE_LATER_FAST 1e-9
#define AFXI_FREE_FIRST_ACCURATE 1e-8
#define AFXI_FREE_LATER_ACCURATE 1e-12
#define AFXI_FREE_FIRST_CONVERGED 1e-11
#define AFXI_FREE_LATER_CONVERGED 1e-14
/* Newton's method that closes joints at a start: quadratic, so that what is not there after so many passes never is; of
 * the size. */
#define AFXI_CLOSE_PASSES_MOST 60u
#define AFXI_CLOSE_TOLERANCE 1e-13
/* From this pass on, one that gains nothing is the last. */
#define AFXI_CLOSE_STALLS_AFTER 20u
/* Solves of a start: friction that slides makes others slide, and once more for limits that follow the reactions. */
#define AFXI_START_PASSES_MOST 6u
/* The square of the angle, rad, by which an oscillation may turn in a step that starts from accelerations. Those of
 * stiff loads lead far beyond where these are straight (a planar body on a spring of 11 rad a step made 7e8 J from
 * 2.6e-6), and generalised-α, which also starts BDF2, makes 0.2 to 2 % of the energy of a linear spring at 1 rad, and
 * 40 to 600 times that energy at 100. BDF1 makes none. */
#define AFXI_START_UNRESOLVED 1.0
/* From so many links on (37 MB of state), the old state goes past the caches. */
#define AFXI_STREAM_LINKS_LEAST 65536u
/* The spans are shared out in at most so many parts, whatever the number of threads: results do not depend on it. */
#define AFXI_CHAIN_PARTS_MOST 16u
/* rad: where bodies take the full Newton Hessian, the tolerance of a turn. Newton's method gets there quickly, and
 * bodies that hold next to no energy need not: a closer tolerance than the 0.1 of others (docs/joints.md, 9). */
#define AFXI_TURN_FULL_NEWTON 0.03
/* Rows that a solve has left off by what is more than first order are met with its factor: at most so often, and while
 * that takes nine tenths of it. Each time takes all but the turn's share, .005 and less, at a fifth of the cost of a
 * solve in trees. */
#define AFXI_MEETS_MOST 3
#define AFXI_MEETS_LESS 0.1
/* |Ahat|² + 3 of a body that turns by a quarter of a radian and more in a step. */
#define AFXI_TURNS_FAR 6.4
/* Energy-based acceptance: of the kinetic energy, in one step; without it a handful of nodes at the rim, 1e-6 of the
 * energy, decided for a whole net (docs/decisions/nets.md). No body may be off by more than the second, rad. */
#define AFXI_ENERGY_SHARE 1e-6
#define AFXI_ENERGY_TURN_MOST 0.5
/* Strain of a turn stays where no body turns by more than the first, rad, and up to the second where it holds no more
 * of the kinetic energy than the third: taking it out costs 45 % of a solve, and below this changes nothing
 * (docs/decisions/nets.md). */
#define AFXI_TURN_CLEAN 0.03
#define AFXI_TURN_STRAINED_MOST 0.1
#define AFXI_STRAIN_SHARE 1e-3
/* Aitken extrapolation: after so many solves, in every so manieth, so that two plain ones smooth out what it has
 * stirred up; ... */
#define AFXI_AITKEN_AFTER 6u
#define AFXI_AITKEN_EVERY 3u
/* ... of bodies that turn by at least this much of their last turn, and at most by this, next to nothing of it beside
 * that direction; ... */
#define AFXI_AITKEN_RATE_LEAST 0.5
#define AFXI_AITKEN_RATE_MOST 1.05
#define AFXI_AITKEN_ASIDE 0.3
/* ... by up to so many turns, and so many rad: beyond, it stirs up the neighbours (docs/decisions/nets.md). */
#define AFXI_AITKEN_TURNS_MOST 20
#define AFXI_AITKEN_ANGLE_MOST 0.5
/* rad: smaller turns leave a strain of 5e-7 at most. */
#define AFXI_TURN_STRAINING 1e-3
/* Second-order corrections of one solve: each leaves about |w| of the strain. */
#define AFXI_CORRECTIONS_MOST 3
/* A strain that is small enough to stay. */
#define AFXI_STRAIN_LEFT 1e-4

#endif

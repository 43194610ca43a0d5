/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of a stage: Newton loop, judgement, active set: tolerances, caps and shares, each with what it rests
 * on or trades off. */
#ifndef AFXI_SOLVE_TUNING_H
#define AFXI_SOLVE_TUNING_H

/* Rows: of the size of what is solved (at least 1 m): coordinates of that size are rounded to 1e-16 of it, and solves
 * multiply that (docs/joints.md, 9). */
#define AFXI_ROW_TOLERANCE 1e-11
/* The same with `accurate`: also this many m/s² times h², since a residual r is an error m r / h² in a multiplier; but
 * not below rounding. */
#define AFXI_ROW_ACCELERATION 1e-7
#define AFXI_ROW_ROUNDING 4e-14
/* Enough where redundant rows meet at a singular position and further solves change nothing; beyond the second the
 * report says so. */
#define AFXI_ROW_TOLERANCE_SINGULAR 1e-7
#define AFXI_ROW_TOLERANCE_LOOSE 1e-10
/* rad: the rotation error that a step may leave. Solver iterations against accuracy of a single step (docs/joints.md,
 * 9). */
#define AFXI_TURN_TOLERANCE_FAST 0.1
#define AFXI_TURN_TOLERANCE_ACCURATE 1e-3
#define AFXI_TURN_TOLERANCE_CONVERGED 1e-12
/* With `accurate` also this share of the first turn away from the prediction, a parabola through the past: it is h³ of
 * the third derivative, BDF2's own error 2/9 of that, and a tenth of it is this. Turns below the second, rad, are none.
 */
#define AFXI_TURN_SHARE_ACCURATE 0.02
#define AFXI_TURN_FINE 1e-10
/* rad: the last solve leaves A = R (I + [w]), a false strain of |w|²/2, and points that are so much farther from the
 * axis are so much faster: each step makes |w|² of the energy of the turn. With 0.05 an undamped Panda that falls in
 * steps of 5 ms made 43 % in 2 s, a pendulum 29 %; with this neither makes any. */
#define AFXI_TURN_MOST 0.005
/* What a first solve of `fast` may do by the moments and strains that it has wrong (gain.c), over what BDF2 takes of a
 * free spin; of the energy of the motion, what is nothing in any case; and turns, rad, that need no look. Without, the
 * Panda made 0.8 to 4.7 % in steps of 1 to 3 ms, and a UR5 3.2 % in those of 7 ms. With 1 they make none, in 1.1 to
 * 1.9 solves a step; with 10 the Panda makes 3 %. With 1e-6 of the energy the UR5 makes 1e-4 of it in 2 s. */
#define AFXI_GAIN_MOST 1.0
#define AFXI_GAIN_LEAST 1e-7
#define AFXI_TURN_GAINLESS 1e-6
/* Of the energy of the motion: what false strains of elastic bodies may hold, which the next step sets out with. Two
 * bodies of 1e9 Pa on a hinge that tumble by a radian a step left up to 1e4 times their energy. Turns below the second,
 * rad, leave a strain of 5e-7 and are not looked at. */
#define AFXI_STRAIN_MOST 1e-3
#define AFXI_TURN_STRAINLESS 1e-3
/* The same in forests of balls, where the largest turn of a tree is looked at for all its bodies: a strain of 5e-9.
 * Ball pendulums of 18 mm and 1e10 Pa made half the energy of their first steps. */
#define AFXI_TURN_STRAINLESS_BALLS 1e-4
/* Steps that make energy are cut: where a body turns by more than the first, rad (below, methods of second order are
 * off by less than they dissipate), and the energy of what moves with it grows by more than this share of its motion. A
 * link of 3 mm on a hinge made 8 % in 20 steps of 5 ms and 0.3 rad, solved to rounding; cut, it makes none. */
#define AFXI_STEP_TURN 0.2
#define AFXI_STEP_GAIN 0.01
/* The same where springs act, however little turns, of what they hold too: methods of second order are off by some per
 * cent within a period of an oscillation at ten steps for one, and cut steps would go by another method. */
#define AFXI_STEP_GAIN_SPRINGS 0.05
/* The same of what is struck, by its strain: a body that strikes loses more. */
#define AFXI_GAIN_GROSS 0.05
/* The same for later solves, over the energy of the motion: what wanders is off by 0.05 or many times more, what
 * converges by less than this. With 0.05 a pendulum of 3 mm that swings in nine steps of 10 ms made 17 % in fifteen. */
#define AFXI_GAIN_MISSING 1e-3
/* The same for chains, trees and nets of balls, of so many bodies and more, one in so many held otherwise: what
 * integrators take from their whips is more. Chains of 8 to 100 links that fall for 10 s in steps of 2 to 20 ms are
 * never above their start by more than 3e-7 of their kinetic energy, and take one solve where they took three. A single
 * link made 6 % at 20 ms. */
#define AFXI_TURN_MOST_WHIPS 0.05
#define AFXI_WHIP_BODIES 8u
/* The same where solves no longer lessen it. */
#define AFXI_TURN_SLOWED 0.05
/* The same with `converged`: E |w|²/2 of a body of 1e11 Pa is less than rounding then. */
#define AFXI_TURN_MOST_CONVERGED 1e-11
/* The same of A, strain included, against where the rows were linearised. */
#define AFXI_MOVED_CONVERGED 1e-13
/* Solves in which that is asked: they are of Newton's method, and what is left then is rounding of redundant rows. */
#define AFXI_MOVED_SOLVES 3u
/* Of the turn before: further solves would lessen it as little. */
#define AFXI_TURN_SLOW 0.7
/* Of the turn before, with `converged`: what no longer becomes less is rounding. Loops that keep the bound of their
 * stiffness come nearer by 0.7 to 0.9 a solve, and would be taken for it. */
#define AFXI_TURN_NOISE 0.99
/* A motion that does not get there in so many solves is taken as it is, up to this turn, rad: solves that wander can
 * happen upon a turn whose strain holds more energy than the motion. */
#define AFXI_STRAINED_SOLVES 6u
#define AFXI_TURN_WILD 0.1
/* rad: turns below the first are rounding, and below the second no longer change the rows. */
#define AFXI_TURN_ROUNDING 1e-14
#define AFXI_TURN_STALLED 1e-7
/* Rows that keep more than this of their residual no longer get better. */
#define AFXI_ROW_STALLED 0.5
/* Solves of accurate steps of nets, which get there in the end: parts would be another method (with 30, a net of 100 x
 * 100 ended 1.6 % of the energy away from fast steps, with 90 0.04 %; docs/decisions/sub-steps.md). */
#define AFXI_SOLVES_MOST_NETS 90u
/* From this solve on, what is balanced only has its rows met, but for every so many. Trades the rate of convergence of
 * the frames against cheaper solves. */
#define AFXI_FINISH_AFTER 3u
/* rad: beyond this turn a solve is none that only has its rows met. Such a solve keeps the strain that the turn w has
 * left but for its square: w^4/8, 5e-7 here, as turns that are not looked at (AFXI_TURN_STRAINLESS). One after 0.11 rad
 * left a box of 1e9 Pa a seventh of its kinetic energy. */
#define AFXI_TURN_FINISHED 0.045
#define AFXI_FINISH_EVERY 5u
/* Solves at frames that drives have changed their branches at, beyond the first ones of all frames of a stage. */
#define AFXI_BRANCH_REPEATS_MOST 4u
/* rad: what is struck turns at once, and a turn leaves a strain, whose energy would come back. */
#define AFXI_TURN_STRUCK 0.01
/* rad: what the last solve may turn a body by where its strain is taken out afterwards (second-order correction). */
#define AFXI_TURN_STRAINED 0.3
/* The same with `converged`, of all: loops keep the bound of their stiffness and converge linearly. */
#define AFXI_SOLVES_MOST_CONVERGED 300u
/* Solves after which accurate steps too leave what holds next to no energy, if it leaves no strain. */
#define AFXI_ACCURATE_ENERGY_AFTER 20u
/* So often contacts are looked for again where others are found, and where shapes lie deep. */
#define AFXI_STALE_MOST 2u
#define AFXI_LOOKS_MOST 8u
/* Flops of one factorisation of an island, and bytes of its workspace, beyond which a step is refused where the sim has
 * no limits of its own: a minute or so a solve, and what most machines have. 400 elastic bodies at one place take 4e10
 * and 10 s, a pile of 1,000 boxes some 1e8. */
#define AFXI_ISLAND_FLOPS_MOST 2e11
#define AFXI_ISLAND_BYTES_MOST 8e9
/* Solves for the points of a stage; then the step is taken as rough where nothing lies deep (docs/contact.md). */
#define AFXI_ACTIVESET_SOLVES_MOST 24u
#define AFXI_ACTIVESET_SOLVES_CONVERGED 4000u
/* Of the limit of the largest push: friction that goes along the slip by less is rounding. Slips of a wall of rigid
 * bricks at rest are of 1e-20 m and of either sign; a third of its steps took all the solves of its active set for
 * them. */
#define AFXI_DRIVES_LEAST 1e-9
/* How often limits of friction may follow the normal forces: `fast` links of chains, all others
 * (docs/decisions/contact-active-set.md). */
#define AFXI_ROUNDS_LINKS 1u
#define AFXI_ROUNDS_MOST 4u
#define AFXI_ROUNDS_CONVERGED 1000u
/* How far `converged` goes beyond the last two rounds at most. */
#define AFXI_MIX_MOST 20.0
/* The search for the minimum along a step: halvings at most, and the share of the step that it is found to. */
#define AFXI_SEARCH_HALVINGS 40
#define AFXI_SEARCH_WIDTH 1e-4
/* Of the largest force: with so much a point may pull before it is let go; and so many times its weight a link of a
 * chain, whose joints carry far more than that. */
#define AFXI_PULL_SHARE 1e-4
#define AFXI_PULL_LINK 1e4
/* With `fast`, of its tolerance: so far a point may lie in without pushing, 1 % of what its weight moves a body in a
 * step, until the next one. Iterations of 240 steps of 216 boxes, each from the same state: 8.6 become 8.1
 * (docs/decisions/contact-active-set.md). */
#define AFXI_DEEP_FAST 10.0
/* Share of the points that push which may be on the wrong side while bodies turn so far that frames must follow. */
#define AFXI_WRONG_SIDE_SHARE 0.05
/* Cuts that leave less than this of a step are none. */
#define AFXI_WHOLE_STEP 0.999
/* How far friction may be off, of its limit, before it is solved again; and the share of it from which on what sticks
 * minds a new limit. */
#define AFXI_FRICTION_TOLERANCE_FAST 0.05
#define AFXI_FRICTION_TOLERANCE_ACCURATE 1e-3
#define AFXI_FRICTION_TOLERANCE_CONVERGED 1e-11
#define AFXI_FRICTION_NEAR_LIMIT 0.9
/* Passes of an impact through bodies, and those of them in which things bounce: a pass hands a blow on by one body, and
 * e < 1 lets rows of bodies knock ever less; after the first, all that still approaches stops together. */
#define AFXI_IMPACT_PASSES_MOST 80u
#define AFXI_IMPACT_PASSES_BOUNCING 64u
/* Solves of a pass in which points that pull are let go, and in which friction finds which points slide. */
#define AFXI_IMPACT_RELEASES_MOST 8u
#define AFXI_IMPACT_ROUNDS_MOST 8u
/* Of the largest impulse: less is no pull. Impulses are known to 1e-8 (AFXI_BOUNCE_STIFFNESS). */
#define AFXI_IMPACT_PULL 1e-6
/* Of the limits of all points together: how far the impulses of friction that slides may be off. Point by point no
 * island of figures got there, and every pass took all its rounds. */
#define AFXI_IMPACT_FRICTION 1e-2
/* Of the kinetic energy: what a pass may seem to make. Its rates are met to 1e-8. */
#define AFXI_IMPACT_ROUNDING 1e-6
/* Of the mean speed of all: what approaches slower is at rest. Rates are met to 1e-8. */
#define AFXI_IMPACT_STILL 1e-6
/* Steps of BDF1 when something struck: until two velocities in a row come after it. */
#define AFXI_IMPACT_STEPS 3u
/* A start that is off by less than this share of the size is not touched: what the user gave against joints that are
 * met from the first step on. */
#define AFXI_START_OFF 1e-9

/* Share of a slip that may lie along the normal: one across it has 1e-16 of the distance that it is a part of, and axes
 * of points are held to 1e-6 (validate.c). A mesh in its own hull slipped by rounding, a tenth of it along the normal.
 */
#define AFXI_SLIP_OFF 1e-7

/* Weighted multipliers (share.h): what is added to the scaled diagonal of G, where bodies may be free to move: far
 * above rounding, and below the squares of what weights of 1e5 leave of a unit diagonal. Refinement takes it out again.
 */
#define AFXI_SHARE_EPSILON 1e-11
/* Passes of refinement, what is left of the forces when one is enough, and what is too much to be told. */
#define AFXI_SHARE_PASSES 20
#define AFXI_SHARE_ENOUGH 1e-15
#define AFXI_SHARE_POOR 1e-8

#endif

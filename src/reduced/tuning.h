/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances and caps of this room, each with what it rests on. */
#ifndef AFXI_REDUCED_TUNING_H
#define AFXI_REDUCED_TUNING_H

/* A flywheel turns about its centre of mass where this lies no further from its axis than this share of its radius of
 * gyration: rounding of frames that a loader composed is 1e-15 of their size; 1e-9 changes the weight's torque, which
 * is left out, by no more than a billionth of what would lift the whole wheel by its radius. */
#define AFXI_CENTRED 1e-9

/* Degrees of freedom of a sim: its mass matrix is dense in memory, 8 MB here, and what it saves over rows in twelve
 * coordinates is gone before. */
#define AFXI_REDUCED_DOFS_MOST 1024
/* h omega, and h times the rate of a damper, above which rk4 is not stable: 2.83 and 2.79; several springs on one body
 * add up. */
#define AFXI_REDUCED_STIFF 2.5
/* The same above which `auto` takes an implicit step: at .3 a Runge-Kutta step follows an oscillation to 1e-5 a turn.
 */
#define AFXI_REDUCED_SMOOTH 0.3
/* Accelerations of kinematic bodies are differences of their velocities over this share of a step, on both sides: the
 * error is 1e-8 of what a step's own quadrature leaves, and rounding 1e-13 of a velocity over a step. */
#define AFXI_REDUCED_DIFFERENCE 1e-3
/* Second derivatives of rows at no acceleration are differences of their rates where coordinates are moved by this much
 * of a radian or metre: 1e-10 of their size is left, by either error. */
#define AFXI_REDUCED_BENT 3e-5
/* Share of the diagonal that is added to the rows' system: redundant rows then share their load, and refinement brings
 * the rest, 1e-8 a pass. Less would let differences of redundant rows, 1e-10 by rounding, into their loads. */
#define AFXI_REDUCED_REGULARISE 1e-8
/* The most that a projection is damped by. */
#define AFXI_REDUCED_DAMPED 1e-3
/* A row whose gradient is below this share of the largest, or of what its bodies would have by themselves, squared and
 * weighed by masses, is one that nothing changes: rounding of gradients leaves 1e-32. */
#define AFXI_REDUCED_NO_ROW 1e-22
/* A pivot below this share of its diagonal tells of a redundant row. */
#define AFXI_REDUCED_REDUNDANT 1e-6
/* A pivot below this share of its diagonal is a row that others say already. */
#define AFXI_REDUCED_PIVOT 1e-13
#define AFXI_REDUCED_REFINE_MOST 3
#define AFXI_REDUCED_REFINED 1e-15
/* Rows at the end of a step are closed to this, in metres or radians for a model of a metre; twice as much as rounding
 * of a few bodies leaves. Above AFXI_REDUCED_OPEN a step fails. */
#define AFXI_REDUCED_CLOSED 1e-14
#define AFXI_REDUCED_OPEN 1e-9
#define AFXI_REDUCED_PROJECT_MOST 25
/* A pass with gradients of the last evaluation brings rows closer by 1e-3 or less; where it leaves more than this
 * share, rounding is reached, if no more is left than AFXI_REDUCED_NEAR times what counts as closed, or they do not
 * fit. */
#define AFXI_REDUCED_SLOW 0.5
#define AFXI_REDUCED_NEAR 10
/* Compliance of a row whose force falls with its value: none that counts. */
#define AFXI_REDUCED_LIMP 1e30

/* ---- implicit steps ---- */

/* Passes for the vector of a rotation by its velocity: each leaves h w of the error, which begins with (h w)². */
#define AFXI_REDUCED_TURN_PASSES 6
/* Iterations of a step. The matrix leaves Coriolis terms and weights out: an iteration leaves h w or (h w)² of the
 * error, a tenth where a link turns by 6 degrees in a step. */
#define AFXI_REDUCED_NEWTON_MOST 40
/* An iteration that leaves more than this share of the change before it gets a matrix of its own. */
#define AFXI_REDUCED_CHORD 0.25
/* Velocities, m/s or rad/s, below which something stands still. */
#define AFXI_REDUCED_STILL 1e-4
/* Iterations are lost where velocities change by this many times their size. */
#define AFXI_REDUCED_LOST 1e6
/* Gauss stages: what accelerations times h may be off by, of what an implicit step's velocities may be: its order is
 * twice theirs, and its energy is worth something only where rounding is all that it is off by. */
#define AFXI_REDUCED_GAUSS_LEFT 1e-3
/* Where iterations no longer fall by AFXI_REDUCED_SLOW, the share of velocities that rounding may leave: a stage held
 * by springs of h² k / m = 1e8 loses as many digits. */
#define AFXI_REDUCED_GAUSS_ROUNDING 1e-8
/* Passes that put energy and momenta back at the end of a step: each leaves the square of what is off, h⁵ at first; in
 * a singular position, where rows take back some of what velocities are given, 0.7 of it. */
#define AFXI_REDUCED_ENERGY_PASSES 64
/* Energy is back when so much of what moves, kinetic and stored, is left. */
#define AFXI_REDUCED_ENERGY_LEFT 1e-14
/* ... and a step fails where more is: rounding of the energies of a few bodies is 1e-15 of them. */
#define AFXI_REDUCED_ENERGY_ROUNDING 1e-11
/* Where a body with contact points turns by more in a solve, rad, friction waits for the next frames: as by the affine
 * engines (solve/tuning.h). */
#define AFXI_REDUCED_TURNED 0.005
/* How often contact points are looked for again in a step whose bodies came to be elsewhere than expected, and where
 * shapes lie too deep: as often as by the affine engines (docs/contact.md). */
#define AFXI_REDUCED_LOOKS_MOST 2
#define AFXI_REDUCED_LOOKS_DEEP 8
/* The most parts that a step is cut into where contact does not settle in it. */
#define AFXI_REDUCED_PARTS_MOST 64
/* Steps that go by one after something struck, beside the one in which it did and the next. */
#define AFXI_REDUCED_SHOCK 1
/* Halvings of what an impact gives to velocities where they would have more energy than before it. */
#define AFXI_REDUCED_SHARE_ROUNDS 12
/* Passes of an impact, each with other limits: a chain of limits that hold each other takes a few. */
#define AFXI_REDUCED_STRIKES_MOST 16

/* Instructions of an implicit step, to compare with affine bodies (step/choose.c): at all, of a node, of a rotation
 * besides, of a square of a row of the mass matrix, of an exact row, of a limit or friction. Counted: a pendulum
 * 11,300, a four-bar 55,700, 30 links on hinges 257,000, 4, 16 and 40 on balls 50,700, 411,000 and 3,690,000, a hand
 * 171,000. */
#define AFXI_REDUCED_COST_STEP 6000
#define AFXI_REDUCED_COST_NODE 5000
#define AFXI_REDUCED_COST_BALL 4000
#define AFXI_REDUCED_COST_SQUARE 7
#define AFXI_REDUCED_COST_ROW 5000
#define AFXI_REDUCED_COST_HELD 1000

/* Inverse kinematics. Damping, as a share of what a coordinate moves: of the first step, its bounds, and how it changes
 * where a step was good or bad. */
#define AFXI_REACH_FIRST 1e-3
#define AFXI_REACH_FINEST 1e-12
#define AFXI_REACH_WORST 1e6
#define AFXI_REACH_BETTER 0.25
#define AFXI_REACH_WORSE 6.0
/* Every coordinate is damped by this share of the mean as well, so that those that move nothing stay, and by this much
 * where nothing moves anything. */
#define AFXI_REACH_SHARE 1e-3
#define AFXI_REACH_LEAST 1e-12
/* A step moves no coordinate by more, rad or m: beyond, a Jacobian says little. */
#define AFXI_REACH_STRIDE 0.5
/* A step that gains a smaller share of the squared errors is the last one: rounding of these is 1e-16 of them. */
#define AFXI_REACH_GAIN 1e-15
/* Armature of what is held, times what the coordinate moves: a step moves it by 1e-30 of what it would. */
#define AFXI_REACH_HELD 1e30
/* Trees deeper than this go from the root outwards, so many nodes more at a time, where the whole is not found in a few
 * iterations: a chain of 600 hinges goes from straight to a coil of several turns (test/robot). */
#define AFXI_REACH_DEEP 64
#define AFXI_REACH_STAGE 8
/* ... and deeper ones do not: the time that takes grows with the square of the depth, a minute here. */
#define AFXI_REACH_STAGED_MOST 4096
#define AFXI_REACH_SOON 30
/* Newton steps that close loops after a move; quadratic from the third on. */
#define AFXI_REACH_CLOSE_MOST 25

/* Momenta of a state are those of the present masses where they differ by no more than this share. Both are worked out
 * from the same coordinates by the same sums, so that rounding is all they differ by. */
#define AFXI_REDUCED_SAME_MOMENTA 1e-9

#endif

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
/* A row whose gradient is below this share of the largest, squared and weighed by masses, is one that nothing changes:
 * rounding of gradients leaves 1e-32. */
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

#endif

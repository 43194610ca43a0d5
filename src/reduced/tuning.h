/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances and caps of this room, each with what it rests on. */
#ifndef AFXI_REDUCED_TUNING_H
#define AFXI_REDUCED_TUNING_H

/* A flywheel turns about its centre of mass where this lies no further from its axis than this share of its radius of
 * gyration: rounding of frames that a loader composed is 1e-15 of their size; 1e-9 changes the weight's torque, which
 * is left out, by no more than a billionth of what would lift the whole wheel by its radius. */
#define AFXI_CENTRED 1e-9

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Activations and muscles, as functions. */
#ifndef AFXI_STEP_MUSCLE_H
#define AFXI_STEP_MUSCLE_H

#include "affix/robot.h"

/** The activation after a time h at a value that is held. */
double afxi_activation_after(const AfxActivation *activation, double now, double value, double h);
/** The force of a muscle along its length, which is not above 0: it pulls. */
double afxi_muscle_force(const AfxMuscle *muscle, double activation, double length, double rate);

#endif

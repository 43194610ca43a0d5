/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning constants of the state and its integrators: tolerances, caps and shares, each with what it rests on or trades
 * off. */
#ifndef AFXI_STATE_TUNING_H
#define AFXI_STATE_TUNING_H

/* Second moments below this share of the largest make a body thin: its target hardly tells the rotation about its axis,
 * and the frame is predicted from A + h dA/dt (docs/step.md, 4, thin rods; there in moments of inertia). */
#define AFXI_THIN 1e-3
/* What a force at a distance from the centre does to A, over force times extent, below which it is rounding. */
#define AFXI_FORCE_LEVER_ROUNDING 1e-14
/* The spectral radius of the generalised-α step that starts BDF2: trades its damping against its accuracy. */
#define AFXI_START_RHO 0.5
/* rad a step that bodies may turn under generalised-α of spectral radius rho: DAMPED (1 - rho), within bounds. Free
 * bodies that tumble for 600 steps gain energy from 0.25, 0.18, 0.08, 0.045, 0.025 on at rho = 0.7, 0.8, 0.9, 0.95,
 * 0.98, and at rho = 1 from less than 0.02; multipliers of joints that turn grow by about that angle a step at rho = 1,
 * so that a pendulum in steps of 1 ms, 0.004 rad each, lost or made all of its energy within 10 s: with LEAST 1e5 steps
 * are stable. MOST is where the spin that rho <= 0.5 takes away begins to count (6e-4 in
 * 100 steps). What has gone by BDF2 does so until it turns less than BACK of it: each change of methods costs an error
 * of third order. */
#define AFXI_ALPHA_TURN_DAMPED 0.6
#define AFXI_ALPHA_TURN_MOST 0.09
#define AFXI_ALPHA_TURN_LEAST 1e-4
#define AFXI_ALPHA_TURN_BACK 0.5
/* Multipliers beyond this are of a solve that went wild: they are not a start for the next step. No force of a scene
 * comes near. */
#define AFXI_MULTIPLIER_WILD 1e100

#endif

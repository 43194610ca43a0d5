/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a sim's joint graph. */
#ifndef AFXI_STEP_ROWS_H
#define AFXI_STEP_ROWS_H

#include "joint/axis.h"
#include "joint/law.h"
#include "step/sim.h"

/* Slower than this a coordinate is at rest, per second. */
#define AFXI_STILL 1e-9

/** Blocks of joints to go through one by one: all, or those that closed forms leave. */
uint32_t afxi_blocks_left(const AfxSim *sim);
const AfxiGraphBlock *afxi_block_left(const AfxSim *sim, uint32_t k);
/** Evaluates all rows at the frames: what they measure, gradients, the constant parts of their rates, their laws. */
void afxi_rows_linearise(AfxSim *sim);
/** Leaves only the rows that must hold active: those without compliance, friction left out. How far they are off comes
 * back. */
double afxi_rows_keep_exact(AfxSim *sim);
/** Values, compliances and activity anew from what was measured, after a branch changed. */
void afxi_rows_laws(AfxSim *sim);
/** Largest violation of an exact row at the new q of the jointed bodies; the rows' own frames stay those of the solve.
 */
double afxi_rows_residual(const AfxSim *sim);
/** What one row measures at the new q. */
double afxi_row_result(const AfxSim *sim, uint32_t row);
/** Geometric stiffness of multipliers [rows]: the bound per body, and the exact twist matrices [bodies][6]. */
void afxi_rows_stiffness(AfxSim *sim, const double *lambda, double *out_bound, double *out_exact);
/** After linearising at the present state: makes value, given and active those of the acceleration problem. */
void afxi_rows_velocity_terms(AfxSim *sim);

/** Springs of ball joints: workspace in an arena (both passes); constants of one, and of all with the places of their
 * bodies; value, compliance and gradients of their rows at the frames. */
void afxi_turns_take(AfxSim *sim, AfxiArena *arena);
void afxi_turn_refresh(AfxSim *sim, uint32_t turn);
void afxi_turns_begin(AfxSim *sim);
void afxi_turns_linearise(AfxSim *sim);
/** What springs hold each body by, for jointed.h_rate: the stiffest of them, about its softest axis. */
void afxi_turns_held(AfxSim *sim);

/** Wide passes over the bodies and closed forms for ball joints: workspace in an arena; then for one stage, if they can
 * be used, after which jointed.system.bodies.on is true until the stage's end. */
void afxi_swift_take(AfxSim *sim, AfxiArena *arena);
void afxi_swift_begin(AfxSim *sim, const AfxiStagePlan *plan);
/** The passes of dual/motion.h. */
void afxi_swift_run(AfxSim *sim, AfxiMotionPass *pass);
/** Frames and origins of the first solve. */
void afxi_swift_predict(AfxSim *sim);
/** From now on the stage goes pass by pass; predicts all bodies. */
void afxi_swift_unfold(AfxSim *sim);

/** The same for solves that are not part of a step, of a forest that has no plan (AfxiClimb); other graphs go by
 * gradients there. After a call with `on` rows can be linearised, after one without it all is as before. */
void afxi_swift_still(AfxSim *sim, bool on);
/** There: the values of closed joints become their rates, or with `accelerations` what bodies that are not solved for
 * do to their second derivative; all rows of these joints are linear in q. The largest comes back. */
double afxi_swift_rates(AfxSim *sim, bool accelerations);
/** After a sharp solve (AfxiBodiesWork): whether the bodies that are off by more than `tolerance` hold next to none of
 * the energy of what they are joined to. */
bool afxi_sharp_light(AfxSim *sim, double tolerance);
/** Whether the strain that the turns of a sharp solve, at most `turn`, have left must not stay. */
bool afxi_sharp_strained(AfxSim *sim, double turn);
/** In between sharp solves, of which `solve` was the last: lets bodies that near their place slowly leap there. */
void afxi_sharp_hurry(AfxSim *sim, uint32_t solve);
/** Takes out the strain that the turns of the last solve, at most `turn`, have left, and meets the rows again. */
void afxi_sharp_unstrain(AfxSim *sim, double turn, AfxiDualReport *dual);

/** What the law of a drive's row is evaluated with. */
AfxiLawInput afxi_row_law_input(const AfxSim *sim, uint32_t row, double x, double rate);

/** Targets and rates of all drives at `fraction` of the step. */
void afxi_drives_targets(AfxSim *sim, double fraction);
/** Second derivative of an exact drive's target at the present time. */
double afxi_drive_acceleration(const AfxSim *sim, uint32_t drive);
/** Largest friction of a friction drive, with the share of the last reaction. */
double afxi_friction_limit(const AfxSim *sim, uint32_t drive);
/** Puts every drive on the branch that fits the last solve; true when one changed. */
bool afxi_drives_branches(AfxSim *sim);
/** Lets limits that were reached in this step bounce or stop; true when there were any. */
bool afxi_impact(AfxSim *sim);
/** Makes the velocities the nearest ones that all rows allow; limits bounce. */
void afxi_velocities_project(AfxSim *sim);
/** How far the exact rows of the present state are off, in position and in rate. */
void afxi_start_violation(AfxSim *sim, double *out_position, double *out_rate);
/** Frame, origin and rigid inverse with unit step of a body of the graph at the present state. */
void afxi_jointed_rigid(AfxSim *sim, uint32_t k);
/** Branches back to those at the beginning of the step. */
void afxi_drives_reset(AfxSim *sim);
/** Switches off joints whose reaction is beyond their limit; true when one broke. */
bool afxi_joints_break(AfxSim *sim);
/** Whether no joint of the new q has flipped over. */
bool afxi_joints_consistent(const AfxSim *sim);
/** Marks the beginning of a step, and its end when it went through. */
void afxi_drives_begin(AfxSim *sim);
void afxi_drives_finish(AfxSim *sim);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The independent oracle of a stage: do a result q and multipliers lambda meet the stage's equations?
 *
 * With qhat, qv and the two steps h, h_v of the integrator, every body that is solved for has
 *     F = M (q - qhat)/h² + D M (q - qv)/h_v + grad W(A) - f + sum of lambda_i grad C_i = 0,
 * every exact constraint C_i = 0, every compliant one C_i - sigma - lambda_i/(k + d/h_v) = 0, and every law with
 * branches the condition of the branch it is on. All of it is evaluated at q itself, in plain scalar code from the
 * definitions of joints, drives, springs and contacts: no frames of a solve, no geometric stiffness, no linearisation,
 * and nothing that the engines compute with.
 *
 * F is judged by directions: on t; on a turn of the body, sum of a_k x F_k, in which grad W has no part; and, where the
 * body is elastic, on a strain, sym(R^T F). What a rigid body's rigidity carries, its strains, is not looked at; that
 * A is a rotation is. Scales: the sizes of all forces on t added up; for turns and strains those on A, and those on t
 * times the radius of gyration. What rounding of q alone makes of a force is taken off first. */
#ifndef AFXI_SOLVE_RESIDUAL_H
#define AFXI_SOLVE_RESIDUAL_H

#include "solve/residual_stage.h"

/** Evaluates the stage; body is [bodies] of work. `out` keeps the larger of what it has and what is found. */
void afxi_residual_evaluate(const AfxiResidualStage *asked, AfxiResidualBody *body, AfxResidual *out);
const AfxiBodyClass *afxi_residual_class(const AfxiResidualStage *stage, uint32_t body);
/** sqrt(tr S / m): the lever that makes forces of torques. */
double afxi_residual_gyration(const AfxiBodyClass *class);
/** F += factor gradient on a body that is solved for; others, and the world, take any force. */
void afxi_residual_add(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index, double factor,
                       const double gradient[AFXI_AFFINE_WIDTH]);
/** The natural force of a body, or the natural torque. */
double afxi_residual_scale(const AfxiResidualStage *stage, const AfxiResidualBody *body, uint32_t index, bool torque);
/** Keeps what is larger; what is not a number is largest. */
void afxi_residual_constraint(AfxResidual *out, double value, AfxElement element, uint32_t index);
void afxi_residual_law(AfxResidual *out, double value, AfxElement element, uint32_t index);
void afxi_residual_friction(AfxResidual *out, double value, uint32_t body);

#endif

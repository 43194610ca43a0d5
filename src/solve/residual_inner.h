/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the oracle share. */
#ifndef AFXI_SOLVE_RESIDUAL_INNER_H
#define AFXI_SOLVE_RESIDUAL_INNER_H

#include "solve/equation.h"
#include "solve/residual.h"

/* So many units in the last place of its coordinates may be off what a force is computed from. */
#define AFXI_RESIDUAL_ROUNDING (32 * 2.220446049250313e-16)

const AfxiBodyClass *afxi_residual_class(const AfxiResidualStage *stage, uint32_t body);
/** sqrt(tr S / m): the lever that makes forces of torques. */
double afxi_residual_gyration(const AfxiBodyClass *class);
/** F += factor gradient on a body that is solved for; others, and the world, take any force. */
void afxi_residual_add(const AfxiResidualStage *stage, AfxiResidualBody *body, uint32_t index, double factor,
                       const double gradient[AFXI_AFFINE_WIDTH]);
/** The natural force of a body, or the natural torque. */
double afxi_residual_scale(const AfxiResidualStage *stage, const AfxiResidualBody *body, uint32_t index, bool torque);
/** Forces of holds and of contacts. */
void afxi_residual_holds(const AfxiResidualStage *stage, AfxiResidualBody *body);
void afxi_residual_contacts(const AfxiResidualStage *stage, AfxiResidualBody *body);
/** Whether contacts were solved with the forces of their laws. */
void afxi_residual_contact_laws(const AfxiResidualStage *stage, const AfxiResidualBody *body, AfxResidual *out);
/** Constraints, compliances and branches of all rows. */
void afxi_residual_rows(const AfxiResidualStage *stage, const AfxiResidualBody *body, AfxResidual *out);
/** The torque on the base that the spring of a ball joint asks for, world axes; *out_stiffness: its largest stiffness,
 * damping over h_v included. */
AfxVec3 afxi_residual_spring_torque(const AfxiResidualStage *stage, uint32_t joint, double *out_stiffness);
/** Keeps what is larger; what is not a number is largest. */
void afxi_residual_constraint(AfxResidual *out, double value, AfxElement element, uint32_t index);
void afxi_residual_law(AfxResidual *out, double value, AfxElement element, uint32_t index);
void afxi_residual_friction(AfxResidual *out, double value, uint32_t body);

#endif

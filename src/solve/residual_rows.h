/* SPDX-License-Identifier: Apache-2.0 */
/* Whether constraints hold, compliant ones carry what they must, and laws with branches are on the right one. */
#ifndef AFXI_SOLVE_RESIDUAL_ROWS_H
#define AFXI_SOLVE_RESIDUAL_ROWS_H

#include "solve/residual_inner.h"

/** Constraints, compliances and branches of all rows. */
void afxi_residual_rows(const AfxiResidualStage *stage, const AfxiResidualBody *body, AfxResidual *out);
/** The turn of a ball joint out of the rest orientation of its spring, in the joint's axes on the base. */
AfxVec3 afxi_residual_spring_turn(const AfxiResidualStage *stage, uint32_t joint);
/** The torque on the base that the spring of a ball joint asks for, world axes; *out_stiffness: its largest stiffness,
 * damping over h_v included. */
AfxVec3 afxi_residual_spring_torque(const AfxiResidualStage *stage, uint32_t joint, double *out_stiffness);

#endif

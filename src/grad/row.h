/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints as functions of the variables of an element. */
#ifndef AFXI_GRAD_ROW_H
#define AFXI_GRAD_ROW_H

#include "grad/local.h"

/** Row `index` of the rows of a joint's kind. */
AfxiVar afxi_grad_joint_row(AfxiGradLocal *local, uint32_t joint, uint32_t index);
/** Coordinate `axis` of a joint, turns counted. */
AfxiVar afxi_grad_axis(AfxiGradLocal *local, uint32_t joint, uint32_t axis);
/** Row `row` of a graph: what equation.c has as its value. */
AfxiVar afxi_grad_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row);
/** World torque of the spring of a ball joint on its follower, and its stiffest axis with damping. */
AfxiVar3 afxi_grad_spring_torque(AfxiGradLocal *local, uint32_t joint, double *out_stiffness);
/** force += lambda times a turn of the follower against the base about a world axis. */
void afxi_grad_spring_push(AfxiGradLocal *local, uint32_t joint, uint32_t axis, AfxiVar lambda);

#endif

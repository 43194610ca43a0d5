/* SPDX-License-Identifier: Apache-2.0 */
/* What rows measure, and their discrete gradients. */
#ifndef AFXI_CONSERVE_MEASURE_H
#define AFXI_CONSERVE_MEASURE_H

#include "conserve/inner.h"

/** A row between two places of all bodies, [bodies][12] each. With equal places the gradient is the ordinary one. Rows
 * of rotational springs have no value: afxi_conserve_spring_torque. */
void afxi_conserve_measure(const AfxiConserve *work, uint32_t row, const double *begin, const double *end,
                           AfxiConserveMeasure *out);
/** Second time derivative of an exact row at a place, rates and accelerations [bodies][12] of all bodies. */
double afxi_conserve_second(const AfxiConserve *work, uint32_t row, const double *place, const double *rate,
                            const double *acceleration);
/** Torque of the rotational spring of a joint on its base between two places that are h apart in time, world axes;
 * the change of its energy is that torque times the turn, exactly. out_compliance [9]: its derivative by the turn at
 * the end, inverted, symmetric. False: there is nothing that holds. h = INFINITY: no damping. */
bool afxi_conserve_spring_torque(const AfxiConserve *work, uint32_t joint, const double *begin, const double *end,
                                 double h, AfxVec3 *out_torque, double *out_compliance);
/** Torque of its dampers on the base for a turn of the follower against it, rad/s. */
AfxVec3 afxi_conserve_spring_drag(const AfxiConserve *work, uint32_t joint, const double *place, AfxVec3 turn);
/** Whether no joint of the component has flipped over. */
bool afxi_conserve_consistent(const AfxiConserve *work, const AfxiConserveComponent *component, const double *place);

#endif

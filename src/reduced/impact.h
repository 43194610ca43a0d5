/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts at limits and of contact points. */
#ifndef AFXI_REDUCED_IMPACT_H
#define AFXI_REDUCED_IMPACT_H

#include "reduced/inner.h"

/** Velocities work->u jump where limits were met in this step: these leave with restitution times the speed that they
 * came with, at velocities `before`. True where one was met. */
bool afxi_reduced_strike(AfxiReduced *work, const double *before);

#endif

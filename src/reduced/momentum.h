/* SPDX-License-Identifier: Apache-2.0 */
/* Momenta of the frames of a tree, and steps that balance them. */
#ifndef AFXI_REDUCED_MOMENTUM_H
#define AFXI_REDUCED_MOMENTUM_H

#include "reduced/inner.h"

/** Momenta of what each node with mass carries, in the order of the nodes: about its centre of mass, world axes, at
 * coordinates q and velocities u. Frames, velocities and inertias of the nodes are there then. */
void afxi_reduced_momenta_at(AfxiReduced *work, const double *q, const double *u, AfxiSpatial *out);
/** What momenta, and the weight over a time, are along each velocity [dofs], at the present frames and inertias: M
 * times the velocities that are nearest to them, without armature. */
void afxi_reduced_momenta_along(AfxiReduced *work, const AfxiSpatial *momentum, double time, double *out);

#endif

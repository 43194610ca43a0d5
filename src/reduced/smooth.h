/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit steps of smooth motion: nothing that strikes, sticks or touches, but any stiffness. They keep accelerations
 * for the next step in work->stage_du[2] and [3], and say so in work->kept. */
#ifndef AFXI_REDUCED_SMOOTH_H
#define AFXI_REDUCED_SMOOTH_H

#include "reduced/inner.h"

/** What accelerations of a state are: none, those of generalised-alpha (u' and its a), those of both Gauss stages. */
enum { AFXI_KEPT_NONE = 0, AFXI_KEPT_ALPHA = 1, AFXI_KEPT_GAUSS = 2 };

/** A step of generalised-alpha from work->q, work->u to the same; exact rows hold in coordinates. */
bool afxi_reduced_alpha(AfxiReduced *work, double h);
/** A step of the two-stage Gauss method, of order 4; exact rows hold in accelerations and are met at its end. */
bool afxi_reduced_gauss2(AfxiReduced *work, double h);
/** The same, with energy, and momenta of trees that nothing ties, as they were (conserve.c). */
bool afxi_reduced_conserving(AfxiReduced *work, double h);
/** Kinetic energy, that of weights and that of springs, at work->q, work->u. */
double afxi_reduced_energy(AfxiReduced *work);

#endif

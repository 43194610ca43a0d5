/* SPDX-License-Identifier: Apache-2.0 */
/* Geometric stiffness that is made definite, body by body. */
#ifndef AFXI_BODY_DEFINITE_H
#define AFXI_BODY_DEFINITE_H

#include "body/inverse.h"

/** The stiffness to add in place of one by which a body is unstable (xx, yy, zz, xy, xz, yz): k where the body is
 * stable with it, and where it is not one by which it is as stiff as it is unstable; eigenvalues of inertia and
 * stiffness over the inertia are at least `least`. False: it is so much more than the inertia (AFXI_DEFINITE_MOST) that
 * nothing exact would be left of its inverse; `out` is not set. */
bool afxi_body_make_definite(const AfxiBodyInverse *inverse, const double k[6], double least, double out[6]);

#endif

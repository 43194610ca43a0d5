/* SPDX-License-Identifier: Apache-2.0 */
/* What the strain of a body holds. */
#ifndef AFXI_BODY_STRAIN_H
#define AFXI_BODY_STRAIN_H

#include "body/class.h"

/** W = V (mu |S - I|² + lambda/2 tr(S - I)²) with A = R S, J; rigid bodies hold none. */
double afxi_body_strain_energy(const AfxiBodyClass *class, const double *q);

#endif

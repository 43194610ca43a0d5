/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of the coordinates of several bodies over a stage. */
#ifndef AFXI_COLLIDE_SPAN_H
#define AFXI_COLLIDE_SPAN_H

#include "affix/base.h"

typedef struct AfxiRange {
    double lower[12], upper[12]; /* of coordinates, at the beginning and by their velocities at the end */
    double slow[12], fast[12];   /* of the way in between and 0, from [9] on */
} AfxiRange;

/** The range of q[bodies][12] and q + dt v over body[count]. */
typedef void AfxiSpanKernel(const double *q, const double *v, const uint32_t *body, uint32_t count, double dt,
                            AfxiRange *out);

/** For so many lanes (AfxSimDef.lanes); all give the same. */
AfxiSpanKernel *afxi_span_kernel(uint32_t lanes);

#endif

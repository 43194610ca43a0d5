/* SPDX-License-Identifier: Apache-2.0 */
/* Depth of two overlapping convex cores. */
#ifndef AFXI_CONTACT_EXPAND_H
#define AFXI_CONTACT_EXPAND_H

#include "contact/inner.h"

/** The least motion that separates overlapping cores (van den Bergen's expanding polytope): normal from b to a. */
AfxVec3 afxi_expand(const AfxiPlacedPair *pair, const AfxiSimplex *simplex);

#endif

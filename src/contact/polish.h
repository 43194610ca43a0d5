/* SPDX-License-Identifier: Apache-2.0 */
/* The separation of two convex cores along a normal, and its maximum. */
#ifndef AFXI_CONTACT_POLISH_H
#define AFXI_CONTACT_POLISH_H

#include "contact/inner.h"

/** How far the cores are apart along the unit vector n: no more than their distance, for any n. */
double afxi_separation(const AfxiPlacedPair *pair, AfxVec3 n);
/** Improves a normal: no smaller separation, and exact where faces, edges or smooth surfaces decide. */
AfxVec3 afxi_polish(const AfxiPlacedPair *pair, AfxVec3 normal, double size);

#endif

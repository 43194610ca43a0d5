/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of one body's H in its frame. */
#ifndef AFXI_BODY_INVERSE_H
#define AFXI_BODY_INVERSE_H

#include "body/class.h"
#include "math/vec3.h"

/** Inverse of one body's H: the blocks of class.h and, after the first solve, a change of the twist. */
typedef struct AfxiBodyInverse {
    AfxiBlocks blocks;
    double twist[6];  /* H^-1 = X - X T^t M T X, M as xx, yy, zz, xy, xz, yz */
    double has_twist; /* 1 or 0; all are doubles, for wide loads */
} AfxiBodyInverse;

/** How far a solve with the bound gamma is from one with the stiffness k (xx, yy, zz, xy, xz, yz): |(I + k)^-1 (gamma -
 * k) w|, I the inertia by axis over h² and what springs add to it; |gamma w / I| where I + k is near to singular. */
double afxi_turn_error(AfxVec3 w, const double inertia[3], double gamma, const double k[6]);
/** out = H^-1 g. */
void afxi_body_apply(const AfxiBodyInverse *inverse, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]);
/** Adds the geometric stiffness matrix k (xx, yy, zz, xy, xz, yz) on the twist; false when that is singular. */
bool afxi_body_add_twist(AfxiBodyInverse *inverse, const double k[6]);

#endif

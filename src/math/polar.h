/* SPDX-License-Identifier: Apache-2.0 */
/* The rotation nearest to a 3x3 matrix. */
#ifndef AFXI_MATH_POLAR_H
#define AFXI_MATH_POLAR_H

#include "math/vec3.h"

/** The rotation R (determinant +1) that maximises tr(transpose(R) A), for any finite A: stretched, inverted, singular,
 * zero. Where several do, one nearest to the rotation `guess` (NULL: the identity); guess itself when A is zero or not
 * finite. */
AfxiMat3 afxi_rotation_part(const AfxiMat3 *a, const AfxiMat3 *guess);

#endif

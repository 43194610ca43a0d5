/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues and eigenvectors of small symmetric matrices. */
#ifndef AFXI_MATH_EIGEN_H
#define AFXI_MATH_EIGEN_H

#include "math/vec3.h"

/** Eigenvalues of the symmetric matrix a (xx, yy, zz, xy, xz, yz) and its eigenvectors as the columns of a proper
 * rotation. Not sorted: a diagonal matrix gives its diagonal and the identity. */
void afxi_eigen_sym3(const double a[6], double out_values[3], AfxiMat3 *out_vectors);

/** The same for a 4x4 matrix, given whole (a[4 * column + row]) and overwritten; eigenvector k is
 * out_vectors[4 * k .. 4 * k + 3]. */
void afxi_eigen_sym4(double a[16], double out_values[4], double out_vectors[16]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues and eigenvectors of symmetric 3x3 matrices, one per lane, for *_wide.c files. */
#ifndef AFXI_MATH_EIGEN_WIDE_H
#define AFXI_MATH_EIGEN_WIDE_H

#include "math/simd.h"
#include "math/tuning.h"

/** Of `a` (xx, yy, zz, xy, xz, yz): eigenvalues in no order, and the eigenvectors as columns of a rotation. */
WIDE_INLINE void wide_eigen_symmetric(const Wide a[6], Wide value[3], Wide vector[9]) {
    static const int first[3] = {0, 0, 1}, second[3] = {1, 2, 2}, beside[3][2] = {{4, 5}, {3, 5}, {3, 4}};
    Wide one = wide_all(1), off[6];
    for (int k = 0; k < 3; k++) {
        value[k] = a[k];
        off[3 + k] = a[3 + k];
    }
    for (int k = 0; k < 9; k++) {
        vector[k] = wide_all(k % 4 == 0);
    }
    for (int turn = 0; turn < 3 * AFXI_EIGEN_SWEEPS; turn++) {
        int p = turn % 3, i = first[p], k = second[p], left = beside[p][0], right = beside[p][1];
        Wide x = off[3 + p], twice = x + x, apart = value[k] - value[i];
        Wide root = wide_sqrt(wide_fma(apart, apart, twice * twice));
        Wide size = wide_select(wide_less(apart, wide_all(0)), apart - root, apart + root);
        Wide tangent = wide_select(wide_equal(root, wide_all(0)), wide_all(0), twice / size);
        Wide cosine = one / wide_sqrt(wide_fma(tangent, tangent, one)), sine = tangent * cosine;
        value[i] = wide_nma(tangent, x, value[i]);
        value[k] = wide_fma(tangent, x, value[k]);
        off[3 + p] = wide_all(0);
        Wide other = off[left];
        off[left] = wide_nma(sine, off[right], cosine * other);
        off[right] = wide_fma(sine, other, cosine * off[right]);
        for (int r = 0; r < 3; r++) {
            Wide own = vector[3 * i + r];
            vector[3 * i + r] = wide_nma(sine, vector[3 * k + r], cosine * own);
            vector[3 * k + r] = wide_fma(sine, own, cosine * vector[3 * k + r]);
        }
    }
}

/** sum of value times vector vector^T, as xx, yy, zz, xy, xz, yz. */
WIDE_INLINE void wide_eigen_compose(const Wide value[3], const Wide vector[9], Wide out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        const Wide *a = vector + row[e], *b = vector + column[e];
        out[e] = wide_fma(value[2] * a[6], b[6], wide_fma(value[1] * a[3], b[3], value[0] * a[0] * b[0]));
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Cyclic Jacobi method: rotate in the plane (p, q) by the angle with tan t that zeroes a_pq,
 *   cot 2t = (a_qq - a_pp) / (2 a_pq), |t| <= pi/4 (Golub and Van Loan, Matrix Computations, 8.5),
 * until every off-diagonal entry is small beside its own two diagonal ones. That test, rather than one against the
 * norm, keeps the small eigenvalues of a positive matrix accurate (Demmel and Veselic 1992). Products of rotations that
 * start at the identity: the eigenvectors form a proper rotation and keep their order. */
#include "math/eigen.h"

#include <float.h>
#include <string.h>

/* Convergence is quadratic: 4x4 matrices take 6 or 7 sweeps at most in practice. */
enum { MAX_SWEEPS = 24 };

/* Zeroes a_pq of the n x n matrix a, and turns columns p and q of v along. */
static void rotate(int n, double *a, double *v, int p, int q) {
    double apq = a[n * p + q];
    double theta = (0.5 * a[n * q + q] - 0.5 * a[n * p + p]) / apq;
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    a[n * p + p] -= t * apq;
    a[n * q + q] += t * apq;
    a[n * p + q] = a[n * q + p] = 0;
    for (int r = 0; r < n; r++) {
        double vp = v[n * p + r], vq = v[n * q + r];
        v[n * p + r] = c * vp - s * vq;
        v[n * q + r] = s * vp + c * vq;
        if (r == p || r == q)
            continue;
        double ap = a[n * p + r], aq = a[n * q + r];
        a[n * p + r] = a[n * r + p] = c * ap - s * aq;
        a[n * q + r] = a[n * r + q] = s * ap + c * aq;
    }
}

/* Makes the n x n matrix a diagonal; v receives the eigenvectors as columns. */
static void diagonalize(int n, double *a, double *v) {
    memset(v, 0, (size_t)(n * n) * sizeof *v);
    for (int k = 0; k < n; k++)
        v[n * k + k] = 1;
    bool turned = true;
    for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                double small = 0.5 * DBL_EPSILON * sqrt(fabs(a[n * p + p])) * sqrt(fabs(a[n * q + q]));
                if (fabs(a[n * p + q]) <= small)
                    continue;
                rotate(n, a, v, p, q);
                turned = true;
            }
    }
}

void afxi_eigen_sym3(const double a[6], double out_values[3], AfxiMat3 *out_vectors) {
    double largest = 0;
    for (int k = 0; k < 6; k++)
        largest = fmax(largest, fabs(a[k]));
    double scale = largest > 1e300 ? 0x1p-8 : 1; /* room for sums of three entries */
    double full[9] = {a[0], a[3], a[4], a[3], a[1], a[5], a[4], a[5], a[2]};
    for (int k = 0; k < 9; k++)
        full[k] *= scale;
    diagonalize(3, full, out_vectors->m);
    for (int k = 0; k < 3; k++)
        out_values[k] = full[4 * k] / scale;
}

void afxi_eigen_sym4(double a[16], double out_values[4], double out_vectors[16]) {
    diagonalize(4, a, out_vectors);
    for (int k = 0; k < 4; k++)
        out_values[k] = a[5 * k];
}

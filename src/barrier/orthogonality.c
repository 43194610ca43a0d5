/* SPDX-License-Identifier: Apache-2.0 */
/* The published energy of affine bodies (Lan et al. 2022, Eq. 6), E = k |C|² with C = M - I, M = A^T A. Along
 * A' = A + A X, X = w x + s:
 *     dM = X^T M + M X,   d²M = 2 X^T M X,   dE = 2 k C : dM,   d²E = 2 k (dM : dM + C : d²M).
 * C is symmetric and commutes with M, so that the gradient is 4 k C M : s and turns have none. */
#include "barrier/orthogonality.h"

#include "barrier/body.h"
#include "math/eigen.h"
#include "math/polar.h"

#define WIDTH 12

/* The part of a symmetric matrix whose eigenvalues are positive. */
static AfxiMat3 positive_part(const AfxiMat3 *c) {
    double packed[6] = {c->m[0], c->m[4], c->m[8], c->m[1], c->m[2], c->m[5]}, value[3];
    AfxiMat3 vectors, out = {{0}};
    afxi_eigen_sym3(packed, value, &vectors);
    for (int k = 0; k < 3; k++) {
        for (int e = 0; e < 9 && value[k] > 0; e++) {
            out.m[e] += value[k] * vectors.m[3 * k + e / 3] * vectors.m[3 * k + e % 3];
        }
    }
    return out;
}

static double product(const AfxiMat3 *a, const AfxiMat3 *b) {
    double sum = 0;
    for (int e = 0; e < 9; e++) {
        sum += a->m[e] * b->m[e];
    }
    return sum;
}

static void add_hessian(double k, const AfxiMat3 *metric, const AfxiMat3 *strain, double *h) {
    AfxiMat3 change[9], bent[9], pressed = positive_part(strain);
    for (int i = 0; i < 9; i++) {
        AfxiMat3 x = afxi_barrier_direction(i), moved = mat3_multiply(metric, &x);
        for (int e = 0; e < 9; e++) {
            change[i].m[e] = moved.m[e] + moved.m[3 * (e % 3) + e / 3];
        }
        bent[i] = mat3_multiply(&x, &pressed); /* C : X^T M Y = tr(C X^T M Y) = (X C) : (M Y) */
    }
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            AfxiMat3 y = afxi_barrier_direction(j), moved = mat3_multiply(metric, &y);
            double second = product(&change[i], &change[j]) + 2 * product(&bent[i], &moved);
            h[WIDTH * (i < 3 ? i : i + 3) + (j < 3 ? j : j + 3)] += 2 * k * second;
        }
    }
}

double afxi_orthogonality(double k, const double *q, double *gradient, double *hessian) {
    AfxiMat3 a = mat3_load(q), metric = mat3_multiply_tn(&a, &a), strain = metric;
    for (int e = 0; e < 9; e += 4) {
        strain.m[e] -= 1;
    }
    if (gradient) {
        AfxiMat3 pulled = mat3_multiply(&strain, &metric);
        double local[WIDTH];
        afxi_barrier_local(&pulled, vec3(0, 0, 0), local);
        for (int c = 0; c < 6; c++) {
            gradient[c] += 4 * k * local[6 + c];
        }
    }
    if (hessian) {
        add_hessian(k, &metric, &strain, hessian);
    }
    return k * product(&strain, &strain);
}

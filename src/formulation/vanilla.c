/* SPDX-License-Identifier: Apache-2.0 */
/* The body of affine body dynamics as first published: energy W = V k |S|², S = A A^T - I (Eq. 3 of the M-ABD paper),
 *     dW/dA = 4 V k S A,
 *     d²W / dA_rc dA_ij = 4 V k (δ_ri (A^T A)_jc + A_rj A_ic + S_ri δ_jc),
 * its 9x9 Hessian with the mass factored anew in every iteration. k = E / 8: a bar then is as stiff along its axis as
 * its Young's modulus says. Where compression makes the Hessian indefinite, the term with S is left out. */
#include "formulation/inner.h"

#include <math.h>

/* Place of element (i, j), i >= j, in the triangle. */
static int at(int i, int j) {
    return i * (i + 1) / 2 + j;
}

static double stiffness(const AfxiBodyClass *class) {
    return class->volume * class->young / 8;
}

static void hessian(const AfxiBodyForce *force, const AfxiMat3 *a, const AfxiMat3 *s, bool exact, double *out) {
    AfxiMat3 c = mat3_multiply_tn(a, a);
    double k4 = 4 * stiffness(force->class), per_h2 = 1 / (force->h * force->h);
    for (int row = 0; row < 9; row++) {
        int rc = row / 3, rr = row % 3; /* column and row of A */
        for (int other = 0; other <= row; other++) {
            int oc = other / 3, ow = other % 3;
            double sum = (rr == ow ? c.m[3 * oc + rc] : 0) + a->m[3 * oc + rr] * a->m[3 * rc + ow];
            sum += exact && rc == oc ? s->m[3 * ow + rr] : 0;
            out[at(row, other)] = k4 * sum + (row == other ? force->class->s[rc] * per_h2 : 0);
        }
    }
}

static bool cholesky(double *m) {
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m[at(i, j)];
            for (int k = 0; k < j; k++) {
                sum -= m[at(i, k)] * m[at(j, k)];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            m[at(i, j)] = i == j ? sqrt(sum) : sum / m[at(j, j)];
        }
    }
    return true;
}

static void apply_inverse(const AfxiPublishedBody *body, const AfxiBodyForce *force, const double *f, double *out) {
    for (int i = 0; i < 9; i++) {
        double sum = f[i];
        for (int k = 0; k < i; k++) {
            sum -= body->factor[at(i, k)] * out[k];
        }
        out[i] = sum / body->factor[at(i, i)];
    }
    for (int i = 8; i >= 0; i--) {
        double sum = out[i];
        for (int k = i + 1; k < 9; k++) {
            sum -= body->factor[at(k, i)] * out[k];
        }
        out[i] = sum / body->factor[at(i, i)];
    }
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = f[k] * force->h * force->h / force->class->mass;
    }
}

void afxi_vanilla_begin(AfxiPublishedBody *body, const AfxiBodyForce *force, const double *q) {
    AfxiMat3 a = mat3_load(q), transposed = mat3_transpose(&a), s = mat3_multiply(&a, &transposed);
    for (int k = 0; k < 3; k++) {
        s.m[4 * k] -= 1;
    }
    hessian(force, &a, &s, true, body->factor);
    if (!cholesky(body->factor)) {
        hessian(force, &a, &s, false, body->factor);
        cholesky(body->factor);
    }
    AfxiMat3 gradient = mat3_multiply(&s, &a);
    double f[AFXI_AFFINE_WIDTH], per_h2 = 1 / (force->h * force->h), k4 = 4 * stiffness(force->class);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        double mass = k < 9 ? force->class->s[k / 3] : force->class->mass;
        f[k] = mass * per_h2 * (body->target[k] - q[k]) - (k < 9 ? k4 * gradient.m[k] : 0);
    }
    vec3_store(f + 9, vec3_add(vec3_load(f + 9), force->weight));
    apply_inverse(body, force, f, body->step);
}

void afxi_vanilla_side(const AfxiPublishedBody *body, const AfxiBodyForce *force, AfxVec3 direction, AfxVec3 point,
                       AfxiRowSide *side) {
    const double x[4] = {point.x, point.y, point.z, 1};
    for (int k = 0; k < 4; k++) {
        vec3_store(side->g + 3 * k, vec3_scale(side->sign * x[k], direction));
    }
    apply_inverse(body, force, side->g, side->hg);
}

void afxi_vanilla_finish(const AfxiPublishedBody *body, double *q) {
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        q[k] += body->step[k];
    }
}

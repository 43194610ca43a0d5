/* SPDX-License-Identifier: Apache-2.0 */
/* M-ABD's body: (M / h² + K) R^T δq = R^T f (Eq. 16), K that of linear elasticity at the rest shape, f the inertia's
 * and the elasticity's force at the present q; R from the polar decomposition (Eq. 9), or, for Eq. 17 and Alg. 1,
 *     R^T a = |a| / |A^T a| A^T a,  R a = |a| / |A a| A a,  for each of the four 3-vectors by itself.
 *
 * Eq. 15 is printed with A where R^T A has to stand: with A it would see a strain in every rotation. The inverse of the
 * constant matrix is that of body/class.h, which is cheaper than solving with a factor. */
#include "formulation/inner.h"

#include <string.h>

#include "math/polar.h"

static const int pair_index[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static AfxVec3 keep_length(AfxVec3 turned, AfxVec3 before) {
    double length = vec3_length(turned);
    return length > 0 ? vec3_scale(vec3_length(before) / length, turned) : turned;
}

/* From the world into the body's frame, and back. */
static AfxVec3 inward(const AfxiPublishedBody *body, bool polar, AfxVec3 a) {
    AfxVec3 turned = mat3_apply_transposed(&body->frame, a);
    return polar ? turned : keep_length(turned, a);
}

static AfxVec3 outward(const AfxiPublishedBody *body, bool polar, AfxVec3 a) {
    AfxVec3 turned = mat3_apply(&body->frame, a);
    return polar ? turned : keep_length(turned, a);
}

/* H^-1 f in the body's frame; columns of A, then t. */
static void apply_inverse(const AfxiBlocks *blocks, const double *f, double *out) {
    for (int p = 0; p < 3; p++) {
        int i = pair_index[p][0], k = pair_index[p][1];
        double a = f[3 * k + i], b = f[3 * i + k];
        out[3 * k + i] = blocks->pair[p][0] * a + blocks->pair[p][2] * b;
        out[3 * i + k] = blocks->pair[p][2] * a + blocks->pair[p][1] * b;
    }
    const double *d = blocks->diagonal;
    out[0] = d[0] * f[0] + d[3] * f[4] + d[4] * f[8];
    out[4] = d[3] * f[0] + d[1] * f[4] + d[5] * f[8];
    out[8] = d[4] * f[0] + d[5] * f[4] + d[2] * f[8];
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = blocks->translation * f[k];
    }
}

/* Eq. 15 with B = R^T A: -V (mu (B + B^T - 2 I) + lambda tr(B - I) I), in the body's frame. */
static AfxiMat3 elastic_force(const AfxiBodyClass *class, const AfxiMat3 *b) {
    double mu = class->volume * class->young / (2 * (1 + class->poisson));
    double lambda = 2 * mu * class->poisson / (1 - 2 * class->poisson);
    double trace = b->m[0] + b->m[4] + b->m[8] - 3;
    AfxiMat3 force;
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++) {
            double strain = b->m[3 * column + row] + b->m[3 * row + column] - (row == column ? 2 : 0);
            force.m[3 * column + row] = -mu * strain - (row == column ? lambda * trace : 0);
        }
    }
    return force;
}

void afxi_corotated_begin(AfxiPublishedBody *body, const AfxiBodyForce *force, bool polar, const double *q) {
    AfxiMat3 a = mat3_load(q), b;
    body->frame = polar ? afxi_rotation_part(&a, NULL) : a;
    for (int k = 0; k < 3; k++) {
        vec3_store(b.m + 3 * k, inward(body, polar, mat3_column(&a, k)));
    }
    AfxiMat3 elastic = elastic_force(force->class, &b);
    double local[AFXI_AFFINE_WIDTH], per_h2 = 1 / (force->h * force->h);
    for (int k = 0; k < 4; k++) {
        double mass = k < 3 ? force->class->s[k] : force->class->mass;
        AfxVec3 away = vec3_sub(vec3_load(body->target + 3 * k), vec3_load(q + 3 * k));
        AfxVec3 f = vec3_scale(mass * per_h2, away);
        f = vec3_add(f, k < 3 ? outward(body, polar, mat3_column(&elastic, k)) : force->weight);
        vec3_store(local + 3 * k, inward(body, polar, f));
    }
    apply_inverse(&body->blocks, local, body->step);
}

void afxi_corotated_side(const AfxiPublishedBody *body, bool polar, AfxVec3 direction, AfxVec3 point,
                         AfxiRowSide *side) {
    AfxVec3 local = inward(body, polar, direction);
    const double x[4] = {point.x, point.y, point.z, 1};
    for (int k = 0; k < 4; k++) {
        vec3_store(side->g + 3 * k, vec3_scale(side->sign * x[k], local));
    }
    apply_inverse(&body->blocks, side->g, side->hg);
}

void afxi_corotated_finish(const AfxiPublishedBody *body, bool polar, double *q) {
    for (int k = 0; k < 4; k++) {
        AfxVec3 change = outward(body, polar, vec3_load(body->step + 3 * k));
        vec3_store(q + 3 * k, vec3_add(vec3_load(q + 3 * k), change));
    }
}

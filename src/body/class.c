/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse blocks of one body, in compliances.
 *
 * Pair (i,k), a = s_k/h², d = s_i/h², e = 1/(V mu):
 *     P_ik = (1 + e (d + g/4)) / det,  P_ki = (1 + e (a + g/4)) / det,  O = -(1 - e g/4) / det,
 *     det  = e a d + (a + d)(1 + e g/4) + g,
 * which is the inverse of [[a + V mu + g/4, V mu - g/4], [., d + V mu + g/4]] multiplied through by e.
 * Diagonal, e2 = 1/(2 V mu), k = lambda/(2 mu) = nu/(1 - 2 nu), y_i = 1/(1 + e2 c_i):
 *     D_ij = e2 y_i delta_ij - e2 k y_i y_j / (1 + k sum y)      (Sherman-Morrison). */
#include "body/class.h"

#include <math.h>
#include <string.h>

#include "body/tuning.h"

static const int pair_index[3][2] = {{0, 1}, {0, 2}, {1, 2}};

AfxiBlocks afxi_body_blocks(const AfxiBodyClass *body, AfxiScale scale, double gamma) {
    AfxiBlocks blocks;
    double shear = body->young / (2 * (1 + body->poisson));
    double e = 1 / (body->volume * shear); /* 0 when rigid */
    double drag = scale.h_squared / scale.h_rate;
    blocks.weight_a = 1 / (1 + body->angular_damping * drag);
    blocks.weight_t = 1 / (1 + body->linear_damping * drag);
    blocks.translation = scale.h_squared * blocks.weight_t / body->mass;
    double sum = 0, y[3];
    for (int k = 0; k < 3; k++) {
        blocks.c[k] = body->s[k] / (scale.h_squared * blocks.weight_a);
        y[k] = 1 / (1 + 0.5 * e * blocks.c[k]);
        sum += y[k];
    }
    double quarter = 0.25 * gamma;
    for (int p = 0; p < 3; p++) {
        double d = blocks.c[pair_index[p][0]], a = blocks.c[pair_index[p][1]];
        double det = e * a * d + (a + d) * (1 + e * quarter) + gamma;
        blocks.pair[p][0] = (1 + e * (d + quarter)) / det;
        blocks.pair[p][1] = (1 + e * (a + quarter)) / det;
        blocks.pair[p][2] = -(1 - e * quarter) / det;
    }
    double ratio = body->poisson / (1 - 2 * body->poisson);
    double coupling = 0.5 * e * ratio / (1 + ratio * sum);
    for (int k = 0; k < 3; k++) {
        blocks.diagonal[k] = 0.5 * e * y[k] - coupling * y[k] * y[k];
        blocks.diagonal[3 + k] = -coupling * y[pair_index[k][0]] * y[pair_index[k][1]];
    }
    return blocks;
}

/* The kernel finds the rotation part of X = R diag(f) from Y = X + cof X with singular values y = f_i + f_j f_k,
 * nearly. A Newton pass scaled by z maps them to (z y + 1/(z y))/2, and z = 1/sqrt(y_min y_max) folds the largest onto
 * the smallest: two passes make three values one, the third brings it to 1. Until then only the ratio of the two terms
 * matters: y + 1/(z² y). */
static void newton_factors(const double f[3], double out[4]) {
    double y[3];
    for (int k = 0; k < 3; k++) {
        y[k] = f[k] + f[(k + 1) % 3] * f[(k + 2) % 3];
    }
    for (int pass = 0; pass < 3; pass++) {
        double square = fmin(y[0], fmin(y[1], y[2])) * fmax(y[0], fmax(y[1], y[2]));
        if (pass < 2) {
            out[pass] = square;
        } else {
            out[2] = 0.5 / sqrt(square);
            out[3] = 0.5 * sqrt(square);
        }
        for (int k = 0; k < 3; k++) {
            y[k] += square / y[k];
        }
    }
}

void afxi_body_free_constants(const AfxiBodyClass *body, AfxiScale scale, double *out) {
    AfxiBlocks blocks = afxi_body_blocks(body, scale, 0);
    memset(out, 0, AFXI_FREE_SIZE * sizeof *out);
    memcpy(out + AFXI_FREE_C, blocks.c, sizeof blocks.c);
    memcpy(out + AFXI_FREE_PAIR, blocks.pair, sizeof blocks.pair);
    memcpy(out + AFXI_FREE_DIAGONAL, blocks.diagonal, sizeof blocks.diagonal);
    out[AFXI_FREE_WEIGHT_A] = blocks.weight_a;
    out[AFXI_FREE_WEIGHT_T] = blocks.weight_t;
    out[AFXI_FREE_GRAVITY] = body->gravity * scale.h_squared * blocks.weight_t;
    out[AFXI_FREE_FORCE] = blocks.translation;
    double inertia_min = INFINITY, inertia_max = 0;
    for (int p = 0; p < 3; p++) {
        double inertia = body->s[pair_index[p][0]] + body->s[pair_index[p][1]];
        inertia_min = fmin(inertia_min, inertia);
        inertia_max = fmax(inertia_max, inertia);
    }
    double norm = sqrt(blocks.c[0] * blocks.c[0] + blocks.c[1] * blocks.c[1] + blocks.c[2] * blocks.c[2]);
    bool exact = inertia_min >= AFXI_EXACT_FRAME_RATIO * inertia_max && isfinite(1 / norm);
    for (int k = 0; k < 3; k++) {
        out[AFXI_FREE_FRAME + k] = exact ? blocks.c[k] / norm : 1;
    }
    out[AFXI_FREE_EXACT] = exact ? 1 / norm : 0;
    newton_factors(out + AFXI_FREE_FRAME, out + AFXI_FREE_NEWTON);
}

bool afxi_body_floor(double mass, double size, double s[3]) {
    double least = 1e-12 * mass * size * size;
    bool floored = false;
    for (int p = 0; p < 3; p++) {
        double *a = &s[pair_index[p][0]], *b = &s[pair_index[p][1]];
        if (*a + *b < least) {
            *a += 0.5 * least;
            *b += 0.5 * least;
            floored = true;
        }
    }
    return floored;
}

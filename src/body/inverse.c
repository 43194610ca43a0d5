/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of one body's H: split blocks, and the exact geometric stiffness as a rank-3 change (Woodbury). With T
 * the map from beta to its axial vector and Theta = T X T^t, which is diagonal,
 *     (H + T^t K T)^-1 = X - X T^t M T X,   M = K (I + Theta K)^-1. */
#include <math.h>

#include "body/inverse.h"
#include "body/tuning.h"
#include "math/vec3.h"

/* Pairs (0,1), (0,2), (1,2): where their entries stand in a column-major matrix, and the axis they turn about. */
static const struct {
    int ik, ki, axis;
    double sign;
} pairs[3] = {{3, 1, 2, 1}, {6, 2, 1, -1}, {7, 5, 0, 1}};

static void apply_blocks(const AfxiBlocks *blocks, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]) {
    const double *d = blocks->diagonal;
    out[0] = d[0] * g[0] + d[3] * g[4] + d[4] * g[8];
    out[4] = d[3] * g[0] + d[1] * g[4] + d[5] * g[8];
    out[8] = d[4] * g[0] + d[5] * g[4] + d[2] * g[8];
    for (int p = 0; p < 3; p++) {
        const double *pair = blocks->pair[p];
        double a = g[pairs[p].ik], b = g[pairs[p].ki];
        out[pairs[p].ik] = pair[0] * a + pair[2] * b;
        out[pairs[p].ki] = pair[2] * a + pair[1] * b;
    }
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = blocks->translation * g[k];
    }
}

void afxi_body_apply(const AfxiBodyInverse *inverse, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]) {
    apply_blocks(&inverse->blocks, g, out);
    if (inverse->has_twist == 0) {
        return;
    }
    double w[3];
    for (int p = 0; p < 3; p++) {
        w[pairs[p].axis] = 0.5 * pairs[p].sign * (out[pairs[p].ki] - out[pairs[p].ik]);
    }
    double y[3];
    vec3_store(y, sym3_apply(inverse->twist, vec3_load(w)));
    for (int p = 0; p < 3; p++) {
        const double *pair = inverse->blocks.pair[p];
        double half = 0.5 * pairs[p].sign * y[pairs[p].axis];
        out[pairs[p].ik] -= half * (pair[2] - pair[0]);
        out[pairs[p].ki] -= half * (pair[1] - pair[2]);
    }
}

bool afxi_body_add_twist(AfxiBodyInverse *inverse, const double k[6]) {
    double theta[3];
    for (int p = 0; p < 3; p++) {
        const double *pair = inverse->blocks.pair[p];
        theta[pairs[p].axis] = 0.25 * (pair[0] + pair[1] - 2 * pair[2]);
    }
    AfxiMat3 stiffness = {{k[0], k[3], k[4], k[3], k[1], k[5], k[4], k[5], k[2]}}, n;
    for (int e = 0; e < 9; e++) {
        n.m[e] = (e % 4 == 0) + theta[e % 3] * stiffness.m[e];
    }
    double det = mat3_determinant(&n);
    double root[3] = {sqrt(theta[0]), sqrt(theta[1]), sqrt(theta[2])};
    double xx = 1 + theta[0] * k[0], xy = root[0] * root[1] * k[3], xz = root[0] * root[2] * k[4];
    double yy = 1 + theta[1] * k[1] - xy * xy / xx, yz = root[1] * root[2] * k[5] - xy * xz / xx;
    double zz = 1 + theta[2] * k[2] - xz * xz / xx - yz * yz / yy;
    if (!(xx > AFXI_BUCKLING_PIVOT && yy > AFXI_BUCKLING_PIVOT && zz > AFXI_BUCKLING_PIVOT)) {
        return false; /* compression near or beyond buckling: the bound is the safe choice */
    }
    AfxVec3 x = mat3_column(&n, 0), y = mat3_column(&n, 1), z = mat3_column(&n, 2);
    AfxVec3 row[3] = {vec3_cross(y, z), vec3_cross(z, x), vec3_cross(x, y)}; /* rows of n^-1, times det */
    AfxiMat3 inverted;
    for (int r = 0; r < 3; r++) {
        inverted.m[r] = row[r].x / det;
        inverted.m[3 + r] = row[r].y / det;
        inverted.m[6 + r] = row[r].z / det;
    }
    AfxiMat3 m = mat3_multiply(&stiffness, &inverted);
    double twist[6] = {
        m.m[0], m.m[4], m.m[8], 0.5 * (m.m[1] + m.m[3]), 0.5 * (m.m[2] + m.m[6]), 0.5 * (m.m[5] + m.m[7])};
    for (int e = 0; e < 6; e++) {
        inverse->twist[e] = twist[e];
    }
    inverse->has_twist = 1;
    return true;
}

double afxi_turn_error(AfxVec3 w, const double inertia[3], double gamma, const double k[6]) {
    double x = inertia[0], y = inertia[1], z = inertia[2];
    double xx = x + k[0], xy = k[3] / xx, xz = k[4] / xx, yy = y + k[1] - k[3] * xy, yz = (k[5] - k[3] * xz) / yy;
    double zz = z + k[2] - k[4] * xz - yz * yz * yy;
    if (!(xx > AFXI_BUCKLING_PIVOT * x && yy > AFXI_BUCKLING_PIVOT * y && zz > AFXI_BUCKLING_PIVOT * z)) {
        return gamma * vec3_length(vec3(w.x / x, w.y / y, w.z / z));
    }
    double a = gamma * w.x - k[0] * w.x - k[3] * w.y - k[4] * w.z;
    double b = gamma * w.y - k[3] * w.x - k[1] * w.y - k[5] * w.z;
    double c = gamma * w.z - k[4] * w.x - k[5] * w.y - k[2] * w.z;
    b -= xy * a;
    c = (c - xz * a - yz * b) / zz;
    b = b / yy - yz * c;
    a = a / xx - xy * b - xz * c;
    return vec3_length(vec3(a, b, c));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Four doubles, made of as many wide ones as the variant needs: the same sums in the same order for 1, 2 and 4 lanes.
 * For *_wide.c files. */
#ifndef AFXI_SPARSE_QUAD_H
#define AFXI_SPARSE_QUAD_H

#include <string.h>

#include "math/simd.h"

#define QUAD_PARTS (4 / AFXI_LANES)

typedef struct Quad {
    Wide part[QUAD_PARTS];
} Quad;

#define QUAD_EACH for (int part_ = 0; part_ < QUAD_PARTS; part_++)

WIDE_INLINE Quad quad_load(const double *from) {
    Quad q;
    memcpy(&q, from, sizeof q);
    return q;
}

WIDE_INLINE void quad_store(double *to, Quad q) {
    memcpy(to, &q, sizeof q);
}

WIDE_INLINE Quad quad_all(double x) {
    Quad q;
    QUAD_EACH q.part[part_] = wide_all(x);
    return q;
}

WIDE_INLINE Quad quad_add(Quad a, Quad b) {
    QUAD_EACH a.part[part_] += b.part[part_];
    return a;
}

WIDE_INLINE Quad quad_multiply(Quad a, Quad b) {
    QUAD_EACH a.part[part_] *= b.part[part_];
    return a;
}

/** c + a * b */
WIDE_INLINE Quad quad_fma(Quad a, Quad b, Quad c) {
    QUAD_EACH c.part[part_] = wide_fma(a.part[part_], b.part[part_], c.part[part_]);
    return c;
}

/** c - a * b */
WIDE_INLINE Quad quad_nma(Quad a, Quad b, Quad c) {
    QUAD_EACH c.part[part_] = wide_nma(a.part[part_], b.part[part_], c.part[part_]);
    return c;
}

/** 1 / sqrt(a), by a root and a division. */
WIDE_INLINE Quad quad_inverse_root(Quad a) {
    QUAD_EACH a.part[part_] = 1 / wide_sqrt(a.part[part_]);
    return a;
}

WIDE_INLINE double quad_sum(Quad a) {
    double lane[4];
    quad_store(lane, a);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/** c - a * b of one number, rounded as the quads are. */
WIDE_INLINE double scalar_nma(double a, double b, double c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(-a, b, c);
#else
    return c - a * b;
#endif
}

#endif

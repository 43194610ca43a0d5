/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of one gradient side by side, four at a time whatever the number of lanes, for *_wide.c files. Sums of their
 * products are those of the numbers 0, 4, 8; 1, 5, 9; and so on, put together at the end: the same bits everywhere. */
#ifndef AFXI_BODY_QUAD_WIDE_H
#define AFXI_BODY_QUAD_WIDE_H

#include "body/dof.h"
#include "math/simd.h"

#define QUAD 4
#define QUAD_PARTS (QUAD / AFXI_LANES)
#define QUADS (AFXI_AFFINE_WIDTH / QUAD)

typedef struct Quad {
    Wide part[QUAD_PARTS];
} Quad;

WIDE_INLINE Quad quad_load(const double *from) {
    Quad out;
    for (int p = 0; p < QUAD_PARTS; p++) {
        out.part[p] = wide_load(from + AFXI_LANES * p);
    }
    return out;
}

WIDE_INLINE void quad_store(double *to, Quad in) {
    for (int p = 0; p < QUAD_PARTS; p++) {
        wide_store(to + AFXI_LANES * p, in.part[p]);
    }
}

WIDE_INLINE Quad quad_all(double x) {
    Quad out;
    for (int p = 0; p < QUAD_PARTS; p++) {
        out.part[p] = wide_all(x);
    }
    return out;
}

/* a b + c */
WIDE_INLINE Quad quad_fma(Quad a, Quad b, Quad c) {
    for (int p = 0; p < QUAD_PARTS; p++) {
        c.part[p] = wide_fma(a.part[p], b.part[p], c.part[p]);
    }
    return c;
}

WIDE_INLINE Quad quad_times(Quad a, Quad b) {
    for (int p = 0; p < QUAD_PARTS; p++) {
        a.part[p] = a.part[p] * b.part[p];
    }
    return a;
}

WIDE_INLINE double quad_sum(Quad in) {
    double of[QUAD];
    for (int k = 0; k < QUAD; k++) {
        of[k] = wide_lane(in.part[k / AFXI_LANES], k % AFXI_LANES);
    }
    return (of[0] + of[1]) + (of[2] + of[3]);
}

/* sum += a b, of twelve numbers each. */
WIDE_INLINE Quad quad_product(const double *a, const Quad b[QUADS], Quad sum) {
    for (int q = 0; q < QUADS; q++) {
        sum = quad_fma(quad_load(a + QUAD * q), b[q], sum);
    }
    return sum;
}

/* sum += x a, of twelve numbers. */
WIDE_INLINE void quad_add(const double *a, double x, Quad sum[QUADS]) {
    const Quad own = quad_all(x);
    for (int q = 0; q < QUADS; q++) {
        sum[q] = quad_fma(quad_load(a + QUAD * q), own, sum[q]);
    }
}

WIDE_INLINE void quad_load12(const double *from, Quad out[QUADS]) {
    for (int q = 0; q < QUADS; q++) {
        out[q] = quad_load(from + QUAD * q);
    }
}

WIDE_INLINE void quad_store12(double *to, const Quad in[QUADS]) {
    for (int q = 0; q < QUADS; q++) {
        quad_store(to + QUAD * q, in[q]);
    }
}

#endif

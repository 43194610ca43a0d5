/* SPDX-License-Identifier: Apache-2.0 */
/* Four doubles, made of as many wide ones as the variant needs: the same sums in the same order for 1, 2 and 4 lanes.
 * For *_wide.c files. */
#ifndef AFXI_SPARSE_QUAD_H
#define AFXI_SPARSE_QUAD_H

#include <string.h>

#include "math/simd.h"

#define QUAD_PARTS (4 / AFXI_LANES)

/* A wide value anywhere in an array of doubles. */
typedef Wide WideLoose __attribute__((aligned(8), may_alias));

#if QUAD_PARTS == 1
typedef Wide Quad; /* no struct: compilers keep arrays of these in registers */
#define QUAD_PART(q, k) (q)
#else
typedef struct Quad {
    Wide part[QUAD_PARTS];
} Quad;
#define QUAD_PART(q, k) ((q).part[k])
#endif

#define QUAD_EACH(k) for (int k = 0; k < QUAD_PARTS; k++)

WIDE_INLINE Quad quad_load(const double *from) {
    Quad q;
    QUAD_EACH(k) {
        QUAD_PART(q, k) = *(const WideLoose *)(from + k * AFXI_LANES);
    }
    return q;
}

WIDE_INLINE void quad_store(double *to, Quad q) {
    QUAD_EACH(k) {
        *(WideLoose *)(to + k * AFXI_LANES) = QUAD_PART(q, k);
    }
}

WIDE_INLINE Quad quad_all(double x) {
    Quad q;
    QUAD_EACH(k) {
        QUAD_PART(q, k) = wide_all(x);
    }
    return q;
}

/** Not through memory: a wide load right after narrow stores would have to wait for them. */
WIDE_INLINE Quad quad_of(double a, double b, double c, double d) {
#if QUAD_PARTS == 1
    return (Quad){a, b, c, d};
#else
    double lane[4] = {a, b, c, d};
    return quad_load(lane);
#endif
}

WIDE_INLINE Quad quad_add(Quad a, Quad b) {
    QUAD_EACH(k) {
        QUAD_PART(a, k) += QUAD_PART(b, k);
    }
    return a;
}

WIDE_INLINE Quad quad_multiply(Quad a, Quad b) {
    QUAD_EACH(k) {
        QUAD_PART(a, k) *= QUAD_PART(b, k);
    }
    return a;
}

/** c + a * b */
WIDE_INLINE Quad quad_fma(Quad a, Quad b, Quad c) {
    QUAD_EACH(k) {
        QUAD_PART(c, k) = wide_fma(QUAD_PART(a, k), QUAD_PART(b, k), QUAD_PART(c, k));
    }
    return c;
}

/** c - a * b */
WIDE_INLINE Quad quad_nma(Quad a, Quad b, Quad c) {
    QUAD_EACH(k) {
        QUAD_PART(c, k) = wide_nma(QUAD_PART(a, k), QUAD_PART(b, k), QUAD_PART(c, k));
    }
    return c;
}

/** The first `count` of a, then zeros. */
WIDE_INLINE Quad quad_first(Quad a, uint32_t count) {
    static const double ones[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    Quad mask = quad_load(ones + 4 - count);
    QUAD_EACH(k) {
        QUAD_PART(a, k) = wide_select(wide_less(wide_all(0), QUAD_PART(mask, k)), QUAD_PART(a, k), wide_all(0));
    }
    return a;
}

/** to[0 ... length) <- from, zeros up to the end of the last quad. */
WIDE_INLINE void quad_copy(uint32_t length, const double *from, double *to) {
    uint32_t whole = length & ~3u;
    for (uint32_t r = 0; r < whole; r += 4) {
        quad_store(to + r, quad_load(from + r));
    }
    if (length & 3u) {
        quad_store(to + whole, quad_first(quad_load(from + whole), length & 3u));
    }
}

/** Whether all are above a bound, none a NaN. */
WIDE_INLINE bool quad_all_above(Quad a, double bound) {
    bool all = true;
    QUAD_EACH(k) {
        WideMask above = wide_less(wide_all(bound), QUAD_PART(a, k));
        all &= !wide_any(~above);
    }
    return all;
}

/** a < b ? x : y, lane by lane. */
WIDE_INLINE Quad quad_choose_less(Quad a, Quad b, Quad x, Quad y) {
    QUAD_EACH(k) {
        WideMask less = wide_less(QUAD_PART(a, k), QUAD_PART(b, k));
        QUAD_PART(x, k) = wide_select(less, QUAD_PART(x, k), QUAD_PART(y, k));
    }
    return x;
}

/** Rows to columns. */
WIDE_INLINE void quad_transpose(Quad q[4]) {
#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
    wide_transpose4((__m256d *)&q[0], (__m256d *)&q[1], (__m256d *)&q[2], (__m256d *)&q[3]);
#else
    double lane[4][4], turned[4][4];
    memcpy(lane, q, sizeof lane);
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            turned[r][c] = lane[c][r];
        }
    }
    memcpy(q, turned, sizeof turned);
#endif
}

WIDE_INLINE Quad quad_reciprocal(Quad a) {
    QUAD_EACH(k) {
        QUAD_PART(a, k) = 1 / QUAD_PART(a, k);
    }
    return a;
}

WIDE_INLINE Quad quad_root(Quad a) {
    QUAD_EACH(k) {
        QUAD_PART(a, k) = wide_sqrt(QUAD_PART(a, k));
    }
    return a;
}

/** The four sums of q[0] ... q[3]. */
WIDE_INLINE Quad quad_sums(Quad q[4]) {
    quad_transpose(q);
    return quad_add(quad_add(q[0], q[1]), quad_add(q[2], q[3]));
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

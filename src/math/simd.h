/* SPDX-License-Identifier: Apache-2.0 */
/* Wide doubles: the only place with vector types. A file named *_wide.c is compiled once per variant with
 * AFXI_LANES (1, 2, 4, 8) and AFXI_ISA (base, avx2, avx512) set; AFXI_WIDE(name) gives its functions a name of
 * their own. Lanes never mix, products are fused only by wide_fma and wide_nma, and division and square root are
 * correctly rounded, so that every lane width gives the same bits on a machine with fused multiply-add. */
#ifndef AFXI_MATH_SIMD_H
#define AFXI_MATH_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(AFXI_LANES) || !defined(AFXI_ISA)
#error "simd.h is for *_wide.c files, which the build compiles once per variant"
#endif

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#define AFXI_WIDE_PASTE(name, isa, lanes) name##_##isa##_##lanes
#define AFXI_WIDE_EXPAND(name, isa, lanes) AFXI_WIDE_PASTE(name, isa, lanes)
#define AFXI_WIDE(name) AFXI_WIDE_EXPAND(name, AFXI_ISA, AFXI_LANES)

/* Kernels of joints and chains are worth one width for each instruction set, and one lane to compare it with. */
#ifdef __FMA__
#define AFXI_WIDE_PAYS (AFXI_LANES == 1 || AFXI_LANES == 4)
#else
#define AFXI_WIDE_PAYS (AFXI_LANES == 2)
#endif

#define WIDE_INLINE static inline __attribute__((always_inline))
/* A function of a header that a file may leave unused, and that is better not inlined. */
#define WIDE_RARE static __attribute__((noinline, unused))

#if AFXI_LANES == 1
typedef double Wide;
typedef int64_t WideMask; /* all bits or none */
#else
typedef double Wide __attribute__((vector_size(8 * AFXI_LANES)));
typedef int64_t WideMask __attribute__((vector_size(8 * AFXI_LANES)));
#endif

/* A wide value seen as its lanes, and as its 256-bit halves where those exist. */
typedef union WideView {
    Wide wide;
    double lane[AFXI_LANES];
#if AFXI_LANES == 8 && defined(__AVX2__) && defined(__FMA__)
    __m256d part[2];
#endif
} WideView;

WIDE_INLINE Wide wide_all(double x) {
#if AFXI_LANES == 1
    return x;
#else
    return x - (Wide){0};
#endif
}

WIDE_INLINE double wide_lane(Wide a, int lane) {
    WideView view = {.wide = a};
    return view.lane[lane];
}

WIDE_INLINE Wide wide_with_lane(Wide a, int lane, double x) {
    WideView view = {.wide = a};
    view.lane[lane] = x;
    return view.wide;
}

/** a * b + c, rounded once where the machine can. */
WIDE_INLINE Wide wide_fma(Wide a, Wide b, Wide c) {
#if AFXI_LANES == 1 && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))
    return __builtin_fma(a, b, c);
#elif AFXI_LANES == 2 && defined(__FMA__)
    return (Wide)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
#elif AFXI_LANES == 4 && defined(__FMA__)
    return (Wide)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif AFXI_LANES == 8 && defined(__AVX512F__)
    return (Wide)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif AFXI_LANES == 8 && defined(__FMA__)
    WideView x = {.wide = a}, y = {.wide = b}, z = {.wide = c};
    z.part[0] = _mm256_fmadd_pd(x.part[0], y.part[0], z.part[0]);
    z.part[1] = _mm256_fmadd_pd(x.part[1], y.part[1], z.part[1]);
    return z.wide;
#elif defined(__ARM_FEATURE_FMA)
    WideView x = {.wide = a}, y = {.wide = b}, z = {.wide = c};
    for (int l = 0; l < AFXI_LANES; l++) {
        z.lane[l] = __builtin_fma(x.lane[l], y.lane[l], z.lane[l]);
    }
    return z.wide;
#else
    return a * b + c;
#endif
}

/** c - a * b, rounded once where the machine can. */
WIDE_INLINE Wide wide_nma(Wide a, Wide b, Wide c) {
#if AFXI_LANES == 4 && defined(__FMA__)
    return (Wide)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return wide_fma(-a, b, c);
#endif
}

WIDE_INLINE Wide wide_sqrt(Wide a) {
#if AFXI_LANES == 1
    return __builtin_sqrt(a);
#elif AFXI_LANES == 2 && defined(__FMA__)
    return (Wide)_mm_sqrt_pd((__m128d)a);
#elif AFXI_LANES == 4 && defined(__FMA__)
    return (Wide)_mm256_sqrt_pd((__m256d)a);
#elif AFXI_LANES == 8 && defined(__AVX512F__)
    return (Wide)_mm512_sqrt_pd((__m512d)a);
#else
    WideView x = {.wide = a};
    for (int l = 0; l < AFXI_LANES; l++) {
        x.lane[l] = __builtin_sqrt(x.lane[l]);
    }
    return x.wide;
#endif
}

/** Lanes where a < b (a comparison with NaN is false). */
WIDE_INLINE WideMask wide_less(Wide a, Wide b) {
#if AFXI_LANES == 1
    return -(int64_t)(a < b);
#else
    return a < b;
#endif
}

WIDE_INLINE WideMask wide_less_equal(Wide a, Wide b) {
#if AFXI_LANES == 1
    return -(int64_t)(a <= b);
#else
    return a <= b;
#endif
}

WIDE_INLINE WideMask wide_equal(Wide a, Wide b) {
#if AFXI_LANES == 1
    return -(int64_t)(a == b);
#else
    return a == b;
#endif
}

/** mask ? a : b, lane by lane. */
WIDE_INLINE Wide wide_select(WideMask mask, Wide a, Wide b) {
#if AFXI_LANES == 1
    return mask ? a : b;
#elif AFXI_LANES == 4 && defined(__FMA__)
    return (Wide)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (Wide)(((WideMask)a & mask) | ((WideMask)b & ~mask));
#endif
}

WIDE_INLINE bool wide_any(WideMask mask) {
#if AFXI_LANES == 1
    return mask != 0;
#elif AFXI_LANES == 4 && defined(__FMA__)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    int64_t any = 0;
    for (int l = 0; l < AFXI_LANES; l++) {
        any |= mask[l];
    }
    return any != 0;
#endif
}

WIDE_INLINE WideMask wide_mask_none(void) {
    return (WideMask){0};
}

WIDE_INLINE bool wide_mask_lane(WideMask mask, int lane) {
#if AFXI_LANES == 1
    (void)lane;
    return mask != 0;
#else
    return mask[lane] != 0;
#endif
}

/** Bit l is set where lane l of the mask is. */
WIDE_INLINE unsigned wide_bits(WideMask mask) {
#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif AFXI_LANES == 8 && defined(__AVX512DQ__)
    return (unsigned)_mm512_movepi64_mask((__m512i)mask);
#else
    unsigned bits = 0;
    for (int l = 0; l < AFXI_LANES; l++) {
        bits |= (unsigned)wide_mask_lane(mask, l) << l;
    }
    return bits;
#endif
}

#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
/* Four rows of four doubles to four columns, and back: it is its own inverse. */
WIDE_INLINE void wide_transpose4(__m256d *a, __m256d *b, __m256d *c, __m256d *d) {
    __m256d ab_low = _mm256_unpacklo_pd(*a, *b), ab_high = _mm256_unpackhi_pd(*a, *b);
    __m256d cd_low = _mm256_unpacklo_pd(*c, *d), cd_high = _mm256_unpackhi_pd(*c, *d);
    *a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
    *b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
    *c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
    *d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}
#endif

/** AFXI_LANES numbers, one after the other. */
WIDE_INLINE Wide wide_load(const double *from) {
    Wide out;
    __builtin_memcpy(&out, from, sizeof out);
    return out;
}

WIDE_INLINE void wide_store(double *to, Wide in) {
    __builtin_memcpy(to, &in, sizeof in);
}

/** The same past the cache, for what is read again only when the cache has seen much else. `to` is a multiple of its
 * size. */
WIDE_INLINE void wide_stream(double *to, Wide in) {
#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
    _mm256_stream_pd(to, (__m256d)in);
#else
    __builtin_memcpy(to, &in, sizeof in);
#endif
}

WIDE_INLINE void wide_copy(const Wide *from, int count, Wide *to) {
    for (int k = 0; k < count; k++) {
        to[k] = from[k];
    }
}

/** out[k] holds row[l][k] in lane l, k < 4 * quads. */
WIDE_INLINE void wide_gather(const double *const row[AFXI_LANES], int quads, Wide *out) {
#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
    for (int quad = 0; quad < quads; quad++) {
        __m256d a = _mm256_loadu_pd(row[0] + 4 * quad), b = _mm256_loadu_pd(row[1] + 4 * quad);
        __m256d c = _mm256_loadu_pd(row[2] + 4 * quad), d = _mm256_loadu_pd(row[3] + 4 * quad);
        wide_transpose4(&a, &b, &c, &d);
        out[4 * quad] = (Wide)a;
        out[4 * quad + 1] = (Wide)b;
        out[4 * quad + 2] = (Wide)c;
        out[4 * quad + 3] = (Wide)d;
    }
#else
    for (int k = 0; k < 4 * quads; k++) {
        WideView view;
        for (int l = 0; l < AFXI_LANES; l++) {
            view.lane[l] = row[l][k];
        }
        out[k] = view.wide;
    }
#endif
}

/** The same for four numbers of each row, which are copied to keep[l][0 .. 4) on the way. */
WIDE_INLINE void wide_gather_keep(const double *const row[AFXI_LANES], double *const keep[AFXI_LANES], Wide out[4]) {
#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
    __m256d a = _mm256_loadu_pd(row[0]), b = _mm256_loadu_pd(row[1]);
    __m256d c = _mm256_loadu_pd(row[2]), d = _mm256_loadu_pd(row[3]);
    _mm256_storeu_pd(keep[0], a);
    _mm256_storeu_pd(keep[1], b);
    _mm256_storeu_pd(keep[2], c);
    _mm256_storeu_pd(keep[3], d);
    wide_transpose4(&a, &b, &c, &d);
    out[0] = (Wide)a;
    out[1] = (Wide)b;
    out[2] = (Wide)c;
    out[3] = (Wide)d;
#else
    wide_gather(row, 1, out);
    for (int l = 0; l < AFXI_LANES; l++) {
        for (int k = 0; k < 4; k++) {
            keep[l][k] = row[l][k];
        }
    }
#endif
}

/** row[l][k] = lane l of in[k], k < 4 * quads. Rows that are the same place receive the same values. */
WIDE_INLINE void wide_scatter(double *const row[AFXI_LANES], int quads, const Wide *in) {
#if AFXI_LANES == 4 && defined(__AVX2__) && defined(__FMA__)
    for (int quad = 0; quad < quads; quad++) {
        __m256d a = (__m256d)in[4 * quad], b = (__m256d)in[4 * quad + 1];
        __m256d c = (__m256d)in[4 * quad + 2], d = (__m256d)in[4 * quad + 3];
        wide_transpose4(&a, &b, &c, &d);
        _mm256_storeu_pd(row[0] + 4 * quad, a);
        _mm256_storeu_pd(row[1] + 4 * quad, b);
        _mm256_storeu_pd(row[2] + 4 * quad, c);
        _mm256_storeu_pd(row[3] + 4 * quad, d);
    }
#else
    for (int k = 0; k < 4 * quads; k++) {
        WideView view = {.wide = in[k]};
        for (int l = 0; l < AFXI_LANES; l++) {
            row[l][k] = view.lane[l];
        }
    }
#endif
}

/** to[0 .. 12 * rows) = from[0 .. 12 * rows), past the cache where the machine can: whole lines that are not read again
 * soon then need not be fetched to be overwritten. `to` is a multiple of 32 bytes. */
WIDE_INLINE void wide_stream_rows(const double *from, uint32_t rows, double *to) {
#ifdef __AVX2__
    for (uint32_t k = 0; k < rows; k++) {
        __m256d a = _mm256_loadu_pd(from), b = _mm256_loadu_pd(from + 4), c = _mm256_loadu_pd(from + 8);
        _mm256_stream_pd(to, a);
        _mm256_stream_pd(to + 4, b);
        _mm256_stream_pd(to + 8, c);
        to += 12;
        from += 12;
    }
#else
    __builtin_memcpy(to, from, 12ul * rows * sizeof *to);
#endif
}

/** What was streamed is seen by all before anything that is written after this. */
WIDE_INLINE void wide_stream_end(void) {
#ifdef __AVX2__
    _mm_sfence();
#endif
}

/** to[l][0 .. 12) = from[l][0 .. 12). */
WIDE_INLINE void wide_copy12(double *const to[AFXI_LANES], double *const from[AFXI_LANES]) {
    for (int l = 0; l < AFXI_LANES; l++) {
#if defined(__AVX2__) && defined(__FMA__)
        for (int k = 0; k < 12; k += 4) {
            _mm256_storeu_pd(to[l] + k, _mm256_loadu_pd(from[l] + k));
        }
#else
        for (int k = 0; k < 12; k++) {
            to[l][k] = from[l][k];
        }
#endif
    }
}

#endif

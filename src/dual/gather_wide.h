/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of items that stand anywhere in an array, one item per lane, for *_wide.c files. */
#ifndef AFXI_DUAL_GATHER_WIDE_H
#define AFXI_DUAL_GATHER_WIDE_H

#include <stddef.h>

#include "math/simd.h"

/* `quads` fours of numbers of the items index[lane], from an array with `stride` doubles for each. */
WIDE_INLINE void gather_items(const uint32_t index[AFXI_LANES], const double *base, size_t stride, int quads,
                              Wide *out) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + stride * index[l];
    }
    wide_gather(row, quads, out);
}

WIDE_INLINE void scatter_items(const uint32_t index[AFXI_LANES], double *base, size_t stride, int quads,
                               const Wide *in) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + stride * index[l];
    }
    wide_scatter(row, quads, in);
}

/* The same of one number for each. */
WIDE_INLINE Wide gather_one(const uint32_t index[AFXI_LANES], const double *base) {
    WideView view;
    for (int l = 0; l < AFXI_LANES; l++) {
        view.lane[l] = base[index[l]];
    }
    return view.wide;
}

WIDE_INLINE void scatter_one(const uint32_t index[AFXI_LANES], double *base, Wide in) {
    WideView view = {.wide = in};
    for (int l = 0; l < AFXI_LANES; l++) {
        base[index[l]] = view.lane[l];
    }
}

#endif

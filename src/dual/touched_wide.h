/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in closed form that something touches or holds, for *_wide.c files. Their inverse is X - Y^T Y (woodbury.h),
 * so the products of their rows G are those of X, less (Y G^T)^T (Y G^T). A lane with fewer rows of Y than others, or
 * none, has zeros in their place, which change nothing. */
#ifndef AFXI_DUAL_TOUCHED_WIDE_H
#define AFXI_DUAL_TOUCHED_WIDE_H

#include "dual/bodies_wide.h"

/* Y of the bodies in the lanes. */
typedef struct Touched {
    const double *image[AFXI_LANES];
    uint32_t count[AFXI_LANES], most;
} Touched;

/* Whether something touches or holds one of these bodies of the graph. */
WIDE_INLINE bool any_touched(const AfxiSystem *system, const uint32_t *body, uint32_t count) {
    bool any = false;
    for (uint32_t l = 0; system->woodbury && l < count; l++) {
        any |= system->woodbury_of[body[l]] != UINT32_MAX;
    }
    return any;
}

WIDE_INLINE Touched touched_of(const AfxiSystem *system, const uint32_t *body) {
    Touched touched = {.most = 0};
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t own = system->woodbury_of[body[l]];
        const AfxiWoodburyBody *rows = own == UINT32_MAX ? NULL : &system->woodbury->body[own];
        touched.image[l] = rows ? system->woodbury->image + AFXI_AFFINE_WIDTH * (size_t)rows->first_row : NULL;
        touched.count[l] = rows ? rows->image_count : 0;
        touched.most = touched.count[l] > touched.most ? touched.count[l] : touched.most;
    }
    return touched;
}

/* Row k of Y in all lanes. */
WIDE_INLINE void touched_row(const Touched *touched, uint32_t k, Wide out[AFXI_AFFINE_WIDTH]) {
    static const double none[AFXI_AFFINE_WIDTH];
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = k < touched->count[l] ? touched->image[l] + AFXI_AFFINE_WIDTH * (size_t)k : none;
    }
    wide_gather(row, 3, out);
}

/* delta += Y^T Y load, and the new A and t. */
WIDE_INLINE void touch_result(const AfxiSystem *system, const uint32_t *body, const Before *before,
                              const Wide load[AFXI_AFFINE_WIDTH], After *after) {
    Touched touched = touched_of(system, body);
    Wide y[AFXI_AFFINE_WIDTH];
    for (uint32_t k = 0; k < touched.most; k++) {
        touched_row(&touched, k, y);
        Wide sum = y[0] * load[0];
        for (int e = 1; e < AFXI_AFFINE_WIDTH; e++) {
            sum = wide_fma(y[e], load[e], sum);
        }
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            after->delta[e] = wide_fma(y[e], sum, after->delta[e]);
        }
    }
    place_result(before, after);
}

#endif

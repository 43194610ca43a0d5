/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in closed form that something touches or holds, for *_wide.c files. Their inverse is X - Y^T Y (woodbury.h),
 * so the products of their rows G are those of X, less (Y G^T)^T (Y G^T). Few are touched: lane by lane. */
#ifndef AFXI_DUAL_TOUCHED_WIDE_H
#define AFXI_DUAL_TOUCHED_WIDE_H

#include <string.h>

#include "dual/bodies_wide.h"

/* Whether something touches or holds one of these bodies of the graph. */
WIDE_INLINE bool any_touched(const AfxiSystem *system, const uint32_t *body, uint32_t count) {
    bool any = false;
    for (uint32_t l = 0; system->woodbury && l < count; l++) {
        any |= system->woodbury_of[body[l]] != UINT32_MAX;
    }
    return any;
}

/* G y of all joints of the body in a lane, in its axes: points, and with `each` 2 turns. */
WIDE_INLINE void touch_gaps(const Products *s, int lane, int each, int count, const double *y, double out[][3]) {
    double moved[3], w[3];
    for (int k = 0; k < 3; k++) {
        moved[k] = wide_lane(s->r[3 * k], lane) * y[9] + wide_lane(s->r[3 * k + 1], lane) * y[10] +
                   wide_lane(s->r[3 * k + 2], lane) * y[11];
        w[wide_pair_axis[k]] = 0.5 * wide_pair_sign[k] * (y[wide_pair_ki[k]] - y[wide_pair_ik[k]]);
    }
    for (int e = 0; e < count; e++) {
        double sign = wide_lane(s->sign[e], lane), x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = wide_lane(s->x[e][k], lane);
        }
        for (int k = 0; k < 3; k++) {
            out[each * e][k] = sign * (y[k] * x[0] + y[3 + k] * x[1] + y[6 + k] * x[2] + moved[k]);
            if (each == 2) {
                out[2 * e + 1][k] = sign * w[k];
            }
        }
    }
}

#define TOUCHED_BLOCKS_MOST (PRODUCTS_MOST * (2 * PRODUCTS_MOST + 1))

/* Takes (Y G^T)^T (Y G^T) from the blocks of the bodies in the lanes: `each` of every joint, of which the lower half
 * is there, row by row. */
static __attribute__((noinline, unused)) void touch_products(const AfxiSystem *system, const uint32_t *body,
                                                             const Products *s, int each, int count, Wide a[][9]) {
    const int size = each * count, blocks = size * (size + 1) / 2;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t own = system->woodbury_of[body[l]];
        if (own == UINT32_MAX) {
            continue;
        }
        const AfxiWoodburyBody *rows = &system->woodbury->body[own];
        const double *y = system->woodbury->image + AFXI_AFFINE_WIDTH * (size_t)rows->first_row;
        double z[2 * PRODUCTS_MOST][3], sum[TOUCHED_BLOCKS_MOST][9];
        memset(sum, 0, (size_t)blocks * sizeof sum[0]);
        for (uint32_t k = 0; k < rows->image_count; k++, y += AFXI_AFFINE_WIDTH) {
            double *to = sum[0];
            touch_gaps(s, l, each, count, y, z);
            for (int row = 0; row < size; row++) {
                for (int column = 0; column <= row; column++, to += 9) {
                    for (int e = 0; e < 9; e++) {
                        to[e] += z[row][e % 3] * z[column][e / 3];
                    }
                }
            }
        }
        for (int k = 0; k < 9 * blocks; k++) {
            Wide *to = &a[k / 9][k % 9];
            *to = wide_with_lane(*to, l, wide_lane(*to, l) - sum[k / 9][k % 9]);
        }
    }
}

/* G^T lambda of the body in a lane. */
WIDE_INLINE void touch_load(const Before *before, const Entry *entries, uint32_t count, int lane,
                            double out[AFXI_AFFINE_WIDTH]) {
    double r[9], torque[3] = {0, 0, 0};
    memset(out, 0, AFXI_AFFINE_WIDTH * sizeof *out);
    for (int k = 0; k < 9; k++) {
        r[k] = wide_lane(before->r[k], lane);
    }
    for (uint32_t e = 0; e < count; e++) {
        double force[3], local[3];
        for (int k = 0; k < 3; k++) {
            force[k] = wide_lane(entries[e].force[k], lane);
            torque[k] += wide_lane(entries[e].torque[k], lane);
            out[9 + k] += force[k];
        }
        for (int k = 0; k < 3; k++) {
            local[k] = r[3 * k] * force[0] + r[3 * k + 1] * force[1] + r[3 * k + 2] * force[2];
        }
        for (int k = 0; k < 9; k++) {
            out[k] += local[k % 3] * wide_lane(entries[e].x[k / 3], lane);
        }
    }
    for (int p = 0; p < 3; p++) {
        int axis = wide_pair_axis[p];
        double turned = r[3 * axis] * torque[0] + r[3 * axis + 1] * torque[1] + r[3 * axis + 2] * torque[2];
        out[wide_pair_ki[p]] += 0.5 * wide_pair_sign[p] * turned;
        out[wide_pair_ik[p]] -= 0.5 * wide_pair_sign[p] * turned;
    }
}

/* What that makes of the results of the bodies in the lanes. */
static __attribute__((noinline, unused)) void touch_results(const AfxiSystem *system, const uint32_t *body,
                                                            const Before *before, const Entry *entries, uint32_t count,
                                                            After *after) {
    for (int l = 0; l < AFXI_LANES; l++) {
        double load[AFXI_AFFINE_WIDTH], less[AFXI_AFFINE_WIDTH] = {0};
        if (system->woodbury_of[body[l]] == UINT32_MAX) {
            continue;
        }
        touch_load(before, entries, count, l, load);
        afxi_woodbury_apply(system->woodbury, system->woodbury_of[body[l]], load, less);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            after->delta[k] = wide_with_lane(after->delta[k], l, wide_lane(after->delta[k], l) - less[k]);
        }
        for (int k = 0; k < 9; k++) {
            const int c = k / 3 * 3;
            double sum = 0;
            for (int e = 0; e < 3; e++) {
                sum += wide_lane(before->r[3 * e + k % 3], l) * wide_lane(after->delta[c + e], l);
            }
            after->next[k] = wide_with_lane(after->next[k], l, wide_lane(before->r[k], l) + sum);
        }
        for (int k = 0; k < 3; k++) {
            after->next[9 + k] = wide_with_lane(after->next[9 + k], l,
                                                wide_lane(before->origin[k], l) + wide_lane(after->delta[9 + k], l));
        }
    }
}

#endif

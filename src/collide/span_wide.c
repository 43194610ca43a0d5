/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of the coordinates of bodies over a stage: from where they are to where their velocities take them. Lanes run
 * along the twelve coordinates of a body. */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "collide/span.h"

AfxiSpanKernel AFXI_WIDE(afxi_span);

/* Values that hold the coordinates; the last one may overlap the one before. */
#define PARTS ((12 + AFXI_LANES - 1) / AFXI_LANES)

WIDE_INLINE int first_of(int part) {
    return part < PARTS - 1 ? part * AFXI_LANES : 12 - AFXI_LANES;
}

/* What is not a number does not count. */
WIDE_INLINE Wide least(Wide a, Wide b) {
    return wide_select(wide_less(b, a), b, a);
}

WIDE_INLINE Wide most(Wide a, Wide b) {
    return wide_select(wide_less(a, b), b, a);
}

void AFXI_WIDE(afxi_span)(const double *q, const double *v, const uint32_t *body, uint32_t count, double dt,
                          AfxiRange *out) {
    Wide lower[PARTS], upper[PARTS], slow[PARTS], fast[PARTS], step = wide_all(dt);
    for (int part = 0; part < PARTS; part++) {
        lower[part] = wide_all(__builtin_huge_val());
        upper[part] = wide_all(-__builtin_huge_val());
        slow[part] = fast[part] = wide_all(0);
    }
    for (uint32_t k = 0; k < count; k++) {
        const double *at = q + (size_t)12 * body[k], *rate = v + (size_t)12 * body[k];
#pragma GCC unroll 12
        for (int part = 0; part < PARTS; part++) {
            Wide here = wide_load(at + first_of(part)), way = step * wide_load(rate + first_of(part));
            Wide ahead = here + way;
            lower[part] = least(least(lower[part], here), ahead);
            upper[part] = most(most(upper[part], here), ahead);
            if (first_of(part) + AFXI_LANES > 9) {
                slow[part] = least(slow[part], way);
                fast[part] = most(fast[part], way);
            }
        }
    }
    for (int part = 0; part < PARTS; part++) {
        wide_store(out->lower + first_of(part), lower[part]);
        wide_store(out->upper + first_of(part), upper[part]);
        wide_store(out->slow + first_of(part), slow[part]);
        wide_store(out->fast + first_of(part), fast[part]);
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Forces along coordinates of the tree, and sums of vectors, in lanes, for *_wide.c files. Products are rounded one by
 * one, as in forces.c and explicit.c, which do the same for one robot. */
#ifndef AFXI_REDUCED_LAW_WIDE_H
#define AFXI_REDUCED_LAW_WIDE_H

#include <float.h>

#include "math/vector_wide.h"
#include "reduced/recursion.h"

static void tree_push(const AfxiTreeLaw *law, uint32_t count, const double *q, const double *u, double *out_tau) {
    for (uint32_t k = 0; k < count; k++) {
        Wide *number = (Wide *)(void *)law[k].number, *tau = (Wide *)(void *)out_tau + law[k].dof;
        Wide factor = number[AFXI_LAW_FACTOR], push = number[AFXI_LAW_PUSH], most = number[AFXI_LAW_MOST];
        if (law[k].linear) {
            Wide x = factor * ((const Wide *)(const void *)q)[law[k].coordinate];
            Wide rate = factor * ((const Wide *)(const void *)u)[law[k].dof];
            push = number[AFXI_LAW_STIFFNESS] * (x - number[AFXI_LAW_TARGET]) +
                   number[AFXI_LAW_DAMPING] * (rate - number[AFXI_LAW_TARGET_RATE]);
            push = wide_select(wide_less(most, push), most, wide_select(wide_less(push, -most), -most, push));
            number[AFXI_LAW_PUSH] = push;
        }
        *tau -= factor * push;
    }
}

static void tree_add_scaled(size_t count, const double *a, double scale, const double *b, double *out) {
    Wide by = wide_all(scale);
    for (size_t k = 0; k < count; k++) {
        ((Wide *)(void *)out)[k] = ((const Wide *)(const void *)a)[k] + by * ((const Wide *)(const void *)b)[k];
    }
}

static unsigned tree_finite(size_t count, const double *x) {
    WideMask fine = wide_equal(wide_all(0), wide_all(0));
    for (size_t k = 0; k < count; k++) {
        fine &= wide_less_equal(wide_magnitude(((const Wide *)(const void *)x)[k]), wide_all(DBL_MAX));
    }
    return wide_bits(fine);
}

#endif

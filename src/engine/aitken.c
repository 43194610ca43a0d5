/* SPDX-License-Identifier: Apache-2.0 */
/* Each body's stiffness is made definite by itself, though what it is joined to might make up for its being unstable:
 * a light body on a screw that a strong spring pulls askew, links of a loop, which keep the bound of their stiffness.
 * Then the solves take too stiff a body, which comes to its place in turns that get shorter by a fixed rate: from r to
 * r², r³... In every third solve such bodies turn at once by what these add up to, r / (1 - r) more (Aitken), and the
 * solves between smooth out what that has stirred up.
 *
 * In nets of balls each body goes by its own rate. Elsewhere all move along by the rate of all: joints with axes would
 * be torn open otherwise, and what is slow there is one motion of the mechanism. */
#include "engine/aitken.h"

#include <math.h>
#include <string.h>

#include "engine/tuning.h"
#include "math/polar.h"

/* w and that of the solve before: their products, summed over bodies. */
typedef struct Products {
    double now, before, both; /* w·w, was·was, w·was */
    double most;              /* |w| of the body that turns the farthest */
} Products;

static Products add(Products sum, AfxVec3 w, AfxVec3 was) {
    double now = vec3_dot(w, w);
    return (Products){sum.now + now, sum.before + vec3_dot(was, was), sum.both + vec3_dot(w, was),
                      fmax(sum.most, sqrt(now))};
}

/* How many times as far as by w bodies should turn. */
static double extrapolate(Products sum) {
    double rate = sum.both / sum.before;
    double aside = sum.now - rate * sum.both; /* squared, beside the direction of the solve before */
    bool slow = rate > AFXI_AITKEN_RATE_LEAST && rate < AFXI_AITKEN_RATE_MOST &&
                aside < AFXI_AITKEN_ASIDE * AFXI_AITKEN_ASIDE * sum.now;
    double times = rate < 1 ? 1 / (1 - rate) : INFINITY;
    return slow ? fmax(1, fmin(times, fmin(AFXI_AITKEN_TURNS_MOST, AFXI_AITKEN_ANGLE_MOST / sum.most))) : 1;
}

static AfxVec3 turn_of(const AfxiLot *lot, uint32_t k) {
    AfxiMat3 a = mat3_load(lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * k);
    AfxiMat3 local = mat3_multiply_tn(&lot->rows.frame[k], &a);
    return mat3_axial(&local);
}

static void turn_on(const AfxiLot *lot, uint32_t k, AfxVec3 w, double times, bool moves) {
    double *next = lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * k;
    AfxiMat3 turn = afxi_mat3_rotation(vec3_scale(times, w));
    turn = mat3_multiply(&lot->rows.frame[k], &turn);
    memcpy(next, turn.m, sizeof turn.m);
    if (moves) {
        AfxVec3 origin = lot->rows.origin[k], way = vec3_sub(vec3_load(next + 9), origin);
        vec3_store(next + 9, vec3_add(origin, vec3_scale(times, way)));
    }
}

void afxi_lot_aitken(AfxiLot *lot, uint32_t solve, bool apart) {
    const uint32_t count = lot->rows.graph->body_count;
    const bool due = solve % AFXI_AITKEN_EVERY == 0 && lot->turned_after + 1 == solve;
    Products sum = {0};
    if (solve + 1 < AFXI_AITKEN_AFTER) {
        lot->turned_after = 0;
        return;
    }
    for (uint32_t k = 0; due && !apart && k < count; k++) {
        sum = add(sum, turn_of(lot, k), vec3_load(lot->turned + (size_t)3 * k));
    }
    double times = due && !apart ? extrapolate(sum) : 1;
    for (uint32_t k = 0; k < count; k++) {
        AfxVec3 w = turn_of(lot, k);
        double *turned = lot->turned + (size_t)3 * k;
        if (due && apart) {
            times = extrapolate(add((Products){0}, w, vec3_load(turned)));
        }
        vec3_store(turned, w);
        if (times > 1) {
            turn_on(lot, k, w, times, !apart);
        }
    }
    lot->turned_after = solve;
}

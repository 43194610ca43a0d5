/* SPDX-License-Identifier: Apache-2.0 */
/* What lets few solves of ball-jointed bodies do (solve/newton.c, solve/judge.c).
 *
 * Energy-based acceptance. A few nodes of a net that spin about the pull of their links can be far off in angle and
 * yet hold next to no energy. A step of BDF1 lowers T + V by what it dissipates, up to the amount by which the function
 * that it minimises (docs/step.md, section 3) is above its least value. For a body whose torques are off by r that is
 * r^T (I + |k|)^-1 r / 2: `excess`. Where this, summed over the bodies that are not settled, is next to nothing of the
 * kinetic energy of what they are joined to, the step stands.
 *
 * Second-order correction. A solve gives A = R (I + [w] + s), w the turn and s the strain that it means; the body
 * should be at R exp[w] (I + s). The difference, [w]²/2 and smaller, is put into the solve without rows, and the rows
 * are met again with the same factor: a substitution, no new matrix. (This is the second-order correction of sequential
 * quadratic programming.) Its stiff directions are those of R, off by w, so that about |w| of the difference is left:
 * up to three times it is done again. */
#include "engine/full_newton.h"

#include <math.h>
#include <string.h>

#include "dual/system.h"
#include "engine/tuning.h"
#include "math/polar.h"

/* Of body k in the last solve. */
static double kinetic_energy(const AfxiLot *lot, uint32_t k) {
    const AfxiBodyClass *class = afxi_world_class(lot->rows.world, lot->rows.graph->body[k]);
    const double *next = lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * k,
                 *qv = lot->rows.qv + (size_t)AFXI_AFFINE_WIDTH * k;
    double sum = 0;
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        double v = (next[e] - qv[e]) / lot->rows.h_rate;
        sum += 0.5 * (e < 9 ? class->s[e / 3] : class->mass) * v * v;
    }
    return sum;
}

/* Energy of body k that a solve has wrong, J; infinite where it must not stand. */
typedef double Wrong(const AfxiLot *lot, uint32_t k, double tolerance);

/* Whether what is wrong with the bodies is at most `share` of their kinetic energy. Nets are lots of one component. */
static bool hold_little(const AfxiLot *lot, Wrong *wrong, double tolerance, double share) {
    double excess = 0, energy = 0;
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        excess += wrong(lot, k, tolerance);
        energy += kinetic_energy(lot, k);
    }
    return excess <= share * energy;
}

static double energy_of_error(const AfxiLot *lot, uint32_t k, double tolerance) {
    double error = lot->error[k];
    return error <= tolerance ? 0 : error <= AFXI_ENERGY_TURN_MOST ? lot->excess[k] : INFINITY;
}

bool afxi_full_newton_energy_accepts(const AfxiLot *lot, double tolerance) {
    return hold_little(lot, energy_of_error, tolerance, AFXI_ENERGY_SHARE);
}

/* W of the strain w²/2 about the axis of w: V (mu + lambda) w^4 / 2. */
static double energy_of_strain(const AfxiLot *lot, uint32_t k, double tolerance) {
    const AfxiBodyClass *class = afxi_world_class(lot->rows.world, lot->rows.graph->body[k]);
    double square = lot->turn[k] * lot->turn[k], mu = class->young / (2 * (1 + class->poisson));
    if (isinf(mu)) {
        return lot->turn[k] > tolerance ? INFINITY : 0;
    }
    return 0.5 * class->volume * mu / (1 - 2 * class->poisson) * square * square;
}

bool afxi_full_newton_strained(const AfxiLot *lot, double turn) {
    return turn > AFXI_TURN_CLEAN &&
           (turn > AFXI_TURN_STRAINED_MOST || !hold_little(lot, energy_of_strain, AFXI_TURN_CLEAN, AFXI_STRAIN_SHARE));
}

/* The strain that a solve means: s of A = R (I + [w] + s). */
static void keep_strains(AfxiLot *lot) {
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        const double *beta = lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * k;
        double *strain = lot->strain + (size_t)9 * k;
        for (int e = 0; e < 9; e++) {
            strain[e] = 0.5 * (beta[e] + beta[e % 3 * 3 + e / 3]);
        }
    }
}

/* Moves the start of a body from I + beta to its rotation times I + s; how far comes back. */
static double shift_start(AfxiLot *lot, uint32_t k, bool first) {
    const double *beta = lot->system.delta + (size_t)AFXI_AFFINE_WIDTH * k, *strain = lot->strain + (size_t)9 * k;
    double *start = lot->system.start + (size_t)AFXI_AFFINE_WIDTH * k, largest = 0;
    AfxiMat3 a = mat3_load(beta), stretched = mat3_load(strain), turned;
    if (first) {
        turned = afxi_mat3_rotation(mat3_axial(&a));
    }
    for (int e = 0; e < 9; e += 4) {
        a.m[e] += 1;
        stretched.m[e] += 1;
    }
    if (!first) {
        turned = afxi_rotation_part(&a, NULL);
    }
    stretched = mat3_multiply(&turned, &stretched);
    for (int e = 0; e < 9; e++) {
        double move = stretched.m[e] - a.m[e];
        start[e] += move;
        largest = fmax(largest, fabs(move));
    }
    return largest;
}

double afxi_full_newton_correct(AfxiLot *lot, double turn) {
    double largest = INFINITY;
    keep_strains(lot);
    for (int pass = 0; pass < AFXI_CORRECTIONS_MOST && largest * turn > AFXI_STRAIN_LEFT; pass++) {
        largest = 0;
        for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
            if (lot->turn[k] > AFXI_TURN_STRAINING) {
                largest = fmax(largest, shift_start(lot, k, pass == 0));
            }
        }
        afxi_dual_solve_again(&lot->system, &lot->dual);
    }
    afxi_lot_update(lot);
    lot->rows.closed_form_gap = lot->system.bodies.gap;
    return afxi_rows_residual(&lot->rows);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised-alpha on the group of the coordinates (Bruels, Cardona and Arnold 2012; Chung and Hulbert 1993):
 *     q1 = q0 exp(h u0 + h² (1/2 - beta) a0 + h² beta a1),  u1 = u0 + h (1 - gamma) a0 + h gamma a1,
 *     (1 - m) a1 + m a0 = (1 - f) u1' + f u0',  M u1' + bias = tau - J^T lambda at the end,
 * by which u1' and q1 follow from u1 (newton.h). A start has a0 = u0', of the equations at the beginning. */
#include <math.h>
#include <string.h>

#include "reduced/explicit.h"
#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/newton.h"
#include "reduced/smooth.h"

typedef struct Alpha {
    double m, f, gamma, beta;
} Alpha;

static Alpha alpha_of(double rho) {
    Alpha out = {.m = (2 * rho - 1) / (rho + 1), .f = rho / (rho + 1)};
    out.gamma = 0.5 - out.m + out.f;
    out.beta = 0.25 * (1 - out.m + out.f) * (1 - out.m + out.f);
    return out;
}

/* u0' and a0, into place of the next ones. A part of a step begins with what the last one left there. */
static bool begin_rates(AfxiReduced *work, double *rate, double *mean) {
    AfxiReducedState own = afxi_reduced_state(work);
    size_t bytes = work->tree.dof_count * sizeof(double);
    if (work->part_from > 0) {
        return true;
    }
    if (*own.kept == AFXI_KEPT_ALPHA) {
        memcpy(rate, own.rate[0], bytes);
        memcpy(mean, own.rate[1], bytes);
        return true;
    }
    afxi_reduced_inputs(work, 0);
    bool fine = afxi_reduced_accelerate(work, 0, work->q, work->u, rate, NULL);
    memcpy(mean, rate, bytes);
    return fine;
}

bool afxi_reduced_alpha(AfxiReduced *work, double h) {
    Alpha alpha = alpha_of(work->world->def.rho);
    double *rate = work->stage_du[2], *mean = work->stage_du[3];
    if (!begin_rates(work, rate, mean)) {
        return false;
    }
    AfxiReducedStep step = {.h = h, .alpha = true, .q0 = work->place[1], .u = work->stage_u[0]};
    step.b = h * alpha.gamma * (1 - alpha.f) / (1 - alpha.m);
    step.reach = h * alpha.beta / alpha.gamma;
    step.turn = work->stage_du[0];
    step.tolerance = afxi_reduced_tolerance(work);
    memcpy(work->place[1], work->q, work->tree.coordinate_count * sizeof(double));
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        double u0 = work->u[d], ahead = u0 + h * (1 - alpha.gamma) * mean[d]; /* u1 at a1 = 0 */
        step.turn[d] = h * u0 + h * h * (0.5 - alpha.beta) * mean[d] - step.reach * ahead;
        /* u1' = ((1 - m) a1 + m a0 - f u0') / (1 - f) is 0 there */
        step.u[d] = ahead - h * alpha.gamma * (alpha.m * mean[d] - alpha.f * rate[d]) / (1 - alpha.m);
        work->stage_u[1][d] = ahead;
        work->u[d] = u0 + h * rate[d];
        step.size = fmax(step.size, fmax(fabs(u0), fabs(work->u[d])));
    }
    afxi_reduced_inputs(work, 1);
    afxi_reduced_held_begin(work);
    bool fine = afxi_reduced_iterate(work, &step), closed = afxi_reduced_iterated(work);
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        rate[d] = (work->u[d] - step.u[d]) / step.b;
        mean[d] = (work->u[d] - work->stage_u[1][d]) / (h * alpha.gamma);
    }
    work->kept = AFXI_KEPT_ALPHA;
    return fine && closed;
}

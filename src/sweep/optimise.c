/* SPDX-License-Identifier: Apache-2.0 */
/* What all methods share. */
#include "sweep/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/pool.h"

#define STILL_DESCENT 4u /* rounds without progress before a method gives up */
#define STILL_RANDOM 50u /* and 100 points for each parameter more: a lucky point is not the end */

static const AfxiMethodTable *table_of(AfxiMethod method) {
    switch (method) {
    case AFXI_METHOD_CMA:
        return &afxi_method_cma;
    case AFXI_METHOD_CROSS_ENTROPY:
        return &afxi_method_cross_entropy;
    case AFXI_METHOD_GAUSS_NEWTON:
        return &afxi_method_gauss_newton;
    default:
        return &afxi_method_lbfgs;
    }
}

AfxStatus afxi_optimiser_create(const AfxiStudy *study, AfxiOptimiser **out_optimiser, AfxError *out_error) {
    AfxiOptimiser *optimiser = *out_optimiser = calloc(1, sizeof *optimiser);
    if (!optimiser) {
        return afxi_sweep_memory(out_error);
    }
    optimiser->study = study;
    optimiser->def = &study->optimiser;
    optimiser->table = table_of(study->optimiser.method);
    optimiser->n = study->vary_count;
    optimiser->width = afxi_pool_result_width(study);
    optimiser->population =
        study->optimiser.population ? study->optimiser.population : 4 + (uint32_t)(3 * log(optimiser->n) + 4);
    if (study->optimiser.method == AFXI_METHOD_CROSS_ENTROPY && !study->optimiser.population) {
        optimiser->population *= 4; /* a quarter of them has to show the spread in every direction */
    }
    bool descent = study->optimiser.method >= AFXI_METHOD_GAUSS_NEWTON;
    optimiser->still_most = descent ? STILL_DESCENT : STILL_RANDOM + 100 * optimiser->n / optimiser->population;
    optimiser->best = optimiser->before = INFINITY;
    size_t most = optimiser->table->most(optimiser);
    optimiser->units = calloc(most * optimiser->n, sizeof(double));
    optimiser->results = calloc(most * optimiser->width, sizeof(double));
    optimiser->memory = calloc(optimiser->table->memory(optimiser) + 1, sizeof(double));
    optimiser->best_unit = calloc(optimiser->n, sizeof(double));
    if (!optimiser->units || !optimiser->results || !optimiser->memory || !optimiser->best_unit) {
        afxi_optimiser_destroy(optimiser);
        *out_optimiser = NULL;
        return afxi_sweep_memory(out_error);
    }
    optimiser->table->begin(optimiser);
    return AFX_OK;
}

void afxi_optimiser_destroy(AfxiOptimiser *optimiser) {
    if (optimiser) {
        free(optimiser->units);
        free(optimiser->results);
        free(optimiser->memory);
        free(optimiser->best_unit);
        free(optimiser);
    }
}

uint64_t afxi_optimiser_most(const AfxiOptimiser *optimiser) {
    return (uint64_t)optimiser->def->rounds * optimiser->table->most(optimiser);
}

uint32_t afxi_optimiser_ask(AfxiOptimiser *optimiser) {
    optimiser->count = 0;
    if (optimiser->round < optimiser->def->rounds && optimiser->still < optimiser->still_most) {
        optimiser->table->ask(optimiser);
    }
    return optimiser->count;
}

void afxi_optimiser_tell(AfxiOptimiser *optimiser) {
    for (uint32_t k = 0; k < optimiser->count; k++) {
        double *value = &optimiser->results[(size_t)k * optimiser->width];
        *value = isfinite(*value) ? *value : INFINITY;
        if (*value < optimiser->best) {
            optimiser->best = *value;
            memcpy(optimiser->best_unit, optimiser->units + (size_t)k * optimiser->n, optimiser->n * sizeof(double));
        }
    }
    double gain = optimiser->before - optimiser->best;
    bool progress = isinf(optimiser->before) || gain > optimiser->def->tolerance * fabs(optimiser->best);
    optimiser->still = progress ? 0 : optimiser->still + 1;
    optimiser->table->tell(optimiser); /* which may set `still` to end it */
    optimiser->before = optimiser->best;
    optimiser->round++;
}

double afxi_unit_fold(double x) {
    double folded = fabs(fmod(x, 2));
    return folded > 1 ? 2 - folded : folded;
}

void afxi_optimiser_rank(const AfxiOptimiser *optimiser, uint32_t *out_order) {
    for (uint32_t k = 0; k < optimiser->count; k++) { /* insertion: rounds are small, and ties keep their order */
        double value = optimiser->results[(size_t)k * optimiser->width];
        uint32_t at = k;
        while (at > 0 && optimiser->results[(size_t)out_order[at - 1] * optimiser->width] > value) {
            out_order[at] = out_order[at - 1];
            at--;
        }
        out_order[at] = k;
    }
}

void afxi_optimiser_start(const AfxiOptimiser *optimiser, double *out_unit) {
    for (uint32_t k = 0; k < optimiser->n; k++) {
        const AfxiVary *vary = &optimiser->study->vary[k];
        double unit = vary->log ? log(vary->start / vary->from) / log(vary->to / vary->from)
                                : (vary->start - vary->from) / (vary->to - vary->from);
        out_unit[k] = isfinite(unit) ? fmin(1, fmax(0, unit)) : 0.5;
    }
}

bool afxi_cholesky_solve(uint32_t n, double *a, double *b) {
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
        for (uint32_t k = 0; k < j; k++) {
            b[j] -= a[j * n + k] * b[k];
        }
        b[j] /= a[j * n + j];
    }
    for (uint32_t j = n; j-- > 0;) {
        for (uint32_t k = j + 1; k < n; k++) {
            b[j] -= a[k * n + j] * b[k];
        }
        b[j] /= a[j * n + j];
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of each run of a design, as a function of its number alone. */
#include <math.h>
#include <string.h>

#include "sweep/sobol.h"
#include "sweep/study.h"

/* Where u in [0, 1) lies in the range, the list or the distribution. */
static double place(const AfxiVary *vary, double u) {
    if (vary->values) {
        uint32_t k = (uint32_t)(u * vary->count);
        return vary->values[k < vary->count ? k : vary->count - 1];
    }
    if (vary->normal) {
        return vary->from + vary->to * afxi_normal_quantile(u > 0 ? u : 0x1p-33);
    }
    return vary->log ? vary->from * pow(vary->to / vary->from, u) : vary->from + (vary->to - vary->from) * u;
}

/* Value k of an axis of a grid; both ends are met exactly. */
static double step_of(const AfxiVary *vary, uint64_t k) {
    if (vary->values) {
        return vary->values[k];
    }
    if (k + 1 == vary->count && k > 0) {
        return vary->to;
    }
    return k == 0 ? vary->from : place(vary, (double)k / (vary->count - 1));
}

static double round_for(const AfxiVary *vary, double value) {
    return vary->parameter && vary->parameter->kind == AFXI_CASE_INTEGER ? nearbyint(value) : value;
}

AfxStatus afxi_study_point(const AfxiStudy *study, uint64_t run, double *out_point) {
    uint64_t rest = run;
    if (run >= study->run_count) {
        return AFX_E_ARGUMENT;
    }
    if (study->points) {
        memcpy(out_point, study->points + run * study->vary_count, study->vary_count * sizeof *out_point);
        return AFX_OK;
    }
    for (uint32_t j = study->vary_count; j-- > 0;) {
        const AfxiVary *vary = &study->vary[j];
        double value;
        if (study->design == AFXI_DESIGN_GRID) {
            value = step_of(vary, rest % vary->count);
            rest /= vary->count;
        } else if (study->design == AFXI_DESIGN_SOBOL) {
            /* The plain sequence begins at the corner, where a normal variable would be six deviations off. */
            uint64_t seed = vary->normal && study->seed == 0 ? 1 : study->seed;
            value = place(vary, afxi_sobol_unit(seed, run, j));
        } else {
            value = place(vary, afxi_random_unit(study->seed, run, j));
        }
        out_point[j] = round_for(vary, value);
    }
    return AFX_OK;
}

void afxi_study_from_unit(const AfxiStudy *study, const double *unit, double *out_point) {
    for (uint32_t k = 0; k < study->vary_count; k++) {
        out_point[k] = round_for(&study->vary[k], place(&study->vary[k], unit[k]));
    }
}

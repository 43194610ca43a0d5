/* SPDX-License-Identifier: Apache-2.0 */
/* Time per step of a case: processor time of the one thread, median and least of the steps that were made before a
 * limit; with the worst joint row, the solves, and the energy at both ends. */
#include "papers/papers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Tally {
    double residual, solves, gain; /* gain: largest energy above the start, J */
    uint32_t done, flags;
    AfxStatus status;
} Tally;

/* Makes the steps; the time of each goes to out_seconds. */
static Tally run(AfxSim *sim, uint32_t steps, double limit, double *out_seconds) {
    Tally tally = {.status = AFX_OK};
    AfxEnergy first, now;
    double begin = papers_seconds();
    papers_check(afx_sim_energy(sim, &first), "energy");
    while (tally.done < steps && papers_seconds() - begin < limit) {
        AfxStepReport report;
        double start = papers_seconds();
        tally.status = afx_step(sim, &report);
        out_seconds[tally.done] = papers_seconds() - start;
        if (tally.status != AFX_OK) {
            break;
        }
        tally.flags |= report.flags;
        tally.residual = fmax(tally.residual, report.residual);
        tally.solves += report.solves_mean;
        papers_check(afx_sim_energy(sim, &now), "energy");
        tally.gain = fmax(tally.gain, now.total - first.total);
        tally.done++;
    }
    return tally;
}

/* Formulation, with the method that belongs to it; affix-accurate is the default with its other setting, barrier the
 * one with contact by barriers. */
static void set_method(const char *name, AfxSimDef *def) {
    static const char *const names[] = {
#define NAME(formulation, name) name,
        AFX_FORMULATION_TABLE(NAME)
#undef NAME
    };
    if (strcmp(name, "affix-accurate") == 0) {
        def->accuracy = AFX_ACCURATE;
        return;
    }
    if (strcmp(name, "barrier") == 0) {
        def->contact_model = AFX_CONTACT_BARRIER;
        def->integrator = AFX_BDF1;
        return;
    }
    for (int k = 0; k < AFX_FORMULATION_COUNT; ++k) {
        if (strcmp(names[k], name) == 0) {
            def->formulation = (AfxFormulation)k;
            def->integrator = k == AFX_AFFIX ? AFX_BDF2 : AFX_BDF1;
            return;
        }
    }
    fprintf(stderr, "bench_papers: no formulation %s\n", name);
    exit(2);
}

int papers_steps(int count, char **words) {
    double h = count >= 5 ? strtod(words[1], NULL) : 0, limit = count >= 5 ? strtod(words[3], NULL) : 0;
    long steps = count >= 5 ? strtol(words[2], NULL, 10) : 0;
    if (!(h > 0) || !(limit > 0) || steps < 1 || steps > 10000000) {
        fprintf(stderr, "bench_papers: steps FORMULATION DT STEPS LIMIT CASE [name=value ...]\n");
        return 2;
    }
    AfxError error = {0};
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.dt = h;
    set_method(words[0], &def);
    def.error = &error;
    double begin = papers_seconds();
    AfxScene *scene = papers_scene(words[4], count - 5, words + 5);
    papers_check(afx_model_create(scene, &model, NULL), "model");
    afx_scene_destroy(scene);
    if (afx_sim_create(model, &def, &sim) != AFX_OK) {
        fprintf(stderr, "bench_papers: %s: %s\n", error.element, error.text);
        return 1;
    }
    double built = papers_seconds() - begin, *seconds = malloc((size_t)steps * sizeof *seconds);
    if (!seconds) {
        papers_check(AFX_E_MEMORY, "steps");
        return 1;
    }
    Tally tally = run(sim, (uint32_t)steps, limit, seconds);
    qsort(seconds, tally.done, sizeof *seconds, compare);
    double sum = 0;
    for (uint32_t k = 0; k < tally.done; ++k) {
        sum += seconds[k];
    }
    uint32_t done = tally.done ? tally.done : 1;
    printf("{\"bodies\": %u, \"joints\": %u, \"rows\": %u, \"steps\": %u, \"wanted\": %ld, \"time\": %.9g, \"status\": "
           "\"%s\", "
           "\"ms_median\": %.6g, \"ms_mean\": %.6g, \"ms_least\": %.6g, \"solves\": %.4g, \"residual\": %.4g, "
           "\"gain\": %.6g, "
           "\"loose\": %s, \"built_s\": %.4g}\n",
           afx_model_body_count(model), afx_model_joint_count(model), afx_model_row_count(model), tally.done, steps,
           afx_sim_time(sim), afx_status_name(tally.status), tally.done ? 1e3 * seconds[tally.done / 2] : 0,
           1e3 * sum / done, tally.done ? 1e3 * seconds[0] : 0, tally.solves / done, tally.residual, tally.gain,
           tally.flags & AFX_STEP_LOOSE ? "true" : "false", built);
    free(seconds);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return 0;
}

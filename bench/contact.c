/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes with contact, as a Markdown table: time per step and its parts, solves, points, depth, and what was published
 * for the same kind of scene. Steps before the first measured one are not counted: they lead to where things touch.
 *
 * usage: bench_contact [--quick] [file]; the table also goes to the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affix/affix.h"
#include "cases/cases.h"
#include "step/contacts.h"

typedef struct Subject {
    const char *name, *argument; /* of the case, which has its own dt; argument may be NULL */
    uint32_t before, steps;
    bool quick; /* also in a quick run */
    const char *published;
} Subject;

static const Subject subjects[] = {
    {"pulley", NULL, 50, 100, true, "2 ms, 1,500 links"},
    {"net-cylinder", NULL, 15, 60, true, ""},
    {"ragdolls", NULL, 80, 20, false, "17 ms, 1,500 links"},
    {"falling-joints", NULL, 50, 10, false, "54 ms, 1,400 links"},
    {"cloak", NULL, 5, 5, false, "33 ms, 12,000 links"},
    {"hagfish", NULL, 20, 50, true, ""},
    {"arch", "stones=25", 20, 100, true, ""},
    {"stack", "n=10", 20, 100, true, ""},
};

/* What a run of measured steps came to. */
typedef struct Sums {
    double seconds[AFX_STAGE_COUNT], broad, narrow, solves, points, depth, residual;
} Sums;

static void fail(const Subject *subject, const char *what) {
    fprintf(stderr, "bench_contact: %s: %s\n", subject->name, what);
    exit(1);
}

static AfxModel *compile(const Subject *subject) {
    AfxSceneDef def = afx_default_scene();
    AfxError error = {.text = "out of memory"};
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxiCaseArguments arguments;
    const char *list[1] = {subject->argument};
    if (afxi_case_arguments(afxi_case_find(subject->name), subject->argument ? 1 : 0, list, &arguments, &error) ||
        afxi_case_build(&arguments, &def, &scene, &error) || afx_model_create(scene, &model, &error)) {
        fail(subject, error.text);
    }
    afx_scene_destroy(scene);
    return model;
}

static void run(const Subject *subject, AfxSim *sim, uint32_t steps, Sums *sums) {
    *sums = (Sums){0};
    double broad = sim->contacts->seconds_broad, narrow = sim->contacts->seconds_narrow;
    for (uint32_t k = 0; k < steps; k++) {
        AfxStepReport report;
        if (afx_step(sim, &report)) {
            fail(subject, "a step failed");
        }
        for (int s = 0; s < AFX_STAGE_COUNT; s++) {
            sums->seconds[s] += report.stage_seconds[s];
        }
        sums->solves += report.solves;
        sums->points += report.contacts;
        sums->depth = fmax(sums->depth, report.depth);
        sums->residual = fmax(sums->residual, report.residual);
    }
    sums->broad = sim->contacts->seconds_broad - broad;
    sums->narrow = sim->contacts->seconds_narrow - narrow;
}

static void measure(const Subject *subject, FILE *const out[2]) {
    AfxModel *model = compile(subject);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    Sums sums;
    def.dt = afxi_case_find(subject->name)->dt;
    if (afx_sim_create(model, &def, &sim)) {
        fail(subject, "no sim");
    }
    run(subject, sim, subject->before, &sums);
    run(subject, sim, subject->steps, &sums);
    double all = 0, per = 1e3 / subject->steps;
    for (int s = 0; s < AFX_STAGE_COUNT; s++) {
        all += sums.seconds[s];
    }
    for (int k = 0; k < 2 && out[k]; k++) {
        fprintf(out[k], "| `%s%s%s` | %u | %.4g | %.3g | %.3g | %.3g | %.3g | %.2f | %.0f | %.1e | %.1e | %s |\n",
                subject->name, subject->argument ? " " : "", subject->argument ? subject->argument : "",
                (unsigned)afx_model_body_count(model), 1e3 * def.dt, per * all, per * sums.broad, per * sums.narrow,
                per * sums.seconds[AFX_STAGE_JOINTS], sums.solves / subject->steps, sums.points / subject->steps,
                sums.depth, sums.residual, subject->published);
        fflush(out[k]);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *path = argc > 1 + quick ? argv[1 + quick] : NULL;
    FILE *out[2] = {stdout, path ? fopen(path, "w") : NULL};
    if (path && !out[1]) {
        fprintf(stderr, "bench_contact: %s: cannot be written\n", path);
        return 1;
    }
    for (int k = 0; k < 2 && out[k]; k++) {
        fputs("| case | bodies | dt, ms | ms/step | broad | narrow | solve | solves/step | points | deepest, m | "
              "largest row | published |\n"
              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
              out[k]);
    }
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        if (subjects[k].quick || !quick) {
            measure(&subjects[k], out);
        }
    }
    if (out[1]) {
        fclose(out[1]);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes with contact, as a Markdown table: time per step and its parts, solves, points, depth, and what was published
 * for the same kind of scene. Steps before the first measured one are not counted: they lead to where things touch.
 *
 * With --whole: every case with contact from its beginning to its end, and how deep things lay in each other at most as
 * a share of the smallest link. It takes half an hour.
 *
 * With --piles: walls, piles, a robot and figures (piles.c); with --piles=NAME that one, long ones too.
 *
 * usage: bench_contact [--quick | --whole | --piles[=NAME]] [file]; the table also goes to the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affix/affix.h"
#include "cases/cases.h"
#include "piles.h"
#include "step/sim.h"

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

/* With the length of the smallest link, or of the smallest body. */
typedef struct Whole {
    Subject subject;
    double link;
} Whole;

static const Whole wholes[] = {
    {{.name = "rolling"}, 1.0},
    {{.name = "incline"}, 0.5},
    {{.name = "stack"}, 0.25},
    {{.name = "arch"}, 0.226},
    {{.name = "net-cylinder"}, 0.1},
    {{.name = "pulley", .published = "2 ms, 1,500 links"}, 0.05},
    {{.name = "pulley-huge", .published = "904 ms, a million links"}, 0.05},
    {{.name = "falling-joints", .published = "54 ms, 1,400 links"}, 0.16},
    {{.name = "ragdolls", .published = "17 ms, 1,500 links"}, 0.1},
    {{.name = "cloak", .published = "33 ms, 12,000 links"}, 0.012},
    {{.name = "klann", .argument = "ground=1"}, 0.08},
    {{.name = "hagfish"}, 0.05},
    {{.name = "grasp"}, 0.05},
};

/* What a run of measured steps came to. */
typedef struct Sums {
    double seconds[AFX_STAGE_COUNT], broad, narrow, solves, points, depth, residual;
    uint32_t solves_most, points_most, rough;
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
    double broad = sim->solver.collide->seconds_broad, narrow = sim->solver.collide->seconds_narrow;
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
        sums->solves_most = report.solves > sums->solves_most ? report.solves : sums->solves_most;
        sums->points_most = report.contacts > sums->points_most ? report.contacts : sums->points_most;
        sums->rough += (report.flags & AFX_STEP_CONTACT_ROUGH) != 0;
        sums->depth = fmax(sums->depth, report.depth);
        sums->residual = fmax(sums->residual, report.residual);
    }
    sums->broad = sim->solver.collide->seconds_broad - broad;
    sums->narrow = sim->solver.collide->seconds_narrow - narrow;
}

/* A sim of the case at its own time step; its model comes back too. */
static AfxSim *start(const Subject *subject, AfxModel **out_model) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    *out_model = compile(subject);
    def.dt = afxi_case_find(subject->name)->dt;
    if (afx_sim_create(*out_model, &def, &sim)) {
        fail(subject, "no sim");
    }
    return sim;
}

/* The first columns: case, bodies, time step, time per step. */
static void put_begin(FILE *out, const Subject *subject, const AfxModel *model, const Sums *sums, uint32_t steps) {
    double all = 0;
    for (int s = 0; s < AFX_STAGE_COUNT; s++) {
        all += sums->seconds[s];
    }
    fprintf(out, "| `%s%s%s` | %u | %.4g | %.3g |", subject->name, subject->argument ? " " : "",
            subject->argument ? subject->argument : "", (unsigned)afx_model_body_count(model),
            1e3 * afxi_case_find(subject->name)->dt, 1e3 * all / steps);
}

static void measure(const Subject *subject, FILE *const out[2]) {
    AfxModel *model;
    AfxSim *sim = start(subject, &model);
    Sums sums;
    double per = 1e3 / subject->steps;
    run(subject, sim, subject->before, &sums);
    run(subject, sim, subject->steps, &sums);
    for (int k = 0; k < 2 && out[k]; k++) {
        put_begin(out[k], subject, model, &sums, subject->steps);
        fprintf(out[k], " %.3g | %.3g | %.3g | %.2f | %.0f | %.1e | %.1e | %s |\n", per * sums.broad, per * sums.narrow,
                per * sums.seconds[AFX_STAGE_JOINTS], sums.solves / subject->steps, sums.points / subject->steps,
                sums.depth, sums.residual, subject->published);
        fflush(out[k]);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

static void measure_whole(const Whole *whole, FILE *const out[2]) {
    const Subject *subject = &whole->subject;
    const AfxiCase *own = afxi_case_find(subject->name);
    AfxModel *model;
    AfxSim *sim = start(subject, &model);
    Sums sums;
    uint32_t steps = (uint32_t)lround(own->time / own->dt);
    run(subject, sim, steps, &sums);
    for (int k = 0; k < 2 && out[k]; k++) {
        put_begin(out[k], subject, model, &sums, steps);
        fprintf(out[k], " %u | %.2f (%u) | %u | %.2g | %.2g | %.1e | %u | %s |\n", (unsigned)steps, sums.solves / steps,
                (unsigned)sums.solves_most, (unsigned)sums.points_most, 1e3 * sums.depth,
                1e2 * sums.depth / whole->link, sums.residual, (unsigned)sums.rough,
                subject->published ? subject->published : "");
        fflush(out[k]);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

static const char heading[] =
    "| case | bodies | dt, ms | ms/step | broad | narrow | solve | iterations/step | contacts | max penetration, m | "
    "max violation | "
    "published |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
static const char heading_whole[] =
    "| case | bodies | dt, ms | ms/step | steps | iterations/step (most) | contacts, most | "
    "max penetration, mm | of the smallest link, "
    "% | max violation | rough steps | published |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0, whole = argc > 1 && strcmp(argv[1], "--whole") == 0;
    bool rigid = argc > 1 && strncmp(argv[1], "--rigid-piles", 13) == 0;
    bool piles = rigid || (argc > 1 && strncmp(argv[1], "--piles", 7) == 0), option = quick || whole || piles;
    const char *path = argc > 1 + option ? argv[1 + option] : NULL;
    FILE *out[2] = {stdout, path ? fopen(path, "w") : NULL};
    if (path && !out[1]) {
        fprintf(stderr, "bench_contact: %s: cannot be written\n", path);
        return 1;
    }
    if (piles) {
        const char *name = strchr(argv[1], '=');
        int failed = bench_piles(name ? name + 1 : NULL, rigid, out);
        if (out[1]) {
            fclose(out[1]);
        }
        return failed;
    }
    for (int k = 0; k < 2 && out[k]; k++) {
        fputs(whole ? heading_whole : heading, out[k]);
    }
    for (size_t k = 0; whole && k < sizeof wholes / sizeof *wholes; k++) {
        measure_whole(&wholes[k], out);
    }
    for (size_t k = 0; !whole && k < sizeof subjects / sizeof *subjects; k++) {
        if (subjects[k].quick || !quick) {
            measure(&subjects[k], out);
        }
    }
    if (out[1]) {
        fclose(out[1]);
    }
    return 0;
}

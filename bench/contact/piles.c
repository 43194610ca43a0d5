/* SPDX-License-Identifier: Apache-2.0 */
/* Walls, piles, robots and figures: time per step, mean and worst, solver iterations, how deep things lie, how far
 * joints are off, energy that came from nothing, and how far things at rest creep. */
#include "piles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases/random.h"
#include "scenes.h"

typedef struct Pile {
    const char *name;
    AfxStatus (*build)(uint32_t size, AfxScene **out, AfxError *error);
    uint32_t size;
    double dt, least;
    uint32_t steps; /* measured from the beginning */
    uint32_t rest;  /* of these, the last ones, in which what rests should stay where it is; 0: it does not rest */
    bool servos, longer;
} Pile;

static const Pile piles[] = {
    {"wall-10", bench_wall, 10, 0.01, BENCH_WALL_LEAST, 100, 80, false, false},
    {"wall-20", bench_wall, 20, 0.01, BENCH_WALL_LEAST, 30, 20, false, false},
    {"boxes-216", bench_boxes, 6, 0.01, BENCH_PILE_LEAST / 1.45, 300, 0, false, false},
    {"boxes-1000", bench_boxes, 10, 0.01, BENCH_PILE_LEAST / 1.45, 150, 0, false, true},
    {"spheres-216", bench_spheres, 6, 0.01, BENCH_PILE_LEAST, 300, 0, false, false},
    {"spheres-1000", bench_spheres, 10, 0.01, BENCH_PILE_LEAST, 150, 0, false, true},
    {"robot", bench_robots, 1, 0.005, BENCH_ROBOT_LEAST, 600, 0, true, false},
    {"figures-10", bench_figures, 10, 0.005, BENCH_FIGURE_LEAST, 300, 0, false, false},
    {"figures-100", bench_figures, 100, 0.005, BENCH_FIGURE_LEAST, 300, 0, false, true},
    {"crowd-8", bench_crowd, 8, 0.01, 0.3, 50, 0, false, false},
    {"crowd-30", bench_crowd, 30, 0.01, 0.3, 2, 0, false, true},
};

typedef struct Result {
    double seconds, worst, solves, points, depth, gap, lowest, rise, first, creep;
    uint32_t solves_most, rough, bodies, done;
} Result;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double energy(const AfxSim *sim) {
    AfxEnergy own;
    return afx_sim_energy(sim, &own) ? NAN : own.kinetic + own.potential + own.elastic;
}

/* New random targets every so many steps. */
static void steer(const Pile *pile, AfxSim *sim, uint32_t drives, uint32_t step, AfxiCaseRandom *random) {
    for (uint32_t k = 0; pile->servos && step % 20 == 0 && k < drives; k += 3) {
        afx_sim_set_drive_target(sim, k, afxi_case_random_number(random, -0.1, 0.1), 0);
    }
}

static double distance(const AfxPose *a, const AfxPose *b) {
    AfxVec3 d = {a->position.x - b->position.x, a->position.y - b->position.y, a->position.z - b->position.z};
    return sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

static void take_step(AfxSim *sim, Result *out) {
    AfxStepReport report;
    double begin = now();
    AfxStatus status = afx_step(sim, &report);
    if (status) {
        fprintf(stderr, "bench_contact: step %u: %s, body %u\n", (unsigned)(out->done + 1), afx_status_name(status),
                (unsigned)report.body);
        out->done = UINT32_MAX;
        return;
    }
    double took = now() - begin, total = energy(sim);
    out->done++;
    out->seconds += took;
    out->worst = fmax(out->worst, took);
    out->solves += report.solves;
    out->solves_most = report.solves > out->solves_most ? report.solves : out->solves_most;
    out->points += report.contacts;
    out->depth = fmax(out->depth, report.depth);
    out->gap = fmax(out->gap, report.residual);
    out->rough += (report.flags & AFX_STEP_CONTACT_ROUGH) != 0;
    out->rise = fmax(out->rise, total - out->lowest);
    out->lowest = fmin(out->lowest, total);
}

static void run(const Pile *pile, AfxSim *sim, uint32_t drives, Result *out) {
    AfxiCaseRandom random = {11};
    AfxPose *start = calloc(out->bodies, sizeof *start), *end = calloc(out->bodies, sizeof *end);
    out->first = out->lowest = energy(sim);
    for (uint32_t k = 0; k < pile->steps && out->done != UINT32_MAX; k++) {
        if (start && pile->rest && k == pile->steps - pile->rest) {
            afx_sim_poses(sim, start);
        }
        steer(pile, sim, drives, k, &random);
        take_step(sim, out);
    }
    if (start && end && pile->rest && !afx_sim_poses(sim, end)) {
        for (uint32_t k = 0; k < out->bodies; k++) {
            out->creep = fmax(out->creep, distance(&start[k], &end[k]));
        }
    }
    free(start);
    free(end);
}

static int measure(const Pile *pile, FILE *const out[2]) {
    AfxError error = {.text = "out of memory"};
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.dt = pile->dt;
    if (pile->build(pile->size, &scene, &error) || afx_model_create(scene, &model, &error) ||
        afx_sim_create(model, &def, &sim)) {
        fprintf(stderr, "bench_contact: %s: %s\n", pile->name, error.text);
        return 1;
    }
    Result result = {.bodies = afx_model_body_count(model)};
    run(pile, sim, afx_scene_drive_count(scene), &result);
    bool failed = result.done == UINT32_MAX;
    for (int k = 0; k < 2 && out[k] && !failed; k++) {
        double steps = pile->steps;
        fprintf(out[k], "| `%s` | %u | %.3g | %.3g | %.3g | %.2f (%u) | %.0f | %.1e | %.2g | %.1e |", pile->name,
                (unsigned)result.bodies, 1e3 * pile->dt, 1e3 * result.seconds / steps, 1e3 * result.worst,
                result.solves / steps, (unsigned)result.solves_most, result.points / steps, result.depth,
                1e2 * result.depth / pile->least, result.gap);
        fprintf(out[k], pile->servos ? " – |" : " %.1e |", result.rise / (result.first - result.lowest + result.rise));
        fprintf(out[k], pile->rest ? " %.1e |" : " – |", result.creep);
        fprintf(out[k], " %u |\n", (unsigned)result.rough);
        fflush(out[k]);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return failed;
}

static const char heading[] = "| scene | bodies | dt, ms | ms/step | worst | solves/step (most) | points | deepest, m "
                              "| of the smallest body, % | "
                              "largest row | energy gained | creep, m | rough steps |\n"
                              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

int bench_piles(const char *only, FILE *const out[2]) {
    int failed = 0;
    for (int k = 0; k < 2 && out[k]; k++) {
        fputs(heading, out[k]);
    }
    for (size_t k = 0; k < sizeof piles / sizeof *piles; k++) {
        if (only ? strcmp(piles[k].name, only) == 0 : !piles[k].longer) {
            failed |= measure(&piles[k], out);
        }
    }
    return failed;
}

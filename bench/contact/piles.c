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
#include "step/sim.h"

/* Iterations of the solver by why they were not the last, in the columns of the second table. */
enum { SET, LIMIT, DRIVES, FRAMES, STALE, DEEP, OTHER, LAST, GROUPS };
#define EVENTS_MOST (1u << 16) /* of a step */

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
    {"wall-20", bench_wall, 20, 0.01, BENCH_WALL_LEAST, 100, 80, false, false},
    {"boxes-216", bench_boxes, 6, 0.01, BENCH_PILE_LEAST / 1.45, 300, 0, false, false},
    {"boxes-1000", bench_boxes, 10, 0.01, BENCH_PILE_LEAST / 1.45, 150, 0, false, true},
    {"spheres-216", bench_spheres, 6, 0.01, BENCH_PILE_LEAST, 300, 0, false, false},
    {"spheres-1000", bench_spheres, 10, 0.01, BENCH_PILE_LEAST, 150, 0, false, true},
    {"boxes-10000", bench_boxes, 22, 0.01, BENCH_PILE_LEAST / 1.45, 100, 0, false, true},
    {"spheres-10000", bench_spheres, 22, 0.01, BENCH_PILE_LEAST, 100, 0, false, true},
    {"wall-10-rests", bench_wall, 10, 0.01, BENCH_WALL_LEAST, 1100, 1000, false, true},
    {"boxes-216-rest", bench_boxes, 6, 0.01, BENCH_PILE_LEAST / 1.45, 1600, 1000, false, true},
    {"robot", bench_robots, 1, 0.005, BENCH_ROBOT_LEAST, 600, 0, true, false},
    {"figures-10", bench_figures, 10, 0.005, BENCH_FIGURE_LEAST, 300, 0, false, false},
    {"figures-100", bench_figures, 100, 0.005, BENCH_FIGURE_LEAST, 300, 0, false, true},
    {"crowd-8", bench_crowd, 8, 0.01, 0.3, 50, 0, false, false},
    {"crowd-30", bench_crowd, 30, 0.01, 0.3, 2, 0, false, true},
};

typedef struct Result {
    double seconds, worst, solves, points, depth, gap, lowest, rise, first, creep;
    uint32_t solves_most, rough, bodies, done, cuts;
    double why[GROUPS]; /* times bodies */
    uint64_t looks, plans;
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

static int group_of(const AfxTraceEvent *event) {
    switch (event->verdict == AFX_TRACE_ACCEPT ? AFX_TRACE_FINE : event->reason) {
    case AFX_TRACE_FINE:
        return LAST;
    case AFX_TRACE_CONTACT_SET:
        return SET;
    case AFX_TRACE_FRICTION_LIMIT:
        return LIMIT;
    case AFX_TRACE_ACTIVE_SET:
        return DRIVES;
    case AFX_TRACE_ROTATION:
    case AFX_TRACE_TURN:
    case AFX_TRACE_RESIDUAL:
    case AFX_TRACE_JUMP:
        return FRAMES;
    case AFX_TRACE_STALE:
        return STALE;
    case AFX_TRACE_PENETRATION:
        return DEEP;
    default:
        return OTHER;
    }
}

/* Iterations of the last step by reason; bodies that nothing touches are left out. */
static void add_reasons(AfxSim *sim, Result *out) {
    for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
        AfxTraceEvent event;
        if (afx_sim_trace_event(sim, k, &event) == AFX_OK) {
            bool solve = event.kind == AFX_TRACE_SOLVE && event.engine != AFX_TRACE_FREE;
            out->why[solve ? group_of(&event) : OTHER] += solve ? event.bodies : 0;
            out->cuts += event.kind == AFX_TRACE_CUT;
        }
    }
    afx_sim_trace_clear(sim);
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
    add_reasons(sim, out);
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

static void put_quality(FILE *out, const Pile *pile, const Result *result) {
    double steps = result->done;
    fprintf(out, "| `%s` | %u | %.3g | %.3g | %.3g | %.2f (%u) | %.0f | %.1e | %.2g | %.1e |", pile->name,
            (unsigned)result->bodies, 1e3 * pile->dt, 1e3 * result->seconds / steps, 1e3 * result->worst,
            result->solves / steps, (unsigned)result->solves_most, result->points / steps, result->depth,
            1e2 * result->depth / pile->least, result->gap);
    fprintf(out, pile->servos ? " – |" : " %.1e |", result->rise / (result->first - result->lowest + result->rise));
    fprintf(out, pile->rest ? " %.1e |" : " – |", result->creep);
    fprintf(out, " %u |\n", (unsigned)result->rough);
    fflush(out);
}

static void put_reasons(FILE *out, const Pile *pile, const Result *result) {
    double all = 0, steps = result->done, per = 1 / (steps * result->bodies);
    for (int k = 0; k < GROUPS; k++) {
        all += result->why[k];
    }
    fprintf(out, "| `%s` | %.2f |", pile->name, all * per);
    for (int k = 0; k < GROUPS; k++) {
        fprintf(out, " %.2f |", result->why[k] * per);
    }
    fprintf(out, " %.2f | %.2f | %u |\n", (double)result->looks / steps, (double)result->plans / steps,
            (unsigned)result->cuts);
}

static int measure(const Pile *pile, bool rigid, Result *result) {
    AfxError error = {.text = "out of memory"};
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.dt = pile->dt;
    if (pile->build(pile->size, &scene, &error) || (rigid && afx_scene_make_rigid(scene)) ||
        afx_model_create(scene, &model, &error) || afx_sim_create(model, &def, &sim) ||
        afx_sim_trace(sim, EVENTS_MOST)) {
        fprintf(stderr, "bench_contact: %s: %s\n", pile->name, error.text);
        return 1;
    }
    *result = (Result){.bodies = afx_model_body_count(model)};
    run(pile, sim, afx_scene_drive_count(scene), result);
    result->looks = sim->solver.collide->looks;
    result->plans = sim->solver.kept.made;
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return result->done == UINT32_MAX;
}

static const char heading[] = "| scene | bodies | dt, ms | ms/step | worst | solves/step (most) | points | deepest, m "
                              "| of the smallest body, % | "
                              "largest row | energy gained | creep, m | rough steps |\n"
                              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
static const char heading_reasons[] =
    "\nSolver iterations a step and body, by why another one followed; looks for points and plans a step, cuts of all "
    "steps:\n\n| scene | all | contacts | friction limits | drives | frames | stale | deep | other | accepted | looks "
    "| "
    "plans | cuts |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

int bench_piles(const char *only, bool rigid, FILE *const out[2]) {
    enum { COUNT = sizeof piles / sizeof *piles };
    static Result result[COUNT];
    bool done[COUNT] = {false};
    int failed = 0;
    for (int f = 0; f < 2 && out[f]; f++) {
        fputs(heading, out[f]);
    }
    for (int k = 0; k < COUNT; k++) {
        bool wanted = only ? strcmp(piles[k].name, only) == 0 : !piles[k].longer;
        done[k] = wanted && measure(&piles[k], rigid, &result[k]) == 0;
        failed |= wanted && !done[k];
        for (int f = 0; done[k] && f < 2 && out[f]; f++) {
            put_quality(out[f], &piles[k], &result[k]);
        }
    }
    for (int f = 0; f < 2 && out[f]; f++) {
        fputs(heading_reasons, out[f]);
        for (int k = 0; k < COUNT; k++) {
            if (done[k]) {
                put_reasons(out[f], &piles[k], &result[k]);
            }
        }
    }
    return failed;
}

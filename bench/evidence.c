/* SPDX-License-Identifier: Apache-2.0 */
/* Long runs as evidence, as Markdown:
 *     nets      ball-joint nets let go for ten seconds: solves, residual, energy, and energy of converged steps
 *     ensemble  the same nets many times, gravity turned by next to nothing: means and spread of what is lost
 *     solvers   direct and iterative solution of the same scenes: time, iterations, residual
 *     slope     time per step over the number of links, and its exponent, for chains and trees
 *     chain     a million links for a thousand steps
 * Each table is asked for by name; with a number behind it, sizes stop there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "affix/affix.h"
#include "cases/cases.h"
#include "step/sim.h"

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static AfxModel *build(const char *name, const char *argument, AfxSolver solver) {
    AfxSceneDef def = afx_default_scene();
    AfxModelDef model_def = afx_default_model();
    AfxError error = {.text = "out of memory"};
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxiCaseArguments arguments;
    const char *list[1] = {argument};
    model_def.solver = solver;
    if (afxi_case_arguments(afxi_case_find(name), 1, list, &arguments, &error) ||
        afxi_case_build(&arguments, &def, &scene, &error) || afx_model_create_with(scene, &model_def, &model, &error)) {
        fprintf(stderr, "%s %s: %s\n", name, argument, error.text);
        exit(1);
    }
    afx_scene_destroy(scene);
    return model;
}

static AfxSim *begin(const AfxModel *model, double dt, AfxAccuracy accuracy) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.dt = dt;
    def.accuracy = accuracy;
    if (afx_sim_create(model, &def, &sim)) {
        fprintf(stderr, "no sim\n");
        exit(1);
    }
    return sim;
}

/* ---- nets ---- */

typedef struct Run {
    double solves, residual, highest, elastic, kinetic, rise, total; /* energies in J */
    uint32_t halved, light;
    bool failed;
} Run;

/* `tilt`: gravity is turned by it, rad. */
static Run run_net(const AfxModel *model, double dt, double time, AfxAccuracy accuracy, double tilt) {
    AfxSim *sim = begin(model, dt, accuracy);
    double gravity[3] = {9.81 * tilt, -0.6 * 9.81 * tilt, -9.81}; /* aslant, so that nothing stays symmetric */
    if (tilt != 0 && afx_sim_set_param(sim, AFX_PARAM_GRAVITY, 0, gravity)) {
        fprintf(stderr, "no gravity\n");
        exit(1);
    }
    Run run = {.highest = -INFINITY};
    AfxEnergy energy;
    afx_sim_energy(sim, &energy);
    double start = energy.total, before = start;
    int steps = (int)lround(time / dt);
    for (int k = 0; k < steps; k++) {
        AfxStepReport report;
        if (afx_step(sim, &report)) {
            run.failed = true;
            break;
        }
        afx_sim_energy(sim, &energy);
        run.solves += report.solves_mean / steps;
        run.residual = fmax(run.residual, report.residual);
        run.highest = fmax(run.highest, energy.total - start);
        run.rise = fmax(run.rise, energy.total - before);
        run.elastic = fmax(run.elastic, energy.elastic);
        run.kinetic = fmax(run.kinetic, energy.kinetic);
        run.halved += (report.flags & AFX_STEP_HALVED) != 0;
        run.light += (report.flags & AFX_STEP_LIGHT) != 0;
        before = energy.total;
    }
    run.total = run.failed ? NAN : before - start;
    afx_sim_destroy(sim);
    return run;
}

static void nets(double most) {
    static const int sizes[] = {10, 20, 50, 100};
    puts("| net | dt, s | iterations/step | sub-stepped, % | accepted by energy, % | max violation, m | highest total "
         "energy over the "
         "start, J | largest rise in a "
         "step, "
         "% | false elastic energy at most, % | energy after 10 s, J | of converged steps, J | their iterations/step | "
         "sub-stepped, % | off, % |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] <= most; k++) {
        char argument[32];
        snprintf(argument, sizeof argument, "k=%d", sizes[k]);
        AfxModel *model = build("net", argument, AFX_SOLVER_AUTO);
        for (int fine = 0; fine < 2; fine++) {
            double dt = fine ? 0.01 : 1.0 / 30;
            Run fast = run_net(model, dt, 10, AFX_FAST, 0);
            printf("| %d x %d | %.4f | %.2f | %.1f | %.1f | %.1e | %.2g | %.2f | %.2f | %.2f | ", sizes[k], sizes[k],
                   dt, fast.solves, 10 * dt * fast.halved, 10 * dt * fast.light, fast.residual, fast.highest,
                   100 * fast.rise / fast.kinetic, 100 * fast.elastic / fast.kinetic, fast.total);
            if (sizes[k] <= 50) {
                Run accurate = run_net(model, dt, 10, AFX_ACCURATE, 0);
                printf("%.2f | %.2f | %.1f | %.1f |\n", accurate.total, accurate.solves, 10 * dt * accurate.halved,
                       100 * fabs(fast.total - accurate.total) / accurate.kinetic);
            } else {
                puts("| | | |");
            }
            fflush(stdout);
        }
        afx_model_destroy(model);
    }
}

/* ---- many runs ---- */

#define RUNS 8

typedef struct Lost {
    double mean, spread; /* standard deviation */
    int runs;            /* that went through */
} Lost;

/* What runs have lost, in per cent of their largest kinetic energy. */
static Lost lost(const AfxModel *model, double dt, AfxAccuracy accuracy, double tilt) {
    double sum = 0, square = 0;
    Lost out = {NAN, NAN, 0};
    for (int k = 0; k < RUNS; k++) {
        Run run = run_net(model, dt, 10, accuracy, tilt * (k + 1));
        double share = -100 * run.total / run.kinetic;
        out.runs += !run.failed;
        sum += run.failed ? 0 : share;
        square += run.failed ? 0 : share * share;
    }
    out.mean = sum / out.runs;
    out.spread = sqrt(fmax(0, square - sum * sum / out.runs) / (out.runs - 1));
    return out;
}

static void ensemble(double most) {
    static const int sizes[] = {10, 20};
    puts("| net | dt, s | tilt, rad | `fast`: lost, % | spread | runs | `accurate`: lost, % | spread | runs | "
         "difference "
         "of the means | spread of that |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] <= most; k++) {
        char argument[32];
        snprintf(argument, sizeof argument, "k=%d", sizes[k]);
        AfxModel *model = build("net", argument, AFX_SOLVER_AUTO);
        for (int way = 0; way < 4; way++) {
            double dt = way % 2 ? 0.01 : 1.0 / 30, tilt = way / 2 ? 1e-4 : 1e-9;
            Lost a = lost(model, dt, AFX_FAST, tilt), b = lost(model, dt, AFX_ACCURATE, tilt);
            printf("| %d x %d | %.4f | %.0e | %.2f | %.2f | %d | %.2f | %.2f | %d | %.2f | %.2f |\n", sizes[k],
                   sizes[k], dt, tilt, a.mean, a.spread, a.runs, b.mean, b.spread, b.runs, a.mean - b.mean,
                   sqrt(a.spread * a.spread / a.runs + b.spread * b.spread / b.runs));
            fflush(stdout);
        }
        afx_model_destroy(model);
    }
}

/* ---- solvers ---- */

/* Sweeps do not converge for larger scenes, and take minutes to find out. */
#define SWEEPS_BODIES 300

static void solvers(double most) {
    static const struct {
        const char *name, *argument;
        double bodies;
    } subjects[] = {{"net", "k=10", 280},          {"net", "k=20", 1140},      {"net", "k=50", 7400},
                    {"net", "k=100", 29800},       {"tree", "links=100", 100}, {"tree", "links=1000", 1000},
                    {"tree", "links=10000", 10000}};
    static const AfxSolver ways[] = {AFX_SOLVER_AUTO, AFX_SOLVER_CG, AFX_SOLVER_GS};
    puts("| scene | solver | ms/step, least | iterations/step | CG or GS/iteration | max violation | |\n"
         "| --- | --- | --- | --- | --- | --- | --- |");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        size_t count = subjects[k].bodies <= SWEEPS_BODIES ? 3 : 2;
        for (size_t w = 0; w < count && subjects[k].bodies <= most; w++) {
            AfxModel *model = build(subjects[k].name, subjects[k].argument, ways[w]);
            AfxSim *sim = begin(model, 0.01, AFX_FAST);
            double least = INFINITY, solves = 0, residual = 0;
            uint32_t flags = 0, steps = ways[w] == AFX_SOLVER_GS ? 3 : 12;
            for (uint32_t n = 0; n < steps; n++) {
                AfxStepReport report;
                double from = clock_now();
                if (afx_step(sim, &report)) {
                    flags |= AFX_STEP_FAILED;
                    break;
                }
                least = n ? fmin(least, clock_now() - from) : least;
                solves += report.solves_mean;
                residual = fmax(residual, report.residual);
                flags |= report.flags;
            }
            printf("| `%s %s` | %s | %.3g | %.2f | %.1f | %.1e | %s |\n", subjects[k].name, subjects[k].argument,
                   afx_solver_name(ways[w]), 1e3 * least, solves / steps,
                   (double)sim->solver.lot[0].iterations / fmax(solves, 1), residual,
                   flags & AFX_STEP_FAILED        ? "fails"
                   : flags & AFX_STEP_UNCONVERGED ? "not converged"
                                                  : "");
            fflush(stdout);
            afx_sim_destroy(sim);
            afx_model_destroy(model);
        }
    }
}

/* ---- slope ---- */

static double least_step(const char *name, const char *argument, uint32_t steps, double *out_solves) {
    AfxModel *model = build(name, argument, AFX_SOLVER_AUTO);
    AfxSim *sim = begin(model, 0.01, AFX_FAST);
    double least = INFINITY;
    *out_solves = 0;
    for (uint32_t n = 0; n < steps; n++) {
        AfxStepReport report;
        double from = clock_now();
        afx_step(sim, &report);
        least = n ? fmin(least, clock_now() - from) : least;
        *out_solves += report.solves_mean / steps;
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return least;
}

/* Exponent of time over size by least squares on logarithms. */
static double exponent(const double *size, const double *time, int count) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < count; k++) {
        double a = log(size[k]), b = log(time[k]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

static void slope(double most) {
    static const struct {
        const char *name;
        double sizes[4];
    } subjects[] = {{"chains", {1e5, 2e5, 5e5, 1e6}}, {"tree", {5e4, 1e5, 2e5, 0}}};
    puts("| scene | links | ms/step, least | ns/link | iterations/step |\n| --- | --- | --- | --- | --- |");
    for (int s = 0; s < 2; s++) {
        double size[4], time[4];
        int count = 0;
        for (int k = 0; k < 4 && subjects[s].sizes[k] > 0 && subjects[s].sizes[k] <= most; k++) {
            char argument[32];
            double solves;
            snprintf(argument, sizeof argument, "links=%.0f", subjects[s].sizes[k]);
            size[count] = subjects[s].sizes[k];
            time[count] = least_step(subjects[s].name, argument, 12, &solves);
            printf("| %s | %.0f | %.4g | %.0f | %.2f |\n", subjects[s].name, size[count], 1e3 * time[count],
                   1e9 * time[count] / size[count], solves);
            fflush(stdout);
            count++;
        }
        if (count > 1) {
            printf("| %s | exponent | %.3f | | |\n", subjects[s].name, exponent(size, time, count));
        }
    }
}

/* ---- a long chain ---- */

static void chain(double most) {
    char argument[32];
    snprintf(argument, sizeof argument, "links=%.0f", fmin(most, 1e6));
    AfxModel *model = build("chains", argument, AFX_SOLVER_AUTO);
    AfxSim *sim = begin(model, 0.01, AFX_FAST);
    double residual = 0, solves = 0, start, highest = 0, from = clock_now();
    AfxEnergy energy;
    afx_sim_energy(sim, &energy);
    start = energy.total;
    uint32_t steps = 1000, halved = 0;
    for (uint32_t k = 0; k < steps; k++) {
        AfxStepReport report;
        if (afx_step(sim, &report)) {
            printf("step %u failed\n", k + 1);
            break;
        }
        residual = fmax(residual, report.residual);
        solves += report.solves_mean / steps;
        halved += (report.flags & AFX_STEP_HALVED) != 0;
        if (k % 50 == 49) {
            afx_sim_energy(sim, &energy);
            highest = fmax(highest, energy.total - start);
        }
    }
    double seconds = clock_now() - from;
    afx_sim_energy(sim, &energy);
    printf("%s, %u steps of 10 ms: %.0f s, %.2f iterations/step, %u steps sub-stepped, max violation %.1e m (size %.3g "
           "m), "
           "kinetic %.4g J, energy %.4g J less than at the start, at most %.2g J above it\n",
           argument, steps, seconds, solves, halved, residual, afx_model_size(model), energy.kinetic,
           start - energy.total, highest);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*run)(double most);
    } tables[] = {{"nets", nets}, {"ensemble", ensemble}, {"solvers", solvers}, {"slope", slope}, {"chain", chain}};
    for (int k = 1; k < count; k++) {
        double most = k + 1 < count && atof(words[k + 1]) > 0 ? atof(words[k + 1]) : INFINITY;
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            if (strcmp(words[k], tables[t].name) == 0) {
                tables[t].run(most);
            }
        }
    }
    if (count < 2) {
        puts("usage: bench_evidence [nets|ensemble|solvers|slope|chain] [largest size] ...");
    }
    return 0;
}

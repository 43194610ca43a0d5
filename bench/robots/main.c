/* SPDX-License-Identifier: Apache-2.0 */
/* bench_robots FILE.xml [--integrator NAME] [--contact 1] [--dt H] [--steps N] [--count affix|mujoco]: what a step of a
 * robot costs in joint coordinates, and MuJoCo's beside it where it was there when this was built (package
 * libmujoco-dev). Contact, limits and friction of joints are off in MuJoCo; the file has none (bench/robots/run.py
 * takes them out). With --contact 1 all of it is on, in a file as it is.
 *
 * Both are stepped by turns in one run; the least CPU time of the rounds counts. With --count only one is stepped, for
 * counting instructions, which other work on the machine does not change: the difference of two lengths. */
#include <affix/affix.h>
#include <affix/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BENCH_MUJOCO
#include <mujoco/mujoco.h>
#endif

#define ROUNDS 7

typedef struct Settings {
    const char *file, *count;
    AfxIntegrator integrator;
    bool euler;   /* MuJoCo's Euler, not its Runge-Kutta */
    bool contact; /* and limits, friction */
    double dt;
    long steps;
} Settings;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bench_robots: %s: %s\n", what, why);
    exit(1);
}

/* ---- Affix ---- */

static void check(AfxStatus status, const AfxError *error) {
    if (status != AFX_OK) {
        fail(error->element, error->text);
    }
}

static AfxSim *make_sim(const Settings *settings, AfxModel **out_model) {
    AfxError error = {.text = "out of memory"};
    AfxSceneDef scene_def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxSimDef def = afx_default_sim();
    AfxScene *scene;
    AfxSim *sim;
    check(afx_scene_create(&scene_def, &scene), &error);
    check(afx_scene_load(scene, settings->file, &load, &error), &error);
    check(afx_scene_make_rigid(scene), &error);
    check(afx_model_create(scene, out_model, &error), &error);
    afx_scene_destroy(scene);
    def.dt = settings->dt;
    def.integrator = settings->integrator;
    def.formulation = AFX_REDUCED;
    def.error = &error;
    check(afx_sim_create(*out_model, &def, &sim), &error);
    return sim;
}

static double run_affix(AfxSim *sim, long steps) {
    double begin = now();
    for (long k = 0; k < steps; k++) {
        AfxStatus status = afx_step(sim, NULL);
        if (status != AFX_OK) {
            fail("a step of Affix", afx_status_text(status));
        }
    }
    return (now() - begin) / (double)steps;
}

/* ---- MuJoCo ---- */

#ifdef BENCH_MUJOCO
typedef struct Peer {
    mjModel *model;
    mjData *data;
} Peer;

static Peer make_peer(const Settings *settings) {
    char error[500] = "";
    mjModel *model = mj_loadXML(settings->file, NULL, error, sizeof error);
    if (!model) {
        fail(settings->file, error);
    }
    model->opt.timestep = settings->dt;
    model->opt.integrator = settings->euler ? mjINT_EULER : mjINT_RK4;
    model->opt.disableflags |= settings->contact ? 0 : mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    return (Peer){model, mj_makeData(model)};
}

static double run_peer(const Peer *peer, long steps) {
    double begin = now();
    for (long k = 0; k < steps; k++) {
        mj_step(peer->model, peer->data);
    }
    return (now() - begin) / (double)steps;
}
#endif

static Settings read_settings(int argc, char **argv) {
    Settings out = {.integrator = AFX_RK4, .dt = 0.002, .steps = 2000};
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--integrator") == 0) {
            out.euler = strcmp(value, "rk4") != 0;
            out.integrator = out.euler ? AFX_BDF2 : AFX_RK4;
        } else if (strcmp(argv[k], "--contact") == 0) {
            out.contact = atoi(value) != 0;
        } else if (strcmp(argv[k], "--dt") == 0) {
            out.dt = atof(value);
        } else if (strcmp(argv[k], "--steps") == 0) {
            out.steps = atol(value);
        } else if (strcmp(argv[k], "--count") == 0) {
            out.count = value;
        } else if (!out.file) {
            out.file = argv[k];
            continue;
        } else {
            fail(argv[k], "not known");
        }
        k++;
    }
    if (!out.file || out.steps < 1) {
        fail("usage",
             "bench_robots FILE.xml [--integrator rk4|bdf2] [--contact 1] [--dt H] [--steps N] [--count affix|mujoco]");
    }
    return out;
}

int main(int argc, char **argv) {
    Settings settings = read_settings(argc, argv);
    bool ours = !settings.count || strcmp(settings.count, "affix") == 0;
    double best[2] = {INFINITY, INFINITY};
    AfxModel *model = NULL;
    AfxSim *sim = ours ? make_sim(&settings, &model) : NULL;
#ifdef BENCH_MUJOCO
    bool theirs = !settings.count || !ours;
    Peer peer = {NULL, NULL};
    if (theirs) {
        peer = make_peer(&settings);
    }
#endif
    for (int round = 0; round < (settings.count ? 1 : ROUNDS); round++) {
        best[0] = ours ? fmin(best[0], run_affix(sim, settings.steps)) : best[0];
#ifdef BENCH_MUJOCO
        best[1] = theirs ? fmin(best[1], run_peer(&peer, settings.steps)) : best[1];
#endif
    }
    const char *name = strrchr(settings.file, '/');
    printf("%-24s affix %8.2f us, mujoco %8.2f us a step, ratio %.3f\n", name ? name + 1 : settings.file, 1e6 * best[0],
           1e6 * best[1], best[0] / best[1]);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* bench_robots FILE.xml [--integrator NAME] [--contact 1] [--dt H] [--steps N] [--batch N] [--hold N] [--count NAME]:
 * what a step of a robot costs in joint coordinates, and MuJoCo's beside it where it was there when this was built
 * (package libmujoco-dev). Contact, limits and friction of joints are off in MuJoCo; the file has none
 * (bench/robots/run.py takes them out). With --contact 1 all of it is on, in a file as it is. With --batch, so many
 * robots with masses and velocities of their own are stepped together, 64 in a call and --hold steps (10) before the
 * next 64, and a step of one of them counts.
 *
 * With --precision BODY, processor time for a second of motion from the start against how far the body's origin is off
 * at its end: least times for errors of 1e-1 to 1e-6 m by rk4 and gauss2 and, beside them, by MuJoCo's methods, all
 * against rk4 at 25 us, by which MuJoCo's finest run is said to be off as well.
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
#define PEER_STEPS 2000 /* of MuJoCo in a round, whatever goes before in the cache */
#define GROUP 64        /* robots of a batch that are stepped in one call */

typedef struct Settings {
    const char *file, *count, *precision;
    AfxIntegrator integrator;
    bool euler;   /* MuJoCo's Euler, not its Runge-Kutta */
    bool contact; /* and limits, friction */
    double dt;
    long steps, batch, hold;
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

/* The robots of a batch: all but the first have a mass of the last body and velocities of their own. */
typedef struct Robots {
    AfxModel *model;
    AfxSim **sims;
    long count;
} Robots;

static AfxModel *make_model(const Settings *settings, AfxBodyId *out_body) {
    AfxError error = {.text = "out of memory"};
    AfxSceneDef scene_def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxScene *scene;
    AfxModel *model;
    check(afx_scene_create(&scene_def, &scene), &error);
    check(afx_scene_load(scene, settings->file, &load, &error), &error);
    check(afx_scene_make_rigid(scene), &error);
    check(afx_model_create(scene, &model, &error), &error);
    if (settings->precision && afx_scene_find_body(scene, settings->precision, out_body) != AFX_OK) {
        fail(settings->precision, "no such body");
    }
    afx_scene_destroy(scene);
    return model;
}

static void vary(AfxSim *sim, long number) {
    AfxError error = {.text = "a robot of the batch"};
    double mass, u[64] = {0};
    uint32_t count = afx_sim_dof_count(sim);
    check(afx_sim_param(sim, AFX_PARAM_BODY_MASS, 0, &mass), &error);
    mass *= 1 + 1e-4 * (double)number;
    check(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, 0, &mass), &error);
    for (uint32_t k = 0; k < count && count <= 64; k++) {
        u[k] = 1e-3 * (double)number / (1 + k);
    }
    if (count <= 64) {
        check(afx_sim_set_dof_velocities(sim, u), &error);
    }
}

static Robots make_robots(const Settings *settings) {
    AfxError error = {.text = "out of memory"};
    AfxSimDef def = afx_default_sim();
    Robots out = {.model = make_model(settings, NULL), .count = settings->batch};
    out.sims = calloc((size_t)out.count, sizeof *out.sims);
    def.dt = settings->dt;
    def.integrator = settings->integrator;
    def.formulation = AFX_REDUCED;
    def.error = &error;
    for (long k = 0; out.sims && k < out.count; k++) {
        check(afx_sim_create(out.model, &def, &out.sims[k]), &error);
        if (k > 0) {
            vary(out.sims[k], k);
        }
    }
    return out;
}

static void drop_robots(Robots *robots) {
    for (long k = 0; k < robots->count && robots->sims; k++) {
        afx_sim_destroy(robots->sims[k]);
    }
    free(robots->sims);
    afx_model_destroy(robots->model);
}

/* A stretch of steps of some robots: so they stay in the cache, as an action that is held for several steps. */
static void run_some(AfxSim *const *sims, uint32_t count, long steps) {
    for (long k = 0; k < steps; k++) {
        AfxStatus status = count == 1 ? afx_step(sims[0], NULL) : afx_step_many(sims, count, NULL, NULL);
        if (status != AFX_OK) {
            fail("a step of Affix", afx_status_text(status));
        }
    }
}

static double run_affix(const Robots *robots, const Settings *settings) {
    double begin = now();
    for (long done = 0; done < settings->steps; done += settings->hold) {
        long steps = settings->steps - done < settings->hold ? settings->steps - done : settings->hold;
        for (long k = 0; k < robots->count; k += GROUP) {
            run_some(robots->sims + k, (uint32_t)(robots->count - k < GROUP ? robots->count - k : GROUP), steps);
        }
    }
    return (now() - begin) / (double)(settings->steps * robots->count);
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

/* ---- time against error ---- */

enum { LEVELS = 6, HALVINGS = 11 };

/* Where a body is after a second of steps of dt, and the least processor time of a few runs. */
typedef struct Run {
    AfxVec3 place;
    double seconds;
} Run;

static Run run_second(const AfxModel *model, AfxBodyId body, AfxIntegrator integrator, double dt) {
    AfxError error = {.text = "out of memory"};
    Run out = {.seconds = INFINITY};
    for (int round = 0; round < 3; round++) {
        AfxSimDef def = afx_default_sim();
        AfxSim *sim;
        AfxPose pose;
        def.dt = dt;
        def.integrator = integrator;
        def.formulation = AFX_REDUCED;
        def.error = &error;
        check(afx_sim_create(model, &def, &sim), &error);
        double begin = now();
        run_some(&sim, 1, lround(1 / dt));
        out.seconds = fmin(out.seconds, now() - begin);
        check(afx_sim_body_pose(sim, body.index, &pose), &error);
        out.place = pose.position;
        afx_sim_destroy(sim);
    }
    return out;
}

#ifdef BENCH_MUJOCO
static Run run_peer_second(const Peer *peer, int body, int integrator, double dt) {
    Run out = {.seconds = INFINITY};
    peer->model->opt.timestep = dt;
    peer->model->opt.integrator = integrator;
    for (int round = 0; round < 3; round++) {
        mj_resetData(peer->model, peer->data);
        out.seconds = fmin(out.seconds, run_peer(peer, lround(1 / dt)) * (double)lround(1 / dt));
        mj_kinematics(peer->model, peer->data);
        const double *at = peer->data->xpos + 3 * body;
        out.place = (AfxVec3){at[0], at[1], at[2]};
    }
    return out;
}
#endif

static double off(const Run *a, const Run *b) {
    double x = a->place.x - b->place.x, y = a->place.y - b->place.y, z = a->place.z - b->place.z;
    return sqrt(x * x + y * y + z * z);
}

/* The least time of the runs that are no further off than each level. */
static void print_levels(const char *name, const Run *runs, const Run *truth) {
    printf("%-14s", name);
    for (int level = 1; level <= LEVELS; level++) {
        double least = INFINITY;
        for (int k = 0; k < HALVINGS; k++) {
            least = off(&runs[k], truth) <= pow(10, -level) ? fmin(least, runs[k].seconds) : least;
        }
        printf(" %9.4f", 1e3 * least);
    }
    printf("   finest run off by %.2g m\n", off(&runs[HALVINGS - 1], truth));
}

static void print_precision(const Settings *settings) {
    const AfxIntegrator methods[] = {AFX_RK4, AFX_GAUSS2};
    const char *names[] = {"affix rk4", "affix gauss2"};
    AfxBodyId body = {0};
    AfxModel *model = make_model(settings, &body);
    Run truth = run_second(model, body, AFX_RK4, 2.5e-5), runs[HALVINGS];
    printf("ms a second for  1e-1      1e-2      1e-3      1e-4      1e-5      1e-6 m\n");
    for (int m = 0; m < 2; m++) {
        for (int k = 0; k < HALVINGS; k++) {
            runs[k] = run_second(model, body, methods[m], ldexp(0.1, -k));
        }
        print_levels(names[m], runs, &truth);
    }
#ifdef BENCH_MUJOCO
    const int peers[] = {mjINT_RK4, mjINT_EULER};
    const char *peer_names[] = {"mujoco RK4", "mujoco Euler"};
    Peer peer = make_peer(settings);
    int peer_body = mj_name2id(peer.model, mjOBJ_BODY, settings->precision);
    for (int m = 0; m < 2 && peer_body >= 0; m++) {
        for (int k = 0; k < HALVINGS; k++) {
            runs[k] = run_peer_second(&peer, peer_body, peers[m], ldexp(0.1, -k));
        }
        print_levels(peer_names[m], runs, &truth);
    }
#endif
    afx_model_destroy(model);
}

static Settings read_settings(int argc, char **argv) {
    Settings out = {.integrator = AFX_RK4, .dt = 0.002, .steps = 2000, .batch = 1, .hold = 10};
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--integrator") == 0) {
            out.euler = strcmp(value, "rk4") != 0;
            out.integrator = !out.euler ? AFX_RK4 : strcmp(value, "auto") == 0 ? AFX_AUTO : AFX_BDF2;
        } else if (strcmp(argv[k], "--contact") == 0) {
            out.contact = atoi(value) != 0;
        } else if (strcmp(argv[k], "--dt") == 0) {
            out.dt = atof(value);
        } else if (strcmp(argv[k], "--steps") == 0) {
            out.steps = atol(value);
        } else if (strcmp(argv[k], "--batch") == 0) {
            out.batch = atol(value);
        } else if (strcmp(argv[k], "--hold") == 0) {
            out.hold = atol(value);
        } else if (strcmp(argv[k], "--count") == 0) {
            out.count = value;
        } else if (strcmp(argv[k], "--precision") == 0) {
            out.precision = value;
        } else if (!out.file) {
            out.file = argv[k];
            continue;
        } else {
            fail(argv[k], "not known");
        }
        k++;
    }
    if (!out.file || out.steps < 1 || out.batch < 1 || out.hold < 1) {
        fail("usage", "bench_robots FILE.xml [--integrator rk4|bdf2|auto] [--contact 1] [--dt H] [--steps N] [--batch "
                      "N] [--hold N] "
                      "[--count affix|mujoco] [--precision BODY]");
    }
    return out;
}

int main(int argc, char **argv) {
    Settings settings = read_settings(argc, argv);
    if (settings.precision) {
        print_precision(&settings);
        return 0;
    }
    bool ours = !settings.count || strcmp(settings.count, "affix") == 0;
    double best[2] = {INFINITY, INFINITY};
    Robots robots = {0};
    if (ours) {
        robots = make_robots(&settings);
    }
#ifdef BENCH_MUJOCO
    bool theirs = !settings.count || !ours;
    Peer peer = {NULL, NULL};
    if (theirs) {
        peer = make_peer(&settings);
    }
#endif
    for (int round = 0; round < (settings.count ? 1 : ROUNDS); round++) {
        best[0] = ours ? fmin(best[0], run_affix(&robots, &settings)) : best[0];
#ifdef BENCH_MUJOCO
        best[1] = theirs ? fmin(best[1], run_peer(&peer, settings.count ? settings.steps : PEER_STEPS)) : best[1];
#endif
    }
    const char *name = strrchr(settings.file, '/');
    printf("%-24s affix %8.2f us, mujoco %8.2f us a step, ratio %.3f\n", name ? name + 1 : settings.file, 1e6 * best[0],
           1e6 * best[1], best[0] / best[1]);
    drop_robots(&robots);
    return 0;
}

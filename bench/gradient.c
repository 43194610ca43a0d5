/* SPDX-License-Identifier: Apache-2.0 */
/* What derivatives cost beside the steps themselves, in CPU time of the thread, taken in turns:
 *     bench_gradient SCENE [name=value ...] [--steps N] [--dt H] [--rounds R] [--only step|record|backward|jacobian]
 * SCENE is a built-in case, or a file. `--only` does one of the parts alone, for counts of instructions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "affix/affix.h"
#include "affix/grad.h"
#include "affix/io.h"
#include "cases/cases.h"
#include "model/model.h"

typedef struct Plan {
    AfxModel *model;
    double dt;
    uint32_t steps, rounds;
    const char *only;
} Plan;

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(AfxStatus status, const char *what, const AfxError *error) {
    if (status != AFX_OK) {
        fprintf(stderr, "%s: %s %s\n", what, afx_status_text(status), error ? error->text : "");
        exit(1);
    }
}

static AfxModel *build(const char *name, uint32_t count, const char **words) {
    AfxSceneDef def = afx_default_scene();
    AfxError error = {.text = ""};
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxiCaseArguments arguments;
    const AfxiCase *from = afxi_case_find(name);
    if (from) {
        check(afxi_case_arguments(from, count, words, &arguments, &error), name, &error);
        check(afxi_case_build(&arguments, &def, &scene, &error), name, &error);
    } else {
        AfxLoadDef load = afx_default_load();
        check(afx_scene_create(&def, &scene), name, NULL);
        check(afx_scene_load(scene, name, &load, &error), name, &error);
    }
    check(afx_model_create(scene, &model, &error), name, &error);
    afx_scene_destroy(scene);
    return model;
}

static AfxSim *begin(const Plan *plan) {
    AfxSimDef def = afx_default_sim();
    AfxError error = {.text = ""};
    AfxSim *sim = NULL;
    def.dt = plan->dt;
    def.accuracy = AFX_CONVERGED;
    def.error = &error;
    check(afx_sim_create(plan->model, &def, &sim), "sim", &error);
    return sim;
}

/* Seconds of: steps alone, the same recorded, a backward pass, a one-step Jacobian. */
static void measure(const Plan *plan, double out[4]) {
    AfxSim *sim = begin(plan), *recorded = begin(plan);
    AfxGradDef def = afx_default_grad();
    AfxError error = {.text = ""};
    AfxGrad *grad = NULL;
    def.error = &error;
    bool all = !plan->only, back = all || strcmp(plan->only, "backward") == 0;
    bool jacobian = all || strcmp(plan->only, "jacobian") == 0;
    double t = clock_now();
    for (uint32_t k = 0; k < plan->steps && (all || strcmp(plan->only, "step") == 0); k++) {
        check(afx_step(sim, NULL), "step", NULL);
    }
    out[0] = clock_now() - t;
    t = clock_now();
    check(afx_grad_create(recorded, &def, &grad), "gradient", &error);
    for (uint32_t k = 0; k < plan->steps && (back || jacobian || strcmp(plan->only, "record") == 0); k++) {
        check(afx_grad_step(grad, NULL), "step", &error);
    }
    out[1] = clock_now() - t;
    check(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 0}, 1), "seed", &error);
    t = clock_now();
    if (back) {
        check(afx_grad_backward(grad), "backward", &error);
    }
    out[2] = clock_now() - t;
    size_t states = 24 * (size_t)afx_model_body_count(plan->model);
    double *a = calloc(states * states, sizeof *a), *b = calloc(2 * states * (1 + plan->model->drive_count), sizeof *b);
    t = clock_now();
    if (jacobian && a && b && states < 1000) {
        check(afx_grad_jacobian(grad, a, b), "jacobian", &error);
    }
    out[3] = clock_now() - t;
    free(a);
    free(b);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_sim_destroy(recorded);
}

int main(int argc, char **argv) {
    Plan plan = {.dt = 0.005, .steps = 200, .rounds = 5};
    const char *words[16];
    uint32_t count = 0;
    if (argc < 2) {
        fprintf(stderr,
                "usage: bench_gradient SCENE [name=value ...] [--steps N] [--dt H] [--rounds R] [--only PART]\n");
        return 2;
    }
    for (int k = 2; k < argc; k++) {
        if (argv[k][0] != '-' && count < 16) {
            words[count++] = argv[k];
        } else if (k + 1 < argc && strcmp(argv[k], "--steps") == 0) {
            plan.steps = (uint32_t)atoi(argv[++k]);
        } else if (k + 1 < argc && strcmp(argv[k], "--dt") == 0) {
            plan.dt = atof(argv[++k]);
        } else if (k + 1 < argc && strcmp(argv[k], "--rounds") == 0) {
            plan.rounds = (uint32_t)atoi(argv[++k]);
        } else if (k + 1 < argc && strcmp(argv[k], "--only") == 0) {
            plan.only = argv[++k];
        }
    }
    plan.model = build(argv[1], count, words);
    double best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (uint32_t r = 0; r < plan.rounds; r++) {
        double now[4];
        measure(&plan, now);
        for (int k = 0; k < 4; k++) {
            best[k] = fmin(best[k], now[k]);
        }
    }
    double per = 1e6 / plan.steps;
    printf(
        "%s: %u bodies, %u steps; µs a step: alone %.1f, recorded %.1f (%.2f), backward %.1f (%.2f); all by one pass "
        "%.2f runs; Jacobian %.0f µs (%.1f steps)\n",
        argv[1], afx_model_body_count(plan.model), plan.steps, per * best[0], per * best[1], best[1] / best[0],
        per * best[2], best[2] / best[0], (best[1] + best[2]) / best[0], 1e6 * best[3],
        1e6 * best[3] / (per * best[0]));
    afx_model_destroy(plan.model);
    return 0;
}

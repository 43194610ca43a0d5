/* SPDX-License-Identifier: Apache-2.0 */
/* Free bodies against the machine: the wide path against the scalar one built with the same flags (1,000 bodies), and
 * a step of a million against copying their coordinates and velocities once. Ratios within one run; rounds of both
 * sides alternate and the medians are compared, because machines are noisy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "affix/affix.h"
#include "cases/cases.h"

enum { ROUNDS = 21 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static AfxModel *build(const char *count_argument) {
    AfxSceneDef def = afx_default_scene();
    AfxError error;
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    const char *arguments[] = {count_argument};
    AfxiCaseArguments checked;
    if (afxi_case_arguments(afxi_case_find("tumbling"), 1, arguments, &checked, &error) != AFX_OK ||
        afxi_case_build(&checked, &def, &scene, &error) != AFX_OK ||
        afx_model_create(scene, &model, &error) != AFX_OK) {
        fprintf(stderr, "bench: %s: %s\n", error.element, error.text);
        exit(1);
    }
    afx_scene_destroy(scene);
    return model;
}

static AfxSim *start(const AfxModel *model, uint32_t lanes, AfxIntegrator integrator) {
    AfxSimDef def = afx_default_sim();
    def.lanes = lanes;
    def.integrator = integrator;
    AfxSim *sim = NULL;
    if (afx_sim_create(model, &def, &sim) != AFX_OK) {
        fprintf(stderr, "bench: no sim with %u lanes\n", (unsigned)lanes);
        exit(1);
    }
    return sim;
}

static double time_steps(AfxSim *sim, int steps) {
    double begin = seconds();
    for (int k = 0; k < steps; k++) {
        afx_step(sim, NULL);
    }
    return (seconds() - begin) / steps;
}

static void compare_lanes(void) {
    AfxModel *model = build("n=1000");
    AfxSim *scalar = start(model, 1, AFX_BDF2), *wide = start(model, 0, AFX_BDF2);
    double scalar_times[ROUNDS], wide_times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        scalar_times[round] = time_steps(scalar, 100);
        wide_times[round] = time_steps(wide, 100);
    }
    double slow = median(scalar_times, ROUNDS), fast = median(wide_times, ROUNDS);
    printf("1,000 free bodies, bdf2: scalar %.4f ms, %u lanes (%s) %.4f ms: %.2fx (target >= 3)\n", 1e3 * slow,
           (unsigned)afx_sim_lanes(wide), afx_sim_instruction_set(wide), 1e3 * fast, slow / fast);
    afx_sim_destroy(scalar);
    afx_sim_destroy(wide);
    afx_model_destroy(model);
}

static void compare_copy(AfxIntegrator integrator, const char *name) {
    AfxModel *model = build("n=1000000");
    AfxSim *sim = start(model, 0, integrator);
    size_t bytes = (size_t)afx_model_body_count(model) * 12 * sizeof(double);
    char *copy = malloc(2 * bytes);
    if (!copy) {
        exit(1);
    }
    memset(copy, 1, 2 * bytes);
    double copy_times[ROUNDS], step_times[ROUNDS];
    time_steps(sim, 2);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds();
        memcpy(copy, afx_sim_coordinates(sim), bytes);
        memcpy(copy + bytes, afx_sim_velocities(sim), bytes);
        copy_times[round] = seconds() - begin;
        step_times[round] = time_steps(sim, 1);
    }
    double copied = median(copy_times, ROUNDS), stepped = median(step_times, ROUNDS);
    printf(
        "1,000,000 free bodies, %s: copy of q and v %.1f ms (%.1f GB/s), step %.1f ms: %.2fx the copy (target <= 3)\n",
        name, 1e3 * copied, 4e-9 * (double)bytes / copied, 1e3 * stepped, stepped / copied);
    free(copy);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

int main(void) {
    compare_lanes();
    compare_copy(AFX_BDF2, "bdf2");
    compare_copy(AFX_BDF1, "bdf1");
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Nets and trees in motion: the same bits at any number of threads and lanes, and ten seconds of falling nets, whose
 * joints hold, whose energy stays below the start's, and whose false strain stays small. */
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"
#include "support/check.h"

static AfxModel *model_of(const char *name, const char *text) {
    AfxScene *scene = scale_scene(name, text);
    AfxModel *model = NULL;
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

/* Coordinates and velocities after some steps. */
static double *state_after(const AfxModel *model, const AfxSimDef *def, uint32_t steps) {
    size_t numbers = (size_t)12 * afx_model_body_count(model);
    double *out = malloc(2 * numbers * sizeof *out);
    AfxSim *sim = NULL;
    assert_non_null(out);
    assert_int_equal(afx_sim_create(model, def, &sim), AFX_OK);
    for (uint32_t k = 0; k < steps; ++k) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
    }
    memcpy(out, afx_sim_coordinates(sim), numbers * sizeof *out);
    memcpy(out + numbers, afx_sim_velocities(sim), numbers * sizeof *out);
    afx_sim_destroy(sim);
    return out;
}

/* More bodies than a task takes. */
static void test_same_bits(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"net", "k=25"}, {"tree", "links=2500"}, {"hub", "arms=1200"}};
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
        AfxModel *model = model_of(cases[k][0], cases[k][1]);
        size_t bytes = (size_t)24 * afx_model_body_count(model) * sizeof(double);
        AfxSimDef def = afx_default_sim();
        def.dt = k == 0 ? 1.0 / 30 : def.dt; /* more than one solve, and turns whose strain is taken out */
        double *want = state_after(model, &def, 8);
        for (uint32_t threads = SANITIZED ? 3 : 1; threads <= 3; ++threads) {
            for (uint32_t lanes = 0; lanes < 2; ++lanes) {
                def.threads = threads;
                def.lanes = lanes;
                double *got = state_after(model, &def, 8);
                if (memcmp(got, want, bytes) != 0) {
                    fail_msg("%s: other bits with %u threads, %u lanes", cases[k][0], threads, lanes);
                }
                free(got);
            }
        }
        free(want);
        afx_model_destroy(model);
    }
}

/* What is lost comes back, as a share of the largest kinetic energy. */
static double fall(const char *text, double dt, AfxAccuracy accuracy, double solves_most) {
    AfxModel *model = model_of("net", text);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    AfxEnergy energy;
    double kinetic = 0, elastic = 0, solves = 0, highest = 0;
    uint32_t steps = (uint32_t)lround(10 / dt), light = 0, halved = 0;
    def.dt = dt;
    def.accuracy = accuracy;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    assert_int_equal(afx_sim_energy(sim, &energy), AFX_OK);
    double start = energy.total;
    for (uint32_t k = 0; k < steps; ++k) {
        AfxStepReport report;
        assert_int_equal(afx_step(sim, &report), AFX_OK);
        assert_int_equal(afx_sim_energy(sim, &energy), AFX_OK);
        assert_true(report.residual <= 1e-12 * afx_model_size(model));
        highest = fmax(highest, energy.total - start);
        kinetic = fmax(kinetic, energy.kinetic);
        elastic = fmax(elastic, energy.elastic);
        halved += (report.flags & AFX_STEP_HALVED) != 0;
        light += (report.flags & AFX_STEP_LIGHT) != 0;
        solves += report.solves_mean / steps;
    }
    print_message(
        "net %s, dt %.4f: %.2f solves a step, strain %.2f %% of the energy, %.1f %% lost, %u steps in parts\n", text,
        dt, solves, 100 * elastic / kinetic, 100 * (start - energy.total) / kinetic, halved);
    assert_true(highest < 3e-4 * kinetic);
    assert_true(kinetic > 10);
    assert_true(elastic < 0.01 * kinetic);
    assert_true(solves < solves_most);
    assert_true(halved <= (accuracy == AFX_ACCURATE ? steps / 100 : 0));
    assert_true(accuracy == AFX_FAST ? light > 0 : light <= steps / 100);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return (start - energy.total) / kinetic;
}

static void test_falling_nets(void **state) {
    (void)state;
    static const char *const sizes[] = {"k=10", "k=20", "k=50", "k=100"};
    size_t count = getenv("AFFIX_TEST_LONG") ? 4 : 1;
    for (size_t k = 0; k < count; ++k) {
        fall(sizes[k], 1.0 / 30, AFX_FAST, 3.2);
        fall(sizes[k], 0.01, AFX_FAST, 1.8);
    }
}

/* Without the second order of the inertia, converging takes 20 solves a step. */
static void test_converged_nets(void **state) {
    (void)state;
    static const struct {
        const char *size;
        double dt;
    } nets[] = {{"k=20", 1.0 / 30}, {"k=10", 1.0 / 30}, {"k=10", 0.01},
                {"k=20", 0.01},     {"k=50", 1.0 / 30}, {"k=50", 0.01}};
    size_t count = getenv("AFFIX_TEST_LONG") ? sizeof nets / sizeof *nets - SANITIZED : 1;
    for (size_t k = SANITIZED; k < count + SANITIZED; ++k) {
        double fast = fall(nets[k].size, nets[k].dt, AFX_FAST, 2.6);
        double converged = fall(nets[k].size, nets[k].dt, AFX_ACCURATE, 8);
        assert_true(fabs(fast - converged) < 0.01);
    }
}

/* In the first whip, bodies that are unstable by themselves near their place slowly. Without leaps there, solves do not
 * converge, and a step is done in parts. */
static void test_leaps(void **state) {
    (void)state;
    AfxModel *model = model_of("net", "k=20");
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    AfxStepReport report;
    def.accuracy = AFX_ACCURATE;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    for (uint32_t k = 0; k < (SANITIZED ? 20 : 240); ++k) {
        assert_int_equal(afx_step(sim, &report), AFX_OK);
        assert_false(report.flags & AFX_STEP_HALVED);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

int run_runs_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_falling_nets),
                                       cmocka_unit_test(test_converged_nets), cmocka_unit_test(test_leaps)};
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Cells by what must hold exactly: a snapshot goes on with the same bits, lanes and threads change none, and a step
 * that is done in parts is that many smaller steps; numbers that change on the way leave nothing of the old ones. */
#include <math.h>
#include <stdio.h>

#include "cell.h"
#include "tests.h"

#define STEPS 14u
#define KEPT 6u
#define PARTS_SAME 1e-13 /* m, and 1: chains have other kernels for whole steps */

static const AfxIntegrator integrators[] = {AFX_BDF1, AFX_BDF2, AFX_ALPHA, AFX_SDIRK2};
/* What is running meanwhile: no drive, contacts of both kinds, laws with branches, rows of springs. */
static const Feature meanwhile[] = {FEATURE_NONE,     FEATURE_GROUND,  FEATURE_PAIR,      FEATURE_LIMIT,
                                    FEATURE_SLIP,     FEATURE_SERVO,   FEATURE_SATURATED, FEATURE_BALL_SPRING,
                                    FEATURE_VELOCITY, FEATURE_COUPLING};

static void note_difference(Cell *cell, double distance, Feature feature, AfxIntegrator integrator, const char *what) {
    if (cell->verdict == VERDICT_NONE) {
        cell->verdict = VERDICT_GOOD;
    }
    if (distance > cell->error || (distance > 0 && cell->verdict == VERDICT_GOOD)) {
        cell->verdict = VERDICT_BAD;
        cell->error = distance;
        snprintf(cell->note, sizeof cell->note, "%s: %s, %s", what, feature_name[feature], integrator_name(integrator));
    }
}

/* A run of `steps`; false when it is refused. Failed steps are part of what must be the same. */
static bool run_all(Engine engine, Feature feature, const RunOptions *options, uint32_t steps, Run *out_run) {
    AfxError error;
    if (!run_start(engine, feature, options, out_run, &error)) {
        run_end(out_run);
        return false;
    }
    for (uint32_t k = 0; k < steps; k++) {
        run_step(feature, out_run);
    }
    return true;
}

static double distance_after_restore(Engine engine, Feature feature, const RunOptions *options, const AfxSim *whole,
                                     bool fresh) {
    Run run, other;
    assert_true(run_all(engine, feature, options, KEPT, &run));
    size_t size = afx_sim_snapshot_size(run.sim);
    void *kept = malloc(size);
    assert_non_null(kept);
    assert_ok(afx_sim_snapshot(run.sim, kept, size));
    if (fresh) {
        assert_true(run_all(engine, feature, options, 0, &other));
    } else {
        for (uint32_t k = 0; k < 3; k++) {
            run_step(feature, &run);
        }
    }
    Run *on = fresh ? &other : &run;
    assert_ok(afx_sim_restore(on->sim, kept, size));
    for (uint32_t k = KEPT; k < STEPS; k++) {
        run_step(feature, on);
    }
    double distance = run_distance(whole, on->sim);
    if (fresh) {
        run_end(&other);
    }
    run_end(&run);
    free(kept);
    return distance;
}

static void snapshots(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        Cell *cell = &cells[FEATURE_SNAPSHOT][engine];
        for (size_t k = 0; k < COUNT(integrators) * COUNT(meanwhile); k += SANITIZED ? 5 : 1) {
            RunOptions options = {.integrator = integrators[k % COUNT(integrators)], .dt = 0.01};
            Feature feature = meanwhile[k / COUNT(integrators)];
            Run whole;
            if (!run_all((Engine)engine, feature, &options, STEPS, &whole)) {
                continue;
            }
            double again = distance_after_restore((Engine)engine, feature, &options, whole.sim, false);
            double fresh = distance_after_restore((Engine)engine, feature, &options, whole.sim, true);
            note_difference(cell, again, feature, options.integrator, "the same sim taken back");
            note_difference(cell, fresh, feature, options.integrator, "a new sim");
            run_end(&whole);
        }
        wrong += cell_counts((Engine)engine, FEATURE_SNAPSHOT);
    }
    assert_int_equal(wrong, 0);
}

static void compare_variants(Engine engine, bool lanes, Cell *cell) {
    static const uint32_t lane_counts[] = {1, 2, 4, 8}, thread_counts[] = {2, 3};
    for (size_t k = 0; k < COUNT(meanwhile); k++) {
        RunOptions options = {.integrator = integrators[k % COUNT(integrators)], .dt = 0.01};
        Run base, other;
        if (!run_all(engine, meanwhile[k], &options, STEPS, &base)) {
            continue;
        }
        for (size_t v = 0; v < (lanes ? COUNT(lane_counts) : COUNT(thread_counts)); v++) {
            options.lanes = lanes ? lane_counts[v] : 0;
            options.threads = lanes ? 1 : thread_counts[v];
            if (options.lanes > afx_sim_lanes(base.sim)) {
                continue; /* the widest of this machine and build */
            }
            assert_true(run_all(engine, meanwhile[k], &options, STEPS, &other));
            note_difference(cell, run_distance(base.sim, other.sim), meanwhile[k], options.integrator,
                            lanes ? "lanes" : "threads");
            run_end(&other);
        }
        run_end(&base);
    }
}

static void lanes_and_threads(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        compare_variants((Engine)engine, true, &cells[FEATURE_LANES][engine]);
        compare_variants((Engine)engine, false, &cells[FEATURE_THREADS][engine]);
        wrong += cell_counts((Engine)engine, FEATURE_LANES) + cell_counts((Engine)engine, FEATURE_THREADS);
    }
    assert_int_equal(wrong, 0);
}

/* Numbers that change on the way: what bodies are made of becomes `factor` times that of the scene. */
static void change_numbers(const Run *run, double factor) {
    static const AfxParamKind kinds[] = {AFX_PARAM_BODY_MASS, AFX_PARAM_BODY_SECOND_MOMENTS, AFX_PARAM_BODY_YOUNG};
    uint32_t body = run->rig.body[run->rig.picked].index;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        AfxParamInfo info;
        double values[3];
        assert_ok(afx_model_param_info(run->model, kinds[k], &info));
        const double *scene = afx_model_params(run->model, NULL) + info.offset + (size_t)info.size * body;
        for (uint32_t e = 0; e < info.size; e++) {
            values[e] = scene[e] * (kinds[k] == AFX_PARAM_BODY_YOUNG ? 1 / factor : factor);
        }
        assert_ok(afx_sim_set_param(run->sim, kinds[k], body, values));
    }
}

/* With BDF1, which has no history to restart: nothing of the old numbers is left in what a sim keeps between steps.
 * They change twice, as the first change gives a sim tables of its own. */
static double distance_after_change(Engine engine, Feature feature, bool step) {
    RunOptions options = {.integrator = AFX_BDF1, .dt = 0.01};
    Run run, fresh;
    assert_true(run_all(engine, feature, &options, 0, &run));
    assert_true(run_all(engine, feature, &options, 0, &fresh));
    change_numbers(&run, 2);
    for (uint32_t k = 0; k < KEPT; k++) {
        run_step(feature, &run);
    }
    change_numbers(&fresh, 2);
    size_t size = afx_sim_snapshot_size(run.sim);
    void *kept = malloc(size);
    assert_non_null(kept);
    assert_ok(afx_sim_snapshot(run.sim, kept, size));
    assert_ok(afx_sim_restore(fresh.sim, kept, size));
    Run *both[] = {&run, &fresh};
    for (int k = 0; k < 2; k++) {
        if (step) {
            assert_ok(afx_sim_set_dt(both[k]->sim, 0.003));
        } else {
            change_numbers(both[k], 3);
        }
        afx_step(both[k]->sim, &both[k]->report);
    }
    double distance = run_distance(run.sim, fresh.sim);
    free(kept);
    run_end(&run);
    run_end(&fresh);
    return distance;
}

static void changed_numbers(void **state) {
    (void)state;
    static const Feature features[] = {FEATURE_NONE, FEATURE_BALL_SPRING};
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        for (size_t k = 0; k < COUNT(features); k++) {
            RunOptions options = {.integrator = AFX_BDF1, .dt = 0.01};
            Run run;
            if (!run_all((Engine)engine, features[k], &options, 0, &run)) {
                continue;
            }
            run_end(&run);
            assert_true(distance_after_change((Engine)engine, features[k], false) == 0);
            assert_true(distance_after_change((Engine)engine, features[k], true) == 0);
        }
    }
}

/* s: the longest step that is tried. Trees of hinges settle up to 300 s. */
#define STRUCK_DT_MOST 1000

/* A run up to the step that is to be cut: a body was struck hard, and the step is dt / parts. */
static bool run_struck(Engine engine, double dt, uint32_t parts, Run *out_run) {
    /* Free bodies are cut where they lie deep; rings of balls settle, unless a coupling closes another loop. */
    Feature with = engine == ENGINE_FREE ? FEATURE_GROUND : engine == ENGINE_GRAPH ? FEATURE_COUPLING : FEATURE_NONE;
    RunOptions options = {.integrator = AFX_BDF1, .accuracy = AFX_ACCURATE, .dt = dt};
    const AfxTwist twist = {{9, -14, -30}, {40, 70, 55}};
    if (!run_all(engine, with, &options, 2, out_run)) {
        return false;
    }
    assert_ok(afx_sim_set_body_twist(out_run->sim, out_run->rig.body[out_run->rig.picked].index, twist));
    assert_ok(afx_sim_set_dt(out_run->sim, dt / parts));
    return true;
}

/* How far the island that was cut is off: single bodies that do not touch it go on in whole steps. */
static double distance_of_cut(Engine engine, const AfxSim *cut, const Run *run) {
    bool alone = engine == ENGINE_FREE;
    return alone ? run_distance_of(cut, run->sim, run->rig.body[run->rig.picked].index, 1)
                 : run_distance(cut, run->sim);
}

/* The nearest that 2, 4, ... 64 small steps come to a step that was cut. */
static double distance_to_parts(Engine engine, double dt, const AfxSim *cut, uint32_t *out_parts) {
    double least = INFINITY;
    for (uint32_t parts = 2; parts <= 64; parts *= 2) {
        Run run;
        assert_true(run_struck(engine, dt, parts, &run));
        bool fine = true;
        for (uint32_t k = 0; k < parts && fine; k++) {
            fine = afx_step(run.sim, &run.report) == AFX_OK;
        }
        double distance = fine ? distance_of_cut(engine, cut, &run) : INFINITY;
        if (distance < least) {
            least = distance;
            *out_parts = parts;
        }
        run_end(&run);
    }
    return least;
}

static void steps_in_parts(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        Cell *cell = &cells[FEATURE_SUBSTEP][engine];
        cell->verdict = VERDICT_UNREACHED;
        for (double dt = 0.02; dt < STRUCK_DT_MOST && cell->verdict == VERDICT_UNREACHED; dt *= 2) {
            Run run;
            assert_true(run_struck((Engine)engine, dt, 1, &run));
            if (afx_step(run.sim, &run.report) == AFX_OK && (run.report.flags & AFX_STEP_HALVED)) {
                uint32_t parts = 0;
                cell->error = distance_to_parts((Engine)engine, dt, run.sim, &parts);
                cell->verdict = cell->error < PARTS_SAME ? VERDICT_GOOD : VERDICT_BAD;
                snprintf(cell->note, sizeof cell->note, "dt %g: %u parts", dt, parts);
            }
            run_end(&run);
        }
        wrong += cell_counts((Engine)engine, FEATURE_SUBSTEP);
    }
    assert_int_equal(wrong, 0);
}

int run_parts_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_in_parts),
    };
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}

int run_same_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshots),
        cmocka_unit_test(lanes_and_threads),
        cmocka_unit_test(changed_numbers),
    };
    return cmocka_run_group_tests_name("same", tests, NULL, NULL);
}

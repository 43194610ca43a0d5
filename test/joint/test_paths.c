/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to solve the rows gives the same motion: random joint graphs, each path against the dense one; the same
 * bits for any number of threads and after a snapshot. */
#include "random_graph.h"

enum { TRIALS = 210, HELD_TRIALS = 84, COUPLED_TRIALS = 36, STEPS = 3 };

static const char *const form_names[] = {"tree", "ring", "hub", "grid", "parts", "balls", "mesh"};

static uint32_t loop_rows(const AfxModel *model) {
    uint32_t rows = 0;
    for (uint32_t k = 0; k < afx_model_component_count(model); k++) {
        AfxComponent component;
        assert_ok(afx_model_component(model, k, &component));
        rows += component.loop_rows;
    }
    return rows;
}

/* Holds every fifth body, up to four, off its centre and beside where it is. */
static void hold_some(AfxSim *sim, const AfxModel *model) {
    for (uint32_t k = 1, held = 0; k < afx_model_body_count(model) && held < 4; k += 5) {
        AfxVec3 rest[4] = {{0.03, -0.02, 0.05}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, at[4];
        if (afx_model_body_kind(model, k) == AFX_BODY_DYNAMIC) {
            assert_ok(afx_sim_control_points(sim, k, rest, at, NULL));
            AfxVec3 target = {at[0].x + 0.02, at[0].y + 0.01 * k, at[0].z - 0.03};
            assert_ok(afx_sim_hold(sim, k, rest[0], target, held % 2 ? 1e7 : 300, 4));
            held++;
        }
    }
}

/* Coordinates after the steps, to be freed; all flags of the reports. */
static double *run(const AfxModel *model, const AfxSimDef *def, bool held, uint32_t *out_flags) {
    size_t bytes = (size_t)12 * afx_model_body_count(model) * sizeof(double);
    AfxSim *sim;
    *out_flags = 0;
    assert_ok(afx_sim_create(model, def, &sim));
    if (held) {
        hold_some(sim, model);
    }
    for (int k = 0; k < STEPS; k++) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        *out_flags |= report.flags;
    }
    double *q = malloc(bytes);
    assert_non_null(q);
    memcpy(q, afx_sim_coordinates(sim), bytes);
    afx_sim_destroy(sim);
    return q;
}

static double distance(const AfxModel *model, const double *a, const double *b) {
    double largest = 0;
    for (size_t k = 0; k < (size_t)12 * afx_model_body_count(model); k++) {
        double off = fabs(a[k] - b[k]);
        largest = off <= largest ? largest : off; /* also takes a NaN */
    }
    return largest / afx_model_size(model);
}

/* Of the scene's size: what direct paths leave is rounding; iterations stop at a residual of 1e-12. */
#define CLOSE 1e-10

/* How often each path ran, and was to be compared closely. */
typedef struct Tally {
    uint32_t ran[AFX_SOLVER_COUNT], close[AFX_SOLVER_COUNT];
    double worst[AFX_SOLVER_COUNT];
} Tally;

static void compare(const Rig *rig, GraphForm form, uint32_t solves, bool held, int trial, Tally *tally) {
    AfxModel *dense = graph_model(rig, AFX_SOLVER_DENSE);
    AfxSimDef def = sim_def(trial % 3 == 0 ? AFX_BDF1 : AFX_BDF2, 0.02);
    uint32_t dense_flags, flags;
    def.solves = solves;
    double *want = run(dense, &def, held, &dense_flags);
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        bool own_kernel = solver == AFX_SOLVER_AUTO || solver == AFX_SOLVER_CHAIN;
        if (solver == AFX_SOLVER_DENSE ||
            (own_kernel && solves > 1)) { /* later frames of ball chains differ a little */
            continue;
        }
        AfxModel *model = graph_model(rig, solver);
        assert_int_equal(model == NULL, solver == AFX_SOLVER_TREE && loop_rows(dense) > 0);
        if (!model) {
            continue;
        }
        double *got = run(model, &def, held, &flags), off = distance(model, got, want);
        bool close = !((flags | dense_flags) & (AFX_STEP_REGULARISED | AFX_STEP_UNCONVERGED));
        tally->ran[solver]++;
        tally->close[solver] += close;
        tally->worst[solver] = close ? fmax(tally->worst[solver], off) : tally->worst[solver];
        double allowed = flags & AFX_STEP_UNCONVERGED ? 1 : close ? CLOSE : 1e-6;
        assert_true(solver == AFX_SOLVER_GS || !(flags & AFX_STEP_UNCONVERGED));
        if (!(off <= allowed)) {
            print_error("trial %d, %s, solver %s: %g off, flags %x\n", trial, form_names[form], afx_solver_name(solver),
                        off, flags);
            fail();
        }
        free(got);
        afx_model_destroy(model);
    }
    free(want);
    afx_model_destroy(dense);
}

static void all_paths_agree_with_the_dense_one(void **state) {
    (void)state;
    uint64_t seed = 4711;
    Tally tally = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        GraphForm form = (GraphForm)(trial % GRAPH_FORMS);
        Rig rig = random_graph(form, trial / GRAPH_FORMS % 2, &seed);
        compare(&rig, form, 1 + (uint32_t)(trial / GRAPH_FORMS / 2) % 2, false, trial, &tally);
        rig_free(&rig);
    }
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        if (getenv("AFFIX_TEST_VERBOSE")) {
            print_message("%s: ran %u, close %u, worst %g\n", afx_solver_name(solver), tally.ran[solver],
                          tally.close[solver], tally.worst[solver]);
        }
        /* most scenes must have been worth a close look; sweeps reach their cap on long ways */
        assert_true(solver == AFX_SOLVER_DENSE || tally.ran[solver] >= 40);
        assert_true(tally.close[solver] >= (solver == AFX_SOLVER_GS ? 0.2 : 0.7) * tally.ran[solver]);
    }
}

/* Held points are in the bodies' own blocks: no path may forget them. */
static void all_paths_agree_where_bodies_are_held(void **state) {
    (void)state;
    uint64_t seed = 815;
    Tally tally = {0};
    for (int trial = 0; trial < HELD_TRIALS; trial++) {
        GraphForm form = (GraphForm)(trial % GRAPH_FORMS);
        Rig rig = random_graph(form, trial / GRAPH_FORMS % 2, &seed);
        compare(&rig, form, 1 + (uint32_t)(trial / GRAPH_FORMS / 2) % 2, true, trial, &tally);
        rig_free(&rig);
    }
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        assert_true(solver == AFX_SOLVER_DENSE || solver == AFX_SOLVER_GS ||
                    2 * tally.close[solver] > tally.ran[solver]);
        assert_true(solver == AFX_SOLVER_DENSE || tally.close[solver] > 0);
    }
}

/* Couplings between coordinates of one joint hold the same two bodies once more: a tree stays one for who builds it. */
static void couplings_within_a_joint_go_every_way(void **state) {
    (void)state;
    uint64_t seed = 2718;
    Tally tally = {0};
    for (int trial = 0; trial < COUPLED_TRIALS; trial++) {
        Rig rig = random_coupled_tree(&seed);
        compare(&rig, GRAPH_TREE, 1 + (uint32_t)trial % 2, trial % 5 == 4, trial, &tally);
        rig_free(&rig);
    }
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        bool direct = solver == AFX_SOLVER_AUTO || solver == AFX_SOLVER_SCHUR || solver == AFX_SOLVER_GRAPH;
        if (getenv("AFFIX_TEST_VERBOSE")) {
            print_message("%s: ran %u, close %u, worst %g\n", afx_solver_name(solver), tally.ran[solver],
                          tally.close[solver], tally.worst[solver]);
        }
        assert_true(!direct || (2 * tally.ran[solver] >= COUPLED_TRIALS && tally.close[solver] == tally.ran[solver]));
    }
}

/* ---- bits ---- */

static void threads_give_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int form = 0; form < GRAPH_FORMS; form++) {
        Rig rig = random_graph((GraphForm)form, true, &seed);
        for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
            AfxModel *model = graph_model(&rig, solver);
            double *first = NULL;
            for (uint32_t threads = 1; model && threads <= 4; threads *= 2) {
                AfxSimDef def = sim_def(AFX_BDF2, 0.01);
                uint32_t flags;
                def.threads = threads;
                def.solves = 2;
                double *q = run(model, &def, true, &flags);
                if (first) {
                    assert_memory_equal(q, first, (size_t)12 * afx_model_body_count(model) * sizeof *q);
                    free(q);
                } else {
                    first = q;
                }
            }
            free(first);
            afx_model_destroy(model);
        }
        rig_free(&rig);
    }
}

/* Runs on after `steps` to `end`, and compares with the run that went through. */
static void snapshots_go_on_with_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 13;
    for (int form = 0; form < GRAPH_FORMS; form++) {
        Rig rig = random_graph((GraphForm)form, true, &seed);
        for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
            AfxModel *model = graph_model(&rig, solver);
            AfxSimDef def = sim_def(AFX_BDF2, 0.01);
            AfxSim *through, *other;
            if (!model) {
                continue;
            }
            def.solves = 2;
            assert_ok(afx_sim_create(model, &def, &through));
            assert_ok(afx_sim_create(model, &def, &other));
            size_t size = afx_sim_snapshot_size(through), bytes = (size_t)12 * afx_model_body_count(model) * 8;
            void *snapshot = malloc(size);
            assert_non_null(snapshot);
            for (int k = 0; k < 9; k++) {
                if (k == 4) {
                    assert_ok(afx_sim_snapshot(through, snapshot, size));
                }
                assert_ok(afx_step(through, NULL));
            }
            assert_ok(afx_step(other, NULL)); /* a factor of its own, which must not matter */
            assert_ok(afx_sim_restore(other, snapshot, size));
            for (int k = 4; k < 9; k++) {
                assert_ok(afx_step(other, NULL));
            }
            assert_memory_equal(afx_sim_coordinates(through), afx_sim_coordinates(other), bytes);
            assert_memory_equal(afx_sim_velocities(through), afx_sim_velocities(other), bytes);
            free(snapshot);
            afx_sim_destroy(through);
            afx_sim_destroy(other);
            afx_model_destroy(model);
        }
        rig_free(&rig);
    }
}

static void a_snapshot_of_another_solver_is_refused(void **state) {
    (void)state;
    uint64_t seed = 14;
    Rig rig = random_graph(GRAPH_BALLS, false, &seed);
    AfxModel *chain = graph_model(&rig, AFX_SOLVER_AUTO), *graph = graph_model(&rig, AFX_SOLVER_GRAPH);
    AfxSimDef def = afx_default_sim();
    AfxSim *a, *b;
    assert_ok(afx_sim_create(chain, &def, &a));
    assert_ok(afx_sim_create(graph, &def, &b));
    size_t size = afx_sim_snapshot_size(a) + afx_sim_snapshot_size(b);
    void *snapshot = calloc(1, size);
    assert_ok(afx_sim_snapshot(a, snapshot, size));
    assert_int_equal(afx_sim_restore(b, snapshot, size), AFX_E_VERSION);
    free(snapshot);
    afx_sim_destroy(a);
    afx_sim_destroy(b);
    afx_model_destroy(chain);
    afx_model_destroy(graph);
    rig_free(&rig);
}

int run_paths_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_paths_agree_with_the_dense_one),
        cmocka_unit_test(all_paths_agree_where_bodies_are_held),
        cmocka_unit_test(couplings_within_a_joint_go_every_way),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(snapshots_go_on_with_the_same_bits),
        cmocka_unit_test(a_snapshot_of_another_solver_is_refused),
    };
    return cmocka_run_group_tests_name("solver paths", tests, NULL, NULL);
}

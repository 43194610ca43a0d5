/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to solve the rows gives the same motion: random joint graphs, each path against the dense one; the same
 * bits for any number of threads and after a snapshot; what a model tells of its structure. */
#include "random_graph.h"

enum { TRIALS = 210, STEPS = 3 };

static const char *const form_names[] = {"tree", "ring", "hub", "grid", "parts", "balls", "mesh"};

/* The model for a solver, or NULL where the tree path refuses loops. */
static AfxModel *compile(const Rig *rig, AfxSolver solver) {
    AfxModelDef def = afx_default_model();
    AfxModel *model = NULL;
    AfxError error;
    def.solver = solver;
    AfxStatus status = afx_model_create_with(rig->scene, &def, &model, &error);
    if (solver == AFX_SOLVER_TREE && status == AFX_E_INPUT) {
        assert_non_null(strstr(error.text, "loops"));
        assert_null(model);
        return NULL;
    }
    assert_ok(status);
    return model;
}

static uint32_t loop_rows(const AfxModel *model) {
    uint32_t rows = 0;
    for (uint32_t k = 0; k < afx_model_component_count(model); k++) {
        AfxComponent component;
        assert_ok(afx_model_component(model, k, &component));
        rows += component.loop_rows;
    }
    return rows;
}

/* Coordinates after the steps, to be freed; all flags of the reports. */
static double *run(const AfxModel *model, const AfxSimDef *def, uint32_t *out_flags) {
    size_t bytes = (size_t)12 * afx_model_body_count(model) * sizeof(double);
    AfxSim *sim;
    *out_flags = 0;
    assert_ok(afx_sim_create(model, def, &sim));
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

/* Sweeps and iterations stop at a residual of 1e-12; the motion is off by that times what the matrix makes of it. */
static double tolerance_of(AfxSolver solver) {
    return solver == AFX_SOLVER_CG || solver == AFX_SOLVER_GS ? 1e-10 : 1e-12;
}

/* How often each path ran, and was to be compared closely. */
typedef struct Tally {
    uint32_t ran[AFX_SOLVER_COUNT], close[AFX_SOLVER_COUNT];
    double worst[AFX_SOLVER_COUNT];
} Tally;

static void compare(const Rig *rig, GraphForm form, uint32_t solves, int trial, Tally *tally) {
    AfxModel *dense = compile(rig, AFX_SOLVER_DENSE);
    /* BDF2 starts with the multipliers of rigid bodies, which loops of mixed joints leave open */
    bool open = form == GRAPH_RING || form == GRAPH_MESH || form == GRAPH_PARTS;
    AfxSimDef def = sim_def(open || trial % 3 == 0 ? AFX_BDF1 : AFX_BDF2, 0.02);
    uint32_t dense_flags, flags;
    def.solves = solves;
    double *want = run(dense, &def, &dense_flags);
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        bool own_kernel = solver == AFX_SOLVER_AUTO || solver == AFX_SOLVER_CHAIN;
        if (solver == AFX_SOLVER_DENSE ||
            (own_kernel && solves > 1)) { /* later frames of ball chains differ a little */
            continue;
        }
        AfxModel *model = compile(rig, solver);
        assert_int_equal(model == NULL, solver == AFX_SOLVER_TREE && loop_rows(dense) > 0);
        if (!model) {
            continue;
        }
        double *got = run(model, &def, &flags), off = distance(model, got, want);
        bool close = !((flags | dense_flags) & (AFX_STEP_REGULARISED | AFX_STEP_UNCONVERGED));
        tally->ran[solver]++;
        tally->close[solver] += close;
        tally->worst[solver] = close ? fmax(tally->worst[solver], off) : tally->worst[solver];
        double allowed = flags & AFX_STEP_UNCONVERGED ? 1 : close ? tolerance_of(solver) : 1e-6;
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
        compare(&rig, form, 1 + (uint32_t)(trial / GRAPH_FORMS / 2) % 2, trial, &tally);
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

/* ---- bits ---- */

static void threads_give_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int form = 0; form < GRAPH_FORMS; form++) {
        Rig rig = random_graph((GraphForm)form, true, &seed);
        for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
            AfxModel *model = compile(&rig, solver);
            double *first = NULL;
            for (uint32_t threads = 1; model && threads <= 4; threads *= 2) {
                AfxSimDef def = sim_def(AFX_BDF2, 0.01);
                uint32_t flags;
                def.threads = threads;
                def.solves = 2;
                double *q = run(model, &def, &flags);
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
            AfxModel *model = compile(&rig, solver);
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
    AfxModel *chain = compile(&rig, AFX_SOLVER_AUTO), *graph = compile(&rig, AFX_SOLVER_GRAPH);
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

/* ---- what a model tells ---- */

static AfxBodyId link_at(Rig *rig, double x, double y) {
    AfxBodyDef def = rigid_def(1, 0.01, 0.01, 0.01);
    def.pose.position = v3(x, y, 0);
    return rig_body(rig, &def);
}

static void assert_component(const AfxModel *model, uint32_t index, AfxComponent want) {
    AfxComponent got;
    assert_ok(afx_model_component(model, index, &got));
    assert_string_equal(afx_structure_name(got.structure), afx_structure_name(want.structure));
    assert_string_equal(afx_solver_name(got.solver), afx_solver_name(want.solver));
    assert_int_equal(got.bodies, want.bodies);
    assert_int_equal(got.joints, want.joints);
    assert_int_equal(got.rows, want.rows);
    assert_int_equal(got.loop_rows, want.loop_rows);
}

/* A hinged pendulum of two, a star of three arms, a square with a ball at its last corner, a ball chain, a free body.
 */
static void components_are_what_was_built(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxPose at = afx_pose_identity();
    AfxBodyId upper = link_at(&rig, 0, 0), lower = link_at(&rig, 1, 0);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), upper, at);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, upper, lower, at);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, lower, afx_world(), at); /* the ground closes no loop of rows */
    AfxBodyId star = link_at(&rig, 0, 5);
    for (int k = 0; k < 3; k++) {
        rig_joint(&rig, AFX_JOINT_UNIVERSAL, star, link_at(&rig, k, 6), at);
    }
    AfxBodyId corner[4];
    for (int k = 0; k < 4; k++) {
        corner[k] = link_at(&rig, k, 10);
    }
    for (int k = 0; k < 4; k++) {
        rig_joint(&rig, k < 3 ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL, corner[k], corner[(k + 1) % 4], at);
    }
    AfxBodyId last = afx_world();
    for (int k = 0; k < 9; k++) {
        AfxBodyId next = link_at(&rig, k, 20);
        rig_joint(&rig, AFX_JOINT_SPHERICAL, last, next, at);
        last = next;
    }
    link_at(&rig, 0, 30);
    AfxModel *model = compile(&rig, AFX_SOLVER_AUTO);
    AfxComponent square;
    assert_int_equal(afx_model_component_count(model), 4);
    assert_component(model, 0, (AfxComponent){AFX_STRUCTURE_CHAIN, AFX_SOLVER_CHAIN, 9, 9, 27, 0});
    assert_component(model, 1, (AfxComponent){AFX_STRUCTURE_CHAIN, AFX_SOLVER_TREE, 2, 3, 15, 0});
    assert_component(model, 2, (AfxComponent){AFX_STRUCTURE_TREE, AFX_SOLVER_TREE, 4, 3, 12, 0});
    assert_ok(afx_model_component(model, 3, &square));
    assert_int_equal(square.structure, AFX_STRUCTURE_LOOPS);
    assert_true(square.solver == AFX_SOLVER_SCHUR || square.solver == AFX_SOLVER_GRAPH);
    assert_int_equal(square.rows, 18);
    assert_true(square.loop_rows == 5 || square.loop_rows == 3);
    assert_int_equal(afx_model_component(model, 4, &square), AFX_E_ARGUMENT);
    afx_model_destroy(model);
    for (AfxSolver solver = AFX_SOLVER_SCHUR; solver < AFX_SOLVER_COUNT; solver++) {
        model = compile(&rig, solver);
        assert_int_equal(afx_model_component_count(model), 4);
        for (uint32_t k = 0; k < 4; k++) {
            assert_ok(afx_model_component(model, k, &square));
            assert_int_equal(square.solver, solver);
        }
        afx_model_destroy(model);
    }
    rig_free(&rig);
}

/* Counts what is allocated. */
static void *count_bytes(void *user, void *ptr, size_t old_size, size_t new_size) {
    *(uint64_t *)user += new_size - (ptr ? old_size : 0);
    AfxAllocator real = afx_default_allocator();
    return real.reallocate(real.user, ptr, old_size, new_size);
}

static void costs_are_what_is_taken(void **state) {
    (void)state;
    uint64_t seed = 15;
    for (int form = 0; form < GRAPH_FORMS; form++) {
        Rig rig = random_graph((GraphForm)form, true, &seed);
        for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
            AfxModel *model = compile(&rig, solver);
            uint64_t bytes = 0;
            AfxSimDef def = afx_default_sim();
            AfxModelCosts costs;
            AfxSim *sim;
            if (!model) {
                continue;
            }
            def.allocator = (AfxAllocator){count_bytes, &bytes};
            assert_ok(afx_sim_create(model, &def, &sim));
            assert_int_equal(bytes, afx_sim_bytes(model, &def));
            assert_ok(afx_model_costs(model, &costs));
            assert_true(costs.flops > 0 && costs.factor_bytes < bytes);
            afx_sim_destroy(sim);
            assert_int_equal(bytes, 0);
            afx_model_destroy(model);
        }
        rig_free(&rig);
    }
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxModelDef def = afx_default_model();
    AfxModel *model;
    AfxError error;
    assert_int_equal(def.solver, AFX_SOLVER_AUTO);
    def.solver = AFX_SOLVER_COUNT;
    assert_int_equal(afx_model_create_with(rig.scene, &def, &model, &error), AFX_E_ARGUMENT);
    assert_null(model);
    def = (AfxModelDef){.solver = AFX_SOLVER_AUTO};
    assert_int_equal(afx_model_create_with(rig.scene, &def, &model, &error), AFX_E_VERSION);
    assert_int_equal(afx_model_create_with(rig.scene, NULL, &model, &error), AFX_E_ARGUMENT);
    assert_int_equal(afx_model_component_count(NULL), 0);
    assert_int_equal(afx_model_costs(NULL, NULL), AFX_E_ARGUMENT);
    assert_string_equal(afx_solver_name(AFX_SOLVER_COUNT), "unknown");
    assert_string_equal(afx_structure_name((AfxStructure)-1), "unknown");
    rig_free(&rig);
}

int run_paths_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_paths_agree_with_the_dense_one), cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(snapshots_go_on_with_the_same_bits), cmocka_unit_test(a_snapshot_of_another_solver_is_refused),
        cmocka_unit_test(components_are_what_was_built),      cmocka_unit_test(costs_are_what_is_taken),
        cmocka_unit_test(wrong_definitions_are_refused),
    };
    return cmocka_run_group_tests_name("solver paths", tests, NULL, NULL);
}

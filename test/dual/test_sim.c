/* SPDX-License-Identifier: Apache-2.0 */
/* The system of a real sim, as its step left it, against the dense dual matrix. */
#include "dual/system.h"
#include "step/sim.h"
#include "tests.h"

#define LINKS 5u

static const AfxVec3 z_axis = {0, 0, 1};

/* Hinged links in a zigzag from the world, with a ball, a drive and a spring; a ring when `closed`. */
static AfxModel *make_model(bool closed_form, double young, AfxSolver solver) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene;
    AfxBodyId body[LINKS];
    AfxJointId joint[LINKS];
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    assert_int_equal(afx_scene_set_contact(scene, false), AFX_OK);
    for (uint32_t k = 0; k < LINKS; k++) {
        AfxBodyDef def = afx_default_body();
        def.pose.position = (AfxVec3){k + 0.5, 0.1 * (k % 2), 0};
        def.young = young;
        assert_int_equal(afx_scene_add_body(scene, &def, &body[k]), AFX_OK);
        AfxShapeDef box = afx_default_box(1, 0.1, 0.2);
        assert_int_equal(afx_scene_add_shape(scene, body[k], &box), AFX_OK);
        AfxJointDef hinge = afx_default_joint(k == 2 ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE);
        hinge.base = k ? body[k - 1] : afx_world();
        hinge.follower = body[k];
        AfxPose at = afx_frame_along((AfxVec3){k, 0.1 * (k % 2), 0}, z_axis);
        assert_int_equal(afx_joint_place(scene, &hinge, at), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &hinge, &joint[k]), AFX_OK);
    }
    if (closed_form) {
        AfxJointDef end = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId id;
        end.follower = body[LINKS - 1];
        assert_int_equal(afx_joint_place(scene, &end, afx_frame_along((AfxVec3){LINKS, 0, 0}, z_axis)), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &end, &id), AFX_OK);
    }
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SPRING);
    AfxDriveId drive_id;
    drive.joint = joint[1];
    drive.stiffness = 10;
    drive.damping = 1;
    assert_int_equal(afx_scene_add_drive(scene, &drive, &drive_id), AFX_OK);
    AfxSpringDef spring = afx_default_spring();
    AfxSpringId spring_id;
    spring.body_a = body[0];
    spring.body_b = body[3];
    spring.stiffness = 100;
    spring.rest_length = 1;
    assert_int_equal(afx_scene_add_spring(scene, &spring, &spring_id), AFX_OK);
    AfxModelDef model_def = afx_default_model();
    AfxModel *model = NULL;
    model_def.solver = solver;
    assert_int_equal(afx_model_create_with(scene, &model_def, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

/* A plate hinged to the world with eleven hinged arms, 60 rows on one body: a high-degree body. */
static AfxModel *make_high_degree_body(AfxSolver solver) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxModelDef model_def = afx_default_model();
    AfxScene *scene;
    AfxBodyId body[BODIES_MOST];
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    assert_int_equal(afx_scene_set_contact(scene, false), AFX_OK);
    for (uint32_t k = 0; k < BODIES_MOST; k++) {
        AfxBodyDef def = afx_default_body();
        def.pose.position = (AfxVec3){k ? cos(k) : 0, k ? sin(k) : 0, 0.1 * k};
        def.young = INFINITY;
        assert_int_equal(afx_scene_add_body(scene, &def, &body[k]), AFX_OK);
        AfxShapeDef box = afx_default_box(0.5, 0.1, 0.2);
        assert_int_equal(afx_scene_add_shape(scene, body[k], &box), AFX_OK);
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId id;
        hinge.base = k ? body[0] : afx_world();
        hinge.follower = body[k];
        AfxPose at = afx_frame_along((AfxVec3){0.5 * cos(k), 0.5 * sin(k), 0}, (AfxVec3){cos(k), 0, sin(k)});
        assert_int_equal(afx_joint_place(scene, &hinge, at), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &hinge, &id), AFX_OK);
    }
    AfxModel *model = NULL;
    model_def.solver = solver;
    assert_int_equal(afx_model_create_with(scene, &model_def, &model, NULL), AFX_OK);
    assert_int_equal(model->graph->high_degree_count, 1);
    afx_scene_destroy(scene);
    return model;
}

/* (J X J^T + compliance) lambda = value + J start, X column by column. */
static void dense_lambda(const AfxiSystem *system, Real *lambda) {
    static Real k[UNKNOWNS_MOST][UNKNOWNS_MOST];
    static double j[ROWS_MOST][12 * BODIES_MOST], image[ROWS_MOST][12 * BODIES_MOST];
    const AfxiGraph *graph = system->graph;
    uint32_t rows = graph->row_count, n = 12 * graph->body_count;
    assert_true(rows <= ROWS_MOST && graph->body_count <= BODIES_MOST);
    memset(j, 0, sizeof j);
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        const AfxiGraphEntry *entry = &graph->entry[e];
        const AfxiGraphBlock *block = &graph->block[entry->block];
        for (uint32_t r = 0; r < block->row_count; r++) {
            memcpy(j[block->first_row + r] + 12 * entry->dof.index, system->jacobian + entry->jacobian + 12 * r,
                   12 * sizeof(double));
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t body = 0; body < graph->body_count; body++) {
            afxi_body_apply(&system->inverse[body], j[row] + 12 * body, image[row] + 12 * body);
        }
    }
    for (uint32_t a = 0; a < rows; a++) {
        lambda[a] = system->active[a] ? system->value[a] : system->fixed[a];
        for (uint32_t b = 0; b < rows; b++) {
            k[a][b] = a == b ? (system->active[a] ? system->compliance[a] : 1) : 0;
            for (uint32_t e = 0; system->active[a] && e < n; e++) {
                k[a][b] += (Real)j[a][e] * image[b][e];
            }
        }
        for (uint32_t e = 0; system->active[a] && e < n; e++) {
            lambda[a] += (Real)j[a][e] * system->start[e];
        }
    }
    dense_solve(rows, k, lambda);
}

static void check_sim(const AfxModel *model, bool unique) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim;
    uint32_t iterations = 0;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    for (int step = 0; step < 5; step++) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
        AfxiSystem *system = &sim->solver.lot[0].system;
        Real want[ROWS_MOST];
        double size = 0;
        AfxiDualReport report;
        afxi_dual_solve(system, true, &report);
        iterations += report.iterations;
        assert_true(report.residual < (model->graph->solver == AFX_SOLVER_CG ? 1e-10 : 1e-12) && !report.unconverged);
        if (!unique) { /* several answers: only that the rows hold */
            continue;
        }
        dense_lambda(system, want);
        for (uint32_t row = 0; row < model->graph->row_count; row++) {
            size = fmax(size, fabs((double)want[row]));
        }
        for (uint32_t row = 0; row < model->graph->row_count; row++) {
            assert_near(system->lambda[row], (double)want[row], 1e-8 * size);
        }
    }
    assert_true((iterations > 0) == (model->graph->solver == AFX_SOLVER_CG));
    afx_sim_destroy(sim);
}

static void the_multipliers_of_a_chain_are_the_dense_ones(void **state) {
    (void)state;
    static const double youngs[] = {1e6, 1e9, INFINITY};
    for (int k = 0; k < 3; k++) {
        AfxModel *model = make_model(false, youngs[k], AFX_SOLVER_AUTO);
        assert_int_equal(model->graph->loop_rows, 0);
        check_sim(model, true);
        afx_model_destroy(model);
    }
}

static void the_rows_of_a_ring_hold(void **state) {
    (void)state;
    AfxModel *soft = make_model(true, 1e7, AFX_SOLVER_AUTO), *rigid = make_model(true, INFINITY, AFX_SOLVER_AUTO);
    assert_int_equal(soft->graph->loop_rows, 5);
    check_sim(soft, true); /* elastic bodies have no redundant rows */
    check_sim(rigid, false);
    afx_model_destroy(soft);
    afx_model_destroy(rigid);
}

/* Sweeps need too many rounds for these; test/joint/test_paths.c has graphs for them. */
static void every_solver_gives_the_dense_multipliers(void **state) {
    (void)state;
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_GS; solver++) {
        AfxModel *high_degree = make_high_degree_body(solver);
        check_sim(high_degree, true);
        afx_model_destroy(high_degree);
        if (solver != AFX_SOLVER_TREE) { /* the spring closes a loop */
            AfxModel *ring = make_model(true, 1e6, solver);
            check_sim(ring, true);
            afx_model_destroy(ring);
        }
    }
}

int run_sim_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_multipliers_of_a_chain_are_the_dense_ones),
        cmocka_unit_test(the_rows_of_a_ring_hold),
        cmocka_unit_test(every_solver_gives_the_dense_multipliers),
    };
    return cmocka_run_group_tests_name("dual system of a sim", tests, NULL, NULL);
}

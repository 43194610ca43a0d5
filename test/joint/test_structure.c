/* SPDX-License-Identifier: Apache-2.0 */
/* What a model tells of its structure and of what solving it takes. */
#include "random_graph.h"
#include "support/allocator.h"

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
    AfxModel *model = graph_model(&rig, AFX_SOLVER_AUTO);
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
        model = graph_model(&rig, solver);
        assert_int_equal(afx_model_component_count(model), 4);
        for (uint32_t k = 0; k < 4; k++) {
            assert_ok(afx_model_component(model, k, &square));
            assert_int_equal(square.solver, solver);
        }
        afx_model_destroy(model);
    }
    rig_free(&rig);
}

static void costs_are_what_is_taken(void **state) {
    (void)state;
    uint64_t seed = 15;
    for (int form = 0; form < GRAPH_FORMS; form++) {
        Rig rig = random_graph((GraphForm)form, true, &seed);
        for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
            AfxModel *model = graph_model(&rig, solver);
            TestAllocator counts = {0};
            AfxSimDef def = afx_default_sim();
            AfxModelCosts costs;
            AfxSim *sim;
            if (!model) {
                continue;
            }
            def.allocator = test_allocator(&counts);
            assert_ok(afx_sim_create(model, &def, &sim));
            assert_int_equal(counts.live, afx_sim_bytes(model, &def));
            assert_ok(afx_model_costs(model, &costs));
            assert_true(costs.flops > 0 && costs.factor_bytes < counts.live);
            afx_sim_destroy(sim);
            assert_int_equal(counts.live, 0);
            afx_model_destroy(model);
        }
        rig_free(&rig);
    }
}

/* A hub of twelve hinged arms, and a ring of balls that some of them are in. */
static void memory_may_run_out_at_any_call(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    Rig rig = {0};
    AfxBodyId arm[12];
    scene_def.allocator = test_allocator(&counts);
    assert_ok(afx_scene_create(&scene_def, &rig.scene));
    assert_ok(afx_scene_set_contact(rig.scene, false));
    AfxBodyId hub = link_at(&rig, 0, 0);
    for (int k = 0; k < 12; k++) {
        arm[k] = link_at(&rig, 1 + k, 0);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, hub, arm[k], afx_pose_identity());
    }
    rig_joint(&rig, AFX_JOINT_SPHERICAL, arm[0], arm[1], afx_pose_identity());
    rig_joint(&rig, AFX_JOINT_SPHERICAL, afx_world(), hub, afx_pose_identity());
    rig_joint(&rig, AFX_JOINT_SPHERICAL, afx_world(), link_at(&rig, 0, 5), afx_pose_identity());
    size_t before = counts.live;
    for (AfxSolver solver = AFX_SOLVER_AUTO; solver < AFX_SOLVER_COUNT; solver++) {
        AfxModelDef def = afx_default_model();
        AfxModel *model = NULL;
        AfxStatus status = AFX_E_MEMORY;
        def.solver = solver;
        for (uint64_t k = 1; status == AFX_E_MEMORY; k++) {
            counts.fail_at = counts.calls + k;
            status = afx_model_create_with(rig.scene, &def, &model, NULL);
            assert_true(status == AFX_OK || !model);
            assert_true(status == AFX_OK || counts.live == before);
        }
        counts.fail_at = 0;
        assert_int_equal(status, solver == AFX_SOLVER_TREE ? AFX_E_INPUT : AFX_OK);
        AfxModelCosts costs;
        if (model) {
            assert_ok(afx_model_costs(model, &costs));
            assert_int_equal(costs.model_bytes, counts.live - before);
        }
        afx_model_destroy(model);
        assert_int_equal(counts.live, before);
        assert_int_equal(counts.errors, 0);
    }
    rig_free(&rig);
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

int run_structure_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_what_was_built),
        cmocka_unit_test(costs_are_what_is_taken),
        cmocka_unit_test(memory_may_run_out_at_any_call),
        cmocka_unit_test(wrong_definitions_are_refused),
    };
    return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}

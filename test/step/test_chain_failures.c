/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains around steps that fail or are done in parts, and around changed parameters: links are where the API says,
 * whatever else is in the scene. */
#include "tests.h"

enum { LINKS = 20, HINGED = 3, LONG = 80 };
#define DT 0.004

/* `links` along x that hang by balls and, beside them, bodies that hang by hinges. */
static AfxModel *make_model_for(AfxSolver solver, uint32_t links, uint32_t hinged) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene;
    AfxModel *model;
    AfxBodyId before = afx_world();
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_ok(afx_scene_set_contact(scene, false));
    for (uint32_t k = 0; k < links + hinged; k++) {
        uint32_t place = k < links ? k : k - links;
        AfxBodyDef def = afx_default_body();
        AfxJointDef joint = afx_default_joint(k < links ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE);
        AfxPose at = afx_pose_identity();
        AfxJointId id;
        def.mass_source = AFX_MASS_GIVEN;
        def.mass = 0.1;
        def.inertia[0] = 2e-4;
        def.inertia[1] = def.inertia[2] = 5e-4;
        def.pose.position = v3(0.2 * place + 0.1, k >= links, 0);
        at.position = v3(0.2 * place, k >= links, 0);
        joint.base = place ? before : afx_world();
        assert_ok(afx_scene_add_body(scene, &def, &before));
        joint.follower = before;
        assert_ok(afx_joint_place(scene, &joint, at));
        assert_ok(afx_scene_add_joint(scene, &joint, &id));
    }
    AfxModelDef model_def = afx_default_model();
    model_def.solver = solver;
    assert_ok(afx_model_create_with(scene, &model_def, &model, NULL));
    afx_scene_destroy(scene);
    return model;
}

static AfxModel *make_model(uint32_t links, uint32_t hinged) {
    return make_model_for(AFX_SOLVER_AUTO, links, hinged);
}

static AfxSim *make_sim(const AfxModel *model, AfxIntegrator integrator, uint32_t steps) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim;
    def.dt = DT;
    def.integrator = integrator;
    assert_ok(afx_sim_create(model, &def, &sim));
    for (uint32_t k = 0; k < steps; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    return sim;
}

static double apart(const double *a, const double *b, uint32_t bodies) {
    double largest = 0;
    for (uint32_t k = 0; k < 12 * bodies; k++) {
        largest = fmax(largest, fabs(a[k] - b[k]));
    }
    return largest;
}

/* A load on hinged bodies that makes a step be done in parts, or fail: links, which know nothing of it, go on with what
 * two restarts make of their motion, or stay where they were to the bit, also in the very first step. */
static void links_do_not_mind_what_others_do(void **state) {
    (void)state;
    static const double loads[] = {300, 1000, 4000, 1e6};
    AfxModel *model = make_model(LINKS, HINGED);
    bool parts = false, failed = false;
    for (uint32_t first = 0; first <= 50; first += 50) {
        for (size_t k = 0; k < COUNT(loads); k++) {
            AfxSim *sim = make_sim(model, AFX_BDF2, first), *calm = make_sim(model, AFX_BDF2, first);
            AfxWrench wrench[LINKS + HINGED] = {0};
            AfxStepReport report;
            double before[12 * LINKS];
            memcpy(before, afx_sim_coordinates(sim), sizeof before);
            wrench[LINKS + 2] = (AfxWrench){.force = v3(0, loads[k], loads[k]), .torque = v3(loads[k], 0, loads[k])};
            assert_ok(afx_sim_set_body_wrenches(sim, wrench));
            AfxStatus status = afx_step(sim, &report);
            assert_ok(afx_step(calm, NULL));
            if (status == AFX_OK) {
                assert_below(apart(afx_sim_coordinates(sim), afx_sim_coordinates(calm), LINKS), 2e-4);
                parts |= (report.flags & AFX_STEP_HALVED) != 0;
            } else {
                assert_true(apart(afx_sim_coordinates(sim), before, LINKS) == 0);
                failed = true;
            }
            afx_sim_destroy(sim);
            afx_sim_destroy(calm);
        }
    }
    assert_true(parts && failed);
    afx_model_destroy(model);
}

/* A long chain whose inner joint is switched off goes on as two: what hangs and what falls, as by the solver of
 * graphs. */
static void a_long_chain_comes_apart(void **state) {
    (void)state;
    AfxModel *models[2] = {make_model_for(AFX_SOLVER_CHAIN, LONG, 0), make_model_for(AFX_SOLVER_GRAPH, LONG, 0)};
    AfxSim *sims[2] = {make_sim(models[0], AFX_BDF2, 0), make_sim(models[1], AFX_BDF2, 0)};
    for (uint32_t step = 0; step < 30; step++) {
        for (int k = 0; k < 2; k++) {
            if (step == 6) {
                assert_ok(afx_sim_set_joint_active(sims[k], 33, false));
            }
            assert_ok(afx_step(sims[k], NULL));
        }
        assert_below(apart(afx_sim_coordinates(sims[0]), afx_sim_coordinates(sims[1]), LONG), 1e-9);
    }
    for (int k = 0; k < 2; k++) {
        afx_sim_destroy(sims[k]);
        afx_model_destroy(models[k]);
    }
}

/* Blocks that were condensed for the next step are made anew when a link gets the mass that another one has already:
 * the constants that bodies share are the same as before then. */
static void a_mass_that_another_link_has_counts(void **state) {
    (void)state;
    AfxModel *model = make_model(LONG, 0);
    AfxSim *sim = make_sim(model, AFX_BDF2, 0), *fresh = make_sim(model, AFX_BDF2, 0);
    size_t size = afx_sim_snapshot_size(sim);
    void *snapshot = malloc(size);
    double mass = 0.2;
    assert_non_null(snapshot);
    assert_ok(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, 4, &mass));
    assert_ok(afx_sim_set_param(fresh, AFX_PARAM_BODY_MASS, 4, &mass));
    for (uint32_t k = 0; k < 60; k++) {
        assert_ok(afx_step(sim, NULL));
        assert_ok(afx_step(fresh, NULL));
    }
    assert_ok(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, 10, &mass));
    assert_ok(afx_sim_set_param(fresh, AFX_PARAM_BODY_MASS, 10, &mass));
    assert_ok(afx_sim_snapshot(fresh, snapshot, size));
    assert_ok(afx_sim_restore(fresh, snapshot, size)); /* forgets what was condensed */
    assert_ok(afx_step(sim, NULL));
    assert_ok(afx_step(fresh, NULL));
    assert_true(apart(afx_sim_coordinates(sim), afx_sim_coordinates(fresh), LONG) == 0);
    free(snapshot);
    afx_sim_destroy(sim);
    afx_sim_destroy(fresh);
    afx_model_destroy(model);
}

/* A load beyond all bounds fails its step, and none of those after it. */
static void a_failed_step_leaves_multipliers_that_go_on(void **state) {
    (void)state;
    AfxModel *model = make_model(LONG, 0);
    for (int way = 0; way < 2; way++) {
        AfxSim *sim = make_sim(model, way ? AFX_SDIRK2 : AFX_BDF1, 5);
        AfxWrench wrench[LONG] = {0}, reaction;
        wrench[30] = (AfxWrench){.force = v3(1e120, 0, 0), .torque = v3(0, 1e120, 0)};
        assert_ok(afx_sim_set_body_wrenches(sim, wrench));
        assert_int_equal(afx_step(sim, NULL), AFX_E_NUMERIC);
        assert_ok(afx_sim_set_body_wrenches(sim, NULL));
        for (int k = 0; k < 5; k++) {
            assert_ok(afx_step(sim, NULL));
        }
        assert_ok(afx_sim_joint_reaction(sim, 30, &reaction));
        assert_true(isfinite(reaction.force.x));
        afx_sim_destroy(sim);
    }
    afx_model_destroy(model);
}

/* A step that fails takes back what it made of the multipliers too: reactions are those of before. */
static void a_failed_step_leaves_the_reactions(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
    AfxModel *model = make_model(LINKS, HINGED);
    for (size_t m = 0; m < COUNT(integrators); m++) {
        AfxSim *sim = make_sim(model, integrators[m], 5);
        AfxWrench before[LINKS + HINGED], after;
        for (uint32_t k = 0; k < LINKS + HINGED; k++) {
            assert_ok(afx_sim_joint_reaction(sim, k, &before[k]));
        }
        AfxTwist wild = {{1e200, 0, 1e200}, {0, 1e200, 0}};
        assert_ok(afx_sim_set_body_twist(sim, LINKS / 2, wild));
        assert_ok(afx_sim_set_body_twist(sim, LINKS + HINGED - 1, wild));
        assert_int_equal(afx_step(sim, NULL), AFX_E_NUMERIC);
        for (uint32_t k = 0; k < LINKS + HINGED; k++) {
            assert_ok(afx_sim_joint_reaction(sim, k, &after));
            assert_vec3(after.force, before[k].force, 0);
            assert_vec3(after.torque, before[k].torque, 0);
        }
        afx_sim_destroy(sim);
    }
    afx_model_destroy(model);
}

int run_chain_failure_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_do_not_mind_what_others_do),
        cmocka_unit_test(a_long_chain_comes_apart),
        cmocka_unit_test(a_mass_that_another_link_has_counts),
        cmocka_unit_test(a_failed_step_leaves_multipliers_that_go_on),
        cmocka_unit_test(a_failed_step_leaves_the_reactions),
    };
    return cmocka_run_group_tests_name("chain failures", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Forests of ball joints, eliminated from the leaves to the roots, against the same scenes with one dense matrix. */
#include <math.h>

#include "step/sim.h"
#include "tests.h"

#define LINKS 48u

typedef enum Sort { SPRINGS, BALLS, MIXED } Sort;

static double number(uint64_t *seed) { /* 0 ... 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static AfxVec3 vector(uint64_t *seed, double size) {
    double x = number(seed), y = number(seed), z = number(seed);
    return (AfxVec3){size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1)};
}

static AfxBodyId add_body(AfxScene *scene, AfxBodyDef *def, double length) {
    AfxBodyId id;
    AfxShapeDef box = afx_default_box(length, 0.1 * length, 0.2 * length);
    assert_int_equal(afx_scene_add_body(scene, def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &box), AFX_OK);
    return id;
}

/* Link k hangs on a random earlier one, the first of each of three trees on what is given; either may be the base. */
static AfxModel *make_forest(Sort sort, AfxSolver solver, uint64_t seed) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxModelDef model_def = afx_default_model();
    AfxScene *scene;
    AfxBodyId body[LINKS];
    AfxVec3 end[LINKS];
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    assert_int_equal(afx_scene_set_contact(scene, false), AFX_OK);
    AfxBodyDef mover = afx_default_body();
    mover.kind = AFX_BODY_KINEMATIC;
    mover.motion.axis = (AfxVec3){0, 0.6, 0.8};
    mover.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.3, 2}};
    AfxBodyId moving = add_body(scene, &mover, 0.5);
    for (uint32_t k = 0; k < LINKS; k++) {
        uint32_t tree = k % 3, before = k < 3 ? k : 3 * (uint32_t)(number(&seed) * (k / 3)) + tree;
        before = k >= 3 && number(&seed) < 0.7 ? k - 3 : before;
        AfxVec3 from = k < 3 ? (AfxVec3){3.0 * tree, 0, 0} : end[before], along = vector(&seed, 0.4);
        AfxBodyDef def = afx_default_body();
        end[k] = (AfxVec3){from.x + along.x, from.y + along.y, from.z + along.z};
        def.pose = afx_frame_along((AfxVec3){from.x + along.x / 2, from.y + along.y / 2, from.z + along.z / 2}, along);
        def.young = 1e7;
        body[k] = add_body(scene, &def, 0.4);
        if (k == 2) { /* the third tree floats */
            continue;
        }
        bool hinge = sort == MIXED && k == 7, turned = number(&seed) < 0.5, last = sort == MIXED && k > LINKS - 9;
        AfxJointDef joint = afx_default_joint(hinge ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL);
        AfxBodyId held = k == 0 ? afx_world() : k == 1 ? moving : body[before];
        joint.base = turned ? body[k] : held;
        joint.follower = turned ? held : body[k];
        if (!hinge && (sort == SPRINGS || (sort == MIXED && !last))) {
            joint.spring.stiffness = (AfxVec3){20, 30, 40};
            joint.spring.damping = (AfxVec3){0.1, 0.2, 0.1};
        }
        AfxJointId id;
        assert_int_equal(afx_joint_place(scene, &joint, afx_frame_along(from, along)), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &joint, &id), AFX_OK);
        AfxWrenchDef wrench = afx_default_wrench();
        AfxWrenchId push;
        wrench.body = body[k];
        wrench.force = vector(&seed, 3);
        wrench.torque = vector(&seed, 0.3);
        if (k % 4 == 0) {
            assert_int_equal(afx_scene_add_wrench(scene, &wrench, &push), AFX_OK);
        }
    }
    AfxModel *model = NULL;
    model_def.solver = solver;
    assert_int_equal(afx_model_create_with(scene, &model_def, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static AfxSim *make_sim(const AfxModel *model, AfxIntegrator integrator, AfxAccuracy accuracy, uint32_t lanes) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim;
    def.integrator = integrator;
    def.accuracy = accuracy;
    def.lanes = lanes;
    def.dt = 0.004;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    return sim;
}

/* Both go side by side; a joint is switched off on the way. */
static void compare(const AfxModel *model, const AfxModel *dense, AfxIntegrator integrator, AfxAccuracy accuracy) {
    AfxSim *sim = make_sim(model, integrator, accuracy, 0), *want = make_sim(dense, integrator, accuracy, 0);
    AfxSim *narrow = make_sim(model, integrator, accuracy, 1);
    assert_true(model->graph.climb.on && !dense->graph.climb.on);
    for (int step = 0; step < 24; step++) {
        AfxStepReport report, other;
        for (int k = 0; step == 12 && k < 3; k++) {
            assert_int_equal(afx_sim_set_joint_active(k == 0 ? sim : k == 1 ? want : narrow, 20, false), AFX_OK);
        }
        assert_int_equal(afx_step(sim, &report), AFX_OK);
        assert_int_equal(afx_step(want, &other), AFX_OK);
        assert_int_equal(afx_step(narrow, NULL), AFX_OK);
        assert_int_equal(report.solves, other.solves);
        assert_true(report.residual < 1e-12);
        for (size_t k = 0; k < (size_t)12 * model->body_count; k++) {
            assert_near(sim->q[k], want->q[k], 1e-10);
            assert_near(sim->v[k], want->v[k], 1e-7);
        }
        assert_memory_equal(sim->q, narrow->q, (size_t)12 * model->body_count * sizeof(double));
    }
    assert_int_equal(sim->jointed.system.climb.refusals, 0);
    afx_sim_destroy(sim);
    afx_sim_destroy(want);
    afx_sim_destroy(narrow);
}

static void forests_move_as_with_a_dense_matrix(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA};
    for (Sort sort = SPRINGS; sort <= MIXED; sort++) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            AfxModel *model = make_forest(sort, AFX_SOLVER_AUTO, seed);
            AfxModel *dense = make_forest(sort, AFX_SOLVER_DENSE, seed);
            compare(model, dense, integrators[seed - 1], seed == 2 ? AFX_ACCURATE : AFX_FAST);
            afx_model_destroy(model);
            afx_model_destroy(dense);
        }
    }
}

int run_climb_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forests_move_as_with_a_dense_matrix),
    };
    return cmocka_run_group_tests_name("forests", tests, NULL, NULL);
}

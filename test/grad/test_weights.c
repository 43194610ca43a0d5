/* SPDX-License-Identifier: Apache-2.0 */
/* Loads of redundant constraints by weights: a door on two hinges against its statics, motors that share a crank, and
 * derivatives of what they carry. */
#include "tests.h"

#include "support/allocator.h"

#define UNKNOWNS 10

/* x [10] of the least sum of w x² with A x = b, A [6][10]: x = W^-1 A^T (A W^-1 A^T)^-1 b (Eq. 32), by elimination. */
static void least_norm(const double a[6][UNKNOWNS], const double *weight, const double b[6], double *x) {
    double m[6][7];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            m[i][j] = 0;
            for (int k = 0; k < UNKNOWNS; k++) {
                m[i][j] += a[i][k] * a[j][k] / weight[k];
            }
        }
        m[i][6] = b[i];
    }
    for (int p = 0; p < 6; p++) {
        int best = p;
        for (int i = p; i < 6; i++) {
            best = fabs(m[i][p]) > fabs(m[best][p]) ? i : best;
        }
        for (int j = 0; j < 7; j++) {
            double kept = m[p][j];
            m[p][j] = m[best][j];
            m[best][j] = kept;
        }
        for (int i = 0; i < 6; i++) {
            double by = i == p || fabs(m[p][p]) < 1e-14 ? 0 : m[i][p] / m[p][p];
            for (int j = p; j < 7; j++) {
                m[i][j] -= by * m[p][j];
            }
        }
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        x[k] = 0;
        for (int i = 0; i < 6; i++) { /* the moment about the hinges' axis is no equation: nothing can balance it */
            x[k] += fabs(m[i][i]) < 1e-14 ? 0 : a[i][k] * m[i][6] / m[i][i] / weight[k];
        }
    }
}

static const AfxVec3 hinge_at[2] = {{0, 0, 0.2}, {0, 0, 1.7}}, middle = {0.45, 0.02, 1};

static Rig door(void) {
    Rig rig = rig_make((AfxVec3){0, 0, -9.81});
    AfxBodyDef body = rigid_def(43.2, 14, 17, 3);
    body.pose.position = middle;
    AfxBodyId leaf = rig_body(&rig, &body);
    for (int k = 0; k < 2; k++) {
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), leaf, afx_frame_along(hinge_at[k], (AfxVec3){0, 0, 1}));
    }
    assert_int_equal(afx_model_create(rig.scene, &rig.model, NULL), AFX_OK);
    return rig;
}

/* Unknowns: forces x, y, z of both hinges on the door, then torques about x and y of both. */
static void test_door(void **state) {
    (void)state;
    static const double force[2] = {2, 5}, torque[2] = {0.7, 30};
    const AfxWeights weights = {force, torque, NULL};
    Rig rig = door();
    Course course = {rig.model, AFX_BDF2, 0.01, 3, &weights};
    double a[6][UNKNOWNS] = {{0}}, weight[UNKNOWNS], x[UNKNOWNS], b[6] = {0}, residual = 1;
    double load = 9.81 * 43.2;
    for (int h = 0; h < 2; h++) {
        double z = hinge_at[h].z - middle.z, px = hinge_at[h].x - middle.x, py = hinge_at[h].y - middle.y;
        for (int c = 0; c < 3; c++) {
            a[c][3 * h + c] = 1;
            weight[3 * h + c] = force[h];
        }
        a[3][3 * h + 2] = py; /* moments about the centre: p x F */
        a[3][3 * h + 1] = -z;
        a[4][3 * h] = z;
        a[4][3 * h + 2] = -px;
        a[5][3 * h + 1] = px;
        a[5][3 * h] = -py;
        a[3][6 + 2 * h] = a[4][7 + 2 * h] = 1;
        weight[6 + 2 * h] = weight[7 + 2 * h] = torque[h];
    }
    b[2] = load;
    least_norm(a, weight, b, x);
    AfxSim *sim = course_sim(&course, NULL);
    for (uint32_t k = 0; k < course.steps; k++) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
    }
    assert_int_equal(afx_sim_weights_residual(sim, &residual), AFX_OK);
    assert_true(residual < 1e-12);
    for (uint32_t h = 0; h < 2; h++) { /* x of the joint is up; y and z of it are told by its frame */
        AfxPose frame = afx_frame_along(hinge_at[h], (AfxVec3){0, 0, 1});
        AfxWrench on;
        assert_int_equal(afx_sim_joint_reaction(sim, h, &on), AFX_OK);
        AfxVec3 f = q_rotate(frame.rotation, on.force), t = q_rotate(frame.rotation, on.torque);
        const double got[5] = {f.x, f.y, f.z, t.x, t.y};
        const double expected[5] = {x[3 * h], x[3 * h + 1], x[3 * h + 2], x[6 + 2 * h], x[7 + 2 * h]};
        for (int k = 0; k < 5; k++) {
            assert_true(fabs(got[k] - expected[k]) < 1e-9 * load);
        }
    }
    afx_sim_destroy(sim);
    rig_free(&rig);
}

/* Weights choose among multipliers: the motion is that without them. */
static void test_motion(void **state) {
    (void)state;
    static const double heavy[8] = {1e5, 3, 1e5, 1, 7, 1, 1, 1};
    const AfxWeights weights = {heavy, NULL, NULL};
    Course with = {case_model("bricard", NULL), AFX_BDF2, 0.01, 40, &weights}, without = with;
    without.weights = NULL;
    AfxQuantity quantity = {AFX_QUANTITY_ENERGY, 0, 1}, carried = {AFX_QUANTITY_REACTION, 1, 5};
    double energy = course_value(&with, NULL, quantity), other = course_value(&without, NULL, quantity);
    assert_true(fabs(energy - other) < 1e-10 * fabs(other));
    assert_true(fabs(course_value(&with, NULL, carried) - course_value(&without, NULL, carried)) > 1e-6);
    afx_model_destroy(with.model);
}

/* Derivatives of what redundant joints carry, which without weights are not unique. */
static void test_derivatives(void **state) {
    (void)state;
    static const double force[8] = {2, 1, 3, 1, 5, 1, 1, 1}, torque[8] = {1, 40, 1, 0.3, 1, 1, 1, 1};
    const AfxWeights weights = {force, torque, NULL};
    static const struct {
        const char *name, *text;
        AfxQuantity quantity;
    } runs[] = {{"bricard", "young=inf", {AFX_QUANTITY_REACTION, 1, 0}},
                {"bricard", "young=inf", {AFX_QUANTITY_REACTION, 2, 4}},
                {"slider-crank", "young=inf", {AFX_QUANTITY_EFFORT, 0, 0}}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        Course course = {case_model(runs[k].name, runs[k].text), k == 1 ? AFX_ALPHA : AFX_BDF2, 0.01, 6, &weights};
        double dot, error = course_check(&course, runs[k].quantity, &dot);
        if (!(error < 1e-7)) {
            fail_msg("%s: %g", runs[k].name, error);
        }
        afx_model_destroy(course.model);
    }
}

static void test_misuse(void **state) {
    (void)state;
    static const double wrong[4][2] = {{1, 0}, {1, -1}, {NAN, 1}, {1, INFINITY}};
    Rig rig = door();
    Course course = {rig.model, AFX_BDF2, 0.01, 1, NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxWeights weights = {NULL, NULL, NULL};
    double residual;
    assert_int_equal(afx_sim_weights_residual(sim, &residual), AFX_E_ARGUMENT);
    for (int k = 0; k < 4; k++) {
        weights.joint_torque = wrong[k];
        assert_int_equal(afx_sim_set_weights(sim, &weights), AFX_E_ARGUMENT);
    }
    assert_int_equal(afx_sim_set_weights(NULL, &weights), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_weights(sim, NULL), AFX_OK);
    afx_sim_destroy(sim);
    rig_free(&rig);
}

/* Memory that runs out is told, and the sim goes on without weights. */
static void test_memory(void **state) {
    (void)state;
    Rig rig = door();
    const AfxWeights weights = {NULL, NULL, NULL};
    bool whole = false;
    for (uint64_t fail_at = 1; !whole; fail_at++) {
        TestAllocator counts = {0};
        AfxSimDef def = afx_default_sim();
        AfxSim *sim = NULL;
        def.allocator = test_allocator(&counts);
        assert_int_equal(afx_sim_create(rig.model, &def, &sim), AFX_OK);
        counts.calls = 0;
        counts.fail_at = fail_at;
        AfxStatus status = afx_sim_set_weights(sim, &weights);
        whole = status == AFX_OK;
        assert_true(whole || status == AFX_E_MEMORY);
        assert_true(whole == (counts.calls < fail_at));
        counts.fail_at = 0;
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
        afx_sim_destroy(sim);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    rig_free(&rig);
}

int run_grad_weight_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_door),   cmocka_unit_test(test_motion), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_misuse), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("weights of multipliers", tests, NULL, NULL);
}

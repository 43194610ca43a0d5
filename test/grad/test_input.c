/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives by what is told while a sim runs, by its start, and the map of one step. */
#include "tests.h"

enum { STEPS = 8, DRIVES = 3 };

/* Three rods: a servo, a position and a velocity drive, all from input. */
static Rig arm(void) {
    static const AfxDriveKind kinds[DRIVES] = {AFX_DRIVE_SERVO, AFX_DRIVE_POSITION, AFX_DRIVE_VELOCITY};
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (int k = 0; k < DRIVES; k++) {
        AfxBodyDef body = rigid_def(1, 0.01, 0.1, 0.1);
        body.pose.position = v3(0.5 + k, 0, 0);
        AfxBodyId own = rig_body(&rig, &body);
        AfxPose at = {v3(k, 0, 0), q_about(v3(1, 0, 0), 0.4 * k)};
        AfxDriveId id;
        AfxDriveDef drive = afx_default_drive(kinds[k]);
        drive.joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, last, own, at);
        drive.from_input = true;
        drive.stiffness = 50;
        drive.damping = 1;
        assert_int_equal(afx_scene_add_drive(rig.scene, &drive, &id), AFX_OK);
        last = own;
    }
    return rig;
}

static double told(uint32_t step, uint32_t drive) {
    return drive == 2 ? 0.3 + 0.05 * step : 0.004 * (step + 1) * (step + 1) * (drive ? -1 : 1);
}

static const AfxQuantity energy = {AFX_QUANTITY_ENERGY, 0, 0};

static AfxSim *arm_sim(const Rig *rig, AfxIntegrator integrator) {
    Course course = {rig->model, integrator, 0.01, STEPS, NULL};
    return course_sim(&course, NULL);
}

/* The energy at the end, where one input of one step is off by `by`. */
static double arm_energy(const Rig *rig, AfxIntegrator integrator, uint32_t step, uint32_t drive, double by) {
    AfxSim *sim = arm_sim(rig, integrator);
    AfxEnergy found;
    for (uint32_t k = 0; k < STEPS; k++) {
        for (uint32_t d = 0; d < DRIVES; d++) {
            assert_int_equal(afx_sim_set_drive_target(sim, d, told(k, d) + (k == step && d == drive ? by : 0), 0),
                             AFX_OK);
        }
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
    }
    assert_int_equal(afx_sim_energy(sim, &found), AFX_OK);
    afx_sim_destroy(sim);
    return found.total;
}

static void test_inputs(void **state) {
    (void)state;
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_SDIRK2};
    for (int m = 0; m < 3; m++) {
        Rig rig = arm();
        AfxSimDef def = sim_def(methods[m], 0.01);
        rig_start(&rig, &def);
        AfxSim *sim = arm_sim(&rig, methods[m]);
        AfxGradDef grad_def = afx_default_grad();
        AfxGrad *grad = NULL;
        assert_int_equal(afx_grad_create(sim, &grad_def, &grad), AFX_OK);
        for (uint32_t k = 0; k < STEPS; k++) {
            for (uint32_t d = 0; d < DRIVES; d++) {
                assert_int_equal(afx_sim_set_drive_target(sim, d, told(k, d), 0), AFX_OK);
            }
            assert_int_equal(afx_grad_step(grad, NULL), AFX_OK);
        }
        assert_int_equal(afx_grad_seed(grad, energy, 1), AFX_OK);
        assert_int_equal(afx_grad_backward(grad), AFX_OK);
        for (uint32_t k = 3; k < STEPS; k += 2) {
            for (uint32_t d = 0; d < DRIVES; d++) {
                double h = 1e-4, by[2];
                for (int j = 1; j <= 2; j++) {
                    by[j - 1] =
                        (arm_energy(&rig, methods[m], k, d, j * h) - arm_energy(&rig, methods[m], k, d, -j * h)) /
                        (2 * j * h);
                }
                double expected = (4 * by[0] - by[1]) / 3, found = afx_grad_inputs(grad, k)[2 * d];
                if (!(fabs(found - expected) <= 1e-6 * (1 + fabs(expected)))) {
                    fail_msg("integrator %d, step %u, drive %u: %.12g, by differences %.12g", methods[m], k, d, found,
                             expected);
                }
            }
        }
        assert_null(afx_grad_inputs(grad, STEPS));
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
        rig_free(&rig);
    }
}

/* A pendulum that is given a push at its start: v + s d, d a turn about its hinge. */
static double pushed(const Course *course, const double *d, double s, AfxGrad **out_grad, AfxSim **out_sim) {
    AfxSim *sim = course_sim(course, NULL);
    double v[12], value;
    for (int k = 0; k < 12; k++) {
        v[k] = afx_sim_velocities(sim)[k] + s * d[k];
    }
    assert_int_equal(afx_sim_set_state(sim, NULL, v), AFX_OK);
    AfxGrad *grad = course_record(course, sim);
    assert_int_equal(afx_grad_value(grad, energy, &value), AFX_OK);
    if (out_grad) {
        *out_grad = grad;
        *out_sim = sim;
        return value;
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    return value;
}

static void test_start(void **state) {
    (void)state;
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (int m = 0; m < 3; m++) {
        Course course = {case_model("pendulum", "young=inf"), methods[m], 0.01, 12, NULL};
        AfxGrad *grad = NULL;
        AfxSim *sim = course_sim(&course, NULL);
        const double *q = afx_sim_coordinates(sim), *by = NULL;
        double d[12], sum = 0, h = 1e-3, y[4];
        for (int k = 0; k < 4; k++) { /* w x about the y axis through the origin */
            d[3 * k] = q[3 * k + 2];
            d[3 * k + 1] = 0;
            d[3 * k + 2] = -q[3 * k];
        }
        afx_sim_destroy(sim);
        pushed(&course, d, 0.5, &grad, &sim);
        assert_int_equal(afx_grad_seed(grad, energy, 1), AFX_OK);
        assert_int_equal(afx_grad_backward(grad), AFX_OK);
        assert_int_equal(afx_grad_state(grad, NULL, &by), AFX_OK);
        for (int k = 0; k < 12; k++) {
            sum += by[k] * d[k];
        }
        for (int j = 0; j < 4; j++) {
            y[j] = pushed(&course, d, 0.5 + h * (j < 2 ? j - 2 : j - 1), NULL, NULL);
        }
        double expected = (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * h);
        assert_true(fabs(sum - expected) <= 1e-8 * fabs(expected));
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
        afx_model_destroy(course.model);
    }
}

/* A, along a tangent of the whole step, is what the tangent pass of that step has. */
static void test_map(void **state) {
    (void)state;
    Rig rig = arm();
    AfxSimDef def = sim_def(AFX_BDF1, 0.01);
    rig_start(&rig, &def);
    AfxSim *sim = arm_sim(&rig, AFX_BDF1);
    Course course = {rig.model, AFX_BDF1, 0.01, 1, NULL};
    AfxGrad *grad = course_record(&course, sim);
    enum { N = 24 * DRIVES };
    double *a = calloc(N * N, sizeof *a), *b = calloc(N * 2 * DRIVES, sizeof *b), in[N], out[N];
    uint64_t seed = 3;
    assert_int_equal(afx_grad_jacobian(grad, a, b), AFX_OK);
    for (int k = 0; k < N; k++) {
        in[k] = 2 * random_unit(&seed) - 1;
    }
    assert_int_equal(afx_grad_tangent(grad, NULL, in, in + N / 2, out, out + N / 2), AFX_OK);
    for (int r = 0; r < N; r++) {
        double sum = 0;
        for (int c = 0; c < N; c++) {
            sum += a[r * N + c] * in[c];
        }
        assert_true(fabs(sum - out[r]) <= 1e-9 * (1 + fabs(out[r])));
    }
    /* the position drive turns the second rod by its target, about its own axis: the first one stays where it is */
    double turned = 0;
    for (int r = 12; r < 24; r++) {
        turned += fabs(b[r * 2 * DRIVES + 2]);
    }
    assert_true(turned > 0.1);
    free(a);
    free(b);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    rig_free(&rig);
}

int run_grad_input_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inputs), cmocka_unit_test(test_start),
                                       cmocka_unit_test(test_map)};
    return cmocka_run_group_tests_name("grad inputs", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the integrators cannot do is refused by name, when a sim is made and when a parameter is set; memory that runs
 * out, steps that cannot be done, and joints that are switched. */
#include "tests.h"

#include "support/allocator.h"

static void assert_refused(Rig *rig, AfxIntegrator integrator, const char *element, const char *cure) {
    AfxError error = {0};
    AfxSimDef def = sim_def(integrator, 0.01);
    AfxSim *sim = NULL;
    def.error = &error;
    if (!rig->model) {
        assert_ok(afx_model_create(rig->scene, &rig->model, NULL));
    }
    assert_int_equal(afx_sim_create(rig->model, &def, &sim), AFX_E_INPUT);
    assert_null(sim);
    if (!strstr(error.element, element) || !strstr(error.cure, cure)) {
        print_error("%s: %s (%s)\n", error.element, error.text, error.cure);
    }
    assert_non_null(strstr(error.element, element));
    assert_non_null(strstr(error.cure, cure));
    rig_free(rig);
}

static Rig driven(AfxDriveKind kind, double damping, double effort) {
    Rig rig = rods_make(2);
    AfxDriveDef def = afx_default_drive(kind);
    AfxDriveId id;
    def.joint = afx_scene_joint(rig.scene, 1);
    def.stiffness = 3;
    def.damping = damping;
    def.effort = effort;
    def.lower = -1;
    def.upper = 1;
    assert_ok(afx_scene_add_drive(rig.scene, &def, &id));
    return rig;
}

static void drives_that_strike_or_stick_are_refused(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = driven(AFX_DRIVE_LIMIT, 0, INFINITY);
        assert_refused(&rig, conserving[which], "drive 0, limit", "bdf2");
        rig = driven(AFX_DRIVE_FRICTION, 0, 1);
        assert_refused(&rig, conserving[which], "drive 0, friction", "bdf2");
    }
}

static void damping_needs_steps_that_go_forward(void **state) {
    (void)state;
    for (int which = 1; which < CONSERVING; which++) {
        Rig rig = driven(AFX_DRIVE_SPRING, 0.1, INFINITY);
        assert_refused(&rig, conserving[which], "drive 0, spring", "conserving");
        rig = driven(AFX_DRIVE_SERVO, 0.1, INFINITY);
        assert_refused(&rig, conserving[which], "drive 0, servo", "conserving");
        rig = driven(AFX_DRIVE_SERVO, 0, 5);
        assert_refused(&rig, conserving[which], "drive 0, servo", "conserving");
        rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(1, 1, 1, 1);
        def.linear_damping = 0.1;
        rig_body(&rig, &def);
        assert_refused(&rig, conserving[which], "body 0", "conserving");
    }
}

static void bodies_that_do_not_fit_are_refused(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(1, 1, 1, 1);
        def.young = 1e9;
        rig_body(&rig, &def);
        assert_refused(&rig, conserving[which], "body 0", "--rigid");
        rig = rig_make(v3(0, 0, 0)); /* a point mass on a long rod */
        def = rigid_def(1, 1e-9, 1e-9, 1e-9);
        def.pose.position = v3(1, 0, 0);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &def), afx_pose_identity());
        assert_refused(&rig, conserving[which], "body 0 at joint 0", "size");
        rig = rods_make(1);
        AfxJointDef joint;
        assert_ok(afx_scene_get_joint(rig.scene, afx_scene_joint(rig.scene, 0), &joint));
        joint.break_force = 10;
        joint.name = "weak";
        rig_joint_def(&rig, &joint);
        assert_refused(&rig, conserving[which], "joint 1", "bdf2");
    }
}

static void contact_is_refused(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    assert_ok(afx_scene_set_contact(rig.scene, true));
    AfxShapeDef ball = afx_default_sphere(0.1);
    for (int k = 0; k < 2; k++) {
        AfxBodyDef def = afx_default_body();
        def.young = INFINITY;
        def.pose.position.x = k;
        assert_ok(afx_scene_add_shape(rig.scene, rig_body(&rig, &def), &ball));
    }
    assert_refused(&rig, AFX_CONSERVING, "integrator", "contact off");
}

/* A parameter that asks for more: the next step is refused, and the state stays. */
static void parameters_that_do_not_fit_refuse_the_step(void **state) {
    (void)state;
    Rig rig = rods_make(2);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    double young = 1e9, before[24], rigid = INFINITY;
    rig_start(&rig, &def);
    rig_run(&rig, 5, NULL);
    memcpy(before, afx_sim_coordinates(rig.sim), sizeof before);
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_BODY_YOUNG, 1, &young));
    assert_int_equal(afx_step(rig.sim, NULL), AFX_E_INPUT);
    assert_memory_equal(before, afx_sim_coordinates(rig.sim), sizeof before);
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_BODY_YOUNG, 1, &rigid));
    rig_run(&rig, 5, NULL);
    rig_free(&rig);
}

/* A mass that is changed counts from the next step on. */
static void parameters_are_followed(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef body = rigid_def(1, 1, 1, 1);
    AfxWrench push = {{1, 0, 0}, {0, 0, 0}};
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    double mass = 4;
    rig_body(&rig, &body);
    rig_start(&rig, &def);
    assert_ok(afx_sim_set_body_wrenches(rig.sim, &push));
    rig_run(&rig, 100, NULL);
    assert_near(rig_twist(&rig, afx_scene_body(rig.scene, 0)).linear.x, 1, 1e-12);
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_BODY_MASS, 0, &mass));
    rig_run(&rig, 100, NULL);
    assert_near(rig_twist(&rig, afx_scene_body(rig.scene, 0)).linear.x, 1.25, 1e-12);
    rig_free(&rig);
}

static void holds_are_refused(void **state) {
    (void)state;
    Rig rig = rods_make(1);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&rig, &def);
    assert_int_equal(afx_sim_hold(rig.sim, 0, v3(0, 0, 0), v3(0, 0, 0), 1, 1), AFX_E_ARGUMENT);
    rig_free(&rig);
}

/* A rod is let go and flies; caught again, it goes on with velocities that fit. */
static void joints_are_switched(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = rods_make(1);
        AfxSimDef def = sim_def(conserving[which], 0.01);
        rig_start(&rig, &def);
        rig_run(&rig, 20, NULL);
        assert_ok(afx_sim_set_joint_active(rig.sim, 0, false));
        AfxTwist before = rig_twist(&rig, afx_scene_body(rig.scene, 0));
        rig_run(&rig, 1, NULL);
        AfxTwist after = rig_twist(&rig, afx_scene_body(rig.scene, 0));
        assert_vec3(after.linear, v3_add(before.linear, v3(0, 0, -0.0981)), 1e-9);
        assert_vec3(after.angular, before.angular, 1e-9);
        assert_vec3(rig_reaction(&rig, afx_scene_joint(rig.scene, 0)).force, v3(0, 0, 0), 1e-12);
        assert_ok(afx_sim_set_joint_active(rig.sim, 0, true));
        assert_below(rig_run(&rig, 1, NULL), 1e-13);
        double energy = rig_energy(&rig);
        assert_below(energy, 0); /* catching it loses energy, and never makes any */
        assert_below(rig_drift(&rig, 100, NULL), which == 2 ? 1e-6 : 1e-11);
        rig_free(&rig);
    }
}

/* Three steps beside a body that is led; where both bodies are then. */
static void run_beside_what_is_led(Rig *rig, double out_before[24]) {
    AfxBodyDef moves = rigid_def(1, 1, 1, 1);
    moves.kind = AFX_BODY_KINEMATIC;
    moves.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 1}};
    rig_body(rig, &moves);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(rig, &def);
    rig_run(rig, 3, NULL);
    memcpy(out_before, afx_sim_coordinates(rig->sim), 24 * sizeof *out_before);
}

/* Two joints that cannot both hold: an error, and the state stays. */
static void what_cannot_close_fails(void **state) {
    (void)state;
    Rig rig = rods_make(1);
    AfxJointDef joint;
    assert_ok(afx_scene_get_joint(rig.scene, afx_scene_joint(rig.scene, 0), &joint));
    joint.base_frame.position = v3(0, 0, 3);
    joint.active = false;
    rig_joint_def(&rig, &joint);
    double before[24];
    run_beside_what_is_led(&rig, before);
    assert_ok(afx_sim_set_joint_active(rig.sim, 1, true));
    AfxStepReport report;
    assert_int_equal(afx_step(rig.sim, &report), AFX_E_NUMERIC);
    assert_int_equal(report.body, 0);
    assert_true(report.flags & AFX_STEP_FAILED);
    assert_memory_equal(before, afx_sim_coordinates(rig.sim), sizeof before);
    assert_ok(afx_sim_set_joint_active(rig.sim, 1, false));
    rig_run(&rig, 3, NULL);
    rig_free(&rig);
}

/* A load beyond all numbers is met at the end of a step, where what is led has moved: it is led back. */
static void what_is_led_stays_when_a_step_fails(void **state) {
    (void)state;
    Rig rig = rods_make(1);
    double before[24];
    run_beside_what_is_led(&rig, before);
    AfxWrench wrench[2] = {{.force = {0, 1e300, 0}, .torque = {1e300, 1e300, 0}}};
    assert_ok(afx_sim_set_body_wrenches(rig.sim, wrench));
    assert_int_equal(afx_step(rig.sim, NULL), AFX_E_NUMERIC);
    assert_memory_equal(before, afx_sim_coordinates(rig.sim), sizeof before);
    wrench[0] = (AfxWrench){0};
    assert_ok(afx_sim_set_body_wrenches(rig.sim, wrench));
    rig_run(&rig, 3, NULL);
    rig_free(&rig);
}

/* A free body that a torque spins up: the step that can no longer follow names it, and says why. */
static void what_turns_too_far_says_so(void **state) {
    (void)state;
    for (int k = 0; k < CONSERVING; k++) {
        Rig rig = rods_make(1);
        AfxSimDef def = sim_def(conserving[k], 0.01);
        AfxWrench wrench = {.torque = {0, 1e5, 0}};
        AfxStepReport report;
        AfxStatus status = AFX_OK;
        rig_start(&rig, &def);
        assert_ok(afx_sim_set_body_wrenches(rig.sim, &wrench));
        for (int step = 0; step < 2000 && status == AFX_OK; step++) {
            status = afx_step(rig.sim, &report);
        }
        assert_int_equal(status, AFX_E_NUMERIC);
        assert_int_equal(report.body, 0);
        assert_true(report.flags & AFX_STEP_TURNS_FAR);
        rig_free(&rig);
    }
}

/* What the changes of an iteration have taught keeps the next ones few: a whip of eight rods at 20 ms. */
static void iterations_are_few(void **state) {
    (void)state;
    Rig rig = rods_make(8);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.02);
    rig_start(&rig, &def);
    double sum = 0;
    for (uint32_t k = 0; k < 100; k++) {
        AfxStepReport report;
        assert_ok(afx_step(rig.sim, &report));
        sum += report.solves;
    }
    assert_below(sum / 100, 12); /* 10.1 */
    rig_free(&rig);
}

static void memory_that_runs_out_is_told(void **state) {
    (void)state;
    Rig rig = rods_make(3);
    assert_ok(afx_model_create(rig.scene, &rig.model, NULL));
    uint64_t calls = 1;
    for (uint64_t fail = 1; fail <= calls; fail++) {
        TestAllocator counts = {.fail_at = fail};
        AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
        AfxSim *sim = NULL;
        def.allocator = test_allocator(&counts);
        AfxStatus status = afx_sim_create(rig.model, &def, &sim);
        assert_true(status == AFX_E_MEMORY || status == AFX_OK);
        calls = status == AFX_OK ? 0 : fail + 1;
        uint64_t before = counts.calls;
        for (int n = 0; sim && n < 20; n++) {
            assert_ok(afx_step(sim, NULL));
        }
        assert_int_equal(counts.calls, before); /* a step allocates nothing */
        afx_sim_destroy(sim);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    rig_free(&rig);
}

int run_refuse_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_that_strike_or_stick_are_refused),
        cmocka_unit_test(damping_needs_steps_that_go_forward),
        cmocka_unit_test(bodies_that_do_not_fit_are_refused),
        cmocka_unit_test(contact_is_refused),
        cmocka_unit_test(parameters_that_do_not_fit_refuse_the_step),
        cmocka_unit_test(parameters_are_followed),
        cmocka_unit_test(holds_are_refused),
        cmocka_unit_test(joints_are_switched),
        cmocka_unit_test(what_cannot_close_fails),
        cmocka_unit_test(what_is_led_stays_when_a_step_fails),
        cmocka_unit_test(what_turns_too_far_says_so),
        cmocka_unit_test(iterations_are_few),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

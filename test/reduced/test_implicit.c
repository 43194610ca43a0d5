/* SPDX-License-Identifier: Apache-2.0 */
/* Backward differences in joint coordinates: order, stiff drives, limits with impacts, friction, what `auto` takes. */
#include "tests.h"

#define GRAVITY 9.81

static AfxSimDef reduced_def(AfxIntegrator integrator, double dt) {
    AfxSimDef def = accurate_def(integrator, dt);
    def.formulation = AFX_REDUCED;
    return def;
}

/* A point-like mass of 2 kg on a slide along x, or 1 m from a hinge about y, where 0 is horizontal and weight pulls to
 * positive angles. */
static Rig one_make(bool hinge, AfxVec3 gravity) {
    Rig rig = rig_make(gravity);
    AfxBodyDef def = rigid_def(2, 1e-6, 1e-6, 1e-6);
    def.pose.position = v3(1, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxPose frame = {v3(hinge ? 0 : 1, 0, 0), q_about(v3(0, 0, 1), hinge ? PI / 2 : 0)};
    rig_joint(&rig, hinge ? AFX_JOINT_REVOLUTE : AFX_JOINT_PRISMATIC, afx_world(), body, frame);
    return rig;
}

static AfxDriveDef drive_of(const Rig *rig, AfxDriveKind kind) {
    AfxDriveDef drive = afx_default_drive(kind);
    drive.joint = afx_scene_joint(rig->scene, 0);
    return drive;
}

static void add(Rig *rig, const AfxDriveDef *drive) {
    AfxDriveId id;
    assert_ok(afx_scene_add_drive(rig->scene, drive, &id));
}

static double rate_of(const Rig *rig) {
    double rate;
    assert_ok(afx_sim_dof_velocities(rig->sim, &rate));
    return rate;
}

/* ---- order ---- */

static double most_gap(const Rig *rig, const double *want, uint32_t bodies) {
    const double *q = afx_sim_coordinates(rig->sim);
    double most = 0;
    for (uint32_t k = 0; k < 12 * bodies; k++) {
        most = fmax(most, fabs(q[k] - want[k]));
    }
    return most;
}

static void steps_are_of_second_order(void **state) {
    (void)state;
    double worst = 9, sum = 0;
    enum { TREES = 12, BODIES = 4 };
    for (uint64_t k = 0; k < TREES; k++) {
        uint64_t seed = 70 + k;
        Rig rig = random_tree(BODIES, k % 2, &seed);
        double fine[12 * 2 * BODIES], gap[2];
        AfxSimDef def = reduced_def(AFX_RK4, 0.001);
        rig_start(&rig, &def);
        rig_run(&rig, 400, NULL);
        uint32_t bodies = afx_model_body_count(rig.model);
        memcpy(fine, afx_sim_coordinates(rig.sim), 12 * bodies * sizeof *fine);
        for (int h = 0; h < 2; h++) {
            def = reduced_def(AFX_BDF2, h ? 0.001 : 0.002);
            rig_start(&rig, &def);
            rig_run(&rig, h ? 400 : 200, NULL);
            gap[h] = most_gap(&rig, fine, bodies);
        }
        worst = fmin(worst, slope(gap[0], gap[1]));
        sum += slope(gap[0], gap[1]);
        rig_free(&rig);
    }
    print_message("orders of bdf2 against rk4: mean %.2f, least %.2f\n", sum / TREES, worst);
    assert_true(worst > 1.6 && fabs(sum / TREES - 2) < 0.15);
}

/* ---- stiff drives ---- */

/* A servo of h² k / m = 1e4 holds its load where statics says, from the first step on, and in bounds before. */
static void stiff_servos_hold(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF2, AFX_BDF1, AFX_AUTO};
    for (int k = 0; k < 3; k++) {
        Rig rig = one_make(true, v3(0, 0, -GRAVITY));
        AfxDriveDef servo = drive_of(&rig, AFX_DRIVE_SERVO);
        double effort;
        servo.stiffness = 2e8;
        servo.damping = 1e5;
        servo.effort = 1e6;
        add(&rig, &servo);
        AfxSimDef def = reduced_def(methods[k], 0.01);
        rig_start(&rig, &def);
        uint32_t flags;
        rig_run(&rig, 100, &flags);
        assert_false(flags & AFX_STEP_EXPLICIT);
        double angle = rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0);
        assert_near(angle, 2 * GRAVITY / servo.stiffness, 1e-12);
        assert_ok(afx_sim_drive_effort(rig.sim, 0, &effort));
        assert_near(effort, -2 * GRAVITY, 1e-6);
        rig_free(&rig);
    }
}

/* A servo that cannot carry it lets it fall: m l² a = m g l cos x - effort. */
static void servos_give_all_they_have(void **state) {
    (void)state;
    Rig rig = one_make(false, v3(GRAVITY, 0, 0));
    AfxDriveDef servo = drive_of(&rig, AFX_DRIVE_SERVO);
    servo.stiffness = 1e5;
    servo.damping = 1e3;
    servo.effort = 2 * 0.25 * GRAVITY;
    add(&rig, &servo);
    AfxSimDef def = reduced_def(AFX_BDF2, 0.005);
    rig_start(&rig, &def);
    rig_run(&rig, 200, NULL);
    assert_near(rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0), 0.5 * 0.75 * GRAVITY, 0.03);
    assert_near(rate_of(&rig), 0.75 * GRAVITY, 0.03);
    rig_free(&rig);
}

/* ---- limits ---- */

static Rig limited_make(double restitution) {
    Rig rig = one_make(false, v3(GRAVITY, 0, 0));
    AfxDriveDef limit = drive_of(&rig, AFX_DRIVE_LIMIT);
    limit.lower = -10;
    limit.upper = 0.5;
    limit.restitution = restitution;
    add(&rig, &limit);
    return rig;
}

/* A body that falls 0.5 m on a limit leaves with e times its speed, and at last rests there with its weight. */
static void limits_stop_and_bounce(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.6};
    for (int k = 0; k < 4; k++) {
        double e = restitutions[k % 2], dt = 0.001, highest = 0.5, energy_before, effort;
        Rig rig = limited_make(e);
        AfxSimDef def = reduced_def(k < 2 ? AFX_BDF2 : AFX_AUTO, dt);
        AfxStepReport report;
        rig_start(&rig, &def);
        energy_before = rig_energy(&rig);
        bool met = false, smooth = true;
        for (int s = 0; s < 3000; s++) {
            assert_ok(afx_step(rig.sim, &report));
            double x = rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0);
            smooth = smooth && (met || report.flags & (AFX_STEP_EXPLICIT | AFX_STEP_IMPACT));
            met = met || report.flags & AFX_STEP_IMPACT;
            assert_below(x, 0.5 + 1e-10);
            assert_below(rig_energy(&rig), energy_before + 1e-9);
            highest = met && s < 700 ? fmin(highest, x) : highest;
        }
        assert_true(met && (k < 2 || smooth));
        assert_near(highest, 0.5 - e * e * 0.5, 6e-3);
        assert_near(rate_of(&rig), 0, 1e-9);
        assert_ok(afx_sim_drive_effort(rig.sim, 0, &effort));
        assert_near(effort, -2 * GRAVITY, 1e-6);
        rig_free(&rig);
    }
}

/* ---- friction ---- */

/* A sliding body stops after m v² / 2 f, and stays; a pull below f does not move it, one above does. */
static void friction_slides_and_sticks(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF2, AFX_AUTO};
    for (int k = 0; k < 2; k++) {
        Rig rig = one_make(false, v3(0, 0, 0));
        AfxDriveDef friction = drive_of(&rig, AFX_DRIVE_FRICTION);
        AfxDriveDef pull = drive_of(&rig, AFX_DRIVE_FORCE);
        double speed = 2, effort;
        friction.effort = 5;
        pull.from_input = true;
        add(&rig, &friction);
        add(&rig, &pull);
        AfxSimDef def = reduced_def(methods[k], 0.001);
        rig_start(&rig, &def);
        assert_ok(afx_sim_set_dof_velocities(rig.sim, &speed));
        rig_run(&rig, 1000, NULL);
        double x = rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0);
        assert_near(x, 2 * speed * speed / (2 * 5), 3e-3);
        assert_near(rate_of(&rig), 0, 1e-12);
        assert_ok(afx_sim_set_drive_target(rig.sim, 1, 4.9, 0));
        rig_run(&rig, 200, NULL);
        assert_near(rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0), x, 1e-10);
        assert_ok(afx_sim_drive_effort(rig.sim, 0, &effort));
        assert_near(effort, -4.9, 1e-9);
        assert_ok(afx_sim_set_drive_target(rig.sim, 1, 7, 0));
        rig_run(&rig, 1000, NULL);
        assert_near(rate_of(&rig), 1, 3e-3);
        rig_free(&rig);
    }
}

/* ---- all of it ---- */

/* A chain of hinges that strikes its limits, rubs and is driven. */
static Rig busy_make(void) {
    Rig rig = rig_make(v3(0.4, 0, -GRAVITY));
    AfxBodyId last = afx_world();
    for (int k = 0; k < 4; k++) {
        AfxBodyDef def = rigid_def(1, 0.02, 0.09, 0.1);
        def.pose.position = v3(k + 0.5, 0, 0);
        AfxBodyId body = rig_body(&rig, &def);
        AfxDriveDef drive;
        AfxJointId joint =
            rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, (AfxPose){v3(k, 0, 0), q_about(v3(0, 0, 1), PI / 2)});
        drive = afx_default_drive(AFX_DRIVE_LIMIT);
        drive.joint = joint;
        drive.lower = -0.3;
        drive.upper = 0.4 + 0.1 * k;
        drive.restitution = k == 1 ? 0.5 : 0;
        add(&rig, &drive);
        drive = afx_default_drive(k % 2 ? AFX_DRIVE_FRICTION : AFX_DRIVE_SPRING);
        drive.joint = joint;
        drive.effort = 0.3;
        drive.damping = 0.2;
        add(&rig, &drive);
        last = body;
    }
    return rig;
}

static void a_chain_at_its_limits_gains_nothing(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF2, AFX_AUTO, AFX_BDF1};
    const double steps[] = {0.01, 0.002};
    for (int k = 0; k < 6; k++) {
        Rig rig = busy_make();
        AfxSimDef def = reduced_def(methods[k % 3], steps[k / 3]);
        def.accuracy = k < 3 ? AFX_FAST : AFX_ACCURATE;
        rig_start(&rig, &def);
        double last = rig_energy(&rig), gained = 0;
        for (int s = 0; s < 400; s++) {
            rig_run(&rig, 1, NULL);
            double now = rig_energy(&rig);
            gained = fmax(gained, now - last);
            last = now;
            for (uint32_t j = 0; j < 4; j++) {
                double x = rig_coordinate(&rig, afx_scene_joint(rig.scene, j), 0);
                assert_true(x >= -0.3 - 1e-9 && x <= 0.4 + 0.1 * j + 1e-9);
            }
        }
        print_message("method %d: energy grows by at most %.2g J in a step\n", k, gained);
        assert_below(gained, 1e-3);
        rig_free(&rig);
    }
}

/* It comes to where the affine engines bring it, but for what friction holds. */
static void a_chain_at_its_limits_comes_to_the_same_rest(void **state) {
    (void)state;
    Rig rig = busy_make();
    AfxPose end[2][4];
    for (int k = 0; k < 2; k++) {
        AfxSimDef def = k ? reduced_def(AFX_AUTO, 0.002) : accurate_def(AFX_BDF2, 0.002);
        rig_start(&rig, &def);
        rig_run(&rig, 3000, NULL);
        for (uint32_t j = 0; j < 4; j++) {
            end[k][j] = rig_pose(&rig, afx_scene_body(rig.scene, j));
        }
    }
    for (uint32_t j = 0; j < 4; j++) {
        assert_vec3(end[1][j].position, end[0][j].position, 1e-2);
    }
    rig_free(&rig);
}

static void implicit_snapshots_go_on_bit_for_bit(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF2, AFX_AUTO};
    for (int m = 0; m < 2; m++) {
        Rig rig = busy_make();
        AfxSimDef def = reduced_def(methods[m], 0.004);
        double end[2][48];
        rig_start(&rig, &def);
        rig_run(&rig, 37, NULL);
        size_t size = afx_sim_snapshot_size(rig.sim);
        void *half = malloc(size);
        assert_ok(afx_sim_snapshot(rig.sim, half, size));
        for (int k = 0; k < 2; k++) {
            rig_run(&rig, 60, NULL);
            memcpy(end[k], afx_sim_coordinates(rig.sim), sizeof end[k]);
            rig_start(&rig, &def); /* another sim */
            assert_ok(afx_sim_restore(rig.sim, half, size));
        }
        assert_memory_equal(end[0], end[1], sizeof end[0]);
        free(half);
        rig_free(&rig);
    }
}

/* A body that nothing acts on keeps its velocity where a sim in which it is heavier takes over from a snapshot. */
static void snapshots_go_on_with_other_masses(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF1, AFX_BDF2, AFX_AUTO, AFX_GAUSS2, AFX_ALPHA};
    for (int k = 0; k < 5; k++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        AfxSimDef sim = accurate_def(methods[k], 0.01);
        double mass = 3;
        AfxSim *other = NULL;
        def.linear_velocity = v3(1, -2, 0.5);
        rig_body(&rig, &def);
        sim.formulation = AFX_REDUCED;
        rig_start(&rig, &sim);
        rig_run(&rig, 5, NULL);
        size_t size = afx_sim_snapshot_size(rig.sim);
        void *kept = malloc(size);
        assert_non_null(kept);
        assert_ok(afx_sim_snapshot(rig.sim, kept, size));
        assert_ok(afx_sim_create(rig.model, &sim, &other));
        assert_ok(afx_sim_set_param(other, AFX_PARAM_BODY_MASS, 0, &mass));
        assert_ok(afx_sim_restore(other, kept, size));
        for (int n = 0; n < 5; n++) {
            assert_ok(afx_step(other, NULL));
            const double *v = afx_sim_velocities(other) + 9;
            assert_true(fabs(v[0] - 1) + fabs(v[1] + 2) + fabs(v[2] - 0.5) < 1e-12);
        }
        free(kept);
        afx_sim_destroy(other);
        rig_free(&rig);
    }
}

/* Light links on servos that have less effort than their gains ask for: branches of several change at once, and a step
 * in which they do not settle is cut. It comes to where small steps do. */
static Rig saturated_make(void) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (int k = 0; k < 6; k++) {
        AfxBodyDef def = rigid_def(k < 3 ? 3 : 0.3, k < 3 ? 0.03 : 4e-4, k < 3 ? 0.03 : 4e-4, k < 3 ? 0.03 : 4e-4);
        AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
        AfxDriveId id;
        def.pose.position = v3(0.3 * k + 0.15, 0, 0);
        AfxBodyId body = rig_body(&rig, &def);
        AfxPose frame = {v3(0.3 * k, 0, 0), q_about(v3(k % 2, 1 - k % 2, 0.3), 1)};
        servo.joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, frame);
        servo.stiffness = 2000;
        servo.damping = 200;
        servo.effort = k < 3 ? 87 : 12;
        servo.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.2, 5, 0.5 * k}};
        assert_ok(afx_scene_add_drive(rig.scene, &servo, &id));
        last = body;
    }
    return rig;
}

static void servos_that_saturate_do_not_stop_a_run(void **state) {
    (void)state;
    AfxVec3 place[3];
    for (int k = 0; k < 3; k++) {
        const double steps[3] = {0.002, 0.001, 0.00025};
        Rig rig = saturated_make();
        AfxSimDef def = sim_def(AFX_BDF2, steps[k]);
        uint32_t flags = 0;
        def.formulation = AFX_REDUCED;
        rig_start(&rig, &def);
        for (int s = 0; s < (int)lround(0.4 / steps[k]); s++) {
            uint32_t now = 0;
            rig_run(&rig, 1, &now);
            flags |= now;
        }
        assert_true(k || flags & AFX_STEP_SUBSTEPPED);
        place[k] = rig_pose(&rig, afx_scene_body(rig.scene, 5)).position;
        rig_free(&rig);
    }
    double apart[2] = {vec3_length(vec3_sub(place[0], place[2])), vec3_length(vec3_sub(place[1], place[2]))};
    print_message("apart %.3g, %.3g m\n", apart[0], apart[1]);
    assert_true(apart[0] < 3e-3 && apart[1] < 0.5 * apart[0]);
}

int run_implicit_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_of_second_order),
        cmocka_unit_test(stiff_servos_hold),
        cmocka_unit_test(servos_give_all_they_have),
        cmocka_unit_test(limits_stop_and_bounce),
        cmocka_unit_test(friction_slides_and_sticks),
        cmocka_unit_test(a_chain_at_its_limits_gains_nothing),
        cmocka_unit_test(a_chain_at_its_limits_comes_to_the_same_rest),
        cmocka_unit_test(implicit_snapshots_go_on_bit_for_bit),
        cmocka_unit_test(snapshots_go_on_with_other_masses),
        cmocka_unit_test(servos_that_saturate_do_not_stop_a_run),
    };
    return cmocka_run_group_tests_name("implicit", tests, NULL, NULL);
}

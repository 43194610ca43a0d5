/* SPDX-License-Identifier: Apache-2.0 */
/* Several drives at once: two motors that agree share their torque; what drives put in is what the energy gains; a
 * snapshot of all of them goes on bit for bit, and no step allocates. */
#include "driven.h"
#include "support/allocator.h"

static const double gravity = 9.81;

/* A parallelogram of three bars of 1 m and 1 kg, both cranks upright at angle 0 about y. */
static void add_bars(Rig *rig, AfxJointId out[4]) {
    AfxVec3 y = v3(0, 1, 0), at[4] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 0, 1), v3(1, 0, 1)};
    AfxBodyId bar[3];
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = k == 2 ? v3(0.5, 0, 1) : v3(k, 0, 0.5);
        bar[k] = rig_body(rig, &def);
    }
    out[0] = rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), bar[0], afx_frame_along(at[0], y));
    out[1] = rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), bar[1], afx_frame_along(at[1], y));
    out[2] = rig_joint(rig, AFX_JOINT_REVOLUTE, bar[0], bar[2], afx_frame_along(at[2], y));
    out[3] = rig_joint(rig, AFX_JOINT_REVOLUTE, bar[1], bar[2], afx_frame_along(at[3], y));
}

/* Two motors that agree share the torque: (2 I + 1) a" - 2 g sin a, I of a bar about its end. */
static void two_motors_drive_a_four_bar(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint[4];
    add_bars(&rig, joint);
    AfxSignal signal = signal_polynomial(0, 0, 0.5, 0.3);
    uint32_t left = add_target(&rig, AFX_DRIVE_POSITION, joint[0], 0, signal);
    uint32_t right = add_target(&rig, AFX_DRIVE_POSITION, joint[1], 0, signal);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 2e-3);
    uint32_t flags;
    rig_start(&rig, &sim);
    for (int n = 0; n < 500; n++) {
        double value, bend, a, b;
        assert_below(rig_run(&rig, 1, &flags), 1e-10);
        assert_false(flags & (AFX_STEP_FAILED | AFX_STEP_HALVED | AFX_STEP_LOOSE));
        assert_ok(afx_signal_evaluate(&signal, afx_sim_time(rig.sim), &value, NULL, &bend));
        a = effort_of(&rig, left);
        b = effort_of(&rig, right);
        assert_near(rig_coordinate(&rig, joint[0], 0), value, 1e-10);
        assert_near(rig_coordinate(&rig, joint[1], 0), value, 1e-10);
        assert_near(a + b, (2 * 0.35 + 1) * bend - 2 * gravity * sin(value), 1e-2);
        assert_below(fabs(a) + fabs(b), 100);
    }
    assert_true(rig_finite(&rig));
    rig_free(&rig);
}

/* ---- energy ---- */

/* Trapezoids under effort times rate of a drive. */
typedef struct Work {
    double sum, power;
} Work;

static void work_add(Work *work, double power, double h) {
    work->sum += h * (power + work->power) / 2;
    work->power = power;
}

/* Two bars under gravity, the first turned by a motor (a force or a prescribed angle), a damper and a spring between
 * them: how far the books are from closing, at any time. */
static double energy_gap(AfxDriveKind motor_kind, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxVec3 y = v3(0, 1, 0);
    AfxBodyDef def = rigid_def(1, 0.02, 0.1, 0.1);
    def.pose.position = v3(0.5, 0, 0);
    AfxBodyId first = rig_body(&rig, &def);
    def.pose.position = v3(1.5, 0, 0);
    AfxBodyId second = rig_body(&rig, &def);
    AfxJointId crank = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), first, afx_frame_along(v3(0, 0, 0), y));
    AfxJointId elbow = rig_joint(&rig, AFX_JOINT_REVOLUTE, first, second, afx_frame_along(v3(1, 0, 0), y));
    bool position = motor_kind == AFX_DRIVE_POSITION;
    uint32_t motor = add_target(&rig, motor_kind, crank, 0,
                                position ? signal_sine(0.8, 0.8, 0.5, -PI / 2) : signal_sine(8, 6, 1, 1));
    AfxDriveDef soft = afx_default_drive(AFX_DRIVE_SPRING);
    soft.joint = elbow;
    soft.stiffness = 20;
    soft.damping = 0.8;
    soft.rest = 0.3;
    add_drive(&rig, &soft);
    AfxSimDef sim = accurate_def(integrator, dt);
    Work in = {0}, lost = {0};
    double gap = 0, begin = 0;
    rig_start(&rig, &sim);
    begin = rig_energy(&rig) + 0.5 * 20 * 0.3 * 0.3;
    in.power = 0; /* at rest */
    for (int n = 0; n < (int)lround(1.5 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double bend = rig_coordinate(&rig, elbow, 0) - 0.3, rate = rate_of(&rig, elbow);
        work_add(&in, effort_of(&rig, motor) * rate_of(&rig, crank), dt);
        work_add(&lost, 0.8 * rate * rate, dt);
        gap = fmax(gap, fabs(rig_energy(&rig) + 10 * bend * bend - begin - in.sum + lost.sum));
    }
    assert_true(fabs(in.sum) > 1 && lost.sum > 0.05); /* there was something to account for */
    rig_free(&rig);
    return gap;
}

static void the_books_of_energy_close(void **state) {
    (void)state;
    static const AfxDriveKind motors[2] = {AFX_DRIVE_FORCE, AFX_DRIVE_POSITION};
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double gap[3];
        for (int r = 0; r < 3; r++) {
            gap[r] = energy_gap(motors[k & 1], methods[k >> 1], 4e-3 / (1 << r));
        }
        print_message("energy, %s, %s: %.2g %.2g %.2g J\n", k & 1 ? "position" : "force", k & 2 ? "alpha" : "bdf2",
                      gap[0], gap[1], gap[2]);
        assert_below(gap[2], 1e-2);
        assert_true(slope(gap[0], gap[1]) > 1.7);
        assert_true(slope(gap[1], gap[2]) > 1.7);
    }
}

/* ---- snapshots and memory ---- */

/* One joint of each: sine-driven, velocity-driven, velocity from input, saturated servo, a stop that is reached, one
 * that bounces, friction, a coupling, a point spring. */
static Rig busy_rig(uint32_t *out_input) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint[8];
    AfxVec3 y = v3(0, 1, 0);
    for (int k = 0; k < 8; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = v3(0.5, 0.1 * k, 0);
        AfxBodyId body = rig_body(&rig, &def);
        joint[k] = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0.1 * k, 0), y));
        if (k == 7) {
            AfxSpringDef spring = afx_default_spring();
            AfxSpringId id;
            spring.body_a = body;
            spring.body_b = afx_world();
            spring.point_b = v3(0, 0.1 * k, 1);
            spring.stiffness = 50;
            spring.damping = 1;
            assert_ok(afx_scene_add_spring(rig.scene, &spring, &id));
        }
    }
    add_target(&rig, AFX_DRIVE_POSITION, joint[0], 0, signal_sine(0, 2, 1, 0));
    add_target(&rig, AFX_DRIVE_VELOCITY, joint[1], 0, signal_sine(1, 5, 1, 0));
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_VELOCITY);
    def.joint = joint[2];
    def.from_input = true;
    *out_input = add_drive(&rig, &def);
    def = afx_default_drive(AFX_DRIVE_SERVO);
    def.joint = joint[3];
    def.target = signal_constant(-1);
    def.stiffness = 100;
    def.damping = 2;
    def.effort = 6;
    add_drive(&rig, &def);
    for (int k = 4; k < 6; k++) {
        def = afx_default_drive(AFX_DRIVE_LIMIT);
        def.joint = joint[k];
        def.lower = -0.1;
        def.upper = 0.6;
        def.restitution = k == 4 ? 0 : 0.7;
        add_drive(&rig, &def);
    }
    def = afx_default_drive(AFX_DRIVE_FRICTION);
    def.joint = joint[6];
    def.effort = 1;
    def.coefficient = 0.2;
    def.radius = 0.1;
    add_drive(&rig, &def);
    AfxCouplingDef coupling = afx_default_coupling();
    AfxCouplingId id;
    coupling.term_count = 2;
    coupling.joint[0] = joint[6];
    coupling.joint[1] = joint[7];
    coupling.factor[0] = 2;
    coupling.factor[1] = -1;
    assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
    return rig;
}

static void busy_run(Rig *rig, uint32_t input, int from, int to) {
    for (int n = from; n < to; n++) {
        assert_ok(afx_sim_set_drive_target(rig->sim, input, 3 * sin(0.05 * n), 0));
        assert_below(rig_run(rig, 1, NULL), 1e-10);
    }
}

static void a_snapshot_goes_on_bit_for_bit(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    uint32_t input;
    Rig rig = busy_rig(&input);
    for (size_t k = 0; k < COUNT(methods); k++) {
        AfxSimDef sim = sim_def(methods[k], 0.01);
        rig_start(&rig, &sim);
        size_t size = afx_sim_snapshot_size(rig.sim), numbers = 12 * (size_t)afx_model_body_count(rig.model);
        size_t bytes = 2 * numbers * sizeof(double);
        void *buffer = malloc(size);
        double *want = malloc(bytes), coordinates[2][8], effort[2][8];
        assert_non_null(buffer);
        assert_non_null(want);
        for (int at = 37; at < 140; at += 17) { /* at rest on the stop, in flight, saturated, sliding */
            rig_start(&rig, &sim);
            busy_run(&rig, input, 0, at);
            assert_ok(afx_sim_snapshot(rig.sim, buffer, size));
            busy_run(&rig, input, at, at + 60);
            memcpy(want, afx_sim_coordinates(rig.sim), bytes / 2);
            memcpy(want + numbers, afx_sim_velocities(rig.sim), bytes / 2);
            assert_ok(afx_sim_joint_coordinates(rig.sim, coordinates[0]));
            for (uint32_t d = 0; d < 7; d++) {
                effort[0][d] = effort_of(&rig, d);
            }
            for (int again = 0; again < 2; again++) { /* into the sim that went on, and into a new one */
                if (again) {
                    rig_start(&rig, &sim);
                }
                assert_ok(afx_sim_restore(rig.sim, buffer, size));
                busy_run(&rig, input, at, at + 60);
                assert_memory_equal(afx_sim_coordinates(rig.sim), want, bytes / 2);
                assert_memory_equal(afx_sim_velocities(rig.sim), want + numbers, bytes / 2);
                assert_ok(afx_sim_joint_coordinates(rig.sim, coordinates[1]));
                assert_memory_equal(coordinates[0], coordinates[1], sizeof coordinates[0]);
                for (uint32_t d = 0; d < 7; d++) {
                    effort[1][d] = effort_of(&rig, d);
                }
                assert_memory_equal(effort[0], effort[1], 7 * sizeof effort[0][0]);
            }
        }
        free(buffer);
        free(want);
    }
    rig_free(&rig);
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    TestAllocator counts = {0};
    uint32_t input;
    Rig rig = busy_rig(&input);
    AfxSimDef sim = afx_default_sim();
    sim.allocator = test_allocator(&counts);
    rig_start(&rig, &sim);
    uint64_t calls = counts.calls, frees = counts.frees;
    busy_run(&rig, input, 0, 150);
    assert_int_equal(counts.calls, calls);
    assert_int_equal(counts.frees, frees);
    rig_free(&rig);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

int run_drive_motors_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_motors_drive_a_four_bar),
        cmocka_unit_test(the_books_of_energy_close),
        cmocka_unit_test(a_snapshot_goes_on_bit_for_bit),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

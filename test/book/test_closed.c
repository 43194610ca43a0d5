/* SPDX-License-Identifier: Apache-2.0 */
/* The book against closed forms, with every integrator. */
#include "tests.h"

static const AfxIntegrator methods[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};

/* What is the integrator's is small beside what moved: 2 % for the first order, 0.5 % for the others. */
static void assert_clean(AfxIntegrator method, const AfxEnergyBook *book, double scale) {
    assert_near(book->integrator, 0, (method == AFX_BDF1 ? 0.1 : method == AFX_SDIRK2 ? 0.03 : 0.015) * scale);
}

/* A pendulum with a damper in its hinge: the damper takes what is lost. */
static void test_damper(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxBodyId ball = rig_ball(&rig, 2, v3(1, 0, 0));
        AfxPose frame = afx_frame_along(v3(0, 0, 0), v3(0, 1, 0));
        AfxJointId hinge = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), ball, frame);
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SPRING);
        drive.damping = 1;
        rig_drive(&rig, hinge, drive);
        rig.def.integrator = methods[k];
        rig.def.accuracy = AFX_ACCURATE;
        rig.def.dt = 0.001;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 2);
        assert_clean(methods[k], &book, 12.5);
        assert_near(book.dampers, book.change, 0.04 * 12.5);
        assert_near(book.dampers, -12.548, methods[k] == AFX_BDF1 ? 0.25 : 0.08); /* by steps of 1e-5 s */
        rig_free(&rig);
    }
}

/* A servo lifts 2 kg by 0.5 m, and brings it to rest: m g h. */
static void test_servo(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxBodyId ball = rig_ball(&rig, 2, v3(0, 0, 0));
        AfxJointId slide =
            rig_joint(&rig, AFX_JOINT_PRISMATIC, afx_world(), ball, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SERVO);
        drive.target.coefficients[0] = 0.5;
        drive.stiffness = 400;
        drive.damping = 50;
        rig_drive(&rig, slide, drive);
        rig.def.integrator = methods[k];
        rig.def.dt = 0.002;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 3);
        assert_clean(methods[k], &book, 2 * GRAVITY * 0.5);
        /* It hangs below its target by m g / k. */
        double high = 0.5 - 2 * GRAVITY / 400;
        assert_near(book.servos, 2 * GRAVITY * high, methods[k] == AFX_BDF1 ? 0.8 : 0.03);
        rig_free(&rig);
    }
}

static AfxBodyId add_ground(Rig *rig, double angle, AfxBodyKind kind) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef plane = afx_default_plane();
    AfxBodyId id;
    def.kind = kind;
    def.pose.rotation = q_about(v3(0, 1, 0), angle);
    assert_ok(afx_scene_set_contact(rig->scene, true));
    if (kind == AFX_BODY_KINEMATIC) {
        def.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 1}};
    }
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &plane));
    return id;
}

static AfxBodyId add_box(Rig *rig, AfxVec3 at, AfxQuat rotation) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_box(0.4, 0.4, 0.2);
    AfxBodyId id;
    def.young = INFINITY;
    def.pose = (AfxPose){at, rotation};
    shape.mass = 3;
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &shape));
    return id;
}

/* A block slides down an incline: friction takes mu m g cos(angle) times the way. */
static void test_incline(void **state) {
    double angle = 0.6;
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxMaterialDef material = afx_default_material();
        material.friction = 0.3;
        assert_ok(afx_scene_set_material(rig.scene, afx_scene_material(rig.scene, 0), &material));
        AfxQuat turn = q_about(v3(0, 1, 0), angle);
        add_ground(&rig, angle, AFX_BODY_FIXED);
        AfxBodyId box = add_box(&rig, q_rotate(turn, v3(0, 0, 0.1)), turn);
        rig.def.integrator = methods[k];
        rig.def.dt = 0.002;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 1);
        AfxPose pose;
        assert_ok(afx_sim_body_pose(rig.sim, box.index, &pose));
        double way = v3_distance(pose.position, q_rotate(turn, v3(0, 0, 0.1)));
        double lost = 0.3 * 3 * GRAVITY * cos(angle) * way;
        assert_near(book.contact_friction, -lost, 0.006 * lost);
        assert_near(book.contact_normal, 0, 1e-4 * lost);
        assert_clean(methods[k], &book, lost);
        rig_free(&rig);
    }
}

/* A ball drops on the ground and bounces: (1 - e²) of what it came with is gone. */
static void test_bounce(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxMaterialDef material = afx_default_material();
        material.restitution = 0.6;
        assert_ok(afx_scene_set_material(rig.scene, afx_scene_material(rig.scene, 0), &material));
        add_ground(&rig, 0, AFX_BODY_FIXED);
        rig_ball(&rig, 2, v3(0, 0, 1.1));
        rig.def.integrator = methods[k];
        rig.def.dt = 0.001;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 0.6);
        double came = 2 * GRAVITY * 1, lost = (1 - 0.36) * came;
        assert_near(book.contact_normal + book.impacts, -lost, 0.005 * came);
        assert_true(book.impacts > 0 && book.contact_normal < -lost);
        assert_clean(methods[k], &book, came);
        rig_free(&rig);
    }
}

/* A box on a belt of 1 m/s: the belt gives m v², friction keeps half of it. */
static void test_conveyor(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        add_ground(&rig, 0, AFX_BODY_KINEMATIC);
        add_box(&rig, v3(0, 0, 0.1), (AfxQuat){1, 0, 0, 0});
        rig.def.integrator = methods[k];
        rig.def.dt = 0.002;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 1);
        assert_near(book.kinematic, 3, 0.05);
        assert_near(book.contact_friction, -1.5, 0.06);
        assert_clean(methods[k], &book, 3);
        rig_free(&rig);
    }
}

/* A base that rises by 0.4 m/s carries a ball by a fixed joint. */
static void test_lift(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        for (int chain = 0; chain < 2; chain++) {
            Rig rig = rig_make();
            AfxBodyDef def = afx_default_body();
            AfxBodyId base;
            def.kind = AFX_BODY_KINEMATIC;
            def.motion.translation[2] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 0, 0.5}};
            assert_ok(afx_scene_add_body(rig.scene, &def, &base));
            AfxBodyId last = base;
            for (int n = 0; n < (chain ? 12 : 1); n++) {
                AfxBodyId ball = rig_ball(&rig, 2, v3(0, 0, -0.3 * n - 0.15));
                AfxPose frame = {v3(0, 0, -0.3 * n), {1, 0, 0, 0}};
                rig_joint(&rig, chain ? AFX_JOINT_SPHERICAL : AFX_JOINT_FIXED, last, ball, frame);
                last = ball;
            }
            rig.def.integrator = methods[k];
            rig.def.dt = 0.002;
            rig_start(&rig);
            AfxEnergyBook book = rig_run(&rig, 1);
            double mass = chain ? 24 : 2, given = mass * (GRAVITY * 0.5 + 0.5 * 1.5 * 1.5);
            assert_near(book.kinematic, given, 0.003 * given);
            assert_clean(methods[k], &book, given);
            rig_free(&rig);
        }
    }
}

/* A ball on a slide, along z or x, and a drive on it. */
static AfxJointId rig_slide(Rig *rig, double mass, AfxVec3 axis) {
    AfxBodyId ball = rig_ball(rig, mass, v3(0, 0, 0));
    return rig_joint(rig, AFX_JOINT_PRISMATIC, afx_world(), ball, afx_frame_along(v3(0, 0, 0), axis));
}

/* Drives of each kind lift 2 kg: what they give is m g h and the energy of the motion. */
static void test_drives(void **state) {
    static const AfxDriveKind kinds[] = {AFX_DRIVE_POSITION, AFX_DRIVE_VELOCITY, AFX_DRIVE_FORCE};
    (void)state;
    for (size_t k = 0; k < COUNT(methods) * COUNT(kinds); k++) {
        Rig rig = rig_make();
        AfxDriveKind kind = kinds[k % COUNT(kinds)];
        AfxIntegrator method = methods[k / COUNT(kinds)];
        AfxDriveDef drive = afx_default_drive(kind);
        drive.target.kind = AFX_SIGNAL_POLYNOMIAL;
        drive.target.coefficients[3] = kind == AFX_DRIVE_POSITION ? 1 : 0;
        drive.target.coefficients[2] = kind == AFX_DRIVE_VELOCITY ? 3 : 0;
        drive.target.coefficients[0] = kind == AFX_DRIVE_FORCE ? 2 * GRAVITY + 4 : 0;
        rig_drive(&rig, rig_slide(&rig, 2, v3(0, 0, 1)), drive);
        rig.def.integrator = method;
        rig.def.dt = 0.002;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 1);
        double speed = kind == AFX_DRIVE_FORCE ? 2 : 3; /* after 1 m */
        double given = 2 * GRAVITY * 1 + speed * speed;
        double got = kind == AFX_DRIVE_POSITION   ? book.position_drives
                     : kind == AFX_DRIVE_VELOCITY ? book.velocity_drives
                                                  : book.force_drives;
        assert_near(got, given, 0.01 * given);
        assert_near(book.position_drives + book.velocity_drives + book.force_drives, got, 1e-12);
        assert_clean(method, &book, given);
        rig_free(&rig);
    }
}

/* A ball runs along x into a limit at 0.5 m, with 2 m/s and against friction of 1 N: friction takes 0.5 J, the limit
 * (1 - e²) of the rest, and friction again on the way back. */
static void test_limit(void **state) {
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxJointId slide = rig_slide(&rig, 2, v3(1, 0, 0));
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT), friction = afx_default_drive(AFX_DRIVE_FRICTION);
        AfxBodyDef def;
        double e = k % 2 ? 0.5 : 0;
        limit.lower = -2;
        limit.upper = 0.5;
        limit.restitution = e;
        friction.effort = 1;
        rig_drive(&rig, slide, limit);
        rig_drive(&rig, slide, friction);
        assert_ok(afx_scene_get_body(rig.scene, afx_scene_body(rig.scene, 0), &def));
        def.linear_velocity = v3(2, 0, 0);
        assert_ok(afx_scene_set_body(rig.scene, afx_scene_body(rig.scene, 0), &def));
        rig.def.integrator = methods[k / 2];
        rig.def.dt = 0.001;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 2);
        double came = 4 - 0.5, kept = e * e * came; /* all of which friction has taken by then */
        assert_near(book.limits + book.impacts, -(came - kept), 0.02 * came);
        assert_near(book.joint_friction, -0.5 - kept, 0.02);
        assert_clean(methods[k / 2], &book, 4);
        rig_free(&rig);
    }
}

/* A force on a ball that slides and a torque on one that turns: by every method they give `given`, and the motion has
 * it. */
static void check_wrenches(AfxWrenchDef push, AfxWrenchDef turn, double given) {
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxWrenchId id;
        assert_ok(afx_scene_set_gravity(rig.scene, v3(0, 0, 0)));
        push.body = rig_ball(&rig, 2, v3(0, 0, 0));
        turn.body = rig_ball(&rig, 2, v3(5, 0, 0));
        turn.frame = AFX_FRAME_BODY;
        assert_ok(afx_scene_add_wrench(rig.scene, &push, &id));
        assert_ok(afx_scene_add_wrench(rig.scene, &turn, &id));
        rig.def.integrator = methods[k];
        rig.def.dt = 0.001;
        rig.def.accuracy = AFX_ACCURATE;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 1);
        assert_near(book.wrenches, given, 0.005 * given);
        assert_near(book.kinetic, given, 0.005 * given);
        assert_clean(methods[k], &book, given);
        rig_free(&rig);
    }
}

/* A constant force of 3 N and a torque in the body's axes. */
static void test_wrench(void **state) {
    (void)state;
    AfxWrenchDef push = afx_default_wrench(), turn = afx_default_wrench();
    double inertia = 0.4 * 2 * 0.01;
    push.force = v3(3, 0, 0);
    turn.torque = v3(0, 0.02, 0);
    check_wrenches(push, turn, 0.5 * 9 / 2 + 0.5 * 0.02 * 0.02 / inertia);
}

/* A force that swings and a torque that grows give what the motion has: (3 sin(2 t) / 2)² / 2 m, and (t²/2 M)² / 2 I.
 */
static void test_wrench_of_time(void **state) {
    (void)state;
    AfxWrenchDef push = afx_default_wrench(), turn = afx_default_wrench();
    double inertia = 0.4 * 2 * 0.01, speed = 3 * sin(2) / 2 / 2, spin = 0.02 / inertia;
    push.force_signal[0] = (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = "3 * cos(2 * t)"};
    turn.torque_signal[1] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0.04}};
    check_wrenches(push, turn, 0.5 * 2 * speed * speed + 0.5 * inertia * spin * spin);
}

/* In steps that are long beside the force's period: the work of a step is the mean of both of its ends' forces along
 * the way. */
static void test_wrench_of_a_step(void **state) {
    (void)state;
    Rig rig = rig_make();
    assert_ok(afx_scene_set_gravity(rig.scene, v3(0, 0, 0)));
    AfxWrenchDef push = afx_default_wrench();
    AfxWrenchId id;
    push.body = rig_ball(&rig, 2, v3(0, 0, 0));
    push.force_signal[0] = (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = "3 * cos(2 * t)"};
    assert_ok(afx_scene_add_wrench(rig.scene, &push, &id));
    rig.def.dt = 0.2;
    rig_start(&rig);
    for (int n = 0; n < 5; n++) {
        AfxEnergyBook step;
        double before = afx_sim_coordinates(rig.sim)[9], t = afx_sim_time(rig.sim);
        assert_ok(afx_step(rig.sim, NULL));
        assert_ok(afx_sim_energy_book(rig.sim, &step, NULL));
        double way = afx_sim_coordinates(rig.sim)[9] - before, mean = 1.5 * (cos(2 * t) + cos(2 * t + 0.4));
        assert_near(step.wrenches, mean * way, 1e-12);
    }
    rig_free(&rig);
}

/* A ball held by a spring and a damper from rest: when it has settled, the hold has done m g times the way up. */
static void test_hold(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        rig_ball(&rig, 2, v3(0, 0, 0));
        rig.def.integrator = methods[k];
        rig.def.dt = 0.002;
        rig_start(&rig);
        assert_ok(afx_sim_hold(rig.sim, 0, v3(0, 0, 0), v3(0, 0, 0.3), 400, 60));
        AfxEnergyBook book = rig_run(&rig, 3);
        double way = 0.3 - 2 * GRAVITY / 400;
        assert_near(book.change, 2 * GRAVITY * way, 1e-3);
        assert_near(book.holds, book.change, 0.25); /* the force of the end of a step */
        rig_free(&rig);
    }
}

/* Springs of all kinds give back what they took, but for their dampers: stored energy against its definition. */
static void test_springs(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        Rig rig = rig_make();
        AfxBodyId ball = rig_ball(&rig, 2, v3(1, 0, 0)), other = rig_ball(&rig, 1, v3(3, 0, 0));
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        AfxSpringDef spring = afx_default_spring();
        AfxJointId joint_id;
        AfxSpringId spring_id;
        joint.base = afx_world();
        joint.follower = ball;
        joint.spring = (AfxJointSpring){v3(30, 30, 30), v3(1, 1, 1), {1, 0, 0, 0}};
        assert_ok(afx_joint_place(rig.scene, &joint, (AfxPose){{0, 0, 0}, {1, 0, 0, 0}}));
        assert_ok(afx_scene_add_joint(rig.scene, &joint, &joint_id));
        spring.body_a = other;
        spring.body_b = afx_world();
        spring.point_b = v3(3, 0, 1);
        spring.rest_length = 0.9;
        spring.stiffness = 100;
        spring.damping = 2;
        assert_ok(afx_scene_add_spring(rig.scene, &spring, &spring_id));
        rig.def.integrator = methods[k];
        rig.def.dt = 0.0005;
        rig.def.accuracy = AFX_ACCURATE;
        rig_start(&rig);
        AfxEnergyBook book = rig_run(&rig, 0.7);
        AfxPose pose;
        assert_ok(afx_sim_body_pose(rig.sim, other.index, &pose));
        double stretch = v3_distance(pose.position, v3(3, 0, 1)) - 0.9, stored = 0.5 * 100 * stretch * stretch;
        assert_ok(afx_sim_body_pose(rig.sim, ball.index, &pose));
        double angle = q_distance(pose.rotation, (AfxQuat){1, 0, 0, 0});
        assert_near(book.springs, stored + 0.5 * 30 * angle * angle, 1e-6);
        assert_true(book.dampers < -0.5);
        assert_clean(methods[k], &book, -3 * book.dampers);
        rig_free(&rig);
    }
}

int run_closed_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damper),           cmocka_unit_test(test_servo), cmocka_unit_test(test_incline),
        cmocka_unit_test(test_bounce),           cmocka_unit_test(test_lift),  cmocka_unit_test(test_drives),
        cmocka_unit_test(test_conveyor),         cmocka_unit_test(test_limit), cmocka_unit_test(test_wrench),
        cmocka_unit_test(test_springs),          cmocka_unit_test(test_hold),  cmocka_unit_test(test_wrench_of_time),
        cmocka_unit_test(test_wrench_of_a_step),
    };
    return cmocka_run_group_tests_name("closed forms", tests, NULL, NULL);
}

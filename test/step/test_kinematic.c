/* SPDX-License-Identifier: Apache-2.0 */
/* Prescribed motion: at the end of every step pose and velocity are those of the signals, whatever the integrator;
 * targets set at run time; bodies that never move. */
#include "tests.h"

static AfxSignal polynomial(double c0, double c1, double c2, double c3) {
    return (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {c0, c1, c2, c3}};
}

static AfxSignal sine(double offset, double amplitude, double frequency, double phase) {
    return (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {offset, amplitude, frequency, phase}};
}

static AfxBodyDef moved_def(void) {
    AfxBodyDef def = odd_def();
    def.kind = AFX_BODY_KINEMATIC;
    def.linear_velocity = def.angular_velocity = v3(0, 0, 0);
    return def;
}

/* What the test knows of a motion: value and rate of the three translations and the angle. */
typedef struct Course {
    AfxVec3 shift, velocity;
    double angle, rate;
} Course;

static const AfxVec3 axis = {0, 3, 4}; /* not of unit length */

static void assert_course(const World *world, const AfxBodyDef *def, Course course, double tolerance) {
    AfxPose pose = pose_of(world, 0);
    AfxTwist twist = twist_of(world, 0);
    assert_vec3(pose.position, v3_add(def->pose.position, course.shift), tolerance);
    assert_vec3(twist.linear, course.velocity, 10 * tolerance);
    assert_vec3(twist.angular, v3_scale(course.rate / 5, axis), 10 * tolerance);
    AfxQuat turn = course.angle == 0 ? (AfxQuat){1, 0, 0, 0} : q_about(axis, course.angle);
    assert_below(q_distance(pose.rotation, q_multiply(turn, def->pose.rotation)), tolerance);
}

static void check_course(AfxMotion motion, Course (*course_at)(double t)) {
    AfxBodyDef def = moved_def();
    def.motion = motion;
    def.motion.axis = axis;
    World world = world_make(v3(0, 0, -9.81));
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        assert_course(&world, &def, course_at(0), 1e-12);
        for (int n = 1; n <= 300; n++) {
            world_run(&world, 1);
            assert_course(&world, &def, course_at(afx_sim_time(world.sim)), 1e-11);
        }
        assert_near(afx_sim_time(world.sim), 3, 1e-12);
    }
    world_free(&world);
}

static Course steady_course(double t) {
    return (Course){v3(2 * t, -t, 0.5 * t), v3(2, -1, 0.5), 0, 0};
}

static void constant_velocity(void **state) {
    (void)state;
    AfxMotion motion = {0};
    motion.translation[0] = polynomial(0, 2, 0, 0);
    motion.translation[1] = polynomial(0, -1, 0, 0);
    motion.translation[2] = polynomial(0, 0.5, 0, 0);
    check_course(motion, steady_course);
}

static Course cubic_course(double t) {
    return (Course){v3(1, t * t * t, 0), v3(0, 3 * t * t, 0), 0.3 + 2 * t - t * t, 2 - 2 * t};
}

static void polynomials_and_a_turn(void **state) {
    (void)state;
    AfxMotion motion = {0};
    motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {1}};
    motion.translation[1] = polynomial(0, 0, 0, 1);
    motion.angle = polynomial(0.3, 2, -1, 0);
    check_course(motion, cubic_course);
}

static Course sine_course(double t) {
    double tau = 2 * acos(-1), w = 2 * tau, u = 0.7 * tau;
    return (Course){v3(0, 0, 0.5 + 0.2 * sin(w * t + 0.3)), v3(0, 0, 0.2 * w * cos(w * t + 0.3)), 1.5 * sin(u * t),
                    1.5 * u * cos(u * t)};
}

static void sines(void **state) {
    (void)state;
    AfxMotion motion = {0};
    motion.translation[2] = sine(0.5, 0.2, 2, 0.3);
    motion.angle = sine(0, 1.5, 0.7, 0);
    check_course(motion, sine_course);
}

/* Samples of t^2: the slopes from parabolas are exact, and so is the cubic; held from 2 s on. */
static Course table_course(double t) {
    return t < 2 ? (Course){v3(t * t, 0, 0), v3(2 * t, 0, 0), t * t / 2, t} : (Course){v3(4, 0, 0), v3(0, 0, 0), 2, 0};
}

static void tables(void **state) {
    (void)state;
    static double times[9], values[9], angles[9];
    for (int k = 0; k < 9; k++) {
        times[k] = 0.25 * k + 0.003 * (k % 2); /* not evenly */
        times[8] = 2;
        values[k] = times[k] * times[k];
        angles[k] = values[k] / 2;
    }
    AfxMotion motion = {0};
    motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 9};
    motion.angle = (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = angles, .sample_count = 9};
    AfxBodyDef def = moved_def();
    def.motion = motion;
    def.motion.axis = axis;
    World world = world_make(v3(0, 0, 0));
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        for (int n = 1; n <= 300; n++) {
            world_run(&world, 1);
            if (n != 200) { /* the edge itself belongs to either side */
                assert_course(&world, &def, table_course(afx_sim_time(world.sim)), 1e-11);
            }
        }
    }
    world_free(&world);
}

/* The body's origin is not its centre of mass, and neither is at the world's: the turn is about the body's origin. */
static Course turn_course(double t) {
    return (Course){v3(0, 0, 0), v3(0, 0, 0), 4 * t, 4};
}

static void a_turn_leaves_the_origin_where_it_is(void **state) {
    (void)state;
    AfxMotion motion = {0};
    motion.angle = polynomial(0, 4, 0, 0);
    check_course(motion, turn_course);
}

static void targets_override_the_motion(void **state) {
    (void)state;
    AfxBodyDef def = moved_def();
    def.motion.translation[0] = polynomial(0, 2, 0, 0);
    World world = world_make(v3(0, 0, -9.81));
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        world_run(&world, 5);
        assert_near(pose_of(&world, 0).position.x, 1.1, 1e-12);
        for (int n = 1; n <= 20; n++) {
            AfxPose pose = {v3(1, 0.1 * n, 0), q_about(v3(1, 1, 0), 0.05 * n)};
            AfxTwist twist = {v3(0, 10, 0.1 * n), v3(1, 2, 3 * n)};
            assert_ok(afx_sim_set_body_target(world.sim, 0, pose, twist));
            world_run(&world, 1);
            assert_vec3(pose_of(&world, 0).position, pose.position, 1e-13);
            assert_below(q_distance(pose_of(&world, 0).rotation, pose.rotation), 1e-13);
            assert_vec3(twist_of(&world, 0).linear, twist.linear, 1e-12);
            assert_vec3(twist_of(&world, 0).angular, twist.angular, 1e-12);
        }
        world_run(&world, 10); /* holds */
        assert_vec3(pose_of(&world, 0).position, v3(1, 2, 0), 1e-13);
        assert_below(q_distance(pose_of(&world, 0).rotation, q_about(v3(1, 1, 0), 1)), 1e-13);
    }
    world_free(&world);
}

static void only_kinematic_bodies_take_targets(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef dynamic = odd_def(), fixed = moved_def();
    fixed.kind = AFX_BODY_FIXED;
    world_add(&world, &dynamic);
    world_add(&world, &fixed);
    AfxSimDef sim = sim_def(&methods[0], 0.01);
    AfxTwist twist = {0};
    world_start(&world, &sim);
    double *before = state_copy(&world);
    for (uint32_t k = 0; k < 3; k++) { /* the last one does not exist */
        assert_int_equal(afx_sim_set_body_target(world.sim, k, afx_pose_identity(), twist), AFX_E_ARGUMENT);
    }
    assert_true(state_equal(&world, before));
    free(before);
    world_free(&world);
}

/* Gravity, wrenches and a run-time wrench do not move a fixed body, nor a kinematic one off its way. */
static void forces_do_not_move_them(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef fixed = moved_def(), still = moved_def(), falling = odd_def();
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrench loads[3];
    fixed.kind = AFX_BODY_FIXED;
    wrench.force = wrench.torque = v3(100, 200, 300);
    world_load(&world, world_add(&world, &fixed), &wrench);
    world_load(&world, world_add(&world, &still), &wrench);
    world_add(&world, &falling);
    for (int k = 0; k < 3; k++) {
        loads[k] = (AfxWrench){v3(-50, 0, 0), v3(1, 1, 1)};
    }
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        assert_ok(afx_sim_set_body_wrenches(world.sim, loads));
        double *before = state_copy(&world);
        world_run(&world, 200);
        assert_memory_equal(afx_sim_coordinates(world.sim), before, 12 * sizeof *before);
        assert_memory_equal(afx_sim_velocities(world.sim), before + 36, 12 * sizeof *before);
        assert_vec3(pose_of(&world, 1).position, still.pose.position, 1e-13);
        assert_vec3(twist_of(&world, 1).linear, v3(0, 0, 0), 1e-13);
        assert_true(pose_of(&world, 2).position.z < 0);
        assert_int_equal(afx_model_body_kind(world.model, 0), AFX_BODY_FIXED);
        assert_int_equal(afx_model_body_kind(world.model, 1), AFX_BODY_KINEMATIC);
        assert_int_equal(afx_model_body_kind(world.model, 2), AFX_BODY_DYNAMIC);
        free(before);
    }
    world_free(&world);
}

int run_kinematic_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_velocity),
        cmocka_unit_test(polynomials_and_a_turn),
        cmocka_unit_test(sines),
        cmocka_unit_test(tables),
        cmocka_unit_test(a_turn_leaves_the_origin_where_it_is),
        cmocka_unit_test(targets_override_the_motion),
        cmocka_unit_test(only_kinematic_bodies_take_targets),
        cmocka_unit_test(forces_do_not_move_them),
    };
    return cmocka_run_group_tests_name("kinematic", tests, NULL, NULL);
}

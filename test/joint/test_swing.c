/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of ball joints: cones, twists, whole angles, and Cardan angles up to where they are lost and through it. */
#include "driven.h"

static const double gravity = 9.81;
static const double mass = 2, along = 0.05, across = 0.3, arm = 0.4;

static uint32_t add_limit(Rig *rig, AfxJointId joint, uint32_t axis, double lower, double upper, double restitution) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_LIMIT);
    def.joint = joint;
    def.axis = axis;
    def.lower = lower;
    def.upper = upper;
    def.restitution = restitution;
    return add_drive(rig, &def);
}

static double rate_about(const Rig *rig, AfxJointId joint, uint32_t axis) {
    double rate;
    assert_ok(afx_sim_joint_coordinate(rig->sim, joint.index, axis, NULL, &rate));
    return rate;
}

/* A rod that hangs on a ball, x of the joint straight down; swung out by `swing` about y, turning about x at `spin`. */
static AfxJointId add_rod(Rig *rig, double swing, double spin) {
    AfxBodyDef def = rigid_def(mass, along, across, across);
    AfxPose frame = afx_frame_along(v3(0, 0, 0), v3(0, 0, -1));
    AfxQuat turn = q_multiply(frame.rotation, q_about(v3(0, 1, 0), swing));
    AfxVec3 down = v3(0, 0, -1);
    def.pose.rotation = turn;
    def.pose.position = v3_scale(arm, q_rotate(turn, v3(1, 0, 0)));
    def.angular_velocity = v3_scale(spin, down);
    def.linear_velocity = v3_cross(def.angular_velocity, def.pose.position);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    joint.follower = rig_body(rig, &def);
    joint.base_frame = frame;
    joint.follower_frame.position = v3(-arm, 0, 0);
    return rig_joint_def(rig, &joint);
}

/* ---- swing and twist ---- */

/* Faster than it would go round by itself, a rod is pressed to its cone and goes round along it for ever; its twist
 * counts the turns, and the cone bears what is missing to the balance of torques. */
static void a_rod_goes_round_on_its_cone(void **state) {
    (void)state;
    const double cone = 0.7, spin = 7, pivot = across + mass * arm * arm;
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = add_rod(&rig, cone, spin);
        uint32_t limit = add_limit(&rig, joint, AFX_AXIS_SWING, -INFINITY, cone, 0);
        AfxSimDef def = k ? sim_def(AFX_BDF2, 0.002) : accurate_def(AFX_BDF2, 0.002);
        rig_start(&rig, &def);
        double begin = rig_energy(&rig);
        for (int n = 0; n < 1000; n++) {
            rig_run(&rig, 1, NULL);
            assert_near(rig_coordinate(&rig, joint, AFX_AXIS_SWING), cone, 1e-9);
        }
        double press = spin * spin * sin(cone) * cos(cone) * (pivot - along) - mass * gravity * arm * sin(cone);
        assert_near(effort_of(&rig, limit), -press, 0.01 * press);
        assert_near(rig_coordinate(&rig, joint, AFX_AXIS_TWIST), 2 * spin, 0.02);
        assert_true(rig_energy(&rig) <= begin * (1 + 1e-9) + 1e-9);
        rig_free(&rig);
    }
}

/* A rod that falls onto its cone leaves it with e times the rate it came with, and never passes it. */
static void a_rod_bounces_off_its_cone(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        double restitution = 0.5 * (k / 2), came = 0;
        Rig rig = rig_make(v3(0, 0, gravity)); /* upside down: it falls outwards */
        AfxJointId joint = add_rod(&rig, 0.1, 0);
        add_limit(&rig, joint, AFX_AXIS_SWING, -INFINITY, 1.2, restitution);
        add_limit(&rig, joint, AFX_AXIS_TWIST, -0.1, 0.1, 0);
        AfxSimDef def = sim_def(k % 2 ? AFX_BDF1 : AFX_BDF2, 0.001);
        rig_start(&rig, &def);
        double begin = rig_energy(&rig);
        uint32_t flags = 0;
        while (!(flags & AFX_STEP_IMPACT)) {
            came = rate_about(&rig, joint, AFX_AXIS_SWING);
            rig_run(&rig, 1, &flags);
            assert_true(afx_sim_time(rig.sim) < 2);
        }
        assert_true(came > 1);
        assert_near(rate_about(&rig, joint, AFX_AXIS_SWING), -restitution * came, 0.02 * came);
        for (int n = 0; n < 500; n++) {
            rig_run(&rig, 1, NULL);
            assert_true(rig_coordinate(&rig, joint, AFX_AXIS_SWING) <= 1.2 + 1e-9);
            assert_true(rig_energy(&rig) <= begin + 1e-4 * fabs(begin));
        }
        rig_free(&rig);
    }
}

/* A spring about the twist alone swings as a torsion pendulum does; limits throw a twist back and forth. */
static void a_twist_springs_back(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_rod(&rig, 0, 2);
    AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
    spring.joint = joint;
    spring.axis = AFX_AXIS_TWIST;
    spring.stiffness = 5;
    add_drive(&rig, &spring);
    AfxSimDef def = accurate_def(AFX_BDF2, 0.001);
    rig_start(&rig, &def);
    AfxSimDef conserving = sim_def(AFX_CONSERVING, 0.001);
    AfxSim *refused = NULL;
    assert_int_equal(afx_sim_create(rig.model, &conserving, &refused), AFX_E_INPUT);
    assert_null(refused);
    double omega = sqrt(5 / along), worst = 0;
    for (int n = 1; n <= 1000; n++) {
        rig_run(&rig, 1, NULL);
        worst = fmax(worst, fabs(rig_coordinate(&rig, joint, AFX_AXIS_TWIST) - 2 / omega * sin(omega * n * 0.001)));
    }
    assert_near(worst, 0, 0.002);
    rig_free(&rig);

    rig = rig_make(v3(0, 0, -gravity));
    joint = add_rod(&rig, 0, 2);
    add_limit(&rig, joint, AFX_AXIS_TWIST, -0.3, 0.5, 1);
    rig_start(&rig, &def);
    int bounces = 0;
    for (int n = 1; n <= 2000; n++) {
        uint32_t flags;
        rig_run(&rig, 1, &flags);
        bounces += (flags & AFX_STEP_IMPACT) != 0;
        double twist = rig_coordinate(&rig, joint, AFX_AXIS_TWIST);
        assert_true(twist >= -0.3 - 1e-9 && twist <= 0.5 + 1e-9);
        assert_near(fabs(rate_about(&rig, joint, AFX_AXIS_TWIST)), 2, 1e-4);
    }
    assert_int_equal(bounces, 5); /* .5 and then every .8 rad of 4 */
    rig_free(&rig);
}

/* What swing, twist and angle read is what the joint was put to, and what they cannot be asked for is said. */
static void further_axes_read_the_rotation(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 50; k++) {
        Rig rig = rig_make(v3(0, 0, 0));
        double swing = 3 * random_unit(&seed), heading = 6 * random_unit(&seed), twist = 6 * random_unit(&seed) - 3;
        AfxBodyDef def = rigid_def(1, 1, 1, 1);
        AfxQuat turn = q_multiply(q_about(v3(0, cos(heading), sin(heading)), swing), q_about(v3(1, 0, 0), twist));
        def.pose.rotation = turn;
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        joint.follower = rig_body(&rig, &def);
        AfxJointId id = rig_joint_def(&rig, &joint);
        AfxSimDef sim = afx_default_sim();
        rig_start(&rig, &sim);
        assert_near(rig_coordinate(&rig, id, AFX_AXIS_SWING), swing, 1e-7);
        assert_near(rig_coordinate(&rig, id, AFX_AXIS_TWIST), twist, 1e-9);
        assert_near(rig_coordinate(&rig, id, AFX_AXIS_ANGLE), 2 * acos(fmin(1, fabs(turn.w))), 1e-7);
        rig_free(&rig);
    }
}

static void what_is_no_cone_is_refused(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId ball = add_rod(&rig, 0, 0);
    AfxBodyDef def = rigid_def(1, 1, 1, 1);
    AfxJointId hinge = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &def), afx_pose_identity());
    const struct {
        AfxDriveKind kind;
        AfxJointId joint;
        uint32_t axis;
        double lower, upper;
        AfxStatus status;
    } cases[] = {
        {AFX_DRIVE_LIMIT, ball, AFX_AXIS_SWING, -INFINITY, 0.5, AFX_OK},
        {AFX_DRIVE_LIMIT, ball, AFX_AXIS_ANGLE, 0, 0.5, AFX_OK},
        {AFX_DRIVE_LIMIT, ball, AFX_AXIS_TWIST, -0.5, 0.5, AFX_OK},
        {AFX_DRIVE_SERVO, ball, AFX_AXIS_TWIST, -INFINITY, INFINITY, AFX_OK},
        {AFX_DRIVE_LIMIT, ball, AFX_AXIS_SWING, -0.5, 0.5, AFX_E_INPUT},
        {AFX_DRIVE_LIMIT, ball, AFX_AXIS_SWING, -INFINITY, 0, AFX_E_INPUT},
        {AFX_DRIVE_SPRING, ball, AFX_AXIS_SWING, -INFINITY, 0.5, AFX_E_INPUT},
        {AFX_DRIVE_POSITION, ball, AFX_AXIS_TWIST, -INFINITY, INFINITY, AFX_E_INPUT},
        {AFX_DRIVE_LIMIT, hinge, AFX_AXIS_SWING, -INFINITY, 0.5, AFX_E_INPUT},
        {AFX_DRIVE_LIMIT, ball, AFX_AXIS_ANGLE + 1, -INFINITY, 0.5, AFX_E_INPUT},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        AfxDriveDef drive = afx_default_drive(cases[k].kind);
        AfxDriveId id;
        drive.joint = cases[k].joint;
        drive.axis = cases[k].axis;
        drive.lower = cases[k].lower;
        drive.upper = cases[k].upper;
        assert_int_equal(afx_scene_add_drive(rig.scene, &drive, &id), cases[k].status);
    }
    rig_free(&rig);
}

/* ---- Cardan angles ---- */

/* A rod turns over about y while a drive holds its first angle: the middle one goes on beyond a right angle, the first
 * stays where it is held, and the report names the joint where both are near to be lost. */
static void a_held_angle_passes_the_right_angle(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const AfxIntegrator methods[4] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.angular_velocity = v3(0, 3, 0);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        joint.follower = rig_body(&rig, &def);
        AfxJointId id = rig_joint_def(&rig, &joint);
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
        drive.joint = id;
        add_drive(&rig, &drive);
        AfxSimDef sim = sim_def(methods[k], 0.01);
        rig_start(&rig, &sim);
        int told = 0;
        for (int n = 1; n <= 300; n++) {
            AfxStepReport report;
            assert_ok(afx_step(rig.sim, &report));
            bool singular = report.flags & AFX_STEP_SINGULAR_ANGLES;
            assert_int_equal(report.joint, singular ? id.index : UINT32_MAX);
            told += singular;
            assert_near(rig_coordinate(&rig, id, 0), 0, 1e-7);
        }
        assert_true(told >= 6 && told < 40);
        assert_true(rig_coordinate(&rig, id, 1) > 1.5 * PI); /* over twice */
        rig_free(&rig);
    }
}

/* Three drives tell all angles while the middle one goes from 80 to 200 degrees, at one that no step meets exactly: the
 * rotation is the one told, rigid and elastic, and the steps near 90 degrees say so. */
static void told_angles_pass_the_right_angle(void **state) {
    (void)state;
    const double from[3] = {0.2, 1.4, -0.3}, rate[3] = {0.1, 0.7, 0.2};
    for (int k = 0; k < 8; k++) {
        static const AfxIntegrator methods[4] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxBodyDef def = rigid_def(1, 0.1, 0.2, 0.15);
        def.young = k / 4 ? 1e9 : INFINITY;
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        joint.follower = rig_body(&rig, &def);
        joint.follower_frame.position.x = -0.3;
        AfxJointId id = rig_joint_def(&rig, &joint);
        for (uint32_t axis = 0; axis < 3; axis++) {
            AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
            drive.joint = id;
            drive.axis = axis;
            drive.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {from[axis], rate[axis]}};
            add_drive(&rig, &drive);
        }
        AfxSimDef sim = sim_def(methods[k % 4], 0.01);
        rig_start(&rig, &sim);
        int told = 0;
        for (int n = 1; n <= 300; n++) {
            AfxStepReport report;
            AfxPose pose;
            assert_ok(afx_step(rig.sim, &report));
            told += (report.flags & AFX_STEP_SINGULAR_ANGLES) != 0;
            AfxQuat turn = {1, 0, 0, 0};
            for (int axis = 0; axis < 3; axis++) {
                double half = 0.5 * (from[axis] + 0.01 * n * rate[axis]);
                turn = q_multiply(turn, (AfxQuat){cos(half), axis == 0 ? sin(half) : 0, axis == 1 ? sin(half) : 0,
                                                  axis == 2 ? sin(half) : 0});
            }
            assert_ok(afx_sim_body_pose(rig.sim, 0, &pose));
            AfxQuat off = q_multiply(q_conjugate(turn), pose.rotation);
            assert_below(v3_norm(v3(off.x, off.y, off.z)), k / 4 ? 2e-3 : 1e-6); /* strain is felt near 90 degrees */
        }
        assert_true(told >= 10 && told < 40);
        rig_free(&rig);
    }
}

/* ---- random ones ---- */

/* A box on a ball at a random angle to its joint's frame, thrown at random. */
static AfxJointId add_thrown(Rig *rig, double young, uint64_t *seed) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.6, 0.2, 0.1);
    AfxVec3 axis = v3(random_unit(seed) - 0.5, random_unit(seed) - 0.5, random_unit(seed) - 0.5);
    def.young = young;
    def.pose.position = v3(0.5, 0.2 * random_unit(seed), 0.2 * random_unit(seed));
    def.angular_velocity = v3(8 * random_unit(seed) - 4, 8 * random_unit(seed) - 4, 8 * random_unit(seed) - 4);
    def.linear_velocity = v3_cross(def.angular_velocity, def.pose.position);
    AfxBodyId body = rig_body(rig, &def);
    assert_ok(afx_scene_add_shape(rig->scene, body, &box));
    return rig_joint(rig, AFX_JOINT_SPHERICAL, afx_world(), body, afx_frame_along(v3(0, 0, 0), axis));
}

static double beyond(double x, double lower, double upper) {
    return fmax(0, fmax(lower - x, x - upper));
}

/* Limits on each axis alone, and on swing and twist together: every run goes through, none makes energy, none ends a
 * step beyond a limit that has no singular place, and steps meet their equations. */
static void random_limits_hold_and_make_no_energy(void **state) {
    (void)state;
    static const uint16_t sets[] = {1u << 0, 1u << 1, 1u << 2, 1u << 6, 1u << 7, 1u << 8, 1u << 6 | 1u << 7, 7u};
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_BDF1, AFX_SDIRK2};
    int seeds = getenv("AFFIX_TEST_LONG") ? 100 : 6;
    for (int n = 0; n < seeds * (int)COUNT(sets); n++) {
        uint64_t seed = 1000 + (uint64_t)n;
        uint16_t set = sets[n % (int)COUNT(sets)];
        AfxIntegrator method = methods[n / (int)COUNT(sets) % 3];
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxJointId joint = add_thrown(&rig, n % 3 ? INFINITY : 1e9, &seed);
        for (uint32_t axis = 0; axis <= AFX_AXIS_ANGLE; axis++) {
            bool cone = axis == AFX_AXIS_SWING || axis == AFX_AXIS_ANGLE;
            if (set >> axis & 1u) {
                add_limit(&rig, joint, axis, cone ? -INFINITY : -0.4, 0.6, 0);
            }
        }
        AfxSimDef def = accurate_def(method, 0.004);
        rig_start(&rig, &def);
        assert_ok(afx_sim_set_verify(rig.sim, true));
        double begin = rig_energy(&rig), most = 0;
        for (int k = 0; k < 500; k++) {
            AfxStepReport report;
            AfxResidual residual;
            if (afx_step(rig.sim, &report)) {
                fail_msg("seed %d, axes %x, integrator %d: step %d fails", n, set, method, k);
            }
            most = fmax(most, rig_energy(&rig) - begin);
            assert_ok(afx_sim_residual(rig.sim, &residual));
            bool plain = !(report.flags & (AFX_STEP_SINGULAR_ANGLES | AFX_STEP_SUBSTEPPED));
            if (plain && !(residual.constraint < 1e-5)) {
                fail_msg("seed %d, axes %x: residual %g at step %d", n, set, residual.constraint, k);
            }
            for (uint32_t axis = AFX_AXIS_SWING; axis <= AFX_AXIS_ANGLE; axis += 2) {
                bool there = set >> axis & 1u;
                assert_true(!there || beyond(rig_coordinate(&rig, joint, axis), -1, 0.6) < 1e-7);
            }
        }
        if (!(most <= 0.005 * fabs(begin) + 0.05)) {
            fail_msg("seed %d, axes %x, integrator %d: %g J from nothing, of %g", n, set, method, most, begin);
        }
        rig_free(&rig);
    }
}

/* A run goes on from a snapshot bit for bit, with limits met and angles beyond a right angle. */
static void a_snapshot_keeps_limits_and_sets_of_angles(void **state) {
    (void)state;
    uint64_t seed = 77;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_thrown(&rig, INFINITY, &seed);
    add_limit(&rig, joint, 0, -0.5, 0.5, 0.3);
    add_limit(&rig, joint, AFX_AXIS_TWIST, -0.9, 0.9, 0);
    AfxSimDef def = accurate_def(AFX_BDF2, 0.005);
    rig_start(&rig, &def);
    double turned = 0;
    for (int k = 0; k < 400; k++) {
        if (k % 40 == 39) {
            size_t size = afx_sim_snapshot_size(rig.sim);
            void *kept = malloc(size);
            double after[2][4];
            assert_non_null(kept);
            assert_ok(afx_sim_snapshot(rig.sim, kept, size));
            for (int run = 0; run < 2; run++) {
                assert_ok(afx_sim_restore(rig.sim, kept, size));
                rig_run(&rig, 30, NULL);
                for (uint32_t axis = 0; axis < 3; axis++) {
                    after[run][axis] = rig_coordinate(&rig, joint, axis);
                }
                after[run][3] = rig_energy(&rig);
            }
            assert_memory_equal(after[0], after[1], sizeof after[0]);
            assert_ok(afx_sim_restore(rig.sim, kept, size));
            free(kept);
        }
        rig_run(&rig, 1, NULL);
        turned = fmax(turned, fabs(rig_coordinate(&rig, joint, 1)));
    }
    assert_true(turned > PI / 2);
    rig_free(&rig);
}

/* Two cubes on a ball, spun against each other about its first angle, until a step fails or 200 went well. */
static Rig spin_cubes(double torque, double dt, AfxStepReport *out) {
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    AfxBodyId one = rig_body(&rig, &def);
    def.pose.position = v3(0.1, 0.15, 0.2);
    AfxBodyId other = rig_body(&rig, &def);
    AfxPose frame = afx_frame_along(v3(0.03, 0.1, 0.1), v3(1, 1, 0));
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
    AfxSimDef sim = afx_default_sim();
    int steps = 0;
    drive.joint = rig_joint(&rig, AFX_JOINT_SPHERICAL, one, other, frame);
    drive.target = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {torque}};
    add_drive(&rig, &drive);
    sim.dt = dt;
    rig_start(&rig, &sim);
    while (steps < 200 && afx_step(rig.sim, out) == AFX_OK) {
        steps++;
    }
    return rig;
}

/* Torques that have cubes turn by many radians in a step end in steps that fail, say so and name one of them (not each:
 * where it turns to is chance there); in shorter steps all go on. */
static void a_step_that_fails_says_what_turns_too_far(void **state) {
    (void)state;
    const double dt[2] = {0.001, 0.027};
    for (int coarse = 0; coarse < 2; coarse++) {
        int failed = 0;
        for (int trial = 0; trial < 8; trial++) {
            AfxStepReport report = {0};
            AfxTwist twist;
            Rig rig = spin_cubes(560 + 30 * trial, dt[coarse], &report);
            if (report.flags & AFX_STEP_FAILED) {
                failed++;
                assert_true(report.flags & AFX_STEP_TURNS_FAR);
                assert_true(report.body < 2);
                assert_ok(afx_sim_body_twist(rig.sim, report.body, &twist));
                assert_below(1, dt[coarse] * v3_norm(twist.angular));
            }
            rig_free(&rig);
        }
        assert_int_equal(failed > 0, coarse);
        print_message("%d of 8 fail at dt %g\n", failed, dt[coarse]);
    }
}

int run_swing_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_goes_round_on_its_cone),
        cmocka_unit_test(a_rod_bounces_off_its_cone),
        cmocka_unit_test(a_twist_springs_back),
        cmocka_unit_test(further_axes_read_the_rotation),
        cmocka_unit_test(what_is_no_cone_is_refused),
        cmocka_unit_test(a_held_angle_passes_the_right_angle),
        cmocka_unit_test(told_angles_pass_the_right_angle),
        cmocka_unit_test(random_limits_hold_and_make_no_energy),
        cmocka_unit_test(a_snapshot_keeps_limits_and_sets_of_angles),
        cmocka_unit_test(a_step_that_fails_says_what_turns_too_far),
    };
    return cmocka_run_group_tests_name("joint/swing", tests, NULL, NULL);
}

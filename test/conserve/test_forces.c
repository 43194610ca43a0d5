/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on bodies: springs between points, in joints and of balls, whose energy is exact too; dampers, drives and
 * wrenches, against closed forms. */
#include "tests.h"

/* ---- energy of springs, from what the interface tells ---- */

#define STIFF 40.0

static AfxBodyDef tumbling(uint64_t *seed, AfxVec3 at) {
    AfxBodyDef def = odd_def(seed);
    def.pose = (AfxPose){at, random_quat(seed)};
    def.angular_velocity = random_vec3(seed, 2);
    def.linear_velocity = random_vec3(seed, 1);
    return def;
}

static AfxVec3 point_of(const Rig *rig, uint32_t body, AfxVec3 local) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(rig->sim, body, &pose));
    return v3_add(pose.position, q_rotate(pose.rotation, local));
}

static const AfxVec3 spring_points[2] = {{0.2, 0.1, -0.3}, {-0.1, 0.3, 0.2}};

static double line_energy(const Rig *rig) {
    double length = v3_distance(point_of(rig, 0, spring_points[0]), point_of(rig, 1, spring_points[1]));
    return 0.5 * STIFF * (length - 0.7) * (length - 0.7);
}

static double hinge_energy(const Rig *rig) {
    double angle;
    assert_ok(afx_sim_joint_coordinate(rig->sim, 0, 0, &angle, NULL));
    return 0.5 * STIFF * (angle - 0.5) * (angle - 0.5);
}

/* theta . K theta/2 of the turn between the frames of a ball joint, whose axes are those of both bodies' frames */
static const double ball_stiffness[3] = {10, 25, 60};

static double ball_energy(const Rig *rig) {
    AfxPose a, b;
    assert_ok(afx_sim_body_pose(rig->sim, 0, &b));
    assert_ok(afx_sim_body_pose(rig->sim, 1, &a));
    AfxQuat q = q_multiply(q_conjugate(b.rotation), a.rotation);
    double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0 ? -1 : 1;
    double angle = 2 * atan2(sine, fabs(q.w)), scale = sine > 0 ? sign * angle / sine : 0;
    const double theta[3] = {scale * q.x, scale * q.y, scale * q.z};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += 0.5 * ball_stiffness[k] * theta[k] * theta[k];
    }
    return sum;
}

/* Two free bodies on a joint (AFX_JOINT_KIND_COUNT: none) with gravity. */
static Rig pair_make(AfxJointKind kind, bool ball_spring, double damping) {
    uint64_t seed = 31;
    Rig rig = rig_make(v3(0.3, 0, -9.81));
    AfxBodyDef a = tumbling(&seed, v3(0, 0, 0)), b = tumbling(&seed, v3(1, 0.2, 0.1));
    if (ball_spring) {
        a.pose.rotation = b.pose.rotation = afx_pose_identity().rotation;
    }
    AfxBodyId base = rig_body(&rig, &a), follower = rig_body(&rig, &b);
    if (kind < AFX_JOINT_KIND_COUNT) {
        AfxJointDef def = afx_default_joint(kind);
        def.base = base;
        def.follower = follower;
        assert_ok(afx_joint_place(rig.scene, &def, (AfxPose){v3(0.5, 0, 0), afx_pose_identity().rotation}));
        for (int k = 0; ball_spring && k < 3; k++) {
            (&def.spring.stiffness.x)[k] = ball_stiffness[k];
            (&def.spring.damping.x)[k] = damping;
        }
        rig_joint_def(&rig, &def);
    }
    return rig;
}

static Rig line_of(double stiffness, double damping) {
    Rig rig = pair_make(AFX_JOINT_KIND_COUNT, false, 0);
    AfxSpringDef def = afx_default_spring();
    def.body_a = afx_scene_body(rig.scene, 0);
    def.body_b = afx_scene_body(rig.scene, 1);
    def.point_a = spring_points[0];
    def.point_b = spring_points[1];
    def.rest_length = 0.7;
    def.stiffness = stiffness;
    def.damping = damping;
    AfxSpringId id;
    assert_ok(afx_scene_add_spring(rig.scene, &def, &id));
    return rig;
}

static Rig line_make(double damping) {
    return line_of(STIFF, damping);
}

static AfxDriveId add_drive(Rig *rig, AfxDriveKind kind, double stiffness, double damping, double rest, double effort,
                            AfxSignal target) {
    AfxDriveDef def = afx_default_drive(kind);
    AfxDriveId id;
    def.joint = afx_scene_joint(rig->scene, 0);
    def.stiffness = stiffness;
    def.damping = damping;
    def.rest = rest;
    def.effort = effort;
    def.target = target;
    assert_ok(afx_scene_add_drive(rig->scene, &def, &id));
    return id;
}

static const AfxSignal nothing = {.kind = AFX_SIGNAL_POLYNOMIAL};

static Rig hinge_make(double damping) {
    Rig rig = pair_make(AFX_JOINT_REVOLUTE, false, 0);
    add_drive(&rig, AFX_DRIVE_SPRING, STIFF, damping, 0.5, INFINITY, nothing);
    return rig;
}

/* The middle angle of a ball joint is a tilt. */
static double tilt_energy(const Rig *rig) {
    double angle;
    assert_ok(afx_sim_joint_coordinate(rig->sim, 0, 1, &angle, NULL));
    return 0.5 * STIFF * (angle - 0.2) * (angle - 0.2);
}

static Rig tilt_make(double damping) {
    Rig rig = pair_make(AFX_JOINT_SPHERICAL, false, 0);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SPRING);
    AfxDriveId id;
    def.joint = afx_scene_joint(rig.scene, 0);
    def.axis = 1;
    def.stiffness = STIFF;
    def.damping = damping;
    def.rest = 0.2;
    assert_ok(afx_scene_add_drive(rig.scene, &def, &id));
    return rig;
}

static Rig ball_make(double damping) {
    return pair_make(AFX_JOINT_SPHERICAL, true, damping);
}

/* Energy is exact without damping and falls with it; momenta change by gravity alone. */
static void check_spring(Rig (*make)(double), double (*energy)(const Rig *), double reference) {
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = make(0);
        AfxSimDef def = sim_def(conserving[which], 0.01);
        AfxMomentum begin, end;
        rig_start(&rig, &def);
        rig_run(&rig, 1, NULL);
        assert_ok(afx_sim_momentum(rig.sim, &begin));
        assert_below(rig_drift(&rig, 300, energy), which == 2 ? reference : 1e-9);
        assert_ok(afx_sim_momentum(rig.sim, &end));
        assert_near(end.linear.y, begin.linear.y, 1e-11);
        assert_near(end.linear.x - begin.linear.x, 3 * 0.3 * begin.mass, 1e-10);
        rig_free(&rig);
    }
    Rig rig = make(0.5);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&rig, &def);
    double last = rig_energy(&rig) + energy(&rig), first = last;
    rig_run(&rig, 1, NULL);
    for (int n = 0; n < 300; n++) {
        rig_run(&rig, 1, NULL);
        double now = rig_energy(&rig) + energy(&rig);
        assert_below(now, last + 1e-10);
        last = now;
    }
    assert_below(last, first - 0.01);
    rig_free(&rig);
}

static void a_spring_between_points_has_exact_energy(void **state) {
    (void)state;
    check_spring(line_make, line_energy, 1e-5);
}

static void a_spring_in_a_hinge_has_exact_energy(void **state) {
    (void)state;
    check_spring(hinge_make, hinge_energy, 1e-5);
}

static void a_spring_on_a_tilt_has_exact_energy(void **state) {
    (void)state;
    check_spring(tilt_make, tilt_energy, 1e-5);
}

static void a_spring_of_a_ball_has_exact_energy(void **state) {
    (void)state;
    check_spring(ball_make, ball_energy, 1e-5);
}

/* ---- springs with tables ---- */

/* It falls in the middle. */
static const double off[] = {-0.6, -0.2, 0.05, 0.4, 1.2}, force_at[] = {-40, -5, 6, 3, 50};
static const double rates[] = {-5, 0, 0.5, 5}, drag_at[] = {-2, 0, 0.4, 1};
static const AfxForceTable spring_table = {off, force_at, COUNT(off)}, damper_table = {rates, drag_at, COUNT(rates)};

static double table_energy(double x) {
    double energy;
    assert_ok(afx_force_table_evaluate(&spring_table, x, NULL, NULL, &energy));
    return energy;
}

static double line_table_energy(const Rig *rig) {
    return table_energy(v3_distance(point_of(rig, 0, spring_points[0]), point_of(rig, 1, spring_points[1])) - 0.7);
}

static double hinge_table_energy(const Rig *rig) {
    double angle;
    assert_ok(afx_sim_joint_coordinate(rig->sim, 0, 0, &angle, NULL));
    return table_energy(angle - 0.5);
}

static Rig line_table_make(double damping) {
    Rig rig = pair_make(AFX_JOINT_KIND_COUNT, false, 0);
    AfxSpringDef def = afx_default_spring();
    AfxSpringId id;
    def.body_a = afx_scene_body(rig.scene, 0);
    def.body_b = afx_scene_body(rig.scene, 1);
    def.point_a = spring_points[0];
    def.point_b = spring_points[1];
    def.rest_length = 0.7;
    def.spring_table = spring_table;
    def.damper_table = damping > 0 ? damper_table : (AfxForceTable){0};
    assert_ok(afx_scene_add_spring(rig.scene, &def, &id));
    return rig;
}

static Rig hinge_table_make(double damping) {
    Rig rig = pair_make(AFX_JOINT_REVOLUTE, false, 0);
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SPRING);
    AfxDriveId id;
    def.joint = afx_scene_joint(rig.scene, 0);
    def.rest = 0.5;
    def.spring_table = spring_table;
    def.damper_table = damping > 0 ? damper_table : (AfxForceTable){0};
    assert_ok(afx_scene_add_drive(rig.scene, &def, &id));
    return rig;
}

/* By its mean between both ends of a step. The reference is symplectic, and of the order that a table is smooth to. */
static void springs_with_tables_have_exact_energy(void **state) {
    (void)state;
    check_spring(line_table_make, line_table_energy, 1e-3);
    check_spring(hinge_table_make, hinge_table_energy, 1e-3);
}

/* Composed integrators go back in time: no damper, by name. */
static void a_damper_table_is_refused_where_damping_is(void **state) {
    (void)state;
    Rig (*const makes[])(double) = {line_table_make, hinge_table_make};
    for (size_t k = 0; k < 2 * COUNT(makes); k++) {
        Rig rig = makes[k / 2](1);
        AfxSimDef def = sim_def(k % 2 ? AFX_REFERENCE : AFX_CONSERVING4, 0.01);
        AfxError error = {0};
        AfxSim *sim = NULL;
        def.error = &error;
        assert_ok(afx_model_create(rig.scene, &rig.model, NULL));
        assert_int_equal(afx_sim_create(rig.model, &def, &sim), AFX_E_INPUT);
        assert_non_null(strstr(error.element, k / 2 ? "drive 0" : "spring 0"));
        rig_free(&rig);
    }
}

/* ---- drives ---- */

/* A wheel of inertia 0.5 on a hinge along z of the world. */
static Rig wheel_make(void) {
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.5, 0.3, 0.3);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &def), afx_pose_identity());
    return rig;
}

static double effort_of(const Rig *rig) {
    double effort;
    assert_ok(afx_sim_drive_effort(rig->sim, 0, &effort));
    return effort;
}

static void exact_drives_lead_the_joint(void **state) {
    (void)state;
    AfxSignal parabola = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 1.5}};
    AfxSignal line = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 3}};
    for (int which = 0; which < CONSERVING; which++) {
        for (int k = 0; k < 2; k++) {
            Rig rig = wheel_make();
            add_drive(&rig, k ? AFX_DRIVE_VELOCITY : AFX_DRIVE_POSITION, 0, 0, 0, INFINITY, k ? line : parabola);
            AfxSimDef def = sim_def(conserving[which], 0.02);
            rig_start(&rig, &def);
            for (int n = 1; n <= 150; n++) { /* beyond a whole turn */
                rig_run(&rig, 1, NULL);
                double t = n * def.dt;
                assert_near(rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0), 1.5 * t * t, 1e-12);
                assert_near(effort_of(&rig), 0.5 * 3, 1e-8);
            }
            rig_free(&rig);
        }
    }
}

static void a_given_torque_speeds_up(void **state) {
    (void)state;
    AfxSignal ramp = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 2}};
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = wheel_make();
        add_drive(&rig, AFX_DRIVE_FORCE, 0, 0, 0, INFINITY, ramp);
        AfxSimDef def = sim_def(conserving[which], 0.01);
        rig_start(&rig, &def);
        rig_run(&rig, 100, NULL);
        assert_near(rig_twist(&rig, afx_scene_body(rig.scene, 0)).angular.x, 2, which ? 1e-8 : 1e-4);
        assert_near(effort_of(&rig), 2, 1e-12);
        rig_free(&rig);
    }
}

/* A servo far from its target gives all it has: a constant torque; then it holds. */
static void a_servo_is_limited_by_its_effort(void **state) {
    (void)state;
    Rig rig = wheel_make();
    AfxSignal goal = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {1}};
    add_drive(&rig, AFX_DRIVE_SERVO, 100, 20, 0, 2, goal);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&rig, &def);
    rig_run(&rig, 20, NULL);
    assert_near(rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0), 0.5 * 4 * 0.04, 1e-6);
    assert_near(effort_of(&rig), 2, 1e-12);
    rig_run(&rig, 800, NULL);
    assert_near(rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0), 1, 1e-6);
    rig_free(&rig);
}

/* A force that is fixed in the world at a point of a body has the potential -f . x; one that turns with it does not. */
static const AfxVec3 pull = {3, -2, 1}, held_at = {0.3, 0.2, -0.4};

static double pull_energy(const Rig *rig) {
    return -v3_dot(pull, point_of(rig, 0, held_at));
}

static void a_force_at_a_point_has_exact_energy(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = pair_make(AFX_JOINT_UNIVERSAL, false, 0);
        AfxWrenchDef wrench = afx_default_wrench();
        AfxWrenchId id;
        wrench.body = afx_scene_body(rig.scene, 0);
        wrench.frame = AFX_FRAME_WORLD;
        wrench.point = held_at;
        wrench.force = pull;
        assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &id));
        AfxSimDef def = sim_def(conserving[which], 0.01);
        rig_start(&rig, &def);
        rig_run(&rig, 1, NULL);
        assert_below(rig_drift(&rig, 200, pull_energy), which == 2 ? 1e-6 : 1e-9);
        rig_free(&rig);
    }
}

/* Damping of a body: v and the spin about a principal axis fall by (2 - d h)/(2 + d h) a step. */
static void damped_bodies_slow_down(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.5, 0.3, 0.3);
    def.linear_velocity = v3(1, 0, 0);
    def.angular_velocity = v3(4, 0, 0);
    def.linear_damping = 3;
    def.angular_damping = 5;
    AfxBodyId body = rig_body(&rig, &def);
    AfxSimDef sim = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&rig, &sim);
    rig_run(&rig, 100, NULL);
    assert_near(rig_twist(&rig, body).linear.x, pow(1.97 / 2.03, 100), 1e-12);
    assert_near(rig_twist(&rig, body).angular.x, 4 * pow(1.95 / 2.05, 100), 1e-12);
    rig_free(&rig);
}

/* Two wheels that turn as one to two, exactly and with a compliance. */
static void coupled_wheels_turn_together(void **state) {
    (void)state;
    for (int soft = 0; soft < 2; soft++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxCouplingDef coupling = afx_default_coupling();
        for (int k = 0; k < 2; k++) {
            AfxBodyDef def = rigid_def(2, 0.5, 0.3, 0.3);
            def.pose.position = v3(0, 2 * k, 0);
            def.angular_velocity = v3(k ? 0 : 5, 0, 0);
            AfxPose frame = {def.pose.position, afx_pose_identity().rotation};
            coupling.joint[k] = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &def), frame);
            coupling.factor[k] = k ? -1 : 2;
        }
        coupling.term_count = 2;
        coupling.compliance = soft ? 0.05 : 0;
        AfxCouplingId id;
        assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
        AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
        rig_start(&rig, &def);
        rig_run(&rig, 100, NULL);
        double a = rig_coordinate(&rig, coupling.joint[0], 0), b = rig_coordinate(&rig, coupling.joint[1], 0);
        double v = rig_twist(&rig, afx_scene_body(rig.scene, 0)).angular.x;
        if (soft) { /* momentum along (1, 2) stays with the order, energy with that of the coupling exactly */
            double w = rig_twist(&rig, afx_scene_body(rig.scene, 1)).angular.x;
            assert_near(v + 2 * w, 5, 1e-3);
            assert_near(0.25 * (v * v + w * w) + 0.5 / 0.05 * (2 * a - b) * (2 * a - b), 0.25 * 25, 1e-9);
        } else { /* the start's velocities are made to fit: (1 + 4) v = 5 */
            assert_near(2 * a - b, 0, 1e-12);
            assert_near(v, 1, 1e-10);
        }
        rig_free(&rig);
    }
}

/* A ball chain that hangs at rest: each joint carries what is below it, authored downwards or upwards. */
static void a_hanging_chain_carries_its_weight(void **state) {
    (void)state;
    enum { LINKS = 12 };
    for (int upwards = 0; upwards < 2; upwards++) {
        Rig rig = rig_make(v3(0, 0, -10));
        AfxBodyId last = afx_world();
        for (int k = 0; k < LINKS; k++) {
            AfxBodyDef def = rigid_def(2, 0.2, 0.2, 0.1);
            def.pose.position = v3(0, 0, -k - 0.5);
            AfxBodyId body = rig_body(&rig, &def);
            AfxPose frame = {v3(0, 0, -k), afx_pose_identity().rotation};
            rig_joint(&rig, AFX_JOINT_SPHERICAL, upwards ? body : last, upwards ? last : body, frame);
            last = body;
        }
        for (int which = 0; which < CONSERVING; which++) {
            AfxSimDef def = sim_def(conserving[which], 0.01);
            rig_start(&rig, &def);
            rig_run(&rig, 10, NULL);
            for (uint32_t k = 0; k < LINKS; k++) {
                double pull_up = (LINKS - k) * 20.0;
                AfxVec3 force = rig_reaction(&rig, afx_scene_joint(rig.scene, k)).force;
                assert_vec3(force, v3(0, 0, upwards ? -pull_up : pull_up), 1e-9 * pull_up);
            }
        }
        rig_free(&rig);
    }
}

/* A wrench that turns with its body: a rocket spins up about its axis and drives itself in the body's direction. */
static void a_wrench_turns_with_its_body(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(2, 0.5, 0.3, 0.3);
        def.angular_velocity = v3(0, 0, 2); /* about a principal axis, so that x turns by 2 t */
        AfxWrenchDef wrench = afx_default_wrench();
        AfxWrenchId id;
        wrench.body = rig_body(&rig, &def);
        wrench.frame = AFX_FRAME_BODY;
        wrench.force = v3(3, 0, 0);
        assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &id));
        AfxSimDef sim = sim_def(conserving[which], 0.01);
        rig_start(&rig, &sim);
        rig_run(&rig, 100, NULL);
        AfxVec3 want = v3(1.5 * sin(2) / 2, 1.5 * (1 - cos(2)) / 2, 0);
        assert_vec3(rig_twist(&rig, wrench.body).linear, want, which ? 1e-8 : 1e-4);
        rig_free(&rig);
    }
}

/* A force that grows with time, and one that swings. */
static void a_wrench_follows_its_signals(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(2, 0.5, 0.3, 0.3);
        AfxWrenchDef wrench = afx_default_wrench();
        AfxWrenchId id;
        wrench.body = rig_body(&rig, &def);
        wrench.force = v3(1, 0, 0);
        wrench.force_signal[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 6}};
        wrench.force_signal[1] = (AfxSignal){.kind = AFX_SIGNAL_FORMULA, .formula = "cos(3 * t)"};
        wrench.torque_signal[2] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 3}};
        assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &id));
        AfxSimDef sim = sim_def(conserving[which], 0.01);
        rig_start(&rig, &sim);
        rig_run(&rig, 100, NULL);
        AfxTwist got = rig_twist(&rig, wrench.body);
        assert_vec3(got.linear, v3((1 + 3) / 2.0, sin(3) / 6, 0), which ? 1e-8 : 1e-5);
        assert_vec3(got.angular, v3(0, 0, 1 / 0.3), which ? 1e-8 : 1e-4);
        rig_free(&rig);
    }
}

/* `reference` takes springs as forces, which is unstable from two radians a sub-step on: such steps are cut until a
 * spring that swings by ten radians and more in a step keeps its energy. */
static void stiff_springs_cut_the_step(void **state) {
    (void)state;
    for (double stiffness = 100; stiffness < 2e6; stiffness *= 100) {
        Rig rig = line_of(stiffness, 0);
        AfxSimDef sim = sim_def(AFX_REFERENCE, 0.01);
        double begin = 0;
        bool cut = false;
        rig_start(&rig, &sim);
        for (int n = 0; n <= 10; n++) {
            AfxStepReport report = {.flags = 0};
            AfxEnergy energy;
            if (n > 0) {
                assert_ok(afx_step(rig.sim, &report));
            }
            cut |= report.flags & AFX_STEP_SUBSTEPPED;
            assert_ok(afx_sim_energy(rig.sim, &energy));
            double total = energy.total + stiffness / STIFF * line_energy(&rig);
            begin = n ? begin : total;
            assert_near(total, begin, 1e-3 * begin);
        }
        assert_true(cut == (stiffness > 1000));
        rig_free(&rig);
    }
}

int run_forces_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_between_points_has_exact_energy),
        cmocka_unit_test(a_spring_in_a_hinge_has_exact_energy),
        cmocka_unit_test(stiff_springs_cut_the_step),
        cmocka_unit_test(a_spring_on_a_tilt_has_exact_energy),
        cmocka_unit_test(a_spring_of_a_ball_has_exact_energy),
        cmocka_unit_test(springs_with_tables_have_exact_energy),
        cmocka_unit_test(a_damper_table_is_refused_where_damping_is),
        cmocka_unit_test(exact_drives_lead_the_joint),
        cmocka_unit_test(a_given_torque_speeds_up),
        cmocka_unit_test(a_servo_is_limited_by_its_effort),
        cmocka_unit_test(a_force_at_a_point_has_exact_energy),
        cmocka_unit_test(damped_bodies_slow_down),
        cmocka_unit_test(coupled_wheels_turn_together),
        cmocka_unit_test(a_hanging_chain_carries_its_weight),
        cmocka_unit_test(a_wrench_turns_with_its_body),
        cmocka_unit_test(a_wrench_follows_its_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

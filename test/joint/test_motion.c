/* SPDX-License-Identifier: Apache-2.0 */
/* The motion of every joint kind: against an independent solution from random starts (base the world, a free body, a
 * moving one), motion and reactions with second order; and against closed forms. */
#include "tests.h"

/* ---- every kind against joint_reference ---- */

typedef struct Errors {
    double place, angle, velocity, spin, force, torque;
    double early_force, early_torque; /* while the start's transient lasts */
} Errors;

enum { ERRORS = 8 };
static const char *const error_names[ERRORS] = {"place", "angle",  "velocity",    "spin",
                                                "force", "torque", "early force", "early torque"};

static void raise(double *largest, double value) {
    *largest = value <= *largest ? *largest : value; /* also takes a NaN */
}

static void take_errors(const Rig *rig, const JointReference *r, bool early, Errors *e) {
    for (int k = 0; k < r->body_count; k++) {
        AfxBodyId body = afx_scene_body(rig->scene, (uint32_t)k);
        AfxPose pose = rig_pose(rig, body), want = joint_reference_pose(r, k);
        AfxTwist twist = rig_twist(rig, body), want_twist = joint_reference_twist(r, k);
        raise(&e->place, v3_distance(pose.position, want.position));
        raise(&e->angle, q_distance(pose.rotation, want.rotation));
        raise(&e->velocity, v3_distance(twist.linear, want_twist.linear));
        raise(&e->spin, v3_distance(twist.angular, want_twist.angular));
    }
    for (int k = 0; k < r->joint_count; k++) {
        AfxWrench got = rig_reaction(rig, afx_scene_joint(rig->scene, (uint32_t)k)), want = r->joints[k].reaction;
        raise(early ? &e->early_force : &e->force, v3_distance(got.force, want.force));
        raise(early ? &e->early_torque : &e->torque, v3_distance(got.torque, want.torque));
    }
}

/* The largest errors over the run, from the first step on. */
static Errors run_errors(Rig *rig, AfxIntegrator integrator, double dt, double duration) {
    JointReference r = joint_reference_make(rig->scene);
    AfxSimDef def = accurate_def(integrator, dt);
    Errors e = {0};
    rig_start(rig, &def);
    for (int n = 1; n <= (int)lround(duration / dt); n++) {
        rig_run(rig, 1, NULL);
        joint_reference_run(&r, dt, 2e-3);
        take_errors(rig, &r, n * dt < duration / 2, &e);
    }
    return e;
}

/* Motion and reactions have order two. At the very start reactions have order one, as the methods take a_0 = q"_0
 * where their a is that of another time: the difference dies out within some 30 steps. */
static bool check_kind(AfxJointKind kind, BaseMode mode, AfxIntegrator integrator, uint64_t seed) {
    static const double orders[ERRORS] = {1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 0.5, 0.5};
    Rig rig = random_rig(kind, mode, &seed);
    Errors coarse = run_errors(&rig, integrator, 4e-3, 0.4), fine = run_errors(&rig, integrator, 2e-3, 0.4);
    const double *a = &coarse.place, *b = &fine.place;
    bool good = true;
    for (int k = 0; k < ERRORS; k++) {
        bool fits = b[k] < 0.05 * (k >= 4 ? 20 : 1) && (a[k] < 2e-6 || slope(a[k], b[k]) > orders[k]);
        good &= fits;
        if (!fits) {
            print_error("%s on a %s, %s: %s %.3g, %.3g: order %.2f\n", afx_joint_kind_name(kind), base_names[mode],
                        integrator == AFX_ALPHA ? "alpha" : "bdf2", error_names[k], a[k], b[k], slope(a[k], b[k]));
        }
    }
    rig_free(&rig);
    return good;
}

static void check_mode(BaseMode mode) {
    int failures = 0;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            failures += !check_kind((AfxJointKind)k, mode, seed == 1 ? AFX_ALPHA : AFX_BDF2, 100 * seed + (uint64_t)k);
        }
    }
    assert_int_equal(failures, 0);
}

static void every_kind_on_the_world_moves_as_the_reference(void **state) {
    (void)state;
    check_mode(BASE_WORLD);
}

static void every_kind_between_free_bodies_moves_as_the_reference(void **state) {
    (void)state;
    check_mode(BASE_FREE);
}

static void every_kind_on_a_moving_base_moves_as_the_reference(void **state) {
    (void)state;
    check_mode(BASE_KINEMATIC);
}

/* The reference itself: energy is kept and the joint's locked coordinates do not drift. */
static void the_reference_keeps_energy(void **state) {
    (void)state;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        uint64_t seed = 300 + (uint64_t)k;
        Rig rig = random_rig((AfxJointKind)k, BASE_FREE, &seed);
        JointReference r = joint_reference_make(rig.scene);
        double before = joint_reference_energy(&r);
        joint_reference_run(&r, 0.5, 1e-3);
        assert_near(joint_reference_energy(&r), before, 1e-8);
        rig_free(&rig);
    }
}

/* ---- closed forms: what is free falls, what is locked stays ---- */

/* Released from rest on a joint whose rotations are locked, or whose frame is at the centre of mass so that nothing
 * turns it: the centre accelerates by the part of g along the free axes of the base. */
static void check_fall(AfxJointKind kind, uint64_t seed) {
    Rig rig = rig_make(v3(1, 2, -9));
    AfxPose frame = random_pose(&seed, 1);
    AfxBodyDef def = rigid_def(1.5, 0.2, 0.25, 0.3);
    def.pose = (AfxPose){frame.position, random_quat(&seed)};
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, kind, afx_world(), body, frame);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 0.01);
    AfxVec3 local = q_rotate(q_conjugate(frame.rotation), v3(1, 2, -9));
    const char *axes = kind_translations(kind);
    AfxVec3 fall =
        v3(strchr(axes, 'x') ? local.x : 0, strchr(axes, 'y') ? local.y : 0, strchr(axes, 'z') ? local.z : 0);
    rig_start(&rig, &sim);
    for (int n = 1; n <= 100; n++) {
        rig_run(&rig, 1, NULL);
        double t = n * sim.dt;
        AfxVec3 want = v3_add(frame.position, q_rotate(frame.rotation, v3_scale(t * t / 2, fall)));
        assert_vec3(rig_pose(&rig, body).position, want, 1e-10);
        assert_vec3(rig_twist(&rig, body).linear, q_rotate(frame.rotation, v3_scale(t, fall)), 1e-10);
        assert_below(q_distance(rig_pose(&rig, body).rotation, def.pose.rotation), 1e-10);
        AfxWrench reaction = rig_reaction(&rig, joint);
        assert_vec3(reaction.force, v3_scale(-def.mass, v3_sub(local, fall)), 1e-8);
        assert_vec3(reaction.torque, v3(0, 0, 0), 1e-8);
        for (uint32_t a = 0; a < strlen(axes); a++) {
            double component[3] = {fall.x, fall.y, fall.z};
            assert_near(rig_coordinate(&rig, joint, a), t * t / 2 * component[strchr("xyz", axes[a]) - "xyz"], 1e-10);
        }
    }
    rig_free(&rig);
}

static void free_directions_fall_and_locked_ones_do_not(void **state) {
    (void)state;
    static const AfxJointKind kinds[] = {AFX_JOINT_FIXED,       AFX_JOINT_PRISMATIC,   AFX_JOINT_REVOLUTE,
                                         AFX_JOINT_RECTANGULAR, AFX_JOINT_CYLINDRICAL, AFX_JOINT_PIN_IN_SLOT,
                                         AFX_JOINT_UNIVERSAL,   AFX_JOINT_CARTESIAN,   AFX_JOINT_PLANAR,
                                         AFX_JOINT_SPHERICAL,   AFX_JOINT_SLOT,        AFX_JOINT_FREE};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        check_fall(kinds[k], 10 + k);
    }
}

/* An inclined slide, the centre off the axis: s = ½ g sin(slope) t², and the guide bears the moment. */
static void a_slide_runs_down_its_slope(void **state) {
    (void)state;
    double tilt = 0.4, g = 9.81, mass = 3, off = 0.25;
    Rig rig = rig_make(v3(0, 0, -g));
    AfxVec3 down = v3(cos(tilt), 0, -sin(tilt)), up = v3(sin(tilt), 0, cos(tilt));
    AfxPose frame = {v3(1, 1, 1), q_about(v3(0, 1, 0), tilt)}; /* x along `down`, z along `up` */
    AfxBodyDef def = rigid_def(mass, 0.1, 0.2, 0.2);
    def.pose.position = v3_add(frame.position, v3_scale(off, up));
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_PRISMATIC, afx_world(), body, frame);
    AfxSimDef sim = accurate_def(AFX_BDF2, 0.01);
    rig_start(&rig, &sim);
    rig_run(&rig, 150, NULL);
    double t = 1.5, rate;
    double start = t * t / 2 * g * sin(tilt), value;
    assert_ok(afx_sim_joint_coordinate(rig.sim, joint.index, 0, &value, &rate));
    assert_near(value, start, 1e-4); /* the starting step's trace */
    assert_near(rate, t * g * sin(tilt), 1e-4);
    assert_vec3(rig_pose(&rig, body).position, v3_add(def.pose.position, v3_scale(value, down)), 1e-10);
    AfxWrench reaction = rig_reaction(&rig, joint);
    assert_vec3(reaction.force, v3(0, 0, mass * g * cos(tilt)), 1e-7);
    /* the weight's part along x would turn it about y, but so does its inertia: nothing is left */
    assert_vec3(reaction.torque, v3(0, 0, 0), 1e-7);
    rig_free(&rig);
}

/* Spun about its axis and pushed along it: both go on for ever, independent of each other; angles are counted. */
static void a_cylindrical_joint_turns_and_slides_freely(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(2, 0.1, 0.3, 0.3);
    def.angular_velocity = v3(5, 0, 0);
    def.linear_velocity = v3(0.3, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_CYLINDRICAL, afx_world(), body, afx_pose_identity());
    AfxSimDef sim = accurate_def(AFX_ALPHA, 2e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 2000, NULL);
    double slide, angle, rate;
    assert_ok(afx_sim_joint_coordinate(rig.sim, joint.index, 0, &slide, NULL));
    assert_ok(afx_sim_joint_coordinate(rig.sim, joint.index, 1, &angle, &rate));
    assert_near(slide, 1.2, 1e-9);
    assert_near(angle, 20, 20 * 2e-5);
    assert_near(rate, 5, 5 * 2e-5);
    assert_vec3(rig_reaction(&rig, joint).force, v3(0, 0, 2 * 9.81), 1e-6);
    rig_free(&rig);
}

/* On a tilted plane: a parabola down the slope while it spins at a constant rate; the plane bears the weight's rest. */
static void a_planar_joint_keeps_its_plane(void **state) {
    (void)state;
    double tilt = 0.5, g = 9.81, t = 0.8;
    Rig rig = rig_make(v3(0, 0, -g));
    AfxPose frame = {v3(0, 0, 0), q_about(v3(0, 1, 0), tilt)};
    AfxBodyDef def = rigid_def(1.2, 0.1, 0.15, 0.2);
    def.pose.rotation = frame.rotation;
    def.linear_velocity = q_rotate(frame.rotation, v3(-1, 0.7, 0));
    def.angular_velocity = q_rotate(frame.rotation, v3(0, 0, 4));
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_PLANAR, afx_world(), body, frame);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 800, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), -t + t * t / 2 * g * sin(tilt), 1e-9);
    assert_near(rig_coordinate(&rig, joint, 1), 0.7 * t, 1e-9);
    assert_near(rig_coordinate(&rig, joint, 2), 4 * t, 2e-5);
    assert_vec3(rig_reaction(&rig, joint).force, v3(0, 0, 1.2 * g * cos(tilt)), 1e-6);
    assert_vec3(rig_reaction(&rig, joint).torque, v3(0, 0, 0), 1e-6);
    rig_free(&rig);
}

/* ---- two bodies welded move as one ---- */

/* The compound of a free spinning pair, by the parallel axes theorem. */
static AfxBodyDef compound_of(const AfxBodyDef *a, const AfxBodyDef *b) {
    AfxBodyDef def = *a;
    const AfxBodyDef *part[2] = {a, b};
    AfxVec3 centre = v3(0, 0, 0);
    def.mass = a->mass + b->mass;
    for (int k = 0; k < 2; k++) {
        AfxVec3 c = v3_add(part[k]->pose.position, q_rotate(part[k]->pose.rotation, part[k]->center));
        centre = v3_add(centre, v3_scale(part[k]->mass / def.mass, c));
    }
    memset(def.inertia, 0, sizeof def.inertia);
    for (int k = 0; k < 2; k++) {
        AfxVec3 c = v3_add(part[k]->pose.position, q_rotate(part[k]->pose.rotation, part[k]->center));
        AfxVec3 d = v3_sub(c, centre);
        double world[6], m = part[k]->mass, square = v3_dot(d, d);
        tensor_turn(part[k]->inertia, part[k]->pose.rotation, world);
        double shift[6] = {square - d.x * d.x, square - d.y * d.y, square - d.z * d.z,
                           -d.x * d.y,         -d.x * d.z,         -d.y * d.z};
        for (int e = 0; e < 6; e++) {
            def.inertia[e] += world[e] + m * shift[e];
        }
    }
    def.pose.rotation = (AfxQuat){1, 0, 0, 0}; /* its frame has world axes, and its origin at a's */
    def.center = v3_sub(centre, def.pose.position);
    return def;
}

static void welded_bodies_move_as_their_compound(void **state) {
    (void)state;
    uint64_t seed = 77;
    Rig pair = rig_make(v3(0, 0, -9.81)), one = rig_make(v3(0, 0, -9.81));
    AfxBodyDef a = odd_def(&seed), b = odd_def(&seed);
    a.pose = random_pose(&seed, 1);
    b.pose = random_pose(&seed, 1);
    a.angular_velocity = b.angular_velocity = v3(2, -1, 3);
    a.linear_velocity = v3(0.3, 1, 2);
    b.linear_velocity =
        v3_add(a.linear_velocity, v3_cross(a.angular_velocity, v3_sub(b.pose.position, a.pose.position)));
    AfxBodyDef whole = compound_of(&a, &b);
    AfxBodyId base = rig_body(&pair, &a), follower = rig_body(&pair, &b), single = rig_body(&one, &whole);
    rig_joint(&pair, AFX_JOINT_FIXED, base, follower, random_pose(&seed, 0.5));
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&pair, &sim);
    rig_start(&one, &sim);
    for (int n = 0; n < 1000; n++) {
        assert_below(rig_run(&pair, 1, NULL), 1e-12);
        rig_run(&one, 1, NULL);
    }
    AfxPose got = rig_pose(&pair, base), want = rig_pose(&one, single);
    /* both integrate the same equations in the same coordinates: they agree far better than with the truth */
    assert_vec3(got.position, want.position, 2e-5);
    assert_below(q_distance(q_multiply(got.rotation, q_conjugate(a.pose.rotation)), want.rotation), 2e-5);
    assert_vec3(rig_twist(&pair, base).angular, rig_twist(&one, single).angular, 1e-4);
    rig_free(&pair);
    rig_free(&one);
}

int run_motion_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_keeps_energy),
        cmocka_unit_test(every_kind_on_the_world_moves_as_the_reference),
        cmocka_unit_test(every_kind_between_free_bodies_moves_as_the_reference),
        cmocka_unit_test(every_kind_on_a_moving_base_moves_as_the_reference),
        cmocka_unit_test(free_directions_fall_and_locked_ones_do_not),
        cmocka_unit_test(a_slide_runs_down_its_slope),
        cmocka_unit_test(a_cylindrical_joint_turns_and_slides_freely),
        cmocka_unit_test(a_planar_joint_keeps_its_plane),
        cmocka_unit_test(welded_bodies_move_as_their_compound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

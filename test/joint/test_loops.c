/* SPDX-License-Identifier: Apache-2.0 */
/* Closed loops, with rows that say the same thing twice: a door on two hinges, a four-bar through its singular
 * positions, a spatial loop of six hinges. Rows hold, the report says that loads were shared, the motion is that of the
 * mechanism. */
#include "tests.h"

static const double gravity = 9.81;

/* ---- a door ---- */

/* A panel on a slanting axis, by one hinge or two; `first` is the hinge at the origin. */
static Rig door_rig(int hinges, AfxVec3 axis) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxPose frame = afx_frame_along(v3(0, 0, 0), axis);
    AfxBodyDef def = rigid_def(8, 0.4, 0.6, 0.25);
    def.pose = afx_pose_compose(frame, (AfxPose){v3(0.5, 0.4, 0.1), q_about(v3(1, 1, 0), 0.3)});
    AfxBodyId body = rig_body(&rig, &def);
    for (int k = 0; k < hinges; k++) {
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body,
                  afx_pose_compose(frame, (AfxPose){v3(k, 0, 0), {1, 0, 0, 0}}));
    }
    return rig;
}

static void a_door_on_two_hinges_moves_as_on_one(void **state) {
    (void)state;
    AfxVec3 axis = v3(0.6, 0.2, 1);
    Rig one = door_rig(1, axis), two = door_rig(2, axis);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 2e-3);
    uint32_t flags_one, flags_two;
    rig_start(&one, &sim);
    rig_start(&two, &sim);
    double energy = rig_energy(&two);
    for (int n = 0; n < 1000; n++) {
        rig_run(&one, 1, &flags_one);
        assert_below(rig_run(&two, 1, &flags_two), 1e-12);
        assert_true(flags_two & AFX_STEP_REGULARISED);
        assert_false(flags_one & AFX_STEP_REGULARISED);
        if (n % 50 == 49) { /* what both hinges bear is what the one does */
            AfxWrench a = rig_reaction(&two, afx_scene_joint(two.scene, 0)),
                      want = rig_reaction(&one, afx_scene_joint(one.scene, 0));
            AfxWrench b = rig_reaction(&two, afx_scene_joint(two.scene, 1));
            AfxVec3 torque = v3_add(v3_add(a.torque, b.torque), v3_cross(v3(1, 0, 0), b.force));
            assert_vec3(v3_add(a.force, b.force), want.force, 1e-3);
            assert_vec3(torque, want.torque, 1e-3);
        }
    }
    AfxBodyId body = afx_scene_body(one.scene, 0), same = afx_scene_body(two.scene, 0);
    assert_vec3(rig_pose(&one, body).position, rig_pose(&two, same).position, 1e-5);
    assert_near(rig_coordinate(&one, afx_scene_joint(one.scene, 0), 0),
                rig_coordinate(&two, afx_scene_joint(two.scene, 1), 0), 1e-5);
    assert_near(rig_energy(&two), energy, 2e-3);
    rig_free(&one);
    rig_free(&two);
}

static void a_tree_is_not_regularised(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyId trunk = afx_world(), body[6];
    static const AfxJointKind kinds[6] = {AFX_JOINT_REVOLUTE,  AFX_JOINT_SPHERICAL, AFX_JOINT_FIXED,
                                          AFX_JOINT_PRISMATIC, AFX_JOINT_UNIVERSAL, AFX_JOINT_CYLINDRICAL};
    static const int parent[6] = {-1, 0, 0, 1, 1, 2};
    uint64_t seed = 4;
    for (int k = 0; k < 6; k++) {
        AfxBodyDef def = odd_def(&seed);
        def.pose = random_pose(&seed, 1);
        body[k] = rig_body(&rig, &def);
        rig_joint(&rig, kinds[k], parent[k] < 0 ? trunk : body[parent[k]], body[k], random_pose(&seed, 1));
    }
    AfxSimDef sim = afx_default_sim();
    uint32_t flags;
    rig_start(&rig, &sim);
    assert_below(rig_run(&rig, 100, &flags), 1e-10);
    assert_false(flags & AFX_STEP_REGULARISED);
    rig_free(&rig);
}

/* ---- rods ---- */

/* A rod of 1 m and 1 kg, 0.1 m square, between two points. */
static AfxBodyId add_rod(Rig *rig, AfxVec3 from, AfxVec3 to, AfxVec3 velocity, AfxVec3 spin) {
    double across = 1.01 / 12;
    AfxBodyDef def = rigid_def(1, 0.01 / 6, across, across);
    def.pose = afx_frame_along(from, v3_sub(to, from));
    def.pose.position = v3_scale(0.5, v3_add(from, to));
    def.linear_velocity = velocity;
    def.angular_velocity = spin;
    return rig_body(rig, &def);
}

/* ---- a parallelogram of four bars: a pendulum as long as it does not fold the other way where it is flat ---- */

static Rig four_bar_rig(void) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxVec3 a = v3(0, 0, 0), b = v3(1, 0, 0), c = v3(0, 0, 1), d = v3(1, 0, 1), y = v3(0, 1, 0);
    AfxBodyId left = add_rod(&rig, a, c, v3(0.5, 0, 0), y), right = add_rod(&rig, b, d, v3(0.5, 0, 0), y);
    AfxBodyId top = add_rod(&rig, c, d, v3(1, 0, 0), v3(0, 0, 0));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), left, afx_frame_along(a, y));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), right, afx_frame_along(b, y));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, left, top, afx_frame_along(c, y));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, right, top, afx_frame_along(d, y));
    return rig;
}

/* angle from upright: (2 I + 1) a" = 2 g sin a, I of a rod about its end */
static void bars_run(double *angle, double *rate, double h) {
    double inertia = 2 * (1.01 / 12 + 0.25) + 1, g = 2 * gravity / inertia, x = *angle, v = *rate;
    double a1 = v, b1 = g * sin(x), a2 = v + h / 2 * b1, b2 = g * sin(x + h / 2 * a1);
    double a3 = v + h / 2 * b2, b3 = g * sin(x + h / 2 * a2), a4 = v + h * b3, b4 = g * sin(x + h * a3);
    *angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    *rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
}

static double four_bar_error(double dt, double duration) {
    Rig rig = four_bar_rig();
    AfxSimDef sim = accurate_def(AFX_ALPHA, dt);
    double angle = 0, rate = 1, error = 0, start, flat = 0;
    uint32_t flags;
    rig_start(&rig, &sim);
    start = rig_energy(&rig);
    for (int n = 0; n < (int)lround(duration / dt); n++) {
        assert_below(rig_run(&rig, 1, &flags), 1e-12);
        assert_true(flags & AFX_STEP_REGULARISED);
        for (int k = 0; k < 4; k++) {
            bars_run(&angle, &rate, dt / 4);
        }
        flat += fabs(cos(angle)) < 0.02;
        AfxVec3 top = rig_pose(&rig, afx_scene_body(rig.scene, 2)).position;
        error = fmax(error, v3_distance(top, v3(0.5 + sin(angle), 0, cos(angle))));
    }
    assert_true(flat > 0); /* it did pass its singular positions */
    assert_near(rig_energy(&rig), start, 5e-2);
    rig_free(&rig);
    return error;
}

static void a_four_bar_passes_its_singular_positions(void **state) {
    (void)state;
    double error[3] = {four_bar_error(2e-3, 5), four_bar_error(1e-3, 5), four_bar_error(5e-4, 5)};
    print_message("four-bar: %.3g, %.3g, %.3g m\n", error[0], error[1], error[2]);
    assert_below(error[1], 5e-4);
    assert_true(slope(error[0], error[2]) / 2 > 1.6); /* the folds cost a little of the order */
}

/* ---- Bricard's mechanism ---- */

static const AfxVec3 nodes[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};

static Rig bricard_rig(uint32_t *out_marker) {
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxBodyId rod[5], world = afx_world();
    AfxMarkerId marker;
    for (int k = 0; k < 5; k++) {
        rod[k] = add_rod(&rig, nodes[k], nodes[k + 1], v3(0, 0, 0), v3(0, 0, 0));
    }
    for (int k = 0; k < 6; k++) {
        static const AfxVec3 axes[3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
        AfxBodyId base = k == 0 ? world : rod[k - 1], follower = k == 5 ? world : rod[k];
        rig_joint(&rig, AFX_JOINT_REVOLUTE, base, follower, afx_frame_along(nodes[k], axes[k % 3]));
    }
    assert_ok(afx_scene_add_marker(rig.scene, rod[1], "P3", v3(0.5, 0, 0), &marker));
    *out_marker = marker.index;
    return rig;
}

static double bricard_error(double dt, AfxIntegrator integrator) {
    uint32_t marker, flags;
    Rig rig = bricard_rig(&marker);
    AfxSimDef sim = accurate_def(integrator, dt);
    AfxVec3 place;
    rig_start(&rig, &sim);
    assert_ok(afx_sim_marker(rig.sim, marker, &place, NULL));
    assert_vec3(place, nodes[2], 1e-12);
    double start = rig_energy(&rig);
    double residual = rig_run(&rig, (uint32_t)lround(1 / dt), &flags);
    assert_true(flags & AFX_STEP_REGULARISED);
    assert_below(residual, 1e-12);
    assert_ok(afx_sim_marker(rig.sim, marker, &place, NULL));
    assert_near(rig_energy(&rig), start, 1e-2);
    rig_free(&rig);
    return v3_distance(place, v3(0.274481319265, -0.886707938735, -0.462330002687));
}

static void bricard_is_where_it_should_be(void **state) {
    (void)state;
    double alpha[2] = {bricard_error(2e-3, AFX_ALPHA), bricard_error(1e-3, AFX_ALPHA)};
    double bdf2[2] = {bricard_error(2e-3, AFX_BDF2), bricard_error(1e-3, AFX_BDF2)};
    print_message("Bricard at 1 s: alpha %.3g, %.3g m; bdf2 %.3g, %.3g m\n", alpha[0], alpha[1], bdf2[0], bdf2[1]);
    assert_below(alpha[1], 1e-5);
    assert_true(slope(alpha[0], alpha[1]) > 1.7);
    assert_true(slope(bdf2[0], bdf2[1]) > 1.7);
}

int run_loops_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_on_two_hinges_moves_as_on_one),
        cmocka_unit_test(a_tree_is_not_regularised),
        cmocka_unit_test(a_four_bar_passes_its_singular_positions),
        cmocka_unit_test(bricard_is_where_it_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

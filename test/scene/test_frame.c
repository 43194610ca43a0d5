/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of joints: along an axis, and placed in the world. */
#include "tests.h"

static uint64_t seed = 1;

/** Uniform in [-1, 1] (splitmix64). */
static double random_number(void) {
    uint64_t z = seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static AfxVec3 random_vec3(double size) {
    return (AfxVec3){size * random_number(), size * random_number(), size * random_number()};
}

static AfxPose random_pose(double size) {
    return (AfxPose){random_vec3(size), afx_quat_from_axis_angle(random_vec3(1), 6 * random_number())};
}

static AfxBodyId add_posed(AfxScene *scene, AfxPose pose) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.pose = pose;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

/** x along the axis, unit, right-handed; to a few roundings whatever the length of the axis. */
static void check_along(AfxVec3 axis) {
    double largest = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    AfxVec3 u = {axis.x / largest, axis.y / largest, axis.z / largest};
    double length = sqrt(u.x * u.x + u.y * u.y + u.z * u.z);
    AfxPose frame = afx_frame_along((AfxVec3){1, 2, 3}, axis);
    AfxQuat q = frame.rotation;
    assert_vec3(frame.position, 1, 2, 3, 0);
    assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15);
    AfxVec3 x = afx_quat_rotate(q, (AfxVec3){1, 0, 0}), y = afx_quat_rotate(q, (AfxVec3){0, 1, 0});
    AfxVec3 z = afx_quat_rotate(q, (AfxVec3){0, 0, 1});
    assert_vec3(x, u.x / length, u.y / length, u.z / length, 1e-15);
    assert_near(x.x * y.x + x.y * y.y + x.z * y.z, 0, 1e-15);
    assert_vec3(z, x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x, 2e-15);
    AfxPose again = afx_frame_along((AfxVec3){1, 2, 3}, axis);
    assert_memory_equal(&again, &frame, sizeof frame);
}

static void a_frame_lies_along_any_axis(void **state) {
    (void)state;
    static const double sizes[] = {1, 1e-8, 1e-150, 1e-320, 1e150, 1.7e308};
    for (int k = 0; k < 3000; k++) {
        double size = sizes[k % 6];
        check_along(random_vec3(size));
        double near = 1;
        for (int i = 0; i < 80; i++, near *= 1e-4) { /* ever closer to +x and -x */
            check_along((AfxVec3){k % 2 ? size : -size, near * size * random_number(), near * size * random_number()});
        }
    }
    for (int k = 0; k < 6; k++) {
        double s = k % 2 ? -1 : 1;
        check_along((AfxVec3){k / 2 == 0 ? s : 0, k / 2 == 1 ? s : 0, k / 2 == 2 ? s : 0});
    }
    check_along((AfxVec3){-1, 5e-324, 0});
    check_along((AfxVec3){-5e-324, 0, 0});
}

static void a_frame_along_x_or_nothing_is_not_turned(void **state) {
    (void)state;
    const AfxVec3 axes[] = {{1, 0, 0},        {1e-320, 0, 0}, {1e300, 0, 0},  {0, 0, 0},
                            {INFINITY, 0, 0}, {0, NAN, 1},    {1, -0.0, -0.0}};
    AfxPose identity = {{4, 5, 6}, {1, 0, 0, 0}};
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
        AfxPose frame = afx_frame_along((AfxVec3){4, 5, 6}, axes[k]);
        assert_pose(frame, identity, 0);
    }
}

static void placed_frames_coincide_in_the_world(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    for (int k = 0; k < 200; k++) {
        double size = k % 2 ? 1 : 1e6;
        AfxPose a = random_pose(size), b = random_pose(size), frame = random_pose(size);
        AfxBodyId body_a = add_posed(scene, a), body_b = add_posed(scene, b);
        AfxJointDef def = afx_default_joint(AFX_JOINT_REVOLUTE);
        def.base = body_a;
        def.follower = body_b;
        assert_ok(afx_joint_place(scene, &def, frame));
        assert_pose(afx_pose_compose(a, def.base_frame), frame, 1e-14 * size);
        assert_pose(afx_pose_compose(b, def.follower_frame), frame, 1e-14 * size);
        def.base = afx_world();
        assert_ok(afx_joint_place(scene, &def, frame));
        assert_pose(def.base_frame, frame, 0);
        assert_pose(afx_pose_compose(b, def.follower_frame), frame, 1e-14 * size);
        def.base = body_b;
        def.follower = afx_world();
        assert_ok(afx_joint_place(scene, &def, frame));
        assert_pose(def.follower_frame, frame, 0);
        assert_pose(afx_pose_compose(b, def.base_frame), frame, 1e-14 * size);
    }
    afx_scene_destroy(scene);
}

/* Where the bodies are far away, what matters is how far the frame is from them. */
static void placing_far_from_the_origin_loses_little(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxQuat turn = afx_quat_from_axis_angle((AfxVec3){1, 2, 3}, 1);
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    def.follower = add_posed(scene, (AfxPose){{1e9, -1e9, 1e9}, turn});
    assert_ok(afx_joint_place(scene, &def, (AfxPose){{1e9 + 0.5, -1e9, 1e9}, turn}));
    assert_pose(
        def.follower_frame,
        (AfxPose){afx_quat_rotate((AfxQuat){turn.w, -turn.x, -turn.y, -turn.z}, (AfxVec3){0.5, 0, 0}), {1, 0, 0, 0}},
        1e-15);
    afx_scene_destroy(scene);
}

static void placing_refuses_what_is_wrong(void **state) {
    (void)state;
    AfxScene *scene = make_scene(), *other = make_scene();
    AfxJointDef def = afx_default_joint(AFX_JOINT_FIXED), before;
    AfxPose frame = afx_pose_identity(), wrong = frame;
    def.name = "hip";
    def.follower = add_posed(scene, (AfxPose){{-1.7e308, 0, 0}, {1, 0, 0, 0}});
    before = def;
    assert_int_equal(afx_joint_place(NULL, &def, frame), AFX_E_ARGUMENT);
    assert_int_equal(afx_joint_place(scene, NULL, frame), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #0", "def is NULL");
    wrong.position.x = NAN;
    assert_int_equal(afx_joint_place(scene, &def, wrong), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "joint \"hip\"", "its world frame's position is not finite");
    wrong.position.x = 1.7e308;
    assert_int_equal(afx_joint_place(scene, &def, wrong), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "joint \"hip\"", "its follower frame's position is not finite");
    wrong = (AfxPose){{0, 0, 0}, {0, 0, 0, 0}};
    assert_int_equal(afx_joint_place(scene, &def, wrong), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "joint \"hip\"", "its world frame's rotation is a quaternion of length zero");
    assert_memory_equal(&def, &before, sizeof def);
    def.base = add_body(other, NULL);
    assert_int_equal(afx_joint_place(scene, &def, frame), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint \"hip\"", "the body id of its base is stale");
    def.base = def.follower = afx_world();
    assert_int_equal(afx_joint_place(scene, &def, frame), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "joint \"hip\"", "are both the world");
    def.cookie++;
    def.name = (const char *)(uintptr_t)1;
    assert_int_equal(afx_joint_place(scene, &def, frame), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "joint #0", "not made by this version");
    afx_scene_destroy(scene);
    afx_scene_destroy(other);
}

int run_frame_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_lies_along_any_axis),
        cmocka_unit_test(a_frame_along_x_or_nothing_is_not_turned),
        cmocka_unit_test(placed_frames_coincide_in_the_world),
        cmocka_unit_test(placing_far_from_the_origin_loses_little),
        cmocka_unit_test(placing_refuses_what_is_wrong),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}

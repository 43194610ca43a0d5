/* SPDX-License-Identifier: Apache-2.0 */
/* Reactions at rest, against statics: what a joint bears is the weight and its moment, in the joint's axes as the base
 * carries them, as force and torque on the follower. */
#include "tests.h"

static const double gravity = 9.81;

/* A body at rest on a joint in any pose of the world: force = -weight, torque = weight x arm to the joint's point. */
static AfxWrench hang(AfxJointKind kind, AfxPose frame, AfxBodyDef def, AfxVec3 g, bool swapped) {
    Rig rig = rig_make(g);
    AfxBodyId body = rig_body(&rig, &def), world = afx_world();
    AfxJointId joint = rig_joint(&rig, kind, swapped ? body : world, swapped ? world : body, frame);
    AfxSimDef sim = sim_def(AFX_BDF2, 0.01);
    rig_start(&rig, &sim);
    assert_below(rig_run(&rig, 20, NULL), 1e-12);
    assert_vec3(rig_pose(&rig, body).position, def.pose.position, 1e-10);
    AfxWrench reaction = rig_reaction(&rig, joint);
    rig_free(&rig);
    return reaction;
}

static AfxWrench turned_into(AfxQuat axes, AfxVec3 force, AfxVec3 torque) {
    AfxQuat back = q_conjugate(axes);
    return (AfxWrench){q_rotate(back, force), q_rotate(back, torque)};
}

static void a_cantilever_bears_weight_and_moment(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t s = seed;
        AfxBodyDef def = odd_def(&s);
        AfxPose frame = random_pose(&s, 1);
        AfxVec3 g = random_vec3(&s, 10);
        def.pose = random_pose(&s, 1);
        AfxVec3 weight = v3_scale(def.mass, g);
        AfxVec3 centre = v3_add(def.pose.position, q_rotate(def.pose.rotation, def.center));
        AfxVec3 moment = v3_cross(v3_sub(centre, frame.position), weight);
        AfxWrench got = hang(AFX_JOINT_FIXED, frame, def, g, false);
        AfxWrench want = turned_into(frame.rotation, v3_scale(-1, weight), v3_scale(-1, moment));
        assert_vec3(got.force, want.force, 1e-8);
        assert_vec3(got.torque, want.torque, 1e-8);
        /* the body as the base: the reaction is on the world, and has the other sign */
        got = hang(AFX_JOINT_FIXED, frame, def, g, true);
        want = turned_into(frame.rotation, weight, moment);
        assert_vec3(got.force, want.force, 1e-8);
        assert_vec3(got.torque, want.torque, 1e-8);
    }
}

/* An elastic beam gives way a little, and bears the same. */
static void an_elastic_cantilever_bears_the_same(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(1, 0.1, 0.1);
    def.pose.position = v3(0.5, 0, 0);
    def.young = 1e11;
    AfxBodyId body = rig_body(&rig, &def);
    assert_ok(afx_scene_add_shape(rig.scene, body, &box));
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_FIXED, afx_world(), body, afx_pose_identity());
    AfxSimDef sim = sim_def(AFX_BDF1, 0.01);
    rig_start(&rig, &sim);
    rig_run(&rig, 300, NULL);
    AfxWrench reaction = rig_reaction(&rig, joint);
    assert_vec3(reaction.force, v3(0, 0, 10 * gravity), 1e-6);
    assert_vec3(reaction.torque, v3(0, -5 * gravity, 0), 1e-6); /* lifts the far end: about -y */
    rig_free(&rig);
}

/* Every kind bears what it locks: the weight along the free axes is left out by turning gravity away from them. A body
 * whose centre is below a turning joint hangs still; the torque is what the locked rotations bear. */
static void a_hanging_body_loads_each_kind(void **state) {
    (void)state;
    static const AfxJointKind kinds[] = {AFX_JOINT_FIXED,       AFX_JOINT_PRISMATIC,      AFX_JOINT_REVOLUTE,
                                         AFX_JOINT_RECTANGULAR, AFX_JOINT_CYLINDRICAL,    AFX_JOINT_PIN_IN_SLOT,
                                         AFX_JOINT_UNIVERSAL,   AFX_JOINT_PLANAR,         AFX_JOINT_SPHERICAL,
                                         AFX_JOINT_SLOT,        AFX_JOINT_REVOLUTE_POINTS};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        uint64_t seed = 20 + k;
        AfxBodyDef def = odd_def(&seed);
        AfxPose frame = random_pose(&seed, 1);
        AfxVec3 down = q_rotate(frame.rotation, v3(0, 0, -1)); /* z is locked in all of them */
        bool turns = strlen(kind_rotations(kinds[k])) > 0;
        AfxVec3 off = turns ? v3_scale(0.7, down) : q_rotate(frame.rotation, v3(0.3, 0.5, -0.2));
        def.pose.rotation = random_quat(&seed);
        def.pose.position = v3_sub(v3_add(frame.position, off), q_rotate(def.pose.rotation, def.center));
        AfxVec3 weight = v3_scale(gravity * def.mass, down);
        AfxWrench got = hang(kinds[k], frame, def, v3_scale(gravity, down), false);
        AfxWrench want = turned_into(frame.rotation, v3_scale(-1, weight), v3_scale(-1, v3_cross(off, weight)));
        assert_vec3(got.force, want.force, 1e-8);
        assert_vec3(got.torque, want.torque, 1e-8);
    }
}

/* A door on one hinge: the torque about the axes it locks, and none about its own. */
static void a_hinge_bears_the_moment_across_its_axis(void **state) {
    (void)state;
    AfxBodyDef def = rigid_def(4, 0.3, 0.2, 0.4);
    AfxPose frame = {v3(1, 0, 2), q_about(v3(0, 1, 0), -PI / 2)}; /* x up, z along -x of the world */
    def.pose.position = v3(1.6, 0, 2.5);
    AfxWrench got = hang(AFX_JOINT_REVOLUTE, frame, def, v3(0, 0, -gravity), false);
    AfxVec3 weight = v3(0, 0, -4 * gravity);
    AfxWrench want = turned_into(frame.rotation, v3_scale(-1, weight), v3_scale(-1, v3_cross(v3(0.6, 0, 0.5), weight)));
    assert_vec3(got.force, want.force, 1e-9);
    assert_vec3(got.torque, want.torque, 1e-9);
    assert_near(got.force.x, 4 * gravity, 1e-9);
    assert_near(fabs(got.torque.y), 4 * gravity * 0.6, 1e-9);
    assert_near(got.torque.x, 0, 1e-12);
}

/* Three bodies under each other: each joint bears all that hangs below it. */
static void a_string_of_bodies_adds_up(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointKind kinds[3] = {AFX_JOINT_SPHERICAL, AFX_JOINT_UNIVERSAL, AFX_JOINT_DISTANCE};
    AfxBodyId above = afx_world(), body;
    AfxJointId joint[3];
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(1 + k, 0.1, 0.12, 0.15);
        def.pose.position = v3(0, 0, -0.5 - k);
        body = rig_body(&rig, &def);
        AfxJointDef joint_def = afx_default_joint(kinds[k]);
        joint_def.base = above;
        joint_def.follower = body;
        joint_def.length = 0.5;
        joint_def.base_frame.position = v3(0, 0, k == 0 ? 0 : k == 2 ? -0.25 : -0.5);
        joint_def.follower_frame.position = v3(0, 0, k == 2 ? 0.25 : 0.5);
        joint[k] = rig_joint_def(&rig, &joint_def);
        above = body;
    }
    AfxSimDef sim = sim_def(AFX_BDF2, 0.01);
    rig_start(&rig, &sim);
    rig_run(&rig, 20, NULL);
    for (int k = 0; k < 3; k++) {
        double below = (k == 0 ? 6 : k == 1 ? 5 : 3) * gravity;
        assert_vec3(rig_reaction(&rig, joint[k]).force, v3(0, 0, below), 1e-8);
        assert_vec3(rig_reaction(&rig, joint[k]).torque, v3(0, 0, 0), 1e-8);
    }
    rig_free(&rig);
}

int run_statics_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_bears_weight_and_moment),
        cmocka_unit_test(an_elastic_cantilever_bears_the_same),
        cmocka_unit_test(a_hanging_body_loads_each_kind),
        cmocka_unit_test(a_hinge_bears_the_moment_across_its_axis),
        cmocka_unit_test(a_string_of_bodies_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

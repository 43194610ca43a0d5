/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, groups and files in files: where things end up, what they are called, what ties them. */
#include "tests.h"

#include "support/allocator.h"

#define PI 3.14159265358979323846

static AfxBodyDef body_named(const AfxScene *scene, const char *name) {
    AfxBodyId id;
    AfxBodyDef def;
    if (afx_scene_find_body(scene, name, &id)) {
        print_error("no body %s\n", name);
        fail();
    }
    assert_ok(afx_scene_get_body(scene, id, &def));
    return def;
}

static AfxJointDef joint_at(const AfxScene *scene, uint32_t index) {
    AfxJointDef def;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, index), &def));
    return def;
}

static void a_chain_of_instances(void **state) {
    (void)state;
    AfxScene *scene =
        load_json("{\"affix_scene\": 1, \"bodies\": [{\"name\": \"base\", \"kind\": \"fixed\"}, {\"name\": \"link\", "
                  "\"position\": [1, 0, 0],\n"
                  "\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1]}, {\"kind\": \"sphere\", \"radius\": 2}],\n"
                  "\"markers\": [{\"name\": \"tip\", \"point\": [0, 0, 1]}], \"wrenches\": [{\"force\": [1, 0, 0]}],\n"
                  "\"repeat\": {\"count\": 5, \"step\": {\"position\": [0.1, 0, 2]}, \"joint\": {\"name\": \"pin\", "
                  "\"kind\": \"revolute\",\n"
                  "\"base_frame\": {\"position\": [0, 0, 1]}, \"follower_frame\": {\"position\": [0, 0, -1]},\n"
                  "\"drives\": [{\"name\": \"rub\", \"kind\": \"friction\", \"effort\": 1}]}}}]}");
    assert_int_equal(afx_scene_body_count(scene), 6);
    assert_int_equal(afx_scene_joint_count(scene), 4);
    assert_int_equal(afx_scene_drive_count(scene), 4);
    assert_int_equal(afx_scene_marker_count(scene), 5);
    assert_int_equal(afx_scene_wrench_count(scene), 5);
    for (uint32_t k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "link.%u", (unsigned)k);
        AfxBodyDef def = body_named(scene, name);
        assert_true(def.pose.position.x == 1 + k * 0.1 && def.pose.position.z == 2 * k); /* multiplied, not summed */
        assert_int_equal(afx_scene_shape_count(scene, afx_scene_body(scene, 1 + k)), 2);
        const char *marker;
        AfxBodyId holder;
        AfxVec3 point;
        snprintf(name, sizeof name, "tip.%u", (unsigned)k);
        assert_ok(afx_scene_get_marker(scene, k, &marker, &holder, &point));
        assert_string_equal(marker, name);
        assert_int_equal(holder.index, 1 + k);
    }
    for (uint32_t k = 0; k < 4; k++) {
        AfxJointDef joint = joint_at(scene, k);
        char name[32];
        snprintf(name, sizeof name, "pin.%u", (unsigned)k + 1);
        assert_string_equal(joint.name, name);
        assert_int_equal(joint.base.index, 1 + k);
        assert_int_equal(joint.follower.index, 2 + k);
        assert_vec3(joint.base_frame.position, 0, 0, 1, 0);
        assert_vec3(joint.follower_frame.position, 0, 0, -1, 0);
    }
    afx_scene_destroy(scene);
}

/* A hundred times 0.1 is 10; a hundred sums of 0.1 are not. */
static void steps_that_do_not_turn_are_multiplied(void **state) {
    (void)state;
    AfxScene *scene =
        load_json("{\"affix_scene\": 1, \"bodies\": [{\"repeat\": {\"count\": 101, \"step\": {\"position\": [0.1, 0, "
                  "0]}}}], \"groups\": [{\"repeat\": {\"count\": 101, \"step\": {\"position\": [0, 0.1, 0]}}, "
                  "\"bodies\": [{}]}]}");
    for (uint32_t k = 0; k <= 100; k++) {
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, k), &def));
        assert_true(def.pose.position.x == k * 0.1);
        assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 101 + k), &def));
        assert_true(def.pose.position.y == k * 0.1);
    }
    afx_scene_destroy(scene);
}

/* Sixty steps of six degrees about an axis beside the origin are a ring. */
static void steps_that_turn(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"bodies\": [{\"name\": \"b\", \"position\": [2, 0, 0], \"velocity\": [0, 1, 0],\n"
        "\"angular_velocity\": [3, 0, 0],\n"
        "\"repeat\": {\"count\": 61, \"step\": {\"rotation\": {\"axis\": [0, 0, 1], \"degrees\": 6}}}}]}");
    for (int k = 0; k <= 60; k++) {
        char name[32];
        snprintf(name, sizeof name, "b.%d", k);
        AfxBodyDef def = body_named(scene, name);
        double c = cos(k * PI / 30), s = sin(k * PI / 30);
        assert_vec3(def.pose.position, 2 * c, 2 * s, 0, 1e-13);
        assert_vec3(afx_quat_rotate(def.pose.rotation, (AfxVec3){1, 0, 0}), c, s, 0, 1e-13);
        assert_vec3(def.linear_velocity, -s, c, 0, 1e-13);
        assert_vec3(def.angular_velocity, 3 * c, 3 * s, 0, 1e-13);
    }
    afx_scene_destroy(scene);
}

static void a_grid_with_joints_both_ways(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"bodies\": [{\"name\": \"n\", \"repeat\": {\"count\": [3, 2, 2],\n"
        "\"step\": [{\"position\": [1, 0, 0]}, {\"position\": [0, 10, 0]}, {\"position\": [0, 0, 100]}],\n"
        "\"joint\": [{\"kind\": \"spherical\", \"name\": \"x\"}, {\"kind\": \"fixed\", \"name\": \"y\"}, null]}}]}");
    assert_int_equal(afx_scene_body_count(scene), 12);
    assert_int_equal(afx_scene_joint_count(scene), 2 * 2 * 2 + 3 * 1 * 2);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 2; j++) {
            for (uint32_t k = 0; k < 2; k++) {
                char name[32];
                AfxBodyId id;
                AfxJointId joint;
                snprintf(name, sizeof name, "n.%u.%u.%u", (unsigned)i, (unsigned)j, (unsigned)k);
                AfxBodyDef def = body_named(scene, name);
                assert_vec3(def.pose.position, i, 10 * j, 100 * k, 0);
                assert_ok(afx_scene_find_body(scene, name, &id));
                assert_int_equal(id.index, i + 3 * (j + 2 * k)); /* the first direction runs fastest */
                name[0] = 'x';
                assert_int_equal(afx_scene_find_joint(scene, name, &joint) == AFX_OK, i > 0);
                if (i > 0) {
                    assert_int_equal(joint_at(scene, joint.index).base.index, id.index - 1);
                }
                name[0] = 'y';
                assert_int_equal(afx_scene_find_joint(scene, name, &joint) == AFX_OK, j > 0);
                if (j > 0) {
                    assert_int_equal(joint_at(scene, joint.index).base.index, id.index - 3);
                    assert_int_equal(joint_at(scene, joint.index).follower.index, id.index);
                }
            }
        }
    }
    afx_scene_destroy(scene);
}

/* A group is moved as a whole: bodies, velocities, joints to the world, springs, wrenches and motions. */
static void a_group_is_placed(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"bodies\": [{\"name\": \"outer\", \"kind\": \"fixed\"}],\n"
        "\"groups\": [{\"name\": \"g\", \"position\": [10, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], \"degrees\": "
        "90},\n"
        "\"bodies\": [{\"name\": \"a\", \"position\": [1, 0, 0], \"velocity\": [1, 0, 0]}, {\"name\": \"k\", \"kind\": "
        "\"kinematic\",\n"
        "\"motion\": {\"translation\": [{\"sine\": {\"amplitude\": 2, \"frequency\": 3, \"phase\": 0.5}}, 0, 0], "
        "\"axis\": [1, 0, 0],\n"
        "\"angle\": 0.25}}, {\"name\": \"p\", \"kind\": \"kinematic\", \"motion\": {\"translation\": [{\"polynomial\": "
        "[1, 2]}, 3, 0]}}],\n"
        "\"joints\": [{\"name\": \"j\", \"kind\": \"revolute\", \"follower\": \"a\", \"base_frame\": {\"position\": "
        "[1, 0, 0]}},\n"
        "{\"kind\": \"revolute\", \"base\": \"outer\", \"follower\": \"a\", \"base_frame\": {\"position\": [1, 0, "
        "0]}},\n"
        "{\"kind\": \"fixed\", \"base\": \"outer\", \"follower\": \"a\", \"frame\": {\"position\": [1, 0, 0]}},\n"
        "{\"kind\": \"spherical\", \"follower\": \"a\", \"base_points\": [[1, 0, 0]], \"follower_points\": [[0, 0, "
        "0]]}],\n"
        "\"springs\": [{\"body_a\": \"a\", \"point_b\": [0, 1, 0], \"stiffness\": 1}],\n"
        "\"wrenches\": [{\"body\": \"a\", \"force\": [1, 0, 0]}, {\"body\": 0, \"frame\": \"body\", \"force\": [1, 0, "
        "0]}],\n"
        "\"markers\": [{\"name\": \"m\", \"body\": \"a\"}]}]}");
    AfxBodyDef a = body_named(scene, "g/a"), k = body_named(scene, "g/k"), p = body_named(scene, "g/p");
    assert_vec3(a.pose.position, 10, 1, 0, 1e-14);
    assert_vec3(afx_quat_rotate(a.pose.rotation, (AfxVec3){1, 0, 0}), 0, 1, 0, 1e-14);
    assert_vec3(a.linear_velocity, 0, 1, 0, 1e-14);
    double value;
    assert_ok(afx_signal_evaluate(&k.motion.translation[1], 0.1, &value, NULL, NULL));
    assert_near(value, 2 * sin(2 * PI * 3 * 0.1 + 0.5), 1e-14);
    assert_ok(afx_signal_evaluate(&k.motion.translation[0], 0.1, &value, NULL, NULL));
    assert_near(value, 0, 1e-14);
    assert_vec3(k.motion.axis, 0, 1, 0, 1e-14);
    assert_near(k.motion.angle.coefficients[0], 0.25, 0);
    assert_ok(afx_signal_evaluate(&p.motion.translation[1], 0.5, &value, NULL, NULL));
    assert_near(value, 1 + 2 * 0.5, 1e-14);
    assert_ok(afx_signal_evaluate(&p.motion.translation[0], 0.5, &value, NULL, NULL));
    assert_near(value, -3, 1e-14);
    AfxJointDef world = joint_at(scene, 0), body = joint_at(scene, 1), framed = joint_at(scene, 2);
    assert_string_equal(world.name, "g/j");
    assert_vec3(world.base_frame.position, 10, 1, 0, 1e-14);
    assert_vec3(body.base_frame.position, 1, 0, 0, 0); /* in the frame of a body: as it is */
    assert_vec3(framed.base_frame.position, 10, 1, 0, 1e-14);
    assert_vec3(framed.follower_frame.position, 0, 0, 0, 1e-14);
    assert_vec3(joint_at(scene, 3).base_frame.position, 10, 1, 0, 1e-14);
    AfxSpringDef spring;
    assert_ok(afx_scene_get_spring(scene, 0, &spring));
    assert_vec3(spring.point_b, 9, 0, 0, 1e-14);
    AfxWrenchDef wrench;
    assert_ok(afx_scene_get_wrench(scene, 0, &wrench));
    assert_vec3(wrench.force, 0, 1, 0, 1e-14);
    assert_ok(afx_scene_get_wrench(scene, 1, &wrench));
    assert_vec3(wrench.force, 1, 0, 0, 0);
    assert_int_equal(wrench.body.index, 1); /* number 0 of the group */
    const char *name;
    AfxBodyId holder;
    AfxVec3 point;
    assert_ok(afx_scene_get_marker(scene, 0, &name, &holder, &point));
    assert_string_equal(name, "g/m");
    afx_scene_destroy(scene);
}

/* Repeated groups: names, numbers, {"previous": ...} by name and by number, a group in a group. */
static void groups_are_tied_to_the_previous_one(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"groups\": [{\"name\": \"car\", \"repeat\": {\"count\": 3, \"step\": {\"position\": [4, "
        "0, 0]}},\n"
        "\"bodies\": [{\"name\": \"box\"}, {\"name\": \"hook\", \"position\": [2, 0, 0]}],\n"
        "\"groups\": [{\"name\": \"wheel\", \"repeat\": {\"count\": 2, \"step\": {\"position\": [0, 1, 0]}}, "
        "\"bodies\": [{\"name\": \"rim\"}],\n"
        "\"joints\": [{\"name\": \"axle\", \"kind\": \"revolute\", \"base\": \"box\", \"follower\": \"rim\"}]}],\n"
        "\"joints\": [{\"name\": \"bar\", \"kind\": \"fixed\", \"base\": \"box\", \"follower\": \"hook\"},\n"
        "{\"name\": \"tow\", \"kind\": \"spherical\", \"base\": {\"previous\": \"hook\"}, \"follower\": \"box\"},\n"
        "{\"name\": \"chain\", \"kind\": \"distance\", \"length\": 1, \"base\": {\"previous\": 1}, \"follower\": 0}],\n"
        "\"couplings\": [{\"terms\": [{\"joint\": \"wheel.0/axle\"}, {\"joint\": {\"previous\": \"wheel.0/axle\"}, "
        "\"factor\": -1}]}],\n"
        "\"springs\": [{\"body_a\": {\"previous\": \"box\"}, \"body_b\": \"box\", \"stiffness\": 1}]}],\n"
        "\"joints\": [{\"kind\": \"fixed\", \"follower\": \"car.1/wheel.1/rim\"}]}");
    assert_int_equal(afx_scene_body_count(scene), 12);
    assert_int_equal(afx_scene_joint_count(scene), 6 + 3 + 2 * 2 + 1);
    assert_int_equal(afx_scene_coupling_count(scene), 2);
    assert_int_equal(afx_scene_spring_count(scene), 2);
    for (uint32_t k = 0; k < 3; k++) {
        char name[40];
        AfxJointId joint;
        AfxBodyId box, hook;
        snprintf(name, sizeof name, "car.%u/box", (unsigned)k);
        assert_ok(afx_scene_find_body(scene, name, &box));
        assert_int_equal(box.index, 4 * k);
        assert_vec3(body_named(scene, name).pose.position, 4 * k, 0, 0, 0);
        snprintf(name, sizeof name, "car.%u/wheel.1/rim", (unsigned)k);
        assert_vec3(body_named(scene, name).pose.position, 4 * k, 1, 0, 0);
        snprintf(name, sizeof name, "car.%u/tow", (unsigned)k);
        assert_int_equal(afx_scene_find_joint(scene, name, &joint) == AFX_OK, k > 0);
        if (k > 0) {
            char before[40];
            snprintf(before, sizeof before, "car.%u/hook", (unsigned)k - 1);
            assert_ok(afx_scene_find_body(scene, before, &hook));
            assert_int_equal(joint_at(scene, joint.index).base.index, hook.index);
            assert_int_equal(joint_at(scene, joint.index).follower.index, box.index);
            snprintf(name, sizeof name, "car.%u/chain", (unsigned)k);
            assert_ok(afx_scene_find_joint(scene, name, &joint));
            assert_int_equal(joint_at(scene, joint.index).base.index, hook.index);
            assert_int_equal(joint_at(scene, joint.index).follower.index, box.index);
            AfxCouplingDef coupling;
            assert_ok(afx_scene_get_coupling(scene, k - 1, &coupling));
            snprintf(name, sizeof name, "car.%u/wheel.0/axle", (unsigned)k - 1);
            assert_string_equal(joint_at(scene, coupling.joint[1].index).name, name);
        }
    }
    afx_scene_destroy(scene);
}

static void groups_without_a_name_and_in_a_grid(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"groups\": [{\"bodies\": [{\"name\": \"plain\"}]},\n"
        "{\"repeat\": {\"count\": [2, 2], \"step\": [{\"position\": [1, 0, 0]}, {\"position\": [0, 1, 0]}]}, "
        "\"bodies\": [{\"name\": \"b\"}],\n"
        "\"joints\": [{\"name\": \"x\", \"kind\": \"fixed\", \"base\": {\"previous\": \"b\"}, \"follower\": \"b\"},\n"
        "{\"name\": \"y\", \"kind\": \"fixed\", \"base\": {\"previous\": 0, \"along\": 1}, \"follower\": 0}]}]}");
    assert_vec3(body_named(scene, "plain").pose.position, 0, 0, 0, 0);
    assert_vec3(body_named(scene, "1.1/b").pose.position, 1, 1, 0, 0);
    AfxJointId x, y;
    assert_ok(afx_scene_find_joint(scene, "1.1/x", &x));
    assert_ok(afx_scene_find_joint(scene, "1.1/y", &y));
    AfxBodyId left, below;
    assert_ok(afx_scene_find_body(scene, "0.1/b", &left));
    assert_ok(afx_scene_find_body(scene, "1.0/b", &below));
    assert_int_equal(joint_at(scene, x.index).base.index, left.index);
    assert_int_equal(joint_at(scene, y.index).base.index, below.index);
    assert_int_equal(afx_scene_joint_count(scene), 4);
    afx_scene_destroy(scene);
}

static void a_universal_joint_with_a_cross(void **state) {
    (void)state;
    AfxScene *scene =
        load_json("{\"affix_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"joints\": [{\"name\": \"u\", \"kind\": "
                  "\"universal\", \"follower\": \"a\", \"cross\": {\"mass\": 0.5, \"size\": 0.2}}]}");
    assert_near(body_named(scene, "u-cross").mass, 0.5, 0);
    assert_int_equal(afx_scene_joint_count(scene), 2);
    assert_string_equal(joint_at(scene, 1).name, "u-y");
    afx_scene_destroy(scene);
}

/* ---- files in files ---- */

static const char part[] =
    "{\"affix_scene\": 1, \"units\": {\"length\": \"cm\"}, \"bodies\": [{\"name\": \"arm\", \"position\": [100, 0, "
    "0],\n"
    "\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}]}, {\"kind\": \"fixed\"}], \"joints\": [{\"name\": \"j\", "
    "\"kind\": \"revolute\",\n"
    "\"base\": 1, \"follower\": \"arm\", \"drives\": [{\"name\": \"d\", \"kind\": \"force\", \"target\": 1}]},\n"
    "{\"kind\": \"spherical\", \"follower\": \"arm\", \"base_frame\": {\"position\": [100, 0, 0]}}],\n"
    "\"couplings\": [{\"name\": \"c\", \"terms\": [{\"joint\": \"j\"}]}], \"springs\": [{\"body_a\": \"arm\", "
    "\"point_b\": [100, 0, 0],\n"
    "\"stiffness\": 1}], \"markers\": [{\"name\": \"m\", \"body\": \"arm\"}], \"wrenches\": [{\"body\": \"arm\", "
    "\"force\": [1, 0, 0]}]}";

static void a_file_in_a_file(void **state) {
    (void)state;
    char folder[256], path[300];
    make_folder(folder, sizeof folder);
    write_file(folder, "part.json", part);
    write_file(folder, "scene.json",
               "{\"affix_scene\": 1, \"bodies\": [{\"name\": \"ground\", \"kind\": \"fixed\"}], \"groups\": [\n"
               "{\"name\": \"left\", \"file\": \"part.json\", \"position\": [0, 5, 0]},\n"
               "{\"name\": \"right\", \"file\": \"part.json\", \"rotation\": {\"axis\": [0, 0, 1], \"degrees\": 90},\n"
               "\"repeat\": {\"count\": 3, \"step\": {\"position\": [0, 0, 1]}}}],\n"
               "\"joints\": [{\"kind\": \"fixed\", \"base\": \"ground\", \"follower\": \"right.2/arm\"}]}");
    snprintf(path, sizeof path, "%s/scene.json", folder);
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    assert_int_equal(afx_scene_body_count(scene), 1 + 4 * 2);
    assert_int_equal(afx_scene_joint_count(scene), 4 * 2 + 1);
    assert_int_equal(afx_scene_drive_count(scene), 4);
    assert_int_equal(afx_scene_coupling_count(scene), 4);
    assert_int_equal(afx_scene_spring_count(scene), 4);
    assert_int_equal(afx_scene_marker_count(scene), 4);
    assert_int_equal(afx_scene_wrench_count(scene), 4);
    assert_vec3(body_named(scene, "left/arm").pose.position, 1, 5, 0, 1e-15);
    assert_vec3(body_named(scene, "right.2/arm").pose.position, 0, 1, 2, 1e-15);
    AfxJointId joint;
    AfxBodyId arm;
    assert_ok(afx_scene_find_joint(scene, "right.1/j", &joint));
    assert_ok(afx_scene_find_body(scene, "right.1/arm", &arm));
    assert_int_equal(joint_at(scene, joint.index).follower.index, arm.index);
    assert_int_equal(joint_at(scene, joint.index).base.index, arm.index + 1);
    assert_vec3(joint_at(scene, joint.index + 1).base_frame.position, 0, 1, 1, 1e-15);
    AfxSpringDef spring;
    AfxWrenchDef wrench;
    AfxDriveDef drive;
    AfxCouplingDef coupling;
    assert_ok(afx_scene_get_spring(scene, 2, &spring));
    assert_vec3(spring.point_b, 0, 1, 1, 1e-15);
    assert_int_equal(spring.body_a.index, arm.index);
    assert_ok(afx_scene_get_wrench(scene, 2, &wrench));
    assert_vec3(wrench.force, 0, 1, 0, 1e-15);
    assert_ok(afx_scene_get_drive(scene, 2, &drive));
    assert_string_equal(drive.name, "right.1/d");
    assert_int_equal(drive.joint.index, joint.index);
    assert_ok(afx_scene_get_coupling(scene, 2, &coupling));
    assert_int_equal(coupling.joint[0].index, joint.index);
    assert_int_equal(afx_scene_shape_count(scene, arm), 1);
    afx_scene_clear(scene);
    write_file(
        folder, "scene.json", /* a file and more in one group */
        "{\"affix_scene\": 1, \"groups\": [{\"name\": \"g\", \"file\": \"part.json\", \"repeat\": {\"count\": 3},\n"
        "\"bodies\": [{\"name\": \"extra\"}], \"joints\": [{\"name\": \"t\", \"kind\": \"fixed\", \"base\": "
        "{\"previous\": \"arm\"},\n"
        "\"follower\": \"extra\"}, {\"kind\": \"fixed\", \"base\": 0, \"follower\": 2}]}]}");
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    assert_int_equal(afx_scene_body_count(scene), 9);
    AfxBodyId extra;
    assert_ok(afx_scene_find_joint(scene, "g.2/t", &joint));
    assert_ok(afx_scene_find_body(scene, "g.1/arm", &arm));
    assert_ok(afx_scene_find_body(scene, "g.2/extra", &extra));
    assert_int_equal(joint_at(scene, joint.index).base.index, arm.index);
    assert_int_equal(joint_at(scene, joint.index).follower.index, extra.index);
    assert_int_equal(joint_at(scene, joint.index + 1).follower.index, extra.index);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

static void take_notice(void *user, const AfxNotice *notice) {
    snprintf(user, 200, "%d %s: %s", notice->line, notice->element, notice->text);
}

static void shapes_from_mesh_files(void **state) {
    (void)state;
    char folder[256], path[300];
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    write_file(folder, "part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write_file(folder, "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    write_file(
        folder, "scene.json",
        "{\"affix_scene\": 1, \"units\": {\"length\": \"cm\"}, \"bodies\": [\n"
        "{\"name\": \"a\", \"shapes\": [{\"kind\": \"mesh\", \"file\": \"part.obj\"}]},\n"
        "{\"name\": \"b\", \"shapes\": [{\"kind\": \"mesh\", \"file\": \"part.obj\", \"scale\": 2}], \"repeat\": "
        "{\"count\": 3}},\n"
        "{\"name\": \"c\", \"shapes\": [{\"kind\": \"convex\", \"file\": \"open.obj\", \"scale\": [1, 2, -3]}]}]}");
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    const double volume = 1e-6 / 6, want[] = {1, 8, 8, 8, 6};
    for (uint32_t k = 0; k < 5; k++) {
        AfxMass mass;
        assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, k), &mass));
        assert_near(mass.volume, want[k] * volume, 1e-20);
        assert_near(mass.mass, 1000 * want[k] * volume, 1e-17);
    }
    afx_scene_clear(scene);
    def.meshes = false;
    char notice[200] = "";
    def.notice = take_notice;
    def.notice_user = notice;
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    assert_int_equal(afx_scene_shape_count(scene, afx_scene_body(scene, 2)), 0);
    assert_string_equal(notice, "4 bodies[2].shapes[0]: mesh files are not read: there is no shape here");
    afx_scene_clear(scene);
    def = afx_default_load();
    write_file(folder, "scene.json",
               "{\"affix_scene\": 1, \"bodies\": [{\"shapes\": [\n{\"kind\": \"mesh\", \"file\": \"open.obj\"}]}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "shape #0", "");
    write_file(folder, "scene.json",
               "{\"affix_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"mesh\",\n\"file\": \"none.stl\"}]}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "none.stl", "cannot be opened");
    afx_scene_destroy(scene);
    remove_folder(folder);
}

/* A group takes a file of any format. */
static void a_robot_in_a_scene(void **state) {
    (void)state;
    char folder[256], path[300];
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    write_file(
        folder, "robot.urdf",
        "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='2'/><inertia ixx='1' iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='hinge' type='continuous'><parent "
        "link='base'/><child link='arm'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/></joint></robot>");
    write_file(
        folder, "scene.json",
        "{\"affix_scene\": 1, \"groups\": [{\"name\": \"r\", \"file\": \"robot.urdf\", \"position\": [5, 0, 0],\n"
        "\"repeat\": {\"count\": 2, \"step\": {\"position\": [0, 3, 0]}},\n"
        "\"drives\": [{\"kind\": \"force\", \"joint\": \"hinge\", \"target\": 1}]}]}");
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    assert_vec3(body_named(scene, "r.0/arm").pose.position, 5, 0, 1, 1e-15);
    assert_vec3(body_named(scene, "r.1/arm").pose.position, 5, 3, 1, 1e-15);
    assert_near(body_named(scene, "r.1/arm").mass, 2, 0);
    AfxJointId joint;
    assert_ok(afx_scene_find_joint(scene, "r.1/hinge", &joint));
    AfxDriveDef drive;
    assert_ok(afx_scene_get_drive(scene, afx_scene_drive_count(scene) - 1, &drive));
    assert_int_equal(drive.joint.index, joint.index);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

static void files_that_cannot_be_included(void **state) {
    (void)state;
    char folder[256], path[300], notice[200] = "";
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.notice = take_notice;
    def.notice_user = notice;
    write_file(folder, "scene.json",
               "{\"affix_scene\": 1, \"groups\": [{\"name\": \"a\", \"file\":\n\"scene.json\"}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "include", "64 deep");
    write_file(folder, "scene.json", "{\"affix_scene\": 1,\n\"groups\": [{\"file\": \"none.json\"}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "none.json", "cannot be opened");
    write_file(folder, "scene.json", "{\"affix_scene\": 1,\n\"groups\": [{\"file\": \"part.json\"}]}");
    write_file(folder, "part.json", "{\"affix_scene\": 1,\n\n\"bodies\": [{\"mas\": 1}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 3, "bodies[0].mas", "no key"); /* in the file that has the mistake */
    assert_non_null(strstr(error.file, "part.json"));
    write_file(folder, "part.json", "{\"affix_scene\": 1, \"gravity\": [0, 0, -1], \"bodies\": [{\"name\": \"a\"}]}");
    assert_loads(afx_scene_load(scene, path, &def, &error), &error);
    assert_string_equal(notice, "2 groups[0]: its gravity is not that of the scene: it is ignored");
    assert_vec3(afx_scene_gravity(scene), 0, 0, -9.81, 0);
    afx_scene_clear(scene);
    write_file(folder, "scene.json",
               "{\"affix_scene\": 1,\n\"groups\": [{\"file\": \"part.json\"},\n{\"file\": \"part.json\"}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 3, "body \"a\"", "already");
    write_file(folder, "part.txt", "nothing that can be read");
    write_file(folder, "scene.json", "{\"affix_scene\": 1, \"groups\": [{\"file\": \"part.txt\"}]}");
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 1, "file", "no format");
    assert_empty(scene);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

/* Every allocation of a load with groups, instances, tables and files in files fails in turn. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    char folder[256], path[300];
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    write_file(folder, "part.json", part);
    write_file(folder, "part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write_file(
        folder, "scene.json",
        "{\"affix_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"mesh\", \"file\": \"part.obj\"}]}],\n"
        "\"groups\": [{\"name\": \"left\", \"file\": \"part.json\"},\n"
        "{\"name\": \"g\", \"repeat\": {\"count\": 3}, \"bodies\": [{\"name\": \"b\", \"repeat\": {\"count\": 2},\n"
        "\"shapes\": [{\"kind\": \"convex\", \"vertices\": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]}]}],\n"
        "\"joints\": [{\"kind\": \"revolute\", \"length\": 1, \"base\": {\"previous\": \"b.0\"}, \"follower\": "
        "\"b.1\",\n"
        "\"drives\": [{\"kind\": \"position\", \"target\": {\"table\": {\"times\": [0, 1], \"values\": [0, "
        "1]}}}]}]}]}");
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    scene_def.allocator = test_allocator(&counts);
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_true(load_without_memory(scene, &counts, path) > 50);
    assert_int_equal(afx_scene_body_count(scene), 9);
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
    remove_folder(folder);
}

int run_json_group_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_instances),
        cmocka_unit_test(steps_that_do_not_turn_are_multiplied),
        cmocka_unit_test(steps_that_turn),
        cmocka_unit_test(a_grid_with_joints_both_ways),
        cmocka_unit_test(a_group_is_placed),
        cmocka_unit_test(groups_are_tied_to_the_previous_one),
        cmocka_unit_test(groups_without_a_name_and_in_a_grid),
        cmocka_unit_test(a_universal_joint_with_a_cross),
        cmocka_unit_test(a_file_in_a_file),
        cmocka_unit_test(shapes_from_mesh_files),
        cmocka_unit_test(a_robot_in_a_scene),
        cmocka_unit_test(files_that_cannot_be_included),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("JSON: groups", tests, NULL, NULL);
}

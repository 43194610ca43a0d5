/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates as input and output: trees of mixed kinds placed by them against an independent product of
 * transforms, read back as they were given; loops that close; starts that do not fit and are repaired. */
#include "tests.h"

static const double gravity = 9.81;

/* ---- independent forward kinematics: what AFX_JOINT_TABLE says, translations first, then the rotations in turn ----
 */

static AfxPose compose(AfxPose a, AfxPose b) {
    return (AfxPose){v3_add(a.position, q_rotate(a.rotation, b.position)), q_multiply(a.rotation, b.rotation)};
}

static AfxPose invert(AfxPose a) {
    AfxQuat back = q_conjugate(a.rotation);
    return (AfxPose){v3_scale(-1, q_rotate(back, a.position)), back};
}

static AfxVec3 unit(char name) {
    return v3(name == 'x', name == 'y', name == 'z');
}

static AfxPose motion_of(AfxJointKind kind, const double *values) {
    AfxPose pose = {v3(0, 0, 0), {1, 0, 0, 0}};
    for (const char *axis = kind_translations(kind); *axis; axis++) {
        pose.position = v3_add(pose.position, v3_scale(*values++, unit(*axis)));
    }
    for (const char *axis = kind_rotations(kind); *axis; axis++) {
        pose.rotation = q_multiply(pose.rotation, q_about(unit(*axis), *values++));
    }
    return pose;
}

enum { TREE = 13 };

static const AfxJointKind tree_kinds[TREE] = {
    AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC, AFX_JOINT_FIXED,          AFX_JOINT_CYLINDRICAL, AFX_JOINT_UNIVERSAL,
    AFX_JOINT_PLANAR,   AFX_JOINT_SPHERICAL, AFX_JOINT_CARTESIAN,      AFX_JOINT_RECTANGULAR, AFX_JOINT_PIN_IN_SLOT,
    AFX_JOINT_SLOT,     AFX_JOINT_SCREW,     AFX_JOINT_REVOLUTE_POINTS};

/* A tree with random frames; some joints have the body nearer to the root as their follower. */
typedef struct Tree {
    Rig rig;
    AfxJointDef joint[TREE];
    int parent[TREE]; /* body that body k hangs on, -1: the world */
    bool reversed[TREE];
} Tree;

static Tree random_tree(uint64_t *seed) {
    Tree tree = {.rig = rig_make(v3(0, 0, -gravity))};
    AfxBodyId body[TREE];
    for (int k = 0; k < TREE; k++) {
        AfxBodyDef def = odd_def(seed);
        def.pose = random_pose(seed, 1);
        body[k] = rig_body(&tree.rig, &def);
    }
    for (int k = 0; k < TREE; k++) {
        AfxJointDef *joint = &tree.joint[k];
        tree.parent[k] = k == 0 ? -1 : (int)(random_unit(seed) * (k + 1)) - 1;
        tree.reversed[k] = random_unit(seed) < 0.4;
        AfxBodyId parent = tree.parent[k] < 0 ? afx_world() : body[tree.parent[k]];
        *joint = afx_default_joint(tree_kinds[k]);
        joint->base = tree.reversed[k] ? body[k] : parent;
        joint->follower = tree.reversed[k] ? parent : body[k];
        joint->base_frame = random_pose(seed, 0.5);
        joint->follower_frame = random_pose(seed, 0.5);
        joint->pitch = PITCH;
        rig_joint_def(&tree.rig, joint);
    }
    return tree;
}

/* Random values: any angle for a lone turn, within reach for tilts; a screw's advance fits its turn. */
static void random_values(double *values, uint64_t *seed) {
    for (int k = 0; k < TREE; k++) {
        size_t slides = strlen(kind_translations(tree_kinds[k])), turns = strlen(kind_rotations(tree_kinds[k]));
        for (size_t axis = 0; axis < slides + turns; axis++) {
            double reach = axis < slides ? 0.8 : turns == 3 ? 1.4 : 20;
            values[axis] = reach * (2 * random_unit(seed) - 1);
        }
        if (tree_kinds[k] == AFX_JOINT_SCREW) {
            values[0] = PITCH * values[1];
        }
        values += slides + turns;
    }
}

static void trees_are_placed_by_coordinates(void **state) {
    (void)state;
    for (uint64_t number = 1; number <= 10; number++) {
        uint64_t seed = number;
        Tree tree = random_tree(&seed);
        AfxSimDef sim = afx_default_sim();
        double values[64], back[64], residual = 1;
        AfxPose want[TREE];
        rig_start(&tree.rig, &sim);
        uint32_t count = afx_model_coordinate_count(tree.rig.model);
        assert_true(count < COUNT(values));
        for (int trial = 0; trial < 5; trial++) {
            random_values(values, &seed);
            assert_ok(afx_sim_set_joint_coordinates(tree.rig.sim, values, &residual));
            assert_below(residual, 1e-11);
            assert_ok(afx_sim_joint_coordinates(tree.rig.sim, back));
            for (uint32_t k = 0; k < count; k++) {
                assert_near(back[k], values[k], 1e-10);
            }
            for (int k = 0; k < TREE; k++) {
                const AfxJointDef *joint = &tree.joint[k];
                AfxPose root = tree.parent[k] < 0 ? afx_pose_identity() : want[tree.parent[k]];
                AfxPose motion = motion_of(joint->kind, values + afx_model_joint_coordinate(tree.rig.model, k));
                AfxPose forth = compose(compose(joint->base_frame, motion), invert(joint->follower_frame));
                want[k] = compose(root, tree.reversed[k] ? invert(forth) : forth);
                AfxPose got = rig_pose(&tree.rig, afx_scene_body(tree.rig.scene, k));
                assert_vec3(got.position, want[k].position, 1e-10);
                assert_below(q_distance(got.rotation, want[k].rotation), 1e-10);
            }
        }
        assert_below(rig_run(&tree.rig, 5, NULL), 1e-9);
        rig_free(&tree.rig);
    }
}

/* Turns are counted on from what was set. */
/* A spinning arm that is put elsewhere spins on there: its velocity turns with it. */
static void velocities_fit_the_new_place(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.2, 0.3);
    def.pose.position = v3(1, 0, 0);
    def.linear_velocity = v3(0, 2, 0);
    def.angular_velocity = v3(0, 0, 2);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int k = 1; k <= 4; k++) {
        double angle = 0.8 * k;
        assert_ok(afx_sim_set_joint_coordinate(rig.sim, joint.index, 0, angle, NULL));
        AfxTwist twist = rig_twist(&rig, body);
        assert_near(twist.angular.z, 2, 1e-12);
        assert_near(twist.linear.x, -2 * sin(angle), 1e-12);
        assert_near(twist.linear.y, 2 * cos(angle), 1e-12);
    }
    rig_free(&rig);
}

static void turns_are_kept(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
    AfxSimDef sim = sim_def(AFX_BDF2, 1e-3);
    double values = 40.5 * 2 * PI;
    def.angular_velocity = v3(0, 0, 5);
    assert_ok(afx_scene_set_body(rig.scene, body, &def));
    rig_start(&rig, &sim);
    assert_ok(afx_sim_set_joint_coordinates(rig.sim, &values, NULL));
    assert_near(rig_coordinate(&rig, joint, 0), values, 1e-10);
    rig_run(&rig, 1000, NULL);
    assert_near(rig_coordinate(&rig, joint, 0), values + 5, 1e-3);
    values = NAN;
    assert_int_equal(afx_sim_set_joint_coordinates(rig.sim, &values, NULL), AFX_E_ARGUMENT);
    rig_free(&rig);
}

/* ---- loops ---- */

/* A four-bar with links of 1 (crank), 2.2 (coupler), 1.7 (rocker) and 2 m between its ground points, about z. */
static const double link_length[4] = {1, 2.2, 1.7, 2};

static void add_four_bar(Rig *rig, AfxJointId out[4], double shift, double speed) {
    AfxVec3 a = v3(0, 0, 0), d = v3(link_length[3], 0, 0), z = v3(0, 0, 1);
    double crank = 1.1; /* angle where it is built */
    AfxVec3 b = v3(cos(crank), sin(crank), 0), bd = v3_sub(d, b);
    double span = v3_norm(bd),
           along = (link_length[1] * link_length[1] - link_length[2] * link_length[2] + span * span);
    along /= 2 * span;
    AfxVec3 u = v3_scale(1 / span, bd), n = v3_cross(z, u);
    AfxVec3 c =
        v3_add(b, v3_add(v3_scale(along, u), v3_scale(sqrt(link_length[1] * link_length[1] - along * along), n)));
    AfxVec3 from[3] = {a, b, d}, to[3] = {b, c, c};
    AfxJointDef joint[4];
    AfxBodyId body[3];
    AfxBodyDef def[3];
    for (int k = 0; k < 3; k++) {
        def[k] = rigid_def(1, 0.1, 0.1, 0.1);
        def[k].pose.position = v3_scale(0.5, v3_add(from[k], to[k]));
        body[k] = rig_body(rig, &def[k]);
    }
    const AfxBodyId base[4] = {afx_world(), body[0], afx_world(), body[1]};
    const AfxBodyId follower[4] = {body[0], body[1], body[2], body[2]};
    const AfxVec3 at[4] = {a, b, d, c};
    for (int k = 0; k < 4; k++) {
        joint[k] = afx_default_joint(AFX_JOINT_REVOLUTE);
        joint[k].base = base[k];
        joint[k].follower = follower[k];
        assert_ok(afx_joint_place(rig->scene, &joint[k], afx_frame_along(at[k], z)));
        out[k] = rig_joint_def(rig, &joint[k]);
    }
    for (int k = 0; k < 3; k++) { /* put the bodies a little off, with velocities that do not fit */
        uint64_t seed = 5 + k;
        def[k].pose.position = v3_add(def[k].pose.position, random_vec3(&seed, shift));
        def[k].pose.rotation = q_about(random_vec3(&seed, 1), shift);
        def[k].linear_velocity = random_vec3(&seed, speed);
        def[k].angular_velocity = random_vec3(&seed, speed);
        assert_ok(afx_scene_set_body(rig->scene, body[k], &def[k]));
    }
}

/* How far the loop of bodies is from closed: pin by pin, from the poses alone. */
static double pins_apart(const Rig *rig) {
    double worst = 0;
    for (uint32_t k = 0; k < afx_scene_joint_count(rig->scene); k++) {
        AfxJointDef def;
        assert_ok(afx_scene_get_joint(rig->scene, afx_scene_joint(rig->scene, k), &def));
        AfxPose base = afx_pose_identity(), follower = rig_pose(rig, def.follower);
        if (def.base.scene == def.follower.scene) {
            base = rig_pose(rig, def.base);
        }
        AfxPose on_base = compose(base, def.base_frame), on_follower = compose(follower, def.follower_frame);
        worst = fmax(worst, v3_distance(on_base.position, on_follower.position));
        AfxVec3 x = v3(1, 0, 0);
        worst = fmax(worst, v3_distance(q_rotate(on_base.rotation, x), q_rotate(on_follower.rotation, x)));
    }
    return worst;
}

/* Only the crank is asked for; the rest starts from where a tree would be and closes. */
static void a_four_bar_closes(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxJointId joint[4];
    add_four_bar(&rig, joint, 0, 0);
    AfxSimDef sim = afx_default_sim();
    double values[4], residual = 1;
    rig_start(&rig, &sim);
    assert_int_equal(afx_model_coordinate_count(rig.model), 4);
    for (int n = 1; n <= 12; n++) {
        assert_ok(afx_sim_joint_coordinates(rig.sim, values));
        values[0] += 0.1; /* the others as they were */
        assert_ok(afx_sim_set_joint_coordinates(rig.sim, values, &residual));
        assert_below(residual, 1e-11);
        assert_below(pins_apart(&rig), 1e-10);
        /* it moved along: the crank is where it was asked for but for what the closing took */
        assert_near(rig_coordinate(&rig, joint[0], 0), values[0], 0.1);
    }
    assert_true(rig_coordinate(&rig, joint[0], 0) > 0.5);
    assert_below(rig_run(&rig, 100, NULL), 1e-10);
    rig_free(&rig);
}

/* Coordinates that fit are kept, as far as the last solve's rotations were settled. */
static void a_closed_loop_stays_as_it_is(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxJointId joint[4];
    add_four_bar(&rig, joint, 0, 0);
    AfxSimDef sim = accurate_def(AFX_BDF2, 0.01);
    double values[4], back[4], residual;
    AfxPose before[3];
    rig_start(&rig, &sim);
    rig_run(&rig, 40, NULL);
    assert_ok(afx_sim_joint_coordinates(rig.sim, values));
    assert_ok(afx_sim_poses(rig.sim, before));
    rig_start(&rig, &sim); /* elsewhere */
    assert_ok(afx_sim_set_joint_coordinates(rig.sim, values, &residual));
    assert_ok(afx_sim_joint_coordinates(rig.sim, back));
    for (int k = 0; k < 4; k++) {
        assert_near(back[k], values[k], 1e-6);
    }
    for (int k = 0; k < 3; k++) {
        assert_vec3(rig_pose(&rig, afx_scene_body(rig.scene, k)).position, before[k].position, 1e-6);
    }
    rig_free(&rig);
}

/* What cannot close says so. */
static void a_loop_that_cannot_close_is_refused(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    AfxBodyId body = rig_body(&rig, &def);
    for (int k = 0; k < 2; k++) { /* two rods of 0.3 m to points that are 1 m apart */
        AfxJointDef joint = afx_default_joint(AFX_JOINT_DISTANCE);
        joint.base = afx_world();
        joint.follower = body;
        joint.base_frame.position = v3(k - 0.5, 0, 0);
        joint.length = 0.3;
        rig_joint_def(&rig, &joint);
    }
    AfxSimDef sim = afx_default_sim();
    double residual = 0;
    rig_start(&rig, &sim);
    assert_int_equal(afx_sim_assemble(rig.sim, &residual), AFX_E_NUMERIC);
    assert_true(residual > 0.1);
    AfxError error = {0};
    AfxJointGap gap;
    assert_int_equal(afx_sim_check_joints(rig.sim, &error), AFX_E_NUMERIC);
    assert_true(strncmp(error.element, "joint ", 6) == 0 && strstr(error.text, "misses by"));
    assert_ok(afx_sim_joint_gap(rig.sim, 0, &gap));
    assert_true(gap.distance > 0.1);
    rig_free(&rig);
}

/* ---- starts that do not fit ---- */

/* Largest rate at which pins separate. */
static double pins_part(const Rig *rig) {
    double worst = 0;
    for (uint32_t k = 0; k < afx_scene_joint_count(rig->scene); k++) {
        AfxJointDef def;
        assert_ok(afx_scene_get_joint(rig->scene, afx_scene_joint(rig->scene, k), &def));
        AfxPose pose = rig_pose(rig, def.follower);
        AfxTwist twist = rig_twist(rig, def.follower);
        AfxVec3 arm = q_rotate(pose.rotation, def.follower_frame.position), rate, spin = twist.angular;
        rate = v3_add(twist.linear, v3_cross(twist.angular, arm));
        AfxVec3 axis = q_rotate(compose(pose, def.follower_frame).rotation, v3(1, 0, 0));
        if (def.base.scene == def.follower.scene) {
            AfxTwist base = rig_twist(rig, def.base);
            arm = q_rotate(rig_pose(rig, def.base).rotation, def.base_frame.position);
            rate = v3_sub(rate, v3_add(base.linear, v3_cross(base.angular, arm)));
            spin = v3_sub(spin, base.angular);
        }
        worst = fmax(worst, fmax(v3_norm(rate), v3_norm(v3_cross(spin, axis))));
    }
    return worst;
}

static void a_violated_start_is_repaired(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxJointId joint[4];
    add_four_bar(&rig, joint, 1e-3, 1);
    AfxSimDef sim = afx_default_sim();
    AfxStepReport report;
    rig_start(&rig, &sim);
    assert_below(pins_apart(&rig), 1e-10);
    assert_below(pins_part(&rig), 1e-10);
    for (uint32_t k = 0; k < 3; k++) { /* by a small motion */
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(rig.scene, afx_scene_body(rig.scene, k), &def));
        assert_vec3(rig_pose(&rig, afx_scene_body(rig.scene, k)).position, def.pose.position, 1e-2);
    }
    assert_ok(afx_step(rig.sim, &report));
    assert_true(report.flags & AFX_STEP_ASSEMBLED);
    assert_below(report.residual, 1e-10);
    assert_ok(afx_step(rig.sim, &report));
    assert_false(report.flags & AFX_STEP_ASSEMBLED);
    rig_free(&rig);
}

/* Velocities alone that do not fit; the bodies stay where they are. */
static void violated_velocities_are_repaired(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxJointId joint[4];
    add_four_bar(&rig, joint, 0, 1);
    AfxSimDef sim = afx_default_sim();
    AfxStepReport report;
    rig_start(&rig, &sim);
    assert_below(pins_apart(&rig), 1e-10);
    assert_below(pins_part(&rig), 1e-10);
    assert_ok(afx_step(rig.sim, &report));
    assert_true(report.flags & AFX_STEP_ASSEMBLED);
    rig_free(&rig);
}

static void a_fitting_start_is_left_alone(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxJointId joint[4];
    add_four_bar(&rig, joint, 0, 0);
    AfxSimDef sim = afx_default_sim();
    AfxStepReport report;
    rig_start(&rig, &sim);
    for (uint32_t k = 0; k < 3; k++) {
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(rig.scene, afx_scene_body(rig.scene, k), &def));
        assert_vec3(rig_pose(&rig, afx_scene_body(rig.scene, k)).position, def.pose.position, 1e-15);
    }
    assert_ok(afx_step(rig.sim, &report));
    assert_false(report.flags & AFX_STEP_ASSEMBLED);
    rig_free(&rig);
}

/* In a running sim: bodies put elsewhere by hand, then assembled. */
static void a_disturbed_sim_is_assembled(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxJointId joint[4];
    add_four_bar(&rig, joint, 0, 0);
    AfxSimDef sim = afx_default_sim();
    double residual = 1;
    rig_start(&rig, &sim);
    rig_run(&rig, 20, NULL);
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t seed = 50 + k;
        AfxPose pose = rig_pose(&rig, afx_scene_body(rig.scene, k));
        pose.position = v3_add(pose.position, random_vec3(&seed, 1e-3));
        pose.rotation = q_multiply(q_about(random_vec3(&seed, 1), 1e-3), pose.rotation);
        assert_ok(afx_sim_set_body_pose(rig.sim, k, pose));
        assert_ok(afx_sim_set_body_twist(rig.sim, k, (AfxTwist){random_vec3(&seed, 1), random_vec3(&seed, 1)}));
    }
    assert_true(pins_apart(&rig) > 1e-4);
    assert_ok(afx_sim_assemble(rig.sim, &residual));
    assert_below(residual, 1e-10);
    assert_below(pins_apart(&rig), 1e-10);
    assert_below(rig_run(&rig, 100, NULL), 1e-10);
    rig_free(&rig);
}

/* A body that hangs 1 m beside its hinge and is turned against it: told as it was, and closed all the same. */
static void gaps_of_the_start_are_told(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -gravity, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    AfxSimDef sim = afx_default_sim();
    AfxJointGap gap;
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &def), afx_pose_identity());
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE); /* turns about x */
    joint.base = afx_world();
    joint.follower = rig_body(&rig, &def);
    joint.base_frame = (AfxPose){v3(0, 1, 0), q_about(v3(0, 1, 0), 0.3)};
    uint32_t open = rig_joint_def(&rig, &joint).index;
    rig_start(&rig, &sim);
    assert_int_equal(afx_sim_start_gap_count(rig.sim), 1);
    assert_ok(afx_sim_start_gap(rig.sim, 0, &gap));
    assert_int_equal(gap.joint, open);
    assert_near(gap.distance, 1, 1e-14);
    assert_near(gap.angle, 0.3, 1e-14);
    assert_int_equal(afx_sim_start_gap(rig.sim, 1, &gap), AFX_E_ARGUMENT);
    assert_ok(afx_sim_joint_gap(rig.sim, open, &gap));
    assert_below(gap.distance + gap.angle, 1e-9);
    assert_ok(afx_sim_check_joints(rig.sim, NULL));
    rig_free(&rig);
}

int run_assemble_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_placed_by_coordinates),
        cmocka_unit_test(velocities_fit_the_new_place),
        cmocka_unit_test(turns_are_kept),
        cmocka_unit_test(a_four_bar_closes),
        cmocka_unit_test(a_closed_loop_stays_as_it_is),
        cmocka_unit_test(a_loop_that_cannot_close_is_refused),
        cmocka_unit_test(a_violated_start_is_repaired),
        cmocka_unit_test(violated_velocities_are_repaired),
        cmocka_unit_test(a_fitting_start_is_left_alone),
        cmocka_unit_test(a_disturbed_sim_is_assembled),
        cmocka_unit_test(gaps_of_the_start_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

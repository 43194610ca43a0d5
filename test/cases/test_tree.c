/* SPDX-License-Identifier: Apache-2.0 */
/* The grown tree: exactly as many links as asked for, sizes and stiffnesses by the rules from what each link carries,
 * drag by the wind's law, the same tree from the same seed, and a tree that stands. */
#include "scale.h"
#include "support/rigid_reference.h"
#include "support/sim.h"
#include "tests.h"

#include <stdio.h>

enum { LINKS_MOST = 1200 };

/* The parameters of growth that a test needs, written again. */
typedef struct Preset {
    const char *name;
    double radius, length, radius_exponent, length_exponent;
} Preset;

static const Preset presets[] = {{"willow", 0.0015, 0.035, 0.46, 0.22}, {"pear", 0.0012, 0.03, 0.46, 0.2}};

typedef struct Link {
    double radius, length;
    uint32_t carried; /* links from here on outwards, itself included */
    AfxPose pose;
} Link;

/* Reads the tree back and counts from the joints what each link carries: followers come after their bases. */
static uint32_t read_links(const AfxScene *scene, Link out_links[LINKS_MOST]) {
    uint32_t count = afx_scene_body_count(scene);
    assert_true(count <= LINKS_MOST);
    for (uint32_t k = 0; k < count; ++k) {
        AfxShapeDef rod;
        AfxBodyDef body;
        assert_int_equal(afx_scene_get_shape(scene, afx_scene_body(scene, k), 0, &rod), AFX_OK);
        assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, k), &body), AFX_OK);
        out_links[k].pose = body.pose;
        out_links[k].radius = rod.radius;
        out_links[k].length = rod.length;
        out_links[k].carried = 1;
    }
    for (uint32_t k = count; k-- > 1;) {
        AfxJointDef joint;
        assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint), AFX_OK);
        assert_int_equal(joint.kind, AFX_JOINT_SPHERICAL);
        assert_int_equal(joint.follower.index, k);
        assert_true(joint.base.index < k);
        out_links[joint.base.index].carried += out_links[k].carried;
    }
    return count;
}

/* Fails unless every link has the size that goes with what it carries; their mass. */
static double check_sizes(const AfxScene *scene, const Preset *preset) {
    Link links[LINKS_MOST];
    uint32_t count = read_links(scene, links);
    double mass = 0;
    assert_int_equal(links[0].carried, count);
    for (uint32_t k = 0; k < count; ++k) {
        double radius = preset->radius * pow(links[k].carried, preset->radius_exponent);
        double length = preset->length * pow(links[k].carried, preset->length_exponent);
        assert_true(fabs(links[k].radius - radius) <= 1e-12 * radius);
        assert_true(fabs(links[k].length - length) <= 1e-12 * length);
        mass += 1000 * PI * radius * radius * (length + 4.0 / 3 * radius);
    }
    return mass;
}

/* Ball joints with springs that are stiffer in bending than in torsion. */
static uint32_t springs_of(const AfxScene *scene) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < afx_scene_joint_count(scene); ++k) {
        AfxJointDef def;
        assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &def), AFX_OK);
        count += def.spring.stiffness.x > 0 && def.spring.stiffness.y > def.spring.stiffness.x;
    }
    return count;
}

static void test_counts(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 9, 10, 60, 61, 150, 1200};
    for (size_t p = 0; p < 2; ++p) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
            uint32_t n = sizes[s];
            char text[80];
            snprintf(text, sizeof(text), "links=%u preset=%s", n, presets[p].name);
            AfxScene *scene = scale_scene("tree", text);
            double mass = check_sizes(scene, &presets[p]);
            assert_int_equal(springs_of(scene), n - 1);
            assert_int_equal(afx_scene_wrench_count(scene), n);
            afx_scene_destroy(scene);
            ScaleCounts want = {n, 0, n, 6 + 3 * (n - 1), 3 * (n - 1), mass};
            scale_check("tree", text, want, n == 1 || n > 1000 ? 0 : 5); /* a tree of one link cannot move */
        }
    }
}

/* Stiffness E π r⁴ / (4 l) in bending and 1/1.3 of it in torsion, of the outer link; damping over it as given. */
static void test_springs(void **state) {
    (void)state;
    Link links[LINKS_MOST];
    AfxScene *scene = scale_scene("tree", "links=150 modulus=7e8 damping=0.3");
    read_links(scene, links);
    for (uint32_t k = 0; k < afx_scene_drive_count(scene); ++k) {
        AfxDriveDef drive;
        AfxJointDef joint;
        assert_int_equal(afx_scene_get_drive(scene, k, &drive), AFX_OK);
        assert_int_equal(afx_scene_get_joint(scene, drive.joint, &joint), AFX_OK);
        const Link *link = &links[joint.follower.index];
        double want = 7e8 * PI * pow(link->radius, 4) / (4 * link->length) / (drive.axis == 0 ? 1.3 : 1);
        assert_int_equal(drive.kind, AFX_DRIVE_SPRING);
        assert_int_equal(drive.axis, k % 3);
        assert_true(fabs(drive.stiffness - want) <= 1e-12 * want);
        assert_true(fabs(drive.damping - 0.3 * want) <= 1e-12 * want);
        assert_true(drive.rest == 0);
        /* x of the frame is along the outer link, so that y and z are across it */
        AfxVec3 along = q_rotate(joint.follower_frame.rotation, v3(1, 0, 0));
        assert_true(v3_distance(along, v3(1, 0, 0)) <= 1e-14);
    }
    afx_scene_destroy(scene);
}

/* Drag ½ 1.2 v² b l sin(angle to the wind) along the wind, v = 10 (z / 10)^(1/4) (1 + 0.3 sin(2π (x + y + z) / 3)),
 * b the diameter or, for twigs with their leaves, five times that. */
static void test_wind(void **state) {
    (void)state;
    Link links[LINKS_MOST];
    AfxScene *scene = scale_scene("tree", "links=1200");
    uint32_t leafy = 0, count = read_links(scene, links);
    for (uint32_t k = 0; k < count; ++k) {
        AfxWrenchDef wrench;
        assert_int_equal(afx_scene_get_wrench(scene, k, &wrench), AFX_OK);
        assert_int_equal(wrench.body.index, k);
        AfxVec3 at = links[k].pose.position, along = q_rotate(links[k].pose.rotation, v3(1, 0, 0));
        double speed = 10 * pow(at.z / 10, 0.25) * (1 + 0.3 * sin(2 * PI * (at.x + at.y + at.z) / 3));
        double want =
            0.6 * speed * speed * 2 * links[k].radius * links[k].length * v3_norm(v3_cross(along, v3(1, 0, 0)));
        bool leaves = wrench.force.x > 2 * want;
        leafy += leaves;
        assert_true(fabs(wrench.force.x - (leaves ? 5 : 1) * want) <= 1e-12 * want);
        assert_true(wrench.force.y == 0 && wrench.force.z == 0 && v3_norm(wrench.torque) == 0);
        assert_true(v3_norm(wrench.point) == 0 && wrench.frame == AFX_FRAME_WORLD);
        assert_false(leaves && links[k].carried > 60);
    }
    assert_true(leafy > count / 2);
    afx_scene_destroy(scene);
    scene = scale_scene("tree", "links=150 wind=0");
    assert_int_equal(afx_scene_wrench_count(scene), 0);
    afx_scene_destroy(scene);
}

static void test_seeds(void **state) {
    (void)state;
    Link first[LINKS_MOST], second[LINKS_MOST];
    static const char *const others[] = {"links=300 seed=5", "links=300 seed=6"};
    for (int other = 0; other < 2; ++other) {
        AfxScene *a = scale_scene("tree", others[0]), *b = scale_scene("tree", others[other]);
        uint32_t equal = 0, count = read_links(a, first);
        assert_int_equal(read_links(b, second), count);
        for (uint32_t k = 0; k < count; ++k) {
            AfxPose a_pose = first[k].pose, b_pose = second[k].pose;
            equal +=
                v3_distance(a_pose.position, b_pose.position) == 0 && q_distance(a_pose.rotation, b_pose.rotation) == 0;
        }
        assert_int_equal(equal, other == 0 ? count : 0);
        afx_scene_destroy(a);
        afx_scene_destroy(b);
    }
}

/* Where the top is after 1 s, from its start. */
static AfxVec3 top_moves(const char *arguments, double *out_height) {
    AfxScene *scene = scale_scene("tree", arguments);
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxVec3 start, end;
    def.dt = 0.02;
    sim_start(scene, &model, &sim, &def);
    assert_int_equal(afx_sim_marker(sim, 0, &start, NULL), AFX_OK);
    for (int k = 0; k < 50; ++k) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
    }
    assert_int_equal(afx_sim_marker(sim, 0, &end, NULL), AFX_OK);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    *out_height = start.z;
    return v3_sub(end, start);
}

/* Strongly damped, a tree sags by less than a tenth of its height; wind from either side bends it away further. */
static void test_stands(void **state) {
    (void)state;
    for (size_t p = 0; p < 2; ++p) {
        char text[120];
        AfxVec3 moves[3];
        double height = 0;
        for (int k = 0; k < 3; ++k) {
            snprintf(text, sizeof(text), "links=300 damping=0.1 preset=%s wind=%d", presets[p].name, 10 * (k - 1));
            moves[k] = top_moves(text, &height);
        }
        assert_true(height > 1);
        assert_true(v3_norm(moves[1]) < 0.1 * height);
        assert_true(moves[2].x - moves[1].x > 0.01 * height && moves[2].x - moves[1].x < 0.5 * height);
        assert_true(moves[1].x - moves[0].x > 0.01 * height && moves[1].x - moves[0].x < 0.5 * height);
    }
}

/* At its default size the willow hangs down to the ground, not into it. */
static void test_above_ground(void **state) {
    (void)state;
    for (int seed = 1; seed <= 3; ++seed) {
        char text[32];
        snprintf(text, sizeof(text), "seed=%d", seed);
        AfxScene *scene = scale_scene("tree", text);
        assert_int_equal(afx_scene_body_count(scene), 21000);
        for (uint32_t k = 0; k < 21000; ++k) {
            AfxBodyDef link;
            assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, k), &link), AFX_OK);
            assert_true(link.pose.position.z > 0);
        }
        afx_scene_destroy(scene);
    }
}

int run_tree_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts), cmocka_unit_test(test_springs), cmocka_unit_test(test_wind),
        cmocka_unit_test(test_seeds),  cmocka_unit_test(test_stands),  cmocka_unit_test(test_above_ground),
    };
    return cmocka_run_group_tests_name("cases/tree", tests, NULL, NULL);
}

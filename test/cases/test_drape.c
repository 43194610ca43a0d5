/* SPDX-License-Identifier: Apache-2.0 */
/* Nets and chains on colliders: counts and starts in closed form, and short runs in which every body stays on its side
 * of what it touches, by distances that are worked out here from the poses alone. */
#include "closed.h"
#include "scale.h"
#include "support/sim.h"
#include "tests.h"

#include <stdio.h>

/* A chain of reeve.h, in m for its default link of 0.05 m. */
#define LINK 0.05
#define BEAD (0.15 * LINK)
#define GROOVE (8 * LINK)
#define ROD_MASS (1000 * PI * 0.0064 * LINK * LINK * (LINK + 4.0 / 3 * 0.08 * LINK))
#define TOLERANCE (0.01 * LINK)

typedef struct Drape {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} Drape;

static Drape start(const char *name, const char *arguments, double dt) {
    Drape drape = {scale_scene(name, arguments), NULL, NULL};
    AfxSimDef def = afx_default_sim();
    def.dt = dt;
    sim_start(drape.scene, &drape.model, &drape.sim, &def);
    return drape;
}

static void finish(Drape *drape) {
    afx_sim_destroy(drape->sim);
    afx_model_destroy(drape->model);
    afx_scene_destroy(drape->scene);
}

static AfxPose pose_of(const Drape *drape, uint32_t body) {
    AfxPose pose;
    assert_int_equal(afx_sim_body_pose(drape->sim, body, &pose), AFX_OK);
    return pose;
}

/* Distance in the x-z plane from the point to the origin's axis y. */
static double from_axis(AfxVec3 point, AfxVec3 axis) {
    return hypot(point.x - axis.x, point.z - axis.z);
}

/* ---- net on a cylinder ---- */

static void test_net_cylinder_counts(void **state) {
    (void)state;
    uint32_t k = 4, links = 2 * k * (k - 1);
    double cylinder = 1000 * PI * 0.0625 * (3 * 0.14 + 1);
    ScaleCounts want = {k * k + links + 1, 1, 2 * links,
                        12 * k * (k - 1),  0, k * k * BALL_MASS(0.02) + links * LINK_MASS + cylinder};
    scale_check("net-cylinder", "k=4", want, 5);
}

/* The least distance of all nodes, and of points along all links, from the cylinder's surface. */
static double least_gap(const Drape *drape, uint32_t k) {
    const AfxVec3 axis = {0, 0, 0};
    double least = INFINITY;
    for (uint32_t body = 0; body < k * k + 2 * k * (k - 1); ++body) {
        AfxPose pose = pose_of(drape, body);
        if (body < k * k) {
            least = fmin(least, from_axis(pose.position, axis) - 0.25 - 0.02);
            continue;
        }
        for (int s = -5; s <= 5; ++s) {
            AfxVec3 along = afx_quat_rotate(pose.rotation, (AfxVec3){0.01 * s, 0, 0});
            AfxVec3 point = {pose.position.x + along.x, pose.position.y + along.y, pose.position.z + along.z};
            least = fmin(least, from_axis(point, axis) - 0.25 - 0.01);
        }
    }
    return least;
}

static void test_net_drapes(void **state) {
    (void)state;
    enum { SIZE = 6, STEPS = 160 };
    Drape drape = start("net-cylinder", "k=6", 0.005);
    double least = INFINITY, low = INFINITY;
    AfxStepReport report = {0};
    for (int step = 0; step < STEPS; ++step) {
        assert_int_equal(afx_step(drape.sim, &report), AFX_OK);
        assert_true(report.residual <= 1e-9);
        least = fmin(least, least_gap(&drape, SIZE));
    }
    assert_true(report.contacts > 0);
    if (!(least > -1e-3)) { /* a hundredth of a link */
        fail_msg("a body is %g m inside the cylinder", -least);
    }
    for (uint32_t body = 0; body < SIZE * SIZE; ++body) {
        low = fmin(low, pose_of(&drape, body).position.z);
    }
    assert_true(low < 0.2 && low > -0.2); /* the sides hang down, and it has not slid off */
    finish(&drape);
}

/* ---- chains over pulleys ---- */

/* Curve of the joints on a pulley: sqrt((R + r + gap)² + l²/4). */
static double curve(void) {
    return sqrt(pow(GROOVE + BEAD + 2e-4 * LINK, 2) + LINK * LINK / 4);
}

static void test_pulley_counts(void **state) {
    (void)state;
    double link = BALL_MASS(BEAD) + ROD_MASS;
    double pulley = 1000 * PI * (GROOVE * GROOVE * 0.8 + 2 * pow(8.8 * LINK, 2) * 0.2) * LINK;
    ScaleCounts want = {700 + 3 + 1, 3, 700, 2100, 0, 700 * link + 299 * link + 3 * pulley};
    scale_check("pulley", "links=700 upper=2", want, 3);
    ScaleCounts many = {2 * (700 + 7 + 1), 14, 1400, 4200, 0, 2 * (700 + 299) * link + 14 * pulley};
    scale_check("pulley-huge", "links=1400 each=700", many, 3);
    scale_refused("pulley", "links=700 upper=9", "links", "700 links reach over 9 upper pulleys");
}

/* At the start every bead lies outside of every pulley; those over an arc touch but for the gap. */
static void test_pulley_start(void **state) {
    (void)state;
    AfxScene *scene = scale_scene("pulley", "links=700 upper=2");
    uint32_t on[3] = {0, 0, 0};
    for (uint32_t body = 4; body < 704; ++body) {
        AfxBodyDef link;
        assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, body), &link), AFX_OK);
        assert_true(link.pose.position.y == 0);
        for (uint32_t pulley = 0; pulley < 3; ++pulley) {
            AfxBodyDef wheel;
            assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, pulley), &wheel), AFX_OK);
            double gap = from_axis(link.pose.position, wheel.pose.position) - GROOVE - BEAD;
            assert_true(gap >= 2e-4 * LINK - 1e-12);
            on[pulley] += gap < 2.01e-4 * LINK;
        }
    }
    for (uint32_t pulley = 0; pulley < 3; ++pulley) { /* half circles, less the links at their ends */
        double arc = 2 * asin(LINK / (2 * curve()));
        assert_true(on[pulley] >= (uint32_t)(PI / arc) - 1 && on[pulley] <= (uint32_t)(PI / arc));
    }
    afx_scene_destroy(scene);
}

/* No bead is inside a pulley's groove or one of its flanges. */
static void check_beads(const Drape *drape, uint32_t pulleys, uint32_t links, double tolerance) {
    for (uint32_t k = 0; k < links; ++k) {
        AfxVec3 bead = pose_of(drape, pulleys + 1 + k).position;
        for (uint32_t pulley = 0; pulley < pulleys; ++pulley) {
            double distance = from_axis(bead, pose_of(drape, pulley).position);
            double aside = fabs(bead.y) - 0.4 * LINK + BEAD;
            if (distance < GROOVE + BEAD - tolerance || (distance < 8.8 * LINK && aside > tolerance)) {
                fail_msg("at %g s bead %u is %g m from pulley %u, %g m into a flange", afx_sim_time(drape->sim), k,
                         distance, pulley, aside);
            }
        }
    }
}

/* The hand draws in, the anchor rises by as much but for the chain's stretch; the hand jerks, the joint breaks, the
 * anchor falls. */
static void test_pulley_cycle(void **state) {
    (void)state;
    enum { LINKS = 900, PULLEYS = 3 };
    Drape drape = start("pulley", "links=900 upper=2", 0.01);
    AfxVec3 at;
    double lowest = INFINITY, highest = -INFINITY;
    for (int step = 1; step <= 550; ++step) {
        AfxStepReport report;
        assert_int_equal(afx_step(drape.sim, &report), AFX_OK);
        assert_true(report.residual <= 1e-9);
        assert_int_equal(afx_sim_marker(drape.sim, 0, &at, NULL), AFX_OK);
        lowest = step < 250 ? fmin(lowest, at.z) : lowest;
        highest = fmax(highest, at.z);
        assert_true(afx_sim_joint_active(drape.sim, 0) == (step <= 400) || (step > 400 && step <= 410));
        check_beads(&drape, PULLEYS, LINKS, TOLERANCE); /* also when it runs back with 2 cm a step */
    }
    assert_true(highest - lowest > 20 * LINK && highest - lowest < 34 * LINK);
    assert_true(highest - at.z > 10 * LINK);
    finish(&drape);
}

/* ---- cloak and ragdolls ---- */

static void test_cloak_counts(void **state) {
    (void)state;
    uint32_t around = 60, rows = 4, nodes = around * rows, links = 2 * around * (rows - 1);
    AfxScene *scene = scale_scene("cloak", "around=60 rows=4");
    AfxModel *model = NULL;
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    assert_int_equal(afx_model_body_count(model), nodes + links + 1);
    assert_int_equal(afx_model_joint_count(model), 2 * links + around);
    assert_int_equal(afx_scene_body_count(scene) - 1, around * (3 * rows - 2));
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void test_ragdoll_counts(void **state) {
    (void)state;
    AfxScene *scene = scale_scene("ragdolls", "");
    assert_int_equal(afx_scene_body_count(scene), 1160 + 27 * 11);
    assert_int_equal(afx_scene_joint_count(scene), 4 * 20 * 19 + 27 * 10);
    afx_scene_destroy(scene);
}

/* Nothing overlaps at the start: a first step of ragdolls far above the net finds no contact. */
static void test_ragdolls_apart(void **state) {
    (void)state;
    Drape drape = start("ragdolls", "k=2", 0.005);
    AfxStepReport report = {0};
    assert_int_equal(afx_step(drape.sim, &report), AFX_OK);
    assert_int_equal(report.contacts, 0);
    finish(&drape);
}

int run_drape_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_net_cylinder_counts), cmocka_unit_test(test_net_drapes),
        cmocka_unit_test(test_pulley_counts),       cmocka_unit_test(test_pulley_start),
        cmocka_unit_test(test_cloak_counts),        cmocka_unit_test(test_ragdoll_counts),
        cmocka_unit_test(test_ragdolls_apart),      cmocka_unit_test(test_pulley_cycle),
    };
    return cmocka_run_group_tests_name("drape", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Closed linkages are the same mechanism in every position: links, and joints as seen from the links, do not change,
 * and the joints are closed all the same. */
#include "closed.h"
#include "support/rigid_reference.h"
#include "tests.h"

#include <stdio.h>

/* The same bodies, and joints at the same places of them (rotations of `except` aside: a motor's zero). */
static void same_mechanism(const AfxScene *a, const AfxScene *b, uint32_t except, double tolerance) {
    assert_int_equal(afx_scene_body_count(a), afx_scene_body_count(b));
    assert_int_equal(afx_scene_joint_count(a), afx_scene_joint_count(b));
    for (uint32_t k = 0; k < afx_scene_body_count(a); ++k) {
        AfxMass first, second;
        assert_int_equal(afx_scene_body_mass(a, afx_scene_body(a, k), &first), AFX_OK);
        assert_int_equal(afx_scene_body_mass(b, afx_scene_body(b, k), &second), AFX_OK);
        assert_true(fabs(first.mass - second.mass) <= tolerance);
        assert_true(v3_distance(first.center, second.center) <= tolerance);
        for (int m = 0; m < 6; ++m) {
            assert_true(fabs(first.inertia[m] - second.inertia[m]) <= tolerance);
        }
    }
    for (uint32_t k = 0; k < afx_scene_joint_count(a); ++k) {
        AfxJointDef first, second;
        assert_int_equal(afx_scene_get_joint(a, afx_scene_joint(a, k), &first), AFX_OK);
        assert_int_equal(afx_scene_get_joint(b, afx_scene_joint(b, k), &second), AFX_OK);
        assert_int_equal(first.kind, second.kind);
        assert_int_equal(first.base.index, second.base.index);
        assert_int_equal(first.follower.index, second.follower.index);
        assert_true(v3_distance(first.base_frame.position, second.base_frame.position) <= tolerance);
        assert_true(v3_distance(first.follower_frame.position, second.follower_frame.position) <= tolerance);
        assert_true(k == except || q_distance(first.base_frame.rotation, second.base_frame.rotation) <= tolerance);
        assert_true(q_distance(first.follower_frame.rotation, second.follower_frame.rotation) <= tolerance);
    }
}

static void closed_everywhere(const char *name, const char *parameter, double from, double to, int count,
                              uint32_t except) {
    AfxScene *first = closed_scene(name, 0, NULL);
    for (int k = 0; k <= count; ++k) {
        char text[64];
        const char *texts[] = {text};
        snprintf(text, sizeof(text), "%s=%.17g", parameter, from + (to - from) * k / count);
        AfxScene *scene = closed_scene(name, 1, texts);
        closed_positions(scene, text, 1e-12);
        closed_velocities(scene, text, 1e-11);
        same_mechanism(first, scene, except, 1e-13);
        afx_scene_destroy(scene);
    }
    afx_scene_destroy(first);
}

static void test_klann(void **state) {
    (void)state;
    closed_everywhere("klann", "phase", 0, 360, 24, 0);
    /* the patent's own position */
    AfxScene *scene = closed_scene("klann", 0, NULL);
    AfxBodyId body;
    AfxVec3 point;
    AfxBodyDef leg;
    assert_int_equal(afx_scene_get_marker(scene, 0, NULL, &body, &point), AFX_OK);
    assert_int_equal(afx_scene_get_body(scene, body, &leg), AFX_OK);
    AfxVec3 foot = v3_add(q_rotate(leg.pose.rotation, point), leg.pose.position);
    assert_true(v3_norm(foot) <= 1e-12);
    assert_true(v3_distance(leg.pose.position, v3(0.3 * 0.232, 0, 0.3 * 0.866)) <= 1e-12);
    afx_scene_destroy(scene);
}

/* The foot's path: a stride of about one unit of the patent, nearly level over half a turn. */
static void test_klann_path(void **state) {
    (void)state;
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 36; ++k) {
        char text[32];
        const char *texts[] = {text};
        snprintf(text, sizeof(text), "phase=%d", 10 * k);
        AfxScene *scene = closed_scene("klann", 1, texts);
        AfxBodyId body;
        AfxVec3 point;
        AfxBodyDef leg;
        assert_int_equal(afx_scene_get_marker(scene, 0, NULL, &body, &point), AFX_OK);
        assert_int_equal(afx_scene_get_body(scene, body, &leg), AFX_OK);
        AfxVec3 foot = v3_add(q_rotate(leg.pose.rotation, point), leg.pose.position);
        left = fmin(left, foot.x / 0.3);
        right = fmax(right, foot.x / 0.3);
        low = fmin(low, foot.z / 0.3);
        high = fmax(high, foot.z / 0.3);
        afx_scene_destroy(scene);
    }
    assert_true(right - left > 0.95 && right - left < 1.1);
    assert_true(low > -0.1 && high > 0.4 && high < 0.65); /* step height 52 % of the stride */
}

static void test_hoberman(void **state) {
    (void)state;
    closed_everywhere("hoberman", "opening", 10, 90, 8, UINT32_MAX);
    AfxScene *scene = closed_scene("hoberman", 0, NULL);
    uint32_t kinds[AFX_JOINT_KIND_COUNT] = {0};
    for (uint32_t k = 0; k < afx_scene_joint_count(scene); ++k) {
        AfxJointDef joint;
        assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint), AFX_OK);
        ++kinds[joint.kind];
    }
    assert_int_equal(kinds[AFX_JOINT_REVOLUTE], 360);
    assert_int_equal(kinds[AFX_JOINT_SPHERICAL], 60);
    AfxModel *model = NULL;
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    assert_int_equal(afx_model_row_count(model), 1980);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_linkage_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_klann),
        cmocka_unit_test(test_klann_path),
        cmocka_unit_test(test_hoberman),
    };
    return cmocka_run_group_tests_name("cases/linkages", tests, NULL, NULL);
}

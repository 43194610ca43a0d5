/* SPDX-License-Identifier: Apache-2.0 */
/* The cases at scale, at small sizes: counts and masses in closed form, and what is known of their start and motion. */
#include "scale.h"
#include "support/rigid_reference.h"
#include "support/sim.h"
#include "tests.h"

#include <stdio.h>

static void test_chains(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 60}, {7, 60}, {60, 60}, {3, 200}};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
        char text[64];
        uint32_t links = sizes[k][1];
        snprintf(text, sizeof(text), "count=%u links=%u", sizes[k][0], links);
        scale_check("chains", text, (ScaleCounts){links, 0, links, 3 * links, 0, links * LINK_MASS}, 5);
    }
    scale_refused("chains", "count=5 links=4", "count", "5 chains cannot share 4 links");
}

/* 60 links in 7 chains: four of 9 links, then three of 8, each along x from its own pin. */
static void test_chains_share(void **state) {
    (void)state;
    AfxScene *scene = scale_scene("chains", "count=7 links=60");
    uint32_t chain = 0, begin = 0;
    for (uint32_t k = 0; k <= afx_scene_joint_count(scene); ++k) {
        AfxJointDef joint;
        AfxBodyDef body;
        bool pin = true;
        if (k < afx_scene_joint_count(scene)) {
            assert_int_equal(afx_scene_get_joint(scene, afx_scene_joint(scene, k), &joint), AFX_OK);
            assert_int_equal(afx_scene_get_body(scene, joint.follower, &body), AFX_OK);
            pin = joint.base.index == afx_world().index;
        }
        if (pin && k > 0) {
            assert_int_equal(k - begin, chain < 4 ? 9 : 8);
            begin = k;
            ++chain;
        }
        if (k < afx_scene_joint_count(scene)) {
            assert_true(v3_distance(body.pose.position, v3(0.1 * (k - begin + 0.5), 0.1 * chain, 0)) <= 1e-14);
        }
    }
    assert_int_equal(chain, 7);
    afx_scene_destroy(scene);
}

/* Far from the pin, a chain let go from the horizontal falls freely at first. */
static void test_chain_falls(void **state) {
    (void)state;
    AfxScene *scene = scale_scene("chains", "links=60");
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxVec3 tip, velocity;
    def.dt = 0.01;
    sim_start(scene, &model, &sim, &def);
    for (int k = 0; k < 8; ++k) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
    }
    assert_int_equal(afx_sim_marker(sim, 0, &tip, &velocity), AFX_OK);
    assert_true(fabs(tip.z + 0.5 * 9.81 * 0.08 * 0.08) <= 1e-7);
    assert_true(fabs(velocity.z + 9.81 * 0.08) <= 1e-6);
    assert_true(tip.x < 6 && tip.x > 5.99);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void test_beads(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 40}, {5, 7}, {16, 40}};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
        char text[64];
        uint32_t beads = sizes[k][0] * sizes[k][1];
        snprintf(text, sizeof(text), "chains=%u beads=%u", sizes[k][0], sizes[k][1]);
        scale_check("beads", text, (ScaleCounts){beads, 0, beads, 3 * beads, 0, beads * BALL_MASS(0.005)}, 5);
    }
    scale_refused("beads", "chains=1e5 beads=1e5", "beads", "10000000000 bodies are more than");
}

/* The last bead of chain k of sixteen is 39.5 spacings from hook k of a grid of four columns, 60 degrees off the
 * vertical, in a direction that turns by a quarter from hook to hook. */
static void test_beads_lean(void **state) {
    (void)state;
    AfxScene *scene = scale_scene("beads", "chains=16");
    for (uint32_t k = 0; k < 16; ++k) {
        AfxBodyDef last;
        uint32_t row = k / 4, column = k % 4;
        double reach = 39.5 * 0.012, turn = PI / 2 * (row + column);
        AfxVec3 want = v3(0.1 * column + reach * sin(PI / 3) * cos(turn), 0.1 * row + reach * sin(PI / 3) * sin(turn),
                          -reach * 0.5);
        assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, 40 * k + 39), &last), AFX_OK);
        assert_true(v3_distance(last.pose.position, want) <= 1e-14);
    }
    afx_scene_destroy(scene);
}

static void test_net(void **state) {
    (void)state;
    static const uint32_t sizes[] = {2, 3, 10};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        uint32_t k = sizes[s], links = 2 * k * (k - 1);
        ScaleCounts want = {k * k + links,    k, 2 * links,
                            12 * k * (k - 1), 0, k * k * BALL_MASS(0.02) + links * LINK_MASS};
        char text[64];
        snprintf(text, sizeof(text), "k=%u", k);
        scale_check("net", text, want, 5);
        want.fixed = 4;
        snprintf(text, sizeof(text), "k=%u fixed=corners", k);
        scale_check("net", text, want, k == 2 ? 0 : 5); /* two by two with four corners: nothing can move */
    }
    scale_check("net", "", (ScaleCounts){280, 10, 360, 1080, 0, 100 * BALL_MASS(0.02) + 180 * LINK_MASS}, 0);
}

/* Rigid, in its flat start, the net repeats one row for each of the k - 1 links between two fixed nodes and no other:
 * 6 for each of the bodies that move, less 12k(k - 1) rows, more k - 1. */
static void test_net_freedom(void **state) {
    (void)state;
    for (uint32_t k = 2; k <= 6; ++k) {
        char text[64];
        snprintf(text, sizeof(text), "k=%u young=inf", k);
        AfxScene *scene = scale_scene("net", text);
        AfxModel *model = NULL;
        AfxSim *sim = NULL;
        AfxSimDef def = afx_default_sim();
        int64_t freedom = 0;
        uint32_t redundant = 0;
        sim_start(scene, &model, &sim, &def);
        assert_int_equal(afx_sim_mobility(sim, &freedom, &redundant), AFX_OK);
        assert_int_equal(redundant, k - 1);
        assert_int_equal(freedom, 6 * (k * (k - 1) + 2 * k * (k - 1)) - 12 * k * (k - 1) + k - 1);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* A regular polygon: the marker in the middle of link n/2 is opposite the fixed link when n is even, one diameter of
 * the inscribed circle away. */
static void test_ring(void **state) {
    (void)state;
    static const uint32_t sizes[] = {3, 4, 40, 101};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        uint32_t n = sizes[s];
        char text[64];
        snprintf(text, sizeof(text), "n=%u", n);
        scale_check("ring", text, (ScaleCounts){n, 1, n, 3 * n, 0, n * LINK_MASS}, 5);
    }
    AfxScene *scene = scale_scene("ring", "n=40");
    AfxBodyDef fixed, far;
    assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, 0), &fixed), AFX_OK);
    assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, 20), &far), AFX_OK);
    assert_true(fabs(v3_distance(fixed.pose.position, far.pose.position) - 0.1 / tan(PI / 40)) <= 1e-14);
    assert_true(fixed.pose.position.z == 0 && far.pose.position.z == 0);
    afx_scene_destroy(scene);
}

static void test_hub(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {20, 1}, {20, 3}, {80, 1}};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
        char text[64];
        uint32_t links = sizes[k][0] * sizes[k][1];
        double radius = fmax(0.05, 0.01 * sqrt(sizes[k][0]));
        snprintf(text, sizeof(text), "arms=%u segments=%u", sizes[k][0], sizes[k][1]);
        scale_check("hub", text,
                    (ScaleCounts){1 + links, 0, 1 + links, 3 + 3 * links, 0, BALL_MASS(radius) + links * LINK_MASS}, 5);
    }
    scale_refused("hub", "arms=1e7 segments=1e3", "segments", "10000000000 bodies are more than");
}

/* Where the arms begin they do not overlap: no two roots are nearer than the links' diameter. */
static void test_hub_roots(void **state) {
    (void)state;
    static const char *const sizes[] = {"arms=2", "arms=5", "arms=26", "arms=300"};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        AfxVec3 roots[300];
        AfxScene *scene = scale_scene("hub", sizes[s]);
        uint32_t count = afx_scene_body_count(scene) - 1;
        assert_true(count <= 300);
        for (uint32_t k = 0; k < count; ++k) {
            AfxBodyDef arm;
            assert_int_equal(afx_scene_get_body(scene, afx_scene_body(scene, k + 1), &arm), AFX_OK);
            roots[k] = v3_add(arm.pose.position, q_rotate(arm.pose.rotation, v3(-0.05, 0, 0)));
            for (uint32_t other = 0; other < k; ++other) {
                assert_true(v3_distance(roots[k], roots[other]) > 0.02);
            }
        }
        afx_scene_destroy(scene);
    }
}

/* Angular momentum about the vertical at the start. With heights h = 1 - (2k + 1) / n of the roots, the sum of h² over
 * all arms is n/3 - 1/(3n); an arm has the moments I_a about its axis and I_t across it. */
static void test_hub_spin(void **state) {
    (void)state;
    const double n = 20, spin = 5, radius = 0.05, r = 0.01, length = 0.1;
    double rod = 1000 * PI * r * r * length, caps = BALL_MASS(r);
    double axial = rod * r * r / 2 + caps * 2 * r * r / 5;
    double across =
        rod * (length * length / 12 + r * r / 4) + caps * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8);
    double squares = n / 3 - 1 / (3 * n), reach = radius + length / 2;
    double want = spin * (BALL_MASS(radius) * 2 * radius * radius / 5 + axial * squares + across * (n - squares) +
                          LINK_MASS * reach * reach * (n - squares));
    AfxScene *scene = scale_scene("hub", "arms=20");
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxMomentum momentum;
    sim_start(scene, &model, &sim, &def);
    assert_int_equal(afx_sim_momentum(sim, &momentum), AFX_OK);
    assert_true(fabs(momentum.angular.z - want) <= 1e-13 * want);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_scale_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),      cmocka_unit_test(test_chains_share), cmocka_unit_test(test_chain_falls),
        cmocka_unit_test(test_beads),       cmocka_unit_test(test_beads_lean),   cmocka_unit_test(test_net),
        cmocka_unit_test(test_net_freedom), cmocka_unit_test(test_ring),         cmocka_unit_test(test_hub),
        cmocka_unit_test(test_hub_roots),   cmocka_unit_test(test_hub_spin),
    };
    return cmocka_run_group_tests_name("cases/scale", tests, NULL, NULL);
}

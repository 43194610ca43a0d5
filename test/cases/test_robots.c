/* SPDX-License-Identifier: Apache-2.0 */
/* The arm stacks its cubes, at both steps of the figure; the protein's links have ideal geometry, and what is fitted to
 * its markers is the motion that these were taken from. */
#include "scale.h"
#include "support/check.h"
#include "support/sim.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static AfxSim *run(const char *name, const char *arguments, double dt, double time, AfxScene **out_scene,
                   AfxModel **out_model) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.dt = dt;
    *out_scene = scale_scene(name, arguments);
    *out_model = NULL;
    sim_start(*out_scene, out_model, &sim, &def);
    for (uint32_t k = 0; k < (uint32_t)lround(time / dt); ++k) {
        AfxStepReport report;
        assert_int_equal(afx_step(sim, &report), AFX_OK);
    }
    return sim;
}

static void drop(AfxScene *scene, AfxModel *model, AfxSim *sim) {
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* Cubes of 0.04 m end on top of each other, within a fifth of an edge. */
static void test_cubes_are_stacked(void **state) {
    (void)state;
    const bool all = getenv("AFFIX_TEST_LONG") != NULL;
    for (int seed = 1; seed <= (all ? 20 : 1); seed++) {
        for (int fine = 0; fine < (all ? 2 : 1); fine++) {
            char text[40];
            AfxScene *scene;
            AfxModel *model;
            AfxVec3 at[3];
            snprintf(text, sizeof text, "seed=%d", seed);
            AfxSim *sim = run("panda-pick", text, fine ? 0.002 : 0.01, 16, &scene, &model);
            for (uint32_t k = 0; k < 3; k++) {
                assert_int_equal(afx_sim_marker(sim, k, &at[k], NULL), AFX_OK);
                assert_near(at[k].z, 0.02 + 0.04 * k, 2e-3);
                assert_near(at[k].x, at[0].x, 8e-3);
                assert_near(at[k].y, at[0].y, 8e-3);
            }
            drop(scene, model, sim);
        }
    }
}

static double apart(AfxVec3 a, AfxVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* Alpha carbons of a trans peptide are where the law of cosines has them; in a helix the third next is 5.0 to 5.5 A
 * away, in a strand 9 to 11. */
static void test_backbones_are_ideal(void **state) {
    (void)state;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim = run("protein", "links=200", 0.005, 0, &scene, &model);
    const double degree = 0.017453292519943295;
    double x = 1.525 + 1.329 * cos(62.8 * degree) + 1.458 * cos(4.5 * degree);
    double y = 1.329 * sin(62.8 * degree) + 1.458 * sin(4.5 * degree), q[400];
    uint32_t count = afx_model_site_count(model), helices = 0, strands = 0;
    AfxVec3 at[200];
    assert_int_equal(count, 100);
    assert_int_equal(afx_sim_qpos(sim, q), AFX_OK);
    for (uint32_t k = 0; k < count; k++) {
        AfxPose pose;
        assert_int_equal(afx_sim_site(sim, k, &pose, NULL), AFX_OK);
        at[k] = pose.position;
        if (k > 0) {
            assert_near(apart(at[k], at[k - 1]), 0.01 * hypot(x, y), 1e-12);
        }
    }
    for (uint32_t k = 0; k + 3 < count; k++) {
        bool helix = true, strand = true;
        for (uint32_t j = k; j <= k + 3; j++) {
            helix = helix && fabs(q[2 * j] + 57 * degree) < 0.15 && fabs(q[2 * j + 1] + 47 * degree) < 0.15;
            strand = strand && fabs(q[2 * j] + 120 * degree) < 0.15 && fabs(q[2 * j + 1] - 130 * degree) < 0.15;
        }
        double third = 100 * apart(at[k], at[k + 3]);
        assert_true(!helix || (third > 4.7 && third < 5.7));
        assert_true(!strand || (third > 9 && third < 11.5));
        helices += helix;
        strands += strand;
    }
    assert_true(helices > 5 && strands > 0);
    drop(scene, model, sim);
}

/* Angles of the region go a quarter of a radian, and all others stay. */
static void test_keyframes_are_found(void **state) {
    (void)state;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *start = run("protein", "links=100", 0.005, 0, &scene, &model);
    double before[99], after[99];
    uint32_t moved = 0;
    assert_int_equal(afx_sim_qpos(start, before), AFX_OK);
    drop(scene, model, start);
    AfxSim *sim = run("protein", "links=100", 0.005, 2.5, &scene, &model);
    assert_int_equal(afx_sim_qpos(sim, after), AFX_OK);
    for (uint32_t k = 0; k < 99; k++) {
        double change = fabs(after[k] - before[k]);
        assert_true(change < 0.01 || fabs(change - 0.25) < 0.01);
        moved += change > 0.1;
    }
    assert_int_equal(moved, 12);
    drop(scene, model, sim);
}

int run_robots_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes_are_stacked),
        cmocka_unit_test(test_backbones_are_ideal),
        cmocka_unit_test(test_keyframes_are_found),
    };
    return cmocka_run_group_tests_name("robots", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether contact points still fit to where bodies came to be, asked for directly: a ball over the top of a box. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests.h"

#include "collide/stale.h"
#include "step/sim.h"
#include "support/check.h"

#define RADIUS 0.1

typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxiPair pair; /* ball and box, as the sim lists them */
    uint32_t ball;
} Rig;

/* A ball 1 mm above a fixed box whose top is z = 0, and one step of it. */
static Rig rig_make(void) {
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    AfxSimDef sim = afx_default_sim();
    AfxBodyDef body = afx_default_body();
    AfxBodyId ball, box;
    AfxShapeDef sphere = afx_default_sphere(RADIUS), cube = afx_default_box(1, 1, 1);
    assert_ok(afx_scene_create(&def, &rig.scene));
    body.pose.position.z = RADIUS + 0.001;
    assert_ok(afx_scene_add_body(rig.scene, &body, &ball));
    assert_ok(afx_scene_add_shape(rig.scene, ball, &sphere));
    body.kind = AFX_BODY_FIXED;
    body.pose.position.z = -0.5;
    assert_ok(afx_scene_add_body(rig.scene, &body, &box));
    assert_ok(afx_scene_add_shape(rig.scene, box, &cube));
    assert_ok(afx_model_create(rig.scene, &rig.model, NULL));
    assert_ok(afx_sim_create(rig.model, &sim, &rig.sim));
    assert_ok(afx_step(rig.sim, NULL));
    uint32_t count;
    const AfxiPair *pair = afxi_clusters_pairs(rig.sim->solver.collide->clusters, &count);
    assert_int_equal(count, 1);
    rig.pair = pair[0];
    return rig;
}

static void rig_free(Rig *rig) {
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
}

/* The ball at (x, 0, RADIUS + gap) after a solve that thought of `solved`. */
static AfxiFit fit_at(Rig *rig, double x, double gap, const AfxiSolvedPair *solved) {
    const AfxiWorld *world = &rig->sim->world;
    const AfxiContactShape *shapes = world->model->contacts.shapes;
    double q[2][12];
    for (int side = 0; side < 2; side++) {
        uint32_t body = shapes[side ? rig->pair.b : rig->pair.a].body;
        memcpy(q[side], world->state.q + 12 * (size_t)body, sizeof q[side]);
        if (body == rig->ball) {
            q[side][9] = x;
            q[side][11] = RADIUS + gap;
        }
    }
    return afxi_collide_fit(rig->sim->solver.collide, &rig->pair, solved, q[0], q[1], world->state.q);
}

static AfxiSolvedPair solved_at(double gap, AfxVec3 normal, bool pushes) {
    return (AfxiSolvedPair){
        .gap = gap, .tolerance = 1e-9, .normal = normal, .any = true, .pushes = pushes, .near = true};
}

static void what_is_found_there_fits(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxiSolvedPair solved = solved_at(-1e-5, vec3(0, 0, 1), true);
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT);
    solved.normal = vec3(0, 0, -1); /* either body may be the first */
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT);
    rig_free(&rig);
}

static void a_normal_that_turned_is_stale(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxiSolvedPair solved = solved_at(-1e-5, vec3(sin(0.3), 0, cos(0.3)), true);
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT_STALE);
    solved.pushes = false; /* nobody minds the direction of no force */
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT);
    solved = solved_at(-1e-5, vec3(sin(0.1), 0, cos(0.1)), true);
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT);
    rig_free(&rig);
}

static void another_gap_is_stale(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxiSolvedPair solved = solved_at(-1e-5, vec3(0, 0, 1), true);
    assert_int_equal(fit_at(&rig, 0.2, -1e-3, &solved), AFXI_FIT_STALE); /* deeper than it thought */
    solved = solved_at(-1e-3, vec3(0, 0, 1), true);
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT_STALE); /* pushes where nothing is so near */
    solved.pushes = false;
    assert_int_equal(fit_at(&rig, 0.2, -1e-5, &solved), AFXI_FIT);
    rig_free(&rig);
}

static void what_lies_deep_is_sunk(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxiSolvedPair solved = solved_at(0.01, vec3(0, 0, 1), false);
    assert_int_equal(fit_at(&rig, 0.2, -0.03 * RADIUS, &solved), AFXI_FIT_PENETRATING);
    assert_int_equal(fit_at(&rig, 0.2, -0.02 * RADIUS, &solved), AFXI_FIT_STALE);
    assert_near(rig.sim->solver.collide->unseen, 0.03 * RADIUS, 1e-9);
    rig_free(&rig);
}

/* The least gap of all points of a pair counts, with its own normal; a push of any of them. */
static void solved_pairs_go_by_their_deepest_point(void **state) {
    (void)state;
    AfxiPoint point[3] = {{.tried = {.gap = 0.1}, .axis = {1, 0, 0}},
                          {.tried = {.gap = -0.2, .push = 3}, .axis = {0, 1, 0}, .rest = 0.05},
                          {.tried = {.gap = 0.3}, .axis = {0, 0, 1}, .first_gap = 1}};
    AfxiContactSet set = {.now = {point, 3, 3}};
    AfxiSolvedPair solved = afxi_solved_pair(&set, 0, 3, 1e-6);
    assert_near(solved.gap, -0.25, 1e-15);
    assert_vec3(solved.normal, vec3(0, 1, 0), 0);
    assert_true(solved.any && solved.pushes && solved.near);
    solved = afxi_solved_pair(&set, 2, 3, 1e-6);
    assert_true(solved.any && !solved.pushes && !solved.near);
}

/* A ball that is flattened by a fifth is as deep as its strained lowest point. */
static void strained_bodies_are_as_deep_as_their_points(void **state) {
    (void)state;
    Rig rig = rig_make();
    const double deep[] = {0, 0.004, 0.01};
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++) {
        double q[24];
        memcpy(q, rig.sim->world.state.q, sizeof q);
        q[12 * (size_t)rig.ball + 8] = 0.8;
        q[12 * (size_t)rig.ball + 11] = 0.8 * RADIUS - deep[k];
        assert_near(afxi_depth_before(rig.sim->solver.collide, rig.pair.a, rig.pair.b, 0, q), deep[k], 1e-9);
        assert_near(afxi_depth_before(rig.sim->solver.collide, rig.pair.b, rig.pair.a, 0, q), deep[k], 1e-9);
    }
    rig_free(&rig);
}

int run_stale_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_there_fits),
        cmocka_unit_test(a_normal_that_turned_is_stale),
        cmocka_unit_test(another_gap_is_stale),
        cmocka_unit_test(what_lies_deep_is_sunk),
        cmocka_unit_test(solved_pairs_go_by_their_deepest_point),
        cmocka_unit_test(strained_bodies_are_as_deep_as_their_points),
    };
    return cmocka_run_group_tests_name("collide", tests, NULL, NULL);
}

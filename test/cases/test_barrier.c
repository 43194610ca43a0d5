/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes for barrier contact, each beside something that is known of it: rings that are linked stay so, and friction
 * carries boxes on a turntable up to a radius. No step ends with an intersection, by the independent test. */
#include "scale.h"
#include "support/check.h"
#include "support/sim.h"
#include "tests.h"

#include <stdlib.h>

/* A run of a case with barrier contact. */
typedef struct Run {
    AfxModel *model;
    AfxSim *sim;
} Run;

static Run begin(const char *name, const char *arguments) {
    Run run = {0};
    AfxScene *scene = scale_scene(name, arguments);
    AfxSimDef def = afx_default_sim();
    def.contact_model = AFX_CONTACT_BARRIER;
    def.integrator = AFX_BDF1;
    def.dt = 0.01;
    sim_start(scene, &run.model, &run.sim, &def);
    afx_scene_destroy(scene);
    return run;
}

static void advance(Run *run, uint32_t steps) {
    for (uint32_t n = 0; n < steps; ++n) {
        AfxStepReport report;
        uint32_t count;
        assert_ok(afx_step(run->sim, &report));
        assert_below(report.violation, 1e-12);
        assert_ok(afx_sim_intersections(run->sim, NULL, 0, &count));
        assert_int_equal(count, 0);
    }
}

static AfxVec3 place_of(const Run *run, uint32_t body) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(run->sim, body, &pose));
    return pose.position;
}

static void end(Run *run) {
    afx_sim_destroy(run->sim);
    afx_model_destroy(run->model);
}

static double apart(AfxVec3 a, AfxVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* How far the body that falls furthest does so in a time. */
static double fall(const char *name, const char *arguments, uint32_t steps) {
    Run run = begin(name, arguments);
    uint32_t count = afx_model_body_count(run.model);
    double *height = calloc(count, sizeof *height), most = 0;
    for (uint32_t k = 0; k < count; ++k) {
        height[k] = place_of(&run, k).z;
    }
    advance(&run, steps);
    for (uint32_t k = 0; k < count; ++k) {
        most = fmax(most, height[k] - place_of(&run, k).z);
    }
    free(height);
    end(&run);
    return most;
}

/* Friction alone holds houses up, from 2 to 10 levels in the long tests, 10 s long. */
static void test_cards_stand_by_friction(void **state) {
    (void)state;
    static const char *const levels[] = {"levels=2", "levels=3", "levels=4", "levels=6", "levels=10"};
    bool all = getenv("AFFIX_TEST_LONG") != NULL;
    for (int k = 0; k < (all ? 5 : 2); ++k) {
        assert_below(fall("card-house", levels[k], all ? 1000 : 60), 0.01);
    }
    assert_true(fall("card-house", "levels=2 mu=0.05", 60) > 0.5);
    if (all) {
        assert_true(fall("card-house", "levels=10 mu=0.05", 100) > 0.5);
    }
}

/* The thrust of an arch of 10 stones needs 0.3 or so of friction. */
static void test_an_arch_stands_by_friction(void **state) {
    (void)state;
    assert_below(fall("arch", "stones=10 gap=2e-4 young=inf", 100), 0.01);
    assert_true(fall("arch", "stones=10 gap=2e-4 young=inf mu=0.05", 100) > 0.1);
}

/* Neighbours at the start are linked: then their centres are nearer than two radii (0.1 m) for ever. Rings that came
 * apart would fall 20 cm in this time. */
static void test_rings_stay_linked(void **state) {
    (void)state;
    AfxVec3 start[32];
    Run run = begin("chain-net", "k=2 ball=0.12");
    uint32_t count = afx_model_body_count(run.model), links = 0;
    for (uint32_t k = 0; k < count; ++k) {
        start[k] = place_of(&run, k);
    }
    advance(&run, 20);
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = a + 1; b < count; ++b) {
            if (apart(start[a], start[b]) < 0.16) { /* none of which is the ball */
                assert_below(apart(place_of(&run, a), place_of(&run, b)), 0.2);
                links++;
            }
        }
    }
    assert_int_equal(links, 8);
    end(&run);
}

/* mu g / omega² = 0.608 m. */
static void test_a_turntable_carries_up_to_a_radius(void **state) {
    (void)state;
    static const double from[4] = {0.3, 0.5, 0.7, 0.9};
    Run run = begin("turntable", "");
    uint32_t first = afx_model_body_count(run.model) - 4;
    advance(&run, 60);
    for (uint32_t k = 0; k < 4; ++k) {
        AfxVec3 place = place_of(&run, first + k);
        double radius = hypot(place.x, place.y), turned = atan2(place.y, place.x) - 2.4 * k;
        if (from[k] < 0.608) {
            assert_near(radius, from[k], 3e-3); /* they bounce at first: 2.3 mm with 5 lags */
            assert_near(remainder(turned - 2.2 * 0.6, 2 * PI), 0, 2e-3);
        } else {
            assert_below(from[k] + 0.02, radius);
        }
    }
    end(&run);
}

/* By how much a body has turned about z since it had the rotation `from`. */
static double turn_of(const Run *run, uint32_t body, AfxQuat from) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(run->sim, body, &pose));
    AfxQuat q = pose.rotation;
    return remainder(2 * (atan2(q.z, q.w) - atan2(from.z, from.w)), 2 * PI);
}

/* Gears of the same size turn by the same angle, the other way round, but for the play of 0.02 rad on both sides, and
 * what flanks of three pieces are off. */
static void test_gears_turn_each_other(void **state) {
    (void)state;
    Run run = begin("gears", "gears=3");
    uint32_t first = afx_model_body_count(run.model) - 3;
    AfxPose pose[3];
    for (uint32_t k = 0; k < 3; ++k) {
        assert_ok(afx_sim_body_pose(run.sim, first + k, &pose[k]));
    }
    advance(&run, 15);
    for (uint32_t k = 0; k < 3; ++k) {
        assert_near(turn_of(&run, first + k, pose[k].rotation), (k % 2 ? -3 : 3) * 0.15, 0.04 * k + 1e-9);
    }
    end(&run);
}

/* The plate is where it is told to be; arms, knots and links end no step in anything. */
static void test_others_stay_apart(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"tentacles", "arms=4 links=3"}, {"spiked-knots", "knots=1"}, {"knocker", ""}, {"compactor", "boxes=4"}};
    static const uint32_t steps[] = {45, 16, 60, 60};
    for (size_t k = 0; k < COUNT(cases); ++k) {
        Run run = begin(cases[k][0], cases[k][1]);
        advance(&run, steps[k]);
        if (k == 3) {
            assert_near(place_of(&run, afx_model_body_count(run.model) - 5).x, -0.07 + 0.2 * 0.6, 1e-12);
        }
        end(&run);
    }
}

/* A box between the plate and the wall cannot yield: the step that would go on says so and names plate and slider, and
 * nothing has moved. 0.86 m are left to the box and its width of 0.126 to 0.19 m. */
static void test_a_plate_that_is_blocked_says_so(void **state) {
    (void)state;
    Run run = begin("compactor", "boxes=1 speed=2 mu=0");
    AfxStepReport report = {0};
    AfxStatus status = AFX_OK;
    uint32_t steps = 0, count, plate = afx_model_body_count(run.model) - 2;
    for (; status == AFX_OK && steps < 60; ++steps) {
        status = afx_step(run.sim, &report);
    }
    assert_int_equal(status, AFX_E_NUMERIC);
    assert_true(report.flags & AFX_STEP_BLOCKED);
    assert_int_equal(report.body, plate);
    assert_int_equal(report.joint, 0);
    assert_true(steps > 35 && steps < 50);
    assert_near(place_of(&run, plate).x, -0.07 + 0.02 * (steps - 1), 1e-9);
    assert_ok(afx_sim_intersections(run.sim, NULL, 0, &count));
    assert_int_equal(count, 0);
    end(&run);
}

/* The whole case as it comes: eight boxes are pushed together until nothing can yield any more, or 250 steps. With
 * AFFIX_TEST_LONG only. */
static void test_a_compactor_lets_nothing_through(void **state) {
    (void)state;
    if (!getenv("AFFIX_TEST_LONG")) {
        return;
    }
    Run run = begin("compactor", "");
    AfxStepReport report = {0};
    AfxStatus status = AFX_OK;
    uint32_t done = 0, count, plate = afx_model_body_count(run.model) - 9;
    while (status == AFX_OK && done < 250) {
        status = afx_step(run.sim, &report);
        done += status == AFX_OK;
        assert_ok(afx_sim_intersections(run.sim, NULL, 0, &count));
        assert_int_equal(count, 0);
        assert_near(place_of(&run, plate).x, -0.07 + 0.002 * done, 1e-9);
    }
    print_message("compactor: %u steps\n", done);
    assert_true(done > 200);
    assert_true(status == AFX_OK || (report.flags & AFX_STEP_BLOCKED && report.body == plate));
    end(&run);
}

int run_apart_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cards_stand_by_friction),
        cmocka_unit_test(test_an_arch_stands_by_friction),
        cmocka_unit_test(test_rings_stay_linked),
        cmocka_unit_test(test_a_turntable_carries_up_to_a_radius),
        cmocka_unit_test(test_gears_turn_each_other),
        cmocka_unit_test(test_others_stay_apart),
        cmocka_unit_test(test_a_plate_that_is_blocked_says_so),
        cmocka_unit_test(test_a_compactor_lets_nothing_through),
    };
    return cmocka_run_group_tests_name("cases/barrier", tests, NULL, NULL);
}

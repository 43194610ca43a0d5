/* SPDX-License-Identifier: Apache-2.0 */
/* Cases with contact at their own time steps and default settings: after every step nothing lies deeper in anything
 * than a hundredth of a link, and nothing has passed through anything, by poses alone (crowd.h); joints hold, and
 * energy does not grow but by the work of what moves by itself. First, the distances of apart.h are checked themselves.
 */
#include "crowd.h"
#include "scale.h"
#include "support/check.h"
#include "support/random.h"
#include "support/rigid_reference.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- distances ---- */

/* Sampled distances come down to the closed one from above, and are nearly as short. */
static void test_segments(void **state) {
    (void)state;
    enum { RANDOM = 200, SAMPLES = 200 };
    uint64_t seed = 7;
    for (int k = 0; k < RANDOM; ++k) {
        AfxVec3 a[2] = {random_vec3(&seed, 1), random_vec3(&seed, 1)}, b[2];
        b[0] = random_vec3(&seed, 1);
        /* parallels and points among them */
        b[1] = k % 4 == 0 ? v3_add(b[0], v3_sub(a[1], a[0])) : k % 4 == 1 ? b[0] : random_vec3(&seed, 1);
        double least = INFINITY, got = apart_segments(&(ApartSegment){{a[0], a[1]}}, &(ApartSegment){{b[0], b[1]}});
        for (int i = 0; i <= SAMPLES; ++i) {
            for (int j = 0; j <= SAMPLES; ++j) {
                double s = (double)i / SAMPLES, t = (double)j / SAMPLES;
                AfxVec3 on_a = v3_add(v3_scale(1 - s, a[0]), v3_scale(s, a[1]));
                AfxVec3 on_b = v3_add(v3_scale(1 - t, b[0]), v3_scale(t, b[1]));
                least = fmin(least, v3_distance(on_a, on_b));
            }
        }
        assert_true(got <= least + 1e-12 && got > least - 0.02);
    }
}

static bool pass(AfxVec3 first, AfxVec3 last, AfxVec3 along) {
    ApartSegment bar = {{{-1, 0, 0}, {1, 0, 0}}}, from = {{v3_sub(first, along), v3_add(first, along)}};
    ApartSegment to = {{v3_sub(last, along), v3_add(last, along)}};
    return apart_pass((ApartSegment[2]){bar, from}, (ApartSegment[2]){bar, to}, 0.1);
}

/* A bar along x, and another that goes down through it, past its end, beside it, and back up before it meets it. */
static void test_passing(void **state) {
    (void)state;
    assert_true(pass(v3(0, 0, 1), v3(0, 0, -1), v3(0, 1, 0)));
    assert_true(pass(v3(0.9, 0, 5), v3(1.04, 0, -0.2), v3(0, 1, 0)));
    assert_false(pass(v3(1.11, 0, 1), v3(1.11, 0, -1), v3(0, 1, 0)));
    assert_false(pass(v3(0, 1.2, 1), v3(0, 1.2, -1), v3(0, 1, 0)));
    assert_false(pass(v3(0, 0, 1), v3(0, 0, 0.11), v3(0, 1, 0)));
    assert_true(pass(v3(0, 0, 1), v3(0, 0, -1), v3(1, 0, 0))); /* as parallels */
    /* turning past parallel above the bar changes the sign of their volume, and is no passing */
    ApartSegment bar = {{{-1, 0, 0}, {1, 0, 0}}};
    ApartSegment left = {{{-1, -0.1, 0.2}, {1, 0.1, 0.2}}}, right = {{{-1, 0.1, 0.2}, {1, -0.1, 0.2}}};
    assert_false(apart_pass((ApartSegment[2]){bar, left}, (ApartSegment[2]){bar, right}, 0.1));
}

static ApartHull brick(double x, double y, double z) {
    AfxVec3 corners[8];
    for (int k = 0; k < 8; ++k) {
        corners[k] = v3((k & 1 ? 1 : -1) * x, (k & 2 ? 1 : -1) * y, (k & 4 ? 1 : -1) * z);
    }
    return apart_hull(corners, 8);
}

/* The overlap along a direction; the depth is the least of all directions. */
static double along(const ApartHull *a, const ApartHull *b, AfxVec3 direction) {
    double top = -INFINITY, bottom = INFINITY;
    for (int k = 0; k < 8; ++k) {
        top = fmax(top, v3_dot(a->points[k], direction));
        bottom = fmin(bottom, v3_dot(b->points[k], direction));
    }
    return top - bottom;
}

static void test_hulls(void **state) {
    (void)state;
    enum { RANDOM = 30, DIRECTIONS = 20000 };
    uint64_t seed = 3;
    ApartHull a = brick(0.5, 0.3, 0.2), b = brick(0.4, 0.4, 0.1);
    assert_true(a.face_count == 6 && a.edge_count == 3);
    assert_near(apart_thickness(&a), 0.4, 1e-12);
    AfxPose aside = {{0.85, 0, 0.1}, {1, 0, 0, 0}};
    ApartHull moved = apart_hull_placed(&b, aside);
    assert_near(apart_depth(&a, &moved), 0.05, 1e-12);
    int deep = 0;
    for (int k = 0; k < RANDOM; ++k) {
        moved = apart_hull_placed(&b, random_pose(&seed, 0.9));
        double least = INFINITY, got = apart_depth(&a, &moved);
        for (int j = 0; j < DIRECTIONS; ++j) {
            AfxVec3 direction = random_vec3(&seed, 1);
            least = fmin(least, along(&a, &moved, v3_scale(1 / v3_norm(direction), direction)));
        }
        deep += got > 0;
        assert_true(got <= 0 ? least < 0.03 : got <= least + 1e-12 && got > least - 0.03);
    }
    assert_true(deep > RANDOM / 4 && deep < RANDOM);
}

/* ---- cases ---- */

typedef struct Watch {
    const char *name, *arguments;
    double time;
    double depth;      /* m, the most that is allowed */
    double growth;     /* of energy, the most that is allowed: of the largest kinetic energy and the work together */
    uint32_t contacts; /* so many at least at some time */
} Watch;

static void check_step(const Watch *watch, const Crowd *crowd, const AfxStepReport *report) {
    const CrowdWorst *depth = &crowd->depth, *passed = &crowd->passed;
    if (!(depth->value <= watch->depth)) {
        fail_msg("%s %s: at %g s (step %u) bodies %u and %u lie %g m deep in each other", watch->name, watch->arguments,
                 depth->time, (unsigned)report->step, depth->body_a, depth->body_b, depth->value);
    }
    if (passed->value > 0) {
        fail_msg("%s %s: at %g s (step %u) bodies %u and %u passed through each other", watch->name, watch->arguments,
                 passed->time, (unsigned)report->step, passed->body_a, passed->body_b);
    }
    if (!(report->residual <= 1e-9)) {
        fail_msg("%s %s: at %g s joints hold to %g only", watch->name, watch->arguments, report->time,
                 report->residual);
    }
}

/* Takes the case to its end and gives the kinetic energy there as a share of the largest. */
static double run(const Watch *watch) {
    Crowd crowd = crowd_start(watch->name, watch->arguments);
    double least = crowd.energy, grown = 0, most = 0, work = 0;
    uint32_t contacts = 0;
    AfxEnergy energy = {0};
    while (afx_sim_time(crowd.sim) < watch->time - 1e-9) {
        AfxStepReport report = crowd_step(&crowd);
        check_step(watch, &crowd, &report);
        assert_ok(afx_sim_energy(crowd.sim, &energy));
        contacts = report.contacts > contacts ? report.contacts : contacts;
        grown = fmax(grown, crowd.energy - least);
        least = fmin(least, crowd.energy);
        most = fmax(most, energy.kinetic);
        work = fmax(work, fabs(crowd.work));
    }
    print_message("%s %s: %.2g mm deep at most, %u contacts, energy grew by %.1g of %.3g J\n", watch->name,
                  watch->arguments, 1e3 * crowd.depth.value, contacts, grown, most + work);
    assert_true(contacts >= watch->contacts);
    assert_true(grown <= watch->growth * (most + work));
    crowd_finish(&crowd);
    return energy.kinetic / most;
}

/* The whole case as it comes, to its end: minutes. With AFFIX_TEST_LONG only. */
static void run_whole(const Watch *watch) {
    Watch whole = *watch;
    whole.arguments = "";
    whole.time = afxi_case_find(watch->name)->time;
    if (getenv("AFFIX_TEST_LONG")) {
        run(&whole);
    }
}

/* A rod is 0.16 m long. Nothing moves by itself: no energy comes in. */
static void test_falling_joints(void **state) {
    (void)state;
    /* what came to lie 0.03 mm too deep is lifted out at rest, which takes 3e-4 J */
    static const Watch watch = {"falling-joints", "pairs=24", 1.5, 0.01 * 0.16, 2e-6, 80};
    assert_below(run(&watch), 0.02); /* they lie */
    run_whole(&watch);
}

/* A larger crowd, from its first strikes on. AFFIX_TEST_LONG: more of them, until they lie. */
static void test_falling_joints_crowded(void **state) {
    (void)state;
    Watch watch = {"falling-joints", "pairs=60 seed=5", 0.9, 0.0016, 1e-6, 100};
    run(&watch);
    for (int seed = 1; getenv("AFFIX_TEST_LONG") && seed <= 14; ++seed) {
        char arguments[40];
        snprintf(arguments, sizeof(arguments), "pairs=60 seed=%d", seed);
        watch.arguments = arguments;
        watch.time = 1.6;
        run(&watch);
    }
}

/* A link of the net is 0.1 m long from joint to joint, and the shortest; both ragdolls meet the net, which is wide
 * enough for that. Springs of balls are in the energy; the falling net itself gains 0.2 % before anything touches. */
static void test_ragdolls(void **state) {
    (void)state;
    static const Watch watch = {"ragdolls", "count=2 k=15", 0.6, 0.01 * 0.1, 5e-3, 15};
    run(&watch);
    run_whole(&watch);
}

/* A link is 0.012 m long from joint to joint. The figure works through the joints of the first row and by contact. */
static void test_cloak(void **state) {
    (void)state;
    static const Watch watch = {"cloak", "around=60 rows=10", 0.65, 0.01 * 0.012, 5e-3, 15};
    run(&watch);
    run_whole(&watch);
}

/* A link is 0.05 m long from joint to joint. Springs and servos work along their coordinates. */
static void test_hagfish(void **state) {
    (void)state;
    static const Watch watch = {"hagfish", "", 1, 0.01 * 0.05, 5e-3, 100};
    run(&watch);
    run_whole(&watch);
}

/* The smallest body is the box, 0.05 m. Servos and the lift work. */
static void test_grasp(void **state) {
    (void)state;
    static const Watch watch = {"grasp", "", 5, 0.01 * 0.05, 1e-3, 8};
    run(&watch);
}

/* A stone is 0.6 m deep, 0.4 m thick and 0.226 m wide at its narrower end, which is taken. It falls. */
static void test_arch(void **state) {
    (void)state;
    static const Watch watch = {"arch", "mu=0.05", 1, 0.01 * 0.226, 1e-6, 80};
    run(&watch);
}

int run_crowd_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_passing),
        cmocka_unit_test(test_hulls),
        cmocka_unit_test(test_falling_joints),
        cmocka_unit_test(test_falling_joints_crowded),
        cmocka_unit_test(test_ragdolls),
        cmocka_unit_test(test_cloak),
        cmocka_unit_test(test_hagfish),
        cmocka_unit_test(test_grasp),
        cmocka_unit_test(test_arch),
    };
    return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}

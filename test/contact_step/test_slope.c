/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies on slopes: a box holds or slides by Coulomb's law, a ball rolls or slips, with the accelerations of the
 * closed forms. */
#include "tests.h"

#include <stdio.h>

static World incline(const char *shape, double angle, double friction) {
    char texts[3][48];
    snprintf(texts[0], sizeof texts[0], "shape=%s", shape);
    snprintf(texts[1], sizeof texts[1], "angle=%.17g", angle);
    snprintf(texts[2], sizeof texts[2], "mu=%.17g", friction);
    return world_case("incline", (const char *[]){texts[0], texts[1], texts[2], NULL});
}

/* The slope descends along x. */
static double along(AfxVec3 v, double angle) {
    double radians = angle * PI / 180;
    return v.x * cos(radians) - v.z * sin(radians);
}

/* tan 26.565 degrees is 0.5. */
static void test_holds_or_slides(void **state) {
    (void)state;
    double angle = 26.565, radians = angle * PI / 180;
    World world = incline("box", angle, 0.51);
    AfxVec3 start = marker_of(&world);
    world_run(&world, 5);
    assert_below(v3_distance(marker_of(&world), start), 1e-3);
    assert_below(v3_norm(marker_speed(&world)), 1e-9);
    world_free(&world);

    world = incline("box", angle, 0.49);
    start = marker_of(&world);
    world_run(&world, 5);
    double acceleration = GRAVITY * (sin(radians) - 0.49 * cos(radians));
    assert_near(along(v3_sub(marker_of(&world), start), angle), 0.5 * acceleration * 25, 0.005 * 25);
    world_free(&world);
}

static void test_slides(void **state) {
    (void)state;
    World world = incline("box", 30, 0.2);
    world_run(&world, 1);
    double first = along(marker_speed(&world), 30);
    world_run(&world, 1);
    double gained = along(marker_speed(&world), 30) - first;
    assert_near(gained, GRAVITY * (0.5 - 0.2 * sqrt(0.75)), 1e-3);
    assert_near(gained, 3.20586, 1e-3);
    world_free(&world);
}

/* Without slip a = g sin / (1 + 2/5); the ball's surface turns as fast as its centre moves. */
static void test_rolls(void **state) {
    (void)state;
    World world = incline("sphere", 15, 0.5);
    AfxVec3 start = marker_of(&world);
    world_run(&world, 1);
    double way = along(v3_sub(marker_of(&world), start), 15);
    assert_near(2 * way, GRAVITY * sin(PI / 12) / 1.4, 5.5e-4);
    assert_near(2 * way, 1.81358, 5.5e-4);
    assert_near(0.5 * twist_of(&world, 1).angular.y, along(marker_speed(&world), 15), 1e-3);
    world_free(&world);
}

/* A ball rolls where mu >= 2/7 tan, 0.07656 here; below, its centre accelerates with g (sin - mu cos). */
static void test_rolls_or_slips(void **state) {
    (void)state;
    for (int slips = 0; slips < 2; ++slips) {
        double friction = slips ? 0.07 : 0.08, angle = PI / 12;
        World world = incline("sphere", 15, friction);
        world_run(&world, 1);
        double speed = along(marker_speed(&world), 15), surface = 0.5 * twist_of(&world, 1).angular.y;
        if (slips) {
            assert_near(speed, GRAVITY * (sin(angle) - friction * cos(angle)), 2e-3);
            assert_near(surface, 2.5 * GRAVITY * friction * cos(angle), 2e-3); /* m g mu cos r / (2/5 m r^2) r */
        } else {
            assert_near(speed, 1.81358, 2e-3);
            assert_near(surface, speed, 1e-3);
        }
        world_free(&world);
    }
}

/* The lying cylinder, inertia 1/2 m r^2. */
static void test_cylinder_rolls(void **state) {
    (void)state;
    World world = incline("cylinder", 15, 0.5);
    AfxVec3 start = marker_of(&world);
    world_run(&world, 1);
    assert_near(2 * along(v3_sub(marker_of(&world), start), 15), GRAVITY * sin(PI / 12) / 1.5, 1e-3);
    assert_near(marker_of(&world).y, 0, 1e-9);
    world_free(&world);
}

int run_slope_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_or_slides), cmocka_unit_test(test_slides),         cmocka_unit_test(test_rolls),
        cmocka_unit_test(test_rolls_or_slips),  cmocka_unit_test(test_cylinder_rolls),
    };
    return cmocka_run_group_tests_name("contact_step/slope", tests, NULL, NULL);
}

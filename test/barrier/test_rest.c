/* SPDX-License-Identifier: Apache-2.0 */
/* Truths of contact and friction: the gap at rest is the root of one equation, a slope holds or does not, sliding goes
 * as far as Coulomb says, nothing tunnels at 1 km/s, a heavy load rests on a light one. */
#include "tests.h"

#include "barrier/energy.h"
#include "barrier/inner.h"
#include "step/sim.h"

static AfxPose at(double x, double y, double z) {
    return (AfxPose){v3(x, y, z), {1, 0, 0, 0}};
}

/* kappa |B'(d)| = m g: by bisection. */
static void a_ball_rests_where_its_barrier_carries_it(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0);
    AfxShapeDef ball = afx_default_sphere(0.1);
    world_plane(&world);
    AfxBodyId id = world_put(&world, &ball, at(0, 0, 0.1003), true);
    AfxSimDef def = afx_default_sim();
    def.contact_model = AFX_CONTACT_BARRIER;
    def.contact_gap = 1e-3;
    def.integrator = AFX_BDF1;
    def.accuracy = AFX_CONVERGED;
    sim_start(world.scene, &world.model, &world.sim, &def);
    world_run(&world, 200, NULL);
    double mass = 1000 * 4.0 / 3 * PI * 1e-3, kappa = mass / (0.01 * 0.01), low = 1e-9, high = 1e-3, b[3];
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        afxi_barrier_function(middle, 1e-3, b);
        *(kappa * -b[1] > mass * GRAVITY ? &low : &high) = middle;
    }
    assert_near(pose_of(&world, id).position.z - 0.1, low, 1e-12);
    AfxWrench force;
    assert_ok(afx_sim_body_contact(world.sim, id.index, &force));
    assert_near(force.force.z / (mass * GRAVITY), 1, 1e-9);
    world_free(&world);
}

/* On a slope (by turning gravity) for 2 s: where it is, its speed, and how much faster it became in the second one. */
typedef struct Slide {
    double way, speed, gained;
} Slide;

static Slide slide_down(double degrees, bool rigid, AfxIntegrator integrator) {
    World world = world_make(GRAVITY, 0.5);
    double angle = degrees * PI / 180;
    AfxShapeDef box = afx_default_box(0.4, 0.4, 0.2);
    Slide slide;
    world_plane(&world);
    AfxBodyId id = world_put(&world, &box, at(0, 0, 0.1002), rigid);
    assert_ok(afx_scene_set_gravity(world.scene, v3(GRAVITY * sin(angle), 0, -GRAVITY * cos(angle))));
    world_start(&world, integrator, 0.01);
    world_run(&world, 100, NULL);
    slide.gained = -twist_of(&world, id).linear.x;
    world_run(&world, 100, NULL);
    slide.way = pose_of(&world, id).position.x;
    slide.speed = vec3_length(twist_of(&world, id).linear);
    slide.gained += twist_of(&world, id).linear.x;
    world_free(&world);
    return slide;
}

/* tan 26.565 degrees = 0.5 */
static void a_slope_holds_up_to_its_angle(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double angle = 27 * PI / 180, g = GRAVITY * (sin(angle) - 0.5 * cos(angle));
        Slide held = slide_down(26, k % 2, k < 2 ? AFX_BDF1 : AFX_BDF2);
        Slide slides = slide_down(27, k % 2, k < 2 ? AFX_BDF1 : AFX_BDF2);
        assert_below(fabs(held.way), 1e-3); /* it falls by 0.2 mm first, without friction */
        assert_below(held.speed, 1e-10);
        assert_near(slides.gained, g, 2e-3 * g);
    }
}

/* v²/(2 mu g), BDF1 of first order. */
static void a_sliding_box_comes_to_rest_after_its_way(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0.4);
    AfxShapeDef box = afx_default_box(0.4, 0.4, 0.1);
    world_plane(&world);
    AfxBodyId id = world_put(&world, &box, at(0, 0, 0.0504), true);
    world_start(&world, AFX_BDF1, 0.002);
    assert_ok(afx_sim_set_body_twist(world.sim, id.index, (AfxTwist){v3(2, 0, 0), v3(0, 0, 0)}));
    world_run(&world, 400, NULL);
    double want = 4 / (2 * 0.4 * GRAVITY);
    assert_near(pose_of(&world, id).position.x, want, 0.01 * want);
    assert_below(vec3_length(twist_of(&world, id).linear), 1e-9);
    world_free(&world);
}

static void nothing_tunnels_at_a_thousand_metres_per_second(void **state) {
    (void)state;
    World world = world_make(0, 0.3);
    AfxShapeDef plate = afx_default_box(1, 1, 0.002), ball = afx_default_sphere(0.05),
                box = afx_default_box(0.1, 0.1, 0.1);
    AfxBodyDef fixed = afx_default_body();
    fixed.kind = AFX_BODY_FIXED;
    world_add(&world, &fixed, &plate);
    AfxBodyId a = world_put(&world, &ball, at(-0.2, 0, 0.6), true),
              b = world_put(&world, &box, at(0.2, 0.1, 1.1), false);
    world_start(&world, AFX_BDF1, 0.01);
    assert_ok(afx_sim_set_body_twist(world.sim, a.index, (AfxTwist){v3(0, 0, -1000), v3(0, 0, 0)}));
    assert_ok(afx_sim_set_body_twist(world.sim, b.index, (AfxTwist){v3(0, 0, -1000), v3(3, 2, 1)}));
    world_run(&world, 20, NULL);
    assert_true(pose_of(&world, a).position.z > 0.05);
    assert_true(pose_of(&world, b).position.z > 0.05);
    world_free(&world);
}

static void a_load_of_a_thousand_times_the_mass_is_carried(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0.5);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    world_plane(&world);
    AfxBodyDef light = afx_default_body(), heavy = afx_default_body();
    AfxShapeDef dense = box;
    dense.density = 1e6;
    light.pose = at(0, 0, 0.1003);
    heavy.pose = at(0.02, 0.01, 0.3008);
    world_add(&world, &light, &box);
    AfxBodyId top = world_add(&world, &heavy, &dense);
    world_start(&world, AFX_BDF1, 0.01);
    AfxStepReport report;
    world_run(&world, 100, NULL);
    assert_ok(afx_step(world.sim, &report));
    assert_true(report.gap_least > 1e-8);
    assert_near(pose_of(&world, top).position.z, 0.3, 1e-3);
    world_free(&world);
}

/* A box that hits a stack of others at 8 m/s, and all that follows: the impulse is that of its momentum, and no step
 * needs many iterations. */
static void an_impact_is_stopped_in_few_iterations(void **state) {
    (void)state;
    World world = world_make(0, 0);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    AfxBodyId ids[4];
    for (int k = 0; k < 4; k++) {
        ids[k] = world_put(&world, &box, at(k ? 0.2003 * k : -0.05, 0.01 * k, 0.02 * k), k % 2);
    }
    world_start(&world, AFX_BDF1, 0.01);
    assert_ok(afx_sim_set_body_twist(world.sim, ids[0].index, (AfxTwist){v3(8, 0, 0), v3(0, 0, 0)}));
    double mean, sum = 0;
    world_run(&world, 20, &mean);
    for (int k = 0; k < 4; k++) {
        sum += twist_of(&world, ids[k]).linear.x;
    }
    assert_near(sum, 8, 1e-2);
    assert_true(mean < 12);
    world_free(&world);
}

/* Boxes that are thrown, meet, tumble and come to rest: surfaces that a step leads to are known before, and where slips
 * end too. */
static void what_tumbles_takes_few_iterations(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0.5);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    AfxBodyId ids[4];
    world_plane(&world);
    for (int k = 0; k < 4; k++) {
        ids[k] = world_put(&world, &box, at(0.3 * k, 0.05 * k, 0.3 + 0.1 * k), k % 2);
    }
    world_start(&world, AFX_BDF1, 0.01);
    for (int k = 0; k < 4; k++) {
        AfxTwist twist = {v3(2 - k, 0.3 * k, -2), v3(3 * k, 4, -2 * k)};
        assert_ok(afx_sim_set_body_twist(world.sim, ids[k].index, twist));
    }
    double mean;
    world_run(&world, 150, &mean);
    assert_true(mean < 2.7);
    for (int k = 0; k < 4; k++) {
        assert_below(vec3_length(twist_of(&world, ids[k]).linear), 1e-3);
    }
    world_free(&world);
}

/* A box that a hold pulls into the floor, and along it: contact carries weight and pull, and friction holds until it
 * comes to mu of that; a ball on another hangs k z = m g below. */
static void holds_pull_and_are_carried(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0.5);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2), ball = afx_default_sphere(0.05);
    world_plane(&world);
    AfxBodyId a = world_put(&world, &box, at(0, 0, 0.1002), true), b = world_put(&world, &ball, at(1, 0, 1), false);
    AfxSimDef def = afx_default_sim();
    def.contact_model = AFX_CONTACT_BARRIER;
    def.integrator = AFX_BDF1;
    def.accuracy = AFX_CONVERGED;
    sim_start(world.scene, &world.model, &world.sim, &def);
    double weight = 8 * GRAVITY, light = 1000 * 4.0 / 3 * PI * 1.25e-4 * GRAVITY, k = 1e3;
    assert_ok(afx_sim_hold(world.sim, a.index, v3(0, 0, 0), v3(0.02, 0, 0), k, 50));
    assert_ok(afx_sim_hold(world.sim, b.index, v3(0, 0, 0.05), v3(1, 0, 1.05), k, 50));
    world_run(&world, 300, NULL);
    AfxVec3 pull;
    AfxWrench carried;
    assert_ok(afx_sim_hold_force(world.sim, a.index, &pull));
    assert_ok(afx_sim_body_contact(world.sim, a.index, &carried));
    assert_near(pull.x, k * 0.02, 0.2); /* it sticks: friction gives way by less than a tenth of the gap */
    assert_near(carried.force.z, weight - pull.z, 1e-6);
    assert_near(-pull.z, k * 0.1, 0.5);
    assert_ok(afx_sim_hold_force(world.sim, b.index, &pull));
    assert_near(pull.z, light, 1e-6);
    assert_near(1 - pose_of(&world, b).position.z, light / k, 1e-6);
    assert_ok(afx_sim_hold(world.sim, a.index, v3(0, 0, 0), v3(0.2, 0, 0), k, 50));
    world_run(&world, 300, NULL);
    assert_ok(afx_sim_hold_force(world.sim, a.index, &pull));
    assert_true(pose_of(&world, a).position.x > 0.05); /* it came along, until friction holds the rest of the pull */
    assert_true(pull.x < 0.5 * (weight - pull.z) + 0.1);
    assert_ok(afx_sim_release(world.sim, a.index));
    world_free(&world);
}

/* n blocks of length l, each set off from the one below by d: what lies on the lowest has its centre n d/2 off. */
static void a_leaning_tower_stands_as_far_as_its_weight_is_over_it(void **state) {
    (void)state;
    for (int falls = 0; falls < 2; falls++) {
        World world = world_make(GRAVITY, 0.5);
        AfxShapeDef block = afx_default_box(0.4, 0.2, 0.1);
        AfxBodyId top = {0};
        double offset = falls ? 0.072 : 0.062; /* 6 d against 0.4 */
        world_plane(&world);
        for (int k = 0; k < 6; k++) {
            top = world_put(&world, &block, at(offset * k, 0, 0.0502 + 0.1002 * k), true);
        }
        world_start(&world, AFX_BDF1, 0.01);
        world_run(&world, 100, NULL);
        double sunk = 0.0502 + 0.1002 * 5 - pose_of(&world, top).position.z;
        assert_true(falls ? sunk > 0.05 : sunk < 1e-3);
        world_free(&world);
    }
}

int run_rest_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rests_where_its_barrier_carries_it),
        cmocka_unit_test(a_slope_holds_up_to_its_angle),
        cmocka_unit_test(a_sliding_box_comes_to_rest_after_its_way),
        cmocka_unit_test(a_leaning_tower_stands_as_far_as_its_weight_is_over_it),
        cmocka_unit_test(nothing_tunnels_at_a_thousand_metres_per_second),
        cmocka_unit_test(a_load_of_a_thousand_times_the_mass_is_carried),
        cmocka_unit_test(an_impact_is_stopped_in_few_iterations),
        cmocka_unit_test(what_tumbles_takes_few_iterations),
        cmocka_unit_test(holds_pull_and_are_carried),
    };
    return cmocka_run_group_tests_name("barrier: rest", tests, NULL, NULL);
}

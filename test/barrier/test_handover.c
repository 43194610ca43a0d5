/* SPDX-License-Identifier: Apache-2.0 */
/* What nothing is near goes through the usual engines, with the bits of a sim without contact, and what is near goes as
 * if the rest were not there. Who comes near against what boxes foresaw is still stopped. */
#include "tests.h"

#include "barrier/inner.h"
#include "step/sim.h"

static AfxPose at(double x, double y, double z) {
    return (AfxPose){v3(x, y, z), {1, 0, 0, 0}};
}

/* Links on joints of a kind from a point of the world, along x, the last one heavy; `touches`: they can touch others. A
 * loop: a spring back to where it begins. */
static void add_chain(World *world, AfxVec3 from, AfxJointKind kind, uint32_t count, bool touches) {
    AfxBodyId last = afx_world();
    for (uint32_t k = 0; k < count; k++) {
        AfxShapeDef rod = afx_default_capsule(0.02, 0.2);
        rod.pose.rotation = afx_quat_from_axis_angle(v3(0, 1, 0), PI / 2);
        rod.contact_group = rod.contact_mask = touches;
        rod.density = k + 1 == count ? 5000 : 1000;
        AfxBodyId id = world_put(world, &rod, at(from.x + 0.25 * k + 0.12, from.y, from.z), k % 2);
        AfxJointDef joint = afx_default_joint(kind);
        AfxJointId made;
        joint.follower = id;
        joint.base = last;
        joint.follower_frame = afx_frame_along(v3(-0.12, 0, 0), v3(0, 1, 0));
        joint.base_frame = afx_frame_along(k ? v3(0.13, 0, 0) : from, v3(0, 1, 0));
        assert_ok(afx_scene_add_joint(world->scene, &joint, &made));
        last = id;
    }
}

/* Three mechanisms 10 m above the ground, a free body among them, and, with `boxes`, two boxes at rest on it. */
static World high_up(bool ground, bool boxes, bool mechanisms) {
    World world = world_make(GRAVITY, 0.5);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    if (ground) {
        world_plane(&world);
    }
    for (int k = 0; k < 2 && boxes; k++) {
        world_put(&world, &box, at(0, 0.5 * k, 0.1004 + 0.001 * k), k);
    }
    if (mechanisms) {
        add_chain(&world, v3(0, 0, 10), AFX_JOINT_SPHERICAL, 5, ground);
        add_chain(&world, v3(0, 2, 10), AFX_JOINT_REVOLUTE, 4, ground);
        add_chain(&world, v3(0, 4, 10), AFX_JOINT_UNIVERSAL, 3, ground);
        box.contact_group = box.contact_mask = ground;
        world_put(&world, &box, at(0, 6, 10), false);
    }
    return world;
}

/* Steps two sims that share bodies, the second one from `offset` on; the first `count` of these must agree to the bit
 * all the time. `near`: how many bodies of the first one barriers see at its end. */
static void compare(World *full, World *part, uint32_t offset, uint32_t steps, bool *out_used) {
    size_t row = 12 * sizeof(double), count = afx_model_body_count(part->model);
    *out_used = false;
    for (uint32_t n = 0; n < steps; n++) {
        AfxStepReport report;
        AfxStatus status = afx_step(full->sim, &report);
        if (status != AFX_OK) {
            fail_msg("step %u: status %d, flags %x, body %u", n, (int)status, report.flags, report.body);
        }
        *out_used |= isfinite(report.gap_least);
        assert_ok(afx_step(part->sim, &report));
        assert_memory_equal(afx_sim_coordinates(full->sim) + 12 * (size_t)offset, afx_sim_coordinates(part->sim),
                            count * row);
        assert_memory_equal(afx_sim_velocities(full->sim) + 12 * (size_t)offset, afx_sim_velocities(part->sim),
                            count * row);
    }
}

static void what_is_far_has_the_bits_of_no_contact(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World full = high_up(true, false, true), bare = high_up(false, false, true);
        bool used;
        world_start(&full, k ? AFX_BDF1 : AFX_BDF2, 0.01);
        world_start(&bare, k ? AFX_BDF1 : AFX_BDF2, 0.01);
        compare(&full, &bare, 1, 60, &used); /* behind the ground */
        assert_false(used);
        world_free(&full);
        world_free(&bare);
    }
}

static void islands_that_are_near_leave_others_their_bits(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        AfxIntegrator integrator = k ? AFX_BDF1 : AFX_BDF2;
        World full = high_up(true, true, true), bare = high_up(false, false, true), boxes = high_up(true, true, false);
        bool used;
        world_start(&full, integrator, 0.01);
        world_start(&bare, integrator, 0.01);
        compare(&full, &bare, 3, 40, &used);
        assert_true(used);
        world_start(&full, integrator, 0.01);
        world_start(&boxes, integrator, 0.01);
        compare(&full, &boxes, 0, 40, &used);
        assert_true(used);
        world_free(&full);
        world_free(&bare);
        world_free(&boxes);
    }
}

/* A chain that swings down over a floor: from far to near and back, with joints that are met and nothing through. */
static void what_comes_near_goes_over_and_back(void **state) {
    (void)state;
    static const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_REVOLUTE};
    for (int k = 0; k < 4; k++) {
        World world = world_make(GRAVITY, 0.2);
        bool near = false, far = false;
        world_plane(&world);
        add_chain(&world, v3(0, 0, 0.47), kinds[k % 2], 2, true);
        world_start(&world, k < 2 ? AFX_BDF2 : AFX_BDF1, 0.01);
        for (int n = 0; n < 150; n++) {
            AfxStepReport report;
            uint32_t count;
            assert_ok(afx_step(world.sim, &report));
            assert_below(report.violation, 1e-12);
            assert_ok(afx_sim_intersections(world.sim, NULL, 0, &count));
            assert_int_equal(count, 0);
            const AfxiBarrier *work = world.sim->work;
            far |= near && work->body_count == 0;
            near |= work->body_count > 0;
        }
        if (!(near && far)) {
            fail_msg("near %d, and far again %d", near, far);
        }
        world_free(&world);
    }
}

/* A body at rest, thrown at a thin wall by a force that its speed did not tell of: the step that would take it through
 * is done again. */
static void a_blow_that_boxes_did_not_foresee_is_met(void **state) {
    (void)state;
    World world = world_make(0, 0);
    AfxBodyDef fixed = afx_default_body();
    AfxShapeDef wall = afx_default_box(0.01, 2, 2), ball = afx_default_sphere(0.1);
    fixed.kind = AFX_BODY_FIXED;
    world_add(&world, &fixed, &wall);
    AfxBodyId id = world_put(&world, &ball, at(-0.5, 0, 0), true), other = world_put(&world, &ball, at(5, 0, 0), true);
    world_start(&world, AFX_BDF1, 0.01);
    AfxWrench push[3] = {{{0, 0, 0}, {0, 0, 0}}, {{1e5, 0, 0}, {0, 0, 0}}, {{0, 1, 0}, {0, 0, 0}}};
    assert_ok(afx_sim_set_body_wrenches(world.sim, push));
    world_run(&world, 1, NULL);
    assert_near(pose_of(&world, id).position.x, -0.1075, 0.0025);
    const AfxiBarrier *work = world.sim->work;
    assert_int_equal(work->body_count, 1); /* the other one stayed with the usual engines */
    double mass = 1000 * 4.0 / 3 * PI * 1e-3;
    assert_near(twist_of(&world, other).linear.y, 0.01 / mass, 1e-12);
    world_free(&world);
}

/* A body that is led from rest into another one within a step, which no speed had told of: it is met, whether something
 * else is near or not. */
static void a_lead_that_boxes_did_not_foresee_is_met(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World world = world_make(0, 0);
        AfxBodyDef led = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.1);
        AfxStepReport report;
        uint32_t count;
        led.kind = AFX_BODY_KINEMATIC;
        led.pose.position.x = -0.5;
        AfxBodyId paddle = world_add(&world, &led, &ball), id = world_put(&world, &ball, at(0.5, 0, 0), true);
        for (int n = 0; n < 2 && k; n++) {
            world_put(&world, &ball, at(5 + 0.2005 * n, 0, 0), true);
        }
        world_start(&world, AFX_BDF1, 0.01);
        const AfxTwist still = {{0, 0, 0}, {0, 0, 0}};
        assert_ok(afx_sim_set_body_target(world.sim, paddle.index, at(0.35, 0, 0), still));
        assert_ok(afx_step(world.sim, &report));
        assert_ok(afx_sim_intersections(world.sim, NULL, 0, &count));
        assert_int_equal(count, 0);
        assert_near(pose_of(&world, paddle).position.x, 0.35, 0);
        assert_true(pose_of(&world, id).position.x > 0.55);
        assert_true(report.contacts > 0);
        world_free(&world);
    }
}

int run_handover_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_far_has_the_bits_of_no_contact),
        cmocka_unit_test(islands_that_are_near_leave_others_their_bits),
        cmocka_unit_test(what_comes_near_goes_over_and_back),
        cmocka_unit_test(a_blow_that_boxes_did_not_foresee_is_met),
        cmocka_unit_test(a_lead_that_boxes_did_not_foresee_is_met),
    };
    return cmocka_run_group_tests_name("barrier: who goes by the usual engines", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: after a restore the run goes on bit for bit as it did, in the same sim or in another of the model. */
#include "tests.h"

static World mixed_world(double mass) {
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef rigid = odd_def(), soft = odd_def(), moved = odd_def(), fixed = odd_def();
    AfxWrenchDef wrench = afx_default_wrench();
    rigid.mass = mass;
    rigid.angular_damping = 0.3;
    soft.young = 1e6;
    soft.linear_damping = 0.2;
    moved.kind = AFX_BODY_KINEMATIC;
    fixed.kind = AFX_BODY_FIXED;
    moved.linear_velocity = moved.angular_velocity = fixed.linear_velocity = fixed.angular_velocity = v3(0, 0, 0);
    moved.motion.translation[1] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 1, 0.5, 0}};
    wrench.frame = AFX_FRAME_BODY;
    wrench.torque = v3(1, 2, 3);
    world_load(&world, world_add(&world, &rigid), &wrench);
    world_add(&world, &soft);
    world_add(&world, &moved);
    world_add(&world, &fixed);
    return world;
}

static void *snapshot_of(const World *world, size_t *out_size) {
    *out_size = afx_sim_snapshot_size(world->sim);
    void *buffer = malloc(*out_size);
    assert_non_null(buffer);
    memset(buffer, 0xCC, *out_size);
    assert_ok(afx_sim_snapshot(world->sim, buffer, *out_size));
    return buffer;
}

static void assert_continues(World *world, const void *buffer, size_t size, const double *end, double time) {
    assert_ok(afx_sim_restore(world->sim, buffer, size));
    world_run(world, 50);
    assert_true(state_equal(world, end));
    assert_true(afx_sim_time(world->sim) == time);
}

/* A snapshot after `steps` steps, 50 steps on, then the same 50 again: here and in a sim of another making. */
static void check_snapshot(World *world, const AfxSimDef *def, uint32_t steps) {
    size_t size;
    world_start(world, def);
    world_run(world, steps);
    void *buffer = snapshot_of(world, &size);
    double *now = state_copy(world), at = afx_sim_time(world->sim);
    world_run(world, 50);
    double *end = state_copy(world), time = afx_sim_time(world->sim);
    assert_ok(afx_sim_restore(world->sim, buffer, size));
    assert_true(state_equal(world, now));
    assert_true(afx_sim_time(world->sim) == at);
    assert_continues(world, buffer, size, end, time);
    AfxSimDef other = *def;
    other.threads = 2;
    other.lanes = 1;
    world_start(world, &other);
    assert_continues(world, buffer, size, end, time);
    world_run(world, 3);
    assert_continues(world, buffer, size, end, time);
    free(buffer);
    free(now);
    free(end);
}

static void runs_go_on_bit_for_bit(void **state) {
    (void)state;
    World world = mixed_world(2);
    for (int m = 0; m < METHODS; m++) {
        for (int accurate = 0; accurate < 2; accurate++) {
            AfxSimDef def = accurate ? accurate_def(&methods[m], 0.01) : sim_def(&methods[m], 0.01);
            check_snapshot(&world, &def, 0);
            check_snapshot(&world, &def, 1);
            check_snapshot(&world, &def, 2);
            check_snapshot(&world, &def, 37);
        }
    }
    world_free(&world);
}

/* The step in use belongs to the run, and so does a restart that is due. */
static void the_step_is_part_of_it(void **state) {
    (void)state;
    World world = mixed_world(2);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 0.01);
        size_t size;
        world_start(&world, &def);
        world_run(&world, 10);
        assert_ok(afx_sim_set_dt(world.sim, 0.004)); /* a restart is due */
        void *buffer = snapshot_of(&world, &size);
        world_run(&world, 50);
        double *end = state_copy(&world), time = afx_sim_time(world.sim);
        assert_ok(afx_sim_set_dt(world.sim, 0.02));
        world_run(&world, 3);
        assert_continues(&world, buffer, size, end, time);
        assert_near(afx_sim_dt(world.sim), 0.004, 0);
        world_start(&world, &def);
        assert_continues(&world, buffer, size, end, time);
        free(buffer);
        free(end);
    }
    world_free(&world);
}

static void assert_refused(World *world, const void *buffer, size_t size, AfxStatus status) {
    double *before = state_copy(world), time = afx_sim_time(world->sim);
    assert_int_equal(afx_sim_restore(world->sim, buffer, size), status);
    assert_true(state_equal(world, before));
    assert_true(afx_sim_time(world->sim) == time);
    free(before);
}

static void foreign_snapshots_are_refused(void **state) {
    (void)state;
    World world = mixed_world(2), heavier = mixed_world(3), single = world_make(v3(0, 0, -9.81));
    AfxBodyDef body = odd_def();
    world_add(&single, &body);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 0.01), other = sim_def(&methods[(m + 1) % METHODS], 0.01);
        size_t size;
        world_start(&world, &def);
        world_run(&world, 5);
        void *buffer = snapshot_of(&world, &size);
        world_start(&heavier, &def);
        assert_refused(&heavier, buffer, size, AFX_E_VERSION);
        world_start(&single, &def);
        assert_refused(&single, buffer, size, AFX_E_VERSION);
        world_start(&world, &other);
        assert_refused(&world, buffer, size, AFX_E_VERSION);
        memset(buffer, 0, size);
        world_start(&world, &def);
        assert_refused(&world, buffer, size, AFX_E_VERSION);
        free(buffer);
    }
    world_free(&world);
    world_free(&heavier);
    world_free(&single);
}

static void bad_buffers_are_refused(void **state) {
    (void)state;
    World world = mixed_world(2);
    AfxSimDef def = sim_def(&methods[0], 0.01);
    size_t size;
    world_start(&world, &def);
    world_run(&world, 5);
    char *buffer = snapshot_of(&world, &size);
    world_run(&world, 5);
    assert_int_equal(afx_sim_snapshot(world.sim, buffer, size - 1), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_snapshot(world.sim, NULL, size), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_snapshot(NULL, buffer, size), AFX_E_ARGUMENT);
    double *before = state_copy(&world);
    assert_int_not_equal(afx_sim_restore(world.sim, buffer, size - 1), AFX_OK);
    assert_int_not_equal(afx_sim_restore(world.sim, buffer, 0), AFX_OK);
    assert_int_not_equal(afx_sim_restore(world.sim, buffer, 7), AFX_OK);
    assert_int_equal(afx_sim_restore(world.sim, NULL, size), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_restore(NULL, buffer, size), AFX_E_ARGUMENT);
    assert_true(state_equal(&world, before));
    assert_ok(afx_sim_restore(world.sim, buffer, size));
    char *odd = malloc(size + 1); /* a buffer at any address will do */
    assert_non_null(odd);
    assert_ok(afx_sim_snapshot(world.sim, odd + 1, size));
    assert_memory_equal(odd + 1, buffer, size);
    assert_ok(afx_sim_restore(world.sim, odd + 1, size));
    free(odd);
    free(before);
    free(buffer);
    world_free(&world);
}

/* A tree that was whipped and is no longer goes its way with its like again, as it does in a sim that did not see it.
 */
static void calmed_trees_go_on_bit_for_bit(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        World world = world_make(v3(0, 0, -9.81));
        AfxSimDef def = sim_def(&methods[m], 0.02);
        for (int k = 0; k < 6; k++) {
            world_add_bars(&world, v3(5 * k, 0, 0), 5, k == 2 ? 40 : 1, 0.1);
        }
        check_snapshot(&world, &def, 5);
        check_snapshot(&world, &def, 20);
        world_free(&world);
    }
}

int run_snapshot_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_go_on_bit_for_bit),  cmocka_unit_test(calmed_trees_go_on_bit_for_bit),
        cmocka_unit_test(the_step_is_part_of_it),  cmocka_unit_test(foreign_snapshots_are_refused),
        cmocka_unit_test(bad_buffers_are_refused),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}

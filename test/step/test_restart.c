/* SPDX-License-Identifier: Apache-2.0 */
/* When a method with a memory starts over, the report says so, once. */
#include "tests.h"

static bool restarts(World *world) {
    AfxStepReport report;
    assert_ok(afx_step(world->sim, &report));
    return report.flags & AFX_STEP_RESTARTED;
}

static AfxStatus edit(World *world, int what) {
    AfxPose pose = pose_of(world, 0);
    AfxTwist twist = twist_of(world, 0);
    const double *q = afx_sim_coordinates(world->sim), *v = afx_sim_velocities(world->sim);
    switch (what) {
    case 0:
        return afx_sim_set_dt(world->sim, afx_sim_dt(world->sim) / 2);
    case 1:
        return afx_sim_set_state(world->sim, q, v);
    case 2:
        return afx_sim_set_state(world->sim, q, NULL);
    case 3:
        return afx_sim_set_state(world->sim, NULL, v);
    case 4:
        return afx_sim_set_body_pose(world->sim, 0, pose);
    case 5:
        return afx_sim_set_body_twist(world->sim, 0, twist);
    case 6:
        return afx_sim_set_poses(world->sim, &pose);
    default:
        return afx_sim_set_twists(world->sim, &twist);
    }
}

static void edits_restart_a_multistep_method(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef def = odd_def();
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        bool multistep = methods[m].integrator == AFX_BDF2 || methods[m].integrator == AFX_ALPHA;
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        assert_int_equal(restarts(&world), multistep);
        for (int what = 0; what < 8; what++) {
            assert_false(restarts(&world));
            assert_false(restarts(&world));
            assert_ok(edit(&world, what));
            assert_int_equal(restarts(&world), multistep);
        }
        assert_false(restarts(&world));
    }
    world_free(&world);
}

static void inputs_and_queries_do_not_restart(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef def = odd_def();
    AfxWrenchDef wrench = afx_default_wrench();
    world_load(&world, world_add(&world, &def), &wrench);
    AfxSimDef sim = sim_def(&methods[0], 0.01);
    AfxWrench value = {v3(1, 2, 3), v3(0, 0, 0)};
    AfxEnergy energy;
    AfxMomentum momentum;
    world_start(&world, &sim);
    assert_true(restarts(&world));
    assert_ok(afx_sim_set_wrench(world.sim, 0, value));
    assert_ok(afx_sim_set_body_wrenches(world.sim, &value));
    assert_ok(afx_sim_energy(world.sim, &energy));
    assert_ok(afx_sim_momentum(world.sim, &momentum));
    assert_false(restarts(&world));
    world_free(&world);
}

/* The report counts steps and time. */
static void the_report_counts(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef def = odd_def();
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.01);
        world_start(&world, &sim);
        for (uint64_t n = 1; n <= 20; n++) {
            AfxStepReport report;
            memset(&report, 0xCC, sizeof report);
            assert_ok(afx_step(world.sim, &report));
            assert_int_equal(report.step, n);
            assert_near(report.time, 0.01 * (double)n, 1e-14);
            assert_near(report.time, afx_sim_time(world.sim), 0);
            assert_int_equal(report.body, UINT32_MAX);
            assert_true(report.solves >= 1 && report.solves <= 30);
            assert_true(report.solves_mean >= 1 && report.solves_mean <= report.solves);
            assert_true(report.residual == 0);
            assert_true(report.rotation_error >= 0 && report.rotation_error < 0.1);
            for (int k = 0; k < AFX_STAGE_COUNT; k++) {
                assert_true(report.stage_seconds[k] >= 0 && report.stage_seconds[k] < 60);
            }
        }
    }
    world_free(&world);
}

/* Exactly as many solves as asked for. */
static void the_number_of_solves_can_be_fixed(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyDef def = odd_def();
    world_add(&world, &def);
    for (int m = 0; m < METHODS; m++) {
        for (uint32_t solves = 1; solves <= 5; solves++) {
            AfxSimDef sim = sim_def(&methods[m], 0.01);
            sim.solves = solves;
            world_start(&world, &sim);
            for (int n = 0; n < 5; n++) {
                AfxStepReport report;
                assert_ok(afx_step(world.sim, &report));
                if (methods[m].integrator != AFX_SDIRK2) { /* two stages: either way of counting will do */
                    assert_int_equal(report.solves, solves);
                }
            }
        }
    }
    world_free(&world);
}

int run_restart_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_restart_a_multistep_method),
        cmocka_unit_test(inputs_and_queries_do_not_restart),
        cmocka_unit_test(the_report_counts),
        cmocka_unit_test(the_number_of_solves_can_be_fixed),
    };
    return cmocka_run_group_tests_name("restart and report", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a running sim as numbers: those that queries give. */
#include "tests.h"

static void test_numbers(void **state) {
    (void)state;
    World world;
    AfxProbe *probe = NULL;
    AfxError error = {0};
    AfxStepReport report;
    AfxVec3 tip;
    AfxEnergy energy;
    double values[7], effort;
    world_make(&world, NULL, NULL);
    assert_fine(afx_probe_create(world.scene, world.model, "marker:tip,energy.total,effort:motor,residual,time", NULL,
                                 &probe, &error),
                &error);
    assert_int_equal(afx_probe_count(probe), 7);
    assert_string_equal(afx_probe_name(probe, 2), "marker:tip.z");
    assert_null(afx_probe_name(probe, 7));
    assert_ok(afx_probe_read(probe, world.sim, NULL, values));
    assert_same(values[5], 0);
    for (int k = 0; k < 3; k++) {
        assert_ok(afx_step(world.sim, &report));
    }
    assert_ok(afx_probe_read(probe, world.sim, &report, values));
    assert_ok(afx_sim_marker(world.sim, 0, &tip, NULL));
    assert_ok(afx_sim_energy(world.sim, &energy));
    assert_ok(afx_sim_drive_effort(world.sim, 0, &effort));
    assert_same(values[0], tip.x);
    assert_same(values[2], tip.z);
    assert_same(values[3], energy.total);
    assert_same(values[4], effort);
    assert_same(values[5], report.residual);
    assert_same(values[6], afx_sim_time(world.sim));
    afx_probe_destroy(probe);
    world_free(&world);
}

static void test_refusals(void **state) {
    (void)state;
    World world;
    AfxProbe *probe = NULL;
    AfxError error = {0};
    double value;
    world_make(&world, NULL, NULL);
    assert_int_equal(afx_probe_create(world.scene, world.model, "marker:toe", NULL, &probe, &error), AFX_E_INPUT);
    assert_null(probe);
    assert_string_equal(error.text, "there is no such marker");
    assert_int_equal(afx_probe_create(world.scene, NULL, "time", NULL, &probe, &error), AFX_E_ARGUMENT);
    assert_int_equal(afx_probe_read(NULL, world.sim, NULL, &value), AFX_E_ARGUMENT);
    assert_int_equal(afx_probe_count(NULL), 0);
    afx_probe_destroy(NULL);
    world_free(&world);
}

int run_probe_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("probes", tests, NULL, NULL);
}

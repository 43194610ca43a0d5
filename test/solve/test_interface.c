/* SPDX-License-Identifier: Apache-2.0 */
/* What callers see of it: on and off, arguments, memory, and that looking changes nothing. */
#include "support/allocator.h"
#include "tests.h"

static Rig make_pendulum(void) {
    Rig rig = rig_make(at(0, 0, -9.81));
    AfxBodyId body = rig_body(&rig, at(0.3, 0, 0), INFINITY);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, at(0, 0, 0), at(0, 1, 0));
    return rig;
}

static void is_off_until_it_is_asked_for(void **state) {
    (void)state;
    Rig rig = make_pendulum();
    AfxSimDef def = afx_default_sim();
    AfxResidual found;
    sim_start(rig.scene, &rig.model, &rig.sim, &def);
    assert_int_equal(afx_sim_residual(rig.sim, &found), AFX_E_ARGUMENT);
    assert_ok(afx_sim_set_verify(rig.sim, true));
    assert_ok(afx_sim_set_verify(rig.sim, true));
    assert_ok(afx_sim_residual(rig.sim, &found)); /* no step yet */
    assert_int_equal(found.stages, 0);
    assert_int_equal(found.body, UINT32_MAX);
    assert_ok(afx_step(rig.sim, NULL));
    assert_ok(afx_sim_residual(rig.sim, &found));
    assert_int_equal(found.stages, 1);
    assert_int_equal(afx_sim_residual(rig.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_verify(NULL, true), AFX_E_ARGUMENT);
    assert_ok(afx_sim_set_verify(rig.sim, false));
    assert_ok(afx_sim_set_verify(rig.sim, false));
    assert_int_equal(afx_sim_residual(rig.sim, &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_residual(NULL, &found), AFX_E_ARGUMENT);
    rig_free(&rig);
}

static void looking_changes_no_bit(void **state) {
    (void)state;
    for (int integrator = AFX_BDF2; integrator <= AFX_SDIRK2; integrator++) {
        double q[2][12];
        for (int on = 0; on < 2; on++) {
            Rig rig = make_pendulum();
            rig_start(&rig, (AfxIntegrator)integrator, 0);
            assert_ok(afx_sim_set_verify(rig.sim, on == 1));
            for (int k = 0; k < 30; k++) {
                assert_ok(afx_step(rig.sim, NULL));
            }
            memcpy(q[on], afx_sim_coordinates(rig.sim), sizeof q[on]);
            rig_free(&rig);
        }
        assert_memory_equal(q[0], q[1], sizeof q[0]);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    Rig rig = make_pendulum();
    TestAllocator counts = {0};
    AfxSimDef def = afx_default_sim();
    def.allocator = test_allocator(&counts);
    sim_start(rig.scene, &rig.model, &rig.sim, &def);
    for (uint64_t failing = 1;; failing++) {
        counts.fail_at = counts.calls + failing;
        AfxStatus status = afx_sim_set_verify(rig.sim, true);
        if (status == AFX_OK) {
            assert_int_equal(failing, 3);
            break;
        }
        assert_int_equal(status, AFX_E_MEMORY);
        assert_ok(afx_step(rig.sim, NULL));
    }
    counts.fail_at = 0;
    assert_met("after all", rig_run(&rig, 3), 1);
    rig_free(&rig);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

static void other_formulations_have_other_equations(void **state) {
    (void)state;
    Rig rig = rig_make(at(0, 0, -9.81));
    rig_body(&rig, at(0, 0, 0), ELASTIC);
    AfxSimDef def = afx_default_sim();
    def.integrator = AFX_BDF1;
    def.formulation = AFX_MABD_PAPER;
    sim_start(rig.scene, &rig.model, &rig.sim, &def);
    assert_int_equal(afx_sim_set_verify(rig.sim, true), AFX_E_ARGUMENT);
    rig_free(&rig);
}

int run_interface_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_off_until_it_is_asked_for),
        cmocka_unit_test(looking_changes_no_bit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(other_formulations_have_other_equations),
    };
    return cmocka_run_group_tests_name("solve interface", tests, NULL, NULL);
}

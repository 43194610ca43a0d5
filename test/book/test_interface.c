/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for the book: misuse, what it leaves alone, snapshots, steps that fail. */
#include "support/allocator.h"
#include "tests.h"

static Rig pendulum(void) {
    Rig rig = rig_make();
    AfxBodyId ball = rig_ball(&rig, 2, v3(1, 0, 0));
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), ball, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
    return rig;
}

static void test_misuse(void **state) {
    AfxEnergyBook book;
    (void)state;
    Rig rig = pendulum();
    sim_start(rig.scene, &rig.model, &rig.sim, &rig.def);
    assert_int_equal(afx_sim_energy_book(rig.sim, &book, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_energy_book(NULL, &book, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_energy_book(NULL, true), AFX_E_ARGUMENT);
    assert_ok(afx_sim_set_energy_book(rig.sim, true));
    assert_ok(afx_sim_set_energy_book(rig.sim, true));
    assert_ok(afx_sim_energy_book(rig.sim, NULL, NULL));
    assert_ok(afx_sim_energy_book(rig.sim, &book, NULL));
    assert_near(book.potential, 0, 1e-15);
    assert_ok(afx_sim_set_energy_book(rig.sim, false));
    assert_int_equal(afx_sim_energy_book(rig.sim, &book, NULL), AFX_E_ARGUMENT);
    rig_free(&rig);
}

/* A book changes nothing of the motion, and what a snapshot brings back is booked as it was. */
static void test_same(void **state) {
    (void)state;
    Rig with = pendulum(), without = pendulum();
    rig_start(&with);
    sim_start(without.scene, &without.model, &without.sim, &without.def);
    rig_run(&with, 0.5);
    for (int k = 0; k < 50; k++) {
        assert_ok(afx_step(without.sim, NULL));
    }
    assert_memory_equal(afx_sim_coordinates(with.sim), afx_sim_coordinates(without.sim), 12 * sizeof(double));
    size_t size = afx_sim_snapshot_size(with.sim);
    void *snapshot = malloc(size);
    AfxEnergyBook first, again;
    assert_ok(afx_sim_snapshot(with.sim, snapshot, size));
    assert_ok(afx_step(with.sim, NULL));
    assert_ok(afx_sim_energy_book(with.sim, &first, NULL));
    assert_ok(afx_sim_restore(with.sim, snapshot, size));
    assert_ok(afx_step(with.sim, NULL));
    assert_ok(afx_sim_energy_book(with.sim, &again, NULL));
    assert_memory_equal(&first, &again, sizeof first);
    free(snapshot);
    rig_free(&with);
    rig_free(&without);
}

/* Every allocation may fail, and leaves no book. */
static void test_memory(void **state) {
    (void)state;
    Rig rig = pendulum();
    TestAllocator counts = {0};
    rig.def.allocator = test_allocator(&counts);
    sim_start(rig.scene, &rig.model, &rig.sim, &rig.def);
    size_t live = counts.live;
    uint64_t tries = 0;
    AfxStatus status;
    do {
        counts.fail_at = counts.calls + ++tries;
        status = afx_sim_set_energy_book(rig.sim, true);
        assert_true(status == AFX_OK || (status == AFX_E_MEMORY && counts.live == live));
    } while (status != AFX_OK);
    counts.fail_at = 0;
    assert_true(tries >= 2);
    assert_ok(afx_sim_set_energy_book(rig.sim, false));
    assert_int_equal(counts.live, live);
    assert_int_equal(counts.errors, 0);
    rig_free(&rig);
}

/* Four balls that swing on each other. */
static void start_swing(Rig *rig) {
    AfxBodyId before = afx_world();
    for (int k = 0; k < 4; k++) {
        AfxBodyId own = rig_ball(rig, 1, v3(0.3 * k + 0.3, 0, 0));
        rig_joint(rig, AFX_JOINT_REVOLUTE, before, own, afx_frame_along(v3(0.3 * k, 0, 0), v3(0, 1, 0)));
        before = own;
    }
    rig_start(rig);
}

/* Flags of all steps, and what the integrator made at most since it had dissipated most. */
static uint32_t swing(Rig *rig, double seconds, double *out_made) {
    uint32_t flags = 0;
    double least = 0;
    start_swing(rig);
    *out_made = 0;
    while (afx_sim_time(rig->sim) < seconds) {
        AfxStepReport report;
        AfxEnergyBook total;
        if (afx_step(rig->sim, &report) != AFX_OK) {
            break;
        }
        assert_ok(afx_sim_energy_book(rig->sim, NULL, &total));
        least = fmin(least, total.integrator);
        *out_made = fmax(*out_made, total.integrator - least);
        flags |= report.flags;
    }
    return flags;
}

/* One solver iteration in steps that are far too long makes energy, and the step says so; a good one says nothing, nor
 * does one without a book. */
static void test_watchdog(void **state) {
    (void)state;
    double made;
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make();
        rig.def.dt = k ? 0.025 : 0.005;
        rig.def.solves = k ? 1 : 0;
        bool told = swing(&rig, 3, &made) & AFX_STEP_ENERGY;
        assert_true(k ? made > 2 : made < 1);
        assert_true(told == (k == 1));
        rig_free(&rig);
    }
}

/* Energy that is made little by little: no step makes what would be told of it alone, their sum is told. */
static void test_watchdog_sums(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxStepReport report = {0};
    double most = 0, kinetic = 0;
    rig.def.dt = 0.025;
    rig.def.solves = 1;
    start_swing(&rig);
    for (int n = 0; n < 40 && !(report.flags & AFX_STEP_ENERGY); n++) {
        AfxEnergyBook step;
        assert_ok(afx_step(rig.sim, &report));
        assert_ok(afx_sim_energy_book(rig.sim, &step, NULL));
        kinetic = fmax(kinetic, step.kinetic);
        most = fmax(most, step.integrator);
    }
    assert_true(report.flags & AFX_STEP_ENERGY);
    assert_below(most, 0.03 * kinetic); /* of one step more than 0.05 would be told */
    rig_free(&rig);
}

int run_interface_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misuse), cmocka_unit_test(test_watchdog), cmocka_unit_test(test_watchdog_sums),
        cmocka_unit_test(test_same),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("interface", tests, NULL, NULL);
}

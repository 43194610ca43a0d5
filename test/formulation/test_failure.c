/* SPDX-License-Identifier: Apache-2.0 */
/* Where the published co-rotated step fails: 100 capsules of 0.1 m on ball joints (E = 1e8), released from the
 * horizontal, h = 0.01 s. A light link under tension T turns across it with a stiffness of T L, which a Hessian turned
 * by the old rotation does not have: the mode is integrated explicitly, and h sqrt(T / (m L)) > 2 is too long. And A at
 * the end of a step is the old rotation times I + [θ]x, which is longer by θ²/2. Joints hold all the while. Ours, with
 * the same integrator and step, keeps the lengths, gains no energy, and ends near the answer of a small step. */
#include "tests.h"

#include <math.h>

enum { STEPS = 110 };

typedef struct Course {
    double strain_half, strain; /* largest until 0.5 s, and until the end */
    double gain;                /* largest energy above the start, J */
    double fallen;              /* potential energy that the fall has released at the end, J */
    double residual;
    AfxVec3 tip;   /* at 1 s */
    uint32_t done; /* steps */
} Course;

static Course run(AfxFormulation formulation, double h, uint32_t steps, uint32_t solves) {
    const char *const texts[] = {"n=100", "young=1e8"};
    Trial trial = trial_start("chain", 2, texts, formulation, h, solves);
    Course course = {0};
    AfxEnergy first, energy;
    assert_int_equal(afx_sim_energy(trial.sim, &first), AFX_OK);
    for (uint32_t k = 0; k < steps; ++k) {
        AfxStepReport report;
        if (afx_step(trial.sim, &report) != AFX_OK) {
            break;
        }
        course.done++;
        course.strain = fmax(course.strain, trial_strain(&trial));
        course.strain_half = afx_sim_time(trial.sim) <= 0.5 + 1e-9 ? course.strain : course.strain_half;
        course.residual = fmax(course.residual, report.residual);
        assert_int_equal(afx_sim_energy(trial.sim, &energy), AFX_OK);
        course.gain = fmax(course.gain, energy.total - first.total);
        course.fallen = first.potential - energy.potential;
        course.tip = fabs(afx_sim_time(trial.sim) - 1) < 0.5 * h ? trial_marker(&trial) : course.tip;
    }
    trial_end(&trial);
    return course;
}

static double apart(AfxVec3 a, AfxVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void test_published_step_blows_up(void **state) {
    (void)state;
    Course ours = run(AFX_AFFIX, 0.01, STEPS, 0), fine = run(AFX_AFFIX, 5e-4, 2000, 0);
    Course published = run(AFX_MABD_PAPER, 0.01, STEPS, 1), again = run(AFX_MABD_PAPER, 0.01, STEPS, 5);
    Course vanilla = run(AFX_ABD_VANILLA, 0.01, STEPS, 0);
    /* the joints of all are met */
    assert_true(ours.residual <= 1e-13 && vanilla.residual <= 1e-13);
    assert_true(published.residual <= 1e-12);
    /* the published step stretches its bodies, and makes energy, several times what has fallen */
    assert_true(published.strain_half > 0.02);
    assert_true(published.strain > 1 || published.done < STEPS);
    assert_true(published.gain > 10 * published.fallen);
    /* more iterations make it no better */
    assert_true(again.gain > published.gain || again.done < STEPS);
    /* ours and the first published energy, converged, do neither */
    assert_int_equal(ours.done, STEPS);
    assert_true(ours.strain < 0.002 && ours.gain <= 1e-6 * ours.fallen);
    assert_true(vanilla.strain < 0.002 && vanilla.gain <= 1e-6 * vanilla.fallen);
    assert_true(apart(ours.tip, fine.tip) < 0.1 && apart(vanilla.tip, fine.tip) < 0.1);
    assert_true(apart(published.tip, fine.tip) > 5 * apart(ours.tip, fine.tip));
}

/* With a step a tenth as long the same code is right: it is the method, not its rows or forces. */
static void test_published_step_needs_small_steps(void **state) {
    (void)state;
    Course small = run(AFX_MABD_PAPER, 1e-3, 1000, 1), fine = run(AFX_AFFIX, 5e-4, 2000, 0);
    assert_int_equal(small.done, 1000);
    assert_true(small.strain < 0.01 && small.gain <= 1e-3 * small.fallen);
    assert_true(apart(small.tip, fine.tip) < 0.02);
}

int run_failure_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_step_blows_up),
        cmocka_unit_test(test_published_step_needs_small_steps),
    };
    return cmocka_run_group_tests_name("formulation/failure", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* When a solve is enough: the judgement is a pure function of what solves came to. */
#include "tests.h"

#include "solve/judge.h"

static AfxiJudge judge_of(AfxAccuracy accuracy) {
    return (AfxiJudge){.tolerances = afxi_judge_tolerances(accuracy, 1, 1e-4), .residual_before = INFINITY};
}

/* A first solve that is good enough, and what speaks against it one by one. */
static void first_solves(void **state) {
    (void)state;
    AfxiTally good = {.error = 1e-4, .turn = 1e-4, .residual = 1e-13, .finite = true}, tally = good;
    AfxiJudge judge = judge_of(AFX_FAST);
    assert_true(afxi_judge(&judge, 1, &tally));
    assert_int_equal(judge.reason, AFX_TRACE_FINE);
    tally.jump = true;
    judge = judge_of(AFX_FAST);
    assert_false(afxi_judge(&judge, 1, &tally));
    assert_int_equal(judge.reason, AFX_TRACE_JUMP);
    assert_true(judge.turning);
    tally = good;
    tally.error = 0.2;
    judge = judge_of(AFX_FAST);
    assert_false(afxi_judge(&judge, 1, &tally));
    assert_int_equal(judge.reason, AFX_TRACE_ROTATION);
    tally = good;
    tally.residual = 1e-9;
    judge = judge_of(AFX_FAST);
    assert_false(afxi_judge(&judge, 1, &tally));
    assert_int_equal(judge.reason, AFX_TRACE_RESIDUAL);
    assert_true(judge.unmet);
    tally = good;
    tally.turn = 0.06;
    judge = judge_of(AFX_FAST);
    assert_false(afxi_judge(&judge, 1, &tally));
    assert_int_equal(judge.reason, AFX_TRACE_TURN);
    judge = judge_of(AFX_ACCURATE);
    tally = good;
    tally.error = 2e-3;
    assert_false(afxi_judge(&judge, 1, &tally));
}

/* Later ones go by how fast turns become small: r/(1-r) |w|. */
static void later_solves(void **state) {
    (void)state;
    AfxiJudge judge = judge_of(AFX_ACCURATE);
    AfxiTally tally = {.error = 1, .turn = 0.1, .residual = 1e-13, .finite = true};
    assert_false(afxi_judge(&judge, 1, &tally));
    tally.turn = 0.009; /* 8.9e-4 are left, but the strain of 0.009 rad is too much */
    assert_false(afxi_judge(&judge, 2, &tally));
    judge.turn_before = 0.1;
    tally.turn = 0.004;
    assert_true(afxi_judge(&judge, 2, &tally));
    assert_near(judge.error, 0.004 * 0.004 / 0.096, 1e-12);
    judge.turn_first = 0.001; /* a tenth of the integrator's own error is a fiftieth of this */
    judge.turn_before = 0.1;
    assert_false(afxi_judge(&judge, 2, &tally));
    judge.turn_first = 0.1;
    judge.turn_before = 0.1;
    tally.turn = 0.01; /* 1.1e-3 */
    assert_false(afxi_judge(&judge, 2, &tally));
    tally.turn = 0.02; /* no longer smaller */
    assert_false(afxi_judge(&judge, 3, &tally));
    assert_true(isinf(judge.error));
}

/* Redundant rows at a singular position stop improving: from the third solve on, and only when nothing turns. */
static void rows_that_stall(void **state) {
    (void)state;
    AfxiJudge judge = judge_of(AFX_FAST);
    AfxiTally tally = {.error = 1, .turn = 1e-9, .residual = 3e-9, .finite = true};
    judge.residual_before = 4e-9;
    judge.turn_before = 1e-8;
    assert_false(afxi_judge(&judge, 2, &tally));
    judge.turn_before = 1e-8;
    assert_true(afxi_judge(&judge, 3, &tally));
    judge.residual_before = 1e-7; /* it still gets better */
    judge.turn_before = 1e-8;
    assert_false(afxi_judge(&judge, 3, &tally));
    tally.residual = 2e-7; /* too far off in any case */
    judge.residual_before = 2e-7;
    judge.turn_before = 1e-8;
    assert_false(afxi_judge(&judge, 4, &tally));
}

/* Converged steps do not end with the strain of a turn, however many solves they take; others may, after some. */
static void converged_turns_are_none(void **state) {
    (void)state;
    for (AfxAccuracy accuracy = AFX_ACCURATE; accuracy <= AFX_CONVERGED; accuracy++) {
        AfxiJudge judge = judge_of(accuracy);
        AfxiTally tally = {.error = 1, .residual = 0, .finite = true};
        judge.turn_first = judge.turn_before = 1;
        tally.turn = accuracy == AFX_CONVERGED ? 1e-7 : 0.008; /* next to nothing is left, but for its strain */
        assert_int_equal(afxi_judge(&judge, 10, &tally), accuracy == AFX_ACCURATE);
    }
}

static void reasons(void **state) {
    (void)state;
    assert_int_equal(afxi_judge_reason(AFX_TRACE_FINE, true, false), AFX_TRACE_FINE);
    assert_int_equal(afxi_judge_reason(AFX_TRACE_FINE, false, false), AFX_TRACE_FLIPPED);
    assert_int_equal(afxi_judge_reason(AFX_TRACE_LIGHT, false, true), AFX_TRACE_ACTIVE_SET);
    assert_int_equal(afxi_judge_reason(AFX_TRACE_JUMP, false, false), AFX_TRACE_JUMP);
}

int run_judge_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_solves),    cmocka_unit_test(later_solves),
        cmocka_unit_test(rows_that_stall), cmocka_unit_test(converged_turns_are_none),
        cmocka_unit_test(reasons),
    };
    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#undef AFXI_ASSERTIONS
#define AFXI_ASSERTIONS 1
#define afxi_partition_validate validate_partition_here
#define afxi_activeset_validate validate_activeset_here
#define afxi_run_validate validate_run_here
#include "solve/validate.c"

#include "tests.h"

static AfxiSolver *solver;

static AfxiRun *touching(void) {
    for (uint32_t k = 0; k < solver->island_count; k++) {
        if (solver->island[k]->island[0].active.count > 1 && solver->island[k]->lot->pairs) {
            return solver->island[k];
        }
    }
    return NULL;
}

static AfxiPoint *first_point(void) {
    return &solver->set->now.point[touching()->island[0].active.point[0]];
}

static void validate(void *fault) {
    if (fault) {
        ((void (*)(AfxiRun *))fault)(touching());
    }
    validate_partition_here(solver);
    validate_run_here(touching());
}

static void nobody_solves(AfxiRun *run) {
    solver->taken[run->lot->rows.graph->body[0]] = UINT32_MAX;
}

static void taken_and_stays(AfxiRun *run) {
    solver->parent[solver->world->model->root[run->lot->rows.graph->body[0]]] = UINT32_MAX;
}

static void absent_and_solved(AfxiRun *run) {
    solver->absent[run->lot->rows.graph->body[0]] = 1;
}

static void place_of_another(AfxiRun *run) {
    solver->place[run->lot->rows.graph->body[0]]++;
}

static void point_is_lost(AfxiRun *run) {
    run->island[0].active.count--;
}

static void point_of_none(AfxiRun *run) {
    ((uint32_t *)run->island[0].active.point)[run->island[0].active.count - 1] = solver->set->now.count;
}

static void rows_of_a_joint(AfxiRun *run) {
    for (uint32_t k = 0; k < run->island[0].active.count; k++) {
        AfxiPoint *point = &solver->set->now.point[run->island[0].active.point[k]];
        point->row = point->pair ? run->lot->rows.graph->row_count : point->row;
    }
}

static void rows_of_no_touch(AfxiRun *run) {
    for (uint32_t k = 0; k < run->island[0].active.count; k++) {
        AfxiPoint *point = &solver->set->now.point[run->island[0].active.point[k]];
        point->row = point->pair ? point->row : solver->set->woodbury.row_count;
    }
}

static void infinite_force(AfxiRun *run) {
    (void)run;
    first_point()->force = INFINITY;
}

static void negative_limit(AfxiRun *run) {
    (void)run;
    first_point()->memory.limit = -1;
}

static void crooked_axes(AfxiRun *run) {
    (void)run;
    first_point()->axis[0] += 0.1;
    first_point()->axis[1] += 0.1;
}

static void no_verdict(AfxiRun *run) {
    run->island[0].verdict = AFXI_NEW_FRAMES;
}

static void accepted_and_infinite(AfxiRun *run) {
    run->lot->rows.next[3] = INFINITY;
}

static void faults_are_noticed(void **unused) {
    (void)unused;
    void (*const faults[])(AfxiRun *) = {nobody_solves,        taken_and_stays, absent_and_solved, place_of_another,
                                         point_is_lost,        point_of_none,   rows_of_a_joint,   rows_of_no_touch,
                                         infinite_force,       negative_limit,  crooked_axes,      no_verdict,
                                         accepted_and_infinite};
    Rig rig = rig_run("stack", "n=3", 4);
    solver = &rig.sim->solver;
    assert_non_null(touching());
    assert_false(is_noticed(validate, NULL));
    for (size_t k = 0; k < COUNT(faults); k++) {
        assert_true(is_noticed(validate, (void *)faults[k]));
    }
    rig_free(&rig);
}

static void validate_all(void *unused) {
    (void)unused;
    validate_partition_here(solver);
}

static void steps_of_all_kinds_pass(void **unused) {
    (void)unused;
    const char *const runs[][2] = {{"ragdolls", "count=1"}, {"klann", "ground=1"}, {"chain", "n=20"},
                                   {"tree", "links=40"},    {"grasp", NULL},       {"tumbling", "n=10"}};
    for (size_t k = 0; k < COUNT(runs); k++) {
        Rig rig = rig_run(runs[k][0], runs[k][1], 6);
        solver = &rig.sim->solver;
        assert_false(is_noticed(validate_all, NULL));
        rig_free(&rig);
    }
}

int run_solve_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_noticed),
        cmocka_unit_test(steps_of_all_kinds_pass),
    };
    return cmocka_run_group_tests_name("validate: solve", tests, NULL, NULL);
}

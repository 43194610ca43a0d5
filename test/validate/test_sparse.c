/* SPDX-License-Identifier: Apache-2.0 */
#undef AFXI_ASSERTIONS
#define AFXI_ASSERTIONS 1
#define afxi_block_plan_validate validate_plan_here
#define afxi_block_factor_validate validate_factor_here
#define AfxiRun AfxiRowRun /* two rooms have one each */
#include "sparse/validate.c"
#undef AfxiRun

#include "tests.h"

static AfxiSystem *lot_system;

static AfxiFront *inner_front(void) {
    AfxiBlockTree *tree = lot_system->graph->plan.tree;
    for (uint32_t f = 0; f < tree->front_count; f++) {
        if (tree->front[f].height) {
            return &tree->front[f];
        }
    }
    return NULL;
}

static void validate(void *fault) {
    if (fault) {
        ((void (*)(AfxiFront *))fault)(inner_front());
    }
    validate_plan_here(&lot_system->graph->plan);
    AfxiBlockReport report = {.pivot = 1};
    validate_factor_here(&lot_system->graph->plan, &lot_system->factor, &report);
}

static void pivot_not_finite(AfxiFront *front) {
    lot_system->factor.value[front->panel] = NAN;
}

/* Reciprocals are kept. */
static void pivot_infinite(AfxiFront *front) {
    lot_system->factor.value[front->panel] = 0;
}

static void pivot_of_other_sign(AfxiFront *front) {
    lot_system->factor.value[front->panel] *= -1;
}

static void separator_too_high(AfxiFront *front) {
    front->height++;
}

static void parent_before_child(AfxiFront *front) {
    front->parent = 0;
}

static void no_sign(AfxiFront *front) {
    front->sign = 0;
}

static void row_of_two_fronts(AfxiFront *front) {
    front->width--;
}

static void beyond_the_parent(AfxiFront *front) {
    lot_system->graph->plan.tree->map[front->map_start].row += 100000;
}

static void faults_are_noticed(void **unused) {
    (void)unused;
    void (*const faults[])(AfxiFront *) = {
        pivot_not_finite, pivot_of_other_sign, separator_too_high, parent_before_child,
        no_sign,          row_of_two_fronts,   beyond_the_parent};
    Rig rig = rig_run("bridge", "deck=10", 2);
    lot_system = &rig.sim->solver.lot[0].system;
    assert_non_null(inner_front());
    assert_false(is_noticed(validate, NULL));
    assert_false(is_noticed(validate, (void *)pivot_infinite)); /* an iteration that runs away is no fault of ours */
    for (size_t k = 0; k < COUNT(faults); k++) {
        assert_true(is_noticed(validate, (void *)faults[k]));
    }
    rig_free(&rig);
}

int run_sparse_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_noticed),
    };
    return cmocka_run_group_tests_name("validate: sparse", tests, NULL, NULL);
}

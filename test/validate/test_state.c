/* SPDX-License-Identifier: Apache-2.0 */
#undef AFXI_ASSERTIONS
#define AFXI_ASSERTIONS 1
#define afxi_state_validate validate_state_here
#define afxi_state_fault state_fault_here
#include <stdlib.h>
#include <string.h>

#include "solve/stage.h"
#include "state/validate.c"

#include "tests.h"

static AfxSim *sim;

static void validate(void *fault) {
    AfxiState *state = &sim->world.state;
    if (fault) {
        ((void (*)(AfxiState *))fault)(state);
    }
    validate_state_here(state, sim->model);
}

static void not_finite(AfxiState *state) {
    state->q[5] = NAN;
}

static void infinite_rate(AfxiState *state) {
    state->v[17] = INFINITY;
}

static void wild_multiplier(AfxiState *state) {
    state->lambda[1] = NAN;
}

static void no_branch(AfxiState *state) {
    state->drive_branch[0] = 7;
}

static void half_active(AfxiState *state) {
    state->joint_active[0] = 3;
}

static void stray_pace(AfxiState *state) {
    state->head->uneven = 0;
    state->pace[2] = AFXI_PACE_RESTART;
}

static void no_pace(AfxiState *state) {
    state->head->uneven = 1;
    state->pace[2] = 0x10;
}

static void no_step(AfxiState *state) {
    state->head->dt = 0;
}

static void other_model(AfxiState *state) {
    state->head->model_hash++;
}

static void faults_are_noticed(void **unused) {
    (void)unused;
    void (*const faults[])(AfxiState *) = {not_finite, infinite_rate, wild_multiplier, no_branch,  half_active,
                                           stray_pace, no_pace,       no_step,         other_model};
    Rig rig = rig_run("hand", NULL, 3);
    sim = rig.sim;
    assert_true(sim->model->drive_count > 0 && sim->model->row_count > 1);
    assert_false(is_noticed(validate, NULL));
    for (size_t k = 0; k < COUNT(faults); k++) {
        assert_true(is_noticed(validate, (void *)faults[k]));
    }
    rig_free(&rig);
}

static void bend_kinematic(AfxiState *state) {
    state->q[12 * (size_t)sim->model->kinematic[0].body] *= 1.001;
}

static void kinematic_bodies_are_rigid(void **unused) {
    (void)unused;
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxSimDef sim_def = afx_default_sim();
    body.kind = AFX_BODY_KINEMATIC;
    assert_ok(afx_scene_create(&def, &rig.scene));
    assert_ok(afx_scene_add_body(rig.scene, &body, &id));
    assert_ok(afx_model_create(rig.scene, &rig.model, NULL));
    assert_ok(afx_sim_create(rig.model, &sim_def, &rig.sim));
    sim = rig.sim;
    assert_false(is_noticed(validate, NULL));
    assert_true(is_noticed(validate, (void *)bend_kinematic));
    rig_free(&rig);
}

/* What a solve that failed may leave. */
static void wild_multipliers_are_dropped(void **unused) {
    (void)unused;
    Rig rig = rig_run("hand", NULL, 1);
    AfxiState *state = &rig.sim->world.state;
    double kept = state->lambda[2] = 3.5;
    state->lambda[0] = NAN;
    state->lambda[1] = -1e150;
    afxi_state_drop_wild(state, rig.model);
    assert_true(state->lambda[0] == 0 && state->lambda[1] == 0 && state->lambda[2] == kept);
    rig_free(&rig);
}

/* Multipliers and paces come back where they are asked for, and nowhere else; and all that was kept. */
static void rest_of_the_state_comes_back(void **unused) {
    (void)unused;
    Rig rig = rig_run("hand", NULL, 2);
    AfxiState *state = &rig.sim->world.state;
    AfxiLot *lot = &rig.sim->solver.lot[0];
    state->lambda[3] = 1;
    state->lambda[4] = 2;
    state->curved[1] = 1;
    state->pace[1] = 2;
    state->head->uneven = 1;
    afxi_state_save_rest(state, rig.model, true);
    lot->kept = false;
    afxi_lot_keep_multipliers(lot);
    state->lambda[3] = state->lambda[4] = -7;
    state->curved[1] = state->pace[1] = 0;
    state->head->uneven = 0;
    afxi_lot_keep_multipliers(lot); /* once a step */
    afxi_lot_restore_multipliers(lot, 3, 4);
    assert_true(state->lambda[3] == 1 && state->lambda[4] == -7 && state->pace[1] == 0);
    afxi_state_restore_pace(state, 1);
    assert_true(state->lambda[4] == -7 && state->curved[1] == 0 && state->pace[1] == 2);
    state->pace[1] = 0;
    afxi_state_restore_rest(state, rig.model);
    afxi_lot_restore_multipliers(lot, 0, 5);
    assert_true(state->lambda[4] == 2 && state->curved[1] == 1 && state->pace[1] == 2 && state->head->uneven == 1);
    rig_free(&rig);
}

/* Paces are not kept while all bodies go on alike: what a step gave them is taken from them again. */
static void even_paces_come_back(void **unused) {
    (void)unused;
    Rig rig = rig_run("hand", NULL, 2);
    AfxiState *state = &rig.sim->world.state;
    memset(state->pace, 0, rig.model->body_count);
    state->head->uneven = 0;
    afxi_state_save_rest(state, rig.model, true);
    state->pace[1] = state->pace[2] = 2;
    state->head->uneven = 1;
    afxi_state_restore_pace(state, 1);
    assert_true(state->pace[1] == 0 && state->pace[2] == 2);
    afxi_state_restore_rest(state, rig.model);
    assert_true(state->pace[2] == 0 && state->head->uneven == 0);
    rig_free(&rig);
}

/* A step that fails leaves the multipliers and predictors of ball chains, which solves write as they go. */
static void multipliers_of_chains_come_back(void **unused) {
    (void)unused;
    static const char *const links[] = {"links=20", "links=1000"}; /* a chain of one span, and one of several */
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_run("chains", links[k], 30);
        AfxiState *state = &rig.sim->world.state;
        const AfxiChains *chains = &rig.model->chains;
        size_t numbers = 3 * (size_t)chains->slot_count, bytes = numbers * sizeof(double);
        double *lambda = state->lambda + rig.model->row_count, *before = malloc(bytes);
        uint8_t *curved = state->curved + rig.model->body_count, *curved_before = malloc(chains->link_count);
        double *v = state->v + 12 * (size_t)chains->link[chains->link_count / 2].body, kept = v[9];
        assert_non_null(before);
        assert_non_null(curved_before);
        memcpy(before, lambda, bytes);
        memcpy(curved_before, curved, chains->link_count);
        v[9] = 1e300;
        assert_int_equal(afx_step(rig.sim, NULL), AFX_E_NUMERIC);
        assert_memory_equal(lambda, before, bytes);
        assert_memory_equal(curved, curved_before, chains->link_count);
        v[9] = kept;
        assert_int_equal(afx_step(rig.sim, NULL), AFX_OK);
        assert_memory_not_equal(lambda, before, bytes);
        free(before);
        free(curved_before);
        rig_free(&rig);
    }
}

/* Ball chains are solved where their state stands: a stage that cannot go on has moved them, and puts them back. */
static void stages_of_chains_are_undone(void **unused) {
    (void)unused;
    Rig rig = rig_run("chains", "links=200", 10);
    AfxiSolver *solver = &rig.sim->solver;
    AfxiState *state = &rig.sim->world.state;
    size_t size = 12 * (size_t)rig.model->body_count * sizeof(double), rest = state->rest_size;
    double *q = malloc(size), *v = malloc(size), *lambda = malloc(rest);
    assert_true(q && v && lambda);
    memcpy(q, state->q, size);
    memcpy(v, state->v, size);
    memcpy(lambda, state->lambda, rest);
    AfxiStageDef def = {.fraction = 1, .whole = true, .strict = true, .in_place = true};
    def.plans.own.even = afxi_integrator_plan(AFX_BDF2, state->head->rho, state->head->dt, 0, false);
    AfxiStageOutcome outcome;
    uint32_t link = rig.model->chains.link[7].body;
    afxi_chains_begin_step(&solver->chains);
    assert_false(afxi_stage_moved(solver, link));
    assert_int_equal(afxi_stage_solve(solver, &def, &outcome), AFX_OK);
    assert_true(afxi_stage_moved(solver, link));
    assert_memory_not_equal(state->q, q, size);
    afxi_stage_undo(solver);
    assert_false(afxi_stage_moved(solver, link));
    assert_memory_equal(state->q, q, size);
    assert_memory_equal(state->v, v, size);
    assert_memory_equal(state->lambda, lambda, rest);
    free(q);
    free(v);
    free(lambda);
    rig_free(&rig);
}

int run_state_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_noticed),           cmocka_unit_test(kinematic_bodies_are_rigid),
        cmocka_unit_test(wild_multipliers_are_dropped), cmocka_unit_test(rest_of_the_state_comes_back),
        cmocka_unit_test(even_paces_come_back),         cmocka_unit_test(multipliers_of_chains_come_back),
        cmocka_unit_test(stages_of_chains_are_undone),
    };
    return cmocka_run_group_tests_name("validate: state", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A formulation of another kind goes through the table alone: its step is called, its own state is in the snapshot,
 * what it cannot do is refused, edits reach it. It moves bodies along their velocities, further in every step. */
#include <stdlib.h>

#include "reduced/reduced.h"
#include "step/sim.h"
#include "support/check.h"
#include "tests.h"

enum { STEPS_MOST = 8 };

typedef struct Coast {
    AfxiWorld *world;
    AfxAllocator allocator;
    uint32_t refreshed;
} Coast;

static size_t coast_size(const AfxModel *model) {
    return model->body_count * sizeof(uint64_t);
}

static AfxStatus coast_refuse(const AfxModel *model, const AfxSimDef *def) {
    (void)def;
    return model->joint_count ? AFX_E_INPUT : AFX_OK;
}

static AfxStatus coast_create(void *owner, AfxiWorld *world, void **out_work) {
    Coast *work = afxi_allocate(&world->def.allocator, sizeof *work);
    assert_non_null(work);
    assert_ptr_equal(afx_sim_model(owner), world->model);
    *work = (Coast){.world = world, .allocator = world->def.allocator};
    *out_work = work;
    return AFX_OK;
}

static void coast_destroy(void *data) {
    Coast *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_release(&allocator, work, sizeof *work);
    }
}

static void coast_refresh(void *data) {
    ((Coast *)data)->refreshed++;
}

static AfxStatus coast_step(void *data, AfxStepReport *report) {
    AfxiState *state = &((Coast *)data)->world->state;
    const AfxModel *model = ((Coast *)data)->world->model;
    uint64_t *count = state->own;
    for (uint32_t body = 0; body < model->body_count; body++) {
        double share = (double)++count[body];
        for (size_t e = (size_t)12 * body; e < (size_t)12 * (body + 1); e++) {
            state->q[e] += share * state->head->dt * state->v[e];
        }
    }
    report->solves = 1;
    return count[0] > STEPS_MOST ? AFX_E_NUMERIC : AFX_OK;
}

static const AfxiFormulationKind coast = {
    .name = "coast",
    .can = AFXI_FORMULATION_WRENCHES,
    .refuse = coast_refuse,
    .state_size = coast_size,
    .create = coast_create,
    .destroy = coast_destroy,
    .refresh = coast_refresh,
    .step = coast_step,
};

/* One ball that flies at 2 m/s, or two on a joint. */
static AfxModel *make_model(bool jointed) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&scene_def, &scene));
    AfxBodyId bodies[2];
    for (int k = 0; k < 1 + jointed; k++) {
        AfxBodyDef body = afx_default_body();
        AfxShapeDef ball = afx_default_sphere(0.1);
        body.linear_velocity = (AfxVec3){2, 0, 0};
        assert_ok(afx_scene_add_body(scene, &body, &bodies[k]));
        assert_ok(afx_scene_add_shape(scene, bodies[k], &ball));
    }
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    if (jointed) {
        joint.base = bodies[0];
        joint.follower = bodies[1];
        AfxJointId id;
        assert_ok(afx_scene_add_joint(scene, &joint, &id));
    }
    AfxModel *model = NULL;
    assert_ok(afx_model_create(scene, &model, NULL));
    afx_scene_destroy(scene);
    return model;
}

static double place(const AfxSim *sim) {
    return afx_sim_coordinates(sim)[9];
}

static void test_step_and_state(void **state) {
    (void)state;
    AfxModel *model = make_model(false);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    AfxStepReport report;
    assert_ok(afxi_sim_create(model, &def, &coast, &sim));
    const Coast *work = sim->work;
    assert_ok(afx_step(sim, &report)); /* 1 + 2 + 3 times 2 cm */
    assert_ok(afx_step(sim, &report));
    assert_int_equal(report.step, 2);
    assert_int_equal(report.solves, 1);
    assert_near(place(sim), 0.06, 1e-15);
    size_t size = afx_sim_snapshot_size(sim);
    void *before = malloc(size);
    assert_non_null(before);
    assert_ok(afx_sim_snapshot(sim, before, size));
    assert_ok(afx_step(sim, &report));
    double end = place(sim);
    assert_near(end, 0.12, 1e-15);
    uint32_t refreshed = work->refreshed;
    assert_ok(afx_sim_restore(sim, before, size));
    assert_int_equal(work->refreshed, refreshed + 1);
    assert_ok(afx_step(sim, &report));
    assert_true(place(sim) == end);
    assert_int_equal(report.step, 3);
    assert_ok(afx_sim_set_dt(sim, 0.02));
    assert_int_equal(work->refreshed, refreshed + 2);
    while (afx_sim_time(sim) < 1 && afx_step(sim, &report) == AFX_OK) {
    }
    assert_int_equal(report.step, STEPS_MOST + 1); /* it fails, and is not counted */
    assert_true(report.flags & AFX_STEP_FAILED);
    assert_near(report.time, 0.03 + 0.02 * (STEPS_MOST - 3), 1e-15);
    free(before);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

static void test_what_it_cannot(void **state) {
    (void)state;
    AfxModel *model = make_model(true);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    assert_int_equal(afxi_sim_create(model, &def, &coast, &sim), AFX_E_INPUT);
    assert_null(sim);
    AfxiFormulationKind bold = coast;
    bold.refuse = NULL;
    assert_ok(afxi_sim_create(model, &def, &bold, &sim));
    AfxWrench wrench[2] = {0}, reaction;
    assert_ok(afx_sim_set_body_wrenches(sim, wrench));
    assert_int_equal(afx_sim_hold(sim, 0, (AfxVec3){0}, (AfxVec3){0}, 1, 1), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_joint_active(sim, 0, false), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_verify(sim, true), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_joint_reaction(sim, 0, &reaction), AFX_E_ARGUMENT);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

/* The names are those of the public table. */
static void test_names(void **state) {
    (void)state;
    const AfxiFormulationKind *const kinds[] = {&afxi_formulation_affine, &afxi_formulation_mabd_paper,
                                                &afxi_formulation_mabd_paper_nopolar, &afxi_formulation_abd_vanilla,
                                                &afxi_formulation_reduced};
    assert_int_equal(COUNT(kinds), AFX_CHOOSE); /* which is one of the others */
    static const char *const names[] = {
#define NAME(formulation, name) name,
        AFX_FORMULATION_TABLE(NAME)
#undef NAME
    };
    assert_int_equal(COUNT(names), AFX_FORMULATION_COUNT);
    assert_string_equal(names[AFX_CHOOSE], "auto");
    for (size_t k = 0; k < AFX_CHOOSE; k++) {
        assert_string_equal(kinds[k]->name, names[k]);
    }
    assert_string_equal(names[AFX_ABD_IPC], "abd-ipc"); /* barrier contact, told to do as was published */
}

int run_table_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_and_state),
        cmocka_unit_test(test_what_it_cannot),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("formulation/table", tests, NULL, NULL);
}

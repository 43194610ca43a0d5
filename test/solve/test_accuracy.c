/* SPDX-License-Identifier: Apache-2.0 */
/* What accuracies promise: `converged` meets the equations of a step, what `accurate` leaves is less than a tenth of
 * the integrator's own error, and `fast` makes no energy. */
#include "tests.h"

#include "cases/cases.h"

typedef struct Scene {
    const char *name;
    const char *arguments[4];
} Scene;

static AfxScene *build(const Scene *scene) {
    AfxSceneDef def = afx_default_scene();
    AfxiCaseArguments args;
    AfxError error = {0};
    AfxScene *out = NULL;
    uint32_t count = 0;
    while (scene->arguments[count]) {
        ++count;
    }
    AfxStatus status = afxi_case_arguments(afxi_case_find(scene->name), count, scene->arguments, &args, &error);
    status = status ? status : afxi_case_build(&args, &def, &out, &error);
    if (status != AFX_OK) {
        fail_msg("%s: %s: %s", scene->name, error.element, error.text);
    }
    return out;
}

/* Engines of all kinds; redundant loops, springs, servos, couplings, nets, contact. */
static const Scene scenes[] = {{"pendulum", {NULL}},
                               {"chain", {"n=60"}},
                               {"chain", {"n=30", "young=inf"}},
                               {"chain", {"n=20", "joint=hinge"}},
                               {"tree", {"links=40"}},
                               {"slider-crank", {NULL}},
                               {"four-bar", {"young=inf"}},
                               {"four-bar", {NULL}},
                               {"bricard", {NULL}},
                               {"hand", {NULL}},
                               {"net", {"k=6"}},
                               {"umbrella", {"pieces=2"}},
                               {"rolling", {NULL}},
                               {"grasp", {NULL}},
                               {"hagfish", {"joints=20"}},
                               {"stack", {NULL}}};

/* Stones that wedge: limits of friction may come nearer by next to nothing. Steps that leave it at that say so. */
static const Scene wedged = {"arch", {"stones=9"}};

static void test_converged(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(scenes) * 2 + 2; ++k) {
        bool may_be_rough = k / 2 == COUNT(scenes);
        const Scene *own = may_be_rough ? &wedged : &scenes[k / 2];
        AfxScene *scene = build(own);
        AfxModel *model = NULL;
        AfxSim *sim = NULL;
        AfxSimDef def = afx_default_sim();
        def.accuracy = AFX_CONVERGED;
        def.integrator = k % 2 ? AFX_ALPHA : AFX_BDF2;
        sim_start(scene, &model, &sim, &def);
        assert_ok(afx_sim_set_verify(sim, true));
        for (int step = 0; step < 15; ++step) {
            AfxResidual residual;
            AfxStepReport report;
            assert_ok(afx_step(sim, &report));
            assert_ok(afx_sim_residual(sim, &residual));
            bool rough = report.flags & AFX_STEP_CONTACT_ROUGH;
            residual.friction = may_be_rough && rough ? 0 : residual.friction;
            if (rough && !may_be_rough) {
                fail_msg("%s: step %d is rough, friction %g", own->name, step, residual.friction);
            }
            double worst = fmax(fmax(residual.force, residual.constraint), fmax(residual.law, residual.friction));
            if (!(worst <= 1e-10)) {
                fail_msg("%s %s, integrator %d, step %d: force %g, constraint %g, law %g, friction %g", own->name,
                         own->arguments[0] ? own->arguments[0] : "", def.integrator, step, residual.force,
                         residual.constraint, residual.law, residual.friction);
            }
        }
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* Where the bodies of a scene are after a time: all t, in steps of dt. */
static void run_to(const AfxModel *model, AfxAccuracy accuracy, double dt, double seconds, double *out) {
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.accuracy = accuracy;
    def.dt = dt;
    assert_ok(afx_sim_create(model, &def, &sim));
    while (afx_sim_time(sim) < seconds - 0.5 * dt) {
        assert_ok(afx_step(sim, NULL));
    }
    for (uint32_t k = 0; k < afx_model_body_count(model); ++k) {
        memcpy(out + 3 * k, afx_sim_coordinates(sim) + 12 * k + 9, 3 * sizeof *out);
    }
    afx_sim_destroy(sim);
}

static double apart(const double *a, const double *b, size_t count) {
    double most = 0;
    for (size_t k = 0; k < count; ++k) {
        most = fmax(most, fabs(a[k] - b[k]));
    }
    return most;
}

static void test_accurate(void **state) {
    (void)state;
    static const Scene smooth[] = {{"pendulum", {NULL}},
                                   {"chain", {"n=10", "young=inf"}},
                                   {"chain", {"n=10", "joint=hinge", "young=inf"}},
                                   {"four-bar", {"young=inf"}},
                                   {"bricard", {"young=inf"}}};
    for (size_t k = 0; k < COUNT(smooth); ++k) {
        AfxScene *scene = build(&smooth[k]);
        AfxModel *model = NULL;
        double at[3][3 * 32];
        assert_ok(afx_model_create(scene, &model, NULL));
        size_t count = 3 * (size_t)afx_model_body_count(model);
        assert_true(count <= 3 * 32);
        run_to(model, AFX_ACCURATE, 0.005, 0.4, at[0]);
        run_to(model, AFX_CONVERGED, 0.005, 0.4, at[1]);
        run_to(model, AFX_CONVERGED, 0.005 / 16, 0.4, at[2]);
        double solve = apart(at[0], at[1], count), own = apart(at[1], at[2], count);
        if (!(solve <= 0.1 * own)) {
            fail_msg("%s %s: iterations leave %g m, the integrator %g m", smooth[k].name,
                     smooth[k].arguments[0] ? smooth[k].arguments[0] : "", solve, own);
        }
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* What a box of the size `length`, on a hinge that it is `place` lengths away from, has gained at most of what moves
 * while it swings from rest; and the solver iterations of a step. */
static double gain_of(const AfxSimDef *def, double length, AfxVec3 place, double *out_iterations) {
    AfxSceneDef world = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxBodyDef body = afx_default_body();
    AfxShapeDef box = afx_default_box(length, length, 1.5 * length);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    AfxJointId id;
    AfxEnergy energy;
    assert_ok(afx_scene_create(&world, &scene));
    assert_ok(afx_scene_set_contact(scene, false));
    body.young = INFINITY;
    body.pose.position = (AfxVec3){length * place.x, length * place.y, length * place.z};
    joint.base = afx_world();
    assert_ok(afx_scene_add_body(scene, &body, &joint.follower));
    assert_ok(afx_scene_add_shape(scene, joint.follower, &box));
    assert_ok(afx_joint_place(scene, &joint, afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0.2, 1, 0.3})));
    assert_ok(afx_scene_add_joint(scene, &joint, &id));
    sim_start(scene, &model, &sim, def);
    assert_ok(afx_sim_energy(sim, &energy));
    double begin = energy.total, moves = 0, most = 0, iterations = 0;
    for (int step = 0; step < 200; ++step) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        iterations += report.iterations_mean / 200;
        assert_ok(afx_sim_energy(sim, &energy));
        moves = fmax(moves, energy.kinetic);
        most = fmax(most, energy.total - begin);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    *out_iterations = iterations;
    return most / moves;
}

/* From a hundredth of a radian in a step to half of one. */
static void test_fast(void **state) {
    (void)state;
    const double length[] = {0.01, 0.015, 0.02, 0.03, 0.05, 0.1}, dt[] = {0.005, 0.01, 0.02};
    for (size_t k = 0; k < 2 * COUNT(length) * COUNT(dt); ++k) {
        double own = length[k / 2 % COUNT(length)], step = dt[k / (2 * COUNT(length))];
        AfxSimDef def = afx_default_sim();
        double iterations;
        def.integrator = k % 2 ? AFX_BDF1 : AFX_BDF2;
        def.dt = step;
        double gain = gain_of(&def, own, (AfxVec3){1, 0, 0.2}, &iterations);
        if (!(gain < 0.01)) {
            fail_msg("a box of %g m, dt %g: %g of what moves from nothing", own, step, gain);
        }
    }
}

/* Swings of a quarter of a radian, a few steps each. A hinge askew of all axes loads the box so that it would be
 * unstable by itself: its stiffness is made definite, and iterations near their result by more than a third each. */
static void test_askew(void **state) {
    (void)state;
    static const double rho[] = {0.8, 0.68, 0.5};
    for (size_t k = 0; k < 12; ++k) {
        double length = k % 2 ? 0.002 : 0.003, iterations, gain;
        AfxSimDef def = afx_default_sim();
        def.dt = 0.01;
        def.integrator = k < 6 ? AFX_ALPHA : AFX_BDF2;
        def.rho = rho[k / 2 % 3];
        def.accuracy = k < 6 ? AFX_ACCURATE : AFX_FAST;
        gain = gain_of(&def, length, (AfxVec3){-0.25, 0.3, -1}, &iterations);
        if (!(gain < 0.01) || !(iterations < 5)) {
            fail_msg("%g m: %g of what moves from nothing, %g iterations", length, gain, iterations);
        }
        def.accuracy = AFX_CONVERGED;
        gain = gain_of(&def, length, (AfxVec3){-0.25, 0.3, -1}, &iterations);
        if (!(gain < 0.01) || !(iterations < 10)) {
            fail_msg("converged, %g m: %g of what moves from nothing, %g iterations", length, gain, iterations);
        }
    }
}

int run_accuracy_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converged),
        cmocka_unit_test(test_accurate),
        cmocka_unit_test(test_fast),
        cmocka_unit_test(test_askew),
    };
    return cmocka_run_group_tests_name("accuracy", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss, generalised-alpha and the method that keeps energy, in joint coordinates: orders on pendulums, trees and
 * loops, stiff drives, energy and momenta, how they give way, what is refused. */
#include "support/allocator.h"
#include "tests.h"

#define GRAVITY 9.81

static AfxSimDef reduced_def(AfxIntegrator integrator, double dt) {
    AfxSimDef def = accurate_def(integrator, dt);
    def.formulation = AFX_REDUCED;
    return def;
}

/* ---- mechanisms ---- */

/* Links of 1 kg and 1 m on hinges about y, the first at 60 degrees from below. */
static Rig pendulum_make(uint32_t links) {
    Rig rig = rig_make(v3(0, 0, -GRAVITY));
    AfxBodyId last = afx_world();
    AfxVec3 at = {0, 0, 0}, along = {0.8660254037844386, 0, -0.5};
    for (uint32_t k = 0; k < links; k++) {
        AfxBodyDef def = rigid_def(1, 1.0 / 12, 1.0 / 12, 1.0 / 12);
        def.pose.position = v3(at.x + 0.5 * along.x, 0, at.z + 0.5 * along.z);
        AfxBodyId body = rig_body(&rig, &def);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, (AfxPose){at, q_about(v3(0, 0, 1), PI / 2)});
        at = v3(at.x + along.x, 0, at.z + along.z);
        last = body;
    }
    return rig;
}

/* A planar four-bar of hinges, which is redundant in space, or with a ball and a universal joint, that swings. */
static Rig loop_make(bool spatial, uint64_t *seed) {
    Rig rig = rig_make(v3(8, 0, -GRAVITY));
    const AfxVec3 places[3] = {{0, 0, 0.15}, {0.5, 0, 0.45}, {1, 0, 0.3}};
    const AfxVec3 hinges[4] = {{0, 0, 0}, {0.1, 0, 0.3}, {0.9, 0, 0.6}, {1, 0, 0}};
    AfxBodyId body[5] = {afx_world()};
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = odd_def(seed);
        def.pose.position = places[k];
        body[k + 1] = rig_body(&rig, &def);
    }
    body[4] = afx_world();
    for (int k = 0; k < 4; k++) {
        AfxJointKind kind = k == 1 && spatial   ? AFX_JOINT_SPHERICAL
                            : k == 2 && spatial ? AFX_JOINT_UNIVERSAL
                                                : AFX_JOINT_REVOLUTE;
        rig_joint(&rig, kind, body[k], body[k + 1], (AfxPose){hinges[k], q_about(v3(0, 0, 1), PI / 2)});
    }
    return rig;
}

enum { RIGS = 8 };
static const char *const rig_names[RIGS] = {"pendulum",   "double pendulum", "planar loop", "spatial loop",
                                            "tree, held", "tree, free",      "tree, held",  "tree, free"};

static Rig rig_of(int which) {
    uint64_t seed = 40 + (uint64_t)which;
    return which < 2   ? pendulum_make((uint32_t)which + 1)
           : which < 4 ? loop_make(which == 3, &seed)
                       : random_tree(4, which % 2 == 0, &seed);
}

/* ---- order ---- */

static void run_to(Rig *rig, AfxIntegrator integrator, double dt, double time, double *out) {
    AfxSimDef def = reduced_def(integrator, dt);
    rig_start(rig, &def);
    rig_run(rig, (uint32_t)lround(time / dt), NULL);
    memcpy(out, afx_sim_coordinates(rig->sim), 12 * afx_model_body_count(rig->model) * sizeof(double));
}

static double gap_of(const Rig *rig, const double *a, const double *b) {
    double most = 0;
    for (uint32_t k = 0; k < 12 * afx_model_body_count(rig->model); k++) {
        most = fmax(most, fabs(a[k] - b[k]));
    }
    return most;
}

static void check_order(AfxIntegrator integrator, const char *name, double dt, double least, double most) {
    bool good = true;
    for (int which = 0; which < RIGS; which++) {
        Rig rig = rig_of(which);
        double fine[120], got[120], gap[2];
        run_to(&rig, AFX_RK4, 0.0005, 0.4, fine);
        for (int h = 0; h < 2; h++) {
            run_to(&rig, integrator, h ? dt / 2 : dt, 0.4, got);
            gap[h] = gap_of(&rig, fine, got);
        }
        double order = slope(gap[0], gap[1]);
        bool fits = order > least && order < most;
        good &= fits;
        if (!fits) {
            print_error("%s, %s: %.3g, %.3g: order %.2f\n", name, rig_names[which], gap[0], gap[1], order);
        }
        rig_free(&rig);
    }
    assert_true(good);
}

static void gauss_is_of_fourth_order(void **state) {
    (void)state;
    check_order(AFX_GAUSS2, "gauss2", 0.02, 3.6, 4.6);
}

static void alpha_is_of_second_order(void **state) {
    (void)state;
    check_order(AFX_ALPHA, "alpha", 0.005, 1.7, 2.4);
}

static void what_keeps_energy_is_of_fourth_order(void **state) {
    (void)state;
    check_order(AFX_CONSERVING, "conserving", 0.02, 3.5, 5.2);
}

/* ---- energy and momenta ---- */

static void add_spring(Rig *rig, uint32_t joint) {
    AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
    AfxDriveId id;
    spring.joint = afx_scene_joint(rig->scene, joint);
    spring.stiffness = 40;
    spring.rest = 0.3;
    assert_ok(afx_scene_add_drive(rig->scene, &spring, &id));
}

static void energy_stays(void **state) {
    (void)state;
    bool good = true;
    for (int which = 0; which < RIGS; which++) {
        Rig rig = rig_of(which);
        bool sprung = which < 2;
        double x, most = 0, first = 0, range = 0;
        if (sprung) {
            add_spring(&rig, 0);
        }
        AfxSimDef def = reduced_def(AFX_CONSERVING, 0.02);
        rig_start(&rig, &def);
        for (int n = 0; n < 300; n++) {
            AfxEnergy energy;
            assert_ok(afx_sim_energy(rig.sim, &energy));
            x = sprung ? rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0) - 0.3 : 0;
            double now = energy.total + 20 * x * x;
            first = n == 0 ? now : first;
            most = fmax(most, fabs(now - first));
            range = fmax(range, energy.kinetic);
            rig_run(&rig, 1, NULL);
        }
        if (!(most < 1e-11 * fmax(1, range)) || !(range > 0.1)) {
            print_error("%s: energy moves by %.3g of %.3g J\n", rig_names[which], most, range);
            good = false;
        }
        rig_free(&rig);
    }
    assert_true(good);
}

/* A free tree keeps its momenta but for its weight; far into the run too. */
static void momenta_stay(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 4; k++) {
        uint64_t seed = 90 + k;
        Rig rig = random_tree(4, false, &seed);
        AfxMomentum begin, end;
        AfxSimDef def = reduced_def(AFX_CONSERVING, 0.02);
        rig_start(&rig, &def);
        AfxVec3 gravity = {0, 0, 0};
        assert_ok(afx_sim_param(rig.sim, AFX_PARAM_GRAVITY, 0, &gravity.x));
        assert_ok(afx_sim_momentum(rig.sim, &begin));
        rig_run(&rig, 200, NULL);
        assert_ok(afx_sim_momentum(rig.sim, &end));
        double m = begin.mass, size = m + v3_distance(begin.linear, v3(0, 0, 0));
        AfxVec3 want = v3(begin.linear.x + 4 * m * gravity.x, begin.linear.y + 4 * m * gravity.y,
                          begin.linear.z + 4 * m * gravity.z);
        assert_below(v3_distance(end.linear, want) / size, 1e-11);
        AfxVec3 a = v3_cross(begin.center, begin.linear), b = v3_cross(end.center, end.linear);
        AfxVec3 spin = v3(begin.angular.x - a.x, begin.angular.y - a.y, begin.angular.z - a.z);
        AfxVec3 later = v3(end.angular.x - b.x, end.angular.y - b.y, end.angular.z - b.z);
        assert_below(v3_distance(spin, later) / (1 + size), 1e-9);
        rig_free(&rig);
    }
}

/* ---- stiff drives, limits, refusals ---- */

/* A servo of h² k / m = 1e4 holds its load where statics says. */
static void stiff_servos_hold(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_GAUSS2, AFX_ALPHA};
    for (int k = 0; k < 2; k++) {
        Rig rig = pendulum_make(1);
        AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
        AfxDriveId id;
        servo.joint = afx_scene_joint(rig.scene, 0);
        servo.stiffness = 3e7;
        servo.damping = 1e5;
        assert_ok(afx_scene_add_drive(rig.scene, &servo, &id));
        AfxSimDef def = reduced_def(methods[k], 0.01);
        rig_start(&rig, &def);
        rig_run(&rig, 300, NULL);
        double angle = rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0);
        assert_near(angle * servo.stiffness, 0.5 * GRAVITY * 0.8660254037844386, k ? 1e-6 : 5e-3);
        rig_free(&rig);
    }
}

/* Falls on a limit: the step that meets it goes by backward differences, and it rests there. */
static void limits_make_them_give_way(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_GAUSS2, AFX_ALPHA};
    for (int k = 0; k < 2; k++) {
        Rig rig = pendulum_make(1);
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxDriveId id;
        uint32_t flags;
        limit.joint = afx_scene_joint(rig.scene, 0);
        limit.lower = -1;
        limit.upper = 0.4;
        assert_ok(afx_scene_add_drive(rig.scene, &limit, &id));
        AfxSimDef def = reduced_def(methods[k], 0.005);
        rig_start(&rig, &def);
        double energy = rig_energy(&rig);
        for (int n = 0; n < 300; n++) {
            rig_run(&rig, 1, &flags);
            assert_true(rig_energy(&rig) < energy + 1e-3);
        }
        assert_near(rig_coordinate(&rig, afx_scene_joint(rig.scene, 0), 0), 0.4, 1e-12);
        rig_free(&rig);
    }
}

static void expect_equal_snapshots(const AfxSim *a, const AfxSim *b) {
    size_t size = afx_sim_snapshot_size(a);
    uint8_t *kept = calloc(2, size);
    assert_non_null(kept);
    assert_int_equal(afx_sim_snapshot_size(b), size);
    assert_ok(afx_sim_snapshot(a, kept, size));
    assert_ok(afx_sim_snapshot(b, kept + size, size));
    assert_memory_equal(kept, kept + size, size);
    free(kept);
}

/* A pendulum bounces off a limit, which pushes in the step that meets it and in no other; a sim that takes over there
 * has the same bits, efforts too. `many`: side by side. */
static void bounce_off(AfxIntegrator method, bool many) {
    Rig rig = pendulum_make(1);
    AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
    AfxDriveId id;
    AfxJointId hinge = limit.joint = afx_scene_joint(rig.scene, 0);
    limit.lower = -1;
    limit.upper = 0.4;
    limit.restitution = 0.7;
    assert_ok(afx_scene_add_drive(rig.scene, &limit, &id));
    AfxSimDef def = reduced_def(method, 0.005);
    rig_start(&rig, &def);
    AfxSim *both[2] = {rig.sim, NULL};
    AfxStepReport report[2] = {{0}};
    AfxStatus status[2];
    double effort = 0;
    for (int n = 0; n < 400 && !(report[0].flags & AFX_STEP_IMPACT); n++) {
        assert_ok(afx_step(rig.sim, report));
        assert_ok(afx_sim_drive_effort(rig.sim, 0, &effort));
    }
    assert_true(effort != 0 && report[0].flags & AFX_STEP_IMPACT);
    size_t size = afx_sim_snapshot_size(rig.sim);
    void *kept = malloc(size);
    assert_non_null(kept);
    assert_ok(afx_sim_snapshot(rig.sim, kept, size));
    assert_ok(afx_sim_create(rig.model, &def, &both[1]));
    assert_ok(afx_sim_restore(both[1], kept, size));
    for (int n = 0; n < 5; n++) {
        for (int k = 0; !many && k < 2; k++) {
            assert_ok(afx_step(both[k], &report[k]));
        }
        assert_ok(many ? afx_step_many(both, 2, report, status) : AFX_OK);
        assert_true(rig_coordinate(&rig, hinge, 0) < 0.4 - 1e-3 && !(report[0].flags & AFX_STEP_IMPACT));
        assert_ok(afx_sim_drive_effort(rig.sim, 0, &effort));
        assert_true(effort == 0);
        expect_equal_snapshots(both[0], both[1]);
    }
    free(kept);
    afx_sim_destroy(both[1]);
    rig_free(&rig);
}

static void limits_that_are_left_push_no_more(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_AUTO, AFX_GAUSS2, AFX_ALPHA, AFX_BDF2};
    for (int k = 0; k < 8; k++) {
        bounce_off(methods[k / 2], k % 2);
    }
}

/* Snapshots keep what the methods keep from step to step. */
static void they_go_on_from_a_snapshot(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_GAUSS2, AFX_ALPHA, AFX_CONSERVING};
    for (int k = 0; k < 3; k++) {
        Rig rig = rig_of(5);
        double straight[120], again[120];
        AfxSimDef def = reduced_def(methods[k], 0.01);
        rig_start(&rig, &def);
        rig_run(&rig, 10, NULL);
        size_t size = afx_sim_snapshot_size(rig.sim);
        void *kept = malloc(size);
        assert_non_null(kept);
        assert_ok(afx_sim_snapshot(rig.sim, kept, size));
        size_t bytes = 12 * afx_model_body_count(rig.model) * sizeof(double);
        rig_run(&rig, 10, NULL);
        memcpy(straight, afx_sim_coordinates(rig.sim), bytes);
        rig_start(&rig, &def);
        assert_ok(afx_sim_restore(rig.sim, kept, size));
        rig_run(&rig, 10, NULL);
        memcpy(again, afx_sim_coordinates(rig.sim), bytes);
        assert_memory_equal(straight, again, bytes);
        free(kept);
        rig_free(&rig);
    }
}

/* Raw coordinates of two hinged links after some steps: beside a body that is pushed, or with a wrench on the last of
 * them that is nothing, or by themselves. */
static void run_beside(bool pushed, bool nothing, double out[24]) {
    Rig rig = pendulum_make(2);
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId id;
    if (nothing) {
        wrench.body = afx_scene_body(rig.scene, 1);
        assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &id));
    }
    if (pushed) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = v3(0, 5, 0);
        wrench.body = rig_body(&rig, &def);
        wrench.force = v3(1, 2, 3);
        assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &id));
    }
    AfxSimDef def = reduced_def(AFX_CONSERVING, 0.02);
    rig_start(&rig, &def);
    double energy = rig_energy(&rig), size = fmax(fabs(energy), GRAVITY);
    for (int n = 0; n < 100; n++) {
        rig_run(&rig, 1, NULL);
        assert_true(pushed || fabs(rig_energy(&rig) - energy) < 1e-11 * size);
    }
    memcpy(out, afx_sim_coordinates(rig.sim), 24 * sizeof *out);
    rig_free(&rig);
}

/* Energy is kept where nothing pushes, whatever does elsewhere. */
static void energy_stays_beside_what_is_pushed(void **state) {
    (void)state;
    double alone[24], other[24];
    run_beside(false, false, alone);
    run_beside(false, true, other);
    assert_memory_equal(alone, other, sizeof alone);
    run_beside(true, false, other);
    assert_memory_equal(alone, other, sizeof alone);
}

static void losses_are_refused_by_name(void **state) {
    (void)state;
    const AfxDriveKind kinds[] = {AFX_DRIVE_SERVO, AFX_DRIVE_LIMIT, AFX_DRIVE_FORCE, AFX_DRIVE_SPRING};
    for (int k = 0; k < 4; k++) {
        Rig rig = pendulum_make(1);
        AfxDriveDef drive = afx_default_drive(kinds[k]);
        AfxDriveId id;
        AfxError error = {0};
        AfxSim *sim;
        drive.joint = afx_scene_joint(rig.scene, 0);
        drive.damping = 1;
        drive.lower = -1;
        drive.upper = 1;
        assert_ok(afx_scene_add_drive(rig.scene, &drive, &id));
        AfxSimDef def = reduced_def(AFX_BDF2, 0.01);
        rig_start(&rig, &def);
        def.integrator = AFX_CONSERVING;
        def.error = &error;
        assert_int_equal(afx_sim_create(rig.model, &def, &sim), AFX_E_INPUT);
        assert_non_null(strstr(error.element, "integrator conserving: drive 0"));
        rig_free(&rig);
    }
}

/* ---- chosen by itself ---- */

/* Links on ball joints in a row. */
static Rig balls_make(uint32_t links) {
    Rig rig = rig_make(v3(0, 0, -GRAVITY));
    AfxBodyId last = afx_world();
    for (uint32_t k = 0; k < links; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        def.pose.position = v3(k + 0.5, 0, 0);
        AfxBodyId body = rig_body(&rig, &def);
        rig_joint(&rig, AFX_JOINT_SPHERICAL, last, body, (AfxPose){v3(k, 0, 0), q_about(v3(0, 0, 1), 0)});
        last = body;
    }
    return rig;
}

static void expect_choice(Rig *rig, AfxFormulation want, const char *word) {
    AfxSimDef def = accurate_def(AFX_BDF2, 0.01);
    AfxFormulation got = AFX_FORMULATION_COUNT;
    char reason[400];
    double chosen[12 * 16];
    size_t bytes;
    def.formulation = AFX_CHOOSE;
    rig_start(rig, &def);
    assert_ok(afx_sim_formulation(rig->sim, &got, reason, sizeof reason));
    if (got != want || !strstr(reason, word)) {
        print_error("%d: %s\n", (int)got, reason);
    }
    assert_int_equal(got, want);
    assert_non_null(strstr(reason, word));
    rig_run(rig, 5, NULL);
    bytes = 12 * afx_model_body_count(rig->model) * sizeof(double);
    memcpy(chosen, afx_sim_coordinates(rig->sim), bytes);
    def.formulation = want;
    rig_start(rig, &def);
    assert_ok(afx_sim_formulation(rig->sim, &got, reason, sizeof reason));
    assert_true(got == want && reason[0] == 0);
    rig_run(rig, 5, NULL);
    assert_memory_equal(chosen, afx_sim_coordinates(rig->sim), bytes);
    rig_free(rig);
}

/* What is cheaper is taken, and what is not there is named; both go as if they had been asked for. */
static void the_cheaper_one_is_chosen(void **state) {
    (void)state;
    Rig hinge = pendulum_make(2), balls = balls_make(12), elastic = rig_make(v3(0, 0, -GRAVITY));
    AfxBodyDef soft = rigid_def(1, 1, 1, 1);
    soft.young = 1e9;
    rig_body(&elastic, &soft);
    expect_choice(&hinge, AFX_REDUCED, "reduced: 2 degrees of freedom");
    expect_choice(&balls, AFX_AFFIX, "affix: 36 degrees of freedom");
    expect_choice(&elastic, AFX_AFFIX, "exactly rigid bodies only (formulation reduced: body 0)");
}

/* Memory that fails is told, at whichever allocation; it changes no choice. */
static void memory_that_fails_chooses_nothing(void **state) {
    (void)state;
    Rig rig = pendulum_make(2);
    AfxSimDef def = accurate_def(AFX_BDF2, 0.01);
    AfxFormulation got = AFX_FORMULATION_COUNT;
    AfxStatus status = AFX_E_MEMORY;
    rig_start(&rig, &def);
    def.formulation = AFX_CHOOSE;
    for (uint64_t k = 1; status == AFX_E_MEMORY; k++) {
        TestAllocator counts = {.fail_at = k};
        AfxError error = {0};
        AfxSim *sim = NULL;
        def.allocator = test_allocator(&counts);
        def.error = &error;
        status = afx_sim_create(rig.model, &def, &sim);
        assert_true(status == AFX_OK || (status == AFX_E_MEMORY && !sim && error.text[0]));
        if (status == AFX_OK) {
            assert_true(k > 3);
            assert_ok(afx_sim_formulation(sim, &got, NULL, 0));
            assert_int_equal(got, AFX_REDUCED);
        }
        afx_sim_destroy(sim);
        assert_int_equal(counts.live, 0);
    }
    rig_free(&rig);
}

int run_smooth_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_is_of_fourth_order),
        cmocka_unit_test(alpha_is_of_second_order),
        cmocka_unit_test(what_keeps_energy_is_of_fourth_order),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(momenta_stay),
        cmocka_unit_test(energy_stays_beside_what_is_pushed),
        cmocka_unit_test(stiff_servos_hold),
        cmocka_unit_test(limits_make_them_give_way),
        cmocka_unit_test(limits_that_are_left_push_no_more),
        cmocka_unit_test(they_go_on_from_a_snapshot),
        cmocka_unit_test(losses_are_refused_by_name),
        cmocka_unit_test(the_cheaper_one_is_chosen),
        cmocka_unit_test(memory_that_fails_chooses_nothing),
    };
    return cmocka_run_group_tests_name("smooth", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Equal bits: after a snapshot, for threads and lanes, and for what is far apart in one scene. Steps in parts, restarts
 * and traces. */
#include "tests.h"

static size_t numbers_of(const Rig *rig) {
    return 12 * (size_t)afx_model_body_count(rig->model);
}

static void assert_same(const Rig *a, const Rig *b) {
    assert_memory_equal(afx_sim_coordinates(a->sim), afx_sim_coordinates(b->sim), numbers_of(a) * sizeof(double));
    assert_memory_equal(afx_sim_velocities(a->sim), afx_sim_velocities(b->sim), numbers_of(a) * sizeof(double));
    for (uint32_t k = 0; k < afx_model_joint_count(a->model); k++) {
        AfxWrench one, other;
        assert_ok(afx_sim_joint_reaction(a->sim, k, &one));
        assert_ok(afx_sim_joint_reaction(b->sim, k, &other));
        assert_memory_equal(&one, &other, sizeof one);
    }
}

/* A chain with a servo, a spring, a moving base and a free body beside it. */
static Rig mixed_make(bool smooth) {
    uint64_t seed = 9;
    Rig rig = rods_make(4);
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SERVO);
    AfxSpringDef spring = afx_default_spring();
    AfxDriveId drive_id;
    AfxSpringId spring_id;
    drive.joint = afx_scene_joint(rig.scene, 1);
    drive.stiffness = 30;
    drive.damping = smooth ? 0 : 1;
    drive.effort = smooth ? INFINITY : 4;
    drive.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0.2, 1}};
    assert_ok(afx_scene_add_drive(rig.scene, &drive, &drive_id));
    spring.body_a = afx_scene_body(rig.scene, 3);
    spring.body_b = afx_world();
    spring.point_b = v3(3, 0, 2);
    spring.rest_length = 1;
    spring.stiffness = 20;
    assert_ok(afx_scene_add_spring(rig.scene, &spring, &spring_id));
    AfxBodyDef base = odd_def(&seed), free = odd_def(&seed), hung = odd_def(&seed);
    base.kind = AFX_BODY_KINEMATIC;
    base.pose.position = v3(0, 5, 0);
    base.center = v3(0, 0, 0);
    base.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0.5, 1}};
    hung.pose.position = v3(0.5, 5, 0);
    free.pose.position = v3(0, 9, 0);
    free.angular_velocity = v3(3, 1, -2);
    AfxBodyId a = rig_body(&rig, &base), b = rig_body(&rig, &hung);
    rig_body(&rig, &free);
    rig_joint(&rig, AFX_JOINT_UNIVERSAL, a, b, (AfxPose){v3(0, 5, 0), random_quat(&seed)});
    return rig;
}

static void a_snapshot_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        Rig one = mixed_make(which > 0), other = mixed_make(which > 0);
        AfxSimDef def = sim_def(conserving[which], 0.01);
        rig_start(&one, &def);
        rig_start(&other, &def);
        rig_run(&one, 30, NULL);
        size_t size = afx_sim_snapshot_size(one.sim);
        void *buffer = malloc(size);
        assert_ok(afx_sim_snapshot(one.sim, buffer, size));
        rig_run(&one, 30, NULL);
        rig_run(&other, 3, NULL);
        assert_ok(afx_sim_restore(other.sim, buffer, size));
        uint32_t flags;
        rig_run(&other, 30, &flags);
        assert_false(flags & AFX_STEP_RESTARTED);
        assert_same(&one, &other);
        free(buffer);
        rig_free(&one);
        rig_free(&other);
    }
}

static void lanes_and_threads_do_not_matter(void **state) {
    (void)state;
    Rig one = mixed_make(false), other = mixed_make(false);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&one, &def);
    def.lanes = 1;
    def.threads = 3;
    rig_start(&other, &def);
    rig_run(&one, 40, NULL);
    rig_run(&other, 40, NULL);
    assert_same(&one, &other);
    rig_free(&one);
    rig_free(&other);
}

/* The hung body and the free one move with the chain in the scene as without it. */
static void what_is_apart_moves_as_if_alone(void **state) {
    (void)state;
    uint64_t seed = 9;
    Rig both = mixed_make(false), one = rig_make(v3(0, 0, -9.81));
    AfxBodyDef base = odd_def(&seed), free = odd_def(&seed);
    (void)base;
    free.pose.position = v3(0, 9, 0);
    free.angular_velocity = v3(3, 1, -2);
    rig_body(&one, &free);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&both, &def);
    rig_start(&one, &def);
    rig_run(&both, 50, NULL);
    rig_run(&one, 50, NULL);
    assert_memory_equal(afx_sim_coordinates(both.sim) + 12 * 6, afx_sim_coordinates(one.sim), 12 * sizeof(double));
    rig_free(&both);
    rig_free(&one);
    Rig alone = rods_make(4), beside = rods_make(4);
    AfxBodyDef wild = rigid_def(1, 0.1, 0.2, 0.3); /* does not converge in one go */
    wild.pose.position = v3(0, 50, 0);
    wild.angular_velocity = v3(4000, 3000, 2000);
    rig_body(&beside, &wild);
    rig_start(&alone, &def);
    rig_start(&beside, &def);
    uint32_t flags;
    rig_run(&alone, 30, &flags);
    assert_false(flags & AFX_STEP_SUBSTEPPED);
    rig_run(&beside, 30, NULL);
    assert_memory_equal(afx_sim_coordinates(alone.sim), afx_sim_coordinates(beside.sim), 48 * sizeof(double));
    rig_free(&alone);
    rig_free(&beside);
}

/* A fast chain at a long step is cut into parts, in which energy is exact as well, and the trace says why. Parts are
 * small only where that is needed, and grow again behind it. */
static void steps_are_cut_where_they_do_not_converge(void **state) {
    (void)state;
    Rig rig = rods_make(6);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.1);
    rig_start(&rig, &def);
    assert_ok(afx_sim_trace(rig.sim, 10000));
    uint32_t flags = 0;
    double start = rig_energy(&rig);
    for (int n = 0; n < 60; n++) {
        uint32_t more;
        assert_below(rig_run(&rig, 1, &more), 1e-12);
        flags |= more;
        assert_near(rig_energy(&rig), start, 1e-8);
    }
    assert_true(flags & AFX_STEP_SUBSTEPPED);
    uint32_t cuts = 0, uneven = 0;
    AfxTraceEvent last = {0};
    for (uint32_t k = 0; k < afx_sim_trace_count(rig.sim); k++) {
        AfxTraceEvent event;
        assert_ok(afx_sim_trace_event(rig.sim, k, &event));
        cuts += event.kind == AFX_TRACE_CUT && event.parts == 2;
        if (event.kind == AFX_TRACE_SOLVE && event.verdict == AFX_TRACE_ACCEPT) {
            uneven += event.step == last.step && event.parts < last.parts; /* they grow again */
            last = event;
        }
        assert_true(event.kind != AFX_TRACE_SOLVE || event.engine == AFX_TRACE_CONSERVING);
    }
    assert_true(cuts > 0);
    print_message("%u cuts, %u steps in uneven parts\n", cuts, uneven);
    assert_true(uneven > 0);
    rig_free(&rig);
}

/* Velocities that do not fit are made to, once; after that nothing restarts. */
static void a_restart_says_so(void **state) {
    (void)state;
    Rig rig = rods_make(2);
    AfxSimDef def = sim_def(AFX_CONSERVING, 0.01);
    rig_start(&rig, &def);
    AfxStepReport report;
    assert_ok(afx_step(rig.sim, &report));
    assert_true(report.flags & AFX_STEP_RESTARTED);
    assert_ok(afx_step(rig.sim, &report));
    assert_false(report.flags & AFX_STEP_RESTARTED);
    AfxTwist twist = {{0, 3, 0}, {1, 1, 1}}; /* a hinge about y lets the spin about y alone */
    assert_ok(afx_sim_set_body_twist(rig.sim, 0, twist));
    assert_ok(afx_step(rig.sim, &report));
    assert_true(report.flags & AFX_STEP_RESTARTED);
    assert_near(rig_twist(&rig, afx_scene_body(rig.scene, 0)).angular.x, 0, 1e-12);
    assert_near(rig_twist(&rig, afx_scene_body(rig.scene, 0)).linear.y, 0, 1e-12);
    assert_ok(afx_sim_set_dt(rig.sim, 0.005));
    assert_ok(afx_step(rig.sim, &report));
    assert_true(report.flags & AFX_STEP_RESTARTED);
    rig_free(&rig);
}

int run_same_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
        cmocka_unit_test(lanes_and_threads_do_not_matter),
        cmocka_unit_test(what_is_apart_moves_as_if_alone),
        cmocka_unit_test(steps_are_cut_where_they_do_not_converge),
        cmocka_unit_test(a_restart_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

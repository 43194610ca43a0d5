/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of which it is known what a step has to do, and that the trace says so. */
#include "tests.h"

/* One body on a hinge: one iteration a step, accepted. Only from rest it turns in two steps by much more than it did
 * before, which takes a second one each. */
static void a_pendulum_takes_one_iteration(void **state) {
    (void)state;
    World world = world_case("pendulum", NULL, NULL);
    for (uint64_t n = 1; n <= 20; n++) {
        double time = afx_sim_time(world.sim);
        assert_ok(traced_step(world.sim, NULL));
        uint32_t first = 1 + (n == 1), solves = 1 + (n <= 2);
        assert_int_equal(afx_sim_trace_count(world.sim), first + solves);
        AfxTraceEvent begin = event_at(world.sim, 0), solve = event_at(world.sim, first + solves - 1);
        assert_int_equal(begin.kind, AFX_TRACE_STEP);
        assert_int_equal(begin.step, n);
        assert_true(begin.time == time);
        assert_int_equal(count_kind(world.sim, AFX_TRACE_RESTART), n == 1);
        assert_int_equal(solve.kind, AFX_TRACE_SOLVE);
        assert_int_equal(solve.step, n);
        assert_int_equal(solve.part, 1);
        assert_int_equal(solve.parts, 1);
        assert_int_equal(solve.stage, 1);
        assert_int_equal(solve.solve, solves);
        assert_int_equal(solve.engine, AFX_TRACE_TREE);
        assert_int_equal(event_at(world.sim, first).method, AFX_TRACE_BOUND);
        assert_int_equal(solve.island, 0);
        assert_int_equal(solve.bodies, 1);
        assert_int_equal(solve.verdict, AFX_TRACE_ACCEPT);
        assert_int_equal(solve.reason, AFX_TRACE_FINE);
        assert_true(solve.rotation <= solve.rotation_tolerance);
        assert_true(solve.residual <= solve.residual_tolerance);
    }
    world_free(&world);
}

/* Links on hinges, the last of which is thrown: it turns much further in a step than was foreseen. */
static void a_whip_turns_beyond_the_tolerance(void **state) {
    (void)state;
    enum { LINKS = 6 };
    World world = world_make(9.81, false);
    AfxBodyId before = afx_world();
    for (int k = 0; k < LINKS; k++) {
        double mass = 1.0 / (1 << (2 * k));
        AfxBodyDef def = rigid_def(mass, 0.01 * mass, 0.1 * mass, 0.1 * mass);
        def.pose.position = (AfxVec3){k + 0.5, 0, 0};
        def.name = k == 0 ? "first" : NULL;
        AfxBodyId body = world_body(&world, &def);
        world_joint(&world, AFX_JOINT_REVOLUTE, before, body, afx_frame_along((AfxVec3){k, 0, 0}, (AfxVec3){0, 1, 0}));
        before = body;
    }
    AfxSimDef sim = afx_default_sim();
    sim.dt = 0.05;
    world_start(&world, &sim);
    uint32_t again = 0;
    for (int n = 0; n < 40; n++) {
        AfxStepReport report;
        assert_ok(traced_step(world.sim, &report));
        if (report.flags & AFX_STEP_HALVED) {
            continue;
        }
        again += count_reason(world.sim, AFX_TRACE_ROTATION);
        for (uint32_t k = 0; k < afx_sim_trace_count(world.sim); k++) {
            AfxTraceEvent event = event_at(world.sim, k);
            if (event.kind == AFX_TRACE_SOLVE && event.reason == AFX_TRACE_ROTATION) {
                assert_int_equal(event.verdict, AFX_TRACE_NEW_FRAMES);
                assert_true(event.rotation > event.rotation_tolerance);
                assert_int_equal(event.island, 0);
                assert_int_equal(event.bodies, LINKS);
                assert_true(event.body < LINKS);
            }
        }
    }
    assert_true(again > 5); /* steps that would make energy are cut, and not counted here */
    world_free(&world);
}

/* A pendulum that falls against its stop: the active set changes in that step, and a limit is struck. */
static void a_limit_is_struck(void **state) {
    (void)state;
    World world = world_make(9.81, false);
    AfxBodyDef def = rigid_def(2, 0.2, 0.3, 0.25);
    AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
    AfxDriveId unused;
    AfxBodyId lone = world_body(&world, &def), body;
    def.pose.position = (AfxVec3){0.4, 0, 0};
    body = world_body(&world, &def);
    world_joint(&world, AFX_JOINT_FIXED, afx_world(), lone, afx_pose_identity());
    limit.joint = world_joint(&world, AFX_JOINT_REVOLUTE, afx_world(), body,
                              afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 1, 0}));
    limit.lower = -1;
    limit.upper = 0.6;
    assert_ok(afx_scene_add_drive(world.scene, &limit, &unused));
    AfxSimDef sim = afx_default_sim();
    world_start(&world, &sim);
    uint32_t struck = 0;
    for (int n = 0; n < 100; n++) {
        AfxStepReport report;
        assert_ok(traced_step(world.sim, &report));
        uint32_t events = count_kind(world.sim, AFX_TRACE_LIMIT), sets = count_reason(world.sim, AFX_TRACE_ACTIVE_SET);
        assert_int_equal(events, (report.flags & AFX_STEP_IMPACT) != 0);
        if (events) {
            struck++;
            assert_int_equal(first_of(world.sim, AFX_TRACE_LIMIT).joint, 1);
            assert_int_equal(sets, 1);
        }
        for (uint32_t k = 0; k < afx_sim_trace_count(world.sim); k++) {
            AfxTraceEvent event = event_at(world.sim, k);
            assert_int_equal(event.changes.limits, event.reason == AFX_TRACE_ACTIVE_SET);
        }
    }
    assert_int_equal(struck, 1);
    world_free(&world);
}

static AfxBodyId add_box(World *world, AfxVec3 at) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    def.pose.position = at;
    AfxBodyId id = world_body(world, &def);
    assert_ok(afx_scene_add_shape(world->scene, id, &box));
    return id;
}

static void add_ground(World *world, double restitution) {
    AfxBodyDef ground = afx_default_body();
    AfxShapeDef plane = afx_default_plane();
    AfxMaterialDef material = afx_default_material();
    material.restitution = restitution;
    ground.kind = AFX_BODY_FIXED;
    assert_ok(afx_scene_set_material(world->scene, afx_scene_material(world->scene, 0), &material));
    AfxBodyId id = world_body(world, &ground);
    assert_ok(afx_scene_add_shape(world->scene, id, &plane));
}

/* A box that falls flat: contacts close, the order of the method goes down, it bounces; before, one iteration. */
static void a_box_bounces(void **state) {
    (void)state;
    World world = world_make(9.81, true);
    add_ground(&world, 0.5);
    AfxBodyId box = add_box(&world, (AfxVec3){0, 0, 0.5});
    AfxSimDef sim = afx_default_sim();
    world_start(&world, &sim);
    bool struck = false;
    for (int n = 0; n < 40 && !struck; n++) {
        AfxStepReport report;
        assert_ok(traced_step(world.sim, &report));
        struck = (report.flags & AFX_STEP_IMPACT) != 0;
        if (struck) {
            assert_true(count_kind(world.sim, AFX_TRACE_BOUNCE) >= 4);
            assert_int_equal(first_of(world.sim, AFX_TRACE_BOUNCE).body, box.index);
            assert_int_equal(count_kind(world.sim, AFX_TRACE_ORDER), 1);
            assert_true(first_of(world.sim, AFX_TRACE_ORDER).count > 0);
        } else {
            assert_int_equal(count_kind(world.sim, AFX_TRACE_SOLVE), 1);
            assert_int_equal(count_kind(world.sim, AFX_TRACE_BOUNCE), 0);
        }
    }
    assert_true(struck);
    world_free(&world);
}

/* A box that falls on a corner and comes to lie: contacts open and close, and bodies come to lie elsewhere. */
static void a_box_tumbles(void **state) {
    (void)state;
    World world = world_make(9.81, true);
    add_ground(&world, 0);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_box(0.2, 0.3, 0.1);
    def.pose = (AfxPose){{0, 0, 0.4}, {0.9, 0.3, 0.2, 0.24494897427831781}};
    AfxBodyId box = world_body(&world, &def);
    assert_ok(afx_scene_add_shape(world.scene, box, &shape));
    AfxSimDef sim = afx_default_sim();
    world_start(&world, &sim);
    uint32_t flips = 0, sets = 0, stale = 0;
    for (int n = 0; n < 100; n++) {
        assert_ok(traced_step(world.sim, NULL));
        for (uint32_t k = 0; k < afx_sim_trace_count(world.sim); k++) {
            AfxTraceEvent event = event_at(world.sim, k);
            if (event.kind == AFX_TRACE_SOLVE) {
                bool again = event.reason == AFX_TRACE_CONTACT_SET || event.reason == AFX_TRACE_FRICTION_LIMIT;
                assert_int_equal(event.verdict == AFX_TRACE_SAME_FRAMES, again);
                assert_int_equal(event.verdict == AFX_TRACE_RECOLLIDE, event.reason == AFX_TRACE_STALE);
                flips += event.changes.contacts;
                sets += again;
                stale += event.reason == AFX_TRACE_STALE;
            }
        }
    }
    assert_true(flips > 2 && sets > 2 && stale > 0);
    assert_int_equal(count_kind(world.sim, AFX_TRACE_BOUNCE), 0);
    world_free(&world);
}

/* Hinged bodies that are thrown by ever larger loads: their steps are cut, and at last fail; those of another island
 * are not. */
static void steps_are_cut_and_fail(void **state) {
    (void)state;
    static const double loads[] = {10, 300, 1000, 4000, 1e6, 1e200};
    bool cut = false, failed = false, whole = false;
    for (size_t l = 0; l < COUNT(loads); l++) {
        World world = world_make(9.81, false);
        AfxBodyId before = afx_world();
        AfxBodyDef other = rigid_def(1, 0.1, 0.1, 0.1);
        AfxBodyId pendulum = world_body(&world, &other);
        world_joint(&world, AFX_JOINT_REVOLUTE, before, pendulum,
                    afx_frame_along((AfxVec3){0.3, 0, 0}, (AfxVec3){0, 1, 0}));
        for (int k = 0; k < 3; k++) {
            AfxBodyDef def = rigid_def(0.1, 2e-4, 5e-4, 5e-4);
            def.pose.position = (AfxVec3){0.2 * k + 0.1, 0, 0};
            AfxBodyId body = world_body(&world, &def);
            AfxPose at = afx_pose_identity();
            at.position.x = 0.2 * k;
            world_joint(&world, AFX_JOINT_REVOLUTE, before, body, at);
            before = body;
        }
        AfxSimDef sim = afx_default_sim();
        sim.dt = 0.004;
        world_start(&world, &sim);
        double f = loads[l];
        AfxWrench wrench[4] = {[3] = {.force = {0, f, f}, .torque = {f, 0, f}}};
        assert_ok(afx_sim_set_body_wrenches(world.sim, wrench));
        AfxStepReport report;
        AfxStatus status = traced_step(world.sim, &report);
        assert_int_equal(count_kind(world.sim, AFX_TRACE_CUT) > 0, (report.flags & AFX_STEP_HALVED) != 0);
        assert_int_equal(count_kind(world.sim, AFX_TRACE_FAILED), status != AFX_OK);
        whole |= count_kind(world.sim, AFX_TRACE_CUT) == 0;
        if (count_kind(world.sim, AFX_TRACE_CUT)) {
            AfxTraceEvent event = first_of(world.sim, AFX_TRACE_CUT);
            cut = true;
            assert_int_equal(event.parts, 2);
            assert_int_equal(event.engine, AFX_TRACE_TREE);
            assert_int_equal(event.island, 1);
            assert_int_equal(event.bodies, 3);
            assert_true(event.reason == AFX_TRACE_CAP || event.reason == AFX_TRACE_NOT_FINITE);
            AfxTraceEvent last = event_at(world.sim, afx_sim_trace_count(world.sim) - 1);
            assert_true(status != AFX_OK || (last.part == last.parts && last.verdict == AFX_TRACE_ACCEPT));
        }
        for (uint32_t k = 0; k < afx_sim_trace_count(world.sim); k++) {
            AfxTraceEvent event = event_at(world.sim, k);
            assert_true(event.kind != AFX_TRACE_SOLVE || event.parts == 1 || event.island == 1);
        }
        if (status != AFX_OK) {
            AfxTraceEvent event = event_at(world.sim, afx_sim_trace_count(world.sim) - 1);
            failed = true;
            assert_int_equal(event.kind, AFX_TRACE_FAILED);
            assert_int_equal(event.status, status);
            assert_int_equal(event.body, report.body);
            assert_int_equal(event.verdict, AFX_TRACE_LOST);
            assert_true(event.reason == AFX_TRACE_CAP || event.reason == AFX_TRACE_NOT_FINITE);
        }
        world_free(&world);
    }
    assert_true(cut && failed && whole);
}

/* A joint that cannot bear the weight. */
static void a_joint_breaks(void **state) {
    (void)state;
    World world = world_make(9.81, false);
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    def.pose.position = (AfxVec3){0, 0, -1};
    AfxBodyId a = world_body(&world, &def), b = world_body(&world, &def);
    AfxJointId id;
    world_joint(&world, AFX_JOINT_SPHERICAL, afx_world(), a, afx_pose_identity());
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    joint.base = afx_world();
    joint.follower = b;
    joint.break_force = 5;
    assert_ok(afx_joint_place(world.scene, &joint, afx_pose_identity()));
    assert_ok(afx_scene_add_joint(world.scene, &joint, &id));
    AfxSimDef sim = afx_default_sim();
    world_start(&world, &sim);
    AfxStepReport report;
    assert_ok(traced_step(world.sim, &report));
    assert_true(report.flags & AFX_STEP_BROKEN);
    assert_int_equal(count_kind(world.sim, AFX_TRACE_BROKEN), 1);
    assert_int_equal(first_of(world.sim, AFX_TRACE_BROKEN).joint, 1);
    assert_ok(traced_step(world.sim, &report));
    assert_int_equal(count_kind(world.sim, AFX_TRACE_RESTART), 1);
    world_free(&world);
}

/* Which engine takes what, and stages and fixed numbers of iterations. */
static void engines_and_settings(void **state) {
    (void)state;
    static const struct {
        const char *name, *argument;
        AfxTraceEngine engine;
    } cases[] = {{"t-handle", NULL, AFX_TRACE_FREE},
                 {"chain", NULL, AFX_TRACE_CHAIN},
                 {"tree", "links=60", AFX_TRACE_TREE},
                 {"four-bar", NULL, AFX_TRACE_TREE},
                 {"hoberman", NULL, AFX_TRACE_GRAPH}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        AfxSimDef sim = afx_default_sim();
        sim.integrator = AFX_SDIRK2;
        sim.solves = 3;
        World world = world_case(cases[k].name, cases[k].argument, &sim);
        AfxStepReport report;
        assert_ok(traced_step(world.sim, &report));
        uint32_t stages = 0;
        for (uint32_t n = 0; n < afx_sim_trace_count(world.sim); n++) {
            AfxTraceEvent event = event_at(world.sim, n);
            if (event.kind == AFX_TRACE_SOLVE) {
                assert_int_equal(event.engine, cases[k].engine);
                assert_int_equal(event.reason, AFX_TRACE_FIXED_COUNT);
                assert_int_equal(event.verdict == AFX_TRACE_ACCEPT, event.solve == 3);
                stages |= 1u << event.stage;
            }
        }
        assert_int_equal(stages, 6);
        assert_int_equal(count_kind(world.sim, AFX_TRACE_SOLVE), cases[k].engine == AFX_TRACE_FREE ? 2 : 6);
        world_free(&world);
    }
    AfxSimDef sim = afx_default_sim();
    sim.integrator = AFX_BDF1;
    sim.formulation = AFX_MABD_PAPER;
    World world = world_case("chain", "n=5", &sim);
    assert_ok(traced_step(world.sim, NULL));
    assert_int_equal(first_of(world.sim, AFX_TRACE_SOLVE).engine, AFX_TRACE_PAPER);
    assert_int_equal(first_of(world.sim, AFX_TRACE_SOLVE).bodies, 5);
    world_free(&world);
}

/* The most frequent reason of iterations that were not accepted; of equals, the one that came first. */
static AfxTraceReason main_reason(const AfxSim *sim) {
    uint32_t counts[AFX_TRACE_REASON_COUNT] = {0}, best = 0;
    AfxTraceReason reason = AFX_TRACE_FINE;
    for (int again = 0; again < 2; again++) {
        for (uint32_t k = 0; k < afx_sim_trace_count(sim); k++) {
            AfxTraceEvent event = event_at(sim, k);
            if (event.kind != AFX_TRACE_SOLVE || event.verdict == AFX_TRACE_ACCEPT) {
                continue;
            }
            counts[event.reason] += again == 0;
            if (again && counts[event.reason] > best) {
                best = counts[event.reason];
                reason = event.reason;
            }
        }
    }
    return reason;
}

/* Of every step: as many iterations as its report says, of the island that took most; all islands accepted in the end,
 * with the residual of the report. */
static void events_agree_with_reports(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"falling-joints", "pairs=3"},
                                           {"net", "k=6"},
                                           {"hoberman", NULL},
                                           {"klann", NULL},
                                           {"stack", NULL},
                                           {"incline", NULL},
                                           {"tree", "links=60"},
                                           {"grasp", NULL}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        World world = world_case(cases[k][0], cases[k][1], NULL);
        for (int n = 0; n < 60; n++) {
            AfxStepReport report;
            uint32_t solves = 0, accepted = 0;
            double residual = 0;
            AfxTraceEvent last = {.kind = AFX_TRACE_STEP};
            assert_ok(traced_step(world.sim, &report));
            assert_int_equal(afx_sim_trace_dropped(world.sim), 0);
            assert_int_equal(afx_sim_trace_reason(world.sim), main_reason(world.sim));
            for (uint32_t e = 0; e < afx_sim_trace_count(world.sim); e++) {
                AfxTraceEvent event = event_at(world.sim, e);
                last = event.kind == AFX_TRACE_CUT ? event : last; /* sub-steps count anew */
                if (event.kind == AFX_TRACE_SOLVE && event.engine != AFX_TRACE_FREE) {
                    bool more =
                        last.kind == AFX_TRACE_SOLVE && last.island == event.island && last.verdict != AFX_TRACE_ACCEPT;
                    assert_true(!more || event.solve == last.solve + 1);
                    solves = event.solve > solves ? event.solve : solves;
                    if (event.verdict == AFX_TRACE_ACCEPT) {
                        residual = fmax(residual, event.residual);
                        accepted++;
                    }
                    last = event;
                }
            }
            if (report.flags & AFX_STEP_HALVED) {
                continue;
            }
            assert_true(accepted > 0 && last.verdict == AFX_TRACE_ACCEPT);
            assert_true(fabs(residual - report.residual) < 1e-15); /* one that was accepted may be solved once more */
            assert_int_equal(solves, report.solves);
        }
        world_free(&world);
    }
}

int run_event_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_takes_one_iteration),
        cmocka_unit_test(a_whip_turns_beyond_the_tolerance),
        cmocka_unit_test(a_limit_is_struck),
        cmocka_unit_test(a_box_bounces),
        cmocka_unit_test(a_box_tumbles),
        cmocka_unit_test(steps_are_cut_and_fail),
        cmocka_unit_test(a_joint_breaks),
        cmocka_unit_test(engines_and_settings),
        cmocka_unit_test(events_agree_with_reports),
    };
    return cmocka_run_group_tests_name("trace: events", tests, NULL, NULL);
}

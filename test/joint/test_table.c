/* SPDX-License-Identifier: Apache-2.0 */
/* Springs with tables: the table itself against numbers worked out by hand, motion on an axis and between points
 * against a Runge-Kutta of the same law, where the force falls, energy, parameters, and what is refused. */
#include "driven.h"

/* ---- the table ---- */

/* Worked out in fractions, by Hermite's functions and Fritsch and Butland's slopes; energy by Simpson, piece by piece.
 */
static void a_table_is_a_monotone_cubic(void **state) {
    (void)state;
    static const double x[] = {-1, 0, 1, 3, 4}, y[] = {-4, 0, 1, 9, 7};
    static const double want[][3] = {{-2, -9.5, 8.425},
                                     {-0.75, -2.6765625, 0.84287109375},
                                     {0.5, 0.5125, 0.14635416666666667},
                                     {1.5, 2.671875, 1.3579427083333333},
                                     {2.75, 8.697265625, 8.784090169270833},
                                     {3.5, 8.5, 15.425},
                                     {5, 7, 26.341666666666665}};
    AfxForceTable table = {x, y, COUNT(x)};
    double force, rise, energy;
    for (size_t k = 0; k < COUNT(want); k++) {
        assert_ok(afx_force_table_evaluate(&table, want[k][0], &force, &rise, &energy));
        assert_near(force, want[k][1], 1e-14 * 10);
        assert_near(energy, want[k][2], 1e-13);
    }
    for (size_t k = 0; k < COUNT(x); k++) {
        assert_ok(afx_force_table_evaluate(&table, x[k], &force, &rise, NULL));
        assert_near(force, y[k], 0);
    }
    double before = -4;
    for (int k = 0; k <= 400; k++) { /* rises with its samples, and the slope is that of the force */
        double at = -1 + 0.01 * k, next, last;
        assert_ok(afx_force_table_evaluate(&table, at, &force, &rise, NULL));
        assert_ok(afx_force_table_evaluate(&table, at + 1e-6, &next, NULL, NULL));
        assert_ok(afx_force_table_evaluate(&table, at - 1e-6, &last, NULL, NULL));
        assert_true(at <= 3 ? force >= before : force <= 9 && force >= 7);
        assert_near(rise, (next - last) / 2e-6, k == 400 ? 3 : 2e-5);
        before = force;
    }
    assert_int_equal(afx_force_table_evaluate(&table, NAN, &force, NULL, NULL), AFX_E_ARGUMENT);
    table.count = 1;
    assert_int_equal(afx_force_table_evaluate(&table, 0, &force, NULL, NULL), AFX_E_ARGUMENT);
}

/* ---- on an axis ---- */

/* Hard outside, soft inside, and not the same on both sides; a damper that grows. */
static const double off[] = {-0.4, -0.1, 0, 0.1, 0.5}, force_at[] = {-30, -2, 0, 1, 25};
static const double rates[] = {-3, 0, 3}, drag_at[] = {-3, 0, 1.5};

static AfxDriveDef tabled(AfxJointId joint, bool damped) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SPRING);
    def.joint = joint;
    def.rest = 0.05;
    def.spring_table = (AfxForceTable){off, force_at, COUNT(off)};
    if (damped) {
        def.damper_table = (AfxForceTable){rates, drag_at, COUNT(rates)};
    }
    return def;
}

static double law(const AfxDriveDef *def, double x, double v) {
    double spring = 0, damper = 0;
    assert_ok(afx_force_table_evaluate(&def->spring_table, x - def->rest, &spring, NULL, NULL));
    if (def->damper_table.count) {
        assert_ok(afx_force_table_evaluate(&def->damper_table, v, &damper, NULL, NULL));
    }
    return -spring - damper - def->stiffness * (x - def->rest) - def->damping * v;
}

/* x'' = law / inertia by Runge-Kutta, in small steps up to t. */
static double reference(const AfxDriveDef *def, double inertia, double x, double v, double t) {
    uint32_t steps = 4000;
    double h = t / steps;
    for (uint32_t n = 0; n < steps; n++) {
        double a1 = law(def, x, v) / inertia, v2 = v + 0.5 * h * a1;
        double a2 = law(def, x + 0.5 * h * v, v2) / inertia, v3 = v + 0.5 * h * a2;
        double a3 = law(def, x + 0.5 * h * v2, v3) / inertia, v4 = v + h * a3;
        double a4 = law(def, x + h * v3, v4) / inertia;
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

static void a_spring_with_tables_moves_as_it_should(void **state) {
    (void)state;
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_SDIRK2, AFX_BDF1};
    for (size_t k = 0; k < 2 * COUNT(methods); k++) {
        AfxJointKind kind = driven_both[k % 2];
        AfxIntegrator method = methods[k / 2];
        double e[3];
        for (int r = 0; r < 3; r++) {
            double dt = 4e-3 / (1 << r);
            Rig rig = rig_make(v3(0, 0, 0));
            AfxJointId joint = driven_add(&rig, kind, -0.2, 1);
            AfxDriveDef def = tabled(joint, true);
            uint32_t drive = add_drive(&rig, &def);
            AfxSimDef sim = sim_def(method, dt);
            rig_start(&rig, &sim);
            rig_run(&rig, (uint32_t)lround(1 / dt), NULL);
            e[r] = fabs(rig_coordinate(&rig, joint, 0) - reference(&def, driven_inertia(kind), -0.2, 1, 1));
            if (method == AFX_BDF2) { /* its law at the end of the step, to the tolerance of `fast` */
                double asked = law(&def, rig_coordinate(&rig, joint, 0), rate_of(&rig, joint));
                assert_near(effort_of(&rig, drive), asked, 1e-3 * fabs(asked) + 1e-4);
            }
            rig_free(&rig);
        }
        double least = method == AFX_BDF1     ? 0.7
                       : method == AFX_SDIRK2 ? 0.8
                                              : 1.6; /* SDIRK2 with joints: as any spring */
        print_message("table, method %d: %.2g %.2g %.2g\n", (int)method, e[0], e[1], e[2]);
        assert_below(e[2], method == AFX_BDF1 ? 1e-2 : 2e-4);
        assert_true(slope(e[0], e[2]) > 2 * least);
    }
}

/* A straight table is the linear spring, whatever its samples are. */
static void a_straight_table_is_a_linear_spring(void **state) {
    (void)state;
    static const double x[] = {-0.3, -0.1, 0.2}, y[] = {-12, -4, 8}, v[] = {-1, 0, 2}, d[] = {-0.5, 0, 1};
    for (int k = 0; k < 2; k++) {
        double end[2];
        for (int linear = 0; linear < 2; linear++) {
            Rig rig = rig_make(v3(0, 0, -9.81));
            AfxJointId joint = driven_add(&rig, driven_both[k], 0, 2);
            AfxDriveDef def = afx_default_drive(AFX_DRIVE_SPRING);
            def.joint = joint;
            def.rest = 0.1;
            if (linear) {
                def.stiffness = 40;
                def.damping = 0.5;
            } else {
                def.spring_table = (AfxForceTable){x, y, COUNT(x)};
                def.damper_table = (AfxForceTable){v, d, COUNT(v)};
            }
            add_drive(&rig, &def);
            AfxSimDef sim = sim_def(AFX_BDF2, 0.01);
            rig_start(&rig, &sim);
            rig_run(&rig, 200, NULL);
            end[linear] = rig_coordinate(&rig, joint, 0);
            rig_free(&rig);
        }
        assert_near(end[0], end[1], 1e-11);
    }
}

/* A free gap with stiff walls: between them nothing slows it down, and it comes back as fast as it came. */
static void a_gap_bounces(void **state) {
    (void)state;
    static const double x[] = {-0.11, -0.1, 0.1, 0.11}, y[] = {-2000, 0, 0, 2000};
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_PRISMATIC, 0, 1);
    AfxDriveDef def = tabled(joint, false);
    def.rest = 0;
    def.spring_table = (AfxForceTable){x, y, COUNT(x)};
    add_drive(&rig, &def);
    AfxSimDef sim = sim_def(AFX_BDF2, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 95, NULL);
    assert_near(rate_of(&rig, joint), 1, 1e-12);
    rig_run(&rig, 55, NULL); /* off the wall, where it takes about 10 ms to turn round */
    assert_near(rate_of(&rig, joint), -1, 0.03);
    assert_true(rate_of(&rig, joint) > -1);
    rig_free(&rig);
}

/* ---- where the force falls ---- */

/* A toggle: level at -0.1, 0 and 0.1, and in between it pushes away from the middle. A slow push over the middle snaps
 * through and comes to rest on the other side, where its force carries the load. */
static void a_toggle_snaps_through(void **state) {
    (void)state;
    static const double x[] = {-0.2, -0.1, -0.05, 0, 0.05, 0.1, 0.2}, y[] = {-60, 0, 10, 0, -10, 0, 60};
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_SDIRK2, AFX_BDF1};
    for (size_t k = 0; k < 2 * COUNT(methods); k++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxJointId joint = driven_add(&rig, driven_both[k % 2], -0.1, 0);
        AfxDriveDef def = tabled(joint, false), push = afx_default_drive(AFX_DRIVE_FORCE);
        def.rest = 0;
        def.damping = 20;
        def.spring_table = (AfxForceTable){x, y, COUNT(x)};
        uint32_t spring = add_drive(&rig, &def);
        push.joint = joint;
        push.target = signal_polynomial(0, 6, 0, 0); /* 12 after two seconds */
        add_drive(&rig, &push);
        AfxSimDef sim = sim_def(methods[k / 2], 0.01);
        uint32_t flags;
        rig_start(&rig, &sim);
        rig_run(&rig, 150, &flags);
        assert_below(rig_coordinate(&rig, joint, 0), -0.05); /* 9 of the 10 that it takes */
        rig_run(&rig, 250, &flags);
        double load = 6 * afx_sim_time(rig.sim), at = rig_coordinate(&rig, joint, 0), carried;
        assert_true(at > 0.1);
        assert_int_equal(flags & AFX_STEP_HALVED, 0);
        assert_ok(afx_force_table_evaluate(&def.spring_table, at, &carried, NULL, NULL));
        assert_near(effort_of(&rig, spring), -load, 0.3);
        assert_near(carried, load, 0.3);
        rig_free(&rig);
    }
}

/* Run into a part of the table that is twenty times as steep, in steps that are long for it: the force of every step is
 * the table's where the step ends. */
static void a_step_ends_on_the_table(void **state) {
    (void)state;
    static const double x[] = {-0.3, -0.1, 0, 0.1, 0.3}, y[] = {-410, -10, 0, 10, 410};
    for (size_t k = 0; k < 2; k++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxJointId joint = driven_add(&rig, driven_both[k], 0.25, 0);
        AfxDriveDef def = tabled(joint, false);
        def.rest = 0;
        def.spring_table = (AfxForceTable){x, y, COUNT(x)};
        uint32_t spring = add_drive(&rig, &def);
        AfxSimDef sim = accurate_def(AFX_BDF2, 0.02);
        rig_start(&rig, &sim);
        for (int n = 0; n < 40; n++) {
            double force;
            assert_ok(afx_step(rig.sim, NULL));
            assert_ok(afx_force_table_evaluate(&def.spring_table, rig_coordinate(&rig, joint, 0), &force, NULL, NULL));
            assert_near(effort_of(&rig, spring), -force, 1e-3 * fabs(force) + 1e-6);
        }
        rig_free(&rig);
    }
}

/* ---- energy ---- */

/* The book has what the table holds, to rounding; undamped nothing is made. */
static void the_book_has_its_energy(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool damped = k / 2;
        Rig rig = rig_make(v3(0, 0, 0));
        AfxJointId joint = driven_add(&rig, driven_both[k % 2], 0.4, 0);
        AfxDriveDef def = tabled(joint, damped);
        add_drive(&rig, &def);
        AfxSimDef sim = accurate_def(AFX_BDF2, 1e-3);
        rig_start(&rig, &sim);
        assert_ok(afx_sim_set_energy_book(rig.sim, true));
        double start, held, lost = 0;
        assert_ok(afx_force_table_evaluate(&def.spring_table, 0.35, NULL, NULL, &start));
        for (int n = 0; n < 500; n++) {
            AfxEnergyBook book;
            rig_run(&rig, 1, NULL);
            assert_ok(afx_sim_energy_book(rig.sim, &book, NULL));
            assert_ok(afx_force_table_evaluate(&def.spring_table, rig_coordinate(&rig, joint, 0) - def.rest, NULL, NULL,
                                               &held));
            assert_near(book.springs, held, 1e-12 * start);
            lost += book.dampers;
            assert_true(damped ? book.dampers <= 1e-9 : book.dampers == 0);
            assert_near(book.kinetic + held - lost, start, 1e-3 * start); /* BDF2 loses that */
        }
        assert_true(damped ? lost < -0.05 * start : lost == 0);
        rig_free(&rig);
    }
}

/* ---- between points ---- */

/* Two balls apart on a line, pulled by a spring with a table: the distance moves as one body of their reduced mass. */
static void a_table_acts_between_points(void **state) {
    (void)state;
    for (int world = 0; world < 2; world++) {
        double e[2];
        for (int r = 0; r < 2; r++) {
            Rig rig = rig_make(v3(0, 0, 0));
            AfxBodyDef a = rigid_def(2, 0.1, 0.1, 0.1), b = rigid_def(3, 0.2, 0.2, 0.2);
            a.pose.position = v3(0.5, 0, 0);
            a.linear_velocity = v3(0.4, 0, 0);
            AfxSpringDef def = afx_default_spring();
            AfxSpringId id;
            def.body_a = rig_body(&rig, &a);
            def.body_b = world ? afx_world() : rig_body(&rig, &b);
            def.rest_length = 0.3;
            def.spring_table = (AfxForceTable){off, force_at, COUNT(off)};
            def.damper_table = (AfxForceTable){rates, drag_at, COUNT(rates)};
            assert_ok(afx_scene_add_spring(rig.scene, &def, &id));
            AfxSimDef sim = sim_def(AFX_BDF2, r ? 1e-3 : 2e-3);
            rig_start(&rig, &sim);
            rig_run(&rig, r ? 1000 : 500, NULL);
            AfxDriveDef same = {.rest = 0.3, .spring_table = def.spring_table, .damper_table = def.damper_table};
            AfxVec3 other = world ? v3(0, 0, 0) : rig_pose(&rig, def.body_b).position;
            double length = v3_norm(v3_sub(rig_pose(&rig, def.body_a).position, other)), told, rate, asked;
            e[r] = fabs(length - reference(&same, world ? 2 : 2 * 3 / 5.0, 0.5, 0.4, 1));
            AfxVec3 v = world ? v3(0, 0, 0) : rig_twist(&rig, def.body_b).linear;
            rate = v3_sub(rig_twist(&rig, def.body_a).linear, v).x;
            asked = -law(&same, length, rate);
            assert_ok(afx_sim_spring_force(rig.sim, 0, &told));
            assert_near(told, asked, 1e-3 * fabs(asked) + 1e-4);
            rig_free(&rig);
        }
        print_message("table between points: %.2g %.2g\n", e[0], e[1]);
        assert_below(e[1], 1e-4);
        assert_true(slope(e[0], e[1]) > 1.6);
    }
}

/* ---- parameters, starts, what is refused ---- */

/* A load hangs where the table carries it; a sample is made stiffer, and it hangs higher. */
static void samples_are_parameters(void **state) {
    (void)state;
    static const double x[] = {-0.4, -0.2, 0, 0.2}, y[] = {-80, -20, 0, 30};
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_PRISMATIC, 0, 0);
    AfxDriveDef def = tabled(joint, true);
    double weight = DRIVEN_MASS * 9.81, at[2], effort;
    def.rest = 0;
    def.damping = 30;
    def.spring_table = (AfxForceTable){x, y, COUNT(x)};
    uint32_t drive = add_drive(&rig, &def), count, other;
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    assert_ok(afx_sim_start_reactions(rig.sim));
    assert_near(effort_of(&rig, drive), 0, 1e-12);
    uint32_t first = afx_model_drive_table(rig.model, drive, false, &count);
    assert_int_equal(count, COUNT(x));
    assert_int_equal(afx_model_drive_table(rig.model, drive, true, &other), first + count);
    assert_int_equal(other, COUNT(rates));
    assert_int_equal(afx_model_spring_table(rig.model, 0, false, &other), 0);
    assert_int_equal(other, 0);
    double samples[] = {-80, -20, 0, 30};
    for (int k = 0; k < 2; k++) {
        AfxForceTable now = {x, samples, COUNT(x)};
        rig_run(&rig, 600, NULL);
        at[k] = rig_coordinate(&rig, joint, 0);
        assert_ok(afx_force_table_evaluate(&now, at[k], &effort, NULL, NULL));
        assert_near(-effort, weight, 1e-6);
        samples[1] = -40;
        assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_TABLE, first + 1, &samples[1]));
    }
    assert_true(at[1] > at[0] + 0.05);
    double wrong[] = {NAN, 0.1, 1};
    assert_int_equal(afx_sim_set_param(rig.sim, AFX_PARAM_TABLE, first, &wrong[0]), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_param(rig.sim, AFX_PARAM_TABLE, first + count, &wrong[1]),
                     AFX_E_ARGUMENT); /* drives */
    assert_int_equal(afx_sim_set_param(rig.sim, AFX_PARAM_TABLE, first + count + 1, &wrong[2]), AFX_E_ARGUMENT);
    rig_free(&rig);
}

static void the_start_has_its_force(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_PRISMATIC, 0.35, 1.5);
    AfxDriveDef def = tabled(joint, true);
    uint32_t drive = add_drive(&rig, &def);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    assert_ok(afx_sim_start_reactions(rig.sim));
    assert_near(effort_of(&rig, drive), law(&def, 0.35, 1.5), 1e-9);
    rig_free(&rig);
}

static void bad_tables_are_refused(void **state) {
    (void)state;
    static const double rising[] = {0, 1}, level[] = {1, 1}, forces[] = {0, 1}, drives[] = {0, -1}, lost[] = {0, NAN};
    static const double late[] = {1, 2};
    const struct {
        AfxForceTable spring, damper;
        const char *text;
    } cases[] = {
        {{rising, forces, 1}, {0}, "one sample"},     {{level, forces, 2}, {0}, "do not rise"},
        {{rising, lost, 2}, {0}, "not finite"},       {{NULL, forces, 2}, {0}, "no positions"},
        {{0}, {rising, drives, 2}, "drives"},         {{0}, {late, forces, 2}, "at rate 0"},
        {{0}, {rising, forces, 1}, "damper has one"},
    };
    Rig rig = rig_make(v3(0, 0, 0));
    AfxJointId joint = driven_add(&rig, AFX_JOINT_PRISMATIC, 0, 0);
    for (size_t k = 0; k < COUNT(cases); k++) {
        AfxDriveDef def = afx_default_drive(AFX_DRIVE_SPRING);
        AfxSpringDef spring = afx_default_spring();
        AfxDriveId id;
        AfxSpringId spring_id;
        def.joint = joint;
        def.spring_table = spring.spring_table = cases[k].spring;
        def.damper_table = spring.damper_table = cases[k].damper;
        assert_int_equal(afx_scene_add_drive(rig.scene, &def, &id), AFX_E_INPUT);
        assert_non_null(strstr(afx_scene_error(rig.scene)->text, cases[k].text));
        spring.body_a = afx_scene_body(rig.scene, 0);
        assert_int_equal(afx_scene_add_spring(rig.scene, &spring, &spring_id), AFX_E_INPUT);
        assert_non_null(strstr(afx_scene_error(rig.scene)->text, cases[k].text));
        def.kind = AFX_DRIVE_LIMIT; /* which has none */
        assert_ok(afx_scene_add_drive(rig.scene, &def, &id));
        assert_ok(afx_scene_get_drive(rig.scene, id.index, &def));
        assert_int_equal(def.spring_table.count + def.damper_table.count, 0);
    }
    rig_free(&rig);
}

int run_table_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_a_monotone_cubic),
        cmocka_unit_test(a_spring_with_tables_moves_as_it_should),
        cmocka_unit_test(a_straight_table_is_a_linear_spring),
        cmocka_unit_test(a_gap_bounces),
        cmocka_unit_test(a_toggle_snaps_through),
        cmocka_unit_test(a_step_ends_on_the_table),
        cmocka_unit_test(the_book_has_its_energy),
        cmocka_unit_test(a_table_acts_between_points),
        cmocka_unit_test(samples_are_parameters),
        cmocka_unit_test(the_start_has_its_force),
        cmocka_unit_test(bad_tables_are_refused),
    };
    return cmocka_run_group_tests_name("tables of springs", tests, NULL, NULL);
}

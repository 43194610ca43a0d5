/* SPDX-License-Identifier: Apache-2.0 */
/* Drives: in and out, and what is refused. */
#include "tests.h"

static const double times[3] = {0, 1, 2}, values[3] = {3, 4, 3}, falling[3] = {0, 2, 1};

static AfxSignal table(const double *t, const double *v) {
    return (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = t, .values = v, .sample_count = 3};
}

/** A drive of a kind on axis 0 of a joint. */
static AfxDriveDef drive_on(AfxDriveKind kind, AfxJointId joint) {
    AfxDriveDef def = afx_default_drive(kind);
    def.joint = joint;
    return def;
}

/** A joint between the world and a new body. */
static AfxJointId joint_of(AfxScene *scene, const char *name, AfxJointKind kind) {
    return add_joint(scene, name, kind, add_body(scene, NULL));
}

static void defaults_do_not_limit(void **state) {
    (void)state;
    for (int k = 0; k <= AFX_DRIVE_FRICTION; k++) {
        AfxDriveDef def = afx_default_drive((AfxDriveKind)k);
        assert_int_equal(def.kind, k);
        assert_true(!def.name && def.axis == 0 && !def.from_input);
        assert_true(def.joint.scene == 0 && def.joint.index == UINT32_MAX);
        assert_true(def.stiffness == 0 && def.damping == 0 && def.rest == 0 && def.restitution == 0);
        assert_true(def.coefficient == 0 && def.radius == 0);
        assert_true(def.lower == -INFINITY && def.upper == INFINITY);
        assert_true(def.effort == (k == AFX_DRIVE_FRICTION ? 0 : INFINITY)); /* no friction, not any */
        assert_int_equal(def.target.kind, AFX_SIGNAL_CONSTANT);
    }
}

static void drives_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxJointId hip = joint_of(scene, "hip", AFX_JOINT_UNIVERSAL);
    double own_times[3], own_values[3];
    memcpy(own_times, times, sizeof times);
    memcpy(own_values, values, sizeof values);
    char name[] = "hip"; /* joints have names of their own */
    AfxDriveDef def = drive_on(AFX_DRIVE_SERVO, hip), got;
    AfxDriveId first, second;
    def.name = name;
    def.axis = 1;
    def.target = table(own_times, own_values);
    def.target.coefficients[0] = 5; /* not used, not kept */
    def.stiffness = 1;
    def.damping = 2;
    def.rest = -3;
    def.effort = 4;
    def.lower = -5;
    def.upper = 6;
    def.restitution = 0.7;
    def.coefficient = 0.8;
    def.radius = 0.9;
    assert_ok(afx_scene_add_drive(scene, &def, &first));
    own_times[1] = own_values[1] = NAN; /* the scene has its own copies */
    name[0] = 'z';
    AfxDriveDef limit = drive_on(AFX_DRIVE_LIMIT, hip);
    assert_ok(afx_scene_add_drive(scene, &limit, &second));
    assert_int_equal(afx_scene_drive_count(scene), 2);
    assert_int_equal(first.index, 0);
    assert_int_equal(second.index, 1);
    assert_int_equal(second.scene, hip.scene);
    memset(&got, 0xA5, sizeof got);
    assert_ok(afx_scene_get_drive(scene, 0, &got));
    assert_int_equal(got.cookie, def.cookie);
    assert_string_equal(got.name, "hip");
    assert_int_equal(got.kind, AFX_DRIVE_SERVO);
    assert_memory_equal(&got.joint, &hip, sizeof hip);
    assert_int_equal(got.axis, 1);
    assert_true(got.stiffness == 1 && got.damping == 2 && got.rest == -3 && got.effort == 4);
    assert_true(got.lower == -5 && got.upper == 6 && got.restitution == 0.7);
    assert_true(got.coefficient == 0.8 && got.radius == 0.9 && !got.from_input);
    assert_int_equal(got.target.kind, AFX_SIGNAL_TABLE);
    assert_int_equal(got.target.sample_count, 3);
    assert_ptr_not_equal(got.target.times, own_times);
    assert_memory_equal(got.target.times, times, sizeof times);
    assert_memory_equal(got.target.values, values, sizeof values);
    assert_true(got.target.coefficients[0] == 0);
    assert_ok(afx_scene_get_drive(scene, 1, &got));
    assert_null(got.name);
    assert_int_equal(got.kind, AFX_DRIVE_LIMIT);
    assert_true(got.axis == 0 && got.lower == -INFINITY && got.upper == INFINITY && got.effort == INFINITY);
    afx_scene_destroy(scene);
}

/* Kinds without a target, and drives that take it from the sim, keep no signal; even a wrong one is not looked at. */
static void an_unused_target_is_not_kept(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxJointId joint = joint_of(scene, NULL, AFX_JOINT_FREE);
    for (uint32_t k = 0; k <= AFX_DRIVE_FRICTION; k++) {
        bool targeted = k <= AFX_DRIVE_SERVO;
        AfxDriveDef def = drive_on((AfxDriveKind)k, joint), got;
        AfxDriveId id;
        def.axis = k % 6;
        def.from_input = targeted;
        def.target = table(falling, (const double *)(uintptr_t)8);
        assert_ok(afx_scene_add_drive(scene, &def, &id));
        assert_ok(afx_scene_get_drive(scene, id.index, &got));
        assert_int_equal(got.kind, k);
        assert_int_equal(got.from_input, targeted);
        assert_int_equal(got.target.kind, AFX_SIGNAL_CONSTANT);
        assert_null(got.target.times);
        assert_true(got.target.coefficients[0] == 0);
        if (!targeted) { /* there is nothing that could come from the sim */
            def.from_input = true;
            assert_ok(afx_scene_add_drive(scene, &def, &id));
            assert_ok(afx_scene_get_drive(scene, id.index, &got));
            assert_false(got.from_input);
        }
    }
    afx_scene_destroy(scene);
}

static void every_axis_of_every_kind_can_be_driven_and_no_other(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        AfxDriveDef def = drive_on(AFX_DRIVE_POSITION, joint_of(scene, NULL, (AfxJointKind)kind));
        AfxDriveId id;
        uint32_t count = afx_joint_axis_count((AfxJointKind)kind), before = afx_scene_drive_count(scene);
        for (uint32_t k = 0; k <= AFX_AXIS_ANGLE + 1; k++) { /* swing, twist and angle cannot be held */
            def.axis = k;
            assert_int_equal(afx_scene_add_drive(scene, &def, &id), k < count ? AFX_OK : AFX_E_INPUT);
        }
        char element[32], text[80];
        snprintf(element, sizeof element, "drive #%u", (unsigned)afx_scene_drive_count(scene));
        snprintf(text, sizeof text, "its axis is 9, but a joint of kind %s has %u free",
                 afx_joint_kind_name((AfxJointKind)kind), (unsigned)count);
        assert_error(scene, AFX_E_INPUT, element, text);
        assert_int_equal(afx_scene_drive_count(scene), before + count);
        def.axis = 256; /* not cut to what is stored */
        assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
        def.axis = UINT32_MAX;
        assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
    }
    afx_scene_destroy(scene);
}

/* ---- what is refused ---- */

typedef struct Case {
    void (*edit)(AfxDriveDef *d);
    const char *text; /* part of the error's text; NULL: the definition is right */
} Case;

#define CASE(name, statement)          \
    static void name(AfxDriveDef *d) { \
        statement;                     \
    }

CASE(kind_above, d->kind = (AfxDriveKind)(AFX_DRIVE_FRICTION + 1))
CASE(kind_below, d->kind = (AfxDriveKind)-1)
CASE(axis_above, d->axis = 1)
CASE(position_table, d->kind = AFX_DRIVE_POSITION; d->target = table(falling, values))
CASE(velocity_table, d->kind = AFX_DRIVE_VELOCITY; d->target = table(NULL, values))
CASE(force_kind, d->kind = AFX_DRIVE_FORCE; d->target.kind = (AfxSignalKind)9)
CASE(servo_nan, d->kind = AFX_DRIVE_SERVO; d->target.coefficients[0] = NAN)
CASE(stiffness_negative, d->stiffness = -1)
CASE(stiffness_inf, d->stiffness = INFINITY)
CASE(damping_negative, d->damping = -1)
CASE(damping_nan, d->damping = NAN)
CASE(rest_nan, d->kind = AFX_DRIVE_SPRING; d->rest = NAN)
CASE(effort_zero, d->effort = 0)
CASE(effort_negative, d->effort = -1)
CASE(effort_nan, d->effort = NAN)
CASE(friction_negative, d->kind = AFX_DRIVE_FRICTION; d->effort = -1)
CASE(friction_nan, d->kind = AFX_DRIVE_FRICTION; d->effort = NAN)
CASE(limits_crossed, d->kind = AFX_DRIVE_LIMIT; d->lower = 1; d->upper = 0.5)
CASE(lower_nan, d->kind = AFX_DRIVE_LIMIT; d->lower = NAN)
CASE(upper_nan, d->kind = AFX_DRIVE_LIMIT; d->upper = NAN)
CASE(lower_inf, d->kind = AFX_DRIVE_LIMIT; d->lower = INFINITY)
CASE(upper_inf, d->kind = AFX_DRIVE_LIMIT; d->upper = -INFINITY)
CASE(restitution_negative, d->kind = AFX_DRIVE_LIMIT; d->restitution = -0.1)
CASE(restitution_above, d->kind = AFX_DRIVE_LIMIT; d->restitution = 1.1)
CASE(restitution_nan, d->kind = AFX_DRIVE_LIMIT; d->restitution = NAN)
CASE(coefficient_negative, d->kind = AFX_DRIVE_FRICTION; d->coefficient = -0.1)
CASE(coefficient_inf, d->kind = AFX_DRIVE_FRICTION; d->coefficient = INFINITY)
CASE(radius_negative, d->kind = AFX_DRIVE_FRICTION; d->radius = -0.1)
CASE(radius_nan, d->kind = AFX_DRIVE_FRICTION; d->radius = NAN)
CASE(right_servo, (void)d)
CASE(right_table, d->target = table(times, values))
CASE(right_friction, d->kind = AFX_DRIVE_FRICTION; d->effort = 0)
CASE(right_brake, d->kind = AFX_DRIVE_FRICTION; d->effort = INFINITY)
CASE(right_stop, d->kind = AFX_DRIVE_LIMIT; d->lower = d->upper = 1; d->restitution = 1)
CASE(right_lower_only, d->kind = AFX_DRIVE_LIMIT; d->lower = -1)
CASE(right_upper_only, d->kind = AFX_DRIVE_LIMIT; d->upper = -1)

static const Case cases[] = {
    {kind_above, "its kind is not one of"},
    {kind_below, "its kind is not one of"},
    {axis_above, "its axis is 1, but a joint of kind revolute has 1 free"},
    {position_table, "the signal of its target is not valid: the times of its table do not rise"},
    {velocity_table, "the signal of its target is not valid: its table has no times"},
    {force_kind, "the signal of its target is not valid: its kind"},
    {servo_nan, "the signal of its target is not valid: a coefficient is not finite"},
    {stiffness_negative, "its stiffness is negative"},
    {stiffness_inf, "its stiffness is not finite"},
    {damping_negative, "its damping is negative"},
    {damping_nan, "its damping is not finite"},
    {rest_nan, "its rest position is not finite"},
    {effort_zero, "its effort is not positive"},
    {effort_negative, "its effort is not positive"},
    {effort_nan, "its effort is not positive"},
    {friction_negative, "its effort is negative"},
    {friction_nan, "its effort is negative"},
    {limits_crossed, "its lower limit is not below"},
    {lower_nan, "its lower limit is not below"},
    {upper_nan, "its lower limit is not below"},
    {lower_inf, "its lower limit is not below"},
    {upper_inf, "its lower limit is not below"},
    {restitution_negative, "its restitution is not between 0 and 1"},
    {restitution_above, "its restitution is not between 0 and 1"},
    {restitution_nan, "its restitution is not between 0 and 1"},
    {coefficient_negative, "its coefficient of friction is negative"},
    {coefficient_inf, "its coefficient of friction is not finite"},
    {radius_negative, "its radius is negative"},
    {radius_nan, "its radius is not finite"},
    {right_servo, NULL},
    {right_table, NULL},
    {right_friction, NULL},
    {right_brake, NULL},
    {right_stop, NULL},
    {right_lower_only, NULL},
    {right_upper_only, NULL},
};

static void every_case_is_judged(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        AfxScene *scene = make_scene();
        AfxJointId joint = joint_of(scene, NULL, AFX_JOINT_REVOLUTE);
        AfxDriveDef def = drive_on(AFX_DRIVE_FORCE, joint);
        AfxDriveId id;
        assert_ok(afx_scene_add_drive(scene, &def, &id));
        for (int named = 0; named < 2; named++) {
            def = drive_on(AFX_DRIVE_SERVO, joint);
            def.name = named ? "motor" : NULL;
            cases[k].edit(&def);
            if (afx_scene_add_drive(scene, &def, &id) != (cases[k].text ? AFX_E_INPUT : AFX_OK)) {
                fail_msg("case %zu: %s", k, cases[k].text ? cases[k].text : "right");
            }
            if (cases[k].text) {
                assert_error(scene, AFX_E_INPUT, named ? "drive \"motor\"" : "drive #1", cases[k].text);
                assert_int_equal(id.scene, 0);
                assert_int_equal(id.index, UINT32_MAX);
            }
        }
        assert_int_equal(afx_scene_drive_count(scene), cases[k].text ? 1 : 3);
        def = drive_on(AFX_DRIVE_FORCE, joint); /* no name was taken by a drive that was refused */
        def.name = "motor";
        assert_int_equal(afx_scene_add_drive(scene, &def, &id), cases[k].text ? AFX_OK : AFX_E_INPUT);
        afx_scene_destroy(scene);
    }
}

static void two_exact_drives_on_one_axis_are_refused(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxJointId knee = joint_of(scene, "knee", AFX_JOINT_REVOLUTE), hip = joint_of(scene, NULL, AFX_JOINT_UNIVERSAL);
    AfxDriveId id;
    AfxDriveDef other = drive_on(AFX_DRIVE_SERVO, hip), first = drive_on(AFX_DRIVE_POSITION, hip), def = first;
    assert_ok(afx_scene_add_drive(scene, &other, &id));
    other.joint = knee;
    other.kind = AFX_DRIVE_POSITION;
    assert_ok(afx_scene_add_drive(scene, &other, &id));
    assert_ok(afx_scene_add_drive(scene, &first, &id));
    def.name = "again";
    assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "drive \"again\"", "drive #2 holds axis 0 of joint #1 already");
    def.kind = AFX_DRIVE_VELOCITY;
    assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
    def.axis = 1;
    def.name = "spin";
    assert_ok(afx_scene_add_drive(scene, &def, &id));
    def.name = NULL;
    def.kind = AFX_DRIVE_POSITION;
    assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "drive #4", "drive \"spin\" holds axis 1 of joint #1 already");
    def.axis = 0;
    assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "drive #4", "drive #2 holds axis 0 of joint #1 already");
    other.kind = AFX_DRIVE_VELOCITY;
    assert_int_equal(afx_scene_add_drive(scene, &other, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "drive #4", "drive #1 holds axis 0 of joint \"knee\" already");
    assert_int_equal(afx_scene_drive_count(scene), 4);
    for (int kind = AFX_DRIVE_FORCE; kind <= AFX_DRIVE_FRICTION; kind++) { /* the others may be there, twice too */
        def = drive_on((AfxDriveKind)kind, hip);
        assert_ok(afx_scene_add_drive(scene, &def, &id));
        assert_ok(afx_scene_add_drive(scene, &def, &id));
    }
    afx_scene_destroy(scene);
}

static void names_are_unique_among_drives(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxDriveDef def = drive_on(AFX_DRIVE_FORCE, joint_of(scene, "motor", AFX_JOINT_REVOLUTE));
    AfxDriveId id;
    assert_ok(afx_scene_add_drive(scene, &def, &id));
    def.name = "";
    assert_ok(afx_scene_add_drive(scene, &def, &id));
    def.name = "motor";
    assert_ok(afx_scene_add_drive(scene, &def, &id));
    assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "drive \"motor\"", "drive #2 is called \"motor\" already");
    afx_scene_destroy(scene);
}

static void misuse_is_told(void **state) {
    (void)state;
    AfxScene *scene = make_scene(), *other = make_scene();
    AfxJointId joint = joint_of(scene, NULL, AFX_JOINT_REVOLUTE), foreign = joint_of(other, NULL, AFX_JOINT_REVOLUTE);
    const AfxJointId wrong[] = {foreign, {1, joint.scene}, {UINT32_MAX, joint.scene}, {UINT32_MAX, 0}};
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_FORCE);
    AfxDriveId id = {0, 1};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        def.joint = wrong[k];
        assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_ARGUMENT);
        assert_error(scene, AFX_E_ARGUMENT, "drive #0", "its joint id is stale, or from another scene");
        assert_int_equal(id.scene, 0);
    }
    def.joint = joint;
    id.scene = 1;
    assert_int_equal(afx_scene_add_drive(NULL, &def, &id), AFX_E_ARGUMENT);
    assert_int_equal(id.scene, 0);
    assert_int_equal(afx_scene_add_drive(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "drive #0", "def is NULL");
    assert_int_equal(afx_scene_add_drive(scene, &def, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "drive #0", "out_drive is NULL");
    def.cookie = 0;
    def.name = (const char *)(uintptr_t)1; /* not read */
    assert_int_equal(afx_scene_add_drive(scene, &def, &id), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "drive #0", "not made by this version");
    assert_int_equal(afx_scene_drive_count(scene), 0);
    assert_int_equal(afx_scene_drive_count(NULL), 0);
    assert_int_equal(afx_scene_get_drive(scene, 0, &def), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "drive #0", "no such drive");
    assert_int_equal(afx_scene_get_drive(scene, 0, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "drive #0", "out_def is NULL");
    assert_int_equal(afx_scene_get_drive(NULL, 0, &def), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
    afx_scene_destroy(other);
}

int run_drive_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_do_not_limit),
        cmocka_unit_test(drives_come_back),
        cmocka_unit_test(an_unused_target_is_not_kept),
        cmocka_unit_test(every_axis_of_every_kind_can_be_driven_and_no_other),
        cmocka_unit_test(every_case_is_judged),
        cmocka_unit_test(two_exact_drives_on_one_axis_are_refused),
        cmocka_unit_test(names_are_unique_among_drives),
        cmocka_unit_test(misuse_is_told),
    };
    return cmocka_run_group_tests_name("drive", tests, NULL, NULL);
}

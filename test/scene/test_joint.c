/* SPDX-License-Identifier: Apache-2.0 */
/* Joints: kinds, definitions in and out, and what is refused. */
#include "tests.h"

static void kinds_have_names_and_axes(void **state) {
    (void)state;
    static const struct {
        AfxJointKind kind;
        const char *name;
        uint32_t axes; /* degrees of freedom, but for links (not all are coordinates) and the screw (two, tied) */
    } kinds[] = {
        {AFX_JOINT_FIXED, "fixed", 0},
        {AFX_JOINT_PRISMATIC, "prismatic", 1},
        {AFX_JOINT_REVOLUTE, "revolute", 1},
        {AFX_JOINT_RECTANGULAR, "rectangular", 2},
        {AFX_JOINT_CYLINDRICAL, "cylindrical", 2},
        {AFX_JOINT_PIN_IN_SLOT, "pin-in-slot", 2},
        {AFX_JOINT_UNIVERSAL, "universal", 2},
        {AFX_JOINT_CARTESIAN, "cartesian", 3},
        {AFX_JOINT_PLANAR, "planar", 3},
        {AFX_JOINT_SPHERICAL, "spherical", 3},
        {AFX_JOINT_SLOT, "slot", 4},
        {AFX_JOINT_FREE, "free", 6},
        {AFX_JOINT_DISTANCE, "distance", 0},
        {AFX_JOINT_SCREW, "screw", 2},
        {AFX_JOINT_REVOLUTE_POINTS, "revolute-points", 1},
        {AFX_JOINT_REVOLUTE_SPHERICAL, "revolute-spherical", 0},
        {AFX_JOINT_REVOLUTE_REVOLUTE, "revolute-revolute", 1},
        {AFX_JOINT_POINT_ON_PLANE, "point-on-plane", 5},
        {AFX_JOINT_PARALLEL_AXES, "parallel-axes", 4},
    };
    assert_int_equal(sizeof kinds / sizeof *kinds, AFX_JOINT_KIND_COUNT);
    for (size_t k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        assert_string_equal(afx_joint_kind_name(kinds[k].kind), kinds[k].name);
        assert_int_equal(afx_joint_axis_count(kinds[k].kind), kinds[k].axes);
    }
    assert_string_equal(afx_joint_kind_name(AFX_JOINT_KIND_COUNT), "unknown");
    assert_string_equal(afx_joint_kind_name((AfxJointKind)-1), "unknown");
    assert_int_equal(afx_joint_axis_count(AFX_JOINT_KIND_COUNT), 0);
    assert_int_equal(afx_joint_axis_count((AfxJointKind)-1), 0);
}

static void kinds_are_found_by_name_and_alias(void **state) {
    (void)state;
    AfxJointKind found = AFX_JOINT_KIND_COUNT;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        assert_int_equal(afx_joint_kind_find(afx_joint_kind_name((AfxJointKind)kind), &found), AFX_OK);
        assert_int_equal(found, kind);
    }
    static const struct {
        const char *alias;
        AfxJointKind kind;
    } aliases[] = {{"hinge", AFX_JOINT_REVOLUTE},
                   {"slide", AFX_JOINT_PRISMATIC},
                   {"ball", AFX_JOINT_SPHERICAL},
                   {"rod", AFX_JOINT_DISTANCE}};
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++) {
        assert_int_equal(afx_joint_kind_find(aliases[k].alias, &found), AFX_OK);
        assert_int_equal(found, aliases[k].kind);
    }
    assert_int_equal(afx_joint_kind_find("hinges", &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_joint_kind_find("unknown", &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_joint_kind_find(NULL, &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_joint_kind_find("ball", NULL), AFX_E_ARGUMENT);
}

/* ---- in and out ---- */

static void defaults_are_active_at_the_origins(void **state) {
    (void)state;
    AfxJointDef def = afx_default_joint(AFX_JOINT_SLOT);
    assert_int_equal(def.kind, AFX_JOINT_SLOT);
    assert_true(def.active && !def.name);
    assert_body_id(def.base, afx_world());
    assert_body_id(def.follower, afx_world());
    assert_int_equal(afx_world().index, UINT32_MAX);
    assert_int_equal(afx_world().scene, 0);
    assert_pose(def.base_frame, afx_pose_identity(), 0);
    assert_pose(def.follower_frame, afx_pose_identity(), 0);
    assert_true(def.break_force == 0 && def.break_torque == 0 && def.pitch == 0 && def.length == 0);
}

static void joints_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId a = add_body(scene, "a"), b = add_body(scene, "b");
    char name[] = "a"; /* bodies have names of their own */
    AfxJointDef def = afx_default_joint(AFX_JOINT_SCREW), got;
    AfxJointId first, second, found;
    def.name = name;
    def.base = b;
    def.follower = a;
    def.base_frame = (AfxPose){{1, 2, 3}, {0, 1, 0, 0}};
    def.follower_frame = (AfxPose){{4, 5, 6}, {0, 0, 0, 1}};
    def.length = -7;
    def.pitch = -0.25;
    def.active = false;
    def.break_force = 8;
    def.break_torque = 9;
    assert_ok(afx_scene_add_joint(scene, &def, &first));
    name[0] = 'z'; /* the scene has its own copy */
    second = add_joint(scene, "", AFX_JOINT_DISTANCE, b);
    assert_int_equal(afx_scene_joint_count(scene), 2);
    assert_int_equal(first.index, 0);
    assert_int_equal(second.index, 1);
    assert_int_equal(second.scene, a.scene);
    memset(&got, 0xA5, sizeof got);
    assert_ok(afx_scene_get_joint(scene, first, &got));
    assert_int_equal(got.cookie, def.cookie);
    assert_string_equal(got.name, "a");
    assert_int_equal(got.kind, AFX_JOINT_SCREW);
    assert_body_id(got.base, b);
    assert_body_id(got.follower, a);
    assert_pose(got.base_frame, def.base_frame, 0);
    assert_pose(got.follower_frame, def.follower_frame, 0);
    assert_true(got.length == -7 && got.pitch == -0.25 && got.break_force == 8 && got.break_torque == 9);
    assert_false(got.active);
    assert_ok(afx_scene_get_joint(scene, second, &got));
    assert_null(got.name);
    assert_body_id(got.base, afx_world());
    assert_body_id(got.follower, b);
    assert_true(got.active && got.length == 1);
    assert_string_equal(afx_scene_joint_name(scene, first), "a");
    assert_string_equal(afx_scene_joint_name(scene, second), "");
    assert_ok(afx_scene_find_joint(scene, "a", &found));
    assert_memory_equal(&found, &first, sizeof found);
    found = afx_scene_joint(scene, 1);
    assert_memory_equal(&found, &second, sizeof found);
    afx_scene_destroy(scene);
}

/* What comes back can be added again, and says the same. */
static void every_kind_makes_the_round_trip(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId body = add_body(scene, NULL);
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        AfxJointId first = add_joint(scene, NULL, (AfxJointKind)k, body), second;
        AfxJointDef got, again;
        assert_ok(afx_scene_get_joint(scene, first, &got));
        assert_int_equal(got.kind, k);
        assert_ok(afx_scene_add_joint(scene, &got, &second));
        assert_ok(afx_scene_get_joint(scene, second, &again));
        assert_int_equal(again.kind, k);
        assert_body_id(again.follower, body);
    }
    assert_int_equal(afx_scene_joint_count(scene), 2 * AFX_JOINT_KIND_COUNT);
    afx_scene_destroy(scene);
}

static void rotations_become_unit(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxJointDef def = afx_default_joint(AFX_JOINT_FIXED), got;
    AfxJointId id;
    def.follower = add_body(scene, NULL);
    def.base_frame.rotation = (AfxQuat){1.0005, 0, 0, 0};
    def.follower_frame.rotation = (AfxQuat){0, 0.9995, 0, 0};
    assert_ok(afx_scene_add_joint(scene, &def, &id));
    assert_ok(afx_scene_get_joint(scene, id, &got));
    assert_true(got.base_frame.rotation.w == 1 && got.follower_frame.rotation.x == 1);
    afx_scene_destroy(scene);
}

/* ---- what is refused ---- */

typedef struct Case {
    void (*edit)(AfxJointDef *d);
    const char *text; /* part of the error's text; NULL: the definition is right */
} Case;

#define CASE(name, statement)          \
    static void name(AfxJointDef *d) { \
        statement;                     \
    }

CASE(kind_count, d->kind = AFX_JOINT_KIND_COUNT)
CASE(kind_negative, d->kind = (AfxJointKind)-1)
CASE(both_world, d->follower = afx_world())
CASE(both_body, d->base = d->follower)
CASE(base_position, d->base_frame.position.y = INFINITY)
CASE(follower_position, d->follower_frame.position.z = NAN)
CASE(base_rotation_nan, d->base_frame.rotation.x = NAN)
CASE(follower_rotation_nan, d->follower_frame.rotation.w = NAN)
CASE(base_rotation_zero, d->base_frame.rotation.w = 0)
CASE(follower_rotation_zero, d->follower_frame.rotation.w = 0)
CASE(base_rotation_long, d->base_frame.rotation.w = 1.0011)
CASE(follower_rotation_long, d->follower_frame.rotation.w = 2)
CASE(length_zero, d->kind = AFX_JOINT_DISTANCE)
CASE(length_negative, d->kind = AFX_JOINT_DISTANCE; d->length = -1)
CASE(length_nan, d->kind = AFX_JOINT_DISTANCE; d->length = NAN)
CASE(length_inf, d->kind = AFX_JOINT_DISTANCE; d->length = INFINITY)
CASE(pitch_nan, d->kind = AFX_JOINT_SCREW; d->pitch = NAN)
CASE(pitch_inf, d->kind = AFX_JOINT_SCREW; d->pitch = -INFINITY)
CASE(force_negative, d->break_force = -1)
CASE(force_inf, d->break_force = INFINITY)
CASE(torque_negative, d->break_torque = -1e-9)
CASE(torque_nan, d->break_torque = NAN)
CASE(right_default, (void)d)
CASE(right_to_world, d->base = d->follower; d->follower = afx_world())
CASE(right_distance, d->kind = AFX_JOINT_DISTANCE; d->length = 1e-300)
CASE(right_screw, d->kind = AFX_JOINT_SCREW; d->pitch = 0)

static const Case cases[] = {
    {kind_count, "its kind is not one of"},
    {kind_negative, "its kind is not one of"},
    {both_world, "its base and its follower are both the world"},
    {both_body, "its base and its follower are both the same body"},
    {base_position, "its base frame's position is not finite"},
    {follower_position, "its follower frame's position is not finite"},
    {base_rotation_nan, "its base frame's rotation is not finite"},
    {follower_rotation_nan, "its follower frame's rotation is not finite"},
    {base_rotation_zero, "its base frame's rotation is a quaternion of length zero"},
    {follower_rotation_zero, "its follower frame's rotation is a quaternion of length zero"},
    {base_rotation_long, "its base frame's rotation is not a unit quaternion"},
    {follower_rotation_long, "its follower frame's rotation is not a unit quaternion"},
    {length_zero, "its length is not positive"},
    {length_negative, "its length is not positive"},
    {length_nan, "its length is not finite"},
    {length_inf, "its length is not finite"},
    {pitch_nan, "its pitch is not finite"},
    {pitch_inf, "its pitch is not finite"},
    {force_negative, "its breaking force is negative"},
    {force_inf, "its breaking force is not finite"},
    {torque_negative, "its breaking torque is negative"},
    {torque_nan, "its breaking torque is not finite"},
    {right_default, NULL},
    {right_to_world, NULL},
    {right_distance, NULL},
    {right_screw, NULL},
};

static void every_case_is_judged(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        AfxScene *scene = make_scene();
        AfxBodyId body = add_body(scene, NULL);
        add_joint(scene, NULL, AFX_JOINT_FIXED, body);
        for (int named = 0; named < 2; named++) {
            AfxJointDef def = afx_default_joint(AFX_JOINT_REVOLUTE);
            AfxJointId id;
            def.name = named ? "hip" : NULL;
            def.follower = body;
            cases[k].edit(&def);
            if (afx_scene_add_joint(scene, &def, &id) != (cases[k].text ? AFX_E_INPUT : AFX_OK)) {
                fail_msg("case %zu: %s", k, cases[k].text ? cases[k].text : "right");
            }
            if (cases[k].text) {
                assert_error(scene, AFX_E_INPUT, named ? "joint \"hip\"" : "joint #1", cases[k].text);
                assert_int_equal(id.scene, 0);
                assert_int_equal(id.index, UINT32_MAX);
                assert_int_equal(afx_scene_find_joint(scene, "hip", &id), AFX_E_ARGUMENT);
            }
        }
        assert_int_equal(afx_scene_joint_count(scene), cases[k].text ? 1 : 3);
        afx_scene_destroy(scene);
    }
}

static void bodies_must_be_of_this_scene(void **state) {
    (void)state;
    AfxScene *scene = make_scene(), *other = make_scene();
    AfxBodyId body = add_body(scene, NULL), foreign = add_body(other, NULL);
    const AfxBodyId wrong[] = {foreign, {1, body.scene}, {UINT32_MAX, body.scene}, {0, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        AfxJointDef def = afx_default_joint(AFX_JOINT_FIXED);
        AfxJointId id;
        def.base = body;
        def.follower = wrong[k];
        assert_int_equal(afx_scene_add_joint(scene, &def, &id), AFX_E_ARGUMENT);
        assert_error(scene, AFX_E_ARGUMENT, "joint #0", "the body id of its follower is stale");
        def.base = wrong[k];
        def.follower = body;
        assert_int_equal(afx_scene_add_joint(scene, &def, &id), AFX_E_ARGUMENT);
        assert_error(scene, AFX_E_ARGUMENT, "joint #0", "the body id of its base is stale");
    }
    assert_int_equal(afx_scene_joint_count(scene), 0);
    afx_scene_destroy(scene);
    afx_scene_destroy(other);
}

static void names_are_unique_among_joints(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId body = add_body(scene, NULL);
    AfxJointDef def = afx_default_joint(AFX_JOINT_FIXED);
    AfxJointId id;
    add_joint(scene, NULL, AFX_JOINT_FIXED, body);
    add_joint(scene, "hip", AFX_JOINT_FIXED, body);
    def.follower = body;
    def.name = "hip";
    assert_int_equal(afx_scene_add_joint(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "joint \"hip\"", "joint #1 is called \"hip\" already");
    char name[300];
    memset(name, 'n', sizeof name);
    name[256] = 0;
    def.name = name;
    assert_int_equal(afx_scene_add_joint(scene, &def, &id), AFX_E_INPUT);
    assert_non_null(strstr(afx_scene_error(scene)->text, "longer than 255 bytes"));
    name[255] = 0;
    assert_ok(afx_scene_add_joint(scene, &def, &id));
    assert_string_equal(afx_scene_joint_name(scene, id), name);
    assert_int_equal(afx_scene_joint_count(scene), 3);
    afx_scene_destroy(scene);
}

static void misuse_is_told(void **state) {
    (void)state;
    AfxScene *scene = make_scene(), *other = make_scene();
    AfxBodyId body = add_body(scene, NULL);
    AfxJointDef def = afx_default_joint(AFX_JOINT_FIXED);
    AfxJointId id, hip = add_joint(scene, "hip", AFX_JOINT_FIXED, body);
    AfxJointId foreign = add_joint(other, NULL, AFX_JOINT_FIXED, add_body(other, NULL)), stale = {1, hip.scene};
    def.follower = body;
    id = hip;
    assert_int_equal(afx_scene_add_joint(NULL, &def, &id), AFX_E_ARGUMENT);
    assert_int_equal(id.scene, 0);
    assert_int_equal(afx_scene_add_joint(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #1", "def is NULL");
    assert_int_equal(afx_scene_add_joint(scene, &def, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #1", "out_joint is NULL");
    def.cookie ^= 1;
    def.name = (const char *)(uintptr_t)1; /* not read */
    assert_int_equal(afx_scene_add_joint(scene, &def, &id), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "joint #1", "not made by this version");
    assert_int_equal(afx_scene_joint_count(scene), 1);
    assert_int_equal(afx_scene_joint_count(NULL), 0);
    assert_int_equal(afx_scene_joint(scene, 1).scene, 0);
    assert_int_equal(afx_scene_joint(NULL, 0).scene, 0);
    assert_int_equal(afx_scene_get_joint(NULL, hip, &def), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_joint(scene, hip, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint \"hip\"", "out_def is NULL");
    assert_int_equal(afx_scene_get_joint(scene, foreign, &def), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #0", "this joint id is stale, or from another scene");
    assert_int_equal(afx_scene_get_joint(scene, stale, &def), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint #1", "this joint id is stale, or from another scene");
    assert_null(afx_scene_joint_name(scene, stale));
    assert_null(afx_scene_joint_name(NULL, hip));
    id = hip;
    assert_int_equal(afx_scene_find_joint(scene, "knee", &id), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint \"knee\"", "no joint of this name");
    assert_int_equal(id.scene, 0);
    assert_int_equal(afx_scene_find_joint(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint", "name is NULL");
    assert_int_equal(afx_scene_find_joint(scene, "hip", NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "joint \"hip\"", "out_joint is NULL");
    assert_int_equal(afx_scene_find_joint(NULL, "hip", &id), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
    afx_scene_destroy(other);
}

int run_joint_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names_and_axes),
        cmocka_unit_test(kinds_are_found_by_name_and_alias),
        cmocka_unit_test(defaults_are_active_at_the_origins),
        cmocka_unit_test(joints_come_back),
        cmocka_unit_test(every_kind_makes_the_round_trip),
        cmocka_unit_test(rotations_become_unit),
        cmocka_unit_test(every_case_is_judged),
        cmocka_unit_test(bodies_must_be_of_this_scene),
        cmocka_unit_test(names_are_unique_among_joints),
        cmocka_unit_test(misuse_is_told),
    };
    return cmocka_run_group_tests_name("joint", tests, NULL, NULL);
}

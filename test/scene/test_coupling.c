/* SPDX-License-Identifier: Apache-2.0 */
/* Couplings and springs: in and out, and what is refused. */
#include "tests.h"

enum { JOINTS = 5 };

/** A scene with joints 0 ... 4 of two axes each, from the world to bodies 0 ... 4. */
static AfxScene *make_mechanism(void) {
    AfxScene *scene = make_scene();
    for (int k = 0; k < JOINTS; k++) {
        add_joint(scene, NULL, AFX_JOINT_CYLINDRICAL, add_body(scene, NULL));
    }
    return scene;
}

/** `count` (at most 10) terms: axes 0 and 1 of joint 0, then of joint 1 and so on; factors 1, 2, 3 ... */
static AfxCouplingDef coupling_of(const AfxScene *scene, uint32_t count) {
    AfxCouplingDef def = afx_default_coupling();
    def.term_count = count;
    for (uint32_t k = 0; k < count && k < AFX_COUPLING_TERMS; k++) {
        def.joint[k] = afx_scene_joint(scene, k / 2);
        def.axis[k] = k % 2;
        def.factor[k] = k + 1.0;
    }
    return def;
}

static void couplings_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_mechanism();
    AfxCouplingId id;
    char name[] = "gears";
    for (uint32_t count = 1; count <= AFX_COUPLING_TERMS; count++) {
        AfxCouplingDef def = coupling_of(scene, count);
        def.name = count == 2 ? name : NULL;
        def.constant = -1.5 * count;
        def.compliance = 1e-3 * count;
        assert_ok(afx_scene_add_coupling(scene, &def, &id));
        assert_int_equal(id.index, count - 1);
        assert_int_equal(id.scene, afx_scene_joint(scene, 0).scene);
    }
    name[0] = 'z';
    assert_int_equal(afx_scene_coupling_count(scene), AFX_COUPLING_TERMS);
    for (uint32_t count = 1; count <= AFX_COUPLING_TERMS; count++) {
        AfxCouplingDef want = coupling_of(scene, count), got;
        memset(&got, 0xA5, sizeof got);
        assert_ok(afx_scene_get_coupling(scene, count - 1, &got));
        assert_int_equal(got.cookie, want.cookie);
        assert_int_equal(got.term_count, count);
        assert_memory_equal(got.joint, want.joint, sizeof got.joint);
        assert_memory_equal(got.axis, want.axis, sizeof got.axis);
        assert_memory_equal(got.factor, want.factor, sizeof got.factor);
        assert_true(got.constant == -1.5 * count && got.compliance == 1e-3 * count);
        if (count == 2) {
            assert_string_equal(got.name, "gears");
        } else {
            assert_null(got.name);
        }
    }
    AfxCouplingDef fresh = afx_default_coupling();
    assert_true(fresh.compliance == 0 && fresh.term_count == 0 && !fresh.name && fresh.constant == 0);
    for (int k = 0; k < AFX_COUPLING_TERMS; k++) {
        assert_true(fresh.joint[k].index == UINT32_MAX && fresh.joint[k].scene == 0 && fresh.factor[k] == 0);
    }
    afx_scene_destroy(scene);
}

typedef struct CouplingCase {
    void (*edit)(AfxCouplingDef *d); /* of a coupling with 3 terms */
    AfxStatus status;
    const char *text; /* part of the error's text; NULL: the definition is right */
} CouplingCase;

#define COUPLING(name, statement)         \
    static void name(AfxCouplingDef *d) { \
        statement;                        \
    }

COUPLING(no_terms, d->term_count = 0)
COUPLING(many_terms, d->term_count = AFX_COUPLING_TERMS + 1)
COUPLING(joint_stale, d->joint[1].index = JOINTS)
COUPLING(joint_foreign, d->joint[2].scene ^= 1)
COUPLING(joint_none, d->term_count = 4)
COUPLING(axis_above, d->axis[2] = 2)
COUPLING(axis_far, d->axis[0] = 256)
COUPLING(factor_nan, d->factor[0] = NAN)
COUPLING(factor_inf, d->factor[2] = INFINITY)
COUPLING(factors_zero, d->factor[0] = d->factor[1] = d->factor[2] = 0)
COUPLING(term_twice, d->joint[2] = d->joint[0])
COUPLING(constant_nan, d->constant = NAN)
COUPLING(compliance_negative, d->compliance = -1)
COUPLING(compliance_inf, d->compliance = INFINITY)
COUPLING(right_one_zero, d->factor[1] = 0)
COUPLING(right_two_zero, d->factor[1] = d->factor[2] = 0)
COUPLING(right_unused, d->joint[3].index = 99; d->axis[3] = 99; d->factor[3] = NAN)

static const CouplingCase coupling_cases[] = {
    {no_terms, AFX_E_INPUT, "its number of terms is not between 1 and 8"},
    {many_terms, AFX_E_INPUT, "its number of terms is not between 1 and 8"},
    {joint_stale, AFX_E_ARGUMENT, "its term #1's joint id is stale"},
    {joint_foreign, AFX_E_ARGUMENT, "its term #2's joint id is stale"},
    {joint_none, AFX_E_ARGUMENT, "its term #3's joint id is stale"},
    {axis_above, AFX_E_INPUT, "its term #2's axis is 2, but a joint of kind cylindrical has 2 free"},
    {axis_far, AFX_E_INPUT, "its term #0's axis is 256"},
    {factor_nan, AFX_E_INPUT, "its term #0's factor is not finite"},
    {factor_inf, AFX_E_INPUT, "its term #2's factor is not finite"},
    {factors_zero, AFX_E_INPUT, "its factors are all zero"},
    {term_twice, AFX_E_INPUT, "its terms #0 and #2 are of the same coordinate"},
    {constant_nan, AFX_E_INPUT, "its constant is not finite"},
    {compliance_negative, AFX_E_INPUT, "its compliance is negative"},
    {compliance_inf, AFX_E_INPUT, "its compliance is not finite"},
    {right_one_zero, AFX_OK, NULL},
    {right_two_zero, AFX_OK, NULL},
    {right_unused, AFX_OK, NULL},
};

static void every_coupling_is_judged(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof coupling_cases / sizeof *coupling_cases; k++) {
        const CouplingCase *c = coupling_cases + k;
        AfxScene *scene = make_mechanism();
        for (int named = 0; named < 2; named++) {
            AfxCouplingDef def = coupling_of(scene, 3);
            AfxCouplingId id;
            def.name = named ? "gears" : NULL;
            c->edit(&def);
            if (afx_scene_add_coupling(scene, &def, &id) != c->status) {
                fail_msg("case %zu: %s", k, c->text ? c->text : "right");
            }
            if (c->text) {
                assert_error(scene, c->status, named ? "coupling \"gears\"" : "coupling #0", c->text);
                assert_int_equal(id.scene, 0);
                assert_int_equal(id.index, UINT32_MAX);
            }
        }
        assert_int_equal(afx_scene_coupling_count(scene), c->text ? 0 : 2);
        afx_scene_destroy(scene);
    }
}

static void misuse_of_couplings_is_told(void **state) {
    (void)state;
    AfxScene *scene = make_mechanism();
    AfxCouplingDef def = coupling_of(scene, 1), got;
    AfxCouplingId id = {0, 1};
    def.name = "gears";
    assert_int_equal(afx_scene_add_coupling(NULL, &def, &id), AFX_E_ARGUMENT);
    assert_int_equal(id.scene, 0);
    assert_int_equal(afx_scene_add_coupling(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "coupling #0", "def is NULL");
    assert_int_equal(afx_scene_add_coupling(scene, &def, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "coupling #0", "out_coupling is NULL");
    assert_ok(afx_scene_add_coupling(scene, &def, &id));
    assert_int_equal(afx_scene_add_coupling(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "coupling \"gears\"", "coupling #0 is called \"gears\" already");
    def.cookie = 0;
    def.name = (const char *)(uintptr_t)1; /* not read */
    assert_int_equal(afx_scene_add_coupling(scene, &def, &id), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "coupling #1", "not made by this version");
    assert_int_equal(afx_scene_coupling_count(scene), 1);
    assert_int_equal(afx_scene_coupling_count(NULL), 0);
    assert_int_equal(afx_scene_get_coupling(scene, 1, &got), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "coupling #1", "no such coupling");
    assert_int_equal(afx_scene_get_coupling(scene, 0, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "coupling #0", "out_def is NULL");
    assert_int_equal(afx_scene_get_coupling(NULL, 0, &got), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

/* ---- springs ---- */

static void springs_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_mechanism();
    AfxSpringDef def = afx_default_spring(), got;
    AfxSpringId first, second;
    char name[] = "coil";
    assert_body_id(def.body_a, afx_world());
    def.name = name;
    def.body_a = afx_scene_body(scene, 3);
    def.body_b = afx_scene_body(scene, 1);
    def.point_a = (AfxVec3){1, 2, 3};
    def.point_b = (AfxVec3){4, 5, 6};
    def.rest_length = 7;
    def.stiffness = 8;
    def.damping = 9;
    assert_ok(afx_scene_add_spring(scene, &def, &first));
    name[0] = 'z';
    AfxSpringDef damper = afx_default_spring();
    damper.body_b = def.body_b;
    damper.damping = 1;
    assert_ok(afx_scene_add_spring(scene, &damper, &second));
    assert_int_equal(afx_scene_spring_count(scene), 2);
    assert_int_equal(first.index, 0);
    assert_int_equal(second.index, 1);
    assert_int_equal(second.scene, def.body_a.scene);
    memset(&got, 0xA5, sizeof got);
    assert_ok(afx_scene_get_spring(scene, 0, &got));
    assert_int_equal(got.cookie, def.cookie);
    assert_string_equal(got.name, "coil");
    assert_body_id(got.body_a, def.body_a);
    assert_body_id(got.body_b, def.body_b);
    assert_vec3(got.point_a, 1, 2, 3, 0);
    assert_vec3(got.point_b, 4, 5, 6, 0);
    assert_true(got.rest_length == 7 && got.stiffness == 8 && got.damping == 9);
    assert_ok(afx_scene_get_spring(scene, 1, &got));
    assert_null(got.name);
    assert_body_id(got.body_a, afx_world());
    assert_body_id(got.body_b, def.body_b);
    assert_true(got.rest_length == 0 && got.stiffness == 0 && got.damping == 1);
    afx_scene_destroy(scene);
}

typedef struct SpringCase {
    void (*edit)(AfxSpringDef *d); /* of a spring from the world to body 0 */
    AfxStatus status;
    const char *text; /* part of the error's text; NULL: the definition is right */
} SpringCase;

#define SPRING(name, statement)         \
    static void name(AfxSpringDef *d) { \
        statement;                      \
    }

SPRING(both_world, d->body_b = afx_world())
SPRING(both_body, d->body_a = d->body_b)
SPRING(a_stale, d->body_a = d->body_b; d->body_a.index = JOINTS)
SPRING(a_foreign, d->body_a = d->body_b; d->body_a.scene ^= 1)
SPRING(b_stale, d->body_b.index = JOINTS)
SPRING(b_foreign, d->body_b.scene = 0)
SPRING(point_a_nan, d->point_a.y = NAN)
SPRING(point_b_inf, d->point_b.z = INFINITY)
SPRING(rest_negative, d->rest_length = -1)
SPRING(rest_nan, d->rest_length = NAN)
SPRING(stiff_negative, d->stiffness = -1)
SPRING(stiff_inf, d->stiffness = INFINITY)
SPRING(damp_negative, d->damping = -1)
SPRING(damp_nan, d->damping = NAN)
SPRING(both_zero, d->stiffness = 0)
SPRING(right_spring, (void)d)
SPRING(right_damper, d->stiffness = 0; d->damping = 1)
SPRING(right_to_world, d->body_a = d->body_b; d->body_b = afx_world())

static const SpringCase spring_cases[] = {
    {both_world, AFX_E_INPUT, "its body a and its body b are both the world"},
    {both_body, AFX_E_INPUT, "its body a and its body b are both the same body"},
    {a_stale, AFX_E_ARGUMENT, "the body id of its body a is stale"},
    {a_foreign, AFX_E_ARGUMENT, "the body id of its body a is stale"},
    {b_stale, AFX_E_ARGUMENT, "the body id of its body b is stale"},
    {b_foreign, AFX_E_ARGUMENT, "the body id of its body b is stale"},
    {point_a_nan, AFX_E_INPUT, "its point a is not finite"},
    {point_b_inf, AFX_E_INPUT, "its point b is not finite"},
    {rest_negative, AFX_E_INPUT, "its rest length is negative"},
    {rest_nan, AFX_E_INPUT, "its rest length is not finite"},
    {stiff_negative, AFX_E_INPUT, "its stiffness is negative"},
    {stiff_inf, AFX_E_INPUT, "its stiffness is not finite"},
    {damp_negative, AFX_E_INPUT, "its damping is negative"},
    {damp_nan, AFX_E_INPUT, "its damping is not finite"},
    {both_zero, AFX_E_INPUT, "its stiffness and its damping are both zero"},
    {right_spring, AFX_OK, NULL},
    {right_damper, AFX_OK, NULL},
    {right_to_world, AFX_OK, NULL},
};

static void every_spring_is_judged(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof spring_cases / sizeof *spring_cases; k++) {
        const SpringCase *c = spring_cases + k;
        AfxScene *scene = make_mechanism();
        for (int named = 0; named < 2; named++) {
            AfxSpringDef def = afx_default_spring();
            AfxSpringId id;
            def.name = named ? "coil" : NULL;
            def.body_b = afx_scene_body(scene, 0);
            def.stiffness = 1;
            c->edit(&def);
            if (afx_scene_add_spring(scene, &def, &id) != c->status) {
                fail_msg("case %zu: %s", k, c->text ? c->text : "right");
            }
            if (c->text) {
                assert_error(scene, c->status, named ? "spring \"coil\"" : "spring #0", c->text);
                assert_int_equal(id.scene, 0);
                assert_int_equal(id.index, UINT32_MAX);
            }
        }
        assert_int_equal(afx_scene_spring_count(scene), c->text ? 0 : 2);
        afx_scene_destroy(scene);
    }
}

static void misuse_of_springs_is_told(void **state) {
    (void)state;
    AfxScene *scene = make_mechanism();
    AfxSpringDef def = afx_default_spring(), got;
    AfxSpringId id = {0, 1};
    def.name = "coil";
    def.body_a = afx_scene_body(scene, 0);
    def.stiffness = 1;
    assert_int_equal(afx_scene_add_spring(NULL, &def, &id), AFX_E_ARGUMENT);
    assert_int_equal(id.scene, 0);
    assert_int_equal(afx_scene_add_spring(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "spring #0", "def is NULL");
    assert_int_equal(afx_scene_add_spring(scene, &def, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "spring #0", "out_spring is NULL");
    assert_ok(afx_scene_add_spring(scene, &def, &id));
    assert_int_equal(afx_scene_add_spring(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "spring \"coil\"", "spring #0 is called \"coil\" already");
    def.cookie = 0;
    def.name = (const char *)(uintptr_t)1; /* not read */
    assert_int_equal(afx_scene_add_spring(scene, &def, &id), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "spring #1", "not made by this version");
    assert_int_equal(afx_scene_spring_count(scene), 1);
    assert_int_equal(afx_scene_spring_count(NULL), 0);
    assert_int_equal(afx_scene_get_spring(scene, 1, &got), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "spring #1", "no such spring");
    assert_int_equal(afx_scene_get_spring(scene, 0, NULL), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "spring #0", "out_def is NULL");
    assert_int_equal(afx_scene_get_spring(NULL, 0, &got), AFX_E_ARGUMENT);
    afx_scene_destroy(scene);
}

int run_coupling_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couplings_come_back),         cmocka_unit_test(every_coupling_is_judged),
        cmocka_unit_test(misuse_of_couplings_is_told), cmocka_unit_test(springs_come_back),
        cmocka_unit_test(every_spring_is_judged),      cmocka_unit_test(misuse_of_springs_is_told),
    };
    return cmocka_run_group_tests_name("coupling", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Every way a body's definition can be wrong, and the limits that are still right. */
#include "tests.h"

static const double sample_times[3] = {0, 2, 1};

static void set_inertia(AfxBodyDef *d, double xx, double yy, double zz, double xy, double xz, double yz) {
    d->mass_source = AFX_MASS_GIVEN;
    d->mass = 1;
    double inertia[6] = {xx, yy, zz, xy, xz, yz};
    memcpy(d->inertia, inertia, sizeof inertia);
}

static void set_rotation(AfxBodyDef *d, double w, double x, double y, double z) {
    d->pose.rotation = (AfxQuat){w, x, y, z};
}

static void set_signal(AfxBodyDef *d, AfxSignal *signal, const double *times, uint32_t count) {
    d->kind = AFX_BODY_KINEMATIC;
    *signal = (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = sample_times, .sample_count = count};
}

typedef struct Case {
    void (*edit)(AfxBodyDef *d);
    const char *text; /* part of the error's text; NULL: the definition is right */
} Case;

#define CASE(name, statement)         \
    static void name(AfxBodyDef *d) { \
        statement;                    \
    }

CASE(position_nan, d->pose.position.y = NAN)
CASE(rotation_nan, d->pose.rotation.z = NAN)
CASE(rotation_zero, set_rotation(d, 0, 0, 0, 0))
CASE(rotation_long, set_rotation(d, 1.0011, 0, 0, 0))
CASE(rotation_short, set_rotation(d, 0, 0.9989, 0, 0))
CASE(rotation_huge, set_rotation(d, 1e200, 1e200, 0, 0))
CASE(rotation_tiny, set_rotation(d, 1e-200, 0, 0, 0))
CASE(linear_inf, d->linear_velocity.x = -INFINITY)
CASE(angular_nan, d->angular_velocity.z = NAN)
CASE(mass_nan, d->mass = NAN)
CASE(mass_inf, d->mass = INFINITY)
CASE(mass_negative, d->mass = -1)
CASE(mass_zero_given, d->mass_source = AFX_MASS_GIVEN)
CASE(mass_tiny, d->mass = 1e-310)
CASE(mass_huge, d->mass = 1e305)
CASE(center_nan, d->center.x = NAN)
CASE(inertia_nan_unused, d->inertia[4] = NAN)
CASE(inertia_nan, set_inertia(d, 1, 1, NAN, 0, 0, 0))
CASE(inertia_negative, set_inertia(d, -1, 1, 1, 0, 0, 0))
CASE(inertia_indefinite, set_inertia(d, 1, 1, 1, 2, 0, 0))
CASE(inertia_triangle, set_inertia(d, 1, 1, 2.001, 0, 0, 0))
CASE(inertia_triangle_turned, set_inertia(d, 1.75, 1.75, 1, 0.75, 0, 0)) /* principal 1, 1, 2.5 */
CASE(inertia_huge, set_inertia(d, 1e305, 1e305, 1e305, 0, 0, 0))
CASE(inertia_tiny, set_inertia(d, 1e-315, 1e-315, 1e-315, 0, 0, 0))
CASE(young_zero, d->young = 0)
CASE(young_negative, d->young = -1e9)
CASE(young_nan, d->young = NAN)
CASE(poisson_half, d->poisson = 0.5)
CASE(poisson_minus_one, d->poisson = -1)
CASE(poisson_nan, d->poisson = NAN)
CASE(linear_damping_negative, d->linear_damping = -0.1)
CASE(angular_damping_negative, d->angular_damping = -0.1)
CASE(linear_damping_nan, d->linear_damping = NAN)
CASE(angular_damping_inf, d->angular_damping = INFINITY)
CASE(kind_wrong, d->kind = (AfxBodyKind)3)
CASE(source_wrong, d->mass_source = (AfxMassSource)-1)
CASE(motion_falling, set_signal(d, &d->motion.translation[2], sample_times, 3))
CASE(motion_empty, set_signal(d, &d->motion.angle, sample_times, 0))
CASE(motion_no_times, set_signal(d, &d->motion.translation[0], NULL, 3))
CASE(motion_axis_nan, d->kind = AFX_BODY_KINEMATIC; d->motion.axis.x = NAN)
CASE(motion_axis_zero, d->kind = AFX_BODY_KINEMATIC; d->motion.axis.z = 0; d->motion.angle.coefficients[0] = 1)
CASE(motion_kind, d->kind = AFX_BODY_KINEMATIC; d->motion.translation[1].kind = (AfxSignalKind)9)

CASE(right_rigid, d->young = INFINITY)
CASE(right_poisson, d->poisson = 0.4999999)
CASE(right_point, set_inertia(d, 0, 0, 0, 0, 0, 0))
CASE(right_rod, set_inertia(d, 1, 1, 0, 0, 0, 0))
CASE(right_plate, set_inertia(d, 1, 2, 3, 0, 0, 0))
CASE(right_turned_plate, set_inertia(d, 1.5, 1.5, 3, 0.5, 0, 0)) /* principal 1, 2, 3 */
CASE(right_large_inertia, set_inertia(d, 1e250, 2e250, 2e250, 0, 0, 0))
CASE(right_small_inertia, set_inertia(d, 1e-250, 2e-250, 2e-250, 0, 0, 0))
CASE(right_fixed, d->kind = AFX_BODY_FIXED; d->mass_source = AFX_MASS_GIVEN)
CASE(right_still_axis, d->kind = AFX_BODY_KINEMATIC; d->motion.axis.z = 0)
CASE(right_unused_motion, d->motion.axis.x = NAN; d->motion.angle.kind = (AfxSignalKind)9)
CASE(right_unused_inertia, d->inertia[0] = -1)

static const Case cases[] = {
    {position_nan, "its position is not finite"},
    {rotation_nan, "its rotation is not finite"},
    {rotation_zero, "length zero"},
    {rotation_long, "not a unit quaternion"},
    {rotation_short, "not a unit quaternion"},
    {rotation_huge, "not a unit quaternion"},
    {rotation_tiny, "length zero"},
    {linear_inf, "its linear velocity is not finite"},
    {angular_nan, "its angular velocity is not finite"},
    {mass_nan, "its mass is not finite"},
    {mass_inf, "its mass is not finite"},
    {mass_negative, "its mass is negative"},
    {mass_zero_given, "its mass is zero"},
    {mass_tiny, "too small"},
    {mass_huge, "too large"},
    {center_nan, "its centre of mass is not finite"},
    {inertia_nan_unused, "its inertia is not finite"},
    {inertia_nan, "its inertia is not finite"},
    {inertia_negative, "its inertia is negative"},
    {inertia_indefinite, "its inertia is negative"},
    {inertia_triangle, "principal moments violate the triangle inequality"},
    {inertia_triangle_turned, "principal moments violate the triangle inequality"},
    {inertia_huge, "its inertia is too large"},
    {inertia_tiny, "its inertia is too small"},
    {young_zero, "Young's modulus is not positive"},
    {young_negative, "Young's modulus is not positive"},
    {young_nan, "Young's modulus is not positive"},
    {poisson_half, "Poisson's ratio is not between"},
    {poisson_minus_one, "Poisson's ratio is not between"},
    {poisson_nan, "Poisson's ratio is not between"},
    {linear_damping_negative, "its damping is negative"},
    {angular_damping_negative, "its damping is negative"},
    {linear_damping_nan, "its linear damping is not finite"},
    {angular_damping_inf, "its angular damping is not finite"},
    {kind_wrong, "its kind is not one of"},
    {source_wrong, "its mass source is not one of"},
    {motion_falling, "motion's translation z is not valid: the times of its table do not rise"},
    {motion_empty, "motion's angle is not valid: its table has no samples"},
    {motion_no_times, "motion's translation x is not valid: its table has no times"},
    {motion_axis_nan, "the axis of its motion is not finite"},
    {motion_axis_zero, "the axis of its motion has length zero"},
    {motion_kind, "motion's translation y is not valid: its kind"},
    {right_rigid, NULL},
    {right_poisson, NULL},
    {right_point, NULL},
    {right_rod, NULL},
    {right_plate, NULL},
    {right_turned_plate, NULL},
    {right_large_inertia, NULL},
    {right_small_inertia, NULL},
    {right_fixed, NULL},
    {right_still_axis, NULL},
    {right_unused_motion, NULL},
    {right_unused_inertia, NULL},
};

static void every_case_is_judged_when_added_and_when_set(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        AfxScene *scene = make_scene();
        AfxBodyId first = add_body(scene, "first"), id;
        for (int named = 0; named < 2; named++) {
            AfxBodyDef def = afx_default_body();
            def.name = named ? "wheel" : NULL;
            cases[k].edit(&def);
            AfxStatus status = cases[k].text ? AFX_E_INPUT : AFX_OK;
            if (afx_scene_add_body(scene, &def, &id) != status) {
                fail_msg("case %zu: %s", k, cases[k].text ? cases[k].text : "right");
            }
            if (cases[k].text) {
                assert_error(scene, AFX_E_INPUT, named ? "body \"wheel\"" : "body #1", cases[k].text);
                assert_int_equal(id.scene, 0);
            }
            def.name = "first";
            assert_int_equal(afx_scene_set_body(scene, first, &def), status);
            if (cases[k].text) {
                assert_error(scene, AFX_E_INPUT, "body \"first\"", cases[k].text);
            }
        }
        assert_int_equal(afx_scene_body_count(scene), cases[k].text ? 1 : 3);
        afx_scene_destroy(scene);
    }
}

static void cookies_are_checked_before_anything_is_read(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId id = add_body(scene, "a"), out;
    AfxBodyDef def = afx_default_body();
    def.cookie ^= 1;
    def.name = (const char *)(uintptr_t)1;
    assert_int_equal(afx_scene_add_body(scene, &def, &out), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "body #1", "not made by this version");
    assert_int_equal(afx_scene_set_body(scene, id, &def), AFX_E_VERSION);
    AfxShapeDef box = afx_default_box(1, 1, 1);
    box.cookie = 0;
    assert_int_equal(afx_scene_add_shape(scene, id, &box), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "shape #0 of body \"a\"", "not made by this version");
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId wrench_id;
    wrench.body = id;
    wrench.cookie = 0;
    assert_int_equal(afx_scene_add_wrench(scene, &wrench, &wrench_id), AFX_E_VERSION);
    assert_error(scene, AFX_E_VERSION, "wrench #0", "not made by this version");
    afx_scene_destroy(scene);
}

int run_body_check_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_judged_when_added_and_when_set),
        cmocka_unit_test(cookies_are_checked_before_anything_is_read),
    };
    return cmocka_run_group_tests_name("body_check", tests, NULL, NULL);
}

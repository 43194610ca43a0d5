/* SPDX-License-Identifier: Apache-2.0 */
/* Steps in which bodies touch: what lies, rolls, is carried, is stacked, hangs together by joints; and what slides. */
#include "affix/contact.h"
#include "tests.h"

/* Of the forces on a body: limits of friction follow the normal forces up to a thousandth, some four times a step. */
#define FRICTION_OFF 1e-2

typedef struct Scene {
    const char *name;
    void (*add)(Rig *rig, double young);
    AfxVec3 gravity;
    double friction;
    uint32_t steps;
    bool sticks, strikes;
} Scene;

static AfxBodyId add_shape(Rig *rig, AfxVec3 position, double young, AfxShapeDef shape) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.pose.position = position;
    def.young = young;
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &shape));
    return id;
}

static void add_box(Rig *rig, double young) {
    rig_ground(rig, 0);
    add_shape(rig, at(0, 0, 0.1), young, afx_default_box(0.4, 0.3, 0.2));
}

static void add_tilted_box(Rig *rig, double young) {
    rig_ground(rig, 0);
    rig_body(rig, at(0, 0, 0.25), young); /* comes down on a corner */
}

static void add_ball(Rig *rig, double young) {
    rig_ground(rig, 0);
    AfxBodyId id = add_shape(rig, at(0, 0, 0.1), young, afx_default_sphere(0.1));
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(rig->scene, id, &def));
    def.linear_velocity = at(1, 0, 0);
    def.angular_velocity = at(0, 10, 0.5);
    assert_ok(afx_scene_set_body(rig->scene, id, &def));
}

static void add_stack(Rig *rig, double young) {
    rig_ground(rig, 0);
    for (int k = 0; k < 4; k++) {
        add_shape(rig, at(0.02 * k, 0, 0.1 + 0.2 * k), young, afx_default_box(0.4, 0.3, 0.2));
    }
}

static void add_hinged(Rig *rig, double young) {
    rig_ground(rig, 0);
    AfxBodyId a = add_shape(rig, at(0, 0, 0.1), young, afx_default_box(0.4, 0.3, 0.2));
    AfxBodyId b = add_shape(rig, at(0.5, 0, 0.1), young, afx_default_box(0.4, 0.3, 0.2));
    AfxBodyId c = add_shape(rig, at(0.05, 0, 0.3), young, afx_default_box(0.3, 0.3, 0.2)); /* on one of them */
    (void)c;
    rig_joint(rig, AFX_JOINT_REVOLUTE, a, b, at(0.25, 0, 0.2), at(0, 1, 0));
}

static void add_links(Rig *rig, double young) {
    rig_ground(rig, 0);
    AfxBodyId before = {0};
    for (int k = 0; k < 6; k++) {
        AfxShapeDef capsule = afx_default_capsule(0.02, 0.1);
        capsule.pose.rotation = afx_quat_from_axis_angle(at(0, 1, 0), 1.5707963267948966);
        capsule.contact_mask = k % 2 ? 1 : 3;
        AfxBodyId link = add_shape(rig, at(0.16 * k, 0.02 * k, 0.02), young, capsule);
        if (k) {
            rig_joint(rig, AFX_JOINT_SPHERICAL, before, link, at(0.16 * k - 0.08, 0.02 * k - 0.01, 0.02), at(1, 0, 0));
            afx_scene_exclude_contact(rig->scene, before, link);
        }
        before = link;
    }
}

static void add_plate(Rig *rig, double push, double turn) {
    AfxBodyDef tray = afx_default_body();
    AfxShapeDef plate = afx_default_box(2, 2, 0.2);
    AfxBodyId id;
    tray.kind = AFX_BODY_KINEMATIC;
    tray.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, push}};
    tray.motion.axis = at(0, 0, 1);
    tray.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, turn}};
    tray.pose.position.z = -0.1;
    assert_ok(afx_scene_set_contact(rig->scene, true));
    assert_ok(afx_scene_add_body(rig->scene, &tray, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &plate));
}

/* A tray that is pushed sideways carries a box. */
static void add_tray(Rig *rig, double young) {
    add_plate(rig, 0.5, 0.1);
    add_shape(rig, at(0.1, 0, 0.1), young, afx_default_box(0.4, 0.3, 0.2));
}

/* A ball in the middle is turned by nothing but friction about the normal. */
static void add_turntable(Rig *rig, double young) {
    add_plate(rig, 0, 0.2);
    add_shape(rig, at(0, 0, 0.1), young, afx_default_sphere(0.1));
}

static const Scene scenes[] = {
    {"box at rest", add_box, {0, 0, -9.81}, 0.5, 30, true, false},
    {"box on a slope", add_box, {3, 1, -9}, 0.5, 30, true, false},
    {"ball that rolls", add_ball, {0, 0, -9.81}, 0.5, 30, false, false},
    {"stack", add_stack, {0, 0, -9.81}, 0.5, 30, false, false},
    {"stack on a slope", add_stack, {0.5, 0, -9.81}, 0.5, 20, true, false},
    {"hinged boxes", add_hinged, {0.3, 0.2, -9.81}, 0.5, 20, false, false},
    {"chain on the ground", add_links, {0.3, 0.2, -9.81}, 0.5, 20, false, false},
    {"tray", add_tray, {0, 0, -9.81}, 0.8, 30, false, false},
    {"turntable", add_turntable, {0, 0, -9.81}, 0.8, 30, true, false},
    {"smooth slope", add_box, {3, 1, -9}, 0, 30, true, false},
    {"box that slides", add_box, {5, 1, -9}, 0.2, 30, false, false},
    {"box that falls", add_tilted_box, {1, 0, -9}, 0.3, 40, false, true},
};

static void every_scene(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
    const double young[] = {INFINITY, ELASTIC};
    for (size_t s = 0; s < COUNT(scenes); s++) {
        for (size_t y = 0; y < COUNT(young); y++) {
            for (size_t i = 0; i < COUNT(integrators); i++) {
                if (scenes[s].strikes && integrators[i] == AFX_ALPHA) { /* it throws back what strikes, ever faster */
                    continue;
                }
                char what[100];
                Rig rig = rig_make(scenes[s].gravity);
                AfxMaterialDef material = afx_default_material();
                rig.touching = true;
                material.friction = scenes[s].friction;
                material.rolling_friction = i == 1 ? 1e-3 : 0;
                material.torsional_friction = i == 1 ? 2e-3 : 0;
                assert_ok(afx_scene_set_material(rig.scene, afx_scene_material(rig.scene, 0), &material));
                scenes[s].add(&rig, young[y]);
                rig_start(&rig, integrators[i], 30);
                snprintf(what, sizeof what, "%s, young %g, integrator %d", scenes[s].name, young[y], integrators[i]);
                AfxResidual first = rig_run(&rig, scenes[s].steps / 2), later = rig_run(&rig, scenes[s].steps / 2);
                assert_met(what, first, MET);
                assert_met(what, later, MET);
                assert_below(fmax(first.friction, later.friction), FRICTION_OFF);
                if (scenes[s].sticks && (integrators[i] == AFX_BDF2 || integrators[i] == AFX_BDF1)) {
                    assert_below(later.friction, MET);
                }
                rig_free(&rig);
            }
        }
    }
}

int run_contact_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene)};
    return cmocka_run_group_tests_name("solve contact", tests, NULL, NULL);
}

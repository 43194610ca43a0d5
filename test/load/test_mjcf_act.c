/* SPDX-License-Identifier: Apache-2.0 */
/* Equalities, tendons and actuators of MJCF: what each becomes in the scene. */
#include "xml_tests.h"

/* Two arms side by side, each a hinge about y and a slide along x, with sites. */
#define ARM(n, y)                                                                                                  \
    "<body name='arm" n "' pos='0 " y " 0'><joint name='h" n "' axis='0 1 0' ref='20'/><geom size='.1' mass='2'/>" \
    "<site name='s" n "' pos='0 0 1' euler='0 0 90'/>"                                                             \
    "<body name='hand" n "' pos='1 0 0'><joint name='x" n "' type='slide' axis='1 0 0' ref='.5'/>"                 \
    "<geom size='.1' mass='2'/></body></body>"
#define ARMS "<mujoco><worldbody>" ARM("1", "0") ARM("2", "1") "<site name='s0'/></worldbody>"
#define DEGREE 0.017453292519943295

static AfxScene *load_arms(const char *more, Told *told) {
    char text[4000];
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, told);
    snprintf(text, sizeof text, ARMS "\n%s</mujoco>", more);
    return load_good(text, &def);
}

static AfxJointDef last_joint(const AfxScene *scene) {
    AfxJointDef def;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, afx_scene_joint_count(scene) - 1), &def));
    return def;
}

static AfxCouplingDef last_coupling(const AfxScene *scene) {
    AfxCouplingDef def;
    assert_ok(afx_scene_get_coupling(scene, afx_scene_coupling_count(scene) - 1, &def));
    return def;
}

static AfxDriveDef last_drive(const AfxScene *scene) {
    AfxDriveDef def;
    assert_ok(afx_scene_get_drive(scene, afx_scene_drive_count(scene) - 1, &def));
    return def;
}

/* ---- equalities ---- */

static void connects_and_welds_are_joints(void **state) {
    (void)state;
    AfxScene *scene =
        load_arms("<equality><connect name='c' body1='hand1' body2='hand2' anchor='0 .5 0'/></equality>", NULL);
    AfxJointDef joint = last_joint(scene);
    assert_int_equal(joint.kind, AFX_JOINT_SPHERICAL);
    assert_string_equal(joint.name, "c");
    assert_vec3(joint.base_frame.position, 0, 0.5, 0, 0);
    assert_vec3(joint.follower_frame.position, 0, -0.5, 0, 1e-15);
    afx_scene_destroy(scene);
    scene = load_arms("<equality><connect body1='hand1' anchor='0 .5 0' active='false'/></equality>", NULL);
    joint = last_joint(scene);
    assert_int_equal(joint.follower.index, UINT32_MAX);
    assert_vec3(joint.follower_frame.position, 1, 0.5, 0, 1e-15);
    assert_false(joint.active);
    afx_scene_destroy(scene);
    scene = load_arms("<equality><weld body1='hand1' body2='hand2'/></equality>", NULL);
    joint = last_joint(scene);
    assert_int_equal(joint.kind, AFX_JOINT_FIXED);
    assert_vec3(joint.base_frame.position, 0, 1, 0, 1e-15);
    assert_vec3(joint.follower_frame.position, 0, 0, 0, 0);
    afx_scene_destroy(scene);
    scene = load_arms("<equality><weld body1='hand1' body2='hand2' relpose='1 2 3 0 0 0 2'/></equality>", NULL);
    joint = last_joint(scene);
    assert_vec3(joint.base_frame.position, 1, 2, 3, 0);
    assert_near(joint.base_frame.rotation.z, 1, 1e-15);
    afx_scene_destroy(scene);
    scene = load_arms("<equality><weld site1='s1' site2='s0'/></equality>", NULL);
    joint = last_joint(scene);
    assert_vec3(joint.base_frame.position, 0, 0, 1, 0);
    assert_near(joint.base_frame.rotation.z, sqrt(0.5), 1e-15);
    assert_vec3(joint.follower_frame.position, 0, 0, 0, 0);
    afx_scene_destroy(scene);
    scene = load_arms("<equality><connect body1='arm1' body2='arm1' anchor='0 0 0'/></equality>", NULL);
    assert_int_equal(afx_scene_joint_count(scene), 4); /* both ends are one body: told, not made */
    afx_scene_destroy(scene);
}

static void relations_between_joints_are_couplings(void **state) {
    (void)state;
    AfxScene *scene = load_arms("<equality><joint name='e' joint1='h1' joint2='x2' polycoef='.1 3'/></equality>", NULL);
    AfxCouplingDef c = last_coupling(scene);
    /* h1 - 20 degrees = 0.1 + 3 (x2 - 0.5) */
    assert_int_equal(c.term_count, 2);
    assert_near(c.factor[0], 1, 0);
    assert_near(c.factor[1], -3, 0);
    assert_near(c.constant, 20 * DEGREE + 0.1 - 1.5, 1e-15);
    assert_near(c.compliance, 0, 0);
    afx_scene_destroy(scene);
    scene = load_arms("<equality><joint joint1='x1' polycoef='.25'/></equality>", NULL);
    c = last_coupling(scene);
    assert_int_equal(c.term_count, 1);
    assert_near(c.constant, 0.75, 0);
    afx_scene_destroy(scene);
    Told told = {0};
    scene = load_arms("<equality><joint joint1='h1' joint2='h2' polycoef='0 1 2'/></equality>", &told);
    assert_int_equal(afx_scene_coupling_count(scene), 0);
    assert_non_null(strstr(told.text, "0 2 joint: a relation with powers above the first is no coupling"));
    afx_scene_destroy(scene);
    scene = load_arms(
        "<option><flag equality='disable'/></option><equality><joint joint1='h1' joint2='h2'/></equality>", NULL);
    assert_int_equal(afx_scene_coupling_count(scene), 0);
    afx_scene_destroy(scene);
}

/* Tendons: 2 x1 + h1 - (their length as drawn) = 0.1 + 3 (x2 - 2 x1 - ...): a joint of both counts once. */
static void relations_between_tendons_are_couplings(void **state) {
    (void)state;
    AfxScene *scene = load_arms(
        "<equality><tendon name='r' tendon1='s' tendon2='t' polycoef='.1 3 0 0 0'/><tendon tendon1='s'/></equality>"
        "<tendon><fixed name='s'><joint joint='x1' coef='2'/><joint joint='h1' coef='1'/></fixed>"
        "<fixed name='t'><joint joint='x2' coef='1'/><joint joint='x1' coef='-2'/></fixed></tendon>",
        NULL);
    AfxCouplingDef c;
    assert_int_equal(afx_scene_coupling_count(scene), 2);
    assert_ok(afx_scene_get_coupling(scene, 0, &c));
    assert_string_equal(c.name, "r");
    assert_int_equal(c.term_count, 3);
    assert_near(c.factor[0], 8, 0); /* 2 x1 + 6 x1 */
    assert_near(c.factor[1], 1, 0);
    assert_near(c.factor[2], -3, 0);
    /* coordinates of the scene are the file's: .5 and 20 degrees as drawn */
    assert_near(c.constant, 8 * 0.5 + 20 * DEGREE - 3 * 0.5 + 0.1, 1e-14);
    c = last_coupling(scene);
    assert_int_equal(c.term_count, 2);
    assert_near(c.constant, 2 * 0.5 + 20 * DEGREE, 1e-15);
    afx_scene_destroy(scene);
}

/* ---- tendons ---- */

static void a_tendon_of_one_joint_acts_on_it(void **state) {
    (void)state;
    AfxScene *scene = load_arms("<tendon><fixed name='t' stiffness='10' damping='2' springlength='1' frictionloss='3' "
                                "range='-1 2'><joint joint='x1' coef='-2'/></fixed></tendon>",
                                NULL);
    AfxDriveDef drive;
    assert_int_equal(afx_scene_drive_count(scene), 3);
    assert_ok(afx_scene_get_drive(scene, 0, &drive));
    assert_int_equal(drive.kind, AFX_DRIVE_SPRING); /* L = -2 x */
    assert_near(drive.stiffness, 40, 0);
    assert_near(drive.damping, 8, 0);
    assert_near(drive.rest, -0.5, 0);
    assert_ok(afx_scene_get_drive(scene, 1, &drive));
    assert_int_equal(drive.kind, AFX_DRIVE_FRICTION);
    assert_near(drive.effort, 6, 0);
    assert_ok(afx_scene_get_drive(scene, 2, &drive));
    assert_int_equal(drive.kind, AFX_DRIVE_LIMIT);
    assert_near(drive.lower, -1, 0);
    assert_near(drive.upper, 0.5, 0);
    assert_int_equal(drive.joint.index, 1);
    afx_scene_destroy(scene);
}

static void a_spring_over_several_joints_is_an_elastic_coupling(void **state) {
    (void)state;
    AfxScene *scene = load_arms("<tendon><fixed stiffness='10'><joint joint='x1' coef='2'/><joint joint='x2' coef='3'/>"
                                "</fixed></tendon>",
                                NULL);
    AfxCouplingDef c = last_coupling(scene);
    assert_near(c.compliance, 0.1, 0);
    assert_near(c.factor[0], 2, 0);
    assert_near(c.factor[1], 3, 0);
    assert_near(c.constant, 2.5, 0);                  /* its length as it is drawn */
    assert_int_equal(afx_scene_body_count(scene), 5); /* four of the arms, and the world for a site */
    afx_scene_destroy(scene);
}

static void other_sums_get_a_coordinate_of_their_own(void **state) {
    (void)state;
    Told told = {0};
    AfxScene *scene = load_arms("<tendon><fixed name='t' damping='7' armature='3'><joint joint='x1' coef='2'/>"
                                "<joint joint='x2' coef='3'/></fixed></tendon>",
                                &told);
    assert_int_equal(told.count[AFX_NOTICE_CHANGED], 0);
    AfxCouplingDef c = last_coupling(scene);
    assert_string_equal(c.name, "t");
    assert_near(c.inertia, 3, 0);
    assert_int_equal(c.term_count, 2);
    assert_near(c.factor[1], 3, 0);
    assert_near(c.constant, 0, 0); /* its coordinate is the tendon's length */
    assert_near(last_drive(scene).damping, 7, 0);
    assert_int_equal(last_drive(scene).coupling.index, afx_scene_coupling_count(scene) - 1);
    assert_int_equal(afx_scene_body_count(scene), 5); /* those of the arms, and no other */
    afx_scene_destroy(scene);
    scene = load_arms("<tendon><fixed name='t' damping='7'><joint joint='x1' coef='2'/><joint joint='x2' coef='3'/>"
                      "</fixed></tendon>",
                      &told);
    assert_near(last_coupling(scene).inertia, 1e-6 * 2 / 9, 1e-20); /* what x2 moves is 2 kg */
    assert_int_equal(told.count[AFX_NOTICE_CHANGED], 1);
    afx_scene_destroy(scene);
}

static void a_line_between_two_sites_is_a_spring(void **state) {
    (void)state;
    Told told = {0};
    AfxScene *scene = load_arms("<tendon><spatial name='t' stiffness='10' damping='2'><site site='s1'/>"
                                "<site site='s2'/></spatial><spatial><site site='s0'/><geom geom='g'/><site site='s2'/>"
                                "</spatial></tendon><worldbody><geom name='g' size='1'/></worldbody>",
                                &told);
    AfxSpringDef spring;
    assert_int_equal(afx_scene_spring_count(scene), 1);
    assert_ok(afx_scene_get_spring(scene, 0, &spring));
    assert_near(spring.rest_length, 1, 1e-15);
    assert_near(spring.stiffness, 10, 0);
    assert_near(spring.damping, 2, 0);
    assert_vec3(spring.point_a, 0, 0, 1, 0);
    assert_int_equal(afx_scene_coupling_count(scene), 0);
    assert_string_equal(told.text, "");
    afx_scene_destroy(scene);
}

/* ---- actuators ---- */

static AfxControlDef last_control; /* of the actuator that was loaded last */

static AfxDriveDef load_actuator(const char *element, Told *told) {
    char more[1000];
    memset(told, 0, sizeof *told);
    snprintf(more, sizeof more, "<actuator>%s</actuator>", element);
    AfxScene *scene = load_arms(more, told);
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
    if (afx_scene_drive_count(scene)) {
        drive = last_drive(scene);
        assert_true(drive.from_input);
        assert_int_equal(afx_scene_control_count(scene), 1);
        assert_ok(afx_scene_get_control(scene, 0, &last_control));
    }
    afx_scene_destroy(scene);
    return drive;
}

/* The range of a joint bounds what its actuators put on it, however many they are. */
static void a_joint_bounds_its_actuators(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene =
        load_good("<mujoco><worldbody><body><joint name='h' axis='0 1 0' actuatorfrcrange='-4 4'/>"
                  "<geom size='.1' mass='2'/></body></worldbody><actuator><motor joint='h'/></actuator></mujoco>",
                  &def);
    assert_int_equal(last_drive(scene).kind, AFX_DRIVE_FORCE);
    assert_near(last_drive(scene).effort, 4, 0);
    afx_scene_destroy(scene);
}

static void actuators_are_drives(void **state) {
    (void)state;
    Told told;
    AfxDriveDef d = load_actuator("<motor joint='h1'/>", &told);
    assert_int_equal(d.kind, AFX_DRIVE_FORCE);
    assert_true(isinf(d.effort));
    assert_string_equal(told.text, "");
    d = load_actuator("<motor name='m' joint='h1' gear='10' ctrlrange='-2 2' forcerange='-3 3'/>", &told);
    assert_near(d.effort, 20, 0); /* the control's bound is the smaller one: 30 from the force's */
    assert_string_equal(told.text, "");
    assert_near(last_control.gain, 10, 0);
    assert_near(last_control.lower, -2, 0);
    assert_near(last_control.upper, 2, 0);
    d = load_actuator("<position joint='x1' kp='100' kv='5' forcerange='-3 3'/>", &told);
    assert_int_equal(d.kind, AFX_DRIVE_SERVO);
    assert_near(d.stiffness, 100, 0);
    assert_near(d.damping, 5, 0);
    assert_near(d.effort, 3, 0);
    assert_int_equal(d.joint.index, 1);
    assert_string_equal(told.text, "");
    d = load_actuator("<position name='p' joint='x1' kp='100' gear='2' ctrlrange='0 1'/>", &told);
    assert_near(d.stiffness, 400, 0); /* L = 2 x, so x follows half the control */
    assert_string_equal(told.text, "");
    assert_near(last_control.gain, 0.5, 1e-15);
    assert_near(last_control.lower, 0, 0);
    assert_near(last_control.upper, 1, 0);
    d = load_actuator("<position joint='x1' kp='100' dampratio='.5'/>", &told);
    assert_near(d.damping, sqrt(100 * 2.0), 1e-12); /* 2 r sqrt(k m), m = 2 kg */
    d = load_actuator("<velocity joint='x1' kv='7'/>", &told);
    assert_near(d.stiffness, 0, 0);
    assert_near(d.damping, 7, 0);
    assert_string_equal(told.text, "");
    d = load_actuator("<general name='g' joint='x1' gainprm='3' biastype='affine' biasprm='1 -6 -2'/>", &told);
    assert_near(d.stiffness, 6, 0);
    assert_near(d.damping, 2, 0);
    assert_string_equal(told.text, "");
    assert_near(last_control.gain, 0.5, 1e-15);
    assert_near(last_control.offset, 1.0 / 6, 1e-15);
    d = load_actuator("<general name='g' joint='x1' dyntype='filter'/>", &told);
    assert_int_equal(d.kind, AFX_DRIVE_FORCE);
    assert_string_equal(told.text, "");
    assert_int_equal(last_control.activation.kind, AFX_ACTIVATION_FILTER);
}

/** The drive of `element` where the class "c" and the main class say more. */
static AfxDriveDef load_in_class(const char *main, const char *inner, const char *element) {
    char text[2000];
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxDriveDef d = afx_default_drive(AFX_DRIVE_POSITION);
    snprintf(
        text, sizeof text,
        "<mujoco><default>%s<default class='c'>%s</default></default><worldbody><body><joint name='x' type='slide'/>"
        "<geom size='1' mass='2'/></body></worldbody><actuator>%s</actuator></mujoco>",
        main, inner, element);
    AfxScene *scene = load_good(text, &def);
    if (afx_scene_drive_count(scene)) {
        assert_ok(afx_scene_get_drive(scene, 0, &d));
    }
    afx_scene_destroy(scene);
    return d;
}

static void classes_say_what_actuators_do_not(void **state) {
    (void)state;
    const double critical = 2 * sqrt(100 * 2.0); /* of k = 100, m = 2 kg */
    AfxDriveDef d = load_in_class("", "<position kp='100' dampratio='1'/>", "<position class='c' joint='x'/>");
    assert_near(d.stiffness, 100, 0);
    assert_near(d.damping, critical, 1e-12);
    /* each from another place */
    d = load_in_class("<position dampratio='1'/>", "<position kp='100'/>", "<position class='c' joint='x'/>");
    assert_near(d.damping, critical, 1e-12);
    d = load_in_class("", "<position dampratio='1'/>", "<position class='c' joint='x' kp='100'/>");
    assert_near(d.damping, critical, 1e-12);
    d = load_in_class("<position dampratio='1'/>", "", "<position joint='x' kp='100'/>");
    assert_near(d.damping, critical, 1e-12);
    /* the nearer word counts, of whichever of the two */
    d = load_in_class("", "<position dampratio='1'/>", "<position class='c' joint='x' kp='100' kv='3'/>");
    assert_near(d.damping, 3, 0);
    d = load_in_class("", "<position kv='3'/>", "<position class='c' joint='x' kp='100' dampratio='.5'/>");
    assert_near(d.damping, 0.5 * critical, 1e-12);
    d = load_in_class("", "<position kv='3' gear='2' forcerange='-7 7'/>", "<position class='c' joint='x' kp='100'/>");
    assert_near(d.damping, 12, 0);
    assert_near(d.effort, 14, 0);
    /* all sorts share one set: a motor forgets the law, the rest stays */
    d = load_in_class("", "<position kp='100' dampratio='1' forcerange='-7 7'/>", "<motor class='c' joint='x'/>");
    assert_int_equal(d.kind, AFX_DRIVE_FORCE);
    assert_near(d.effort, 7, 0);
    d = load_in_class("", "<general biastype='affine' biasprm='0 -100 -4' gainprm='100'/>",
                      "<general class='c' joint='x'/>");
    assert_near(d.stiffness, 100, 0);
    assert_near(d.damping, 4, 0);
    /* of a servo, a third number above 0 is a damping ratio; and numbers without their type mean nothing */
    d = load_in_class("", "<general biastype='affine'/>",
                      "<general class='c' joint='x' gainprm='100' biasprm='0 -100 1'/>");
    assert_near(d.damping, critical, 1e-12);
    d = load_in_class("", "<general biasprm='0 -100 -4'/>", "<general class='c' joint='x'/>");
    assert_int_equal(d.kind, AFX_DRIVE_FORCE);
    d = load_in_class("", "<velocity kv='9'/>", "<velocity class='c' joint='x'/>");
    assert_near(d.damping, 9, 0);
}

static void actuators_without_a_drive_are_told(void **state) {
    (void)state;
    static const char *const elements[] = {"<motor site='s1' refsite='s0'/>", "<dcmotor joint='x1'/>",
                                           "<general joint='x1' gaintype='affine' gainprm='0 1 -1'/>",
                                           "<general joint='x1' biastype='affine' biasprm='0 1 0'/>"};
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; k++) {
        Told told;
        AfxDriveDef d = load_actuator(elements[k], &told);
        assert_int_equal(d.kind, AFX_DRIVE_POSITION); /* none was made */
        assert_int_equal(told.count[AFX_NOTICE_IGNORED], 1);
    }
}

static AfxControlDef control_of(const AfxScene *scene) {
    AfxControlDef def;
    assert_ok(afx_scene_get_control(scene, afx_scene_control_count(scene) - 1, &def));
    return def;
}

static void dampers_and_adhesion_are_controls(void **state) {
    (void)state;
    AfxScene *scene = load_arms("<default><default class='c'><damper kv='3' gear='2'/></default></default>"
                                "<actuator><damper name='d' class='c' joint='x1' ctrlrange='0 2'/>"
                                "<general joint='h2' gaintype='affine' gainprm='0 0 -7'/></actuator>",
                                NULL);
    AfxDriveDef d = last_drive(scene);
    AfxControlDef c;
    assert_int_equal(d.kind, AFX_DRIVE_SERVO);
    assert_near(d.stiffness, 0, 0);
    assert_near(control_of(scene).damping, 7, 0);
    assert_ok(afx_scene_get_control(scene, 0, &c));
    assert_near(c.damping, 12, 0);
    assert_near(c.upper, 2, 0);
    afx_scene_destroy(scene);
    scene = load_arms("<default><default class='c'><adhesion gain='3'/></default></default>"
                      "<actuator><adhesion name='a' class='c' body='hand1' ctrlrange='0 1'/></actuator>",
                      NULL);
    AfxBodyId hand;
    assert_ok(afx_scene_find_body(scene, "hand1", &hand));
    c = control_of(scene);
    assert_int_equal(c.adhesion.index, hand.index);
    assert_near(c.gain, 3, 0);
    assert_near(c.upper, 1, 0);
    afx_scene_destroy(scene);
    Told told = {0};
    scene = load_arms("<actuator><adhesion body='world' ctrlrange='0 1'/></actuator>", &told);
    assert_int_equal(afx_scene_control_count(scene), 0);
    assert_int_equal(told.count[AFX_NOTICE_IGNORED], 1);
    afx_scene_destroy(scene);
}

static void actuators_share_their_defaults(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene =
        load_good("<mujoco><default><position kp='50' kv='4'/><default class='strong'><general "
                  "forcerange='-9 9' gear='2'/></default></default><worldbody>" ARM(
                      "1", "0") "</worldbody><actuator><position joint='x1'/><general joint='x1' class='strong'/>"
                                "<motor joint='x1' class='strong'/></actuator></mujoco>",
                  &def);
    AfxDriveDef d;
    assert_ok(afx_scene_get_drive(scene, 0, &d));
    assert_near(d.stiffness, 50, 0);
    assert_near(d.damping, 4, 0);
    assert_ok(afx_scene_get_drive(scene, 1, &d)); /* the law of position, and gear and bound of its class */
    assert_near(d.stiffness, 200, 0);
    assert_near(d.effort, 18, 0);
    assert_ok(afx_scene_get_drive(scene, 2, &d));
    assert_int_equal(d.kind, AFX_DRIVE_FORCE);
    afx_scene_destroy(scene);
}

static void an_actuator_can_pull_a_tendon(void **state) {
    (void)state;
    AfxScene *scene = load_arms("<tendon><fixed name='t' armature='1'><joint joint='x1' coef='1'/><joint joint='x2' "
                                "coef='1'/></fixed></tendon><actuator><position tendon='t' kp='100'/></actuator>",
                                NULL);
    AfxDriveDef d = last_drive(scene);
    assert_near(d.stiffness, 100, 0);
    assert_int_equal(d.coupling.index, 0);
    assert_string_equal(last_coupling(scene).name, "t");
    afx_scene_destroy(scene);
}

int run_mjcf_act_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connects_and_welds_are_joints),
        cmocka_unit_test(a_joint_bounds_its_actuators),
        cmocka_unit_test(relations_between_joints_are_couplings),
        cmocka_unit_test(relations_between_tendons_are_couplings),
        cmocka_unit_test(a_tendon_of_one_joint_acts_on_it),
        cmocka_unit_test(a_spring_over_several_joints_is_an_elastic_coupling),
        cmocka_unit_test(other_sums_get_a_coordinate_of_their_own),
        cmocka_unit_test(a_line_between_two_sites_is_a_spring),
        cmocka_unit_test(actuators_are_drives),
        cmocka_unit_test(classes_say_what_actuators_do_not),
        cmocka_unit_test(actuators_without_a_drive_are_told),
        cmocka_unit_test(dampers_and_adhesion_are_controls),
        cmocka_unit_test(actuators_share_their_defaults),
        cmocka_unit_test(an_actuator_can_pull_a_tendon),
    };
    return cmocka_run_group_tests_name("mjcf equalities, tendons, actuators", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Joints of MJCF: what several on one body become, with the motion that MuJoCo's order gives; coordinates, limits,
 * springs, friction and armature. */
#include "xml_tests.h"

#include <stdlib.h>

#include "load/mjcf.h"

#define DEGREE 0.017453292519943295

/* ---- composition ---- */

typedef struct Combination {
    const char *what;
    AfxJointKind kind; /* FIXED: none, a chain of bodies */
    bool reversed;
    uint32_t count;
    struct {
        AfxiMjcfJointType type;
        AfxVec3 point, direction;
    } joint[6];
} Combination;

#define X \
    { 1, 0, 0 }
#define Y \
    { 0, 1, 0 }
#define Z \
    { 0, 0, 1 }
#define MINUS_X \
    { -1, 0, 0 }
#define O \
    { 0, 0, 0 }
#define P \
    { 0.1, 0.2, 0.3 }
#define TILTED \
    { 0.6, 0.8, 0 }
#define TILTED_BACK \
    { 0.8, -0.6, 0 }
#define SLIDE AFXI_MJCF_SLIDE
#define HINGE AFXI_MJCF_HINGE
#define BALL AFXI_MJCF_BALL

static const Combination combinations[] = {
    {"slide", AFX_JOINT_PRISMATIC, false, 1, {{SLIDE, O, TILTED}}},
    {"hinge", AFX_JOINT_REVOLUTE, false, 1, {{HINGE, P, TILTED}}},
    {"ball", AFX_JOINT_SPHERICAL, false, 1, {{BALL, P, X}}},
    {"two slides", AFX_JOINT_RECTANGULAR, false, 2, {{SLIDE, O, Y}, {SLIDE, O, X}}},
    {"three slides", AFX_JOINT_CARTESIAN, false, 3, {{SLIDE, O, Y}, {SLIDE, O, X}, {SLIDE, O, Z}}},
    {"two hinges", AFX_JOINT_UNIVERSAL, false, 2, {{HINGE, P, TILTED}, {HINGE, P, TILTED_BACK}}},
    {"two hinges at different points", AFX_JOINT_UNIVERSAL, false, 2, {{HINGE, {7, 0, 0}, X}, {HINGE, {0, 5, 0}, Y}}},
    {"three hinges", AFX_JOINT_SPHERICAL, false, 3, {{HINGE, P, X}, {HINGE, P, Y}, {HINGE, P, Z}}},
    {"three hinges, left-handed", AFX_JOINT_SPHERICAL, false, 3, {{HINGE, P, X}, {HINGE, P, Z}, {HINGE, P, Y}}},
    {"cylinder", AFX_JOINT_CYLINDRICAL, false, 2, {{SLIDE, O, X}, {HINGE, P, MINUS_X}}},
    {"cylinder, hinge first", AFX_JOINT_CYLINDRICAL, true, 2, {{HINGE, P, X}, {SLIDE, O, X}}},
    {"pin in slot", AFX_JOINT_PIN_IN_SLOT, false, 2, {{SLIDE, O, Z}, {HINGE, P, X}}},
    {"pin in slot, hinge first", AFX_JOINT_PIN_IN_SLOT, true, 2, {{HINGE, P, X}, {SLIDE, O, Z}}},
    {"planar", AFX_JOINT_PLANAR, false, 3, {{SLIDE, O, X}, {SLIDE, O, Z}, {HINGE, P, Y}}},
    {"planar, hinge first", AFX_JOINT_PLANAR, true, 3, {{HINGE, P, Y}, {SLIDE, O, X}, {SLIDE, O, Z}}},
    {"slot", AFX_JOINT_SLOT, false, 2, {{SLIDE, O, Z}, {BALL, P, X}}},
    {"slot of hinges", AFX_JOINT_SLOT, false, 4, {{SLIDE, O, X}, {HINGE, P, X}, {HINGE, P, Y}, {HINGE, P, Z}}},
    {"ball, then slide", AFX_JOINT_SLOT, true, 2, {{BALL, P, X}, {SLIDE, O, Z}}},
    {"six",
     AFX_JOINT_FREE,
     false,
     6,
     {{SLIDE, O, Z}, {SLIDE, O, X}, {SLIDE, O, Y}, {HINGE, P, Y}, {HINGE, P, X}, {HINGE, P, Z}}},
    {"slides and ball", AFX_JOINT_FREE, false, 4, {{SLIDE, O, Z}, {SLIDE, O, X}, {SLIDE, O, Y}, {BALL, P, X}}},
    {"three slides and a hinge",
     AFX_JOINT_FREE,
     false,
     4,
     {{SLIDE, O, Z}, {SLIDE, O, X}, {SLIDE, O, Y}, {HINGE, P, Y}}},
    {"slide and two hinges", AFX_JOINT_FREE, false, 3, {{SLIDE, O, X}, {HINGE, P, Y}, {HINGE, P, X}}},
    {"skew hinges", AFX_JOINT_FIXED, false, 2, {{HINGE, O, X}, {HINGE, {0, 0, 1}, Y}}},
    {"hinges at an angle", AFX_JOINT_FIXED, false, 2, {{HINGE, O, X}, {HINGE, O, TILTED}}},
    {"parallel hinges", AFX_JOINT_FIXED, false, 2, {{HINGE, O, X}, {HINGE, Y, X}}},
    {"slides at an angle", AFX_JOINT_FIXED, false, 2, {{SLIDE, O, X}, {SLIDE, O, TILTED}}},
    {"slide, hinge, slide", AFX_JOINT_FIXED, false, 3, {{SLIDE, O, X}, {HINGE, O, Z}, {SLIDE, O, X}}},
};

/** The body's pose in its parent after the motions, in MuJoCo's order. */
static AfxPose moved(const Combination *c, const double *q, const AfxQuat *ball) {
    AfxPose pose = {{0.5, -0.25, 1}, {0.8, 0, 0.6, 0}};
    for (uint32_t k = 0; k < c->count; k++) {
        AfxVec3 d = c->joint[k].direction, p = c->joint[k].point;
        AfxPose motion = afx_pose_identity();
        if (c->joint[k].type == SLIDE) {
            motion.position = (AfxVec3){q[k] * d.x, q[k] * d.y, q[k] * d.z};
        } else {
            motion.rotation = c->joint[k].type == BALL ? *ball : afx_quat_from_axis_angle(d, q[k]);
            AfxVec3 turned = afx_quat_rotate(motion.rotation, p);
            motion.position = (AfxVec3){p.x - turned.x, p.y - turned.y, p.z - turned.z};
        }
        pose = afx_pose_compose(pose, motion);
    }
    return pose;
}

/** The combination as a file. */
static void write_model(const Combination *c, char *out, size_t size) {
    static const char *const types[] = {"free", "ball", "slide", "hinge"};
    size_t used = (size_t)snprintf(out, size,
                                   "<mujoco><worldbody><body name='b' pos='.5 -.25 1' quat='.8 0 .6 0'>"
                                   "<geom type='box' size='.1 .2 .3'/>");
    for (uint32_t k = 0; k < c->count; k++) {
        AfxVec3 d = c->joint[k].direction, p = c->joint[k].point;
        used += (size_t)snprintf(out + used, size - used,
                                 "<joint name='%u' type='%s' axis='%.17g %.17g %.17g' pos='%.17g %.17g %.17g'/>", k,
                                 types[c->joint[k].type], d.x, d.y, d.z, p.x, p.y, p.z);
    }
    snprintf(out + used, size - used, "</body></worldbody></mujoco>");
}

static AfxSim *make_sim(AfxScene *scene, AfxModel **out_model) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim;
    AfxError error;
    assert_ok(afx_scene_set_contact(scene, false)); /* only joints are looked at */
    assert_loads(afx_model_create(scene, out_model, &error), &error);
    assert_ok(afx_sim_create(*out_model, &def, &sim));
    return sim;
}

static void assert_same_pose(const char *what, AfxPose got, AfxPose want) {
    double dot = got.rotation.w * want.rotation.w + got.rotation.x * want.rotation.x +
                 got.rotation.y * want.rotation.y + got.rotation.z * want.rotation.z;
    double off = fabs(got.position.x - want.position.x) + fabs(got.position.y - want.position.y) +
                 fabs(got.position.z - want.position.z) + fabs(fabs(dot) - 1);
    if (!(off < 1e-12)) {
        print_error("%s: (%.6g %.6g %.6g) is not (%.6g %.6g %.6g), turn %.3g\n", what, got.position.x, got.position.y,
                    got.position.z, want.position.x, want.position.y, want.position.z, 1 - fabs(dot));
        fail();
    }
}

/** Reads coordinates where MuJoCo's rule puts the body, compares them, and places the body by them alone. */
static void check_motion(const Combination *c, AfxScene *scene, const AfxiMjcfPlan *plan, const double *q,
                         const AfxQuat *ball) {
    AfxModel *model;
    AfxSim *sim = make_sim(scene, &model);
    AfxPose want = moved(c, q, ball), got;
    double values[6] = {0}, residual;
    assert_ok(afx_sim_set_body_pose(sim, 0, want));
    assert_ok(afx_sim_joint_coordinates(sim, values));
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->joint[k].type != BALL) {
            assert_near(values[plan->axis[k]], plan->sign[k] * q[k], 1e-12);
        }
    }
    for (uint32_t axis = 0; axis < 6; axis++) {
        if (plan->held >> axis & 1u) {
            assert_near(values[axis], 0, 1e-12);
        }
    }
    afx_sim_destroy(sim);
    if (plan->kind != AFX_JOINT_FREE || plan->held) { /* a free joint that nothing drives only measures */
        AfxSimDef def = afx_default_sim();
        assert_ok(afx_sim_create(model, &def, &sim));
        assert_ok(afx_sim_set_joint_coordinates(sim, values, &residual));
        assert_ok(afx_sim_body_pose(sim, 0, &got));
        assert_same_pose(c->what, got, want);
        afx_sim_destroy(sim);
    }
    afx_model_destroy(model);
}

static void several_joints_are_one_of_the_right_kind(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof combinations / sizeof combinations[0]; n++) {
        const Combination *c = combinations + n;
        AfxiMjcfJoint joints[6] = {0};
        const AfxiMjcfJoint *list[6];
        AfxiMjcfPlan plan;
        for (uint32_t k = 0; k < c->count; k++) {
            joints[k] = (AfxiMjcfJoint){
                .type = c->joint[k].type, .point = c->joint[k].point, .direction = c->joint[k].direction};
            list[k] = joints + k;
        }
        bool composed = afxi_mjcf_compose(list, c->count, &plan);
        if (composed != (c->kind != AFX_JOINT_FIXED) ||
            (composed && (plan.kind != c->kind || plan.reversed != c->reversed))) {
            print_error("%s: %s%s\n", c->what, composed ? afx_joint_kind_name(plan.kind) : "a chain",
                        composed && plan.reversed ? ", reversed" : "");
            fail();
        }
        char text[3000];
        AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
        write_model(c, text, sizeof text);
        AfxScene *scene = load_good(text, &def);
        assert_int_equal(afx_scene_joint_count(scene), composed ? 1 : c->count);
        AfxQuat ball = {0.5, 0.5, -0.5, 0.5};
        double q[6] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8}, small[6] = {-0.1, 0.2, 0.3, -0.4, 0.1, 0.2};
        ball = afx_quat_multiply(ball, afx_quat_from_axis_angle((AfxVec3){1, 2, 3}, 0.5));
        if (composed) {
            check_motion(c, scene, &plan, q, &ball);
            check_motion(c, scene, &plan, small, &ball);
        }
        afx_scene_destroy(scene);
    }
}

static void joints_that_do_not_fit_get_light_bodies_between_them(void **state) {
    (void)state;
    const Combination *c = combinations;
    while (strcmp(c->what, "slide, hinge, slide") != 0) {
        c++;
    }
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    char text[3000];
    write_model(c, text, sizeof text);
    AfxScene *scene = load_good(text, &def);
    assert_int_equal(afx_scene_body_count(scene), 3);
    assert_string_equal(afx_scene_body_name(scene, afx_scene_body(scene, 1)), "b part 1");
    AfxMass whole, part;
    assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, 0), &whole));
    assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, 1), &part));
    assert_near(part.mass, 1e-6 * whole.mass, 1e-18);
    assert_int_equal(told.count[AFX_NOTICE_CHANGED], 1);
    assert_non_null(
        strstr(told.text, "1 1 body \"b\": its joints have bodies of a millionth of its mass between them"));
    AfxModel *model;
    AfxSim *sim = make_sim(scene, &model);
    double values[3] = {0.3, -0.4, 0.5}, residual;
    AfxPose got;
    assert_ok(afx_sim_set_joint_coordinates(sim, values, &residual));
    assert_ok(afx_sim_body_pose(sim, 0, &got));
    assert_same_pose(c->what, got, moved(c, values, NULL));
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void a_ball_of_hinges_says_where_it_ends(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
#define THREE(range)                                                                                               \
    "<mujoco><worldbody><body><geom size='1'/><joint axis='1 0 0'/><joint axis='0 1 0' " range "/><joint/></body>" \
    "</worldbody></mujoco>"
    afx_scene_destroy(load_good(THREE("range='-80 80'"), &def));
    assert_string_equal(told.text, "");
    afx_scene_destroy(load_good(THREE("range='-80 95'"), &def));
    assert_non_null(strstr(told.text, "1 1 joint: hinges that meet in a point turn as a ball"));
}

/* ---- what acts on a joint ---- */

static AfxDriveDef drive_at(const AfxScene *scene, uint32_t k, const char *name, AfxDriveKind kind) {
    AfxDriveDef def;
    assert_ok(afx_scene_get_drive(scene, k, &def));
    assert_string_equal(def.name, name);
    assert_int_equal(def.kind, kind);
    return def;
}

static void coordinates_are_those_of_the_file(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene = load_good(
        "<mujoco><worldbody><body><geom size='1'/><joint name='h' axis='0 0 2' ref='30' range='-60 90' springref='10' "
        "stiffness='2' damping='3' frictionloss='4'/><body pos='1 0 0'><geom size='1'/>"
        "<joint name='s' type='slide' axis='0 1 0' ref='.5' range='.25 .75' stiffness='2'/></body></body>"
        "<body><geom size='1'/><joint name='a' type='slide' axis='1 0 0'/><joint name='b' axis='-1 0 0' ref='30' "
        "range='-60 90' springref='10' stiffness='2'/></body></worldbody></mujoco>",
        &def);
    AfxModel *model;
    AfxSim *sim = make_sim(scene, &model);
    double value;
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, &value, NULL));
    assert_near(value, 30 * DEGREE, 1e-14);
    assert_ok(afx_sim_joint_coordinate(sim, 1, 0, &value, NULL));
    assert_near(value, 0.5, 1e-14);
    AfxDriveDef drive = drive_at(scene, 0, "h limit", AFX_DRIVE_LIMIT);
    assert_near(drive.lower, -60 * DEGREE, 1e-15);
    assert_near(drive.upper, 90 * DEGREE, 1e-15);
    drive = drive_at(scene, 1, "h spring", AFX_DRIVE_SPRING);
    assert_near(drive.rest, 10 * DEGREE, 1e-15);
    assert_near(drive.stiffness, 2, 0);
    assert_near(drive.damping, 3, 0);
    assert_near(drive_at(scene, 2, "h friction", AFX_DRIVE_FRICTION).effort, 4, 0);
    drive = drive_at(scene, 3, "s limit", AFX_DRIVE_LIMIT);
    assert_near(drive.lower, 0.25, 0);
    /* composed: from 0 at the start, and against the slide's axis */
    AfxJointDef joint;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 2), &joint));
    assert_string_equal(joint.name, "a+b");
    assert_int_equal(joint.kind, AFX_JOINT_CYLINDRICAL);
    drive = drive_at(scene, 5, "b limit", AFX_DRIVE_LIMIT);
    double sign = drive.upper > 80 * DEGREE ? -1 : 1; /* which of the two gives x of the frame */
    assert_near(drive.lower, sign > 0 ? -90 * DEGREE : -60 * DEGREE, 1e-14);
    assert_near(drive.upper, sign > 0 ? 60 * DEGREE : 90 * DEGREE, 1e-14);
    assert_near(drive_at(scene, 6, "b spring", AFX_DRIVE_SPRING).rest, sign * -20 * DEGREE, 1e-14);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/** Rate of joint 0 after 1 ms from rest. */
static double rate_after(const char *text) {
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene = load_good(text, &def);
    AfxModel *model;
    AfxSim *sim = make_sim(scene, &model);
    double rate;
    assert_ok(afx_sim_set_dt(sim, 1e-4));
    for (int k = 0; k < 10; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, NULL, &rate));
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return rate;
}

static void armature_is_inertia_without_weight(void **state) {
    (void)state;
    /* a point-like pendulum of 2 kg at 1 m, horizontal: I = 2 + armature, torque 2 * 9.81 */
#define PENDULUM(attributes)                                                                       \
    "<mujoco><worldbody><body><joint axis='0 1 0' " attributes "/><inertial pos='1 0 0' mass='2' " \
    "diaginertia='1e-9 1e-9 1e-9'/></body></worldbody></mujoco>"
    assert_near(rate_after(PENDULUM("")), 9.81e-3, 1e-8);
    assert_near(rate_after(PENDULUM("armature='3'")), 2 * 9.81e-3 / 5, 1e-8);
    assert_near(rate_after(PENDULUM("armature='3' ref='50'")), 2 * 9.81e-3 / 5, 1e-8);
    assert_near(rate_after("<mujoco><worldbody><body><joint type='slide' armature='3'/><geom size='1' mass='2'/>"
                           "</body></worldbody></mujoco>"),
                -2 * 9.81e-3 / 5, 1e-9);
}

static void springdamper_is_measured_by_what_moves(void **state) {
    (void)state;
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene =
        load_good("<mujoco><worldbody><body><joint name='j' axis='0 1 0' springdamper='.5 .25'/><inertial "
                  "pos='1 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody></mujoco>",
                  &def);
    AfxDriveDef drive = drive_at(scene, 0, "j spring", AFX_DRIVE_SPRING);
    assert_near(drive.damping, 2 * 3 / 0.5, 1e-12);
    assert_near(drive.stiffness, 3 / (0.25 * 0.0625), 1e-11);
    afx_scene_destroy(scene);
    /* two slides in line, masses 3 and 1: alone the first moves 1 / (M^-1)_11 = 3, the second 3 * 1 / (3 + 1) */
    scene =
        load_good("<mujoco><default><joint type='slide' springdamper='1 1'/></default><worldbody><body>"
                  "<joint name='a'/><geom size='1' mass='3'/><body><joint name='b'/><geom size='1' mass='1'/></body>"
                  "</body></worldbody></mujoco>",
                  &def);
    assert_near(drive_at(scene, 0, "a spring", AFX_DRIVE_SPRING).stiffness, 3, 1e-12);
    assert_near(drive_at(scene, 1, "b spring", AFX_DRIVE_SPRING).stiffness, 0.75, 1e-12);
    afx_scene_destroy(scene);
}

static void a_start_beyond_limits_is_moved_into_them(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
#define KNEE(more)                                                                                             \
    "<mujoco><worldbody><body><freejoint/><geom size='1'/><body pos='1 0 0'><joint name='knee' range='20 90' " \
    "armature='1'/><geom size='1'/><site name='s' pos='1 0 0'/></body></body></worldbody>" more "</mujoco>"
    AfxScene *scene = load_good(KNEE(""), &def);
    AfxModel *model;
    AfxSim *sim = make_sim(scene, &model);
    double value;
    AfxVec3 at;
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, &value, NULL));
    assert_near(value, 20 * DEGREE, 1e-14);
    AfxStepReport report;
    assert_ok(afx_step(sim, &report));
    assert_false(report.flags & AFX_STEP_ASSEMBLED);
    assert_non_null(strstr(told.text,
                           "1 1 joint \"knee\": its limit forbids the posture that is drawn: the scene starts "
                           "with such joints at their limits"));
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    scene = load_good(KNEE("<keyframe><key qpos='0 0 0 1 0 0 0 0'/>"
                           "<key name='bent' qpos='0 0 5 0.5 0.5 0.5 0.5 1.5707963267948966'/></keyframe>"),
                      &def);
    sim = make_sim(scene, &model);
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, &value, NULL));
    assert_near(value, 90 * DEGREE, 1e-14);
    assert_ok(afx_sim_marker(sim, 0, &at, NULL)); /* x is y there, and y is z: (0, 0, 5) + y + z */
    assert_vec3(at, 0, 1, 6, 1e-14);
    assert_non_null(strstr(told.text, "starts at keyframe bent"));
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void what_balls_and_free_joints_cannot_have_is_told(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    AfxScene *scene =
        load_good("<mujoco><worldbody><body><joint name='f' type='free' damping='1'/><geom size='1'/></body>"
                  "<body><joint name='b' type='ball' range='0 30' stiffness='2' damping='1' armature='1' "
                  "frictionloss='1'/><geom size='1'/></body></worldbody></mujoco>",
                  &def);
    assert_int_equal(afx_scene_drive_count(scene), 4);
    AfxDriveDef limit = drive_at(scene, 0, "b limit", AFX_DRIVE_LIMIT); /* MuJoCo bounds the whole angle */
    assert_int_equal(limit.axis, AFX_AXIS_ANGLE);
    assert_near(limit.upper, 30 * 3.14159265358979323846 / 180, 1e-15);
    assert_near(drive_at(scene, 3, "b spring z", AFX_DRIVE_SPRING).stiffness, 2, 0);
    assert_string_equal(told.text,
                        "0 1 joint \"f\" attribute \"damping\": a free joint has none here\n"
                        "1 1 joint \"b\": its spring and damper act on the three angles x, y, z: for small turns as in "
                        "MuJoCo\n"
                        "0 1 joint \"b\" attribute \"frictionloss\": a ball joint has none here\n"
                        "0 1 joint \"b\" attribute \"armature\": a ball joint has none here\n");
    afx_scene_destroy(scene);
}

int run_mjcf_joint_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_joints_are_one_of_the_right_kind),
        cmocka_unit_test(joints_that_do_not_fit_get_light_bodies_between_them),
        cmocka_unit_test(a_ball_of_hinges_says_where_it_ends),
        cmocka_unit_test(coordinates_are_those_of_the_file),
        cmocka_unit_test(armature_is_inertia_without_weight),
        cmocka_unit_test(springdamper_is_measured_by_what_moves),
        cmocka_unit_test(a_start_beyond_limits_is_moved_into_them),
        cmocka_unit_test(what_balls_and_free_joints_cannot_have_is_told),
    };
    return cmocka_run_group_tests_name("mjcf joints", tests, NULL, NULL);
}

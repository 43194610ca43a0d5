/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF: masses of geoms and bodies against closed forms, orientations, classes, frames, merged bodies, markers, what
 * gravity does, and what is told. */
#include "xml_tests.h"

#define PI 3.14159265358979323846
#define MODEL(inside) "<mujoco>" inside "</mujoco>"
#define WORLD(inside) MODEL("<worldbody>" inside "</worldbody>")

static AfxScene *load_model(const char *text) {
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    return load_good(text, &def);
}

static AfxMass mass_of(const AfxScene *scene, uint32_t body) {
    AfxMass mass;
    assert_ok(afx_scene_body_mass(scene, afx_scene_body(scene, body), &mass));
    return mass;
}

/** Mass and diagonal inertia of the only body of a model. */
static void assert_mass(const char *text, double mass, double xx, double yy, double zz) {
    AfxScene *scene = load_model(text);
    AfxMass got = mass_of(scene, 0);
    assert_near(got.mass, mass, 1e-12 * mass);
    assert_near(got.inertia[0], xx, 1e-11 * xx);
    assert_near(got.inertia[1], yy, 1e-11 * yy);
    assert_near(got.inertia[2], zz, 1e-11 * zz);
    for (int k = 3; k < 6; k++) {
        assert_near(got.inertia[k], 0, 1e-12 * xx);
    }
    afx_scene_destroy(scene);
}

#define GEOM(attributes) WORLD("<body><freejoint/><geom " attributes "/></body>")

static void solids_and_shells_have_their_masses(void **state) {
    (void)state;
    double m = 4 * PI / 3 * 0.008 * 1000;
    assert_mass(GEOM("size='.2'"), m, 0.4 * m * 0.04, 0.4 * m * 0.04, 0.4 * m * 0.04);
    assert_mass(GEOM("size='.2' shellinertia='true'"), 160 * PI, 160 * PI * 0.08 / 3, 160 * PI * 0.08 / 3,
                160 * PI * 0.08 / 3);
    assert_mass(GEOM("type='box' size='.1 .2 .3' mass='6'"), 6, 6 * 0.13 / 3, 6 * 0.10 / 3, 6 * 0.05 / 3);
    /* a box shell: two faces each of 4 (.06, .03, .02) m^2; s_x = h_x^2 (w_x + (1 - w_x) / 3) */
    double sx = 0.01 * (6.0 / 11 + 5.0 / 33), sy = 0.04 * (3.0 / 11 + 8.0 / 33), sz = 0.09 * (2.0 / 11 + 9.0 / 33);
    assert_mass(GEOM("type='box' size='.1 .2 .3' mass='6' shellinertia='true'"), 6, 6 * (sy + sz), 6 * (sx + sz),
                6 * (sx + sy));
    assert_mass(GEOM("type='ellipsoid' size='.1 .2 .3' mass='5'"), 5, 0.13, 0.10, 0.05);
    assert_mass(GEOM("type='cylinder' size='.1 .3' mass='12'"), 12, 12 * (0.03 + 0.36) / 12, 12 * (0.03 + 0.36) / 12,
                12 * 0.005);
    /* a tube of radius r and length 2h with ends: masses 2 pi r^2 and 4 pi r h */
    double ends = 12.0 * 0.1 / 0.7, tube = 12.0 * 0.6 / 0.7;
    assert_mass(GEOM("type='cylinder' size='.1 .3' mass='12' shellinertia='true'"), 12,
                ends * (0.0025 + 0.09) + tube * (0.005 + 0.03), ends * (0.0025 + 0.09) + tube * (0.005 + 0.03),
                ends * 0.005 + tube * 0.01);
    /* a capsule of radius r and half length h; half balls have their centroid at 3r/8 */
    double r = 0.1, h = 0.3, ball = 4 * PI / 3 * r * r * r * 1000, rod = 2 * PI * r * r * h * 1000;
    double across = ball * (0.4 * r * r + h * h + 0.75 * h * r) + rod * (r * r / 4 + h * h / 3);
    assert_mass(GEOM("type='capsule' size='.1 .3'"), ball + rod, across, across, 0.4 * ball * r * r + rod * r * r / 2);
    assert_mass(GEOM("type='capsule' size='.1' fromto='0 0 -.3 0 0 .3'"), ball + rod, across, across,
                0.4 * ball * r * r + rod * r * r / 2);
    /* shell: half balls at r/2 */
    ball = 4 * PI * r * r * 1000;
    rod = 4 * PI * r * h * 1000;
    across = ball * (2 * r * r / 3 + h * h + h * r) + rod * (r * r / 2 + h * h / 3);
    assert_mass(GEOM("type='capsule' size='.1 .3' shellinertia='true'"), ball + rod, across, across,
                2.0 / 3 * ball * r * r + rod * r * r);
}

#define CUBE "vertex='0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1'"
#define MESHED(asset)                                                              \
    MODEL("<asset><mesh name='c' " asset "/></asset><worldbody><body><freejoint/>" \
          "<geom type='mesh' mesh='c' density='1'/></body></worldbody>")

static void meshes_have_their_masses(void **state) {
    (void)state;
    assert_mass(MESHED(CUBE), 1, 1.0 / 6, 1.0 / 6, 1.0 / 6);
    assert_mass(MESHED(CUBE " scale='2 -1 1'"), 2, 1.0 / 3, 5.0 / 6, 5.0 / 6);
    assert_mass(MESHED(CUBE " inertia='convex'"), 1, 1.0 / 6, 1.0 / 6, 1.0 / 6);
    assert_mass(MESHED(CUBE " inertia='exact'"), 1, 1.0 / 6, 1.0 / 6, 1.0 / 6);
    assert_mass(MESHED(CUBE " inertia='shell'"), 6, 5.0 / 3, 5.0 / 3, 5.0 / 3); /* m a^2 5/18 */
    AfxScene *scene = load_model(MESHED(CUBE " refpos='.5 0 0' refquat='0.5 0.5 0.5 0.5'"));
    AfxMass mass = mass_of(scene, 0); /* (0, .5, .5) turned back: x to z, y to x, z to y */
    assert_vec3(mass.center, 0.5, 0.5, 0, 1e-7);
    AfxShapeDef shape;
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_CONVEX);
    afx_scene_destroy(scene);
    /* a box fitted to the cube */
    assert_mass(MODEL("<asset><mesh name='c' " CUBE "/></asset><worldbody><body><freejoint/>"
                      "<geom type='box' mesh='c' density='1'/></body></worldbody>"),
                1, 1.0 / 6, 1.0 / 6, 1.0 / 6);
}

#define BALLS "<geom size='.1' mass='2' pos='1 0 0' group='1'/><geom size='.1' mass='2' pos='-1 0 0' group='2'/>"

static void inertia_comes_from_where_the_settings_say(void **state) {
    (void)state;
    double own = 0.4 * 2 * 0.01;
    assert_mass(WORLD("<body><freejoint/>" BALLS "</body>"), 4, 2 * own, 2 * own + 4, 2 * own + 4);
    assert_mass(MODEL("<compiler inertiagrouprange='2 3'/><worldbody><body><freejoint/>" BALLS "</body></worldbody>"),
                2, own, own, own);
#define INERTIAL_BODY "<body><freejoint/><inertial pos='0 0 1' mass='3' diaginertia='1 2 2.5'/>" BALLS "</body>"
    assert_mass(WORLD(INERTIAL_BODY), 3, 1, 2, 2.5);
    assert_mass(MODEL("<compiler inertiafromgeom='true'/><worldbody>" INERTIAL_BODY "</worldbody>"), 4, 2 * own,
                2 * own + 4, 2 * own + 4);
    assert_mass(MODEL("<compiler boundmass='7' boundinertia='1.5'/><worldbody>" INERTIAL_BODY "</worldbody>"), 7, 1.5,
                2, 2.5);
    assert_mass(MODEL("<compiler settotalmass='6'/><worldbody>" INERTIAL_BODY "</worldbody>"), 6, 2, 4, 5);
    assert_mass(MODEL("<compiler balanceinertia='true'/><worldbody><body><freejoint/>"
                      "<inertial pos='0 0 1' mass='3' diaginertia='1 2 6'/></body></worldbody>"),
                3, 3, 3, 3);
    AfxScene *scene = load_model(WORLD("<body><freejoint/><inertial pos='0 0 1' mass='3' diaginertia='1 2 2.5' "
                                       "euler='0 0 90'/></body><body><freejoint/><inertial pos='0 0 1' mass='3' "
                                       "fullinertia='1 2 2.5 .1 .2 .3'/></body>"));
    AfxMass mass = mass_of(scene, 0);
    assert_near(mass.inertia[0], 2, 1e-14);
    assert_near(mass.inertia[1], 1, 1e-14);
    assert_vec3(mass.center, 0, 0, 1, 0);
    mass = mass_of(scene, 1);
    const double want[6] = {1, 2, 2.5, 0.1, 0.2, 0.3};
    for (int k = 0; k < 6; k++) {
        assert_near(mass.inertia[k], want[k], 1e-14);
    }
    afx_scene_destroy(scene);
}

/** The rotation of the only body takes (1, 2, 3) there. */
static void assert_turn(const char *text, double x, double y, double z) {
    AfxScene *scene = load_model(text);
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
    AfxVec3 turned = afx_quat_rotate(def.pose.rotation, (AfxVec3){1, 2, 3});
    assert_vec3(turned, x, y, z, 1e-14);
    afx_scene_destroy(scene);
}

#define TURNED(compiler, attribute) \
    MODEL("<compiler " compiler "/><worldbody><body " attribute "><freejoint/><geom size='1'/></body></worldbody>")

static void orientations_can_be_written_in_many_ways(void **state) {
    (void)state;
    assert_turn(TURNED("", "quat='2 0 0 2'"), -2, 1, 3);
    assert_turn(TURNED("", "axisangle='0 0 5 90'"), -2, 1, 3);
    assert_turn(TURNED("angle='radian'", "axisangle='0 0 5 1.5707963267948966'"), -2, 1, 3);
    assert_turn(TURNED("", "xyaxes='0 2 0 -3 1 0'"), -2, 1, 3);
    assert_turn(TURNED("", "zaxis='0 4 0'"), 1, 3, -2);
    assert_turn(TURNED("", "euler='90 0 90'"), -2, -3, 1);             /* about x, then z of the turned frame */
    assert_turn(TURNED("eulerseq='XYZ'", "euler='90 0 90'"), 3, 1, 2); /* fixed axes: x first, then z */
    assert_turn(TURNED("eulerseq='zyx'", "euler='90 0 90'"), 3, 1, 2);
}

static void fixed_axes_turn_the_other_way_round(void **state) {
    (void)state;
    /* about x of the body by 90, then about its own y by 90: (1, 2, 3) to (3, 2, -1) to (3, 1, 2) */
    assert_turn(TURNED("eulerseq='xyz'", "euler='90 90 0'"), 3, 1, 2);
    /* about the fixed x: (1, -3, 2); then about the fixed y: (2, -3, -1) */
    assert_turn(TURNED("eulerseq='XYZ'", "euler='90 90 0'"), 2, -3, -1);
}

static void classes_are_inherited(void **state) {
    (void)state;
    AfxScene *scene = load_model(
        MODEL("<default><geom type='box' size='1 1 1' density='10'/><joint damping='3'/>"
              "<default class='a'><geom density='20'/><default class='b'><geom size='2 1 1'/></default></default>"
              "<default class='c'><joint type='slide' axis='1 0 0' damping='4'/></default></default>"
              "<worldbody><body name='0'><joint/><geom/></body>"
              "<body name='1' childclass='a'><joint/><geom/><body name='2'><joint axis='1 0 0'/><geom "
              "class='b'/></body></body>"
              "<body name='3' childclass='b'><joint class='c'/><geom density='1'/></body></worldbody>"));
    const double masses[4] = {80, 160, 320, 16};
    for (uint32_t k = 0; k < 4; k++) {
        assert_near(mass_of(scene, k).mass, masses[k], 1e-12);
    }
    AfxJointDef joint;
    AfxDriveDef drive;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 3), &joint));
    assert_int_equal(joint.kind, AFX_JOINT_PRISMATIC);
    for (uint32_t k = 0; k < 4; k++) {
        assert_ok(afx_scene_get_drive(scene, k, &drive));
        assert_near(drive.damping, k == 3 ? 4 : 3, 0);
    }
    afx_scene_destroy(scene);
}

static void bodies_without_joints_are_parts_of_their_parents(void **state) {
    (void)state;
    AfxScene *scene = load_model(
        WORLD("<geom type='plane' size='1 1 1'/><body name='table' pos='0 0 1'><geom type='box' size='1 1 .1'/><site "
              "name='corner' pos='1 1 0'/></body>"
              "<frame pos='1 0 0' euler='0 0 90'><body name='arm' pos='1 0 0'><joint axis='1 0 0'/>"
              "<geom type='box' size='1 1 1' mass='2'/><frame pos='0 0 1'><body name='hand' pos='0 0 1'>"
              "<geom size='.1' mass='2'/><site name='grip' pos='0 0 1'/></body></frame></body></frame>"));
    assert_int_equal(afx_scene_body_count(scene), 2); /* the arm, and what stands still */
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
    assert_string_equal(def.name, "arm");
    assert_true(isinf(def.young));
    assert_vec3(def.pose.position, 1, 1, 0, 1e-15);
    AfxMass mass = mass_of(scene, 0);
    assert_near(mass.mass, 4, 1e-14);
    assert_vec3(mass.center, 0, 0, 1, 1e-14);
    AfxBodyId body;
    AfxVec3 point;
    const char *name;
    static const struct {
        const char *name, *body;
        double x, y, z;
    } markers[] = {
        {"corner", "world", 1, 1, 1}, {"grip", "arm", 0, 0, 3}, {"table", "world", 0, 0, 1}, {"hand", "arm", 0, 0, 2}};
    assert_int_equal(afx_scene_marker_count(scene), 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_ok(afx_scene_get_marker(scene, k, &name, &body, &point));
        assert_string_equal(name, markers[k].name);
        assert_string_equal(afx_scene_body_name(scene, body), markers[k].body);
        assert_vec3(point, markers[k].x, markers[k].y, markers[k].z, 1e-15);
    }
    assert_ok(afx_scene_find_body(scene, "world", &body));
    assert_int_equal(afx_scene_shape_count(scene, body), 2);
    assert_ok(afx_scene_get_body(scene, body, &def));
    assert_int_equal(def.kind, AFX_BODY_FIXED);
    afx_scene_destroy(scene);
}

static void gravity_can_be_set_off_and_compensated(void **state) {
    (void)state;
    AfxScene *scene =
        load_model(MODEL("<option gravity='0 -2 0'/><worldbody><body name='whole' gravcomp='1'><freejoint/><geom "
                         "size='1' mass='3'/></body>"
                         "<body name='half' gravcomp='.5'><freejoint/><geom size='1' pos='1 0 0' mass='3'/></body>"
                         "<body name='hand' mocap='true'><geom size='1'/></body></worldbody>"));
    AfxVec3 gravity = afx_scene_gravity(scene);
    assert_vec3(gravity, 0, -2, 0, 0);
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
    assert_false(def.gravity);
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 1), &def));
    assert_true(def.gravity);
    AfxWrenchDef wrench;
    assert_int_equal(afx_scene_wrench_count(scene), 1);
    assert_ok(afx_scene_get_wrench(scene, 0, &wrench));
    assert_vec3(wrench.force, 0, 3, 0, 1e-15);
    assert_vec3(wrench.point, 1, 0, 0, 1e-15);
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 2), &def));
    assert_int_equal(def.kind, AFX_BODY_KINEMATIC);
    afx_scene_destroy(scene);
    scene = load_model(MODEL("<option><flag gravity='disable'/></option>"));
    gravity = afx_scene_gravity(scene);
    assert_vec3(gravity, 0, 0, 0, 0);
    afx_scene_destroy(scene);
}

/* Friction below its limit, of a ball of 2 kg on the ground: c = impratio B/w, B = 2/(dmax timeconst), w = 1/m, over
 * 1 + mu² for pyramids; and margins less gaps, which add up. */
static void friction_creeps_as_the_file_says(void **state) {
    (void)state;
    static const struct {
        const char *option, *geom, *more;
        double creep, margin;
    } cases[] = {
        {"", "", "", 2 * 2 / (0.95 * 0.02) / 2, 0},
        {"cone='elliptic'", "", "", 2 * 2 / (0.95 * 0.02), 0},
        {"cone='elliptic' impratio='10'", "solref='.05 1' solimp='.1 .8 .01'", "", 10 * 2 * 2 / (0.875 * 0.035), 0},
        {"cone='elliptic'", "solref='-100 -30'", "", 2 * 30 / 0.95, 0},
        {"", "margin='.003' gap='.001'", "", 2 * 2 / (0.95 * 0.02) / 2, 0.003 + 0.002 - 0.001},
        {"", "margin='.003'", "<contact><pair geom1='g' geom2='f' margin='.01' gap='.004'/></contact>",
         2 * 2 / (0.95 * 0.02) / 2, 0.006},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            MODEL("<option %s/><worldbody><geom name='f' type='plane' size='1 1 1' margin='.002'/><body><freejoint/>"
                  "<geom name='g' size='.1' mass='2' %s/></body></worldbody>%s"),
            cases[k].option, cases[k].geom, cases[k].more);
        AfxScene *scene = load_model(text);
        AfxShapeDef ball, floor;
        AfxMaterialDef def = afx_default_material(), own;
        AfxMaterialId a, b;
        for (uint32_t body = 0; body < 2; body++) { /* the ground and the ball */
            AfxBodyDef what;
            assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, body), &what));
            assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, body), 0,
                                          what.kind == AFX_BODY_FIXED ? &floor : &ball));
        }
        assert_ok(afx_scene_get_material(scene, floor.material, &def));
        assert_ok(afx_scene_get_material(scene, ball.material, &own));
        def = afx_material_combine(&def, &own);
        for (uint32_t p = 0; p < afx_scene_material_pair_count(scene); p++) {
            assert_ok(afx_scene_get_material_pair(scene, p, &a, &b, &own));
            if ((a.index == floor.material.index && b.index == ball.material.index) ||
                (b.index == floor.material.index && a.index == ball.material.index)) {
                def = own;
            }
        }
        assert_near(def.friction_damping, cases[k].creep, 1e-9 * cases[k].creep);
        double margin = k < 4 ? 0.002 : cases[k].margin;
        assert_near(def.margin, margin, 1e-15);
        afx_scene_destroy(scene);
    }
}

/* Sizes of pictures that cannot be as the file wants them are told; those that can are not. */
static void sizes_of_pictures_are_told(void **state) {
    (void)state;
    static const struct {
        const char *material, *want;
    } cases[] = {
        {"texuniform='true' texrepeat='4 4'", ""},
        {"", ""},
        {"texrepeat='1 1'", ""},
        {"texuniform='true' texrepeat='4 2'",
         "1 1 material \"m\" attribute \"texrepeat\": the first number holds along both axes\n"},
        {"texrepeat='4 4'", "1 1 material \"m\" attribute \"texrepeat\": counts pictures in a metre, as with "
                            "texuniform, not over a shape\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        Told told = {0};
        AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
        snprintf(text, sizeof text,
                 MODEL("<asset><texture name='t' type='2d' builtin='checker'/><material name='m' texture='t' %s/>"
                       "</asset><worldbody><body><freejoint/><geom size='1' material='m'/></body></worldbody>"),
                 cases[k].material);
        AfxScene *scene = load_good(text, &def);
        assert_string_equal(told.text, cases[k].want);
        assert_int_equal(afx_scene_texture_count(scene), 1);
        afx_scene_destroy(scene);
    }
}

static void all_that_has_no_effect_is_told_once(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    const char *text =
        MODEL("\n<option timestep='.1'/>\n<visual/>\n<default>\n<geom fluidshape='none'/><camera fovy='1'/>"
              "<default class='unused'><geom solref='1 1'/></default></default>\n"
              "<worldbody><light/>\n<body><freejoint/><geom size='1' rgba='1 0 0 1'/>\n"
              "<geom size='1' rgba='1 0 0 1'/></body></worldbody>\n<sensor><tactile/></sensor><nonsense/>");
    AfxScene *scene = load_good(text, &def);
    assert_string_equal(told.text, "0 2 option attribute \"timestep\": the step is a setting of the sim\n"
                                   "0 3 visual: of looks, only colours and textures of geoms and materials are read\n"
                                   "0 5 geom attribute \"fluidshape\": there is no air\n"
                                   "0 6 light: there are no lights\n"
                                   "0 9 tactile: unsupported: it is ignored\n"
                                   "0 9 nonsense: unsupported: it is ignored\n");
    afx_scene_destroy(scene);
    AfxError error;
    scene = make_scene();
    def.strict = true;
    assert_int_equal(load_text(scene, text, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "option", "the step is a setting");
    assert_empty(scene);
    afx_scene_destroy(scene);
}

static void geoms_have_their_colours(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    static const uint32_t colors[] = {AFX_COLOR(255, 128, 0), AFX_COLOR(0, 0, 255), AFX_COLOR(51, 51, 51), 0,
                                      AFX_COLOR(0, 255, 0)};
    AfxScene *scene =
        load_good(MODEL("<default><geom rgba='.2 .2 .2 1'/><default class='g'><geom rgba='0 1 0 .5'/></default>"
                        "<default class='n'><geom rgba='1 1 1 0'/></default></default>"
                        "<asset><material name='blue' rgba='0 0 1 1' shininess='1'/></asset>"
                        "<worldbody><body><freejoint/><geom size='1' rgba='1 .5 0 1'/></body>"
                        "<body><freejoint/><geom size='1' class='n' material='blue'/></body>"
                        "<body><freejoint/><geom size='1'/></body>"
                        "<body><freejoint/><geom size='1' class='n'/></body>"
                        "<body><freejoint/><geom size='1' class='g'/></body></worldbody>"),
                  &def);
    for (uint32_t k = 0; k < 5; k++) {
        AfxShapeDef shape;
        assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, k), 0, &shape));
        assert_int_equal(shape.color, colors[k]);
    }
    assert_string_equal(told.text, "");
    afx_scene_destroy(scene);
}

static void geoms_touch_or_are_drawn(void **state) {
    (void)state;
    Told told = {0};
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, &told);
    AfxScene *scene = load_good(
        WORLD("<body><freejoint/><geom size='1'/><geom type='box' size='1 1 1' contype='0' conaffinity='0'/></body>"
              "<body><freejoint/><geom type='cylinder' size='1 2' contype='0' conaffinity='0'/></body>"),
        &def);
    AfxShapeDef shape;
    assert_int_equal(afx_scene_shape_count(scene, afx_scene_body(scene, 0)), 2);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_SPHERE);
    assert_false(shape.visual);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 1, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_BOX);
    assert_true(shape.visual);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 1), 0, &shape));
    assert_int_equal(shape.kind, AFX_SHAPE_CYLINDER);
    assert_true(shape.visual);
    assert_near(shape.length, 4, 0);
    assert_string_equal(told.text, "");
    afx_scene_destroy(scene);
}

int run_mjcf_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_and_shells_have_their_masses),
        cmocka_unit_test(meshes_have_their_masses),
        cmocka_unit_test(inertia_comes_from_where_the_settings_say),
        cmocka_unit_test(orientations_can_be_written_in_many_ways),
        cmocka_unit_test(fixed_axes_turn_the_other_way_round),
        cmocka_unit_test(classes_are_inherited),
        cmocka_unit_test(bodies_without_joints_are_parts_of_their_parents),
        cmocka_unit_test(gravity_can_be_set_off_and_compensated),
        cmocka_unit_test(friction_creeps_as_the_file_says),
        cmocka_unit_test(sizes_of_pictures_are_told),
        cmocka_unit_test(all_that_has_no_effect_is_told_once),
        cmocka_unit_test(geoms_touch_or_are_drawn),
        cmocka_unit_test(geoms_have_their_colours),
    };
    return cmocka_run_group_tests_name("mjcf", tests, NULL, NULL);
}

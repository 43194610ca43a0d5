/* SPDX-License-Identifier: Apache-2.0 */
/* Values of scene JSON: rotations in every notation against matrices, units of every quantity, functions of time. */
#include "tests.h"

#define PI 3.14159265358979323846

/** A body of a scene with one body, whose other keys are given. */
static AfxBodyDef body_with(const char *keys, AfxScene **out_scene) {
    char text[800];
    snprintf(text, sizeof text, "{\"affix_scene\": 1, \"bodies\": [{%s}]}", keys);
    AfxScene *scene = load_json(text);
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
    *out_scene = scene;
    return def;
}

/** Where the body's rotation takes the three axes: `columns` of the matrix. */
static void check_rotation(const char *rotation, const double columns[9]) {
    char keys[300];
    AfxScene *scene;
    snprintf(keys, sizeof keys, "\"rotation\": %s", rotation);
    AfxBodyDef def = body_with(keys, &scene);
    for (int k = 0; k < 3; k++) {
        AfxVec3 axis = {k == 0, k == 1, k == 2};
        AfxVec3 turned = afx_quat_rotate(def.pose.rotation, axis);
        assert_vec3(turned, columns[3 * k], columns[3 * k + 1], columns[3 * k + 2], 1e-15);
    }
    afx_scene_destroy(scene);
}

/** The product of matrices about axes, the first one leftmost; column-major. */
static void product(const int *axes, const double *angles, double out[9]) {
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < 3; k++) {
        double c = cos(angles[k]), s = sin(angles[k]), r[9] = {0}, n[9];
        int a = axes[k], b = (a + 1) % 3, d = (a + 2) % 3;
        r[3 * a + a] = 1;
        r[3 * b + b] = r[3 * d + d] = c;
        r[3 * b + d] = s;
        r[3 * d + b] = -s;
        for (int column = 0; column < 3; column++) {
            for (int row = 0; row < 3; row++) {
                n[3 * column + row] = 0;
                for (int i = 0; i < 3; i++) {
                    n[3 * column + row] += m[3 * i + row] * r[3 * column + i];
                }
            }
        }
        memcpy(m, n, sizeof m);
    }
    memcpy(out, m, 9 * sizeof *out);
}

static void rotations_in_every_notation(void **state) {
    (void)state;
    const double quarter_z[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
    check_rotation("[0.70710678118654757, 0, 0, 0.70710678118654757]", quarter_z);
    check_rotation("{\"axis\": [0, 0, 2], \"angle\": 1.5707963267948966}", quarter_z);
    check_rotation("{\"axis\": [0, 0, 0.1], \"degrees\": 90}", quarter_z);
    check_rotation("{\"along\": [0, 5, 0]}", quarter_z);
    double want[9];
    check_rotation("{\"axis\": [1, 0, 0], \"degrees\": 30}",
                   (product((int[]){0, 1, 2}, (double[]){PI / 6, 0, 0}, want), want));
    /* axes that stand still: the first turn is the rightmost factor; axes that turn along: the leftmost */
    const double a = 10 * PI / 180, b = 20 * PI / 180, c = 30 * PI / 180;
    product((int[]){2, 1, 0}, (double[]){c, b, a}, want);
    check_rotation("{\"euler_degrees\": [10, 20, 30]}", want);
    check_rotation("{\"euler_degrees\": [10, 20, 30], \"order\": \"xyz\"}", want);
    check_rotation("{\"euler\": [0.17453292519943295, 0.34906585039886590, 0.52359877559829882]}", want);
    product((int[]){0, 1, 2}, (double[]){a, b, c}, want);
    check_rotation("{\"euler_degrees\": [10, 20, 30], \"order\": \"XYZ\"}", want);
    product((int[]){2, 0, 2}, (double[]){a, b, c}, want);
    check_rotation("{\"euler_degrees\": [10, 20, 30], \"order\": \"ZXZ\"}", want);
    product((int[]){1, 0, 2}, (double[]){c, b, a}, want);
    check_rotation("{\"euler_degrees\": [10, 20, 30], \"order\": \"zxy\"}", want);
}

/* A scene where everything is 1 in its own unit, and what that is in SI. */
static void every_quantity_has_its_unit(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1,\n"
        " \"units\": {\"length\": \"mm\", \"mass\": \"g\", \"time\": \"ms\", \"angle\": \"deg\", \"force\": \"kN\",\n"
        "           \"torque\": \"Ncm\", \"pressure\": \"MPa\", \"density\": \"g/cm3\"},\n"
        " \"gravity\": [0, 0, 1],\n"
        " \"bodies\": [{\"name\": \"a\", \"position\": [1, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 90},\n"
        "   \"velocity\": [1, 0, 0], \"angular_velocity\": [0, 1, 0], \"mass\": 1, \"center\": [0, 1, 0],\n"
        "   \"inertia\": [1, 1, 1, 0, 0, 0], \"young\": 1, \"linear_damping\": 1, \"angular_damping\": 2,\n"
        "   \"shapes\": [{\"kind\": \"box\", \"size\": [1, 2, 3], \"density\": 1, \"position\": [0, 0, 1]},\n"
        "     {\"kind\": \"sphere\", \"radius\": 1, \"mass\": 1}]}],\n"
        " \"joints\": [{\"name\": \"s\", \"kind\": \"screw\", \"follower\": \"a\", \"pitch\": 1, \"break_force\": 1,\n"
        "   \"break_torque\": 1, \"base_frame\": {\"position\": [0, 1, 0]}, \"drives\": [\n"
        "     {\"kind\": \"servo\", \"axis\": \"tx\", \"stiffness\": 1, \"damping\": 1, \"effort\": 1, \"target\": "
        "1},\n"
        "     {\"kind\": \"servo\", \"axis\": \"rx\", \"stiffness\": 1, \"damping\": 1, \"effort\": 1, \"target\": "
        "1},\n"
        "     {\"kind\": \"velocity\", \"axis\": \"rx\", \"target\": 1}, {\"kind\": \"force\", \"axis\": 0, "
        "\"target\": 1},\n"
        "     {\"kind\": \"force\", \"axis\": 1, \"target\": 1},\n"
        "     {\"kind\": \"limit\", \"axis\": 1, \"lower\": -1, \"upper\": 1},\n"
        "     {\"kind\": \"friction\", \"axis\": 0, \"coefficient\": 1, \"radius\": 1},\n"
        "     {\"kind\": \"friction\", \"axis\": 1, \"coefficient\": 1, \"radius\": 1}]},\n"
        "   {\"kind\": \"distance\", \"follower\": \"a\", \"length\": 1}],\n"
        " \"couplings\": [{\"terms\": [{\"joint\": \"s\", \"axis\": \"rx\", \"factor\": 2},\n"
        "   {\"joint\": \"s\", \"axis\": \"tx\", \"factor\": 3}], \"constant\": 1, \"compliance\": 1}],\n"
        " \"springs\": [{\"body_a\": \"a\", \"point_a\": [1, 0, 0], \"point_b\": [0, 1, 0], \"rest_length\": 1,\n"
        "   \"stiffness\": 1, \"damping\": 1}],\n"
        " \"markers\": [{\"name\": \"m\", \"body\": \"a\", \"point\": [1, 0, 0]}],\n"
        " \"wrenches\": [{\"body\": \"a\", \"point\": [1, 0, 0], \"force\": [1, 0, 0], \"torque\": [1, 0, 0]}]}");
    const double degree = PI / 180;
    assert_vec3(afx_scene_gravity(scene), 0, 0, 1e-3 / 1e-6, 1e-9);
    AfxBodyDef body;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &body));
    assert_vec3(body.pose.position, 1e-3, 0, 0, 1e-18);
    assert_vec3(afx_quat_rotate(body.pose.rotation, (AfxVec3){1, 0, 0}), 0, 1, 0, 1e-15);
    assert_vec3(body.linear_velocity, 1, 0, 0, 1e-15);
    assert_vec3(body.angular_velocity, 0, 1000 * degree, 0, 1e-12);
    assert_near(body.mass, 1e-3, 1e-18);
    assert_vec3(body.center, 0, 1e-3, 0, 1e-18);
    assert_near(body.inertia[0], 1e-9, 1e-24);
    assert_near(body.young, 1e6, 1e-6);
    assert_near(body.linear_damping, 1000, 1e-9);
    assert_near(body.angular_damping, 2000, 1e-9);
    AfxShapeDef shape;
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 0, &shape));
    assert_vec3(shape.half_extents, 0.5e-3, 1e-3, 1.5e-3, 1e-18);
    assert_vec3(shape.pose.position, 0, 0, 1e-3, 1e-18);
    assert_near(shape.density, 1000, 1e-9);
    assert_ok(afx_scene_get_shape(scene, afx_scene_body(scene, 0), 1, &shape));
    assert_near(shape.radius, 1e-3, 1e-18);
    assert_near(shape.mass, 1e-3, 1e-18);
    AfxJointDef joint;
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 0), &joint));
    assert_near(joint.pitch, 1e-3 / degree, 1e-15); /* mm per degree */
    assert_near(joint.break_force, 1000, 1e-9);
    assert_near(joint.break_torque, 0.01, 1e-15);
    assert_vec3(joint.base_frame.position, 0, 1e-3, 0, 1e-18);
    assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 1), &joint));
    assert_near(joint.length, 1e-3, 1e-18);
    AfxDriveDef drive[8];
    assert_int_equal(afx_scene_drive_count(scene), 8);
    for (uint32_t k = 0; k < 8; k++) {
        assert_ok(afx_scene_get_drive(scene, k, &drive[k]));
    }
    assert_near(drive[0].stiffness, 1000 / 1e-3, 1e-6);
    assert_near(drive[0].damping, 1000 * 1e-3 / 1e-3, 1e-9);
    assert_near(drive[0].effort, 1000, 1e-9);
    assert_near(drive[0].target.coefficients[0], 1e-3, 1e-18);
    assert_near(drive[1].stiffness, 0.01 / degree, 1e-12);
    assert_near(drive[1].damping, 0.01 * 1e-3 / degree, 1e-15);
    assert_near(drive[1].effort, 0.01, 1e-15);
    assert_near(drive[1].target.coefficients[0], degree, 1e-15);
    assert_near(drive[2].target.coefficients[0], 1000 * degree, 1e-12);
    assert_near(drive[3].target.coefficients[0], 1000, 1e-9);
    assert_near(drive[4].target.coefficients[0], 0.01, 1e-15);
    assert_near(drive[5].lower, -degree, 1e-15);
    assert_near(drive[5].upper, degree, 1e-15);
    assert_near(drive[6].radius, 1, 0); /* along an axis it is a plain factor */
    assert_near(drive[7].radius, 1e-3, 1e-18);
    /* 2 angle/degree + 3 way/mm = 1: times a degree it is 2 angle + 3 degree/mm way = 1 degree */
    AfxCouplingDef coupling;
    assert_ok(afx_scene_get_coupling(scene, 0, &coupling));
    assert_near(coupling.factor[0], 2, 0);
    assert_near(coupling.factor[1], 3 * degree / 1e-3, 1e-9);
    assert_near(coupling.constant, degree, 1e-15);
    assert_near(coupling.compliance, degree / 0.01, 1e-12);
    AfxSpringDef spring;
    assert_ok(afx_scene_get_spring(scene, 0, &spring));
    assert_vec3(spring.point_a, 1e-3, 0, 0, 1e-18);
    assert_vec3(spring.point_b, 0, 1e-3, 0, 1e-18);
    assert_near(spring.rest_length, 1e-3, 1e-18);
    assert_near(spring.stiffness, 1e6, 1e-6);
    assert_near(spring.damping, 1000, 1e-9);
    AfxWrenchDef wrench;
    assert_ok(afx_scene_get_wrench(scene, 0, &wrench));
    assert_vec3(wrench.point, 1e-3, 0, 0, 1e-18);
    assert_vec3(wrench.force, 1000, 0, 0, 1e-9);
    assert_vec3(wrench.torque, 0.01, 0, 0, 1e-15);
    afx_scene_destroy(scene);
}

/* Tables of springs and signals of wrenches, in the units of the file; a wrench in world axes turns with its group. */
static void tables_and_signals_have_units(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"units\": {\"length\": \"mm\", \"angle\": \"deg\", \"time\": \"ms\", \"force\": \"kN\", "
        "\"torque\": \"Ncm\"}, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1, 0, 0, 0]}],\n"
        "\"joints\": [{\"kind\": \"hinge\", \"follower\": \"a\", \"drives\": [{\"kind\": \"spring\", \"spring_table\": "
        "{\"positions\": [-1, 2], \"forces\": [-3, 4]}, \"damper_table\": {\"rates\": [0, 5], \"forces\": [0, "
        "6]}}]}],\n"
        "\"springs\": [{\"body_a\": \"a\", \"spring_table\": {\"positions\": [-1, 2], \"forces\": [-3, 4]}, "
        "\"damper_table\": {\"rates\": [0, 5], \"forces\": [0, 6]}}],\n"
        "\"wrenches\": [{\"body\": \"a\", \"force_signal\": [0, {\"polynomial\": [0, 2]}, 0], \"torque_signal\": [7, "
        "0, 0]}],\n"
        "\"groups\": [{\"name\": \"g\", \"rotation\": {\"axis\": [0, 0, 1], \"angle\": 90}, \"bodies\": [{\"name\": "
        "\"b\", "
        "\"mass\": 1, \"inertia\": [1, 1, 1, 0, 0, 0], \"wrenches\": [{\"force_signal\": [{\"polynomial\": [0, 2]}, 0, "
        "0]}]}]}]}");
    const double degree = 3.14159265358979323846 / 180;
    AfxDriveDef drive;
    AfxSpringDef spring;
    AfxWrenchDef wrench;
    assert_ok(afx_scene_get_drive(scene, 0, &drive));
    assert_near(drive.spring_table.positions[1], 2 * degree, 1e-15);
    assert_near(drive.spring_table.forces[0], -0.03, 1e-15);
    assert_near(drive.damper_table.positions[1], 5e3 * degree, 1e-11);
    assert_near(drive.damper_table.forces[1], 0.06, 1e-15);
    assert_ok(afx_scene_get_spring(scene, 0, &spring));
    assert_near(spring.spring_table.positions[1], 2e-3, 1e-18);
    assert_near(spring.spring_table.forces[0], -3e3, 1e-10);
    assert_near(spring.damper_table.positions[1], 5, 1e-14);
    assert_near(spring.damper_table.forces[1], 6e3, 1e-10);
    assert_ok(afx_scene_get_wrench(scene, 1, &wrench));
    assert_int_equal(wrench.force_signal[1].kind, AFX_SIGNAL_POLYNOMIAL);
    assert_near(wrench.force_signal[1].coefficients[1], 2e3 / 1e-3, 1e-6);
    assert_near(wrench.torque_signal[0].coefficients[0], 0.07, 1e-15);
    assert_ok(afx_scene_get_wrench(scene, 0, &wrench)); /* made first; x of the group is y of the world */
    assert_near(wrench.force_signal[0].coefficients[1], 0, 1e-6);
    assert_near(wrench.force_signal[1].coefficients[1], 2e3 / 1e-3, 1e-6);
    afx_scene_destroy(scene);
}

static void units_have_their_sizes(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        double size;
    } lengths[] = {{"m", 1}, {"mm", 1e-3}, {"cm", 0.01}, {"km", 1000}, {"in", 0.0254}, {"ft", 0.3048}};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"affix_scene\": 1, \"units\": {\"length\": \"%s\"}, \"bodies\": [{\"position\": [2, 0, 0]}]}",
                 lengths[k].unit);
        AfxScene *scene = load_json(text);
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
        assert_near(def.pose.position.x, 2 * lengths[k].size, 1e-15);
        afx_scene_destroy(scene);
    }
    AfxScene *scene =
        load_json("{\"affix_scene\": 1, \"units\": {\"mass\": \"lb\", \"force\": \"lbf\", \"torque\": "
                  "\"lbf-ft\", \"pressure\": \"psi\"},\n"
                  "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1, 0, 0, 0], \"young\": 1,"
                  "\"wrenches\": [{\"force\": [1, 0, 0], \"torque\": [1, 0, 0]}]}]}");
    AfxBodyDef def;
    AfxWrenchDef wrench;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
    assert_ok(afx_scene_get_wrench(scene, 0, &wrench));
    const double pound = 0.45359237, g = 9.80665, inch = 0.0254; /* the definitions */
    assert_near(def.mass, pound, 1e-15);
    assert_near(wrench.force.x, pound * g, 1e-13);
    assert_near(wrench.torque.x, pound * g * 12 * inch, 1e-13);
    assert_near(def.young, pound * g / (inch * inch), 1e-9);
    afx_scene_destroy(scene);
}

/* Functions of time, by their values rather than their coefficients: in ms and mm. */
static void functions_of_time(void **state) {
    (void)state;
    AfxScene *scene =
        load_json("{\"affix_scene\": 1, \"units\": {\"length\": \"mm\", \"time\": \"ms\", \"angle\": \"deg\"},\n"
                  "\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"axis\": [0, 0, 3],\n"
                  " \"translation\": [{\"polynomial\": [1, 2, 3]}, {\"sine\": {\"offset\": 1, \"amplitude\": 2, "
                  "\"frequency\": 0.25,\n"
                  " \"phase\": 30}}, {\"formula\": \"7 + 1000 * t\"}], \"angle\": {\"table\": {\"times\": [0, 1, 2], "
                  "\"values\": [0, 90, 180]}}}}]}");
    AfxBodyDef def;
    double value, rate;
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &def));
    assert_ok(afx_signal_evaluate(&def.motion.translation[0], 2e-3, &value, &rate, NULL)); /* at 2 ms */
    assert_near(value, 1e-3 * (1 + 2 * 2 + 3 * 4), 1e-15);
    assert_near(rate, 2 + 6 * 2, 1e-12); /* mm/ms = m/s */
    assert_ok(afx_signal_evaluate(&def.motion.translation[1], 1e-3, &value, NULL, NULL));
    assert_near(value, 1e-3 * (1 + 2 * sin(2 * PI * 0.25 + PI / 6)), 1e-15);
    assert_ok(afx_signal_evaluate(&def.motion.translation[2], 5, &value, &rate, NULL)); /* t is in s */
    assert_near(value, 5.007, 1e-14);
    assert_near(rate, 1, 1e-15);
    assert_ok(afx_signal_evaluate(&def.motion.angle, 1e-3, &value, &rate, NULL));
    assert_near(value, PI / 2, 1e-15);
    assert_near(rate, PI / 2 / 1e-3, 1e-9);
    assert_vec3(def.motion.axis, 0, 0, 1, 1e-15);
    afx_scene_destroy(scene);
}

static void materials_give_what_is_not_given(void **state) {
    (void)state;
    AfxScene *scene = load_json(
        "{\"affix_scene\": 1, \"units\": {\"pressure\": \"GPa\"},\n"
        " \"materials\": {\"steel\": {\"density\": 7850, \"young\": 210, \"poisson\": 0.28}, \"cork\": "
        "{\"density\": 240}, \"ideal\": {\"young\": \"infinite\"}},\n"
        " \"bodies\": [{\"material\": \"steel\", \"poisson\": 0.3, \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1},"
        "{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"cork\"}, {\"kind\": \"sphere\", \"radius\": 1, "
        "\"density\": 5}]}, {\"material\": \"ideal\"}]}");
    AfxBodyDef def;
    AfxShapeDef shape;
    AfxBodyId body = afx_scene_body(scene, 0);
    assert_ok(afx_scene_get_body(scene, body, &def));
    assert_near(def.young, 210e9, 1e-3);
    assert_near(def.poisson, 0.3, 0);
    const double want[] = {7850, 240, 5};
    for (uint32_t k = 0; k < 3; k++) {
        assert_ok(afx_scene_get_shape(scene, body, k, &shape));
        assert_near(shape.density, want[k], 1e-12);
    }
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 1), &def));
    assert_true(isinf(def.young));
    afx_scene_destroy(scene);
}

int run_json_value_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_in_every_notation), cmocka_unit_test(every_quantity_has_its_unit),
        cmocka_unit_test(units_have_their_sizes),      cmocka_unit_test(tables_and_signals_have_units),
        cmocka_unit_test(functions_of_time),           cmocka_unit_test(materials_give_what_is_not_given),
    };
    return cmocka_run_group_tests_name("JSON: values", tests, NULL, NULL);
}

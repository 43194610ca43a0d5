/* SPDX-License-Identifier: Apache-2.0 */
/* More sensors against what geometry says; and postures beyond limits or with open loops, which make no energy. */
#include <unistd.h>

#include "tests.h"

static const char robot[] =
    "<mujoco><option magnetic='0 1 0'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<geom name='wall' type='box' size='.1 1 1' pos='3 0 1' contype='0' conaffinity='0'/>"
    "<body name='base' pos='0 0 .5'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/>"
    "<site name='down' quat='0 1 0 0'/><site name='ahead' axisangle='0 1 0 90'/>"
    "<site name='sole' type='box' size='.12 .12 .02' pos='0 0 -.1'/><site name='lid' type='box' size='.12 .12 .02' "
    "pos='.5 0 .3'/>"
    "<body name='arm' pos='.2 0 0'><joint name='h' axis='0 1 0' armature='.01'/><geom size='.05' pos='.2 0 0' "
    "mass='1'/>"
    "<site name='hand' pos='.2 0 0'/></body></body></worldbody><actuator><motor name='m' joint='h' "
    "gear='2'/></actuator>"
    "<sensor><rangefinder name='down' site='down'/><rangefinder name='ahead' site='ahead'/>"
    "<rangefinder name='short' site='ahead' cutoff='.3'/><magnetometer name='field' site='ahead'/>"
    "<subtreecom name='com' body='base'/><subtreelinvel name='vel' body='base'/><actuatorpos name='pos' actuator='m'/>"
    "<actuatorvel name='rate' actuator='m'/><jointactuatorfrc name='force' joint='h'/>"
    "<framepos name='seen' objtype='site' objname='hand' reftype='xbody' refname='arm'/>"
    "<framelinvel name='slip' objtype='site' objname='hand' reftype='xbody' refname='arm'/>"
    "<touch name='sole' site='sole'/><touch name='lid' site='lid'/><e_kinetic name='kinetic'/></sensor></mujoco>";

static double data[100];

static const double *reading(AfxSim *sim, const AfxScene *scene, const char *name) {
    const double *at = data;
    assert_ok(afx_sim_sensordata(sim, data));
    for (uint32_t k = 0; k < afx_scene_sensor_count(scene); k++) {
        AfxSensorDef def;
        assert_ok(afx_scene_get_sensor(scene, k, &def));
        if (strcmp(def.name, name) == 0) {
            return at;
        }
        at += afx_sensor_size(def.kind);
    }
    fail();
    return NULL;
}

static void sensors_tell_what_geometry_says(void **state) {
    (void)state;
    AfxScene *scene = scene_from(robot, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_near(*reading(sim, scene, "down"), 0.5, 1e-12);
    assert_near(*reading(sim, scene, "ahead"), 0.35, 1e-12); /* the hand */
    assert_near(*reading(sim, scene, "short"), -1, 0);
    double up[8] = {0, 0, 0.5, 1, 0, 0, 0, -1.5};
    assert_ok(afx_sim_set_qpos(sim, up));
    assert_near(*reading(sim, scene, "ahead"), 2.9, 1e-12); /* the wall, which is for looks */
    up[7] = 0;
    assert_ok(afx_sim_set_qpos(sim, up));
    assert_near(reading(sim, scene, "field")[1], 1, 1e-12);
    assert_near(reading(sim, scene, "com")[0], 0.4 / 3, 1e-12);
    double v[7] = {1, 0, 0, 0, 0, 0, 3};
    assert_ok(afx_sim_set_qvel(sim, v));
    assert_near(reading(sim, scene, "vel")[0], 1, 1e-12);
    assert_near(reading(sim, scene, "vel")[2], -3 * 0.2 / 3, 1e-12);
    assert_near(*reading(sim, scene, "rate"), 6, 1e-12);
    assert_near(reading(sim, scene, "seen")[0], 0.2, 1e-12);
    assert_near(reading(sim, scene, "slip")[0], 0, 1e-12);
    assert_near(*reading(sim, scene, "kinetic"), 0.5 * 2 + 0.5 * (1 + 0.6 * 0.6) + 0.5 * (0.4 * 0.05 * 0.05 + 0.01) * 9,
                1e-9);
    double q[8] = {0, 0, 0.099, 1, 0, 0, 0, 0.4};
    assert_ok(afx_sim_set_qpos(sim, q));
    memset(v, 0, sizeof v);
    assert_ok(afx_sim_set_qvel(sim, v));
    assert_near(*reading(sim, scene, "pos"), 0.8, 1e-12);
    assert_ok(afx_sim_set_control(sim, 0, 1));
    assert_ok(afx_step(sim, NULL));
    assert_near(*reading(sim, scene, "force"), 2, 1e-9);
    assert_true(*reading(sim, scene, "sole") > 1);
    assert_near(*reading(sim, scene, "lid"), 0, 0);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* A ball of 0.1 at the origin, a box half as long as 0.2 whose face is 0.5 above its centre; a camera that looks along
 * y; an arm that lies on its limit. */
static const char places[] =
    "<mujoco><worldbody><camera name='eye' pos='0 -2 0' xyaxes='1 0 0 0 0 1' fovy='90' resolution='200 100'/>"
    "<geom name='ball' size='.1' contype='0' conaffinity='0'/><site name='room' type='cylinder' size='.3 .5' pos='0 0 "
    ".5'/>"
    "<body name='box' pos='.02 .03 .6'><joint name='up' type='slide' axis='0 0 1'/>"
    "<geom name='box' type='box' size='.2 .2 .1' contype='0' conaffinity='0'/><site name='mid'/></body>"
    "<body name='arm' pos='0 2 0'><joint name='low' axis='0 1 0' range='-10 10'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 1 0 0' mass='2'/></body></worldbody>"
    "<sensor><insidesite name='in' site='room' objtype='site' objname='mid'/><camprojection name='eye' site='mid' "
    "camera='eye'/><distance name='far' geom1='ball' geom2='box' cutoff='2'/><normal name='way' geom1='ball' "
    "geom2='box' "
    "cutoff='2'/><fromto name='ends' body1='box' geom2='ball' cutoff='2'/><distance name='near' geom1='ball' "
    "geom2='box' "
    "cutoff='.1'/><jointlimitpos name='p' joint='low'/><jointlimitvel name='v' joint='low'/>"
    "<jointlimitfrc name='f' joint='low'/></sensor></mujoco>";

static void come_back(const char *text) {
    AfxScene *scene = scene_from(text, AFX_FORMAT_MJCF);
    char path[] = "/tmp/afx_feel_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_ok(afx_scene_save(scene, path, NULL));
    AfxScene *again = scene_make((AfxVec3){0, 0, -9.81}, true);
    AfxLoadDef def = afx_default_load();
    def.format = AFX_FORMAT_JSON;
    assert_ok(afx_scene_load(again, path, &def, NULL));
    remove(path);
    assert_int_equal(afx_scene_sensor_count(again), afx_scene_sensor_count(scene));
    for (uint32_t k = 0; k < afx_scene_sensor_count(scene); k++) {
        AfxSensorDef a, b;
        assert_ok(afx_scene_get_sensor(scene, k, &a));
        assert_ok(afx_scene_get_sensor(again, k, &b));
        assert_true(a.kind == b.kind && a.reference == b.reference && a.zone == b.zone && a.field.y == b.field.y &&
                    a.zone_size[2] == b.zone_size[2] && a.part[0] == b.part[0] && a.part[1] == b.part[1]);
    }
    AfxControlDef control;
    if (afx_scene_control_count(again)) {
        assert_ok(afx_scene_get_control(again, 0, &control));
        assert_near(control.gear, 2, 0);
    }
    afx_scene_destroy(again);
    afx_scene_destroy(scene);
}

static void sensors_come_back_from_files(void **state) {
    (void)state;
    come_back(robot);
    come_back(places);
}

/* 0.3 rad beyond a limit, or 1 cm off a loop: the step moves it there and gives it no speed, however short it is. */
static void postures_that_constraints_forbid_make_no_energy(void **state) {
    (void)state;
    AfxScene *scene =
        scene_from("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' axis='0 1 0' range='-30 30'/>"
                   "<geom type='capsule' size='.02' fromto='0 0 0 .5 0 0'/><body name='b' pos='.5 0 0' euler='0 90 "
                   "0'><joint axis='0 1 0'/>"
                   "<geom type='capsule' size='.02' fromto='0 0 0 .5 0 0'/></body></body><body pos='.5 0 -.3' name='c'>"
                   "<joint axis='1 0 0' type='slide'/><geom size='.05'/></body></worldbody>"
                   "<equality><connect body1='b' body2='c' anchor='.3 0 0'/></equality></mujoco>",
                   AFX_FORMAT_MJCF);
    for (double dt = 1e-2; dt > 1e-5; dt /= 10) {
        AfxModel *model;
        AfxSim *sim = sim_of(scene, &model);
        const double q[3] = {0.8235987755982988, -0.7, 0.01};
        double told[3], v[3];
        AfxStepReport report;
        assert_ok(afx_sim_set_dt(sim, dt));
        assert_ok(afx_sim_set_qpos(sim, q));
        assert_ok(afx_sim_qpos(sim, told));
        assert_near(told[0], q[0], 1e-15);
        assert_ok(afx_step(sim, &report));
        assert_true(report.flags & AFX_STEP_ASSEMBLED);
        assert_ok(afx_sim_qvel(sim, v));
        assert_true(fabs(v[0]) + fabs(v[1]) + fabs(v[2]) < 1e-6);
        assert_ok(afx_sim_qpos(sim, told));
        assert_true(told[0] < 0.5236 + 1e-4);
        assert_ok(afx_step(sim, &report));
        assert_false(report.flags & AFX_STEP_ASSEMBLED);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
    afx_scene_destroy(scene);
}

static void sensors_tell_places_and_limits(void **state) {
    (void)state;
    AfxScene *scene = scene_from(places, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_near(*reading(sim, scene, "in"), 1, 0);
    const double *eye = reading(sim, scene, "eye"); /* 0.02 to the right, 0.6 up, 2.03 ahead; 50 rows to 1 */
    assert_near(eye[0], 100 + 50 * 0.02 / 2.03, 1e-12);
    assert_near(eye[1], 50 - 50 * 0.6 / 2.03, 1e-12);
    assert_near(*reading(sim, scene, "far"), 0.4, 1e-12);
    assert_near(reading(sim, scene, "way")[2], 1, 1e-12);
    const double *ends = reading(sim, scene, "ends");
    assert_near(ends[2], 0.5, 1e-12);
    assert_near(ends[5], 0.1, 1e-12);
    assert_near(*reading(sim, scene, "near"), 0.1, 0);
    double q[2] = {0.7, 0};
    assert_ok(afx_sim_set_qpos(sim, q));
    assert_near(*reading(sim, scene, "in"), 0, 0);
    assert_near(*reading(sim, scene, "f"), 0, 0);
    for (int k = 0; k < 1000; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    /* it has fallen on its limit, 10 degrees down: half its weight times its length, as far as that is level */
    assert_near(*reading(sim, scene, "f"), 2 * 9.81 * 0.5 * cos(10 * 3.14159265358979323846 / 180), 1e-3);
    assert_near(*reading(sim, scene, "p"), 0, 1e-9);
    assert_near(*reading(sim, scene, "v"), 0, 1e-6);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* A projection of no site, or of what has no frame here, is left out: it would tell of whichever site is first. */
static void a_camera_needs_what_it_looks_at(void **state) {
    (void)state;
    AfxScene *scene = scene_from(
        "<mujoco><worldbody><camera name='eye' pos='0 -2 0' xyaxes='1 0 0 0 0 1' resolution='200 100'/><site "
        "name='first'/><body><joint/><geom size='.1'/><site name='own'/></body></worldbody><sensor><camprojection "
        "name='none' camera='eye'/><camprojection name='one' site='own' camera='eye'/></sensor></mujoco>",
        AFX_FORMAT_MJCF);
    AfxSensorDef def;
    assert_int_equal(afx_scene_sensor_count(scene), 1);
    assert_ok(afx_scene_get_sensor(scene, 0, &def));
    assert_string_equal(def.name, "one");
    afx_scene_destroy(scene);
}

/* Shapes 0 and 1 of a body are there and 2 is not, on either side; all of a body always are. */
static void distances_need_the_shapes_that_they_are_between(void **state) {
    (void)state;
    AfxScene *scene = scene_from(
        "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/><geom size='.1' pos='1 0 0'/></body>"
        "<body name='b' pos='0 3 0'><joint/><geom size='.1'/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>",
        AFX_FORMAT_MJCF);
    static const uint32_t parts[][2] = {{0, 1}, {1, UINT32_MAX}, {UINT32_MAX, 0}, {UINT32_MAX, 2}, {2, UINT32_MAX}};
    for (uint32_t k = 0; k < 5; k++) {
        AfxSensorDef def = afx_default_sensor(AFX_SENSOR_DISTANCE);
        def.object = 0;
        def.reference = 1;
        def.part[0] = parts[k][0];
        def.part[1] = parts[k][1];
        assert_int_equal(afx_scene_add_sensor(scene, &def), k < 3 ? AFX_OK : AFX_E_INPUT);
    }
    assert_int_equal(afx_scene_sensor_count(scene), 3);
    afx_scene_destroy(scene);
}

int run_feel_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_tell_what_geometry_says),
        cmocka_unit_test(sensors_come_back_from_files),
        cmocka_unit_test(sensors_tell_places_and_limits),
        cmocka_unit_test(a_camera_needs_what_it_looks_at),
        cmocka_unit_test(distances_need_the_shapes_that_they_are_between),
        cmocka_unit_test(postures_that_constraints_forbid_make_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors against what they must feel: weight at rest, nothing in free fall, centripetal acceleration, forces through a
 * joint by statics. */
#include "tests.h"

static double data[100];

static double *read_sensor(AfxSim *sim, const AfxScene *scene, const char *name) {
    assert_ok(afx_sim_sensordata(sim, data));
    double *at = data;
    for (uint32_t k = 0; k < afx_scene_sensor_count(scene); k++) {
        AfxSensorDef def;
        assert_ok(afx_scene_get_sensor(scene, k, &def));
        if (def.name && strcmp(def.name, name) == 0) {
            return at;
        }
        at += afx_sensor_size(def.kind);
    }
    fail_msg("no sensor %s", name);
    return NULL;
}

static AfxVec3 read_vec3(AfxSim *sim, const AfxScene *scene, const char *name) {
    const double *v = read_sensor(sim, scene, name);
    return (AfxVec3){v[0], v[1], v[2]};
}

#define BODIES_AND_SENSORS                                                                                       \
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"                                                       \
    "<body name='box' pos='0 0 .1'><freejoint name='f'/><geom type='box' size='.1 .1 .1' mass='2'/>"             \
    "<site name='imu' pos='.05 0 0' euler='0 0 90' size='.3'/></body>"                                           \
    "<body name='ball' pos='5 0 9'><freejoint/><geom size='.1' mass='1'/><site name='flying'/></body>"           \
    "<body name='arm' pos='0 5 3'><joint name='h' axis='0 1 0'/><geom type='box' size='.01 .01 .01' pos='1 0 0'" \
    " mass='3'/><site name='root'/><site name='tip' pos='1 0 0'/></body></worldbody>"                            \
    "<actuator><position name='p' joint='h' kp='1e6' kv='1e4'/></actuator>"                                      \
    "<sensor><accelerometer name='a' site='imu'/><gyro name='g' site='imu'/><touch name='t' site='imu'/>"        \
    "<accelerometer name='b' site='flying'/><velocimeter name='v' site='flying'/>"                               \
    "<framelinacc name='c' objtype='site' objname='flying'/><force name='force' site='root'/>"                   \
    "<torque name='torque' site='root'/><jointpos name='q' joint='h'/><jointvel name='w' joint='h'/>"            \
    "<actuatorfrc name='u' actuator='p' cutoff='20'/><framepos name='place' objtype='body' objname='arm'/>"      \
    "<framequat name='turn' objtype='xbody' objname='box'/><clock name='clock'/>"                                \
    "<user name='none' dim='1'/></sensor></mujoco>"

static void sensors_feel_what_they_must(void **state) {
    (void)state;
    AfxScene *scene = scene_from(BODIES_AND_SENSORS, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_int_equal(afx_scene_sensor_count(scene), 14);
    assert_int_equal(afx_model_sensordata_count(model), 33);
    for (int k = 0; k < 500; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    assert_vec3(read_vec3(sim, scene, "a"), ((AfxVec3){0, 0, 9.81}), 1e-3);
    assert_vec3(read_vec3(sim, scene, "g"), ((AfxVec3){0, 0, 0}), 1e-6);
    assert_near(*read_sensor(sim, scene, "t"), 2 * 9.81, 1e-3);
    assert_vec3(read_vec3(sim, scene, "b"), ((AfxVec3){0, 0, 0}), 1e-8);
    assert_vec3(read_vec3(sim, scene, "c"), ((AfxVec3){0, 0, -9.81}), 1e-8);
    assert_vec3(read_vec3(sim, scene, "v"), ((AfxVec3){0, 0, -9.81 * 0.5}), 1e-3);
    assert_vec3(read_vec3(sim, scene, "force"), ((AfxVec3){0, 0, 3 * 9.81}), 1e-2); /* the world carries the arm */
    assert_vec3(read_vec3(sim, scene, "torque"), ((AfxVec3){0, -3 * 9.81, 0}), 1e-2);
    assert_near(*read_sensor(sim, scene, "u"), -20, 0); /* 29.43 Nm, kept at its cutoff */
    assert_near(*read_sensor(sim, scene, "q"), 3 * 9.81e-6, 1e-7);
    assert_vec3(read_vec3(sim, scene, "place"), ((AfxVec3){1, 5, 3}), 1e-3);
    assert_near(read_sensor(sim, scene, "turn")[0], 1, 1e-6);
    assert_near(*read_sensor(sim, scene, "clock"), 0.5, 1e-12);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* A point at 1 m that turns at w rad/s feels w^2 towards the axis. */
static void turning_is_felt(void **state) {
    (void)state;
    AfxScene *scene = scene_from("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='h' axis='0 0 1'/>"
                                 "<geom size='.1' mass='1'/><site name='s' pos='1 0 0'/></body></worldbody><sensor>"
                                 "<accelerometer name='a' site='s'/><gyro name='g' site='s'/>"
                                 "<velocimeter name='v' site='s'/></sensor></mujoco>",
                                 AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double w = 3;
    assert_ok(afx_sim_set_qvel(sim, &w));
    for (int k = 0; k < 20; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    assert_vec3(read_vec3(sim, scene, "a"), ((AfxVec3){-9, 0, 0}), 0.02); /* the mean of the last ms */
    assert_vec3(read_vec3(sim, scene, "g"), ((AfxVec3){0, 0, 3}), 1e-4);
    assert_vec3(read_vec3(sim, scene, "v"), ((AfxVec3){0, 3, 0}), 1e-4);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void sensors_are_checked(void **state) {
    (void)state;
    AfxScene *scene = scene_from("<mujoco><worldbody><body name='b'><freejoint name='f'/><geom size='.1'/></body>"
                                 "</worldbody></mujoco>",
                                 AFX_FORMAT_MJCF);
    AfxSensorDef def = afx_default_sensor(AFX_SENSOR_GYRO);
    AfxModel *model;
    AfxError error;
    assert_int_equal(afx_scene_add_sensor(scene, &def), AFX_E_INPUT); /* there is no site */
    def = afx_default_sensor(AFX_SENSOR_JOINT_POSITION);
    def.noise = -1;
    assert_int_equal(afx_scene_add_sensor(scene, &def), AFX_E_INPUT);
    def.noise = 0;
    assert_ok(afx_scene_add_sensor(scene, &def)); /* of a free body: the model refuses it by name */
    assert_int_equal(afx_model_create(scene, &model, &error), AFX_E_INPUT);
    assert_string_equal(error.element, "sensor 0");
    afx_scene_destroy(scene);
}

int run_sensor_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_feel_what_they_must),
        cmocka_unit_test(turning_is_felt),
        cmocka_unit_test(sensors_are_checked),
    };
    return cmocka_run_group_tests_name("sensors", tests, NULL, NULL);
}

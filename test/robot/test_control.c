/* SPDX-License-Identifier: Apache-2.0 */
/* Controls in the units of a file: ranges, gains, what is held over a step; keyframes; motors at sites. */
#include "tests.h"

#define ARM                                                                                                      \
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='arm'><joint name='h' axis='0 0 1' range='-90 90'/>" \
    "<geom type='box' size='.1 .1 .1' pos='.5 0 0' mass='2'/><site name='tip' pos='1 0 0' euler='0 90 0'/>"      \
    "<body name='hand' pos='1 0 0'><geom size='.01' mass='.001'/></body></body>"                                 \
    "<body name='drone' pos='0 0 5'><freejoint name='f'/><geom type='box' size='.1 .1 .02' mass='1'/>"           \
    "<site name='rotor' pos='0 0 .02'/></body></worldbody>"                                                      \
    "<actuator><position name='p' joint='h' kp='100' kv='3' gear='2' ctrlrange='-1 1'/>"                         \
    "<motor name='thrust' site='rotor' gear='0 0 1 0 0 .01' ctrlrange='0 30'/>"                                  \
    "<general name='m' joint='h' gaintype='user' ctrlrange='0 1'/>"                                              \
    "<velocity name='v' joint='h' kv='1'/></actuator>"                                                           \
    "<keyframe><key name='away' qpos='.5 0 0 7 1 0 0 0' ctrl='.6 10 0 .25'/><key name='bad' "                    \
    "qpos='1'/></keyframe></mujoco>"

static double control(const AfxSim *sim, uint32_t k) {
    double value;
    assert_ok(afx_sim_control(sim, k, &value));
    return value;
}

static void controls_are_those_of_the_file(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    AfxControlDef def;
    assert_int_equal(afx_model_control_count(model), 3); /* a law of users has none */
    assert_ok(afx_scene_get_control(scene, 0, &def));
    assert_string_equal(def.name, "p");
    assert_near(def.gain, 0.5, 1e-15);
    assert_near(control(sim, 0), 0, 0);
    assert_ok(afx_sim_set_control(sim, 0, 5));
    assert_near(control(sim, 0), 1, 0);
    assert_ok(afx_sim_set_control(sim, 0, 0.6));
    double force, q[8];
    assert_ok(afx_step(sim, NULL));
    assert_ok(afx_sim_control_force(sim, 0, &force));
    assert_near(force, 2 * 100 * 0.6, 5); /* gear kp (u - L) less what it damps after a step */
    for (int k = 0; k < 4000; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    assert_ok(afx_sim_qpos(sim, q));
    assert_near(q[0], 0.3, 1e-3); /* L = 2 q follows u */
    assert_int_equal(afx_sim_set_control(sim, 9, 0), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control(sim, 0, NAN), AFX_E_ARGUMENT);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void motors_at_sites_fly(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double v[7];
    assert_ok(afx_sim_set_control(sim, 1, 10));
    assert_near(control(sim, 1), 10, 1e-14);
    for (int k = 0; k < 100; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    assert_ok(afx_sim_qvel(sim, v));
    assert_near(v[3], 0.1 * 10, 1e-9); /* 10 N on 1 kg along z */
    assert_near(v[6], 0.1 * 0.1 / (2 * 0.01 / 3), 1e-5);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void keyframes_set_all(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double q[8], v[7];
    assert_int_equal(afx_scene_keyframe_count(scene), 1); /* the other one does not fit */
    for (int k = 0; k < 50; k++) {
        assert_ok(afx_sim_set_control(sim, 1, 3));
        assert_ok(afx_step(sim, NULL));
    }
    assert_ok(afx_sim_set_keyframe(sim, 0));
    assert_ok(afx_sim_qpos(sim, q));
    assert_ok(afx_sim_qvel(sim, v));
    assert_near(q[0], 0.5, 1e-15);
    assert_near(q[3], 7, 1e-15);
    for (int k = 0; k < 7; k++) {
        assert_near(v[k], 0, 0);
    }
    assert_near(control(sim, 0), 0.6, 1e-15);
    assert_near(control(sim, 1), 10, 1e-14);
    assert_near(control(sim, 2), 0.25, 1e-15); /* the fourth of the file */
    assert_int_equal(afx_sim_set_keyframe(sim, 1), AFX_E_ARGUMENT);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void sites_are_frames(void **state) {
    (void)state;
    AfxScene *scene = scene_from(ARM, AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double q[8] = {0.4, 0, 0, 5, 1, 0, 0, 0}, v[7] = {3};
    AfxPose pose;
    AfxTwist twist;
    assert_int_equal(afx_model_site_count(model), 3); /* tip, rotor, and the hand, which is a part of the arm */
    assert_ok(afx_sim_set_qpos(sim, q));
    assert_ok(afx_sim_set_qvel(sim, v));
    assert_ok(afx_sim_site(sim, 0, &pose, &twist));
    assert_vec3(pose.position, ((AfxVec3){cos(0.4), sin(0.4), 0}), 1e-14);
    assert_vec3(afx_quat_rotate(pose.rotation, (AfxVec3){0, 0, 1}), ((AfxVec3){cos(0.4), sin(0.4), 0}), 1e-14);
    assert_vec3(twist.linear, ((AfxVec3){-3 * sin(0.4), 3 * cos(0.4), 0}), 1e-13);
    const char *name;
    AfxBodyId body;
    assert_ok(afx_scene_get_site(scene, 2, &name, &body, &pose));
    assert_string_equal(name, "hand");
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_control_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_those_of_the_file),
        cmocka_unit_test(motors_at_sites_fly),
        cmocka_unit_test(keyframes_set_all),
        cmocka_unit_test(sites_are_frames),
    };
    return cmocka_run_group_tests_name("controls and keyframes", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Activations and muscles, against closed forms; in files, snapshots and keyframes. */
#include "tests.h"

/* A mass of 1 kg on a slide along x, without gravity. */
#define SLIDE(inside)                                                                                            \
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0' range='-1 1'/>" \
    "<geom size='.1' mass='1'/></body></worldbody><actuator>" inside "</actuator></mujoco>"

static double activation(const AfxSim *sim, uint32_t control) {
    double out;
    assert_ok(afx_sim_activation(sim, control, &out));
    return out;
}

static void run_steps(AfxSim *sim, int count) {
    for (int k = 0; k < count; k++) {
        assert_ok(afx_step(sim, NULL));
    }
}

static void activations_follow_their_inputs(void **state) {
    (void)state;
    AfxScene *scene =
        scene_from(SLIDE("<general name='i' joint='x' dyntype='integrator' gainprm='0'/>"
                         "<general name='f' joint='x' dyntype='filter' dynprm='.05' gainprm='0'/>"
                         "<general name='e' joint='x' dyntype='filterexact' dynprm='.05' gainprm='0'/>"
                         "<general name='c' joint='x' dyntype='integrator' actrange='-.01 .03' gainprm='0'/>"
                         "<position name='p' joint='x' kp='0' timeconst='.05'/>"),
                   AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    for (uint32_t k = 0; k < 5; k++) {
        assert_ok(afx_sim_set_control(sim, k, 2));
        assert_near(activation(sim, k), 0, 0);
    }
    run_steps(sim, 100); /* of 1 ms */
    assert_near(activation(sim, 0), 0.2, 1e-14);
    assert_near(activation(sim, 1), 2 * (1 - pow(1 - 0.001 / 0.05, 100)), 1e-13);
    assert_near(activation(sim, 2), 2 * (1 - exp(-0.1 / 0.05)), 1e-13);
    assert_near(activation(sim, 3), 0.03, 0);
    assert_near(activation(sim, 4), activation(sim, 2), 0);
    assert_int_equal(afx_sim_set_activation(sim, 0, NAN), AFX_E_ARGUMENT);
    assert_ok(afx_sim_set_activation(sim, 3, 7));
    assert_near(activation(sim, 3), 0.03, 0);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* v' = F, with F = 3 a of a first order lag: v = 3 (t - T (1 - exp(-t/T))). */
static void forces_go_by_the_activation(void **state) {
    (void)state;
    AfxScene *scene = scene_from(
        SLIDE("<general name='m' joint='x' dyntype='filterexact' dynprm='.02' gainprm='3' ctrlrange='0 1'/>"),
        AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double value, rate, again;
    assert_ok(afx_sim_set_control(sim, 0, 5));
    assert_ok(afx_sim_control(sim, 0, &value));
    assert_near(value, 1, 0); /* its range */
    run_steps(sim, 50);
    size_t size = afx_sim_snapshot_size(sim);
    void *kept = malloc(size);
    assert_non_null(kept);
    assert_ok(afx_sim_snapshot(sim, kept, size));
    run_steps(sim, 50);
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, NULL, &rate));
    /* each step goes by the activation at its beginning: at most a step of 1 ms late */
    assert_near(rate, 3 * (0.1 - 0.02 * (1 - exp(-0.1 / 0.02))), 3e-3);
    assert_true(rate > 0.23);
    double after = activation(sim, 0);
    assert_ok(afx_sim_restore(sim, kept, size));
    assert_near(activation(sim, 0), 1 - exp(-0.05 / 0.02), 1e-13);
    run_steps(sim, 50);
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, NULL, &again));
    assert_true(rate == again && after == activation(sim, 0)); /* to the last bit */
    free(kept);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* Length 0 .. 2 of the slide's -1 .. 1 goes with 0.5 .. 1.5 of the muscle: l = 1 + x/2. */
static double muscle_force(AfxSim *sim, double x, double speed, double act) {
    double force, q[1] = {x}, v[1] = {speed};
    assert_ok(afx_sim_set_qpos(sim, q));
    assert_ok(afx_sim_set_qvel(sim, v));
    assert_ok(afx_sim_set_activation(sim, 0, act));
    assert_ok(afx_step(sim, NULL));
    assert_ok(afx_sim_control_force(sim, 0, &force));
    return force;
}

static void muscles_pull_by_length_speed_and_activation(void **state) {
    (void)state;
    AfxScene *scene = scene_from(SLIDE("<muscle name='m' joint='x' range='.5 1.5' force='100' lmin='.4' lmax='1.4' "
                                       "vmax='2' fpmax='1.5' fvmax='1.25'/>"),
                                 AFX_FORMAT_MJCF);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_near(muscle_force(sim, 0, 0, 0.6), -60, 1e-9);      /* l = 1: all of it */
    assert_near(muscle_force(sim, -0.6, 0, 1), -50, 1e-9);     /* halfway to lmin */
    assert_near(muscle_force(sim, 0.4, 0, 1), -50 - 75, 1e-9); /* halfway to lmax: and half of fpmax */
    assert_near(muscle_force(sim, 0, -2, 1), -25, 1e-9);       /* v = -2/(2 vmax): (1 - 1/2)² */
    assert_near(muscle_force(sim, 0, 0.4, 1), -(125 - 100 * 0.15 * 0.15 / 0.25), 1e-9); /* v = .1 of .25 */
    assert_near(muscle_force(sim, 0, 3, 1), -125, 1e-9);
    assert_near(muscle_force(sim, 0.9, 0, 0), -100 * 1.5 * (0.45 / 0.2 - 0.5), 1e-9); /* beyond: straight */
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void controls_with_activations_come_back_from_files(void **state) {
    (void)state;
    AfxScene *scene = scene_from(SLIDE("<muscle name='m' joint='x' timeconst='.02 .06' tausmooth='.1'/>"
                                       "<cylinder name='c' joint='x' diameter='.1' timeconst='.3' bias='1 -2 -3'/>"
                                       "<intvelocity name='v' joint='x' kp='50' kv='2' actrange='-1 1'/>"),
                                 AFX_FORMAT_MJCF);
    AfxError error = {0};
    AfxLoadDef def = afx_default_load();
    AfxScene *other = scene_make((AfxVec3){0, 0, 0}, true);
    char path[] = "/tmp/affix-activation-XXXXXX";
    assert_true(mkstemp(path) >= 0);
    assert_ok(afx_scene_save(scene, path, &error));
    def.format = AFX_FORMAT_JSON;
    assert_ok(afx_scene_load(other, path, &def, &error));
    remove(path);
    assert_int_equal(afx_scene_control_count(other), 3);
    for (uint32_t k = 0; k < 3; k++) {
        AfxControlDef a, b;
        assert_ok(afx_scene_get_control(scene, k, &a));
        assert_ok(afx_scene_get_control(other, k, &b));
        assert_int_equal(a.activation.kind, b.activation.kind);
        assert_memory_equal(a.activation.time, b.activation.time, sizeof a.activation.time);
        assert_memory_equal(&a.muscle, &b.muscle, sizeof a.muscle);
        assert_near(a.gain, b.gain, 0);
    }
    AfxControlDef m;
    assert_ok(afx_scene_get_control(scene, 0, &m));
    assert_near(m.muscle.force, 200, 1e-9); /* scale over the acceleration by 1 N: 1 m/s² */
    assert_near(m.activation.time[1], 0.06, 0);
    assert_ok(afx_scene_get_control(scene, 1, &m));
    assert_int_equal(m.activation.kind, AFX_ACTIVATION_FILTER);
    assert_near(m.gain * 2, 0.25 * 3.14159265358979 * 0.01, 1e-14); /* area over the stiffness of its bias */
    afx_scene_destroy(other);
    afx_scene_destroy(scene);
}

int run_activation_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_follow_their_inputs),
        cmocka_unit_test(forces_go_by_the_activation),
        cmocka_unit_test(muscles_pull_by_length_speed_and_activation),
        cmocka_unit_test(controls_with_activations_come_back_from_files),
    };
    return cmocka_run_group_tests_name("activations", tests, NULL, NULL);
}

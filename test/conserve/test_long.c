/* SPDX-License-Identifier: Apache-2.0 */
/* Long runs: energy and momentum do not drift, joints do not open. 1e5 steps with AFFIX_TEST_LONG. */
#include "tests.h"

static uint32_t steps_of(uint32_t few) {
    return test_long() ? 100000 : few;
}

/* `scale`: J, what the energy is compared with. */
static void check(Rig *rig, AfxIntegrator integrator, double dt, uint32_t few, double scale, double share) {
    AfxSimDef def = sim_def(integrator, dt);
    rig_start(rig, &def);
    double start = rig_energy(rig), most = 0, violation = 0;
    for (uint32_t n = 0; n < steps_of(few); n++) {
        double now = rig_run(rig, 1, NULL);
        violation = now <= violation ? violation : now;
        double off = fabs(rig_energy(rig) - start);
        most = off <= most ? most : off;
    }
    assert_below(most, share * scale);
    assert_below(violation, 1e-12);
    rig_free(rig);
}

static void a_pendulum_keeps_its_energy(void **state) {
    (void)state;
    Rig rig = rods_make(1);
    check(&rig, AFX_CONSERVING, 0.01, 4000, 4.9, 1e-9);
}

static void a_chain_of_ten_keeps_its_energy(void **state) {
    (void)state;
    Rig rig = rods_make(10);
    check(&rig, AFX_CONSERVING, 0.01, 1000, 490, 1e-9);
}

static void a_chain_of_ten_of_order_four_keeps_its_energy(void **state) {
    (void)state;
    Rig rig = rods_make(10);
    check(&rig, AFX_CONSERVING4, 0.02, 200, 490, 1e-9);
}

static void a_heavy_top_keeps_its_energy(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(1, 0.2, 0.2, 0.1);
    def.pose = (AfxPose){v3(0.5 * sin(0.4), 0, 0.5 * cos(0.4)), q_about(v3(0, 1, 0), 0.4)};
    def.angular_velocity = v3_scale(150, q_rotate(def.pose.rotation, v3(0, 0, 1)));
    AfxBodyId body = rig_body(&rig, &def);
    rig_joint(&rig, AFX_JOINT_SPHERICAL, afx_world(), body, afx_pose_identity());
    check(&rig, AFX_CONSERVING, 1e-3, 4000, 1125, 1e-9);
}

/* A rectangle of four hinges with parallel axes in space: three rows too many. Pushed so that it turns over. */
static Rig four_bar(void) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    const AfxVec3 corner[4] = {{0, 0, 0}, {0, 0, 1}, {2, 0, 1.2}, {2.5, 0, 0}};
    AfxBodyId last = afx_world();
    for (int k = 0; k < 3; k++) {
        AfxVec3 along = v3_sub(corner[k + 1], corner[k]);
        double length = v3_norm(along);
        AfxBodyDef def = rigid_def(length, length / 600, length * length * length / 12, length * length * length / 12);
        def.pose.position = v3_scale(0.5, v3_add(corner[k], corner[k + 1]));
        def.pose.rotation = q_about(v3(0, 1, 0), -atan2(along.z, along.x));
        AfxBodyId body = rig_body(&rig, &def);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, (AfxPose){corner[k], q_about(v3(0, 0, 1), PI / 2)});
        last = body;
    }
    rig_joint(&rig, AFX_JOINT_REVOLUTE, last, afx_world(), (AfxPose){corner[3], q_about(v3(0, 0, 1), PI / 2)});
    return rig;
}

static void a_four_bar_in_space_keeps_its_energy(void **state) {
    (void)state;
    Rig rig = four_bar();
    check(&rig, AFX_CONSERVING, 0.02, 1000, 20, 1e-9);
    rig = four_bar();
    check(&rig, AFX_CONSERVING4, 0.02, 300, 20, 1e-9);
}

/* Symplectic: the energy of the reference swings with the sixth power of the step, and does not drift. */
static void the_reference_does_not_drift(void **state) {
    (void)state;
    double swing[2];
    for (int k = 0; k < 2; k++) {
        Rig rig = rods_make(1);
        AfxSimDef def = sim_def(AFX_REFERENCE, 0.04 / (1 << k));
        rig_start(&rig, &def);
        double early = rig_drift(&rig, 200u << k, NULL);
        rig_start(&rig, &def);
        swing[k] = rig_drift(&rig, (test_long() ? 50000u : 1000u) << k, NULL);
        assert_below(swing[k], 1.2 * early);
        rig_free(&rig);
    }
    assert_near(slope(swing[0], swing[1]), 6, 0.6);
}

/* No gravity, nothing holds the chain: both momenta are exact, for every method. */
static void a_free_chain_keeps_its_momenta(void **state) {
    (void)state;
    for (int which = 0; which < CONSERVING; which++) {
        uint64_t seed = 5;
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyId last = afx_world();
        for (int k = 0; k < 6; k++) {
            AfxBodyDef def = odd_def(&seed);
            def.pose.position = v3(k, 0, 0);
            def.angular_velocity = random_vec3(&seed, 3);
            def.linear_velocity = random_vec3(&seed, 1);
            AfxBodyId body = rig_body(&rig, &def);
            if (k) {
                rig_joint(&rig, k % 2 ? AFX_JOINT_SPHERICAL : AFX_JOINT_UNIVERSAL, last, body,
                          (AfxPose){v3(k - 0.5, 0.1, 0), random_quat(&seed)});
            }
            last = body;
        }
        AfxSimDef def = sim_def(conserving[which], 0.01);
        AfxMomentum begin, end;
        rig_start(&rig, &def);
        rig_run(&rig, 1, NULL); /* velocities fit the joints from here on */
        assert_ok(afx_sim_momentum(rig.sim, &begin));
        double energy = rig_energy(&rig);
        rig_run(&rig, steps_of(300), NULL);
        assert_ok(afx_sim_momentum(rig.sim, &end));
        assert_vec3(end.linear, begin.linear, 1e-11);
        assert_vec3(end.angular, begin.angular, 1e-10);
        if (which < 2) {
            assert_near(rig_energy(&rig), energy, 1e-9 * energy);
        }
        rig_free(&rig);
    }
}

int run_long_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_its_energy),
        cmocka_unit_test(a_chain_of_ten_keeps_its_energy),
        cmocka_unit_test(a_chain_of_ten_of_order_four_keeps_its_energy),
        cmocka_unit_test(a_heavy_top_keeps_its_energy),
        cmocka_unit_test(a_four_bar_in_space_keeps_its_energy),
        cmocka_unit_test(the_reference_does_not_drift),
        cmocka_unit_test(a_free_chain_keeps_its_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A robot arm that nothing brakes falls from its home posture: at default settings it is never above the energy that it
 * starts with. Seven hinges in space whip; links are those of a Franka Panda (MuJoCo Menagerie, Apache-2.0). */
#include "tests.h"

#include "support/rigid_reference.h"

#define LINKS 7

typedef struct Link {
    AfxVec3 at;     /* of its frame in that of the one before */
    double quarter; /* and its turn about x, in quarters */
    double home;    /* rad, about z */
    double mass;
    AfxVec3 center;
    double inertia[6];
} Link;

static const Link links[LINKS] = {
    {{0, 0, 0.333},
     0,
     0,
     4.970684,
     {0.003875, 0.002081, -0.04762},
     {0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169}},
    {{0, 0, 0},
     -1,
     0,
     0.646926,
     {-0.003141, -0.02872, 0.003495},
     {0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704}},
    {{0, -0.316, 0},
     1,
     0,
     3.228604,
     {0.027518, 0.039252, -0.066502},
     {0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805}},
    {{0.0825, 0, 0},
     1,
     -1.57079,
     3.587895,
     {-0.05317, 0.104419, 0.027454},
     {0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641}},
    {{-0.0825, 0.384, 0},
     -1,
     0,
     1.225946,
     {-0.011953, 0.041065, -0.038437},
     {0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229}},
    {{0, 0, 0},
     1,
     1.57079,
     1.666555,
     {0.060149, -0.014117, -0.010517},
     {0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341}},
    {{0.088, 0, 0},
     1,
     -0.7853,
     0.735522,
     {0.010517, -0.004252, 0.061597},
     {0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741}},
};

static AfxScene *build_arm(void) {
    AfxSceneDef world = afx_default_scene();
    AfxScene *scene = NULL;
    AfxPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
    AfxBodyId before = afx_world();
    assert_ok(afx_scene_create(&world, &scene));
    for (size_t k = 0; k < LINKS; ++k) {
        AfxBodyDef body = afx_default_body();
        AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId id;
        pose.position = v3_add(pose.position, q_rotate(pose.rotation, links[k].at));
        pose.rotation =
            q_multiply(pose.rotation, q_about(v3(1, 0, 0), 0.5 * 3.14159265358979323846 * links[k].quarter));
        pose.rotation = q_multiply(pose.rotation, q_about(v3(0, 0, 1), links[k].home));
        body.pose = pose;
        body.young = INFINITY;
        body.mass_source = AFX_MASS_GIVEN;
        body.mass = links[k].mass;
        body.center = links[k].center;
        memcpy(body.inertia, links[k].inertia, sizeof body.inertia);
        assert_ok(afx_scene_add_body(scene, &body, &joint.follower));
        joint.base = before;
        assert_ok(afx_joint_place(scene, &joint, afx_frame_along(pose.position, q_rotate(pose.rotation, v3(0, 0, 1)))));
        assert_ok(afx_scene_add_joint(scene, &joint, &id));
        before = joint.follower;
    }
    return scene;
}

/* The largest gain in `time`, and what is missing at the end, over the largest kinetic energy. */
static double fall(AfxIntegrator integrator, double dt, double time, double *out_lost, double *out_solves) {
    AfxScene *scene = build_arm();
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxEnergy energy;
    def.integrator = integrator;
    def.dt = dt;
    sim_start(scene, &model, &sim, &def);
    assert_ok(afx_sim_energy(sim, &energy));
    double begin = energy.total, moves = 0, most = 0;
    int steps = (int)lround(time / dt);
    *out_solves = 0;
    for (int step = 0; step < steps; ++step) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        assert_ok(afx_sim_energy(sim, &energy));
        moves = fmax(moves, energy.kinetic);
        most = fmax(most, energy.total - begin);
        *out_solves += report.iterations_mean / steps;
    }
    *out_lost = (begin - energy.total) / moves;
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return most / moves;
}

static void test_falls(void **state) {
    const double dt[] = {0.001, 0.0015, 0.002, 0.003, 0.005, 0.007, 0.01};
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(dt); ++k) {
        double lost, solves, gain = fall(k % 2 ? AFX_BDF1 : AFX_BDF2, dt[k / 2], 2, &lost, &solves);
        if (!(gain < 1e-4)) {
            fail_msg("integrator %zu, dt %g: %g of what moves from nothing", k % 2, dt[k / 2], gain);
        }
    }
}

/* Before it whips, the order of the method shows, and one solve is enough for most steps. */
static void test_smooth(void **state) {
    double lost[2], solves[2];
    (void)state;
    fall(AFX_BDF2, 0.002, 0.4, &lost[0], &solves[0]);
    fall(AFX_BDF2, 0.001, 0.4, &lost[1], &solves[1]);
    assert_below(lost[0], 1e-3);
    assert_below(lost[1], 0.3 * lost[0]);
    assert_below(solves[0], 1.2);
    assert_below(solves[1], 1.1);
}

int run_arm_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls),
        cmocka_unit_test(test_smooth),
    };
    return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}

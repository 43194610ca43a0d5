/* SPDX-License-Identifier: Apache-2.0 */
/* Set-ups in which a step once gave wrong physics without a word, and that have no test elsewhere: chains that whip and
 * tops with generalised-α, a rod under load, two rods on one crank pin. Where the others are tested:
 *
 *     impacts with every integrator, drops at every phase of a step, rows and cradles  test/contact_step/test_impact.c
 *     limits that bounce in redundant mechanisms                                       test/contact_step/test_impact.c
 *     arms that fall with `fast`; `accurate` and `converged`                           test/solve/test_arm.c,
 * test_accuracy.c wheels, tops and bodies that spin test/step/test_spin.c limits and drives on Cardan angles
 * test/joint/test_swing.c starts that overlap, or that joints do not meet test/contact_step/test_overlap.c,
 *                                                                                      test/joint/test_start.c
 *     cylinders on slopes, soft and huge bodies                                        test/contact_step/test_soft.c
 *     stiff springs that turn bodies far                                               test/step/test_stiff_start.c
 *     reactions of the start                                                           test/joint/test_start.c
 *     mechanisms at random                                                             test/random */
#include "tests.h"

#include <math.h>

#include "scale.h"
#include "support/check.h"

/* The largest energy above the start, and below it at the end, over what moves at most; a step that fails ends the
 * test.
 */
static double gain_of(AfxScene *scene, const AfxSimDef *def, double seconds, double *out_lost) {
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxEnergy energy;
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    assert_int_equal(afx_sim_create(model, def, &sim), AFX_OK);
    assert_int_equal(afx_sim_energy(sim, &energy), AFX_OK);
    double begin = energy.total, moves = energy.kinetic, most = 0;
    for (long steps = lround(seconds / def->dt); steps > 0; --steps) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
        assert_int_equal(afx_sim_energy(sim, &energy), AFX_OK);
        moves = fmax(moves, energy.kinetic);
        most = fmax(most, energy.total - begin);
    }
    *out_lost = (begin - energy.total) / moves;
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return most / moves;
}

static AfxSimDef alpha_def(double rho, double dt, AfxAccuracy accuracy) {
    AfxSimDef def = afx_default_sim();
    def.integrator = AFX_ALPHA;
    def.rho = rho;
    def.dt = dt;
    def.accuracy = accuracy;
    return def;
}

/* A folded chain of 101 links whips as it opens (2.5 J became 1.6e7 J), and tops at 150 rad/s turn 0.3 rad a step. */
static void test_whips(void **state) {
    (void)state;
    static const double rho[] = {0, 0.5, 0.8, 1};
    for (size_t k = 0; k < sizeof rho / sizeof *rho; ++k) {
        AfxSimDef def = alpha_def(rho[k], 5e-4, AFX_FAST);
        double lost, gain = gain_of(scale_scene("chain", "n=101 start=zigzag"), &def, SANITIZED ? 0.05 : 0.4, &lost);
        print_message("chain, rho %g: %.2e of what moves\n", rho[k], gain);
        assert_below(gain, 1e-3);
    }
}

static void test_tops(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        AfxSimDef def = alpha_def(k / 2 ? 1 : 0.8, 2e-3, AFX_ACCURATE);
        AfxScene *scene = scale_scene("heavy-top", "spin=150");
        if (k % 2) {
            assert_int_equal(afx_scene_make_rigid(scene), AFX_OK);
        }
        double lost;
        assert_below(gain_of(scene, &def, 1, &lost), 1e-3);
        assert_below(lost, 5e-3);
    }
}

/* 92 kg on a rod of 1 m, which falls from the horizontal: 2.7 kN at the bottom. The ball itself does not turn. */
static AfxScene *make_rod(void) {
    AfxSceneDef world = afx_default_scene();
    AfxScene *scene = NULL;
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.15);
    AfxJointDef rod = afx_default_joint(AFX_JOINT_DISTANCE);
    AfxJointId id;
    assert_int_equal(afx_scene_create(&world, &scene), AFX_OK);
    body.pose.position.x = 1;
    ball.density = 92 / (4.0 / 3 * PI * 0.15 * 0.15 * 0.15);
    assert_int_equal(afx_scene_add_body(scene, &body, &rod.follower), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, rod.follower, &ball), AFX_OK);
    rod.base = afx_world();
    rod.length = 1;
    assert_int_equal(afx_scene_add_joint(scene, &rod, &id), AFX_OK);
    return scene;
}

/* That rod and a rod on a hinge for 10 s. With rho = 1 multipliers of what turns grow, slowly in short steps: the ball
 * got 1e8 J at dt 0.01 and 8 kJ at 0.001, and the hinge lost nearly all at 0.001. */
static void test_undamped(void **state) {
    (void)state;
    static const double rho[] = {0.8, 0.99, 1}, dt[] = {0.01, 0.001};
    for (size_t k = 0; k < 12; ++k) {
        AfxSimDef def = alpha_def(rho[k / 4], dt[k / 2 % 2], AFX_FAST);
        double lost, gain = gain_of(k % 2 ? make_rod() : scale_scene("pendulum", ""), &def, 10, &lost);
        if (!(gain < 1e-3 && lost < 1e-2)) {
            fail_msg("%s, rho %g, dt %g: %g of what moves made, %g lost", k % 2 ? "rod" : "pendulum", def.rho, def.dt,
                     gain, lost);
        }
    }
}

/* A crank at 1 rad/s and two rods on its pin, which hang down; all are wide enough to overlap there. The rods touch the
 * crank and each other through no contact: the motor carries what weight and inertia ask for. */
static void test_crank_pin(void **state) {
    (void)state;
    AfxSceneDef world = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxBodyDef body = afx_default_body();
    AfxBodyId crank, rod;
    AfxDriveId drive;
    const double r = 0.1, long_side = 0.3;
    assert_int_equal(afx_scene_create(&world, &scene), AFX_OK);
    AfxShapeDef link = afx_default_box(r + 0.04, 0.04, 0.04), bar = afx_default_box(0.04, 0.04, long_side);
    link.density = bar.density = 1000;
    body.young = INFINITY;
    body.pose.position.x = r / 2;
    assert_int_equal(afx_scene_add_body(scene, &body, &crank), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, crank, &link), AFX_OK);
    AfxDriveDef motor = afx_default_drive(AFX_DRIVE_VELOCITY);
    motor.target = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {1}};
    for (int k = 0; k < 3; ++k) {
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId id;
        if (k) {
            body.pose.position = (AfxVec3){r, 0, -long_side / 2};
            assert_int_equal(afx_scene_add_body(scene, &body, &rod), AFX_OK);
            assert_int_equal(afx_scene_add_shape(scene, rod, &bar), AFX_OK);
        }
        hinge.base = k ? crank : afx_world();
        hinge.follower = k ? rod : crank;
        AfxPose frame = afx_frame_along((AfxVec3){k ? r : 0, 0, 0}, (AfxVec3){0, 1, 0});
        assert_int_equal(afx_joint_place(scene, &hinge, frame), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &hinge, &id), AFX_OK);
        motor.joint = k ? motor.joint : id;
    }
    assert_int_equal(afx_scene_add_drive(scene, &motor, &drive), AFX_OK);
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    def.dt = 0.002;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    double weights = 9.81 * 1000 * 0.04 * 0.04 * ((r + 0.04) * r / 2 + 2 * long_side * r), most = 0;
    for (int step = 0; step < 500; ++step) {
        AfxStepReport report;
        double effort;
        assert_int_equal(afx_step(sim, &report), AFX_OK);
        assert_int_equal(report.contacts, 0);
        assert_int_equal(afx_sim_drive_effort(sim, 0, &effort), AFX_OK);
        most = fmax(most, fabs(effort));
    }
    print_message("crank pin: motor %.3f Nm, weights %.3f Nm\n", most, weights);
    assert_below(most, 2 * weights);
    assert_below(0.5 * weights, most);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_truth_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whips),
        cmocka_unit_test(test_tops),
        cmocka_unit_test(test_undamped),
        cmocka_unit_test(test_crank_pin),
    };
    return cmocka_run_group_tests_name("truth", tests, NULL, NULL);
}

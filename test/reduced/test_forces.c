/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on bodies in joint coordinates goes to the same limit as in twelve coordinates, and is told alike; loops
 * close; snapshots go on bit for bit; what is not there is refused. */
#include "tests.h"

/* A chain of three hinged rods that everything smooth acts on. */
Rig driven_make(bool loop) {
    Rig rig = rig_make(v3(0.3, 0, -9.81));
    AfxBodyId body[3], last = afx_world();
    AfxJointId joint[4];
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(1 + 0.3 * k, 0.02, 0.09, 0.1);
        def.pose.position = v3(k + 0.5, 0, 0);
        def.linear_damping = 0.2;
        def.angular_damping = 0.1;
        body[k] = rig_body(&rig, &def);
        joint[k] =
            rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body[k], (AfxPose){v3(k, 0, 0), q_about(v3(0, 0, 1), PI / 2)});
        last = body[k];
    }
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), spring = afx_default_drive(AFX_DRIVE_SPRING);
    AfxDriveDef force = afx_default_drive(AFX_DRIVE_FORCE);
    AfxDriveId id;
    servo.joint = joint[0];
    servo.stiffness = 40;
    servo.damping = 2;
    servo.effort = 50;
    servo.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.5, 3, 0}};
    assert_ok(afx_scene_add_drive(rig.scene, &servo, &id));
    spring.joint = joint[1];
    spring.stiffness = 10;
    spring.damping = 0.5;
    assert_ok(afx_scene_add_drive(rig.scene, &spring, &id));
    force.joint = joint[2];
    force.target = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0.7}};
    assert_ok(afx_scene_add_drive(rig.scene, &force, &id));
    AfxSpringDef point = afx_default_spring();
    AfxSpringId spring_id;
    point.body_a = body[2];
    point.body_b = afx_world();
    point.point_b = v3(2, 0, 2);
    point.rest_length = 1.5;
    point.stiffness = 20;
    point.damping = 1;
    assert_ok(afx_scene_add_spring(rig.scene, &point, &spring_id));
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId wrench_id;
    wrench.body = body[1];
    wrench.force = v3(1, 0.5, -2);
    wrench.torque = v3(0, 0.4, 0);
    assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &wrench_id));
    if (loop) { /* a rod from the last body to the ground, along y to stay in the plane */
        AfxJointDef rod = afx_default_joint(AFX_JOINT_DISTANCE);
        rod.base = afx_world();
        rod.base_frame.position = v3(3, 0, -1);
        rod.follower = body[2];
        rod.follower_frame.position = v3(0.5, 0, 0);
        rod.length = 1;
        rig_joint_def(&rig, &rod);
    }
    return rig;
}

typedef struct End {
    AfxPose pose[3];
    double effort[3], spring, violation;
    AfxWrench reaction[4];
} End;

static End run_to(Rig *rig, AfxIntegrator integrator, double dt, double time) {
    AfxSimDef def = accurate_def(integrator, dt);
    End end;
    rig_start(rig, &def);
    end.violation = rig_run(rig, (uint32_t)lround(time / dt), NULL);
    for (uint32_t k = 0; k < 3; k++) {
        end.pose[k] = rig_pose(rig, afx_scene_body(rig->scene, k));
        assert_ok(afx_sim_drive_effort(rig->sim, k, &end.effort[k]));
    }
    for (uint32_t k = 0; k < afx_model_joint_count(rig->model); k++) {
        assert_ok(afx_sim_joint_reaction(rig->sim, k, &end.reaction[k]));
    }
    assert_ok(afx_sim_spring_force(rig->sim, 0, &end.spring));
    return end;
}

static double place_gap(const End *a, const End *b) {
    double most = 0;
    for (int k = 0; k < 3; k++) {
        most = fmax(most, v3_distance(a->pose[k].position, b->pose[k].position));
    }
    return most;
}

static void check_same(bool loop) {
    Rig rig = driven_make(loop);
    End fine = run_to(&rig, AFX_RK4, 0.0025, 0.5);
    End coarse = run_to(&rig, AFX_RK4, 0.005, 0.5);
    End other[2] = {run_to(&rig, AFX_BDF2, 0.002, 0.5), run_to(&rig, AFX_BDF2, 0.001, 0.5)};
    double gap[2] = {place_gap(&other[0], &fine), place_gap(&other[1], &fine)};
    assert_below(fine.violation, 1e-12);
    assert_below(place_gap(&coarse, &fine), 2e-6); /* the servo meets its effort: a kink */
    assert_below(gap[1], 2e-4);
    assert_true(slope(gap[0], gap[1]) > 1.5);
    for (int k = 0; k < 3; k++) {
        assert_near(fine.effort[k], other[1].effort[k], 2e-2 * (1 + fabs(fine.effort[k])));
    }
    assert_near(fine.spring, other[1].spring, 2e-2 * (1 + fabs(fine.spring)));
    for (int k = 0; k < 3 + loop; k++) {
        double scale = 3e-2 * (1 + v3_norm(other[1].reaction[k].force));
        assert_vec3(fine.reaction[k].force, other[1].reaction[k].force, scale);
        assert_vec3(fine.reaction[k].torque, other[1].reaction[k].torque, scale);
    }
    rig_free(&rig);
}

static void forces_have_the_same_limit(void **state) {
    (void)state;
    check_same(false);
}

static void loops_have_the_same_limit(void **state) {
    (void)state;
    check_same(true);
}

/* A parallelogram of hinges in space: of the five rows that close it, three say nothing. It stays closed, keeps its
 * energy, and moves as in twelve coordinates. */
static void planar_loops_have_the_same_limit(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, -9.81, 0));
    AfxBodyDef def[3] = {rigid_def(1, 1.0 / 12, 2e-3, 1.0 / 12), rigid_def(1, 2e-3, 1.0 / 12, 1.0 / 12),
                         rigid_def(1, 1.0 / 12, 2e-3, 1.0 / 12)};
    AfxVec3 place[3] = {v3(0, 0.5, 0), v3(0.5, 1, 0), v3(1, 0.5, 0)};
    AfxBodyId body[3];
    for (int k = 0; k < 3; k++) {
        def[k].pose.position = place[k];
        def[k].linear_velocity = k == 1 ? v3(1, 0, 0) : v3(0.5, 0, 0);
        def[k].angular_velocity = k == 1 ? v3(0, 0, 0) : v3(0, 0, -1);
        body[k] = rig_body(&rig, &def[k]);
    }
    AfxQuat turn = q_about(v3(0, 1, 0), -PI / 2); /* x of the joint along z */
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body[0], (AfxPose){v3(0, 0, 0), turn});
    rig_joint(&rig, AFX_JOINT_REVOLUTE, body[0], body[1], (AfxPose){v3(0, 1, 0), turn});
    rig_joint(&rig, AFX_JOINT_REVOLUTE, body[1], body[2], (AfxPose){v3(1, 1, 0), turn});
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body[2], (AfxPose){v3(1, 0, 0), turn});
    AfxVec3 end[3];
    double energy = 0, dt[3] = {0.005, 0.0025, 0.001};
    for (int k = 0; k < 3; k++) {
        AfxSimDef sim = accurate_def(k < 2 ? AFX_RK4 : AFX_BDF2, dt[k]);
        rig_start(&rig, &sim);
        energy = rig_energy(&rig);
        double violation = rig_run(&rig, (uint32_t)lround(0.3 / dt[k]), NULL);
        end[k] = rig_pose(&rig, body[1]).position;
        if (k < 2) {
            assert_below(violation, 1e-12);
            assert_near(rig_energy(&rig), energy, 1e-6);
        }
    }
    assert_true(v3_distance(end[0], v3(0.5, 1, 0)) > 0.1);
    assert_below(v3_distance(end[0], end[1]), 1e-7);
    assert_below(v3_distance(end[1], end[2]), 2e-5);
    rig_free(&rig);
}

/* A drive that tells a position, and a gear between two hinges: exact rows on the tree. */
static void exact_rows_hold(void **state) {
    (void)state;
    Rig rig = driven_make(false);
    AfxDriveDef position = afx_default_drive(AFX_DRIVE_POSITION);
    AfxDriveId id;
    AfxCouplingDef gear = afx_default_coupling();
    AfxCouplingId gear_id;
    position.joint = afx_scene_joint(rig.scene, 0);
    position.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0.0, 0.6}};
    assert_ok(afx_scene_add_drive(rig.scene, &position, &id));
    gear.term_count = 2;
    gear.joint[0] = afx_scene_joint(rig.scene, 1);
    gear.joint[1] = afx_scene_joint(rig.scene, 2);
    gear.factor[0] = 1;
    gear.factor[1] = -0.5;
    assert_ok(afx_scene_add_coupling(rig.scene, &gear, &gear_id));
    End fine = run_to(&rig, AFX_RK4, 0.0025, 0.5);
    double x[3];
    assert_ok(afx_sim_joint_coordinates(rig.sim, x));
    assert_near(x[0], 0.6 * 0.25, 1e-12);
    assert_near(x[1], 0.5 * x[2], 1e-12);
    assert_below(fine.violation, 1e-12);
    End other = run_to(&rig, AFX_BDF2, 0.001, 0.5);
    assert_below(place_gap(&other, &fine), 2e-5);
    assert_near(fine.effort[0], other.effort[0], 5e-3 * (1 + fabs(other.effort[0])));
    rig_free(&rig);
}

static void snapshots_go_on_bit_for_bit(void **state) {
    (void)state;
    Rig rig = driven_make(true);
    AfxSimDef def = sim_def(AFX_RK4, 0.01);
    AfxWrench reaction;
    rig_start(&rig, &def);
    rig_run(&rig, 20, NULL);
    size_t size = afx_sim_snapshot_size(rig.sim), bytes = 36 * sizeof(double);
    void *half = malloc(size);
    double end[2][36], velocity[2][36];
    assert_ok(afx_sim_snapshot(rig.sim, half, size));
    for (int k = 0; k < 2; k++) {
        rig_run(&rig, 15, NULL);
        assert_ok(afx_sim_joint_reaction(rig.sim, 1, &reaction)); /* changes nothing */
        rig_run(&rig, 15, NULL);
        memcpy(end[k], afx_sim_coordinates(rig.sim), bytes);
        memcpy(velocity[k], afx_sim_velocities(rig.sim), bytes);
        assert_ok(afx_sim_restore(rig.sim, half, size));
    }
    assert_memory_equal(end[0], end[1], bytes);
    assert_memory_equal(velocity[0], velocity[1], bytes);
    free(half);
    rig_free(&rig);
}

/* A free base keeps its momentum, and its energy to the method's order. */
static void a_free_base_keeps_its_momentum(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 5; k++) {
        uint64_t seed = 900 + k;
        Rig rig = random_tree(5, false, &seed);
        AfxSimDef def = sim_def(AFX_RK4, 0.002);
        AfxMomentum before, after;
        double none[3] = {0, 0, 0};
        rig_start(&rig, &def);
        assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_GRAVITY, 0, none));
        assert_ok(afx_sim_momentum(rig.sim, &before));
        double energy = rig_energy(&rig);
        rig_run(&rig, 250, NULL);
        assert_ok(afx_sim_momentum(rig.sim, &after));
        assert_vec3(after.linear, before.linear, 1e-7);
        assert_vec3(after.angular, before.angular, 1e-7);
        assert_near(rig_energy(&rig), energy, 1e-7 * (1 + fabs(energy)));
        rig_free(&rig);
    }
}

static void expect_refusal(Rig *rig, const AfxSimDef *given, const char *word) {
    AfxError error = {0};
    AfxSimDef def = *given;
    AfxModel *model;
    AfxSim *sim = NULL;
    def.error = &error;
    assert_ok(afx_model_create(rig->scene, &model, NULL));
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_E_INPUT);
    assert_null(sim);
    if (!strstr(error.text, word) && !strstr(error.element, word)) {
        print_error("%s: %s (%s)\n", error.element, error.text, error.cure);
        fail();
    }
    afx_model_destroy(model);
    rig_free(rig);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    AfxSimDef def = sim_def(AFX_RK4, 0.01);
    AfxDriveKind kinds[2] = {AFX_DRIVE_LIMIT, AFX_DRIVE_FRICTION};
    for (int k = 0; k < 2; k++) {
        Rig rig = driven_make(false);
        AfxDriveDef drive = afx_default_drive(kinds[k]);
        AfxDriveId id;
        drive.joint = afx_scene_joint(rig.scene, 0);
        drive.lower = -1;
        drive.upper = 1;
        drive.effort = 1;
        assert_ok(afx_scene_add_drive(rig.scene, &drive, &id));
        expect_refusal(&rig, &def, k ? "friction" : "limit");
    }
    Rig elastic = rig_make(v3(0, 0, -9.81));
    AfxBodyDef body = rigid_def(1, 1, 1, 1);
    body.young = 1e9;
    rig_body(&elastic, &body);
    expect_refusal(&elastic, &def, "rigid");
    Rig method = driven_make(false);
    def.formulation = AFX_REDUCED;
    def.integrator = AFX_SDIRK2;
    expect_refusal(&method, &def, "integrator");
    Rig rubs = driven_make(false);
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FRICTION);
    AfxDriveId id;
    drive.joint = afx_scene_joint(rubs.scene, 0);
    drive.coefficient = 0.1;
    drive.radius = 0.01;
    assert_ok(afx_scene_add_drive(rubs.scene, &drive, &id));
    def.integrator = AFX_AUTO;
    expect_refusal(&rubs, &def, "load");
}

/* A spring that a step does not resolve fails, and says where, instead of making energy. */
static void stiff_springs_fail(void **state) {
    (void)state;
    Rig rig = driven_make(false);
    AfxSimDef def = sim_def(AFX_RK4, 0.01);
    AfxStepReport report;
    rig_start(&rig, &def);
    double numbers[9];
    assert_ok(afx_sim_param(rig.sim, AFX_PARAM_DRIVE, 1, numbers));
    numbers[0] = 1e6;
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_DRIVE, 1, numbers));
    assert_int_equal(afx_step(rig.sim, &report), AFX_E_NUMERIC);
    assert_true(report.flags & AFX_STEP_FAILED);
    assert_true(report.body < 3);
    numbers[0] = 10;
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_DRIVE, 1, numbers));
    assert_ok(afx_step(rig.sim, &report));
    rig_free(&rig);
}

int run_forces_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_have_the_same_limit),       cmocka_unit_test(loops_have_the_same_limit),
        cmocka_unit_test(planar_loops_have_the_same_limit), cmocka_unit_test(exact_rows_hold),
        cmocka_unit_test(snapshots_go_on_bit_for_bit),      cmocka_unit_test(a_free_base_keeps_its_momentum),
        cmocka_unit_test(what_is_not_there_is_refused),     cmocka_unit_test(stiff_springs_fail),
    };
    return cmocka_run_group_tests_name("forces", tests, NULL, NULL);
}

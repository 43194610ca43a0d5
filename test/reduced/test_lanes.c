/* SPDX-License-Identifier: Apache-2.0 */
/* Robots side by side have, bit for bit, the motion of each by itself: with parameters, input, contact, limits, loops
 * and resets of their own. */
#include "tests.h"

/* More than the widest lanes, and no multiple of any. */
#define ROBOTS 11
#define TOUCHED 0x80000000u /* beside the flags of steps */

typedef struct Crowd {
    AfxSim *sim[2][ROBOTS]; /* by themselves; together */
    void *start[ROBOTS];    /* snapshots */
    uint32_t flags;         /* of all steps */
} Crowd;

static void vary(AfxSim *sim, uint32_t number) {
    double mass, gravity[3] = {0.1 * number, 0, -9.81 + 0.2 * number}, *u;
    uint32_t count = afx_sim_dof_count(sim), bodies = afx_model_body_count(afx_sim_model(sim));
    if (number == 0) {
        return; /* with the parameters of the model */
    }
    u = calloc(count + 1, sizeof *u);
    assert_ok(afx_sim_dof_velocities(sim, u));
    for (uint32_t k = 0; k < count; k++) {
        u[k] += 0.03 * number / (1 + k);
    }
    assert_ok(afx_sim_set_dof_velocities(sim, u));
    free(u);
    assert_ok(afx_sim_set_param(sim, AFX_PARAM_GRAVITY, 0, gravity));
    if (number % 2) {
        assert_ok(afx_sim_param(sim, AFX_PARAM_BODY_MASS, bodies - 1, &mass));
        mass *= 1 + 0.1 * number;
        assert_ok(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, bodies - 1, &mass));
    }
}

static Crowd crowd_make(Rig *rig, AfxIntegrator integrator, double dt) {
    Crowd out = {.flags = 0};
    AfxSimDef def = sim_def(integrator, dt);
    def.formulation = AFX_REDUCED;
    rig_start(rig, &def);
    for (uint32_t k = 0; k < ROBOTS; k++) {
        for (int way = 0; way < 2; way++) {
            assert_ok(afx_sim_create(rig->model, &def, &out.sim[way][k]));
            vary(out.sim[way][k], k);
        }
        size_t size = afx_sim_snapshot_size(out.sim[0][k]);
        out.start[k] = malloc(size);
        assert_ok(afx_sim_snapshot(out.sim[0][k], out.start[k], size));
    }
    return out;
}

static void crowd_free(Crowd *crowd) {
    for (uint32_t k = 0; k < ROBOTS; k++) {
        afx_sim_destroy(crowd->sim[0][k]);
        afx_sim_destroy(crowd->sim[1][k]);
        free(crowd->start[k]);
    }
}

static void assert_alike(const AfxSim *a, const AfxSim *b) {
    const AfxModel *model = afx_sim_model(a);
    size_t bytes = 12 * (size_t)afx_model_body_count(model) * sizeof(double);
    assert_memory_equal(afx_sim_coordinates(a), afx_sim_coordinates(b), bytes);
    assert_memory_equal(afx_sim_velocities(a), afx_sim_velocities(b), bytes);
    for (uint32_t k = 0; k < afx_model_joint_count(model); k++) {
        AfxWrench one, other;
        assert_ok(afx_sim_joint_reaction(a, k, &one));
        assert_ok(afx_sim_joint_reaction(b, k, &other));
        assert_memory_equal(&one, &other, sizeof one);
    }
    double one, other;
    for (uint32_t k = 0; afx_sim_drive_effort(a, k, &one) == AFX_OK; k++) {
        assert_ok(afx_sim_drive_effort(b, k, &other));
        assert_true(one == other);
    }
}

/* Robot 3 begins anew and robot 5 gets another mass, some way on. */
static void disturb(Crowd *crowd, uint32_t step) {
    for (int way = 0; way < 2; way++) {
        AfxSim *sim = crowd->sim[way][5];
        double mass;
        if (step == 6) {
            assert_ok(afx_sim_restore(crowd->sim[way][3], crowd->start[3], afx_sim_snapshot_size(sim)));
        } else if (step == 9) {
            assert_ok(afx_sim_param(sim, AFX_PARAM_BODY_MASS, 0, &mass));
            mass *= 1.5;
            assert_ok(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, 0, &mass));
        }
    }
}

static uint32_t crowd_check(Rig *rig, AfxIntegrator integrator, double dt, uint32_t steps) {
    Crowd crowd = crowd_make(rig, integrator, dt);
    for (uint32_t step = 0; step < steps; step++) {
        AfxStepReport report[ROBOTS], one;
        AfxStatus status[ROBOTS];
        disturb(&crowd, step);
        /* other neighbours from step to step, and a last one by itself */
        uint32_t first = step % 3, count = ROBOTS - first;
        afx_step_many(crowd.sim[1], first, report, status);
        afx_step_many(crowd.sim[1] + first, count, report + first, status + first);
        for (uint32_t k = 0; k < ROBOTS; k++) {
            assert_int_equal(afx_step(crowd.sim[0][k], &one), status[k]);
            assert_int_equal(one.flags, report[k].flags);
            assert_int_equal(one.solves, report[k].solves);
            assert_int_equal(one.contacts, report[k].contacts);
            assert_true(one.residual == report[k].residual && one.time == report[k].time);
            assert_alike(crowd.sim[0][k], crowd.sim[1][k]);
            crowd.flags |= one.flags | (one.contacts ? TOUCHED : 0);
        }
    }
    crowd_free(&crowd);
    return crowd.flags;
}

/* ---- models ---- */

static void trees_side_by_side(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t random = seed;
        Rig rig = random_tree(6, seed % 2, &random);
        crowd_check(&rig, seed % 3 ? AFX_RK4 : AFX_AUTO, 0.004, 12);
        crowd_check(&rig, seed % 3 ? AFX_BDF2 : AFX_BDF1, 0.004, 12);
        rig_free(&rig);
    }
}

static void bases_that_move_side_by_side(void **state) {
    (void)state;
    uint64_t random = 5;
    Rig rig = random_rig(AFX_JOINT_REVOLUTE, BASE_KINEMATIC, &random);
    crowd_check(&rig, AFX_RK4, 0.004, 12);
    crowd_check(&rig, AFX_BDF2, 0.004, 12);
    rig_free(&rig);
}

static void drives_and_loops_side_by_side(void **state) {
    (void)state;
    for (int loop = 0; loop < 2; loop++) {
        for (int automatic = 0; automatic < 2; automatic++) {
            Rig rig = driven_make(loop);
            crowd_check(&rig, automatic ? AFX_AUTO : AFX_RK4, 0.005, 14);
            crowd_check(&rig, automatic ? AFX_BDF1 : AFX_BDF2, 0.005, 14);
            rig_free(&rig);
        }
    }
}

/* Servos with little effort and a motor on hinges, two of which are geared, with an armature and a limit. */
static Rig geared_make(bool limited) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    AfxJointId joint[4];
    AfxDriveId id;
    for (int k = 0; k < 4; k++) {
        AfxBodyDef def = rigid_def(1 + 0.2 * k, 0.02, 0.03, 0.04);
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxDriveDef drive = afx_default_drive(k == 3 ? AFX_DRIVE_FORCE : AFX_DRIVE_SERVO);
        def.pose.position = v3(0.4 * k + 0.2, 0, 0);
        hinge.base = last;
        hinge.follower = last = rig_body(&rig, &def);
        hinge.base_frame = (AfxPose){v3(k ? 0.2 : 0, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
        hinge.follower_frame = (AfxPose){v3(-0.2, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
        hinge.armature[0] = 0.05;
        joint[k] = rig_joint_def(&rig, &hinge);
        drive.joint = joint[k];
        drive.stiffness = 10;
        drive.damping = 0.5;
        drive.effort = 3;
        drive.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.5, 3, 0}};
        assert_ok(afx_scene_add_drive(rig.scene, &drive, &id));
    }
    AfxCouplingDef gear = afx_default_coupling();
    AfxCouplingId gear_id;
    gear.term_count = 2;
    gear.joint[0] = joint[2];
    gear.joint[1] = joint[3];
    gear.factor[0] = 1;
    gear.factor[1] = -0.5;
    assert_ok(afx_scene_add_coupling(rig.scene, &gear, &gear_id));
    if (limited) {
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        limit.joint = joint[1];
        limit.lower = -0.03;
        limit.upper = 0.03;
        limit.restitution = 0.3;
        assert_ok(afx_scene_add_drive(rig.scene, &limit, &id));
    }
    return rig;
}

static void gears_and_limits_side_by_side(void **state) {
    (void)state;
    Rig free_rig = geared_make(false), rig = geared_make(true);
    crowd_check(&free_rig, AFX_RK4, 0.004, 20);
    crowd_check(&free_rig, AFX_BDF2, 0.004, 20);
    crowd_check(&free_rig, AFX_AUTO, 0.1, 20); /* something is stiff */
    uint32_t flags = crowd_check(&rig, AFX_AUTO, 0.004, 30);
    assert_true(flags & AFX_STEP_EXPLICIT && flags & AFX_STEP_IMPACT); /* in lanes, and not */
    assert_true(crowd_check(&rig, AFX_BDF2, 0.004, 30) & AFX_STEP_IMPACT);
    rig_free(&free_rig);
    rig_free(&rig);
}

/* Hinges in a row, the first and the last of which move as told by sines: Runge-Kutta leaves their rows open by its
 * error, and each step ends by closing them. */
static Rig told_make(AfxDriveKind kind) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(1 + 0.3 * k, 0.02, 0.03, 0.04);
        AfxDriveDef drive = afx_default_drive(kind);
        AfxDriveId id;
        def.pose.position = v3(0.4 * k + 0.2, 0, 0);
        AfxBodyId body = rig_body(&rig, &def);
        AfxPose frame = {v3(0.4 * k, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
        drive.joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, frame);
        drive.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.5, 8, 0}};
        if (k != 1) {
            assert_ok(afx_scene_add_drive(rig.scene, &drive, &id));
        }
        last = body;
    }
    return rig;
}

static void motions_as_told_side_by_side(void **state) {
    (void)state;
    const AfxDriveKind kinds[2] = {AFX_DRIVE_POSITION, AFX_DRIVE_VELOCITY};
    for (int k = 0; k < 2; k++) {
        for (int automatic = 0; automatic < 2; automatic++) {
            Rig rig = told_make(kinds[k]);
            crowd_check(&rig, automatic ? AFX_AUTO : AFX_RK4, 0.005, 14);
            crowd_check(&rig, automatic ? AFX_BDF1 : AFX_BDF2, 0.005, 14);
            rig_free(&rig);
        }
    }
}

/* Some fly in lanes while others lie on the ground, and meet it at other times. */
static void contact_side_by_side(void **state) {
    (void)state;
    Rig rig = tumbler_make(), stiff = walker_make(false);
    uint32_t flags = crowd_check(&rig, AFX_AUTO, 0.01, 30);
    assert_true(flags & AFX_STEP_EXPLICIT && flags & TOUCHED);
    crowd_check(&stiff, AFX_AUTO, 0.004, 8);
    assert_true(crowd_check(&rig, AFX_BDF2, 0.01, 30) & TOUCHED);
    rig_free(&rig);
    rig_free(&stiff);
}

static void a_crowd_of_models(void **state) {
    (void)state;
    Rig rig[2] = {driven_make(false), walker_make(false)};
    AfxSimDef def[2] = {sim_def(AFX_RK4, 0.004), sim_def(AFX_BDF2, 0.004)};
    AfxSim *one[4], *many[6] = {NULL};
    AfxStatus status[6];
    def[0].formulation = AFX_REDUCED;
    for (int k = 0; k < 4; k++) {
        rig_start(&rig[k / 2], &def[k / 2]);
        assert_ok(afx_sim_create(rig[k / 2].model, &def[k / 2], &one[k]));
        assert_ok(afx_sim_create(rig[k / 2].model, &def[k / 2], &many[k]));
    }
    many[5] = many[0];
    for (int step = 0; step < 5; step++) {
        assert_int_equal(afx_step_many(many, 6, NULL, status), AFX_E_ARGUMENT);
        assert_true(status[4] == AFX_E_ARGUMENT && status[5] == AFX_E_ARGUMENT); /* none; there twice */
        for (int k = 0; k < 4; k++) {
            assert_ok(status[k]);
            assert_ok(afx_step(one[k], NULL));
            assert_alike(one[k], many[k]);
        }
    }
    assert_int_equal(afx_step_many(NULL, 1, NULL, NULL), AFX_E_ARGUMENT);
    assert_ok(afx_step_many(NULL, 0, NULL, NULL));
    for (int k = 0; k < 4; k++) {
        afx_sim_destroy(one[k]);
        afx_sim_destroy(many[k]);
    }
    rig_free(&rig[0]);
    rig_free(&rig[1]);
}

int run_lanes_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_side_by_side),
        cmocka_unit_test(bases_that_move_side_by_side),
        cmocka_unit_test(drives_and_loops_side_by_side),
        cmocka_unit_test(gears_and_limits_side_by_side),
        cmocka_unit_test(motions_as_told_side_by_side),
        cmocka_unit_test(contact_side_by_side),
        cmocka_unit_test(a_crowd_of_models),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}

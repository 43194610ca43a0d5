/* SPDX-License-Identifier: Apache-2.0 */
/* Forests of ball joints, eliminated from the leaves to the roots, against the same scenes with one dense matrix. */
#include <math.h>

#include "constraint/drive.h"
#include "dual/primal.h"
#include "dual/recursion.h"
#include "dual/refine.h"
#include "engine/between.h"
#include "engine/closed_form.h"
#include "step/sim.h"
#include "tests.h"

#define LINKS 48u

typedef enum Sort { SPRINGS, BALLS, MIXED, CROOKED } Sort;

static double number(uint64_t *seed) { /* 0 ... 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static AfxVec3 vector(uint64_t *seed, double size) {
    double x = number(seed), y = number(seed), z = number(seed);
    return (AfxVec3){size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1)};
}

static AfxBodyId add_body(AfxScene *scene, AfxBodyDef *def, double length) {
    AfxBodyId id;
    AfxShapeDef box = afx_default_box(length, 0.1 * length, 0.2 * length);
    box.contact_group = 1;
    box.contact_mask = 2; /* they only touch the floor */
    assert_int_equal(afx_scene_add_body(scene, def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &box), AFX_OK);
    return id;
}

static void add_floor(AfxScene *scene) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(20, 20, 0.2);
    AfxBodyId id;
    def.kind = AFX_BODY_FIXED;
    def.pose.position.z = -0.75;
    box.contact_group = 2;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &box), AFX_OK);
}

/* Link k hangs on a random earlier one, the first of each of three trees on what is given; either may be the base. */
static AfxModel *make_forest_on(Sort sort, AfxSolver solver, uint64_t seed, bool floor) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxModelDef model_def = afx_default_model();
    AfxScene *scene;
    AfxBodyId body[LINKS];
    AfxVec3 end[LINKS];
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    assert_int_equal(afx_scene_set_contact(scene, floor), AFX_OK);
    AfxBodyDef mover = afx_default_body();
    mover.kind = AFX_BODY_KINEMATIC;
    mover.motion.axis = (AfxVec3){0, 0.6, 0.8};
    mover.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.3, 2}};
    AfxBodyId moving = add_body(scene, &mover, 0.5);
    for (uint32_t k = 0; k < LINKS; k++) {
        uint32_t tree = k % 3, before = k < 3 ? k : 3 * (uint32_t)(number(&seed) * (k / 3)) + tree;
        before = k >= 3 && number(&seed) < 0.7 ? k - 3 : before;
        AfxVec3 from = k < 3 ? (AfxVec3){3.0 * tree, 0, 0} : end[before], along = vector(&seed, 0.4);
        AfxBodyDef def = afx_default_body();
        end[k] = (AfxVec3){from.x + along.x, from.y + along.y, from.z + along.z};
        def.pose = afx_frame_along((AfxVec3){from.x + along.x / 2, from.y + along.y / 2, from.z + along.z / 2}, along);
        def.young = 1e7;
        if (sort == CROOKED) { /* joints are not on an axis of the body */
            def.pose.rotation = afx_quat_multiply(
                def.pose.rotation, afx_quat_from_axis_angle((AfxVec3){0, 0.6, 0.8}, 0.3 + number(&seed)));
        }
        body[k] = add_body(scene, &def, 0.4);
        if (k == 2) { /* the third tree floats */
            continue;
        }
        bool hinge = sort == MIXED && k == 7, turned = number(&seed) < 0.5, last = sort == MIXED && k > LINKS - 9;
        AfxJointDef joint = afx_default_joint(hinge ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL);
        AfxBodyId held = k == 0 ? afx_world() : k == 1 ? moving : body[before];
        joint.base = turned ? body[k] : held;
        joint.follower = turned ? held : body[k];
        if (!hinge && (sort == SPRINGS || sort == CROOKED || (sort == MIXED && !last))) {
            joint.spring.stiffness = (AfxVec3){20, 30, 40};
            joint.spring.damping = (AfxVec3){0.1, 0.2, 0.1};
        }
        AfxJointId id;
        assert_int_equal(afx_joint_place(scene, &joint, afx_frame_along(from, along)), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &joint, &id), AFX_OK);
        AfxWrenchDef wrench = afx_default_wrench();
        AfxWrenchId push;
        wrench.body = body[k];
        wrench.force = vector(&seed, 3);
        wrench.torque = vector(&seed, 0.3);
        if (k % 4 == 0) {
            assert_int_equal(afx_scene_add_wrench(scene, &wrench, &push), AFX_OK);
        }
    }
    if (floor) {
        add_floor(scene);
    }
    AfxModel *model = NULL;
    model_def.solver = solver;
    assert_int_equal(afx_model_create_with(scene, &model_def, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static AfxModel *make_forest(Sort sort, AfxSolver solver, uint64_t seed) {
    return make_forest_on(sort, solver, seed, false);
}

static AfxSim *make_sim(const AfxModel *model, AfxIntegrator integrator, AfxAccuracy accuracy, uint32_t lanes) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim;
    def.integrator = integrator;
    def.accuracy = accuracy;
    def.lanes = lanes;
    def.dt = 0.004;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    return sim;
}

/* Whether the kernels of a sort are the ones that its name says. */
static void check_jobs(const AfxiRecursion *recursion, Sort sort) {
    uint32_t batched = 0, forks = 0, others = 0;
    for (uint32_t k = 0; k < recursion->job_count; k++) {
        batched += recursion->job[k].batched;
        forks += recursion->job[k].batched && recursion->job[k].children > 1;
        others += recursion->job[k].rows == 6 && recursion->job[k].rooted && !recursion->job[k].batched;
    }
    assert_true(sort != SPRINGS || (batched > 4 && forks > 0 && others == 0));
    assert_true(sort != CROOKED || (batched == 0 && others > 4));
    assert_true(recursion->message_count < recursion->job_count);
}

static void assert_state(const AfxSim *sim, const AfxSim *want) {
    for (size_t k = 0; k < (size_t)12 * sim->model->body_count; k++) {
        assert_near(sim->world.state.q[k], want->world.state.q[k], 1e-10);
        assert_near(sim->world.state.v[k], want->world.state.v[k], 1e-7);
    }
}

/* Both go side by side; a joint is switched off on the way. */
static void compare(const AfxModel *model, const AfxModel *dense, AfxIntegrator integrator, AfxAccuracy accuracy) {
    AfxSim *sim = make_sim(model, integrator, accuracy, 0), *want = make_sim(dense, integrator, accuracy, 0);
    AfxSim *narrow = make_sim(model, integrator, accuracy, 1);
    assert_true(model->graph->recursion.on && !dense->graph->recursion.on);
    for (int step = 0; step < 24; step++) {
        AfxStepReport report, other;
        for (int k = 0; step == 12 && k < 3; k++) {
            assert_int_equal(afx_sim_set_joint_active(k == 0 ? sim : k == 1 ? want : narrow, 20, false), AFX_OK);
        }
        assert_int_equal(afx_step(sim, &report), AFX_OK);
        assert_int_equal(afx_step(want, &other), AFX_OK);
        assert_int_equal(afx_step(narrow, NULL), AFX_OK);
        /* what small trees that share lanes do not settle at once is solved again by the next engine */
        assert_in_range(report.solves, other.solves, other.solves + 1);
        assert_true(report.residual < 1e-12);
        assert_state(sim, want);
        assert_memory_equal(sim->world.state.q, narrow->world.state.q, (size_t)12 * model->body_count * sizeof(double));
    }
    assert_int_equal(sim->solver.lot[0].system.recursion.refusals, 0);
    afx_sim_destroy(sim);
    afx_sim_destroy(want);
    afx_sim_destroy(narrow);
}

static void forests_move_as_with_a_dense_matrix(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA};
    for (Sort sort = SPRINGS; sort <= CROOKED; sort++) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            AfxModel *model = make_forest(sort, AFX_SOLVER_AUTO, seed);
            AfxModel *dense = make_forest(sort, AFX_SOLVER_DENSE, seed);
            check_jobs(&model->graph->recursion, sort);
            compare(model, dense, integrators[seed - 1], seed == 2 ? AFX_ACCURATE : AFX_FAST);
            afx_model_destroy(model);
            afx_model_destroy(dense);
        }
    }
}

/* Trees that touch a floor keep their engine and their closed forms, unless they are small ones in a pool. */
static void a_forest_on_a_floor_moves_as_with_a_dense_matrix(void **state) {
    (void)state;
    for (Sort sort = SPRINGS; sort <= CROOKED; sort++) {
        AfxModel *model = make_forest_on(sort, AFX_SOLVER_AUTO, 5, true);
        AfxModel *dense = make_forest_on(sort, AFX_SOLVER_DENSE, 5, true);
        AfxSim *sim = make_sim(model, AFX_BDF2, AFX_ACCURATE, 0), *want = make_sim(dense, AFX_BDF2, AFX_ACCURATE, 0);
        AfxSim *narrow = make_sim(model, AFX_BDF2, AFX_ACCURATE, 1);
        uint32_t most = 0;
        for (int step = 0; step < 30; step++) {
            AfxStepReport report;
            assert_int_equal(afx_step(sim, &report), AFX_OK);
            assert_int_equal(afx_step(want, NULL), AFX_OK);
            assert_int_equal(afx_step(narrow, NULL), AFX_OK);
            for (uint32_t k = 0; sort == BALLS && k < model->graph_count; k++) {
                assert_true(!model->graph[k].pooled && sim->solver.lot[k].system.bodies.on);
            }
            assert_true(sort != BALLS || sim->solver.island_count == 0);
            most = report.contacts > most ? report.contacts : most;
            assert_memory_equal(sim->world.state.q, narrow->world.state.q,
                                (size_t)12 * model->body_count * sizeof(double));
            for (size_t k = 0; k < (size_t)12 * model->body_count; k++) {
                assert_near(sim->world.state.q[k], want->world.state.q[k], 1e-6); /* stopped when near enough */
            }
        }
        assert_true(most > 0);
        afx_sim_destroy(sim);
        afx_sim_destroy(want);
        afx_sim_destroy(narrow);
        afx_model_destroy(model);
        afx_model_destroy(dense);
    }
}

/* Where a few contacts change between two solves, only what lies between them and the root is eliminated again: as if
 * all were, bit for bit. */
static void what_has_not_changed_is_not_eliminated_again(void **state) {
    (void)state;
    for (Sort sort = BALLS; sort <= CROOKED; sort++) {
        AfxModel *model = make_forest_on(sort, AFX_SOLVER_AUTO, 5, true);
        AfxModel *again = make_forest_on(sort, AFX_SOLVER_AUTO, 5, true);
        for (uint32_t k = 0; k < again->graph_count; k++) {
            assert_true(again->graph[k].recursion.keeps);
            again->graph[k].recursion.keeps = false; /* all is worked again, but for rows that are met by the factor */
        }
        AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0), *want = make_sim(again, AFX_BDF2, AFX_FAST, 0);
        uint64_t kept = 0;
        for (int step = 0; step < 60; step++) {
            AfxStepReport report, other;
            assert_int_equal(afx_step(sim, &report), AFX_OK);
            assert_int_equal(afx_step(want, &other), AFX_OK);
            assert_int_equal(report.solves, other.solves);
            assert_memory_equal(sim->world.state.q, want->world.state.q,
                                (size_t)12 * model->body_count * sizeof(double));
        }
        for (uint32_t k = 0; k < model->graph_count; k++) {
            kept += sim->solver.lot[k].system.recursion.kept_jobs;
        }
        assert_true(sort != BALLS || kept > 20);
        afx_sim_destroy(sim);
        afx_sim_destroy(want);
        afx_model_destroy(model);
        afx_model_destroy(again);
    }
}

/* A tree of all sorts of joints, with limits on hinges and slides. */
static AfxModel *make_limited_tree(uint64_t seed) {
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE,  AFX_JOINT_PRISMATIC, AFX_JOINT_SPHERICAL,
                                         AFX_JOINT_UNIVERSAL, AFX_JOINT_REVOLUTE,  AFX_JOINT_FIXED};
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene;
    AfxBodyId body[18];
    AfxModel *model = NULL;
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    assert_int_equal(afx_scene_set_contact(scene, false), AFX_OK);
    for (uint32_t k = 0; k < 18; k++) {
        AfxBodyDef def = afx_default_body();
        AfxJointDef joint = afx_default_joint(kinds[(k + seed) % 6]);
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxJointId id;
        AfxDriveId drive;
        def.pose.position = vector(&seed, 1);
        body[k] = add_body(scene, &def, 0.3);
        joint.follower = body[k];
        joint.base = k ? body[(k - 1) / 2] : afx_world();
        assert_int_equal(afx_joint_place(scene, &joint, afx_frame_along(vector(&seed, 1), vector(&seed, 1))), AFX_OK);
        assert_int_equal(afx_scene_add_joint(scene, &joint, &id), AFX_OK);
        limit.joint = id;
        limit.upper = 1;
        if (joint.kind == AFX_JOINT_REVOLUTE || joint.kind == AFX_JOINT_PRISMATIC) {
            assert_int_equal(afx_scene_add_drive(scene, &limit, &drive), AFX_OK);
        }
    }
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

/* In the passes of an impact nothing moves: only what the limits that change lie between and the root is eliminated
 * again, and all else substituted, as if all were made anew, bit for bit. */
static void velocities_that_jump_again_keep_the_factor(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 13; seed++) {
        AfxModel *model = make_limited_tree(seed);
        AfxSim *sim[2] = {make_sim(model, AFX_BDF2, AFX_FAST, 0), make_sim(model, AFX_BDF2, AFX_FAST, 0)};
        size_t numbers = (size_t)12 * model->body_count;
        uint64_t random = seed, kept = 0;
        assert_true(model->graph_count == 1 && model->graph->recursion.on);
        for (int round = 0; round < 8; round++) {
            for (size_t k = 0; k < numbers; k++) {
                sim[0]->world.state.v[k] = sim[1]->world.state.v[k] = number(&random);
            }
            for (uint32_t k = 0; k < model->drive_count; k++) {
                double rate = number(&random), own = number(&random) > 0.3 ? rate : NAN;
                for (int s = 0; s < 2; s++) {
                    sim[s]->world.state.drive_branch[k] = AFXI_BRANCH_LOW;
                    sim[s]->world.limit_rate[k] = round == 0 ? rate : round % 2 ? own : sim[s]->world.limit_rate[k];
                }
            }
            for (int s = 0; s < 2; s++) {
                afxi_lot_project(&sim[s]->solver.lot[0], &(AfxiJump){.again = s && round});
            }
            assert_memory_equal(sim[0]->world.state.v, sim[1]->world.state.v, numbers * sizeof(double));
            assert_int_equal(sim[0]->solver.lot[0].system.recursion.kept_jobs, 0);
            kept = sim[1]->solver.lot[0].system.recursion.kept_jobs;
        }
        assert_true(kept > 10);
        afx_sim_destroy(sim[0]);
        afx_sim_destroy(sim[1]);
        afx_model_destroy(model);
    }
}

/* What holds a body changes its own block. */
static void a_held_body_moves_as_with_a_dense_matrix(void **state) {
    (void)state;
    for (Sort sort = SPRINGS; sort <= CROOKED; sort++) {
        AfxModel *model = make_forest(sort, AFX_SOLVER_AUTO, 5), *dense = make_forest(sort, AFX_SOLVER_DENSE, 5);
        AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0), *want = make_sim(dense, AFX_BDF2, AFX_FAST, 0);
        assert_int_equal(model->graph->plan.count, 0);
        for (int step = 0; step < 30; step++) {
            for (int k = 0; k < 2; k++) {
                AfxSim *own = k ? want : sim;
                AfxVec3 target = {0.5, 0.01 * step, 0.3};
                if (step >= 6 && step < 20) {
                    assert_int_equal(afx_sim_hold(own, 11, (AfxVec3){0.1, 0, 0}, target, 300, 3), AFX_OK);
                }
                if (step == 20) {
                    assert_int_equal(afx_sim_release(own, 11), AFX_OK);
                }
                assert_int_equal(afx_step(own, NULL), AFX_OK);
            }
            assert_state(sim, want);
        }
        afx_sim_destroy(sim);
        afx_sim_destroy(want);
        afx_model_destroy(model);
        afx_model_destroy(dense);
    }
}

/* Two high-degree bodies on one ball: the first hangs on what is given, or floats; its arms and those of the second
 * have two links.
 */
static AfxModel *make_high_degree_bodies(bool floats, AfxSolver solver) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxModelDef model_def = afx_default_model();
    AfxScene *scene;
    AfxJointId id;
    AfxModel *model = NULL;
    uint64_t seed = 11;
    assert_int_equal(afx_scene_create(&scene_def, &scene), AFX_OK);
    assert_int_equal(afx_scene_set_contact(scene, false), AFX_OK);
    AfxBodyId high_degree[2];
    for (int h = 0; h < 2; h++) {
        AfxBodyDef def = afx_default_body();
        def.pose.position = (AfxVec3){h, 0, 0};
        def.young = 1e7;
        def.linear_velocity = vector(&seed, floats ? 0.5 : 0);
        high_degree[h] = add_body(scene, &def, 0.6);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        joint.base = h ? high_degree[0] : afx_world();
        joint.follower = high_degree[h];
        AfxPose at = afx_pose_identity();
        at.position = (AfxVec3){h - 0.3, 0.1, 0.05};
        if (h || !floats) {
            assert_int_equal(afx_joint_place(scene, &joint, at), AFX_OK);
            assert_int_equal(afx_scene_add_joint(scene, &joint, &id), AFX_OK);
        }
        for (int arm = 0; arm < 24; arm++) {
            AfxVec3 out = vector(&seed, 0.2), along = vector(&seed, 0.3);
            AfxVec3 from = {h + out.x, out.y, out.z};
            AfxBodyId last = high_degree[h];
            for (int link = 0; link < 2; link++) {
                AfxBodyDef own = afx_default_body();
                own.young = 1e7;
                own.pose =
                    afx_frame_along((AfxVec3){from.x + along.x / 2, from.y + along.y / 2, from.z + along.z / 2}, along);
                AfxBodyId body = add_body(scene, &own, 0.3);
                joint.base = arm % 3 ? last : body;
                joint.follower = arm % 3 ? body : last;
                assert_int_equal(afx_joint_place(scene, &joint, afx_frame_along(from, along)), AFX_OK);
                assert_int_equal(afx_scene_add_joint(scene, &joint, &id), AFX_OK);
                from = (AfxVec3){from.x + along.x, from.y + along.y, from.z + along.z};
                last = body;
            }
        }
    }
    model_def.solver = solver;
    assert_int_equal(afx_model_create_with(scene, &model_def, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static void high_degree_bodies_move_as_with_a_dense_matrix(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        AfxModel *model = make_high_degree_bodies(k % 2, AFX_SOLVER_AUTO),
                 *dense = make_high_degree_bodies(k % 2, AFX_SOLVER_DENSE);
        assert_int_equal(model->graph->high_degree_count, 2);
        compare(model, dense, k < 2 ? AFX_BDF2 : AFX_ALPHA, k == 1 ? AFX_ACCURATE : AFX_FAST);
        afx_model_destroy(model);
        afx_model_destroy(dense);
    }
}

/* The rows of a forest at its first frames, with rigid bodies that start at random, exact ones only and no multipliers.
 */
static AfxiSystem *linearise_forest(AfxSim *sim, uint64_t *seed) {
    AfxiLot *lot = &sim->solver.lot[0];
    AfxiSystem *system = &lot->system;
    for (uint32_t k = 0; k < system->graph->body_count; k++) {
        afxi_lot_rigid(lot, k);
        for (int e = 0; e < 12; e++) {
            system->start[12 * (size_t)k + e] = e < 9 ? 0 : number(seed);
        }
    }
    lot->rows.h_rate = 1;
    afxi_closed_form(lot, true);
    afxi_lot_linearise(lot);
    afxi_rows_keep_exact(&lot->rows);
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] = 0;
        system->scale[row] = system->active[row];
    }
    return system;
}

/* The elimination corrects multipliers that are as wrong as can be. */
static void a_correction_meets_the_rows(void **state) {
    (void)state;
    for (Sort sort = SPRINGS; sort <= CROOKED; sort++) {
        AfxModel *model = make_forest(sort, AFX_SOLVER_AUTO, 7);
        AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0);
        uint64_t seed = 3;
        AfxiSystem *system = linearise_forest(sim, &seed);
        afxi_dual_primal(system);
        double before = afxi_dual_residual(system, false);
        afxi_recursion_correct(system);
        afxi_refine_add(system);
        afxi_dual_primal(system);
        assert_true(before > 0.1 && afxi_dual_residual(system, false) < 1e-11 * before);
        afxi_closed_form(&sim->solver.lot[0], false);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
}

/* Torques of springs that are given, as where accelerations are started, load the bodies before the elimination: it
 * meets the rows with them at once, and leaves nothing to correct. */
static void given_torques_are_eliminated_with_the_rest(void **state) {
    (void)state;
    for (Sort sort = SPRINGS; sort <= CROOKED; sort++) {
        AfxModel *model = make_forest(sort, AFX_SOLVER_AUTO, 7);
        AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0);
        uint64_t seed = 3;
        AfxiSystem *system = linearise_forest(sim, &seed);
        uint32_t given = 0;
        double lacks;
        for (uint32_t row = 0; row < system->graph->row_count; row++) {
            system->fixed[row] = system->active[row] ? 0 : 2 * number(&seed) - 1;
            given += !system->active[row];
        }
        assert_true((given > 0) == (sort != BALLS));
        double first = afxi_recursion_solve(system, &lacks);
        for (uint32_t row = 0; row < system->graph->row_count; row++) {
            assert_true(system->active[row] || system->lambda[row] == system->fixed[row]);
        }
        afxi_dual_primal(system);
        assert_true(first > 0.1 && afxi_dual_residual(system, false) < 1e-11 * first);
        afxi_closed_form(&sim->solver.lot[0], false);
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
}

/* Nothing was copied before the step: the state is put back from where it survives. */
static void a_failed_step_puts_a_forest_back(void **state) {
    (void)state;
    AfxModel *model = make_forest(SPRINGS, AFX_SOLVER_AUTO, 2);
    AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0), *before = make_sim(model, AFX_BDF2, AFX_FAST, 0);
    size_t bytes = (size_t)12 * model->body_count * sizeof(double);
    AfxWrench wild = {{1e306, 0, 0}, {0, 1e306, 0}};
    for (int step = 0; step < 5; step++) {
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
        assert_int_equal(afx_step(before, NULL), AFX_OK);
    }
    assert_int_equal(afx_sim_set_wrench(sim, 3, wild), AFX_OK);
    assert_int_equal(afx_step(sim, NULL), AFX_E_NUMERIC);
    assert_memory_equal(sim->world.state.q, before->world.state.q, bytes);
    assert_memory_equal(sim->world.state.v, before->world.state.v, bytes);
    afx_sim_destroy(sim);
    afx_sim_destroy(before);
    afx_model_destroy(model);
}

/* One change of parameters, forces or the step at a time. */
static void change(AfxSim *sim, int step) {
    double spring[10], mass;
    if (step == 12) {
        assert_int_equal(afx_sim_param(sim, AFX_PARAM_JOINT_SPRING, 9, spring), AFX_OK);
        spring[0] *= 3; /* stiffness, and the rest orientation: an eighth of a turn */
        spring[6] = cos(0.39);
        spring[7] = sin(0.39);
        assert_int_equal(afx_sim_set_param(sim, AFX_PARAM_JOINT_SPRING, 9, spring), AFX_OK);
    } else if (step == 0 || step == 8) { /* forces alone, and then others */
        AfxWrench pull[LINKS + 1] = {0};
        for (uint32_t k = 0; k <= LINKS; k++) {
            pull[k].force = (AfxVec3){1, 0.1 * k, step - 4.0};
        }
        assert_int_equal(sim->model->body_count, LINKS + 1);
        assert_int_equal(afx_sim_set_body_wrenches(sim, pull), AFX_OK);
    } else if (step == 4) {
        assert_int_equal(afx_sim_param(sim, AFX_PARAM_BODY_MASS, 13, &mass), AFX_OK);
        mass *= 1.5;
        assert_int_equal(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, 13, &mass), AFX_OK);
    } else if (step == 16) {
        assert_int_equal(afx_sim_set_dt(sim, 0.003), AFX_OK);
    }
}

/* What is kept in the order of the elimination follows all changes. */
static void changes_reach_a_forest(void **state) {
    (void)state;
    AfxModel *model = make_forest(SPRINGS, AFX_SOLVER_AUTO, 4), *dense = make_forest(SPRINGS, AFX_SOLVER_DENSE, 4);
    AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0), *want = make_sim(dense, AFX_BDF2, AFX_FAST, 0);
    for (int step = 0; step < 20; step++) {
        change(sim, step);
        change(want, step);
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
        assert_int_equal(afx_step(want, NULL), AFX_OK);
        assert_state(sim, want);
    }
    afx_sim_destroy(sim);
    afx_sim_destroy(want);
    afx_model_destroy(model);
    afx_model_destroy(dense);
}

/* Multipliers are in the state's place after every other step: a snapshot has them all the same. */
static void a_snapshot_of_a_forest_has_its_multipliers(void **state) {
    (void)state;
    AfxModel *model = make_forest(SPRINGS, AFX_SOLVER_AUTO, 6);
    AfxSim *sim = make_sim(model, AFX_BDF2, AFX_FAST, 0), *other = make_sim(model, AFX_BDF2, AFX_FAST, 0);
    size_t bytes = afx_sim_snapshot_size(sim);
    void *kept = test_malloc(bytes), *later = test_malloc(bytes);
    for (int step = 0; step < 4; step++) {
        AfxWrench reaction, again;
        assert_int_equal(afx_step(sim, NULL), AFX_OK);
        assert_int_equal(afx_sim_snapshot(sim, kept, bytes), AFX_OK);
        assert_int_equal(afx_sim_restore(other, kept, bytes), AFX_OK);
        assert_int_equal(afx_sim_joint_reaction(sim, 8, &reaction), AFX_OK);
        assert_int_equal(afx_sim_joint_reaction(other, 8, &again), AFX_OK);
        assert_true(reaction.force.z != 0);
        assert_memory_equal(&reaction, &again, sizeof again);
        assert_int_equal(afx_sim_snapshot(other, later, bytes), AFX_OK);
        assert_memory_equal(kept, later, bytes);
        assert_int_equal(afx_step(other, NULL), AFX_OK);
    }
    test_free(kept);
    test_free(later);
    afx_sim_destroy(sim);
    afx_sim_destroy(other);
    afx_model_destroy(model);
}

int run_recursion_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forests_move_as_with_a_dense_matrix),
        cmocka_unit_test(high_degree_bodies_move_as_with_a_dense_matrix),
        cmocka_unit_test(a_forest_on_a_floor_moves_as_with_a_dense_matrix),
        cmocka_unit_test(what_has_not_changed_is_not_eliminated_again),
        cmocka_unit_test(velocities_that_jump_again_keep_the_factor),
        cmocka_unit_test(a_held_body_moves_as_with_a_dense_matrix),
        cmocka_unit_test(a_correction_meets_the_rows),
        cmocka_unit_test(given_torques_are_eliminated_with_the_rest),
        cmocka_unit_test(a_failed_step_puts_a_forest_back),
        cmocka_unit_test(changes_reach_a_forest),
        cmocka_unit_test(a_snapshot_of_a_forest_has_its_multipliers),
    };
    return cmocka_run_group_tests_name("forests", tests, NULL, NULL);
}

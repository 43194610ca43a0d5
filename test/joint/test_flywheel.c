/* SPDX-License-Identifier: Apache-2.0 */
/* Flywheels that couplings drive from coordinates of a tree, as rotors of geared motors are: the tree takes each as one
 * more drive (model/flywheel.h), the graph by rows of its own. Both against the dense reference, in every method, with
 * limits, friction, held points, switched joints and changed parameters; and the inertia that a torque meets against
 * its closed form. */
#include "driven.h"
#include "random_graph.h"

enum { STEPS = 24, BODIES = 7 };

static double between(uint64_t *seed, double lower, double upper) {
    return lower + (upper - lower) * random_unit(seed);
}

/* A wheel or block on the ground that follows coordinate `axis` of a joint, `factor` times as fast. */
static void add_flywheel(Rig *rig, AfxJointId joint, uint32_t axis, double factor, double compliance, bool turns,
                         uint64_t *seed) {
    AfxBodyDef def = odd_def(seed);
    AfxCouplingDef coupling = afx_default_coupling();
    AfxCouplingId id;
    def.pose.position = random_vec3(seed, 2);
    AfxBodyId body = rig_body(rig, &def);
    coupling.term_count = 2;
    coupling.joint[turns] = rig_joint(rig, turns ? AFX_JOINT_REVOLUTE : AFX_JOINT_PRISMATIC, afx_world(), body,
                                      (AfxPose){def.pose.position, random_quat(seed)});
    coupling.factor[turns] = -1;
    coupling.joint[!turns] = joint;
    coupling.axis[!turns] = axis;
    coupling.factor[!turns] = factor;
    coupling.compliance = compliance;
    assert_ok(afx_scene_add_coupling(rig->scene, &coupling, &id));
}

static void add_drives(Rig *rig, AfxJointId joint, uint32_t axis, uint32_t set, uint64_t *seed) {
    static const AfxDriveKind sets[6][3] = {
        {AFX_DRIVE_SERVO, AFX_DRIVE_LIMIT, AFX_DRIVE_FRICTION},  {AFX_DRIVE_SPRING, AFX_DRIVE_SPRING, AFX_DRIVE_SERVO},
        {AFX_DRIVE_FORCE, AFX_DRIVE_FORCE, AFX_DRIVE_LIMIT},     {AFX_DRIVE_POSITION, AFX_DRIVE_FORCE, AFX_DRIVE_SERVO},
        {AFX_DRIVE_FRICTION, AFX_DRIVE_FORCE, AFX_DRIVE_SPRING}, {AFX_DRIVE_LIMIT, AFX_DRIVE_FORCE, AFX_DRIVE_SPRING}};
    uint32_t count = 1 + (uint32_t)(2.99 * random_unit(seed));
    for (uint32_t k = 0; k < count; k++) {
        AfxDriveDef def = afx_default_drive(sets[set][k]);
        def.joint = joint;
        def.axis = axis;
        def.target = def.kind == AFX_DRIVE_FORCE ? signal_constant(between(seed, -3, 3)) : signal_sine(0, 0.2, 1, 0);
        def.stiffness = between(seed, 5, 40);
        def.damping = between(seed, 0, 2);
        def.effort = def.kind == AFX_DRIVE_FRICTION ? between(seed, 0.1, 1) : between(seed, 1, 6);
        def.lower = -between(seed, 0.01, 0.08);
        def.upper = between(seed, 0.01, 0.08);
        add_drive(rig, &def);
    }
}

static Rig make(uint64_t *seed) {
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC, AFX_JOINT_CYLINDRICAL,
                                         AFX_JOINT_REVOLUTE, AFX_JOINT_SPHERICAL, AFX_JOINT_UNIVERSAL};
    Rig rig = rig_make(v3(0.5, -1, -9.81));
    AfxBodyId body[BODIES];
    for (uint32_t k = 0; k < BODIES; k++) {
        AfxBodyDef def = odd_def(seed);
        AfxJointKind kind = k == 0 ? AFX_JOINT_REVOLUTE : kinds[(uint32_t)(5.99 * random_unit(seed))];
        uint32_t axis = kind == AFX_JOINT_CYLINDRICAL && random_unit(seed) > 0.5;
        def.pose.position = v3(0.3 * k, 0.2 * random_unit(seed), 0.05 * k);
        body[k] = rig_body(&rig, &def);
        AfxBodyId base = k == 0 ? afx_world() : body[(uint32_t)(k * 0.99 * random_unit(seed))];
        AfxPose frame = {v3(0.3 * k - 0.15, 0, 0), random_quat(seed)};
        AfxJointId joint =
            k % 2 ? rig_joint(&rig, kind, body[k], base, frame) : rig_joint(&rig, kind, base, body[k], frame);
        if (kind == AFX_JOINT_SPHERICAL) {
            continue;
        }
        add_drives(&rig, joint, axis, (uint32_t)(5.99 * random_unit(seed)), seed);
        for (uint32_t wheel = (uint32_t)(2.5 * random_unit(seed)); wheel > 0; wheel--) {
            add_flywheel(&rig, joint, axis, between(seed, -5, 5), random_unit(seed) > 0.7 ? 1e-3 : 0,
                         random_unit(seed) > 0.5, seed);
        }
    }
    return rig;
}

/* What happens to a run besides. */
static void change(AfxSim *sim, uint32_t couplings, bool held, int step) {
    double numbers[10];
    if (held && step == 5) {
        assert_ok(afx_sim_hold(sim, 1, v3(0.02, 0, 0.01), v3(0.4, 0.1, 0.2), 200, 4));
    }
    if (step == 8 && couplings) { /* another gear */
        assert_ok(afx_sim_param(sim, AFX_PARAM_COUPLING, 0, numbers));
        numbers[0] *= 1.5;
        numbers[1] *= 1.5;
        assert_ok(afx_sim_set_param(sim, AFX_PARAM_COUPLING, 0, numbers));
    }
    if (step == 14) {
        assert_ok(afx_sim_set_joint_active(sim, 2, false));
    }
    if (step == 18) {
        assert_ok(afx_sim_set_joint_active(sim, 0, false));
    }
}

/* How well the equations of all steps are met, by the oracle, and the most solves of a step. */
typedef struct Quality {
    double equations, laws;
    uint32_t solves;
} Quality;

/* Coordinates, velocities and efforts after the steps, to be freed. */
static double *run(Rig *rig, AfxSolver solver, AfxIntegrator integrator, bool held, size_t *out_count, Quality *out) {
    uint32_t drives = afx_scene_drive_count(rig->scene);
    AfxSimDef def = sim_def(integrator, 0.01);
    def.accuracy = AFX_CONVERGED;
    rig->model = graph_model(rig, solver);
    assert_non_null(rig->model);
    rig_start(rig, &def);
    size_t coordinates = (size_t)12 * afx_model_body_count(rig->model), size = afx_sim_snapshot_size(rig->sim);
    double *numbers = malloc((2 * coordinates + drives) * sizeof *numbers);
    void *kept = malloc(size);
    assert_true(numbers && kept);
    assert_ok(afx_sim_set_verify(rig->sim, true));
    for (int k = 0; k < STEPS; k++) {
        AfxResidual residual;
        AfxStepReport report;
        change(rig->sim, afx_scene_coupling_count(rig->scene), held, k);
        assert_ok(afx_step(rig->sim, &report));
        assert_ok(afx_sim_residual(rig->sim, &residual));
        out->equations = fmax(out->equations, fmax(residual.force, residual.constraint));
        out->laws = fmax(out->laws, residual.law);
        out->solves = report.solves > out->solves ? report.solves : out->solves;
        if (k == 19) {
            assert_ok(afx_sim_snapshot(rig->sim, kept, size));
        }
    }
    memcpy(numbers, afx_sim_coordinates(rig->sim), coordinates * sizeof *numbers);
    assert_ok(afx_sim_restore(rig->sim, kept, size));
    for (int k = 20; k < STEPS; k++) {
        assert_ok(afx_step(rig->sim, NULL));
    }
    assert_memory_equal(numbers, afx_sim_coordinates(rig->sim), coordinates * sizeof *numbers);
    memcpy(numbers + coordinates, afx_sim_velocities(rig->sim), coordinates * sizeof *numbers);
    for (uint32_t k = 0; k < drives; k++) {
        numbers[2 * coordinates + k] = effort_of(rig, k);
    }
    *out_count = 2 * coordinates + drives;
    free(kept);
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    rig->sim = NULL;
    rig->model = NULL;
    return numbers;
}

/* Where friction and limits go on changing a step ends with what it has, and runs part; the dense reference takes many
 * solves where a point is held. */
static bool is_settled(const Quality *quality) {
    return quality->solves <= 10 && quality->laws < 1e-9 && quality->equations < 1e-10;
}

static void flywheels_are_the_same_by_tree_and_graph(void **state) {
    (void)state;
    static const AfxSolver solvers[] = {AFX_SOLVER_DENSE, AFX_SOLVER_AUTO, AFX_SOLVER_TREE, AFX_SOLVER_GRAPH};
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
    uint32_t compared[4] = {0}, settled[4] = {0};
    for (uint64_t number = 1; number <= 40; number++) {
        uint64_t seed = number;
        Rig rig = make(&seed);
        double *want = NULL;
        Quality dense = {0};
        for (size_t s = 0; s < COUNT(solvers); s++) {
            size_t count;
            Quality own = {0};
            double *got = run(&rig, solvers[s], integrators[number % 4], number % 5 == 0, &count, &own), largest = 0;
            for (size_t k = 0; want && k < count; k++) {
                double off = fabs(got[k] - want[k]) / fmax(1, fabs(want[k]));
                largest = off <= largest ? largest : off; /* also takes a NaN */
            }
            dense = want ? dense : own;
            bool close = is_settled(&own) && is_settled(&dense);
            compared[s] += close;
            settled[s] += is_settled(&own);
            if (!(own.equations <= 1.001 * dense.equations + 1e-10 && (!close || largest < 1e-10))) {
                fail_msg("seed %d, solver %d: oracle %g (%g), off %g", (int)number, solvers[s], own.equations,
                         dense.equations, largest);
            }
            free(want ? got : NULL);
            want = want ? want : got;
        }
        free(want);
        rig_free(&rig);
    }
    assert_true(compared[1] >= 24 && settled[1] >= settled[0]);
}

/* A torque turns a wheel and what it drives: angle'' = torque / (I + factor² m). */
static void a_torque_meets_the_inertia_of_both(void **state) {
    (void)state;
    for (int springs = 0; springs < 2; springs++) {
        uint64_t seed = 5;
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef wheel = rigid_def(2, 0.3, 0.3, 0.4), block = rigid_def(0.7, 0.1, 0.1, 0.1);
        AfxCouplingDef coupling = afx_default_coupling();
        AfxCouplingId id;
        AfxJointId hinge = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &wheel),
                                     afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
        block.pose.position = v3(3, 0, 0);
        coupling.term_count = 2;
        coupling.joint[0] = hinge;
        coupling.factor[0] = 1.7;
        coupling.joint[1] = rig_joint(&rig, AFX_JOINT_PRISMATIC, afx_world(), rig_body(&rig, &block),
                                      (AfxPose){block.pose.position, random_quat(&seed)});
        coupling.factor[1] = -1;
        assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
        add_target(&rig, AFX_DRIVE_FORCE, hinge, 0, signal_constant(0.6));
        AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
        spring.joint = hinge;
        spring.stiffness = springs ? 1e-9 : 0;
        spring.damping = springs ? 1e-9 : 0;
        if (springs) {
            add_drive(&rig, &spring);
        }
        AfxSimDef def = sim_def(AFX_BDF2, 0.001);
        def.accuracy = AFX_CONVERGED;
        rig_start(&rig, &def);
        rig_run(&rig, 500, NULL);
        assert_near(rate_of(&rig, hinge), 0.5 * 0.6 / (0.4 + 1.7 * 1.7 * 0.7), 1e-7);
        AfxComponent component;
        assert_ok(afx_model_component(rig.model, 0, &component));
        assert_true(component.solver == AFX_SOLVER_TREE && component.loop_rows == 0);
        rig_free(&rig);
    }
}

int run_flywheel_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flywheels_are_the_same_by_tree_and_graph),
        cmocka_unit_test(a_torque_meets_the_inertia_of_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

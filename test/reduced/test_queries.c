/* SPDX-License-Identifier: Apache-2.0 */
/* The public queries in joint coordinates, against what energy, momentum and velocities of the bodies say: a velocity
 * along one degree of freedom at a time is set, and what it does is read from the bodies. */
#include "affix/dynamics.h"
#include "tests.h"

enum { TREES = 40 };

typedef struct Probe {
    Rig *rig;
    uint32_t n;
    double *u, *mass, *force, *other, *linear, *angular;
} Probe;

static Probe probe_make(Rig *rig) {
    uint32_t n = afx_sim_dof_count(rig->sim);
    Probe probe = {.rig = rig, .n = n};
    probe.u = calloc(n + 1, sizeof(double));
    probe.mass = calloc((size_t)n * n + 1, sizeof(double));
    probe.force = calloc(n + 1, sizeof(double));
    probe.other = calloc(n + 1, sizeof(double));
    probe.linear = calloc(3 * (size_t)n + 1, sizeof(double));
    probe.angular = calloc(3 * (size_t)n + 1, sizeof(double));
    return probe;
}

static void probe_free(Probe *probe) {
    free(probe->u);
    free(probe->mass);
    free(probe->force);
    free(probe->other);
    free(probe->linear);
    free(probe->angular);
}

/* Kinetic energy at velocities 1 of i and of j. */
static double energy_of(Probe *probe, uint32_t i, uint32_t j) {
    AfxEnergy energy;
    memset(probe->u, 0, probe->n * sizeof(double));
    probe->u[i] += 1;
    probe->u[j] += 1;
    assert_ok(afx_sim_set_dof_velocities(probe->rig->sim, probe->u));
    assert_ok(afx_sim_energy(probe->rig->sim, &energy));
    return energy.kinetic;
}

static void check_mass(Probe *probe) {
    uint32_t n = probe->n;
    assert_ok(afx_sim_mass_matrix(probe->rig->sim, probe->mass));
    for (uint32_t i = 0; i < n; i++) {
        double own = energy_of(probe, i, i) / 4;
        assert_near(probe->mass[i * n + i], 2 * own, 1e-12 * (1 + own));
        for (uint32_t j = 0; j < i; j++) {
            double other = energy_of(probe, j, j) / 4, both = energy_of(probe, i, j);
            assert_near(probe->mass[i * n + j], both - own - other, 1e-12 * (1 + own + other));
            assert_true(probe->mass[i * n + j] == probe->mass[j * n + i]);
        }
    }
}

/* Power of gravity and velocities of points, of each degree of freedom by itself. */
static void check_columns(Probe *probe, AfxVec3 g, uint64_t *seed) {
    AfxSim *sim = probe->rig->sim;
    uint32_t n = probe->n;
    AfxVec3 point = random_vec3(seed, 0.5);
    assert_ok(afx_sim_gravity_forces(sim, probe->force));
    for (uint32_t i = 0; i < n; i++) {
        memset(probe->u, 0, n * sizeof(double));
        probe->u[i] = 1;
        assert_ok(afx_sim_set_dof_velocities(sim, probe->u));
        AfxMomentum momentum;
        assert_ok(afx_sim_momentum(sim, &momentum));
        assert_near(probe->force[i], -v3_dot(g, momentum.linear), 1e-12 * (1 + fabs(probe->force[i])));
        for (uint32_t body = 0; body < afx_model_body_count(probe->rig->model); body++) {
            AfxPose pose;
            AfxTwist twist;
            assert_ok(afx_sim_body_pose(sim, body, &pose));
            assert_ok(afx_sim_body_twist(sim, body, &twist));
            assert_ok(afx_sim_point_jacobian(sim, body, point, probe->linear, probe->angular));
            AfxVec3 arm = q_rotate(pose.rotation, point);
            AfxVec3 velocity = v3_add(twist.linear, v3_cross(twist.angular, arm));
            assert_vec3(v3(probe->linear[i], probe->linear[n + i], probe->linear[2 * n + i]), velocity, 1e-12);
            assert_vec3(v3(probe->angular[i], probe->angular[n + i], probe->angular[2 * n + i]), twist.angular, 1e-12);
        }
    }
}

static void check_round(Probe *probe, uint64_t *seed) {
    AfxSim *sim = probe->rig->sim;
    double scale = 1;
    for (uint32_t i = 0; i < probe->n; i++) {
        probe->u[i] = 2 * random_unit(seed) - 1;
        probe->force[i] = 20 * random_unit(seed) - 10;
    }
    assert_ok(afx_sim_set_dof_velocities(sim, probe->u));
    assert_ok(afx_sim_dof_velocities(sim, probe->other));
    for (uint32_t i = 0; i < probe->n; i++) {
        assert_near(probe->other[i], probe->u[i], 1e-13);
    }
    assert_ok(afx_sim_forward_dynamics(sim, probe->force, probe->other));
    for (uint32_t i = 0; i < probe->n; i++) {
        scale += fabs(probe->other[i]);
    }
    assert_ok(afx_sim_inverse_dynamics(sim, probe->other, probe->other)); /* in place */
    for (uint32_t i = 0; i < probe->n; i++) {
        assert_near(probe->other[i], probe->force[i], 1e-12 * scale);
    }
}

static void queries_are_what_bodies_do(void **state) {
    (void)state;
    for (uint64_t k = 1; k <= TREES; k++) {
        uint64_t seed = 1000 + k;
        Rig rig = random_tree(1 + (uint32_t)(random_unit(&seed) * 8), random_unit(&seed) < 0.5, &seed);
        AfxSimDef def = sim_def(AFX_BDF2, 0.01);
        rig_start(&rig, &def);
        Probe probe = probe_make(&rig);
        check_mass(&probe);
        check_columns(&probe, v3(0.5, -1, -9.81), &seed);
        check_round(&probe, &seed);
        probe_free(&probe);
        rig_free(&rig);
    }
}

/* A hinge with a geared wheel on the ground: one degree of freedom, whose inertia counts the wheel ratio² times. */
static void armature_is_a_number(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        AfxJointKind rail = kind ? AFX_JOINT_PRISMATIC : AFX_JOINT_REVOLUTE;
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxBodyDef arm = rigid_def(2, 0.1, 0.2, 0.3), wheel = rigid_def(3, 0.01, 0.02, 0.03);
        arm.pose.position = v3(0, 1, 0);
        wheel.pose.position = v3(5, 0, 0);
        wheel.gravity = false;
        AfxBodyId bodies[2] = {rig_body(&rig, &arm), rig_body(&rig, &wheel)};
        AfxCouplingDef coupling = afx_default_coupling();
        AfxCouplingId id;
        coupling.term_count = 2;
        coupling.joint[0] = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), bodies[0], afx_pose_identity());
        coupling.joint[1] = rig_joint(&rig, rail, afx_world(), bodies[1], (AfxPose){v3(5, 0, 0), {1, 0, 0, 0}});
        coupling.factor[0] = 7;
        coupling.factor[1] = -2;
        assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
        AfxSimDef def = sim_def(AFX_BDF2, 0.01);
        rig_start(&rig, &def);
        AfxDof dof;
        double mass, inertia = kind ? 3 : 0.01, ratio = 3.5;
        assert_int_equal(afx_sim_dof_count(rig.sim), 1);
        assert_ok(afx_sim_dof(rig.sim, 0, &dof));
        assert_int_equal(dof.joint, 0);
        assert_true(dof.rotation && !dof.angular && dof.parent == UINT32_MAX);
        assert_near(dof.armature, ratio * ratio * inertia, 1e-13);
        assert_ok(afx_sim_mass_matrix(rig.sim, &mass));
        assert_near(mass, 0.1 + 2 + ratio * ratio * inertia, 1e-12);
        double none[3] = {0, 0, 0};
        assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_GRAVITY, 0, none));
        Probe probe = probe_make(&rig);
        uint64_t seed = 7;
        check_mass(&probe); /* the wheel moves along */
        check_columns(&probe, v3(0, 0, 0), &seed);
        probe_free(&probe);
        rig_free(&rig);
    }
}

/* Far out on a long chain of hinges about axes of no particular direction, columns are still velocities of bodies. */
static void long_chains_keep_their_frames(void **state) {
    (void)state;
    enum { LINKS = 300 };
    uint64_t seed = 5;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (int k = 0; k < LINKS; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.2, 0.3);
        def.pose = (AfxPose){v3(0.1 * k, 0, 0), random_quat(&seed)};
        AfxBodyId body = rig_body(&rig, &def);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, (AfxPose){v3(0.1 * k, 0, 0), random_quat(&seed)});
        last = body;
    }
    AfxSimDef def = sim_def(AFX_BDF2, 0.01);
    rig_start(&rig, &def);
    double q[LINKS];
    for (int k = 0; k < LINKS; k++) {
        q[k] = 0.4 * (2 * random_unit(&seed) - 1);
    }
    assert_ok(afx_sim_set_qpos(rig.sim, q));
    Probe probe = probe_make(&rig);
    for (uint32_t i = 0; i < LINKS; i += 37) {
        AfxTwist twist;
        memset(probe.u, 0, LINKS * sizeof(double));
        probe.u[i] = 1;
        assert_ok(afx_sim_set_dof_velocities(rig.sim, probe.u));
        assert_ok(afx_sim_body_twist(rig.sim, LINKS - 1, &twist));
        assert_ok(afx_sim_point_jacobian(rig.sim, LINKS - 1, v3(0, 0, 0), probe.linear, probe.angular));
        for (int axis = 0; axis < 3; axis++) {
            const double w[3] = {twist.angular.x, twist.angular.y, twist.angular.z};
            assert_near(probe.angular[(uint32_t)axis * LINKS + i], w[axis], 1e-12);
        }
        assert_near(twist.angular.x * twist.angular.x + twist.angular.y * twist.angular.y +
                        twist.angular.z * twist.angular.z,
                    1, 1e-11);
    }
    probe_free(&probe);
    rig_free(&rig);
}

static void misuse_is_refused(void **state) {
    (void)state;
    uint64_t seed = 3;
    Rig rig = random_tree(3, true, &seed);
    AfxSimDef def = sim_def(AFX_BDF2, 0.01);
    AfxDof dof;
    double x[64] = {NAN};
    rig_start(&rig, &def);
    uint32_t n = afx_sim_dof_count(rig.sim);
    assert_true(n > 0 && n <= 18);
    assert_int_equal(afx_sim_dof(rig.sim, n, &dof), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_dof(NULL, 0, &dof), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_mass_matrix(rig.sim, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_bias_forces(NULL, x), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_dof_velocities(rig.sim, x), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_inverse_dynamics(rig.sim, x, x), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_forward_dynamics(rig.sim, x, x), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_point_jacobian(rig.sim, 99, v3(0, 0, 0), x, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_dof_count(NULL), 0);
    rig_free(&rig);
}

int run_queries_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_what_bodies_do),
        cmocka_unit_test(armature_is_a_number),
        cmocka_unit_test(long_chains_keep_their_frames),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests_name("queries", tests, NULL, NULL);
}

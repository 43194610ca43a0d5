/* SPDX-License-Identifier: Apache-2.0 */
/* Queries where joints close loops, against what bodies do: velocities that are set and put together, energies, and
 * differences of a run in small steps. The mechanisms: a planar four-bar, a spatial loop of a ball and a universal
 * joint, gears, and all of them on a body that floats. */
#include "affix/dynamics.h"
#include "tests.h"

enum { MOST = 24 };

typedef struct Loop {
    Rig rig;
    uint32_t n, m;
} Loop;

static AfxBodyId loop_body(Rig *rig, AfxVec3 at, uint64_t *seed) {
    AfxBodyDef def = odd_def(seed);
    def.pose.position = at;
    return rig_body(rig, &def);
}

static AfxPose frame_at(double x, double y, double z) {
    AfxQuat about_y = afx_quat_from_axis_angle(v3(0, 0, 1), PI / 2); /* the hinge's x lies along y */
    return (AfxPose){v3(x, y, z), about_y};
}

/* A crank, a coupler and a rocker; `spatial` has a ball and a universal joint at the coupler's ends; a gear turns with
 * the crank; `floating` has them on a body that nothing holds. */
static Loop loop_make(bool spatial, bool floating, uint64_t *seed) {
    Loop loop = {.rig = rig_make(v3(0.3, -0.2, -9.81))};
    Rig *rig = &loop.rig;
    AfxBodyId ground = floating ? loop_body(rig, v3(0.5, 0.3, -0.5), seed) : afx_world();
    AfxBodyId crank = loop_body(rig, v3(0, 0, 0.1), seed), coupler = loop_body(rig, v3(0.5, 0, 0.4), seed);
    AfxBodyId rocker = loop_body(rig, v3(1, 0, 0.3), seed), gear = loop_body(rig, v3(-0.4, 0.2, 0), seed);
    AfxJointId at_ground = rig_joint(rig, AFX_JOINT_REVOLUTE, ground, crank, frame_at(0, 0, 0));
    rig_joint(rig, spatial ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE, crank, coupler, frame_at(0.1, 0, 0.3));
    rig_joint(rig, spatial ? AFX_JOINT_UNIVERSAL : AFX_JOINT_REVOLUTE, coupler, rocker, frame_at(0.9, 0, 0.6));
    AfxJointId wheel = rig_joint(rig, AFX_JOINT_REVOLUTE, ground, gear, frame_at(-0.4, 0.2, 0));
    rig_joint(rig, AFX_JOINT_REVOLUTE, rocker, ground, frame_at(1, 0, 0));
    AfxCouplingDef coupling = afx_default_coupling();
    AfxCouplingId id;
    coupling.term_count = 2;
    coupling.joint[0] = at_ground;
    coupling.joint[1] = wheel;
    coupling.factor[0] = 2;
    coupling.factor[1] = 1;
    assert_ok(afx_scene_add_coupling(rig->scene, &coupling, &id));
    AfxSimDef def = sim_def(AFX_RK4, 1e-3);
    rig_start(rig, &def);
    loop.n = afx_sim_dof_count(rig->sim);
    loop.m = afx_sim_constraint_count(rig->sim);
    assert_true(loop.n <= MOST && loop.m > 0);
    return loop;
}

static void draw(double *out, uint32_t n, double size, uint64_t *seed) {
    for (uint32_t k = 0; k < n; k++) {
        out[k] = size * (2 * random_unit(seed) - 1);
    }
}

static double product(const double *a, const double *m, const double *b, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            sum += a[i] * m[i * n + j] * b[j];
        }
    }
    return sum;
}

/* Projected velocities are allowed, stay when projected again, and leave out what is square to them by energy. */
static void check_projection(Loop *loop, uint64_t *seed) {
    AfxSim *sim = loop->rig.sim;
    double u[MOST], p[MOST], again[MOST], g[MOST * MOST], left[MOST], mass[MOST * MOST], projected[MOST * MOST];
    AfxEnergy energy;
    draw(u, loop->n, 2, seed);
    assert_ok(afx_sim_project_velocities(sim, u, p));
    assert_ok(afx_sim_project_velocities(sim, p, again));
    assert_ok(afx_sim_constraint_jacobian(sim, g, NULL));
    assert_ok(afx_sim_mass_matrix(sim, mass));
    for (uint32_t r = 0; r < loop->m; r++) {
        double rate = 0;
        for (uint32_t k = 0; k < loop->n; k++) {
            rate += g[r * loop->n + k] * p[k];
        }
        assert_near(rate, 0, 1e-12);
    }
    for (uint32_t k = 0; k < loop->n; k++) {
        assert_near(again[k], p[k], 1e-11);
        left[k] = u[k] - p[k];
    }
    double own = product(p, mass, p, loop->n);
    assert_near(product(left, mass, p, loop->n), 0, 1e-10 * (1 + own));
    assert_ok(afx_sim_projected_mass_matrix(sim, projected));
    assert_near(product(u, projected, u, loop->n), own, 1e-10 * (1 + own));
    assert_ok(afx_sim_set_dof_velocities(sim, p)); /* and bodies that move so keep the loop closed */
    assert_ok(afx_sim_energy(sim, &energy));
    assert_near(2 * energy.kinetic, own, 1e-11 * (1 + own));
    double residual;
    assert_ok(afx_sim_assemble(sim, &residual));
    assert_ok(afx_sim_dof_velocities(sim, again));
    for (uint32_t k = 0; k < loop->n; k++) {
        assert_near(again[k], p[k], 1e-9);
    }
}

/* What the loop puts on the tree does no work on what it allows: p . (M a + bias) = 0. */
static void check_work(Loop *loop, const double *a, uint64_t *seed) {
    double u[MOST], p[MOST], force[MOST], power = 0, most = 1;
    draw(u, loop->n, 1, seed);
    assert_ok(afx_sim_project_velocities(loop->rig.sim, u, p));
    assert_ok(afx_sim_inverse_dynamics(loop->rig.sim, a, force));
    for (uint32_t k = 0; k < loop->n; k++) {
        power += p[k] * force[k];
        most = fmax(most, fabs(force[k]));
    }
    assert_near(power, 0, 1e-9 * most);
}

/* Accelerations against (u(h) - u(0)) / h of one step of order 4, extrapolated from two; then inverse dynamics. A
 * planar loop that floats leaves 1e-7 of its redundant rows in a step's velocities. */
static void check_accelerations(Loop *loop, double tolerance, uint64_t *seed) {
    AfxSim *sim = loop->rig.sim;
    const double h[2] = {2e-4, 1e-4};
    double none[MOST] = {0}, a[MOST], u[2][MOST], start[MOST], tau[MOST], back[MOST];
    bool actuated[MOST] = {false};
    size_t size = afx_sim_snapshot_size(sim);
    void *snapshot = malloc(size);
    AfxStepReport first;
    assert_ok(afx_sim_set_dt(sim, h[1]));
    assert_ok(afx_step(sim, &first)); /* from here on the state is on the rows, to rounding */
    assert_ok(afx_sim_constrained_forward_dynamics(sim, none, a));
    check_work(loop, a, seed);
    assert_ok(afx_sim_dof_velocities(sim, start));
    assert_ok(afx_sim_snapshot(sim, snapshot, size));
    for (int k = 0; k < 2; k++) {
        AfxStepReport report;
        assert_ok(afx_sim_restore(sim, snapshot, size));
        assert_ok(afx_sim_set_dt(sim, h[k]));
        assert_ok(afx_step(sim, &report));
        assert_ok(afx_sim_dof_velocities(sim, u[k]));
    }
    assert_ok(afx_sim_restore(sim, snapshot, size));
    double most = 1;
    for (uint32_t k = 0; k < loop->n; k++) {
        most = fmax(most, fabs(a[k]));
    }
    for (uint32_t k = 0; k < loop->n; k++) {
        double coarse = (u[0][k] - start[k]) / h[0], fine = (u[1][k] - start[k]) / h[1];
        assert_near(a[k], 2 * fine - coarse, tolerance * most);
    }
    draw(tau, loop->n, 5, seed); /* what some forces give, the actuated ones give as well */
    assert_ok(afx_sim_constrained_forward_dynamics(sim, tau, a));
    for (uint32_t k = 0; k < loop->n; k++) {
        AfxDof dof;
        assert_ok(afx_sim_dof(sim, k, &dof));
        actuated[k] = dof.joint == 0 || dof.joint == UINT32_MAX || dof.joint == 1;
    }
    assert_ok(afx_sim_constrained_inverse_dynamics(sim, a, actuated, back));
    for (uint32_t k = 0; k < loop->n; k++) {
        assert_true(actuated[k] || back[k] == 0);
    }
    assert_ok(afx_sim_constrained_forward_dynamics(sim, back, u[0]));
    for (uint32_t k = 0; k < loop->n; k++) {
        assert_near(u[0][k], a[k], 1e-6 * most);
    }
    memset(actuated, 0, sizeof actuated);
    assert_int_equal(afx_sim_constrained_inverse_dynamics(sim, a, actuated, back), AFX_E_NUMERIC);
    free(snapshot);
}

/* What a force on a task does: J P M^-1 J^T is its mobility; by the dynamics, one force at a time. */
static void check_task(Loop *loop) {
    AfxSim *sim = loop->rig.sim;
    double j[3 * MOST], inverse[9], inertia[9], none[MOST] = {0}, still[MOST], force[MOST], a[MOST];
    assert_ok(afx_sim_set_dof_velocities(sim, none));
    assert_ok(afx_sim_point_jacobian(sim, afx_model_body_count(loop->rig.model) - 3, v3(0.1, 0.2, 0.3), j, NULL));
    assert_ok(afx_sim_operational_inertia(sim, 1, j, inverse, inertia));
    assert_near(inverse[0] * inertia[0], 1, 1e-12);
    assert_ok(afx_sim_operational_inertia(sim, 3, j, inverse, NULL));
    assert_ok(afx_sim_constrained_forward_dynamics(sim, none, still));
    for (uint32_t r = 0; r < 3; r++) {
        memcpy(force, j + r * loop->n, loop->n * sizeof *force);
        assert_ok(afx_sim_constrained_forward_dynamics(sim, force, a));
        for (uint32_t s = 0; s < 3; s++) {
            double sum = 0;
            for (uint32_t k = 0; k < loop->n; k++) {
                sum += j[s * loop->n + k] * (a[k] - still[k]);
            }
            assert_near(inverse[3 * s + r], sum, 1e-9 * (1 + fabs(sum)));
        }
    }
}

static void loops_are_taken_into_account(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int kind = 0; kind < 4; kind++) {
        Loop loop = loop_make(kind & 1, kind & 2, &seed);
        int64_t freedom;
        uint32_t redundant;
        assert_ok(afx_sim_mobility(loop.rig.sim, &freedom, &redundant));
        assert_int_equal(freedom, (kind & 2 ? 6 : 0) + 1);
        check_projection(&loop, &seed);
        check_accelerations(&loop, kind == 2 ? 2e-3 : 1e-6, &seed);
        check_task(&loop);
        rig_free(&loop.rig);
    }
}

int run_loops_queries_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_taken_into_account),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}

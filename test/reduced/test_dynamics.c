/* SPDX-License-Identifier: Apache-2.0 */
/* The recursions on random trees of all joint kinds against a dense solution of Newton's and Euler's equations
 * (support/joint_reference.h), and against each other. */
#include "tests.h"

enum { TREES = 300, BODIES = 6 };

static double largest(const double *x, uint32_t n) {
    double most = 0;
    for (uint32_t k = 0; k < n; k++) {
        most = fabs(x[k]) <= most ? most : fabs(x[k]);
    }
    return most;
}

/* Raw coordinates and velocities come back from those of the tree. */
static double round_trip(const Rig *rig, const TreeRig *tree) {
    uint32_t n = 12 * afx_model_body_count(rig->model);
    const double *raw[2] = {afx_sim_coordinates(rig->sim), afx_sim_velocities(rig->sim)};
    double *q = malloc(n * sizeof *q), *v = malloc(n * sizeof *v), most = 0;
    memcpy(q, raw[0], n * sizeof *q);
    memset(v, 0, n * sizeof *v);
    for (uint32_t k = 0; k < n; k++) {
        q[k] += 1; /* all that moves is written */
    }
    afxi_tree_to_raw(&tree->work, tree->q, tree->u, q, v);
    for (uint32_t k = 0; k < n; k++) {
        double off = fmax(fabs(q[k] - raw[0][k]), fabs(v[k] - raw[1][k]));
        most = off <= most ? most : off;
    }
    free(q);
    free(v);
    return most;
}

/* How far accelerations of bodies, as the tree's nodes have them, are from those of the reference. */
static double acceleration_error(const Rig *rig, TreeRig *tree) {
    JointReference reference = joint_reference_make(rig->scene);
    AfxVec3 gravity = v3(tree->tree.gravity[0], tree->tree.gravity[1], tree->tree.gravity[2]);
    double most = 0;
    joint_reference_solve(&reference);
    for (uint32_t k = 0; k < tree->tree.carried_count; k++) {
        const AfxiCarried *carried = &tree->tree.carried[k];
        const ReferenceBody *want = &reference.bodies[carried->body];
        if (!want->free) {
            continue;
        }
        AfxVec3 dw = v3(0, 0, 0), dv = v3(0, 0, 0);
        if (carried->node != AFXI_TREE_NONE) {
            const AfxiNodeState *node = &tree->work.node[carried->node];
            AfxiSpatial a = afxi_tree_body_motion(&tree->work, k, &node->acceleration);
            AfxiSpatial v = afxi_tree_body_motion(&tree->work, k, &node->velocity);
            dw = a.w; /* spatial to that of the centre: + w x v; gravity is an acceleration of the ground */
            dv = v3_add(v3_add(a.v, v3_cross(v.w, v.v)), gravity);
        }
        double scale = 1 + v3_norm(want->acceleration) + v3_norm(want->spin_rate);
        double off = (v3_distance(dw, want->spin_rate) + v3_distance(dv, want->acceleration)) / scale;
        most = off <= most ? most : off;
    }
    return most;
}

/* x = M^-1 x with the packed factor; what one evaluation makes at once is what the parts make. */
static void solve_packed(TreeRig *rig, double *x) {
    uint32_t n = rig->tree.dof_count;
    AfxiTreeRows rows = {.row = calloc(n + 1, sizeof *rows.row),
                         .run = calloc(n + 1, sizeof *rows.run),
                         .above = calloc(afxi_tree_rows_size(&rig->tree) + 1, sizeof *rows.above)};
    double *mass = calloc(afxi_tree_rows_size(&rig->tree) + 1, sizeof *mass), *bias = calloc(n + 1, sizeof *bias);
    double *again = calloc(n + 1, sizeof *again);
    afxi_tree_rows_set(&rig->tree, &rows);
    AfxiTreeTask task = {.q = rig->q, .u = rig->u, .rows = &rows, .tau = bias, .mass = mass};
    afxi_tree_evaluate(&rig->work, &task);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t e = rows.row[k]; e < rows.row[k + 1]; e++) {
            assert_true(fabs(mass[e] - rig->mass[k * n + rows.above[e]]) <= 1e-13 * (1 + fabs(mass[e])));
        }
    }
    afxi_tree_inverse(&rig->work, NULL, NULL, again);
    assert_memory_equal(bias, again, n * sizeof *bias);
    assert_true(rig->work.kernels->factor(&rows, mass));
    rig->work.kernels->solve(&rows, mass, x);
    free(rows.row);
    free(rows.above);
    free(rows.run);
    free(mass);
    free(bias);
    free(again);
}

/* M du + bias = 0, with M by CRBA and its factor, and bias by RNEA; RNEA at du gives nothing. */
static void check_algorithms(TreeRig *rig, const double *du, double *out_crba, double *out_rnea, double *out_solve) {
    uint32_t n = rig->tree.dof_count;
    double *bias = calloc(n + 1, sizeof *bias), *other = calloc(n + 1, sizeof *other), scale;
    afxi_tree_inverse(&rig->work, NULL, NULL, bias);
    afxi_tree_mass(&rig->work, rig->mass);
    scale = 1 + largest(bias, n);
    *out_crba = 0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = bias[i];
        for (uint32_t j = 0; j < n; j++) {
            sum += rig->mass[i >= j ? i * n + j : j * n + i] * du[j];
        }
        *out_crba = fmax(*out_crba, fabs(sum) / scale);
        rig->x[i] = -bias[i];
    }
    afxi_tree_inverse(&rig->work, du, NULL, other);
    *out_rnea = largest(other, n) / scale;
    solve_packed(rig, rig->x);
    *out_solve = 0;
    for (uint32_t i = 0; i < n; i++) {
        *out_solve = fmax(*out_solve, fabs(rig->x[i] - du[i]) / (1 + largest(du, n)));
    }
    free(bias);
    free(other);
}

static double kinetic_error(const Rig *rig, TreeRig *tree) {
    uint32_t n = tree->tree.dof_count;
    double twice = 0;
    AfxEnergy energy;
    afxi_tree_mass(&tree->work, tree->mass);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            twice += tree->mass[i >= j ? i * n + j : j * n + i] * tree->u[i] * tree->u[j];
        }
    }
    assert_ok(afx_sim_energy(rig->sim, &energy));
    return fabs(0.5 * twice - energy.kinetic) / (1 + energy.kinetic);
}

static void check_tree(uint64_t seed, double worst[6]) {
    uint64_t given = seed;
    uint32_t count = 1 + (uint32_t)(random_unit(&seed) * BODIES);
    Rig rig = random_tree(count, random_unit(&seed) < 0.5, &seed);
    AfxSimDef def = sim_def(AFX_BDF2, 0.01);
    rig_start(&rig, &def);
    TreeRig tree;
    tree_rig_make(&rig, &tree);
    uint32_t n = tree.tree.dof_count;
    double *zero = calloc(n + 1, sizeof *zero), *du = calloc(n + 1, sizeof *du), error[6];
    error[0] = round_trip(&rig, &tree);
    afxi_tree_forward(&tree.work, zero, NULL, du);
    error[1] = acceleration_error(&rig, &tree);
    check_algorithms(&tree, du, &error[2], &error[3], &error[4]);
    error[5] = kinetic_error(&rig, &tree);
    for (int k = 0; k < 6; k++) {
        if (!(error[k] <= 1e-12)) {
            print_error("seed %llu: error %d is %.3g\n", (unsigned long long)given, k, error[k]);
        }
        worst[k] = error[k] <= worst[k] ? worst[k] : error[k];
    }
    free(zero);
    free(du);
    tree_rig_free(&tree);
    rig_free(&rig);
}

static void recursions_are_those_of_newton_and_euler(void **state) {
    double worst[6] = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        check_tree(seed, worst);
    }
    print_message("round trip %.2g, accelerations %.2g, CRBA %.2g, RNEA %.2g, factor %.2g, energy %.2g\n", worst[0],
                  worst[1], worst[2], worst[3], worst[4], worst[5]);
    for (int k = 0; k < 6; k++) {
        assert_below(worst[k], 1e-12);
    }
}

/* ---- lanes ---- */

/* Bias, and accelerations for no forces, of as many robots as there are lanes; arrays are [..][lanes]. */
static void fall(AfxiTreeWork *work, const AfxiTreeRows *rows, const double *q, const double *u, double *out_bias,
                 double *out_du) {
    size_t n = work->tree->dof_count, lanes = work->kernels->lanes;
    void *mass = aligned_alloc(64, (rows->size * lanes * sizeof(double) + 127) / 64 * 64);
    AfxiTreeTask task = {.q = q, .u = u, .rows = rows, .tau = out_bias, .mass = mass};
    afxi_tree_evaluate(work, &task);
    assert_int_equal(work->kernels->factor(rows, mass), (1u << lanes) - 1);
    for (size_t k = 0; k < n * lanes; k++) {
        out_du[k] = -out_bias[k];
    }
    work->kernels->solve(rows, mass, out_du);
    free(mass);
}

static double *lane_array(size_t n, size_t lanes) {
    return aligned_alloc(64, (n * lanes * sizeof(double) + 127) / 64 * 64);
}

/* Robots of one model, each with coordinates and velocities of its own, and one with another gravity and mass. */
static void check_lanes(uint64_t seed) {
    Rig rig = random_tree(1 + (uint32_t)(random_unit(&seed) * BODIES), random_unit(&seed) < 0.5, &seed);
    AfxSimDef def = sim_def(AFX_BDF2, 0.01);
    rig_start(&rig, &def);
    TreeRig tree;
    tree_rig_make(&rig, &tree);
    const AfxiTreeKernels *kernels = afxi_tree_kernels(0);
    size_t n = tree.tree.dof_count, c = tree.tree.coordinate_count, lanes = kernels->lanes;
    AfxiTreeWork wide;
    AfxiTreeRows rows = {.row = calloc(n + 1, sizeof *rows.row),
                         .run = calloc(n + 1, sizeof *rows.run),
                         .above = calloc(afxi_tree_rows_size(&tree.tree) + 1, sizeof *rows.above)};
    double *q = lane_array(c, lanes), *u = lane_array(n, lanes), *bias = lane_array(n, lanes),
           *du = lane_array(n, lanes);
    double *one_bias = lane_array(n, 1), *one_du = lane_array(n, 1), gravity = tree.tree.gravity[2];
    afxi_tree_rows_set(&tree.tree, &rows);
    assert_ok(afxi_tree_work_create_wide(&tree.tree, kernels, &wide));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t l = 0; l < lanes; l++) {
            afxi_tree_move(&tree.tree, tree.q, tree.u, 0.1 * (double)l, tree.x); /* room for coordinates, too */
            tree.tree.gravity[2] = gravity * (l == 1 ? 2 : 1);
            if (pass == 0) {
                afxi_tree_work_numbers(&wide, (uint32_t)l, &tree.tree);
                for (size_t k = 0; k < c; k++) {
                    q[k * lanes + l] = tree.x[k];
                }
                for (size_t k = 0; k < n; k++) {
                    u[k * lanes + l] = (1 + 0.3 * (double)l) * tree.u[k];
                }
                continue;
            }
            for (size_t k = 0; k < n; k++) {
                tree.mass[k] = u[k * lanes + l];
            }
            fall(&tree.work, &rows, tree.x, tree.mass, one_bias, one_du);
            for (size_t k = 0; k < n; k++) {
                assert_true(one_bias[k] == bias[k * lanes + l] && one_du[k] == du[k * lanes + l]);
            }
        }
        if (pass == 0) {
            fall(&wide, &rows, q, u, bias, du);
        }
    }
    double *all[] = {q, u, bias, du, one_bias, one_du};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        free(all[k]);
    }
    free(rows.row);
    free(rows.above);
    free(rows.run);
    afxi_tree_work_destroy(&wide);
    tree_rig_free(&tree);
    rig_free(&rig);
}

static void lanes_have_the_bits_of_one(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        check_lanes(seed);
    }
}

int run_dynamics_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_the_bits_of_one),
        cmocka_unit_test(recursions_are_those_of_newton_and_euler),
    };
    return cmocka_run_group_tests_name("dynamics", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier contact as it was published: derivatives of its energy by differences, the same fall and rest as ours for
 * more iterations, and what it refuses. */
#include "tests.h"

#include "barrier/body.h"
#include "barrier/orthogonality.h"

/* A moved by turn and strains, as the published update does. */
static void moved(const double q[9], const double x[9], double out[9]) {
    AfxiMat3 a = mat3_load(q), sum = mat3_identity();
    for (int k = 0; k < 9; k++) {
        AfxiMat3 own = afxi_barrier_direction(k);
        for (int e = 0; e < 9; e++) {
            sum.m[e] += x[k] * own.m[e];
        }
    }
    sum = mat3_multiply(&a, &sum);
    memcpy(out, sum.m, sizeof sum.m);
}

static void derivatives_of_the_energy_are_those_of_differences(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 20; n++) {
        AfxiMat3 start = afxi_mat3_rotation(random_vec3(&seed, 2));
        double q[9], g[6] = {0}, h[144] = {0}, next[9], step = 1e-5;
        for (int e = 0; e < 9; e++) { /* stretched: nothing of its Hessian is left out */
            q[e] = 1.3 * start.m[e] + 0.02 * random_vec3(&seed, 1).x;
        }
        double energy = afxi_orthogonality(3, q, g, h);
        assert_true(energy > 0);
        for (int k = 0; k < 9; k++) {
            double x[9] = {0}, value[2];
            for (int side = 0; side < 2; side++) {
                x[k] = side ? -step : step;
                moved(q, x, next);
                value[side] = afxi_orthogonality(3, next, NULL, NULL);
            }
            double slope = (value[0] - value[1]) / (2 * step);
            double bend = (value[0] + value[1] - 2 * energy) / (step * step);
            assert_near(slope, k < 3 ? 0 : g[k - 3], 1e-6 * (1 + energy));
            int at = k < 3 ? k : k + 3;
            assert_near(h[13 * at], bend, 1e-3 * (1 + fabs(bend)));
        }
    }
}

/* A box that is thrown, turning, onto the ground. */
static double throw_down(AfxFormulation formulation, AfxVec3 *out_place) {
    World world = world_make(GRAVITY, 0);
    AfxShapeDef box = afx_default_box(0.3, 0.2, 0.1);
    AfxBodyDef body = afx_default_body();
    AfxSimDef def = afx_default_sim();
    double mean;
    world_plane(&world);
    body.pose.position = v3(0, 0, 0.5);
    body.angular_velocity = v3(2, 5, 1);
    body.young = 1e7;
    AfxBodyId id = world_add(&world, &body, &box);
    def.contact_model = formulation == AFX_AFFIX ? AFX_CONTACT_BARRIER : AFX_CONTACT_COMPLIANT;
    def.formulation = formulation;
    def.integrator = AFX_BDF1;
    sim_start(world.scene, &world.model, &world.sim, &def);
    world_run(&world, 15, NULL);
    *out_place = pose_of(&world, id).position;
    world_run(&world, 30, &mean);
    world_free(&world);
    return mean;
}

static void it_falls_as_ours_does(void **state) {
    (void)state;
    AfxVec3 ours, theirs;
    double mean = throw_down(AFX_AFFIX, &ours), published = throw_down(AFX_ABD_IPC, &theirs);
    assert_near(ours.x, theirs.x, 1e-9);
    assert_near(ours.z, theirs.z, 1e-9); /* before it touches */
    assert_true(published > mean);
}

static void it_refuses_by_name(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        World world = world_make(GRAVITY, 0);
        AfxShapeDef ball = afx_default_sphere(0.1);
        AfxSimDef def = afx_default_sim();
        AfxError error = {0};
        world_put(&world, &ball, (AfxPose){v3(0, 0, 1), {1, 0, 0, 0}}, k == 0);
        def.formulation = AFX_ABD_IPC;
        def.integrator = k ? AFX_BDF2 : AFX_BDF1;
        def.error = &error;
        assert_ok(afx_model_create(world.scene, &world.model, &error));
        assert_int_equal(afx_sim_create(world.model, &def, &world.sim), AFX_E_INPUT);
        assert_non_null(strstr(error.text, k ? "implicit Euler" : "elastic bodies"));
        world_free(&world);
    }
}

int run_published_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_the_energy_are_those_of_differences),
        cmocka_unit_test(it_falls_as_ours_does),
        cmocka_unit_test(it_refuses_by_name),
    };
    return cmocka_run_group_tests_name("barrier: as published", tests, NULL, NULL);
}

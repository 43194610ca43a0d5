/* SPDX-License-Identifier: Apache-2.0 */
/* Elasticity: the rigid body is the limit of E to infinity, without loss to rounding; vibrations about the rest shape
 * have the frequencies of linear elasticity in an affine body, and die out. */
#include "tests.h"

static World spinning_world(double young, AfxVec3 spin) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_box(0.1, 0.2, 0.3);
    def.young = young;
    def.angular_velocity = spin;
    world_add_shape(&world, &def, &shape);
    return world;
}

/* Where the body is after half a second. */
static void end_state(double young, const Method *method, double dt, double out[24]) {
    World world = spinning_world(young, v3(1, 10, 1));
    AfxSimDef def = accurate_def(method, dt); /* a comparison to many digits */
    world_start(&world, &def);
    world_run(&world, (uint32_t)lround(0.5 / dt));
    memcpy(out, afx_sim_coordinates(world.sim), 12 * sizeof *out);
    memcpy(out + 12, afx_sim_velocities(world.sim), 12 * sizeof *out);
    world_free(&world);
}

/* Largest difference of the entries of A (a number near 1) and of its rate (near 10). */
static double difference(const double *a, const double *b) {
    double worst = 0;
    for (int k = 0; k < 9; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
        worst = fmax(worst, fabs(a[12 + k] - b[12 + k]) / 10);
    }
    return worst;
}

enum { SWEEP = 14 };

/* E = 1e7, 1e8, ... 1e20 against the rigid body: the strain is about density * spin^2 * length^2 / E. */
static void check_sweep(const Method *method, double dt, double floor) {
    double rigid[24], soft[24], gap[SWEEP];
    end_state(INFINITY, method, dt, rigid);
    print_message("  %-6s h = %-6g E = 1e7...1e20:", method->name, dt);
    for (int k = 0; k < SWEEP; k++) {
        end_state(pow(10, 7 + k), method, dt, soft);
        gap[k] = difference(soft, rigid);
        print_message(" %.1e", gap[k]);
    }
    print_message("\n");
    /* SDIRK2 loses its order to stiffness (stage order 1); it is there for comparison */
    assert_below(gap[0], method->integrator == AFX_SDIRK2 ? 0.5 : 2e-3);
    assert_true(gap[0] > 1e-6); /* the body is not rigid */
    for (int k = 1; k < SWEEP; k++) {
        if (gap[k - 1] > 0.01) { /* SDIRK2 at small E: not in the limit yet */
            assert_below(gap[k], gap[k - 1]);
            continue;
        }
        assert_below(gap[k], fmax(floor, gap[k - 1] / (k == 1 ? 3 : 6)));
        assert_true(gap[k] > gap[k - 1] / 20 || gap[k - 1] < 20 * floor);
    }
}

static void rigid_is_the_limit_of_stiff(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        check_sweep(&methods[m], 0.01, 1e-11);
        check_sweep(&methods[m], 0.001, 1e-11);
    }
}

/* ---- vibrations ---- */

static const double density = 1000, young = 1e6;

/* A cube of 1 m whose A is started at I + amplitude * shape (column by column), at rest. */
static World stretched_world(double poisson, const double shape[9], double amplitude, const AfxSimDef *def) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef body = afx_default_body();
    AfxShapeDef box = afx_default_box(1, 1, 1);
    body.young = young;
    body.poisson = poisson;
    world_add_shape(&world, &body, &box);
    world_start(&world, def);
    double q[12];
    memcpy(q, afx_sim_coordinates(world.sim), sizeof q);
    for (int k = 0; k < 9; k++) {
        q[k] += amplitude * shape[k];
    }
    assert_ok(afx_sim_set_state(world.sim, q, NULL));
    return world;
}

/* Angular frequency from the zero crossings of the largest entry of `shape`. */
static double frequency(double poisson, const double shape[9], double guess) {
    AfxSimDef def = accurate_def(&methods[2], 0.02 / guess);
    World world = stretched_world(poisson, shape, 1e-5, &def);
    int entry = 0, found = 0;
    for (int k = 0; k < 9; k++) {
        entry = fabs(shape[k]) > fabs(shape[entry]) ? k : entry;
    }
    double rest = entry % 4 == 0, before = 1e-5, first = 0, last = 0;
    while (found < 11 && afx_sim_time(world.sim) * guess < 50) {
        world_run(&world, 1);
        double now = afx_sim_coordinates(world.sim)[entry] - rest;
        if ((now > 0) != (before > 0)) {
            last = afx_sim_time(world.sim) - def.dt * now / (now - before);
            first = found++ == 0 ? last : first;
        }
        before = now;
    }
    assert_int_equal(found, 11);
    world_free(&world);
    return 10 * acos(-1) / (last - first);
}

/* With second moment s = density / 12 for all axes and W = mu |e|^2 + lambda / 2 tr(e)^2 per volume. */
static void vibrates_at_the_frequencies_of_elasticity(void **state) {
    (void)state;
    static const double stretch[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0}, swell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double shear[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0}, squeeze[9] = {1, 0, 0, 0, -1, 0, 0, 0, 0};
    double s = density / 12, nu = 0.3, mu = young / (2 * (1 + nu));
    struct {
        const double *shape;
        double poisson, want;
    } modes[] = {{stretch, 0, sqrt(young / s)},
                 {swell, nu, sqrt(young / (1 - 2 * nu) / s)},
                 {shear, nu, sqrt(2 * mu / s)},
                 {squeeze, nu, sqrt(2 * mu / s)}};
    for (size_t k = 0; k < COUNT(modes); k++) {
        double got = frequency(modes[k].poisson, modes[k].shape, modes[k].want);
        print_message("  mode %d: %.6f rad/s, expected %.6f\n", (int)k, got, modes[k].want);
        assert_near(got / modes[k].want, 1, 1e-3);
    }
}

static void elastic_energy_is_that_of_linear_elasticity(void **state) {
    (void)state;
    static const double shape[9] = {1, 0.5, 0, 0.5, -2, 0, 0, 0, 0.7}; /* symmetric: R stays I */
    double nu = 0.3, mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu)), a = 1e-3;
    AfxSimDef def = sim_def(&methods[0], 1e-3);
    World world = stretched_world(nu, shape, a, &def);
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world.sim, &energy));
    double want = a * a * (mu * (1 + 0.5 + 4 + 0.49) + lambda / 2 * 0.09);
    assert_near(energy.elastic, want, 1e-9 * want);
    assert_near(energy.total, energy.elastic + energy.kinetic + energy.potential, 1e-12 * want);
    assert_near(energy.kinetic, 0, 0);
    world_free(&world);
}

/* Released from 20 % stretch: swings through the rest shape, never gains energy, and comes to rest as a rotation. */
static void check_release(const Method *method, double dt) {
    static const double shape[9] = {1, 0, 0, 0, -0.6, 0.2, 0, 0.1, 0.3};
    AfxSimDef def = sim_def(method, dt);
    World world = stretched_world(0.3, shape, 0.2, &def);
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world.sim, &energy));
    double first = energy.total, largest = 0, before = 0.2;
    int crossings = 0;
    for (int n = 0; n < (int)lround(10 / dt); n++) {
        world_run(&world, 1);
        assert_ok(afx_sim_energy(world.sim, &energy));
        largest = fmax(largest, energy.total / first);
        double now = afx_sim_coordinates(world.sim)[0] - 1;
        crossings += (now > 0) != (before > 0) && fabs(before) > 1e-3;
        before = now;
    }
    print_message("  %-6s release: energy at most %.6f of the first, %.2e at the end, %d crossings\n", method->name,
                  largest, energy.total / first, crossings);
    assert_true(largest <= 1 + 1e-9);
    assert_below(energy.elastic, 1e-6 * first);
    assert_true(crossings >= 2);
    assert_true(state_finite(&world));
    world_free(&world);
}

static void a_stretched_body_swings_and_comes_to_rest(void **state) {
    (void)state;
    check_release(&methods[0], 4e-3);
    check_release(&methods[1], 2e-3);
}

/* No force from outside: energy stays, angular momentum stays zero, up to the order of the method. */
static void a_vibrating_body_keeps_energy_and_momentum(void **state) {
    (void)state;
    static const double a[12] = {1.1, 0.05, 0.02, 0.05, 0.95, -0.03, 0.02, -0.03, 1.08}, rest[12] = {0};
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 1, 2, 2.5); /* three different second moments */
    double loss[2], turn[2];
    def.young = 1e6;
    world_add(&world, &def);
    for (int k = 0; k < 2; k++) {
        AfxSimDef sim = accurate_def(&methods[2], 1e-3 / (1 << k));
        AfxEnergy first, energy;
        AfxMomentum momentum;
        world_start(&world, &sim);
        assert_ok(afx_sim_set_state(world.sim, a, rest));
        assert_ok(afx_sim_energy(world.sim, &first));
        loss[k] = turn[k] = 0;
        for (uint32_t n = 0; n < 300u << k; n++) {
            world_run(&world, 1);
            assert_ok(afx_sim_energy(world.sim, &energy));
            assert_ok(afx_sim_momentum(world.sim, &momentum));
            loss[k] = fmax(loss[k], fabs(energy.total / first.total - 1));
            turn[k] = fmax(turn[k], v3_norm(momentum.angular));
        }
        print_message("  vibration h = %g: energy %.2e, angular momentum %.2e\n", sim.dt, loss[k], turn[k]);
    }
    assert_below(loss[0], 0.02);
    assert_below(turn[0], 1e-3); /* of about sqrt(2 I E) = 8 */
    assert_below(loss[1], loss[0] / 1.8);
    assert_below(turn[1], turn[0] / 3);
    world_free(&world);
}

/* A spinning soft body is stretched by its spin: along the axis of x by s_x spin^2 (V E)^-1 for nu = 0. */
static void spin_stretches_by_the_strain_of_the_centrifugal_force(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_box(1, 0.5, 0.5);
    double spin = 3;
    def.young = 1e6;
    def.poisson = 0;
    def.angular_velocity = v3(0, 0, spin);
    world_add_shape(&world, &def, &shape);
    AfxSimDef sim = accurate_def(&methods[0], 5e-3); /* coarse: the vibration of the start dies out */
    world_start(&world, &sim);
    world_run(&world, 1000);
    const double *q = afx_sim_coordinates(world.sim);
    AfxPose frame;
    assert_ok(afx_model_body_frame(world.model, 0, &frame));
    double longest = 0, now = twist_of(&world, 0).angular.z;
    for (int k = 0; k < 3; k++) { /* the order of the principal axes is the library's own */
        AfxVec3 axis = q_rotate(frame.rotation, v3(k == 0, k == 1, k == 2));
        longest = fabs(axis.x) > 0.5 ? v3_norm(v3(q[3 * k], q[3 * k + 1], q[3 * k + 2])) : longest;
    }
    double want = density / 12 * now * now / 1e6;
    print_message("  spin strain %.6e, expected %.6e\n", longest - 1, want);
    assert_near(longest - 1, want, 0.02 * want);
    world_free(&world);
}

int run_elastic_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_is_the_limit_of_stiff),
        cmocka_unit_test(vibrates_at_the_frequencies_of_elasticity),
        cmocka_unit_test(elastic_energy_is_that_of_linear_elasticity),
        cmocka_unit_test(a_stretched_body_swings_and_comes_to_rest),
        cmocka_unit_test(a_vibrating_body_keeps_energy_and_momentum),
        cmocka_unit_test(spin_stretches_by_the_strain_of_the_centrifugal_force),
    };
    return cmocka_run_group_tests_name("elastic", tests, NULL, NULL);
}

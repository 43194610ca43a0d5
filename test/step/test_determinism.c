/* SPDX-License-Identifier: Apache-2.0 */
/* The same bits whatever the number of threads, the width of the lanes and the order in which tasks are run. */
#include "tests.h"

#include <pthread.h>

enum { BODIES = 3000, STEPS = SANITIZED ? 40 : 200 };

static AfxShapeDef random_shape(uint64_t *seed) {
    double a = 0.1 + random_unit(seed), b = 0.1 + random_unit(seed), c = 0.1 + random_unit(seed);
    switch ((int)(5 * random_unit(seed))) {
    case 0:
        return afx_default_box(a, b, c);
    case 1:
        return afx_default_sphere(a);
    case 2:
        return afx_default_capsule(a, b);
    case 3:
        return afx_default_cylinder(a, b);
    default:
        return afx_default_ellipsoid(a, b, c);
    }
}

static AfxBodyDef random_body(uint64_t *seed, int k) {
    static const double moduli[] = {INFINITY, 1e9, 1e6};
    AfxBodyDef def = afx_default_body();
    def.young = moduli[k % 3];
    def.kind = k % 17 == 3 ? AFX_BODY_FIXED : k % 19 == 5 ? AFX_BODY_KINEMATIC : AFX_BODY_DYNAMIC;
    def.pose = (AfxPose){random_vec3(seed, 10), q_about(random_vec3(seed, 1), 3 * random_unit(seed))};
    if (def.kind == AFX_BODY_DYNAMIC) {
        def.linear_velocity = random_vec3(seed, 3);
        def.angular_velocity = random_vec3(seed, k % 11 == 0 ? 60 : 6); /* some need several solves */
    } else {
        def.motion.translation[1] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 1, 0.5, 0}};
    }
    def.linear_damping = k % 4 == 0 ? random_unit(seed) : 0;
    def.angular_damping = k % 6 == 0 ? random_unit(seed) : 0;
    def.gravity = k % 9 != 0;
    return def;
}

/* A tenth are plates, rods and points given by their inertia; the rest have shapes, of which many are equal. */
static World crowd(int bodies) {
    static const double thin[][3] = {{1, 2, 3}, {0, 1, 1}, {0, 0, 0}};
    World world = world_make(v3(0, 0, -9.81));
    uint64_t seed = 2024;
    AfxShapeDef common = afx_default_box(0.3, 0.2, 0.1);
    for (int k = 0; k < bodies; k++) {
        AfxBodyDef def = random_body(&seed, k);
        AfxShapeDef shape = k % 3 ? random_shape(&seed) : common;
        uint32_t body;
        if (k % 10 == 7) {
            def.mass_source = AFX_MASS_GIVEN;
            def.mass = 1 + random_unit(&seed);
            memcpy(def.inertia, thin[k / 10 % 3], sizeof thin[0]);
            body = world_add(&world, &def);
        } else {
            shape.pose.position = random_vec3(&seed, 0.5);
            body = world_add_shape(&world, &def, &shape);
        }
        if (k % 5 == 0) {
            AfxWrenchDef wrench = afx_default_wrench();
            wrench.frame = k % 2 ? AFX_FRAME_WORLD : AFX_FRAME_BODY;
            wrench.point = random_vec3(&seed, 0.5);
            wrench.force = random_vec3(&seed, 10);
            wrench.torque = random_vec3(&seed, 1);
            world_load(&world, body, &wrench);
        }
    }
    return world;
}

/* ---- ways to run tasks ---- */

static uint64_t backend_runs;

static void run_backwards(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context) {
    (void)user;
    backend_runs++;
    for (uint32_t k = count; k-- > 0;) {
        call(context, k);
    }
}

typedef struct Worker {
    void (*call)(void *context, uint32_t k);
    void *context;
    uint32_t first, count, stride;
} Worker;

static void *work(void *user) {
    Worker *worker = user;
    for (uint32_t k = worker->first; k < worker->count; k += worker->stride) {
        worker->call(worker->context, k);
    }
    return NULL;
}

/* Three threads that share the calls between them. */
static void run_in_threads(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context) {
    (void)user;
    backend_runs++;
    pthread_t threads[3];
    Worker workers[3];
    for (uint32_t k = 0; k < 3; k++) {
        workers[k] = (Worker){call, context, k, count, 3};
        if (pthread_create(&threads[k], NULL, work, &workers[k]) != 0) {
            abort();
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        pthread_join(threads[k], NULL);
    }
}

/* ---- */

static uint64_t hash_of(const World *world, int bodies) {
    const unsigned char *parts[2] = {(const unsigned char *)afx_sim_coordinates(world->sim),
                                     (const unsigned char *)afx_sim_velocities(world->sim)};
    uint64_t hash = 14695981039346656037u;
    for (int p = 0; p < 2; p++) {
        for (size_t k = 0; k < 12 * sizeof(double) * (size_t)bodies; k++) {
            hash = (hash ^ parts[p][k]) * 1099511628211u;
        }
    }
    return hash;
}

/* Runs, and tells the hashes of the state on the way. */
static void run_hashed(World *world, const AfxSimDef *def, int bodies, uint32_t steps, uint64_t out[2]) {
    world_start(world, def);
    world_run(world, steps / 4);
    out[0] = hash_of(world, bodies);
    world_run(world, steps - steps / 4);
    out[1] = hash_of(world, bodies);
    assert_true(state_finite(world));
}

/* Wide lanes need a machine that has them; 1 and 2 are everywhere. */
static bool has_lanes(const World *world, uint32_t lanes) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.lanes = lanes;
    AfxStatus status = afx_sim_create(world->model, &def, &sim);
    afx_sim_destroy(sim);
    assert_true(status == AFX_OK || (status == AFX_E_ARGUMENT && lanes > 2));
    return status == AFX_OK;
}

static void assert_same_run(World *world, const AfxSimDef *def, int bodies, uint32_t steps, const uint64_t want[2]) {
    uint64_t got[2];
    run_hashed(world, def, bodies, steps, got);
    if (got[0] != want[0] || got[1] != want[1]) {
        print_error("other bits with %u threads, %u lanes (%s), own tasks: %d\n", (unsigned)def->threads,
                    (unsigned)def->lanes, afx_sim_instruction_set(world->sim), def->tasks.run != NULL);
        fail();
    }
}

static void check_method(World *world, const Method *method, int bodies, uint32_t steps, bool accurate) {
    AfxSimDef def = accurate ? accurate_def(method, 0.01) : sim_def(method, 0.01);
    uint64_t want[2];
    def.lanes = 1;
    run_hashed(world, &def, bodies, steps, want);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        for (uint32_t lanes = 0; lanes <= 8; lanes = lanes ? 2 * lanes : 1) {
            def.threads = threads;
            def.lanes = lanes;
            bool worth_it = steps < STEPS || (threads == 1) != (lanes == 0); /* long runs: not all pairs */
            if (!worth_it || !has_lanes(world, lanes)) {
                continue;
            }
            assert_same_run(world, &def, bodies, steps, want);
        }
    }
    for (int threaded = 0; threaded < 2; threaded++) {
        backend_runs = 0;
        def.threads = 3;
        def.tasks.run = threaded ? run_in_threads : run_backwards;
        def.lanes = threaded ? 0 : 2;
        assert_same_run(world, &def, bodies, steps, want);
        assert_true(backend_runs > 0 || bodies < BODIES); /* a few bodies are not worth a task */
    }
}

static void a_crowd_ends_with_the_same_bits(void **state) {
    (void)state;
    World world = crowd(BODIES);
    check_method(&world, &methods[0], BODIES, STEPS, false);
    for (int m = 1; m < METHODS; m++) {
        check_method(&world, &methods[m], BODIES, STEPS / 20, m == 2);
    }
    world_free(&world);
}

/* Fewer bodies for all settings: numbers that leave lanes empty. */
static void all_methods_end_with_the_same_bits(void **state) {
    (void)state;
    const int sizes[] = {1, 2, 7, 259};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        World world = crowd(sizes[k]);
        for (int m = 0; m < METHODS; m++) {
            check_method(&world, &methods[m], sizes[k], 40, false);
            check_method(&world, &methods[m], sizes[k], 40, true);
        }
        world_free(&world);
    }
}

/* A body moves the same whoever its neighbours are. */
static void neighbours_change_nothing(void **state) {
    (void)state;
    World few = crowd(50), many = crowd(261);
    AfxSimDef def = sim_def(&methods[0], 0.01);
    world_start(&few, &def);
    world_start(&many, &def);
    world_run(&few, 100);
    world_run(&many, 100);
    assert_memory_equal(afx_sim_coordinates(few.sim), afx_sim_coordinates(many.sim), 50 * 12 * sizeof(double));
    assert_memory_equal(afx_sim_velocities(few.sim), afx_sim_velocities(many.sim), 50 * 12 * sizeof(double));
    world_free(&few);
    world_free(&many);
}

static void lanes_are_as_asked(void **state) {
    (void)state;
    World world = crowd(10);
    for (uint32_t lanes = 1; lanes <= 8; lanes *= 2) {
        AfxSimDef def = sim_def(&methods[0], 0.01);
        world_start(&world, &def);
        if (!has_lanes(&world, lanes)) {
            print_message("  %u lanes: not on this machine\n", (unsigned)lanes);
            continue;
        }
        def.lanes = lanes;
        world_start(&world, &def);
        assert_int_equal(afx_sim_lanes(world.sim), lanes);
        assert_non_null(afx_sim_instruction_set(world.sim));
        assert_true(afx_sim_threads(world.sim) >= 1);
        print_message("  %u lanes: %s\n", (unsigned)lanes, afx_sim_instruction_set(world.sim));
    }
    world_free(&world);
}

int run_determinism_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_ends_with_the_same_bits),
        cmocka_unit_test(all_methods_end_with_the_same_bits),
        cmocka_unit_test(neighbours_change_nothing),
        cmocka_unit_test(lanes_are_as_asked),
    };
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}

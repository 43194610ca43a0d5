/* SPDX-License-Identifier: Apache-2.0 */
/* Trajectories, read back by HDF5 itself and compared with what the sim said at each frame. */
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

enum { FRAMES_MOST = 64 };

/* What the sim said, frame by frame. */
typedef struct Said {
    uint32_t frames;
    double time[FRAMES_MOST], residual[FRAMES_MOST], effort[FRAMES_MOST];
    uint32_t flags[FRAMES_MOST], solves[FRAMES_MOST];
    uint64_t step[FRAMES_MOST];
    AfxPose poses[FRAMES_MOST][WORLD_BODIES];
    AfxTwist twists[FRAMES_MOST][WORLD_BODIES];
    double joints[FRAMES_MOST][4], rates[FRAMES_MOST][4];
    AfxWrench reactions[FRAMES_MOST][2];
    AfxVec3 tip[FRAMES_MOST];
    AfxEnergy energy[FRAMES_MOST];
    AfxMomentum momentum[FRAMES_MOST];
} Said;

static void listen(Said *said, const World *world, const AfxStepReport *sum) {
    uint32_t k = said->frames++;
    const AfxSim *sim = world->sim;
    said->time[k] = afx_sim_time(sim);
    said->residual[k] = sum->residual;
    said->flags[k] = sum->flags;
    said->solves[k] = sum->solves;
    said->step[k] = sum->step;
    assert_ok(afx_sim_poses(sim, said->poses[k]));
    assert_ok(afx_sim_twists(sim, said->twists[k]));
    assert_ok(afx_sim_joint_coordinates(sim, said->joints[k]));
    for (uint32_t axis = 0; axis < 3; axis++) {
        assert_ok(afx_sim_joint_coordinate(sim, 0, axis, NULL, &said->rates[k][axis]));
    }
    assert_ok(afx_sim_joint_coordinate(sim, 1, 0, NULL, &said->rates[k][3]));
    for (uint32_t joint = 0; joint < 2; joint++) {
        assert_ok(afx_sim_joint_reaction(sim, joint, &said->reactions[k][joint]));
    }
    assert_ok(afx_sim_drive_effort(sim, 0, &said->effort[k]));
    assert_ok(afx_sim_marker(sim, 0, &said->tip[k], NULL));
    assert_ok(afx_sim_energy(sim, &said->energy[k]));
    assert_ok(afx_sim_momentum(sim, &said->momentum[k]));
}

/* Runs `steps` steps with a trajectory; what the sim says at its frames goes to *said. */
static void record(const AfxOutputDef *def, uint32_t steps, Said *said) {
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxStepReport sum = {0};
    *said = (Said){0};
    world_make(&world, NULL, NULL);
    assert_fine(afx_output_create(def, world.scene, world.sim, &output, &error), &error);
    listen(said, &world, &sum);
    for (uint32_t k = 1; k <= steps; k++) {
        world_step(&world);
        sum.flags |= world.report.flags;
        sum.residual = fmax(sum.residual, world.report.residual);
        sum.solves = world.report.solves > sum.solves ? world.report.solves : sum.solves;
        sum.step = world.report.step;
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
        if (k % def->every == 0) {
            listen(said, &world, &sum);
            sum = (AfxStepReport){0};
        }
    }
    assert_int_equal(afx_output_frames(output), said->frames);
    assert_fine(afx_output_close(output, &error), &error);
    world_free(&world);
}

/* Reads a dataset of doubles and asserts its shape. */
static double *read_data(hid_t file, const char *name, int rank, hsize_t a, hsize_t b, hsize_t c) {
    hsize_t want[3] = {a, b, c}, dims[8] = {0};
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(data);
    assert_true(data >= 0);
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), rank);
    hsize_t count = 1;
    for (int k = 0; k < rank; k++) {
        assert_int_equal(dims[k], want[k]);
        count *= dims[k];
    }
    double *values = malloc((size_t)count * sizeof(double));
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(data);
    return values;
}

static void assert_data(hid_t file, const char *name, int rank, hsize_t a, hsize_t b, hsize_t c, const void *want) {
    double *got = read_data(file, name, rank, a, b, c);
    hsize_t count = a * (rank > 1 ? b : 1) * (rank > 2 ? c : 1);
    if (memcmp(got, want, (size_t)count * sizeof(double)) != 0) {
        fail_msg("%s differs", name);
    }
    free(got);
}

static void assert_all(const char *path, const Said *said) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT); /* closed properly: no SWMR needed */
    assert_true(file >= 0);
    hsize_t n = said->frames;
    assert_data(file, "time", 1, n, 0, 0, said->time);
    assert_data(file, "poses", 3, n, WORLD_BODIES, 7, said->poses);
    assert_data(file, "velocities", 3, n, WORLD_BODIES, 6, said->twists);
    assert_data(file, "joints", 2, n, 4, 0, said->joints);
    assert_data(file, "rates", 2, n, 4, 0, said->rates);
    assert_data(file, "reactions", 3, n, 2, 6, said->reactions);
    assert_data(file, "efforts", 2, n, 1, 0, said->effort);
    assert_data(file, "markers", 3, n, 1, 3, said->tip);
    assert_data(file, "energy", 2, n, 4, 0, said->energy);
    assert_data(file, "report/residual", 1, n, 0, 0, said->residual);
    double *momentum = read_data(file, "momentum", 2, n, 9, 0);
    double *flags = read_data(file, "report/flags", 1, n, 0, 0), *step = read_data(file, "step", 1, n, 0, 0);
    double *solves = read_data(file, "report/solves", 1, n, 0, 0);
    for (uint32_t k = 0; k < said->frames; k++) {
        assert_same(momentum[9 * k], said->momentum[k].center.x);
        assert_same(momentum[9 * k + 5], said->momentum[k].linear.z);
        assert_same(momentum[9 * k + 7], said->momentum[k].angular.y);
        assert_same(flags[k], said->flags[k]);
        assert_same(solves[k], said->solves[k]);
        assert_same(step[k], (double)said->step[k]);
    }
    free(momentum);
    free(flags);
    free(step);
    free(solves);
    H5Fclose(file);
}

static void test_everything(void **state) {
    (void)state;
    static const uint32_t chunks[] = {0, 1, 2, 7, 51, 1000}, every[] = {1, 3};
    Said said;
    for (size_t c = 0; c < COUNT(chunks); c++) {
        for (size_t e = 0; e < COUNT(every); e++) {
            AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
            def.path = scratch("a.h5");
            def.what = "all";
            def.chunk = chunks[c];
            def.every = every[e];
            def.compression = (uint32_t)c;
            record(&def, 50, &said);
            assert_int_equal(said.frames, 1 + 50 / every[e]);
            assert_true(said.flags[1] & AFX_STEP_RESTARTED);
            assert_all(def.path, &said);
        }
    }
}

static void read_text(hid_t object, const char *name, char *out, size_t size) {
    hid_t id = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(id);
    char *text = NULL;
    assert_true(id >= 0);
    assert_true(H5Aread(id, type, &text) >= 0);
    snprintf(out, size, "%s", text);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(id);
}

static void test_about(void **state) {
    (void)state;
    Said said;
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
    def.path = scratch("a.h5");
    def.title = "two arms";
    record(&def, 3, &said);
    hid_t file = H5Fopen(def.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    char text[100], want[100];
    World world;
    world_make(&world, NULL, NULL);
    read_text(file, "format", text, sizeof text);
    assert_string_equal(text, "affix-trajectory");
    read_text(file, "title", text, sizeof text);
    assert_string_equal(text, "two arms");
    read_text(file, "integrator", text, sizeof text);
    assert_string_equal(text, "bdf2");
    read_text(file, "model_hash", text, sizeof text);
    snprintf(want, sizeof want, "%016llx", (unsigned long long)afx_model_hash(world.model));
    assert_string_equal(text, want);
    read_text(file, "program", text, sizeof text);
    snprintf(want, sizeof want, "affix %s", afx_version());
    assert_string_equal(text, want);
    double dt = 0;
    hid_t id = H5Aopen(file, "dt", H5P_DEFAULT);
    assert_true(H5Aread(id, H5T_NATIVE_DOUBLE, &dt) >= 0);
    H5Aclose(id);
    assert_same(dt, 0.01);
    char names[WORLD_BODIES][8];
    hid_t data = H5Dopen2(file, "model/bodies", H5P_DEFAULT), type = H5Dget_type(data);
    assert_int_equal(H5Tget_size(type), 8); /* "fore.arm" */
    assert_true(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
    assert_memory_equal(names[0], "ground\0\0", 8);
    assert_memory_equal(names[2], "fore.arm", 8);
    H5Tclose(type);
    H5Dclose(data);
    const double first[3] = {0, 3, 4};
    assert_data(file, "model/joint_first", 1, 3, 0, 0, first);
    assert_true(H5Lexists(file, "poses", H5P_DEFAULT) > 0); /* the default records */
    assert_true(H5Lexists(file, "joints", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "reactions", H5P_DEFAULT) == 0);
    H5Fclose(file);
    world_free(&world);
}

static void test_arguments(void **state) {
    (void)state;
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
    assert_int_equal(afx_output_create(&def, world.scene, world.sim, &output, &error), AFX_E_ARGUMENT);
    def.path = scratch("a.h5");
    assert_int_equal(afx_output_create(&def, NULL, world.sim, &output, &error), AFX_E_ARGUMENT);
    assert_int_equal(afx_output_create(&def, world.scene, NULL, &output, &error), AFX_E_ARGUMENT);
    assert_int_equal(afx_output_create(&def, world.scene, world.sim, NULL, &error), AFX_E_ARGUMENT);
    AfxOutputDef bad = def;
    bad.cookie = 0;
    assert_int_equal(afx_output_create(&bad, world.scene, world.sim, &output, &error), AFX_E_VERSION);
    bad = def;
    bad.every = 0;
    assert_int_equal(afx_output_create(&bad, world.scene, world.sim, &output, &error), AFX_E_ARGUMENT);
    bad = def;
    bad.what = "poses,nothing";
    assert_int_equal(afx_output_create(&bad, world.scene, world.sim, &output, &error), AFX_E_INPUT);
    AfxScene *other = NULL; /* not the scene of this sim */
    AfxSceneDef scene_def = afx_default_scene();
    assert_ok(afx_scene_create(&scene_def, &other));
    assert_int_equal(afx_output_create(&def, other, world.sim, &output, &error), AFX_E_ARGUMENT);
    afx_scene_destroy(other);
    assert_null(output);
    assert_int_equal(access(def.path, F_OK), -1);
    assert_ok(afx_output_close(NULL, NULL));
    assert_int_equal(afx_output_step(NULL, world.sim, &world.report, &error), AFX_E_ARGUMENT);
    world_free(&world);
}

static void test_places(void **state) {
    (void)state;
    char path[400];
    World world;
    AfxOutput *output = NULL;
    world_make(&world, NULL, NULL);
    snprintf(path, sizeof path, "%s/none/a", scratch(""));
    const char *const places[] = {path, scratch("")};
    for (int kind = AFX_OUTPUT_HDF5; kind <= last_kind(); kind++) {
        for (size_t k = 0; k < COUNT(places); k++) {
            AfxError error = {0};
            AfxOutputDef def = afx_default_output((AfxOutputKind)kind);
            def.path = places[k];
            assert_int_equal(afx_output_create(&def, world.scene, world.sim, &output, &error), AFX_E_SYSTEM);
            assert_null(output);
            assert_non_null(strstr(error.file, places[k]));
            assert_true(error.text[0] != '\0');
        }
    }
    world_free(&world);
}

/* A limit on the size of files in a process of its own: every output fails at some step, says which file, keeps saying
 * so and closes. Returns the number of what went wrong. */
static int under_limit(int kind, rlim_t limit) {
    World world;
    AfxError error = {0};
    AfxOutput *output = NULL;
    int wrong = 0;
    signal(SIGXFSZ, SIG_IGN);
    world_make(&world, NULL, NULL);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
    AfxOutputDef def = afx_default_output((AfxOutputKind)kind);
    def.path = scratch("limited");
    def.what = kind == AFX_OUTPUT_HDF5 ? "all" : kind == AFX_OUTPUT_CSV ? "body:arm,body:cart,energy" : NULL;
    def.chunk = 16;
    AfxStatus status = afx_output_create(&def, world.scene, world.sim, &output, &error);
    for (int k = 0; k < 400 && status == AFX_OK; k++) {
        world_step(&world);
        status = afx_output_step(output, world.sim, &world.report, &error);
    }
    if (output && status == AFX_OK) {
        status = afx_output_close(output, &error);
        output = NULL;
    }
    wrong += status != AFX_E_SYSTEM;
    wrong += !strstr(error.file, "limited") || !strstr(error.text, "File too large");
    if (output) {
        const void *mark;
        size_t size;
        AfxError again = {0};
        wrong += afx_output_step(output, world.sim, &world.report, &again) != AFX_E_SYSTEM;
        wrong += strcmp(again.text, error.text) != 0;
        wrong += afx_output_mark(output, &mark, &size, &again) != AFX_E_SYSTEM;
        wrong += afx_output_close(output, &again) != AFX_E_SYSTEM;
    }
    world_free(&world);
    return wrong;
}

static void test_full(void **state) {
    (void)state;
    static const rlim_t limits[] = {0, 100, 3000, 9000, 20000, 35001, 50002};
    for (int kind = AFX_OUTPUT_HDF5; kind <= last_kind(); kind++) {
        for (size_t k = 0; k < COUNT(limits); k++) {
            pid_t child = fork();
            if (child == 0) {
                _exit(under_limit(kind, limits[k]));
            }
            int status = -1;
            assert_int_equal(waitpid(child, &status, 0), child);
            if (status != 0) {
                fail_msg("kind %d, limit %ld: status %d", kind, (long)limits[k], status);
            }
            if (kind == AFX_OUTPUT_HDF5 && access(scratch("limited"), F_OK) == 0) { /* what is there can be read */
                AfxTable *table = NULL;
                AfxError error = {0};
                assert_fine(
                    afx_table_read(scratch("limited"), 2, (const char *[]){"time", "body:arm"}, NULL, &table, &error),
                    &error);
                uint64_t rows = afx_table_row_count(table);
                for (uint64_t row = 0; row < rows; row++) {
                    assert_near(afx_table_column(table, 0)[row], 0.01 * (double)row, 1e-12);
                }
                afx_table_destroy(table);
                unlink(scratch("limited"));
            }
        }
    }
}

int run_trajectory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_everything, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_about, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_arguments, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_places, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_full, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("trajectories", tests, NULL, NULL);
}

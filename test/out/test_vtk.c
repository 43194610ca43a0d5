/* SPDX-License-Identifier: Apache-2.0 */
/* Series for VTK: sizes and places in the XML, and points where the bodies are. */
#include <unistd.h>

#include "tests.h"

/* The number after `key` in a text, from `from` on. */
static uint64_t after(const char *from, const char *key) {
    const char *at = strstr(from, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

static uint64_t u64(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int32_t i32(const unsigned char *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Checks a frame: the first shape (a box) has its corners at the ground's pose. */
static void check_frame(const char *path, const AfxPose *poses) {
    size_t size;
    unsigned char *data = file_read(path, &size);
    assert_non_null(data);
    const char *text = (const char *)data;
    uint64_t points = after(text, "NumberOfPoints=\""), triangles = after(text, "NumberOfPolys=\"");
    const unsigned char *raw = (const unsigned char *)strstr(text, "\n_") + 2;
    const unsigned char *corners = raw + after(strstr(text, "\"connectivity\""), "offset=\"");
    const unsigned char *ends = raw + after(strstr(text, "\"offsets\""), "offset=\"");
    const unsigned char *bodies = raw + after(strstr(text, "Name=\"body\""), "offset=\"");
    assert_int_equal(u64(raw), 12 * points);
    assert_int_equal(u64(corners), 12 * triangles);
    assert_int_equal(u64(ends), 4 * triangles);
    assert_int_equal(u64(bodies), 4 * triangles);
    assert_string_equal((const char *)bodies + 8 + 4 * triangles, "\n</AppendedData>\n</VTKFile>\n");
    int32_t last = 0;
    for (uint64_t k = 0; k < triangles; k++) {
        assert_int_equal(i32(ends + 8 + 4 * k), 3 * (k + 1));
        assert_true(i32(bodies + 8 + 4 * k) >= last && i32(bodies + 8 + 4 * k) < WORLD_BODIES);
        last = i32(bodies + 8 + 4 * k);
        for (uint64_t c = 0; c < 3; c++) {
            assert_true(i32(corners + 8 + 12 * k + 4 * c) >= 0 && (uint64_t)i32(corners + 8 + 12 * k + 4 * c) < points);
        }
    }
    assert_int_equal(last, WORLD_BODIES - 1);
    /* The box of the unnamed body 4, 0.1 x 0.2 x 0.3, whose points follow those of the four bodies before it. */
    uint64_t first = UINT64_MAX;
    for (uint64_t k = 0; k < triangles; k++) {
        if (i32(bodies + 8 + 4 * k) == 4) {
            for (uint64_t c = 0; c < 3; c++) {
                uint64_t point = (uint64_t)i32(corners + 8 + 12 * k + 4 * c);
                first = point < first ? point : first;
            }
        }
    }
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (uint64_t k = 0; k < 24; k++) {
        float p[3];
        memcpy(p, raw + 8 + 12 * (first + k), sizeof p);
        AfxVec3 local = afx_pose_apply(afx_pose_invert(poses[4]), (AfxVec3){(double)p[0], (double)p[1], (double)p[2]});
        const double at[3] = {local.x - 0.01, local.y, local.z};
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], at[axis]);
            high[axis] = fmax(high[axis], at[axis]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        assert_near(low[axis], -0.05 * (axis + 1), 1e-6);
        assert_near(high[axis], 0.05 * (axis + 1), 1e-6);
    }
    free(data);
}

static void test_series(void **state) {
    (void)state;
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxPose poses[WORLD_BODIES];
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_VTK);
    def.path = scratch("run.pvd");
    def.every = 5;
    world_make(&world, NULL, NULL);
    assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
    for (int k = 1; k <= 20; k++) {
        world_step(&world);
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
        if (k % 5 == 0) {
            char name[40];
            assert_ok(afx_sim_poses(world.sim, poses));
            snprintf(name, sizeof name, "run_%06d.vtp", k / 5);
            check_frame(scratch(name), poses);
        }
        size_t size;
        char *text = (char *)file_read(scratch("run.pvd"), &size); /* complete at any time */
        assert_string_equal(text + size - 25, "</Collection>\n</VTKFile>\n");
        free(text);
    }
    assert_fine(afx_output_close(output, &error), &error);
    size_t size;
    char *text = (char *)file_read(scratch("run.pvd"), &size);
    assert_non_null(strstr(text, "<DataSet timestep=\"0.20000000000000001\" file=\"run_000004.vtp\"/>"));
    assert_null(strstr(text, "run_000005"));
    free(text);
    world_free(&world);
}

int run_vtk_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_series, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("VTK", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One second of motion from a random posture under gravity, springs, dampers, servos and armature, without constraints
 * and contact, of models that MuJoCo runs by Runge-Kutta. The difference falls by four when the step is halved, and
 * what it falls to, extrapolated, is far smaller, or what the millionth of a mass between skew joints can do. */
#include "mujoco.h"

#include <stdlib.h>

#define INSERT "<option><flag constraint='disable'/></option>"
#define STEP 1e-3
/* m: bodies of a millionth of the mass between joints that are skew, as in the humanoid's ankles */
#define LIGHT 1e-5

static const char *const models[] = {
    "mujoco/model/car/car.xml",
    "mujoco/model/sleep/humanoid.xml",
    "mujoco/test/benchmark/testdata/2humanoid100_chol.xml",
    "mujoco/test/engine/testdata/actuation/tendon_force_clamp.xml",
    "mujoco/test/engine/testdata/catenary.xml",
    "mujoco/test/engine/testdata/core_smooth/rne_post/connect/multiple_constraints.xml",
    "mujoco/test/engine/testdata/core_smooth/ten_armature_0_equiv.xml",
    "mujoco/test/engine/testdata/derivative/damped_actuators.xml",
    "mujoco/test/engine/testdata/hammock/humanoid_body.xml",
    "mujoco/test/engine/testdata/island/humanoid.xml",
    "mujoco/test/engine/testdata/island/tendon_wrap.xml",
    "mujoco/test/engine/testdata/rotations.xml",
    "mujoco/test/engine/testdata/sensor/contact_subtree.xml",
    "mujoco/test/engine/testdata/sleep/equality.xml",
    "mujoco/test/engine/testdata/solver/humanoid.xml",
    "mujoco/test/user/testdata/robot_arm.xml",
    "menagerie/robotiq_2f85/2f85.xml",
};

/** Runs a second from the posture and puts the sim back there. */
static bool simulate(const MujocoCase *c, const MujocoRig *rig, double dt, AfxVec3 *out) {
    size_t size = afx_sim_snapshot_size(rig->sim);
    void *snapshot = malloc(size);
    bool good = true;
    assert_non_null(snapshot);
    assert_ok(afx_sim_snapshot(rig->sim, snapshot, size));
    assert_ok(afx_sim_set_dt(rig->sim, dt));
    for (uint32_t k = 0; good && k < (uint32_t)(1 / dt + 0.5); k++) {
        good = afx_step(rig->sim, NULL) == AFX_OK;
    }
    for (uint32_t k = 0; k < c->body_count; k++) {
        AfxPose pose;
        assert_ok(afx_sim_body_pose(rig->sim, c->movers[k], &pose));
        out[k] = pose.position;
    }
    assert_ok(afx_sim_restore(rig->sim, snapshot, size));
    free(snapshot);
    return good;
}

static double distance(AfxVec3 a, AfxVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static bool check_motion(MujocoCase *c) {
    static AfxVec3 coarse[MUJOCO_BODIES], fine[MUJOCO_BODIES];
    MujocoRig rig;
    double first = 0, second = 0, last = 0;
    assert_loads(c->status, &c->error);
    assert_int_equal(c->mover_count, c->body_count);
    mujoco_place(c, &rig);
    assert_int_equal(c->bad, 0);
    bool good = simulate(c, &rig, STEP, coarse) && simulate(c, &rig, STEP / 2, fine);
    for (uint32_t k = 0; k < c->body_count; k++) {
        AfxVec3 limit = {(4 * fine[k].x - coarse[k].x) / 3, (4 * fine[k].y - coarse[k].y) / 3,
                         (4 * fine[k].z - coarse[k].z) / 3};
        first = fmax(first, distance(coarse[k], c->after[k]));
        second = fmax(second, distance(fine[k], c->after[k]));
        last = fmax(last, distance(limit, c->after[k]));
    }
    bool exact = second < 1e-9, converges = second < 0.4 * first && last < fmax(0.1 * second, LIGHT);
    good = good && (exact || converges);
    print_message("%-75s %3u bodies: %.1e, %.1e m; extrapolated %.1e (MuJoCo %.1e)%s\n", c->file, c->body_count, first,
                  second, last, c->after_error, good ? "" : "  <--");
    mujoco_free(&rig);
    return good;
}

static void motion_without_constraints_is_mujocos(void **state) {
    (void)state;
    char folder[256], list[400], names[8000] = "";
    size_t count = sizeof models / sizeof models[0];
    make_folder(folder, sizeof folder);
    for (size_t k = 0, used = 0; k < count; k++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\n", models[k]);
    }
    write_file(folder, "list", names);
    snprintf(list, sizeof list, "cat '%s/list'", folder);
    FILE *script = mujoco_start(list, "motion");
    if (script) {
        MujocoCase *c = calloc(1, sizeof *c);
        uint32_t done = 0, good = 0;
        assert_non_null(c);
        while (mujoco_next(script, INSERT, c)) {
            done++;
            good += check_motion(c);
            mujoco_drop(c);
        }
        free(c);
        assert_int_equal(pclose(script), 0);
        assert_int_equal(done, count);
        assert_int_equal(good, count);
    }
    remove_folder(folder);
}

int run_mjcf_motion_tests(void) {
    if (!getenv("AFFIX_TEST_LONG")) {
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(motion_without_constraints_is_mujocos)};
    return cmocka_run_group_tests_name("motion against MuJoCo", tests, NULL, NULL);
}

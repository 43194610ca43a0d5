/* SPDX-License-Identifier: Apache-2.0 */
/* Robots with meshes and closed loops (../shared/data/mjcf/menagerie): they load with their shapes, have the freedoms
 * that their makers say, and run for ten seconds without input; loops stay closed to rounding, and energy does not
 * grow. */
#include "mujoco.h"

#include <stdlib.h>

typedef struct Robot {
    const char *file;
    uint32_t movers; /* MuJoCo's moving bodies */
    int64_t freedom; /* coordinates less what loops and equalities take */
    bool free;       /* falls for ever */
} Robot;

static const Robot robots[] = {
    /* 9 joints, fingers coupled */
    {"menagerie/franka_emika_panda/panda.xml", 9, 8, false},
    /* 8 hinges; two loops close in the plane (2 rows each are not redundant) and the drivers are coupled */
    {"menagerie/robotiq_2f85/2f85.xml", 8, 3, false},
    /* 6 of the pelvis and 26 of the legs, two of these three of a ball; four rods with a ball joint at the end take 3
     * rows each, two of which are redundant */
    {"menagerie/agility_cassie/cassie.xml", 23, 22, true},
};

static void run(const Robot *robot, const AfxModel *model) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim;
    AfxEnergy begin, now;
    int64_t freedom;
    uint32_t redundant;
    double residual = 0, highest = -INFINITY;
    def.dt = 0.002;
    assert_ok(afx_sim_create(model, &def, &sim));
    assert_ok(afx_sim_mobility(sim, &freedom, &redundant));
    assert_int_equal(freedom, robot->freedom);
    assert_ok(afx_sim_energy(sim, &begin));
    for (int k = 0; k < 5000; k++) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        residual = fmax(residual, report.residual);
        assert_ok(afx_sim_energy(sim, &now));
        highest = fmax(highest, now.total);
    }
    print_message("%-45s %u bodies, freedom %ld, redundant %u: rows within %.1e, energy %.4g J to %.4g J\n",
                  robot->file, afx_model_body_count(model), (long)freedom, redundant, residual, begin.total, now.total);
    assert_true(residual < 1e-9);
    /* springs that are stretched at the start may give up to a few joules */
    assert_true(highest < begin.total + 5);
    if (robot->free) { /* nothing touches it: it falls 10 s as one */
        AfxMomentum momentum;
        assert_ok(afx_sim_momentum(sim, &momentum));
        assert_near(momentum.linear.z / momentum.mass, -98.1, 0.01 * 98.1);
    } else {
        assert_true(now.kinetic < 1e-12);
    }
    afx_sim_destroy(sim);
}

static void robots_with_loops_run_for_ten_seconds(void **state) {
    (void)state;
    FILE *there = fopen(MUJOCO_ROOT "/menagerie/robotiq_2f85/2f85.xml", "r");
    if (!there) {
        print_message("SKIP: " MUJOCO_ROOT " is not there\n");
        return;
    }
    fclose(there);
    for (size_t k = 0; k < sizeof robots / sizeof robots[0]; k++) {
        AfxScene *scene = make_scene();
        AfxModel *model;
        AfxError error;
        uint32_t notices[3], movers = 0, shapes = 0;
        assert_loads(mujoco_load(scene, robots[k].file, "", &error, notices), &error);
        assert_int_equal(notices[AFX_NOTICE_MISSING], 0);
        for (uint32_t b = 0; b < afx_scene_body_count(scene); b++) {
            AfxBodyDef def;
            assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, b), &def));
            movers += def.kind == AFX_BODY_DYNAMIC && !mujoco_is_helper(def.name);
            shapes += afx_scene_shape_count(scene, afx_scene_body(scene, b));
        }
        assert_int_equal(movers, robots[k].movers);
        assert_true(shapes >= movers);
        assert_ok(afx_scene_set_contact(scene, false)); /* only joints are looked at */
        assert_ok(afx_model_create(scene, &model, &error));
        run(robots + k, model);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

int run_mjcf_robots_tests(void) {
    if (!getenv("AFFIX_TEST_LONG")) {
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_with_loops_run_for_ten_seconds)};
    return cmocka_run_group_tests_name("mjcf robots", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The jointed cases start assembled: frames and velocities agree with every joint, and with every position drive. */
#include "closed.h"
#include "support/small.h"
#include "tests.h"

#include <stdio.h>

static void closed(const char *name, uint32_t count, const char *const *texts) {
    char title[200];
    AfxScene *scene = closed_scene(name, count, texts);
    snprintf(title, sizeof(title), "%s %s %s", name, count ? texts[0] : "", count > 1 ? texts[1] : "");
    closed_positions(scene, title, 1e-12);
    closed_velocities(scene, title, 1e-11);
    afx_scene_destroy(scene);
}

static void test_defaults(void **state) {
    (void)state;
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const char *name = afxi_case_at(k)->name, *small = small_case(name);
        closed(name, small ? 1 : 0, &small);
    }
}

/* Every case that is meant to have joints does, and markers as they are documented. */
static void test_contents(void **state) {
    (void)state;
    static const struct {
        const char *name, *marker;
        uint32_t bodies, joints, drives, couplings;
    } all[] = {
        {"pendulum", "tip", 1, 1, 0, 0},
        {"a01", "mass", 1, 1, 0, 0},
        {"a02", "B0", 5, 7, 0, 0},
        {"bricard", "P3", 5, 6, 0, 0},
        {"heavy-top", "tip", 1, 1, 0, 0},
        {"slider-crank", "slider", 3, 4, 1, 0},
        {"universal-shaft", "out", 2, 3, 1, 0},
        {"door", "handle", 1, 2, 0, 0},
        {"four-bar", "coupler", 3, 4, 1, 0},
        {"klann", "foot", 6, 7, 1, 0},
        {"hoberman", "hub", 240, 420, 0, 0},
        {"satellite", "tip", 26, 37, 7, 0},
        {"gazelle", "pelvis", 38, 45, 22, 0},
        {"figure", "chest", 151, 198, 27, 0},
        {"hand", "index", 16, 15, 10, 10},
        {"chain", "tip", 100, 100, 0, 0},
    };
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); ++k) {
        const char *name = NULL;
        AfxBodyId body;
        AfxVec3 point;
        AfxScene *scene = closed_scene(all[k].name, 0, NULL);
        assert_int_equal(afx_scene_body_count(scene), all[k].bodies);
        assert_int_equal(afx_scene_joint_count(scene), all[k].joints);
        assert_int_equal(afx_scene_drive_count(scene), all[k].drives);
        assert_int_equal(afx_scene_coupling_count(scene), all[k].couplings);
        assert_int_equal(afx_scene_get_marker(scene, 0, &name, &body, &point), AFX_OK);
        assert_string_equal(name, all[k].marker);
        afx_scene_destroy(scene);
    }
}

static void test_chains(void **state) {
    (void)state;
    static const char *const starts[] = {"start=straight", "start=zigzag", "start=coil"};
    static const char *const joints[] = {"joint=ball", "joint=hinge", "joint=universal"};
    for (int s = 0; s < 3; ++s) {
        for (int j = 0; j < 3; ++j) {
            closed("chain", 2, (const char *const[]){starts[s], joints[j]});
        }
    }
}

static void test_parameters(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"pendulum", "angle=30"},
        {"a01", "joint=ball"},
        {"a01", "joint=rod"},
        {"a02", "n=40"},
        {"universal-shaft", "angle=0"},
        {"universal-shaft", "angle=80"},
        {"universal-shaft", "omega=-3"},
        {"slider-crank", "omega=100"},
        {"four-bar", "omega=-50"},
        {"klann", "legs=6"},
        {"klann", "omega=-20"},
        {"heavy-top", "tilt=60"},
        {"hoberman", "spin=50"},
        {"satellite", "duration=0.5"},
        {"gazelle", "tempo=2"},
        {"figure", "tempo=1"},
    };
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
        closed(cases[k][0], 1, &cases[k][1]);
    }
}

/* Where a position drive begins, the joint is, and moves so. */
static void drives_agree(const char *name) {
    AfxScene *scene = closed_scene(name, 0, NULL);
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    for (uint32_t k = 0; k < afx_scene_drive_count(scene); ++k) {
        AfxDriveDef drive;
        double want, want_rate, value, rate;
        assert_int_equal(afx_scene_get_drive(scene, k, &drive), AFX_OK);
        if (drive.kind > AFX_DRIVE_VELOCITY) {
            continue;
        }
        assert_int_equal(afx_signal_evaluate(&drive.target, 0, &want, &want_rate, NULL), AFX_OK);
        assert_int_equal(afx_sim_joint_coordinate(sim, drive.joint.index, drive.axis, &value, &rate), AFX_OK);
        want_rate = drive.kind == AFX_DRIVE_VELOCITY ? want : want_rate;
        want = drive.kind == AFX_DRIVE_VELOCITY ? value : want;
        if (!(fabs(value - want) <= 1e-12 && fabs(rate - want_rate) <= 1e-12)) {
            fail_msg("%s: drive %u asks for %g, %g; the joint is at %g, %g", name, k, want, want_rate, value, rate);
        }
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void test_drives(void **state) {
    (void)state;
    drives_agree("slider-crank");
    drives_agree("universal-shaft");
    drives_agree("four-bar");
    drives_agree("klann");
    drives_agree("satellite");
    drives_agree("gazelle");
    drives_agree("figure");
}

int run_joint_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),   cmocka_unit_test(test_contents), cmocka_unit_test(test_chains),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_drives),
    };
    return cmocka_run_group_tests_name("cases/joints", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* MuJoCo's own test and example models, and robots with meshes (../shared/data/mjcf), as MuJoCo itself reads them and
 * as the loader does: moving bodies, their masses, centres and tensors, and where bodies and sites are in a random
 * posture. */
#include "mujoco.h"

#include <stdlib.h>

/* Models whose body frames MuJoCo moves into the centre of mass (alignfree), which changes no motion. */
static const char *const aligned[] = {"mujoco/test/user/testdata/freejoint.xml"};

/* Models that MuJoCo loads and the loader refuses, and why. */
static const struct {
    const char *file, *text;
} refused[] = {
    {"mujoco/model/surfacevel/carousel.xml", "builtin meshes are not made"},
};

typedef struct Sum {
    uint32_t models, deformable, refused, both_refused, rigid, loaded, agreed, bodies, joints, sites;
    double worst;
} Sum;

static bool is_aligned(const char *file) {
    for (size_t k = 0; k < sizeof aligned / sizeof aligned[0]; k++) {
        if (strcmp(file, aligned[k]) == 0) {
            return true;
        }
    }
    return false;
}

/** The reason why a file must be refused, or NULL. */
static const char *refusal(const char *file) {
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        if (strcmp(file, refused[k].file) == 0) {
            return refused[k].text;
        }
    }
    return NULL;
}

static void check_kinematics(MujocoCase *c) {
    MujocoRig rig;
    AfxError error;
    uint32_t notices[3];
    afx_scene_clear(c->scene); /* once more, without what closes loops */
    assert_loads(mujoco_load(c->scene, c->file, "<option><flag equality='disable'/></option>", &error, notices),
                 &error);
    mujoco_place(c, &rig);
    mujoco_free(&rig);
}

static void check_case(MujocoCase *c, Sum *sum) {
    const char *expected = refusal(c->file);
    sum->rigid++;
    if (c->status) {
        print_message("%s is refused: %s:%d: %s: %s\n", c->file, c->error.file, c->error.line, c->error.element,
                      c->error.text);
        assert_non_null(expected);
        assert_non_null(strstr(c->error.text, expected));
        return;
    }
    sum->loaded++;
    assert_null(expected);
    c->bad = is_aligned(c->file) ? 0 : c->bad;
    mujoco_compare(c, "number of moving bodies", 0, c->mover_count, c->body_count, 0);
    if (c->bad == 0 && !is_aligned(c->file)) {
        check_kinematics(c);
    }
    sum->agreed += c->bad == 0;
    sum->bodies += c->body_count;
    sum->joints += c->joint_count;
    sum->sites += c->site_checks;
    sum->worst = fmax(sum->worst, c->worst);
}

static void models_have_mujocos_masses_and_kinematics(void **state) {
    (void)state;
    FILE *script = mujoco_start("(cd " MUJOCO_ROOT " && find mujoco menagerie -name '*.xml' | sort)", "kinematics");
    if (!script) {
        return;
    }
    MujocoCase *c = calloc(1, sizeof *c);
    Sum sum = {0};
    assert_non_null(c);
    while (mujoco_next(script, "", c)) {
        sum.models++;
        sum.deformable += c->deformable;
        sum.refused += c->refused;
        sum.both_refused += c->refused && c->status;
        if (!c->refused && !c->deformable) {
            check_case(c, &sum);
        }
        mujoco_drop(c);
    }
    assert_int_equal(pclose(script), 0);
    free(c);
    print_message("MJCF: of %u models MuJoCo loads %u, %u of them rigid; here %u load and %u agree: %u bodies, %u "
                  "joints, %u sites within %.1e m; of MuJoCo's %u refused %u are refused here\n",
                  sum.models, sum.rigid + sum.deformable, sum.rigid, sum.loaded, sum.agreed, sum.bodies, sum.joints,
                  sum.sites, sum.worst, sum.refused, sum.both_refused);
    assert_true(sum.rigid > 100);
    assert_int_equal(sum.loaded, sum.rigid - sizeof refused / sizeof refused[0]);
    assert_int_equal(sum.agreed, sum.loaded);
}

int run_mjcf_mujoco_tests(void) {
    if (!getenv("AFFIX_TEST_LONG")) {
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_have_mujocos_masses_and_kinematics)};
    return cmocka_run_group_tests_name("mjcf against MuJoCo", tests, NULL, NULL);
}

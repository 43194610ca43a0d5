/* SPDX-License-Identifier: Apache-2.0 */
/* Cases with contact: what they are made of, that contact is on in them and off in the others, and that nothing
 * overlaps at the start. */
#include "scale.h"
#include "support/check.h"
#include "support/sim.h"
#include "tests.h"

#include <string.h>

/* Mass of a capsule of water whose cylindrical part has this length. */
static double rod_mass(double radius, double length) {
    return 1000 * PI * radius * radius * (length + 4.0 / 3 * radius);
}

static void test_counts(void **state) {
    (void)state;
    /* a quarter each of balls (3 rows), universal joints (4), hinges and slides (5 each, and a stop) */
    scale_check("falling-joints", "pairs=40", (ScaleCounts){81, 1, 40, 170, 10, 80 * rod_mass(0.04, 0.08)}, 5);
    scale_check("hagfish", "joints=30", (ScaleCounts){32, 1, 30, 90, 90, 31 * rod_mass(0.015, 0.05)}, 5);
    scale_check("stack", "n=12", (ScaleCounts){14, 2, 0, 0, 0, 12 * 125 + 8000}, 5);
}

static void test_switched_on(void **state) {
    (void)state;
    static const char *const on[] = {"incline",        "rolling",  "stack",     "arch",      "card-house",
                                     "wrecking-ball",  "rings",    "chain-net", "turntable", "grasp",
                                     "falling-joints", "hagfish",  "gears",     "knocker",   "tentacles",
                                     "spiked-knots",   "compactor"};
    for (size_t k = 0; k < COUNT(on); ++k) {
        AfxScene *scene = scale_scene(on[k], "");
        assert_true(afx_scene_contact(scene));
        afx_scene_destroy(scene);
    }
    for (int ground = 0; ground < 2; ++ground) {
        AfxScene *scene = scale_scene("klann", ground ? "ground=1" : "ground=0");
        assert_int_equal(afx_scene_contact(scene), ground);
        afx_scene_destroy(scene);
    }
}

/* Before anything moves, what touches does so without overlap worth the name. */
static void test_starts_apart(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"stack", ""},
                                           {"stack", "overhang=1"},
                                           {"arch", ""},
                                           {"card-house", ""},
                                           {"wrecking-ball", ""},
                                           {"rings", ""},
                                           {"chain-net", "k=2"},
                                           {"turntable", ""},
                                           {"knocker", ""},
                                           {"tentacles", ""},
                                           {"spiked-knots", ""},
                                           {"compactor", ""},
                                           {"grasp", ""},
                                           {"hagfish", ""},
                                           {"falling-joints", "pairs=100"},
                                           {"klann", "legs=6 ground=1"}};
    for (size_t k = 0; k < COUNT(cases); ++k) {
        AfxScene *scene = scale_scene(cases[k][0], cases[k][1]);
        AfxModel *model = NULL;
        AfxSim *sim = NULL;
        AfxSimDef def = afx_default_sim();
        AfxStepReport report;
        def.dt = 1e-5; /* too short for anything to fall into anything */
        assert_ok(afx_model_create(scene, &model, NULL));
        assert_ok(afx_sim_create(model, &def, &sim));
        assert_ok(afx_step(sim, &report));
        assert_below(report.depth, 1e-5); /* what a foot moves in this time */
        afx_sim_destroy(sim);
        afx_model_destroy(model);
        afx_scene_destroy(scene);
    }
}

/* A method of several stages, at a coarse step: bodies that settle in the first stage come to touch others in the
 * second that did not, and wait with them. The sim then goes through the step in parts; it neither hangs nor gains
 * energy. */
static void test_coarse_stages(void **state) {
    (void)state;
    AfxScene *scene = scale_scene("falling-joints", "pairs=10 young=inf");
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxEnergy before, after;
    uint32_t halved = 0;
    def.dt = 0.05;
    def.integrator = AFX_SDIRK2;
    sim_start(scene, &model, &sim, &def);
    assert_ok(afx_sim_energy(sim, &before));
    for (int n = 0; n < 40; ++n) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        assert_ok(afx_sim_energy(sim, &after));
        halved += (report.flags & AFX_STEP_HALVED) != 0;
        assert_below(after.kinetic + after.potential, (1 + 1e-9) * (before.kinetic + before.potential));
    }
    assert_true(halved > 0);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_touch_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_switched_on),
        cmocka_unit_test(test_starts_apart),
        cmocka_unit_test(test_coarse_stages),
    };
    return cmocka_run_group_tests_name("cases/touch", tests, NULL, NULL);
}

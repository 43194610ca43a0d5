/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of two bodies that a joint of each kind holds, one to the world and one to the other. */
#include "tests.h"

static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};

static Rig make_pair(AfxJointKind kind, double young) {
    Rig rig = rig_make(at(1, 2, -9));
    AfxBodyId a = rig_body(&rig, at(0.1, 0, 0), young), b = rig_body(&rig, at(0.4, 0.1, 0), young);
    rig_joint(&rig, kind, afx_world(), a, at(0, 0.02, 0.1), at(1, 2, 3));
    rig_joint(&rig, kind, a, b, at(0.2, 0, 0.1), at(-2, 3, 1));
    return rig;
}

static void every_kind(void **state) {
    (void)state;
    const double young[] = {INFINITY, ELASTIC};
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        for (size_t y = 0; y < COUNT(young); y++) {
            for (size_t i = 0; i < COUNT(integrators); i++) {
                char what[80];
                Rig rig = make_pair((AfxJointKind)kind, young[y]);
                if (i % 2) {
                    rig_make_contact_possible(&rig);
                }
                rig_start(&rig, integrators[i], MANY);
                AfxResidual worst = rig_run(&rig, 12);
                snprintf(what, sizeof what, "%s, young %g, integrator %d", afx_joint_kind_name((AfxJointKind)kind),
                         young[y], integrators[i]);
                assert_met(what, worst, MET);
                assert_int_equal(worst.stages, integrators[i] == AFX_SDIRK2 ? 24 : 12);
                rig_free(&rig);
            }
        }
    }
}

int run_kind_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind)};
    return cmocka_run_group_tests_name("solve joint kinds", tests, NULL, NULL);
}

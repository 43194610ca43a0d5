/* SPDX-License-Identifier: Apache-2.0 */
/* Every joint kind, on the world, on a free base and on one that is told how to move. */
#include "tests.h"

static void check_rig(Rig *rig, AfxIntegrator integrator, AfxQuantity quantity, const char *name, double tolerance) {
    AfxSimDef def = sim_def(integrator, 0.01);
    rig_start(rig, &def);
    Course course = {rig->model, integrator, 0.01, 6, NULL};
    double dot, error = course_check(&course, quantity, &dot);
    if (getenv("AFFIX_TEST_GRAD")) {
        printf("%s, integrator %d: off by %.2e, %.2e\n", name, integrator, error, dot);
    } else if (!(error <= tolerance && dot <= 1e-11)) {
        fail_msg("%s, integrator %d: off by %.2e, adjoint and tangent by %.2e", name, integrator, error, dot);
    }
}

static void test_kinds(void **state) {
    (void)state;
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1, AFX_SDIRK2};
    uint64_t seed = 11;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        for (int mode = 0; mode < BASE_MODES; mode++) {
            Rig rig = random_rig((AfxJointKind)kind, (BaseMode)mode, &seed);
            char name[80];
            bool reaction = (kind + mode) % 2 && kind != AFX_JOINT_FREE;
            snprintf(name, sizeof name, "kind %d on %s", kind, base_names[mode]);
            AfxQuantity quantity = {reaction ? AFX_QUANTITY_REACTION : AFX_QUANTITY_ENERGY, 0, reaction ? 2 : 0};
            /* reactions are met to 1e-10 of the weights, which differences magnify a thousand times; those of two
             * bodies that fly are small */
            check_rig(&rig, methods[(kind + mode) % 4], quantity, name, reaction ? 1e-4 : 1e-8);
            rig_free(&rig);
        }
    }
}

/* Rods on hinges with something of every kind that acts on coordinates, elastic and rigid. */
static Rig driven_rig(double young) {
    Rig rig = rig_make(v3(0.3, 0.2, -9.81));
    AfxBodyId last = afx_world();
    AfxJointId joint[4];
    for (int k = 0; k < 4; k++) {
        AfxBodyDef body = afx_default_body();
        body.mass_source = AFX_MASS_GIVEN;
        body.mass = 1 + 0.2 * k;
        body.inertia[0] = 0.02;
        body.inertia[1] = 0.03;
        body.inertia[2] = 0.04;
        body.young = young;
        body.linear_damping = 0.1;
        body.angular_damping = 0.2;
        body.pose.position = v3(0.5 + k, 0, 0);
        AfxBodyId own = rig_body(&rig, &body);
        AfxPose at = {v3(k, 0, 0), q_about(v3(1, 0, 0), 0.3 * k)};
        joint[k] = rig_joint(&rig,
                             k == 2   ? AFX_JOINT_UNIVERSAL
                             : k == 3 ? AFX_JOINT_CYLINDRICAL
                                      : AFX_JOINT_REVOLUTE,
                             last, own, at);
        last = own;
    }
    static const AfxDriveKind kinds[] = {AFX_DRIVE_SERVO, AFX_DRIVE_SPRING, AFX_DRIVE_FORCE, AFX_DRIVE_FRICTION,
                                         AFX_DRIVE_SPRING};
    static const int on[] = {0, 1, 2, 3, 3}, axis[] = {0, 0, 1, 1, 0};
    for (int k = 0; k < 5; k++) {
        AfxDriveId id;
        AfxDriveDef drive = afx_default_drive(kinds[k]);
        drive.joint = joint[on[k]];
        drive.axis = (uint32_t)axis[k];
        drive.stiffness = 30;
        drive.damping = 0.7;
        drive.effort = kinds[k] == AFX_DRIVE_FRICTION ? 0.05 : 100;
        drive.target = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0.1, 0.4, 0.5, 0.3}};
        assert_int_equal(afx_scene_add_drive(rig.scene, &drive, &id), AFX_OK);
    }
    return rig;
}

static void test_driven(void **state) {
    (void)state;
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1, AFX_SDIRK2};
    for (int k = 0; k < 8; k++) {
        Rig rig = driven_rig(k % 2 ? 1e6 : INFINITY);
        AfxQuantity quantity = {k < 4 ? AFX_QUANTITY_ENERGY : AFX_QUANTITY_EFFORT, k < 4 ? 0 : (uint32_t)(k - 4), 0};
        check_rig(&rig, methods[k / 2], quantity, "driven rods", 2e-8);
        rig_free(&rig);
    }
}

int run_grad_kind_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_driven)};
    return cmocka_run_group_tests_name("grad kinds", tests, NULL, NULL);
}

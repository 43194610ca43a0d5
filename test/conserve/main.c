/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/conserve. */
#include "tests.h"

const AfxIntegrator conserving[CONSERVING] = {AFX_CONSERVING, AFX_CONSERVING4, AFX_REFERENCE};
const char *const conserving_names[CONSERVING] = {"conserving", "conserving4", "reference"};

double rig_drift(Rig *rig, uint32_t steps, double (*more)(const Rig *)) {
    double start = rig_energy(rig) + (more ? more(rig) : 0), most = 0;
    for (uint32_t n = 0; n < steps; n++) {
        rig_run(rig, 1, NULL);
        double now = rig_energy(rig) + (more ? more(rig) : 0);
        most = fabs(now - start) <= most ? most : fabs(now - start);
    }
    return most;
}

bool test_long(void) {
    return getenv("AFFIX_TEST_LONG") != NULL;
}

Rig rods_make(uint32_t count) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (uint32_t k = 0; k < count; k++) {
        AfxBodyDef def = rigid_def(1, 1.0 / 600, 1.0 / 12, 1.0 / 12);
        def.pose.position = v3(k + 0.5, 0, 0);
        AfxBodyId body = rig_body(&rig, &def);
        AfxPose frame = {v3(k, 0, 0), q_about(v3(0, 0, 1), PI / 2)}; /* x of the joint along y */
        rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body, frame);
        last = body;
    }
    return rig;
}

AfxVec3 rods_tip(const Rig *rig) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(rig->sim, afx_model_body_count(rig->model) - 1, &pose));
    return v3_add(pose.position, q_rotate(pose.rotation, v3(0.5, 0, 0)));
}

int main(void) {
    return run_kinds_tests() + run_pendulum_tests() + run_long_tests() + run_forces_tests() + run_refuse_tests() +
           run_same_tests();
}

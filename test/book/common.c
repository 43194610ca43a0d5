/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

Rig rig_make(void) {
    return (Rig){.scene = scene_make(afx_default_scene().gravity, false), .def = afx_default_sim()};
}

void rig_free(Rig *rig) {
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
}

AfxBodyId rig_ball(Rig *rig, double mass, AfxVec3 at) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_sphere(0.1);
    AfxBodyId id;
    def.young = INFINITY;
    def.pose.position = at;
    shape.mass = mass;
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &shape));
    return id;
}

AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame) {
    return scene_joint(rig->scene, kind, base, follower, frame);
}

void rig_drive(Rig *rig, AfxJointId joint, AfxDriveDef def) {
    AfxDriveId id;
    def.joint = joint;
    assert_ok(afx_scene_add_drive(rig->scene, &def, &id));
}

void rig_start(Rig *rig) {
    sim_start(rig->scene, &rig->model, &rig->sim, &rig->def);
    assert_ok(afx_sim_set_energy_book(rig->sim, true));
}

AfxEnergyBook rig_run(Rig *rig, double seconds) {
    AfxEnergyBook step, total;
    double stored, scale = 0;
    assert_ok(afx_sim_energy_book(rig->sim, NULL, &total));
    stored = total.kinetic + total.potential + total.elastic + total.springs;
    for (long k = lround(seconds / rig->def.dt); k > 0; k--) {
        double sum = 0;
        assert_ok(afx_step(rig->sim, NULL));
        assert_ok(afx_sim_energy_book(rig->sim, &step, &total));
#define SUM(name, text) \
    sum += step.name;   \
    scale = fmax(scale, fabs(step.name));
        AFX_ENERGY_WORK_TABLE(SUM)
#undef SUM
        double now = step.kinetic + step.potential + step.elastic + step.springs;
        scale = fmax(scale, step.kinetic + fabs(step.potential) + step.elastic + step.springs);
        assert_near(sum, step.change, 1e-12 * scale);
        assert_near(now - stored, step.change, 1e-12 * scale);
        stored = now;
    }
    return total;
}

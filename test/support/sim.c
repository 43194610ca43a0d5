/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/sim.h"

AfxBodyDef rigid_def(double mass, double ixx, double iyy, double izz) {
    AfxBodyDef def = afx_default_body();
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = mass;
    def.inertia[0] = ixx;
    def.inertia[1] = iyy;
    def.inertia[2] = izz;
    def.young = INFINITY;
    return def;
}

AfxScene *scene_make(AfxVec3 gravity, bool contact) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    def.gravity = gravity;
    assert_ok(afx_scene_create(&def, &scene));
    assert_ok(afx_scene_set_contact(scene, contact));
    return scene;
}

AfxJointId scene_joint(AfxScene *scene, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    def.base = base;
    def.follower = follower;
    assert_ok(afx_joint_place(scene, &def, frame));
    assert_ok(afx_scene_add_joint(scene, &def, &id));
    return id;
}

void sim_start(const AfxScene *scene, AfxModel **model, AfxSim **sim, const AfxSimDef *def) {
    if (!*model) {
        AfxError error;
        AfxStatus status = afx_model_create(scene, model, &error);
        if (status) {
            print_error("%s: %s\n", error.element, error.text);
        }
        assert_ok(status);
    }
    afx_sim_destroy(*sim);
    *sim = NULL;
    assert_ok(afx_sim_create(*model, def, sim));
}

bool sim_finite(const AfxSim *sim) {
    const double *q = afx_sim_coordinates(sim), *v = afx_sim_velocities(sim);
    for (size_t k = 0; k < 12 * (size_t)afx_model_body_count(afx_sim_model(sim)); k++) {
        if (!isfinite(q[k]) || !isfinite(v[k])) {
            return false;
        }
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of generalised coordinates, armature, controls, keyframes and robots from files. */
#include "tests.h"

AfxScene *scene_from(const char *text, AfxFormat format) {
    AfxScene *scene = scene_make((AfxVec3){0, 0, -9.81}, true);
    AfxLoadDef def = afx_default_load();
    AfxError error = {0};
    def.format = format;
    if (afx_scene_load_text(scene, text, strlen(text), NULL, &def, &error) != AFX_OK) {
        fail_msg("%s: %s (%s)", error.element, error.text, error.cure);
    }
    return scene;
}

AfxSim *sim_of(const AfxScene *scene, AfxModel **out_model) {
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.dt = 1e-3;
    *out_model = NULL;
    sim_start(scene, out_model, &sim, &def);
    return sim;
}

static void store_unit(AfxQuat q, double *out) {
    double sign = q.w < 0 ? -1 : 1;
    const double parts[4] = {sign * q.w, sign * q.x, sign * q.y, sign * q.z};
    memcpy(out, parts, sizeof parts);
}

void random_qpos(const AfxModel *model, uint64_t *seed, double size, double *out_qpos) {
    for (uint32_t k = 0; k < afx_model_generalized_count(model); k++) {
        AfxGeneralized g;
        assert_ok(afx_model_generalized(model, k, &g));
        double *q = out_qpos + g.qpos;
        for (uint32_t n = 0; n < (g.kind == AFX_GENERALIZED_AXIS ? 1u : 3u); n++) {
            q[n] = size * (2 * random_unit(seed) - 1);
        }
        if (g.kind != AFX_GENERALIZED_AXIS) {
            store_unit(random_quat(seed), q + (g.kind == AFX_GENERALIZED_FREE ? 3 : 0));
        }
    }
}

int main(void) {
    return run_generalized_tests() + run_armature_tests() + run_control_tests() + run_sensor_tests() +
           run_file_tests() + run_kinematics_tests() + run_activation_tests() + run_tendon_tests() + run_feel_tests() +
           run_act_tests();
}

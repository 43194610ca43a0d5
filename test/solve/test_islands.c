/* SPDX-License-Identifier: Apache-2.0 */
/* Islands side by side in one stage, each with a plan of its own: some go on from their history, some start anew, some
 * were struck and go by BDF1, some are held, some are done in parts of the step. */
#include "tests.h"

#include "state/pace.h"
#include "step/sim.h"

static void add_chain(Rig *rig, AfxVec3 start, bool hangs, double young) {
    AfxBodyId before = afx_world();
    for (int k = 0; k < 5; k++) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef capsule = afx_default_capsule(0.02, 0.1);
        AfxBodyId link;
        def.pose.position = at(start.x + 0.16 * k, start.y, start.z);
        def.young = young;
        capsule.pose.rotation = afx_quat_from_axis_angle(at(0, 1, 0), 1.5707963267948966);
        assert_ok(afx_scene_add_body(rig->scene, &def, &link));
        assert_ok(afx_scene_add_shape(rig->scene, link, &capsule));
        if (k || hangs) {
            rig_joint(rig, AFX_JOINT_SPHERICAL, before, link, at(start.x + 0.16 * k - 0.08, start.y, start.z),
                      at(1, 0, 0));
        }
        if (k) {
            afx_scene_exclude_contact(rig->scene, before, link);
        }
        before = link;
    }
}

/* Three balls with springs in a star: a tree that is pooled with its like. */
static void add_tree(Rig *rig, AfxVec3 start, double young) {
    AfxBodyId root = rig_body(rig, start, young);
    rig_joint(rig, AFX_JOINT_SPHERICAL, afx_world(), root, at(start.x, start.y, start.z + 0.1), at(1, 0, 0));
    for (int k = 0; k < 3; k++) {
        AfxVec3 place = at(start.x + 0.4 * k - 0.4, start.y, start.z - 0.4);
        AfxBodyId leaf = rig_body(rig, place, young);
        rig_joint(rig, AFX_JOINT_SPHERICAL, root, leaf, at(place.x, place.y, start.z - 0.2), at(1, 0, 0));
    }
}

/* A pendulum that swings against a limit. */
static void add_pendulum(Rig *rig, AfxVec3 point, double young) {
    AfxBodyId body = rig_body(rig, at(point.x + 0.4, point.y, point.z), young);
    AfxJointId hinge = rig_joint(rig, AFX_JOINT_REVOLUTE, afx_world(), body, point, at(0, 1, 0));
    AfxDriveDef limit = rig_drive(AFX_DRIVE_LIMIT, hinge, 0);
    limit.lower = -0.1;
    limit.upper = 0.1;
    rig_add_drive(rig, &limit);
}

typedef enum Member { LANDS, LOWER, UPPER, FREE, HELD } Member; /* bodies of the model */

static Rig make_islands(double young) {
    Rig rig = rig_make(at(0.2, 0.1, -9.81));
    rig.touching = true;
    rig_body(&rig, at(0, 0, 0.25), young);
    rig_body(&rig, at(3, 0, 0.25), young);
    rig_body(&rig, at(3.05, 0.02, 0.7), young);
    rig.touching = false;
    rig_body(&rig, at(12, 0, 40), young);
    rig_body(&rig, at(15, 0, 20), young);
    add_chain(&rig, at(6, 0, 20), true, young);
    add_chain(&rig, at(6, 3, 0.1), false, young);
    add_pendulum(&rig, at(9, 0, 20), young);
    add_tree(&rig, at(18, 0, 20), young);
    add_tree(&rig, at(21, 0, 20), young);
    rig_ground(&rig, 0);
    return rig;
}

/* Which of the ways to go on there are among the bodies before a step. */
static bool has_several_paces(const AfxSim *sim) {
    const AfxiState *state = &sim->world.state;
    bool seen[3] = {false, false, false};
    for (uint32_t k = 0; state->head->uneven && k < sim->model->dynamic_count; k++) {
        uint8_t pace = state->pace[sim->model->dynamic[k]];
        seen[pace & AFXI_PACE_REDUCED_ORDER ? 1 : pace & AFXI_PACE_RESTART ? 2 : 0] = true;
    }
    return seen[0] + seen[1] + seen[2] > 1;
}

static void islands_go_each_by_their_own_plan(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_SDIRK2};
    const double young[] = {INFINITY, ELASTIC};
    for (size_t i = 0; i < COUNT(integrators); i++) {
        for (size_t y = 0; y < COUNT(young); y++) {
            uint32_t mixed = 0;
            Rig rig = make_islands(young[y]);
            rig_start(&rig, integrators[i], 30);
            for (int step = 0; step < 40; step++) {
                char what[100];
                if (step == 4) {
                    assert_ok(afx_sim_hold(rig.sim, HELD, at(0.1, 0, 0.05), at(15.1, 0, 20.1), 5000, 20));
                }
                mixed += has_several_paces(rig.sim);
                snprintf(what, sizeof what, "step %d, integrator %d, young %g", step, integrators[i], young[y]);
                assert_met(what, rig_run(&rig, 1), MET);
            }
            assert_true(mixed > 0 || integrators[i] != AFX_BDF2);
            rig_free(&rig);
        }
    }
}

/* A ring of rigid bodies that falls in long steps is cut into parts; what is beside it is not. */
static void an_island_in_parts_beside_others(void **state) {
    (void)state;
    Rig rig = rig_case("ring", "n=40");
    for (uint32_t k = 0; k < afx_scene_body_count(rig.scene); k++) {
        AfxBodyDef def;
        AfxBodyId id = afx_scene_body(rig.scene, k);
        assert_ok(afx_scene_get_body(rig.scene, id, &def));
        def.young = INFINITY;
        assert_ok(afx_scene_set_body(rig.scene, id, &def));
    }
    rig_body(&rig, at(50, 0, 0), INFINITY);
    add_chain(&rig, at(60, 0, 0), false, INFINITY);
    AfxSimDef def = afx_default_sim();
    def.dt = 0.2;
    def.accuracy = AFX_ACCURATE;
    sim_start(rig.scene, &rig.model, &rig.sim, &def);
    assert_ok(afx_sim_set_verify(rig.sim, true));
    uint32_t cut = 0;
    for (int k = 0; k < 10; k++) {
        AfxStepReport report;
        AfxResidual found;
        assert_ok(afx_step(rig.sim, &report));
        assert_ok(afx_sim_residual(rig.sim, &found));
        bool halved = report.flags & AFX_STEP_HALVED;
        uint32_t parts = found.stages - 1; /* and the whole step of the others */
        cut += halved;
        assert_true(halved ? parts >= 2 && (parts & (parts - 1)) == 0 : parts == 0);
        assert_below(found.force, 1e-2); /* what `accurate` leaves: far from converged, and far from a wrong past */
        assert_below(found.constraint, 1e-4);
    }
    assert_true(cut > 0);
    rig_free(&rig);
}

int run_island_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_go_each_by_their_own_plan),
        cmocka_unit_test(an_island_in_parts_beside_others),
    };
    return cmocka_run_group_tests_name("solve islands", tests, NULL, NULL);
}

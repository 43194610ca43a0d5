/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of barrier contact share. */
#include "tests.h"

World world_make(double gravity, double friction) {
    World world = {0};
    AfxSceneDef def = afx_default_scene();
    AfxMaterialDef material = afx_default_material();
    def.gravity = v3(0, 0, -gravity);
    material.friction = friction;
    assert_ok(afx_scene_create(&def, &world.scene));
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    return world;
}

AfxBodyId world_add(World *world, const AfxBodyDef *def, const AfxShapeDef *shape) {
    AfxBodyId id;
    assert_ok(afx_scene_add_body(world->scene, def, &id));
    assert_ok(afx_scene_add_shape(world->scene, id, shape));
    return id;
}

void world_plane(World *world) {
    AfxBodyDef ground = afx_default_body();
    AfxShapeDef plane = afx_default_plane();
    ground.kind = AFX_BODY_FIXED;
    world_add(world, &ground, &plane);
}

AfxBodyId world_put(World *world, const AfxShapeDef *shape, AfxPose pose, bool rigid) {
    AfxBodyDef def = afx_default_body();
    def.pose = pose;
    def.young = rigid ? INFINITY : 1e9;
    return world_add(world, &def, shape);
}

void world_start(World *world, AfxIntegrator integrator, double dt) {
    AfxSimDef def = afx_default_sim();
    def.contact_model = AFX_CONTACT_BARRIER;
    def.integrator = integrator;
    def.dt = dt;
    sim_start(world->scene, &world->model, &world->sim, &def);
}

double world_run(World *world, uint32_t steps, double *out_mean) {
    double violation = 0, iterations = 0;
    for (uint32_t k = 0; k < steps; k++) {
        AfxStepReport report;
        uint32_t count;
        AfxStatus status = afx_step(world->sim, &report);
        if (status != AFX_OK) {
            fail_msg("step %u: status %d, flags %x, body %u", k, (int)status, report.flags, report.body);
        }
        AfxOverlap found[1];
        assert_ok(afx_sim_intersections(world->sim, found, 1, &count));
        if (count) {
            fail_msg("step %u: %u intersections, first of %u and %u by %g; gap %g", k, count, found[0].body_a,
                     found[0].body_b, found[0].depth, report.gap_least);
        }
        violation = fmax(violation, report.violation);
        iterations += report.iterations;
    }
    if (out_mean) {
        *out_mean = iterations / steps;
    }
    return violation;
}

void world_free(World *world) {
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
}

AfxPose pose_of(const World *world, AfxBodyId body) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(world->sim, body.index, &pose));
    return pose;
}

AfxTwist twist_of(const World *world, AfxBodyId body) {
    AfxTwist twist;
    assert_ok(afx_sim_body_twist(world->sim, body.index, &twist));
    return twist;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of contact share. */
#include "tests.h"

#include "cases/cases.h"

World world_make(AfxVec3 gravity) {
    World world = {0};
    AfxSceneDef def = afx_default_scene();
    def.gravity = gravity;
    assert_ok(afx_scene_create(&def, &world.scene));
    return world;
}

World world_case(const char *name, const char *const *arguments) {
    World world = {0};
    AfxSceneDef def = afx_default_scene();
    AfxiCaseArguments args;
    AfxError error = {0};
    uint32_t count = 0;
    while (arguments[count]) {
        ++count;
    }
    AfxStatus status = afxi_case_arguments(afxi_case_find(name), count, arguments, &args, &error);
    status = status ? status : afxi_case_build(&args, &def, &world.scene, &error);
    if (status != AFX_OK) {
        fail_msg("%s: %s: %s", name, error.element, error.text);
    }
    world_start(&world, NULL);
    return world;
}

World world_ground(const AfxMaterialDef *material) {
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxBodyDef ground = afx_default_body();
    AfxShapeDef plane = afx_default_plane();
    ground.kind = AFX_BODY_FIXED;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), material));
    world_add(&world, &ground, &plane);
    return world;
}

uint32_t world_add(World *world, const AfxBodyDef *def, const AfxShapeDef *shape) {
    AfxBodyId id;
    assert_ok(afx_scene_add_body(world->scene, def, &id));
    assert_ok(afx_scene_add_shape(world->scene, id, shape));
    return id.index;
}

void world_start(World *world, const AfxSimDef *def) {
    AfxSimDef own = def ? *def : afx_default_sim();
    sim_start(world->scene, &world->model, &world->sim, &own);
}

void world_run(World *world, double seconds) {
    double end = afx_sim_time(world->sim) + seconds - 0.5 * afx_sim_dt(world->sim);
    while (afx_sim_time(world->sim) < end) {
        assert_ok(afx_step(world->sim, NULL));
    }
}

void world_free(World *world) {
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
    *world = (World){0};
}

AfxPose pose_of(const World *world, uint32_t body) {
    AfxPose pose;
    assert_ok(afx_sim_body_pose(world->sim, body, &pose));
    return pose;
}

AfxTwist twist_of(const World *world, uint32_t body) {
    AfxTwist twist;
    assert_ok(afx_sim_body_twist(world->sim, body, &twist));
    return twist;
}

AfxVec3 marker_of(const World *world) {
    AfxVec3 position;
    assert_ok(afx_sim_marker(world->sim, 0, &position, NULL));
    return position;
}

AfxVec3 marker_speed(const World *world) {
    AfxVec3 velocity;
    assert_ok(afx_sim_marker(world->sim, 0, NULL, &velocity));
    return velocity;
}

double mass_of(const World *world, uint32_t body) {
    double mass;
    assert_ok(afx_sim_param(world->sim, AFX_PARAM_BODY_MASS, body, &mass));
    return mass;
}

static size_t state_length(const World *world) {
    return 12 * (size_t)afx_model_body_count(world->model);
}

double *state_copy(const World *world) {
    size_t length = state_length(world);
    double *copy = malloc(2 * length * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, afx_sim_coordinates(world->sim), length * sizeof *copy);
    memcpy(copy + length, afx_sim_velocities(world->sim), length * sizeof *copy);
    return copy;
}

bool state_equal(const World *world, const double *copy) {
    size_t length = state_length(world);
    return memcmp(copy, afx_sim_coordinates(world->sim), length * sizeof *copy) == 0 &&
           memcmp(copy + length, afx_sim_velocities(world->sim), length * sizeof *copy) == 0;
}

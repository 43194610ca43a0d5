/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the step share. */
#include "tests.h"

const Method methods[METHODS] = {{AFX_BDF2, "bdf2", 0.8, 2},
                                 {AFX_BDF1, "bdf1", 0.8, 1},
                                 {AFX_ALPHA, "alpha", 0.8, 2},
                                 {AFX_SDIRK2, "sdirk2", 0.8, 1}};

World world_make(AfxVec3 gravity) {
    World world = {0};
    AfxSceneDef def = afx_default_scene();
    def.gravity = gravity;
    assert_ok(afx_scene_create(&def, &world.scene));
    assert_ok(afx_scene_set_contact(world.scene, false)); /* bodies overlap as they like */
    return world;
}

uint32_t world_add(World *world, const AfxBodyDef *def) {
    AfxBodyId id;
    AfxStatus status = afx_scene_add_body(world->scene, def, &id);
    if (status) {
        print_error("%s: %s\n", afx_scene_error(world->scene)->element, afx_scene_error(world->scene)->text);
    }
    assert_ok(status);
    return id.index;
}

uint32_t world_add_shape(World *world, const AfxBodyDef *def, const AfxShapeDef *shape) {
    uint32_t body = world_add(world, def);
    assert_ok(afx_scene_add_shape(world->scene, afx_scene_body(world->scene, body), shape));
    return body;
}

void world_load(World *world, uint32_t body, const AfxWrenchDef *wrench) {
    AfxWrenchDef def = *wrench;
    AfxWrenchId id;
    def.body = afx_scene_body(world->scene, body);
    assert_ok(afx_scene_add_wrench(world->scene, &def, &id));
}

uint32_t world_mark(World *world, uint32_t body, AfxVec3 point) {
    AfxMarkerId id;
    char name[32];
    snprintf(name, sizeof name, "marker %u", (unsigned)afx_scene_marker_count(world->scene));
    assert_ok(afx_scene_add_marker(world->scene, afx_scene_body(world->scene, body), name, point, &id));
    return id.index;
}

void world_add_bars(World *world, AfxVec3 start, int count, double speed, double stiffness) {
    AfxBodyId before = afx_world();
    for (int k = 0; k < count; k++) {
        AfxBodyDef def = afx_default_body();
        AfxShapeDef bar = afx_default_box(0.2, 0.05, 0.04);
        AfxJointDef ball = afx_default_joint(AFX_JOINT_SPHERICAL);
        AfxJointId joint;
        def.pose.position = v3(start.x + 0.2 * k + 0.1, start.y, start.z);
        def.angular_velocity.y = k % 2 ? -speed : speed;
        def.young = INFINITY;
        AfxBodyId body = afx_scene_body(world->scene, world_add_shape(world, &def, &bar));
        ball.base = before;
        ball.follower = body;
        ball.spring.stiffness = v3(stiffness, stiffness, stiffness);
        AfxVec3 at = v3(start.x + 0.2 * k, start.y, start.z);
        assert_ok(afx_joint_place(world->scene, &ball, afx_frame_along(at, v3(1, 0, 0))));
        assert_ok(afx_scene_add_joint(world->scene, &ball, &joint));
        before = body;
    }
}

void world_start(World *world, const AfxSimDef *def) {
    sim_start(world->scene, &world->model, &world->sim, def);
}

void world_run(World *world, uint32_t steps) {
    for (uint32_t n = 0; n < steps; n++) {
        assert_ok(afx_step(world->sim, NULL));
    }
}

void world_free(World *world) {
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
    *world = (World){0};
}

AfxSimDef sim_def(const Method *method, double dt) {
    AfxSimDef def = afx_default_sim();
    def.integrator = method->integrator;
    def.rho = method->rho;
    def.dt = dt;
    return def;
}

AfxSimDef accurate_def(const Method *method, double dt) {
    AfxSimDef def = sim_def(method, dt);
    def.accuracy = AFX_ACCURATE;
    return def;
}

AfxBodyDef odd_def(void) {
    static const double principal[6] = {0.5, 0.9, 1.2, 0, 0, 0};
    AfxBodyDef def = rigid_def(2.5, 0, 0, 0);
    tensor_turn(principal, q_about(v3(1, 2, -0.5), 0.8), def.inertia);
    def.center = v3(0.2, -0.1, 0.3);
    def.pose = (AfxPose){v3(1, -2, 3), q_about(v3(-1, 0.3, 2), 1.1)};
    def.linear_velocity = v3(0.4, 1.5, -0.7);
    def.angular_velocity = v3(1.3, -2.1, 0.9);
    return def;
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

AfxVec3 spin_of(const World *world, uint32_t body) {
    return q_rotate(q_conjugate(pose_of(world, body).rotation), twist_of(world, body).angular);
}

AfxVec3 centre_of(const World *world, uint32_t body, AfxVec3 center) {
    AfxPose pose = pose_of(world, body);
    return v3_add(pose.position, q_rotate(pose.rotation, center));
}

Gap gap_between(const World *world, uint32_t body, const RigidReference *reference) {
    AfxPose pose = pose_of(world, body), want = rigid_reference_pose(reference);
    AfxTwist twist = twist_of(world, body), want_twist = rigid_reference_twist(reference);
    return (Gap){q_distance(pose.rotation, want.rotation), v3_distance(twist.angular, want_twist.angular),
                 v3_distance(pose.position, want.position), v3_distance(twist.linear, want_twist.linear)};
}

static size_t state_length(const World *world) {
    return 12 * (size_t)afx_model_body_count(world->model);
}

bool state_finite(const World *world) {
    return sim_finite(world->sim);
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

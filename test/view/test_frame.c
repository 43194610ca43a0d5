/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: poses, speeds, reactions and contacts against statics, and how far joints are off. */
#include "view/frame.h"

#include "tests.h"

typedef struct Swing {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxiFrameMaker maker;
} Swing;

/* A ball of 2 kg on a massless-looking arm: its centre 0.5 m below a ball joint. */
static void swing_make(Swing *swing) {
    AfxAllocator allocator = afx_default_allocator();
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.05);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxBodyId id;
    AfxJointId joint_id;
    AfxError error;
    assert_ok(afx_scene_create(&scene_def, &swing->scene));
    body.pose.position.z = -0.5;
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 0.7);
    body.young = INFINITY;
    ball.mass = 2;
    assert_ok(afx_scene_add_body(swing->scene, &body, &id));
    assert_ok(afx_scene_add_shape(swing->scene, id, &ball));
    joint.follower = id;
    assert_ok(afx_joint_place(swing->scene, &joint, afx_frame_along((AfxVec3){0}, (AfxVec3){1, 2, 3})));
    assert_ok(afx_scene_add_joint(swing->scene, &joint, &joint_id));
    assert_ok(afx_model_create(swing->scene, &swing->model, &error));
    assert_ok(afx_sim_create(swing->model, &sim_def, &swing->sim));
    assert_ok(afxi_frame_prepare(&allocator, swing->scene, swing->sim, &swing->maker));
}

static void swing_free(Swing *swing) {
    afxi_frame_release(&swing->maker);
    afx_sim_destroy(swing->sim);
    afx_model_destroy(swing->model);
    afx_scene_destroy(swing->scene);
}

static const float *records(const AfxiBlob *blob) {
    return (const float *)(const void *)(blob->bytes.data + sizeof(AfxiFrameHead));
}

static void test_rest(void **state) {
    (void)state;
    Swing swing;
    swing_make(&swing);
    for (int k = 0; k < 5; k++) {
        assert_ok(afx_step(swing.sim, NULL));
    }
    AfxiFrameHead head = {.generation = 3, .step = 5, .colour = AFXI_COLOUR_SPEED};
    AfxiBlob *blob = afxi_frame_make(&swing.maker, swing.sim, &head, (AfxiFrameParts){.reactions = true});
    assert_non_null(blob);
    AfxiFrameHead got;
    memcpy(&got, blob->bytes.data, sizeof got);
    assert_memory_equal(got.magic, "AFXF", 4);
    assert_int_equal(got.generation, 3);
    assert_int_equal(got.bodies, 1);
    assert_true(fabs(got.time - 0.05) < 1e-12);
    assert_true(fabs(got.energy[1] + 2 * 9.81 * 0.5) < 1e-6);
    const float *body = records(blob);
    assert_true(fabsf(body[2] + 0.5f) < 1e-6f && fabsf(body[3]) < 1e-6f);
    assert_true(fabsf(body[5] - sinf(0.35f)) < 1e-6f && fabsf(body[7] - cosf(0.35f)) < 1e-6f);
    assert_int_equal(blob->size, sizeof got + 8 * sizeof(float) + 8 + 6 * sizeof(float));
    assert_memory_equal(body + 8, "REAC", 4);
    const float *force = body + 10; /* the joint carries the weight, straight up, whatever its axes */
    assert_true(fabsf(force[0]) < 1e-4f && fabsf(force[1]) < 1e-4f && fabsf(force[2] - 2 * 9.81f) < 1e-3f);
    afxi_blob_drop(blob);
    swing_free(&swing);
}

/* The book of a pendulum that swings: a section of its own where it is kept and asked for. */
static void test_book(void **state) {
    (void)state;
    Swing swing;
    swing_make(&swing);
    AfxiFrameHead head = {.generation = 1};
    AfxiBlob *blob = afxi_frame_make(&swing.maker, swing.sim, &head, (AfxiFrameParts){.book = true});
    assert_non_null(blob);
    size_t bare = sizeof head + 8 * sizeof(float);
    assert_int_equal(blob->size, bare); /* none is kept */
    afxi_blob_drop(blob);
    assert_ok(afx_sim_set_energy_book(swing.sim, true));
    AfxWrench push[1] = {{.force = {3, 1, 0}}};
    assert_ok(afx_sim_set_body_wrenches(swing.sim, push));
    for (int k = 0; k < 20; k++) {
        assert_ok(afx_step(swing.sim, NULL));
    }
    AfxEnergyBook book;
    assert_ok(afx_sim_energy_book(swing.sim, NULL, &book));
    assert_true(book.wrenches > 0.01);
    blob = afxi_frame_make(&swing.maker, swing.sim, &head, (AfxiFrameParts){.book = true});
    assert_int_equal(blob->size, bare + 8 + AFXI_LOOK_BOOK * sizeof(float));
    const float *section = records(blob) + 8;
    assert_memory_equal(section, "BOOK", 4);
    assert_true(section[2] == (float)book.springs && section[2 + 12] == (float)book.wrenches &&
                section[2 + 14] == (float)book.integrator);
    afxi_blob_drop(blob);
    swing_free(&swing);
}

/* An arm of 2 kg, level, its centre 0.5 m from a hinge whose drive holds it: the torque is that of its weight. */
static void test_efforts(void **state) {
    (void)state;
    Swing arm;
    AfxAllocator allocator = afx_default_allocator();
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.05);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
    AfxBodyId id;
    AfxDriveId drive_id;
    AfxError error;
    assert_ok(afx_scene_create(&scene_def, &arm.scene));
    body.pose.position.x = 0.5;
    body.young = INFINITY;
    ball.mass = 2;
    assert_ok(afx_scene_add_body(arm.scene, &body, &id));
    assert_ok(afx_scene_add_shape(arm.scene, id, &ball));
    joint.follower = id;
    assert_ok(afx_joint_place(arm.scene, &joint, afx_frame_along((AfxVec3){0}, (AfxVec3){0, 1, 0})));
    assert_ok(afx_scene_add_joint(arm.scene, &joint, &drive.joint));
    assert_ok(afx_scene_add_drive(arm.scene, &drive, &drive_id));
    assert_ok(afx_model_create(arm.scene, &arm.model, &error));
    assert_ok(afx_sim_create(arm.model, &sim_def, &arm.sim));
    assert_ok(afxi_frame_prepare(&allocator, arm.scene, arm.sim, &arm.maker));
    for (int k = 0; k < 20; k++) {
        assert_ok(afx_step(arm.sim, NULL));
    }
    AfxiBlob *blob = afxi_frame_make(&arm.maker, arm.sim, &(AfxiFrameHead){0}, (AfxiFrameParts){.reactions = true});
    assert_non_null(blob);
    const float *section = records(blob) + 8 + 2 + 6; /* behind the body and the reaction */
    uint32_t size;
    memcpy(&size, section + 1, sizeof size);
    assert_memory_equal(section, "EFFO", 4);
    assert_int_equal(size, sizeof(float));
    assert_true(fabsf(fabsf(section[2]) - 2 * 9.81f * 0.5f) < 1e-2f);
    afxi_blob_drop(blob);
    swing_free(&arm);
}

static void test_values(void **state) {
    (void)state;
    Swing swing;
    swing_make(&swing);
    AfxTwist twist = {{0.3, 0.4, 0}, {0, 0, 0}};
    assert_ok(afx_sim_set_body_twist(swing.sim, 0, twist));
    AfxiFrameHead head = {.colour = AFXI_COLOUR_SPEED};
    AfxiBlob *blob = afxi_frame_make(&swing.maker, swing.sim, &head, (AfxiFrameParts){0});
    assert_true(fabsf(records(blob)[3] - 0.5f) < 1e-6f);
    assert_int_equal(blob->size, sizeof head + 8 * sizeof(float));
    afxi_blob_drop(blob);
    AfxPose pose;
    assert_ok(afx_sim_body_pose(swing.sim, 0, &pose));
    pose.position.y += 0.002; /* the joint is torn apart by that */
    assert_ok(afx_sim_set_body_pose(swing.sim, 0, pose));
    head.colour = AFXI_COLOUR_RESIDUAL;
    blob = afxi_frame_make(&swing.maker, swing.sim, &head, (AfxiFrameParts){0});
    assert_true(records(blob)[3] <= 0.002001f && records(blob)[3] > 0.0011f); /* the largest component */
    afxi_blob_drop(blob);
    swing_free(&swing);
}

/* A box of 3 kg on the ground, and a ball in the air beside it. */
static void rest_make(Swing *rest) {
    AfxAllocator allocator = afx_default_allocator();
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    AfxBodyDef ground = afx_default_body(), body = afx_default_body();
    AfxShapeDef plane = afx_default_plane(), box = afx_default_box(0.4, 0.2, 0.2), ball = afx_default_sphere(0.1);
    AfxBodyId id;
    AfxError error;
    ground.kind = AFX_BODY_FIXED;
    box.mass = 3;
    assert_ok(afx_scene_create(&scene_def, &rest->scene));
    assert_ok(afx_scene_add_body(rest->scene, &ground, &id));
    assert_ok(afx_scene_add_shape(rest->scene, id, &plane));
    body.pose.position.z = 0.1;
    assert_ok(afx_scene_add_body(rest->scene, &body, &id));
    assert_ok(afx_scene_add_shape(rest->scene, id, &box));
    body.pose.position = (AfxVec3){2, 0, 50};
    assert_ok(afx_scene_add_body(rest->scene, &body, &id));
    assert_ok(afx_scene_add_shape(rest->scene, id, &ball));
    assert_ok(afx_model_create(rest->scene, &rest->model, &error));
    assert_ok(afx_sim_create(rest->model, &sim_def, &rest->sim));
    assert_ok(afxi_frame_prepare(&allocator, rest->scene, rest->sim, &rest->maker));
}

static uint32_t section_size(const AfxiBlob *blob, uint32_t bodies) {
    uint32_t size;
    const float *section = records(blob) + (size_t)AFXI_LOOK_FLOATS * bodies;
    assert_memory_equal(section, "CONT", 4);
    memcpy(&size, section + 1, sizeof size);
    assert_int_equal(blob->size, sizeof(AfxiFrameHead) + (8 * bodies + 2) * sizeof(float) + size);
    return size;
}

static void test_contacts(void **state) {
    (void)state;
    Swing rest;
    rest_make(&rest);
    AfxiFrameHead head = {0};
    AfxiBlob *blob = afxi_frame_make(&rest.maker, rest.sim, &head, (AfxiFrameParts){.contacts = true});
    assert_int_equal(section_size(blob, 3), 0); /* nothing has touched yet */
    afxi_blob_drop(blob);
    for (int k = 0; k < 100; k++) {
        assert_ok(afx_step(rest.sim, NULL));
    }
    blob = afxi_frame_make(&rest.maker, rest.sim, &head, (AfxiFrameParts){.contacts = true});
    uint32_t count = section_size(blob, 3) / (uint32_t)(AFXI_LOOK_CONTACT * sizeof(float));
    assert_int_equal(count, 4); /* the corners of the box */
    const float *at = records(blob) + 8 * 3 + 2;
    float weight = 0;
    for (uint32_t k = 0; k < count; k++, at += AFXI_LOOK_CONTACT) {
        AfxContact contact;
        assert_ok(afx_sim_contact(rest.sim, k, &contact));
        assert_true(fabsf(fabsf(at[0]) - 0.2f) < 1e-3f && fabsf(fabsf(at[1]) - 0.1f) < 1e-3f && fabsf(at[2]) < 1e-3f);
        assert_true(fabsf(at[5] - 1) < 1e-6f);
        assert_true(at[0] == (float)contact.point.x && at[6] == (float)contact.force &&
                    at[7] == (float)contact.friction.x && at[9] == (float)contact.friction.z);
        weight += at[6];
    }
    assert_true(fabsf(weight - 3 * 9.81f) < 0.01f);
    afxi_blob_drop(blob);
    swing_free(&rest);
}

int run_frame_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),   cmocka_unit_test(test_book),     cmocka_unit_test(test_efforts),
        cmocka_unit_test(test_values), cmocka_unit_test(test_contacts),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}

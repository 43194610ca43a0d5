/* SPDX-License-Identifier: Apache-2.0 */
/* What a model holds of contact: interned geometries and places, who may touch whom, numbers of materials, hashes. */
#include "model/contacts.h"
#include "model/params.h"
#include "model/touching.h"
#include "support/allocator.h"
#include "tests.h"

static AfxBodyId add(AfxScene *scene, AfxBodyKind kind, double x) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.kind = kind;
    def.pose.position.x = x;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
    return id;
}

static void wear(AfxScene *scene, AfxBodyId body, AfxShapeDef shape) {
    assert_int_equal(afx_scene_add_shape(scene, body, &shape), AFX_OK);
}

static const AfxiContacts *compile(Rig *rig) {
    afx_model_destroy(rig->model);
    rig->model = NULL;
    assert_int_equal(afx_model_create(rig->scene, &rig->model, NULL), AFX_OK);
    return &rig->model->contacts;
}

static void join(Rig *rig, AfxBodyId a, AfxBodyId b, bool contact) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxJointId id;
    def.base = a;
    def.follower = b;
    def.contact = contact;
    def.base_frame.position.x = 0.5; /* no two joints of a body at one point */
    def.follower_frame.position.x = -0.5;
    assert_int_equal(afx_scene_add_joint(rig->scene, &def, &id), AFX_OK);
}

static void equal_shapes_are_kept_once(void **state) {
    (void)state;
    Rig rig = rig_make();
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    for (int k = 0; k < 100; k++) {
        wear(rig.scene, add(rig.scene, AFX_BODY_DYNAMIC, k), afx_default_capsule(0.1, 0.3));
    }
    for (int k = 0; k < 10; k++) {
        AfxBodyId body = add(rig.scene, AFX_BODY_DYNAMIC, k);
        wear(rig.scene, body, afx_default_mesh(vertices, 4, triangles, 4));
        wear(rig.scene, body, afx_default_convex(vertices, 4));
        wear(rig.scene, body, afx_default_sphere(k % 2 ? 0.1 : 0.2));
    }
    const AfxiContacts *contacts = compile(&rig);
    assert_true(contacts->on && contacts->possible);
    assert_int_equal(contacts->shape_count, 130);
    assert_int_equal(contacts->geometry_count, 5);
    assert_int_equal(contacts->geometries[0].kind, AFX_SHAPE_CAPSULE);
    assert_true(contacts->geometries[0].size[0] == 0.1 && contacts->geometries[0].size[1] == 0.3);
    assert_true(contacts->pose_count <= 1 + 10);
    const AfxiContactGeometry *mesh = &contacts->geometries[contacts->shapes[100].geometry];
    assert_int_equal(mesh->kind, AFX_SHAPE_MESH);
    assert_true(mesh->solid && mesh->vertices != vertices);
    assert_memory_equal(mesh->vertices, vertices, sizeof vertices);
    assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
    for (uint32_t k = 1; k < contacts->shape_count; k++) {
        assert_true(contacts->shapes[k - 1].body <= contacts->shapes[k].body);
    }
    rig_free(&rig);
}

/* A point of a shape is at the same place by its pose in the body, and by its place in the principal frame. */
static void places_are_in_principal_frames(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxShapeDef box = afx_default_box(1, 0.3, 0.2), ball = afx_default_sphere(0.2);
    box.pose = (AfxPose){{0.3, -0.2, 0.1}, afx_quat_from_axis_angle((AfxVec3){1, 2, 3}, 0.7)};
    ball.pose.position = (AfxVec3){0, 0.5, 0.4};
    ball.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, 1.1);
    AfxBodyId body = add(rig.scene, AFX_BODY_DYNAMIC, 0);
    wear(rig.scene, body, box);
    wear(rig.scene, body, ball);
    wear(rig.scene, add(rig.scene, AFX_BODY_DYNAMIC, 5), ball);
    const AfxiContacts *contacts = compile(&rig);
    AfxPose frame;
    assert_int_equal(afx_model_body_frame(rig.model, 0, &frame), AFX_OK);
    const AfxPose poses[2] = {box.pose, ball.pose};
    for (int k = 0; k < 2; k++) {
        AfxVec3 x = {0.1, 0.2, -0.3}, want = afx_pose_apply(poses[k], x);
        const AfxiContactPose *pose = &contacts->poses[contacts->shapes[k].pose];
        double got[3];
        for (int i = 0; i < 3; i++) {
            got[i] = pose->r[i] * x.x + pose->r[3 + i] * x.y + pose->r[6 + i] * x.z + pose->t[i];
        }
        AfxVec3 back = afx_pose_apply(frame, (AfxVec3){got[0], got[1], got[2]});
        assert_true(fabs(back.x - want.x) + fabs(back.y - want.y) + fabs(back.z - want.z) < 1e-14);
    }
    rig_free(&rig);
}

/* Whether two shapes may touch: bodies differ and are not excluded, one of them is dynamic, groups and masks agree. */
static bool may_touch(const AfxModel *model, uint32_t shape_a, uint32_t shape_b) {
    const AfxiContactShape *a = &model->contacts.shapes[shape_a], *b = &model->contacts.shapes[shape_b];
    return a->body != b->body && ((a->group & b->mask) || (b->group & a->mask)) &&
           (model->kind[a->body] == AFX_BODY_DYNAMIC || model->kind[b->body] == AFX_BODY_DYNAMIC) &&
           !afxi_contacts_excluded(&model->contacts, a->body, b->body);
}

static void nothing_where_nothing_can_touch(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId a = add(rig.scene, AFX_BODY_DYNAMIC, 0), ground = add(rig.scene, AFX_BODY_FIXED, 0);
    AfxBodyId still = add(rig.scene, AFX_BODY_KINEMATIC, 0);
    AfxShapeDef ball = afx_default_sphere(1);
    wear(rig.scene, a, ball);
    wear(rig.scene, a, ball);
    assert_false(compile(&rig)->possible); /* of one body */
    ball.visual = true;
    wear(rig.scene, still, ball);
    ball.visual = false;
    ball.contact_group = ball.contact_mask = 2;
    wear(rig.scene, still, ball);
    assert_false(compile(&rig)->possible); /* a visual one, and one of another group */
    wear(rig.scene, ground, afx_default_plane());
    const AfxiContacts *contacts = compile(&rig);
    assert_true(contacts->possible);
    assert_int_equal(contacts->shape_count, 4); /* the one of group 2 could touch another of its kind */
    assert_true(may_touch(rig.model, 0, 2));
    assert_false(may_touch(rig.model, 0, 1));
    assert_false(may_touch(rig.model, 0, 3));
    assert_false(may_touch(rig.model, 2, 3)); /* both stand still */
    size_t length;
    assert_non_null(afx_model_params(rig.model, &length));
    assert_int_equal(afx_scene_exclude_contact(rig.scene, ground, a), AFX_OK);
    contacts = compile(&rig);
    assert_true(contacts->on && !contacts->possible);
    assert_null(contacts->shapes);
    assert_null(contacts->excluded);
    size_t less;
    afx_model_params(rig.model, &less);
    assert_int_equal(length - less, AFXI_PAIR_SIZE);
    rig_free(&rig);
}

static void the_switch_costs_nothing(void **state) {
    (void)state;
    Rig rig = rig_make();
    for (int k = 0; k < 5; k++) {
        rig_box(&rig, AFX_BODY_DYNAMIC);
    }
    assert_int_equal(compile(&rig)->shape_count, 5);
    uint64_t on = afx_model_hash(rig.model);
    assert_int_equal(afx_scene_set_contact(rig.scene, false), AFX_OK);
    const AfxiContacts *contacts = compile(&rig);
    assert_false(contacts->on || contacts->possible);
    assert_null(contacts->shapes);
    assert_int_equal(afxi_contacts_bytes(contacts), 0);
    assert_true(afx_model_hash(rig.model) != on);
    AfxParamInfo info;
    assert_int_equal(afx_model_param_info(rig.model, AFX_PARAM_MATERIAL_PAIR, &info), AFX_OK);
    assert_int_equal(info.count, 0);
    rig_free(&rig);
}

static void excluded_pairs_are_sorted(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId id[6];
    for (int k = 0; k < 6; k++) {
        id[k] = rig_box(&rig, k == 5 ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC);
    }
    AfxBodyId bare = add(rig.scene, AFX_BODY_FIXED, 0);
    join(&rig, id[4], id[1], false);
    join(&rig, id[0], id[3], true); /* these may touch */
    join(&rig, id[0], id[2], false);
    join(&rig, id[2], bare, false); /* no shape there */
    join(&rig, afx_world(), id[0], false);
    assert_int_equal(afx_scene_exclude_contact(rig.scene, id[2], id[0]), AFX_OK); /* again */
    assert_int_equal(afx_scene_exclude_contact(rig.scene, id[5], id[0]), AFX_OK);
    assert_int_equal(afx_scene_exclude_contact(rig.scene, id[1], id[0]), AFX_OK);
    const AfxiContacts *contacts = compile(&rig);
    const uint32_t want[4][2] = {{0, 1}, {0, 2}, {0, 5}, {1, 4}};
    assert_int_equal(contacts->excluded_count, 4);
    assert_memory_equal(contacts->excluded, want, sizeof want);
    for (uint32_t a = 0; a < 6; a++) {
        for (uint32_t b = 0; b < 6; b++) {
            bool there = false;
            for (int k = 0; k < 4; k++) {
                there = there || (want[k][0] == a && want[k][1] == b) || (want[k][0] == b && want[k][1] == a);
            }
            assert_int_equal(afxi_contacts_excluded(contacts, a, b), there);
        }
    }
    rig_free(&rig);
}

static void pairs_of_materials_are_parameters(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxMaterialDef def = afx_default_material();
    AfxMaterialId one, two;
    def.friction = 0.4;
    def.stiffness = 2e5;
    assert_int_equal(afx_scene_add_material(rig.scene, &def, &one), AFX_OK);
    def.friction = 0.9;
    def.restitution = 0.3;
    def.stiffness = 6e5;
    assert_int_equal(afx_scene_add_material(rig.scene, &def, &two), AFX_OK);
    def.friction = 0.01;
    def.rolling_friction = 0.02;
    assert_int_equal(afx_scene_set_material_pair(rig.scene, two, (AfxMaterialId){0, 0}, &def), AFX_OK);
    AfxBodyId a = add(rig.scene, AFX_BODY_DYNAMIC, 0), b = add(rig.scene, AFX_BODY_DYNAMIC, 1);
    AfxShapeDef ball = afx_default_sphere(1);
    ball.material = two;
    wear(rig.scene, a, ball);
    wear(rig.scene, b, afx_default_sphere(1));
    const AfxiContacts *contacts = compile(&rig);
    assert_int_equal(contacts->material_count, 3);
    assert_int_equal(contacts->shapes[0].material, 2);
    assert_int_equal(contacts->shapes[1].material, 0);
    AfxParamInfo info;
    assert_int_equal(afx_model_param_info(rig.model, AFX_PARAM_MATERIAL_PAIR, &info), AFX_OK);
    assert_int_equal(info.count, 6);
    assert_int_equal(info.size, AFXI_PAIR_SIZE);
    const double *block = afx_model_params(rig.model, NULL);
    const double *pair = afxi_param_const(rig.model, block, AFX_PARAM_MATERIAL_PAIR, afxi_material_pair(2, 1));
    assert_ptr_equal(pair, afxi_param_const(rig.model, block, AFX_PARAM_MATERIAL_PAIR, afxi_material_pair(1, 2)));
    assert_true(fabs(pair[AFXI_PAIR_FRICTION] - 0.6) < 1e-15 && pair[AFXI_PAIR_RESTITUTION] == 0.3);
    assert_true(fabs(pair[AFXI_PAIR_STIFFNESS] - 1.5e5) < 1e-9);
    pair = afxi_param_const(rig.model, block, AFX_PARAM_MATERIAL_PAIR, afxi_material_pair(0, 2));
    assert_true(pair[AFXI_PAIR_FRICTION] == 0.01 && pair[AFXI_PAIR_ROLLING] == 0.02);
    pair = afxi_param_const(rig.model, block, AFX_PARAM_MATERIAL_PAIR, 0);
    assert_true(pair[AFXI_PAIR_FRICTION] == 0.5);
    const double good[AFXI_PAIR_SIZE] = {0, 1, 0, 0, 0}, bad[AFXI_PAIR_SIZE] = {0, 1.1, 0, 0, 0};
    assert_true(afxi_param_valid(rig.model, AFX_PARAM_MATERIAL_PAIR, 0, good));
    assert_false(afxi_param_valid(rig.model, AFX_PARAM_MATERIAL_PAIR, 0, bad));
    rig_free(&rig);
}

/* ---- what changes the hash ---- */

enum {
    PLAIN,
    MATERIAL,
    PAIR,
    GROUP,
    MASK,
    EXCLUDED,
    JOINT,
    SIZE,
    HEIGHT,
    RECTANGLE,
    FRAME,
    RATE,
    LOOP,
    OPEN,
    VARIANTS
};

static uint64_t variant(int which) {
    Rig rig = rig_make();
    const double heights[4] = {0, 1, which == HEIGHT ? 3 : 2, 3};
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    double frames[24] = {0};
    AfxBodyId ground = add(rig.scene, AFX_BODY_FIXED, 0), a = add(rig.scene, AFX_BODY_DYNAMIC, 1);
    AfxBodyId b = add(rig.scene, AFX_BODY_DYNAMIC, 2);
    AfxMaterialDef def = afx_default_material();
    AfxMaterialId id;
    AfxShapeDef ball = afx_default_sphere(which == SIZE ? 0.5 : 1);
    def.friction = 0.7;
    assert_int_equal(afx_scene_add_material(rig.scene, &def, &id), AFX_OK);
    def.friction = which == PAIR ? 0.2 : 0.3;
    assert_int_equal(afx_scene_set_material_pair(rig.scene, id, id, &def), AFX_OK);
    ball.mass = 1;
    ball.visual = false;
    ball.material = which == MATERIAL ? id : (AfxMaterialId){0, 0};
    ball.contact_group = which == GROUP ? 3 : 1;
    ball.contact_mask = which == MASK ? 3 : 1;
    wear(rig.scene, b, afx_default_box(1, 1, 1));
    AfxBodyDef body;
    assert_int_equal(afx_scene_get_body(rig.scene, a, &body), AFX_OK); /* its mass does not depend on the ball */
    body.mass_source = AFX_MASS_GIVEN;
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    assert_int_equal(afx_scene_set_body(rig.scene, a, &body), AFX_OK);
    wear(rig.scene, a, ball);
    wear(rig.scene, ground, afx_default_height_field(which == RECTANGLE ? 3 : 2, 2, heights, 2, 2));
    AfxShapeDef mesh = afx_default_mesh(vertices, 4, triangles, which == OPEN ? 3 : 4);
    mesh.visual = false;
    mesh.vertex_frames = frames;
    mesh.frame_count = 2;
    mesh.frame_rate = which == RATE ? 2 : 1;
    mesh.loop = which == LOOP;
    frames[13] = which == FRAME ? 0.5 : 1;
    wear(rig.scene, ground, mesh);
    if (which == EXCLUDED) {
        assert_int_equal(afx_scene_exclude_contact(rig.scene, a, ground), AFX_OK);
    }
    join(&rig, a, b, which == JOINT);
    assert_true(compile(&rig)->possible);
    uint64_t hash = afx_model_hash(rig.model);
    rig_free(&rig);
    return hash;
}

static void the_hash_sees_all_of_it(void **state) {
    (void)state;
    uint64_t hashes[VARIANTS];
    assert_int_equal(variant(PLAIN), variant(PLAIN));
    for (int k = 0; k < VARIANTS; k++) {
        hashes[k] = variant(k);
        for (int i = 0; i < k; i++) {
            if (hashes[i] == hashes[k]) {
                print_error("variants %d and %d\n", i, k);
            }
            assert_true(hashes[i] != hashes[k]);
        }
    }
}

/* ---- vertices in time ---- */

/* One vertex at (0, 0, 0), (2, 0, 0), (2, 4, 0), ten frames a second. */
static void vertices_move_between_frames(void **state) {
    (void)state;
    const double frames[9] = {0, 0, 0, 2, 0, 0, 2, 4, 0};
    AfxiContactGeometry g = {.vertex_count = 1, .frames = frames, .frame_count = 3, .frame_rate = 10};
    const struct {
        bool loop;
        double time, x, y, vx, vy;
    } cases[] = {
        {false, -1, 0, 0, 0, 0},       {false, 0, 0, 0, 20, 0},      {false, 0.05, 1, 0, 20, 0},
        {false, 0.125, 2, 1, 0, 40},   {false, 0.2, 2, 4, 0, 0},     {false, 7, 2, 4, 0, 0},
        {true, 0.125, 2, 1, 0, 40},    {true, 0.25, 1, 2, -20, -40}, {true, 0.35, 1, 0, 20, 0},
        {true, -0.05, 1, 2, -20, -40}, {true, 3.05, 1, 0, 20, 0},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        double at[3], velocity[3];
        g.loop = cases[k].loop;
        afxi_contact_vertices(&g, cases[k].time, at, velocity);
        assert_true(fabs(at[0] - cases[k].x) + fabs(at[1] - cases[k].y) + fabs(at[2]) < 1e-12);
        assert_true(fabs(velocity[0] - cases[k].vx) + fabs(velocity[1] - cases[k].vy) + fabs(velocity[2]) < 1e-12);
    }
}

static void allocations_may_fail(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    Rig rig = {0};
    assert_int_equal(afx_scene_create(&def, &rig.scene), AFX_OK);
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double heights[4] = {0, 1, 2, 3};
    AfxBodyId before = add(rig.scene, AFX_BODY_FIXED, 0);
    wear(rig.scene, before, afx_default_height_field(1, 1, heights, 2, 2));
    for (int k = 0; k < 20; k++) {
        AfxBodyId body = add(rig.scene, AFX_BODY_DYNAMIC, k);
        AfxShapeDef ball = afx_default_sphere(1 + k);
        ball.pose.position.x = 0.1 * k;
        wear(rig.scene, body, ball);
        wear(rig.scene, body, afx_default_convex(vertices, 4));
        join(&rig, before, body, false);
        before = body;
    }
    uint64_t first = counts.calls, live = counts.live;
    assert_true(compile(&rig)->possible);
    uint64_t calls = counts.calls - first;
    afx_model_destroy(rig.model);
    rig.model = NULL;
    assert_int_equal(counts.live, live);
    for (uint64_t k = 1; k <= calls; k++) {
        AfxError error;
        counts.calls = 0;
        counts.fail_at = k;
        assert_int_equal(afx_model_create(rig.scene, &rig.model, &error), AFX_E_MEMORY);
        assert_int_equal(error.status, AFX_E_MEMORY);
        assert_int_equal(counts.live, live);
    }
    counts.fail_at = 0;
    rig_free(&rig);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

/* ---- bodies on one pin ---- */

/* A link of the given length along x from `from`, with its frame there. */
static AfxBodyId add_link(AfxScene *scene, AfxVec3 from, double length) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(length, 0.02, 0.02);
    AfxBodyId id;
    def.pose.position = from;
    box.pose.position.x = length / 2;
    assert_int_equal(afx_scene_add_body(scene, &def, &id), AFX_OK);
    assert_int_equal(afx_scene_add_shape(scene, id, &box), AFX_OK);
    return id;
}

static void add_pin(AfxScene *scene, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxVec3 at, bool contact) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    def.base = base;
    def.follower = follower;
    def.contact = contact;
    assert_int_equal(afx_joint_place(scene, &def, afx_frame_along(at, (AfxVec3){0, 1, 0})), AFX_OK);
    assert_int_equal(afx_scene_add_joint(scene, &def, &id), AFX_OK);
}

/* A crank with two rods on its pin, `apart` along it, or on two pins; whether the rods are excluded. */
static bool rods_excluded(AfxJointKind kind, double apart, bool contact, bool elsewhere) {
    Rig rig = rig_make();
    AfxVec3 pin = {0.1, 0, 0};
    AfxBodyId crank = add_link(rig.scene, (AfxVec3){0, 0, 0}, 0.1);
    AfxBodyId first = add_link(rig.scene, pin, 0.3), second = add_link(rig.scene, (AfxVec3){0.1, apart, 0}, 0.3);
    AfxVec3 other = {elsewhere ? 0.05 : 0.1, apart, 0};
    add_pin(rig.scene, kind, crank, first, pin, contact);
    add_pin(rig.scene, kind, crank, second, other, contact);
    add_link(rig.scene, (AfxVec3){9, 0, 0}, 0.1); /* something can touch in any case */
    compile(&rig);
    bool excluded = afxi_contacts_excluded(&rig.model->contacts, first.index, second.index);
    rig_free(&rig);
    return excluded;
}

static void bodies_on_one_pin_are_excluded(void **state) {
    (void)state;
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_SPHERICAL, AFX_JOINT_UNIVERSAL, AFX_JOINT_FIXED};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        assert_true(rods_excluded(kinds[k], 0, false, false));
        assert_false(rods_excluded(kinds[k], 0, true, false)); /* asked for */
        assert_false(rods_excluded(kinds[k], 0, false, true)); /* two pins */
    }
    assert_true(rods_excluded(AFX_JOINT_REVOLUTE, 0.015, false, false)); /* on one axis, in each other */
    assert_false(rods_excluded(AFX_JOINT_REVOLUTE, 0.05, false, false)); /* beside each other */
    assert_false(rods_excluded(AFX_JOINT_SPHERICAL, 0.015, false, false));
    assert_false(rods_excluded(AFX_JOINT_CYLINDRICAL, 0, false, false)); /* may slide apart */
}

/* Through bodies in between, and through the world. */
static void pins_go_through_any_number_of_joints(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId link[4];
    for (int k = 0; k < 4; k++) {
        link[k] = add_link(rig.scene, (AfxVec3){1, 0, 0}, 0.2 + 0.1 * k);
        add_pin(rig.scene, AFX_JOINT_REVOLUTE, k ? link[k - 1] : afx_world(), link[k], (AfxVec3){1, 0, 0}, false);
    }
    AfxBodyId other = add_link(rig.scene, (AfxVec3){1, 0, 0}, 0.7);
    add_pin(rig.scene, AFX_JOINT_SPHERICAL, afx_world(), other, (AfxVec3){1, 0, 0}, false);
    add_link(rig.scene, (AfxVec3){9, 0, 0}, 0.1);
    compile(&rig);
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < a; b++) {
            assert_true(afxi_contacts_excluded(&rig.model->contacts, link[a].index, link[b].index));
        }
        assert_true(afxi_contacts_excluded(&rig.model->contacts, link[a].index, other.index));
    }
    rig_free(&rig);
}

/* Many discs on one shaft: each is kept from touching its neighbours, and so many pairs at one place are refused. */
static void long_shafts_are_no_burden(void **state) {
    (void)state;
    enum { DISCS = 4000 };
    for (int crowded = 0; crowded < 2; crowded++) {
        Rig rig = rig_make();
        for (uint32_t k = 0; k < DISCS; k++) {
            AfxVec3 at = {0, crowded ? 0 : 0.015 * k, 0};
            AfxBodyId disc = add_link(rig.scene, at, 0.2);
            assert_int_equal(disc.index, k);
            add_pin(rig.scene, AFX_JOINT_REVOLUTE, afx_world(), disc, at, false);
        }
        AfxError error = {0};
        AfxStatus status = afx_model_create(rig.scene, &rig.model, &error);
        assert_int_equal(status, crowded ? AFX_E_LIMIT : AFX_OK);
        assert_true(!crowded || (strstr(error.text, "on one pin") && error.cure[0]));
        if (!crowded) {
            assert_int_equal(rig.model->contacts.excluded_count, DISCS - 1);
            assert_true(afxi_contacts_excluded(&rig.model->contacts, 2000, 2001));
            assert_false(afxi_contacts_excluded(&rig.model->contacts, 2000, 2002));
        }
        rig_free(&rig);
    }
}

int run_contacts_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_shapes_are_kept_once),
        cmocka_unit_test(places_are_in_principal_frames),
        cmocka_unit_test(nothing_where_nothing_can_touch),
        cmocka_unit_test(the_switch_costs_nothing),
        cmocka_unit_test(excluded_pairs_are_sorted),
        cmocka_unit_test(bodies_on_one_pin_are_excluded),
        cmocka_unit_test(pins_go_through_any_number_of_joints),
        cmocka_unit_test(long_shafts_are_no_burden),
        cmocka_unit_test(pairs_of_materials_are_parameters),
        cmocka_unit_test(the_hash_sees_all_of_it),
        cmocka_unit_test(vertices_move_between_frames),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("contacts", tests, NULL, NULL);
}

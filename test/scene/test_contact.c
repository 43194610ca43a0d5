/* SPDX-License-Identifier: Apache-2.0 */
/* Authoring of contact: materials and their pairs, exclusions, the switch, and shapes that are ground. */
#include "affix/contact.h"

#include "support/allocator.h"
#include "tests.h"

static AfxBodyId add_kind(AfxScene *scene, const char *name, AfxBodyKind kind) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.name = name;
    def.kind = kind;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

static AfxMaterialDef material(const char *name, double friction, double restitution) {
    AfxMaterialDef def = afx_default_material();
    def.name = name;
    def.friction = friction;
    def.restitution = restitution;
    return def;
}

static void materials_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxMaterialDef def = material("rubber", 1.2, 0.25), got;
    AfxMaterialId id, found;
    assert_int_equal(afx_scene_material_count(scene), 1);
    assert_ok(afx_scene_get_material(scene, afx_scene_material(scene, 0), &got));
    assert_null(got.name);
    assert_near(got.friction, 0.5, 0);
    assert_near(got.restitution + got.rolling_friction + got.torsional_friction + got.stiffness, 0, 0);
    def.rolling_friction = 1e-3;
    def.torsional_friction = 2e-3;
    def.stiffness = 3e6;
    assert_ok(afx_scene_add_material(scene, &def, &id));
    assert_int_equal(id.index, 1);
    assert_ok(afx_scene_find_material(scene, "rubber", &found));
    assert_int_equal(found.index, id.index);
    assert_ok(afx_scene_get_material(scene, id, &got));
    assert_string_equal(got.name, "rubber");
    assert_near(got.friction, 1.2, 0);
    assert_near(got.restitution, 0.25, 0);
    assert_near(got.rolling_friction, 1e-3, 0);
    assert_near(got.torsional_friction, 2e-3, 0);
    assert_near(got.stiffness, 3e6, 0);
    def = material("ground", 0.9, 0);
    assert_ok(afx_scene_set_material(scene, afx_scene_material(scene, 0), &def));
    assert_ok(afx_scene_find_material(scene, "ground", &found));
    assert_int_equal(found.index, 0);
    assert_ok(afx_scene_set_material(scene, (AfxMaterialId){0, 0}, &def)); /* the same by its short id */
    def.name = "rubber";
    assert_int_equal(afx_scene_set_material(scene, found, &def), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "material \"ground\"", "called \"rubber\" already");
    def.name = "ice";
    assert_ok(afx_scene_set_material(scene, id, &def));
    assert_int_equal(afx_scene_find_material(scene, "rubber", &found), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_material_count(scene), 2);
    afx_scene_clear(scene);
    assert_int_equal(afx_scene_material_count(scene), 1);
    assert_int_equal(afx_scene_get_material(scene, id, &got), AFX_E_ARGUMENT);
    assert_ok(afx_scene_get_material(scene, afx_scene_material(scene, 0), &got));
    assert_near(got.friction, 0.5, 0);
    assert_null(got.name);
    afx_scene_destroy(scene);
}

static void wrong_materials_are_refused(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxMaterialId id;
    AfxMaterialDef def = material("bad", -0.1, 0);
    assert_int_equal(afx_scene_add_material(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "material \"bad\"", "its friction is negative");
    def = material("bad", 0.1, 1.1);
    assert_int_equal(afx_scene_add_material(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "material \"bad\"", "restitution is above 1");
    def = material(NULL, 0.1, 1);
    def.stiffness = INFINITY;
    assert_int_equal(afx_scene_add_material(scene, &def, &id), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "material #1", "its stiffness is not finite");
    def.stiffness = 0;
    def.cookie++;
    assert_int_equal(afx_scene_add_material(scene, &def, &id), AFX_E_VERSION);
    assert_int_equal(afx_scene_add_material(scene, NULL, &id), AFX_E_ARGUMENT);
    assert_int_equal(id.index, UINT32_MAX);
    assert_int_equal(afx_scene_material_count(scene), 1);
    def = material(NULL, 0.1, 0);
    for (uint32_t k = 1; k < AFX_MATERIALS_MOST; k++) {
        assert_ok(afx_scene_add_material(scene, &def, &id));
    }
    assert_int_equal(afx_scene_add_material(scene, &def, &id), AFX_E_LIMIT);
    assert_error(scene, AFX_E_LIMIT, "material #1024", "too many materials");
    afx_scene_destroy(scene);
}

/* sqrt(0.4 * 0.9) = 0.6; 2e5 and 6e5 in series are 1.5e5. */
static void materials_are_combined(void **state) {
    (void)state;
    AfxMaterialDef a = material("a", 0.4, 0.1), b = material("b", 0.9, 0.7);
    a.rolling_friction = 3e-3;
    b.torsional_friction = 4e-3;
    a.stiffness = 2e5;
    b.stiffness = 6e5;
    for (int turn = 0; turn < 2; turn++) {
        AfxMaterialDef c = turn ? afx_material_combine(&b, &a) : afx_material_combine(&a, &b);
        assert_near(c.friction, 0.6, 1e-15);
        assert_near(c.restitution, 0.7, 0);
        assert_near(c.rolling_friction, 3e-3, 0);
        assert_near(c.torsional_friction, 4e-3, 0);
        assert_near(c.stiffness, 1.5e5, 1e-9);
        assert_null(c.name);
    }
    assert_near(afx_material_combine(&a, &a).friction, 0.4, 0);
    a.stiffness = 0;
    assert_near(afx_material_combine(&a, &b).stiffness, 6e5, 0);
    b.stiffness = 0;
    assert_near(afx_material_combine(&b, &a).stiffness, 0, 0);
    a.stiffness = b.stiffness = 1e300;
    assert_near(afx_material_combine(&a, &b).stiffness, 5e299, 1e285);
    b.friction = 0;
    assert_near(afx_material_combine(&a, &b).friction, 0, 0);
}

static void pairs_come_back(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxMaterialDef def = material("a", 1, 0), got;
    AfxMaterialId a, first = afx_scene_material(scene, 0), x, y;
    assert_ok(afx_scene_add_material(scene, &def, &a));
    def = material(NULL, 0.3, 0.2);
    assert_ok(afx_scene_set_material_pair(scene, a, first, &def));
    assert_ok(afx_scene_set_material_pair(scene, a, a, &def));
    def.friction = 0.4;
    assert_ok(afx_scene_set_material_pair(scene, first, a, &def)); /* the same pair */
    assert_int_equal(afx_scene_material_pair_count(scene), 2);
    assert_ok(afx_scene_get_material_pair(scene, 0, &x, &y, &got));
    assert_int_equal(x.index, 0);
    assert_int_equal(y.index, a.index);
    assert_near(got.friction, 0.4, 0);
    assert_near(got.restitution, 0.2, 0);
    assert_int_equal(afx_scene_get_material_pair(scene, 2, &x, &y, &got), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_set_material_pair(scene, a, (AfxMaterialId){9, a.scene}, &def), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "pair of materials #2", "stale");
    def.restitution = 2;
    assert_int_equal(afx_scene_set_material_pair(scene, a, a, &def), AFX_E_INPUT);
    afx_scene_destroy(scene);
}

static void exclusions_and_the_switch(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId a = add_body(scene, "a"), b = add_body(scene, "b"), x, y;
    assert_ok(afx_scene_exclude_contact(scene, b, a));
    assert_int_equal(afx_scene_exclusion_count(scene), 1);
    assert_ok(afx_scene_get_exclusion(scene, 0, &x, &y));
    assert_body_id(x, b);
    assert_body_id(y, a);
    assert_int_equal(afx_scene_exclude_contact(scene, a, a), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "exclusion #1", "both the same body");
    assert_int_equal(afx_scene_exclude_contact(scene, a, afx_world()), AFX_E_ARGUMENT);
    assert_int_equal(afx_scene_get_exclusion(scene, 1, &x, &y), AFX_E_ARGUMENT);
    assert_true(afx_scene_contact(scene));
    assert_ok(afx_scene_set_contact(scene, false));
    afx_scene_clear(scene);
    assert_false(afx_scene_contact(scene));
    assert_int_equal(afx_scene_exclusion_count(scene), 0);
    assert_false(afx_scene_contact(NULL));
    afx_scene_destroy(scene);
}

/* A universal joint as two hinges keeps its two bodies apart as one joint would. */
static void a_cross_excludes_its_ends(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId a = add_body(scene, "a"), b = add_body(scene, "b"), cross, x, y;
    AfxJointDef def = afx_default_joint(AFX_JOINT_UNIVERSAL);
    AfxJointId ids[2];
    def.follower = b;
    assert_ok(afx_scene_add_universal_cross(scene, &def, 1, 1, ids, &cross)); /* from the world */
    def.base = a;
    def.contact = true;
    assert_ok(afx_scene_add_universal_cross(scene, &def, 1, 1, ids, &cross));
    assert_int_equal(afx_scene_exclusion_count(scene), 0);
    def.contact = false;
    assert_ok(afx_scene_add_universal_cross(scene, &def, 1, 1, ids, &cross));
    assert_int_equal(afx_scene_exclusion_count(scene), 1);
    assert_ok(afx_scene_get_exclusion(scene, 0, &x, &y));
    assert_body_id(x, a);
    assert_body_id(y, b);
    afx_scene_destroy(scene);
}

static void shapes_say_what_they_touch(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxBodyId body = add_body(scene, "ball");
    AfxMaterialDef def = material("rubber", 1, 0);
    AfxMaterialId rubber;
    AfxShapeDef sphere = afx_default_sphere(1), got;
    assert_ok(afx_scene_add_material(scene, &def, &rubber));
    assert_int_equal(sphere.contact_group, 1);
    assert_int_equal(sphere.contact_mask, 1);
    assert_false(sphere.visual);
    assert_ok(afx_scene_add_shape(scene, body, &sphere));
    sphere.material = rubber;
    sphere.contact_group = 0x80000000u;
    sphere.contact_mask = 6;
    sphere.visual = true;
    assert_ok(afx_scene_add_shape(scene, body, &sphere));
    assert_ok(afx_scene_get_shape(scene, body, 0, &got));
    assert_int_equal(got.material.index, 0);
    assert_ok(afx_scene_add_shape(scene, body, &got)); /* what comes out goes in */
    assert_ok(afx_scene_get_shape(scene, body, 1, &got));
    assert_int_equal(got.material.index, rubber.index);
    assert_int_equal(got.contact_group, 0x80000000u);
    assert_int_equal(got.contact_mask, 6);
    assert_true(got.visual);
    AfxMass mass;
    assert_ok(afx_scene_body_mass(scene, body, &mass)); /* of the first and the third, not of the visual one */
    assert_near(mass.mass, 2 * 4000 * 3.14159265358979323846 / 3, 1e-9);
    sphere.material.index = 7;
    assert_int_equal(afx_scene_add_shape(scene, body, &sphere), AFX_E_ARGUMENT);
    assert_error(scene, AFX_E_ARGUMENT, "shape #3 of body \"ball\"", "material id is stale");
    AfxBodyId ghost = add_body(scene, "ghost");
    sphere.material = rubber;
    assert_ok(afx_scene_add_shape(scene, ghost, &sphere));
    assert_int_equal(afx_scene_body_mass(scene, ghost, &mass), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "body \"ghost\"", "no mass");
    AfxJointDef joint = afx_default_joint(AFX_JOINT_FIXED);
    AfxJointId id;
    assert_false(joint.contact);
    joint.base = body;
    joint.follower = ghost;
    joint.contact = true;
    assert_ok(afx_scene_add_joint(scene, &joint, &id));
    assert_ok(afx_scene_get_joint(scene, id, &joint));
    assert_true(joint.contact);
    afx_scene_destroy(scene);
}

static void ground_is_not_for_dynamic_bodies(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    const double heights[6] = {0, 0.1, 0.2, 0.3, 0.4, 0.5};
    AfxShapeDef plane = afx_default_plane(), field = afx_default_height_field(4, 2, heights, 3, 2), got;
    AfxBodyId ball = add_body(scene, "ball"), floor = add_kind(scene, "floor", AFX_BODY_FIXED),
              belt = add_kind(scene, "belt", AFX_BODY_KINEMATIC);
    assert_int_equal(afx_scene_add_shape(scene, ball, &plane), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #0 of body \"ball\"", "a dynamic body cannot have a plane");
    assert_int_equal(afx_scene_add_shape(scene, ball, &field), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #0 of body \"ball\"", "height field");
    assert_ok(afx_scene_add_shape(scene, floor, &plane));
    assert_ok(afx_scene_add_shape(scene, belt, &plane));
    assert_ok(afx_scene_add_shape(scene, floor, &field));
    AfxMass mass;
    assert_ok(afx_scene_body_mass(scene, floor, &mass));
    assert_near(mass.mass, 0, 0);
    assert_ok(afx_scene_get_shape(scene, floor, 1, &got));
    assert_int_equal(got.kind, AFX_SHAPE_HEIGHT_FIELD);
    assert_int_equal(got.columns, 3);
    assert_int_equal(got.rows, 2);
    assert_near(got.half_extents.x, 2, 0);
    assert_near(got.half_extents.y, 1, 0);
    assert_true(got.heights != heights);
    assert_memory_equal(got.heights, heights, sizeof heights);
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(scene, floor, &def));
    def.kind = AFX_BODY_DYNAMIC;
    assert_int_equal(afx_scene_set_body(scene, floor, &def), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #0 of body \"floor\"", "cannot have a plane");
    def.kind = AFX_BODY_KINEMATIC;
    assert_ok(afx_scene_set_body(scene, floor, &def));
    field.columns = 1;
    assert_int_equal(afx_scene_add_shape(scene, floor, &field), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #2 of body \"floor\"", "fewer than two columns");
    const double hole[4] = {0, 1, NAN, 0};
    field = afx_default_height_field(4, 2, hole, 2, 2);
    assert_int_equal(afx_scene_add_shape(scene, floor, &field), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #2 of body \"floor\"", "column #0, row #1 is not finite");
    field = afx_default_height_field(0, 2, heights, 2, 2);
    assert_int_equal(afx_scene_add_shape(scene, floor, &field), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #2 of body \"floor\"", "half extents are not positive");
    afx_scene_destroy(scene);
}

static void open_meshes(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    double vertices[24];
    box_vertices(vertices, 1, 1, 1);
    AfxShapeDef open = afx_default_mesh(vertices, 8, box_triangles, 11), whole = open;
    AfxBodyId ball = add_body(scene, "ball"), floor = add_kind(scene, "floor", AFX_BODY_FIXED);
    whole.triangle_count = 12;
    AfxMass mass;
    assert_int_equal(afx_scene_add_shape(scene, ball, &open), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #0 of body \"ball\"", "has an edge that is not shared");
    assert_ok(afx_scene_add_shape(scene, floor, &open));
    assert_ok(afx_scene_body_mass(scene, floor, &mass));
    assert_near(mass.mass, 0, 0);
    assert_ok(afx_scene_add_shape(scene, floor, &whole));
    assert_ok(afx_scene_body_mass(scene, floor, &mass));
    assert_near(mass.mass, 8000, 1e-9);
    open.visual = true;
    assert_ok(afx_scene_add_shape(scene, ball, &open));
    open.visual = false;
    AfxBodyDef def = afx_default_body();
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = 2;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
    AfxBodyId given;
    assert_ok(afx_scene_add_body(scene, &def, &given));
    assert_ok(afx_scene_add_shape(scene, given, &open));
    def.mass_source = AFX_MASS_FROM_SHAPES;
    assert_int_equal(afx_scene_set_body(scene, given, &def), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #0 of body #2", "encloses no solid");
    uint32_t bad[3] = {0, 1, 8};
    AfxShapeDef wrong = afx_default_mesh(vertices, 8, bad, 1);
    assert_int_equal(afx_scene_add_shape(scene, floor, &wrong), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #2 of body \"floor\"", "triangle #0 names a vertex that is not there");
    wrong.triangle_count = 0;
    assert_int_equal(afx_scene_add_shape(scene, floor, &wrong), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #2 of body \"floor\"", "enclose no volume");
    afx_scene_destroy(scene);
}

static void vertices_may_move(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    double frames[2][24];
    box_vertices(frames[0], 1, 1, 1);
    box_vertices(frames[1], 1, 2, 1);
    AfxShapeDef mesh = afx_default_mesh(frames[0], 8, box_triangles, 12), got;
    AfxBodyId ball = add_body(scene, "ball"), avatar = add_kind(scene, "avatar", AFX_BODY_KINEMATIC);
    mesh.vertex_frames = frames[0];
    mesh.frame_count = 2;
    mesh.frame_rate = 30;
    mesh.loop = true;
    assert_int_equal(afx_scene_add_shape(scene, ball, &mesh), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #0 of body \"ball\"", "vertex frames");
    assert_ok(afx_scene_add_shape(scene, avatar, &mesh));
    assert_ok(afx_scene_get_shape(scene, avatar, 0, &got));
    assert_int_equal(got.frame_count, 2);
    assert_near(got.frame_rate, 30, 0);
    assert_true(got.loop && got.vertex_frames != frames[0]);
    assert_memory_equal(got.vertex_frames, frames, sizeof frames);
    mesh.frame_rate = 0;
    assert_int_equal(afx_scene_add_shape(scene, avatar, &mesh), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #1 of body \"avatar\"", "frame rate is not positive");
    mesh.frame_rate = 30;
    frames[1][5] = INFINITY;
    assert_int_equal(afx_scene_add_shape(scene, avatar, &mesh), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #1 of body \"avatar\"", "vertex frame #1 is not finite");
    AfxShapeDef hull = afx_default_convex(frames[0], 8);
    hull.vertex_frames = frames[0];
    hull.frame_count = 1;
    hull.frame_rate = 1;
    assert_int_equal(afx_scene_add_shape(scene, avatar, &hull), AFX_E_INPUT);
    assert_error(scene, AFX_E_INPUT, "shape #1 of body \"avatar\"", "are for meshes");
    afx_scene_destroy(scene);
}

/* Everything above, until a call fails. */
static AfxStatus build(TestAllocator *counts, AfxScene **out_scene) {
    static const double heights[4] = {0, 1, 2, 3};
    AfxSceneDef scene_def = afx_default_scene();
    scene_def.allocator = test_allocator(counts);
    AfxStatus status = afx_scene_create(&scene_def, out_scene);
    double vertices[24];
    box_vertices(vertices, 1, 1, 1);
    for (int round = 0; round < 20 && !status; round++) {
        AfxBodyDef fixed = afx_default_body();
        AfxBodyId a, b;
        AfxMaterialId id;
        char name[32];
        snprintf(name, sizeof name, "material %d", round);
        AfxMaterialDef def = material(name, 1, 0);
        AfxShapeDef field = afx_default_height_field(1, 1, heights, 2, 2);
        AfxShapeDef mesh = afx_default_mesh(vertices, 8, box_triangles, 11);
        mesh.vertex_frames = vertices;
        mesh.frame_count = 1;
        mesh.frame_rate = 1;
        fixed.kind = AFX_BODY_FIXED;
        status = afx_scene_add_body(*out_scene, &fixed, &a);
        status = status ? status : afx_scene_add_body(*out_scene, &fixed, &b);
        status = status ? status : afx_scene_add_material(*out_scene, &def, &id);
        def.name = "another name";
        status = status ? status : afx_scene_set_material(*out_scene, (AfxMaterialId){0, 0}, &def);
        def.name = "name";
        status = status ? status : afx_scene_set_material(*out_scene, (AfxMaterialId){0, 0}, &def);
        status = status ? status : afx_scene_set_material_pair(*out_scene, id, id, &def);
        status = status ? status : afx_scene_exclude_contact(*out_scene, a, b);
        status = status ? status : afx_scene_add_shape(*out_scene, a, &field);
        status = status ? status : afx_scene_add_shape(*out_scene, b, &mesh);
    }
    return status;
}

static void allocations_may_fail(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxScene *scene = NULL;
    assert_ok(build(&counts, &scene));
    assert_int_equal(afx_scene_material_count(scene), 21);
    assert_int_equal(afx_scene_exclusion_count(scene), 20);
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    uint64_t calls = counts.calls;
    for (uint64_t k = 1; k <= calls; k++) {
        counts = (TestAllocator){.fail_at = k, .fail_on = k % 2};
        scene = NULL;
        assert_int_equal(build(&counts, &scene), AFX_E_MEMORY);
        afx_scene_destroy(scene);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
}

int run_contact_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_come_back),
        cmocka_unit_test(wrong_materials_are_refused),
        cmocka_unit_test(materials_are_combined),
        cmocka_unit_test(pairs_come_back),
        cmocka_unit_test(exclusions_and_the_switch),
        cmocka_unit_test(a_cross_excludes_its_ends),
        cmocka_unit_test(shapes_say_what_they_touch),
        cmocka_unit_test(ground_is_not_for_dynamic_bodies),
        cmocka_unit_test(open_meshes),
        cmocka_unit_test(vertices_may_move),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("contact", tests, NULL, NULL);
}

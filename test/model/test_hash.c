/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a model: equal for equal scenes, another when any number of the scene is. */
#include "tests.h"

/* Counts the numbers of a scene with everything in it, so that each can be changed in turn. */
typedef struct Numbers {
    int count, changed; /* how many so far; which one differs, -1: none */
} Numbers;

/* The number, or one next to it when this is the one to change. */
static double number(Numbers *n, double value) {
    return n->count++ == n->changed ? value + 0.125 : value;
}

static AfxVec3 vector(Numbers *n, double x, double y, double z) {
    AfxVec3 v;
    v.x = number(n, x);
    v.y = number(n, y);
    v.z = number(n, z);
    return v;
}

/* A choice of two. */
static bool either(Numbers *n, bool value) {
    return n->count++ == n->changed ? !value : value;
}

static AfxPose pose(Numbers *n) {
    AfxPose p;
    p.position = vector(n, 0.5, -0.25, 1);
    p.rotation = afx_quat_from_axis_angle((AfxVec3){1, 2, 3}, number(n, 0.5));
    return p;
}

static AfxSignal signal(Numbers *n, AfxSignalKind kind) {
    static double times[3], values[3];
    AfxSignal s = {.kind = kind};
    if (kind == AFX_SIGNAL_TABLE) {
        for (int k = 0; k < 3; k++) {
            times[k] = number(n, k);
            values[k] = number(n, 0.5 * k);
        }
        s.times = times;
        s.values = values;
        s.sample_count = 3;
        return s;
    }
    for (int k = 0; k < (kind == AFX_SIGNAL_CONSTANT ? 1 : 4); k++) {
        s.coefficients[k] = number(n, 0.25 * (k + 1));
    }
    return s;
}

static AfxBodyId add_body(Numbers *n, AfxScene *scene, AfxBodyKind kind) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.kind = kind;
    def.pose = pose(n);
    if (kind == AFX_BODY_DYNAMIC) {
        def.linear_velocity = vector(n, 1, 2, 3);
        def.angular_velocity = vector(n, 4, 5, 6);
        def.mass_source = AFX_MASS_GIVEN;
        def.mass = number(n, 2);
        def.center = vector(n, 0.1, 0.2, 0.3);
        def.inertia[0] = number(n, 5);
        def.inertia[1] = number(n, 6);
        def.inertia[2] = number(n, 7);
        def.inertia[3] = number(n, 0.25);
        def.young = number(n, 1000);
        def.poisson = number(n, 0.25);
        def.linear_damping = number(n, 0.5);
        def.angular_damping = number(n, 0.75);
        def.gravity = either(n, true);
    } else {
        for (int axis = 0; axis < 3; axis++) {
            def.motion.translation[axis] = signal(n, AFX_SIGNAL_SINE);
        }
        def.motion.axis = vector(n, 1, 2, 3);
        def.motion.angle = signal(n, AFX_SIGNAL_TABLE);
    }
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

static void add_attachments(Numbers *n, AfxScene *scene, AfxBodyId a, AfxBodyId b) {
    AfxMarkerId marker;
    assert_ok(afx_scene_add_marker(scene, either(n, true) ? a : b, "tip", vector(n, 1, 0, 0), &marker));
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId wrench_id;
    wrench.body = either(n, true) ? a : b;
    wrench.frame = either(n, true) ? AFX_FRAME_WORLD : AFX_FRAME_BODY;
    wrench.point = vector(n, 1, 2, 3);
    wrench.force = vector(n, 1, 2, 3);
    wrench.torque = vector(n, 1, 2, 3);
    assert_ok(afx_scene_add_wrench(scene, &wrench, &wrench_id));
    AfxSpringDef spring = afx_default_spring();
    AfxSpringId spring_id;
    spring.body_a = a;
    spring.body_b = either(n, true) ? b : afx_world();
    spring.point_a = vector(n, 1, 2, 3);
    spring.point_b = vector(n, 1, 2, 3);
    spring.rest_length = number(n, 1);
    spring.stiffness = number(n, 1);
    spring.damping = number(n, 1);
    assert_ok(afx_scene_add_spring(scene, &spring, &spring_id));
}

static void add_joints(Numbers *n, AfxScene *scene, AfxBodyId a, AfxBodyId b) {
    AfxJointDef joint = afx_default_joint(either(n, true) ? AFX_JOINT_SCREW : AFX_JOINT_CYLINDRICAL);
    AfxJointId id[2];
    joint.base = either(n, true) ? a : afx_world();
    joint.follower = b;
    joint.base_frame = pose(n);
    joint.follower_frame = pose(n);
    joint.pitch = number(n, 0.5);
    joint.active = either(n, true);
    joint.break_force = number(n, 100);
    joint.break_torque = number(n, 100);
    assert_ok(afx_scene_add_joint(scene, &joint, &id[0]));
    AfxJointDef rod = afx_default_joint(AFX_JOINT_DISTANCE);
    rod.follower = a;
    rod.length = number(n, 2);
    assert_ok(afx_scene_add_joint(scene, &rod, &id[1]));
    AfxDriveDef drive = afx_default_drive(either(n, true) ? AFX_DRIVE_SERVO : AFX_DRIVE_FORCE);
    AfxDriveId drive_id;
    drive.joint = id[0];
    drive.axis = either(n, true);
    drive.target = signal(n, AFX_SIGNAL_TABLE);
    drive.from_input = either(n, false);
    drive.stiffness = number(n, 10);
    drive.damping = number(n, 1);
    drive.effort = number(n, 50);
    assert_ok(afx_scene_add_drive(scene, &drive, &drive_id));
    AfxCouplingDef coupling = afx_default_coupling();
    AfxCouplingId coupling_id;
    coupling.term_count = 2;
    coupling.joint[0] = coupling.joint[1] = id[0];
    coupling.axis[0] = either(n, true);
    coupling.axis[1] = !coupling.axis[0];
    coupling.factor[0] = number(n, 1);
    coupling.factor[1] = number(n, 2);
    coupling.constant = number(n, 3);
    coupling.compliance = number(n, 4);
    assert_ok(afx_scene_add_coupling(scene, &coupling, &coupling_id));
}

/* The hash of the scene with number `changed` changed; how many there are. */
static uint64_t hash_of(int changed, int *out_count) {
    Numbers n = {0, changed};
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene;
    AfxModel *model = NULL;
    AfxError error;
    def.gravity = vector(&n, 0, 0, -10);
    assert_ok(afx_scene_create(&def, &scene));
    AfxBodyId a = add_body(&n, scene, AFX_BODY_DYNAMIC), led = add_body(&n, scene, AFX_BODY_KINEMATIC);
    AfxBodyId b = add_body(&n, scene, AFX_BODY_DYNAMIC);
    add_attachments(&n, scene, a, led);
    add_joints(&n, scene, a, b);
    if (afx_model_create(scene, &model, &error) != AFX_OK) {
        print_error("number %d: %s: %s\n", changed, error.element, error.text);
        fail();
    }
    uint64_t hash = afx_model_hash(model);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    *out_count = n.count;
    return hash;
}

static void equal_scenes_have_equal_hashes(void **state) {
    (void)state;
    int count;
    uint64_t hash = hash_of(-1, &count);
    assert_true(count > 100);
    for (int k = 0; k < 3; k++) {
        assert_true(hash_of(-1, &count) == hash);
    }
}

static void any_number_that_differs_shows(void **state) {
    (void)state;
    int count;
    uint64_t hash[256], plain = hash_of(-1, &count);
    assert_true(count <= (int)COUNT(hash));
    for (int k = 0, same; k < count; k++) {
        hash[k] = hash_of(k, &same);
        assert_int_equal(same, count);
        if (hash[k] == plain) {
            print_error("number %d of %d does not show\n", k, count);
            fail();
        }
        for (int j = 0; j < k; j++) {
            assert_true(hash[j] != hash[k]);
        }
    }
}

static void the_number_of_things_shows(void **state) {
    (void)state;
    uint64_t hash[4];
    for (int bodies = 0; bodies < 4; bodies++) {
        Rig rig = rig_make();
        for (int k = 0; k < bodies; k++) {
            rig_box(&rig, AFX_BODY_FIXED);
        }
        rig_compile(&rig);
        hash[bodies] = afx_model_hash(rig.model);
        for (int k = 0; k < bodies; k++) {
            assert_true(hash[k] != hash[bodies]);
        }
        rig_free(&rig);
    }
    assert_int_equal(afx_model_hash(NULL), 0);
}

static void names_do_not_show(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int named = 0; named < 2; named++) {
        Rig rig = rig_make();
        AfxBodyDef def = afx_default_body();
        AfxBodyId id;
        def.name = named ? "brick" : NULL;
        def.mass_source = AFX_MASS_GIVEN;
        def.mass = def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
        assert_ok(afx_scene_add_body(rig.scene, &def, &id));
        rig_compile(&rig);
        hash[named] = afx_model_hash(rig.model);
        rig_free(&rig);
    }
    assert_true(hash[0] == hash[1]);
}

/* What a scene says is what counts, not how it came about: motions set in another order, a table's neighbours, numbers
 * that a signal does not use, a mesh given inside out. */
static void how_a_scene_was_made_does_not_show(void **state) {
    (void)state;
    static const double tetrahedron[] = {0.1, 0.2, 0.3, 1.7, 0.1, 0.2, 0.3, 1.9, 0.1, 0.2, 0.4, 2.3};
    static const uint32_t outward[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2},
                          inward[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3};
    uint64_t hash[2];
    for (int way = 0; way < 2; way++) {
        Rig rig = rig_make();
        AfxBodyDef def = afx_default_body();
        AfxBodyId id[3];
        AfxShapeDef mesh = afx_default_mesh(tetrahedron, 4, way ? inward : outward, 4);
        for (int k = 0; k < 3; k++) {
            assert_ok(afx_scene_add_body(rig.scene, &def, &id[k]));
            assert_ok(afx_scene_add_shape(rig.scene, id[k], &mesh));
        }
        for (int k = 0; k < 2; k++) {
            int body = way ? 1 - k : k;
            def.kind = AFX_BODY_KINEMATIC;
            def.motion.angle = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0.5 + body, way ? NAN : 0}};
            def.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {1, 2, 3, 4, way ? 5 : 0}};
            assert_ok(afx_scene_set_body(rig.scene, id[body], &def));
        }
        rig_compile(&rig);
        hash[way] = afx_model_hash(rig.model);
        rig_free(&rig);
    }
    assert_true(hash[0] == hash[1]);
}

int run_hash_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_scenes_have_equal_hashes),     cmocka_unit_test(any_number_that_differs_shows),
        cmocka_unit_test(the_number_of_things_shows),         cmocka_unit_test(names_do_not_show),
        cmocka_unit_test(how_a_scene_was_made_does_not_show),
    };
    return cmocka_run_group_tests_name("hash of a model", tests, NULL, NULL);
}

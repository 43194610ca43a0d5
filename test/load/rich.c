/* SPDX-License-Identifier: Apache-2.0 */
/* A scene with everything that the scene's functions can say, and numbers that are not round. */
#include "tests.h"

static const double tetrahedron[] = {0.1, 0.2, 0.3, 1.7, 0.1, 0.2, 0.3, 1.9, 0.1, 0.2, 0.4, 2.3};
static const uint32_t inward[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3};
static const double times[] = {0, 0.1, 1.0 / 3}, values[] = {0, 1e-5, -2.0 / 7};

static AfxPose pose(double seed) {
    AfxPose p = {{seed / 3, -seed / 7, 0.1 * seed}, afx_quat_from_axis_angle((AfxVec3){1, seed, -2}, seed)};
    return p;
}

static AfxStatus add_shapes(AfxScene *scene, AfxBodyId body) {
    AfxShapeDef shapes[] = {afx_default_box(0.1, 0.7, 1.0 / 3),
                            afx_default_sphere(0.3),
                            afx_default_capsule(0.1, 0.7),
                            afx_default_cylinder(0.2, 1e-3),
                            afx_default_ellipsoid(0.1, 0.2, 0.3),
                            afx_default_convex(tetrahedron, 4),
                            afx_default_mesh(tetrahedron, 4, inward, 4)};
    AfxStatus status = AFX_OK;
    for (int k = 0; k < 7 && !status; k++) {
        shapes[k].pose = pose(0.1 * k);
        shapes[k].mass = k % 2 ? 0 : 0.3 * (k + 1);
        shapes[k].density = 700.1 + k;
        shapes[k].material = afx_scene_material(scene, (uint32_t)k % 4);
        shapes[k].contact_group = k == 3 ? 0xfffffffe : 1;
        shapes[k].contact_mask = 1u << k | 1;
        shapes[k].visual = k == 4;
        status = afx_scene_add_shape(scene, body, &shapes[k]);
    }
    return status;
}

/** Materials with and without a name, one called as a nameless one would be saved, and material 0 replaced. */
static AfxStatus add_materials(AfxScene *scene) {
    static const char *const names[] = {"r\"ubber", NULL, "#2"};
    AfxMaterialDef def = afx_default_material();
    AfxMaterialId ids[3];
    AfxStatus status = AFX_OK;
    for (int k = 0; k < 3 && !status; k++) {
        def.name = names[k];
        def.friction = 0.1 + 1.0 / (k + 3);
        def.restitution = k / 7.0;
        def.rolling_friction = 1e-3 * k;
        def.torsional_friction = k / 3.0;
        def.stiffness = k == 1 ? 1e5 / 3 : 0;
        status = afx_scene_add_material(scene, &def, &ids[k]);
    }
    def.name = "ground";
    def.friction = 1.1;
    status = status ? status : afx_scene_set_material(scene, afx_scene_material(scene, 0), &def);
    def.friction = 1.0 / 7;
    status = status ? status : afx_scene_set_material_pair(scene, ids[1], afx_scene_material(scene, 0), &def);
    def.stiffness = 3e5;
    return status ? status : afx_scene_set_material_pair(scene, ids[2], ids[0], &def);
}

/** What is not on dynamic bodies: a plane, a height field, an open mesh and one whose vertices move. */
static AfxStatus add_ground(AfxScene *scene, AfxBodyId body) {
    static const double heights[] = {0, 0.1, 1.0 / 3, 0.2, -0.3, 0.7};
    static const double frames[] = {0.1, 0.2, 0.3, 1, 0, 0.7, 0, 1.0 / 3, 0, 0, 0, 1,
                                    0.2, 0.3, 0.1, 1, 1, 0.9, 0, 2.0 / 3, 0, 0, 0, 2};
    AfxShapeDef shapes[] = {afx_default_plane(), afx_default_height_field(2.0 / 3, 0.7, heights, 3, 2),
                            afx_default_mesh(tetrahedron, 4, inward, 3), afx_default_mesh(tetrahedron, 4, inward, 4)};
    shapes[3].vertex_frames = frames;
    shapes[3].frame_count = 2;
    shapes[3].frame_rate = 29.97;
    shapes[3].loop = true;
    AfxStatus status = AFX_OK;
    for (int k = 0; k < 4 && !status; k++) {
        shapes[k].pose = pose(0.2 * k + 0.1);
        status = afx_scene_add_shape(scene, body, &shapes[k]);
    }
    return status;
}

static AfxSignal signal(AfxSignalKind kind) {
    AfxSignal s = {.kind = kind, .coefficients = {0.1, 1.0 / 3, 0.7, kind == AFX_SIGNAL_SINE ? 0.9 : 0}};
    if (kind == AFX_SIGNAL_TABLE) {
        s.times = times;
        s.values = values;
        s.sample_count = 3;
    }
    s.formula = kind == AFX_SIGNAL_FORMULA ? "0.1 + t / 3 - \t0.7 * sin(t)^2" : NULL;
    return s;
}

static AfxStatus add_bodies(AfxScene *scene, AfxBodyId ids[4]) {
    /* a name that needs escapes, none, and one that means something else as a reference */
    static const char *const names[] = {"first \"body\"\\\n\xc3\xa9\xe2\x82\xac", NULL, "world", "mover"};
    AfxStatus status = AFX_OK;
    for (int k = 0; k < 4 && !status; k++) {
        AfxBodyDef def = afx_default_body();
        def.name = names[k];
        def.pose = pose(k + 0.3);
        def.linear_velocity = (AfxVec3){0.1, k, -0.0};
        def.angular_velocity = (AfxVec3){-0.0, 0.2, 1e300};
        def.young = k == 1 ? INFINITY : 1.1e9;
        def.poisson = 0.1 + 0.1 * k;
        def.gravity = k != 1;
        def.linear_damping = 0.3 * k;
        def.angular_damping = 0.7 * k;
        def.mass = 3.3;
        if (k == 1) {
            def.mass_source = AFX_MASS_GIVEN;
            def.center = (AfxVec3){0.1, 0.2, 0.3};
            for (int i = 0; i < 6; i++) {
                def.inertia[i] = i < 3 ? 2 + 0.1 * i : 0.01 * i;
            }
        }
        if (k == 3) {
            def.kind = AFX_BODY_KINEMATIC;
            def.motion =
                (AfxMotion){{signal(AFX_SIGNAL_CONSTANT), signal(AFX_SIGNAL_POLYNOMIAL), signal(AFX_SIGNAL_SINE)},
                            {1, 2, 3},
                            signal(AFX_SIGNAL_TABLE)};
        }
        status = afx_scene_add_body(scene, &def, &ids[k]);
        status = status || k == 1 ? status : add_shapes(scene, ids[k]);
        status = status || k != 3 ? status : add_ground(scene, ids[k]);
    }
    return status;
}

static const double table_positions[] = {-0.1, 0.3, 1.0 / 3}, table_forces[] = {-2, 0.7, 0.1};
static const double table_rates[] = {-1, 0, 0.7}, table_drags[] = {-1.0 / 7, 0, 2};

static AfxStatus add_drives(AfxScene *scene, AfxJointId joint, uint32_t axes) {
    for (int kind = 0; kind <= AFX_DRIVE_FRICTION && axes; kind++) {
        AfxDriveDef def = afx_default_drive((AfxDriveKind)kind);
        AfxDriveId id;
        char name[32];
        snprintf(name, sizeof name, "drive %d of %u", kind, (unsigned)joint.index);
        def.name = kind % 2 ? name : NULL;
        def.joint = joint;
        def.axis = kind == AFX_DRIVE_VELOCITY ? (axes > 1 ? 1 : 0) : (uint32_t)kind % axes;
        def.target = signal((AfxSignalKind)(kind % 5));
        def.from_input = kind == AFX_DRIVE_FORCE;
        if (kind == AFX_DRIVE_VELOCITY && axes == 1) {
            continue; /* the axis is held already */
        }
        def.stiffness = 0.1 * (kind + 1);
        def.damping = 0.3;
        def.rest = -1.0 / 7;
        def.effort = kind == AFX_DRIVE_SERVO ? 12.3 : kind == AFX_DRIVE_FRICTION ? INFINITY : def.effort;
        def.lower = kind == AFX_DRIVE_LIMIT ? -0.1 : def.lower;
        def.upper = kind == AFX_DRIVE_SPRING ? 0.7 : def.upper;
        def.restitution = 0.9;
        def.coefficient = 0.2;
        def.radius = 0.05;
        def.spring_table = (AfxForceTable){table_positions, table_forces, 3};
        def.damper_table = (AfxForceTable){table_rates, table_drags, 3};
        AfxStatus status = afx_scene_add_drive(scene, &def, &id);
        if (status) {
            return status;
        }
    }
    return AFX_OK;
}

static AfxStatus add_joints(AfxScene *scene, const AfxBodyId ids[4]) {
    AfxStatus status = AFX_OK;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT && !status; kind++) {
        AfxJointDef def = afx_default_joint((AfxJointKind)kind);
        AfxJointId id;
        def.name = kind % 3 ? afx_joint_kind_name((AfxJointKind)kind) : NULL;
        def.base = kind % 4 ? ids[kind % 4] : afx_world();
        def.follower = kind % 5 ? ids[0] : ids[(kind + 1) % 4 ? (kind + 1) % 4 : 2];
        if (def.base.index == def.follower.index) {
            def.base = afx_world();
        }
        def.base_frame = pose(kind);
        def.follower_frame = kind % 2 ? pose(-kind) : afx_pose_identity();
        def.length = afx_joint_has_length((AfxJointKind)kind) ? 0.7 : kind == AFX_JOINT_FIXED ? 0.3 : 0;
        def.pitch = kind == AFX_JOINT_SCREW ? 0.01 : 0;
        def.active = kind % 4 != 1;
        def.break_force = 10.1 * kind;
        def.break_torque = kind % 2 ? 0.3 : 0;
        def.contact = kind % 3 == 1;
        if (kind == AFX_JOINT_SPHERICAL) {
            def.spring = (AfxJointSpring){{2.1, 3.3, 4.7}, {0.1, 0, 0.3}, pose(kind).rotation};
        }
        status = afx_scene_add_joint(scene, &def, &id);
        status = status ? status : add_drives(scene, id, afx_joint_axis_count(def.kind));
    }
    return status;
}

static AfxStatus add_relations(AfxScene *scene, const AfxBodyId ids[4]) {
    AfxCouplingDef coupling = afx_default_coupling();
    AfxCouplingId coupling_id;
    coupling.name = "gears";
    coupling.term_count = 2;
    coupling.joint[0] = afx_scene_joint(scene, AFX_JOINT_CYLINDRICAL);
    coupling.joint[1] = afx_scene_joint(scene, AFX_JOINT_PLANAR);
    coupling.axis[0] = 1;
    coupling.axis[1] = 2;
    coupling.factor[0] = 1.0 / 3;
    coupling.factor[1] = -0.7;
    coupling.constant = 0.1;
    AfxStatus status = afx_scene_add_coupling(scene, &coupling, &coupling_id);
    coupling.name = NULL;
    coupling.compliance = 1e-7;
    coupling.axis[0] = 0;
    status = status ? status : afx_scene_add_coupling(scene, &coupling, &coupling_id);
    for (int k = 0; k < 3 && !status; k++) {
        AfxSpringDef spring = afx_default_spring();
        AfxSpringId spring_id;
        spring.name = k ? NULL : "spring";
        spring.body_a = ids[k];
        spring.body_b = k ? ids[0] : afx_world();
        if (k) {
            spring.body_a = k == 1 ? ids[2] : afx_world();
        }
        spring.point_a = (AfxVec3){0.1 * k, 0.2, 0.3};
        spring.point_b = (AfxVec3){0.7, 0, 0};
        spring.rest_length = 0.3 * k;
        spring.stiffness = 100.1;
        spring.damping = 0.1 * k;
        if (k == 1) {
            spring.spring_table = (AfxForceTable){table_positions, table_forces, 3};
            spring.damper_table = (AfxForceTable){table_rates, table_drags, 2};
        }
        status = afx_scene_add_spring(scene, &spring, &spring_id);
    }
    return status;
}

static AfxStatus add_attached(AfxScene *scene, const AfxBodyId ids[4]) {
    AfxStatus status = AFX_OK;
    for (int k = 0; k < 4 && !status; k++) {
        AfxMarkerId marker;
        AfxWrenchDef wrench = afx_default_wrench();
        AfxWrenchId wrench_id;
        char name[32];
        snprintf(name, sizeof name, "marker %d", k);
        status = afx_scene_add_marker(scene, ids[k], name, (AfxVec3){0.1 * k, 0, 1.0 / 3}, &marker);
        wrench.body = ids[k];
        wrench.frame = k % 2 ? AFX_FRAME_BODY : AFX_FRAME_WORLD;
        wrench.point = (AfxVec3){0, 0.1 * k, 0};
        wrench.force = (AfxVec3){0.1, 0.2, 0.3};
        wrench.torque = (AfxVec3){0, 0, 0.7 * k};
        if (k > 1) {
            wrench.force_signal[k % 3] = signal((AfxSignalKind)k);
            wrench.torque_signal[(k + 1) % 3] = signal((AfxSignalKind)(k + 1));
        }
        status = status ? status : afx_scene_add_wrench(scene, &wrench, &wrench_id);
    }
    return status;
}

AfxStatus build_rich(AfxScene *scene) {
    AfxBodyId ids[4];
    AfxStatus status = afx_scene_set_gravity(scene, (AfxVec3){0.1, -0.2, -9.81});
    status = status ? status : add_materials(scene);
    status = status ? status : add_bodies(scene, ids);
    status = status ? status : afx_scene_exclude_contact(scene, ids[3], ids[1]);
    status = status ? status : afx_scene_exclude_contact(scene, ids[2], ids[0]);
    status = status ? status : add_joints(scene, ids);
    status = status ? status : add_relations(scene, ids);
    return status ? status : add_attached(scene, ids);
}

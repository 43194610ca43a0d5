/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that author a scene, with definitions from a tape. */
#ifndef AFX_FUZZ_API_SCENE_H
#define AFX_FUZZ_API_SCENE_H

#include "tape.h"

static inline AfxBodyDef body_def(Tape *tape) {
    AfxBodyDef def = afx_default_body();
    unsigned use = byte(tape);
    def.name = name(tape);
    def.kind = (AfxBodyKind)(byte(tape) % 4);
    def.pose = pose(tape);
    if (use & 1) {
        def.linear_velocity = vector(tape);
        def.angular_velocity = vector(tape);
    }
    if (use & 2) {
        def.mass_source = (AfxMassSource)(byte(tape) % 3);
        def.mass = number(tape);
        def.center = vector(tape);
        for (int k = 0; k < 6; k++) {
            def.inertia[k] = number(tape);
        }
    }
    if (use & 4) {
        def.young = number(tape);
        def.poisson = number(tape);
        def.linear_damping = number(tape);
        def.angular_damping = number(tape);
        def.gravity = byte(tape) % 2;
    }
    if (use & 8) {
        for (int k = 0; k < 3; k++) {
            def.motion.translation[k].kind = AFX_SIGNAL_POLYNOMIAL;
            def.motion.translation[k].coefficients[1] = number(tape);
        }
        def.motion.axis = vector(tape);
        def.motion.angle = signal(tape);
    }
    def.cookie -= (use & 128) && (use & 64) && (use & 32);
    return def;
}

static inline void add_shape(World *world, Tape *tape) {
    static const uint32_t solid[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    double vertices[24];
    uint32_t triangles[12], count = byte(tape) % 9;
    AfxBodyId id = body(world, tape);
    AfxShapeDef def = afx_default_sphere(number(tape));
    def.kind = (AfxShapeKind)(byte(tape) % 10);
    def.half_extents = vector(tape);
    def.length = number(tape);
    def.density = byte(tape) % 4 ? 1000 : number(tape);
    def.mass = byte(tape) % 4 ? 0 : number(tape);
    def.pose = pose(tape);
    for (int k = 0; k < 24; k++) {
        vertices[k] = number(tape);
    }
    for (int k = 0; k < 12; k++) {
        triangles[k] = byte(tape) % 8 ? solid[k] : byte(tape);
    }
    def.vertices = vertices;
    def.vertex_count = count;
    def.triangles = triangles;
    def.triangle_count = byte(tape) % 5;
    def.heights = vertices;
    def.columns = byte(tape) % 5;
    def.rows = byte(tape) % 5;
    if (byte(tape) % 4 == 1) {
        def.vertex_frames = vertices;
        def.vertex_count = count % 5; /* two frames of at most four vertices */
        def.frame_count = byte(tape) % 3;
        def.frame_rate = number(tape);
        def.loop = byte(tape) % 2;
    }
    def.visual = byte(tape) % 8 == 1;
    def.material.index = byte(tape) % 4;
    def.material.scene = def.material.index ? id.scene : 0;
    def.contact_group = byte(tape);
    def.contact_mask = byte(tape);
    AfxStatus status = afx_scene_add_shape(world->scene, id, &def);
    AfxMass mass;
    if (status == AFX_OK && afx_scene_body_mass(world->scene, id, &mass) == AFX_OK) {
        fuzz_expect(isfinite(mass.mass) && isfinite(mass.inertia[0]), "a mass is not finite");
    }
}

static inline void add_joint(World *world, Tape *tape) {
    AfxJointDef def = afx_default_joint((AfxJointKind)(byte(tape) % (AFX_JOINT_KIND_COUNT + 1)));
    unsigned way = byte(tape);
    AfxJointId ids[2];
    AfxBodyId cross;
    def.name = name(tape);
    def.base = body(world, tape);
    def.follower = body(world, tape);
    def.length = number(tape);
    def.pitch = number(tape);
    def.active = byte(tape) % 8;
    def.contact = byte(tape) % 4 == 1;
    def.break_force = byte(tape) % 4 ? 0 : number(tape);
    def.break_torque = byte(tape) % 4 ? 0 : number(tape);
    if (way % 4 == 0) {
        def.base_frame = pose(tape);
        def.follower_frame = pose(tape);
    } else if (way % 4 == 1) {
        AfxVec3 at = vector(tape), along = vector(tape);
        (void)afx_joint_place(world->scene, &def, afx_frame_along(at, along));
    } else if (way % 4 == 2) {
        AfxVec3 points[4] = {vector(tape), vector(tape), vector(tape), vector(tape)};
        (void)afx_joint_on_points(world->scene, &def, points, points + (way & 16 ? 2 : 0));
    }
    if (way % 32 == 31) {
        (void)afx_scene_add_universal_cross(world->scene, &def, number(tape), number(tape), ids, &cross);
    } else {
        (void)afx_scene_add_joint(world->scene, &def, ids);
    }
}

static inline void add_drive(World *world, Tape *tape) {
    AfxDriveDef def = afx_default_drive((AfxDriveKind)(byte(tape) % 8));
    AfxDriveId id;
    def.name = name(tape);
    def.joint = joint(world, tape);
    def.axis = byte(tape) % 8;
    def.target = signal(tape);
    def.from_input = byte(tape) % 4 == 1;
    def.stiffness = number(tape);
    def.damping = number(tape);
    def.rest = number(tape);
    def.effort = byte(tape) % 2 ? def.effort : number(tape);
    def.lower = byte(tape) % 2 ? def.lower : number(tape);
    def.upper = byte(tape) % 2 ? def.upper : number(tape);
    def.restitution = byte(tape) / 255.0;
    def.coefficient = byte(tape) % 2 ? 0 : number(tape);
    def.radius = number(tape);
    (void)afx_scene_add_drive(world->scene, &def, &id);
}

static inline void add_coupling(World *world, Tape *tape) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    def.name = name(tape);
    def.term_count = byte(tape) % 10;
    for (int k = 0; k < AFX_COUPLING_TERMS; k++) {
        def.joint[k] = joint(world, tape);
        def.axis[k] = byte(tape) % 6;
        def.factor[k] = number(tape);
    }
    def.constant = number(tape);
    def.compliance = byte(tape) % 2 ? 0 : number(tape);
    (void)afx_scene_add_coupling(world->scene, &def, &id);
}

static inline void add_other(World *world, Tape *tape) {
    unsigned sort = byte(tape) % 7;
    AfxBodyId id = body(world, tape);
    if (sort == 0) {
        AfxSpringDef def = afx_default_spring();
        AfxSpringId spring;
        def.body_a = id;
        def.body_b = body(world, tape);
        def.point_a = vector(tape);
        def.point_b = vector(tape);
        def.rest_length = number(tape);
        def.stiffness = number(tape);
        def.damping = number(tape);
        (void)afx_scene_add_spring(world->scene, &def, &spring);
    } else if (sort == 1) {
        AfxWrenchDef def = afx_default_wrench();
        AfxWrenchId wrench;
        def.body = id;
        def.frame = (AfxFrame)(byte(tape) % 3);
        def.point = vector(tape);
        def.force = vector(tape);
        def.torque = vector(tape);
        (void)afx_scene_add_wrench(world->scene, &def, &wrench);
    } else if (sort == 2) {
        AfxMarkerId marker;
        (void)afx_scene_add_marker(world->scene, id, name(tape), vector(tape), &marker);
    } else if (sort == 3) {
        AfxMaterialDef def = afx_default_material();
        AfxMaterialId material;
        def.name = name(tape);
        def.friction = number(tape);
        def.restitution = byte(tape) / 255.0;
        def.rolling_friction = number(tape);
        def.stiffness = number(tape);
        (void)afx_scene_add_material(world->scene, &def, &material);
        (void)afx_scene_set_material_pair(world->scene, material, (AfxMaterialId){0, 0}, &def);
    } else if (sort == 4) {
        (void)afx_scene_exclude_contact(world->scene, id, body(world, tape));
    } else if (sort == 5) {
        (void)afx_scene_set_contact(world->scene, byte(tape) % 4);
    } else {
        (void)afx_scene_set_gravity(world->scene, vector(tape));
    }
}

#endif

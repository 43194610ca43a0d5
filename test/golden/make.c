/* SPDX-License-Identifier: Apache-2.0 */
#include "golden/make.h"

#include <math.h>

#define LINK_RADIUS 0.015

Maker make_begin(bool contact) {
    Maker maker = {0};
    AfxSceneDef def = afx_default_scene();
    maker.status = afx_scene_create(&def, &maker.scene);
    if (maker.status == AFX_OK) {
        maker.status = afx_scene_set_contact(maker.scene, contact);
    }
    return maker;
}

AfxStatus make_end(Maker *maker, AfxScene **out_scene) {
    *out_scene = maker->scene;
    if (maker->status != AFX_OK) {
        afx_scene_destroy(maker->scene);
        *out_scene = NULL;
    }
    return maker->status;
}

AfxBodyId make_plane(Maker *maker, double height, double friction, double restitution) {
    AfxBodyId ground = {0};
    AfxMaterialDef material = afx_default_material();
    material.friction = friction;
    material.restitution = restitution;
    AfxBodyDef def = afx_default_body();
    def.kind = AFX_BODY_FIXED;
    def.pose.position.z = height;
    AfxShapeDef plane = afx_default_plane();
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_set_material(maker->scene, afx_scene_material(maker->scene, 0), &material);
    }
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_body(maker->scene, &def, &ground);
    }
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_shape(maker->scene, ground, &plane);
    }
    return ground;
}

static AfxBodyId add_body(Maker *maker, AfxPose pose, const AfxShapeDef *shape, double young) {
    AfxBodyId body = {0};
    AfxBodyDef def = afx_default_body();
    def.pose = pose;
    def.young = young;
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_body(maker->scene, &def, &body);
    }
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_shape(maker->scene, body, shape);
    }
    return body;
}

AfxBodyId make_body(Maker *maker, AfxVec3 at, const AfxShapeDef *shape, double young) {
    AfxPose pose = afx_pose_identity();
    pose.position = at;
    return add_body(maker, pose, shape, young);
}

AfxBodyId make_link(Maker *maker, AfxVec3 a, AfxVec3 b, double young) {
    AfxVec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    AfxShapeDef shape = afx_default_capsule(LINK_RADIUS, length - 2 * LINK_RADIUS);
    shape.contact_group = 2; /* links touch everything but links: branches start inside each other */
    AfxPose pose = afx_pose_identity();
    pose.position = (AfxVec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
    pose.rotation = afx_quat_from_axis_angle((AfxVec3){-d.y, d.x, 0}, acos(d.z / length));
    return add_body(maker, pose, &shape, young);
}

AfxJointId make_joint(Maker *maker, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxVec3 at, AfxVec3 axis) {
    AfxJointId joint = {0};
    AfxJointDef def = afx_default_joint(kind);
    def.base = base;
    def.follower = follower;
    if (maker->status == AFX_OK) {
        maker->status = afx_joint_place(maker->scene, &def, afx_frame_along(at, axis));
    }
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_joint(maker->scene, &def, &joint);
    }
    return joint;
}

void make_chain(Maker *maker, AfxBodyId base, bool is_free, AfxVec3 from, uint32_t count, double young,
                AfxBodyId *out_links) {
    AfxBodyId before = base;
    for (uint32_t k = 0; k < count; ++k) {
        AfxVec3 a = {from.x + 0.1 * k, from.y, from.z}, b = {a.x + 0.1, a.y, a.z};
        AfxBodyId link = make_link(maker, a, b, young);
        if (k > 0 || !is_free) {
            make_joint(maker, AFX_JOINT_SPHERICAL, before, link, a, (AfxVec3){1, 0, 0});
        }
        before = link;
        if (out_links) {
            out_links[k] = link;
        }
    }
}

typedef struct Twigs {
    Maker *maker;
    AfxJointKind kind;
    double young;
    AfxJointId *joints;
    uint32_t count, most;
} Twigs;

static void grow(Twigs *twigs, AfxBodyId base, AfxVec3 from, double angle, uint32_t depth) {
    AfxVec3 to = {from.x + 0.15 * cos(angle), from.y + 0.15 * sin(angle), from.z};
    AfxBodyId link = make_link(twigs->maker, from, to, twigs->young);
    AfxVec3 axis = {-sin(angle), cos(angle), depth % 3 == 1 ? 0.5 : 0};
    AfxJointId joint = make_joint(twigs->maker, twigs->kind, base, link, from, axis);
    if (twigs->joints && twigs->count < twigs->most) {
        twigs->joints[twigs->count++] = joint;
    }
    if (depth == 0) {
        return;
    }
    uint32_t branches = depth % 2 ? 1 : 3;
    for (uint32_t k = 0; k < branches; ++k) {
        grow(twigs, link, to, angle + 0.6 * ((double)k - 0.5 * (branches - 1)), depth - 1);
    }
}

void make_tree(Maker *maker, AfxJointKind kind, AfxBodyId base, AfxVec3 from, uint32_t depth, double young,
               AfxJointId *out_joints, uint32_t *out_count, uint32_t most) {
    Twigs twigs = {.maker = maker, .kind = kind, .young = young, .joints = out_joints, .most = most};
    grow(&twigs, base, from, 0, depth);
    if (out_count) {
        *out_count = twigs.count;
    }
}

void make_drive(Maker *maker, const AfxDriveDef *def) {
    AfxDriveId drive;
    if (maker->status == AFX_OK) {
        maker->status = afx_scene_add_drive(maker->scene, def, &drive);
    }
}

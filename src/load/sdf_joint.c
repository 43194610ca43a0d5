/* SPDX-License-Identifier: Apache-2.0 */
/* Joints of an SDF file. The frame of the joint is where its pose says, turned so that the free axis is its own; its
 * coordinate is 0 where the file draws it. Limits, damping, friction, springs and motors are drives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/sdf.h"

/* Limits beyond this are none: SDF's own default is 1e16. */
#define LIMIT_MOST 1e15
/* Cosine of two axes that are not square to each other. */
#define SQUARE 1e-6

typedef struct Axis {
    AfxiXmlNode *node; /* NULL: the file gives none */
    AfxVec3 direction; /* world, unit */
    double lower, upper, effort, damping, friction, stiffness, rest;
} Axis;

static bool read_numbers(AfxiSdf *sdf, Axis *axis) {
    AfxiLoad *load = sdf->urdf.load;
    AfxiXmlNode *limit = afxi_xml_child(axis->node, "limit"), *dynamics = afxi_xml_child(axis->node, "dynamics");
    if (limit &&
        (!afxi_xml_number(load, limit, "lower", &axis->lower) || !afxi_xml_number(load, limit, "upper", &axis->upper) ||
         !afxi_xml_number(load, limit, "effort", &axis->effort))) {
        return false;
    }
    if (dynamics && (!afxi_xml_number(load, dynamics, "damping", &axis->damping) ||
                     !afxi_xml_number(load, dynamics, "friction", &axis->friction) ||
                     !afxi_xml_number(load, dynamics, "spring_stiffness", &axis->stiffness) ||
                     !afxi_xml_number(load, dynamics, "spring_reference", &axis->rest))) {
        return false;
    }
    if (axis->lower > axis->upper) {
        return afxi_xml_error(load, limit, "lower", "it is above upper", "give lower <= upper");
    }
    if (axis->damping < 0 || axis->friction < 0 || axis->stiffness < 0) {
        return afxi_xml_error(load, dynamics, NULL, "a number is negative", "give 0 or more");
    }
    return true;
}

/** The direction is in the joint's frame, or in the one that the file says. */
static bool read_axis(AfxiSdf *sdf, const AfxiSdfFrame *joint, const char *name, Axis *out) {
    AfxiLoad *load = sdf->urdf.load;
    AfxVec3 direction = {0, 0, 1};
    *out = (Axis){.node = afxi_xml_child(joint->node, name), .lower = -INFINITY, .upper = INFINITY};
    if (!out->node) {
        return true;
    }
    AfxiXmlNode *xyz = afxi_xml_child(out->node, "xyz");
    const char *in = xyz ? afxi_xml_text(xyz, "expressed_in") : NULL,
               *old = afxi_xml_text(out->node, "use_parent_model_frame");
    uint32_t frame = (uint32_t)(joint - sdf->frames);
    if (in && in[0]) {
        frame = afxi_sdf_find(sdf, xyz, "expressed_in", joint->model, in);
    } else if (old && (strcmp(old, "true") == 0 || strcmp(old, "1") == 0)) {
        frame = joint->model;
    }
    if (frame == AFXI_SDF_NONE || !afxi_xml_vec3(load, out->node, "xyz", &direction)) {
        return false;
    }
    double length = vec3_length(direction);
    if (!(length > 0) || !isfinite(length)) {
        return afxi_xml_error(load, out->node, "xyz", "the axis has no direction", "give a vector of length 1");
    }
    out->direction = afx_quat_rotate(sdf->frames[frame].world.rotation, vec3_scale(1 / length, direction));
    return read_numbers(sdf, out);
}

/* ---- drives ---- */

static bool add_drive(AfxiSdf *sdf, const AfxiSdfFrame *joint, uint32_t axis, AfxDriveDef drive, const char *what) {
    size_t size = strlen(joint->name) + strlen(what) + 4;
    char *name = afxi_xml_take(sdf->urdf.load, &sdf->urdf.arena, size);
    AfxDriveId id;
    if (!name) {
        return false;
    }
    snprintf(name, size, axis ? "%s %s 2" : "%s %s", joint->name, what);
    drive.joint = joint->joint;
    drive.axis = axis;
    drive.name = name;
    return afx_scene_add_drive(sdf->urdf.load->scene, &drive, &id) == AFX_OK ||
           afxi_load_scene_error(sdf->urdf.load, joint->node->file, joint->node->line);
}

static bool add_drives(AfxiSdf *sdf, const AfxiSdfFrame *joint, uint32_t number, const Axis *axis) {
    AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT), spring = afx_default_drive(AFX_DRIVE_SPRING),
                friction = afx_default_drive(AFX_DRIVE_FRICTION), motor = afx_default_drive(AFX_DRIVE_FORCE);
    limit.lower = axis->lower < -LIMIT_MOST ? -INFINITY : axis->lower;
    limit.upper = axis->upper > LIMIT_MOST ? INFINITY : axis->upper;
    bool limited = isfinite(limit.lower) || isfinite(limit.upper);
    if (limited && (limit.lower > 0 || limit.upper < 0) &&
        !afxi_xml_notice(sdf->urdf.load, AFX_NOTICE_CHANGED, axis->node, NULL,
                         "the posture as drawn is beyond its limit: its first step brings it there")) {
        return false;
    }
    spring.stiffness = axis->stiffness;
    spring.damping = axis->damping;
    spring.rest = axis->rest;
    friction.effort = axis->friction;
    motor.from_input = true;
    motor.effort = axis->effort < LIMIT_MOST ? axis->effort : INFINITY;
    return (!limited || add_drive(sdf, joint, number, limit, "limit")) &&
           ((spring.stiffness == 0 && spring.damping == 0) || add_drive(sdf, joint, number, spring, "spring")) &&
           (friction.effort == 0 || add_drive(sdf, joint, number, friction, "friction")) &&
           (!(axis->effort > 0) || add_drive(sdf, joint, number, motor, "motor"));
}

/* ---- kinds ---- */

enum { REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, BALL, UNIVERSAL, REVOLUTE2, SCREW, GEARBOX };

/** The turn of the joint's frame that puts its free axes where the file's are; false after an error. */
static bool turn_of(AfxiSdf *sdf, const AfxiSdfFrame *joint, int kind, const Axis axes[2], AfxQuat *out) {
    *out = joint->world.rotation;
    if (kind == FIXED || kind == BALL) {
        return true;
    }
    if (kind != UNIVERSAL && kind != REVOLUTE2) {
        *out = afx_frame_along(vec3(0, 0, 0), axes[0].direction).rotation;
        return true;
    }
    AfxVec3 x = axes[0].direction, y = axes[1].direction;
    if (fabs(vec3_dot(x, y)) > SQUARE) {
        return afxi_xml_error(sdf->urdf.load, joint->node, NULL, "its two axes are not square to each other",
                              "give axes that are, or two revolute joints with a link between them");
    }
    AfxQuat along = afx_frame_along(vec3(0, 0, 0), x).rotation;
    AfxVec3 now = afx_quat_rotate(along, vec3(0, 1, 0));
    double angle = atan2(vec3_dot(vec3_cross(now, y), x), vec3_dot(now, y));
    *out = afx_quat_multiply(afx_quat_from_axis_angle(x, angle), along);
    return true;
}

/** What a frame moves with as a body of the scene, and its pose. */
static AfxBodyId body_of(const AfxiSdf *sdf, uint32_t frame, AfxPose *out_pose) {
    uint32_t link = sdf->frames[frame].link;
    *out_pose = afx_pose_identity();
    if (frame == 0 || link == AFXI_SDF_NONE || link == 0) {
        return afx_world();
    }
    *out_pose = sdf->frames[link].world;
    return sdf->frames[link].body;
}

static bool make_joint(AfxiSdf *sdf, AfxiSdfFrame *joint, int kind, const Axis axes[2]) {
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE,  AFX_JOINT_REVOLUTE,  AFX_JOINT_PRISMATIC,
                                         AFX_JOINT_FIXED,     AFX_JOINT_SPHERICAL, AFX_JOINT_UNIVERSAL,
                                         AFX_JOINT_UNIVERSAL, AFX_JOINT_SCREW};
    AfxiLoad *load = sdf->urdf.load;
    AfxJointDef def = afx_default_joint(kinds[kind]);
    AfxPose frame = joint->world, base, follower;
    double pitch = 0;
    if (!turn_of(sdf, joint, kind, axes, &frame.rotation) ||
        (kind == SCREW && !afxi_xml_number(load, joint->node, "screw_thread_pitch", &pitch))) {
        return false;
    }
    def.name = joint->name;
    def.base = body_of(sdf, joint->end[0], &base);
    def.follower = body_of(sdf, joint->end[1], &follower);
    def.base_frame = afx_pose_compose(afx_pose_invert(base), frame);
    def.follower_frame = afx_pose_compose(afx_pose_invert(follower), frame);
    def.pitch = pitch / (2 * 3.14159265358979323846);
    if (afx_scene_add_joint(load->scene, &def, &joint->joint) != AFX_OK) {
        return afxi_load_scene_error(load, joint->node->file, joint->node->line);
    }
    bool one = kind <= PRISMATIC || kind == SCREW, two = kind == UNIVERSAL || kind == REVOLUTE2;
    return (!(one || two) || add_drives(sdf, joint, 0, &axes[0])) && (!two || add_drives(sdf, joint, 1, &axes[1]));
}

bool afxi_sdf_add_joint(AfxiSdf *sdf, AfxiSdfFrame *joint) {
    static const char *const names[] = {"revolute",  "continuous", "prismatic", "fixed",   "ball",
                                        "universal", "revolute2",  "screw",     "gearbox", NULL};
    AfxiLoad *load = sdf->urdf.load;
    const char *type;
    int kind = 0;
    Axis axes[2];
    AfxPose unused;
    if (!afxi_xml_need(load, joint->node, "type", &type) || !afxi_xml_word(load, joint->node, "type", names, &kind)) {
        return false;
    }
    if (kind == GEARBOX) {
        return afxi_xml_notice(load, AFX_NOTICE_IGNORED, joint->node, NULL, "gear boxes are not read");
    }
    AfxBodyId base = body_of(sdf, joint->end[0], &unused), follower = body_of(sdf, joint->end[1], &unused);
    if (base.index == follower.index) {
        return afxi_xml_error(load, joint->node, NULL, "its parent and its child are one body", "join two links");
    }
    if (!read_axis(sdf, joint, "axis", &axes[0]) || !read_axis(sdf, joint, "axis2", &axes[1])) {
        return false;
    }
    bool two = kind == UNIVERSAL || kind == REVOLUTE2;
    if (((two || (kind != FIXED && kind != BALL)) && !axes[0].node) || (two && !axes[1].node)) {
        return afxi_xml_error(load, joint->node, NULL, axes[0].node ? "it has no axis2" : "it has no axis",
                              "give it one");
    }
    if (kind == CONTINUOUS) {
        axes[0].lower = -INFINITY;
        axes[0].upper = INFINITY;
    }
    return make_joint(sdf, joint, kind, axes);
}

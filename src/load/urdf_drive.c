/* SPDX-License-Identifier: Apache-2.0 */
/* Joints of a URDF as joints of the scene. The joint's frame is the child's, turned so that its free axis is the
 * joint's own; a coordinate is zero where the child stands at the joint's origin, as in URDF. A limit becomes a limit,
 * damping a damper, friction Coulomb friction, an effort a motor that takes its force from input and gives no more than
 * that, a mimic a coupling: coordinate - multiplier * other = offset. Motors have controls, so that what is told them
 * is held over a step: by the name of a transmission's actuator, whose effort counts by the reduction, or as the motor.
 * A safety controller bounds what a motor gives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/urdf.h"

/** "NAME what" in the arena. */
static const char *name_of(AfxiUrdf *urdf, const AfxiUrdfJoint *joint, const char *what) {
    size_t size = strlen(joint->name) + strlen(what) + 2;
    char *name = afxi_xml_take(urdf->load, &urdf->arena, size);
    if (name) {
        snprintf(name, size, "%s %s", joint->name, what);
    }
    return name;
}

static bool add_drive(AfxiUrdf *urdf, const AfxiUrdfJoint *joint, const AfxiXmlNode *node, AfxDriveDef drive,
                      const char *what) {
    AfxDriveId id;
    drive.joint = joint->id;
    drive.name = joint->name[0] ? name_of(urdf, joint, what) : "";
    return drive.name && (afx_scene_add_drive(urdf->load->scene, &drive, &id) == AFX_OK ||
                          afxi_load_scene_error(urdf->load, node->file, node->line));
}

static bool add_limit(AfxiUrdf *urdf, const AfxiUrdfJoint *joint) {
    if (!isfinite(joint->lower)) {
        return true;
    }
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_LIMIT);
    drive.lower = joint->lower;
    drive.upper = joint->upper;
    return add_drive(urdf, joint, joint->node, drive, "limit");
}

static bool add_motor(AfxiUrdf *urdf, AfxiUrdfJoint *joint) {
    if (joint->effort == 0) {
        return true;
    }
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
    drive.from_input = true;
    drive.effort = joint->effort;
    joint->motor = afx_scene_drive_count(urdf->load->scene);
    return add_drive(urdf, joint, joint->node, drive, "motor");
}

static bool add_dynamics(AfxiUrdf *urdf, const AfxiUrdfJoint *joint, AfxiXmlNode *dynamics) {
    AfxDriveDef damper = afx_default_drive(AFX_DRIVE_SPRING), friction = afx_default_drive(AFX_DRIVE_FRICTION);
    if (!afxi_xml_number(urdf->load, dynamics, "damping", &damper.damping) ||
        !afxi_xml_number(urdf->load, dynamics, "friction", &friction.effort)) {
        return false;
    }
    return (damper.damping == 0 || add_drive(urdf, joint, dynamics, damper, "damper")) &&
           (friction.effort == 0 || add_drive(urdf, joint, dynamics, friction, "friction"));
}

/** What acts on a joint with one coordinate. */
static bool add_drives(AfxiUrdf *urdf, AfxiUrdfJoint *joint) {
    AfxiXmlNode *dynamics = afxi_xml_child(joint->node, "dynamics");
    return add_limit(urdf, joint) && add_motor(urdf, joint) && (!dynamics || add_dynamics(urdf, joint, dynamics));
}

/* ---- joints ---- */

/** The shortest turn of z into the axis. */
static AfxQuat turn_z_to(AfxVec3 axis) {
    const AfxQuat xyz_to_yzx = {0.5, 0.5, 0.5, 0.5}, back = {0.5, -0.5, -0.5, -0.5}; /* a third of a turn */
    AfxQuat turn = afx_frame_along(vec3(0, 0, 0), afx_quat_rotate(xyz_to_yzx, axis)).rotation;
    return afx_quat_multiply(back, afx_quat_multiply(turn, xyz_to_yzx));
}

static bool add_joint(AfxiUrdf *urdf, AfxiUrdfJoint *joint) {
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC,
                                         AFX_JOINT_FIXED,    AFX_JOINT_FREE,     AFX_JOINT_PLANAR};
    const AfxiUrdfLink *parent = urdf->links + joint->parent, *child = urdf->links + joint->child;
    if (parent->group == child->group) {
        return true; /* merged */
    }
    AfxJointDef def = afx_default_joint(kinds[joint->kind]);
    def.name = joint->name;
    def.base = urdf->links[parent->group].body;
    def.follower = child->body;
    AfxPose turn = afx_pose_identity();
    if (joint->kind == AFXI_URDF_PLANAR) {
        turn.rotation = turn_z_to(joint->axis);
    } else if (joint->kind != AFXI_URDF_FIXED && joint->kind != AFXI_URDF_FLOATING) {
        turn = afx_frame_along(vec3(0, 0, 0), joint->axis);
    }
    def.base_frame = afx_pose_compose(afx_pose_compose(parent->in_body, joint->origin), turn);
    def.follower_frame = turn;
    if (afx_scene_add_joint(urdf->load->scene, &def, &joint->id) != AFX_OK) {
        return afxi_load_scene_error(urdf->load, joint->node->file, joint->node->line);
    }
    return !afxi_urdf_has_coordinate(joint) || add_drives(urdf, joint);
}

static bool add_mimic(AfxiUrdf *urdf, const AfxiUrdfJoint *joint) {
    AfxCouplingDef def = afx_default_coupling();
    def.name = joint->name;
    def.term_count = joint->multiplier == 0 ? 1 : 2;
    def.joint[0] = joint->id;
    def.factor[0] = 1;
    def.joint[1] = urdf->joints[joint->other].id;
    def.factor[1] = -joint->multiplier;
    def.constant = joint->offset;
    AfxCouplingId id;
    return afx_scene_add_coupling(urdf->load->scene, &def, &id) == AFX_OK ||
           afxi_load_scene_error(urdf->load, joint->mimic->file, joint->mimic->line);
}

/* ---- transmissions ---- */

/** The actuator and the reduction of the joint that a simple transmission names. */
static bool read_transmission(AfxiUrdf *urdf, AfxiXmlNode *node) {
    AfxiXmlNode *joint = afxi_xml_child(node, "joint"), *actuator = afxi_xml_child(node, "actuator");
    const char *name = joint ? afxi_xml_text(joint, "name") : NULL;
    uint32_t index = name ? afxi_names_find(&urdf->joint_names, name) : UINT32_MAX;
    double reduction = 1;
    if (index == UINT32_MAX || !actuator) {
        return true; /* told at the end */
    }
    if (!afxi_xml_number(urdf->load, node, "mechanicalReduction", &reduction) ||
        !afxi_xml_number(urdf->load, actuator, "mechanicalReduction", &reduction)) {
        return false;
    }
    AfxiUrdfJoint *own = urdf->joints + index;
    const char *called = afxi_xml_text(actuator, "name");
    node->used = actuator->used = joint->used = true;
    if (reduction == 0) {
        return afxi_xml_error(urdf->load, node, "mechanicalReduction", "it is 0", "give another number");
    }
    own->actuator = called ? called : "";
    own->reduction = reduction;
    return own->motor != AFXI_URDF_NONE || afxi_xml_notice(urdf->load, AFX_NOTICE_IGNORED, node, NULL,
                                                           "its joint has no motor: the limit says no effort");
}

/** Soft limits and gains of a safety controller; its speed is the limit's. */
static bool read_safety(AfxiUrdf *urdf, const AfxiUrdfJoint *joint, AfxSafety *out) {
    AfxDriveDef brake = afx_default_drive(AFX_DRIVE_SERVO);
    AfxiXmlNode *node = afxi_xml_child(joint->node, "safety_controller"), *limit = afxi_xml_child(joint->node, "limit");
    if (!node) {
        return true;
    }
    out->lower = out->upper = 0; /* as URDF says */
    if (!afxi_xml_number(urdf->load, node, "soft_lower_limit", &out->lower) ||
        !afxi_xml_number(urdf->load, node, "soft_upper_limit", &out->upper) ||
        !afxi_xml_number(urdf->load, node, "k_position", &out->position_gain) ||
        !afxi_xml_number(urdf->load, node, "k_velocity", &brake.damping) ||
        (limit && !afxi_xml_number(urdf->load, limit, "velocity", &out->speed))) {
        return false;
    }
    node->used = true;
    if (!(out->speed > 0)) {
        out->speed = INFINITY;
    }
    if (out->position_gain == 0) { /* only its speed is bounded */
        out->lower = -INFINITY;
        out->upper = INFINITY;
    }
    if (out->position_gain < 0 || brake.damping < 0) {
        return afxi_xml_error(urdf->load, node, brake.damping < 0 ? "k_velocity" : "k_position", "it is negative",
                              "give 0 or more");
    }
    if (out->lower > out->upper) {
        return afxi_xml_error(urdf->load, node, "soft_lower_limit", "it is above soft_upper_limit",
                              "give soft_lower_limit <= soft_upper_limit");
    }
    if (brake.damping == 0) {
        return true;
    }
    brake.from_input = true;
    brake.effort = joint->effort;
    if (!add_drive(urdf, joint, node, brake, "brake")) {
        return false;
    }
    out->brake = afx_scene_drive(urdf->load->scene, afx_scene_drive_count(urdf->load->scene) - 1);
    return true;
}

static bool add_control(AfxiUrdf *urdf, const AfxiUrdfJoint *joint) {
    AfxControlDef def = afx_default_control();
    uint32_t taken;
    if (!read_safety(urdf, joint, &def.safety)) {
        return false;
    }
    def.drive = afx_scene_drive(urdf->load->scene, joint->motor);
    def.gain = joint->actuator ? joint->reduction : 1;
    def.gear = def.gain;
    def.name = joint->actuator && joint->actuator[0] ? joint->actuator : name_of(urdf, joint, "motor");
    if (def.name && afx_scene_find_control(urdf->load->scene, def.name, &taken) == AFX_OK) {
        def.name = name_of(urdf, joint, "motor"); /* an actuator of two joints */
    }
    return def.name && (afx_scene_add_control(urdf->load->scene, &def) == AFX_OK ||
                        afxi_load_scene_error(urdf->load, joint->node->file, joint->node->line));
}

static bool add_transmissions(AfxiUrdf *urdf) {
    for (AfxiXmlNode *node = urdf->robot->first; node; node = node->next) {
        if (afxi_xml_is(node, "transmission") && !read_transmission(urdf, node)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < urdf->joint_count; k++) {
        if (urdf->joints[k].motor != AFXI_URDF_NONE && !add_control(urdf, urdf->joints + k)) {
            return false;
        }
    }
    return true;
}

bool afxi_urdf_add_joints(AfxiUrdf *urdf) {
    for (uint32_t k = 0; k < urdf->joint_count; k++) {
        urdf->joints[k].motor = AFXI_URDF_NONE;
        if (!add_joint(urdf, urdf->joints + k)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < urdf->joint_count; k++) {
        if (urdf->joints[k].mimic && !add_mimic(urdf, urdf->joints + k)) {
            return false;
        }
    }
    return add_transmissions(urdf);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on a joint by itself. A joint's coordinate in the file is q = sign * c + offset, c the scene's. Armature
 * is a number of the joint itself (mjcf_chain.c). */
#include <math.h>
#include <stdio.h>

#include "load/mjcf.h"

bool afxi_mjcf_add_drive(AfxiMjcf *m, const AfxiXmlNode *node, AfxDriveDef *def, const char *name, const char *what) {
    AfxDriveId id;
    def->name = what ? afxi_mjcf_label(m, name, what) : name;
    return def->name && (afx_scene_add_drive(m->load->scene, def, &id) == AFX_OK || afxi_mjcf_scene_error(m, node));
}

static AfxDriveDef drive_on(const AfxiMjcfJoint *joint, AfxDriveKind kind) {
    AfxDriveDef drive = afx_default_drive(kind);
    drive.joint = joint->id;
    drive.axis = joint->axis;
    return drive;
}

static bool add_limit(AfxiMjcf *m, const AfxiMjcfJoint *joint) {
    AfxDriveDef drive = drive_on(joint, AFX_DRIVE_LIMIT);
    double a = joint->sign * (joint->lower - joint->offset), b = joint->sign * (joint->upper - joint->offset);
    drive.lower = fmin(a, b);
    drive.upper = fmax(a, b);
    return afxi_mjcf_add_drive(m, joint->node, &drive, joint->name, "limit");
}

static bool add_spring(AfxiMjcf *m, const AfxiMjcfJoint *joint, double stiffness, double damping) {
    AfxDriveDef drive = drive_on(joint, AFX_DRIVE_SPRING);
    drive.stiffness = stiffness;
    drive.damping = damping;
    drive.rest = joint->sign * (joint->springref - joint->offset);
    return afxi_mjcf_add_drive(m, joint->node, &drive, joint->name, stiffness > 0 ? "spring" : "damper");
}

static bool add_friction(AfxiMjcf *m, const AfxiMjcfJoint *joint) {
    AfxDriveDef drive = drive_on(joint, AFX_DRIVE_FRICTION);
    drive.effort = joint->friction;
    return afxi_mjcf_add_drive(m, joint->node, &drive, joint->name, "friction");
}

/* ---- joints with several coordinates ---- */

/** A ball's range bounds the angle of its whole rotation. */
static bool add_ball_limit(AfxiMjcf *m, const AfxiMjcfJoint *joint) {
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_LIMIT);
    drive.joint = joint->id;
    drive.axis = AFX_AXIS_ANGLE;
    drive.upper = fmax(joint->lower, joint->upper);
    return afxi_mjcf_add_drive(m, joint->node, &drive, joint->name, "limit");
}

/** A ball's spring and damper act on its three angles. */
static bool add_ball(AfxiMjcf *m, AfxiMjcfJoint *joint) {
    if (joint->limited && m->on.limit && !add_ball_limit(m, joint)) {
        return false;
    }
    double stiffness = m->on.spring ? joint->stiffness : 0, damping = m->on.damper ? joint->damping : 0;
    if (stiffness > 0 || damping > 0) {
        if (!afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, joint->node, NULL,
                             "its spring and damper act on the three angles x, y, z: for small turns as in MuJoCo")) {
            return false;
        }
        for (uint32_t k = 0; k < 3; k++) {
            AfxDriveDef drive = drive_on(joint, AFX_DRIVE_SPRING);
            char what[16];
            drive.axis += k;
            drive.stiffness = stiffness;
            drive.damping = damping;
            snprintf(what, sizeof what, "spring %c", "xyz"[k]);
            if (!afxi_mjcf_add_drive(m, joint->node, &drive, joint->name, what)) {
                return false;
            }
        }
    }
    return true;
}

/** What a ball or free joint cannot have here. */
static bool tell_rest(AfxiMjcf *m, const AfxiMjcfJoint *joint) {
    bool free = joint->type == AFXI_MJCF_FREE;
    const struct {
        const char *name;
        bool there;
    } parts[] = {
        {"range", free && joint->limited && m->on.limit},
        {"frictionloss", joint->friction > 0 && m->on.friction},
        {"armature", joint->armature > 0},
        {"stiffness", free && joint->stiffness > 0 && m->on.spring},
        {"damping", free && joint->damping > 0 && m->on.damper},
    };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        if (parts[k].there && !afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, joint->node, parts[k].name,
                                               free ? "a free joint has none here" : "a ball joint has none here")) {
            return false;
        }
    }
    return true;
}

/** What acts along the one coordinate of a slide or hinge. */
static bool add_along(AfxiMjcf *m, AfxiMjcfJoint *joint) {
    double stiffness = m->on.spring ? joint->stiffness : 0, damping = m->on.damper ? joint->damping : 0;
    bool spring = stiffness > 0 || damping > 0, limit = joint->limited && m->on.limit;
    bool friction = joint->friction > 0 && m->on.friction;
    return (!limit || add_limit(m, joint)) && (!spring || add_spring(m, joint, stiffness, damping)) &&
           (!friction || add_friction(m, joint));
}

bool afxi_mjcf_add_passive(AfxiMjcf *m, AfxiMjcfJoint *joint) {
    if (joint->stiffness < 0 || joint->damping < 0 || joint->friction < 0 || joint->armature < 0) {
        return afxi_xml_error(m->load, joint->node, NULL,
                              "its stiffness, damping, frictionloss or armature is negative", "give 0 or more");
    }
    if (joint->type == AFXI_MJCF_FREE || joint->type == AFXI_MJCF_BALL) {
        return (joint->type == AFXI_MJCF_FREE || add_ball(m, joint)) && tell_rest(m, joint);
    }
    return add_along(m, joint);
}

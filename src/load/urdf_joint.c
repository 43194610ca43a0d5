/* SPDX-License-Identifier: Apache-2.0 */
/* Joints of a URDF as they are read: kind, ends, origin, axis, limit, mimic; and where they stand at the start. A URDF
 * has no state of its own: a joint starts at 0 or, where its limit or its mimic does not allow that, as near as it may.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/urdf.h"
#include "scene/name.h"

/* An axis whose length is further from 1 than this is told. */
#define AXIS_TOLERANCE 1e-3

/** The link that the child element `end` names. */
static bool read_end(AfxiUrdf *urdf, AfxiXmlNode *node, const char *end, uint32_t *out_link) {
    AfxiXmlNode *element = afxi_xml_child(node, end);
    const char *name;
    if (!element) {
        char text[60];
        snprintf(text, sizeof text, "it has no element %s", end);
        return afxi_xml_error(urdf->load, node, NULL, text, "name the links that it joins");
    }
    if (!afxi_xml_need(urdf->load, element, "link", &name)) {
        return false;
    }
    *out_link = afxi_names_find(&urdf->link_names, name);
    if (*out_link == AFXI_URDF_NONE) {
        char text[120];
        snprintf(text, sizeof text, "there is no link \"%.80s\"", name);
        return afxi_xml_error(urdf->load, element, "link", text, "check the spelling");
    }
    return true;
}

static bool read_axis(AfxiUrdf *urdf, AfxiXmlNode *node, AfxVec3 *out_axis) {
    AfxiXmlNode *axis = afxi_xml_child(node, "axis");
    *out_axis = vec3(1, 0, 0);
    if (!axis) {
        return true;
    }
    if (!afxi_xml_vec3(urdf->load, axis, "xyz", out_axis)) {
        return false;
    }
    double length = vec3_length(*out_axis);
    if (!(length > 0) || !isfinite(length)) {
        return afxi_xml_error(urdf->load, axis, "xyz", "the axis has no direction", "give a vector of length 1");
    }
    return fabs(length - 1) <= AXIS_TOLERANCE ||
           afxi_xml_notice(urdf->load, AFX_NOTICE_CHANGED, axis, "xyz", "its length is not 1: its direction is used");
}

static bool read_limit(AfxiUrdf *urdf, AfxiUrdfJoint *joint) {
    AfxiXmlNode *limit = afxi_xml_child(joint->node, "limit");
    if (!limit) {
        return joint->kind == AFXI_URDF_CONTINUOUS ||
               afxi_xml_error(urdf->load, joint->node, NULL, "it has no limit", "give it one, or make it continuous");
    }
    if (joint->kind != AFXI_URDF_CONTINUOUS) {
        joint->lower = joint->upper = 0;
        if (!afxi_xml_number(urdf->load, limit, "lower", &joint->lower) ||
            !afxi_xml_number(urdf->load, limit, "upper", &joint->upper)) {
            return false;
        }
        if (joint->lower > joint->upper) {
            return afxi_xml_error(urdf->load, limit, "lower", "it is above upper", "give lower <= upper");
        }
    }
    if (!afxi_xml_number(urdf->load, limit, "effort", &joint->effort)) {
        return false;
    }
    return joint->effort >= 0 ||
           afxi_xml_error(urdf->load, limit, "effort", "it is negative", "give a force or torque of 0 or more");
}

bool afxi_urdf_read_joint(AfxiUrdf *urdf, AfxiXmlNode *node, AfxiUrdfJoint *out_joint) {
    static const char *const kinds[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", NULL};
    *out_joint = (AfxiUrdfJoint){.node = node, .axis = {1, 0, 0}, .lower = -INFINITY, .upper = INFINITY};
    node->used = true;
    const char *type;
    int kind = 0;
    if (!afxi_xml_need(urdf->load, node, "name", &out_joint->name) || !afxi_xml_need(urdf->load, node, "type", &type) ||
        !afxi_xml_word(urdf->load, node, "type", kinds, &kind) || !read_end(urdf, node, "parent", &out_joint->parent) ||
        !read_end(urdf, node, "child", &out_joint->child) || !afxi_urdf_origin(urdf, node, &out_joint->origin)) {
        return false;
    }
    out_joint->kind = (AfxiUrdfKind)kind;
    if (out_joint->kind == AFXI_URDF_FIXED || out_joint->kind == AFXI_URDF_FLOATING) {
        AfxiXmlNode *axis = afxi_xml_child(node, "axis"); /* has no meaning there; often written */
        if (axis) {
            afxi_xml_text(axis, "xyz");
        }
        return true;
    }
    return read_axis(urdf, node, &out_joint->axis) &&
           (out_joint->kind == AFXI_URDF_PLANAR || read_limit(urdf, out_joint));
}

/* ---- mimics ---- */

bool afxi_urdf_has_coordinate(const AfxiUrdfJoint *joint) {
    return joint->kind <= AFXI_URDF_PRISMATIC;
}

static bool read_mimic(AfxiUrdf *urdf, AfxiUrdfJoint *joint, AfxiXmlNode *mimic) {
    const char *name;
    joint->multiplier = 1;
    if (!afxi_xml_need(urdf->load, mimic, "joint", &name) ||
        !afxi_xml_number(urdf->load, mimic, "multiplier", &joint->multiplier) ||
        !afxi_xml_number(urdf->load, mimic, "offset", &joint->offset)) {
        return false;
    }
    joint->other = afxi_names_find(&urdf->joint_names, name);
    if (joint->other == AFXI_URDF_NONE) {
        char text[120];
        snprintf(text, sizeof text, "there is no joint \"%.80s\"", name);
        return afxi_xml_error(urdf->load, mimic, "joint", text, "check the spelling");
    }
    const AfxiUrdfJoint *other = urdf->joints + joint->other;
    if (joint->kind == AFXI_URDF_FIXED) {
        return afxi_xml_notice(urdf->load, AFX_NOTICE_IGNORED, joint->node, NULL, "it is fixed and cannot mimic");
    }
    if (!afxi_urdf_has_coordinate(joint) || !(afxi_urdf_has_coordinate(other) || other->kind == AFXI_URDF_FIXED)) {
        return afxi_xml_error(urdf->load, mimic, "joint", "one of the two joints has more than one coordinate",
                              "both must be revolute, continuous or prismatic");
    }
    if (other->kind == AFXI_URDF_FIXED) {
        joint->multiplier = 0; /* its coordinate is 0 for ever */
    }
    joint->mimic = mimic;
    return true;
}

bool afxi_urdf_read_mimics(AfxiUrdf *urdf) {
    for (uint32_t k = 0; k < urdf->joint_count; k++) {
        AfxiXmlNode *mimic = afxi_xml_child(urdf->joints[k].node, "mimic");
        if (mimic && !read_mimic(urdf, urdf->joints + k, mimic)) {
            return false;
        }
    }
    return true;
}

bool afxi_urdf_find_starts(AfxiUrdf *urdf) {
    for (uint32_t k = 0; k < urdf->joint_count; k++) {
        /* coordinate = scale * (coordinate of the joint at the end of the mimics) + shift */
        double scale = 1, shift = 0;
        const AfxiUrdfJoint *at = urdf->joints + k;
        for (uint32_t step = 0; at->mimic && at->multiplier != 0; step++) {
            if (step == urdf->joint_count) {
                return afxi_xml_error(urdf->load, at->mimic, "joint", "joints mimic each other in a circle",
                                      "let one of them be free");
            }
            shift += scale * at->offset;
            scale *= at->multiplier;
            at = urdf->joints + at->other;
        }
        double last = at->mimic ? at->offset : fmin(fmax(0, at->lower), at->upper);
        urdf->joints[k].start = scale * last + shift;
    }
    return true;
}

AfxPose afxi_urdf_joint_pose(const AfxiUrdfJoint *joint, double value) {
    AfxPose motion = afx_pose_identity();
    if (joint->kind == AFXI_URDF_PRISMATIC) {
        motion.position = vec3_scale(value / vec3_length(joint->axis), joint->axis);
    } else if (joint->kind <= AFXI_URDF_CONTINUOUS) {
        motion.rotation = afx_quat_from_axis_angle(joint->axis, value);
    }
    return afx_pose_compose(joint->origin, motion);
}

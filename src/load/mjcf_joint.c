/* SPDX-License-Identifier: Apache-2.0 */
/* Joints and sites as records. Angles of hinges and balls are in the units of the file; free joints have no axis, no
 * limit and no spring. */
#include <math.h>

#include "load/mjcf.h"

/** Numbers of which only the first is a law that the scene has. */
static bool read_first(AfxiMjcf *m, AfxiXmlNode *node, const char *name, double *value) {
    double n[3] = {*value, 0, 0};
    if (!afxi_xml_numbers(m->load, node, name, 1, 3, n, NULL)) {
        return false;
    }
    *value = n[0];
    return (n[1] == 0 && n[2] == 0) ||
           afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, name, "only its first, linear coefficient is used");
}

/** Classes often say `limited` for joints of all types: free ones have no range, and balls without one no limit. */
static bool read_range(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfJoint *joint,
                       double range[2]) {
    if (joint->type == AFXI_MJCF_FREE || (joint->type == AFXI_MJCF_BALL && !afxi_xml_has(node, "range"))) {
        afxi_xml_text(node, "limited");
        afxi_xml_text(node, "range");
        range[0] = range[1] = 0;
        return true;
    }
    return afxi_mjcf_limits(m, model, node, "limited", "range", range, &joint->limited);
}

static bool read_coordinate(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxiMjcfJoint *joint) {
    double range[2];
    bool turns = joint->type != AFXI_MJCF_SLIDE;
    if (!read_range(m, scope->model, node, joint, range) || !afxi_xml_number(m->load, node, "ref", &joint->ref) ||
        !afxi_xml_number(m->load, node, "springref", &joint->springref)) {
        return false;
    }
    bool bounded;
    double force[2];
    if (!afxi_mjcf_limits(m, scope->model, node, "actuatorfrclimited", "actuatorfrcrange", force, &bounded)) {
        return false;
    }
    joint->force_most = bounded ? fmax(fabs(force[0]), fabs(force[1])) : INFINITY;
    if (bounded && force[0] != -force[1] &&
        !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, "actuatorfrcrange", "the larger bound holds either way")) {
        return false;
    }
    joint->lower = turns ? afxi_mjcf_angle(scope->model, range[0]) : range[0];
    joint->upper = turns ? afxi_mjcf_angle(scope->model, range[1]) : range[1];
    if (joint->type == AFXI_MJCF_HINGE) {
        joint->ref = afxi_mjcf_angle(scope->model, joint->ref);
        joint->springref = afxi_mjcf_angle(scope->model, joint->springref);
    }
    return true;
}

static bool read_axis(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfJoint *joint, AfxPose frame) {
    AfxVec3 axis = {0, 0, 1};
    if (!afxi_xml_vec3(m->load, node, "axis", &axis)) {
        return false;
    }
    double length = vec3_length(axis);
    if ((joint->type == AFXI_MJCF_HINGE || joint->type == AFXI_MJCF_SLIDE) && !(length > 1e-15 && isfinite(length))) {
        return afxi_xml_error(m->load, node, "axis", "the axis has no direction", "give a vector that is not zero");
    }
    joint->direction = afx_quat_rotate(frame.rotation, vec3_scale(1 / length, axis));
    return true;
}

static bool read_numbers(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxiMjcfJoint *joint,
                         AfxPose frame) {
    static const char *const types[] = {"free", "ball", "slide", "hinge", NULL};
    AfxVec3 point = {0, 0, 0};
    int type = AFXI_MJCF_HINGE;
    if (!afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_JOINTS) || !afxi_xml_word(m->load, node, "type", types, &type) ||
        !afxi_xml_vec3(m->load, node, "pos", &point)) {
        return false;
    }
    joint->type = (AfxiMjcfJointType)type;
    joint->point = afx_pose_apply(frame, point);
    return read_axis(m, node, joint, frame) && read_coordinate(m, scope, node, joint) &&
           read_first(m, node, "stiffness", &joint->stiffness) && read_first(m, node, "damping", &joint->damping) &&
           afxi_xml_number(m->load, node, "frictionloss", &joint->friction) &&
           afxi_xml_number(m->load, node, "armature", &joint->armature) &&
           afxi_xml_numbers(m->load, node, "springdamper", 2, 2, joint->spring, NULL);
}

/** MuJoCo allows six coordinates, a free joint only alone, and no rotation after a ball. */
static bool check_order(AfxiMjcf *m, const AfxiXmlNode *node, uint32_t body, AfxiMjcfJointType type) {
    static const int sizes[] = {6, 3, 1, 1};
    int total = sizes[type];
    bool ball = false, any = false;
    for (uint32_t k = m->bodies[body].first_joint; k != AFXI_MJCF_NONE; k = m->joints[k].next) {
        total += sizes[m->joints[k].type];
        ball = ball || m->joints[k].type == AFXI_MJCF_BALL;
        any = true;
    }
    if (body == 0) {
        return afxi_xml_error(m->load, node, NULL, "the world cannot have a joint", "move it into a body");
    }
    if (total > 6) {
        return afxi_xml_error(m->load, node, NULL, "the body has more than six coordinates", "take joints away");
    }
    if (ball && (type == AFXI_MJCF_BALL || type == AFXI_MJCF_HINGE)) {
        return afxi_xml_error(m->load, node, NULL, "it turns a body that a ball joint turns already", "take it away");
    }
    uint32_t parent = m->bodies[body].parent;
    return type != AFXI_MJCF_FREE || (!any && parent == 0) ||
           afxi_xml_error(m->load, node, NULL, "a free joint must be alone in a child of the world",
                          "move the body to worldbody");
}

bool afxi_mjcf_read_joint(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame) {
    AfxiMjcfJoint joint = {
        .node = node, .scope = *scope, .body = body, .next = AFXI_MJCF_NONE, .sign = 1, .force_most = INFINITY};
    if (afxi_xml_is(node, "freejoint")) {
        node->used = true;
        afxi_xml_text(node, "align"); /* where the frame of a free body lies in it does not matter */
    } else if (!read_numbers(m, scope, node, &joint, frame)) {
        return false;
    }
    joint.name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!joint.name || !check_order(m, node, body, joint.type) ||
        !afxi_mjcf_enter(m, &m->joint_names, node, joint.name, m->joint_count)) {
        return false;
    }
    void *array = m->joints;
    bool good = afxi_mjcf_grow(m, &array, &m->joint_capacity, m->joint_count, sizeof joint, "joints", node);
    m->joints = array;
    if (!good) {
        return false;
    }
    AfxiMjcfBody *owner = m->bodies + body;
    if (owner->last_joint == AFXI_MJCF_NONE) {
        owner->first_joint = m->joint_count;
    } else {
        m->joints[owner->last_joint].next = m->joint_count;
    }
    owner->last_joint = m->joint_count;
    m->joints[m->joint_count++] = joint;
    return true;
}

bool afxi_mjcf_read_site(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame) {
    AfxiMjcfSite site = {.node = node, .body = body};
    AfxPose own;
    double half;
    bool there;
    if (!afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_SITES) || !afxi_mjcf_pose(m, scope->model, node, &own) ||
        !afxi_mjcf_fromto(m, node, &own, &half, &there)) {
        return false;
    }
    site.pose = afx_pose_compose(frame, own);
    site.name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!site.name || !afxi_mjcf_enter(m, &m->site_names, node, site.name, m->site_count)) {
        return false;
    }
    void *array = m->sites;
    bool good = afxi_mjcf_grow(m, &array, &m->site_capacity, m->site_count, sizeof site, "sites", node);
    m->sites = array;
    if (good) {
        m->sites[m->site_count++] = site;
    }
    return good;
}

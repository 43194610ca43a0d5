/* SPDX-License-Identifier: Apache-2.0 */
/* Tendons. The length of a fixed tendon is a sum of joint coordinates, L = sum f_i q_i. With one joint, what acts on
 * the tendon acts on that joint. With several, a spring alone is an elastic coupling; for anything else L gets a
 * coordinate of its own: a coupling whose inertia is the tendon's armature or, without one, a millionth of what the
 * joints move, which is told. Spatial tendons have a
 * coordinate in the same way, with a path; a mere spring between two sites needs none. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"

/* Mass of a coordinate of its own, as a part of what moves along it. */
#define LIGHT 1e-6

/** What acts along a tendon. */
typedef struct Action {
    double stiffness, damping, friction, armature, rest[2], range[2];
    bool limited;
} Action;

static bool known(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        const char *joint = afxi_xml_text(child, "joint"), *site = afxi_xml_text(child, "site");
        const char *geom = afxi_xml_text(child, "geom");
        if ((joint && afxi_mjcf_lookup(scope, &m->joint_names, joint) == AFXI_MJCF_NONE) ||
            (site && afxi_mjcf_lookup(scope, &m->site_names, site) == AFXI_MJCF_NONE) ||
            (geom && afxi_mjcf_lookup(scope, &m->geom_names, geom) == AFXI_MJCF_NONE)) {
            return false;
        }
    }
    return true;
}

static bool read_first(AfxiMjcf *m, AfxiXmlNode *node, const char *name, double *value) {
    double n[3] = {0, 0, 0};
    if (!afxi_xml_numbers(m->load, node, name, 1, 3, n, NULL)) {
        return false;
    }
    *value = n[0];
    if (n[0] < 0) {
        return afxi_xml_error(m->load, node, name, "it is negative", "give 0 or more");
    }
    return (n[1] == 0 && n[2] == 0) ||
           afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, name, "only its first, linear coefficient is used");
}

static bool read_action(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, double start, Action *out) {
    uint32_t count;
    memset(out, 0, sizeof *out);
    if (!read_first(m, node, "stiffness", &out->stiffness) || !read_first(m, node, "damping", &out->damping) ||
        !read_first(m, node, "frictionloss", &out->friction) || !read_first(m, node, "armature", &out->armature) ||
        !afxi_xml_numbers(m->load, node, "springlength", 1, 2, out->rest, &count) ||
        !afxi_mjcf_limits(m, scope->model, node, "limited", "range", out->range, &out->limited)) {
        return false;
    }
    if (count == 0 || (count == 1 && out->rest[0] == -1)) {
        out->rest[0] = start;
        count = 1;
    }
    if (count == 1) {
        out->rest[1] = out->rest[0];
    }
    out->stiffness = m->on.spring ? out->stiffness : 0;
    out->damping = m->on.damper ? out->damping : 0;
    out->friction = m->on.friction ? out->friction : 0;
    out->limited = out->limited && m->on.limit;
    if (out->stiffness > 0 && out->rest[0] != out->rest[1]) {
        out->stiffness = 0;
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, "springlength",
                               "a spring with a range of rest lengths is left out");
    }
    return true;
}

/* ---- fixed tendons ---- */

AfxCouplingDef afxi_mjcf_tendon_sum(const AfxiMjcf *m, const AfxiMjcfTendon *t) {
    AfxCouplingDef def = afx_default_coupling();
    for (uint32_t k = 0; k < t->count; k++) {
        const AfxiMjcfJoint *joint = m->joints + t->joint[k];
        def.joint[k] = joint->id;
        def.axis[k] = joint->axis;
        def.factor[k] = t->factor[k] * joint->sign;
        def.constant -= t->factor[k] * joint->offset;
    }
    def.term_count = t->count;
    return def;
}

/** Gives L a coordinate of its own: a coupling with inertia. */
static bool add_coordinate(AfxiMjcf *m, AfxiMjcfTendon *t, double armature) {
    AfxCouplingDef sum = afxi_mjcf_tendon_sum(m, t);
    AfxPathItem items[AFX_PATH_ITEMS];
    if (t->item_count) {
        afxi_mjcf_path_items(m, t, items);
        sum.path = items;
        sum.path_count = t->item_count;
    }
    sum.name = t->name;
    sum.inertia = armature > 0 ? armature : LIGHT * t->inertia;
    t->gear = 1;
    t->offset = 0;
    if (armature == 0 && !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, t->node, NULL,
                                          "its length moves a millionth of the mass that its joints move")) {
        return false;
    }
    return afx_scene_add_coupling(m->load->scene, &sum, &t->coupling) == AFX_OK || afxi_mjcf_scene_error(m, t->node);
}

bool afxi_mjcf_tendon_coordinate(AfxiMjcf *m, AfxiMjcfTendon *t) {
    double armature = 0;
    if (t->made) {
        return true;
    }
    t->made = true;
    if (t->count > 1 || t->item_count) {
        return read_first(m, t->node, "armature", &armature) && add_coordinate(m, t, armature);
    }
    const AfxiMjcfJoint *joint = m->joints + t->joint[0];
    t->id = joint->id;
    t->axis = joint->axis;
    t->gear = t->factor[0] * joint->sign;
    t->offset = t->factor[0] * joint->offset;
    return true;
}

static bool add_drive(AfxiMjcf *m, const AfxiMjcfTendon *t, AfxDriveKind kind, const Action *a, const char *what) {
    AfxDriveDef drive = afx_default_drive(kind);
    double low = (a->range[0] - t->offset) / t->gear, high = (a->range[1] - t->offset) / t->gear;
    drive.joint = t->id;
    drive.coupling = t->coupling;
    drive.axis = t->axis;
    if (kind == AFX_DRIVE_SPRING) {
        drive.stiffness = a->stiffness * t->gear * t->gear;
        drive.damping = a->damping * t->gear * t->gear;
        drive.rest = (a->rest[0] - t->offset) / t->gear;
    } else if (kind == AFX_DRIVE_FRICTION) {
        drive.effort = a->friction * fabs(t->gear);
    } else {
        drive.lower = fmin(low, high);
        drive.upper = fmax(low, high);
    }
    return afxi_mjcf_add_drive(m, t->node, &drive, t->name, what);
}

/** A tendon of one joint that has armature: a coordinate that nothing but its inertia acts on. */
static bool add_armature(AfxiMjcf *m, const AfxiMjcfTendon *t, double armature) {
    AfxCouplingDef sum = afxi_mjcf_tendon_sum(m, t);
    AfxCouplingId id;
    sum.name = t->name;
    sum.inertia = armature;
    return afx_scene_add_coupling(m->load->scene, &sum, &id) == AFX_OK || afxi_mjcf_scene_error(m, t->node);
}

/** A spring along a sum of coordinates, which needs no coordinate of its own. */
static bool add_sum_spring(AfxiMjcf *m, const AfxiMjcfTendon *t, const Action *a) {
    AfxCouplingId id;
    AfxCouplingDef spring = afxi_mjcf_tendon_sum(m, t);
    spring.name = afxi_mjcf_label(m, t->name, "spring");
    spring.constant += a->rest[0];
    spring.compliance = 1 / a->stiffness;
    return spring.name &&
           (afx_scene_add_coupling(m->load->scene, &spring, &id) == AFX_OK || afxi_mjcf_scene_error(m, t->node));
}

/** A limit of one joint that the start violates begins there: exact as it is, it would throw what it is on. */
static bool fit_limit(AfxiMjcf *m, AfxiMjcfTendon *t, Action *a) {
    if (!a->limited || (t->start >= a->range[0] && t->start <= a->range[1])) {
        return true;
    }
    if (t->count > 1 || t->item_count) { /* a coordinate of its own: the first step begins by putting it right */
        return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, t->node, "range",
                               "it starts beyond its limit: the first step begins by moving it there");
    }
    a->range[0] = fmin(a->range[0], t->start);
    a->range[1] = fmax(a->range[1], t->start);
    return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, t->node, "range",
                           "it starts beyond its limit, which is where it starts");
}

static bool act_on_fixed(AfxiMjcf *m, AfxiMjcfTendon *t) {
    Action a;
    if (!read_action(m, &t->scope, t->node, t->drawn, &a) || !fit_limit(m, t, &a)) {
        return false;
    }
    bool others = a.damping > 0 || a.friction > 0 || a.limited || a.armature > 0;
    if (!others && a.stiffness == 0) {
        return true; /* an actuator may still want its coordinate */
    }
    if (t->count > 1 && !t->item_count && !others) {
        return add_sum_spring(m, t, &a);
    }
    if (!afxi_mjcf_tendon_coordinate(m, t)) {
        return false;
    }
    bool spring = a.stiffness > 0 || a.damping > 0;
    return (!spring || add_drive(m, t, AFX_DRIVE_SPRING, &a, "spring")) &&
           (a.friction == 0 || add_drive(m, t, AFX_DRIVE_FRICTION, &a, "friction")) &&
           (!a.limited || add_drive(m, t, AFX_DRIVE_LIMIT, &a, "limit")) &&
           (a.armature == 0 || t->count > 1 || t->item_count || add_armature(m, t, a.armature));
}

/** Adds a term; false in *out_usable when it has no place in a sum. */
static bool read_term(AfxiMjcf *m, AfxiXmlNode *child, AfxiMjcfTendon *t) {
    const char *name;
    double factor = 1;
    child->used = true;
    if (!afxi_xml_need(m->load, child, "joint", &name) || !afxi_xml_number(m->load, child, "coef", &factor)) {
        return false;
    }
    uint32_t index = afxi_mjcf_lookup(&t->scope, &m->joint_names, name);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, child, "joint", "there is no joint of this name", "check the spelling");
    }
    const AfxiMjcfJoint *joint = m->joints + index;
    if (joint->type != AFXI_MJCF_HINGE && joint->type != AFXI_MJCF_SLIDE) {
        return afxi_xml_error(m->load, child, "joint", "the joint is neither a hinge nor a slide", "name another");
    }
    if (factor == 0) {
        return true;
    }
    t->usable = t->count < AFXI_MJCF_TERMS;
    if (t->usable) {
        double inertia = joint->inertia / (factor * factor);
        t->inertia = t->count == 0 ? inertia : fmin(t->inertia, inertia);
        t->joint[t->count] = index;
        t->factor[t->count++] = factor;
        t->drawn += factor * joint->ref;
        t->start += factor * joint->start[0];
    }
    return t->usable || afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, t->node, NULL, "it has more than seven joints");
}

/* ---- spatial tendons ---- */

/** A spring between two points, which needs no coordinate. */
static bool add_spring(AfxiMjcf *m, AfxiMjcfTendon *t, const Action *a) {
    AfxSpringDef def = afx_default_spring();
    AfxSpringId id;
    AfxPathItem ends[2];
    afxi_mjcf_path_items(m, t, ends);
    def.name = t->name;
    def.body_a = ends[0].body;
    def.body_b = ends[1].body;
    def.point_a = ends[0].pose.position;
    def.point_b = ends[1].pose.position;
    def.rest_length = a->rest[0];
    def.stiffness = a->stiffness;
    def.damping = a->damping;
    bool apart = m->bodies[t->items[0].body].group != m->bodies[t->items[1].body].group;
    return !apart || (a->stiffness == 0 && a->damping == 0) ||
           afx_scene_add_spring(m->load->scene, &def, &id) == AFX_OK || afxi_mjcf_scene_error(m, t->node);
}

/* MuJoCo's limits as they are by default: time constant (s) and impedance; and where the slope of a rope begins (m). */
#define LIMIT_TIME 0.02
#define LIMIT_IMPEDANCE 0.95
#define ROPE_SLOPE 1e-4

/** The upper limit of a tendon between two sites that has no coordinate: a rope, slack below its length and above it a
 * spring of the stiffness that MuJoCo's limit has at rest. */
static bool add_rope(AfxiMjcf *m, const AfxiMjcfTendon *t, const Action *a) {
    const double d = LIMIT_IMPEDANCE;
    double weight = m->bodies[t->items[0].body].weight + m->bodies[t->items[1].body].weight;
    double stiffness = 1 / (LIMIT_TIME * LIMIT_TIME * (1 - d) * weight);
    double positions[4] = {-1, 0, ROPE_SLOPE, 2 * ROPE_SLOPE}, forces[4] = {0, 0, 0, 0};
    AfxSpringDef def = afx_default_spring();
    AfxPathItem ends[2];
    AfxSpringId id;
    if (!(weight > 0) || !(a->range[1] > 0)) {
        return true; /* neither end moves */
    }
    forces[2] = stiffness * positions[2];
    forces[3] = stiffness * positions[3];
    afxi_mjcf_path_items(m, t, ends);
    def.name = afxi_mjcf_label(m, t->name, "limit");
    def.body_a = ends[0].body;
    def.body_b = ends[1].body;
    def.point_a = ends[0].pose.position;
    def.point_b = ends[1].pose.position;
    def.rest_length = a->range[1];
    def.spring_table = (AfxForceTable){positions, forces, 4};
    return def.name &&
           (afx_scene_add_spring(m->load->scene, &def, &id) == AFX_OK || afxi_mjcf_scene_error(m, t->node)) &&
           afxi_xml_notice(
               m->load, AFX_NOTICE_CHANGED, t->node, "range",
               "its upper end is a stiff rope, since bodies that float, balls or many joints change its length");
}

static bool act_on_spatial(AfxiMjcf *m, AfxiMjcfTendon *t) {
    Action a;
    bool plain = t->item_count == 2 && t->items[0].of.kind == AFX_PATH_POINT && t->items[1].of.kind == AFX_PATH_POINT;
    if (!read_action(m, &t->scope, t->node, t->drawn, &a)) {
        return false;
    }
    bool others = a.limited || a.friction > 0 || a.armature > 0;
    if (plain && (!others || !t->usable)) {
        others = others && (a.friction > 0 || a.armature > 0 || (a.limited && a.range[0] > 0));
        return add_spring(m, t, &a) && (!a.limited || add_rope(m, t, &a)) &&
               (!others ||
                afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, t->node, NULL,
                                "lower limits, friction and armature of tendons between bodies that float, or over "
                                "balls or more than seven joints, have no effect"));
    }
    if (t->usable) {
        return act_on_fixed(m, t);
    }
    return (!others && a.stiffness == 0 && a.damping == 0) ||
           afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, t->node, NULL,
                           "paths between bodies that float, or over balls or more than seven joints, cannot "
                           "act but as springs between two sites");
}

static bool read(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    bool fixed = afxi_xml_is(node, "fixed");
    if (!fixed && !afxi_xml_is(node, "spatial")) {
        return true;
    }
    void *array = m->tendons;
    bool good = afxi_mjcf_grow(m, &array, &m->tendon_capacity, m->tendon_count, sizeof *m->tendons, "tendons", node);
    m->tendons = array;
    if (!good || !afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_TENDONS)) {
        return false;
    }
    AfxiMjcfTendon *t = m->tendons + m->tendon_count;
    *t = (AfxiMjcfTendon){
        .node = node, .scope = *scope, .fixed = fixed, .gear = 1, .id = {UINT32_MAX, 0}, .coupling = {UINT32_MAX, 0}};
    t->name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!t->name || !afxi_mjcf_enter(m, &m->tendon_names, node, t->name, m->tendon_count)) {
        return false;
    }
    m->tendon_count++;
    if (!fixed) {
        return afxi_mjcf_read_path(m, t) && act_on_spatial(m, t);
    }
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        if (afxi_xml_is(child, "joint") && !read_term(m, child, t)) {
            return false;
        }
    }
    return !t->usable || act_on_fixed(m, t);
}

bool afxi_mjcf_add_tendons(AfxiMjcf *m) {
    const AfxiMjcfReader reader = {"tendon", known, read};
    return afxi_mjcf_each(m, &reader);
}

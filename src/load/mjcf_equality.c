/* SPDX-License-Identifier: Apache-2.0 */
/* Equalities. MuJoCo holds them softly, the scene exactly: connect is a ball joint, weld a fixed one, joint and tendon
 * are couplings:  q1 - ref1 = a0 + a1 (q2 - ref2). Higher powers have no counterpart. A distance between two spheres
 * (of older files) is a rod between their centres. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"
#include "scene/name.h"

typedef struct Reference {
    const char *attribute;
    size_t names; /* offset of an AfxiNames in AfxiMjcf */
} Reference;

static const Reference references[] = {
    {"body1", offsetof(AfxiMjcf, body_names)},     {"body2", offsetof(AfxiMjcf, body_names)},
    {"site1", offsetof(AfxiMjcf, site_names)},     {"site2", offsetof(AfxiMjcf, site_names)},
    {"joint1", offsetof(AfxiMjcf, joint_names)},   {"joint2", offsetof(AfxiMjcf, joint_names)},
    {"tendon1", offsetof(AfxiMjcf, tendon_names)}, {"tendon2", offsetof(AfxiMjcf, tendon_names)},
    {"geom1", offsetof(AfxiMjcf, geom_names)},     {"geom2", offsetof(AfxiMjcf, geom_names)},
};

static const AfxiNames *names_at(const AfxiMjcf *m, size_t offset) {
    return (const AfxiNames *)(const void *)((const char *)m + offset);
}

static bool known(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    node->fallback = NULL;
    for (size_t k = 0; k < sizeof references / sizeof references[0]; k++) {
        const char *name = afxi_xml_text(node, references[k].attribute);
        if (name && strcmp(name, "world") != 0 &&
            afxi_mjcf_lookup(scope, names_at(m, references[k].names), name) == AFXI_MJCF_NONE) {
            return false;
        }
    }
    return true;
}

/** The record that an attribute names; NONE when it is absent. */
static bool find(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const char *attribute,
                 const AfxiNames *names, uint32_t *out_index) {
    const char *name = afxi_xml_text(node, attribute);
    *out_index = AFXI_MJCF_NONE;
    if (!name) {
        return true;
    }
    if (names == &m->body_names && strcmp(name, "world") == 0) {
        *out_index = 0;
        return true;
    }
    *out_index = afxi_mjcf_lookup(scope, names, name);
    return *out_index != AFXI_MJCF_NONE ||
           afxi_xml_error(m->load, node, attribute, "there is nothing of this name", "check the spelling");
}

/* ---- bodies ---- */

/** Bodies and frames that an equality ties, from sites or bodies; *out_sites says which. */
static bool find_ends(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t bodies[2], AfxPose frames[2],
                      bool *out_sites) {
    static const char *const body[2] = {"body1", "body2"}, *const site[2] = {"site1", "site2"};
    *out_sites = afxi_xml_has(node, "site1") || afxi_xml_has(node, "site2");
    for (int k = 0; k < 2; k++) {
        uint32_t index;
        frames[k] = afx_pose_identity();
        if (!find(m, scope, node, *out_sites ? site[k] : body[k], *out_sites ? &m->site_names : &m->body_names,
                  &index)) {
            return false;
        }
        if (index == AFXI_MJCF_NONE && (k == 0 || *out_sites)) {
            return afxi_xml_error(m->load, node, *out_sites ? site[k] : body[k], "the attribute is missing", "give it");
        }
        bodies[k] = index == AFXI_MJCF_NONE ? 0 : *out_sites ? m->sites[index].body : index;
        if (*out_sites) {
            frames[k] = m->sites[index].pose;
        }
    }
    return true;
}

static bool read_active(AfxiMjcf *m, AfxiXmlNode *node, bool *out_active) {
    static const char *const booleans[] = {"false", "true", NULL};
    int active = 1;
    if (!afxi_xml_word(m->load, node, "active", booleans, &active)) {
        return false;
    }
    *out_active = active == 1;
    return true;
}

/** Frame k of body `to` as body `from` sees it, as the file is drawn. */
static AfxPose seen_from(const AfxiMjcf *m, uint32_t from, uint32_t to, AfxPose frame) {
    AfxPose world = afx_pose_compose(m->bodies[to].world, frame);
    return afx_pose_compose(afx_pose_invert(m->bodies[from].world), world);
}

static bool add_joint(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxJointKind kind,
                      const uint32_t bodies[2], const AfxPose frames[2], double length) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    def.length = length;
    def.contact = true; /* only the tree of bodies keeps neighbours from touching */
    def.base_frame = frames[0];
    def.follower_frame = frames[1];
    def.base = afxi_mjcf_end(m, bodies[0], &def.base_frame);
    def.follower = afxi_mjcf_end(m, bodies[1], &def.follower_frame);
    if (m->bodies[bodies[0]].group == m->bodies[bodies[1]].group) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "both ends are parts of one body");
    }
    def.name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (def.name && def.name[0] && afxi_names_find(&m->joint_names, def.name) != AFXI_MJCF_NONE) {
        def.name = afxi_mjcf_label(m, def.name, "(equality)");
    }
    if (!def.name || !read_active(m, node, &def.active)) {
        return false;
    }
    return afx_scene_add_joint(m->load->scene, &def, &id) == AFX_OK || afxi_mjcf_scene_error(m, node);
}

static bool read_connect(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    uint32_t bodies[2] = {0, 0};
    AfxPose frames[2];
    bool sites;
    const char *text;
    if (!find_ends(m, scope, node, bodies, frames, &sites)) {
        return false;
    }
    if (!sites) {
        if (!afxi_xml_need(m->load, node, "anchor", &text) ||
            !afxi_xml_vec3(m->load, node, "anchor", &frames[0].position)) {
            return false;
        }
        frames[1] = seen_from(m, bodies[1], bodies[0], frames[0]);
    }
    return add_joint(m, scope, node, AFX_JOINT_SPHERICAL, bodies, frames, 0);
}

static bool read_weld(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    uint32_t bodies[2] = {0, 0}, count;
    AfxPose frames[2];
    double n[7] = {0};
    bool sites;
    if (!find_ends(m, scope, node, bodies, frames, &sites) ||
        !afxi_xml_numbers(m->load, node, "relpose", 7, 7, n, &count)) {
        return false;
    }
    afxi_xml_text(node, "anchor"); /* where a soft weld acts; an exact one acts everywhere */
    if (!sites) {
        bool given = n[3] != 0 || n[4] != 0 || n[5] != 0 || n[6] != 0; /* body2 in the frame of body1 */
        frames[0] = given ? (AfxPose){vec3_load(n), afxi_quat_normalized((AfxQuat){n[3], n[4], n[5], n[6]})}
                          : seen_from(m, bodies[0], bodies[1], afx_pose_identity());
    }
    return add_joint(m, scope, node, AFX_JOINT_FIXED, bodies, frames, 0);
}

static bool read_distance(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    uint32_t geoms[2], bodies[2] = {0, 0};
    AfxPose frames[2];
    double distance = 0;
    if (!find(m, scope, node, "geom1", &m->geom_names, &geoms[0]) ||
        !find(m, scope, node, "geom2", &m->geom_names, &geoms[1]) ||
        !afxi_xml_number(m->load, node, "distance", &distance)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        if (geoms[k] == AFXI_MJCF_NONE || m->geoms[geoms[k]].type != AFXI_MJCF_SPHERE) {
            return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "only distances of spheres can be held");
        }
        bodies[k] = m->geoms[geoms[k]].body;
        frames[k] = m->geoms[geoms[k]].pose;
        distance += m->geoms[geoms[k]].size[0];
    }
    return add_joint(m, scope, node, AFX_JOINT_DISTANCE, bodies, frames, distance);
}

/* ---- coordinates ---- */

/** A coordinate of the file: q = gear * c + offset, and its value as the file is drawn. */
/** A joint's coordinate, or a tendon's length: sum of factor c, less constant. */
typedef struct Coordinate {
    AfxCouplingDef sum;
    double drawn;
} Coordinate;

/** *out_there is false for a joint or tendon that has no such coordinate, which was told. */
static bool coordinate_of(AfxiMjcf *m, AfxiXmlNode *node, bool tendon, uint32_t index, Coordinate *out,
                          bool *out_there) {
    if (tendon) {
        const AfxiMjcfTendon *t = m->tendons + index;
        *out_there = t->usable && !t->item_count;
        *out = (Coordinate){afxi_mjcf_tendon_sum(m, t), t->drawn};
    } else {
        const AfxiMjcfJoint *j = m->joints + index;
        *out = (Coordinate){afx_default_coupling(), j->ref};
        out->sum.term_count = 1;
        out->sum.joint[0] = j->id;
        out->sum.axis[0] = j->axis;
        out->sum.factor[0] = j->sign;
        out->sum.constant = -j->offset;
        *out_there = j->made && (j->type == AFXI_MJCF_HINGE || j->type == AFXI_MJCF_SLIDE);
    }
    return *out_there || afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL,
                                         tendon ? "it is of a tendon that is no sum of joint coordinates"
                                                : "it is of a joint that has more than one coordinate");
}

/** Adds `by` times what the other sum has; false when that are too many terms. */
static bool add_terms(AfxCouplingDef *sum, double by, const AfxCouplingDef *other) {
    for (uint32_t k = 0; k < other->term_count && by != 0; k++) {
        uint32_t at = 0;
        while (at < sum->term_count &&
               (sum->joint[at].index != other->joint[k].index || sum->axis[at] != other->axis[k])) {
            at++;
        }
        if (at == AFX_COUPLING_TERMS) {
            return false;
        }
        if (at == sum->term_count) {
            sum->joint[at] = other->joint[k];
            sum->axis[at] = other->axis[k];
            sum->factor[at] = 0;
            sum->term_count++;
        }
        sum->factor[at] += by * other->factor[k];
    }
    return true;
}

/** L - L0 = a0 + a1 (M - M0), as the file is drawn at 0. */
static bool add_coupling(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Coordinate *first,
                         const Coordinate *second, const double a[5]) {
    AfxCouplingDef def = first->sum;
    AfxCouplingId id;
    bool active;
    if (!read_active(m, node, &active)) {
        return false;
    }
    if (!active) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "a coupling cannot be switched on later");
    }
    def.name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    def.constant += first->drawn + a[0];
    if (second && a[1] != 0) {
        def.constant -= a[1] * (second->sum.constant + second->drawn);
        if (!add_terms(&def, -a[1], &second->sum)) {
            return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "it is of more than eight joints");
        }
    }
    return def.name && (afx_scene_add_coupling(m->load->scene, &def, &id) == AFX_OK || afxi_mjcf_scene_error(m, node));
}

static bool read_coupling(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    bool tendon = afxi_xml_is(node, "tendon"), there;
    const AfxiNames *names = tendon ? &m->tendon_names : &m->joint_names;
    uint32_t index[2];
    double a[5] = {0, 1, 0, 0, 0};
    Coordinate first, second;
    if (!find(m, scope, node, tendon ? "tendon1" : "joint1", names, &index[0]) ||
        !find(m, scope, node, tendon ? "tendon2" : "joint2", names, &index[1]) ||
        !afxi_xml_numbers(m->load, node, "polycoef", 1, 5, a, NULL)) {
        return false;
    }
    if (index[0] == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, tendon ? "tendon1" : "joint1", "the attribute is missing", "give it");
    }
    if (index[1] != AFXI_MJCF_NONE && (a[2] != 0 || a[3] != 0 || a[4] != 0)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL,
                               "a relation with powers above the first is no coupling: it is left out");
    }
    if (!coordinate_of(m, node, tendon, index[0], &first, &there) || !there) {
        return m->load->error.status == AFX_OK;
    }
    if (index[1] == AFXI_MJCF_NONE) {
        return add_coupling(m, scope, node, &first, NULL, a);
    }
    if (!coordinate_of(m, node, tendon, index[1], &second, &there) || !there) {
        return m->load->error.status == AFX_OK;
    }
    return add_coupling(m, scope, node, &first, &second, a);
}

static bool read(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    static const struct {
        const char *name;
        bool (*read)(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node);
    } kinds[] = {{"connect", read_connect},
                 {"weld", read_weld},
                 {"joint", read_coupling},
                 {"tendon", read_coupling},
                 {"distance", read_distance}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (afxi_xml_is(node, kinds[k].name)) {
            return afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_EQUALITIES) &&
                   (!m->on.equality || kinds[k].read(m, scope, node));
        }
    }
    return true; /* told at the end */
}

bool afxi_mjcf_add_equalities(AfxiMjcf *m) {
    const AfxiMjcfReader reader = {"equality", known, read};
    return afxi_mjcf_each(m, &reader);
}

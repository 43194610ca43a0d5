/* SPDX-License-Identifier: Apache-2.0 */
/* Links of a URDF: inertials, and the body of each group. Inertia is the full tensor about the centre of mass in the
 * axes of the inertial's origin; groups add theirs exactly (parallel axes). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/urdf.h"
#include "math/eigen.h"
#include "math/inertia.h"

/** The six numbers of an inertia element; all must be there. */
static bool read_tensor(AfxiUrdf *urdf, AfxiXmlNode *node, double out[6]) {
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int k = 0; k < 6; k++) {
        const char *value;
        if (!afxi_xml_need(urdf->load, node, names[k], &value) ||
            !afxi_xml_number(urdf->load, node, names[k], out + k)) {
            return false;
        }
    }
    return true;
}

static bool read_inertial(AfxiUrdf *urdf, AfxiXmlNode *inertial, AfxMass *out_mass) {
    AfxMass mass = {0};
    AfxPose origin;
    AfxiXmlNode *amount = afxi_xml_child(inertial, "mass"), *tensor = afxi_xml_child(inertial, "inertia");
    const char *value;
    if (!amount || !tensor) {
        return afxi_xml_error(urdf->load, inertial, NULL, amount ? "it has no inertia" : "it has no mass",
                              "give mass and inertia, or no inertial");
    }
    if (!afxi_urdf_origin(urdf, inertial, &origin) || !afxi_xml_need(urdf->load, amount, "value", &value) ||
        !afxi_xml_number(urdf->load, amount, "value", &mass.mass) || !read_tensor(urdf, tensor, mass.inertia)) {
        return false;
    }
    if (mass.mass < 0) {
        return afxi_xml_error(urdf->load, amount, "value", "the mass is negative", "give 0 kg or more");
    }
    *out_mass = afxi_mass_transform(mass, origin);
    return true;
}

bool afxi_urdf_read_link(AfxiUrdf *urdf, AfxiXmlNode *node, AfxiUrdfLink *out_link) {
    node->used = true;
    *out_link = (AfxiUrdfLink){.node = node, .joint = AFXI_URDF_NONE, .first = AFXI_URDF_NONE};
    if (!afxi_xml_need(urdf->load, node, "name", &out_link->name)) {
        return false;
    }
    if (!out_link->name[0]) {
        return afxi_xml_error(urdf->load, node, "name", "the name is empty", "give it one");
    }
    AfxiXmlNode *inertial = afxi_xml_child(node, "inertial");
    return !inertial || read_inertial(urdf, inertial, &out_link->mass);
}

/** Second moments along principal axes back into a tensor. */
static void tensor_of(const double s[3], const AfxiMat3 *axes, double out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        double sum = row[k] == column[k] ? s[0] + s[1] + s[2] : 0;
        for (int j = 0; j < 3; j++) {
            sum -= s[j] * axes->m[3 * j + row[k]] * axes->m[3 * j + column[k]];
        }
        out[k] = sum;
    }
}

/** Many robots have inertias that no matter has: a principal moment is negative, or more than the sum of the others.
 * The second moments that are negative then are set to zero: the largest principal moment stays, others rise. */
bool afxi_urdf_mend_inertia(AfxiUrdf *urdf, AfxiXmlNode *node, AfxBodyDef *def) {
    AfxMass mass = {.mass = def->mass, .center = def->center};
    memcpy(mass.inertia, def->inertia, sizeof mass.inertia);
    double s[3], moments[3];
    AfxiMat3 axes;
    AfxiMassResult result = afxi_second_moments(&mass, s, &axes);
    if (result == AFXI_MASS_OK || result == AFXI_MASS_NOT_FINITE) {
        return true; /* what is not finite is for the scene to refuse */
    }
    afxi_eigen_sym3(def->inertia, moments, &axes);
    for (int k = 0; k < 3; k++) {
        s[k] = fmax(0, 0.5 * (moments[(k + 1) % 3] + moments[(k + 2) % 3] - moments[k]));
    }
    tensor_of(s, &axes, def->inertia);
    char text[160];
    snprintf(text, sizeof text, "its principal inertias %.4g, %.4g, %.4g are those of no body; used: %.4g, %.4g, %.4g",
             moments[0], moments[1], moments[2], s[1] + s[2], s[0] + s[2], s[0] + s[1]);
    return afxi_xml_notice(urdf->load, AFX_NOTICE_CHANGED, node, NULL, text);
}

/** Mass properties of a group; the fixed one is never solved for, and has its own only where they are sound. */
static void take_mass(const AfxiUrdfLink *link, bool fixed, AfxBodyDef *def) {
    double s[3];
    AfxiMat3 axes;
    bool sound = link->sum.mass > 0 && afxi_second_moments(&link->sum, s, &axes) == AFXI_MASS_OK;
    if (fixed && !sound) { /* a few centimetres large, so that the scene is not taken for larger than it is */
        def->mass = 1;
        def->inertia[0] = def->inertia[1] = def->inertia[2] = 0.001;
        return;
    }
    def->mass = link->sum.mass;
    def->center = link->sum.center;
    memcpy(def->inertia, link->sum.inertia, sizeof def->inertia);
}

static bool add_body(AfxiUrdf *urdf, uint32_t index) {
    AfxiUrdfLink *link = urdf->links + index;
    AfxBodyDef def = afx_default_body();
    bool fixed = index == urdf->order[0] && urdf->load->def->fixed_base;
    if (link->sum.mass == 0 && !fixed) {
        return afxi_xml_error(urdf->load, link->node, NULL,
                              "it can move, but neither it nor what is fixed to it has mass",
                              "give it an inertial, or join it by a fixed joint");
    }
    def.name = link->name;
    def.kind = fixed ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
    def.pose = link->world;
    def.mass_source = AFX_MASS_GIVEN;
    def.young = INFINITY;
    take_mass(link, fixed, &def);
    return afxi_urdf_mend_inertia(urdf, link->node, &def) &&
           (afx_scene_add_body(urdf->load->scene, &def, &link->body) == AFX_OK ||
            afxi_load_scene_error(urdf->load, link->node->file, link->node->line));
}

/** Where the frame of a link is that has no body of its own. */
static bool add_marker(AfxiUrdf *urdf, const AfxiUrdfLink *link, AfxBodyId body) {
    AfxMarkerId marker;
    return afx_scene_add_marker(urdf->load->scene, body, link->name, link->in_body.position, &marker) == AFX_OK ||
           afxi_load_scene_error(urdf->load, link->node->file, link->node->line);
}

bool afxi_urdf_add_bodies(AfxiUrdf *urdf) {
    for (uint32_t k = 0; k < urdf->link_count; k++) {
        AfxiUrdfLink *link = urdf->links + urdf->order[k];
        bool own = link->group == urdf->order[k];
        if (own && !add_body(urdf, urdf->order[k])) {
            return false;
        }
        AfxBodyId body = urdf->links[link->group].body;
        if ((!own && !add_marker(urdf, link, body)) || !afxi_urdf_add_shapes(urdf, link, body)) {
            return false;
        }
    }
    return true;
}

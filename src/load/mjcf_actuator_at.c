/* SPDX-License-Identifier: Apache-2.0 */
/* Actuators of MJCF that act on no coordinate: motors at sites are wrenches, what acts on a body pulls at its contacts.
 */
#include <math.h>

#include "load/mjcf.h"
#include "math/vec3.h"

bool afxi_mjcf_add_adhesion(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law) {
    uint32_t index = afxi_mjcf_lookup(scope, &m->body_names, afxi_xml_text(node, "body"));
    AfxControlDef control = afx_default_control();
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, "body", "there is no body of this name", "check the spelling");
    }
    const AfxiMjcfBody *body = m->bodies + index;
    control.adhesion = m->bodies[body->group].id;
    control.gain = law->gain[0];
    if (!name || !afxi_mjcf_limit_control(m, scope, node, &control, NULL) ||
        !afxi_mjcf_activate(m, scope, node, law, &control.activation)) {
        return false;
    }
    control.name = name[0] ? name : NULL;
    if (body->group == 0 || !afxi_mjcf_law_is_linear(law)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL,
                               body->group == 0 ? "its body does not move" : "no drive has its law of force");
    }
    if (body->group != index &&
        !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, "body", "all that is fixed to the body adheres")) {
        return false;
    }
    return afxi_mjcf_add_control(m, node, &control);
}

/** A motor at a site: a wrench along the axes of the site, with the gear as its components. */
static bool add_thrust(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                       uint32_t site) {
    const AfxiMjcfSite *at = m->sites + site;
    AfxWrenchDef wrench = afx_default_wrench();
    AfxControlDef control = afx_default_control();
    AfxPose frame = at->pose;
    double gear[6] = {1, 0, 0, 0, 0, 0}, range[2];
    bool limited;
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    wrench.body = afxi_mjcf_end(m, at->body, &frame);
    if (!name || !afxi_xml_numbers(m->load, node, "gear", 1, 6, gear, NULL) ||
        !afxi_mjcf_limit_control(m, scope, node, &control, NULL) ||
        !afxi_mjcf_activate(m, scope, node, law, &control.activation) ||
        !afxi_mjcf_limits(m, scope->model, node, "forcelimited", "forcerange", range, &limited)) {
        return false;
    }
    if (wrench.body.index == UINT32_MAX) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "its site does not move");
    }
    wrench.frame = AFX_FRAME_BODY;
    wrench.point = frame.position;
    vec3_store(control.direction, afx_quat_rotate(frame.rotation, vec3_load(gear)));
    vec3_store(control.direction + 3, afx_quat_rotate(frame.rotation, vec3_load(gear + 3)));
    control.gain = law->gain[0];
    control.name = name[0] ? name : NULL;
    if (limited && law->gain[0] != 0) {
        double a = range[0] / law->gain[0], b = range[1] / law->gain[0];
        bool active = control.activation.kind != AFX_ACTIVATION_NONE;
        double *lower = active ? &control.activation.lower : &control.lower;
        double *upper = active ? &control.activation.upper : &control.upper;
        *lower = fmax(*lower, fmin(a, b));
        *upper = fmin(*upper, fmax(a, b));
    }
    if (!(control.lower <= control.upper) || !(control.activation.lower <= control.activation.upper)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "it cannot give any force");
    }
    if (afx_scene_add_wrench(m->load->scene, &wrench, &control.wrench) != AFX_OK) {
        return afxi_mjcf_scene_error(m, node);
    }
    return afxi_mjcf_add_control(m, node, &control);
}

bool afxi_mjcf_read_thrust(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                           bool *out_done) {
    const char *site = afxi_xml_text(node, "site");
    bool plain = afxi_mjcf_law_is_linear(law) && law->bias[0] == 0 && law->bias[1] == 0 && law->bias[2] == 0;
    *out_done = site && plain && !afxi_xml_text(node, "refsite");
    if (!*out_done) {
        return true;
    }
    uint32_t index = afxi_mjcf_lookup(scope, &m->site_names, site);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, "site", "there is no site of this name", "check the spelling");
    }
    return add_thrust(m, scope, node, law, index);
}

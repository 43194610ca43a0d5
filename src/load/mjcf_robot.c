/* SPDX-License-Identifier: Apache-2.0 */
/* State and control of MJCF as MuJoCo has them: qpos and qvel body by body and joint by joint, ctrl by actuators,
 * keyframes of these. What has no counterpart here leaves the others in their order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/mjcf.h"

/* ---- generalised coordinates and frames ---- */

static bool add_coordinate(AfxiMjcf *m, const AfxiMjcfJoint *joint) {
    static const AfxGeneralizedKind kinds[] = {AFX_GENERALIZED_FREE, AFX_GENERALIZED_BALL, AFX_GENERALIZED_AXIS,
                                               AFX_GENERALIZED_AXIS};
    AfxGeneralizedDef def = afx_default_generalized(kinds[joint->type]);
    def.name = joint->name[0] ? joint->name : NULL;
    if (joint->type == AFXI_MJCF_FREE) {
        def.body = m->bodies[joint->body].id;
    } else {
        def.joint = joint->id;
        def.axis = joint->axis;
        def.sign = joint->sign;
        def.offset = joint->type == AFXI_MJCF_BALL ? 0 : joint->offset;
    }
    return afx_scene_add_generalized(m->load->scene, &def) == AFX_OK || afxi_mjcf_scene_error(m, joint->node);
}

static bool add_site(AfxiMjcf *m, const AfxiXmlNode *node, uint32_t body, const char *name, AfxPose pose) {
    const AfxiMjcfBody *record = m->bodies + body;
    AfxBodyId id = m->bodies[record->group].id;
    AfxSiteId site;
    if (record->group == 0 && !afxi_mjcf_world_body(m, &id)) {
        return false;
    }
    pose = afx_pose_compose(record->in_group, pose);
    return afx_scene_add_site(m->load->scene, id, name, pose, &site) == AFX_OK || afxi_mjcf_scene_error(m, node);
}

static bool add_frames(AfxiMjcf *m) {
    for (uint32_t k = 0; k < m->site_count; k++) {
        const AfxiMjcfSite *site = m->sites + k;
        if (site->name[0] && !add_site(m, site->node, site->body, site->name, site->pose)) {
            return false;
        }
    }
    for (uint32_t b = 1; b < m->body_count; b++) {
        const AfxiMjcfBody *body = m->bodies + b;
        const char *name = body->name;
        if (body->group == b || !name[0]) {
            continue;
        }
        if (afxi_names_find(&m->site_names, name) != AFXI_MJCF_NONE) {
            name = afxi_mjcf_label(m, name, "(body)");
        }
        if (!name || !add_site(m, body->node, b, name, afx_pose_identity())) {
            return false;
        }
    }
    return true;
}

bool afxi_mjcf_add_coordinates(AfxiMjcf *m) {
    for (uint32_t b = 1; b < m->body_count; b++) {
        for (uint32_t k = m->bodies[b].first_joint; k != AFXI_MJCF_NONE; k = m->joints[k].next) {
            if (!add_coordinate(m, m->joints + k)) {
                return false;
            }
        }
    }
    return add_frames(m);
}

/* ---- controls ---- */

/** Number `index` of an attribute of a keyframe; false when it has none. */
static bool number_of(AfxiXmlNode *key, const char *name, uint32_t index, double *out) {
    const char *at = key ? afxi_xml_text(key, name) : NULL;
    bool there = at != NULL;
    for (uint32_t k = 0; there && k <= index; k++) {
        there = afxi_xml_scan_number(&at, out);
    }
    return there;
}

bool afxi_mjcf_add_control(AfxiMjcf *m, const AfxiXmlNode *node, AfxControlDef *def) {
    uint32_t index = afx_scene_control_count(m->load->scene);
    void *array = m->control_place;
    double start = 0;
    bool good = afxi_mjcf_grow(m, &array, &m->control_capacity, index, sizeof *m->control_place, "controls", node);
    m->control_place = array;
    if (!good) {
        return false;
    }
    def->start = number_of(m->start_key, "ctrl", m->actuator_count, &start) ? start : 0;
    m->control_place[index] = m->actuator_count;
    return afx_scene_add_control(m->load->scene, def) == AFX_OK || afxi_mjcf_scene_error(m, node);
}

/* ---- keyframes ---- */

static uint32_t qpos_size(const AfxiMjcf *m, bool rates) {
    static const uint32_t sizes[][2] = {{7, 6}, {4, 3}, {1, 1}, {1, 1}};
    uint32_t count = 0;
    for (uint32_t k = 0; k < m->joint_count; k++) {
        count += sizes[m->joints[k].type][rates];
    }
    return count;
}

/** Exactly `count` numbers of an attribute; *out_there is false when it has none, and *out_fits when it has others. */
static bool read_numbers(AfxiMjcf *m, AfxiXmlNode *key, const char *name, uint32_t count, double **out, bool *out_there,
                         bool *out_fits) {
    const char *at = afxi_xml_text(key, name);
    *out_there = at != NULL;
    *out = NULL;
    if (!at) {
        return true;
    }
    *out = afxi_xml_take(m->load, &m->arena, (count + 1) * sizeof **out);
    uint32_t found = 0;
    double number;
    while (*out && afxi_xml_scan_number(&at, &number)) {
        if (found < count) {
            (*out)[found] = number;
        }
        found++;
    }
    *out_fits = *out_fits && found == count;
    return *out != NULL;
}

static bool add_keyframe(AfxiMjcf *m, AfxiXmlNode *key) {
    AfxKeyframeDef def = afx_default_keyframe();
    bool there[3], fits = true;
    double *qpos, *qvel, *ctrl;
    uint32_t controls = afx_scene_control_count(m->load->scene);
    def.qpos_count = qpos_size(m, false);
    def.qvel_count = qpos_size(m, true);
    def.ctrl_count = controls;
    key->used = true;
    if (!afxi_xml_number(m->load, key, "time", &def.time) ||
        !read_numbers(m, key, "qpos", def.qpos_count, &qpos, &there[0], &fits) ||
        !read_numbers(m, key, "qvel", def.qvel_count, &qvel, &there[1], &fits) ||
        !read_numbers(m, key, "ctrl", m->actuator_count, &ctrl, &there[2], &fits)) {
        return false;
    }
    const char *name = afxi_xml_text(key, "name");
    if (!fits) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, key, NULL,
                               "it has not as many numbers as the model has coordinates, velocities or controls");
    }
    for (uint32_t k = 0; there[2] && k < controls; k++) { /* of those actuators that have a control; in their order */
        ctrl[k] = ctrl[m->control_place[k]];
    }
    def.name = name && name[0] ? name : NULL;
    def.qpos = there[0] ? qpos : NULL;
    def.qvel = there[1] ? qvel : NULL;
    def.ctrl = there[2] && controls ? ctrl : NULL;
    return afx_scene_add_keyframe(m->load->scene, &def) == AFX_OK || afxi_mjcf_scene_error(m, key);
}

bool afxi_mjcf_add_keyframes(AfxiMjcf *m) {
    for (AfxiXmlNode *section = m->main->root->first; section; section = section->next) {
        AfxiXmlNode *key = afxi_xml_is(section, "keyframe") ? section->first : NULL;
        section->used = section->used || key;
        for (; key; key = key->next) {
            if (afxi_xml_is(key, "key") && !add_keyframe(m, key)) {
                return false;
            }
        }
    }
    return true;
}

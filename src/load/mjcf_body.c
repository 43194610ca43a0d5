/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of bodies as bodies of the scene, exactly rigid; sites and bodies that were merged as markers; compensation of
 * gravity as a force. What stands still with the world is one fixed body "world", made when something is on it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"
#include "scene/name.h"

/** A fixed body, of a mass that nothing feels: a few centimetres large, so that the scene is not taken for larger. */
static AfxBodyDef still_body(void) {
    AfxBodyDef def = afx_default_body();
    def.kind = AFX_BODY_FIXED;
    def.mass_source = AFX_MASS_GIVEN;
    def.young = INFINITY;
    def.mass = 1;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.001;
    return def;
}

bool afxi_mjcf_world_body(AfxiMjcf *m, AfxBodyId *out_body) {
    if (!m->has_world_body) {
        AfxBodyDef def = still_body();
        def.name = "world";
        if (afx_scene_add_body(m->load->scene, &def, &m->bodies[0].id) != AFX_OK) {
            return afxi_mjcf_scene_error(m, NULL);
        }
        m->has_world_body = true;
    }
    *out_body = m->bodies[0].id;
    return true;
}

bool afxi_mjcf_set_apart(AfxiMjcf *m, uint32_t body) {
    AfxiMjcfBody *record = m->bodies + body;
    if (body == 0 || record->group != 0 || record->apart || record->first_geom == AFXI_MJCF_NONE) {
        return true;
    }
    AfxBodyDef def = still_body();
    def.name = record->name[0] ? record->name : NULL;
    def.pose = record->start;
    record->apart = afx_scene_add_body(m->load->scene, &def, &record->id) == AFX_OK;
    return record->apart || afxi_mjcf_scene_error(m, record->node);
}

AfxBodyId afxi_mjcf_end(const AfxiMjcf *m, uint32_t body, AfxPose *frame) {
    const AfxiMjcfBody *record = m->bodies + body;
    *frame = afx_pose_compose(record->in_group, *frame);
    return record->group == 0 ? afx_world() : m->bodies[record->group].id;
}

/** Whether gravity is wholly compensated for all matter of a group. */
static bool floats(const AfxiMjcf *m, uint32_t group) {
    for (uint32_t b = group; b < m->body_count; b++) {
        if (m->bodies[b].group == group && m->bodies[b].mass.mass > 0 && m->bodies[b].gravcomp != 1) {
            return false;
        }
    }
    return true;
}

static bool add_body(AfxiMjcf *m, uint32_t index) {
    AfxiMjcfBody *body = m->bodies + index;
    AfxBodyDef def = afx_default_body();
    def.name = body->name[0] ? body->name : NULL;
    def.kind = body->mocap ? AFX_BODY_KINEMATIC : AFX_BODY_DYNAMIC;
    def.pose = body->start;
    def.mass_source = AFX_MASS_GIVEN;
    def.young = INFINITY;
    def.gravity = body->gravcomp != 1 || !floats(m, index);
    def.mass = body->sum.mass;
    def.center = body->sum.center;
    memcpy(def.inertia, body->sum.inertia, sizeof def.inertia);
    if (def.mass == 0) { /* a mocap body without geoms: as the world */
        def.mass = 1;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.001;
    }
    return afx_scene_add_body(m->load->scene, &def, &body->id) == AFX_OK || afxi_mjcf_scene_error(m, body->node);
}

/** The force against gravity on one body of a group that does not float as a whole. */
static bool compensate(AfxiMjcf *m, const AfxiMjcfBody *body) {
    AfxBodyDef def;
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId id;
    if (body->gravcomp == 0 || body->group == 0 || !(body->mass.mass > 0)) {
        return true;
    }
    wrench.body = m->bodies[body->group].id;
    wrench.point = afx_pose_apply(body->in_group, body->mass.center);
    wrench.force = vec3_scale(-body->gravcomp * body->mass.mass, m->gravity);
    if (afx_scene_get_body(m->load->scene, wrench.body, &def) != AFX_OK) {
        return afxi_mjcf_scene_error(m, body->node);
    }
    return !def.gravity || def.kind != AFX_BODY_DYNAMIC ||
           afx_scene_add_wrench(m->load->scene, &wrench, &id) == AFX_OK || afxi_mjcf_scene_error(m, body->node);
}

/* ---- markers ---- */

static bool add_marker(AfxiMjcf *m, const AfxiXmlNode *node, uint32_t body, const char *name, AfxVec3 point) {
    const AfxiMjcfBody *record = m->bodies + body;
    AfxBodyId id = m->bodies[record->group].id;
    AfxMarkerId marker;
    if (record->group == 0 && !afxi_mjcf_world_body(m, &id)) {
        return false;
    }
    point = afx_pose_apply(record->in_group, point);
    return afx_scene_add_marker(m->load->scene, id, name, point, &marker) == AFX_OK || afxi_mjcf_scene_error(m, node);
}

static bool add_markers(AfxiMjcf *m) {
    for (uint32_t k = 0; k < m->site_count; k++) {
        const AfxiMjcfSite *site = m->sites + k;
        if (site->name[0] && !add_marker(m, site->node, site->body, site->name, site->pose.position)) {
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
        if (!name || !add_marker(m, body->node, b, name, vec3(0, 0, 0))) {
            return false;
        }
    }
    return true;
}

bool afxi_mjcf_add_bodies(AfxiMjcf *m) {
    for (uint32_t b = 1; b < m->body_count; b++) {
        if (m->bodies[b].group == b && !add_body(m, b)) {
            return false;
        }
    }
    for (uint32_t b = 1; b < m->body_count; b++) {
        if (!compensate(m, m->bodies + b)) {
            return false;
        }
    }
    return add_markers(m);
}

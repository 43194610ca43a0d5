/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of MJCF: those that the scene has, by MuJoCo's names. Frames of bodies become sites without a name. */
#include <stdio.h>
#include <string.h>

#include "affix/sensor.h"
#include "load/mjcf.h"

static bool kind_of(const AfxiXmlNode *node, AfxSensorKind *out_kind) {
    for (int k = 0; k < AFX_SENSOR_KIND_COUNT; k++) {
        if (afxi_xml_is(node, afx_sensor_name((AfxSensorKind)k))) {
            *out_kind = (AfxSensorKind)k;
            return true;
        }
    }
    return false;
}

static bool known(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    const struct {
        const char *attribute;
        const AfxiNames *names;
    } references[] = {
        {"joint", &m->joint_names}, {"site", &m->site_names}, {"body", &m->body_names}, {"tendon", &m->tendon_names}};
    for (size_t k = 0; k < sizeof references / sizeof references[0]; k++) {
        const char *name = afxi_xml_text(node, references[k].attribute);
        if (name && afxi_mjcf_lookup(scope, references[k].names, name) == AFXI_MJCF_NONE) {
            return false;
        }
    }
    return true;
}

/** The number of a generalised coordinate: joints in the order of their bodies. */
static uint32_t coordinate_of(const AfxiMjcf *m, uint32_t joint) {
    uint32_t count = 0;
    for (uint32_t b = 1; b < m->body_count; b++) {
        for (uint32_t k = m->bodies[b].first_joint; k != AFXI_MJCF_NONE; k = m->joints[k].next, count++) {
            if (k == joint) {
                return count;
            }
        }
    }
    return AFXI_MJCF_NONE;
}

/** A site of the scene for one of the file: a new one, so that sites without a name can be meant too. */
static bool add_site(AfxiMjcf *m, const AfxiXmlNode *node, uint32_t body, AfxPose pose, uint32_t *out_site) {
    const AfxiMjcfBody *record = m->bodies + body;
    AfxBodyId id = m->bodies[record->group].id;
    AfxSiteId site;
    if (record->group == 0 && !afxi_mjcf_world_body(m, &id)) {
        return false;
    }
    *out_site = afx_scene_site_count(m->load->scene);
    return afx_scene_add_site(m->load->scene, id, NULL, afx_pose_compose(record->in_group, pose), &site) == AFX_OK ||
           afxi_mjcf_scene_error(m, node);
}

bool afxi_mjcf_sensor_frame(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const char *type,
                            const char *name, uint32_t *out_site, bool *out_there) {
    bool body = strcmp(type, "xbody") == 0 || strcmp(type, "body") == 0, geom = strcmp(type, "geom") == 0;
    *out_there = body || geom || strcmp(type, "site") == 0;
    if (!*out_there) {
        return true;
    }
    uint32_t index = afxi_mjcf_lookup(scope, body ? &m->body_names : geom ? &m->geom_names : &m->site_names, name);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, NULL, "there is nothing of a name that it refers to",
                              "check the spelling");
    }
    if (geom) {
        return add_site(m, node, m->geoms[index].body, m->geoms[index].pose, out_site);
    }
    if (!body) {
        return add_site(m, node, m->sites[index].body, m->sites[index].pose, out_site);
    }
    AfxPose pose = afx_pose_identity();
    if (strcmp(type, "body") == 0) { /* at the centre of mass; its axes are the body's here */
        pose.position = m->bodies[index].mass.center;
    }
    return add_site(m, node, index, pose, out_site);
}

/** The frame that a sensor is on, and that of its reference. */
static bool find_frames(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                        bool *out_there) {
    const char *site = afxi_xml_text(node, "site"), *body = afxi_xml_text(node, "body");
    const char *type = afxi_xml_text(node, "objtype"), *name = afxi_xml_text(node, "objname");
    const char *reference_type = afxi_xml_text(node, "reftype"), *reference = afxi_xml_text(node, "refname");
    bool good = true;
    *out_there = false;
    if (site || body) {
        good = afxi_mjcf_sensor_frame(m, scope, node, site ? "site" : "xbody", site ? site : body, &def->object,
                                      out_there);
    } else if (type && name) {
        good = afxi_mjcf_sensor_frame(m, scope, node, type, name, &def->object, out_there);
    }
    if (good && *out_there && reference_type && reference) {
        good = afxi_mjcf_sensor_frame(m, scope, node, reference_type, reference, &def->reference, out_there);
    }
    return good;
}

/** A site in the frame of a camera, and what its picture is; *out_there stays false where what it looks at is not
 * there. */
static bool find_camera(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                        bool *out_there) {
    const char *camera = afxi_xml_text(node, "camera"), *name = camera ? afxi_mjcf_name(m, scope, camera) : NULL;
    for (uint32_t k = 0; name && k < m->camera_count; k++) {
        const AfxiMjcfCamera *own = m->cameras + k;
        double angle = 45, size[2] = {1, 1};
        if (strcmp(own->name, name) != 0) {
            continue;
        }
        own->node->used = true;
        if (!afxi_xml_number(m->load, own->node, "fovy", &angle) ||
            !afxi_xml_numbers(m->load, own->node, "resolution", 2, 2, size, NULL) ||
            !add_site(m, node, own->body, own->pose, &def->reference)) {
            return false;
        }
        def->field = vec3(angle * 3.14159265358979323846 / 180, size[0], size[1]);
        *out_there = *out_there && !afxi_xml_has(own->node, "sensorsize") && !afxi_xml_has(own->node, "mode");
        return true;
    }
    *out_there = false;
    return !camera || afxi_xml_error(m->load, node, "camera", "there is no camera of this name", "check the spelling");
}

/** The bodies, or shapes of them, between which a distance is. */
static bool find_shapes(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                        bool *out_there) {
    static const char *const names[2][2] = {{"geom1", "body1"}, {"geom2", "body2"}};
    uint32_t *ends[2] = {&def->object, &def->reference};
    for (int k = 0; k < 2; k++) {
        const char *geom = afxi_xml_text(node, names[k][0]), *body = afxi_xml_text(node, names[k][1]);
        const AfxiNames *of = geom ? &m->geom_names : &m->body_names;
        uint32_t index = geom || body ? afxi_mjcf_lookup(scope, of, geom ? geom : body) : AFXI_MJCF_NONE;
        if (index == AFXI_MJCF_NONE) {
            return afxi_xml_error(m->load, node, names[k][0], "there is no geom or body of this name",
                                  "check the spelling");
        }
        AfxBodyId id = geom ? m->geoms[index].holder : m->bodies[m->bodies[index].group].id;
        *out_there = *out_there && (!geom || m->geoms[index].part != AFXI_MJCF_NONE) && id.index != UINT32_MAX;
        *ends[k] = id.index;
        def->part[k] = geom ? m->geoms[index].part : UINT32_MAX;
        if (!geom && m->bodies[index].group != index &&
            !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, names[k][1], "all that is fixed to the body counts")) {
            return false;
        }
    }
    *out_there = *out_there && def->object != def->reference;
    return true;
}

bool afxi_mjcf_sensor_zone(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def) {
    static const char *const types[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", NULL};
    static const AfxShapeKind kinds[] = {AFX_SHAPE_SPHERE, AFX_SHAPE_CAPSULE, AFX_SHAPE_ELLIPSOID, AFX_SHAPE_CYLINDER,
                                         AFX_SHAPE_BOX};
    uint32_t index = afxi_mjcf_lookup(scope, &m->site_names, afxi_xml_text(node, "site"));
    double size[3] = {0.005, 0.005, 0.005};
    int type = 0;
    AfxiXmlNode *site = m->sites[index].node;
    if (!afxi_xml_word(m->load, site, "type", types, &type) ||
        !afxi_xml_numbers(m->load, site, "size", 1, 3, size, NULL)) {
        return false;
    }
    if (afxi_xml_has(site, "fromto")) {
        return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, NULL, "it feels all contacts of its site's body");
    }
    def->zone = 1 + (uint32_t)kinds[type];
    memcpy(def->zone_size, size, sizeof size);
    if (kinds[type] == AFX_SHAPE_CAPSULE || kinds[type] == AFX_SHAPE_CYLINDER) {
        def->zone_size[1] = 2 * size[1];
    }
    return true;
}

/** The frame that may be inside, and the site with its volume. */
static bool find_inside(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                        bool *out_there) {
    const char *type = afxi_xml_text(node, "objtype"), *name = afxi_xml_text(node, "objname"), *site;
    bool placed = false;
    if (!afxi_xml_need(m->load, node, "site", &site) ||
        !afxi_mjcf_sensor_frame(m, scope, node, "site", site, &def->reference, &placed) ||
        !afxi_mjcf_sensor_zone(m, scope, node, def)) {
        return false;
    }
    *out_there = type && name && def->zone;
    return !*out_there || afxi_mjcf_sensor_frame(m, scope, node, type, name, &def->object, out_there);
}

/** The coupling of a tendon, made for the sensor where the tendon has none. */
static bool find_tendon(AfxiMjcf *m, const AfxiMjcfScope *scope, const char *name, AfxSensorDef *def, bool *out_there) {
    uint32_t index = afxi_mjcf_lookup(scope, &m->tendon_names, name);
    AfxiMjcfTendon *t = index == AFXI_MJCF_NONE ? NULL : m->tendons + index;
    *out_there = t && t->usable && (t->count > 1 || t->item_count);
    if (!*out_there) {
        return true;
    }
    if (!afxi_mjcf_tendon_coordinate(m, t)) {
        return false;
    }
    def->object = t->coupling.index;
    return true;
}

/** *out_there is false for what a sensor cannot be on here. */
static bool find_object(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                        bool *out_there) {
    const char *joint = afxi_xml_text(node, "joint"), *actuator = afxi_xml_text(node, "actuator");
    *out_there = true;
    if (joint) {
        uint32_t index = afxi_mjcf_lookup(scope, &m->joint_names, joint);
        if (index == AFXI_MJCF_NONE) {
            return afxi_xml_error(m->load, node, "joint", "there is no joint of this name", "check the spelling");
        }
        def->object = coordinate_of(m, index);
        return true;
    }
    if (actuator) {
        const char *name = afxi_mjcf_name(m, scope, actuator);
        *out_there = name && afx_scene_find_control(m->load->scene, name, &def->object) == AFX_OK;
        return name != NULL;
    }
    if (def->kind == AFX_SENSOR_CONTACT) {
        return afxi_mjcf_sensor_contacts(m, scope, node, def, out_there);
    }
    if (def->kind >= AFX_SENSOR_DISTANCE && def->kind <= AFX_SENSOR_FROM_TO) {
        return find_shapes(m, scope, node, def, out_there);
    }
    if (def->kind == AFX_SENSOR_INSIDE) {
        return find_inside(m, scope, node, def, out_there);
    }
    const char *tendon = afxi_xml_text(node, "tendon");
    if (tendon) {
        return find_tendon(m, scope, tendon, def, out_there);
    }
    if (def->kind == AFX_SENSOR_CLOCK || def->kind == AFX_SENSOR_POTENTIAL_ENERGY ||
        def->kind == AFX_SENSOR_KINETIC_ENERGY) {
        return true;
    }
    def->field = m->magnetic;
    return find_frames(m, scope, node, def, out_there) &&
           (def->kind != AFX_SENSOR_CAMERA_PROJECTION || find_camera(m, scope, node, def, out_there)) &&
           (def->kind != AFX_SENSOR_TOUCH || !*out_there || afxi_mjcf_sensor_zone(m, scope, node, def));
}

static bool read(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    AfxSensorKind kind;
    bool there;
    if (!kind_of(node, &kind)) {
        return true; /* told at the end */
    }
    AfxSensorDef def = afx_default_sensor(kind);
    node->used = true;
    if (!find_object(m, scope, node, &def, &there) || !afxi_xml_number(m->load, node, "cutoff", &def.cutoff) ||
        !afxi_xml_number(m->load, node, "noise", &def.noise)) {
        return false;
    }
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!there) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "what it measures is not there");
    }
    if (!name) {
        return false;
    }
    bool field = kind == AFX_SENSOR_MAGNETOMETER || kind == AFX_SENSOR_CAMERA_PROJECTION;
    def.field = field ? def.field : (AfxVec3){0, 0, 0};
    def.name = name[0] ? name : NULL;
    return afx_scene_add_sensor(m->load->scene, &def) == AFX_OK || afxi_mjcf_scene_error(m, node);
}

bool afxi_mjcf_add_sensors(AfxiMjcf *m) {
    const AfxiMjcfReader reader = {"sensor", known, read};
    return afxi_mjcf_each(m, &reader);
}

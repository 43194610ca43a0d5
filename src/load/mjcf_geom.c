/* SPDX-License-Identifier: Apache-2.0 */
/* Geoms as records: what they are, where, what they weigh by, and what they touch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"
#include "scene/name.h"

static bool read_size(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfGeom *geom, double half, bool fromto) {
    static const uint32_t needed[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
    double n[3] = {0, 0, 0};
    uint32_t count, wanted = needed[geom->type];
    if (!afxi_xml_numbers(m->load, node, "size", 1, 3, n, &count)) {
        return false;
    }
    if (fromto) { /* the length is known; one radius or half width is enough */
        if (wanted < 2) {
            return afxi_xml_error(m->load, node, "fromto", "only capsule, cylinder, ellipsoid and box can have it",
                                  "give pos and an orientation");
        }
        n[wanted == 3 ? 2 : 1] = half;
        n[1] = wanted == 3 ? n[0] : half;
        wanted = 1;
    }
    if (geom->mesh == AFXI_MJCF_NONE && count < wanted) {
        return afxi_xml_error(m->load, node, "size", "it has too few numbers for this type of geom", "give them all");
    }
    for (uint32_t k = 0; k < (geom->mesh == AFXI_MJCF_NONE ? needed[geom->type] : 0); k++) {
        if (!(n[k] > 0)) {
            return afxi_xml_error(m->load, node, "size", "a size is not positive", "give lengths above 0 m");
        }
    }
    memcpy(geom->size, n, sizeof n);
    return true;
}

/** The mesh or height field that it refers to. */
static bool read_asset(AfxiMjcf *m, AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfGeom *geom) {
    const char *mesh = afxi_xml_text(node, "mesh"), *hfield = afxi_xml_text(node, "hfield");
    char text[120];
    if (mesh) {
        geom->mesh = afxi_names_find(&model->mesh_names, mesh);
        snprintf(text, sizeof text, "there is no mesh \"%.80s\"", mesh);
        if (geom->mesh == AFXI_MJCF_NONE) {
            return afxi_xml_error(m->load, node, "mesh", text, "give it in asset, or check the spelling");
        }
    } else if (geom->type == AFXI_MJCF_MESH || geom->type == AFXI_MJCF_SDF) {
        return afxi_xml_error(m->load, node, "mesh", "a geom of this type needs a mesh", "name one of asset");
    }
    if (geom->type != AFXI_MJCF_HFIELD) {
        return true;
    }
    uint32_t index = hfield ? afxi_names_find(&model->hfield_names, hfield) : AFXI_MJCF_NONE;
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, "hfield", "there is no such height field", "give it in asset");
    }
    double size[4];
    const char *there;
    if (!afxi_xml_need(m->load, model->hfields[index], "size", &there) ||
        !afxi_xml_numbers(m->load, model->hfields[index], "size", 4, 4, size, NULL)) {
        return false;
    }
    geom->hfield = model->hfields[index];
    geom->size[0] = size[0]; /* MuJoCo weighs it as a box of half its height and its base */
    geom->size[1] = size[1];
    geom->size[2] = 0.25 * size[2] + 0.5 * size[3];
    return true;
}

/** Its own colour, or that of its material, and that one's texture. */
static bool read_look(AfxiMjcf *m, AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfGeom *geom) {
    const char *name = afxi_xml_text(node, "material");
    uint32_t index = name ? afxi_names_find(&model->look_names, name) : AFXI_MJCF_NONE;
    return (index == AFXI_MJCF_NONE || (afxi_xml_color(m->load, model->looks[index], "rgba", &geom->color) &&
                                        afxi_mjcf_texture(m, model, index, &geom->texture))) &&
           afxi_xml_color(m->load, node, "rgba", &geom->color);
}

static bool read_matter(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfGeom *geom) {
    static const char *const booleans[] = {"false", "true", NULL};
    int shell = 0, group = 0;
    geom->density = 1000;
    geom->amount = NAN;
    if (!afxi_xml_number(m->load, node, "mass", &geom->amount) ||
        !afxi_xml_number(m->load, node, "density", &geom->density) ||
        !afxi_xml_word(m->load, node, "shellinertia", booleans, &shell) ||
        !afxi_xml_integer(m->load, node, "group", &group)) {
        return false;
    }
    geom->shell = shell == 1;
    geom->group = group;
    if (geom->amount < 0 || geom->density < 0) {
        return afxi_xml_error(m->load, node, geom->amount < 0 ? "mass" : "density", "it is negative", "give 0 or more");
    }
    return true;
}

/** Bits, and the surface: sliding, torsional and rolling friction. */
static bool read_touch(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfGeom *geom) {
    int kind = 1, affinity = 1;
    geom->surface = afxi_mjcf_plain_surface();
    if (!afxi_xml_integer(m->load, node, "contype", &kind) ||
        !afxi_xml_integer(m->load, node, "conaffinity", &affinity) ||
        !afxi_xml_numbers(m->load, node, "friction", 1, 3, geom->surface.friction, NULL) ||
        !afxi_xml_integer(m->load, node, "condim", &geom->surface.condim) ||
        !afxi_xml_integer(m->load, node, "priority", &geom->surface.priority) ||
        !afxi_mjcf_read_softness(m, node, &geom->surface) ||
        !afxi_xml_number(m->load, node, "solmix", &geom->surface.solmix)) {
        return false;
    }
    geom->contype = (uint32_t)kind;
    geom->conaffinity = (uint32_t)affinity;
    return afxi_mjcf_check_surface(m, node, &geom->surface);
}

static bool read_numbers(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxPose frame,
                         AfxiMjcfGeom *geom) {
    static const char *const types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "sdf",     NULL};
    AfxPose own;
    double half = 0;
    bool fromto;
    int type = AFXI_MJCF_SPHERE;
    if (!afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_GEOMS) || !afxi_xml_word(m->load, node, "type", types, &type) ||
        !afxi_mjcf_pose(m, scope->model, node, &own) || !afxi_mjcf_fromto(m, node, &own, &half, &fromto)) {
        return false;
    }
    geom->type = (AfxiMjcfGeomType)type;
    geom->pose = afx_pose_compose(frame, own);
    return read_asset(m, scope->model, node, geom) &&
           (geom->type == AFXI_MJCF_HFIELD || read_size(m, node, geom, half, fromto)) && read_matter(m, node, geom) &&
           read_touch(m, node, geom) && read_look(m, scope->model, node, geom);
}

bool afxi_mjcf_read_geom(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame) {
    AfxiMjcfGeom geom = {.node = node,
                         .model = scope->model,
                         .body = body,
                         .next = AFXI_MJCF_NONE,
                         .mesh = AFXI_MJCF_NONE,
                         .part = AFXI_MJCF_NONE,
                         .material = AFXI_MJCF_NONE};
    if (!read_numbers(m, scope, node, frame, &geom)) {
        return false;
    }
    geom.name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!geom.name || !afxi_mjcf_enter(m, &m->geom_names, node, geom.name, m->geom_count)) {
        return false;
    }
    void *array = m->geoms;
    bool good = afxi_mjcf_grow(m, &array, &m->geom_capacity, m->geom_count, sizeof geom, "geoms", node);
    m->geoms = array;
    if (!good) {
        return false;
    }
    AfxiMjcfBody *owner = m->bodies + body;
    if (owner->last_geom == AFXI_MJCF_NONE) {
        owner->first_geom = m->geom_count;
    } else {
        m->geoms[owner->last_geom].next = m->geom_count;
    }
    owner->last_geom = m->geom_count;
    m->geoms[m->geom_count++] = geom;
    return true;
}
